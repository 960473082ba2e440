"""Versions: short hashes of the sources that an agent is made of, and of the rules, so that a change is seen.

A hash says that something is other than before, not that it plays otherwise. This module reads files and runs nothing.
"""

import ast
import functools
import hashlib
import importlib.util
import json
from collections.abc import Iterable
from pathlib import Path

from mtrain.game.rules import RULES_VERSION, RuleSet

_PACKAGE = Path(__file__).parents[1]
_WINGS = ("mtrain.game.", "mtrain.think.")  # what an agent may be made of, besides its own file


def hash_of(paths: Iterable[Path]) -> str:
    """Return a short hash of some texts, whatever the system ends its lines with."""
    known = hashlib.sha256()
    for path in paths:
        known.update(path.read_bytes().replace(b"\r\n", b"\n"))
    return known.hexdigest()[:16]


def file_at(origin: str) -> Path | None:
    """Return the source file at an agent's origin; None if there is none."""
    if origin.startswith("entry:"):
        found = importlib.util.find_spec(origin.split(":")[1])
        origin = found.origin or "" if found else ""
    return Path(origin) if Path(origin).is_file() else None


def source_at(origin: str) -> str:
    """Return a short hash of the source file at an agent's origin."""
    path = file_at(origin)
    return hash_of([path]) if path else ""


@functools.cache
def made_of(origin: str) -> str:
    """Return a short hash of an agent's source file and of all modules of `game` and `think` that it builds on."""
    path = file_at(origin)
    if path is None:
        return ""
    found: dict[str, Path] = {}
    left = [path]
    while left:
        for name in _imported(left.pop()):
            if name not in found and (file := _PACKAGE.parent.joinpath(*name.split(".")).with_suffix(".py")).is_file():
                found[name] = file
                left.append(file)
    return hash_of([path, *(found[name] for name in sorted(found))])


def _imported(path: Path) -> set[str]:
    """Return the modules that a file imports names from, those of an agent's building blocks only."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    named = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    return {name for name in named if name.startswith(_WINGS)}


def rules_hash(rules: RuleSet) -> str:
    """Return a short hash of all fields of a rule set, and of the version of the rules themselves."""
    said = json.dumps([RULES_VERSION, rules.to_json()], sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()[:16]
