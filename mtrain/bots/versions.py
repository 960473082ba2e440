"""Versions: what tells that agents play otherwise than before, or rules are others.

A bundled agent, and whatever it is built on, is known by the version that it declares, which moves when it plays
otherwise and only then: `tests/golden/decisions.txt` holds it to that. An agent of somebody else is known by the
version it declares, too, and by a hash of its own file. This module reads files and runs nothing.
"""

import hashlib
import importlib.util
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mtrain.bots.agent import AgentSpec
from mtrain.game.rules import RULES_VERSION, RuleSet


def hash_of(paths: Iterable[Path]) -> str:
    """Return a short hash of some texts, whatever the system ends its lines with; "" of none."""
    texts = [path.read_bytes().replace(b"\r\n", b"\n") for path in paths]
    return hashlib.sha256(b"".join(texts)).hexdigest()[:16] if texts else ""


def source_at(origin: str) -> str:
    """Return a short hash of the source file at an agent's origin; "" if there is none."""
    if origin.startswith("entry:"):
        found = importlib.util.find_spec(origin.split(":")[1])
        origin = found.origin or "" if found else ""
    return hash_of([Path(origin)] if Path(origin).is_file() else [])


def made_of(spec: AgentSpec) -> dict[str, Any]:
    """Return what is written down of an agent: its version, and the hash of its file if that is somebody else's."""
    return {"version": spec.version} | ({"source": spec.source} if spec.source else {})


def change(said: Mapping[str, Any], spec: AgentSpec) -> str:
    """Return in words what `made_of` said of an agent that is so no more; "" if all still is.

    Where no version is written down, it was the first.
    """
    if (before := said.get("version", 1)) != spec.version:
        return f"version {before} of {spec.name!r}, now {spec.version}"
    if (before := said.get("source")) and before != spec.source:
        return f"another source file of {spec.name!r} (hash {before}, now {spec.source})"
    return ""


def rules_hash(rules: RuleSet) -> str:
    """Return a short hash of all fields of a rule set, and of the version of the rules themselves."""
    said = json.dumps([RULES_VERSION, rules.to_json()], sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()[:16]
