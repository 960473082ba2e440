"""The conformance suite for bots that are programs: each step of the protocol, and then whole games at many tables.

What is wrong is named by its step, with what was sent and what came back. After a step without which the next makes no
sense, nothing else is tried.
"""

import time
from collections.abc import Iterable, Iterator

import numpy as np

from mtrain.arena.check import Verdict, first_difference, in_all_seats, only, questions, redealt
from mtrain.arena.faults import Fault
from mtrain.arena.play import Games, Played, play, see
from mtrain.game.rng import WORLD, stream
from mtrain.game.rules import PRESETS, RuleSet
from mtrain.game.state import N_PARAMS
from mtrain.think import protocol
from mtrain.think.agent import KERNEL, AgentSpec, Bot
from mtrain.think.crew import Crew, greet
from mtrain.think.faults import Broken
from mtrain.think.policies import uniform_policy
from mtrain.think.process import GRACE, NotStarted, Process
from mtrain.think.registry import build

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
    assert bot.crew is not None
    wrong = ""
    for step, trouble in _steps(bot.crew):
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
            yield from _check_table(name, rules, players, bot, seed, games, decisions)


def _steps(crew: Crew) -> Iterator[tuple[str, str]]:
    """Yield the first steps, each with its trouble."""
    try:
        process = Process(crew.command, crew.folder, crew.limits.memory)
    except NotStarted as error:
        yield "start", str(error)
        return
    try:
        yield "start", ""
        try:
            greet(process, crew.limits.start)
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
        assert bot.crew is not None
        sent = bot.crew.sent.decode().strip()
        return None, f"{fault}; it was sent {sent if len(sent) <= _SHOWN else sent[:_SHOWN] + '…'}"


def _check_table(
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
