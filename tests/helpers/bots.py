"""Agents by their texts, and what a compiled one is handed beside the observation."""

import numpy as np

from mtrain.bots.agent import Bot
from mtrain.bots.registry import Registry, build
from mtrain.game.state import AGENT_STATE


def bot(text: str) -> Bot:
    return build(Registry().parse(text))


def own(params: np.ndarray, chance: int = 1) -> np.ndarray:
    made = np.zeros(1, AGENT_STATE)
    made[0].rng = chance
    made[0].params[: len(params)] = params
    return made
