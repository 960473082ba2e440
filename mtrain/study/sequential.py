"""Sequential inference: what may be concluded from numbers that are looked at again and again while they come in.

A confidence sequence, which holds at every look at once, and the bounds of a sequential test of two values of a mean.
This module takes numbers of blocks, means and spreads; it knows no table, no file and no tournament.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from mtrain.study.blocks import Floats

FIRST = 30
"""Blocks before the first look: fewer say too little of their own spread."""

EVERY = 10
"""Blocks of a line-up from one look to the next, at most."""

MOST = 10_000
"""Blocks of a line-up after which a run ends undecided, where nothing else is said."""


def first_look(every: int, most: int) -> int:
    """The numbers seen at the first look of a test that looks after every so many, and at the last after `most`."""
    return min(-(-FIRST // every) * every, most)


@lru_cache
def _start(first: int, level: float) -> float:
    """The t statistic at the first look that a confidence sequence of this level may reach."""
    from scipy.optimize import brentq
    from scipy.special import gammaln, stdtr

    df = first - 1
    constant = np.exp(gammaln((df + 1) / 2) - gammaln(df / 2)) / np.sqrt(df * np.pi)

    def excess(b: float) -> float:
        density = constant * (1 + b * b / df) ** (-(df + 1) / 2)
        return float(2 * (stdtr(df, -b) + b * density) - (1 - level))

    high = 10.0
    while excess(high) > 0:
        high *= 10
    return float(brentq(excess, 1.0, high))


def radius(n: Any, first: int = FIRST, level: float = 0.95) -> Floats:
    """Half the width of a confidence sequence for a mean, in standard errors s/√n, after so many numbers.

    Parameters
    ----------
    n
        int[...]: numbers seen; nan comes back where they are fewer than `first`.
    first
        Numbers at the first look, 2 or more: fixed before anything is seen.
    level
        Probability that the mean lies within x̄ ± radius · s/√n at every look from the first on, for ever.

    Notes
    -----
    Lai's (1976) sequence with a flat mixture: with b the solution of 2 (1 - F(b) + b f(b)) = 1 - level for Student's t
    with first - 1 degrees of freedom, (n - 1) ((c n / first)^(1/n) - 1) is the square of the radius,
    c = (1 + b² / (first - 1))^first. It holds exactly for independent normal numbers of unknown variance, whatever n;
    for others as `first` grows (Waudby-Smith et al. 2024 show this for the same boundary with known quantiles), and
    tests simulate how well for numbers as skewed as those of blocks. It is half as long again as Student's interval at
    the first of looks from 30 on, and nearly twice as long after 10,000: that is the price of looking.

    Sources: Lai, "On confidence sequences", Annals of Statistics 4 (1976), theorem 2; Wang & Ramdas, "Anytime-valid
    t-tests and confidence sequences for Gaussian means with unknown variance", Sequential Analysis 44 (2025);
    Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas, "Time-uniform central limit theory and asymptotic confidence
    sequences", Annals of Statistics 52 (2024).
    """
    n = np.asarray(n, np.float64)
    constant = first * np.log1p(_start(first, level) ** 2 / (first - 1))
    with np.errstate(invalid="ignore", divide="ignore"):
        square = (n - 1) * np.expm1((constant + np.log(n / first)) / n)
        return np.where(n >= first, np.sqrt(np.maximum(square, 0)), np.nan)


def bounds(alpha: float, beta: float) -> tuple[float, float]:
    """The log likelihood ratios at which a sequential test ends: for the null hypothesis, and for the other.

    Parameters
    ----------
    alpha, beta
        Probabilities of ending at the other hypothesis where the null one is true, and of the reverse.

    Notes
    -----
    Source: Wald, "Sequential tests of statistical hypotheses", Annals of Mathematical Statistics 16 (1945).
    """
    return float(np.log(beta / (1 - alpha))), float(np.log((1 - beta) / alpha))


def fixed_size(sd: float, by: float, alpha: float, beta: float) -> float:
    """Numbers that a test of fixed size needs to tell a mean of `by` from 0 with these errors, not rounded.

    Notes
    -----
    Source: Guenther, "Sample size formulas for normal theory t tests", The American Statistician 35 (1981).
    """
    from scipy.special import ndtri

    one, other = -float(ndtri(alpha)), -float(ndtri(beta))
    return ((one + other) * sd / by) ** 2 + one**2 / 2
