"""A strong bot weakened as people are weak: what difficulty levels are made of."""

from dataclasses import dataclass
from typing import Literal

from mtrain import compiled
from mtrain.strategy.weaken import ALL, levelled_policy


@dataclass(frozen=True)
class Agent:
    """Weighs the legal actions in pips, and takes one of the better ones: mistakes are small more often than large.

    With nothing said it is its base, action for action.

    Parameters
    ----------
    base
        Who is weakened.
    temperature
        Pips: an action that costs so much more is chosen 2.7 times as rarely. 0: the best is taken.
    blunders
        Share of the decisions in which it takes any action, all alike.
    worlds
        Of `mc`: in how many sampled worlds it tries its actions.
    depth
        How many tiles of its own train it plans ahead, on average; 99: all.
    memory
        Share of what draws and passes have proved that it remembers.
    counting
        Share of the tiles laid that it remembers where it asks which are still to come.
    hoard
        Pips: how much it likes to keep a double.
    sense
        Does it leave out what nobody would do: staying in where it can go out, passing where it can lay, leaving its
        train marked where closing it costs nothing?
    """

    base: Literal["heuristic", "planner", "mc"] = "heuristic"
    temperature: float = 0.0
    blunders: float = 0.0
    worlds: int = 64
    depth: float = float(ALL)
    memory: float = 1.0
    counting: float = 1.0
    hoard: float = 0.0
    sense: bool = True

    version = 1
    kernel = compiled(levelled_policy)

    @property
    def effort(self) -> float:
        """Roughly how many µs a decision takes."""
        return 60.0 * self.worlds if self.base == "mc" else 5.0

    def __post_init__(self) -> None:
        for name in ("temperature", "hoard"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is a number of pips, 0 or more, not {getattr(self, name):g}")
        if not 1 <= self.worlds <= 10_000:
            raise ValueError(f"worlds is a number of worlds from 1 to 10000, not {self.worlds}")
        if not 1 <= self.depth <= ALL:
            raise ValueError(f"depth is a number of tiles from 1 to {ALL}, not {self.depth:g}")
        for name in ("blunders", "memory", "counting"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is a share from 0 to 1, not {getattr(self, name):g}")
