"""Ratings: the worths of one Plackett–Luce fit over all games, in rating points, and how sure they are.

The main intervals are clustered by block: the sandwich of Huber (1967) in the form for clusters (Cameron & Miller 2015,
"A practitioner's guide to cluster-robust inference"), Student's t on an agent's blocks - 1. The bootstrap of blocks
stands beside them: it says how often each agent comes out first, and agrees with them where blocks are many; where
they are few its intervals, having no t, are too short.

Rankings in, rating points out: this module knows no pips, no standings and no file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np
import pandas as pd

from mtrain.errors import nearest
from mtrain.stats.blocks import Bools, Floats, Ints, met
from mtrain.stats.intervals import ALONE, CONSTANT, FEW, NOISE, Resamples, resample, t_quantile
from mtrain.stats.plackett_luce import RIDGE, Outcomes, fit, outcomes, refits, slopes
from mtrain.stats.tables import ALPHARANK, RATINGS, ResultsError, frame

# ── Anchors ───────────────────────────────────────────────────────────────────────────────────────────
#
# Anchors: the agent whose rating is fixed, so that ratings of several runs can be read on one scale.
#
# An anchor is written as the agent's label, or ``LABEL=1500``. This part reads that, and knows no rating.


BY_DEFINITION = "the anchor, by definition"
"""Why its rating has no interval."""


@dataclass(frozen=True)
class Anchor:
    """An agent, by its label, and the rating it is given."""

    agent: str
    rating: float = 0.0

    def __str__(self) -> str:
        return f"{self.agent}={self.rating:g}" if self.rating else self.agent

    def to_json(self) -> dict[str, Any]:
        """As it stands in a manifest; `anchor_in` is the inverse."""
        return {"agent": self.agent, "rating": self.rating}


def parse_anchor(text: str, labels: Sequence[str]) -> Anchor:
    """Read ``LABEL`` or ``LABEL=RATING``.

    Parameters
    ----------
    text
        As on the command line. A label may itself hold an equals sign.
    labels
        Of the agents that there are.

    Raises
    ------
    ResultsError
        There is no such agent (the nearest is offered), or its rating is no number.
    """
    if not isinstance(text, str):
        raise ResultsError(f"anchor is the label of an agent, not {text!r}")
    if text in labels:
        return Anchor(text)
    label, _, number = text.rpartition("=")
    if label in labels:
        try:
            rating = float(number)
        except ValueError:
            rating = math.nan
        if not math.isfinite(rating):
            raise ResultsError(f"the anchor {label!r} is given a rating, like {label}=1500, not {number!r}")
        return Anchor(label, rating + 0.0)
    near = nearest(text, labels, nearest(label, labels, f"the agents are {', '.join(labels)}"))
    raise ResultsError(f"anchor names {text!r}, which is none of the agents; {near}")


def anchor_in(said: Mapping[str, Any] | None) -> Anchor | None:
    """The anchor that a manifest names, if any."""
    return None if said is None else Anchor(str(said["agent"]), float(said["rating"]))


# ── Ratings ───────────────────────────────────────────────────────────────────────────────────────────


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


# ── Alpha-rank ────────────────────────────────────────────────────────────────────────────────────────
#
# Alpha-rank: a second opinion on who is best, which needs no scale and lets preferences go round in a circle.
#
# Imagine a population that plays nothing but one agent; now and then a single mutant, another agent, sits down. If it
# does better than its table, its kind takes over. Where that process spends its time is an agent's mass (Omidshafiei et
# al. 2019, "α-Rank: Multi-agent evaluation by evolution", the form with one population; Rowland et al. 2019,
# "Multiagent evaluation under incomplete information", for selection without bound: better always takes over, equal
# takes over by chance, worse never does). An agent that beats all others has mass 1; rock, paper and scissors have a
# third each.
#
# How a mutant does is read off the tables where one sits among copies of the other, if the tournament has them for all
# ordered pairs of agents; else off the share of games in which it ranks ahead of the other, whoever else is there.
#
# Block numbers in, masses out: this module knows no rating and no file.


LINEUPS = "one among copies"
PAIRS = "pairs at mixed tables"

POPULATION = 50
"""Members of the imagined population: one as good as the others takes over once in so many times."""

_NEVER = 1e-9
"""How often a worse one takes over: so rarely that it only joins what would be apart."""


def alpharank(pairs: pd.DataFrame, blocks: pd.DataFrame, lineups: Sequence[Sequence[str]] = ()) -> pd.DataFrame:
    """The `alpharank` table, the greatest mass first within each group.

    Parameters
    ----------
    pairs
        `pair_numbers` of the games.
    blocks
        `block_numbers` of the same games.
    lineups
        Who sits at the table of each match, a label a seat; without them only pairs are looked at.

    Returns
    -------
    DataFrame
        One row an agent. The intervals are those of the bootstrap of blocks. A group in which two agents never met at
        one table has no masses.
    """
    labels = list(blocks["agent"].cat.categories)
    n = len(labels)
    match, deal = (blocks[name].to_numpy(np.int64) for name in ("match", "deal"))
    key, block = np.unique(match << 32 | deal, return_inverse=True)
    drawn = resample(key >> 32, key & 0xFFFFFFFF)
    mutant, resident = (np.asarray(pairs[name].cat.codes).astype(np.int64) for name in ("agent", "opponent"))
    group = met(n, mutant, resident)
    where = np.searchsorted(key, pairs["match"].to_numpy(np.int64) << 32 | pairs["deal"].to_numpy(np.int64))
    edges = _Edges(where, mutant * n + resident, pairs["share"].to_numpy(np.float64) - 0.5)
    joined = (group[:, None] == group) & ~np.eye(n, dtype=bool)
    basis = PAIRS
    if (among := _among_copies(blocks, block, lineups, labels)) is not None:
        seen = np.zeros(n * n, dtype=bool)
        seen[among.cell] = True
        if (seen.reshape(n, n) >= joined).all():
            edges, basis = among, LINEUPS
    value, again = edges.means(drawn, n)
    n_blocks = np.bincount(np.unique(block * n + np.asarray(blocks["agent"].cat.codes)) % n, minlength=n)
    mass, low, high, expected = np.full((4, n), np.nan)
    note = np.full(n, "", dtype=object)
    for number in np.unique(group):
        theirs = np.flatnonzero(group == number)
        cells = np.ix_(theirs, theirs)
        if len(theirs) < 2:
            note[theirs] = ALONE if n_blocks[theirs[0]] else FEW
            continue
        if np.isnan(value[cells][joined[cells]]).any():
            note[theirs] = "some agents of its group never met at one table"
            continue
        mass[theirs] = stationary(chain(value[cells][None]))[0]
        if n_blocks[theirs].min() < 2:
            note[theirs] = FEW
            continue
        replicates = again[:, theirs][:, :, theirs]
        if not (np.nanmax(np.ptp(replicates, axis=0), initial=0.0) > NOISE):
            note[theirs] = CONSTANT
            continue
        masses = stationary(chain(replicates))
        low[theirs], high[theirs] = np.quantile(masses, (0.025, 0.975), axis=0)
        expected[theirs] = masses.mean(axis=0)
    order = np.lexsort((np.arange(n), -np.nan_to_num(mass), np.isnan(mass), group))
    table = {
        "agent": np.array(labels, dtype=object),
        "group": group + 1,
        "blocks": n_blocks,
        "mass": mass,
        "mass_lo": low,
        "mass_hi": high,
        "expected": expected,
        "basis": np.where(np.isnan(mass), "", basis).astype(object),
        "note": note,
    }
    return frame(ALPHARANK, {name: values[order] for name, values in table.items()})


def chain(advantage: Floats) -> Floats:
    """The chances to pass from one population to another, float64[…, from, to]; each row sums to 1.

    Parameters
    ----------
    advantage
        float64[…, n, n]: what mutant i gains over its table among residents j; its sign alone counts.
    """
    n = advantage.shape[-1]
    gain = np.swapaxes(np.nan_to_num(advantage), -1, -2)  # residents in rows, mutants in columns
    takes: Floats = np.where(gain > NOISE, 1.0, np.where(gain < -NOISE, _NEVER, 1 / POPULATION)) / max(n - 1, 1)
    takes[..., np.arange(n), np.arange(n)] = 0.0
    takes[..., np.arange(n), np.arange(n)] = 1 - takes.sum(axis=-1)
    return takes


def stationary(chains: Floats) -> Floats:
    """The share of time that each chain spends in each state, float64[chains, n].

    Notes
    -----
    States are taken out one by one, without a subtraction, so that chances of very different sizes do no harm
    (Grassmann, Taksar & Heyman 1985, "Regenerative analysis and steady state distributions for Markov chains").
    """
    a = chains.copy()
    n = a.shape[-1]
    for k in range(n - 1, 0, -1):
        a[:, :k, k] /= a[:, k, :k].sum(axis=1)[:, None]
        a[:, :k, :k] += a[:, :k, k, None] * a[:, k, None, :k]
    share = np.zeros(a.shape[:2])
    share[:, 0] = 1
    for k in range(1, n):
        share[:, k] = (share[:, :k] * a[:, :k, k]).sum(axis=1)
    whole: Floats = share / share.sum(axis=1, keepdims=True)
    return whole


class _Edges:
    """What mutants gained over residents, block by block: rows of (block, mutant · n + resident, gain)."""

    def __init__(self, block: Ints, cell: Ints, gain: Floats) -> None:
        self.block, self.cell, self.gain = block, cell, gain

    def means(self, drawn: Resamples, n: int) -> tuple[Floats, Floats]:
        """Mean gains over all blocks, float64[n, n], and in every replicate, float64[repeats, n, n]; nan: never met."""
        units = drawn.counts.shape[1]
        where = drawn.unit[self.block] * n * n + self.cell
        count = np.bincount(where, minlength=units * n * n).reshape(units, n * n)
        total = np.bincount(where, self.gain, minlength=units * n * n).reshape(units, n * n)
        with np.errstate(invalid="ignore", divide="ignore"):
            value = total.sum(axis=0) / count.sum(axis=0)
            again = (drawn.weights @ total) / (drawn.weights @ count)
        return value.reshape(n, n), again.reshape(-1, n, n)


def _among_copies(
    blocks: pd.DataFrame, block: Ints, lineups: Sequence[Sequence[str]], labels: list[str]
) -> _Edges | None:
    """What each agent won more than the others where it sat alone among copies of one other; None without such tables.

    At a table of two, every pair is one such table both ways.
    """
    n = len(labels)
    mutant, resident = np.full(len(lineups), -1), np.full(len(lineups), -1)
    both: Bools = np.zeros(len(lineups), dtype=bool)
    for number, lineup in enumerate(lineups):
        kinds = sorted(set(lineup), key=lambda label: (list(lineup).count(label), label))
        if len(kinds) == 2 and list(lineup).count(kinds[0]) == 1 and set(kinds) <= set(labels):
            mutant[number], resident[number] = (labels.index(label) for label in kinds)
            both[number] = len(lineup) == 2
    match = blocks["match"].to_numpy(np.int64)
    if not len(lineups) or match.max(initial=0) >= len(lineups) or not (mutant >= 0).any():
        return None
    who = np.asarray(blocks["agent"].cat.codes).astype(np.int64)
    win = blocks["win"].to_numpy(np.float64)
    gain = np.bincount(block, np.where(who == mutant[match], win, np.where(who == resident[match], -win, 0.0)))
    first = np.unique(block, return_index=True)[1]
    of = match[first]
    here = np.flatnonzero(mutant[of] >= 0)
    back = np.flatnonzero(both[of])
    return _Edges(
        np.concatenate([here, back]),
        np.concatenate([mutant[of[here]] * n + resident[of[here]], resident[of[back]] * n + mutant[of[back]]]),
        np.concatenate([gain[here], -gain[back]]),
    )
