"""Processes: starting a program, talking with it in lines, holding it to its limits, and ending it.

A `Process` is one running program with pipes to its standard input, output and error. Nothing here waits longer than
it is told to, nothing needs a thread, and whatever was started is gone, with all its children, once it is stopped. This
module knows of lines, bytes and limits, and nothing of a game or of what the lines say.
"""

import contextlib
import os
import select
import shlex
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mtrain.bots import protocol
from mtrain.bots.faults import CLOSED, EXITED, FLOOD, GARBAGE, ILLEGAL, MEMORY, TIMEOUT, Broken, Unasked
from mtrain.errors import UsageError
from mtrain.game.rng import Stream
from mtrain.game.rules import RuleSet
from mtrain.version import __version__

# ── Processes ─────────────────────────────────────────────────────────────────────────────────────────


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


class NotStarted(UsageError):
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
    UsageError
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
                raise UsageError(f"{name} is a number of {unit} above 0, not {value!r}")


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


# ── Bot processes ─────────────────────────────────────────────────────────────────────────────────────────────
#
# Bot processes: the processes of one bot at a table, one a seat, and what each of them has still to be told.
#
# A process is started for its first game, plays one game after another, and knows of no other seat's. What happens is
# kept for it until it is asked, and goes out with the question: a decision costs one line there and one line back.


@dataclass
class _Seat:
    """One seat's process, and what it has still to be told."""

    process: Process | None = None
    greeted: bool = False
    unsaid: list[bytes] = field(default_factory=list)
    events: list[str] = field(default_factory=list)


class BotProcesses:
    """The processes of one bot at a table, one a seat.

    Parameters
    ----------
    command
        The command line.
    folder
        Where it runs.
    limits
        What a process may take.

    Attributes
    ----------
    errors : dict
        By seat, the end of what its processes wrote to their standard error, once they have been stopped.
    sent
        The last question that was sent, for whoever wants to see it.
    """

    def __init__(self, command: str, folder: str, limits: Limits) -> None:
        self.command, self.folder, self.limits = shlex.split(command), folder, limits
        self.errors: dict[int, bytes] = {}
        self.sent = b""
        self._at: dict[int, _Seat] = {}  # every seat that ever had a process
        self._playing: dict[int, _Seat] = {}  # those of the game that is on
        self._players = self._marked = 0

    # ── What happens ──────────────────────────────────────────────────────────────────────────────────────

    def begin(self, rules: RuleSet, players: int, seats: Iterable[int]) -> None:
        """Begin a game in some seats; whoever has no process gets one."""
        self._players = players
        self._playing = {seat: self._at.setdefault(seat, _Seat()) for seat in seats}
        for seat in self._playing.values():
            if seat.process is None:
                with contextlib.suppress(NotStarted):  # a fault when it is asked, not before
                    seat.process = Process(self.command, self.folder, self.limits.memory)
        self._tell({number: protocol.game(rules, players, number) for number in self._playing})

    def round(self, number: int, starter: int, engine: int) -> None:
        """Begin a round; an `engine` below 0 is still to be found."""
        self._marked = 0
        self._tell(dict.fromkeys(self._playing, protocol.round_(number, starter, engine)))

    def hear(self, event: tuple[Any, ...], marked: int) -> None:
        """Hear of an event of the record, and of which markers are up after it: a bit a seat."""
        told = [protocol.event(event)]
        if marked != self._marked:
            changed, self._marked = self._marked ^ marked, marked
            told += [protocol.marker(k, bool(marked >> k & 1)) for k in range(self._players) if changed >> k & 1]
        seen = told
        if event[1] == "draw":  # the tile is for its owner's eyes only
            told = [protocol.event(event[:2]), *told[1:]]
        for number, seat in self._playing.items():
            seat.events += seen if number == event[0] else told

    def scores(self, over: int, pips: Sequence[int], totals: Sequence[int]) -> None:
        """End the round."""
        self._tell({n: protocol.scores(seat.events, over, pips, totals) for n, seat in self._playing.items()})
        for seat in self._playing.values():
            seat.events.clear()

    def end(self, totals: Sequence[int], ranks: Sequence[int]) -> None:
        """End the game, and tell it: what the bot makes of it is its own affair."""
        self._tell(dict.fromkeys(self._playing, protocol.end(totals, ranks)))
        for number, seat in self._playing.items():
            if seat.process and seat.greeted:
                try:
                    self._say(seat)
                except Broken:
                    self._stop(number)  # nobody asked it: the next game begins with a new one
        self._playing = {}

    # ── Asking ────────────────────────────────────────────────────────────────────────────────────────────

    def ask(self, obs: np.ndarray, actions: np.ndarray, streams: np.ndarray, failed: dict[int, Unasked]) -> np.ndarray:
        """Ask the process of the seat on turn, for each of some observations; as `mtrain.bots.ask.ask`.

        After anything but an illegal answer a process that fails is stopped: what it says next may answer another
        question.
        """
        answers = np.zeros(len(obs), np.int64)
        for i, seat in enumerate(obs["turn"].tolist()):
            rng = Stream(int(streams[i]))
            legal = [action for action in actions[i].tolist() if action]
            chance = int(rng.random() * protocol.CHANCES)
            streams[i] = rng.state
            try:
                answers[i] = legal[self._ask(seat, obs, i, legal, chance)]
            except Broken as broken:
                ended = broken.kind != ILLEGAL
                if ended:
                    self._stop(seat)
                failed[i] = Unasked(i, broken.kind, broken.said, ended)
        return answers

    def _ask(self, number: int, obs: np.ndarray, i: int, legal: Sequence[int], chance: int) -> int:
        seat = self._playing[number]
        if seat.process is None:
            raise Broken(EXITED, "could not be started again")
        self._greet(seat)
        if ahead := seat.process.ahead():
            line = ahead.partition(b"\n")[0]  # how much has come by now is a matter of time
            raise Broken(GARBAGE, f"wrote {protocol.quote(line)} without being asked")
        self.sent = protocol.act(obs, i, legal, chance, seat.events).encode()
        seat.unsaid.append(self.sent)
        seat.events.clear()
        self._say(seat)
        return protocol.read_action(seat.process.answer(self.limits.seconds), len(legal))

    def _greet(self, seat: _Seat) -> None:
        if seat.process and not seat.greeted:
            greet(seat.process, self.limits.start)
            seat.greeted = True

    def _say(self, seat: _Seat) -> None:
        if seat.process:
            lines = b"".join(seat.unsaid)
            seat.unsaid.clear()
            seat.process.send(lines)

    def _tell(self, messages: Mapping[int, bytes]) -> None:
        """Keep a message for every seat that has a process to be told."""
        for number, message in messages.items():
            if self._playing[number].process:
                self._playing[number].unsaid.append(message)

    # ── The end ───────────────────────────────────────────────────────────────────────────────────────────

    def close(self) -> None:
        """Say goodbye to all processes, and make sure that none is left."""
        for seat in self._at.values():
            if seat.process:
                with contextlib.suppress(Broken):  # it went first
                    if seat.greeted:
                        seat.process.send(protocol.bye())
                seat.process.hang_up()
        end = time.monotonic() + GRACE  # for all of them together
        for number in list(self._at):
            self._stop(number, max(0.0, end - time.monotonic()))
        self._at, self._playing = {}, {}

    def _stop(self, number: int, grace: float = 0.0) -> None:
        """Stop a seat's process, keep what it wrote to its standard error, and forget what it has not been told."""
        seat = self._at[number]
        if seat.process:
            seat.process.stop(grace)
            if seat.process.errors:
                self.errors[number] = (self.errors.get(number, b"") + seat.process.errors)[-KEPT:]
        seat.process, seat.greeted = None, False
        seat.unsaid.clear()
        seat.events.clear()


def greet(process: Process, seconds: float) -> protocol.Hello:
    """Say hello to a process; return what it says of itself.

    Raises
    ------
    Broken
        If it does not answer as the protocol wants it.
    """
    process.send(protocol.hello(__version__))
    return protocol.read_hello(process.answer(seconds))


def introduce(command: str, folder: str, limits: Limits) -> protocol.Hello:
    """Start a bot's process once, to hear its hello, and stop it.

    Raises
    ------
    NotStarted
        If it cannot be started, gives no hello in time, or speaks another protocol: the sentence says which, and ends
        with the last line of its standard error.
    """
    process = Process(shlex.split(command), folder, limits.memory)
    try:
        said = greet(process, limits.start)
        process.send(protocol.bye())
        process.stop(GRACE)
        return said
    except Broken as broken:
        process.stop()
        last = f"; its last words: {process.last_words[:200]}" if process.last_words else ""
        raise NotStarted(f"{command!r} {broken.said}{last}") from None
    finally:
        process.stop()
