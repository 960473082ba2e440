"""Results: a directory of a tournament, finished or running, as frames.

========================== =================================================================
`manifest.json`            what was played: agents, rules, players, seed, sizes
`rounds.parquet/part-*`    the table of rounds, in parts
`games.parquet/part-*`     the table of games, in parts
`faults.parquet/part-*`    the table of faults: only those parts in which an agent failed
`standings.parquet` …      tables made from those two, and made again where they are missing
========================== =================================================================

A part holds whole blocks, and a part of `games` has the games of the part of `rounds` that has its name; one without
its twin is still being written. The parts are read one at a time, so memory doesn't grow with the run. This module
reads; it never writes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from mtrain.study import blocks, checks, estimates, faults, ratings, tables
from mtrain.study.checks import check
from mtrain.study.families import families
from mtrain.study.tables import ResultsError, Table

__all__ = ["Digest", "Results", "ResultsError", "Summary", "check", "combine", "digest", "read", "standings_so_far"]


PIECE = 200_000
"""Rows of `rounds` to work on at a time."""


@dataclass(frozen=True)
class Digest:
    """The numbers of some whole blocks: all that tables and figures need of their games and rounds."""

    blocks: pd.DataFrame
    pairs: pd.DataFrame
    effects: list[pd.DataFrame]
    rounds: pd.DataFrame
    scores: pd.DataFrame
    outcomes: ratings.Outcomes
    tally: checks.Tally


@dataclass(frozen=True)
class Summary:
    """The numbers of a whole run, or of as much of it as has been played."""

    blocks: pd.DataFrame
    pairs: pd.DataFrame
    effects: pd.DataFrame
    rounds: pd.DataFrame
    scores: pd.DataFrame
    outcomes: ratings.Outcomes
    warnings: list[str]
    n_blocks: int
    failing: pd.DataFrame
    spoilt: pd.DataFrame


def digest(games: pd.DataFrame, rounds: pd.DataFrame, players: int | None = None) -> Digest:
    """Return the numbers of some whole blocks, after checking every game.

    Raises
    ------
    ResultsError
        The tables contradict themselves or each other.
    """
    g, r = blocks.grid(games, whole=True), blocks.grid(rounds, "round", whole=True)
    counted = checks.tally(g, r, players)
    if counted.spoilt["void"].any():
        g, r = blocks.grid(games), blocks.grid(rounds, "round")
    return Digest(
        blocks.block_numbers(g, r),
        blocks.pair_numbers(g),
        [blocks.seat_numbers(g), blocks.offset_numbers(r)],
        blocks.round_numbers(r),
        blocks.score_counts(rounds),
        ratings.outcomes(g),
        counted,
    )


def combine(digests: Sequence[Digest], warnings: Sequence[str] = ()) -> Summary:
    """Return the numbers of a run from those of its parts, in whatever order they came.

    Raises
    ------
    ResultsError
        A block is there twice, or an agent did not sit in every seat equally often.
    """
    # Sums of floats depend on their order: take the parts by their first deal, however they came.
    digests = sorted(digests, key=lambda part: part.tally.blocks[:, 1].min())
    found = checks.verdict([part.tally for part in digests])
    return Summary(
        blocks.merged([part.blocks for part in digests]),
        blocks.merged([part.pairs for part in digests]),
        blocks.merged([effect for part in digests for effect in part.effects]),
        blocks.merged([part.rounds for part in digests]),
        blocks.merged([part.scores for part in digests]),
        ratings.merged([part.outcomes for part in digests]),
        found + list(warnings),
        sum(len(part.tally.blocks) for part in digests),
        faults.totals(part.tally.failing for part in digests),
        faults.totals(part.tally.spoilt for part in digests),
    )


def standings_so_far(digests: Sequence[Digest]) -> pd.DataFrame:
    """Return the standings, without ratings, of the parts of a run that are there."""
    return estimates.standings_from(blocks.merged([part.blocks for part in digests]))


@dataclass(frozen=True)
class Results:
    """The tables of one tournament. Each is read (or made) when first asked for, in a fixed order of rows.

    With `fresh`, tables made from rounds and games are made again even where a file has them; a `ready` summary
    saves the walk over the parts that they are made from.
    """

    path: Path
    manifest: dict[str, Any] = field(repr=False)
    fresh: bool = False
    ready: Summary | None = field(default=None, repr=False)

    @property
    def labels(self) -> list[str]:
        """Labels of the agents, in the manifest's order."""
        return list(self.manifest["agents"])

    @property
    def title(self) -> str:
        """What the tournament is called."""
        return str(self.manifest.get("title") or self.manifest.get("name") or self.path.name)

    @property
    def caption(self) -> str:
        """What a figure must say of the tournament it is from: its name, the size of the table and the seed."""
        known = {"preset": "{} rules", "players": "{} seats", "seed": "seed {}"}
        facts = [text.format(self.manifest[name]) for name, text in known.items() if name in self.manifest]
        return " · ".join([self.title, *facts]).replace("$", r"\$")

    @property
    def unit(self) -> str:
        """What a score counts: pips, or by some rules the tiles left."""
        rules = self.manifest.get("rules")
        return str(rules.get("scoring", "pips")) if isinstance(rules, dict) else "pips"

    @cached_property
    def parts(self) -> list[str]:
        """Names of the parts that are complete: in `rounds.parquet` and in `games.parquet`."""
        return sorted(self._parts(tables.GAMES) & self._parts(tables.ROUNDS))

    @cached_property
    def halves(self) -> list[str]:
        """Parts of one table that the other has not (yet)."""
        games, rounds = self._parts(tables.GAMES), self._parts(tables.ROUNDS)
        return sorted(
            [f"games.parquet/{name}" for name in games - rounds] + [f"rounds.parquet/{name}" for name in rounds - games]
        )

    @cached_property
    def rounds(self) -> pd.DataFrame:
        """The `rounds` table."""
        return self._whole(tables.ROUNDS)

    @cached_property
    def games(self) -> pd.DataFrame:
        """The `games` table."""
        return self._whole(tables.GAMES)

    def game(self, number: int) -> pd.DataFrame:
        """The rows of the `games` table of one game, by seat; none if it is not there (yet)."""
        for part in self.parts:
            rows = self._read(tables.GAMES, [part])
            if (rows["game"] == number).any():
                return rows[rows["game"] == number].sort_values("seat", ignore_index=True)
        return self._read(tables.GAMES, [])

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
    def faults(self) -> pd.DataFrame:
        """The `faults` table."""
        there = self._parts(tables.FAULTS)
        found = self._read(tables.FAULTS, [part for part in self.parts if part in there])
        wanted = int(self.summary.failing["faults"].sum())
        if len(found) != wanted:
            raise ResultsError(f"{self.path} holds {len(found):,} faults, and its games count {wanted:,}")
        return found.sort_values(list(tables.FAULTS.key), ignore_index=True)

    @cached_property
    def failures(self) -> pd.DataFrame:
        """The `failures` table: faults by agent and kind."""
        return faults.failures(self.faults)

    @property
    def timed(self) -> bool:
        """Is there a `timing` table?"""
        return (self.path / "timing.parquet").is_file()

    @cached_property
    def timing(self) -> pd.DataFrame:
        """The `timing` table: measured while playing, so it can't be made again."""
        path = self.path / "timing.parquet"
        if not self.timed:
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

    @cached_property
    def families(self) -> pd.DataFrame:
        """The `families` table: agents that differ in one number alone."""
        told = self.manifest
        return families(self.standings, told["agents"], told.get("parameters", {}), told.get("peeking", ()))

    @property
    def warnings(self) -> list[str]:
        """What `check` has to say of the run, and whether it can be played again."""
        return self.summary.warnings + faults.clocks(self.manifest.get("uses_clock", ()))

    @cached_property
    def summary(self) -> Summary:
        """Block numbers and counts of all parts, each part checked on the way."""
        if self.ready is not None:
            return self.ready
        if not self.parts:
            raise ResultsError(f"{self.path} holds no finished game yet")
        digests = []
        for part in self.parts:
            games = self._read(tables.GAMES, [part], checks.GAME_CHECKED)
            rounds = self._read(tables.ROUNDS, [part], checks.ROUND_CHECKED)
            players = self.manifest.get("players")
            digests += [digest(g, r, players) for g, r in blocks.split(games, rounds, PIECE)]
        made = combine(digests, [f"{part} has no twin and is left out" for part in self.halves])
        there = made.n_blocks
        planned = self.manifest.get("blocks", there)
        if there != planned:
            said = f"{self.path} holds {there:,} of {planned:,} blocks"
            if self.manifest.get("finished"):
                raise ResultsError(f"{said}, though its manifest says that it is finished: parts are missing")
            made.warnings.append(f"{said}: the run was not finished")
        return made

    def write_derived(self) -> list[Path]:
        """Write the tables made from rounds and games beside them; return their files."""
        derived = {tables.STANDINGS: self.standings, tables.PAIRWISE: self.pairwise, tables.SEATS: self.seats}
        if len(self.failures):
            derived[tables.FAILURES] = self.failures
        return [tables.write(table, rows, self.path / f"{table.name}.parquet") for table, rows in derived.items()]

    def _parts(self, table: Table) -> set[str]:
        return {part.name for part in (self.path / f"{table.name}.parquet").glob("part-*.parquet")}

    def _whole(self, table: Table) -> pd.DataFrame:
        return blocks.ordered(self._read(table, self.parts), "round" if table is tables.ROUNDS else "game")

    def _read(self, table: Table, parts: list[str], columns: tuple[str, ...] | None = None) -> pd.DataFrame:
        folder = self.path / f"{table.name}.parquet"
        return tables.read(table, [folder / part for part in parts], columns, self.labels)

    def _stored(self, table: Table) -> pd.DataFrame | None:
        path = self.path / f"{table.name}.parquet"
        return None if self.fresh or self.ready is not None or not path.is_file() else tables.read(table, [path])


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
    found = Results(Path(path), read_manifest(path), fresh)
    for table in (tables.ROUNDS, tables.GAMES):
        if not (found.path / f"{table.name}.parquet").is_dir():
            raise ResultsError(f"{path} has no folder {table.name}.parquet")
    return found


def read_manifest(path: str | Path) -> dict[str, Any]:
    """Return the manifest of the results in a directory, of a run that did not come far, too.

    Raises
    ------
    ResultsError
        The directory or its manifest is missing or can't be read.
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
    return manifest
