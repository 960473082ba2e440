"""Workers of one machine: chunks go out, never more than there are workers, and come back in any order.

What is asked for next is decided when a worker is free, so whoever hands out the chunks can stop at any time and get
back those in flight. Line-ups of compiled agents are played by threads, others by processes. Nothing here writes.
"""

import contextlib
import functools
import multiprocessing.resource_tracker
import os
import queue
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError, Future
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.pool import ThreadPool

from joblib.externals.loky import get_reusable_executor

from mtrain.arena.chunk import Done, work
from mtrain.arena.schedule import Chunk
from mtrain.arena.spec import Tournament
from mtrain.bots.agent import KERNEL
from mtrain.bots.registry import build
from mtrain.errors import RunError
from mtrain.game.jit import JIT, say


class Lost(RunError):
    """Workers are gone; the chunks that came back before are kept."""


Outcome = Done | BaseException

_SIGNALS = (signal.SIGINT, signal.SIGTERM)

# What bounds the threads that libraries start in a worker process: all workers together have the machine.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def spread(t: Tournament, chunks: Iterable[Chunk], jobs: int, interrupt: threading.Event) -> Generator[Done]:
    """Yield the chunks' outcomes as they finish.

    Parameters
    ----------
    t
        What is played.
    chunks
        Asked for the next chunk whenever a worker is free.
    jobs
        How many workers.
    interrupt
        Set by Ctrl-C: see `heed`.

    Raises
    ------
    Lost
        If a worker is killed. What a chunk raises is raised.
    """
    if jobs == 1 or (JIT and all(build(agent).how == KERNEL for agent in t.agents)):
        return _threads(t, chunks, jobs, interrupt)
    return _processes(t, chunks, jobs, interrupt)


def heed(interrupt: threading.Event) -> None:
    """Take the KeyboardInterrupt at hand as the wish to end once what is in flight is finished; the next is raised."""
    if interrupt.is_set():
        raise
    interrupt.set()
    say("finishing the games in flight; Ctrl-C once more stops at once")


def _threads(t: Tournament, chunks: Iterable[Chunk], jobs: int, interrupt: threading.Event) -> Generator[Done]:
    """Play in threads; one worker is a thread, too, so that Ctrl-C is heard while it plays."""
    with ThreadPool(jobs) as pool:

        def submit(chunk: Chunk, come: Callable[[Outcome], None]) -> None:
            pool.apply_async(work, (t, chunk), callback=come, error_callback=come)

        yield from flow(chunks, submit, lambda: jobs, interrupt)


def flow(
    chunks: Iterable[Chunk],
    submit: Callable[[Chunk, Callable[[Outcome], None]], None],
    width: Callable[[], int],
    interrupt: threading.Event,
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
        except KeyboardInterrupt:
            heed(interrupt)
        else:
            flying -= 1
            if isinstance(done, BaseException):
                raise done
            refill()  # before what has come is written, so that nobody waits for the disk
            yield done
        refill()


def _nothing(*_: object) -> None:
    """Handle a signal by doing nothing. Unlike one that is ignored, it is not passed on to programs started."""


def _serve(parent: int) -> None:
    """Prepare a worker process: deaf to what a terminal sends to its parent, and gone when that is, however it went."""
    for each in _SIGNALS:
        signal.signal(each, _nothing)
    if os.name != "posix":
        return
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)

    def follow() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


@functools.cache
def _server(parent: int) -> Callable[[], None]:
    """Return what prepares a process's workers: always one object, or they would not be kept for the next call."""
    return functools.partial(_serve, parent)


@contextlib.contextmanager
def _held() -> Iterator[None]:
    """Hold signals back while worker processes are started: they inherit that, until they are deaf."""
    if os.name != "posix":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _processes(t: Tournament, chunks: Iterable[Chunk], jobs: int, interrupt: threading.Event) -> Generator[Done]:
    """Play in processes, deaf to the signals that a terminal sends to all of them."""
    threads = str(max(1, (os.cpu_count() or 1) // jobs))
    limits = {name: os.environ.get(name, threads) for name in _THREADS}
    multiprocessing.resource_tracker.ensure_running()  # or it would be started below, and lift what is held
    with _held():
        pool = get_reusable_executor(jobs, timeout=300, initializer=_server(os.getpid()), env=limits)
    flying: set[Future[Done]] = set()

    def submit(chunk: Chunk, come: Callable[[Outcome], None]) -> None:
        def arrive(future: Future[Done]) -> None:
            flying.discard(future)
            with contextlib.suppress(CancelledError):
                come(future.exception() or future.result())

        with _held():
            future = pool.submit(work, t, chunk)
        flying.add(future)
        future.add_done_callback(arrive)

    try:
        yield from flow(chunks, submit, lambda: jobs, interrupt)
    except BrokenProcessPool:
        raise Lost("a worker process was killed, perhaps for want of memory; what is finished is kept") from None
    finally:
        if flying:
            pool.shutdown(kill_workers=True)
