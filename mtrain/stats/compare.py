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
from mtrain.stats import tables
from mtrain.stats.blocks import Floats
from mtrain.stats.intervals import ALONE, CONSTANT, FEW, NOISE, estimate, t_quantile
from mtrain.stats.results import Results
from mtrain.stats.sequential import EVERY, FIRST, MOST, SequentialTest, bounds, first_look, fixed_size
from mtrain.stats.stopping import Better, of_both
from mtrain.stats.tables import ResultsError

# ── Two results held against each other ───────────────────────────────────────────────────────────────


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


# ── Power ─────────────────────────────────────────────────────────────────────────────────────────────
#
# Power: how many blocks it takes to tell a difference, judged by the spread that a pilot has shown.
#
# The pilot's mean plays no part: what is asked is a difference of one's own choice. This part reads results and plays
# nothing.


FIXED, SEQUENTIAL = "fixed size", "sequential, on average"

_LEAST = 2  # blocks that show a spread


def power(
    pilot: Results,
    agents: tuple[str, str] | None = None,
    *,
    difference: float = 0.5,
    power: float = 0.9,
    alpha: float = 0.05,
) -> pd.DataFrame:
    """The `power` table: what it takes to find an agent better than another by a difference.

    Parameters
    ----------
    pilot
        Results in which the two met, however few.
    agents
        Labels of the two; may be left out where the pilot has no others.
    difference
        Pips/round.
    power
        Probability of finding it where it is there.
    alpha
        Probability of finding it where the two are alike; one-sided: of calling the first better, not of either.

    Returns
    -------
    DataFrame
        A test of fixed size, and the sequential one of `mtrain compare` if the two are alike, if one is better by half
        the difference, and by all of it. The intervals are those of the pilot's spread: a small pilot knows it badly.

    Raises
    ------
    ResultsError
        If a number is out of range, an agent is unknown, or the pilot shows no spread: the two never met, or met in
        void blocks only, in a single block, or in blocks that are all alike.
    """
    for name, value, least, most in (
        ("difference", difference, 0.0, np.inf), ("alpha", alpha, 0.0, 0.5), ("power", power, alpha, 1.0),
    ):  # fmt: skip
        if not least < value < most:
            limits = f"above {least:g}" if most == np.inf else f"between {least:g} and {most:g}"
            raise ResultsError(f"{name} is a number {limits}, not {value}")
    one, other = _two(pilot, agents)
    rule = Better(one, other, difference, alpha, 1 - power)
    theirs = pilot.summary.pairs[of_both(pilot.summary.pairs, rule)]
    diffs = theirs["diff"].to_numpy(np.float64)
    if len(diffs) < _LEAST:
        raise ResultsError(_too_few(pilot, one, other, len(diffs)))
    sd, lo, hi = _spread(diffs)
    if sd <= NOISE:
        raise ResultsError(
            f"{one!r} and {other!r} differ by as much in every block of {pilot.path}: {CONSTANT} to judge by"
        )
    blocks = pilot.summary.blocks
    met = blocks[(blocks["agent"] == one).to_numpy() & blocks["match"].isin(theirs["match"]).to_numpy()]
    games, minutes = float(met["games"].mean()), _minutes(pilot)
    truths = {"no difference": 0.0} | {f"better by {by:g}": by for by in (difference / 2, difference)}
    needed = [float(np.ceil(fixed_size(spread, difference, alpha, 1 - power))) for spread in (sd, lo, hi)]
    rows = [(FIXED, list(truths)[-1], needed, power)]
    for truth, mean in truths.items():
        laws = [_law(rule, s, mean) for s in (sd, lo, hi)]
        rows.append((SEQUENTIAL, truth, [size for size, _ in laws], laws[0][1]))
    few = f"the pilot has {counted(len(diffs), 'block')}: mind the interval" if len(diffs) < FIRST else ""
    no_time = "" if np.isfinite(minutes) else "no minutes: the pilot is not finished"
    note = "; ".join(filter(None, [few, no_time]))
    table: list[dict[str, Any]] = [
        {
            "test": test, "truth": truth, "blocks": sizes[0], "blocks_lo": sizes[1], "blocks_hi": sizes[2],
            "games": sizes[0] * games, "minutes": sizes[0] * minutes,
            "found": found, "note": note,
        }
        for test, truth, sizes, found in rows
    ]  # fmt: skip
    return tables.frame(tables.POWER, {name: [row[name] for row in table] for name in tables.POWER.names})


def _two(pilot: Results, agents: tuple[str, str] | None) -> tuple[str, str]:
    if agents is None:
        if len(pilot.labels) != 2:
            raise ResultsError(f"{pilot.path} has {len(pilot.labels)} agents; name two of {', '.join(pilot.labels)}")
        return pilot.labels[0], pilot.labels[1]
    for label in agents:
        if label not in pilot.labels:
            raise ResultsError(f"{pilot.path} has no agent {label!r}; its agents are {', '.join(pilot.labels)}")
    if agents[0] == agents[1]:
        raise ResultsError(f"{agents[0]!r} is named twice; name two agents")
    return agents


def _too_few(pilot: Results, one: str, other: str, there: int) -> str:
    """Say why a pilot shows no spread of what lies between two agents."""
    if there:
        return f"a pilot needs {_LEAST} blocks in which {one!r} and {other!r} met; {pilot.path} has {there}"
    if not any({one, other} <= set(lineup) for lineup in pilot.manifest.lineups):
        return f"{one!r} and {other!r} never met in {pilot.path}"
    if pilot.summary.spoilt["void"].any():
        return f"{one!r} and {other!r} met in void blocks only in {pilot.path}: in each of them an agent failed"
    return f"{one!r} and {other!r} have not met yet in {pilot.path}: the run is not finished"


def _spread(diffs: Floats) -> tuple[float, float, float]:
    """Standard deviation of a block's difference with its 95 % interval (χ²), of 2 blocks or more."""
    from scipy.special import chdtri

    sd, df = float(np.std(diffs, ddof=1)), len(diffs) - 1
    lo, hi = (sd * np.sqrt(df / float(chdtri(df, p))) for p in (0.025, 0.975))
    return sd, float(lo), float(hi)


def _law(rule: Better, sd: float, mean: float) -> tuple[float, float]:
    """Mean number of blocks of a sequential test, and the probability that it says better."""
    law = SequentialTest(rule.by, sd, first_look(EVERY, MOST), EVERY, MOST, bounds(rule.alpha, rule.beta)).law(mean)
    return law.size, law.upper


def _minutes(pilot: Results) -> float:
    """Minutes that a block took the pilot, with as many workers as it had."""
    told = pilot.manifest
    there = len(pilot.summary.blocks[["match", "deal"]].drop_duplicates())
    return told.seconds / 60 / there if told.finished and told.seconds else np.nan
