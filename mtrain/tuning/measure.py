"""The ladder: levels measured on fresh deals, alone among the references and against their neighbours.

What a tuning finds is confirmed by it, and what a file claims is verified by it: one measurement, two uses.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from mtrain.arena.play import Games, play
from mtrain.arena.schedule import first_starter
from mtrain.bots.agent import BATCH, AgentSpec, Bot
from mtrain.bots.ask import ask
from mtrain.bots.registry import Registry, build
from mtrain.errors import counted
from mtrain.game.rng import WORLD, Stream, stream
from mtrain.game.rules import RuleSet
from mtrain.game.state import N_PARAMS
from mtrain.stats import tables
from mtrain.stats.blocks import Floats
from mtrain.stats.intervals import NOISE, Estimate, estimate, estimate_share
from mtrain.stats.ranks import LEVEL, holm
from mtrain.stats.results import Results
from mtrain.stats.sequential import fixed_size
from mtrain.stats.tables import ResultsError
from mtrain.strategy.evaluate import look
from mtrain.strategy.weaken import BLUNDER_KINDS, STAYS, judge
from mtrain.tuning import ladder_tables
from mtrain.tuning.matches import Matches, numbers, taken

# ── Ladders ───────────────────────────────────────────────────────────────────────────────────────────
#
# Ladders: are neighbouring levels of difficulty distinct, in order, and evenly spaced?
#
# Levels are compared with their neighbours deal by deal, against the same reference opponents. This part takes
# numbers of blocks and doesn't know how a level was made.


POWER = 0.9
"""Probability with which a step is to be told by the blocks that are said to do."""

SAME = "no difference: the same numbers in every block"
WRONG = "in the wrong order"
SINGLE_STEP = "a single step is its own mean"


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
            parts.append(SINGLE_STEP)
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


# ── Plausibility ──────────────────────────────────────────────────────────────────────────────────────
#
# Plausibility: how large the mistakes of an agent are, and whether it does what nobody would do.
#
# Its decisions are looked at again with many sampled worlds. The *regret* of a decision is the pips that it cost more
# than the reference's choice; the reference is the action that comes off best over half of the worlds, judged in the
# other half, so that its own luck does not count. This part plays games and writes nothing.


WORLDS = 256  # for each decision looked at


@dataclass(frozen=True)
class Plausibility:
    """How plausible an agent's play is.

    Attributes
    ----------
    decisions
        Choices that it made: where two actions or more were legal.
    looks
        Of those, looked at with worlds.
    regret, regret_lo, regret_hi
        Pips a decision, and the 95 % interval over games; nan where there is none.
    regret_p95
        Pips: nineteen decisions of twenty cost no more. It has the spread of the worlds in it.
    blunders
        By what is wrong: how often it was done, and how often it could have been.
    """

    decisions: int
    looks: int
    regret: float
    regret_lo: float
    regret_hi: float
    regret_p95: float
    blunders: dict[str, tuple[int, int]]


def plausibility(
    agent: AgentSpec,
    others: Sequence[AgentSpec],
    rules: RuleSet,
    seed: int,
    *,
    games: int,
    looks: int,
    worlds: int = WORLDS,
) -> Plausibility:
    """Play games of an agent with others, one in each of the other seats, and look at its decisions again.

    Parameters
    ----------
    agent, others
        Who is looked at, and who else sits at its table.
    rules
        What is played.
    seed
        What all chance is made from.
    games
        Games, each with other cards and from another seat.
    looks
        About how many decisions are looked at with worlds, drawn by chance.
    worlds
        Worlds for each.
    """
    players = len(others) + 1
    bots = [build(agent), *map(build, others)]
    seen: list[tuple[int, np.ndarray, np.ndarray, int]] = []

    def call(obs: np.ndarray, actions: np.ndarray, streams: np.ndarray) -> np.ndarray:
        answers = ask(bots[0], obs, actions, streams)
        for i in range(len(obs)):
            seen.append((deal, obs[i : i + 1].copy(), actions[i][actions[i] > 0], int(answers[i])))
        return answers

    watched = Bot(agent, BATCH, call, np.zeros(N_PARAMS), bots[0].peeks)
    for deal in range(games):
        who = np.roll(np.arange(players), deal % players)[None]
        starter = np.array([first_starter(seed, players, deal)])
        play(rules, [watched, *bots[1:]], Games(np.array([deal]), np.zeros(1, np.int64), starter, who), seed)
    done, could = np.zeros(len(BLUNDER_KINDS) + STAYS, np.int64), np.zeros(len(BLUNDER_KINDS) + STAYS, np.int64)
    for _, obs, actions, answer in seen:
        wrong = judge(obs, actions)
        done[wrong[actions == answer]] += 1
        could[np.unique(wrong)] += 1
    rng = Stream(int(stream(seed, WORLD, 1, 0, 0)))
    regrets, game = [], []
    for number, (deal, obs, actions, answer) in enumerate(seen):
        if rng.below(len(seen)) < looks:
            costs, _ = look(obs, actions, worlds, int(stream(seed, WORLD, 2, number, 0)))
            regrets.append(regret(costs, int(np.flatnonzero(actions == answer)[0]))[0])
            game.append(deal)
    found = np.array(regrets)
    clusters, at = np.unique(game, return_inverse=True)
    means = np.bincount(at, found) / np.bincount(at)
    over = estimate(means, np.zeros(len(clusters), np.int64), 1)
    blunders = {name: (int(done[k]), int(could[k])) for k, name in enumerate(BLUNDER_KINDS, STAYS)}
    return Plausibility(
        len(seen), len(found), float(over.mean[0]), float(over.lo[0]), float(over.hi[0]),
        float(np.quantile(found, 0.95)), blunders,
    )  # fmt: skip


def regret(costs: np.ndarray, chosen: int) -> tuple[float, float]:
    """Return what an action cost more than the best, and the standard error of that.

    In each half of the worlds it is held against the action that comes off best in the other half. That action may
    not be the best there is, so what is found is rather too little than too much.

    Parameters
    ----------
    costs : float64[worlds, n]
        What each action cost in each world; four worlds or more, for an error.
    chosen
        Which action.
    """
    half = len(costs) // 2
    total, variance = 0.0, 0.0
    for mine, others in ((costs[:half], costs[half:]), (costs[half:], costs[:half])):
        best = int(others.mean(0).argmin())
        more = mine[:, chosen] - mine[:, best]
        total += float(more.mean())
        variance += float(more.var(ddof=1)) / len(more) if len(more) > 1 else np.nan
    return total / 2, variance**0.5 / 2


# ── The ladder ────────────────────────────────────────────────────────────────────────────────────────


# Sets of deals: those on which levels are measured alone, in pairs, and looked at.
ALONE, PAIRS, LOOKS = range(3)
SETS = 3

FLOOR = "random"  # who every level should be better than

LEAST_LOOKS, MOST_LOOKS, GAME_LOOKS = 20, 240, 10  # decisions looked at: as many as deals, in a tenth as many games


@dataclass(frozen=True)
class Ladder:
    """Levels, from the weakest to the strongest, as they were measured.

    Attributes
    ----------
    agents
        The agents by the names of the levels.
    alone
        Each among the references, all on the same deals.
    pairs
        Levels against lower ones, by their places: the two share the seats. Neighbours are there, others may be.
    floor
        The weakest against `random`: the two share the seats.
    plausible
        How each plays.
    """

    agents: dict[str, str]
    alone: list[Results]
    pairs: dict[tuple[int, int], Results]
    floor: Results
    plausible: list[Plausibility]

    @property
    def names(self) -> list[str]:
        """The names of the levels."""
        return list(self.agents)

    def values(self, column: str) -> list[Any]:
        """Return the block numbers of every level: float64[blocks] each, on the same deals."""
        return [numbers(results, column) for results in self.alone]

    @cached_property
    def steps(self) -> pd.DataFrame:
        """The `steps` table."""
        return steps(self.names, self.values("diff"))

    def strength(self, k: int, column: str) -> Estimate:
        """Return the estimate of one level, `win` or another column of block numbers."""
        return mean(numbers(self.alone[k], column), column)

    def taken(self, k: int, column: str, below: int | None = None) -> Estimate:
        """Return the share that level `k` took of the rounds or games that it and a lower (None: the next) won."""
        return mean(taken(self.pairs[k, k - 1 if below is None else below], column), "win")

    @property
    def lost(self) -> Estimate:
        """The share of the games that plain chance takes from the weakest level."""
        return mean(1 - taken(self.floor, "win"), "win")

    def off(self, k: int) -> Estimate:
        """Return by how much the step up to level `k` is larger than the mean step, in pips/round."""
        values = self.values("diff")
        gaps = [below - level for below, level in itertools.pairwise(values)]
        return mean(gaps[k - 1] - np.mean(gaps, axis=0), "diff")

    @property
    def pairs_table(self) -> pd.DataFrame:
        """The `pairs` table."""
        rows: dict[str, list[Any]] = {name: [] for name in ladder_tables.PAIRS.names}
        for (k, below), results in self.pairs.items():
            rows["level"].append(self.names[k])
            rows["below"].append(self.names[below])
            rows["blocks"].append(len(taken(results, "win")))
            why = []
            for name, column in (("rounds", "round_wins"), ("games", "win")):
                e = self.taken(k, column, below)
                for end, value in (("", e.mean), ("_lo", e.lo), ("_hi", e.hi)):
                    rows[name + end].append(value[0])
                why += [f"{name}: {e.why[0]}"] if e.why[0] else []
            rows["note"].append("; ".join(why))
        return tables.frame(
            ladder_tables.PAIRS, {name: np.array(rows[name]) if name == "blocks" else rows[name] for name in rows}
        )


def mean(values: Any, column: str) -> Estimate:
    """Return the mean of one agent's block numbers, with its interval."""
    who = np.zeros(len(values), np.int64)
    return estimate_share(values, who, 1) if column in ("win", "round_wins") else estimate(values, who, 1)


def climb(
    matches: Matches,
    registry: Registry,
    agents: Mapping[str, str],
    deals: int,
    pair_deals: int,
    first_set: int,
    stage: str,
    all_pairs: bool = False,
) -> Ladder:
    """Measure levels.

    Parameters
    ----------
    matches
        Who plays, and where it is kept.
    registry
        Where agents are found.
    agents
        The agents by the names of the levels, from the weakest to the strongest.
    deals, pair_deals
        Deals that each level plays alone, and against the next lower.
    first_set
        The number of the first set of deals; `SETS` are taken.
    stage
        What the tournaments are called.
    all_pairs
        Does every level meet every other, not the next lower alone?
    """
    named, kept = list(agents.items()), matches.kept
    alone = [kept.results(f"{stage}-{name}", matches.alone(agent, deals, first_set + ALONE)) for name, agent in named]
    pairs = {}
    for k, (name, agent) in enumerate(named):
        for below in range(0 if all_pairs else max(k - 1, 0), k):
            lower, theirs = named[below]
            t = matches.pair(agent, theirs, pair_deals, first_set + PAIRS)
            pairs[k, below] = kept.results(f"{stage}-{name}-{lower}", t)
    floor = kept.results(f"{stage}-{FLOOR}", matches.pair(named[0][1], FLOOR, pair_deals, first_set + PAIRS))
    others = [registry.parse(text) for text in matches.others()]
    looks = max(LEAST_LOOKS, min(MOST_LOOKS, deals))
    plausible = [
        plausibility(
            registry.parse(agent), others, matches.rules, matches.seed_of(first_set + LOOKS),
            games=looks // GAME_LOOKS, looks=looks,
        )
        for agent in agents.values()
    ]  # fmt: skip
    return Ladder(dict(agents), alone, pairs, floor, plausible)
