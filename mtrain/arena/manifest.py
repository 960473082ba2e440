"""Manifests: what is written down of a run, for whoever reads its tables later or plays it again."""

import json
import platform
import time
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any

from mtrain.arena.options import Options, options_of
from mtrain.arena.spec import Tournament, command_of, house_rules
from mtrain.bots.registry import all_params
from mtrain.game.rules import RULES_VERSION
from mtrain.stats.manifest import FORMAT, NAMES, Manifest
from mtrain.stats.ratings import parse_anchor
from mtrain.version import __version__

# ── Manifests ─────────────────────────────────────────────────────────────────────────────────────────


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


# ── What differs between two ──────────────────────────────────────────────────────────────────────────
#
# Specs: the part of a manifest that the games depend on, and in what two of them differ.
#
# Runs of one spec have the same games, wherever and however they are played, so they can be gone on with and put
# together; the rest of a manifest says how a run went. This part reads manifests and makes none.


HOW = (
    "title", "agents_from", "folder", "machine", "jobs", "backend", "started", "finished", "seconds", "warnings",
    "void", "stopped", "merged", "command", "anchor",
)  # fmt: skip
"""What a manifest says of how a run went; all else is the spec."""

_FIRST = ("agents", "players", "seed", "rules", "deals", "lineups")
_LONGEST = 80  # characters of a value in a sentence

_MUTE = ("blocks", "games", "rounds", "look", "seatings", "parameters", "preset", "base", "changes")


def spec(manifest: Manifest) -> dict[str, Any]:
    """Return what the games of a run depend on: its manifest without how it went, and options that have no field."""
    kept = {name: getattr(manifest, name) for name in NAMES if name not in HOW}
    more = {name: value for name, value in manifest.others.items() if name in options_of(Options)}
    kept["agent_versions"] = {label: manifest.version_of(label) for label in manifest.agents}
    return kept | more | {"versions": {"mtrain": manifest.versions.get("mtrain")}}


def differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return in what two specs differ: the field (``rules.rounds``) and its two values, the telling ones first.

    A field that follows from others (how many games there are) is named only where no other differs.
    """
    plain = [json.loads(json.dumps(each)) for each in (one, other)]
    found = list(_differences("", *plain))
    telling = [each for each in found if each[0].partition(".")[0] not in _MUTE] or found
    return sorted(telling, key=lambda each: each[0].partition(".")[0] not in _FIRST)


def _differences(prefix: str, one: Any, other: Any) -> Iterator[tuple[str, Any, Any]]:
    if json.dumps(one) == json.dumps(other):  # the order of labels counts: it numbers the agents
        return
    if prefix.startswith(("sources.", "agent_versions.")) and not (one and other):
        return  # another agent, or one that comes with mtrain: its file is not hashed, its version tells
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
        if kind == "sources":
            said.append(f"the source file of agent {name!r} has changed since")
        elif kind == "agent_versions":
            said.append(f"agent {name!r} is of version {value}, and in {where} of {there}")
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
