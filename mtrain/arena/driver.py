"""The driver: games played from Python, one event at a time, with one way for an agent to fail.

They are the games that `mtrain.arena.play` plays in bulk. What is slow here is for those who want to see every event
or every position: records, games with people, checks, calibrations.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from mtrain.arena.faults import STOP, Failure, Referee, stand_in_at
from mtrain.arena.observers import Broadcast
from mtrain.arena.play import see as seen_by
from mtrain.arena.schedule import first_starter
from mtrain.bots.agent import Bot
from mtrain.bots.ask import ask
from mtrain.bots.faults import Unasked
from mtrain.game.record import play_game
from mtrain.game.rules import RuleSet

_ALONE = np.zeros(1, np.int64)


class Driver:
    """Chooses for the agents of one game: asks them, and has a stand-in choose where one fails.

    Parameters
    ----------
    bots
        One a seat.
    seed, deal, seating
        Of the game: a Fault names them, and a stand-in's chance is made from them.
    on_fault, see
        What becomes of the game if a bot fails, and who is told of it: as for `Referee`.
    """

    def __init__(
        self,
        bots: Sequence[Bot],
        *,
        seed: int = 0,
        deal: int = 0,
        seating: int = 0,
        on_fault: str = STOP,
        see: Callable[[Failure, BaseException | None], None] | None = None,
    ) -> None:
        self.bots = bots
        self.seed, self.deal, self.seating = seed, deal, seating
        self.referee = Referee(on_fault, np.array([deal]), np.array([seating]), len(bots), see)
        self._asked: Counter[tuple[int, int]] = Counter()

    def choose(self, position: np.ndarray) -> int:
        """Return what the agent on turn chooses, each of its choices being asked for once, in the order of play."""
        at = int(position[0].number), int(position[0].turn)
        self._asked[at] += 1
        return self.answer(position, self._asked[at])

    def answer(self, position: np.ndarray, decision: int) -> int:
        """Return a legal action: what the agent on turn chooses, its `decision` of this round; its stream moves on.

        Raises
        ------
        Fault
            Under `stop`, if it raises or answers with what is no legal action.
        """
        s = position[0]
        seat = int(s.turn)
        if not self.referee.stood[0, seat]:
            bot = self.bots[seat]
            obs, actions, streams = seen_by(position, _ALONE, bot.peeks)
            failed: dict[int, Unasked] = {}
            answer = int(ask(bot, obs, actions, streams, failed)[0])
            s.stream[seat] = streams[0]
            if answer in actions[0] and answer:
                return answer
            self.referee.fault(0, s, bot.spec.label, decision, answer, failed.get(0))
        return int(stand_in_at(position, 0, np.uint64(self.seed), self.deal, self.seating, decision))


def record_game(
    rules: RuleSet,
    bots: Sequence[Bot],
    *,
    seed: int,
    game: int,
    starter: int,
    seating: int = 0,
    on_fault: str = STOP,
    see: Callable[[Failure, BaseException | None], None] | None = None,
) -> dict[str, Any]:
    """Play one game, one bot a seat, and return its record.

    Parameters
    ----------
    rules, bots, seed
        What is played, by whom, and what all chance is made from.
    game, seating, starter
        The deal's number, the seating's, and the seat that starts.
    on_fault, see
        What becomes of the game if a bot fails, and who is told of it: as for `Referee`.

    Raises
    ------
    Fault
        Under `stop`, if a bot raises or answers with what is no legal action.
    """
    names = [bot.text for bot in bots]
    tell = Broadcast(rules, bots).follow if any(bot.processes for bot in bots) else None
    choose = Driver(bots, seed=seed, deal=game, seating=seating, on_fault=on_fault, see=see).choose
    try:
        return play_game(rules, names, choose, seed=seed, game=game, starter=starter, seating=seating, tell=tell)
    finally:
        for bot in bots:
            bot.close()


def record_games(rules: RuleSet, bots: Sequence[Bot], *, games: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the records of games 0 … games − 1: deal k has the number k, and the starters go round the table."""
    for game in range(games):
        yield record_game(rules, bots, seed=seed, game=game, starter=first_starter(seed, len(bots), game))
