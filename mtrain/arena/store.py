"""The directory of a run, as the one process that writes there sees it.

========================== ======================================================================
`rounds.parquet/part-*`    a part a chunk
`games.parquet/part-*`     the same; the moment a part stands here, its chunk is finished
`faults.parquet/part-*`    a part only where an agent failed
`chunks.jsonl`             a line a chunk, written just before: hashes of its parts, decision times
`stderr/`                  what programs wrote to their standard error
========================== ======================================================================

Every file is written under another name, put on the disk and then renamed, so that a part is there whole or not at
all; what is found damaged all the same is told by its hash. This module knows no agent and no rule.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mtrain.arena.chunk import Done
from mtrain.arena.play import BINS, summary
from mtrain.arena.schedule import Chunk
from mtrain.arena.spec import Tournament
from mtrain.stats import files
from mtrain.stats.results import ChunkStatistics, part_statistics
from mtrain.stats.tables import ResultsError

LOG = "chunks.jsonl"

_TABLES = ("rounds", "games")


@dataclass(frozen=True)
class Entry:
    """A line of the log: what is known of a finished chunk besides its games.

    Attributes
    ----------
    hashes
        SHA-256 of each part, by the name of its table.
    decisions
        By label of an agent.
    times
        By label, the histogram of `mtrain.arena.play`.
    seconds
        How long the run had been going, earlier sittings included.
    """

    hashes: dict[str, str]
    decisions: dict[str, int]
    times: dict[str, np.ndarray]
    seconds: float

    def line(self, number: int) -> str:
        """Return it as text."""
        times = {
            label: {str(k): int(histogram[k]) for k in np.flatnonzero(histogram).tolist()}
            for label, histogram in self.times.items()
        }
        said = {"chunk": number, "parts": self.hashes, "decisions": self.decisions, "times": times}
        return json.dumps(said | {"seconds": round(self.seconds, 3)}, ensure_ascii=False) + "\n"


def part(number: int) -> str:
    """Return the name of a chunk's part in the folder of each table."""
    return f"part-{number:05d}.parquet"


def number_of(part: str) -> int:
    """Return the number of the chunk that a part is of."""
    return int(part.removeprefix("part-").removesuffix(".parquet"))


def torn(path: Path, number: int, entry: Entry) -> str | None:
    """Return the first table whose part of a chunk is not what was written; None if all are."""
    for table, wanted in entry.hashes.items():
        file = path / f"{table}.parquet" / part(number)
        if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != wanted:
            return table
    return None


def log(path: Path) -> dict[int, Entry]:
    """Return what the log in a directory says of each chunk: its last line counts, and a torn one does not."""
    try:
        text = (path / LOG).read_bytes().decode(errors="replace")
    except FileNotFoundError:
        return {}
    found = {}
    for line in text.splitlines():
        try:
            said = json.loads(line)
            times = {label: np.zeros(BINS + 2) for label in said["times"]}
            for label, bins in said["times"].items():
                times[label][[int(k) for k in bins]] = list(bins.values())
            found[int(said["chunk"])] = Entry(said["parts"], said["decisions"], times, float(said["seconds"]))
        except (ValueError, KeyError, TypeError, AttributeError, IndexError):
            continue
    return found


def timing(labels: Iterable[str], entries: Iterable[Entry]) -> dict[str, Any]:
    """Return the columns of the `timing` table."""
    decisions = dict.fromkeys(labels, 0)
    times = {label: np.zeros(BINS + 2) for label in decisions}
    for entry in entries:
        for label in entry.decisions:
            decisions[label] += entry.decisions[label]
            times[label] += entry.times[label]
    means = [summary(histogram) for histogram in times.values()]
    return {
        "agent": list(decisions),
        "decisions": list(decisions.values()),
        "us_per_decision": [mean for mean, _ in means],
        "p95": [p95 for _, p95 in means],
    }


class Store:
    """A directory that one run is written to."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def keep(self, done: Done, seconds: float) -> None:
        """Write a chunk that has been played; see `put`."""
        hashes = {table: hashlib.sha256(data).hexdigest() for table, data in done.parts.items()}
        for name, text in done.errors.items():
            files.put(self.path / "stderr" / name, text)
        self.put(done.chunk.number, done.parts, Entry(hashes, done.decisions, done.times, seconds))

    def put(self, number: int, data: Mapping[str, bytes], entry: Entry) -> None:
        """Write the parts of a chunk; once this returns, nothing short of a broken disk loses them.

        Raises
        ------
        OSError
            If they cannot be written; the chunk counts as not played.
        """
        for table in sorted(data, key=lambda table: table == "games"):
            if table == "games":
                self.note(number, entry)
            files.put(self._part(table, number), data[table])

    def note(self, number: int, entry: Entry) -> None:
        """Add a line to the log."""
        new = not (self.path / LOG).exists()
        with (self.path / LOG).open("a+b") as file:
            if file.tell():
                file.seek(-1, os.SEEK_END)
                if file.read(1) != b"\n":  # the last line is torn
                    file.write(b"\n")
            file.write(entry.line(number).encode())
            file.flush()
            os.fsync(file.fileno())
        if new:
            files.settle(self.path)

    def numbers(self) -> set[int]:
        """Return the numbers of all chunks of which there is a part of any table."""
        return {number_of(file.name) for file in self.path.glob("*.parquet/part-[0-9]*.parquet")}

    def verified(self, t: Tournament, chunks: Iterable[Chunk]) -> Iterator[tuple[Chunk, ChunkStatistics | str]]:
        """Yield the chunks of which anything is there: each with the digest of its parts, or with what is wrong."""
        there, entries = self.numbers(), log(self.path)
        for chunk in chunks:
            if chunk.number in there:
                yield chunk, self._verified(t, chunk, entries.get(chunk.number))

    def _verified(self, t: Tournament, chunk: Chunk, entry: Entry | None) -> ChunkStatistics | str:
        if any(not self._part(table, chunk.number).is_file() for table in (entry.hashes if entry else _TABLES)):
            return "is not complete"
        if entry is None:
            return f"is not in {LOG}"
        try:
            if table := torn(self.path, chunk.number, entry):
                return f"is damaged in {table}.parquet"
            labels = [agent.label for agent in t.agents]
            found = part_statistics(self.path, part(chunk.number), labels, t.players)
        except (OSError, ResultsError) as error:
            return f"is damaged: {error}"
        deals = t.schedule.deals_of(chunk.match, chunk.blocks)
        if not np.array_equal(found.tally.blocks, np.stack([np.full_like(deals, chunk.match), deals], axis=1)):
            return "holds other blocks"
        return found

    def drop(self, number: int) -> None:
        """Remove a chunk's parts, the one of `games` first."""
        folders = sorted(self.path.glob("*.parquet/"), key=lambda folder: folder.name != "games.parquet")
        for folder in folders:
            if folder.is_dir():
                (folder / part(number)).unlink(missing_ok=True)
                files.settle(folder)

    def _part(self, table: str, number: int) -> Path:
        return self.path / f"{table}.parquet" / part(number)
