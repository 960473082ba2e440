"""Processes: starting a program, talking with it in lines, holding it to its limits, and ending it.

A `Process` is one running program with pipes to its standard input, output and error. Nothing here waits longer than
it is told to, nothing needs a thread, and whatever was started is gone, with all its children, once it is stopped. This
module knows of lines, bytes and limits, and nothing of a game or of what the lines say.
"""

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mtrain.errors import Mistake
from mtrain.think.faults import CLOSED, EXITED, FLOOD, MEMORY, TIMEOUT, Broken

# The longest line a program may write, and how much of its standard error is kept: the end of it. In bytes.
LINE = 64 * 1024
KEPT = 64 * 1024

# How long a program that has closed its output may take to end, before it counts as having only closed it; and how long
# one may take that was asked to end. In seconds.
_LINGER = 0.5
GRACE = 2.0

# How often a program is weighed: while it thinks, in seconds; and if it answers at once, every so many answers.
_WEIGH = 0.01
_WEIGH_ANSWERS = 32

_PROC = Path("/proc")
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class NotStarted(Mistake):
    """A program that cannot be started, or does not speak the protocol."""


@dataclass(frozen=True)
class Limits:
    """What a bot's process may take.

    Attributes
    ----------
    seconds
        Time for an answer.
    start
        Time to come up, in seconds.
    memory
        MB that it and its children may hold in memory; weighed where the system tells it (Linux).

    Raises
    ------
    Mistake
        If one of them is not above zero.
    """

    seconds: float = 10.0
    start: float = 30.0
    memory: int = 1024

    def __post_init__(self) -> None:
        for name, value, unit in (
            ("bot-time", self.seconds, "s"),
            ("bot-start", self.start, "s"),
            ("bot-memory", self.memory, "MB"),
        ):
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e9:
                raise Mistake(f"{name} is a number of {unit} above 0, not {value!r}")


class Process:
    """One running program.

    Parameters
    ----------
    command
        The program and its arguments.
    folder
        Where it runs.
    memory
        MB that it and its children may hold.

    Raises
    ------
    NotStarted
        If there is no such program, or it may not be run.
    """

    def __init__(self, command: Sequence[str], folder: str, memory: int) -> None:
        if sys.platform == "win32":
            raise NotStarted("bots as processes need a system with POSIX pipes and signals; Windows has none")
        try:
            # A session of its own: Ctrl-C in the terminal is for mtrain, and the whole group can be ended at once.
            self._child = subprocess.Popen(
                command,
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise NotStarted(f"{command[0]!r} cannot be started: {getattr(error, 'strerror', None) or error}") from None
        self.pid = self._child.pid
        self._finalizer = weakref.finalize(self, _end, self._child)
        self._memory = memory
        self._in, self._out, self._err = (
            stream.fileno() for stream in (self._child.stdin, self._child.stdout, self._child.stderr) if stream
        )
        for pipe in (self._in, self._out, self._err):
            os.set_blocking(pipe, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._unsent = b""
        self._heard = b""
        self._answers = 0
        self._errors = bytearray()

    def send(self, lines: bytes) -> None:
        """Send lines; what does not fit into the pipe now goes when an answer is waited for.

        Raises
        ------
        Broken
            If the program reads no more.
        """
        self._unsent += lines
        self._push()
        if self._unsent:
            self._poll.register(self._in, select.POLLOUT)

    def ahead(self) -> bytes:
        """Return what the program has written that nobody asked for, and forget it."""
        if ready := self._poll.poll(0):
            self._read(ready)
        heard, self._heard = self._heard, b""
        return heard

    def answer(self, seconds: float) -> bytes:
        """Return the next line, without its end.

        Raises
        ------
        Broken
            If there is none in time, the line is too long, the program ends, closes its output, or takes too much
            memory. It should be stopped then.
        """
        end = time.monotonic() + seconds
        self._answers += 1
        if self._answers % _WEIGH_ANSWERS == 0:
            self._weigh()
        while True:
            line, cut, rest = self._heard.partition(b"\n")
            if len(line) > LINE:
                raise Broken(FLOOD, f"wrote a line of more than {LINE // 1024} KiB")
            if cut:
                self._heard = rest
                return line
            left = end - time.monotonic()
            if left <= 0:
                raise Broken(TIMEOUT, f"gave no answer in {seconds:g} s")
            ready = self._poll.poll(1000 * min(left, _WEIGH))
            if ready:
                self._read(ready)
            else:
                self._weigh()

    def hang_up(self) -> None:
        """Close the program's input: it should end."""
        if self._child.stdin and not self._child.stdin.closed:
            with contextlib.suppress(KeyError):  # it is waited for only once a line did not fit into the pipe
                self._poll.unregister(self._in)
            self._unsent = b""
            self._child.stdin.close()

    def stop(self, grace: float = 0.0) -> int | None:
        """End the program and all its children, and let go of its pipes.

        Parameters
        ----------
        grace
            How long it may take to end by itself once its input is closed, in seconds.

        Returns
        -------
        int or None
            Its exit status (minus the signal that ended it); None if it had to be ended, or was stopped before.
        """
        if not self._finalizer.alive:
            return None
        self.hang_up()
        status = self._ended(grace)
        self._finalizer()
        self._drain()
        for stream in (self._child.stdout, self._child.stderr):
            if stream:
                stream.close()
        return status

    @property
    def errors(self) -> bytes:
        """The end of what the program has written to its standard error."""
        return bytes(self._errors)

    @property
    def last_words(self) -> str:
        """The last line of it, if there is any."""
        return "".join(self.errors.decode("utf-8", "replace").strip().splitlines()[-1:])

    # ── Pipes ─────────────────────────────────────────────────────────────────────────────────────────────

    def _push(self) -> None:
        try:
            sent = os.write(self._in, self._unsent)
        except BlockingIOError:
            return
        except BrokenPipeError:
            raise self._gone("closed its input") from None
        self._unsent = self._unsent[sent:]

    def _read(self, ready: list[tuple[int, int]]) -> None:
        """Read from, and write to, the pipes that are ready."""
        for pipe, _ in ready:
            if pipe == self._err:
                self._keep()
            elif pipe == self._in:
                self._push()
                if not self._unsent:
                    self._poll.unregister(self._in)
        if any(pipe == self._out for pipe, _ in ready):
            heard = os.read(self._out, LINE)
            if not heard:
                raise self._gone("closed its output")
            self._heard += heard

    def _keep(self) -> bool:
        """Read from standard error; return whether there was something."""
        try:
            said = os.read(self._err, KEPT)
        except BlockingIOError:
            return False
        if not said:
            self._poll.unregister(self._err)
            return False
        self._errors += said
        del self._errors[:-KEPT]
        return True

    def _drain(self) -> None:
        while not self._child.stderr or not self._child.stderr.closed:
            try:
                if not self._keep():
                    return
            except (OSError, KeyError):
                return

    # ── Ends ──────────────────────────────────────────────────────────────────────────────────────────────

    def _gone(self, what: str) -> Broken:
        """Return the fault of a program that closed a pipe: it ended, or it only closed it."""
        status = self._ended(_LINGER)
        if status is None:
            return Broken(CLOSED, f"{what}, and went on running")
        return Broken(EXITED, f"ended with {status_text(status)}")

    def _ended(self, seconds: float) -> int | None:
        """Return the program's exit status, waiting so long for it to end; None if it does not."""
        end = time.monotonic() + seconds
        pause = 0.001
        while (status := self._child.poll()) is None and time.monotonic() < end:
            for pipe, _ in self._poll.poll(1000 * pause):  # a full pipe would keep it from ending
                if pipe == self._err:
                    self._keep()
                elif pipe == self._out:
                    self._forget()
            pause = min(2 * pause, 0.02)
        return status

    def _forget(self) -> None:
        """Read output that nobody waits for any more."""
        if not os.read(self._out, LINE):
            self._poll.unregister(self._out)

    def _weigh(self) -> None:
        if _resident(self.pid) > self._memory * 1024 * 1024:
            raise Broken(MEMORY, f"took more than {self._memory} MB of memory")


def _end(child: "subprocess.Popen[bytes]") -> None:
    """End a program, and whatever is left of its group."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        child.kill()
    child.wait()


def _resident(pid: int) -> int:
    """Return the bytes that a process and its children hold in memory; 0 where the system does not tell."""
    try:
        pages = int((_PROC / str(pid) / "statm").read_bytes().split()[1])
        children = (_PROC / str(pid) / "task" / str(pid) / "children").read_bytes().split()
    except (OSError, IndexError, ValueError):
        return 0
    return pages * _PAGE + sum(_resident(int(child)) for child in children)


def status_text(status: int) -> str:
    """Return an exit status in words: ``exit status 3``, ``signal SIGKILL``."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"
