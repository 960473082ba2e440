"""Intervals: from numbers that are independent of one another to a mean and what is known of it.

Student's t on block numbers, Wilson's form of it for shares, the bootstrap-t, and the words for the cases in which
there is none. This module takes arrays and doesn't know which quantity they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mtrain.study.blocks import Floats, Ints
from mtrain.study.resample import Resamples

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
