"""A person at a terminal: a program run behind a pseudo-terminal, what it prints read, and what is typed sent."""

import errno
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
import traceback
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NoReturn

from mtrain.cli import main

COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class Terminal:
    """`mtrain` with some arguments, as a person has it before them: 110 columns, 40 lines.

    The program is a copy of this process, which has imported all of it: starting another takes a second each time.
    """

    def __init__(self, *arguments: str, cwd: Path) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 110, 0, 0))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # a copy has none of the threads
            self._child = os.fork()
        if not self._child:
            _become(slave, arguments, cwd)
        os.close(slave)
        self.screen = ""  # all that was ever printed

    def until(self, *ends: str, seconds: float = 120) -> str:
        """Read on until the screen ends with one of some texts, or the program does; return what came, uncoloured."""
        since = len(self.screen)
        limit = time.monotonic() + seconds
        while time.monotonic() < limit:
            if not select.select([self._master], [], [], 0.1)[0]:
                continue
            try:
                came = os.read(self._master, 1 << 16)
            except OSError as error:  # how Linux says that the other side is closed
                if error.errno != errno.EIO:
                    raise
                came = b""
            self.screen += came.decode("utf-8", "replace")
            if not came or (ends and COLOURS.sub("", self.screen[-200:]).endswith(ends)):
                return COLOURS.sub("", self.screen[since:]).replace("\r\n", "\n")
        raise AssertionError(f"nothing ended with {ends}: …{self.screen[-1000:]}")

    def type(self, entry: str | bytes) -> None:
        """Type an entry and Enter."""
        data = entry if isinstance(entry, bytes) else entry.encode("utf-8", "surrogateescape")
        for start in range(0, len(data) + 1, 1000):  # the line of a terminal holds some 4,000 characters
            os.write(self._master, data[start : start + 1000])
        os.write(self._master, b"\n")

    def press(self, key: bytes) -> None:
        """Press a key that acts at once: Ctrl-C is 3, Ctrl-D is 4."""
        os.write(self._master, key)

    def end(self) -> tuple[int, str]:
        """Read to the end; return the exit status and what came."""
        said = self.until()
        status = os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])
        os.close(self._master)
        return status, said

    def answers(self, entries: Iterable[str], *prompts: str) -> list[str]:
        """Type entries, each at a prompt; return what was printed before each prompt."""
        said = []
        for entry in entries:
            said.append(self.until(*prompts))
            self.type(entry)
        return said


def _become(slave: int, arguments: Sequence[str], cwd: Path) -> NoReturn:
    """Be the program at this terminal, and end as it ends."""
    status = 70
    try:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for stream in range(3):
            os.dup2(slave, stream)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        os.environ |= {"TERM": "xterm"}
        os.chdir(cwd)
        sys.argv = ["mtrain", *arguments]
        main.main()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1 if end.code else 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
