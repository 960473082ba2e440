"""Manifests: what is written down of a run, for whoever reads its tables later."""

import hashlib
import importlib.util
import json
import platform
import shlex
import time
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mtrain import __version__
from mtrain.arena.tournament import Tournament
from mtrain.game.rules import PRESETS, RULES_VERSION
from mtrain.think.agent import EXEC, AgentSpec, all_params

FORMAT = "mtrain-results/1"


def manifest_of(t: Tournament, jobs: int, started: float) -> dict[str, Any]:
    schedule = t.schedule
    return {
        "format": FORMAT,
        "title": t.title,
        "agents": {agent.label: str(agent) for agent in t.agents},
        "parameters": {agent.label: all_params(agent) for agent in t.agents},
        "agents_from": list(t.agents_from),
        "folder": t.folder,
        "sources": {agent.label: source(agent) for agent in t.agents},
        "peeking": [agent.label for agent in t.agents if agent.peeks],
        "uses_clock": [agent.label for agent in t.agents if agent.uses_clock],
        "reproducible": not any(agent.uses_clock for agent in t.agents),
        "preset": next((name for name, rules in PRESETS.items() if rules == t.rules), "house"),
        "rules": t.rules.to_json(),
        "rules_version": RULES_VERSION,
        "players": t.players,
        "seed": t.seed,
        "deals": t.deals,
        "seatings": schedule.mode,
        "schedule": t.kind,
        "on_fault": t.on_fault,
        "lineups": [[t.agents[agent].label for agent in lineup] for lineup in schedule.lineups],
        "blocks": schedule.n_blocks,
        "games": schedule.n_games,
        "rounds": t.rules.rounds,
        "versions": {"mtrain": __version__}
        | {name: version(name) for name in ("numba", "numpy", "pandas", "pyarrow", "joblib")},
        "machine": {"python": platform.python_version(), "system": platform.system(), "processor": platform.machine()},
        "jobs": jobs,
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "finished": False,
    }


def to_bytes(manifest: Mapping[str, Any]) -> bytes:
    return (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode()


def source(agent: AgentSpec) -> str:
    """Return a short hash of the source file that an agent comes from; of a program, of all files in its command."""
    origin = agent.origin
    if agent.name == EXEC:
        words = shlex.split(dict(agent.params)["command"])
        named = [path for word in words if (path := Path(origin, word)).is_file()]
        return _hash(named) if named else ""
    if origin.startswith("entry:"):
        found = importlib.util.find_spec(origin.split(":")[1])
        origin = found.origin or "" if found else ""
    return _hash([Path(origin)]) if Path(origin).is_file() else ""


def _hash(paths: list[Path]) -> str:
    """Hash texts, whatever the system ends its lines with."""
    known = hashlib.sha256()
    for path in paths:
        known.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return known.hexdigest()[:16]
