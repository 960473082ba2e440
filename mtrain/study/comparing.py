"""Two results held against each other: how agents did in one run and in another.

Runs of one schedule and one seed played the same deals, and their blocks are compared deal by deal; others are compared
as two independent samples. Runs at tables of different sizes, or by different rules, are never compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from mtrain.errors import counted
from mtrain.study import tables
from mtrain.study.blocks import Floats
from mtrain.study.intervals import ALONE, CONSTANT, FEW, NOISE, estimate, t_quantile
from mtrain.study.results import Results
from mtrain.study.tables import ResultsError


def compare_results(first: Results, second: Results) -> pd.DataFrame:
    """The `compared` table: how each agent of one run did in the other.

    Parameters
    ----------
    first, second
        Finished or running. Agents are matched by their labels; if that leaves one over on each side, those two are
        held against each other.

    Returns
    -------
    DataFrame
        One row an agent, the most improved first. `change` is second minus first, in pips/round: below 0 the second is
        better. Both are differences to the others at the table, so a change of the others moves it, too. The notes
        say what of `caveats` there is.

    Raises
    ------
    ResultsError
        If the runs have tables of different sizes, different rules, or no agent to match.

    Notes
    -----
    Paired differences have Student's interval over the deals that both runs hold; others have Welch's, "The
    generalization of 'Student's' problem when several different population variances are involved", Biometrika 34
    (1947).
    """
    _refuse(first, second)
    matched = _matched(first, second)
    paired = _same_deals(first, second, matched)
    sides = [results.summary.blocks for results in (first, second)]
    rows = [_row([_numbers(blocks, label) for blocks, label in zip(sides, pair, strict=True)], paired)
            for pair in matched]  # fmt: skip
    said = caveats(first, second)
    for row, pair in zip(rows, matched, strict=True):
        row |= {"first": pair[0], "second": pair[1]}
        row["note"] = "; ".join([*row["note"], *_remarks(first, second, *pair), *said])
    rows.sort(key=lambda row: (np.isnan(row["change"]), np.nan_to_num(row["change"])))
    return tables.frame(tables.COMPARED, {name: [row[name] for row in rows] for name in tables.COMPARED.names})


def caveats(first: Results, second: Results) -> list[str]:
    """Return what makes two runs that may be compared less comparable, a sentence each."""
    one, other = first.manifest, second.manifest
    said = []
    faults = [int(results.summary.failing["faults"].sum()) for results in (first, second)]
    if one.on_fault != other.on_fault and any(faults):
        how = [
            f"{results.manifest.on_fault} in {results.path} ({counted(n, 'fault')})"
            for results, n in zip((first, second), faults, strict=True)
        ]
        said.append(f"games in which an agent failed count otherwise: on_fault is {' and '.join(how)}")
    if _tables(first, _matched(first, second)) != _tables(second):
        said.append("the line-ups differ: each difference is one to the others at its own tables")
    stopped = dict.fromkeys(str(results.path) for results in (first, second) if results.manifest.until)
    if stopped:
        said.append(f"not adjusted for the stopping rule of {' and of '.join(stopped)}")
    return said


def _refuse(first: Results, second: Results) -> None:
    """Refuse runs whose numbers mean different things."""
    one, other = first.manifest, second.manifest
    if one.players != other.players:
        sizes = f"{one.players} seats in {first.path}, {other.players} in {second.path}"
        raise ResultsError(f"results at tables of different sizes are never compared: {sizes}")
    here, there = (told.rules for told in (one, other))
    apart = [field for field in dict.fromkeys([*here, *there]) if here.get(field) != there.get(field)]
    if apart:
        said = f"{apart[0]} is {here.get(apart[0])} in {first.path} and {there.get(apart[0])} in {second.path}"
        raise ResultsError(f"results by different rules are never compared: {said}")
    if one.rules_version != other.rules_version:
        versions = f"{one.rules_version} in {first.path}, {other.rules_version} in {second.path}"
        raise ResultsError(f"results by different versions of the rules are never compared: {versions}")


def _matched(first: Results, second: Results) -> list[tuple[str, str]]:
    """The labels of each agent in both runs."""
    both = [label for label in first.labels if label in second.labels]
    left = [[label for label in results.labels if label not in both] for results in (first, second)]
    pairs = [(label, label) for label in both]
    if len(left[0]) == len(left[1]) == 1:
        pairs.append((left[0][0], left[1][0]))
    if not pairs:
        said = f"{', '.join(first.labels)} in {first.path}, {', '.join(second.labels)} in {second.path}"
        raise ResultsError(f"the two runs have no agent in common: {said}")
    return pairs


def _same_deals(first: Results, second: Results, matched: list[tuple[str, str]]) -> bool:
    """Has a block of one number the same deal, and the same seats for matched agents, in both runs?"""
    one, other = first.manifest, second.manifest
    if (one.seed, one.seatings) != (other.seed, other.seatings) or not one.lineups or not other.lineups:
        return False
    return _tables(first, matched) == _tables(second)


def _tables(results: Results, matched: Sequence[tuple[str, str]] = ()) -> list[list[str]]:
    """Who sits at each table, agents that are matched by their labels in the second run."""
    names = {label: label for label in results.labels} | dict(matched)
    return [sorted(names[label] for label in lineup) for lineup in results.manifest.lineups]


def _numbers(blocks: pd.DataFrame, label: str) -> pd.Series[float]:
    """Differences of an agent's blocks, by match and deal."""
    theirs = blocks[(blocks["agent"] == label).to_numpy() & blocks["diff"].notna().to_numpy()]
    return theirs.set_index(["match", "deal"])["diff"].astype(np.float64).sort_index()


def _row(sides: list[pd.Series[float]], paired: bool) -> dict[str, Any]:
    """The numbers of one agent."""
    notes = []
    if paired:
        both = sides[0].index.intersection(sides[1].index)
        left = [len(side) - len(both) for side in sides]
        if any(left):
            both_left = f"{left[0]:,} and {counted(left[1], 'block')}"
            notes.append(f"left out, as the other run has not their deals: {both_left}")
        sides = [side.loc[both] for side in sides]
    one, other = (np.asarray(side, np.float64) for side in sides)
    change, half, why = _paired(one, other) if paired else _welch(one, other)
    return {
        "first_blocks": len(one), "second_blocks": len(other), "paired": paired,
        "first_diff": one.mean() if len(one) else np.nan, "second_diff": other.mean() if len(other) else np.nan,
        "change": change, "change_lo": change - half, "change_hi": change + half,
        "note": [why] * bool(why) + notes,
    }  # fmt: skip


def _paired(one: Floats, other: Floats) -> tuple[float, float, str]:
    if not len(one):
        return np.nan, np.nan, "no deal in common that counts"
    e = estimate(other - one, np.zeros(len(one), np.int64), 1)
    return float(e.mean[0]), float(e.hi[0] - e.mean[0]), str(e.why[0])


def _welch(one: Floats, other: Floats) -> tuple[float, float, str]:
    if not len(one) or not len(other):
        return np.nan, np.nan, ALONE
    change = float(other.mean() - one.mean())
    if min(len(one), len(other)) < 2:
        return change, np.nan, FEW
    errors = np.array([one.var(ddof=1) / len(one), other.var(ddof=1) / len(other)])
    if errors.sum() <= NOISE**2:
        return change, np.nan, CONSTANT
    df = errors.sum() ** 2 / (errors**2 / (np.array([len(one), len(other)]) - 1)).sum()
    return change, float(t_quantile(df) * np.sqrt(errors.sum())), ""


def _remarks(first: Results, second: Results, one: str, other: str) -> list[str]:
    """What else is to be known of an agent that is matched: in what it is not the same."""
    if one != other:
        return []
    told, said = (first.manifest, second.manifest), []
    texts = [manifest.agents[one] for manifest in told]
    values: list[Mapping[str, Any]] = [manifest.parameters.get(one) or {} for manifest in told]
    if texts[0] != texts[1]:
        said.append(f"{texts[0]} first, {texts[1]} second")
    elif all(values) and values[0] != values[1]:
        apart = [name for name in dict.fromkeys([*values[0], *values[1]]) if values[0].get(name) != values[1].get(name)]
        named = [", ".join(f"{name}={side.get(name)}" for name in apart) for side in values]
        said.append(f"{named[0]} first, {named[1]} second")
    versions = [manifest.version_of(one) for manifest in told]
    if versions[0] != versions[1]:
        said.append(f"version {versions[0]} first, {versions[1]} second")
    sources = [manifest.sources.get(one) for manifest in told]
    if all(sources) and sources[0] != sources[1]:
        said.append("its source file has changed")
    return said
