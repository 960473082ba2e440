"""Manifests: what is written down of a run, for whoever reads its tables later."""

import json
import platform
import time
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from mtrain import __version__
from mtrain.arena.controls import expected
from mtrain.arena.tournament import Tournament
from mtrain.game.rules import PRESETS, RULES_VERSION
from mtrain.think.agent import all_params

FORMAT = "mtrain-results/1"


def manifest_of(t: Tournament, jobs: int, started: float) -> dict[str, Any]:
    schedule = t.schedule
    return {
        "format": FORMAT,
        "title": t.title,
        "agents": {agent.label: str(agent) for agent in t.agents},
        "parameters": {agent.label: all_params(agent) for agent in t.agents},
        "peeking": [agent.label for agent in t.agents if agent.peeks],
        "preset": next((name for name, rules in PRESETS.items() if rules == t.rules), "house"),
        "rules": t.rules.to_json(),
        "rules_version": RULES_VERSION,
        "players": t.players,
        "seed": t.seed,
        "deals": t.deals,
        "seatings": schedule.mode,
        "schedule": t.kind,
        "lineups": [[t.agents[agent].label for agent in lineup] for lineup in schedule.lineups],
        "control": {name: mean for name, mean in expected(t.rules, t.players).items() if name in t.control},
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
