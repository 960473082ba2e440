"""Manifests: what is written down of a run, for whoever reads its tables later."""

import json
import platform
import shlex
import time
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mtrain import __version__
from mtrain.arena.controls import expected
from mtrain.arena.schedule import GAUNTLET, LISTED, SELF_PLAY
from mtrain.arena.tournament import Tournament
from mtrain.game.rules import PRESETS, RULES_VERSION, RuleSet
from mtrain.think.agent import PEEKS, AgentSpec, all_params, bundled

FORMAT = "mtrain-results/1"


def manifest_of(t: Tournament, jobs: int, started: float) -> dict[str, Any]:
    schedule = t.schedule
    base, changes = house_rules(t.rules)
    return {
        "format": FORMAT,
        "title": t.title,
        "agents": {agent.label: str(agent) for agent in t.agents},
        "parameters": {agent.label: all_params(agent) for agent in t.agents},
        "peeking": [agent.label for agent in t.agents if agent.peeks],
        "preset": next((name for name, rules in PRESETS.items() if rules == t.rules), "house"),
        "base": base,
        "changes": changes,
        "rules": t.rules.to_json(),
        "rules_version": RULES_VERSION,
        "players": t.players,
        "seed": t.seed,
        "deals": t.deals,
        "seatings": schedule.mode,
        "schedule": t.kind,
        "anchor": None if t.anchor is None else t.anchor.to_json(),
        "lineups": [[t.agents[agent].label for agent in lineup] for lineup in schedule.lineups],
        "control": {name: mean for name, mean in expected(t.rules, t.players).items() if name in t.control},
        "blocks": schedule.n_blocks,
        "games": schedule.n_games,
        "rounds": t.rules.rounds,
        "versions": {"mtrain": __version__}
        | {name: version(name) for name in ("numba", "numpy", "pandas", "pyarrow", "joblib")},
        "machine": {"python": platform.python_version(), "system": platform.system(), "processor": platform.machine()},
        "command": command_of(t),
        "jobs": jobs,
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "finished": False,
    }


def house_rules(rules: RuleSet) -> tuple[str, dict[str, Any]]:
    """Return the preset that rules are nearest to, and the fields in which they differ from it, as JSON values."""
    mine = rules.to_json()
    differ = {
        name: {field: mine[field] for field, value in other.to_json().items() if value != mine[field]}
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
    for origin in dict.fromkeys(agent.origin for agent in t.agents if _brought(agent)):
        words += ["--agents", origin]
    if any(agent.peeks for agent in t.agents):
        words.append("--allow-peeking")
    return shlex.join(words)


def _written(label: str, agent: AgentSpec) -> str:
    return str(agent) if label == str(agent) else f"{label}@{agent}"


def _brought(agent: AgentSpec) -> bool:
    """Is an agent's code a file that was named, not one that comes with mtrain?"""
    path = Path(agent.origin)
    return path.is_file() and path.parent != bundled().resolve()


def to_bytes(manifest: Mapping[str, Any]) -> bytes:
    return (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode()
