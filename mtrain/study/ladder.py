"""Ladders: are neighbouring levels of difficulty distinct, in order, and evenly spaced?

Levels are compared with their neighbours deal by deal, against the same reference opponents. This module takes numbers
of blocks and doesn't know how a level was made.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mtrain.errors import counted
from mtrain.study import ladder_tables, tables
from mtrain.study.blocks import Floats
from mtrain.study.intervals import NOISE, estimate
from mtrain.study.places import LEVEL, holm
from mtrain.study.sequential import fixed_size
from mtrain.study.tables import ResultsError

POWER = 0.9
"""Probability with which a step is to be told by the blocks that are said to do."""

SAME = "no difference: the same numbers in every block"
WRONG = "in the wrong order"
ALONE = "a single step is its own mean"


def steps(names: Sequence[str], diffs: Sequence[Floats], *, claimed: Sequence[float] | None = None) -> pd.DataFrame:
    """The `steps` table: each level held against the one below.

    Parameters
    ----------
    names
        The levels, from the weakest to the strongest.
    diffs
        float64[blocks] of each: pips/round, lower is stronger; all of the same deals in the same order.
    claimed
        What each level is said to be worth in the same unit. Where the interval of a gap doesn't hold the gap said,
        the note says so.

    Returns
    -------
    DataFrame
        A row for each two neighbours, from the weakest up. Tests are two-sided, as a level may turn out to be weaker
        than the one below it, and hold for all steps together: with 95 % none of those called distinct is alike, nor
        in the other order. `needed` is what it takes to call it so with power 0.9 whatever the other steps show.

    Raises
    ------
    ResultsError
        Levels have no name of their own, no numbers, or numbers of different blocks.

    Notes
    -----
    Gaps are paired, their intervals Student's; Holm's method is that of `places.holm`, and `needed` that of
    `sequential.fixed_size` with the errors of its first stage, 5 % over twice the number of steps.
    """
    gaps = _gaps(names, diffs)
    n, blocks = gaps.shape
    who = np.repeat(np.arange(n), blocks)
    gap = estimate(gaps.ravel(), who, n)
    off = estimate((gaps - (gaps.mean(axis=0) if n else 0)).ravel(), who, n)
    p = holm(gap.t, (gap.n - 1).astype(np.float64))
    distinct = p < LEVEL
    needed = np.full(n, np.nan)
    for row in np.flatnonzero((gap.why == "") & (np.abs(gap.mean) > NOISE)).tolist():
        spread = float(gap.error[row] * np.sqrt(blocks))
        needed[row] = max(np.ceil(fixed_size(spread, abs(gap.mean[row]), LEVEL / (2 * n), 1 - POWER)), 2)
    same = np.abs(gaps).max(axis=1, initial=0) <= NOISE
    notes = []
    for row in range(n):
        parts = []
        if same[row]:
            parts.append(SAME)
        elif gap.why[row]:
            parts.append(str(gap.why[row]))
        elif not distinct[row]:
            more = f"{needed[row]:,.0f} would do" if needed[row] == needed[row] else "no number would do: the gap is 0"
            parts.append(f"not distinguishable with {counted(blocks, 'block')}; {more}")
        elif gap.mean[row] < 0:
            parts.append(WRONG)
        if claimed is not None:
            said = _claimed(claimed, names, row)
            if not gap.why[row] and not gap.lo[row] <= said <= gap.hi[row]:
                parts.append(f"a gap of {said:.4g} is claimed")
        if n == 1:
            parts.append(ALONE)
        elif off.why[row] and off.why[row] != gap.why[row]:
            parts.append(f"off: {off.why[row]}")
        notes.append("; ".join(parts))
    # A step that never differs from the mean by anything is even, though that has no interval.
    even = np.where(off.why == "", (off.lo <= 0) & (off.hi >= 0), np.abs(off.mean) <= NOISE)
    return tables.frame(
        ladder_tables.STEPS,
        {
            "level": list(names[1:]), "below": list(names[: max(len(names) - 1, 0)]), "blocks": gap.n,
            "gap": gap.mean, "gap_lo": gap.lo, "gap_hi": gap.hi,
            "p": p, "distinct": distinct, "needed": needed,
            "off": off.mean, "off_lo": off.lo, "off_hi": off.hi, "even": even.astype(bool),
            "note": notes,
        },
    )  # fmt: skip


def missing(steps: pd.DataFrame, max_step: float) -> list[tuple[str, str, float]]:
    """Between which neighbours a level is missing.

    Parameters
    ----------
    steps
        The `steps` table.
    max_step
        Pips/round that a step may have; it is the gap itself that counts, not its interval.

    Returns
    -------
    list
        The weaker, the stronger and the gap between them, from the weakest up.
    """
    wide = steps[(steps["gap"] > max_step).fillna(False).to_numpy(bool)]
    return [
        (str(below), str(level), float(gap))
        for below, level, gap in zip(wide["below"], wide["level"], wide["gap"], strict=True)
    ]


def order(names: Sequence[str], diffs: Sequence[Floats], unit: str = "pips") -> list[str]:
    """Say which neighbours are not in the order of their names, and whether that is more than chance.

    Parameters are those of `steps`, and what a score counts.
    """
    table = steps(names, diffs)
    gaps, levels = table["gap"].to_numpy(np.float64, na_value=np.nan), table["p"].to_numpy(np.float64, na_value=np.nan)
    said = []
    for row in np.flatnonzero(gaps < -NOISE).tolist():
        if np.isnan(levels[row]):
            how = f"and whether by chance can't be told: {table['note'].iloc[row]}"
        else:
            how = f"{'' if levels[row] < LEVEL else 'not '}significantly (p = {levels[row]:.2g})"
        said.append(
            f"{names[row + 1]!r} is weaker than {names[row]!r} below it by {-gaps[row]:.3g} {unit}/round, {how}"
        )
    return said


def _gaps(names: Sequence[str], diffs: Sequence[Floats]) -> Floats:
    """float64[steps, blocks]: by how much each level is better than the one below it."""
    if len(names) != len(diffs):
        raise ResultsError(f"there are {len(names)} levels and numbers of {len(diffs)}")
    for level, name in enumerate(names):
        if name in names[:level]:
            raise ResultsError(f"level {name!r} is named twice")
        if len(diffs[level]) != len(diffs[0]):
            raise ResultsError(
                f"level {name!r} has {len(diffs[level])} blocks and {names[0]!r} has {len(diffs[0])}: levels are "
                f"compared on the same deals"
            )
        if not len(diffs[level]) or not np.isfinite(diffs[level]).all():
            what = "no blocks" if not len(diffs[level]) else "blocks without a number"
            raise ResultsError(f"level {name!r} has {what}")
    if len(names) < 2:
        return np.zeros((0, len(diffs[0]) if len(diffs) else 0))
    values = np.array([np.asarray(diff, np.float64) for diff in diffs])
    gaps: Floats = values[:-1] - values[1:]
    return gaps


def _claimed(claimed: Sequence[float], names: Sequence[str], row: int) -> float:
    """The gap that is claimed between a level and the one above it."""
    if len(claimed) != len(names):
        raise ResultsError(f"there are {len(names)} levels and claims about {len(claimed)}")
    return float(claimed[row] - claimed[row + 1])
