"""Stopping rules: when a tournament has seen enough, and what may be said of its numbers after that.

========================================= ================================================================
`width<0.5`                               every agent's interval is narrower than 0.5 pips/round in all
`width<0.5 for AGENT`                     this agent's is
`AGENT better than OTHER by 0.5`          a sequential test has told 0 from 0.5 pips/round between the two;
                                          `alpha=0.05 beta=0.05` may follow: its errors
========================================= ================================================================

A rule looks at whole rounds of line-ups, in the order of their deals: every line-up has then had as many blocks as
every other. Rules take block numbers; they know neither how games are played nor where results lie.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from mtrain.errors import UsageError
from mtrain.stats import tables
from mtrain.stats.blocks import Bools, Floats, Ints
from mtrain.stats.intervals import ALONE, NOISE, Estimate, estimate, t_quantile
from mtrain.stats.sequential import FIRST, SequentialTest, bounds, first_look, fixed_size, likelihood_ratio, radius

# ── Stopping rules ────────────────────────────────────────────────────────────────────────────────────


FORMS = "width<X, width<X for AGENT, AGENT better than OTHER by X"

ALPHA = BETA = 0.05

_NUMBER = r"\s*(\S+?)"
_WIDTH = re.compile(rf"width\s*<{_NUMBER}(?:\s+for\s+(.+))?")
_BETTER = re.compile(rf"(.+?)\s+better\s+than\s+(.+)\s+by\s{_NUMBER}(?:\s+alpha={_NUMBER})?(?:\s+beta={_NUMBER})?")


class UntilError(UsageError):
    """A stopping rule that is none; the sentence names it and the forms there are."""


@dataclass(frozen=True)
class Width:
    """Stop once intervals that hold at every look are narrow enough: all, or that of one agent.

    Attributes
    ----------
    below
        Pips/round from one end to the other.
    agent
        Its label; None: every agent.
    """

    below: float
    agent: str | None = None

    def __str__(self) -> str:
        return f"width<{_text(self.below)}" + (f" for {self.agent}" if self.agent else "")


@dataclass(frozen=True)
class Better:
    """Stop once a sequential test tells whether an agent is better than another.

    Attributes
    ----------
    agent, than
        Their labels.
    by
        Pips/round by which it is better under the second hypothesis; under the first it is not better at all.
    alpha, beta
        Probabilities of taking the second where the first holds, and the reverse.
    """

    agent: str
    than: str
    by: float
    alpha: float = ALPHA
    beta: float = BETA

    def __str__(self) -> str:
        errors = f"alpha={_text(self.alpha)} beta={_text(self.beta)}"
        return f"{self.agent} better than {self.than} by {_text(self.by)} {errors}"

    @property
    def bounds(self) -> tuple[float, float]:
        """Log likelihood ratios at which the test ends: for "not better", and for "better"."""
        return bounds(self.alpha, self.beta)

    def ratio(self, diffs: Floats) -> float:
        """The log likelihood ratio after differences of blocks: score of the agent minus that of the other."""
        return likelihood_ratio(-diffs, 0.0, self.by)

    def decided(self, ratio: float) -> str:
        """What a log likelihood ratio decides, in words; "" where it decides nothing."""
        low, high = self.bounds
        if low < ratio < high:
            return ""
        return f"{self.agent} is {'' if ratio >= high else 'not '}better than {self.than}" + (
            "" if ratio >= high else f" by {_text(self.by)}"
        )


Rule = Width | Better


def parse_rule(text: str, names: Mapping[str, str]) -> Rule:
    """Read a stopping rule.

    Parameters
    ----------
    text
        As at the top of this module.
    names
        The labels of the agents by all names that they may be called.

    Raises
    ------
    UntilError
        If it has none of the forms, a number is out of range, or it names an agent that is none.
    """
    if not isinstance(text, str):
        raise UntilError(f"until is a text, one of {FORMS}, not {text!r}")
    said = text.strip()
    if found := _WIDTH.fullmatch(said):
        below, agent = found.groups()
        return Width(_number(below, "the width", text), None if agent is None else _label(agent, names, text))
    if found := _BETTER.fullmatch(said):
        one, other, by, alpha, beta = found.groups()
        rule = Better(
            _label(one, names, text),
            _label(other, names, text),
            _number(by, "the difference", text),
            ALPHA if alpha is None else _number(alpha, "alpha", text, 0.5),
            BETA if beta is None else _number(beta, "beta", text, 0.5),
        )
        if rule.agent == rule.than:
            raise UntilError(f"until {text!r} compares {rule.agent!r} with itself")
        return rule
    raise UntilError(f"unknown stopping rule {text!r}; the rules are {FORMS}")


def _text(number: float) -> str:
    """A number in as few digits as say it exactly."""
    return np.format_float_positional(number, trim="-")


def _number(text: str, what: str, whole: str, most: float = np.inf) -> float:
    try:
        value = float(text)
    except ValueError:
        value = np.nan
    if 0 < value < most:
        return value
    limits = "above 0" if most == np.inf else f"between 0 and {most:g}"
    raise UntilError(f"until {whole!r}: {what} is a number {limits}, not {text!r}")


def _label(name: str, names: Mapping[str, str], whole: str) -> str:
    if name.strip() in names:
        return names[name.strip()]
    known = ", ".join(dict.fromkeys(names.values()))
    raise UntilError(f"until {whole!r} names {name.strip()!r}, which is none of the agents; the agents are {known}")


class Part(Protocol):
    """The block numbers of some whole blocks: `block_numbers` and `pair_numbers`."""

    @property
    def blocks(self) -> pd.DataFrame: ...

    @property
    def pairs(self) -> pd.DataFrame: ...


class Watcher:
    """A rule at work: called with the parts of a run so far, in order, it says why to stop, or None.

    Each part is read once; a look takes sums (or, for a test, one pass over the differences), so looking is cheap.

    Parameters
    ----------
    rule
        What to watch for.
    labels
        Labels of the agents that somebody else sits at a table with.
    n_lineups
        Parts in a round of line-ups: one of each.
    """

    def __init__(self, rule: Rule, labels: Sequence[str], n_lineups: int) -> None:
        self.rule = rule
        self.n_lineups = n_lineups
        self.n_read = self.n_blocks = 0
        self.watched = pd.Index([rule.agent] if isinstance(rule, Width) and rule.agent else list(labels))
        self.n, self.mean, self.squares = np.zeros((3, len(self.watched)))
        self.diffs = np.zeros(0)

    def __call__(self, parts: Sequence[Part]) -> str | None:
        """Say why the run may stop after these parts, or None: it goes on."""
        for part in parts[self.n_read :]:
            self._take(part)
        self.n_read = len(parts)
        if self.n_read % self.n_lineups:
            return None
        if isinstance(self.rule, Better):
            decided = self.rule.decided(self.rule.ratio(self.diffs)) if len(self.diffs) >= FIRST else ""
            return f"{decided}: after {self.n_blocks:,} blocks" if decided else None
        if (self._widths() < self.rule.below).all():
            return f"{self.rule}: after {self.n_blocks:,} blocks"
        return None

    def _take(self, part: Part) -> None:
        self.n_blocks += len(part.blocks[["match", "deal"]].drop_duplicates())
        if isinstance(self.rule, Better):
            theirs = part.pairs["diff"].to_numpy(np.float64)[of_both(part.pairs, self.rule)]
            self.diffs = np.concatenate([self.diffs, theirs])
            return
        diff = part.blocks["diff"].to_numpy(np.float64)
        who = self.watched.get_indexer(part.blocks["agent"].cat.categories)[part.blocks["agent"].cat.codes]
        known = ~np.isnan(diff) & (who >= 0)
        diff, who = diff[known], who[known]
        # Sums around means, joined part by part (Chan, Golub & LeVeque 1983): they stay exact however many there are.
        n = np.bincount(who, minlength=len(self.n))
        total = np.maximum(self.n + n, 1)
        mean = np.bincount(who, diff, minlength=len(n)) / np.maximum(n, 1)
        apart = mean - self.mean
        self.squares += np.bincount(who, (diff - mean[who]) ** 2, minlength=len(n)) + apart**2 * self.n * n / total
        self.mean += apart * n / total
        self.n += n

    def _widths(self) -> Floats:
        """The width of each agent's interval; nan where there is none."""
        with np.errstate(invalid="ignore", divide="ignore"):
            variance = self.squares / (self.n - 1)
            return np.where(variance > NOISE**2, 2 * radius(self.n) * np.sqrt(variance / self.n), np.nan)


def of_both(pairs: pd.DataFrame, rule: Better) -> Bools:
    """bool[rows]: the rows of `pair_numbers` that say how the agent of a test did against the other."""
    theirs: Bools = ((pairs["agent"] == rule.agent) & (pairs["opponent"] == rule.than)).to_numpy()
    return theirs


# ── After a stop ──────────────────────────────────────────────────────────────────────────────────────
#
# After a stop: raw and adjusted numbers side by side, the outcome of a test, and how both came about look by look.
#
# A raw estimate is what one would say had nobody looked; a rule that stops by the numbers makes it too sure, and a test
# makes it too large. The adjusted one allows for that. The functions take block numbers of whole blocks.


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
            adjusted = -SequentialTest(rule.by, sd, first_look(every, most), every, most, rule.bounds).unbiased(
                -mean, n
            )
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
