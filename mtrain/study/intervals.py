"""Intervals: from numbers that are independent of one another to a mean and what is known of it.

Student's t on block numbers, and the words for the cases in which there is none. This module takes arrays and doesn't know which
quantity they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mtrain.study.blocks import Floats, Ints

NOISE = 1e-9
"""A spread below this, in any unit used here (pips, shares, ranks), is rounding, not variance."""

FEW = "needs 2 blocks"
CONSTANT = "no variance between blocks"
ALONE = "no other agent at the table"


@dataclass(frozen=True)
class Estimate:
    """Means with their 95 % intervals, one entry a group; nan where there is none, and `why` (object[groups]) says why, else ""."""

    n: Ints
    mean: Floats
    lo: Floats
    hi: Floats
    why: Any


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
    Values that don't vary at all have no interval: that two blocks agree is no proof that every block does, and t would claim
    certainty.
    """
    known = ~np.isnan(values)
    values, who = values[known], who[known]
    n = np.bincount(who, minlength=groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.bincount(who, values, minlength=groups) / n
        variance = np.bincount(who, (values - mean[who]) ** 2, minlength=groups) / (n - 1)
    why = np.full(groups, "", dtype=object)
    why[~(variance > NOISE**2)] = CONSTANT
    why[n < 2] = FEW
    half = np.full(groups, np.nan)
    good = why == ""
    half[good] = t_quantile(n[good] - 1) * np.sqrt(variance[good] / n[good])
    return Estimate(n, mean, np.maximum(mean - half, least), np.minimum(mean + half, most), why)


def t_quantile(df: Any) -> Any:
    """Student's t: the 97.5 % quantile for each number of degrees of freedom (> 0)."""
    from scipy.special import stdtrit  # slow to import, and most commands need no interval

    return stdtrit(df, 0.975)
