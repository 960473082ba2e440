"""Manifests: what is written down of a run, for whoever reads its tables later or plays it again."""

import functools
import platform
import shlex
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mtrain.arena.command import command_of, house_rules
from mtrain.arena.tournament import Tournament
from mtrain.game.rules import RULES_VERSION
from mtrain.study.results import FORMAT
from mtrain.think.agent import EXEC, AgentSpec
from mtrain.think.registry import all_params
from mtrain.think.versions import hash_of, source_at
from mtrain.version import __version__

_CODE = ("arena/play.py", "arena/faults.py", "arena/schedule.py", "arena/chunks.py", "study/tables.py")


def manifest_of(t: Tournament, jobs: int, started: float) -> dict[str, Any]:
    """Return the manifest of a run that has not begun.

    Parameters
    ----------
    t
        What is to be played.
    jobs
        Workers.
    started
        Seconds since 1970.
    """
    schedule = t.schedule
    base, changes = house_rules(t.rules)
    return {
        "format": FORMAT,
        "title": t.title,
        "agents": {agent.label: str(agent) for agent in t.agents},
        "parameters": {agent.label: all_params(agent) for agent in t.agents},
        "agents_from": list(t.agents_from),
        "folder": t.folder,
        "sources": {agent.label: source(agent) for agent in t.agents},
        "code": code(),
        "peeking": [agent.label for agent in t.agents if agent.peeks],
        "uses_clock": [agent.label for agent in t.agents if agent.uses_clock],
        "reproducible": not any(agent.uses_clock for agent in t.agents),
        "preset": "house" if changes else base,
        "base": base,
        "changes": changes,
        "rules": t.rules.to_json(),
        "rules_version": RULES_VERSION,
        "players": t.players,
        "seed": t.seed,
        "deals": t.deals,
        "seatings": schedule.mode,
        "schedule": t.kind,
        "on_fault": t.on_fault,
        "anchor": None if t.anchor is None else t.anchor.to_json(),
        "lineups": [[t.agents[agent].label for agent in lineup] for lineup in schedule.lineups],
        "blocks": schedule.n_blocks,
        "games": schedule.n_games,
        "rounds": t.rules.rounds,
        "until": None if t.until is None else str(t.until),
        "look": t.chunk_size,
        "share": None,
        "versions": {"mtrain": __version__}
        | {name: version(name) for name in ("numba", "numpy", "pandas", "pyarrow", "joblib")},
        "machine": {"python": platform.python_version(), "system": platform.system(), "processor": platform.machine()},
        "command": command_of(t),
        "jobs": jobs,
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "finished": False,
    }


def source(agent: AgentSpec) -> str:
    """Return a short hash of the source file that an agent comes from; of a program, of all files in its command."""
    if agent.name == EXEC:
        words = shlex.split(dict(agent.params)["command"])
        named = [path for word in words if (path := Path(agent.origin, word)).is_file()]
        return hash_of(named) if named else ""
    return source_at(agent.origin)


@functools.cache
def code() -> str:
    """Return a short hash of the sources of mtrain that games and their tables depend on."""
    package = Path(__file__).parents[1]
    paths = [path for wing in ("game", "think") for path in sorted((package / wing).glob("*.py"))]
    return hash_of([*paths, *(package / name for name in _CODE)])
