"""Together: intervals of several means over the same worlds that hold all at once.

Who takes the least of several means and quotes its interval quotes one that chance has favoured. Where all intervals
hold together, the one that was picked holds, too, however it was picked. Means over common worlds go up and down
together, so that this costs little. Nothing here knows what is compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mtrain.study.blocks import Bools, Floats
from mtrain.study.intervals import NOISE, t_quantile
from mtrain.study.resample import resample


@dataclass(frozen=True)
class Together:
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


def together(values: Floats) -> Together:
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
    return Together(mean, error, max(least, _quantile(_largest(moved, error))), diff_error, max(least, _quantile(most)))


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
