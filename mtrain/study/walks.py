"""Walks: how a sequential test ends, how long it takes, and what its last mean says once that is accounted for.

The log likelihood ratio of a test is taken as a walk of independent normal steps that ends at the first look outside
two bounds. Its law is worked out by carrying the density of the walks still on their way from one look to the next.
The walk knows no games: a look comes after so many numbers, whatever they are.

Sources: Armitage, McPherson & Rowe, "Repeated significance tests on accumulating data", JRSS A 132 (1969), for the
recursion; Emerson & Fleming, "Parameter estimation following group sequential hypothesis testing", Biometrika 77
(1990), for the estimate by order of the sample mean; Siegmund, "Sequential Analysis" (1985), for the overshoot.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mtrain.study.blocks import Floats, Ints

_STEP = 0.2  # the least spread of a step of the log likelihood ratio; looks closer than that are merged
_NODES = 3  # nodes of the grid for the spread of a step
_FEWEST = 24
_OVERSHOOT = 0.5826  # by how much a normal walk oversteps a bound on average, in spreads of a step
_GONE = 1e-9  # so few walks still on their way are none


@dataclass(frozen=True)
class Law:
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
class Walk:
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

    def law(self, mean: float, asked: float = 0.0) -> Law:
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
        return Law(upper, lower, size, above)

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
