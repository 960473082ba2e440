"""Plays a legal action at random, all alike."""

from dataclasses import dataclass

from mtrain import compiled
from mtrain.strategy.policies import uniform_policy


@dataclass(frozen=True)
class Agent:
    """Uniformly random: the floor that every other bot is measured from."""

    version = 1
    kernel = compiled(uniform_policy)
