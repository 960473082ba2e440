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

_TRIES = 50  # fresh shuffles before the best one so far is accepted
_PATIENCE = 40  # swaps a tile, in search of a deal without a contradiction
_MIXING = 4  # swaps a tile, from the first such deal on


@kernel
def _move(used, room, place, tile, by):
    """Put a tile into a hand (`by` = 1) or take it out (-1); return how many contradictions that adds."""
    if place == MAX_SEATS:
        return 0  # the boneyard holds anything
    hi, lo = np.int64(HI[tile]), np.int64(LO[tile])
    before = max(0, used[place, hi] - room[place, hi])
    used[place, hi] += by
    added = max(0, used[place, hi] - room[place, hi]) - before
    if hi != lo:
        before = max(0, used[place, lo] - room[place, lo])
        used[place, lo] += by
        added += max(0, used[place, lo] - room[place, lo]) - before
    return added


@kernel
def _swap(used, room, tiles, places, i, j):
    """Let tiles `i` and `j` change places; return how many contradictions that adds."""
    added = _move(used, room, places[i], tiles[i], -1) + _move(used, room, places[j], tiles[j], -1)
    places[i], places[j] = places[j], places[i]
    return added + _move(used, room, places[i], tiles[i], 1) + _move(used, room, places[j], tiles[j], 1)


@kernel
def unseen(obs, seat, tiles):
    """Write the tiles that `seat` cannot see into ``tiles: int64[≥ 190]``; return how many."""
    n = 0
    size = (np.int64(obs.max_pip) + 1) * (np.int64(obs.max_pip) + 2) // 2
    for tile in range(size):
        if not obs.laid_on[tile] and not obs.hand[seat, HI[tile]] >> np.int64(LO[tile]) & 1:
            tiles[n] = tile
            n += 1
    return n


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
    n_seats = np.int64(obs.n_seats)
    tiles = np.empty(MAX_TILES, np.int64)
    places = np.empty(MAX_TILES, np.int64)
    used = np.zeros((MAX_SEATS, N_NUMBERS), np.int64)
    room = np.zeros((MAX_SEATS, N_NUMBERS), np.int64)
    n = unseen(obs, seat, tiles)
    proofs = False
    for other in range(n_seats):
        if other != seat:
            for v in range(np.int64(obs.max_pip) + 1):
                room[other, v] = at_most(obs, other, v)
                proofs = proofs or room[other, v] < obs.count[other]

    for _ in range(_TRIES):
        for i in range(n - 1):
            j = i + below(own, n - i)
            tiles[i], tiles[j] = tiles[j], tiles[i]
        used[:] = 0
        wrong = 0
        i = 0
        for other in range(n_seats):
            if other != seat:
                for _ in range(obs.count[other]):
                    places[i] = other
                    wrong += _move(used, room, other, tiles[i], 1)
                    i += 1
        places[i:n] = MAX_SEATS
        if not proofs:
            break
        patience = _PATIENCE * n
        while wrong and patience:
            patience -= 1
            i, j = below(own, n), below(own, n)
            if places[i] != places[j]:
                added = _swap(used, room, tiles, places, i, j)
                if added > 0:
                    _swap(used, room, tiles, places, i, j)
                else:
                    wrong += added
        if not wrong:
            break
    if proofs and not wrong:
        for _ in range(_MIXING * n):
            i, j = below(own, n), below(own, n)
            if places[i] != places[j] and _swap(used, room, tiles, places, i, j) > 0:
                _swap(used, room, tiles, places, i, j)

    for other in range(n_seats):
        if other != seat:
            world.count[other] = 0
    top = np.int64(obs.top)
    for i in range(n):
        if places[i] == MAX_SEATS:
            # Each tile to a random place among those before it: the order of the boneyard is uniform, too.
            j = np.int64(obs.top) + below(own, top - np.int64(obs.top) + 1)
            world.deck[top] = world.deck[j]
            world.deck[j] = tiles[i]
            top += 1
        else:
            give(world, places[i], tiles[i])
