"""The command line that plays a tournament again: what `mtrain tournament` would have to be told."""

import json
import shlex
from collections.abc import Iterator
from dataclasses import Field
from typing import Any

from mtrain.arena.options import Options, flag_of, options_of
from mtrain.arena.schedule import LISTED, SELF_PLAY
from mtrain.arena.tournament import Tournament
from mtrain.game.rules import PRESETS, RuleSet
from mtrain.think.agent import PEEKS, AgentSpec

ALWAYS = ("players", "deals", "seed")
"""Options that are said even where they are what holds anyhow."""


def house_rules(rules: RuleSet) -> tuple[str, dict[str, Any]]:
    """Return the preset that rules are nearest to, and the fields in which they differ from it, as JSON values."""
    mine = rules.all_fields()
    differ = {
        name: {field: mine[field] for field, value in other.all_fields().items() if value != mine[field]}
        for name, other in PRESETS.items()
    }
    nearest = min(differ, key=lambda name: len(differ[name]))
    return nearest, differ[nearest]


def command_of(t: Tournament) -> str:
    """Return the command that plays a tournament again, but for where its tables go."""
    base, changes = house_rules(t.rules)
    labels = [agent.label.removesuffix(PEEKS) for agent in t.agents]
    told = vars(t) | {"lineups": [" ".join(labels[k] for k in lineup) for lineup in t.lineups if t.kind == LISTED]}
    said = {name: list(_words(each, told[name])) for name, each in options_of(Options).items() if each.metadata["help"]}
    if t.kind == SELF_PLAY:
        labels = [labels[0].removesuffix("#1")]
    agents = [_written(label, agent) for label, agent in zip(labels, t.agents, strict=False)]
    words = ["mtrain", "tournament", *agents, *said.pop("self_play"), "--rules", base]
    for field, value in changes.items():
        words += ["--set", f"{field}={json.dumps(value).strip(chr(34))}"]
    until = said.pop("until")
    for name, its in said.items():
        words += [*until, *its] if name == "on_fault" else its
    return shlex.join(words)


def _words(each: Field[Any], value: Any) -> Iterator[str]:
    """Yield what is to be said of an option; nothing where it is as if nothing were said."""
    if value is None or (value == each.default and each.name not in ALWAYS):
        return
    if value is True:
        yield flag_of(each)
    for item in value if isinstance(value, (list, tuple)) else () if value is True else (value,):
        yield from (flag_of(each), f"{item:g}" if isinstance(item, float) else str(item))


def _written(label: str, agent: AgentSpec) -> str:
    return str(agent) if label == str(agent) else f"{label}@{agent}"
