"""mtrain: research harness and bot arena for Mexican Train dominoes.

The names below are the public face; each is imported from where it lives when it is first used, so that
``import mtrain`` costs nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mtrain.arena.analysis import analyse as analyse
    from mtrain.arena.annotation import annotate as annotate
    from mtrain.arena.calibration import calibrate as calibrate
    from mtrain.arena.calls import tournament as tournament
    from mtrain.arena.comparison import compare as compare
    from mtrain.arena.faults import Fault as Fault
    from mtrain.arena.levels import tune as tune
    from mtrain.arena.merge import merge as merge
    from mtrain.arena.run import Interrupted as Interrupted
    from mtrain.arena.search import maximise as maximise
    from mtrain.arena.tournament import TournamentError as TournamentError
    from mtrain.game.engine import IllegalAction as IllegalAction
    from mtrain.game.engine import advance as advance
    from mtrain.game.engine import apply as apply
    from mtrain.game.engine import legal_actions as legal_actions
    from mtrain.game.engine import new_game as new_game
    from mtrain.game.engine import next_round as next_round
    from mtrain.game.engine import observe as observe
    from mtrain.game.jit import kernel as kernel
    from mtrain.game.kernels import list_actions as list_actions
    from mtrain.game.kernels import nth_action as nth_action
    from mtrain.game.notation import Action as Action
    from mtrain.game.positions import parse_position as parse_position
    from mtrain.game.positions import position_text as position_text
    from mtrain.game.record import RecordError as RecordError
    from mtrain.game.rng import below as below
    from mtrain.game.rng import uniform as uniform
    from mtrain.game.rules import RulesError as RulesError
    from mtrain.game.rules import RuleSet as RuleSet
    from mtrain.game.rules import preset as preset
    from mtrain.game.state import STATE as STATE
    from mtrain.show.board import board as board
    from mtrain.show.replay import replay as replay
    from mtrain.study import plots as plots
    from mtrain.study.comparing import compare_results as compare_results
    from mtrain.study.parts import read_parts as read_parts
    from mtrain.study.power import power as power
    from mtrain.study.results import read as read
    from mtrain.think.agent import AgentError as AgentError
    from mtrain.think.agent import compiled as compiled
    from mtrain.think.levels import read_levels as read_levels
    from mtrain.think.locations import locate as locate
    from mtrain.think.registry import Registry as Registry
    from mtrain.think.trail import best_train as best_train
    from mtrain.think.trail import parse_hand as parse_hand

__version__ = "0.1.0"

_HOMES = {
    "Action": "mtrain.game.notation",
    "AgentError": "mtrain.think.agent",
    "Fault": "mtrain.arena.faults",
    "Interrupted": "mtrain.arena.run",
    "IllegalAction": "mtrain.game.engine",
    "RecordError": "mtrain.game.record",
    "Registry": "mtrain.think.registry",
    "RuleSet": "mtrain.game.rules",
    "RulesError": "mtrain.game.rules",
    "STATE": "mtrain.game.state",
    "TournamentError": "mtrain.arena.tournament",
    "advance": "mtrain.game.engine",
    "analyse": "mtrain.arena.analysis",
    "annotate": "mtrain.arena.annotation",
    "apply": "mtrain.game.engine",
    "below": "mtrain.game.rng",
    "best_train": "mtrain.think.trail",
    "board": "mtrain.show.board",
    "calibrate": "mtrain.arena.calibration",
    "compare": "mtrain.arena.comparison",
    "compare_results": "mtrain.study.comparing",
    "compiled": "mtrain.think.agent",
    "kernel": "mtrain.game.jit",
    "legal_actions": "mtrain.game.engine",
    "list_actions": "mtrain.game.kernels",
    "locate": "mtrain.think.locations",
    "maximise": "mtrain.arena.search",
    "merge": "mtrain.arena.merge",
    "new_game": "mtrain.game.engine",
    "next_round": "mtrain.game.engine",
    "nth_action": "mtrain.game.kernels",
    "observe": "mtrain.game.engine",
    "parse_hand": "mtrain.think.trail",
    "parse_position": "mtrain.game.positions",
    "position_text": "mtrain.game.positions",
    "power": "mtrain.study.power",
    "preset": "mtrain.game.rules",
    "read": "mtrain.study.results",
    "read_levels": "mtrain.think.levels",
    "read_parts": "mtrain.study.parts",
    "replay": "mtrain.show.replay",
    "tournament": "mtrain.arena.calls",
    "tune": "mtrain.arena.levels",
    "uniform": "mtrain.game.rng",
}

_MODULES = {"plots": "mtrain.study.plots"}

__all__ = ["__version__", *sorted([*_HOMES, *_MODULES])]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name not in _HOMES:
        raise AttributeError(f"module 'mtrain' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
