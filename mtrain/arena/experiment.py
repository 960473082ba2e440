"""Experiments: tournaments from a TOML file. One question a file, the question as its title.

A file may ask its question at several tables: each ``[[part]]`` has a name and says what is other than at the top.
This module reads files, makes room for their results, and plays nothing.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtrain.arena.options import Options, options_of, types_of
from mtrain.arena.run import RUN
from mtrain.arena.spec import Tournament, plan
from mtrain.arena.workdir import Kind
from mtrain.bots.registry import build
from mtrain.errors import UsageError, nearest, read_toml
from mtrain.stats.manifest import PARTS_FILE
from mtrain.stats.parts import FORMAT
from mtrain.stats.tables import ResultsError

# Every key of an experiment, its type, and what it says.
KEYS: dict[str, tuple[type, str]] = {
    "question": (str, "what the tournament is to answer; it becomes the title"),
    "agents": (list, "agents, as on the command line"),
    "agents_from": (list, "files and folders to look for agents in, seen from the experiment's folder"),
    "rules": (str, "a preset"),
    "set": (dict, "fields of the rules to change"),
    **{
        name: (types_of(Options)[name], each.metadata["key"])
        for name, each in options_of(Options).items()
        if each.metadata["key"]
    },
}
REQUIRED = ("question", "agents", "seed")

# Keys of which one stands for the other: a part that gives one does without the other of the top.
INSTEAD = (("deals", "games"), ("focus", "lineups", "self_play"))

_WORDS = {
    str: "a text",
    list: "a list of texts",
    dict: "a table",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}
_OWN = ("question", "agents", "agents_from", "set")  # the other keys are what `plan` is given, by the same names
_PLAN = tuple(key for key in KEYS if key not in _OWN)
_ROWS = [name for name, each in options_of(Options).items() if each.metadata.get("rows")]

# What a part may be called: its name becomes a folder's.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_TAKEN = ("figures", "experiment.json", "parts.parquet")


class ExperimentError(UsageError):
    """An experiment file that cannot be read as one; the sentence names the file and the key."""


@dataclass(frozen=True)
class Experiment:
    """A question and the tournaments that are to answer it.

    Attributes
    ----------
    question
        The title.
    parts
        The tournaments by the names of their parts, in the file's order; a file without parts has one, called "".
    """

    question: str
    parts: dict[str, Tournament]

    @property
    def whole(self) -> bool:
        """Is it one tournament, without parts?"""
        return list(self.parts) == [""]

    def part(self, name: str) -> Tournament:
        """Return one part.

        Raises
        ------
        ExperimentError
            If there is none of that name.
        """
        if self.whole or name not in self.parts:
            has = "it has no parts" if self.whole else f"its parts are {', '.join(self.parts)}"
            raise ExperimentError(f"the experiment has no part {name!r}; {nearest(name, self.parts, has)}")
        return self.parts[name]


def read_experiment(path: str | Path) -> Experiment:
    """Return the tournaments that a file describes, every one checked.

    Raises
    ------
    ExperimentError
        If the file is missing, is not TOML, lacks a key, or has one that is unknown (the nearest is offered) or
        of another type; the same for a part, or if two parts have one name.
    TournamentError, AgentError, RulesError
        As from `plan`; the sentence begins with the part's name.
    """
    path = Path(path)
    said = read_toml(path, ExperimentError)
    parts = said.pop("part", None)
    _check(said, str(path), KEYS)
    if parts is None:
        return Experiment(_wanted(said, str(path))["question"], {"": _tournament(said, path)})
    if "question" not in said:
        raise ExperimentError(f"{path}: the key 'question' is missing ({KEYS['question'][1]})")
    if not isinstance(parts, list) or not parts or not all(isinstance(part, dict) for part in parts):
        raise ExperimentError(f"{path}: a part is written [[part]], with a name and what is other than at the top")
    made: dict[str, Tournament] = {}
    for number, part in enumerate(parts, 1):
        name = part.pop("name", None)
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name.lower() in _TAKEN:
            raise ExperimentError(
                f"{path}: part {number} needs a name that can be a folder's (letters, digits, . _ -), not {name!r}"
            )
        if name.lower() in map(str.lower, made):
            raise ExperimentError(f"{path}: two parts are called {name!r}")
        where = f"{path}, part {name!r}"
        _check(part, where, KEYS)
        kept = {key: value for key, value in said.items() if not _replaced(key, part)}
        whole = _wanted(kept | {"question": f"{said['question']} · {name}"} | part, where)
        try:
            made[name] = _tournament(whole, path)
        except UsageError as mistake:
            raise type(mistake)(f"part {name!r}: {mistake}") from None
    return Experiment(said["question"], made)


def begin(experiment: Experiment, out: Path, names: Iterable[str], resume: bool = False) -> None:
    """Make sure that parts of an experiment can be played into folders of a directory, before any of them is.

    Raises
    ------
    AgentError
        If an agent cannot be built.
    TournamentError, ResultsError
        If the directory holds something else, or one of the folders is not empty, unless its run is to be gone on with.
    """
    names = list(names)
    for name in names:
        for spec in experiment.parts[name].agents:
            build(spec)
    if EXPERIMENT.read(out) is None:
        RUN.ready(out, resume)
    for name in names:
        RUN.ready(out / name, resume)
    EXPERIMENT.agreed(out, spec_of(experiment.question, list(experiment.parts)))


def spec_of(title: str, names: Sequence[str]) -> dict[str, Any]:
    """Return what is written down of an experiment with parts."""
    return {"format": FORMAT, "title": title, "parts": list(names)}


def _apart(spec: Mapping[str, Any], before: Mapping[str, Any], where: str) -> str:
    same = all(spec[key] == before.get(key) for key in ("title", "parts"))
    return "" if same else f"{before.get('title')!r} with {', '.join(map(str, before.get('parts', ())))}"


EXPERIMENT = Kind(PARTS_FILE, "experiment", "another experiment", "it holds an experiment", ResultsError, _apart)
"""An experiment with parts in a directory, each a run in a folder of its own."""


def _check(said: Mapping[str, Any], where: str, known: Mapping[str, tuple[type, str]]) -> None:
    """Refuse a key that is unknown or of another type."""
    for key, value in said.items():
        if key not in known:
            has = f"the keys are {', '.join(known)}"
            raise ExperimentError(f"{where}: unknown key {key!r}; {nearest(key, known, has)}")
        kind = known[key][0]
        good = isinstance(value, (int, float) if kind is float else kind)
        good = good and not (kind in (int, float) and isinstance(value, bool))
        if good and key in _ROWS:
            if not all(isinstance(lineup, list) and all(isinstance(name, str) for name in lineup) for lineup in value):
                raise ExperimentError(f"{where}: {key} is a list of lists of texts, not {value!r}")
        elif not good or (kind is list and not all(isinstance(item, str) for item in value)):
            raise ExperimentError(f"{where}: {key} is {_WORDS[kind]}, not {value!r}")


def _wanted(said: dict[str, Any], where: str) -> dict[str, Any]:
    """Return what was said, if nothing is missing that has to be."""
    for key in REQUIRED:
        if key not in said:
            raise ExperimentError(f"{where}: the key {key!r} is missing ({KEYS[key][1]})")
    return said


def _replaced(key: str, part: Mapping[str, Any]) -> bool:
    """Is a key of the top out of force in a part, because the part gives what stands for it?"""
    return any(key in pair and any(other in part for other in pair) for pair in INSTEAD)


def _tournament(said: Mapping[str, Any], path: Path) -> Tournament:
    places = [path.parent / place for place in said.get("agents_from", [])]
    wanted: dict[str, Any] = {key: said[key] for key in _PLAN if key in said}
    return plan(
        said["agents"],
        changes=said.get("set"),
        title=said["question"],
        agents_from=places,
        folder=path.parent,
        **wanted,
    )
