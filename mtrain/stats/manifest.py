"""Manifests: what is written down of a run, for whoever reads its tables later or plays it again.

A `Manifest` is read and written here alone. What an older one doesn't say has its default, and what it says besides is
passed over, but kept where it is written again. What goes into one is said in `mtrain.arena.manifest`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from mtrain.stats.tables import ResultsError

FORMAT = "mtrain-results/1"
"""What the manifest of a directory that can be read says of its format."""

FILE, PARTS_FILE = "manifest.json", "experiment.json"
"""What makes a directory one of results, and one of an experiment with parts."""

# What every manifest says.
_KNOWN: dict[str, tuple[type, str]] = {
    "players": (int, "a whole number"),
    "seed": (int, "a whole number"),
    "rules": (dict, "a table of fields"),
}


@dataclass(frozen=True)
class Manifest:
    """What is known of a run, in the order of its file. Agents are named by their labels.

    Attributes
    ----------
    agents, parameters, sources
        By agent: how it is written, all its parameters, and a hash of its source file.
    agents_from, folder
        Where agents were looked for, and where programs ran, as it was said.
    agent_versions
        By agent: a number that moves when it plays otherwise; see `version_of`.
    peeking, uses_clock
        Agents that are shown hidden tiles, and those that look at the clock.
    preset, base, changes
        The rules' preset or ``house``; the preset nearest to them, and in what they differ from it.
    seatings, schedule
        How line-ups are seated, and where they come from.
    blocks, games, rounds
        How many of them there are in the whole tournament; rounds in a game.
    until, look
        What ends it before, and the blocks of a line-up from one look to the next.
    share
        Which share of the blocks this run is: `number`, `of`, `blocks`.
    command
        What plays it again.
    finished
        None: not said, of tables that another program made.
    stopped
        Why it ended before its last block, after which chunks and `blocks`.
    merged
        What it was put together from.
    void
        Blocks that count nowhere, by line-up.
    others
        What the file says besides.
    """

    format: str = FORMAT
    title: str = ""
    agents: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    agents_from: Sequence[str] = ()
    folder: str = "."
    sources: Mapping[str, str] = field(default_factory=dict)
    agent_versions: Mapping[str, int] = field(default_factory=dict)
    peeking: Sequence[str] = ()
    uses_clock: Sequence[str] = ()
    reproducible: bool = True
    preset: str = ""
    base: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)
    rules: Mapping[str, Any] = field(default_factory=dict)
    rules_version: Any = None
    players: int = 0
    seed: int = 0
    deals: int = 0
    seatings: str | None = None
    schedule: str = "all"
    on_fault: str | None = None
    anchor: Mapping[str, Any] | None = None
    lineups: Sequence[Sequence[str]] = ()
    blocks: int | None = None
    games: int | None = None
    rounds: int | None = None
    until: str | None = None
    look: int = 0
    share: Mapping[str, int] | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    machine: Mapping[str, str] | None = None
    command: str | None = None
    jobs: int | None = None
    started: str | None = None
    finished: bool | None = None
    backend: str | None = None
    stopped: Mapping[str, Any] | None = None
    merged: Sequence[Mapping[str, Any]] = ()
    seconds: float | None = None
    warnings: Sequence[str] = ()
    void: Mapping[str, int] = field(default_factory=dict)
    others: Mapping[str, Any] = field(default_factory=dict)
    said: tuple[str, ...] = field(default=(), repr=False)  # the keys of the file, in their order

    @classmethod
    def of(cls, said: Mapping[str, Any]) -> Manifest:
        """Return the manifest that a JSON object is."""
        known = {name: value for name, value in said.items() if name in NAMES}
        return cls(**known, others={name: said[name] for name in said if name not in NAMES}, said=tuple(said))

    def version_of(self, label: str) -> int:
        """Return the version of an agent: the first where none is said."""
        return self.agent_versions.get(label, 1)

    def but(self, **changes: Any) -> Manifest:
        """Return the same with some fields changed; those that were not said before come last."""
        return replace(self, **changes, said=tuple(dict.fromkeys([*self.said, *changes])))

    def without(self, *names: str) -> Manifest:
        """Return the same, some fields no longer said."""
        return Manifest.of({name: value for name, value in self.to_json().items() if name not in names})

    def to_json(self) -> dict[str, Any]:
        """As it stands in its file; `of` is the inverse."""
        return {name: getattr(self, name) if name in NAMES else self.others[name] for name in self.said}

    def to_bytes(self) -> bytes:
        """Return the bytes of its file."""
        return (json.dumps(self.to_json(), indent=2, ensure_ascii=False) + "\n").encode()


NAMES = tuple(each.name for each in fields(Manifest) if each.name not in ("others", "said"))
"""The keys that a manifest may have."""


def read_manifest(path: str | Path) -> Manifest:
    """Return the manifest of the results in a directory, of a run that did not come far, too.

    Raises
    ------
    ResultsError
        The directory or its manifest is missing or can't be read, or it is one of an experiment with parts.
    """
    path = Path(path)
    if not path.is_dir():
        raise ResultsError(f"no directory {path}")
    file = path / FILE
    if not file.is_file() and (path / PARTS_FILE).is_file():
        raise ResultsError(f"{path} has parts; name the directory of one of them")
    if not file.is_file():
        raise ResultsError(f"{path} is no results directory: it has no {FILE}")
    try:
        said = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ResultsError(f"{file} is not JSON: {error}") from error
    if not isinstance(said, dict) or not isinstance(said.get("agents"), dict):
        raise ResultsError(f"{file} doesn't name its agents")
    if (made := said.get("format")) != FORMAT:
        raise ResultsError(f"{file} has the format {made!r}, and this mtrain reads {FORMAT!r}")
    for name, (kind, words) in _KNOWN.items():
        value = said.get(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ResultsError(f"{file}: {name} is {words}, not {value!r}")
    return Manifest.of(said)
