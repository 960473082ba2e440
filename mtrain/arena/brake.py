"""The brake: Ctrl-C and SIGTERM while a run goes on. Once asks it to end, twice ends it.

Workers are deaf to both: a terminal sends its signal to all of them, and what is in flight is to be finished. Nothing
here knows what is being done.
"""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)

_SAID = b"\nmtrain: finishing the games in flight; Ctrl-C once more stops at once\n"


class Brake:
    """A context in which the first signal sets `pulled` and the next raises KeyboardInterrupt.

    In a thread other than the main one, or where somebody else handles a signal already, signals are left alone.
    """

    def __init__(self) -> None:
        self.pulled = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "Brake":
        if threading.current_thread() is threading.main_thread():
            for each, usual in zip(SIGNALS, (signal.default_int_handler, signal.SIG_DFL), strict=True):
                if signal.getsignal(each) == usual:
                    self._before[each] = signal.signal(each, self._pull)
        return self

    def __exit__(self, *_: object) -> None:
        for each, before in self._before.items():
            signal.signal(each, before)

    def _pull(self, number: int, frame: FrameType | None) -> None:
        if self.pulled:
            raise KeyboardInterrupt
        self.pulled = True
        with contextlib.suppress(OSError):
            os.write(2, _SAID)  # not `print`: what it writes to may be in the middle of a line


def _nothing(number: int, frame: FrameType | None) -> None:
    """Handle a signal by doing nothing. Unlike one that is ignored, it is not passed on to programs started."""


def deafen() -> None:
    """Make a worker process deaf to what stops a run: it ends when its run does."""
    for each in SIGNALS:
        signal.signal(each, _nothing)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Hold signals back while worker processes are started: they inherit that, until they are deaf."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
