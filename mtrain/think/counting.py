"""Counting: how many deals are consistent, and one of them drawn, exactly, where there are few places to tell apart.

Places of one hand that were filled at one moment are alike: a *class*, of which only the number of tiles in it counts.
The tiles are dealt to the classes one after the other; how many ways there are to go on depends on nothing but how
full the classes are. What the watching seat was dealt and drew itself is a part on its own, since it touches nothing
else. This module must not know what a proof is, only which tile can lie where.
"""

import numpy as np

from mtrain.game.jit import kernel
from mtrain.game.rng import uniform
from mtrain.think.proofs import MOST_CLASSES, MOST_FILLINGS, fits


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
def _draw_part(d, part, own):
    """Deal the tiles of one part to its classes, each way as likely as another."""
    first, last = np.int64(d.part_class[part]), np.int64(d.part_class[part + 1])
    size = 0
    for j in range(first, last):
        d.filled_class[j] = 0
        size += np.int64(d.class_size[j])
    filling = np.int64(d.part_base[part])
    for i in range(np.int64(d.part_tile[part]), np.int64(d.part_tile[part]) + size):
        point = uniform(own) * d.ways[filling]
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
def draw_deal(d, own):
    """Put the tiles of a counted DEAL into places, each consistent deal exactly as likely as another."""
    _draw_part(d, 0, own)
    _draw_part(d, 1, own)
