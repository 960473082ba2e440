"""Ratings: the worths of one Plackett–Luce fit over all games, in rating points, and how sure they are.

The main intervals are clustered by block: the sandwich of Huber (1967) in the form for clusters (Cameron & Miller 2015,
"A practitioner's guide to cluster-robust inference"), Student's t on an agent's blocks - 1. The bootstrap of blocks
stands beside them: it says how often each agent comes out first, and agrees with them where blocks are many; where
they are few its intervals, having no t, are too short.

Rankings in, rating points out: this module knows no pips, no standings and no file.
"""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np
import pandas as pd

from mtrain.study.anchors import BY_DEFINITION, Anchor
from mtrain.study.blocks import Bools, Floats, Ints, met
from mtrain.study.intervals import ALONE, CONSTANT, FEW, NOISE, t_quantile
from mtrain.study.plackett_luce import RIDGE, Outcomes, fit, outcomes, refits, slopes
from mtrain.study.resample import resample
from mtrain.study.tables import RATINGS, ResultsError, frame

SCALE = 400 / log(10)
"""Rating points per unit of theta: 400 points are odds of 10, as in Elo's scale."""

_CHUNK = 1 << 13


def ratings(games: pd.DataFrame, ridge: float = RIDGE, anchor: Anchor | None = None) -> pd.DataFrame:
    """Rate all agents from their games: the `ratings` table, best first within each group.

    Parameters
    ----------
    games
        Rows of the `games` table (`OUTCOME_COLUMNS` suffice), in any order; a lower rank is better.
    ridge
        Weight of the penalty ridge/2 · theta².
    anchor
        The agent whose rating is fixed; the intervals of the others are then of their difference from it. None: the
        mean of a group is 0.

    Returns
    -------
    DataFrame
        One row an agent. Agents of different groups never met, not even through others, and their ratings don't
        compare. Where one side of a group never finished behind the other, its ratings hang on the ridge alone: they
        are finite, have no interval, and the note says so.

    Raises
    ------
    ResultsError
        The anchor is none of the agents.
    """
    return rate(outcomes(games), ridge, anchor)


def rate(games: Outcomes, ridge: float = RIDGE, anchor: Anchor | None = None) -> pd.DataFrame:
    """The same as `ratings`, from games that were counted before."""
    n_agents = len(games.labels)
    mixed = (games.agents != games.agents[:, :1]).any(axis=1)  # a table of one agent says nothing
    theirs = games.agents[mixed]
    group = met(n_agents, theirs[:, :-1].ravel(), theirs[:, 1:].ravel())
    theta, information = fit(games, group, ridge)
    played = np.zeros((len(games.blocks), n_agents), dtype=bool)
    seen = mixed[games.outcome]
    played[np.repeat(games.block[seen], games.agents.shape[1]), games.agents[games.outcome[seen]].ravel()] = True
    blocks = played.sum(axis=0)
    zero, fixed = _zero(games.labels, group, anchor)
    error = _errors(games, theta, information, zero, played, ridge)
    note = _notes(games, theirs, games.ranks[mixed], group, blocks, error)
    shared = blocks.copy()
    if fixed >= 0 and blocks[fixed]:
        note[fixed] = BY_DEFINITION
        shared[group == group[fixed]] = np.minimum(blocks, blocks[fixed])[group == group[fixed]]
        note[(shared < 2) & (note == "")] = FEW
    sure = note == ""
    shift = np.where(group == group[fixed], anchor.rating, 0.0) if anchor else np.zeros(n_agents)
    half = np.where(sure, SCALE * error, np.nan)
    half[sure] *= t_quantile(shared[sure] - 1)
    rating = np.where(blocks > 0, SCALE * (zero @ theta) + shift, np.nan)
    again = refits(games, theta, group, resample(*games.blocks.T), ridge)
    low, high = np.quantile(again @ zero.T, (0.025, 0.975), axis=0)
    order = np.lexsort((np.arange(n_agents), -np.nan_to_num(rating), np.isnan(rating), group))
    table = {
        "agent": np.array(games.labels, dtype=object),
        "group": group + 1,
        "rating": rating,
        "rating_lo": rating - half,
        "rating_hi": rating + half,
        "bootstrap_lo": np.where(sure, SCALE * low + shift, np.nan),
        "bootstrap_hi": np.where(sure, SCALE * high + shift, np.nan),
        "first": np.where((blocks > 1) & (np.ptp(again, axis=0) > NOISE), _first(again, group), np.nan),
        "note": note,
    }
    return frame(RATINGS, {name: values[order] for name, values in table.items()})


def _zero(labels: tuple[str, ...], group: Ints, anchor: Anchor | None) -> tuple[Floats, int]:
    """What takes worths to where 0 is, float64[agents, agents], and the number of the anchor, or -1."""
    same = (group[:, None] == group).astype(float)
    zero = np.eye(len(labels)) - same / same.sum(axis=1)
    if anchor is None:
        return zero, -1
    if anchor.agent not in labels:
        raise ResultsError(f"the anchor {anchor.agent!r} is none of the agents {', '.join(labels)}")
    fixed = labels.index(anchor.agent)
    theirs = group == group[fixed]
    zero[theirs] = np.eye(len(labels))[theirs]
    zero[theirs, fixed] -= 1
    return zero, fixed


def _first(again: Floats, group: Ints) -> Floats:
    """float64[agents]: the share of replicates in which an agent's rating is the greatest of its group."""
    share = np.ones(len(group))
    for number in np.unique(group):
        theirs = np.flatnonzero(group == number)
        share[theirs] = np.bincount(again[:, theirs].argmax(axis=1), minlength=len(theirs)) / len(again)
    return share


def _errors(games: Outcomes, theta: Floats, information: Floats, zero: Floats, played: Bools, ridge: float) -> Floats:
    """float64[agents]: standard error of theta from where 0 is, clustered by block."""
    n, slope = len(theta), slopes(games, theta)
    score = np.zeros(len(games.blocks) * n)
    for start in range(0, len(games.block), _CHUNK):
        part = slice(start, start + _CHUNK)
        outcome = games.outcome[part]
        cell = games.block[part, None] * n + games.agents[outcome]
        np.add.at(score, cell.ravel(), (games.count[part, None] * slope[outcome]).ravel())
    blocks = played.sum(axis=0)
    by_block = score.reshape(len(games.blocks), n) - played * (ridge * theta / np.maximum(blocks, 1))
    bread = zero @ np.linalg.inv(information)
    spread = by_block @ bread.T
    with np.errstate(divide="ignore", invalid="ignore"):
        error: Floats = np.sqrt((spread**2).sum(axis=0) * blocks / (blocks - 1))
    return error


def _notes(games: Outcomes, agents: Ints, ranks: Ints, group: Ints, blocks: Ints, error: Floats) -> Any:
    """object[agents]: why an agent's rating has no interval, or ""."""
    from scipy.sparse.csgraph import connected_components  # slow to import

    n = len(games.labels)
    ahead = np.eye(n, dtype=bool)
    for a in range(agents.shape[1] - 1):
        for b in range(a + 1, agents.shape[1]):  # by rank: a is ahead of b, or level
            ahead[agents[:, a], agents[:, b]] = True
            level = ranks[:, a] == ranks[:, b]
            ahead[agents[level, b], agents[level, a]] = True
    circle = connected_components(ahead, connection="strong")[1]
    note = np.full(n, "", dtype=object)
    note[~(error > NOISE)] = CONSTANT
    for agent in range(n):
        others = group == group[agent]
        if (circle[others] != circle[agent]).any():  # Ford (1957): the maximum lies at infinity
            note[agent] = "some agents of its group never finished behind the others: held by the ridge"
        others[agent] = False
        if others.any() and not ahead[others, agent].any():
            note[agent] = "never finished behind another agent: held by the ridge"
        elif others.any() and not ahead[agent, others].any():
            note[agent] = "never finished ahead of another agent: held by the ridge"
    note[blocks < 2] = FEW
    alone = np.setdiff1d(games.agents[(games.agents == games.agents[:, :1]).all(axis=1)], agents)
    note[alone] = ALONE
    return note
