"""Worlds: whole States that agree with all that one seat has seen, each deal as likely as another.

`determinize` deals again what a seat does not know: which tiles the others hold, in which order all that was dealt
and drawn came, and the boneyard. `mtrain.strategy.constraints` says where each tile can lie. It reads an observation
only; what others would have played is not weighed.
"""

import numpy as np

from mtrain.game.intrinsics import copy_masked
from mtrain.game.jit import kernel
from mtrain.game.kernels import give
from mtrain.game.rng import below
from mtrain.strategy.constraints import DEAL, YARD, count_deals, draw_deal, fits, study, unmet

_DRAWS = 1000  # counted deals until a need that is not met is left to the chain
_MIXING = 4  # moves a place in a hand …
_LEAST_MIXING = 100  # … and so many more, for the sake of positions with few tiles
_LONGEST = 8  # tiles that change places in one move
_PATIENCE = 5000  # moves until a need that is not met is given up; no position of a game comes near


@kernel
def _settle(d, i, agent_state):
    """Find a place for tile `i`, other tiles making room if they must; return whether there is one.

    A breadth-first search for an augmenting path, from a random place on. Source: Kuhn, "The Hungarian method for the
    assignment problem", Naval Research Logistics 2 (1955).
    """
    n = d.n
    for k in range(n):
        d.reached[k] = 0
    start = below(agent_state, n)
    n_queued = 0
    n_done = 0
    come_from = -1
    tile = i
    while True:
        for step in range(n):
            k = start + step
            if k >= n:
                k -= n
            if d.reached[k] or not fits(d, tile, k):
                continue
            d.reached[k] = 1
            d.via[k] = come_from
            if d.held[k] < 0:
                while k >= 0:
                    back = np.int64(d.via[k])
                    d.held[k] = d.held[back] if back >= 0 else i
                    k = back
                return True
            d.queue[n_queued] = k
            n_queued += 1
        if n_done == n_queued:
            return False
        come_from = np.int64(d.queue[n_done])
        tile = np.int64(d.held[come_from])
        n_done += 1


@kernel
def _place_all(d, agent_state):
    """Put every tile into a place where it can lie; return whether the deal is uniform already."""
    n = d.n
    for k in range(n):
        d.held[k] = -1
    for i in range(d.n_owned):
        _settle(d, i, agent_state)
    n_free = 0
    for k in range(n):
        if d.held[k] < 0:
            d.free[n_free] = k
            n_free += 1
    n_waiting = 0
    for i in range(d.n_owned, n):
        if n_free == 0:
            break
        j = below(agent_state, n_free)
        k = np.int64(d.free[j])
        n_free -= 1
        d.free[j] = d.free[n_free]
        if fits(d, i, k):
            d.held[k] = i
        else:
            d.queue[n_waiting] = i
            n_waiting += 1
    if n_waiting == 0:
        return d.n_owned == 0 and d.n_needs == 0
    for w in range(n_waiting):
        d.free[w] = d.queue[w]  # `_settle` needs the queue
    for w in range(n_waiting):
        i = np.int64(d.free[w])
        if not _settle(d, i, agent_state):
            _anywhere(d, i)
    return False


@kernel
def _anywhere(d, i):
    """Put tile `i` into any place that is left: the position, made by hand, contradicts itself."""
    for k in range(d.n):
        if d.held[k] < 0:
            d.held[k] = i
            return


@kernel
def _back(d, tile, length):
    """Go back along a ring with the tile last lifted; return the one lifted first."""
    while length > 0:
        length -= 1
        k = np.int64(d.queue[length])
        other = np.int64(d.held[k])
        d.held[k] = tile
        tile = other
    return tile


@kernel
def undo(d, length):
    """Take the last `move` back, which moved so many tiles."""
    d.held[d.hole] = _back(d, np.int64(d.held[d.hole]), length)


@kernel
def move(d, agent_state, most_unmet):
    """Try to let some tiles change places in a ring; return how many moved besides the first, 0: none.

    A tile leaves a random place of a hand for another random place; the tile there goes back where the first was if it
    can, else on to a random place, and so on. The way back is as likely, so the chain is symmetric, and every two
    deals are joined by such rings. Where a seat's places differ, half of the rings that start there stay in its hand.
    """
    chance = below(agent_state, 2 * d.n_hand)
    hole = chance >> 1
    seat = np.int64(d.seat[hole])
    start, n = 0, np.int64(d.n)
    if d.mixed[seat] and chance & 1:
        start = np.int64(d.first[seat])
        n = np.int64(d.first[seat + 1]) - start
    tile = np.int64(d.held[hole])
    d.hole = hole
    length = 0
    while length < _LONGEST:
        k = start + below(agent_state, n)
        if k == hole or not fits(d, tile, k):
            break
        other = np.int64(d.held[k])
        d.held[k] = tile
        d.queue[length] = k
        length += 1
        tile = other
        if fits(d, tile, hole):
            d.held[hole] = tile
            if d.n_needs and unmet(d) > most_unmet:
                undo(d, length)
                return 0
            return length
    _back(d, tile, length)
    return 0


@kernel
def deal_again(d, agent_state):
    """Put the tiles of a studied DEAL into places, each consistent deal as likely as another.

    Notes
    -----
    Where there are few ways to fill the places the deals have been counted, and one is drawn; one that misses a need
    is drawn again. Elsewhere, if one random deal obeys every proof, it is taken. Otherwise its misplaced tiles are
    moved until it does, and it is mixed by symmetric moves that keep it so: a chain whose limit is uniform.
    """
    if d.counted:
        for _ in range(_DRAWS):
            draw_deal(d, agent_state)
            if d.n_needs == 0 or unmet(d) == 0:
                return
    if _place_all(d, agent_state) or d.n_hand == 0:
        return
    missing = unmet(d) if d.n_needs else 0
    patience = _PATIENCE
    while missing and patience:
        move(d, agent_state, missing)
        missing = unmet(d)
        patience -= 1
    for _ in range(_LEAST_MIXING + _MIXING * d.n_hand):
        move(d, agent_state, missing)


@kernel
def write_world(world, d, obs, seat, agent_state):
    """Write the deal that lies in `d` into the State `world`, the boneyard in a random order."""
    copy_masked(world, obs)
    world.hand[seat] = obs.hand[seat]
    for other in range(np.int64(obs.n_seats)):
        if other != seat:
            world.count[other] = 0
    if d.told:
        for place in range(np.int64(obs.top)):
            world.deck[place] = d.deck[place]
    for k in range(d.n_hand):
        i = np.int64(d.held[k])
        tile = np.int64(d.tile[i])
        if i >= d.n_owned:
            give(world, np.int64(d.seat[k]), tile)
        if d.place[k] >= 0:
            world.deck[d.place[k]] = tile
    first = np.int64(obs.top)
    last = first
    for k in range(d.n_hand, d.n):
        if d.seat[k] == YARD and d.place[k] >= 0:
            # Each tile to a random place among those before it.
            j = first + below(agent_state, last - first + 1)
            world.deck[last] = world.deck[j]
            world.deck[j] = d.tile[d.held[k]]
            last += 1


@kernel
def shuffle_boneyard(s, agent_state):
    """Put what is left of a State's boneyard into a random order."""
    top = np.int64(s.top)
    for i in range(top, np.int64(s.n_tiles) - 1):
        j = i + below(agent_state, np.int64(s.n_tiles) - i)
        tile = s.deck[i]
        s.deck[i] = s.deck[j]
        s.deck[j] = tile


@kernel
def determinize(world, obs, seat, agent_state):
    """Write into the State `world` a deal that agrees with the observation of `seat`.

    Parameters
    ----------
    world
        A State, overwritten. Of a position that tells its history its deck is the whole deal, from the first tile
        dealt on.
    obs, seat
        What that seat sees.
    agent_state
        A record of dtype AGENT_STATE, whose stream moves on.

    Notes
    -----
    For many worlds of one observation, `constraints.study` and `constraints.count_deals` once and then `deal_again` and
    `write_world` are faster.
    """
    _determinize(world, obs, seat, agent_state, np.empty(1, DEAL))


@kernel
def _determinize(world, obs, seat, agent_state, deals):
    d = deals[0]
    study(d, obs, seat)
    count_deals(d, seat)
    deal_again(d, agent_state)
    write_world(world, d, obs, seat, agent_state)
