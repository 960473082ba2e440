"""Places: which of many agents are ahead, when all of them are judged together.

Ten agents make 45 pairs, and two of 45 intervals of 95 % miss on average even if nothing differs at all. So claims are
made at a level for all pairs at once, by Holm (1979, "A simple sequentially rejective multiple test procedure") over
the two one-sided hypotheses of each pair: with 95 % none of the claims is wrong, a claim of the wrong sign included.
An agent's range of places follows from them (Mogstad, Romano, Shaikh & Wilhelm 2024, "Inference for ranks with
applications to mobility across neighbourhoods and academic achievement across countries"). Nothing here knows what is
compared.
"""

from __future__ import annotations

import numpy as np

from mtrain.stats.blocks import Bools, Floats, Ints
from mtrain.stats.intervals import NOISE

LEVEL = 0.05
"""Chance of any wrong claim in a run."""


def holm(t: Floats, df: Floats) -> Floats:
    """float64[pairs]: for each pair the least level at which the sign of its difference is claimed; nan stays nan.

    Parameters
    ----------
    t
        float64[pairs]: each difference in its standard error; nan where there is none.
    df
        float64[pairs]: degrees of freedom.
    """
    from scipy.special import stdtr  # slow to import, and most commands need no interval

    level = np.full(len(t), np.nan)
    known = np.flatnonzero(~np.isnan(t))
    p = stdtr(df[known], -np.abs(t[known]))
    order = np.argsort(p, kind="stable")
    left = 2 * len(known) - np.arange(len(known))  # hypotheses, of two for each pair, that none has done away with
    level[known[order]] = np.minimum(np.maximum.accumulate(p[order] * left), 1)
    return level


def differences(values: Floats, who: Ints, block: Ints, groups: int) -> tuple[Floats, Floats]:
    """Compare the means of groups that share blocks.

    Parameters
    ----------
    values
        float64[rows]: one number a block and group. nan is no observation.
    who, block
        int[rows]: group and block of each.
    groups
        Number of groups.

    Returns
    -------
    t, df : float64[groups, groups]
        The row's mean minus the column's, in standard errors that count what the two share in their blocks; and its
        degrees of freedom, those of the one with fewer blocks. nan where there is no standard error.
    """
    known = ~np.isnan(values)
    values, who, block = values[known], who[known], block[known]
    n = np.bincount(who, minlength=groups)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(who, values, minlength=groups) / n
        pull = (values - mean[who]) / np.sqrt(n[who] * (n[who] - 1.0))  # their squares sum to the squared error
    pull[n[who] < 2] = 0
    order = np.lexsort((who, block))
    pull, who, block = pull[order], who[order], block[order]
    own = np.bincount(who, pull**2, minlength=groups)
    common = np.zeros(groups**2)
    step = 1
    while (same := block[step:] == block[:-step]).any():
        cell = (who[:-step] * groups + who[step:])[same]
        common += np.bincount(cell, (pull[:-step] * pull[step:])[same], minlength=groups**2)
        step += 1
    shared = common.reshape(groups, groups)
    error = np.sqrt(np.maximum(own[:, None] + own - 2 * (shared + shared.T), 0))
    df = np.minimum(n[:, None], n) - 1.0
    with np.errstate(invalid="ignore", divide="ignore"):
        t = np.where((df > 0) & (error > NOISE), (mean[:, None] - mean) / error, np.nan)
    return t, df


def ranges(t: Floats, df: Floats, group: Ints, there: Bools) -> tuple[Floats, Floats]:
    """Best and worst place of each agent that can be true; with 95 % all ranges of a run hold together.

    Parameters
    ----------
    t, df
        As from `differences`; the lower mean is ahead.
    group
        int[agents]: who met; agents are ranked within a group.
    there
        bool[agents]: who is ranked at all.

    Returns
    -------
    lo, hi : float64[agents]
        nan for those who aren't ranked.
    """
    n = len(group)
    rival = (group[:, None] == group) & there[:, None] & there & ~np.eye(n, dtype=bool)
    one, other = np.nonzero(np.triu(rival))
    level = np.full((n, n), np.nan)
    level[one, other] = level[other, one] = holm(t[one, other], df[one, other])
    claimed = rival & (level < LEVEL)
    lo = 1.0 + (claimed & (t > 0)).sum(axis=1)
    hi = 1.0 + rival.sum(axis=1) - (claimed & (t < 0)).sum(axis=1)
    return np.where(there, lo, np.nan), np.where(there, hi, np.nan)
