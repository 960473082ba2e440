"""Runs: a tournament played into a directory of tables.

Chunks of games go over the workers; each comes back as the bytes of its parts and a digest of their numbers, and is
written by this process alone. Nothing depends on how many workers there are or on which finishes first, nor on how
often a run was broken off and gone on with.
"""

import contextlib
import functools
import os
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mtrain.arena import workers
from mtrain.arena.chunk import Done
from mtrain.arena.dask import Cluster
from mtrain.arena.manifest import difference, manifest_of, spec
from mtrain.arena.options import BACKENDS, DASK, JOBLIB
from mtrain.arena.schedule import Chunk
from mtrain.arena.spec import Tournament, TournamentError
from mtrain.arena.store import Store, log, number_of, part, timing
from mtrain.arena.workdir import Kind
from mtrain.bots.registry import build
from mtrain.errors import RunError
from mtrain.game.jit import say
from mtrain.stats import files, results, tables
from mtrain.stats.manifest import Manifest
from mtrain.stats.results import ChunkStatistics, combine, planned, shortfall, standings_so_far


def _apart(one: Mapping[str, Any], other: Mapping[str, Any], where: str) -> str:
    return difference(spec(Manifest.of(one)), spec(Manifest.of(other)), where)


def _unlike(said: Mapping[str, Any]) -> str:
    return "" if isinstance(said.get("agents"), dict) else ": it doesn't name its agents"


RUN = Kind(
    "manifest.json",
    "run",
    "another run",
    "it holds an unfinished run; --resume (resume=True) goes on with it",
    TournamentError,
    _apart,
    _unlike,
)
"""A run in a directory: its manifest says what it is."""

Stop = Callable[[Sequence[ChunkStatistics]], str | None]
"""Looks at the digests of the first chunks, in order; returns why to end there, or None to go on."""


@dataclass(frozen=True)
class Step:
    """How far a run is, for whoever watches it; `kept` of its games were there before."""

    games: int
    n_games: int
    rounds: int
    seconds: float
    digests: list[ChunkStatistics]
    kept: int = 0

    def standings(self) -> pd.DataFrame:
        """Return the standings of what has been played so far."""
        return standings_so_far(self.digests)


class Interrupted(KeyboardInterrupt):
    """A run that was asked to end: what was in flight is finished, what is finished is kept.

    Attributes
    ----------
    results
        What there is so far; None if no chunk is finished.
    """

    def __init__(self, made: results.Results | None) -> None:
        super().__init__("interrupted")
        self.results = made


@dataclass(frozen=True)
class How:
    """Who plays: nothing but the time that it takes depends on it, nor which games are played but on the share.

    Attributes
    ----------
    jobs
        Workers; None: one a core. Compiled line-ups run on threads, others in processes.
    share
        ``(k, n)``: play only the k-th of n shares of the chunks; `mtrain.merge` puts them together.
    backend, scheduler
        ``"joblib"``: the workers of this machine; ``"dask"``: those of a Dask scheduler, given by its address.
    """

    jobs: int | None = None
    share: tuple[int, int] | None = None
    backend: str = JOBLIB
    scheduler: str | None = None

    def __post_init__(self) -> None:
        if self.jobs is not None and (isinstance(self.jobs, bool) or not isinstance(self.jobs, int) or self.jobs < 1):
            raise TournamentError(f"jobs is a whole number, 1 or more, not {self.jobs!r}")

    @property
    def n_jobs(self) -> int:
        """How many workers."""
        return self.jobs or os.cpu_count() or 1

    @contextlib.contextmanager
    def workers(self, t: Tournament, n_chunks: int, interrupt: threading.Event) -> Iterator["Spread"]:
        """Have what plays chunks."""
        if self.backend not in BACKENDS:
            raise TournamentError(f"unknown backend {self.backend!r}; choose from {', '.join(BACKENDS)}")
        if (self.backend == DASK) != (self.scheduler is not None):
            missing = "needs the address of a scheduler" if self.backend == DASK else "has no scheduler"
            raise TournamentError(
                f"the backend {self.backend} {missing}; say --backend dask --scheduler tcp://HOST:8786"
            )
        if self.scheduler is None:
            yield lambda chunks: workers.spread(t, chunks, min(self.n_jobs, n_chunks), interrupt)
            return
        with contextlib.closing(Cluster(self.scheduler)) as cluster:
            yield lambda chunks: cluster.spread(t, chunks, interrupt)


def run(
    t: Tournament,
    out: Path | str,
    *,
    watch: Callable[[Step], None] | None = None,
    resume: bool = False,
    stop: Stop | None = None,
    interrupt: threading.Event | None = None,
    derived: bool = True,
    **how: Any,
) -> results.Results:
    """Play a tournament into a directory.

    Parameters
    ----------
    t
        What to play.
    out
        A directory that is empty or not there yet.
    watch
        Called after every chunk.
    resume
        If the directory holds a run of the same tournament, go on with it: exactly the chunks that are missing or
        damaged are played.
    stop
        Looks at the digests of chunks 0 … k, in order, whenever there is one more. The run ends with the first k at
        which it gives a reason: chunks after it are not in the tables. None: by the tournament's own rule, if it has
        one.
    interrupt
        Once it is set, what is in flight is finished and the run ends. Ctrl-C sets it, too.
    derived
        Are tables made of the games when all are played? `mtrain report` can make them later.
    **how
        Fields of `How`: who plays.

    Raises
    ------
    TournamentError
        If the directory holds something else, or cannot be written.
    Locked
        If another process writes to it.
    Interrupted
        After Ctrl-C; a second one raises KeyboardInterrupt at once.
    Unwritten
        If the disk is full or fails.
    Fault
        If an agent fails, and the tournament is to stop then; the chunks finished before are kept.
    """
    out, who, interrupt = Path(out), How(**how), interrupt or threading.Event()
    for agent in t.agents:
        build(agent)  # one that cannot be compiled says so before anything is written
    chunks = shared(t, who.share)
    stop = t.watcher() if stop is None else stop
    if who.share and stop:
        raise TournamentError("a share of a run cannot be stopped early: its looks need all chunks in order")
    manifest = manifest_of(t, who.n_jobs, time.time()).but(backend=who.backend)
    if who.share:
        blocks = sum(len(chunk.blocks) for chunk in chunks)
        manifest = manifest.but(share={"number": who.share[0], "of": who.share[1], "blocks": blocks})
    RUN.ready(out, resume)
    with (
        who.workers(t, len(chunks), interrupt) as spread,
        RUN.opened(out, manifest.to_json(), resume) as before,
    ):
        return _Run(t, out, manifest, chunks, interrupt, stop, watch, derived).play(spread, before)


def shared(t: Tournament, share: tuple[int, int] | None) -> list[Chunk]:
    """Return the chunks of a share, or all.

    Raises
    ------
    TournamentError
        If there is no such share.
    """
    chunks = t.chunks()
    if share is None:
        return chunks
    k, n = share
    if n < 1:
        raise TournamentError(f"share {k}/{n} is none: there is at least one share, 1/1")
    if not 1 <= k <= n:
        raise TournamentError(f"share {k}/{n} is none: of {n} shares the first is 1/{n} and the last {n}/{n}")
    if n > len(chunks):
        raise TournamentError(f"{n} shares are more than the {len(chunks)} chunks that this tournament is cut into")
    return chunks[k - 1 :: n]


Spread = Callable[[Iterable[Chunk]], Generator[Done]]


@dataclass
class _Run:
    """A run while it goes on."""

    t: Tournament
    out: Path
    manifest: Manifest
    chunks: list[Chunk]
    interrupt: threading.Event
    stop: Stop | None
    watch: Callable[[Step], None] | None
    derived: bool
    digests: dict[int, ChunkStatistics] = field(default_factory=dict)
    in_order: list[ChunkStatistics] = field(default_factory=list)
    reason: str | None = None
    games: int = 0
    damaged: int = 0

    def play(self, spread: Spread, before: dict[str, Any] | None) -> results.Results:
        """Play what is not there yet, and make the tables of it all."""
        store, started, earlier = Store(self.out), time.time(), 0.0
        if before:
            self.manifest = self.manifest.but(started=before["started"])
            earlier = self._take(store)
            if before.get("finished") and self._whole and not self.damaged:
                say(f"{self.out} is finished; there is nothing left to play")
                return results.read(self.out)
            there = sum(len(chunk_statistics.tally.blocks) for chunk_statistics in self.digests.values())
            rest = "its tables are made" if self._whole else "the others are played"
            say(f"{self.out} holds {there:,} of {planned(self.manifest):,} blocks; {rest}")
            files.put(self.out / RUN.file, self.manifest.to_bytes())
        kept = self.games
        n_games = sum(map(self.t.n_games_of, self.chunks))
        with contextlib.closing(spread(self._wanted())) as outcomes:
            for done in outcomes:
                seconds = time.time() - started
                self._heeding(functools.partial(store.keep, done, earlier + seconds), again=True)
                self._add(done.chunk, done.chunk_statistics)
                if self.watch:
                    rounds = self.games * self.t.rules.rounds
                    step = Step(self.games, n_games, rounds, seconds, list(self.digests.values()), kept)
                    self._heeding(functools.partial(self.watch, step))
        if not self._whole:
            raise Interrupted(self._so_far())
        return self._finish(store, earlier + time.time() - started)

    @property
    def _whole(self) -> bool:
        """Is there nothing left to play?"""
        return self.reason is not None or len(self.digests) == len(self.chunks)

    def _heeding(self, act: Callable[[], object], again: bool = False) -> None:
        """Do something during which Ctrl-C is no more than a wish to end; if it is to be whole, do it again then."""
        try:
            act()
        except KeyboardInterrupt:
            workers.heed(self.interrupt)
            if again:
                act()

    def _take(self, store: Store) -> float:
        """Take over what is there from before; return how long that run had been going."""
        others = store.numbers() - {chunk.number for chunk in self.chunks}
        if others:
            raise TournamentError(f"{self.out} holds {part(min(others))}, which is no part of this run")
        for chunk, found in store.verified(self.t, self.chunks):
            if isinstance(found, str):
                say(f"{part(chunk.number)} {found}: it is played again")
                store.drop(chunk.number)
                self.damaged += 1
            else:
                self._add(chunk, found)
        return max((entry.seconds for entry in log(self.out).values()), default=0.0)

    def _wanted(self) -> Iterator[Chunk]:
        """Yield the chunks that are to be played, until the run is to end."""
        there = set(self.digests)
        for chunk in self.chunks:
            if self.interrupt.is_set() or self.reason is not None:
                return
            if chunk.number not in there:
                yield chunk

    def _add(self, chunk: Chunk, chunk_statistics: ChunkStatistics) -> None:
        """Add a finished chunk, and look at those that have now all before them."""
        self.digests[chunk.number] = chunk_statistics
        self.games += self.t.n_games_of(chunk)
        if self.stop is None:
            return
        while self.reason is None and len(self.in_order) in self.digests:
            self.in_order.append(self.digests[len(self.in_order)])
            self.reason = self.stop(self.in_order)

    def _so_far(self) -> results.Results | None:
        if not self.digests:
            return None
        digests = list(self.digests.values())
        short = shortfall(self.out, self.manifest, digests)
        return results.Results(self.out, self.manifest, ready=combine(digests, short))

    def _finish(self, store: Store, seconds: float) -> results.Results:
        """Write the tables made from the games, and the manifest of a finished run."""
        manifest = self.manifest
        if self.reason is not None:
            counted = len(self.in_order)
            blocks = sum(len(chunk.blocks) for chunk in self.chunks[:counted])
            manifest = manifest.but(stopped={"reason": self.reason, "chunks": counted, "blocks": blocks})
            files.put(self.out / "manifest.json", manifest.to_bytes())
            for number in sorted(store.numbers() - set(range(counted))):
                store.drop(number)
            self.digests = dict(enumerate(self.in_order))
        return finish(self.out, manifest, list(self.digests.values()), seconds, self.derived)


def finish(
    out: Path, manifest: Manifest, digests: Sequence[ChunkStatistics], seconds: float, derived: bool = True
) -> results.Results:
    """Write the tables made from a run's games, and then the manifest that says it is finished.

    Parameters
    ----------
    out, manifest
        The directory, and what is known of the run.
    digests
        Of all its chunks.
    seconds
        How long it took.
    derived
        Are tables made?
    """
    made = results.Results(out, manifest, ready=combine(digests, shortfall(out, manifest, digests)))
    deals = np.concatenate([chunk_statistics.tally.blocks[:, 1] for chunk_statistics in digests])
    if len(deals) != len(np.unique(deals)):
        raise RunError(
            f"{len(deals):,} blocks are to be as many different deals, and they are {len(np.unique(deals)):,}"
        )
    if derived:
        there = set(map(number_of, made.parts))
        times = timing(manifest.agents, (entry for number, entry in log(out).items() if number in there))
        files.write(tables.TIMING, tables.frame(tables.TIMING, times), out / "timing.parquet")
    void = {
        str(match): n for match, n in zip(made.summary.spoilt["match"], made.summary.spoilt["void"], strict=True) if n
    }
    warned = made.warnings if derived else []
    told = manifest.but(finished=True, seconds=round(seconds, 3), warnings=warned, void=void)
    made = results.Results(out, told, ready=made.ready)
    if derived:
        made.write_derived()
    files.put(out / "manifest.json", told.to_bytes())
    return made
