"""Estimates: from block numbers to the tables one quotes.

`standings`, `pairwise`, `seats`, `by_round` and `scores` take the arena's tables; their `…_from` twins take block
numbers (`blocks`), so that a running tournament and a directory of many parts need no game twice. Every number is a
mean over blocks with an interval from their spread; what can't be known is null and a note says why. Nothing here
knows a file or a figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from mtrain.study import blocks as numbers
from mtrain.study import ratings as rating
from mtrain.study import tables
from mtrain.study.blocks import Bools, Ints, met
from mtrain.study.intervals import ALONE, Estimate, estimate, estimate_share
from mtrain.study.tables import EFFECTS, ResultsError

_STANDINGS = {
    "diff": "diff",
    "win": "win",
    "rank": "rank_mean",
    "round_wins": "round_wins",
    "pips": "pips",
    "out": "out",
}


def standings(games: pd.DataFrame, rounds: pd.DataFrame | None = None) -> pd.DataFrame:
    """The `standings` table of a `games` table, ratings included, best agent first. See `standings_from`.

    Who went out is in the `rounds` table: without it those shares are null.
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
        apart, and the note says so.

    Raises
    ------
    ResultsError
        A block is there twice, or tables of different sizes are mixed.
    """
    players = _players(blocks)
    who, labels = _codes(blocks["agent"])
    n = len(labels)
    block = _block(blocks)
    _once(blocks, block * max(n, 1) + who)
    values = {name: blocks[name].to_numpy(np.float64) for name in _STANDINGS}
    estimates = {
        "diff": estimate(values["diff"], who, n),
        "win": estimate_share(values["win"], who, n),
        "rank": estimate(values["rank"], who, n, 1, players),
        "round_wins": estimate_share(values["round_wins"], who, n),
        "pips": estimate(values["pips"], who, n, 0),
        "out": estimate_share(values["out"], who, n),
    }
    order = np.lexsort((who, block))
    beside = np.diff(block[order]) == 0
    group = met(n, who[order][:-1][beside], who[order][1:][beside])
    columns: dict[str, Any] = {
        "agent": labels.to_numpy(object),
        "blocks": np.bincount(who, minlength=n),
        "games": np.bincount(who, blocks["games"].to_numpy(), minlength=n).astype(np.int64),
        "rank_mean": estimates["rank"].mean,
    }
    for name, e in estimates.items():
        columns |= {f"{name}_lo": e.lo, f"{name}_hi": e.hi} | ({} if name == "rank" else {name: e.mean})
    why = {_STANDINGS[name]: e.why for name, e in estimates.items() if name != "out" or e.n.any()}
    columns |= dict.fromkeys(("rating", "rating_lo", "rating_hi"), np.full(n, np.nan))
    if rated is not None:
        theirs = rated.set_index("agent").reindex(labels.astype("str"))
        columns |= {name: theirs[name].array for name in ("rating", "rating_lo", "rating_hi")}
        why["rating"] = theirs["note"].fillna("").to_numpy(object)
    columns["note"] = _notes(why, played=columns["blocks"], counted=estimates["diff"].n, group=group)
    diff = estimates["diff"].mean
    best = np.lexsort((np.arange(n), np.nan_to_num(diff), np.isnan(diff), group))
    return tables.frame(tables.STANDINGS, {name: columns[name][best] for name in tables.STANDINGS.names})


def _notes(why: Mapping[str, Any], played: Ints, counted: Ints, group: Ints) -> Any:
    """object[agents]: the reasons of all quantities in one sentence, those they share said once."""
    notes = np.full(len(played), "", dtype=object)
    n_groups = len(np.unique(group[played > 0]))
    for agent in range(len(notes)):
        if played[agent] and not counted[agent]:
            notes[agent] = ALONE
            continue
        reasons: dict[str, list[str]] = {}
        for name, reason in why.items():
            reasons.setdefault(reason[agent], []).append(name.replace("_", " "))
        parts = [
            reason if len(names) == len(why) else f"{', '.join(names)}: {reason}"
            for reason, names in reasons.items()
            if reason
        ]
        if left := played[agent] - counted[agent]:
            parts.append(f"{left} blocks without another agent are left out")
        if n_groups > 1 and played[agent]:
            parts.append(f"group {group[agent] + 1}: never met the agents of other groups")
        notes[agent] = "; ".join(parts)
    return notes


def pairwise(games: pd.DataFrame) -> pd.DataFrame:
    """The `pairwise` table of a `games` table. See `pairwise_from`."""
    return pairwise_from(numbers.pair_numbers(games))


def pairwise_from(pairs: pd.DataFrame) -> pd.DataFrame:
    """The `pairwise` table from `pair_numbers`: all ordered pairs, with nulls and a note where two never met."""
    _players(pairs)
    agent, labels = _codes(pairs["agent"])
    opponent, others = _codes(pairs["opponent"])
    if not labels.equals(others):
        raise ResultsError("agent and opponent of the pair numbers must have the same categories")
    n = len(labels)
    who = agent * n + opponent
    _once(pairs, _block(pairs) * max(n * n, 1) + who)
    diff = estimate(pairs["diff"].to_numpy(np.float64), who, n * n)
    share = estimate_share(pairs["share"].to_numpy(np.float64), who, n * n)
    rows = np.flatnonzero(~np.eye(n, dtype=bool).ravel())
    names = labels.to_numpy(object)
    note = _joined({"diff": diff, "share": share})
    note[diff.n == 0] = "never met"
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
            "note": note[rows],
        },
    )


def seats(games: pd.DataFrame, rounds: pd.DataFrame) -> pd.DataFrame:
    """The `seats` table: what a seat, and a place after the starter, is worth by itself. See `seats_from`."""
    return seats_from(numbers.merged([numbers.seat_numbers(games), numbers.offset_numbers(rounds)]))


def seats_from(effects: pd.DataFrame) -> pd.DataFrame:
    """The `seats` table from `seat_numbers` and `offset_numbers`, concatenated."""
    players = _players(effects)
    effect = pd.Categorical(effects["effect"].array, categories=list(EFFECTS)).codes.astype(np.int64)
    size = int(players) if len(effects) else 0
    who = effect * size + effects["value"].to_numpy(np.int64)
    n = size * len(EFFECTS)
    _once(effects, _block(effects) * max(n, 1) + who)
    diff = estimate(effects["diff"].to_numpy(np.float64), who, n)
    win = estimate_share(effects["win"].to_numpy(np.float64), who, n)
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
    _players(rounds)
    agent, labels = _codes(rounds["agent"])
    number = rounds["round"].to_numpy(np.int64)
    last = int(number.max(initial=0))
    who = agent * last + number - 1
    n = len(labels) * last
    _once(rounds, _block(rounds) * max(n, 1) + who)
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
    agent, labels = _codes(counts["agent"])
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


def _codes(agents: pd.Series[str]) -> tuple[Ints, pd.Index[str]]:
    whole = pd.Categorical(agents.array)
    return np.asarray(whole.codes).astype(np.int64), whole.categories


def _block(frame: pd.DataFrame) -> Ints:
    """int64[rows]: one number a block."""
    key = frame["match"].to_numpy(np.int64) << 32 | frame["deal"].to_numpy(np.int64)
    return np.unique(key, return_inverse=True)[1]


def _players(frame: pd.DataFrame) -> float:
    """The one table size of these blocks."""
    sizes = np.unique(frame["players"].to_numpy())
    if len(sizes) > 1:
        raise ResultsError(f"tables of {sizes[0]} and of {sizes[1]} seats are two tournaments: never pooled")
    return float(sizes[0]) if len(sizes) else np.inf


def _once(frame: pd.DataFrame, key: Ints) -> None:
    """Refuse a block that is there twice."""
    order = np.argsort(key, kind="stable")
    twice: Bools = np.diff(key[order]) == 0
    if twice.any():
        row = frame.iloc[int(order[int(np.argmax(twice))])]
        raise ResultsError(f"block (match {row['match']}, deal {row['deal']}) is there twice")


def _joined(estimates: Mapping[str, Estimate]) -> Any:
    """object[rows]: the reasons of a few quantities, said once where all share it."""
    return np.array(
        [
            whys[0]
            if len(set(whys)) == 1
            else "; ".join(f"{name}: {why}" for name, why in zip(estimates, whys, strict=True) if why)
            for whys in zip(*(e.why for e in estimates.values()), strict=True)
        ],
        dtype=object,
    )
