"""Crews: the processes of one bot at a table, one a seat, and what each of them has still to be told.

A process is started for its first game, plays one game after another, and knows of no other seat's. What happens is
kept for it until it is asked, and goes out with the question: a decision costs one line there and one line back.
"""

import contextlib
import shlex
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mtrain.game.rng import Stream
from mtrain.game.rules import RuleSet
from mtrain.think import protocol
from mtrain.think.faults import EXITED, GARBAGE, ILLEGAL, Broken, Unasked
from mtrain.think.process import GRACE, KEPT, Limits, NotStarted, Process
from mtrain.version import __version__


@dataclass
class _Seat:
    """One seat's process, and what it has still to be told."""

    process: Process | None = None
    greeted: bool = False
    unsaid: list[bytes] = field(default_factory=list)
    events: list[str] = field(default_factory=list)


class Crew:
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
        """Ask the process of the seat on turn, for each of some observations; as `mtrain.think.asking.ask`.

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
