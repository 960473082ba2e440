"""Sheets for people at a table: the score sheet, and what actions come to. Rows of text; nothing is printed here."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mtrain.arena.analysis import Analysis
from mtrain.show.terminal import records

# What is said of an action that is a folly whatever the others hold.
WHY_NOT = {"stays_in": "another goes out", "passes": "a tile could be laid", "leaves_marked": "your marker stays up"}


def score_rows(rounds: Sequence[Mapping[str, Any]], names: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Return the headings and the rows of a score sheet: a row a round, the totals last."""
    rows = [[f"{round_['number']}", round_["engine"], *map(str, round_["scores"])] for round_ in rounds]
    if len(rows) > 1:
        totals = np.array([round_["scores"] for round_ in rounds]).sum(0)
        rows.append(["total", "", *map(str, totals.tolist())])
    return ["round", "engine", *names], rows


def hint_rows(found: Analysis, texts: Sequence[str], words: Sequence[str]) -> list[list[str]]:
    """Return what actions come to, the best first.

    Parameters
    ----------
    found
        The analysis of a choice.
    texts, words
        Its legal actions in the order of their list: as text, and as they are said.

    Returns
    -------
    list of rows
        The action's number in the list, the action, what the round costs on average, how much more that is than with
        the best action (with the half of its 95 % interval), and the share of worlds in which the seat goes out.
    """
    rows = []
    for row in records(found.actions):
        k = texts.index(row["action"])
        more = "the best" if row["action"] == found.best else f"+{abs(row['diff']):.1f}"
        if row["action"] != found.best and row["diff_hi"] is not None:
            more += f" ±{row['diff_hi'] - row['diff']:.1f}"
        said = f"{words[k]} ({WHY_NOT.get(row['folly'], row['folly'])})" if row["folly"] else words[k]
        rows.append([f"{k + 1}", said, f"{row['pips']:.1f}", more, f"{100 * row['out']:.0f} %"])
    return rows
