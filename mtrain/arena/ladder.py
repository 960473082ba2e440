"""The ladder: levels measured on fresh deals, alone among the references and against their neighbours.

What a tuning finds is confirmed by it, and what a file claims is verified by it: one measurement, two uses.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from mtrain.arena.plausibility import Plausibility, plausibility
from mtrain.arena.plays import AGENT, BELOW, Plays, numbers
from mtrain.study.intervals import Estimate, estimate, estimate_share
from mtrain.study.ladder import steps
from mtrain.study.results import Results
from mtrain.think.registry import Registry

# Sets of deals: those on which levels are measured alone, in pairs, and looked at.
ALONE, PAIRS, LOOKS = range(3)
SETS = 3


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
        Each, from the second on, against the next lower: the two share the seats.
    plausible
        How each plays.
    """

    agents: dict[str, str]
    alone: list[Results]
    pairs: list[Results]
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

    def taken(self, k: int, column: str) -> Estimate:
        """Return the share that level `k` took, of the rounds or games that it and the next lower won."""
        mine, theirs = (numbers(self.pairs[k - 1], column, label) for label in (AGENT, BELOW))
        with np.errstate(invalid="ignore"):
            return mean(mine / (mine + theirs), "win")


def mean(values: Any, column: str) -> Estimate:
    """Return the mean of one agent's block numbers, with its interval."""
    who = np.zeros(len(values), np.int64)
    return estimate_share(values, who, 1) if column in ("win", "round_wins") else estimate(values, who, 1)


def climb(
    plays: Plays, registry: Registry, agents: Mapping[str, str], deals: int, pair_deals: int, first_set: int, stage: str
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
    """
    named = list(agents.items())
    alone = [
        plays.results(f"{stage}-{name}", plays.alone(agent, deals, first_set + ALONE)) for name, agent in named
    ]
    pairs = [
        plays.results(f"{stage}-{name}-{below}", plays.pair(agent, lower, pair_deals, first_set + PAIRS))
        for (below, lower), (name, agent) in zip(named, named[1:], strict=False)
    ]
    others = [registry.parse(text) for text in plays.others()]
    plausible = [
        plausibility(registry.parse(agent), others, plays.rules, plays.seed_of(first_set + LOOKS))
        for agent in agents.values()
    ]
    return Ladder(dict(agents), alone, pairs, plausible)
