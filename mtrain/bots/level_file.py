"""Levels files: difficulty levels by name, the agent that each of them is, and what was measured of it.

A levels file is TOML. What is read here is data: which agent a level is, under which conditions it was measured and
what made it; nothing is played. A level is an agent wherever an agent is accepted: ``level:NAME@FILE``, or
``level:NAME`` of those that come with mtrain.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w

from mtrain.errors import UsageError, nearest, read_toml

FORMAT = "mtrain-levels/1"

SHIPPED = "levels.toml"

# What a level may be called.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class LevelsError(UsageError):
    """A levels file that cannot be read as one, or a level that is not in it; the sentence names the file."""


@dataclass(frozen=True)
class Level:
    """A level: its name, the agent that it is as text, and what else the file says of it."""

    name: str
    agent: str
    said: dict[str, Any]


@dataclass(frozen=True)
class Levels:
    """A levels file.

    Attributes
    ----------
    path
        The file.
    said
        All that it says, by key.
    levels
        Its levels by name, the weakest first.
    """

    path: Path
    said: dict[str, Any]
    levels: dict[str, Level]

    @property
    def conditions(self) -> dict[str, Any]:
        """Under which rules, at which table and against whom the levels were measured."""
        return dict(self.said["conditions"])

    @property
    def places(self) -> list[Path]:
        """Files and folders where its agents are, besides those that come with mtrain."""
        return [self.path.parent / place for place in self.said.get("agents_from", ())]

    def level(self, name: str) -> Level:
        """Return one level.

        Raises
        ------
        LevelsError
            If there is none of that name; the nearest is offered.
        """
        if name not in self.levels:
            has = f"its levels are {', '.join(self.levels)}"
            raise LevelsError(f"{self.path} has no level {name!r}; {nearest(name, self.levels, has)}")
        return self.levels[name]


def read_levels(path: str | Path) -> Levels:
    """Return the levels of a file.

    Raises
    ------
    LevelsError
        If the file is missing, is not TOML, is of another format, or a level lacks its name or agent or is there twice.
    """
    path = Path(path)
    said = read_toml(path, LevelsError)
    if said.get("format") != FORMAT:
        raise LevelsError(f"{path} is no levels file: its format is {said.get('format')!r}, not {FORMAT!r}")
    if not isinstance(said.get("conditions"), dict):
        raise LevelsError(f"{path} does not say under which conditions its levels were measured")
    listed = said.get("level")
    if not isinstance(listed, list) or not listed:
        raise LevelsError(f"{path} has no levels: a level is written [[level]], with a name and an agent")
    levels: dict[str, Level] = {}
    for number, each in enumerate(listed, 1):
        name, agent = (each.get(key) if isinstance(each, dict) else None for key in ("name", "agent"))
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise LevelsError(f"{path}: level {number} needs a name of letters, digits, . _ and -, not {name!r}")
        if not isinstance(agent, str):
            raise LevelsError(f"{path}: level {name!r} needs the text of an agent, not {agent!r}")
        if name in levels:
            raise LevelsError(f"{path}: two levels are called {name!r}")
        levels[name] = Level(name, agent, each)
    return Levels(path, said, levels)


def levels_text(said: dict[str, Any]) -> str:
    """Return what is said of levels as the text of a file."""
    return tomli_w.dumps(said, indent=2)
