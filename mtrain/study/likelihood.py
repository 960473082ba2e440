"""Empirical likelihood: how likely observed numbers make it that their mean is this or that.

No form of their distribution is assumed: of all distributions on the values seen, the likeliest with a given mean
stands for a hypothesis. This module takes arrays and doesn't know what they count.

Sources: Owen, "Empirical likelihood ratio confidence intervals for a single functional", Biometrika 75 (1988); Van den
Bergh, "A practical introduction to the GSPRT" (2019), for its use with counts of game scores.
"""

from __future__ import annotations

import numpy as np

from mtrain.study.blocks import Floats
from mtrain.study.intervals import NOISE

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
