"""Dumps the heaviest tile that fits."""

from dataclasses import dataclass
from typing import Literal

from mtrain import compiled
from mtrain.strategy.policies import greedy_policy


@dataclass(frozen=True)
class Agent:
    """Lays the heaviest tile that fits, wherever it fits.

    Parameters
    ----------
    own
        Pips that a place on its own train is worth: above 0 it likes its own train, below 0 it spares it.
    ties
        Between equals: a `random` one, or the one that its hand could best `follow`.
    """

    own: float = 0.0
    ties: Literal["random", "follow"] = "random"

    version = 1
    kernel = compiled(greedy_policy)
