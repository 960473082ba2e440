"""The ladder: levels measured on fresh deals, alone among the references and against their neighbours.

What a tuning finds is confirmed by it, and what a file claims is verified by it: one measurement, two uses.
"""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from mtrain.arena.plausibility import Plausibility, plausibility
from mtrain.arena.plays import Plays, numbers, taken
from mtrain.study import ladder_tables, tables
from mtrain.study.intervals import Estimate, estimate, estimate_share
from mtrain.study.ladder import steps
from mtrain.study.results import Results
from mtrain.think.registry import Registry

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
    plays: Plays,
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
    plays
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
    named, kept = list(agents.items()), plays.kept
    alone = [kept.results(f"{stage}-{name}", plays.alone(agent, deals, first_set + ALONE)) for name, agent in named]
    pairs = {}
    for k, (name, agent) in enumerate(named):
        for below in range(0 if all_pairs else max(k - 1, 0), k):
            lower, theirs = named[below]
            t = plays.pair(agent, theirs, pair_deals, first_set + PAIRS)
            pairs[k, below] = kept.results(f"{stage}-{name}-{lower}", t)
    floor = kept.results(f"{stage}-{FLOOR}", plays.pair(named[0][1], FLOOR, pair_deals, first_set + PAIRS))
    others = [registry.parse(text) for text in plays.others()]
    looks = max(LEAST_LOOKS, min(MOST_LOOKS, deals))
    plausible = [
        plausibility(
            registry.parse(agent), others, plays.rules, plays.seed_of(first_set + LOOKS),
            games=looks // GAME_LOOKS, looks=looks,
        )
        for agent in agents.values()
    ]  # fmt: skip
    return Ladder(dict(agents), alone, pairs, floor, plausible)
