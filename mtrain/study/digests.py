"""Digests: the numbers of some whole blocks, which are all that tables and figures need of their games.

A run makes one a chunk, in whatever order chunks finish, and they are put together in the order of their deals. This
module knows no directory but the one it is told to read a part from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from mtrain.errors import counted
from mtrain.study import (
    blocks,
    checks,
    effects,
    estimates,
    faults,
    files,
    plackett_luce,
    tables,
)
from mtrain.study.manifest import Manifest
from mtrain.study.tables import ResultsError


@dataclass(frozen=True)
class Digest:
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


def digest(games: pd.DataFrame, rounds: pd.DataFrame, players: int | None = None) -> Digest:
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
    return Digest(
        blocks.block_numbers(g, r),
        blocks.pair_numbers(g),
        [effects.seat_numbers(g), effects.offset_numbers(r)],
        effects.neighbour_numbers(g),
        blocks.round_numbers(r),
        blocks.score_counts(rounds),
        plackett_luce.outcomes(g),
        tally,
    )


def digest_part(path: Path, part: str, labels: Sequence[str], players: int | None = None) -> Digest:
    """Return the numbers of one part of the tables in a directory.

    Raises
    ------
    ResultsError
        The part can't be read, or contradicts itself.
    """
    folders = (path / f"{table.name}.parquet" / part for table in (tables.GAMES, tables.ROUNDS))
    games = files.read(tables.GAMES, [next(folders)], checks.GAME_CHECKED, labels)
    return digest(games, files.read(tables.ROUNDS, [next(folders)], checks.ROUND_CHECKED, labels), players)


def planned(manifest: Manifest) -> int | None:
    """Return how many blocks a finished run holds: all, those of its share, or those before it was stopped."""
    part = manifest.stopped or manifest.share
    return manifest.blocks if part is None else part.get("blocks")


def shortfall(path: Path, manifest: Manifest, digests: Sequence[Digest]) -> list[str]:
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
        blocks.merged([part.neighbours for part in digests]),
        blocks.merged([part.rounds for part in digests]),
        blocks.merged([part.scores for part in digests]),
        plackett_luce.merged([part.outcomes for part in digests]),
        found + list(warnings),
        sum(len(part.tally.blocks) for part in digests),
        faults.totals(part.tally.failing for part in digests),
        faults.totals(part.tally.spoilt for part in digests),
    )


def standings_so_far(digests: Sequence[Digest]) -> pd.DataFrame:
    """Return the standings, without ratings, of the parts of a run that are there."""
    return estimates.standings_from(blocks.merged([part.blocks for part in digests]))
