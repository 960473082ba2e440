"""Agents by their texts, and what a compiled one is handed beside the observation."""

import numpy as np

from mtrain.game.state import OWN
from mtrain.think.agent import Bot
from mtrain.think.registry import Registry, build


def bot(text: str) -> Bot:
    return build(Registry().parse(text))


def own(params: np.ndarray, chance: int = 1) -> np.ndarray:
    made = np.zeros(1, OWN)
    made[0].chance = chance
    made[0].params[: len(params)] = params
    return made
