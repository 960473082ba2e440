"""Planning: every seat has a plan for its own train, and lays off it what fits elsewhere.

A *plan* is the longest trail from the seat's own end through its hand; the tiles off it are the *rest*. A planning
seat keeps its plan for later, since nobody can spoil it: it lays a tile of the rest where one fits, even a tile of the
plan where another plan is as long without it, and only then the plan's next. This module reads one seat's hand and
what lies on the table, and must not know who plays.
"""

import numpy as np

from mtrain.game.intrinsics import lowest
from mtrain.game.jit import kernel
from mtrain.game.kernels import PASS, lay
from mtrain.game.rng import below
from mtrain.game.state import MAX_SEATS
from mtrain.game.tiles import HI, LO, N_NUMBERS
from mtrain.strategy.longest_train import DEEP, LONGEST, TRAIL, longest_train

_LONGEST = 64  # tiles of a plan that are kept in mind
_NODES = 300  # the solver's budget for a plan
_NONE = -1e9

# What every seat means to lay on its own train.
PLANS = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("kept", "i4", (MAX_SEATS, N_NUMBERS)),  # bit x of row [seat, v]: v-x is on that seat's plan
                ("path", "u1", (MAX_SEATS, _LONGEST)),  # its tiles, in their order
                ("at", "i2", (MAX_SEATS,)),  # the next of them
                ("n", "i2", (MAX_SEATS,)),
                ("end", "u1", (MAX_SEATS,)),  # the open end that the next one joins
                ("depth", "i8"),  # tiles that plans look ahead; 0: to the end
            ],
            align=True,
        ),
    )
)

# The parameters of `planned_action`, and what they are for a plain planner.
PAIR, ORDER = range(2)
PLAIN = np.array([30.0, 0.0])
REST_FIRST, PLAN_FIRST = range(2)


# ── Plans ─────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def longest(t, s, seat, but_hi, but_lo, depth):
    """Find the longest trail from a seat's end through its hand but for one tile (-1: but for none), into `t`.

    It looks `depth` tiles ahead; 0: to the end.
    """
    for v in range(N_NUMBERS):  # all of them: whatever lay in the scratch before would be tiles, too
        t.rows[v] = s.hand[seat, v]
    if but_hi >= 0:
        t.rows[but_hi] &= ~(1 << but_lo)
        t.rows[but_lo] &= ~(1 << but_hi)
    each, per_pip = LONGEST
    longest_train(t, np.int64(s.end[seat]), each, per_pip, _NODES, depth or DEEP)


@kernel
def make_plan(plans, t, s, seat):
    """Make a seat's plan anew; `t` is a scratch record of dtype TRAIL."""
    longest(t, s, seat, -1, -1, plans.depth)
    n = min(t.n, _LONGEST)
    plans.at[seat] = 0
    plans.n[seat] = n
    plans.end[seat] = s.end[seat]
    plans.kept[seat, :] = 0
    for k in range(n):
        hi, lo = np.int64(HI[t.path[k]]), np.int64(LO[t.path[k]])
        plans.path[seat, k] = t.path[k]
        plans.kept[seat, hi] |= 1 << lo
        plans.kept[seat, lo] |= 1 << hi


@kernel
def _next(plans, seat):
    """Return the numbers of the next tile of a plan, the larger first, or (-1, -1)."""
    at = np.int64(plans.at[seat])
    if at < plans.n[seat]:
        tile = plans.path[seat, at]
        return np.int64(HI[tile]), np.int64(LO[tile])
    return -1, -1


@kernel
def _place(plans, seat, hi, lo):
    """Return where on its plan a seat has a tile."""
    tile = hi * (hi + 1) // 2 + lo
    for k in range(np.int64(plans.n[seat])):
        if plans.path[seat, k] == tile:
            return k
    return -1


@kernel
def note_laid(plans, seat, action):
    """Note in a seat's plan that it has laid a tile: the plan goes on behind its next, and ends before any other."""
    hi, lo = action >> 5 & 31, action & 31
    if not plans.kept[seat, hi] >> lo & 1:
        return
    place = _place(plans, seat, hi, lo)
    last = place + 1
    if place == plans.at[seat] and action >> 10 & 15 == seat:
        plans.at[seat] += 1
        plans.end[seat] = hi + lo - plans.end[seat]
    else:
        last = np.int64(plans.n[seat])
        plans.n[seat] = place
    for k in range(place, last):
        tile = plans.path[seat, k]
        plans.kept[seat, HI[tile]] &= ~(1 << np.int64(LO[tile]))
        plans.kept[seat, LO[tile]] &= ~(1 << np.int64(HI[tile]))


# ── Choosing ──────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def _worth(s, plans, seat, v, x, pair):
    """Return what it is worth to be rid of the tile v-x at an end `v`: its pips; a double needs a tile to cover it."""
    worth = float(v + x)
    if v == x and s.count[seat] > 1:
        covers = np.int64(s.hand[seat, v]) & ~(1 << v) & ~np.int64(plans.kept[seat, v])
        worth += pair if covers else -pair
    return worth


@kernel
def _elsewhere(s, plans, t, seat, free, agent_state):
    """Return the best tile to lay without shortening the plan, as an action; 0: there is none.

    `free`: there is no plan, so that one's own train is open to all tiles.
    """
    best = np.int64(0)
    most = _NONE
    n_best = 0
    ahead = np.int64(plans.n[seat]) - np.int64(plans.at[seat])
    for train in range(np.int64(s.n_seats) + 1):
        if train == seat and not free:
            continue
        v = np.int64(s.end[train])
        row = np.int64(s.legal[train])
        while row:
            x = lowest(row)
            row &= row - 1
            worth = _worth(s, plans, seat, v, x, agent_state.params[PAIR])
            if worth < most:
                continue
            if np.int64(plans.kept[seat, v]) >> x & 1:
                longest(t, s, seat, max(v, x), min(v, x), plans.depth)
                if t.n < ahead:
                    continue
            n_best = 1 if worth > most else n_best + 1
            if worth > most or below(agent_state, n_best) == 0:
                best, most = lay(train, v, x), worth
    return best


@kernel
def _latest(s, plans, seat):
    """Return the legal tile whose loss cuts the plan latest, as an action."""
    best = np.int64(PASS)
    latest = -2
    for train in range(np.int64(s.n_seats) + 1):
        v = np.int64(s.end[train])
        row = np.int64(s.legal[train])
        while row:
            x = lowest(row)
            row &= row - 1
            place = _place(plans, seat, max(v, x), min(v, x))
            if place > latest:
                best, latest = lay(train, v, x), place
    return best


@kernel
def planned_action(s, plans, t, agent_state):
    """Return what the seat on turn lays, by its plan; equals are drawn for. Reads the hand of that seat only.

    Parameters: ``[pair, order]``: pips that two tiles in one turn are worth, a double and its cover off the plan;
    `REST_FIRST` or `PLAN_FIRST`.
    """
    seat = np.int64(s.turn)
    end = np.int64(s.end[seat])
    hi, lo = _next(plans, seat)
    row = np.int64(s.legal[seat])
    if s.drawn or (hi < 0 and row) or (hi >= 0 and plans.end[seat] != end):
        make_plan(plans, t, s, seat)
        hi, lo = _next(plans, seat)
    ahead = np.int64(0)
    if hi >= 0 and row >> (hi + lo - end) & 1:
        ahead = lay(seat, hi, lo)
    if ahead and agent_state.params[ORDER] == PLAN_FIRST:
        return ahead
    action = _elsewhere(s, plans, t, seat, hi < 0, agent_state)
    if action:
        return action
    return ahead if ahead else _latest(s, plans, seat)


@kernel
def planner_policy(obs, agent_state):
    """Choose by a plan made for this decision. Parameters: those of `planned_action`."""
    return plan_ahead(obs, 0, agent_state)


@kernel
def plan_ahead(obs, depth, agent_state):
    """Choose by a plan made for this decision, which looks `depth` tiles ahead; 0: to the end."""
    return _plan_ahead(obs, depth, agent_state, np.empty(1, PLANS), np.empty(1, TRAIL))


@kernel
def _plan_ahead(obs, depth, agent_state, plans, trails):
    plans[0].depth = depth
    make_plan(plans[0], trails[0], obs, np.int64(obs.turn))
    return planned_action(obs, plans[0], trails[0], agent_state)
