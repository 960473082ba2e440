"""The conformance suite: what any bot must do, and must not, shown on real games under every preset.

Each check is a row with a verdict in words. A bot that passes answers with legal actions, answers the same
question the same way, keeps nothing between questions, leaves the observation alone, and cannot see a tile it
should not. One that declares that it peeks fails the last of these by design.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from mtrain.arena.driver import Driver
from mtrain.arena.faults import Fault, words
from mtrain.arena.play import Games, Played, play, see
from mtrain.bots import protocol
from mtrain.bots.agent import KERNEL, AgentSpec, Bot
from mtrain.bots.ask import ask
from mtrain.bots.faults import Broken, Unasked
from mtrain.bots.process import GRACE, BotProcesses, NotStarted, Process, greet
from mtrain.bots.registry import build
from mtrain.game.jit import kernel
from mtrain.game.moves import new_game
from mtrain.game.record import play_events
from mtrain.game.rng import WORLD, stream
from mtrain.game.rules import PRESETS, RuleSet
from mtrain.game.state import AGENT_STATE, N_PARAMS, STATE
from mtrain.strategy.determinize import determinize
from mtrain.strategy.policies import uniform_policy

# ── Bots in Python ────────────────────────────────────────────────────────────────────────────────────


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
def _redeal(worlds, states, agent_state):
    for i in range(len(states)):
        determinize(worlds[i], states[i], np.int64(states[i].turn), agent_state[0])
        worlds[i].stream[:] = states[i].stream


def redealt(states: np.ndarray, chance: Any) -> np.ndarray:
    """Return for every State another with the hidden tiles dealt again from a stream, its own streams kept."""
    agent_state, worlds = np.zeros(1, AGENT_STATE), np.zeros(len(states), STATE)
    agent_state[0].rng = chance
    _redeal(worlds, states, agent_state)
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


# ── Bots that are programs ────────────────────────────────────────────────────────────────────────────
#
# The conformance suite for bots that are programs: each step of the protocol, and then whole games at many tables.
#
# What is wrong is named by its step, with what was sent and what came back. After a step without which the next makes
# no sense, nothing else is tried.


STEPS = {
    "start": "the program starts",
    "hello": "it answers hello in time, with the protocol's number and a name",
    "quiet": "it writes nothing to its standard output unless it is asked",
    "ends": "it ends when its input does",
    "act": "it answers every question of a game with the number of a legal action",
    "second game": "it plays another game in the same process",
    "legal": "answers with legal actions only, in every seat",
    "repeatable": "the same games again give the same games",
    "alone": "a game in a new process goes as it did in one that had played others",
    "blind": "other hidden tiles, the same messages",
}

# How long a program is listened to that has nothing to say, in seconds.
_LISTEN = 0.25

_SHOWN = 240  # characters of a message shown


def check_program(
    spec: AgentSpec, *, seed: int = 0, games: int = 2, decisions: int = 60, presets: Iterable[str] = tuple(PRESETS)
) -> Iterator[Verdict]:
    """Check a program step by step, and then on every preset with the fewest and the most players it allows.

    Parameters
    ----------
    spec
        The program.
    seed
        What the games are dealt from.
    games
        Games played at each table.
    decisions
        Questions put with other hidden tiles, at each table.
    presets
        Which rules.

    Yields
    ------
    Verdict
        One a step, then one a check and table.
    """
    bot = build(spec)
    assert bot.processes is not None
    wrong = ""
    for step, trouble in _steps(bot.processes):
        yield Verdict("", 0, step, 0, trouble)
        wrong = step if trouble else wrong
    if wrong in ("start", "hello"):
        return
    short = {name: RuleSet.from_json(rules.to_json() | {"rounds": 1}) for name, rules in PRESETS.items()}
    for step, n in (("act", 1), ("second game", 2)):
        found, trouble = _played(bot, short["standard"], in_all_seats(2, n), seed)
        yield Verdict("standard", 2, step, int(found.decisions.sum()) if found else 0, trouble)
        if trouble:
            return
    if wrong == "ends":
        return  # every process would be waited for
    for name in presets:
        rules = short[name]
        for players in sorted({rules.dealable()[0], rules.dealable()[-1]}):
            yield from _check_program_table(name, rules, players, bot, seed, games, decisions)


def _steps(processes: BotProcesses) -> Iterator[tuple[str, str]]:
    """Yield the first steps, each with its trouble."""
    try:
        process = Process(processes.command, processes.folder, processes.limits.memory)
    except NotStarted as error:
        yield "start", str(error)
        return
    try:
        yield "start", ""
        try:
            greet(process, processes.limits.start)
        except Broken as broken:
            process.stop()
            words = process.last_words[:_SHOWN]
            last = f"; the last line of its standard error: {words}" if words else ""
            yield "hello", f"it was sent {protocol.hello('…').decode().strip()} and {broken.said}{last}"
            return
        yield "hello", ""
        trouble = ""
        news = protocol.game(PRESETS["standard"], 2, 0) + protocol.round_(1, 0, 12)
        try:
            process.send(news)
            time.sleep(_LISTEN)
            if heard := process.ahead():
                trouble = f"it was told of a game and a round, which want no answer, and wrote {protocol.quote(heard)}"
        except Broken as broken:
            trouble = f"it was told of a game and a round, and {broken.said}"
        yield "quiet", trouble
        status = process.stop(GRACE)
        yield "ends", "" if status is not None else f"{GRACE:g} s after its input was closed it was still running"
    finally:
        process.stop()


def _played(bot: Bot, rules: RuleSet, games: Games, seed: int) -> tuple[Played | None, str]:
    """Play games in new processes; return what came of them, or what went wrong."""
    try:
        return play(rules, [bot], games, seed), ""
    except Fault as fault:
        assert bot.processes is not None
        sent = bot.processes.sent.decode().strip()
        return None, f"{fault}; it was sent {sent if len(sent) <= _SHOWN else sent[:_SHOWN] + '…'}"


def _check_program_table(
    name: str, rules: RuleSet, players: int, bot: Bot, seed: int, n_games: int, most: int
) -> Iterator[Verdict]:
    games = in_all_seats(players, n_games)
    played, trouble = _played(bot, rules, games, seed)
    n = int(played.decisions.sum()) if played else 0
    yield Verdict(name, players, "legal", n, trouble)
    if played is None:
        return
    again, trouble = _played(bot, rules, games, seed)
    yield Verdict(
        name, players, "repeatable", n, trouble if again is None else first_difference(games, played.rows, again.rows)
    )
    last = only(games, n_games - 1)  # in `played` it came after all the others
    alone, trouble = _played(bot, rules, last, seed)
    if alone is not None:
        trouble = first_difference(last, played.rows[-1:], alone.rows)
    yield Verdict(name, players, "alone", n, trouble)
    yield Verdict(name, players, "blind", most, _sees_more(rules, players, seed, most))


def _sees_more(rules: RuleSet, players: int, seed: int, most: int) -> str:
    """Return in how many questions other hidden tiles change the message, in words."""
    anybody = Bot(AgentSpec("random", "random", (), ""), KERNEL, uniform_policy, np.zeros(N_PARAMS))
    states = questions(rules, players, anybody, seed, most)
    worlds = redealt(states, stream(seed, WORLD, 0, 0, 0))
    told = [_messages(each) for each in (states, worlds)]
    changed = sum(one != other for one, other in zip(*told, strict=True))
    return f"{changed} of {len(states)} messages changed" if changed else ""


def _messages(states: np.ndarray) -> list[str]:
    obs, actions, _ = see(states, np.arange(len(states)), False)
    return [protocol.act(obs, i, [a for a in actions[i].tolist() if a], 0, []) for i in range(len(states))]
