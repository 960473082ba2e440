"""Broadcast: bots that are programs hear of what happens at their table, in the order in which it does.

A table is told from a journal, or event by event as a game is recorded; what a seat may not know, the protocol leaves
out. This module knows of one game at a time.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mtrain.bots.agent import Bot
from mtrain.game.journal import read_journal
from mtrain.game.record import Event
from mtrain.game.rules import RuleSet, ranks


class Broadcast:
    """One game, told to the programs among its bots.

    Parameters
    ----------
    rules
        What is played.
    seated
        Who sits where.
    """

    def __init__(self, rules: RuleSet, seated: Sequence[Bot]) -> None:
        self._rules, self._players = rules, len(seated)
        self._pips: list[list[int]] = []
        self._listeners = []
        for bot in {id(bot): bot for bot in seated}.values():
            if bot.processes is not None:
                bot.processes.begin(rules, len(seated), [seat for seat, other in enumerate(seated) if other is bot])
                self._listeners.append(bot.processes)

    def round(self, s: np.record) -> None:
        """Tell of a round just dealt."""
        for processes in self._listeners:
            processes.round(int(s.number), int(s.starter), int(s.engine))

    def hear(self, event: tuple[Any, ...], marked: int) -> None:
        """Tell of an event, and which markers are up after it: a bit a seat."""
        for processes in self._listeners:
            processes.hear(event, marked)

    def read(self, journal: np.ndarray) -> None:
        """Tell of all events in a journal, and empty it."""
        for event, marked in read_journal(journal, self._players):
            self.hear(event, marked)

    def over(self, s: np.record) -> None:
        """Tell that a round is over, and after the last that the game is."""
        self._pips.append([int(pips) for pips in s.pips[: self._players]])
        totals = [int(total) for total in s.score[: self._players]]
        for processes in self._listeners:
            processes.scores(int(s.over), self._pips[-1], totals)
        if len(self._pips) == self._rules.rounds:
            placed = ranks(np.array(self._pips), self._rules.tie_break).tolist()
            for processes in self._listeners:
                processes.end(totals, placed)

    def follow(self, position: np.ndarray, event: Event | None) -> None:
        """Tell of an event of a record and of what it leads to; None: the round has just been dealt."""
        s = position[0]
        if event is None:
            self.round(s)
        else:
            self.hear(tuple(event), int(s.marked))
        if s.over:
            self.over(s)
