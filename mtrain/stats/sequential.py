"""Sequential inference: what may be concluded from numbers that are looked at again and again while they come in.

A confidence sequence, which holds at every look at once, and the bounds of a sequential test of two values of a mean.
This module takes numbers of blocks, means and spreads; it knows no table, no file and no tournament.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from mtrain.stats.blocks import Floats, Ints
from mtrain.stats.intervals import NOISE

# ── Sequential inference ──────────────────────────────────────────────────────────────────────────────


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


# ── Empirical likelihood ──────────────────────────────────────────────────────────────────────────────
#
# Empirical likelihood: how likely observed numbers make it that their mean is this or that.
#
# No form of their distribution is assumed: of all distributions on the values seen, the likeliest with a given mean
# stands for a hypothesis. This part takes arrays and doesn't know what they count.
#
# Sources: Owen, "Empirical likelihood ratio confidence intervals for a single functional", Biometrika 75 (1988); Van
# den Bergh, "A practical introduction to the GSPRT" (2019), for its use with counts of game scores.


_STEPS = 200
_CLOSE = 1e-12


def likeliest(scores: Floats, weights: Floats | None = None) -> Floats | None:
    """The likeliest distribution on observed scores under which their mean is 0.

    Parameters
    ----------
    scores
        float64[n].
    weights
        float64[n]: how often each was seen; once each by default.

    Returns
    -------
    float64[n] or None
        Probabilities; None where all scores lie on one side of 0, so that no distribution on them has that mean.

    Notes
    -----
    Maximising the likelihood by Lagrange gives p_i = w_i / (1 + λ s_i) with Σ p_i s_i = 0, which falls in λ: Newton's
    method, kept within the bracket in which all p_i are probabilities.
    """
    share = np.full(len(scores), 1 / len(scores)) if weights is None else weights / weights.sum()
    seen = scores[share > 0]
    if not len(seen) or not seen.min() < 0 < seen.max():
        return None if not len(seen) or np.any(seen) else share
    low, high = -1 / seen.max(), -1 / seen.min()
    tilt = 0.0
    for _ in range(_STEPS):
        part = share / (1 + tilt * scores)
        slope = part @ scores
        low, high = (tilt, high) if slope > 0 else (low, tilt)
        step = float(slope / (part * scores / (1 + tilt * scores) @ scores))
        new = tilt + step if low < tilt + step < high else (low + high) / 2
        if abs(new - tilt) <= _CLOSE * (high - low + abs(new)):
            break
        tilt = new
    return share / (1 + tilt * scores)


def likelihood_ratio(values: Floats, null: float, other: float, weights: Floats | None = None) -> float:
    """Log likelihood ratio of two values of a mean: above 0 where the numbers speak for `other`, below for `null`.

    Parameters
    ----------
    values
        float64[n], independent: one number a block.
    null, other
        The two means held against each other.
    weights
        float64[n]: how often each value was seen; once each by default.

    Notes
    -----
    Where one of the means lies beyond all values seen, no distribution on them has it. The ratio is then that of normal
    distributions with the variance seen, n (other - null) (x̄ - (null + other) / 2) / s², which is its first order; it
    is 0 where the values are all the same.
    """
    weights = np.ones(len(values)) if weights is None else weights
    under_null, under_other = likeliest(values - null, weights), likeliest(values - other, weights)
    if under_null is not None and under_other is not None:
        seen = weights > 0
        return float(weights[seen] @ np.log(under_other[seen] / under_null[seen]))
    n = weights.sum()
    if not n:
        return 0.0
    mean = weights @ values / n
    square = weights @ (values - mean) ** 2 / n
    return float(n * (other - null) * (mean - (null + other) / 2) / square) if square > NOISE**2 else 0.0


# ── Walks ─────────────────────────────────────────────────────────────────────────────────────────────
#
# Walks: how a sequential test ends, how long it takes, and what its last mean says once that is accounted for.
#
# The log likelihood ratio of a test is taken as a walk of independent normal steps that ends at the first look outside
# two bounds. Its law is worked out by carrying the density of the walks still on their way from one look to the next.
# The walk knows no games: a look comes after so many numbers, whatever they are.
#
# Sources: Armitage, McPherson & Rowe, "Repeated significance tests on accumulating data", JRSS A 132 (1969), for the
# recursion; Emerson & Fleming, "Parameter estimation following group sequential hypothesis testing", Biometrika 77
# (1990), for the estimate by order of the sample mean; Siegmund, "Sequential Analysis" (1985), for the overshoot.


_STEP = 0.2  # the least spread of a step of the log likelihood ratio; looks closer than that are merged
_NODES = 3  # nodes of the grid for the spread of a step
_FEWEST = 24
_OVERSHOOT = 0.5826  # by how much a normal walk oversteps a bound on average, in spreads of a step
_GONE = 1e-9  # so few walks still on their way are none


@dataclass(frozen=True)
class OperatingCharacteristics:
    """How a test ends if its mean is this.

    Attributes
    ----------
    upper, lower
        Probabilities of ending at the upper and at the lower bound; the rest reaches the last look undecided.
    size
        Numbers seen until it ends, on average.
    above
        Probability that their mean at the end is at least the one asked about.
    """

    upper: float
    lower: float
    size: float
    above: float


@dataclass(frozen=True)
class SequentialTest:
    """A sequential test of the mean 0 against the mean `by`.

    Attributes
    ----------
    by, sd
        The other mean, above 0, and the spread of a single number, in the same unit.
    first, every, most
        Numbers at the first look, between two looks, and at the last look.
    bounds
        Log likelihood ratios at which it ends, the lower first.
    """

    by: float
    sd: float
    first: int
    every: int
    most: int
    bounds: tuple[float, float]

    def law(self, mean: float, asked: float = 0.0) -> OperatingCharacteristics:
        """Work out how the test ends if the numbers have this mean, and how often with a mean of at least `asked`."""
        from scipy.special import ndtr

        looks, (low, high) = self._looks()
        nodes, weights = self._grid(low, high, int(looks[1] - looks[0]) if len(looks) > 1 else self.every)
        scale = self.by / self.sd**2  # of a number in the log likelihood ratio
        at, here = np.zeros(1), np.ones(1)
        upper = lower = size = above = 0.0
        seen = 0
        for look in looks.tolist():
            n, seen = look - seen, look
            drift, spread = scale * (mean - self.by / 2) * n, scale * self.sd * np.sqrt(n)
            ends = np.array([low, high, scale * look * (asked - self.by / 2)])
            total = float(here.sum())
            below_low, below_high, below_asked = (ndtr((ends[:, None] - at - drift) / spread) @ here).tolist()
            size += total * n
            lower += below_low
            upper += total - below_high
            if look == looks[-1]:
                above += total - below_asked
                break
            above += total - max(below_high, below_asked) + max(below_low - below_asked, 0.0)
            here = weights * (np.exp(-0.5 * ((nodes[:, None] - at - drift) / spread) ** 2) @ here)
            here /= spread * np.sqrt(2 * np.pi)
            at = nodes
            if here.sum() < _GONE:
                break
        return OperatingCharacteristics(upper, lower, size, above)

    def unbiased(self, mean: float, n: int) -> float:
        """Estimate the mean behind a test that ended after `n` numbers with this mean, without a bias of the median.

        Returns
        -------
        float
            The mean for which the test ends with a greater mean as often as with a smaller one.
        """
        from scipy.optimize import brentq

        reach = 8 * self.sd / np.sqrt(n)
        return float(
            brentq(lambda true: self.law(true, mean).above - 0.5, mean - reach, mean + reach, xtol=1e-3 * reach)
        )

    def _looks(self) -> tuple[Ints, tuple[float, float]]:
        """The looks, merged where they are very close, and the bounds, moved in by what merging would overstep more."""
        spread = self.by / self.sd * np.sqrt(self.every)
        merged = max(1, int(np.ceil((_STEP / spread) ** 2)))
        looks = np.arange(self.first, self.most, self.every * merged)
        inward = _OVERSHOOT * spread * (np.sqrt(merged) - 1)
        return np.append(looks, max(self.most, self.first)), (self.bounds[0] + inward, self.bounds[1] - inward)

    def _grid(self, low: float, high: float, n: int) -> tuple[Floats, Floats]:
        """Nodes and weights of the integral over walks on their way."""
        spread = self.by / self.sd * np.sqrt(n)
        nodes, weights = np.polynomial.legendre.leggauss(max(_FEWEST, int(_NODES * (high - low) / spread)))
        half = (high - low) / 2
        return low + half * (nodes + 1), half * weights
