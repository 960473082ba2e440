"""Faults: what becomes of a game in which an agent fails, and what is written down of it.

A `Referee` stands beside a batch of games. Whoever asks the agents tells it of every answer that is none; it notes
the fault, and says whether a stand-in, which chooses uniformly among the legal actions, plays on in that seat. What
the stand-in draws depends on the place of the decision alone, so no other chance moves. This module asks nobody and
writes no table.

=============== =========================================================================================
`substitute`    the stand-in takes the place of the one answer; once a process has ended, of the whole rest of the game
`forfeit`       the stand-in plays the game to its end, and the agent has the highest score of every round
`void`          the stand-in plays the game to its end, and its whole block counts nowhere
`stop`          the run ends
=============== =========================================================================================
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mtrain.bots.faults import ILLEGAL, Unasked
from mtrain.errors import RunError, UsageError
from mtrain.game.jit import kernel
from mtrain.game.kernels import nth_action
from mtrain.game.notation import action_text
from mtrain.game.rng import STAND_IN, at, scaled, stream

SUBSTITUTE, FORFEIT, VOID, STOP = POLICIES = ("substitute", "forfeit", "void", "stop")

_MOST = 160  # characters kept of what is said of a fault


class Fault(RunError):
    """An agent that raised, or answered with what is no legal action; the sentence says where.

    Attributes
    ----------
    deal, seating
        Which game.
    """

    def __init__(self, sentence: str, deal: int = 0, seating: int = 0) -> None:
        super().__init__(sentence, deal, seating)
        self.deal, self.seating = deal, seating

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True)
class Failure:
    """One fault: where in which game of the batch, its kind, and what happened in words, the same on any machine.

    The decision counts the seat's choices in the round, from 1.
    """

    game: int
    round: int
    seat: int
    decision: int
    kind: str
    what: str


@kernel
def stand_in(s, seed, deal, seating, decision):
    """Return a legal action drawn uniformly, for a choice of the seat on turn: its `decision` of this round."""
    seat, number = np.int64(s.turn), np.int64(s.number)
    start = stream(seed, STAND_IN, deal, seating, seat << 40 | number << 32 | np.int64(decision))
    return nth_action(s, scaled(at(start, 0), np.int64(s.n_legal)))


@kernel
def stand_in_at(states, i, seed, deal, seating, decision):
    """The same for State `i` of an array: what Python calls."""
    return stand_in(states[i], seed, deal, seating, decision)


class Referee:
    """Notes the faults of a batch of games, and says who is replaced.

    Parameters
    ----------
    on_fault
        One of `POLICIES`.
    deals, seatings : int64[n]
        Of the games.
    players
        Seats at a table.
    see
        Called with every fault and the exception behind it, if there is one.

    Attributes
    ----------
    failures
        What was noted, in the order in which it was.
    stood : int16[n, players]
        0, or 1 + how many choices of this round were a stand-in's, in a seat that it has taken over.
    """

    def __init__(
        self,
        on_fault: str,
        deals: np.ndarray,
        seatings: np.ndarray,
        players: int,
        see: Callable[[Failure, BaseException | None], None] | None = None,
    ) -> None:
        if on_fault not in POLICIES:
            raise UsageError(f"on_fault is one of {', '.join(POLICIES)}, not {on_fault!r}")
        self.on_fault = on_fault
        self.deals, self.seatings = deals, seatings
        self.see = see
        self.failures: list[Failure] = []
        self.stood = np.zeros((len(deals), players), np.int16)

    def fault(self, g: int, s: np.record, label: str, decision: int, answer: int, failed: Unasked | None) -> None:
        """Note that the agent on turn in game `g`, at State `s`, failed: it gave no answer, or an illegal one.

        Raises
        ------
        Fault
            Under `stop`.
        """
        seat, number = int(s.turn), int(s.number)
        error = failed.__cause__ if failed else None
        what = words(failed) if failed else f"answered {_action(answer, int(s.n_seats))}"
        failure = Failure(g, number, seat, decision, failed.kind if failed else ILLEGAL, what)
        if self.on_fault == STOP:
            deal, seating = int(self.deals[g]), int(self.seatings[g])
            where = f"deal {deal}, seating {seating}, round {number}, seat {seat}, decision {decision}"
            said = f"failed ({where}): {what}" if failed else f"{what} ({where}), which is none of its legal actions"
            raise Fault(f"agent {label!r} {said}", deal, seating) from error
        self.failures.append(failure)
        if self.see is not None:
            self.see(failure, error)
        if self.on_fault != SUBSTITUTE or (failed is not None and failed.ended):
            self.stood[g, seat] = 1


def forfeit(pips: np.ndarray, failures: list[Failure]) -> np.ndarray:
    """Give whoever failed the highest score of the table in every round, in place; return bool[games, seats]: who did.

    ``pips: int16[games, rounds, seats]``.
    """
    failed = np.zeros((len(pips), pips.shape[2]), bool)
    for failure in failures:
        failed[failure.game, failure.seat] = True
    np.copyto(pips, pips.max(2, keepdims=True), where=failed[:, None, :])
    return failed


def _action(answer: int, n_seats: int) -> str:
    """Return an answer in words, if it has the form of an action."""
    if answer == 1 or answer >> 14 == 1:
        try:
            return action_text(answer, n_seats)
        except IndexError:
            pass
    return str(answer)


def words(failed: Unasked) -> str:
    """Return what is said of a failure: one line, of a sane length, without what differs from run to run."""
    error, said = failed.__cause__, failed.said
    if error is not None:
        try:
            text = str(error)
        except Exception:  # whatever a bot's own exception does
            text = "(its message cannot be read)"
        said = f"{type(error).__name__}: {text}{said}" if text else f"{type(error).__name__}{said}"
    said = re.sub(r"0x[0-9a-fA-F]+", "0x…", " ".join(said.split()))
    said = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in said)
    return said if len(said) <= _MOST else said[: _MOST - 1] + "…"
