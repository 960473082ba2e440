"""Sheets for people at a table: the score sheet, and what actions come to. Rows of text; nothing is printed here."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np


def score_rows(rounds: Sequence[Mapping[str, Any]], names: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Return the headings and the rows of a score sheet: a row a round, the totals last."""
    rows = [[f"{round_['number']}", round_["engine"], *map(str, round_["scores"])] for round_ in rounds]
    if len(rows) > 1:
        totals = np.array([round_["scores"] for round_ in rounds]).sum(0)
        rows.append(["total", "", *map(str, totals.tolist())])
    return ["round", "engine", *names], rows


def hint_rows(costs: np.ndarray, outs: np.ndarray, words: Sequence[str]) -> list[list[str]]:
    """Return what actions come to, the best first, with their numbers.

    Parameters
    ----------
    costs : float64[worlds, n]
        What the round costs, by world and action.
    outs : uint8[worlds, n]
        1 where the seat goes out.
    words
        The actions, by their place.

    Returns
    -------
    list of rows
        Number, action, mean cost, how much more that is than the best's with the half of its 95 % interval (the worlds
        are common, so their luck cancels), and the share of worlds in which the seat goes out.
    """
    means = costs.mean(0)
    best = int(means.argmin())
    rows = []
    for k in np.argsort(means, kind="stable").tolist():
        more = costs[:, k] - costs[:, best]
        half = 1.96 * more.std(ddof=1) / np.sqrt(len(more)) if len(more) > 1 else 0.0
        gap = "the best" if k == best else f"+{more.mean():.1f} ±{half:.1f}"
        rows.append([f"{k + 1}", words[k], f"{means[k]:.1f}", gap, f"{100 * outs[:, k].mean():.0f} %"])
    return rows
