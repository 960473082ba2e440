"""The Plackett–Luce model: how games ended, counted, and the worths that make such endings likeliest.

The model (Luce 1959, Plackett 1975): a table's ranking is made from the top, each next agent being chosen among those
left with a chance in proportion to its worth exp(theta). The fit knows no order of games, so none can move it. Ties
count as the mean over all orders of those tied. In a uniformly random order the first k of a tied group are a
uniformly random k-subset of it, so that mean is, place by place, one over subsets: 2^m - 1 terms for m tied, not m!.
The likelihood is concave (Hunter 2004) and a small ridge keeps an agent that was never beaten finite, so Newton's
method ends at the one maximum.

Rankings in, log worths out: this module knows no rating points, no interval and no file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pandas as pd

from mtrain.stats.blocks import Floats, Grid, Ints, grid
from mtrain.stats.intervals import Resamples

RIDGE = 0.01
"""Penalty RIDGE/2 · theta²: as if each agent's theta were known beforehand to within 10 (1,737 points)."""

OUTCOME_COLUMNS = ("match", "deal", "seating", "seat", "agent", "rank", "void")
"""The columns of `games` that this module reads."""

_CHUNK = 1 << 13


@dataclass(frozen=True)
class Outcomes:
    """How games ended, counted: all that a fit needs to know of them.

    ======= ============== ===========================================================================
    field   shape          meaning
    ======= ============== ===========================================================================
    labels  str[agents]    labels of the agents
    agents  int16[p, n]    for each different outcome, the agents by rank (those tied: by their number)
    ranks   int8[p, n]     their ranks, ascending
    blocks  int64[b, 2]    match and deal of each block
    block   int64[m]       "block[i] ended in outcome[i], count[i] times"
    outcome int64[m]
    count   int64[m]
    ======= ============== ===========================================================================
    """

    labels: tuple[str, ...]
    agents: Ints
    ranks: Ints
    blocks: Ints
    block: Ints
    outcome: Ints
    count: Ints


def outcomes(games: pd.DataFrame | Grid) -> Outcomes:
    """Count the games' outcomes block by block.

    Parameters
    ----------
    games
        Rows of the `games` table (`OUTCOME_COLUMNS` suffice), in any order.
    """
    g = grid(games)
    n_agents = max(len(g.labels), 1)
    ordered = np.sort(g["rank"].astype(np.int64) * n_agents + g.agents, axis=1)
    patterns, outcome = _distinct(ordered)
    pairs, count = np.unique(g.block.astype(np.int64) * max(len(patterns), 1) + outcome, return_counts=True)
    return Outcomes(
        labels=tuple(g.labels),
        agents=(patterns % n_agents).astype(np.int16),
        ranks=(patterns // n_agents).astype(np.int8),
        blocks=np.stack([g.match, g.deal], axis=1),
        block=pairs // max(len(patterns), 1),
        outcome=pairs % max(len(patterns), 1),
        count=count,
    )


def merged(parts: Sequence[Outcomes]) -> Outcomes:
    """Outcomes of several calls as one. The parts share their labels and table size, and hold different blocks."""
    parts = [part for part in parts if len(part.agents)] or parts[:1]
    first = parts[0]
    if len(parts) == 1:
        return first
    width = first.agents.shape[1]
    rows, outcome = _distinct(np.concatenate([np.hstack([p.ranks, p.agents]) for p in parts]).astype(np.int64))
    known = np.cumsum([0] + [len(p.agents) for p in parts])
    blocks = np.cumsum([0] + [len(p.blocks) for p in parts])
    return Outcomes(
        labels=first.labels,
        agents=rows[:, width:].astype(np.int16),
        ranks=rows[:, :width].astype(np.int8),
        blocks=np.concatenate([p.blocks for p in parts]),
        block=np.concatenate([p.block + start for p, start in zip(parts, blocks, strict=False)]),
        outcome=np.concatenate([outcome[p.outcome + start] for p, start in zip(parts, known, strict=False)]),
        count=np.concatenate([p.count for p in parts]),
    )


def _distinct(rows: Ints) -> tuple[Ints, Ints]:
    """The different rows in lexicographic order, and the number of each row among them."""
    key = np.zeros(len(rows), np.int64)
    size = 1
    for column in rows.T:
        base = int(column.max(initial=0)) + 1
        if size * base > 1 << 62:
            known, key = np.unique(key, return_inverse=True)
            size = len(known)
        key = key * base + column
        size *= base
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    return rows[first], inverse


def fit(games: Outcomes, group: Ints, ridge: float = RIDGE) -> tuple[Floats, Floats]:
    """The worths with the greatest penalised likelihood.

    Parameters
    ----------
    games
        What is known of them.
    group
        int[agents]: agents of one group met, directly or through others.
    ridge
        Weight of the penalty.

    Returns
    -------
    theta : float64[agents]
        Log worths; their mean is 0 over every group.
    information : float64[agents, agents]
        Minus the second derivative there, with ridge. Games say nothing of a group's mean, so it is made stiff: the
        maximum stays where it is, and the matrix is well conditioned.
    """
    n_agents = len(games.labels)
    together = (group[:, None] == group) / max(n_agents, 1)
    times = np.bincount(games.outcome, games.count.astype(np.float64), minlength=len(games.agents))
    theta = np.zeros(n_agents)
    value, slope, information = _likelihood(games, times, theta, ridge)
    for _ in range(200):
        step = np.linalg.solve(information + together * np.trace(information), slope)
        for _ in range(50):
            after = _likelihood(games, times, theta + step, ridge)
            if after[0] >= value - 1e-9 * abs(value):
                break
            step /= 2
        theta = theta + step
        value, slope, information = after
        if np.abs(step).max(initial=0.0) < 1e-9:
            return theta, information + together * np.trace(information)
    raise ArithmeticError("the Plackett–Luce fit did not settle")


def _likelihood(games: Outcomes, times: Any, theta: Floats, ridge: float) -> tuple[float, Floats, Floats]:
    """Penalised log likelihood, its slope [agents] and minus its second derivative [agents, agents]."""
    n = len(theta)
    value, slope, information = -0.5 * ridge * float(theta @ theta), -ridge * theta, ridge * np.eye(n)
    for rows, mask, weight in _alike(games.ranks):
        agents, count = games.agents[rows].astype(np.int64), times[rows]
        worth = np.exp(theta[agents])
        left = worth @ mask.T  # [rows, terms]: the worth of those still to be chosen from
        value += float(count @ (theta[agents].sum(axis=1) - np.log(left) @ weight))
        share = worth * ((weight / left) @ mask)  # [rows, seats]: how often each seat was expected to be chosen
        slope += _add(agents, count[:, None] * (1 - share), n)
        square = weight / left**2
        information += np.diag(_add(agents, count[:, None] * (share - worth**2 * (square @ mask)), n))
        one, other = np.triu_indices(mask.shape[1], 1)
        cross = square @ (mask[:, one] * mask[:, other]) * worth[:, one] * worth[:, other] * count[:, None]
        upper = _add(agents[:, one] * n + agents[:, other], cross, n * n).reshape(n, n)
        information -= upper + upper.T
    return value, slope, information


def _add(where: Ints, what: Floats, size: int) -> Floats:
    """float64[size]: what[i] added up at where[i]."""
    return np.bincount(where.ravel(), what.ravel(), minlength=size).astype(np.float64, copy=False)


def slopes(games: Outcomes, theta: Floats) -> Floats:
    """float64[outcomes, seats]: slope of each outcome's log likelihood in the theta of each of its seats."""
    found = np.zeros(games.agents.shape)
    for rows, mask, weight in _alike(games.ranks):
        worth = np.exp(theta[games.agents[rows]])
        found[rows] = 1 - worth * ((weight / (worth @ mask.T)) @ mask)
    return found


def refits(games: Outcomes, theta: Floats, group: Ints, drawn: Resamples, ridge: float = RIDGE) -> Floats:
    """The worths in every replicate of the bootstrap.

    Parameters
    ----------
    games, group, ridge
        As for `fit`.
    theta
        The worths that `fit` found: each replicate goes one step of Newton's method from there, with the slope and the
        second derivative of its own weights. What is left of the way is of the order of 1/blocks.
    drawn
        The blocks of `games`, drawn again.

    Returns
    -------
    float64[repeats, agents]
    """
    from scipy.sparse import csr_array  # slow to import, and most commands need no ratings

    n, (repeats, units) = len(theta), drawn.counts.shape
    slope, information = np.zeros((repeats, n)), np.zeros((repeats, n * n))
    every = slopes(games, theta)
    for start in range(0, len(games.agents), _CHUNK * 8):
        part = slice(start, start + _CHUNK * 8)
        agents = games.agents[part].astype(np.int64)
        here = (games.outcome >= start) & (games.outcome < start + len(agents))
        where = drawn.unit[games.block[here]], games.outcome[here] - start
        ended = csr_array((games.count[here].astype(np.float64), where), shape=(units, len(agents)))
        curved = _curves(games.ranks[part], agents, theta)
        cell = agents[:, :, None] * n + agents[:, None, :]
        for total, values, column, width in (
            (slope, every[part], agents, n),
            (information, curved.reshape(len(agents), -1), cell.reshape(len(agents), -1), n * n),
        ):
            row = np.repeat(np.arange(len(agents)), values.shape[1])
            total += drawn.weights @ (ended @ csr_array((values.ravel(), (row, column.ravel())), (len(agents), width)))
    matrix = information.reshape(repeats, n, n) + ridge * np.eye(n)
    stiff = (group[:, None] == group) / max(n, 1) * np.trace(matrix, axis1=1, axis2=2)[:, None, None]
    step: Floats = np.linalg.solve(matrix + stiff, (slope - ridge * theta)[:, :, None])[:, :, 0]
    return theta + step


def _curves(ranks: Ints, agents: Ints, theta: Floats) -> Floats:
    """float64[outcomes, seats, seats]: minus the second derivative of each outcome's log likelihood, by its seats."""
    seats = agents.shape[1]
    curves = np.zeros((len(agents), seats, seats))
    for rows, mask, weight in _alike(ranks):
        worth = np.exp(theta[agents[rows]])
        left = worth @ mask.T
        both = (mask[:, :, None] * mask[:, None, :]).reshape(len(mask), -1)
        joint = ((weight / left**2) @ both).reshape(-1, seats, seats)
        curves[rows] = -joint * worth[:, :, None] * worth[:, None, :]
        curves[rows[:, None], np.arange(seats), np.arange(seats)] += worth * ((weight / left) @ mask)
    return curves


def _alike(ranks: Ints) -> Iterator[tuple[Ints, Floats, Floats]]:
    """Outcomes tied in the same places, a chunk at a time: their numbers, and the `_terms` of their likelihood."""
    tied = np.diff(ranks, axis=1) == 0
    kind = tied @ (1 << np.arange(tied.shape[1]))
    for which in np.unique(kind):
        rows = np.flatnonzero(kind == which)
        starts = np.flatnonzero(np.concatenate([[True], ~tied[rows[0]], [True]]))
        mask, weight = _terms(tuple(int(size) for size in np.diff(starts)))
        size = max(1, _CHUNK * 8 // max(mask.shape))
        for start in range(0, len(rows), size):
            yield rows[start : start + size], mask, weight


@lru_cache(maxsize=1024)
def _terms(sizes: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Sets from which one is chosen, for tied groups of these sizes, best group first.

    Returns
    -------
    mask : float64[terms, seats]
        1 where the seat is still to be chosen.
    weight : float64[terms]
        The chance that this set comes up in a random order of the tied.
    """
    n, start = sum(sizes), 0
    masks, weights = [], []
    for size in sizes:
        for n_left in range(size, 0, -1):
            for left in combinations(range(start, start + size), n_left):
                mask = np.zeros(n)
                mask[list(left)] = 1
                mask[start + size :] = 1
                masks.append(mask)
                weights.append(1 / comb(size, n_left))
        start += size
    return np.array(masks), np.array(weights)
