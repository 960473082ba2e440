"""Exporting: levels for a game to load, and what is added to a levels file after it was made.

A game wants to know who each level is, parameter by parameter, and what it is worth where; it reads JSON.
"""

import platform
from typing import Any

import pandas as pd

from mtrain.arena.verifying import Verified
from mtrain.study import files
from mtrain.study.written import elsewhere_said
from mtrain.think.levels import Levels, levels_text
from mtrain.think.registry import Registry, all_params
from mtrain.think.versions import made_of

FORMAT = "mtrain-levels-export/1"


def exported(levels: Levels) -> dict[str, Any]:
    """Return the levels as JSON values."""
    registry = Registry(levels.places)
    listed = []
    for level in levels.levels.values():
        spec = registry.parse(level.agent)
        strength = {
            name: level.said[name]
            for name in ("win", "win_lo", "win_hi", "diff", "diff_lo", "diff_hi")
            if name in level.said
        }
        listed.append({"name": level.name, "agent": spec.name, "parameters": all_params(spec), "strength": strength})
    return {"format": FORMAT, "title": levels.said.get("title", ""), "conditions": levels.conditions, "levels": listed}


def write_verified(levels: Levels, found: Verified) -> None:
    """Write a verdict and the times of decisions into a file; where all holds, the versions of today's agents, too."""
    times = [
        {"level": str(row["agent"]), "decisions": int(row["decisions"]), "p95_us": round(float(row["p95"]), 1)}
        for row in found.timing.to_dict("records")
    ]
    machine = f"{platform.system()}, {platform.machine()}, Python {platform.python_version()}"
    verdict = {
        "holds": found.holds, "seed": found.seed, "blocks": found.ladder.alone[0].manifest.blocks,
        "failed": [f"{row['level']}: {row['claim']}" for row in found.claims.to_dict("records") if not row["holds"]],
        "machine": machine, "time": times,
    }  # fmt: skip
    said = levels.said | {"verified": verdict}
    if found.holds:
        registry = Registry(levels.places)
        said["level"] = [each | made_of(registry.parse(each["agent"])) for each in said["level"]]
    files.put(levels.path, levels_text(said).encode())


def write_elsewhere(levels: Levels, frame: pd.DataFrame, seed: int) -> None:
    """Write what levels are worth at other tables into a file, in place of what it said of the same tables."""
    new = elsewhere_said(frame, seed)
    places = {(each["rules"], each["players"]) for each in new}
    kept = [each for each in levels.said.get("elsewhere", ()) if (each["rules"], each["players"]) not in places]
    files.put(levels.path, levels_text(levels.said | {"elsewhere": kept + new}).encode())
