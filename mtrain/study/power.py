"""Power: how many blocks it takes to tell a difference, judged by the spread that a pilot has shown.

The pilot's mean plays no part: what is asked is a difference of one's own choice. This module reads results and plays
nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from mtrain.errors import counted
from mtrain.study import tables
from mtrain.study.blocks import Floats
from mtrain.study.intervals import CONSTANT, NOISE
from mtrain.study.results import Results
from mtrain.study.sequential import EVERY, FIRST, MOST, bounds, first_look, fixed_size
from mtrain.study.tables import ResultsError
from mtrain.study.until import Better, of_both
from mtrain.study.walks import Walk

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
    law = Walk(rule.by, sd, first_look(EVERY, MOST), EVERY, MOST, bounds(rule.alpha, rule.beta)).law(mean)
    return law.size, law.upper


def _minutes(pilot: Results) -> float:
    """Minutes that a block took the pilot, with as many workers as it had."""
    told = pilot.manifest
    there = len(pilot.summary.blocks[["match", "deal"]].drop_duplicates())
    return told.seconds / 60 / there if told.finished and told.seconds else np.nan
