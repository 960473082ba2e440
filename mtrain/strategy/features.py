"""Surveys: what an action leaves behind, told in numbers, and the policy that weighs them.

After an action the best trail from one's own end through what is left of the hand is the *plan*, and the tiles off
it are the *rest*. `extract_features` tells of both in features; a policy is a weight for each, and the least sum wins.
This module reads observations and must not know who plays.
"""

import numpy as np

from mtrain.game.intrinsics import lowest, popcount
from mtrain.game.jit import kernel
from mtrain.game.kernels import PASS, apply, at_most, lay, nth_action, open_to
from mtrain.game.rng import below
from mtrain.game.state import COVER, EXTRA, STATE
from mtrain.game.tiles import HI, LO
from mtrain.strategy.longest_train import TRAIL
from mtrain.strategy.planner import longest

# What the position after an action is judged by, and what it weighs there: found by `experiments/tune_heuristic.py`.
WEIGHT_OF = {
    "rest": 39.62,  # tiles off the plan
    "rest_pips": 1.0,  # … and the pips on them
    "doubles": 29.5,  # … and how many are doubles
    "bare": 14.16,  # doubles that no other tile of the hand could cover
    "plan_pips": -0.25,  # pips on the plan
    "turns": -24.76,  # turns that the plan takes: a double and its cover are one
    "marked": 109.88,  # 1: one's own train is marked, so that others may spoil the plan
    "uncovered": 40.74,  # 1: a double is left that the hand cannot cover
    "offers": -3.86,  # tiles in the other hands that fit the end left open to them, as far as one can expect
    "homes": -1.44,  # tiles of the rest that fit an end open to the seat
    "dead": 3.28,  # tiles with the plan's last number that the seat has seen
    "stuck": 122.46,  # 1: there is no plan and no tile fits an end open to the seat: it would have to draw
    "reach": -9.9,  # unseen tiles that share a number with a tile of the rest, a twelfth for each
    "rest_risk": 16.09,  # rest_pips, plan_pips and offers over the smallest hand of the others
    "plan_risk": 11.3,
    "offer_risk": 40.89,
}
FEATURES = tuple(WEIGHT_OF)
WEIGHTS = np.array(list(WEIGHT_OF.values()))
N_FEATURES = len(FEATURES)
REST, REST_PIPS, DOUBLES, BARE, PLAN_PIPS, TURNS, MARKED, UNCOVERED, OFFERS = range(9)
HOMES, DEAD, STUCK, REACH, REST_RISK, PLAN_RISK, OFFER_RISK = range(9, N_FEATURES)

# The scratch of one decision: a plan, the features of one position, the tiles of its rest, and the positions after an
# action and after the cover that it owes.
EXTRACTED = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("trail", TRAIL),
                ("features", "f8", (N_FEATURES,)),
                ("depth", "i8"),  # tiles that the plan looks ahead; 0: to the end
                ("after", STATE),
                ("covered", STATE),
            ],
            align=True,
        ),
    )
)

_LARGE = 1e12


@kernel
def _smallest_rival(s, seat):
    """Return the size of the smallest hand of the others, at least 1."""
    least = 1000
    for other in range(np.int64(s.n_seats)):
        if other != seat:
            least = min(least, np.int64(s.count[other]))
    return max(least, 1)


@kernel
def _seen(s, seat, v):
    """Return how many tiles with number `v` a seat can see: its own and those on the table."""
    return popcount(np.int64(s.table[v]) | np.int64(s.hand[seat, v]))


@kernel
def _expected(s, seat, v):
    """Return how many tiles with number `v` the other hands hold, if every unseen tile is as likely anywhere."""
    hands = 0
    hidden = np.int64(s.n_tiles) - np.int64(s.top)
    for other in range(np.int64(s.n_seats)):
        if other != seat:
            count = np.int64(s.count[other])
            hidden += count
            hands += count * (at_most(s, other, v) > 0)
    return (np.int64(s.max_pip) + 1 - _seen(s, seat, v)) * hands / max(hidden, 1)


@kernel
def extract_features(w, s, seat, train):
    """Write into ``w.features`` what the position `s` is like for `seat`, whose last tile went on `train`.

    `train` is -1 after a pass.
    """
    t = w.trail
    f = w.features
    longest(t, s, seat, -1, -1, w.depth)
    f[:] = 0.0
    f[REST] = np.int64(s.count[seat]) - t.n
    end = np.int64(s.end[seat])
    for k in range(t.n):
        hi, lo = np.int64(HI[t.path[k]]), np.int64(LO[t.path[k]])
        f[PLAN_PIPS] += hi + lo
        f[TURNS] += hi != lo
        end = hi + lo - end
        t.rows[hi] &= ~(1 << lo)
        t.rows[lo] &= ~(1 << hi)  # what stays in the rows is the rest
    for v in range(np.int64(s.max_pip) + 1):
        row = t.rows[v]
        f[REST_PIPS] += v * (popcount(row) + (row >> v & 1))
        f[DOUBLES] += row >> v & 1
        f[BARE] += np.int64(s.hand[seat, v]) == 1 << v
        f[REACH] += popcount(row) * (np.int64(s.max_pip) + 1 - _seen(s, seat, v)) / 12.0
    own_marked = np.int64(s.marked) >> seat & 1
    f[MARKED] = own_marked
    n_seats = np.int64(s.n_seats)
    if train >= 0 and (train != seat or own_marked):
        f[OFFERS] = _expected(s, seat, np.int64(s.end[train]))
    public = np.int64(s.marked) & ~(1 << seat) | 1 << n_seats
    numbers = 0
    while public:
        numbers |= 1 << np.int64(s.end[lowest(public)])
        public &= public - 1
    while numbers:
        v = lowest(numbers)
        f[HOMES] += popcount(t.rows[v])
        numbers &= numbers - 1
    f[STUCK] = t.n == 0 and f[HOMES] == 0.0
    f[DEAD] = _seen(s, seat, end)
    near = 1.0 / _smallest_rival(s, seat)
    f[REST_RISK] = f[REST_PIPS] * near
    f[PLAN_RISK] = f[PLAN_PIPS] * near
    f[OFFER_RISK] = f[OFFERS] * near


@kernel
def _sum(w, agent_state):
    """Return the features' sum by the weights in ``agent_state.params``."""
    total = 0.0
    for k in range(N_FEATURES):
        total += agent_state.params[k] * w.features[k]
    return total


@kernel
def weigh(w, obs, action, agent_state):
    """Return what the position after an action costs by the weights in ``agent_state.params``; less is better.

    A tile that the action makes the seat owe is laid too: the cheapest one.
    """
    seat = np.int64(obs.turn)
    w.after = obs
    s = w.after
    apply(s, action)
    if s.over:
        return -_LARGE
    train = action >> 10 & 15 if action >> 14 else -1
    if np.int64(s.turn) != seat or (s.owed != COVER and s.owed != EXTRA):
        extract_features(w, s, seat, train)
        return _sum(w, agent_state)
    least = _LARGE
    trains = open_to(s)
    while trains:
        on = lowest(trains)
        v = np.int64(s.end[on])
        row = np.int64(s.hand[seat, v])
        while row:
            w.covered = s
            c = w.covered
            apply(c, lay(on, v, lowest(row)))
            row &= row - 1
            if c.over:
                return -_LARGE
            extract_features(w, c, seat, on)
            least = min(least, _sum(w, agent_state))
        trains &= trains - 1
    if least == _LARGE:
        extract_features(w, s, seat, train)
        w.features[UNCOVERED] = 1.0
        return _sum(w, agent_state)
    return least


@kernel
def linear_policy(obs, agent_state):
    """Take the action whose position costs least by a weight for each of `FEATURES`; equals are drawn for.

    Parameters: the weights, in the order of `FEATURES`. What can be laid is laid: the features compare tiles laid, and
    know no price of a turn that lays none.
    """
    return _least_cost(obs, agent_state, np.empty(1, EXTRACTED))


@kernel
def _least_cost(obs, agent_state, scratch):
    w = scratch[0]
    w.depth = 0
    best = 0
    least = 2.0 * _LARGE
    n_best = 0
    for k in range(np.int64(obs.n_legal)):
        action = nth_action(obs, k)
        if action == PASS and k > 0:
            continue
        cost = weigh(w, obs, action, agent_state)
        n_best = 1 if cost < least else n_best + (cost == least)
        if cost < least or (cost == least and below(agent_state, n_best) == 0):
            best, least = action, cost
    return best
