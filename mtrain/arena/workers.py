"""Workers of one machine: chunks go out, never more than there are workers, and come back in any order.

What is asked for next is decided when a worker is free, so whoever hands out the chunks can stop at any time and get
back those in flight. Line-ups of compiled agents are played by threads, others by processes. Nothing here writes.
"""

import functools
import multiprocessing.resource_tracker
import os
import queue
import threading
import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.pool import ThreadPool
from typing import Any

import joblib

from mtrain.arena.brake import deafen, held
from mtrain.arena.chunks import Done, work
from mtrain.arena.schedule import Chunk
from mtrain.arena.tournament import Tournament
from mtrain.errors import Trouble
from mtrain.game.jit import JIT
from mtrain.think.agent import KERNEL
from mtrain.think.registry import build


class Lost(Trouble):
    """Workers are gone; the chunks that came back before are kept."""


Outcome = Done | BaseException


def spread(t: Tournament, chunks: Iterable[Chunk], jobs: int) -> Generator[Done]:
    """Yield the chunks' outcomes as they finish.

    Parameters
    ----------
    t
        What is played.
    chunks
        Asked for the next chunk whenever a worker is free.
    jobs
        How many workers.

    Raises
    ------
    Lost
        If a worker is killed. What a chunk raises is raised.
    """
    if jobs == 1 or (JIT and all(build(agent).how == KERNEL for agent in t.agents)):
        return _threads(t, chunks, jobs)
    return _processes(t, chunks, jobs)


def _threads(t: Tournament, chunks: Iterable[Chunk], jobs: int) -> Generator[Done]:
    """Play in threads; one worker is a thread, too, so that Ctrl-C is heard while it plays."""
    with ThreadPool(jobs) as pool:

        def submit(chunk: Chunk, come: Callable[[Outcome], None]) -> None:
            pool.apply_async(work, (t, chunk), callback=come, error_callback=come)

        yield from flow(chunks, submit, lambda: jobs)


def flow(
    chunks: Iterable[Chunk],
    submit: Callable[[Chunk, Callable[[Outcome], None]], None],
    width: Callable[[], int],
    check: Callable[[], object] = lambda: None,
) -> Generator[Done]:
    """Keep up to `width` chunks in flight and yield those that come; `check` is called every second."""
    come: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
    left, flying = iter(chunks), 0

    def refill() -> None:
        nonlocal flying
        while flying < width() and (chunk := next(left, None)) is not None:
            submit(chunk, come.put)
            flying += 1

    refill()
    while flying:
        try:
            done = come.get(timeout=1)
        except queue.Empty:
            check()
        else:
            flying -= 1
            if isinstance(done, BaseException):
                raise done
            refill()  # before what has come is written, so that nobody waits for the disk
            yield done
        refill()


def _serve(parent: int) -> None:
    """Prepare a worker process: deaf to what is meant for its parent, and gone when that is, however it went."""
    deafen()

    def follow() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    if os.name == "posix":
        threading.Thread(target=follow, daemon=True).start()


@functools.cache
def _server(parent: int) -> Callable[[], None]:
    """Return what prepares a process's workers: always one object, or joblib would not keep them for the next call."""
    return functools.partial(_serve, parent)


def _processes(t: Tournament, chunks: Iterable[Chunk], jobs: int) -> Generator[Done]:
    """Play in processes, deaf to the signals that a terminal sends to all of them."""
    workers = joblib.Parallel(
        n_jobs=jobs,
        backend="loky",
        return_as="generator_unordered",
        batch_size=1,
        pre_dispatch="n_jobs",
        initializer=_server(os.getpid()),
    )
    tasks = (joblib.delayed(work)(t, chunk) for chunk in chunks)
    multiprocessing.resource_tracker.ensure_running()  # or it would be started below, and lift what is held
    with held():
        outcomes: Iterable[Any] = workers(tasks)
    try:
        yield from outcomes
    except BrokenProcessPool:
        raise Lost("a worker process was killed, perhaps for want of memory; what is finished is kept") from None
