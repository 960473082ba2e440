"""After a stop: raw and adjusted numbers side by side, the outcome of a test, and how both came about look by look.

A raw estimate is what one would say had nobody looked; a rule that stops by the numbers makes it too sure, and a test
makes it too large. The adjusted one allows for that. The functions take block numbers of whole blocks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from mtrain.study import tables
from mtrain.study.blocks import Floats, Ints
from mtrain.study.intervals import ALONE, NOISE, Estimate, estimate, t_quantile
from mtrain.study.sequential import FIRST, first_look, fixed_size, radius
from mtrain.study.until import Better, Rule, of_both
from mtrain.study.walks import Walk

INCONCLUSIVE, UNFINISHED = "inconclusive", "not finished"
TOO_FEW = f"adjusted: needs {FIRST} blocks, the first look"

_MOST_LOOKS = 200


def around(e: Estimate) -> tuple[Floats, Floats]:
    """The ends of intervals that hold at every look, from estimates with Student's; nan where there is none."""
    with np.errstate(invalid="ignore"):
        half = (e.hi - e.mean) / t_quantile(np.maximum(e.n - 1, 1)) * radius(e.n)
    return e.mean - half, e.mean + half


def stopping(blocks: pd.DataFrame) -> pd.DataFrame:
    """The `stopping` table: each agent's difference to the others, raw and adjusted.

    Parameters
    ----------
    blocks
        `block_numbers`.

    Notes
    -----
    A rule about widths looks at the spread alone, and the mean of normal numbers is independent of every spread so far:
    the adjusted difference is the raw one, with an interval that holds at every look (see `radius`), whatever the rule
    and whoever stopped. Each interval is one of 95 % by itself, as the raw ones are.
    """
    who, labels = np.asarray(blocks["agent"].cat.codes).astype(np.int64), blocks["agent"].cat.categories
    e = estimate(blocks["diff"].to_numpy(np.float64), who, len(labels))
    lo, hi = around(e)
    why = np.array([_why(e, k) for k in range(len(labels))], object)
    why[(e.n == 0) & (np.bincount(who, minlength=len(labels)) > 0)] = ALONE
    best = np.lexsort((np.arange(len(labels)), np.nan_to_num(e.mean), np.isnan(e.mean)))
    columns: dict[str, Any] = {
        "agent": labels.to_numpy(object), "blocks": e.n, "diff": e.mean, "diff_lo": e.lo, "diff_hi": e.hi,
        "adjusted": e.mean, "adjusted_lo": lo, "adjusted_hi": hi, "note": why,
    }  # fmt: skip
    return tables.frame(tables.STOPPING, {name: values[best] for name, values in columns.items()})


def _why(e: Estimate, k: int) -> str:
    """Why a group has no interval, neither raw nor adjusted, in words; "" where it has both."""
    few = [TOO_FEW] if 0 < e.n[k] < FIRST else []
    return "; ".join([*filter(None, [str(e.why[k])]), *few])


def comparison(
    rule: Better, pairs: pd.DataFrame, blocks: pd.DataFrame, every: int, most: int, finished: bool = True
) -> pd.DataFrame:
    """The `comparison` table: one row, what a test says and what it rests on.

    Parameters
    ----------
    rule
        The test.
    pairs, blocks
        `pair_numbers` and `block_numbers` of what was played.
    every, most
        Blocks of the two between looks, and in all had the test not ended.
    finished
        Has all been played that was to be? If not, and the test has not ended, it is not finished.

    Notes
    -----
    The adjusted difference is the one under which the test would have ended with a greater mean as often as with a
    smaller one (see `Walk.unbiased`); its interval holds at every look (see `radius`).
    """
    theirs = pairs[of_both(pairs, rule)]
    diffs = theirs["diff"].to_numpy(np.float64)
    e = estimate(diffs, np.zeros(len(diffs), np.int64), 1)
    lo, hi = around(e)
    n, mean = int(e.n[0]), float(e.mean[0])
    ratio = rule.ratio(diffs) if n else 0.0
    decided = rule.decided(ratio) if n >= FIRST else ""
    notes = [_why(e, 0)] * bool(_why(e, 0))
    adjusted = fixed = np.nan
    if not e.why[0]:
        sd = float(np.std(diffs, ddof=1))
        fixed = np.ceil(fixed_size(sd, rule.by, rule.alpha, rule.beta))
        if n >= FIRST:
            adjusted = -Walk(rule.by, sd, first_look(every, most), every, most, rule.bounds).unbiased(-mean, n)
    if not decided:
        notes.append("the test has not ended yet" if not finished else "all blocks were played before the test ended")
    verdict = decided or (INCONCLUSIVE if finished else UNFINISHED)
    met = (blocks["agent"] == rule.agent).to_numpy() & np.isin(_keys(blocks), _keys(theirs))
    row = {
        "agent": rule.agent, "opponent": rule.than, "better": rule.by, "alpha": rule.alpha, "beta": rule.beta,
        "verdict": verdict, "blocks": n, "games": int(blocks["games"].to_numpy()[met].sum()),
        "llr": ratio, "llr_lo": rule.bounds[0], "llr_hi": rule.bounds[1],
        "diff": mean, "diff_lo": e.lo[0], "diff_hi": e.hi[0],
        "adjusted": adjusted, "adjusted_lo": lo[0], "adjusted_hi": hi[0], "fixed": fixed, "note": "; ".join(notes),
    }  # fmt: skip
    return tables.frame(tables.COMPARISON, {name: [value] for name, value in row.items()})


def path(rule: Rule, blocks: pd.DataFrame, pairs: pd.DataFrame, n_lineups: int) -> pd.DataFrame:
    """The `path` table: means and intervals after whole rounds of line-ups, at 200 looks at most, from the first on.

    Parameters
    ----------
    rule
        What the run stopped by.
    blocks, pairs
        `block_numbers` and `pair_numbers`.
    n_lineups
        Deals in a round of line-ups.
    """
    if isinstance(rule, Better):
        return _path(f"{rule.agent} − {rule.than}", pairs[of_both(pairs, rule)], n_lineups, rule)
    labels = blocks["agent"].cat.categories if rule.agent is None else [rule.agent]
    found = [_path(str(label), blocks[(blocks["agent"] == label).to_numpy()], n_lineups) for label in labels]
    return pd.concat(found, ignore_index=True)


def _path(name: str, numbers: pd.DataFrame, n_lineups: int, rule: Better | None = None) -> pd.DataFrame:
    numbers = numbers[numbers["diff"].notna().to_numpy()]
    deal = numbers["deal"].to_numpy(np.int64)
    order = np.argsort(deal, kind="stable")
    diff, turn = numbers["diff"].to_numpy(np.float64)[order], deal[order] // n_lineups
    n = np.flatnonzero(np.diff(turn, append=-1)) + 1  # after the last block of each round of line-ups
    n = n[n >= FIRST]
    if len(n) > _MOST_LOOKS:
        n = n[np.unique(np.linspace(0, len(n) - 1, _MOST_LOOKS).round().astype(int))]
    middle = diff.mean() if len(diff) else 0.0
    sums, squares = np.cumsum(diff - middle)[n - 1], np.cumsum((diff - middle) ** 2)[n - 1]
    variance = np.maximum(squares - sums**2 / n, 0) / np.maximum(n - 1, 1)
    mean, error = middle + sums / n, np.where(variance > NOISE**2, np.sqrt(variance / n), np.nan)
    t, r = t_quantile(np.maximum(n - 1, 1)), radius(n)
    return tables.frame(
        tables.PATH,
        {
            "agent": [name] * len(n), "blocks": n, "diff": mean,
            "diff_lo": mean - t * error, "diff_hi": mean + t * error,
            "adjusted_lo": mean - r * error, "adjusted_hi": mean + r * error,
            "llr": [np.nan if rule is None else rule.ratio(diff[:k]) for k in n],
        },
    )  # fmt: skip


def _keys(numbers: pd.DataFrame) -> Ints:
    keys: Ints = numbers["match"].to_numpy(np.int64) << 32 | numbers["deal"].to_numpy(np.int64)
    return keys
