"""mtrain: research harness and bot arena for Mexican Train dominoes.

The names below are the public face; each is imported from where it lives when it is first used, so that
``import mtrain`` costs nothing.
"""

import importlib
from typing import Any

__version__ = "0.1.0"

_HOMES = {
    "Action": "mtrain.game.notation",
    "AgentError": "mtrain.think.agent",
    "Fault": "mtrain.arena.play",
    "IllegalAction": "mtrain.game.engine",
    "RecordError": "mtrain.game.record",
    "Registry": "mtrain.think.agent",
    "RuleSet": "mtrain.game.rules",
    "RulesError": "mtrain.game.rules",
    "STATE": "mtrain.game.state",
    "TournamentError": "mtrain.arena.tournament",
    "advance": "mtrain.game.engine",
    "apply": "mtrain.game.engine",
    "below": "mtrain.game.rng",
    "compiled": "mtrain.think.agent",
    "legal_actions": "mtrain.game.engine",
    "list_actions": "mtrain.game.kernels",
    "new_game": "mtrain.game.engine",
    "next_round": "mtrain.game.engine",
    "nth_action": "mtrain.game.kernels",
    "observe": "mtrain.game.engine",
    "parse_position": "mtrain.game.notation",
    "plots": "mtrain.study.plots",
    "position_text": "mtrain.game.notation",
    "preset": "mtrain.game.rules",
    "read": "mtrain.study.results",
    "tournament": "mtrain.arena.tournament",
    "uniform": "mtrain.game.rng",
}

__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mtrain' has no attribute {name!r}")
    home = importlib.import_module(_HOMES[name])
    return home if _HOMES[name].endswith(f".{name}") else getattr(home, name)
