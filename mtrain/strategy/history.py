"""History: a round's public past, played again by the rules' own kernels.

What everybody has seen of a round is written in the State: the tiles in the order laid, on which train, how many
turns ended in between, what was laid as soon as it was drawn. `rewind` and `replay` play that again from the round's
beginning, one event at a time, over hands that hold nothing but the tile about to be laid. A seat that is not said to
lay a tile holds none that fits, so `step` draws and passes for it. Nothing here repeats a rule, and nothing weighs what
it sees.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from mtrain.game.intrinsics import copy_masked
from mtrain.game.jit import kernel
from mtrain.game.kernels import (
    CHOICE,
    DREW,
    FOUND_ENGINE,
    PASS,
    PASSED,
    TURN_OVER,
    apply,
    clear_round,
    is_legal,
    lay,
    open_station,
    step,
)
from mtrain.game.notation import Action
from mtrain.game.state import AT_ONCE, RIDE, STATE, UNTOLD
from mtrain.game.tiles import HI, LO

# What `replay` finds, besides the outcomes of `step`: the present; a past that cannot be; a tile laid; a first-turn
# train stopped by choice.
NOW, LOST, LAID, STOPPED = 16, 17, 18, 19

EVENTS = {
    DREW: "drew",
    PASSED: "passed",
    FOUND_ENGINE: "engine",
    TURN_OVER: "over",
    LAID: "laid",
    STOPPED: "stopped",
}


# ── Kernels ───────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def turns_told(obs):
    """Return how many turns have ended since the engine lay; -1 if nobody counted."""
    turns = 0
    for n in range(np.int64(obs.n_laid) + 1):
        here = np.int64(obs.since[n]) & UNTOLD
        if here == UNTOLD:
            return -1
        turns += here
    return turns


@kernel
def rewind(past, obs):
    """Write the beginning of the round of `obs` into the State `past`, all hands hidden; return whether it is told."""
    copy_masked(past, obs)
    clear_round(past)
    n_seats = np.int64(past.n_seats)
    for seat in range(n_seats):
        past.count[seat] = past.hand_size
    past.top = n_seats * past.hand_size
    if past.countdown:
        open_station(past, np.int64(past.max_pip) + 1 - past.number)
    return turns_told(obs) >= 0


@kernel
def _show(past, tile):
    """Put a tile into the hand of the seat on turn for all to see; it is counted already."""
    hi, lo = np.int64(HI[tile]), np.int64(LO[tile])
    past.hand[past.turn, hi] |= 1 << lo
    past.hand[past.turn, lo] |= 1 << hi


@kernel
def _step_hidden(past):
    """Go a step on without looking at a tile drawn: the deck is masked, so that every one would be the 0-0."""
    seat = past.turn
    did = step(past)
    if did == DREW:
        past.hand[seat, 0] = 0
    return did


@kernel
def caught_up(past, obs):
    """Say whether `past` has come to the present."""
    n = np.int64(past.n_laid)
    return (
        past.engine == obs.engine
        and past.engine_draws == obs.engine_draws
        and n == obs.n_laid
        and past.since[n] == obs.since[n]
        and past.drawn == obs.drawn
        and past.over == obs.over
    )


@kernel
def lays_next(past, obs):
    """Say whether the seat on turn is told to lay a tile in this turn: tile number `n_laid` of the present."""
    n = np.int64(past.n_laid)
    return n < obs.n_laid and past.since[n] == obs.since[n] & UNTOLD


@kernel
def _told_action(past, obs):
    """Return the action of laying the next tile told."""
    tile = np.int64(obs.laid[past.n_laid])
    return lay(np.int64(obs.laid_on[tile]) - 1, np.int64(HI[tile]), np.int64(LO[tile]))


@kernel
def placer(obs):
    """Return the seat that placed the engine (or starts, where nobody places one); of a told history."""
    return (np.int64(obs.turn) - turns_told(obs)) % np.int64(obs.n_seats)


@kernel
def replay(past, obs):
    """Play the next event of a rewound round, with hidden hands.

    Returns
    -------
    int
        `NOW`: nothing is left to play; `LOST`: what is told cannot have been; or what was done: `DREW`, `PASSED`,
        `FOUND_ENGINE`, `TURN_OVER`, `LAID`, `STOPPED`.
    """
    if caught_up(past, obs):
        return NOW
    if past.over or past.n_laid > obs.n_laid or past.engine_draws > obs.engine_draws:
        return LOST
    if past.engine < 0:
        if past.engine_draws < obs.engine_draws:
            return _step_hidden(past)
        if obs.engine < 0:
            return LOST
        seat = placer(obs)
        past.turn = seat
        past.hand[seat, obs.engine] |= 1 << np.int64(obs.engine)
        return step(past)
    if lays_next(past, obs):
        n = np.int64(past.n_laid)
        if obs.since[n] >= AT_ONCE and not past.drawn:
            return DREW if _step_hidden(past) == DREW else LOST
        tile = obs.laid[n]
        action = _told_action(past, obs)
        _show(past, tile)
        if step(past) != CHOICE or not is_legal(past, action):
            return LOST
        apply(past, action)
        return LAID
    ended, told = np.int64(past.since[past.n_laid]), np.int64(obs.since[past.n_laid]) & UNTOLD
    if ended > told or (ended == told and not (obs.drawn or obs.over)):
        return LOST
    if past.owed == RIDE and obs.stopped >> np.int64(past.turn) & 1:
        apply(past, PASS)
        return STOPPED
    return _step_hidden(past)


@kernel
def agrees(past, obs):
    """Say whether a replayed State is the present one in all that its past decides."""
    for seat in range(np.int64(obs.n_seats)):
        if past.count[seat] != obs.count[seat]:
            return False
    for train in range(np.int64(obs.n_seats) + 1):
        if past.end[train] != obs.end[train] or (train < obs.n_open and past.open_on[train] != obs.open_on[train]):
            return False
    return (
        past.turn == obs.turn
        and past.top == obs.top
        and past.marked == obs.marked
        and past.acted == obs.acted
        and past.n_open == obs.n_open
        and past.owed == obs.owed
        and past.in_first_train == obs.in_first_train
        and past.idle_turns == obs.idle_turns
        and past.stopped == obs.stopped
    )


# ── For people ────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def _rewind(to, i, states, j):
    return rewind(to[i], states[j])


@kernel
def _replay(to, i, states, j):
    return replay(to[i], states[j])


@kernel
def _agrees(to, i, states, j):
    return agrees(to[i], states[j])


@dataclass(frozen=True)
class Event:
    """One thing that everybody saw.

    Attributes
    ----------
    what
        ``laid``, ``drew``, ``passed``, ``stopped`` (a first-turn train, by choice), ``over`` (a first-turn train that
        could not go on) or ``engine``.
    seat
        Who did it.
    action
        The tile laid, and where; None for anything else.
    drawn
        Whether the seat had just drawn.
    before : STATE[1]
        What anybody could see before it.
    """

    what: str
    seat: int
    action: Action | None
    drawn: bool
    before: np.ndarray


def events(position: np.ndarray) -> Iterator[Event]:
    """Yield what has happened in the round of a position or an observation, from its beginning.

    Raises
    ------
    ValueError
        If the position does not tell its history, or tells one that cannot have been.
    """
    past = np.zeros(1, STATE)
    told = _rewind(past, 0, position, 0)
    while told:
        before = past.copy()
        what = _replay(past, 0, position, 0)
        if what == NOW and _agrees(past, 0, position, 0):
            return
        if what in (NOW, LOST) or what not in EVENTS:
            break
        before["hand"] = before["deck"] = 0
        s = before[0]
        seat = int(placer(position[0])) if what == FOUND_ENGINE else int(s.turn)
        action = Action(_told_action(s, position[0])) if what == LAID else None
        yield Event(EVENTS[what], seat, action, bool(s.drawn), before)
    raise ValueError("the position does not tell how the round went so far (its line 'since:' is missing or wrong)")
