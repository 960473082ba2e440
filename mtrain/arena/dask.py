"""Workers of many machines: the same chunks, through a Dask scheduler.

A worker needs mtrain of the same version and nothing else: agents from files are sent along, and what it plays comes
back as bytes, so there is no disk to share. Chunks of a worker that is lost are played by others.

Chunks are submitted one by one, not through joblib's Dask backend: that counts the workers once, at the beginning (with
a single thread it plays here instead), waits for ever when the last of them is gone, and cannot be asked whether it is.
"""

import dataclasses
import functools
import importlib
import logging
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import CancelledError
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtrain.arena.chunk import Done, work
from mtrain.arena.schedule import Chunk
from mtrain.arena.spec import Tournament
from mtrain.arena.workers import Lost, Outcome, flow
from mtrain.bots.agent import EXEC, AgentSpec
from mtrain.bots.registry import build, bundled, version_of
from mtrain.bots.versions import source_at
from mtrain.errors import RunError, UsageError
from mtrain.game.rules import RULES_VERSION
from mtrain.version import __version__

PATIENCE = 30.0
"""Seconds without any worker, or without the scheduler, until a run gives up."""

ANSWER = 5.0
"""Seconds in which a scheduler has to answer, and a worker that has a result: then it is lost, and played again."""


@dataclass(frozen=True)
class Sent:
    """What a worker is handed once: the tournament, the versions of mtrain and of its rules, and the agents' sources.

    The text of a bundled agent is not sent: the worker has its own, of the same version. Nor is a program: it must be
    there already. `run` tells one run from another.
    """

    run: str
    t: Tournament
    version: str
    rules: int
    sources: dict[str, bytes | None]


def sent(t: Tournament) -> Sent:
    """Return what workers need of a tournament."""
    sources = {
        agent.origin: None if agent.origin.startswith("entry:") or not agent.source else Path(agent.origin).read_bytes()
        for agent in t.agents
        if agent.name != EXEC
    }
    return Sent(uuid.uuid4().hex, t, __version__, RULES_VERSION, sources)


_BUILDING = threading.Lock()  # a worker's threads build the same agents: one imports and compiles, the others wait
_KNOWN: dict[str, Tournament] = {}  # the tournaments of runs, with the agents where this worker has them
_FOLDERS: list[Any] = []  # of sources that were sent: they go with the process


def play(what: Sent, chunk: Chunk) -> Done:
    """Play a chunk on a worker.

    Raises
    ------
    RunError
        If this worker has another mtrain, or another version of a bundled agent.
    AgentError
        If an agent's source cannot be imported here.
    """
    with _BUILDING:
        if what.run not in _KNOWN:
            _KNOWN[what.run] = _here(what)
        t = _KNOWN[what.run]
        for agent in t.agents:
            build(agent)
    return work(t, chunk)


def _here(what: Sent) -> Tournament:
    """Return the tournament with the agents where this worker has them."""
    if (what.version, what.rules) != (__version__, RULES_VERSION):
        raise RunError(
            f"a worker has mtrain {__version__} (rules {RULES_VERSION}), and the run is begun with {what.version} "
            f"(rules {what.rules}); install the same on all machines"
        )
    places: dict[str, str] = {}
    for agent in what.t.agents:
        if agent.name != EXEC and agent.origin not in places:
            places[agent.origin] = _place(agent, what.sources[agent.origin])
    agents = tuple(dataclasses.replace(agent, origin=places.get(agent.origin, agent.origin)) for agent in what.t.agents)
    return dataclasses.replace(what.t, agents=agents)


def _place(agent: AgentSpec, text: bytes | None) -> str:
    """Return where a worker finds an agent: where it was, or among its own, or in a file made here."""
    if agent.source and source_at(agent.origin) == agent.source:
        return agent.origin
    if text is None:
        mine = bundled().resolve() / Path(agent.origin).name
        here = dataclasses.replace(agent, origin=str(mine))
        if agent.source or not mine.is_file() or version_of(here) != agent.version:
            raise RunError(f"a worker has not the agent {agent.name!r} as it was when the run was begun")
        return str(mine)
    _FOLDERS.append(tempfile.TemporaryDirectory(prefix="mtrain-agents-"))
    path = Path(_FOLDERS[-1].name).resolve() / Path(agent.origin).name
    path.write_bytes(text)
    return str(path)


class Cluster:
    """The workers of a Dask scheduler.

    Parameters
    ----------
    address
        Of the scheduler: ``tcp://HOST:8786``.

    Raises
    ------
    UsageError
        If Dask is not installed, or no scheduler answers.
    """

    def __init__(self, address: str) -> None:
        try:
            self.dask: Any = importlib.import_module("distributed")
        except ImportError:
            raise UsageError("the dask backend needs Dask: pip install 'mtrain[dask]'") from None
        self.address = address
        self.settings = importlib.import_module("dask").config.set({"distributed.comm.timeouts.connect": f"{ANSWER}s"})
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what is wrong is said once, by us
        try:
            self.client = self.dask.Client(address, timeout=ANSWER, set_as_default=False)
        except (OSError, ValueError) as error:
            self.settings.__exit__(None, None, None)
            said = _short(error)
            raise UsageError(f"no Dask scheduler answers at {address} ({said}); start one: dask scheduler") from None
        self.there = time.monotonic()
        self.looked = -1.0
        self.n_threads = 0

    def threads(self) -> int:
        """Return how many threads the workers have together.

        Raises
        ------
        Lost
            If there has been none for `PATIENCE` seconds.
        """
        now = time.monotonic()
        if now - self.looked >= 1:
            self.looked = now
            try:
                self.n_threads = sum(self.client.nthreads().values()) if self.client.status == "running" else 0
            except (OSError, CancelledError):
                self.n_threads = 0
            if self.n_threads:
                self.there = time.monotonic()
            elif now - self.there > PATIENCE:
                what = "has no worker" if self.client.status == "running" else "is gone"
                raise Lost(f"the Dask scheduler at {self.address} {what}; what is finished is kept")
        return self.n_threads

    def spread(self, t: Tournament, chunks: Iterable[Chunk], interrupt: threading.Event) -> Generator[Done]:
        """Yield the chunks' outcomes as they finish: two in flight for each thread.

        Raises
        ------
        Lost
            If workers or scheduler are gone for good. What a chunk raises is raised.
        """
        what, flying = sent(t), set[Any]()

        def submit(chunk: Chunk, come: Callable[[Outcome], None]) -> None:
            future = self.client.submit(play, what, chunk, key=f"mtrain-{what.run}-{chunk.number}", pure=False)
            flying.add(future)  # the scheduler forgets what nobody waits for
            future.add_done_callback(functools.partial(arrive, come=come))

        def arrive(future: Any, come: Callable[[Outcome], None]) -> None:
            try:
                outcome: Outcome = future.result()
            except BaseException as error:
                outcome = self._trouble(error)
            flying.discard(future)
            come(outcome)

        try:
            yield from flow(chunks, submit, lambda: max(1, 2 * self.threads()), interrupt, self.threads)
        finally:
            self.client.cancel(list(flying), force=True)

    def _trouble(self, error: BaseException) -> BaseException:
        """Return what a future raised, or a sentence where that was Dask's own."""
        if isinstance(error, self.dask.KilledWorker):
            return Lost("several workers died of the same chunk, perhaps for want of memory; what is finished is kept")
        if isinstance(error, (CancelledError, OSError)):
            return Lost(f"the Dask scheduler at {self.address} is gone; what is finished is kept")
        return error

    def close(self) -> None:
        """Leave the cluster as it is."""
        self.client.close(timeout=5)
        self.settings.__exit__(None, None, None)


def _short(error: Exception) -> str:
    return str(error).splitlines()[0][:100] if str(error) else type(error).__name__
