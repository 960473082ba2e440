"""Monte Carlo determinization: tries every legal action in the same sampled worlds."""

from dataclasses import dataclass
from typing import Literal

from mtrain import compiled
from mtrain.think.montecarlo import monte_carlo


@dataclass(frozen=True)
class Agent:
    """Deals the tiles it cannot see again, many times, and plays every legal action out in each of those worlds.

    Parameters
    ----------
    worlds
        How many worlds are sampled for a decision: its whole budget.
    rollout
        The policy of all seats after the candidate; each sees only its own hand.
    objective
        What counts: its own `pips`, its `lead` (own pips less the mean of the others'), or whether it goes `out`.
    """

    worlds: int = 16
    rollout: Literal["random", "greedy", "double-holder"] = "greedy"
    objective: Literal["pips", "lead", "out"] = "pips"

    kernel = compiled(monte_carlo)

    @property
    def effort(self) -> float:
        """Roughly how many µs a decision takes."""
        return 12.0 * self.worlds

    def __post_init__(self) -> None:
        if not 1 <= self.worlds <= 1_000_000:
            raise ValueError(f"worlds is a number of worlds from 1 to 1000000, not {self.worlds}")
