"""Manifests: what is written down of a run, for whoever reads its tables later or plays it again."""

import platform
import time
from importlib.metadata import version
from typing import Any

from mtrain.arena.command import command_of, house_rules
from mtrain.arena.options import Options, options_of
from mtrain.arena.tournament import Tournament
from mtrain.game.rules import RULES_VERSION
from mtrain.study.anchors import parse_anchor
from mtrain.study.manifest import FORMAT, Manifest
from mtrain.think.registry import all_params
from mtrain.version import __version__


def manifest_of(t: Tournament, jobs: int, started: float) -> Manifest:
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
    schedule, labels = t.schedule, [agent.label for agent in t.agents]
    base, changes = house_rules(t.rules)
    said: dict[str, Any] = {
        "format": FORMAT,
        "title": t.title,
        "agents": {agent.label: str(agent) for agent in t.agents},
        "parameters": {agent.label: all_params(agent) for agent in t.agents},
        "agents_from": list(t.agents_from),
        "folder": t.folder,
        "sources": {agent.label: agent.source for agent in t.agents},
        "agent_versions": {agent.label: agent.version for agent in t.agents},
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
        "anchor": None if t.anchor is None else parse_anchor(t.anchor, labels).to_json(),
        "lineups": [[t.agents[agent].label for agent in lineup] for lineup in schedule.lineups],
        "blocks": schedule.n_blocks,
        "games": schedule.n_games,
        "rounds": t.rules.rounds,
        "until": t.until,
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
    for name, each in options_of(Options).items():
        if name not in said and not each.metadata.get("derived") and (value := getattr(t, name)) != each.default:
            said[name] = value
    return Manifest.of(said)
