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

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mtrain.errors import counted
from mtrain.stats import blocks, checks, effects, estimates, files, plackett_luce, ratings, stopping, tables
from mtrain.stats import estimates as designs
from mtrain.stats.manifest import Manifest, read_manifest
from mtrain.stats.ratings import alpharank, anchor_in
from mtrain.stats.stopping import Better, Rule, parse_rule
from mtrain.stats.tables import ResultsError, Table

# ── Chunk statistics ───────────────────────────────────────────────────────────────────────────────────────────
#
# Chunk statistics: the numbers of some whole blocks, which are all that tables and figures need of their games.
#
# A run makes one a chunk, in whatever order chunks finish, and they are put together in the order of their deals. This
# module knows no directory but the one it is told to read a part from.


@dataclass(frozen=True)
class ChunkStatistics:
    """The numbers of some whole blocks: all that tables and figures need of their games and rounds."""

    blocks: pd.DataFrame
    pairs: pd.DataFrame
    effects: list[pd.DataFrame]
    neighbours: pd.DataFrame
    rounds: pd.DataFrame
    scores: pd.DataFrame
    outcomes: plackett_luce.Outcomes
    tally: checks.Tally


@dataclass(frozen=True)
class Summary:
    """The numbers of a whole run, or of as much of it as has been played."""

    blocks: pd.DataFrame
    pairs: pd.DataFrame
    effects: pd.DataFrame
    neighbours: pd.DataFrame
    rounds: pd.DataFrame
    scores: pd.DataFrame
    outcomes: plackett_luce.Outcomes
    warnings: list[str]
    n_blocks: int
    failing: pd.DataFrame
    spoilt: pd.DataFrame


def chunk_statistics(games: pd.DataFrame, rounds: pd.DataFrame, players: int | None = None) -> ChunkStatistics:
    """Return the numbers of some whole blocks, after checking every game.

    Raises
    ------
    ResultsError
        The tables contradict themselves or each other.
    """
    g, r = blocks.grid(games, whole=True), blocks.grid(rounds, "round", whole=True)
    tally = checks.tally(g, r, players)
    if tally.spoilt["void"].any():
        g, r = blocks.grid(games), blocks.grid(rounds, "round")
    return ChunkStatistics(
        blocks.block_numbers(g, r),
        blocks.pair_numbers(g),
        [effects.seat_numbers(g), effects.offset_numbers(r)],
        effects.neighbour_numbers(g),
        blocks.round_numbers(r),
        blocks.score_counts(rounds),
        plackett_luce.outcomes(g),
        tally,
    )


def part_statistics(path: Path, part: str, labels: Sequence[str], players: int | None = None) -> ChunkStatistics:
    """Return the numbers of one part of the tables in a directory.

    Raises
    ------
    ResultsError
        The part can't be read, or contradicts itself.
    """
    folders = (path / f"{table.name}.parquet" / part for table in (tables.GAMES, tables.ROUNDS))
    games = files.read(tables.GAMES, [next(folders)], checks.GAME_CHECKED, labels)
    return chunk_statistics(games, files.read(tables.ROUNDS, [next(folders)], checks.ROUND_CHECKED, labels), players)


def planned(manifest: Manifest) -> int | None:
    """Return how many blocks a finished run holds: all, those of its share, or those before it was stopped."""
    part = manifest.stopped or manifest.share
    return manifest.blocks if part is None else part.get("blocks")


def shortfall(path: Path, manifest: Manifest, digests: Sequence[ChunkStatistics]) -> list[str]:
    """Return in words what the parts of a run are short of the whole, if they are.

    Raises
    ------
    ResultsError
        The manifest says that nothing is.
    """
    there, wanted = sum(len(part.tally.blocks) for part in digests), planned(manifest)
    if wanted is not None and there != wanted:
        said = f"{path} holds {there:,} of {counted(wanted, 'block')}"
        if manifest.finished:
            raise ResultsError(f"{said}, though its manifest says that it is finished: parts are missing")
        return [f"{said}: the run was not finished"]
    if share := manifest.share:
        said = (
            f"{path} is share {share['number']} of {share['of']}: {there:,} of {counted(manifest.blocks or 0, 'block')}"
        )
        return [f"{said}; `mtrain merge` puts shares together"]
    return []


def combine(digests: Sequence[ChunkStatistics], warnings: Sequence[str] = ()) -> Summary:
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
        blocks.merged([part.neighbours for part in digests]),
        blocks.merged([part.rounds for part in digests]),
        blocks.merged([part.scores for part in digests]),
        plackett_luce.merged([part.outcomes for part in digests]),
        found + list(warnings),
        sum(len(part.tally.blocks) for part in digests),
        checks.totals(part.tally.failing for part in digests),
        checks.totals(part.tally.spoilt for part in digests),
    )


def standings_so_far(digests: Sequence[ChunkStatistics]) -> pd.DataFrame:
    """Return the standings, without ratings, of the parts of a run that are there."""
    return estimates.standings_from(blocks.merged([part.blocks for part in digests]))


# ── Families ──────────────────────────────────────────────────────────────────────────────────────────
#
# Families: agents that are one but for a number, so that strength can be followed along it.
#
# Searchers with 4, 16 and 64 worlds, say. This part reads the standings and a manifest's parameters, and knows
# neither an agent nor what its parameters mean.


LEAST = 3
"""Settings that make a family: through two points goes any line."""


def families(
    standings: pd.DataFrame,
    agents: Mapping[str, str],
    parameters: Mapping[str, Mapping[str, Any]],
    peeking: Collection[str] = (),
) -> pd.DataFrame:
    """The `families` table: every agent that differs from at least two others in the value of one number alone.

    Parameters
    ----------
    standings
        A `standings` table.
    agents
        By label, how each agent is written: ``name:param=value,…`` (a manifest's `agents`).
    parameters
        By label, all parameters of each agent (a manifest's `parameters`).
    peeking
        Labels of the agents that peek: a family of them is marked (a manifest's `peeking`).
    """
    members: dict[tuple[str, str, str, str], list[str]] = {}
    for label, text in agents.items():
        mine = parameters.get(label, {})
        for number, value in mine.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                rest = ",".join(f"{name}={other}" for name, other in sorted(mine.items()) if name != number)
                mark = " (peeks)" if label in peeking else ""
                members.setdefault((number, text.partition(":")[0], rest, mark), []).append(label)
    found = standings.set_index("agent")
    lines: list[dict[str, Any]] = []
    for (number, name, _, mark), labels in members.items():
        setting = {label: float(parameters[label][number]) for label in labels}
        if len(set(setting.values())) < LEAST:
            continue
        for label in sorted(labels, key=lambda each: (setting[each], each)):
            family = _called(name, agents[labels[0]], number) + mark
            lines.append({"parameter": number, "family": family, "agent": label, "setting": setting[label]})
    rows = found.reindex([line["agent"] for line in lines])
    data: dict[str, Any] = {column: [line[column] for line in lines] for column in ("parameter", "family", "agent")}
    data["setting"] = np.array([line["setting"] for line in lines], float)
    data |= {name: rows[name].array for name in tables.FAMILIES.names if name not in data}
    data["blocks"] = rows["blocks"].to_numpy(np.int64)
    return tables.frame(tables.FAMILIES, data)


def _called(name: str, text: str, number: str) -> str:
    """How a family is written: as its agents are, with … for the number."""
    given = [pair for pair in text.partition(":")[2].split(",") if pair and pair.partition("=")[0] != number]
    return f"{name}:{','.join([f'{number}=…', *given])}"


# ── Results ───────────────────────────────────────────────────────────────────────────────────────────


PIECE = 200_000
"""Rows of `rounds` to work on at a time."""


@dataclass(frozen=True)
class Results:
    """The tables of one tournament. Each is read (or made) when first asked for, in a fixed order of rows.

    With `fresh`, tables made from rounds and games are made again even where a file has them; a `ready` summary
    saves the walk over the parts that they are made from.
    """

    path: Path
    manifest: Manifest = field(repr=False)
    fresh: bool = False
    ready: Summary | None = field(default=None, repr=False)

    @property
    def labels(self) -> list[str]:
        """Labels of the agents, in the manifest's order."""
        return list(self.manifest.agents)

    @property
    def title(self) -> str:
        """What the tournament is called."""
        return self.manifest.title or self.path.name

    @property
    def caption(self) -> str:
        """What a figure must say of the tournament it is from: its name, the size of the table and the seed."""
        facts = [f"{self.manifest.players} seats", f"seed {self.manifest.seed}"]
        return " · ".join([self.title, self.rules, *facts]).replace("$", r"\$").replace(" ·  · ", " · ")

    @property
    def rules(self) -> str:
        """Which rules were played, in words; "" if the manifest does not say."""
        if self.manifest.changes:
            return f"{self.manifest.base} rules with changes"
        return f"{self.manifest.preset} rules" if self.manifest.preset else ""

    @property
    def unit(self) -> str:
        """What a score counts: pips, or by some rules the tiles left."""
        return str(self.manifest.rules.get("scoring", "pips"))

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
        stored = self._stored(tables.FAILURES)
        if stored is not None or self.tables_alone:
            return tables.frame(tables.FAILURES, dict.fromkeys(tables.FAILURES.names, ())) if stored is None else stored
        return checks.failures(self.faults)

    @cached_property
    def neighbours(self) -> pd.DataFrame:
        """The `neighbours` table."""
        stored = self._stored(tables.NEIGHBOURS)
        return estimates.neighbours_from(self.summary.neighbours) if stored is None else stored

    @cached_property
    def design(self) -> pd.DataFrame:
        """The `design` table."""
        stored = self._stored(tables.DESIGN)
        return designs.design(self.summary.blocks) if stored is None else stored

    @cached_property
    def bootstrap(self) -> pd.DataFrame:
        """The `bootstrap` table."""
        stored = self._stored(tables.BOOTSTRAP)
        return designs.bootstrap(self.summary.blocks) if stored is None else stored

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
        return files.read(tables.TIMING, [path])

    @cached_property
    def ratings(self) -> pd.DataFrame:
        """The `ratings` table."""
        return ratings.rate(self.summary.outcomes, anchor=anchor_in(self.manifest.anchor))

    @cached_property
    def alpharank(self) -> pd.DataFrame:
        """The `alpharank` table: a second opinion beside the ratings."""
        return alpharank(self.summary.pairs, self.summary.blocks, self.manifest.lineups)

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
        return families(self.standings, told.agents, told.parameters, told.peeking)

    @cached_property
    def rule(self) -> Rule | None:
        """What the run was to stop by; None: by nothing but its number of deals."""
        said = self.manifest.until
        return None if said is None else parse_rule(said, {label: label for label in self.labels})

    @cached_property
    def stopping(self) -> pd.DataFrame:
        """The `stopping` table: differences raw, and adjusted for looks on the way."""
        stored = self._stored(tables.STOPPING)
        return stopping.stopping(self.summary.blocks) if stored is None else stored

    @cached_property
    def comparison(self) -> pd.DataFrame:
        """The `comparison` table: what a sequential test of two agents says."""
        if not isinstance(self.rule, Better):
            raise ResultsError(f"{self.path} is no sequential test of two agents: `mtrain compare` makes one")
        if (stored := self._stored(tables.COMPARISON)) is not None:
            return stored
        told = self.manifest
        met = sum({self.rule.agent, self.rule.than} <= set(lineup) for lineup in told.lineups)
        finished = len(self.summary.blocks[["match", "deal"]].drop_duplicates()) == planned(told)
        every, most = told.look * met, told.deals * met
        return stopping.comparison(self.rule, self.summary.pairs, self.summary.blocks, every, most, finished)

    @cached_property
    def looks(self) -> pd.DataFrame:
        """The `path` table: what was to be seen, look by look."""
        if self.rule is None:
            raise ResultsError(f"{self.path} was not looked at on the way: it was played without a stopping rule")
        summary = self.summary
        return stopping.path(self.rule, summary.blocks, summary.pairs, len(self.manifest.lineups))

    @property
    def null_check(self) -> str:
        """How the copies of self-play came out against one another; "" where several agents met."""
        if self.manifest.schedule != "self-play":
            return ""
        return checks.of_copies(self.standings, self.unit)

    @property
    def warnings(self) -> list[str]:
        """What `check` has to say of the run, what is to be said of its plan, and whether it can be played again."""
        if self.tables_alone:
            return list(self.manifest.warnings)
        clocks = checks.clocks(self.manifest.uses_clock)
        return checks.of_design(self.manifest) + self.summary.warnings + clocks

    @cached_property
    def summary(self) -> Summary:
        """Block numbers and counts of all parts, each part checked on the way."""
        if self.ready is not None:
            return self.ready
        if self.tables_alone:
            raise ResultsError(f"{self.path} has kept some tables and no games: this cannot be made from them")
        if not self.parts:
            raise ResultsError(f"{self.path} holds no finished game yet")
        digests = []
        for part in self.parts:
            games = self._read(tables.GAMES, [part], checks.GAME_CHECKED)
            rounds = self._read(tables.ROUNDS, [part], checks.ROUND_CHECKED)
            digests += [chunk_statistics(g, r, self.manifest.players) for g, r in blocks.split(games, rounds, PIECE)]
        twinless = [f"{part} has no twin and is left out" for part in self.halves]
        return combine(digests, twinless + shortfall(self.path, self.manifest, digests))

    def write_derived(self) -> list[Path]:
        """Write the tables made from rounds and games beside them; return their files."""
        derived = {
            tables.STANDINGS: self.standings,
            tables.PAIRWISE: self.pairwise,
            tables.SEATS: self.seats,
            tables.NEIGHBOURS: self.neighbours,
            tables.DESIGN: self.design,
            tables.BOOTSTRAP: self.bootstrap,
        }
        if len(self.failures):
            derived[tables.FAILURES] = self.failures
        if self.rule is not None:
            derived[tables.STOPPING] = self.stopping
        if isinstance(self.rule, Better):
            derived[tables.COMPARISON] = self.comparison
        return [files.write(table, rows, self.path / f"{table.name}.parquet") for table, rows in derived.items()]

    @property
    def tables_alone(self) -> bool:
        """Have the games been removed, and only the tables made from them been kept?"""
        there = (self.path / f"{tables.STANDINGS.name}.parquet").is_file()
        return there and not any(
            (self.path / f"{table.name}.parquet").is_dir() for table in (tables.ROUNDS, tables.GAMES)
        )

    @property
    def n_blocks(self) -> int:
        """Blocks that have been played."""
        if self.tables_alone:
            return int(planned(self.manifest) or 0)
        return self.summary.n_blocks

    def _parts(self, table: Table) -> set[str]:
        return {part.name for part in (self.path / f"{table.name}.parquet").glob("part-*.parquet")}

    def _whole(self, table: Table) -> pd.DataFrame:
        return blocks.ordered(self._read(table, self.parts), "round" if table is tables.ROUNDS else "game")

    def _read(self, table: Table, parts: list[str], columns: tuple[str, ...] | None = None) -> pd.DataFrame:
        folder = self.path / f"{table.name}.parquet"
        return files.read(table, [folder / part for part in parts], columns, self.labels)

    def _stored(self, table: Table) -> pd.DataFrame | None:
        path = self.path / f"{table.name}.parquet"
        if self.fresh or self.ready is not None or not path.is_file():
            return None
        # A column that came later can be had from the games, where they are kept; else it is null.
        return None if not self.tables_alone and files.outdated(table, path) else files.read(table, [path])


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
        if not (found.path / f"{table.name}.parquet").is_dir() and (fresh or not found.tables_alone):
            raise ResultsError(f"{path} has no folder {table.name}.parquet")
    return found
