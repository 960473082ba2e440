"""Journals: what happened, event by event, noted down by kernels while a game goes on.

A journal is ``int16[n, 5]``. Its first row holds how many rows are written and belongs to the book-keeping; a journal
of one row takes no notes, and costs one comparison a step. Every other row is an event, in the order of the game.

======  ========================================================
column  meaning
======  ========================================================
0       what: `PLAYED` … `ROUND_OVER`
1       the seat
2       the tile laid, drawn or placed
3       the train
4       the markers that are up after it, a bit a seat
======  ========================================================

A journal knows which tiles were drawn. Whoever reads it to a seat must leave out those of the others.
"""

from functools import cache
from typing import Any

import numpy as np

from mtrain.game.jit import kernel
from mtrain.game.kernels import DREW, FOUND_ENGINE, PASS, PASSED, ROUND_OVER, advance, apply, step
from mtrain.game.notation import MEXICAN
from mtrain.game.tiles import tile_text

# Other events are called as `step` calls them.
PLAYED = -1

# More events than a round can have: a tile is laid or drawn at most once, and no seat passes twice without a change.
_ROOM = 8192

# No journal: what the kernels take where nobody listens.
NONE = np.zeros((1, 5), np.int16)


def blank_journal() -> np.ndarray:
    """Return a journal with room for the events of a round: int16[8192, 5]."""
    return np.zeros((_ROOM, 5), np.int16)


@kernel
def note(journal, what, seat, tile, train, marked):
    """Write an event down."""
    k = np.int64(journal[0, 0]) + 1
    row = journal[k]
    row[0] = what
    row[1] = seat
    row[2] = tile
    row[3] = train
    row[4] = marked
    journal[0, 0] = k


@kernel
def advance_noting(s, journal):
    """Go on to the next choice as `advance` does, noting what happens on the way."""
    if len(journal) == 1:
        return advance(s)
    while True:
        seat = np.int64(s.turn)
        did = step(s)
        if did == DREW:
            note(journal, DREW, seat, s.deck[s.top - 1], 0, s.marked)
        elif did == PASSED:
            note(journal, PASSED, seat, 0, 0, s.marked)
        elif did == FOUND_ENGINE:
            engine = np.int64(s.engine)
            note(journal, FOUND_ENGINE, s.turn, engine * (engine + 1) // 2 + engine, 0, s.marked)
        if did <= ROUND_OVER:
            return np.int64(s.n_legal)


@kernel
def apply_noting(s, action, journal):
    """Do what was chosen as `apply` does, and note it."""
    seat = np.int64(s.turn)
    apply(s, action)
    if len(journal) > 1:
        if action == PASS:
            note(journal, PASSED, seat, 0, 0, s.marked)
        else:
            hi, lo = action >> 5 & 31, action & 31
            note(journal, PLAYED, seat, hi * (hi + 1) // 2 + lo, action >> 10 & 15, s.marked)


def read_journal(journal: np.ndarray, n_seats: int) -> list[tuple[tuple[Any, ...], int]]:
    """Return the events of a journal as a record has them, each with the markers after it, and empty it."""
    rows = journal[1 : 1 + int(journal[0, 0])].tolist()
    journal[0, 0] = 0
    return [(_event(what, seat, tile, train, n_seats), marked) for what, seat, tile, train, marked in rows]


@cache
def _event(what: int, seat: int, tile: int, train: int, n_seats: int) -> tuple[Any, ...]:
    if what == PLAYED:
        return (seat, "play", tile_text(tile), MEXICAN if train == n_seats else train)
    if what == PASSED:
        return (seat, "pass")
    return (seat, "draw" if what == DREW else "engine", tile_text(tile))
