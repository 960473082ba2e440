"""mtrain: research harness and bot arena for Mexican Train dominoes.

The names below are the public face; each is imported from where it lives when it is first used, so that
``import mtrain`` costs nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "Action": "mtrain.game.notation",
    "AgentError": "mtrain.think.agent",
    "IllegalAction": "mtrain.game.engine",
    "RecordError": "mtrain.game.record",
    "Registry": "mtrain.think.agent",
    "RuleSet": "mtrain.game.rules",
    "RulesError": "mtrain.game.rules",
    "STATE": "mtrain.game.state",
    "advance": "mtrain.game.engine",
    "apply": "mtrain.game.engine",
    "below": "mtrain.game.rng",
    "compiled": "mtrain.think.agent",
    "legal_actions": "mtrain.game.engine",
    "new_game": "mtrain.game.engine",
    "next_round": "mtrain.game.engine",
    "nth_action": "mtrain.game.kernels",
    "observe": "mtrain.game.engine",
    "preset": "mtrain.game.rules",
    "uniform": "mtrain.game.rng",
}

__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mtrain' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
