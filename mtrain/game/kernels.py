"""The rules of a round, as kernels: the one path that every game, rollout, record and count takes.

`step` does the next thing that nobody chooses (an engine found, a draw, a pass, the end of a turn) or stops at
a choice; `advance` repeats it; `apply` does what was chosen. They check nothing: `mtrain.game.moves` does
that for people, `is_legal` for the loops. "Rule" in a comment is a heading of docs/rules.md.

An action is a positive integer with a meaning of its own, whatever the state: `PASS`, or
``1 << 14 | train << 10 | hi << 5 | lo`` for laying the tile hi-lo on a train. 0 is never an action.
"""

import numpy as np

from mtrain.game.intrinsics import copy_masked, lowest, popcount
from mtrain.game.jit import kernel
from mtrain.game.rng import DEAL, SEAT, at, scaled, stream
from mtrain.game.state import (
    AT_ONCE,
    BLOCKED,
    COVER,
    DRAWS,
    EXTRA,
    FIRST,
    NEVER,
    OUT,
    PASSES,
    PLAYS,
    PLAYS_OWN,
    RIDE,
    STATION,
    TURNS,
    UNTOLD,
)
from mtrain.game.tiles import HI, LO

PASS = 1

# What `step` did. The first two end `advance`.
CHOICE, ROUND_OVER, DREW, PASSED, FOUND_ENGINE, TURN_OVER = range(6)

_LAY = 1 << 14


# ── Dealing ───────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def give(s, seat, tile):
    """Put a tile into a hand."""
    hi, lo = np.int64(HI[tile]), np.int64(LO[tile])
    s.hand[seat, hi] |= 1 << lo
    s.hand[seat, lo] |= 1 << hi
    s.count[seat] += 1


@kernel
def _take(s, seat, hi, lo):
    """Take a tile out of a hand."""
    s.hand[seat, hi] &= ~(1 << lo)
    s.hand[seat, lo] &= ~(1 << hi)
    s.count[seat] -= 1


@kernel
def open_station(s, engine):
    """Place the engine: every train starts from its number."""
    s.engine = engine
    s.table[engine] |= 1 << engine
    s.laid_on[engine * (engine + 1) // 2 + engine] = STATION
    for train in range(np.int64(s.n_seats) + 1):
        s.end[train] = engine


@kernel
def clear_round(s):
    """Take everything off the table; the rules, the scores, the round's number and starter stay."""
    s.table[:] = 0
    s.legal[:] = 0
    s.laid[:] = 0
    s.tally[:] = 0
    s.pips[:] = 0
    s.count[:] = 0
    s.unseen_draws[:] = 0
    s.void[:] = NEVER
    s.laid_on[:] = 0
    s.since[:] = 0
    s.end[:] = 0
    s.open_on[:] = 0
    s.hand[:] = 0
    s.n_open = 0
    s.n_laid = 0
    s.n_legal = 0
    s.marked = 0
    s.acted = 0
    s.stopped = 0
    s.engine_draws = 0
    s.idle_turns = 0
    s.may_pass = 0
    s.drawn = 0
    s.owed = FIRST
    s.over = 0
    s.engine = -1
    s.turn = s.starter
    s.in_first_train = s.train_first


@kernel
def deal_out(s):
    """Begin the round whose permutation lies in `deck`: hands, and under countdown the engine."""
    clear_round(s)
    s.top = 0
    for seat in range(np.int64(s.n_seats)):
        for _ in range(np.int64(s.hand_size)):
            give(s, seat, s.deck[s.top])
            s.top += 1
    if s.countdown:
        # Rule "Before a round": `countdown`, the highest double first.
        open_station(s, np.int64(s.max_pip) + 1 - s.number)


@kernel
def deal(s, seed, number):
    """Begin round `s.number` of the deal `number`: shuffle, deal out. Depends on (seed, deal, round) alone."""
    size = np.int64(s.n_tiles) + s.countdown
    aside = -1
    if s.countdown:
        double = np.int64(s.max_pip) + 1 - s.number
        aside = double * (double + 1) // 2 + double
    k = 0
    for tile in range(size):
        if tile != aside:
            s.deck[k] = tile
            k += 1
    start = stream(seed, DEAL, number, s.number, 0)
    for i in range(k - 1):
        j = i + scaled(at(start, i), k - i)
        tile = s.deck[i]
        s.deck[i] = s.deck[j]
        s.deck[j] = tile
    deal_out(s)


@kernel
def first_round(s, seed, number, seating, starter):
    """Begin the first round of a game: no scores yet, and every seat at the start of its own stream."""
    for seat in range(np.int64(s.n_seats)):
        s.stream[seat] = stream(seed, SEAT, number, seating, seat)
    s.score[:] = 0
    s.number = 1
    s.starter = starter
    deal(s, seed, number)


@kernel
def next_round(s, seed, number):
    """Begin the next round of a game. Rule "Before a round": the starter moves one seat on."""
    s.number += 1
    s.starter = s.starter + 1 if s.starter + 1 < s.n_seats else 0
    deal(s, seed, number)


# ── Turns ─────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def _finish(s, how):
    """End the round. Rule "The end": everybody pays for what is left in the hand."""
    s.over = how
    s.n_legal = 0
    s.may_pass = 0
    for train in range(np.int64(s.n_seats) + 1):
        s.legal[train] = 0
    s.tally[s.turn, TURNS] += 1
    for seat in range(np.int64(s.n_seats)):
        cost = 0
        if s.count_tiles:
            cost = np.int64(s.count[seat])
        else:
            for v in range(1, np.int64(s.max_pip) + 1):
                row = np.int64(s.hand[seat, v])
                cost += v * (popcount(row) + (row >> v & 1))
        if s.hand[seat, 0] & 1:
            cost += s.double_blank
        s.pips[seat] = cost
        s.score[seat] += cost


@kernel
def _end_turn(s):
    """Pass the turn to the next seat."""
    seat = s.turn
    s.tally[seat, TURNS] += 1
    s.since[s.n_laid] += s.since[s.n_laid] < UNTOLD
    s.acted |= 1 << np.int64(seat)
    seat = seat + 1 if seat + 1 < s.n_seats else 0
    s.turn = seat
    s.owed = FIRST
    s.drawn = 0
    s.in_first_train = s.train_first & ~(s.acted >> np.int64(seat)) & 1


@kernel
def _pass_turn(s):
    """Pass: the marker, the count of turns without change, the next seat. Rule "A turn"."""
    seat = np.int64(s.turn)
    s.tally[seat, PASSES] += 1
    s.stopped |= (s.owed == RIDE) << seat
    unchanged = s.owed == FIRST and not s.drawn
    # Stopping a first-turn train is no failed turn; failing to lay an owed tile is one where the rules say so.
    if s.owed == FIRST or (s.owed != RIDE and s.mark_uncovered):
        unchanged = unchanged and s.marked >> seat & 1
        s.marked |= 1 << seat
    s.idle_turns = s.idle_turns + 1 if unchanged else 0
    if s.idle_turns == s.n_seats:
        _finish(s, BLOCKED)
    else:
        _end_turn(s)


@kernel
def open_to(s):
    """Return the trains that the seat on turn may use now: a row of bits."""
    own = 1 << np.int64(s.turn)
    if s.owed == COVER:
        return 1 << np.int64(s.open_on[s.n_open - 1])
    if s.owed == FIRST and s.n_open > 0:
        return 1 << np.int64(s.open_on[0])  # Rule "Doubles": the oldest open one comes first
    if s.in_first_train and s.owed != EXTRA:
        return own
    return own | 1 << np.int64(s.n_seats) | np.int64(s.marked)


@kernel
def _proves(s, access):
    """Note that the seat on turn holds nothing for these trains."""
    seat = s.turn
    while access:
        s.void[seat, s.end[lowest(access)]] = s.unseen_draws[seat]
        access &= access - 1


@kernel
def at_most(s, seat, v):
    """Return how many tiles with number `v` the hand of `seat` can hold, by what draws and passes prove."""
    count = np.int64(s.count[seat])
    if s.void[seat, v] == NEVER:
        return count
    return min(count, np.int64(s.unseen_draws[seat]) - np.int64(s.void[seat, v]))


@kernel
def _draw(s):
    """Draw the next tile of the boneyard."""
    seat = s.turn
    s.unseen_draws[seat] += 1
    give(s, seat, s.deck[s.top])
    s.top += 1
    s.tally[seat, DRAWS] += 1


@kernel
def _find_engine(s):
    """Place the engine from a hand, or draw for one. Rule "Before a round"."""
    best = -1
    holder = -1
    for k in range(np.int64(s.n_seats)):
        seat = (np.int64(s.starter) + k) % np.int64(s.n_seats)
        if s.highest or best < 0:
            for v in range(best + 1, np.int64(s.max_pip) + 1):
                if s.hand[seat, v] >> v & 1:
                    best = v
                    holder = seat
    if best < 0:
        _draw(s)
        s.engine_draws += 1
        s.turn = s.turn + 1 if s.turn + 1 < s.n_seats else 0
        return DREW
    s.turn = holder
    _take(s, holder, best, best)
    s.unseen_draws[holder] -= s.unseen_draws[holder] > 0  # a double that nobody was dealt is the tile just drawn
    open_station(s, best)
    if s.count[holder] == 0:
        _finish(s, OUT)
    return FOUND_ENGINE


@kernel
def step(s):
    """Do the next thing that nobody chooses, or find the legal actions.

    Returns
    -------
    int
        `CHOICE`: `legal`, `may_pass` and `n_legal` hold the actions of the seat on turn; `ROUND_OVER`; or what was
        done: `DREW`, `PASSED`, `FOUND_ENGINE`, `TURN_OVER` (a turn that ends without a word).
    """
    if s.over:
        return ROUND_OVER
    if s.engine < 0:
        return _find_engine(s)
    seat = s.turn
    access = open_to(s)
    n = 0
    for train in range(np.int64(s.n_seats) + 1):
        row = np.int64(s.hand[seat, s.end[train]]) & -(access >> train & 1)  # no branch: it could not be foretold
        s.legal[train] = row
        n += popcount(row)
    if n > 0:
        # Rule "A turn": whoever can play must, but for a drawn tile under `may`; "The first turn": a train may stop.
        s.may_pass = s.owed == RIDE or (s.drawn and not s.must_play)
        s.n_legal = n + s.may_pass
        return CHOICE
    s.may_pass = 0
    s.n_legal = 0
    if s.owed == RIDE:
        s.idle_turns = 0
        _end_turn(s)
        return TURN_OVER
    if not s.drawn and s.top < s.n_tiles and (s.owed == FIRST or s.draw_to_cover):
        _proves(s, access)
        _draw(s)
        s.drawn = 1
        return DREW
    if s.must_play or not s.drawn:
        _proves(s, access)  # under `may` a drawn tile that fits may have been kept back
    _pass_turn(s)
    return PASSED


@kernel
def advance(s):
    """Go on to the next choice; return the number of legal actions there, 0 when the round is over."""
    while True:
        if step(s) <= ROUND_OVER:
            return np.int64(s.n_legal)


@kernel
def _exhausted(s, v):
    """Say whether every tile with number `v` lies on the table."""
    return popcount(np.int64(s.table[v])) == s.max_pip + 1


@kernel
def _close(s, k):
    """Close open double `k`, counted from the oldest."""
    s.n_open -= 1
    for later in range(k, np.int64(s.n_open)):
        s.open_on[later] = s.open_on[later + 1]
    s.open_on[s.n_open] = 0


@kernel
def apply(s, action):
    """Do a legal action of the seat on turn."""
    if action == PASS:
        _pass_turn(s)
        return
    seat = np.int64(s.turn)
    train = action >> 10 & 15
    hi = action >> 5 & 31
    lo = action & 31
    v = np.int64(s.end[train])
    x = hi + lo - v & 31
    _take(s, seat, hi, lo)
    s.table[hi] |= 1 << lo
    s.table[lo] |= 1 << hi
    tile = hi * (hi + 1) // 2 + lo
    s.laid_on[tile] = train + 1
    s.laid[s.n_laid] = tile
    s.since[s.n_laid] |= AT_ONCE * s.drawn
    s.n_laid += 1
    s.end[train] = x
    s.idle_turns = 0
    s.tally[seat, PLAYS] += 1
    if s.drawn:
        s.drawn = 0
        s.unseen_draws[seat] -= 1  # nothing else fitted: the tile laid is the tile drawn
    else:
        s.void[seat, v] += s.void[seat, v] < s.unseen_draws[seat]  # one of the tiles drawn since is gone
        s.void[seat, x] += x != v and s.void[seat, x] < s.unseen_draws[seat]
    if train == seat:
        s.marked &= ~(1 << seat)  # Rule "A turn": so a marker goes
        s.tally[seat, PLAYS_OWN] += 1
    elif s.owed == EXTRA:
        s.in_first_train = 0  # the owed tile went elsewhere: the seat has left its first-turn train
    for k in range(np.int64(s.n_open)):
        if s.open_on[k] == train:
            _close(s, k)
            break
    if s.count[seat] == 0:
        _finish(s, OUT)
        return
    # Rule "Doubles".
    if v == x and not (s.in_first_train and not s.doubles_count) and not (s.closes and _exhausted(s, v)):
        s.open_on[s.n_open] = train
        s.n_open += 1
        s.owed = EXTRA if s.extra else COVER
    elif s.in_first_train:
        s.owed = RIDE
    else:
        _end_turn(s)
    if s.closes:
        for k in range(np.int64(s.n_open) - 1, -1, -1):
            if _exhausted(s, np.int64(s.end[s.open_on[k]])):
                _close(s, k)


# ── Actions ───────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def lay(train, a, b):
    """Return the action of laying the tile with numbers `a` and `b` on a train."""
    if a < b:
        a, b = b, a
    return np.int64(_LAY | train << 10 | a << 5 | b)


@kernel
def nth_action(s, k):
    """Return legal action `k`: by train, then by the tile's other end, the pass last."""
    for train in range(np.int64(s.n_seats) + 1):
        row = np.int64(s.legal[train])
        here = popcount(row)
        if k < here:
            while k > 0:
                row &= row - 1
                k -= 1
            return lay(train, np.int64(s.end[train]), lowest(row))
        k -= here
    return PASS


@kernel
def is_legal(s, action):
    """Say whether an integer is a legal action of the seat on turn."""
    if action == PASS:
        return s.may_pass == 1
    train = action >> 10 & 15
    hi = action >> 5 & 31
    lo = action & 31
    if action >> 14 != 1 or train > s.n_seats or hi > s.max_pip or lo > hi:
        return False
    v = np.int64(s.end[train])
    if v != hi and v != lo:
        return False
    return s.legal[train] >> (hi + lo - v) & 1 == 1


@kernel
def list_actions(s, out):
    """Write the legal actions in their order into ``out: int64[≥ n_legal]``; return how many."""
    n = 0
    for train in range(np.int64(s.n_seats) + 1):
        row = np.int64(s.legal[train])
        while row:
            out[n] = lay(train, np.int64(s.end[train]), lowest(row))
            row &= row - 1
            n += 1
    if s.may_pass:
        out[n] = PASS
        n += 1
    return n


# ── Watching ──────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def observe(to, s, seat):
    """Write what `seat` may know of `s` into the State `to`; nothing else of `to` survives."""
    copy_masked(to, s)
    for v in range(np.int64(s.max_pip) + 1):
        to.hand[seat, v] = s.hand[seat, v]
    if seat != s.turn:
        to.legal[:] = 0
        to.n_legal = 0
        to.may_pass = 0
