"""Experiments: a tournament from a TOML file. One question a file, the question as its title."""

import difflib
import tomllib
from pathlib import Path
from typing import Any

from mtrain.arena.tournament import Tournament, plan
from mtrain.errors import Mistake

# Every key of an experiment, its type, and what it says.
KEYS: dict[str, tuple[type, str]] = {
    "question": (str, "what the tournament is to answer; it becomes the title"),
    "agents": (list, "agents, as on the command line"),
    "agents_from": (list, "files and folders to look for agents in, seen from the experiment's folder"),
    "rules": (str, "a preset"),
    "set": (dict, "fields of the rules to change"),
    "players": (int, "seats at a table"),
    "deals": (int, "blocks for every line-up"),
    "games": (int, "instead of deals: whole blocks that hold at least so many games"),
    "seed": (int, "the seed"),
}
REQUIRED = ("question", "agents", "seed")

_WORDS = {str: "a text", list: "a list of texts", dict: "a table", int: "a whole number"}


class ExperimentError(Mistake):
    """An experiment file that cannot be read as one; the sentence names the file and the key."""


def read_experiment(path: str | Path) -> Tournament:
    """Return the tournament that a file describes.

    Raises
    ------
    ExperimentError
        If the file is missing, is not TOML, lacks a key, or has one that is unknown (the nearest is offered) or
        of another type.
    TournamentError, AgentError, RulesError
        As from `plan`.
    """
    path = Path(path)
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ExperimentError(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ExperimentError(f"{path} is not TOML: {error}") from None
    for key, value in said.items():
        if key not in KEYS:
            near = difflib.get_close_matches(key, KEYS, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"the keys are {', '.join(KEYS)}"
            raise ExperimentError(f"{path}: unknown key {key!r}; {hint}")
        kind = KEYS[key][0]
        whole = isinstance(value, kind) and not (kind is int and isinstance(value, bool))
        if not whole or (kind is list and not all(isinstance(item, str) for item in value)):
            raise ExperimentError(f"{path}: {key} is {_WORDS[kind]}, not {value!r}")
    for key in REQUIRED:
        if key not in said:
            raise ExperimentError(f"{path}: the key {key!r} is missing ({KEYS[key][1]})")
    wanted: dict[str, Any] = {key: said[key] for key in ("rules", "players", "deals", "games", "seed") if key in said}
    places = [path.parent / place for place in said.get("agents_from", [])]
    return plan(said["agents"], changes=said.get("set"), title=said["question"], agents_from=places, **wanted)
