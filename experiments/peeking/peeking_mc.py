"""Monte Carlo with the true hands in every world: what seeing the hidden tiles is worth."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from mtrain import compiled
from mtrain.strategy.montecarlo import monte_carlo


@dataclass(frozen=True)
class Agent:
    """Plays the legal actions out over the true hands and a shuffled boneyard.

    Parameters
    ----------
    worlds, rollout, objective, base, gate
        As in `mc`.
    worlds_from
        The true hands: `peek`.
    """

    worlds: int = 64
    rollout: Literal["random", "greedy", "double-holder", "planner"] = "planner"
    objective: Literal["pips", "lead", "out", "game"] = "pips"
    base: Literal["none", "planner", "heuristic"] = "heuristic"
    gate: float = 1.2
    worlds_from: Literal["counts", "proofs", "policy", "peek"] = "peek"

    peeks: ClassVar[bool] = True
    kernel = compiled(monte_carlo)

    @property
    def effort(self) -> float:
        """Roughly how many µs a decision takes."""
        return 60.0 * self.worlds
