"""Results: a directory of a tournament, finished or running, as frames.

========================== =================================================================
`manifest.json`            what was played: agents, rules, players, seed, sizes
`rounds.parquet/part-*`    the table of rounds, in parts
`games.parquet/part-*`     the table of games, in parts
`standings.parquet` …      tables made from those two, and made again where they are missing
========================== =================================================================

A part holds whole blocks, and a part of `games` has the games of the part of `rounds` that has its name; one without its twin is still
being written. The parts are read one at a time, so memory doesn't grow with the run. This module reads; it never writes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from mtrain.study import blocks, checks, estimates, ratings, tables
from mtrain.study.checks import check
from mtrain.study.tables import ResultsError, Table

__all__ = ["Results", "ResultsError", "check", "read"]


@dataclass(frozen=True)
class Summary:
    """All that the tables and figures need, from one walk over the parts."""

    blocks: pd.DataFrame
    pairs: pd.DataFrame
    effects: pd.DataFrame
    rounds: pd.DataFrame
    scores: pd.DataFrame
    outcomes: ratings.Outcomes
    warnings: list[str]


@dataclass(frozen=True)
class Results:
    """The tables of one tournament. Each is read (or made) when first asked for, in a fixed order of rows.

    With `fresh`, tables made from rounds and games are made again even where a file has them.
    """

    path: Path
    manifest: dict[str, Any] = field(repr=False)
    fresh: bool = False

    @property
    def labels(self) -> list[str]:
        """Labels of the agents, in the manifest's order."""
        return list(self.manifest["agents"])

    @property
    def title(self) -> str:
        """What the tournament is called."""
        return str(self.manifest.get("title") or self.manifest.get("name") or self.path.name)

    @cached_property
    def parts(self) -> list[str]:
        """Names of the parts that are complete: in `rounds.parquet` and in `games.parquet`."""
        return sorted(self._parts(tables.GAMES) & self._parts(tables.ROUNDS))

    @cached_property
    def halves(self) -> list[str]:
        """Parts of one table that the other has not (yet)."""
        games, rounds = self._parts(tables.GAMES), self._parts(tables.ROUNDS)
        return sorted({f"games.parquet/{name}" for name in games - rounds} | {f"rounds.parquet/{name}" for name in rounds - games})

    @cached_property
    def rounds(self) -> pd.DataFrame:
        """The `rounds` table."""
        return self._whole(tables.ROUNDS)

    @cached_property
    def games(self) -> pd.DataFrame:
        """The `games` table."""
        return self._whole(tables.GAMES)

    @cached_property
    def standings(self) -> pd.DataFrame:
        """The `standings` table, best agent first."""
        stored = self._stored(tables.STANDINGS)
        return estimates.standings_from(self.summary.blocks, self.ratings) if stored is None else stored

    @cached_property
    def pairwise(self) -> pd.DataFrame:
        """The `pairwise` table."""
        stored = self._stored(tables.PAIRWISE)
        return estimates.pairwise_from(self.summary.pairs) if stored is None else stored

    @cached_property
    def seats(self) -> pd.DataFrame:
        """The `seats` table."""
        stored = self._stored(tables.SEATS)
        return estimates.seats_from(self.summary.effects) if stored is None else stored

    @cached_property
    def timing(self) -> pd.DataFrame:
        """The `timing` table: measured while playing, so it can't be made again."""
        path = self.path / "timing.parquet"
        if not path.is_file():
            raise ResultsError(f"{self.path} has no timing.parquet; times can't be had from the games")
        return tables.read(tables.TIMING, [path])

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """The `ratings` table."""
        return ratings.rate(self.summary.outcomes)

    @cached_property
    def by_round(self) -> pd.DataFrame:
        """The `by_round` table."""
        return estimates.by_round_from(self.summary.rounds)

    @cached_property
    def scores(self) -> pd.DataFrame:
        """The `scores` table."""
        return estimates.scores_from(self.summary.scores)

    @property
    def warnings(self) -> list[str]:
        """What `check` has to say of the run."""
        return self.summary.warnings

    @cached_property
    def summary(self) -> Summary:
        """Block numbers and counts of all parts, each part checked on the way."""
        if not self.parts:
            raise ResultsError(f"{self.path} holds no finished game yet")
        block, pair, effect, rounds, score, outcome, tally = [], [], [], [], [], [], []
        for part in self.parts:
            g = self._read(tables.GAMES, [part], checks.GAME_CHECKED)
            r = self._read(tables.ROUNDS, [part], checks.ROUND_CHECKED)
            tally.append(checks.tally(g, r, self.manifest.get("players")))
            block.append(blocks.block_numbers(g))
            pair.append(blocks.pair_numbers(g))
            effect += [blocks.seat_numbers(g), blocks.offset_numbers(r)]
            outcome.append(ratings.outcomes(g))
            rounds.append(blocks.round_numbers(r))
            score.append(blocks.score_counts(r))
        warnings = checks.verdict(tally)
        warnings += [f"{part} has no twin and is left out" for part in self.halves]
        return Summary(
            blocks.merged(block),
            blocks.merged(pair),
            blocks.merged(effect),
            blocks.merged(rounds),
            blocks.merged(score),
            ratings.merged(outcome),
            warnings,
        )

    def _parts(self, table: Table) -> set[str]:
        return {part.name for part in (self.path / f"{table.name}.parquet").glob("part-*.parquet")}

    def _whole(self, table: Table) -> pd.DataFrame:
        return blocks.ordered(self._read(table, self.parts), "round" if table is tables.ROUNDS else "game")

    def _read(self, table: Table, parts: list[str], columns: tuple[str, ...] | None = None) -> pd.DataFrame:
        folder = self.path / f"{table.name}.parquet"
        return tables.read(table, [folder / part for part in parts], columns, self.labels)

    def _stored(self, table: Table) -> pd.DataFrame | None:
        path = self.path / f"{table.name}.parquet"
        return None if self.fresh or not path.is_file() else tables.read(table, [path])


def read(path: str | Path, fresh: bool = False) -> Results:
    """Open the results in a directory.

    Parameters
    ----------
    path
        The directory a tournament was written to.
    fresh
        Make derived tables again even where a file has them.

    Raises
    ------
    ResultsError
        The directory, its manifest or one of the two folders of parts is missing or can't be read.
    """
    path = Path(path)
    if not path.is_dir():
        raise ResultsError(f"no directory {path}")
    file = path / "manifest.json"
    if not file.is_file():
        raise ResultsError(f"{path} is no results directory: it has no manifest.json")
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ResultsError(f"{file} is not JSON: {error}") from error
    if not isinstance(manifest, dict) or not isinstance(manifest.get("agents"), dict):
        raise ResultsError(f"{file} doesn't name its agents")
    for table in (tables.ROUNDS, tables.GAMES):
        if not (path / f"{table.name}.parquet").is_dir():
            raise ResultsError(f"{path} has no folder {table.name}.parquet")
    return Results(path, manifest, fresh)
