"""Calibration: how good probabilities of places are, from the tables of looks and bins.

Two answers: the log loss of each method, and how often tiles lay where they were given such a probability. Intervals
are over deals, since what is judged in one deal hangs together. Nothing here knows a tile or a rule.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from mtrain.study import tables
from mtrain.study.intervals import CONSTANT, FEW, NOISE, estimate, t_quantile
from mtrain.study.tables import METHODS

EDGES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0)
"""Where the bins of predicted probabilities begin and end."""


def losses(looks: pd.DataFrame) -> pd.DataFrame:
    """Log loss of each method, and what it gains on `counts`, with intervals clustered by deal.

    Parameters
    ----------
    looks
        A `looks` table, in which every look has a row of the method `counts`.

    Returns
    -------
    DataFrame
        A `losses` table.
    """
    weight = looks["tiles"].to_numpy(np.float64)
    known = pd.DataFrame(
        {
            "deal": looks["deal"].to_numpy(),
            "method": looks["method"].to_numpy(object),
            "tiles": weight,
            "nats": looks["loss"].to_numpy(np.float64) * weight,
        }
    )
    sums = known.groupby(["deal", "method"], sort=True).sum()
    by_deal = (sums["nats"] / sums["tiles"]).unstack("method")
    methods = [method for method in METHODS if method in by_deal]
    values = by_deal[methods].to_numpy(np.float64).T
    who = np.repeat(np.arange(len(methods)), len(by_deal))
    loss = estimate(values.ravel(), who, len(methods), 0)
    gain = estimate((values[:1] - values).ravel(), who, len(methods))
    own = [looks[(looks["method"] == method).to_numpy()] for method in methods]
    not_itself = np.array([np.nan if method == METHODS[0] else 1.0 for method in methods])
    return tables.frame(
        tables.LOSSES,
        {
            "method": methods,
            "deals": loss.n,
            "looks": [len(rows) for rows in own],
            "tiles": [int(rows["tiles"].sum()) for rows in own],
            "loss": loss.mean,
            "loss_lo": loss.lo,
            "loss_hi": loss.hi,
            "gain": gain.mean * not_itself,
            "gain_lo": gain.lo * not_itself,
            "gain_hi": gain.hi * not_itself,
            "worlds": [rows["worlds"].to_numpy(np.float64, na_value=np.nan).mean() for rows in own],
            "note": loss.why,
        },
    )


def calibration(bins: pd.DataFrame) -> pd.DataFrame:
    """Predicted and observed shares by method and bin, with intervals clustered by deal.

    Parameters
    ----------
    bins
        A `bins` table.

    Returns
    -------
    DataFrame
        A `calibration` table; bins without a pair are left out.

    Notes
    -----
    The share is a ratio of sums over deals; its interval is that of the linearised ratio (Cochran 1977, section 6.4)
    with Student's t, and ends at 0 and 1.
    """
    bins = bins[(bins["n"] > 0).to_numpy()]
    rows: dict[str, list[object]] = {name: [] for name in tables.CALIBRATION.names}
    for method in METHODS:
        mine = bins[(bins["method"] == method).to_numpy()]
        for (low, high), own in mine.groupby(["low", "high"], sort=True):
            n, hits = own["n"].to_numpy(np.float64), own["observed"].to_numpy(np.float64)
            share, deals = hits.sum() / n.sum(), len(own)
            rest = hits - share * n
            error = np.sqrt((rest**2).sum() * deals / max(deals - 1, 1)) / n.sum()
            why = FEW if deals < 2 else CONSTANT if error <= NOISE else ""
            arm = np.nan if why else t_quantile(deals - 1) * error
            predicted = float(own["predicted"].to_numpy(np.float64).sum() / n.sum())
            lo, hi = max(share - arm, 0.0), min(share + arm, 1.0)
            found = (method, low, high, deals, int(n.sum()), predicted, share, lo, hi, why)
            if why:
                found = (*found[:7], np.nan, np.nan, why)
            for name, value in zip(rows, found, strict=True):
                rows[name].append(value)
    return tables.frame(tables.CALIBRATION, rows)
