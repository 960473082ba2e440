"""Stop signals: Ctrl-C and SIGTERM while a command works. Once asks it to end, twice ends it.

What is asked is an event that whatever works looks at; nothing here knows what that is, and nothing outside the command
line handles a signal.
"""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType

_SAID = b"\nmtrain: finishing the games in flight; Ctrl-C once more stops at once\n"


@contextlib.contextmanager
def stop_signals() -> Iterator[threading.Event]:
    """Have the first signal set an event, and the next raise KeyboardInterrupt; one that is ignored stays so."""
    interrupt = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        if interrupt.is_set():
            raise KeyboardInterrupt
        interrupt.set()
        with contextlib.suppress(OSError):
            os.write(2, _SAID)  # not `print`: what it writes to may be in the middle of a line

    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    before = {each: signal.signal(each, ask) for each in usual if signal.getsignal(each) == usual[each]}
    try:
        yield interrupt
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
