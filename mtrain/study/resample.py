"""The bootstrap: whole blocks drawn again, line-up by line-up, as weights that any estimate can be made with.

A replicate is a weight for every block; its estimate is the estimate with those weights. The line-ups of a tournament
are chosen, not drawn, so blocks are drawn within their match: n - 1 of its n blocks, each counted n / (n - 1) times,
which gives a mean of few blocks its true variance, where n of n would give (n - 1) / n of it (Rao & Wu 1988,
"Resampling inference with complex survey data"). Of a match with very many blocks it is groups of deals that are
drawn, so that the cost has a bound. The draws hang on the matches and deals alone, not on the order of rows, on the
machine or on the run's seed. Nothing here knows which quantity is estimated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mtrain.study.blocks import Floats, Ints

REPEATS = 999
"""Replicates: quantiles at 2.5 and 97.5 % are then the 25th from either end."""

MOST = 1000
"""Units drawn from, in all matches together, where that leaves a match enough of them …"""

ENOUGH = 50
"""… which so many are: with fewer blocks, a match has every block as a unit of its own."""

_KEY = 0x6D747261696E


@dataclass(frozen=True)
class Resamples:
    """Replicates of some blocks.

    ======= ======================== ====================================================================
    field   shape                    meaning
    ======= ======================== ====================================================================
    unit    int64[blocks]            the unit of each block, in the order in which the blocks were given
    counts  int64[repeats, units]    how often each unit was drawn
    scale   float64[units]           what a draw counts: n / (n - 1) in a match of n units
    ======= ======================== ====================================================================
    """

    unit: Ints
    counts: Ints
    scale: Floats

    @cached_property
    def weights(self) -> Floats:
        """float64[repeats, units]: the weight of each unit, and so of each of its blocks; on average 1."""
        weights: Floats = self.counts * self.scale
        return weights

    def of_blocks(self) -> Floats:
        """float64[repeats, blocks]: the weight of each block. Large where there are many: prefer `weights`."""
        return self.weights[:, self.unit]

    def totals(self, values: Floats, who: Ints | None = None, groups: int = 1, block: Ints | None = None) -> Floats:
        """float64[repeats, groups]: weighted sums of some numbers.

        Parameters
        ----------
        values
            float64[rows], without nan.
        who
            int[rows]: the group of each value, from 0 to groups - 1; by default there is one.
        groups
            Number of groups.
        block
            int[rows]: the block of each value; by default a value is a block.
        """
        unit = self.unit if block is None else self.unit[block]
        cell = unit * groups + (0 if who is None else who)
        sums = np.bincount(cell, values, minlength=len(self.scale) * groups).reshape(len(self.scale), groups)
        totals: Floats = self.weights @ sums
        return totals

    def drawn(self, who: Ints, groups: int, block: Ints) -> Floats:
        """float64[groups]: how many blocks of each group are drawn in a replicate, one less than there are a match."""
        drawn: Floats = np.bincount(who, 1 / self.scale[self.unit[block]], minlength=groups).astype(np.float64)
        return drawn


def resample(match: Ints, deal: Ints, repeats: int = REPEATS) -> Resamples:
    """Draw blocks again.

    Parameters
    ----------
    match, deal
        int[blocks]: which blocks there are, each once, in any order.
    repeats
        Number of replicates.

    Notes
    -----
    Matches of a single block are taken together, as one match: what such a block might have been otherwise, it can't
    say itself.
    """
    match, deal = np.asarray(match, np.int64), np.asarray(deal, np.int64)
    order = np.lexsort((deal, match))
    matches, stratum, size = np.unique(match[order], return_inverse=True, return_counts=True)
    if (size == 1).sum() > 1:
        single = size[stratum] == 1
        first = int(stratum[np.argmax(single)])
        stratum = np.where(single, first, stratum)
        order, stratum = order[np.argsort(stratum, kind="stable")], np.sort(stratum)
    unit = np.zeros(len(match), np.int64)
    counts: list[Ints] = []
    scale: list[Floats] = []
    known = 0
    most = max(ENOUGH, MOST // max(len(matches), 1))
    for number in np.unique(stratum):
        mine = order[stratum == number]
        n = min(len(mine), most)
        unit[mine] = known + np.arange(len(mine)) * n // len(mine)
        counts.append(_draw(int(matches[number]), n, repeats))
        scale.append(np.full(n, n / max(n - 1, 1)))
        known += n
    if not counts:
        return Resamples(unit, np.zeros((repeats, 0), np.int64), np.zeros(0))
    return Resamples(unit, np.concatenate(counts, axis=1), np.concatenate(scale))


def _draw(match: int, n: int, repeats: int) -> Ints:
    """int64[repeats, n]: how often each of a match's n units is among n - 1 that were drawn; a single one always is."""
    if n == 1:
        return np.ones((repeats, 1), np.int64)
    rng = np.random.Generator(np.random.PCG64([_KEY, match]))
    drawn = rng.integers(0, n, (repeats, n - 1)) + n * np.arange(repeats)[:, None]
    return np.bincount(drawn.ravel(), minlength=repeats * n).reshape(repeats, n)
