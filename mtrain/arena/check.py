"""The conformance suite: what any bot must do, and must not, shown on real games under every preset.

Each check is a row with a verdict in words. A bot that passes answers with legal actions, answers the same
question the same way, keeps nothing between questions, leaves the observation alone, and cannot see a tile it
should not. One that declares that it peeks fails the last of these by design.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mtrain.arena.driver import Driver
from mtrain.arena.faults import Fault, words
from mtrain.arena.play import Games, play, see
from mtrain.game.engine import new_game
from mtrain.game.jit import kernel
from mtrain.game.record import play_events
from mtrain.game.rng import WORLD, stream
from mtrain.game.rules import PRESETS, RuleSet
from mtrain.game.state import OWN, STATE
from mtrain.think.agent import AgentSpec, Bot
from mtrain.think.asking import ask
from mtrain.think.faults import Unasked
from mtrain.think.registry import build
from mtrain.think.worlds import determinize

CHECKS = {
    "legal": "answers with legal actions only, in every seat",
    "repeatable": "the same games again give the same games",
    "alone": "a game played by itself goes as it did among others",
    "stateless": "asked again in another order, it gives the same answers",
    "untouched": "it leaves the observation and the list of actions as they were",
    "blind": "other hidden tiles, the same observation: the same answer",
}


@dataclass(frozen=True)
class Verdict:
    """One check on one table: `trouble` is empty where it passed."""

    rules: str
    players: int
    check: str
    decisions: int
    trouble: str


@kernel
def _redeal(worlds, states, own):
    for i in range(len(states)):
        determinize(worlds[i], states[i], np.int64(states[i].turn), own[0])
        worlds[i].stream[:] = states[i].stream


def redealt(states: np.ndarray, chance: Any) -> np.ndarray:
    """Return for every State another with the hidden tiles dealt again from a stream, its own streams kept."""
    own, worlds = np.zeros(1, OWN), np.zeros(len(states), STATE)
    own[0].chance = chance
    _redeal(worlds, states, own)
    return worlds


def questions(rules: RuleSet, players: int, bot: Bot, seed: int, most: int) -> np.ndarray:
    """Return States at choices of one bot in all seats, along the first round of some games: STATE[≤ most]."""
    found: list[np.ndarray] = []
    deal = 0
    while True:
        driver = Driver([bot] * players, seed=seed, deal=deal)
        position = new_game(rules, players, seed=seed, deal=deal, starter=deal % players)
        for event in play_events(position, driver.choose):
            if event is None:
                found.append(position.copy())
            if len(found) == most:
                return np.concatenate(found)
        deal += 1


def check_agent(spec: AgentSpec, *, seed: int = 0, games: int = 4, decisions: int = 60) -> Iterator[Verdict]:
    """Check a bot on every preset at every number of players it allows.

    Parameters
    ----------
    spec
        The bot.
    seed
        What the games are dealt from.
    games
        Games played at each table.
    decisions
        Questions asked in other orders and with other hidden tiles, at each table.

    Yields
    ------
    Verdict
        One a check and table; after a failure in `legal` the other checks of that table are skipped.
    """
    for name, rules in PRESETS.items():
        for players in rules.dealable():
            try:
                yield from _check_table(name, rules, players, spec, seed, games, decisions)
            except Fault as fault:
                yield Verdict(name, players, "repeatable", 0, f"asked again, it fails: {fault}")
            except Unasked as failed:
                yield Verdict(name, players, "repeatable", 0, f"asked again, it fails: {words(failed)}")


def _check_table(
    name: str, rules: RuleSet, players: int, spec: AgentSpec, seed: int, n_games: int, most: int
) -> Iterator[Verdict]:
    games = in_all_seats(players, n_games)
    short = RuleSet.from_json(rules.to_json() | {"rounds": 1})

    def verdict(check: str, n: int, trouble: str) -> Verdict:
        return Verdict(name, players, check, n, trouble)

    try:
        played = play(short, [build(spec)], games, seed)
    except Fault as fault:
        yield verdict("legal", 0, str(fault))
        return
    n = int(played.decisions.sum())
    yield verdict("legal", n, "")
    again = play(short, [build(spec)], games, seed)
    yield verdict("repeatable", n, first_difference(games, played.rows, again.rows))
    single = np.concatenate([play(short, [build(spec)], only(games, g), seed).rows for g in reversed(range(n_games))])[
        ::-1
    ]
    yield verdict("alone", n, first_difference(games, played.rows, single))

    bot = build(spec)
    states = questions(short, players, bot, seed, most)
    everything = np.arange(len(states))
    obs, actions, streams = see(states, everything, bot.peeks)
    before = obs.copy(), actions.copy(), streams.copy()
    answers = ask(bot, obs, actions, streams)
    touched = obs.tobytes() != before[0].tobytes() or actions.tobytes() != before[1].tobytes()
    yield verdict("stateless", len(states), _asked_again(build(spec), states, everything[::-1], answers))
    yield verdict("untouched", len(states), "it wrote to what it was shown" if touched else "")
    moved = _asked_again(build(spec), redealt(states, stream(seed, WORLD, 0, 0, 0)), everything, answers)
    if bot.peeks:
        moved = f"it peeks, so it is not blind, by design: {moved or 'no answer changed here'}"
    yield verdict("blind", len(states), moved)


def in_all_seats(players: int, n: int) -> Games:
    """Return one game of each of n deals, begun from every seat in turn, in which bot 0 sits everywhere."""
    deal = np.arange(n)
    return Games(deal, np.zeros_like(deal), deal % players, np.zeros((n, players), np.int64))


def only(games: Games, g: int) -> Games:
    return Games(games.deal[g : g + 1], games.seating[g : g + 1], games.starter[g : g + 1], games.who[g : g + 1])


def first_difference(games: Games, one: np.ndarray, other: np.ndarray) -> str:
    for deal, a, b in zip(games.deal, one, other, strict=True):
        if a.tobytes() != b.tobytes():
            return f"deal {deal} went another way"
    return ""


def _asked_again(bot: Bot, states: np.ndarray, order: np.ndarray, answers: np.ndarray) -> str:
    again = np.zeros_like(answers)
    obs, actions, streams = see(states, order, bot.peeks)
    again[order] = ask(bot, obs, actions, streams)
    wrong = np.flatnonzero(again != answers)
    return f"{len(wrong)} of {len(answers)} answers changed, the first at decision {wrong[0]}" if len(wrong) else ""
