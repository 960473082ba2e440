"""Proofs: what a round's public history says about where each tile can have been, as one table of places.

A *deal* is the whole permutation: the hands as dealt, the tiles in the order drawn, the boneyard. It is *consistent*
with an observation when the same public history could have come of it and the watching seat's tiles are its own. A
deal gives every tile a place that it was dealt or drawn to, and the rules prove nothing but this about it:

- a seat that draws, or passes, holds no tile that fits any train open to it (the rule that who can play must play);
  under `may` a tile just drawn and not laid is excepted, for it may have been kept back;
- a first-turn train that ends without a word ends because nothing fits it;
- a tile laid straight after a draw is the tile drawn;
- any other tile laid lay in the hand since it was dealt or drawn, and none of the above said otherwise meanwhile;
- the engine is the highest double of all hands (`highest-double`), or of the first hand from the starter on that has
  one (`first-double`); where the seats drew for one, no double was dealt, or drawn before it;
- a first-turn train stopped by choice could have gone on: that seat held a tile that fits (its *need*).

All but the last are about one tile and one place, so that the consistent deals are the perfect matchings of tiles and
places, less those that miss a need. Of a position that does not tell its history, `unseen_draws` and
`void` are taken instead.
This module must not know how likely anything is.
"""

import numpy as np

from mtrain.game.intrinsics import lowest
from mtrain.game.jit import kernel
from mtrain.game.kernels import DREW, FOUND_ENGINE, PASSED, TURN_OVER, open_to
from mtrain.game.rng import uniform
from mtrain.game.state import AT_ONCE, MAX_SEATS, NEVER, STATE
from mtrain.game.tiles import HI, LO, MAX_TILES, N_NUMBERS
from mtrain.strategy.history import LAID, LOST, NOW, STOPPED, agrees, placer, replay, rewind

# ── Proofs ────────────────────────────────────────────────────────────────────────────────────────────


YARD = MAX_SEATS  # the boneyard, where a seat is asked for
NOWHERE = -1  # the deck's place of what lies in none
ALWAYS, NEVER_THERE = 0, 32767  # moments before and after all others
MOST_CLASSES = 24  # kinds of places that are told apart where deals are counted …
MOST_FILLINGS = 1024  # … and ways in which those can be full
_NO_DOUBLE = 99
_NO_NEED = -1

# The tiles that could lie elsewhere, and the places that they could lie in. Moments count events from 1; what was dealt
# was there at moment 0. Tile i can lie in place k if ``earliest[seat[k], i] <= at[k] < latest[i]``. A record, since
# handing arrays to kernels costs locked counts.
DEAL = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("told", "i8"),  # 1: the history is known, so that a deal is whole
                ("n", "i8"),  # tiles, and places
                ("n_mine", "i8"),  # tiles known to have been the watching seat's: they come first
                ("n_owned", "i8"),  # tiles known to have been one seat's: they come next, counted with those
                ("n_hand", "i8"),  # places in hands: they come first, a seat's together
                ("n_needs", "i8"),
                ("tile", "i2", (MAX_TILES,)),
                ("latest", "i2", (MAX_TILES,)),  # when it was laid
                ("earliest", "i2", (MAX_SEATS + 1, MAX_TILES)),  # the last proof against it in that hand
                ("seat", "i2", (MAX_TILES,)),  # of a place; or `YARD`
                ("at", "i2", (MAX_TILES,)),  # when that seat was given the tile in it
                ("place", "i2", (MAX_TILES,)),  # where in the deck it lies
                ("first", "i2", (MAX_SEATS + 1,)),  # each seat's first place in a hand
                ("mixed", "u1", (MAX_SEATS,)),  # 1: that seat's places are not all alike
                ("need", "i2", (MAX_SEATS,)),  # a number that a seat held, or −1 …
                ("need_at", "i2", (MAX_SEATS,)),  # … at that moment
                ("deck", "u1", (MAX_TILES,)),  # the tiles whose place is known
                ("held", "i2", (MAX_TILES,)),  # the tile that lies in a place now, or −1
                # for the search of a place, and the way back from a move
                ("hole", "i8"),
                ("free", "i2", (MAX_TILES,)),
                ("via", "i2", (MAX_TILES,)),
                ("queue", "i2", (MAX_TILES,)),
                ("reached", "u1", (MAX_TILES,)),
                # for counting: classes of places, and the ways to go on from each filling of theirs
                ("counted", "i8"),
                ("n_classes", "i8"),
                ("class_first", "i2", (MOST_CLASSES,)),
                ("class_size", "i2", (MOST_CLASSES,)),
                ("filled_class", "i2", (MOST_CLASSES,)),
                ("stride", "i8", (MOST_CLASSES,)),
                ("part_class", "i8", (3,)),
                ("part_tile", "i8", (2,)),
                ("part_base", "i8", (2,)),
                ("ways", "f8", (MOST_FILLINGS,)),
                # while the history is read
                ("last", "i2", (MAX_SEATS, N_NUMBERS)),  # the last proof against a number
                ("least", "i2", (MAX_SEATS,)),  # the least double that a seat was not dealt …
                ("found_at", "i2"),  # … and did not draw before this moment
                ("n_draws", "i8"),
                ("draw_seat", "i2", (MAX_TILES,)),  # −1: the tile drawn is known
                ("draw_at", "i2", (MAX_TILES,)),
                ("first_draw", "i2", (MAX_SEATS,)),
                ("laid_seat", "i2", (MAX_TILES,)),  # −1: it was laid as soon as drawn
                ("laid_at", "i2", (MAX_TILES,)),
                ("laid_from", "i2", (MAX_TILES,)),
                ("filled", "i2", (MAX_SEATS,)),  # tiles known to have been dealt to a seat
            ],
            align=True,
        ),
    )
)


@kernel
def _open_numbers(past):
    """Return the numbers at the ends of the trains that the seat on turn may use now: a row of bits."""
    row = 0
    access = open_to(past)
    while access:
        row |= 1 << np.int64(past.end[lowest(access)])
        access &= access - 1
    return row


@kernel
def _prove(d, seat, row, moment):
    """Note that a seat holds none of these numbers."""
    while row:
        d.last[seat, lowest(row)] = moment
        row &= row - 1


@kernel
def _last_proof(d, seat, hi, lo):
    """Return the last moment at which a tile was proved not to be in a hand."""
    moment = max(d.last[seat, hi], d.last[seat, lo])
    if hi == lo and hi >= d.least[seat]:
        moment = max(moment, d.found_at)
    return moment


@kernel
def _dealt(d, obs, seat, tile):
    """Note that a seat was dealt a tile."""
    d.deck[np.int64(seat) * obs.hand_size + d.filled[seat]] = tile
    d.filled[seat] += 1


@kernel
def _drawn(d, obs, tile):
    """Note that the last tile drawn is this one."""
    k = d.n_draws - 1
    d.draw_seat[k] = -1
    d.deck[np.int64(obs.n_seats) * obs.hand_size + k] = tile


@kernel
def _engine_found(d, obs, seat, moment):
    """Note what the engine proves. Rule "Before a round"."""
    engine = np.int64(obs.engine)
    tile = engine * (engine + 1) // 2 + engine
    d.found_at = moment
    if obs.engine_draws:
        d.least[:] = 0
        _drawn(d, obs, tile)
        return
    _dealt(d, obs, seat, tile)
    n_seats = np.int64(obs.n_seats)
    if obs.highest:
        d.least[:] = engine + 1
    else:
        for k in range((seat - np.int64(obs.starter)) % n_seats):
            d.least[(np.int64(obs.starter) + k) % n_seats] = 0
        d.least[seat] = engine + 1


@kernel
def _read(d, obs, pasts):
    """Read the history of an observation from its beginning; return whether it can have been.

    ``pasts: STATE[1]`` is scratch.
    """
    past = pasts[0]
    d.last[:] = ALWAYS
    d.least[:] = _NO_DOUBLE
    d.need[:] = _NO_NEED
    d.filled[:] = 0
    d.found_at = ALWAYS
    d.n_draws = 0
    if not rewind(past, obs):
        return False
    moment = 1
    while True:
        seat = np.int64(past.turn)
        drawn = past.drawn
        row = _open_numbers(past) if past.engine >= 0 else 0
        did = replay(past, obs)
        if did == NOW:
            break
        if did == LOST:
            return False
        if did == DREW:
            _prove(d, seat, row, moment)
            d.draw_seat[d.n_draws] = seat
            d.draw_at[d.n_draws] = moment
            d.n_draws += 1
        elif did == TURN_OVER or (did == PASSED and (past.must_play or not drawn)):
            _prove(d, seat, row, moment)
        elif did == STOPPED:
            d.need[seat] = lowest(row)
            d.need_at[seat] = moment
        elif did == FOUND_ENGINE:
            _engine_found(d, obs, placer(obs), moment)
        elif did == LAID:
            n = np.int64(past.n_laid) - 1
            tile = obs.laid[n]
            d.laid_seat[n] = seat
            if obs.since[n] >= AT_ONCE:
                d.laid_seat[n] = -1
                _drawn(d, obs, tile)
            else:
                d.laid_at[n] = moment
                d.laid_from[n] = _last_proof(d, seat, np.int64(HI[tile]), np.int64(LO[tile]))
        moment += 1
    if obs.engine < 0 and d.n_draws:
        d.least[:] = 0  # the last tile drawn for an engine has not been looked at
        d.found_at = d.draw_at[d.n_draws - 1]
    return agrees(past, obs)


@kernel
def _add_tile(d, tile, latest, barred):
    """Add a tile that can lie nowhere yet (`barred` = `NEVER_THERE`), or anywhere (`ALWAYS`); return its index."""
    i = d.n
    d.tile[i] = tile
    d.latest[i] = latest
    for seat in range(MAX_SEATS + 1):
        d.earliest[seat, i] = barred
    d.n += 1
    return i


@kernel
def _add_place(d, k, seat, at, place):
    """Add place `k`, and return the next index."""
    if k < MAX_TILES:
        d.seat[k] = seat
        d.at[k] = at
        d.place[k] = place
    return k + 1


@kernel
def _owned_laid(d, obs, seat, mine):
    """List the tiles on the table that the watching seat laid (`mine`), or the others."""
    for n in range(np.int64(obs.n_laid)):
        owner = np.int64(d.laid_seat[n])
        if owner < 0 or (owner == seat) != mine:
            continue
        if d.laid_at[n] <= d.first_draw[owner]:
            _dealt(d, obs, owner, obs.laid[n])
        else:
            i = _add_tile(d, obs.laid[n], d.laid_at[n], NEVER_THERE)
            d.earliest[owner, i] = d.laid_from[n]


@kernel
def _owned(d, obs, seat):
    """List the tiles that are known to have been a seat's, though not whether dealt or drawn."""
    d.first_draw[:] = NEVER_THERE
    for k in range(d.n_draws - 1, -1, -1):
        if d.draw_seat[k] >= 0:
            d.first_draw[d.draw_seat[k]] = d.draw_at[k]
    _owned_laid(d, obs, seat, True)
    for v in range(np.int64(obs.max_pip) + 1):
        row = np.int64(obs.hand[seat, v]) & ((2 << v) - 1)
        while row:
            x = lowest(row)
            row &= row - 1
            tile = v * (v + 1) // 2 + x
            if d.first_draw[seat] == NEVER_THERE:
                _dealt(d, obs, seat, tile)
            else:
                i = _add_tile(d, tile, NEVER_THERE, NEVER_THERE)
                d.earliest[seat, i] = _last_proof(d, seat, v, x)
    d.n_mine = d.n
    _owned_laid(d, obs, seat, False)
    d.n_owned = d.n


@kernel
def _unseen(d, obs, seat):
    """List the tiles that a seat cannot see."""
    n_seats = np.int64(obs.n_seats)
    for hi in range(np.int64(obs.max_pip) + 1):
        seen = np.int64(obs.hand[seat, hi]) | np.int64(obs.table[hi])
        for lo in range(hi + 1):
            if not seen >> lo & 1:
                i = _add_tile(d, hi * (hi + 1) // 2 + lo, NEVER_THERE, ALWAYS)
                for other in range(n_seats):
                    d.earliest[other, i] = _last_proof(d, other, hi, lo)
                d.earliest[seat, i] = NEVER_THERE


@kernel
def _places_told(d, obs):
    """List the places in hands that a told history leaves open; return how many."""
    n_seats, size = np.int64(obs.n_seats), np.int64(obs.hand_size)
    k = 0
    for seat in range(n_seats):
        d.first[seat] = k
        for j in range(np.int64(d.filled[seat]), size):
            k = _add_place(d, k, seat, 0, seat * size + j)
        if d.first_draw[seat] != NEVER_THERE:
            for j in range(d.n_draws):
                if d.draw_seat[j] == seat:
                    k = _add_place(d, k, seat, d.draw_at[j], n_seats * size + j)
    d.first[n_seats] = k
    return k


@kernel
def _places_untold(d, obs, seat):
    """List the places in the other hands by the counts of a State alone; return how many.

    Of the tiles drawn and not yet seen the oldest come first; `void` says how many of them came before each proof.
    """
    n_seats = np.int64(obs.n_seats)
    d.n = 0
    d.need[:] = _NO_NEED
    d.least[:] = _NO_DOUBLE
    k = 0
    for other in range(n_seats):
        d.first[other] = k
        for v in range(N_NUMBERS):
            void = np.int64(obs.void[other, v])
            d.last[other, v] = ALWAYS if void == NEVER else void + 1
        if other != seat:
            old = max(0, np.int64(obs.count[other]) - np.int64(obs.unseen_draws[other]))
            for j in range(np.int64(obs.count[other])):
                newest = np.int64(obs.count[other]) - 1 - j
                at = 0 if j < old else max(0, np.int64(obs.unseen_draws[other]) - newest)
                k = _add_place(d, k, other, at, NOWHERE)
    d.first[n_seats] = k
    return k


@kernel
def _settled(d, obs, seat):
    """Say whether a tile that was certainly there meets the need of a seat."""
    v = np.int64(d.need[seat])
    for n in range(np.int64(obs.n_laid)):
        tile = obs.laid[n]
        met = d.laid_seat[n] == seat and d.need_at[seat] < d.laid_at[n] <= d.first_draw[seat]
        if met and (v == HI[tile] or v == LO[tile]):
            return True
    return False


@kernel
def study(d, obs, seat):
    """Write into the DEAL record `d` what the observation of `seat` proves."""
    d.told = _read(d, obs, np.empty(1, STATE))
    d.n = 0
    k = 0
    if d.told:
        _owned(d, obs, seat)
        k = _places_told(d, obs)
    else:
        d.n_owned = d.n_mine = 0
        k = _places_untold(d, obs, seat)
    _unseen(d, obs, seat)
    d.n_needs = 0
    for other in range(np.int64(obs.n_seats)):
        first, last = np.int64(d.first[other]), np.int64(d.first[other + 1]) - 1
        d.mixed[other] = last > first and d.at[first] != d.at[last]
        if d.need[other] != _NO_NEED:
            if (other == seat and d.first_draw[seat] == NEVER_THERE) or _settled(d, obs, other):
                d.need[other] = _NO_NEED
            else:
                d.n_needs += 1
    d.n_hand = min(k, d.n)
    for j in range(k, d.n):
        left = np.int64(obs.top) + j - k
        k_place = left if left < obs.n_tiles else NOWHERE  # a position by hand may leave tiles out
        d.seat[j] = YARD
        d.at[j] = 0
        d.place[j] = k_place


@kernel
def fits(d, i, k):
    """Say whether tile `i` can lie in place `k`."""
    at = d.at[k]
    return d.earliest[d.seat[k], i] <= at and at < d.latest[i]


@kernel
def unmet(d):
    """Return how many seats would lack the tile that they could have gone on with."""
    n = 0
    for seat in range(MAX_SEATS):
        v = np.int64(d.need[seat])
        if v == _NO_NEED:
            continue
        met = False
        for k in range(np.int64(d.first[seat]), np.int64(d.first[seat + 1])):
            i = np.int64(d.held[k])
            if d.at[k] < d.need_at[seat] and d.latest[i] > d.need_at[seat]:
                tile = d.tile[i]
                met = met or v == HI[tile] or v == LO[tile]
        n += not met
    return n


# ── Counting ──────────────────────────────────────────────────────────────────────────────────────────
#
# Counting: how many deals are consistent, and one of them drawn, exactly, where there are few places to tell apart.
#
# Places of one hand that were filled at one moment are alike: a *class*, of which only the number of tiles in it
# counts. The tiles are dealt to the classes one after the other; how many ways there are to go on depends on nothing
# but how full the classes are. What the watching seat was dealt and drew itself is a part on its own, since it touches
# nothing else. This part must not know what a proof is, only which tile can lie where.


@kernel
def _list_classes(d, first, last, seat, mine):
    """List the classes of the places from `first` to `last` that are a seat's own (`mine`) or not, after the others."""
    j = d.n_classes
    begun = False
    for k in range(first, last):
        if (d.seat[k] == seat) != mine:
            begun = False
            continue
        if begun and d.seat[k] == d.seat[k - 1] and d.at[k] == d.at[k - 1]:
            d.class_size[j - 1] += 1
            continue
        begun = True
        if j == MOST_CLASSES:
            return False
        d.class_first[j] = k
        d.class_size[j] = 1
        j += 1
    d.n_classes = j
    return True


@kernel
def _n_fillings(d, first_class):
    """Return in how many ways the classes from one on can be full; no more than are too many."""
    n = 1
    for j in range(first_class, d.n_classes):
        d.stride[j] = n
        n *= np.int64(d.class_size[j]) + 1
        if n > MOST_FILLINGS:
            break
    return n


@kernel
def _count_part(d, part, first_class, last_class, first_tile, base, n):
    """Count the ways to fill some classes with the tiles from `first_tile` on, from each of their `n` fillings."""
    d.part_tile[part] = first_tile
    d.part_base[part] = base
    tile = first_tile
    for j in range(first_class, last_class):
        d.filled_class[j] = d.class_size[j]
        tile += np.int64(d.class_size[j])
    d.ways[base + n - 1] = 1.0
    for filling in range(base + n - 2, base - 1, -1):
        j = first_class
        while d.filled_class[j] == 0:
            d.filled_class[j] = d.class_size[j]
            tile += np.int64(d.class_size[j])
            j += 1
        d.filled_class[j] -= 1
        tile -= 1
        ways = 0.0
        for j in range(first_class, last_class):
            if d.filled_class[j] < d.class_size[j]:
                more = d.ways[filling + d.stride[j]]
                if more > 0.0 and fits(d, tile, d.class_first[j]):
                    ways += more
        d.ways[filling] = ways
    return d.ways[base] > 0.0


@kernel
def count_deals(d, seat):
    """Count the deals of a studied DEAL, for `draw_deal`, if there are few fillings; `d.counted` says whether."""
    d.counted = 0
    d.n_classes = 0
    if d.n == 0 or (d.n_mine and not _list_classes(d, 0, d.n_hand, seat, True)):
        return
    first = np.int64(d.n_classes)
    n_mine = _n_fillings(d, 0)
    if not _list_classes(d, 0, d.n, seat, False):
        return
    n = _n_fillings(d, first)
    if n_mine + n > MOST_FILLINGS:
        return
    last = np.int64(d.n_classes)
    d.part_class[0], d.part_class[1], d.part_class[2] = 0, first, last
    if _count_part(d, 0, 0, first, 0, 0, n_mine) and _count_part(d, 1, first, last, np.int64(d.n_mine), n_mine, n):
        d.counted = 1


@kernel
def _draw_part(d, part, agent_state):
    """Deal the tiles of one part to its classes, each way as likely as another."""
    first, last = np.int64(d.part_class[part]), np.int64(d.part_class[part + 1])
    size = 0
    for j in range(first, last):
        d.filled_class[j] = 0
        size += np.int64(d.class_size[j])
    filling = np.int64(d.part_base[part])
    for i in range(np.int64(d.part_tile[part]), np.int64(d.part_tile[part]) + size):
        point = uniform(agent_state) * d.ways[filling]
        chosen = -1
        for j in range(first, last):
            if d.filled_class[j] < d.class_size[j] and fits(d, i, d.class_first[j]):
                here = d.ways[filling + d.stride[j]]
                if here > 0.0:
                    chosen = j
                    if point < here:
                        break
                    point -= here
        d.held[d.class_first[chosen] + d.filled_class[chosen]] = i
        d.filled_class[chosen] += 1
        filling += d.stride[chosen]


@kernel
def draw_deal(d, agent_state):
    """Put the tiles of a counted DEAL into places, each consistent deal exactly as likely as another."""
    _draw_part(d, 0, agent_state)
    _draw_part(d, 1, agent_state)
