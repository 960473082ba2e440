"""Specs: the part of a manifest that the games depend on, and in what two of them differ.

Runs of one spec have the same games, wherever and however they are played, so they can be gone on with and put
together; the rest of a manifest says how a run went. This module reads manifests and makes none.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from mtrain.arena.options import Options, options_of
from mtrain.study.manifest import NAMES, Manifest

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
