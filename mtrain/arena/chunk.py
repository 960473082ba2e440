"""The work of one chunk: some blocks of one line-up, played and laid out as rows of the tables.

A worker is handed a tournament and a chunk, and needs nothing else, no disk either: it hands back the bytes of the
chunk's parts. This module knows no other chunk.
"""

import dataclasses
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from mtrain.arena.faults import VOID
from mtrain.arena.play import END, ROW, Games, Played, play
from mtrain.arena.schedule import Chunk
from mtrain.arena.spec import Tournament
from mtrain.bots.agent import Bot
from mtrain.bots.registry import build
from mtrain.game.rules import ranks, shares
from mtrain.stats import files, tables
from mtrain.stats.results import ChunkStatistics, chunk_statistics


@dataclass(frozen=True)
class Done:
    """What came back of a chunk.

    Attributes
    ----------
    parts
        The bytes of the Parquet file of each table, by the table's name; `games` is the last.
    digest
        Their numbers.
    decisions, times
        By the label of an agent: how many choices it was asked for, and how long they took (see `mtrain.arena.play`).
    errors
        By file name: what programs wrote to their standard error.
    """

    chunk: Chunk
    parts: dict[str, bytes]
    chunk_statistics: ChunkStatistics
    decisions: dict[str, int]
    times: dict[str, np.ndarray]
    errors: dict[str, bytes]


def work(t: Tournament, chunk: Chunk) -> Done:
    """Play a chunk."""
    who = np.unique(chunk.lineup)
    games = t.schedule.games(chunk.match, chunk.blocks)
    seated = dataclasses.replace(games, who=np.searchsorted(who, games.who))
    bots = [build(t.agents[agent]) for agent in who]
    played = play(t.rules, bots, seated, t.seed, t.on_fault)
    frames = _frames(t, chunk, games, played)
    if frames[tables.FAULTS].empty:
        del frames[tables.FAULTS]
    labels = [t.agents[agent].label for agent in who]
    return Done(
        chunk,
        {table.name: files.to_parquet(table, frame) for table, frame in frames.items()},
        chunk_statistics(frames[tables.GAMES], frames[tables.ROUNDS], t.players),
        dict(zip(labels, played.decisions.tolist(), strict=True)),
        dict(zip(labels, played.times, strict=True)),
        dict(_errors(bots, chunk)),
    )


def _errors(bots: Sequence[Bot], chunk: Chunk) -> Iterator[tuple[str, bytes]]:
    """Yield what programs wrote to their standard error, each with the name of a file: one a label, chunk and seat."""
    for bot in bots:
        for seat, text in sorted(bot.processes.errors.items()) if bot.processes else ():
            name = re.sub(r"[^A-Za-z0-9._-]+", "-", bot.spec.label)[:80]
            if name != bot.spec.label:
                name += f"-{zlib.crc32(bot.spec.label.encode()):08x}"  # two labels may look alike in a file's name
            yield f"{name}-{chunk.number:05d}-seat-{seat}.txt", text


def _frames(t: Tournament, chunk: Chunk, games: Games, played: Played) -> dict[tables.Table, pd.DataFrame]:
    """Return the rows of `faults`, `rounds` and `games` for a chunk."""
    n, n_rounds, seats = played.rows.shape[:3]
    labels = [agent.label for agent in t.agents]
    per_game: dict[str, Any] = {
        "match": np.full(n, chunk.match, np.int16),
        "deal": games.deal.astype(np.int32),
        "seating": games.seating.astype(np.int16),
    }
    per_game["game"] = (t.schedule.first_game(chunk.match, games.deal) + games.seating).astype(np.int32)
    agent = games.who.astype(np.int16)
    seat = np.arange(seats, dtype=np.int8)
    n_faults = np.zeros((n, seats), np.int16)
    np.add.at(n_faults, ([f.game for f in played.failures], [f.seat for f in played.failures]), 1)
    per_game["void"] = np.isin(games.deal, games.deal[n_faults.any(1)] if t.on_fault == VOID else ())

    rounds: dict[str, Any] = {name: np.repeat(values, n_rounds * seats) for name, values in per_game.items()}
    rounds["round"] = np.tile(np.repeat(np.arange(1, n_rounds + 1, dtype=np.int8), seats), n)
    rounds["seat"] = np.tile(seat, n * n_rounds)
    rounds["agent"] = np.repeat(agent, n_rounds, axis=0).ravel()
    ends = {name: np.repeat(played.ends[:, :, k].ravel(), seats) for k, name in enumerate(END)}
    rounds |= {"engine": ends["engine"], "starter": ends["starter"], "end": ends["blocked"]}
    rounds |= {name: played.rows[..., k].ravel() for k, name in enumerate(ROW)}
    rounds["went_out"] = rounds["went_out"].astype(bool)

    pips = played.rows[..., ROW.index("pips")]
    # A forfeit shares the highest score of every round, and stands behind whoever has it without one.
    score = pips.astype(np.int64) * (n_rounds + 1) + played.forfeited[:, None, :]
    rank = ranks(score, t.rules.tie_break)
    won = score == score.min(-1, keepdims=True)
    per_seat: dict[str, Any] = {
        "seat": np.tile(seat, n),
        "starter": np.repeat(games.starter.astype(np.int8), seats),
        "agent": agent.ravel(),
        "score": pips.sum(1, dtype=np.int32).ravel(),
        "rank": rank.ravel(),
        "win": shares(rank).astype(np.float32).ravel(),
        "rounds_won": (won / won.sum(-1, keepdims=True)).sum(1).astype(np.float32).ravel(),
        "rounds": np.full(n * seats, n_rounds, np.int8),
        "faults": n_faults.ravel(),
    }
    per_seat |= {name: np.repeat(values, seats) for name, values in per_game.items()}
    return {
        tables.FAULTS: _faults(per_game, agent, played, labels),
        tables.ROUNDS: tables.frame(tables.ROUNDS, rounds, labels),
        tables.GAMES: tables.frame(tables.GAMES, per_seat, labels),
    }


def _faults(per_game: dict[str, Any], agent: np.ndarray, played: Played, labels: list[str]) -> pd.DataFrame:
    """Return the rows of `faults` for a chunk."""
    found = played.failures
    game = np.array([failure.game for failure in found], np.int64)
    seat = np.array([failure.seat for failure in found], np.int64)
    rows: dict[str, Any] = {name: per_game[name][game] for name in ("match", "deal", "seating", "game")}
    rows |= {"seat": seat, "agent": agent[game, seat]}
    rows |= {name: [getattr(failure, name) for failure in found] for name in ("round", "decision", "kind", "what")}
    return tables.frame(tables.FAULTS, rows, labels)
