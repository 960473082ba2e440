"""Estimates: from block numbers to the tables one quotes.

`standings`, `pairwise`, `seats`, `neighbours`, `by_round` and `scores` take the arena's tables; their `…_from` twins
take block numbers (`blocks`, `effects`), so that a running tournament and a directory of many parts need no game twice.
Every number is a mean over blocks with an interval from their spread; what can't be known is null and a note says why.
Nothing here knows a file or a figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise as pairwise_of
from typing import Any

import numpy as np
import pandas as pd

from mtrain.errors import counted
from mtrain.stats import blocks as numbers
from mtrain.stats import effects, intervals, ranks, tables
from mtrain.stats import ratings as rating
from mtrain.stats.blocks import FROM_ROUNDS, Bools, Floats, Ints, met
from mtrain.stats.intervals import ALONE, NOISE, Estimate, estimate, estimate_share, note_of, resample, variances
from mtrain.stats.tables import EFFECTS, MARKS, SIDES, Column, ResultsError

# ── Estimates ─────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Quantity:
    """A number of the standings: its column, the ends of its interval, and the block number that it is the mean of."""

    column: Column
    low: str
    high: str

    @property
    def name(self) -> str:
        """The column's name."""
        return self.column.name

    @property
    def number(self) -> str:
        """The block number's name."""
        return self.name.removesuffix("_mean")

    def highest(self, players: float) -> float:
        """The upper end of its scale at a table of so many seats."""
        return players if self.column.unit == "rank" else self.column.scale[1]

    def estimate(self, values: Floats, who: Ints, groups: int, players: float) -> Estimate:
        """Mean and interval of its block numbers, by group."""
        if self.column.scale == tables.SHARE:
            return estimate_share(values, who, groups)
        return estimate(values, who, groups, self.column.scale[0], self.highest(players))


QUANTITIES = tuple(
    Quantity(tables.STANDINGS[low.of], low.name, high.name)
    for low, high in pairwise_of(column for column in tables.STANDINGS.columns if column.of)
    if low.of == high.of in tables.STANDINGS.names and low.of != "rating"
)
"""What the standings hold, besides ratings and places."""

NOTED = (*(q.name.replace("_", " ") for q in QUANTITIES), "rating")
"""What the notes of standings call them."""

STANDINGS_UNITS = {q.name: tables.STANDINGS[q.name].unit for q in QUANTITIES}
"""The unit of each."""


def standings(games: pd.DataFrame, rounds: pd.DataFrame | None = None) -> pd.DataFrame:
    """The `standings` table of a `games` table, ratings included, best agent first. See `standings_from`.

    What single rounds cost, and who went out, is in the `rounds` table: without it those shares are null.
    """
    return standings_from(numbers.block_numbers(games, rounds), rating.ratings(games))


def standings_from(blocks: pd.DataFrame, rated: pd.DataFrame | None = None) -> pd.DataFrame:
    """The `standings` table from block numbers.

    Parameters
    ----------
    blocks
        `block_numbers` of one or more calls, concatenated.
    rated
        The `ratings` table of the same games; without it the ratings are null.

    Returns
    -------
    DataFrame
        One row per agent (the categories of `blocks.agent`, those without a block yet included), by `diff`, the best
        first. Blocks of several line-ups count alike. Agents that never met, not even through others, are ranked
        apart, and the note says so; places are those by `diff`.

    Raises
    ------
    ResultsError
        A block is there twice, or tables of different sizes are mixed.
    """
    players = players_of(blocks)
    who, labels = codes_of(blocks["agent"])
    n = len(labels)
    block = block_of(blocks)
    once(blocks, block * max(n, 1) + who)
    estimates = {q: q.estimate(blocks[q.number].to_numpy(np.float64), who, n, players) for q in QUANTITIES}
    diff = estimates[QUANTITIES[0]]
    order = np.lexsort((who, block))
    beside = np.diff(block[order]) == 0
    group = met(n, who[order][:-1][beside], who[order][1:][beside])
    lo, hi = ranks.ranges(*ranks.differences(blocks["diff"].to_numpy(np.float64), who, block, n), group, diff.n > 0)
    columns: dict[str, Any] = {
        "agent": labels.to_numpy(object),
        "blocks": np.bincount(who, minlength=n),
        "games": np.bincount(who, blocks["games"].to_numpy(), minlength=n).astype(np.int64),
        "place_lo": lo,
        "place_hi": hi,
    }
    for q, e in estimates.items():
        columns |= {q.name: e.mean, q.low: e.lo, q.high: e.hi}
    why = {q.name: e.why for q, e in estimates.items() if q.number not in FROM_ROUNDS or e.n.any()}
    columns |= dict.fromkeys(("rating", "rating_lo", "rating_hi"), np.full(n, np.nan))
    if rated is not None:
        theirs = rated.set_index("agent").reindex(labels.astype("str"))
        columns |= {name: theirs[name].array for name in ("rating", "rating_lo", "rating_hi")}
        why["rating"] = theirs["note"].fillna("").to_numpy(object)
    columns["note"] = _notes(why, played=columns["blocks"], compared=diff.n, group=group)
    best = np.lexsort((np.arange(n), np.nan_to_num(diff.mean), np.isnan(diff.mean), group))
    return tables.frame(tables.STANDINGS, {name: columns[name][best] for name in tables.STANDINGS.names})


def _notes(why: Mapping[str, Any], played: Ints, compared: Ints, group: Ints) -> Any:
    """object[agents]: the reasons of all quantities, and what else is to be known of an agent."""
    notes = np.full(len(played), "", dtype=object)
    n_groups = len(np.unique(group[played > 0]))
    for agent in range(len(notes)):
        if played[agent] and not compared[agent]:
            notes[agent] = ALONE
            continue
        further = []
        if left := played[agent] - compared[agent]:
            further.append(f"{counted(left, 'block')} without another agent {'is' if left == 1 else 'are'} left out")
        if n_groups > 1 and played[agent]:
            further.append(f"group {group[agent] + 1}: never met the agents of other groups")
        reasons = {name.replace("_", " "): reason[agent] for name, reason in why.items()}
        notes[agent] = str(note_of(reasons, *further))
    return notes


def pairwise(games: pd.DataFrame) -> pd.DataFrame:
    """The `pairwise` table of a `games` table. See `pairwise_from`."""
    return pairwise_from(numbers.pair_numbers(games))


def pairwise_from(pairs: pd.DataFrame) -> pd.DataFrame:
    """The `pairwise` table from `pair_numbers`: all ordered pairs, with nulls and a note where two never met."""
    players_of(pairs)
    agent, labels = codes_of(pairs["agent"])
    opponent, others = codes_of(pairs["opponent"])
    if not labels.equals(others):
        raise ResultsError("agent and opponent of the pair numbers must have the same categories")
    n = len(labels)
    who = agent * n + opponent
    once(pairs, block_of(pairs) * max(n * n, 1) + who)
    diff = estimate(pairs["diff"].to_numpy(np.float64), who, n * n)
    share = estimate_share(pairs["share"].to_numpy(np.float64), who, n * n)
    rows = np.flatnonzero(~np.eye(n, dtype=bool).ravel())
    names = labels.to_numpy(object)
    note = _joined({"diff": diff, "share": share})
    note[diff.n == 0] = "never met"
    upper = np.flatnonzero(np.triu(np.ones((n, n), dtype=bool), 1).ravel())
    level = np.full((n, n), np.nan)
    level[np.triu_indices(n, 1)] = ranks.holm(diff.t[upper], (diff.n[upper] - 1).astype(np.float64))
    level = np.fmax(level, level.T).ravel()
    mark = np.where(level < ranks.LEVEL, np.where(diff.mean < 0, MARKS.index("ahead"), MARKS.index("behind")), 0)
    return tables.frame(
        tables.PAIRWISE,
        {
            "agent": names[rows // n] if n else names,
            "opponent": names[rows % n] if n else names,
            "blocks": diff.n[rows],
            "diff": diff.mean[rows],
            "lo": diff.lo[rows],
            "hi": diff.hi[rows],
            "share": share.mean[rows],
            "share_lo": share.lo[rows],
            "share_hi": share.hi[rows],
            "p": level[rows],
            "mark": mark[rows],
            "note": note[rows],
        },
    )


def neighbours(games: pd.DataFrame) -> pd.DataFrame:
    """The `neighbours` table: what it is worth to sit right after an agent, or right before. See `neighbours_from`."""
    return neighbours_from(effects.neighbour_numbers(games))


def neighbours_from(beside: pd.DataFrame) -> pd.DataFrame:
    """The `neighbours` table from `neighbour_numbers`.

    Where seatings only rotate, the same agent sits beside another in every game of a match, and what the seat is worth
    can't be told from who holds it: such a side has no number, and the note says so.
    """
    players = players_of(beside)
    agent, labels = codes_of(beside["agent"])
    side = pd.Categorical(beside["side"].array, categories=list(SIDES)).codes.astype(np.int64)
    who, n = agent * len(SIDES) + side, len(labels) * len(SIDES)
    once(beside, block_of(beside) * max(n, 1) + who)
    match = np.unique(beside["match"].to_numpy(), return_inverse=True)[1] * max(n, 1) + who
    least, most = np.full(match.max(initial=-1) + 1, np.iinfo(np.int16).max), np.full(match.max(initial=-1) + 1, -1)
    np.minimum.at(least, match, beside["one"].to_numpy())
    np.maximum.at(most, match, beside["last"].to_numpy())
    fixed = (least[match] == most[match]) & (beside["others"].to_numpy() > 1)
    diff = estimate(np.where(fixed, np.nan, beside["diff"].to_numpy(np.float64)), who, n)
    note = diff.why.copy()
    none = diff.n == 0
    note[none] = "nothing to compare with"  # two seats, say: each other seat lies on both sides
    note[none & (np.bincount(who[fixed], minlength=n) > 0)] = "the same agent always sat there: seat and agent are one"
    if players == 3:
        note[(note == "") & ~none] = "against the other side: at 3 seats there is nothing else"
    rows = np.arange(n)
    return tables.frame(
        tables.NEIGHBOURS,
        {
            "agent": labels.to_numpy(object)[rows // len(SIDES)],
            "side": rows % len(SIDES),
            "blocks": diff.n[rows],
            "diff": diff.mean[rows],
            "lo": diff.lo[rows],
            "hi": diff.hi[rows],
            "note": note[rows],
        },
    )


def seats(games: pd.DataFrame, rounds: pd.DataFrame) -> pd.DataFrame:
    """The `seats` table: what a seat, and a place after the starter, is worth by itself. See `seats_from`."""
    return seats_from(numbers.merged([effects.seat_numbers(games), effects.offset_numbers(rounds)]))


def seats_from(found: pd.DataFrame) -> pd.DataFrame:
    """The `seats` table from `seat_numbers` and `offset_numbers`, concatenated."""
    players = players_of(found)
    effect = pd.Categorical(found["effect"].array, categories=list(EFFECTS)).codes.astype(np.int64)
    size = int(players) if len(found) else 0
    who = effect * size + found["value"].to_numpy(np.int64)
    n = size * len(EFFECTS)
    once(found, block_of(found) * max(n, 1) + who)
    diff = estimate(found["diff"].to_numpy(np.float64), who, n)
    win = estimate_share(found["win"].to_numpy(np.float64), who, n)
    rows = np.flatnonzero(diff.n)
    return tables.frame(
        tables.SEATS,
        {
            "effect": rows // max(size, 1),
            "value": rows % max(size, 1),
            "blocks": diff.n[rows],
            "diff": diff.mean[rows],
            "lo": diff.lo[rows],
            "hi": diff.hi[rows],
            "win": win.mean[rows],
            "win_lo": win.lo[rows],
            "win_hi": win.hi[rows],
            "note": _joined({"diff": diff, "win": win})[rows],
        },
    )


def by_round(rounds: pd.DataFrame) -> pd.DataFrame:
    """The `by_round` table of a `rounds` table: mean pips of each agent in each round of the game."""
    return by_round_from(numbers.round_numbers(rounds))


def by_round_from(rounds: pd.DataFrame) -> pd.DataFrame:
    """The `by_round` table from `round_numbers`."""
    players_of(rounds)
    agent, labels = codes_of(rounds["agent"])
    number = rounds["round"].to_numpy(np.int64)
    last = int(number.max(initial=0))
    who = agent * last + number - 1
    n = len(labels) * last
    once(rounds, block_of(rounds) * max(n, 1) + who)
    pips = estimate(rounds["pips"].to_numpy(np.float64), who, n, 0)
    rows = np.flatnonzero(pips.n)
    return tables.frame(
        tables.BY_ROUND,
        {
            "agent": labels.to_numpy(object)[rows // max(last, 1)],
            "round": rows % max(last, 1) + 1,
            "blocks": pips.n[rows],
            "pips": pips.mean[rows],
            "pips_lo": pips.lo[rows],
            "pips_hi": pips.hi[rows],
            "note": pips.why[rows],
        },
    )


def scores(rounds: pd.DataFrame) -> pd.DataFrame:
    """The `scores` table of a `rounds` table: how often each agent ended a round with each score."""
    return scores_from(numbers.score_counts(rounds))


def scores_from(counts: pd.DataFrame) -> pd.DataFrame:
    """The `scores` table from `score_counts`; counts of several calls add up."""
    agent, labels = codes_of(counts["agent"])
    pips = counts["pips"].to_numpy(np.int64)
    width = int(pips.max(initial=0)) + 1
    n = np.bincount(agent * width + pips, counts["rounds"].to_numpy(np.int64), minlength=len(labels) * width)
    rows = np.flatnonzero(n)
    who = rows // width
    total = np.bincount(who, n[rows], minlength=len(labels))
    return tables.frame(
        tables.SCORES,
        {
            "agent": labels.to_numpy(object)[who],
            "pips": rows % width,
            "rounds": n[rows].astype(np.int64),
            "share": n[rows] / total[who],
        },
    )


def codes_of(agents: pd.Series[str]) -> tuple[Ints, pd.Index[str]]:
    """int64[rows]: the number of each row's agent; and the labels that they stand for."""
    whole = pd.Categorical(agents.array)
    return np.asarray(whole.codes).astype(np.int64), whole.categories


def block_of(frame: pd.DataFrame) -> Ints:
    """int64[rows]: one number a block."""
    key = frame["match"].to_numpy(np.int64) << 32 | frame["deal"].to_numpy(np.int64)
    return np.unique(key, return_inverse=True)[1]


def players_of(frame: pd.DataFrame) -> float:
    """The one table size of these blocks."""
    sizes = np.unique(frame["players"].to_numpy())
    if len(sizes) > 1:
        raise ResultsError(f"tables of {sizes[0]} and of {sizes[1]} seats are two tournaments: never pooled")
    return float(sizes[0]) if len(sizes) else np.inf


def once(frame: pd.DataFrame, key: Ints) -> None:
    """Refuse a block that is there twice."""
    order = np.argsort(key, kind="stable")
    twice: Bools = np.diff(key[order]) == 0
    if twice.any():
        row = frame.iloc[int(order[int(np.argmax(twice))])]
        raise ResultsError(f"block (match {row['match']}, deal {row['deal']}) is there twice")


def _joined(estimates: Mapping[str, Estimate]) -> Any:
    """object[rows]: the reasons of a few quantities."""
    rows = zip(*(e.why for e in estimates.values()), strict=True)
    return np.array([str(note_of(dict(zip(estimates, whys, strict=True)))) for whys in rows], dtype=object)


# ── The design ────────────────────────────────────────────────────────────────────────────────────────
#
# The design: what blocks and common deals do to the precision, and the bootstrap as a second opinion on intervals.
#
# `design` says how wrong an interval over single games would be, and what it saves that all agents play the same deals.
# `bootstrap` gives each number of the standings the interval of a method that supposes no distribution at all, beside
# the standings' own. Both take block numbers; nothing here knows a file or a figure.


def design(blocks: pd.DataFrame) -> pd.DataFrame:
    """The `design` table from `block_numbers`: one row per agent.

    Notes
    -----
    `design_effect` is the variance of `diff` over blocks as a multiple of what it would be if all games were
    independent (Kish 1965, *Survey Sampling*). Above 1, games of a block repeat each other and an interval over single
    games is too narrow; below 1, playing a deal in all its seatings has taken more luck out than that.

    `saved` compares with agents that play different deals: 1 - var(own - others) / (var(own) + var(others)), over
    the blocks' mean pips of the agent and of the others at its tables.
    """
    players_of(blocks)
    who, labels = codes_of(blocks["agent"])
    n = len(labels)
    once(blocks, block_of(blocks) * max(n, 1) + who)
    diff = blocks["diff"].to_numpy(np.float64)
    known = ~np.isnan(diff)
    diff, who, kept = diff[known], who[known], blocks[known]
    games = kept["games"].to_numpy(np.float64)
    pips = kept["pips"].to_numpy(np.float64)
    over = intervals.estimate(diff, who, n)
    n_games = np.bincount(who, games, minlength=n)
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = np.bincount(who, games * diff, minlength=n) / n_games
        squares = kept["within"].to_numpy(np.float64) + games * (diff - centre[who]) ** 2
        naive = np.sqrt(np.bincount(who, squares, minlength=n) / (n_games - 1) / n_games)
        naive = np.where(np.isnan(over.error) | ~(naive > NOISE), np.nan, naive)
        apart = variances(pips, who, n)[2] + variances(pips - diff, who, n)[2]
        saved = np.where(np.isnan(over.error), np.nan, 1 - variances(diff, who, n)[2] / apart)
        effect = (over.error / naive) ** 2
    return tables.frame(
        tables.DESIGN,
        {
            "agent": labels.to_numpy(object),
            "blocks": over.n,
            "games": n_games.astype(np.int64),
            "diff": over.mean,
            "se_block": over.error,
            "se_naive": naive,
            "design_effect": effect,
            "saved": saved,
            "note": over.why,
        },
    )


def bootstrap(blocks: pd.DataFrame) -> pd.DataFrame:
    """The `bootstrap` table from `block_numbers`: for each number of the standings both intervals, side by side."""
    players = players_of(blocks)
    who, labels = codes_of(blocks["agent"])
    n, block = len(labels), block_of(blocks)
    once(blocks, block * max(n, 1) + who)
    first = np.unique(block, return_index=True)[1]
    drawn = resample(blocks["match"].to_numpy()[first], blocks["deal"].to_numpy()[first])
    parts = []
    for q in QUANTITIES:
        values = blocks[q.number].to_numpy(np.float64)
        plain = q.estimate(values, who, n, players)
        again = intervals.bootstrap(values, who, n, block, drawn, q.column.scale[0], q.highest(players))
        data = {
            "agent": labels.to_numpy(object),
            "quantity": np.full(n, q.name, dtype=object),
            "unit": np.full(n, STANDINGS_UNITS[q.name], dtype=object),
            "blocks": plain.n,
            "value": plain.mean,
            "lo": plain.lo,
            "hi": plain.hi,
            "boot_lo": again.lo,
            "boot_hi": again.hi,
            "note": again.why,
        }
        parts.append(tables.frame(tables.BOOTSTRAP, data))
    whole = pd.concat(parts, ignore_index=True)
    agent = pd.Index(labels.astype("str")).get_indexer(whole["agent"])
    return whole.iloc[np.argsort(agent, kind="stable")].reset_index(drop=True)
