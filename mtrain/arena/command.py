"""The command line that plays a tournament again: what `mtrain tournament` would have to be told."""

import json
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from mtrain.arena.faults import SUBSTITUTE
from mtrain.arena.schedule import GAUNTLET, LISTED, SELF_PLAY
from mtrain.arena.tournament import Tournament
from mtrain.game.rules import PRESETS, RuleSet
from mtrain.think.agent import EXEC, PEEKS, AgentSpec
from mtrain.think.process import Limits


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
    words = ["mtrain", "tournament"]
    if t.kind == SELF_PLAY:
        words += [_written(labels[0].removesuffix("#1"), t.agents[0]), "--self-play"]
    else:
        words += [_written(label, agent) for label, agent in zip(labels, t.agents, strict=True)]
    words += ["--rules", base]
    for field, value in changes.items():
        words += ["--set", f"{field}={json.dumps(value).strip(chr(34))}"]
    words += ["--players", str(t.players)]
    if t.kind == GAUNTLET:
        shared = set.intersection(*map(set, t.lineups))
        words += ["--focus", labels[next(k for k in sorted(shared) if all(line.count(k) == 1 for line in t.lineups))]]
    if t.kind == LISTED:
        for lineup in t.lineups:
            words += ["--lineup", " ".join(labels[agent] for agent in lineup)]
    if t.seated:
        words += ["--seatings", t.seated]
    words += ["--deals", str(t.deals), "--seed", str(t.seed)]
    if t.anchor:
        words += ["--anchor", str(t.anchor)]
    for place in t.agents_from:
        words += ["--agents", place]
    if any(agent.peeks for agent in t.agents):
        words.append("--allow-peeking")
    if t.until:
        words += ["--until", str(t.until)]
    if t.on_fault != SUBSTITUTE:
        words += ["--on-fault", t.on_fault]
    return shlex.join([*words, *_limits(t.agents)])


def _limits(agents: Sequence[AgentSpec]) -> Iterator[str]:
    """Yield what is to be said of the limits of programs; they are the same for all."""
    for agent in agents:
        if agent.name == EXEC:
            given = dict(agent.params)
            for option, name in (("--bot-time", "seconds"), ("--bot-start", "start"), ("--bot-memory", "memory")):
                if given[name] != getattr(Limits, name):
                    yield from (option, f"{given[name]:g}")
            return


def _written(label: str, agent: AgentSpec) -> str:
    return str(agent) if label == str(agent) else f"{label}@{agent}"
