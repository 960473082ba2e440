"""Manifests: what is written down of a run, for whoever reads its tables later, and what two of them have in common.

Most of a manifest is the spec: what the games depend on. Runs of one spec have the same games, wherever and however
they are played, so they can be gone on with and put together; the rest says how this one went.
"""

import functools
import hashlib
import importlib.util
import json
import platform
import time
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mtrain import __version__
from mtrain.arena.tournament import Tournament
from mtrain.game.rules import PRESETS, RULES_VERSION
from mtrain.think.agent import all_params

FORMAT = "mtrain-results/1"

HOW = ("title", "machine", "jobs", "backend", "started", "finished", "seconds", "warnings", "stopped", "merged")
"""What a manifest says of how a run went; all else is the spec."""

_CODE = ("arena/play.py", "arena/schedule.py", "arena/chunks.py", "study/tables.py")

_FIRST = ("agents", "players", "seed", "rules", "deals", "lineups")
_LONGEST = 80  # characters of a value in a sentence

_MUTE = ("blocks", "games", "rounds", "look", "seatings", "parameters", "preset")


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
    return {
        "format": FORMAT,
        "title": t.title,
        "agents": {agent.label: str(agent) for agent in t.agents},
        "parameters": {agent.label: all_params(agent) for agent in t.agents},
        "sources": {agent.label: source(agent.origin) for agent in t.agents},
        "code": code(),
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
        "blocks": schedule.n_blocks,
        "games": schedule.n_games,
        "rounds": t.rules.rounds,
        "until": None if t.until is None else str(t.until),
        "look": t.chunk_size,
        "share": None,
        "versions": {"mtrain": __version__}
        | {name: version(name) for name in ("numba", "numpy", "pandas", "pyarrow", "joblib")},
        "machine": {"python": platform.python_version(), "system": platform.system(), "processor": platform.machine()},
        "jobs": jobs,
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "finished": False,
    }


def to_bytes(manifest: Mapping[str, Any]) -> bytes:
    return (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode()


def source(origin: str) -> str:
    """Return a short hash of the source file that an agent comes from."""
    if origin.startswith("entry:"):
        found = importlib.util.find_spec(origin.split(":")[1])
        origin = found.origin or "" if found else ""
    return _hash([Path(origin)]) if Path(origin).is_file() else ""


@functools.cache
def code() -> str:
    """Return a short hash of the sources of mtrain that games and their tables depend on."""
    package = Path(__file__).parents[1]
    paths = [path for wing in ("game", "think") for path in sorted((package / wing).glob("*.py"))]
    return _hash([*paths, *(package / name for name in _CODE)])


def _hash(paths: list[Path]) -> str:
    """Hash texts, whatever the system ends its lines with."""
    known = hashlib.sha256()
    for path in paths:
        known.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return known.hexdigest()[:16]


def spec(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the games of a run depend on: the manifest without how it went."""
    kept = {key: value for key, value in manifest.items() if key not in HOW}
    return kept | {"versions": {"mtrain": manifest.get("versions", {}).get("mtrain")}}


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return in what two specs differ: the field (``rules.rounds``) and its two values, the telling ones first.

    A field that follows from others (how many games there are) is named only where no other differs.
    """
    plain = [json.loads(json.dumps(spec(each))) for each in (one, other)]
    found = list(_differences("", *plain))
    telling = [each for each in found if each[0].partition(".")[0] not in _MUTE] or found
    return sorted(telling, key=lambda each: each[0].partition(".")[0] not in _FIRST)


def _differences(prefix: str, one: Any, other: Any) -> Iterator[tuple[str, Any, Any]]:
    if json.dumps(one) == json.dumps(other):  # the order of labels counts: it numbers the agents
        return
    if isinstance(one, Mapping) and isinstance(other, Mapping) and prefix not in ("agents.", "share."):
        for key in dict.fromkeys([*one, *other]):
            yield from _differences(f"{prefix}{key}.", one.get(key), other.get(key))
    else:
        yield prefix.removesuffix("."), one, other


def difference(one: Mapping[str, Any], other: Mapping[str, Any], where: str) -> str:
    """Return in words in what a spec differs from that of the run in a place; "" where it does not."""
    said = []
    for field, value, there in differences(one, other):
        kind, _, name = field.partition(".")
        if kind == "sources" and value and there:
            said.append(f"the source file of agent {name!r} has changed since")
        elif kind == "sources" and said:
            continue  # other agents: that has been said
        elif kind == "code":
            said.append("mtrain's own code has changed since")
        else:
            said.append(f"{field} is {_short(value)}, and the run in {where} has {_short(there)}")
    return "; ".join(said)


def _short(value: Any) -> str:
    said = words(value)
    return said if len(said) <= _LONGEST else f"{said[:_LONGEST]} …"


def words(value: Any) -> str:
    """Return a value of a manifest as one would say it."""
    if value is None:
        return "none"
    if isinstance(value, Mapping) and "of" in value and "number" in value:
        return f"{value['number']}/{value['of']}"
    if isinstance(value, Mapping):
        return ", ".join(text if label == text else f"{label}@{text}" for label, text in value.items())
    if isinstance(value, list):
        return ", ".join(map(words, value))
    return str(value)
