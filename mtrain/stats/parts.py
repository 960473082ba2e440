"""Parts: what an experiment wrote that asked its question at several tables.

======================= =====================================================================
`experiment.json`       its title, and the names of all its parts in order
`NAME/`                 the results of a part, a tournament's directory
`parts.parquet`         the standings of all parts, made from those and made again when asked
======================= =====================================================================

A part may be missing: it has not been played yet. Each part is a tournament of its own; nothing is pooled over them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pandas as pd

from mtrain.stats import files, tables
from mtrain.stats.manifest import PARTS_FILE as FILE
from mtrain.stats.results import Results, read
from mtrain.stats.tables import ResultsError

FORMAT = "mtrain-parts/1"


@dataclass(frozen=True)
class Parts:
    """The parts of an experiment.

    Attributes
    ----------
    path
        The directory.
    title
        The experiment's question.
    names
        All parts, played or not, in the experiment's order.
    """

    path: Path
    title: str
    names: tuple[str, ...]

    @cached_property
    def results(self) -> dict[str, Results]:
        """The results of the parts that have been played to the end, by name."""
        found = {name: read(self.path / name) for name in self.names if (self.path / name / "manifest.json").is_file()}
        return {name: results for name, results in found.items() if results.manifest.finished}

    @cached_property
    def standings(self) -> pd.DataFrame:
        """The `parts` table: the standings of every part there is, one below the other."""
        whole = [results.standings.assign(part=name) for name, results in self.results.items()]
        if not whole:
            raise ResultsError(f"{self.path} holds no finished part of {', '.join(self.names)}")
        together = pd.concat(whole, ignore_index=True)
        return tables.frame(tables.PARTS, {name: together[name] for name in tables.PARTS.names})

    @property
    def units(self) -> tuple[str, ...]:
        """What a score counts, in one part or another."""
        return tuple(dict.fromkeys(results.unit for results in self.results.values()))

    @property
    def unit(self) -> str:
        """The same in words."""
        return " or ".join(self.units)

    def standings_in(self, unit: str) -> pd.DataFrame:
        """The `parts` table of those parts whose scores count such a unit."""
        mine = [name for name, results in self.results.items() if results.unit == unit]
        return self.standings[self.standings["part"].isin(mine)].reset_index(drop=True)

    @property
    def missing(self) -> list[str]:
        """Parts that have not been played to the end."""
        return [name for name in self.names if name not in self.results]

    def write(self) -> Path:
        """Write the `parts` table; return its file."""
        return files.write(tables.PARTS, self.standings, self.path / "parts.parquet")


def is_parts(path: str | Path) -> bool:
    """Is a directory one of an experiment with parts?"""
    return (Path(path) / FILE).is_file()


def read_parts(path: str | Path) -> Parts:
    """Open the directory of an experiment with parts.

    Raises
    ------
    ResultsError
        If it is none, or its file cannot be read.
    """
    path = Path(path)
    file = path / FILE
    try:
        said = json.loads(file.read_text(encoding="utf-8"))
        return Parts(path, str(said["title"]), tuple(map(str, said["parts"])))
    except OSError:
        raise ResultsError(f"{path} is no directory of an experiment with parts: it has no {FILE}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise ResultsError(f"{file} doesn't name its parts: {error}") from None
