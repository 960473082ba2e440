"""Worlds: whole States that agree with all that one seat has seen.

`determinize` deals the unseen tiles again: hands of the right sizes, and no tile where a draw or a pass has
proved that it cannot be (see `void` in the State). It reads an observation only; what others would have
played is not weighed.
"""

import numpy as np

from mtrain.game.intrinsics import copy_masked
from mtrain.game.jit import kernel
from mtrain.game.kernels import at_most, give
from mtrain.game.rng import below
from mtrain.game.state import MAX_SEATS
from mtrain.game.tiles import HI, LO, MAX_TILES, N_NUMBERS

_TRIES = 50  # fresh shuffles before one with a contradiction is accepted
_SWEEPS = 8  # times round a shuffle's misplaced tiles
_PARTNERS = 16  # tiles that a misplaced one may try to change places with, each time
_MIXING = 4  # swaps a tile, from the first deal without a contradiction on …
_LEAST_MIXING = 100  # … and so many more, for the sake of positions with few tiles


# The unseen tiles and where they lie for now. A record, since handing arrays to kernels costs locked counts.
_DEAL = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("tiles", "i8", (MAX_TILES,)),
                ("places", "i8", (MAX_TILES,)),  # a seat, or `_YARD`
                ("used", "i8", (MAX_SEATS, N_NUMBERS)),  # tiles with number v in a hand
                ("room", "i8", (MAX_SEATS, N_NUMBERS)),  # … and how many there can be
                ("barred", "i8", (MAX_SEATS + 1,)),  # the numbers that a hand cannot hold at all, as a row of bits
                ("wrong", "i8"),  # contradictions: tiles beyond the room for them
            ],
            align=True,
        ),
    )
)
_YARD = MAX_SEATS


@kernel
def _count(d, place, v, by):
    """Change how many tiles with number `v` a hand holds, and the contradictions with it."""
    over = d.used[place, v] - d.room[place, v]
    d.used[place, v] += by
    d.wrong += max(0, over + by) - max(0, over)


@kernel
def _move(d, place, tile, by):
    """Put a tile into a hand (`by` = 1) or take it out (-1); the boneyard holds anything."""
    if place != _YARD:
        hi, lo = np.int64(HI[tile]), np.int64(LO[tile])
        _count(d, place, hi, by)
        if hi != lo:
            _count(d, place, lo, by)


@kernel
def _swap(d, i, j):
    """Let tiles `i` and `j` change places."""
    a, b = d.places[i], d.places[j]
    _move(d, a, d.tiles[i], -1)
    _move(d, b, d.tiles[j], -1)
    _move(d, a, d.tiles[j], 1)
    _move(d, b, d.tiles[i], 1)
    d.places[i] = b
    d.places[j] = a


@kernel
def _try_swap(d, i, j):
    """Let two tiles change places unless that adds contradictions."""
    a, b = d.places[i], d.places[j]
    if a == b or d.barred[a] & _numbers(d.tiles[j]) or d.barred[b] & _numbers(d.tiles[i]):
        return
    before = d.wrong
    _swap(d, i, j)
    if d.wrong > before:
        _swap(d, i, j)


@kernel
def _numbers(tile):
    """Return the numbers of a tile as a row of bits."""
    return 1 << np.int64(HI[tile]) | 1 << np.int64(LO[tile])


@kernel
def _misplaced(d, i):
    """Say whether tile `i` lies in a hand that holds more tiles with one of its numbers than it can."""
    place = d.places[i]
    if place == _YARD:
        return False
    hi, lo = np.int64(HI[d.tiles[i]]), np.int64(LO[d.tiles[i]])
    return d.used[place, hi] > d.room[place, hi] or d.used[place, lo] > d.room[place, lo]


@kernel
def _shuffle(d, obs, seat, n, own):
    """Deal the `n` unseen tiles to the other hands and the boneyard, each way as likely as another."""
    for i in range(n - 1):
        j = i + below(own, n - i)
        tile = d.tiles[i]
        d.tiles[i] = d.tiles[j]
        d.tiles[j] = tile
    d.used[:] = 0
    d.wrong = 0
    i = 0
    for other in range(np.int64(obs.n_seats)):
        if other != seat:
            for _ in range(obs.count[other]):
                d.places[i] = other
                _move(d, other, d.tiles[i], 1)
                i += 1
    for k in range(i, n):
        d.places[k] = _YARD


@kernel
def _repair(d, n, own):
    """Let misplaced tiles change places with others until nothing is wrong, or patience ends."""
    for _ in range(_SWEEPS):
        for i in range(n):
            for _ in range(_PARTNERS):
                if not _misplaced(d, i):
                    break
                _try_swap(d, i, below(own, n))
        if d.wrong == 0:
            return


@kernel
def _unseen(d, obs, seat):
    """List the tiles that `seat` cannot see; return how many."""
    n = 0
    size = (np.int64(obs.max_pip) + 1) * (np.int64(obs.max_pip) + 2) // 2
    for tile in range(size):
        if not obs.laid_on[tile] and not obs.hand[seat, HI[tile]] >> np.int64(LO[tile]) & 1:
            d.tiles[n] = tile
            n += 1
    return n


@kernel
def shuffle_boneyard(s, own):
    """Put what is left of a State's boneyard into a random order."""
    top = np.int64(s.top)
    for i in range(top, np.int64(s.n_tiles) - 1):
        j = i + below(own, np.int64(s.n_tiles) - i)
        tile = s.deck[i]
        s.deck[i] = s.deck[j]
        s.deck[j] = tile


@kernel
def determinize(world, obs, seat, own):
    """Write into the State `world` a deal that agrees with the observation of `seat`.

    Parameters
    ----------
    world
        A State, overwritten.
    obs, seat
        What that seat sees.
    own
        A record of dtype OWN, whose stream moves on.

    Notes
    -----
    A random deal is repaired by random swaps until no hand contradicts a proof, then mixed by random swaps that
    keep it so. That is a symmetric chain, so its limit is uniform over the deals that obey every bound `at_most`.
    Without a proof the deal is exactly uniform.
    """
    copy_masked(world, obs)
    world.hand[seat] = obs.hand[seat]
    scratch = np.zeros(1, _DEAL)
    d = scratch[0]
    n_seats = np.int64(obs.n_seats)
    n = _unseen(d, obs, seat)
    proofs = False
    for other in range(n_seats):
        if other != seat:
            world.count[other] = 0
            for v in range(np.int64(obs.max_pip) + 1):
                room = at_most(obs, other, v)
                d.room[other, v] = room
                d.barred[other] |= (room == 0) << v
                proofs = proofs or room < obs.count[other]
    for _ in range(_TRIES):
        _shuffle(d, obs, seat, n, own)
        if proofs:
            _repair(d, n, own)
        if d.wrong == 0:
            break
    if proofs and d.wrong == 0:
        for _ in range(_LEAST_MIXING + _MIXING * n):
            _try_swap(d, below(own, n), below(own, n))
    top = np.int64(obs.top)
    for i in range(n):
        if d.places[i] == _YARD:
            # Each tile to a random place among those before it: the order of the boneyard is uniform, too.
            j = np.int64(obs.top) + below(own, top - np.int64(obs.top) + 1)
            world.deck[top] = world.deck[j]
            world.deck[j] = d.tiles[i]
            top += 1
        else:
            give(world, d.places[i], d.tiles[i])
    return len(scratch)  # a record does not keep its array alive: this last use of it does
