"""Keeps its doubles back while it has another play."""

from dataclasses import dataclass

from mtrain import compiled
from mtrain.strategy.policies import double_holder_policy


@dataclass(frozen=True)
class Agent:
    """Dumps the heaviest tile that is no double, and a double only where nothing else fits or it is time to let go.

    Parameters
    ----------
    hand
        With at most so many tiles in its own hand, doubles are tiles like any other.
    rival
        The same once somebody else holds at most so many.
    covered
        Does it lay a double that it can cover itself at once?
    """

    hand: int = 0
    rival: int = 0
    covered: bool = False

    version = 1
    kernel = compiled(double_holder_policy)

    def __post_init__(self) -> None:
        for name in ("hand", "rival"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is a number of tiles, 0 or more, not {getattr(self, name)}")
