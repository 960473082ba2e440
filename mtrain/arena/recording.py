"""Agents playing for the record: the same games as a tournament plays, one event at a time."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from mtrain.arena.faults import STOP, Failure, Referee, stand_in_at
from mtrain.arena.play import see as seen_by
from mtrain.arena.schedule import first_starter
from mtrain.arena.telling import Telling
from mtrain.game.record import Chooser, play_game
from mtrain.game.rules import RuleSet
from mtrain.think.agent import PEEKS, Bot
from mtrain.think.asking import ask
from mtrain.think.faults import Unasked


def chooser(
    bots: Sequence[Bot],
    *,
    seed: int = 0,
    deal: int = 0,
    seating: int = 0,
    on_fault: str = STOP,
    see: Callable[[Failure, BaseException | None], None] | None = None,
) -> Chooser:
    """Return the function that asks the bot of the seat on turn, and moves its stream on.

    Parameters
    ----------
    bots
        One a seat.
    seed, deal, seating
        Of the one game that it is for: a Fault names them, and a stand-in's chance is made from them.
    on_fault, see
        What becomes of the game if a bot fails, and who is told of it: as for `Referee`.
    """
    referee = Referee(on_fault, np.array([deal]), np.array([seating]), len(bots), see)
    alone = np.zeros(1, np.int64)
    counts: Counter[tuple[int, int]] = Counter()

    def choose(position: np.ndarray) -> int:
        s = position[0]
        seat = int(s.turn)
        counts[int(s.number), seat] += 1
        decision = counts[int(s.number), seat]
        if not referee.stood[0, seat]:
            obs, actions, streams = seen_by(position, alone, bots[seat].peeks)
            failed: dict[int, Unasked] = {}
            answer = int(ask(bots[seat], obs, actions, streams, failed)[0])
            s.stream[seat] = streams[0]
            if answer in actions[0] and answer:
                return answer
            referee.fault(0, s, bots[seat].spec.label, decision, answer, failed.get(0))
        return int(stand_in_at(position, 0, np.uint64(seed), deal, seating, decision))

    return choose


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
    names = [f"{bot.spec}{PEEKS if bot.peeks else ''}" for bot in bots]
    tell = Telling(rules, bots).follow if any(bot.crew for bot in bots) else None
    choose = chooser(bots, seed=seed, deal=game, seating=seating, on_fault=on_fault, see=see)
    try:
        return play_game(rules, names, choose, seed=seed, game=game, starter=starter, seating=seating, tell=tell)
    finally:
        for bot in bots:
            bot.close()


def record_games(rules: RuleSet, bots: Sequence[Bot], *, games: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the records of games 0 … games − 1: deal k has the number k, and the starters go round the table."""
    for game in range(games):
        yield record_game(rules, bots, seed=seed, game=game, starter=first_starter(seed, len(bots), game))
