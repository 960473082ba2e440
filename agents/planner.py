"""Plans its own train, and lays off the plan what fits elsewhere."""

from dataclasses import dataclass
from typing import Literal

from mtrain import compiled
from mtrain.strategy.planner import planner_policy


@dataclass(frozen=True)
class Agent:
    """Keeps the longest train of its hand for its own end, and lays the other tiles first, the heaviest that fits.

    Parameters
    ----------
    pair
        Pips that two tiles in one turn are worth: a double off the plan, and a tile off it to cover it.
    order
        What it lays where both fit: a tile of the `rest` on another train, or its `plan`'s next.
    """

    pair: float = 30.0
    order: Literal["rest", "plan"] = "rest"

    version = 1
    kernel = compiled(planner_policy)

    @property
    def effort(self) -> float:
        """Roughly how many µs a decision takes."""
        return 2.0
