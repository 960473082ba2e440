"""The measurements of a search: candidates played at a table of reference agents, deal by deal, and kept as they come.

Deals are played in pieces (chunks), and each is a line of `trials.jsonl`, in the order in which they are asked for.
A search that goes on asks for the same pieces again, and takes from the file what is there. This module does not know
what is tried next, nor why.
"""

import contextlib
import itertools
import json
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from mtrain.arena import workers
from mtrain.arena.schedule import Chunk
from mtrain.arena.tournament import Tournament
from mtrain.errors import Trouble
from mtrain.game.jit import say
from mtrain.study import files
from mtrain.study.blocks import of_agent
from mtrain.study.digests import Digest
from mtrain.study.search_tables import Objective
from mtrain.think.registry import Registry

LEDGER = "trials.jsonl"
"""The file that holds what has been measured."""

CANDIDATE = "candidate"
"""The label of whoever is tried, whatever its parameters: at its table there may be an agent like it."""

# How many chunks there should be of some deals, where the chunks would not become smaller than …
_LEAST_CUTS, _LEAST_CUT = 16, 5
_MANY = 4096

_KEY = ("trial", "agent", "first")


class Paused(Exception):
    """The search was asked to end before all deals were played; those that were are kept."""


@dataclass
class Ledger:
    """What has been measured, one line a chunk: first what a search before has left, then what this one adds.

    Attributes
    ----------
    path
        The file; None: nothing is kept.
    left
        Lines that have not been asked for yet.
    """

    path: Path | None
    left: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def opened(cls, path: Path | None) -> "Ledger":
        """Return the ledger in a file, which is cut off where it can no longer be read: a torn line was not finished.

        Raises
        ------
        OSError
            If it cannot be cut off.
        """
        if path is None or not path.exists():
            return cls(path)
        data = path.read_bytes()
        lines = data.split(b"\n")
        whole = list(itertools.takewhile(lambda line: line is not None, map(_read, lines[:-1])))
        if len(whole) < len(lines) - 1:
            say(f"{path} cannot be read from line {len(whole) + 1} on: what is missing is played again")
        size = sum(len(line) + 1 for line in lines[: len(whole)])
        if size < len(data):
            with path.open("r+b") as file:
                file.truncate(size)
                os.fsync(file.fileno())
        return cls(path, [line for line in whole if line is not None][::-1])

    def take(self, trial: int | None, agent: str, blocks: range) -> list[float] | None:
        """Return the numbers of some deals if the next line has them; None if there is no line left.

        Raises
        ------
        Trouble
            If the next line is of something else.
        """
        if not self.left:
            return None
        line = self.left.pop()
        wanted = dict(zip(_KEY, (trial, agent, blocks[0]), strict=True))
        if wanted != {name: line[name] for name in _KEY} or len(line["values"]) != len(blocks):
            said = ", ".join(f"{name} {line[name]!r}" for name in _KEY)
            raise Trouble(f"{self.path} cannot be gone on with: it has {said} where this search has {wanted}")
        return [float(value) for value in line["values"]]

    def note(self, trial: int | None, agent: str, blocks: range, values: list[float]) -> None:
        """Add a line; once this returns, nothing short of a broken disk loses it."""
        if self.path is None:
            return
        new = not self.path.exists()
        line = dict(zip(_KEY, (trial, agent, blocks[0]), strict=True)) | {"values": values}
        with self.path.open("ab") as file:
            file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        if new:
            files.settle(self.path.parent)


def _read(line: bytes) -> dict[str, Any] | None:
    """Return what a line says; None if it cannot be read."""
    try:
        said = json.loads(line)
        sound = set(said) == {*_KEY, "values"} and np.isfinite(np.array(said["values"], np.float64)).all()
    except (ValueError, TypeError):
        return None
    return dict(said) if sound else None


@dataclass(frozen=True)
class Course:
    """A table at which every candidate plays the same deals.

    Attributes
    ----------
    t
        The tournament of one line-up, in which agent 0 is the candidate.
    objective
        What is measured.
    registry
        Where candidates are found.
    jobs
        Workers. Nothing but the time it takes depends on them.
    """

    t: Tournament
    objective: Objective
    registry: Registry
    jobs: int
    ledger: Ledger
    interrupt: threading.Event

    def seat(self, agent: str) -> Tournament:
        """Return the tournament in which an agent is the candidate.

        Raises
        ------
        AgentError
            If the agent refuses its parameters.
        """
        return replace(self.t, agents=(self.registry.parse(f"{CANDIDATE}@{agent}"), *self.t.agents[1:]))

    def measure(self, trial: int | None, agent: str, blocks: range) -> list[float]:
        """Return the candidate's numbers of some deals, one a deal.

        Parameters
        ----------
        trial
            Its number; None on fresh deals.
        agent
            The candidate.
        blocks
            Of the line-up, from 0.

        Raises
        ------
        Paused
            If the search is asked to end.
        Fault
            If an agent fails.
        """
        t = self.seat(agent)
        cuts = _cuts(t, blocks)
        chunks = [Chunk(number, 0, t.lineups[0], cut) for number, cut in enumerate(cuts)]
        found: list[list[float]] = []
        for cut in cuts:
            there = self.ledger.take(trial, agent, cut)
            if there is None:
                break
            found.append(there)
        if len(found) == len(chunks):
            return list(itertools.chain.from_iterable(found))
        come: dict[int, list[float]] = {}
        with contextlib.closing(
            workers.spread(t, self._wanted(chunks[len(found) :]), self.jobs, self.interrupt)
        ) as outcomes:
            for done in outcomes:
                come[done.chunk.number] = self._numbers(done.digest, t.agents[0].label)
                while (number := len(found)) in come:  # lines are written in order, whichever chunk is first
                    self.ledger.note(trial, agent, cuts[number], come[number])
                    found.append(come.pop(number))
        if len(found) < len(chunks):
            raise Paused
        return list(itertools.chain.from_iterable(found))

    def _wanted(self, chunks: list[Chunk]) -> Iterator[Chunk]:
        """Yield chunks until the search is asked to end."""
        for chunk in chunks:
            if self.interrupt.is_set():
                return
            yield chunk

    def _numbers(self, digest: Digest, label: str) -> list[float]:
        """Return the candidate's numbers in the order of deals."""
        return [float(value) for value in of_agent(digest.blocks, label, self.objective.number)]


def _cuts(t: Tournament, blocks: range) -> list[range]:
    """Cut some deals into chunks: by what is played alone, never by the workers or by what is there already."""
    long = replace(t, deals=_LEAST_CUTS * _MANY)  # how long a chunk of a long run would be
    size = min(long.chunk_size, max(_LEAST_CUT, -(-len(blocks) // _LEAST_CUTS)))
    return [blocks[k : k + size] for k in range(0, len(blocks), size)]
