"""Intervals: from numbers that are independent of one another to a mean and what is known of it.

Student's t on block numbers, Wilson's form of it for shares, the bootstrap-t, and the words for the cases in which
there is none. This module takes arrays and doesn't know which quantity they are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mtrain.stats.blocks import Bools, Floats, Ints

# ── Intervals ─────────────────────────────────────────────────────────────────────────────────────────


NOISE = 1e-9
"""A spread below this, in any unit used here (pips, shares, ranks), is rounding, not variance."""

_Z = 1.959964  # the normal 97.5 % quantile

FEW = "needs 2 blocks"
CONSTANT = "no variance between blocks"
ALONE = "no other agent at the table"
ALIKE = "too few blocks differ to draw them again"


@dataclass(frozen=True)
class Estimate:
    """Means and 95 % intervals, one entry a group; where one is nan, `why` (object[groups]) says why, else "".

    `error` is the standard error of the mean, nan where there is no interval.
    """

    n: Ints
    mean: Floats
    lo: Floats
    hi: Floats
    why: Any
    error: Floats

    @property
    def t(self) -> Floats:
        """The mean in its standard error."""
        return self.mean / self.error


def estimate(values: Floats, who: Ints, groups: int, least: float = -np.inf, most: float = np.inf) -> Estimate:
    """Mean and 95 % interval of each group's values (Student's t, n - 1 degrees of freedom).

    Parameters
    ----------
    values
        float64[n], independent within a group: one number a block. nan is no observation.
    who
        int[n]: the group of each value, from 0 to groups - 1.
    groups
        Number of groups.
    least, most
        Bounds of the quantity; intervals end there.

    Notes
    -----
    Values that don't vary at all have no interval: that two blocks agree is no proof that every block does, and t would
    claim certainty.
    """
    n, mean, error, why, t = _moments(values, who, groups)
    return Estimate(n, mean, np.maximum(mean - t * error, least), np.minimum(mean + t * error, most), why, error)


def estimate_share(values: Floats, who: Ints, groups: int) -> Estimate:
    """Mean and 95 % interval of shares, which lie between 0 and 1. Parameters as for `estimate`.

    Notes
    -----
    Wilson's (1927) interval with t for the normal quantile and the effective number of trials m = p (1 - p) / s² that
    the spread s of the block numbers implies (Korn & Graubard 1998). It stays inside 0 and 1 without being cut, tends
    to the t interval as blocks grow, and keeps its coverage where wins are rare and blocks few
    (`tests/test_coverage.py`).
    """
    n, mean, error, why, t = _moments(values, who, groups)
    with np.errstate(invalid="ignore", divide="ignore"):
        z = t**2 * error**2 / (mean * (1 - mean))  # t² / m
        center = (mean + z / 2) / (1 + z)
        half = np.sqrt(z * mean * (1 - mean) + z**2 / 4) / (1 + z)
    return Estimate(n, mean, np.maximum(center - half, 0), np.minimum(center + half, 1), why, error)


def wilson(successes: Any, trials: int) -> tuple[Any, Any]:
    """Ends of the 95 % interval of a share of independent trials (Wilson 1927); it holds at 0 and at 1, too.

    Parameters
    ----------
    successes
        float64[groups]: how many of the trials succeeded.
    trials
        How many there were.
    """
    share, z = np.asarray(successes) / trials, _Z**2 / trials
    center = (share + z / 2) / (1 + z)
    half = np.sqrt(z * share * (1 - share) + z**2 / 4) / (1 + z)
    return np.maximum(center - half, 0.0), np.minimum(center + half, 1.0)


def bootstrap(
    values: Floats,
    who: Ints,
    groups: int,
    block: Ints,
    resamples: Resamples,
    least: float = -np.inf,
    most: float = np.inf,
) -> Estimate:
    """Mean and 95 % bootstrap-t interval of each group's values.

    Parameters
    ----------
    values, who, groups, least, most
        As for `estimate`.
    block
        int[n]: the block of each value, as `resamples` counts blocks.
    resamples
        Replicates of the blocks.

    Notes
    -----
    In every replicate the mean is measured in its own standard error from the mean of the data, and the quantiles of
    that take the place of Student's (Efron 1979; Hall 1988, "Theoretical comparison of bootstrap confidence
    intervals"). Where numbers are skewed it errs as often above as below, which t does not, and it covers where the
    percentile and the BCa interval, at 12 and 20 blocks, cover too little. Its price is width, and that it is undefined
    where a replicate in forty finds nothing but equal blocks.
    """
    n, mean, error, why, _ = _moments(values, who, groups)
    known = ~np.isnan(values)
    values, who, block = values[known], who[known], block[known]
    off = values - mean[who]
    three = [np.ones_like(off), off, off**2]
    kinds = np.repeat(np.arange(3) * groups, len(off)) + np.tile(who, 3)
    weight, total, squares = np.hsplit(resamples.totals(np.concatenate(three), kinds, 3 * groups, np.tile(block, 3)), 3)
    with np.errstate(invalid="ignore", divide="ignore"):
        shift = total / weight
        spread = np.sqrt(np.maximum(squares / weight - shift**2, 0) / (resamples.drawn(who, groups, block) - 1))
        t = np.sort(np.where(spread > NOISE, shift / spread, np.sign(shift) * np.inf), axis=0)
    tail = round(0.025 * (len(t) + 1)) - 1
    low, high = t[tail], t[-1 - tail]
    why = np.where((why == "") & ~(np.isfinite(low) & np.isfinite(high)), ALIKE, why)
    with np.errstate(invalid="ignore"):
        lo, hi = np.maximum(mean - high * error, least), np.minimum(mean - low * error, most)
    sure = why == ""
    return Estimate(n, mean, np.where(sure, lo, np.nan), np.where(sure, hi, np.nan), why, np.where(sure, error, np.nan))


def variances(values: Floats, who: Ints, groups: int) -> tuple[Ints, Floats, Floats]:
    """Number, mean and variance of each group's values: nan where there are too few for one."""
    n = np.bincount(who, minlength=groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.bincount(who, values, minlength=groups) / n
        variance = np.bincount(who, (values - mean[who]) ** 2, minlength=groups) / (n - 1)
    return n, mean, variance


def _moments(values: Floats, who: Ints, groups: int) -> tuple[Ints, Floats, Floats, Any, Floats]:
    """Number, mean, standard error of the mean, reason for no interval and t quantile (nan where there is a reason)."""
    known = ~np.isnan(values)
    values, who = values[known], who[known]
    n, mean, variance = variances(values, who, groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        error = np.sqrt(variance / n)
    why = np.full(groups, "", dtype=object)
    why[~(variance > NOISE**2)] = CONSTANT
    why[n < 2] = FEW
    error[why != ""] = np.nan
    t = np.full(groups, np.nan)
    t[why == ""] = t_quantile(n[why == ""] - 1)
    return n, mean, error, why, t


def t_quantile(df: Any) -> Any:
    """Student's t: the 97.5 % quantile for each number of degrees of freedom (> 0)."""
    from scipy.special import stdtrit  # slow to import, and most commands need no interval

    return stdtrit(df, 0.975)


# ── Notes: why there is no interval ───────────────────────────────────────────────────────────────────
#
# Notes: why numbers of a row are absent, as reasons by quantity and as the one text that tables keep of them.
#
# A reason is about some quantities of a row, or about the row as a whole: "win: no variance between blocks; group 2:
# never met the agents of other groups". The two forms are inverses of one another for the quantities that are known.


@dataclass(frozen=True)
class Note:
    """Reasons in the order in which they are said, each with the quantities that it is about; none: the whole row."""

    reasons: tuple[tuple[tuple[str, ...], str], ...] = ()

    def __str__(self) -> str:
        return "; ".join(f"{', '.join(names)}: {why}" if names else why for names, why in self.reasons)

    @property
    def whys(self) -> tuple[str, ...]:
        """The reasons alone."""
        return tuple(why for _, why in self.reasons)

    def about(self, quantities: Collection[str]) -> Note:
        """What of it is about these quantities, or about the whole row."""
        kept = ((names, tuple(name for name in names if name in quantities), why) for names, why in self.reasons)
        return Note(tuple((left, why) for names, left, why in kept if left or not names))


def note_of(why: Mapping[str, str], *further: str) -> Note:
    """Return the note of a row.

    Parameters
    ----------
    why
        The reason by quantity, "" where there is none; one that all share is about the whole row.
    further
        What else is to be said of the row.
    """
    names: dict[str, list[str]] = {}
    for name, reason in why.items():
        names.setdefault(reason, []).append(name)
    shared = [(tuple(said) if len(said) < len(why) else (), reason) for reason, said in names.items() if reason]
    return Note((*shared, *(((), reason) for reason in further)))


def parse_note(text: str, quantities: Iterable[str]) -> Note:
    """Read the text of a note about these quantities."""
    known = set(quantities)
    reasons: list[tuple[tuple[str, ...], str]] = []
    for part in filter(None, text.split("; ")):
        said, colon, why = part.partition(": ")
        names = tuple(said.split(", "))
        reasons.append((names, why) if colon and known.issuperset(names) else ((), part))
    return Note(tuple(reasons))


# ── The bootstrap ─────────────────────────────────────────────────────────────────────────────────────
#
# The bootstrap: whole blocks drawn again, line-up by line-up, as weights that any estimate can be made with.
#
# A replicate is a weight for every block; its estimate is the estimate with those weights. The line-ups of a tournament
# are chosen, not drawn, so blocks are drawn within their match: n - 1 of its n blocks, each counted n / (n - 1) times,
# which gives a mean of few blocks its true variance, where n of n would give (n - 1) / n of it (Rao & Wu 1988,
# "Resampling inference with complex survey data"). Of a match with very many blocks it is groups of deals that are
# drawn, so that the cost has a bound. The draws hang on the matches and deals alone, not on the order of rows, on the
# machine or on the run's seed. Nothing here knows which quantity is estimated.


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


# ── Simultaneous intervals ────────────────────────────────────────────────────────────────────────────
#
# Together: intervals of several means over the same worlds that hold all at once.
#
# Who takes the least of several means and quotes its interval quotes one that chance has favoured. Where all intervals
# hold together, the one that was picked holds, too, however it was picked. Means over common worlds go up and down
# together, so that this costs little. Nothing here knows what is compared.


@dataclass(frozen=True)
class Simultaneous:
    """Means over common worlds.

    Attributes
    ----------
    mean, error : float64[groups]
        Means and their standard errors.
    quantile
        Standard errors to go from each mean, so that all their intervals hold together with 95 %.
    diff_error : float64[groups, groups]
        Standard errors of the differences of two means, world by world.
    diff_quantile
        … and how many of them to go from each difference.
    """

    mean: Floats
    error: Floats
    quantile: float
    diff_error: Floats
    diff_quantile: float


def simultaneous(values: Floats) -> Simultaneous:
    """Judge all means, and all differences of two, together.

    Parameters
    ----------
    values : float64[worlds, groups]
        One number a world and group, two worlds or more; worlds are independent of one another.

    Notes
    -----
    The quantile is that of the largest deviation, in standard errors, of any mean in 999 bootstrap replicates of the
    worlds (Romano & Wolf 2005, "Stepwise multiple testing as formalized data snooping"), and not less than Student's.
    """
    n, groups = values.shape
    mean = values.mean(axis=0)
    off = values - mean
    error = np.sqrt((off**2).sum(axis=0) / (n - 1.0) / n)
    draws = resample(np.zeros(n, np.int64), np.arange(n))
    moved = draws.totals(off.ravel(), np.tile(np.arange(groups), n), groups, np.repeat(np.arange(n), groups)) / n
    least = float(t_quantile(n - 1.0))
    diff_error = np.zeros((groups, groups))
    most = np.zeros(len(moved))
    for one in range(groups):
        diff_error[one] = np.sqrt(((off - off[:, one : one + 1]) ** 2).sum(axis=0) / (n - 1.0) / n)
        most = np.maximum(most, _largest(moved - moved[:, one : one + 1], diff_error[one]))
    return Simultaneous(
        mean, error, max(least, _quantile(_largest(moved, error))), diff_error, max(least, _quantile(most))
    )


def _largest(moved: Floats, error: Floats) -> Floats:
    """float64[replicates]: the largest deviation in any group that varies at all."""
    varies: Bools = error > NOISE
    if not varies.any():
        return np.zeros(len(moved))
    largest: Floats = (np.abs(moved[:, varies]) / error[varies]).max(axis=1)
    return largest


def _quantile(largest: Floats) -> float:
    """The 95 % quantile, rounded: its further digits hang on the order in which a machine adds."""
    return round(float(np.sort(largest)[round(0.95 * (len(largest) + 1)) - 1]), 3)
