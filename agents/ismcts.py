"""Information-set Monte Carlo tree search: looks ahead over its own decisions, in one sampled world after another."""

from dataclasses import dataclass
from typing import Literal

from mtrain import compiled
from mtrain.strategy.ismcts import tree_search


@dataclass(frozen=True)
class Agent:
    """Grows a tree over its own decisions, walking it in worlds that agree with what it has seen; the others plan.

    It plays the best of the actions visited most, but leaves a base policy's choice only for one that is surely better.

    Parameters
    ----------
    iterations
        Its budget: a decision costs as many roll-outs as if every legal action were tried so many times.
    explore
        How much it tries what looks worse, in spreads of what its ways cost.
    grow
        Visits from which a node has children: a number beyond the budget leaves no tree, a bandit at the root only.
    objective
        What counts: its own `pips`, its `lead` (own pips less the mean of the others'), whether it goes `out`, or its
        chance to win the `game`, by the totals and the rounds to come.
    base
        Whose choice it leaves for a better one only; `none`: its own best is played.
    gate
        Standard errors by which the gain must exceed 0.
    ways
        How often it walks each world, from another of its legal actions each time.
    paired
        Play each world from the base's choice, too, and look at what a way costs more? For `none` there is no such.
    """

    iterations: int = 64
    explore: float = 1.0
    grow: int = 8
    objective: Literal["pips", "lead", "out", "game"] = "pips"
    base: Literal["none", "planner", "heuristic"] = "heuristic"
    gate: float = 2.0
    ways: int = 2
    paired: bool = True

    version = 1
    kernel = compiled(tree_search)

    @property
    def effort(self) -> float:
        """Roughly how many µs a decision takes."""
        return 80.0 * self.iterations

    def __post_init__(self) -> None:
        if not 1 <= self.iterations <= 1_000_000:
            raise ValueError(f"iterations is a number from 1 to 1000000, not {self.iterations}")
        if self.explore < 0:
            raise ValueError(f"explore is a number of spreads, 0 or more, not {self.explore:g}")
        if self.grow < 1:
            raise ValueError(f"grow is a number of visits, 1 or more, not {self.grow}")
        if self.ways < 1:
            raise ValueError(f"ways is a number of walks, 1 or more, not {self.ways}")
        if self.gate < 0:
            raise ValueError(f"gate is a number of standard errors, 0 or more, not {self.gate:g}")
