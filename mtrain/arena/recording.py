"""Agents playing for the record: the same games as a tournament plays, one event at a time."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mtrain.arena.play import Fault, see
from mtrain.arena.schedule import first_starter
from mtrain.game.engine import IllegalAction
from mtrain.game.record import Chooser, play_game
from mtrain.game.rules import RuleSet
from mtrain.think.agent import PEEKS, Bot, Unasked, ask


def chooser(bots: Sequence[Bot]) -> Chooser:
    """Return the function that asks the bot of the seat on turn, and moves its stream on."""
    alone = np.zeros(1, np.int64)

    def choose(position: np.ndarray) -> int:
        seat = int(position[0].turn)
        obs, actions, streams = see(position, alone, bots[seat].peeks)
        try:
            answer = int(ask(bots[seat], obs, actions, streams)[0])
        except Unasked as failed:
            error = failed.__cause__
            what = f"{type(error).__name__}: {error}"
            raise Fault(f"agent {bots[seat].spec.label!r} in seat {seat} failed: {what}") from error
        position[0].stream[seat] = streams[0]
        return answer

    return choose


def record_game(
    rules: RuleSet, bots: Sequence[Bot], *, seed: int, game: int, starter: int, seating: int = 0
) -> dict[str, Any]:
    """Play one game, one bot a seat, and return its record.

    Raises
    ------
    Fault
        If a bot raises or answers with what is no legal action.
    """
    names = [f"{bot.spec}{PEEKS if bot.peeks else ''}" for bot in bots]
    try:
        return play_game(rules, names, chooser(bots), seed=seed, game=game, starter=starter, seating=seating)
    except IllegalAction as error:
        raise Fault(f"game {game}: an agent's answer was refused: {error}") from error


def record_games(rules: RuleSet, bots: Sequence[Bot], *, games: int, seed: int) -> Iterator[dict[str, Any]]:
    """Yield the records of games 0 … games − 1: deal k has the number k, and the starters go round the table."""
    for game in range(games):
        yield record_game(rules, bots, seed=seed, game=game, starter=first_starter(seed, len(bots), game))
