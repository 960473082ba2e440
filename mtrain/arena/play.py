"""Playing games in bulk: one kernel that goes through a batch of games, and the loop that asks Python agents.

Compiled agents are called from inside the kernel, so a line-up of them plays whole games without Python.
Games that wait for a Python agent are handed out together, an agent at a time. An agent is shown an observation; one
that peeks is shown the whole State, all but the seats' streams. This module knows of games, seats and agents, and
nothing of tournaments or tables.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from mtrain.arena.clock import BINS, SAMPLE, nanoseconds, note
from mtrain.errors import Trouble
from mtrain.game.intrinsics import call
from mtrain.game.jit import addressed, kernel
from mtrain.game.kernels import advance, apply, first_round, is_legal, list_actions, next_round, nth_action, observe
from mtrain.game.notation import action_text
from mtrain.game.rules import RuleSet
from mtrain.game.state import DRAWS, OUT, OWN, PASSES, PLAYS, PLAYS_OWN, STATE, TURNS, blank
from mtrain.game.tiles import HI, LO
from mtrain.think.agent import KERNEL, KERNEL_SIGNATURE, Bot, Unasked, ask
from mtrain.think.policies import uniform_policy

# Columns of `Played.rows`, one row a round and seat.
ROW = ("pips", "went_out", "turns", "decisions", "draws", "passes", "plays", "plays_own", "dealt", "doubles")
# Columns of `Played.ends`, one row a round.
END = ("engine", "starter", "blocked")

_MAX_ACTIONS = 512


class Fault(Trouble):
    """An agent that raised, or answered with what is no legal action; the sentence says where."""


@dataclass(frozen=True)
class Games:
    """Games to play, an entry each.

    Attributes
    ----------
    deal, seating, starter : int64[n]
        Which cards, the number of the seating, the seat that starts the first round.
    who : int64[n, seats]
        Who sits where, by index into a list of agents.
    """

    deal: np.ndarray
    seating: np.ndarray
    starter: np.ndarray
    who: np.ndarray

    def __len__(self) -> int:
        return len(self.deal)


@dataclass(frozen=True)
class Played:
    """What came of a batch of games.

    Attributes
    ----------
    rows : int16[games, rounds, seats, 10]
        The columns are `ROW`.
    ends : int8[games, rounds, 3]
        The columns are `END`.
    decisions : int64[agents]
        How many choices each agent was asked for.
    times : float64[agents, BINS + 2]
        How long they took (see `mtrain.arena.clock`).
    actions : int
        Actions done: tiles laid, chosen or forced, and passes chosen.
    """

    rows: np.ndarray
    ends: np.ndarray
    decisions: np.ndarray
    times: np.ndarray
    actions: int


@kernel
def _begin(states, template, seed, deals, starters, seatings):
    """Deal the first round of every game."""
    for g in range(len(states)):
        states[g] = template[0]
        first_round(states[g], seed, deals[g], seatings[g], starters[g])


@kernel
def _end_round(s, rows, ends, counts):
    """Write down a finished round. The first tiles of its permutation are the hands that were dealt."""
    n = np.int64(s.hand_size)
    for seat in range(np.int64(s.n_seats)):
        row = rows[seat]
        row[0] = s.pips[seat]
        row[1] = s.over == OUT and s.count[seat] == 0
        row[2] = s.tally[seat, TURNS]
        row[3] = counts[seat]
        row[4] = s.tally[seat, DRAWS]
        row[5] = s.tally[seat, PASSES]
        row[6] = s.tally[seat, PLAYS]
        row[7] = s.tally[seat, PLAYS_OWN]
        row[8] = 0
        row[9] = 0
        for k in range(seat * n, seat * n + n):
            tile = s.deck[k]
            row[8] += HI[tile] + LO[tile]
            row[9] += HI[tile] == LO[tile]
        counts[seat] = 0
    ends[0] = s.engine
    ends[1] = s.starter
    ends[2] = s.over != OUT


@kernel
def _run(states, active, seen, seed, deals, who, kernels, owns, in_python, peeks, rows, ends, counts, times, report):
    """Play every active game on to its end, or to the next choice of a Python agent.

    ``active: int64[n]`` holds the games' numbers; those that wait are written to its front. Returns how many wait,
    or -1 after an illegal answer. ``report: int64[4]``: the actions done, and then the game, the seat and the answer.
    """
    waiting = 0
    o = seen[0]
    buffer = np.empty(2, np.int64)
    for k in range(len(active)):
        g = active[k]
        s = states[g]
        while True:
            n = advance(s)
            if n == 0:
                number = np.int64(s.number) - 1
                _end_round(s, rows[g, number], ends[g, number], counts[g])
                if s.number == s.n_rounds:
                    break
                next_round(s, seed, deals[g])
                continue
            action = np.int64(0)
            if n == 1:
                action = nth_action(s, 0)
            else:
                seat = np.int64(s.turn)
                agent = who[g, seat]
                counts[g, seat] += 1
                if in_python[agent]:
                    active[waiting] = g
                    waiting += 1
                    break
                if peeks[agent]:
                    seen[0] = s
                    o.stream[:] = 0
                else:
                    observe(o, s, seat)
                own = owns[agent]
                own.chance = s.stream[seat]
                timed = report[0] % SAMPLE == 0
                start = nanoseconds(buffer) if timed else 0
                action = call(kernels, agent, o, own)
                if timed:
                    note(times[agent], nanoseconds(buffer) - start)
                s.stream[seat] = own.chance
                if not is_legal(s, action):
                    report[1] = g
                    report[2] = seat
                    report[3] = action
                    return -1
            apply(s, action)
            report[0] += 1
    return waiting


@kernel
def gather(states, games, peeks, obs, actions, streams):
    """Write what each game's seat on turn sees (all, if it `peeks`); return the most legal actions any of them has.

    ``obs: STATE[n]``; ``actions: int64[n, m]``, padded with 0; ``streams: uint64[n]``.
    """
    most = 0
    for i in range(len(games)):
        s = states[games[i]]
        seat = np.int64(s.turn)
        if peeks:
            obs[i] = s
            obs[i].stream[:] = 0
        else:
            observe(obs[i], s, seat)
        streams[i] = s.stream[seat]
        n = list_actions(s, actions[i])
        actions[i, n:] = 0
        most = max(most, n)
    return most


@kernel
def answer(states, games, chosen, streams):
    """Apply the answers; return -1, or the index of the first that is no legal action: there it stops."""
    for i in range(len(games)):
        s = states[games[i]]
        if not is_legal(s, chosen[i]):
            return i
        s.stream[s.turn] = streams[i]
        apply(s, chosen[i])
    return -1


def play(rules: RuleSet, bots: Sequence[Bot], games: Games, seed: int) -> Played:
    """Play a batch of games, all at one table size and by one set of rules.

    Parameters
    ----------
    rules
        What is played.
    bots
        At most ten agents: those that `games.who` counts.
    games
        Deals, seatings and starters.
    seed
        With a game's deal, it fixes the cards; with deal and seating, every seat's chance.

    Raises
    ------
    RulesError
        If these rules cannot be dealt to so many players.
    Fault
        If an agent raises, or answers with what is no legal action.
    """
    n, players = games.who.shape
    states = np.zeros(n, STATE)
    _begin(states, blank(rules, players), np.uint64(seed), games.deal, games.starter, games.seating)

    in_python = np.array([bot.how != KERNEL for bot in bots], np.uint8)
    peeks = np.array([bot.peeks for bot in bots], np.uint8)
    kernels = addressed([bot.call if bot.how == KERNEL else uniform_policy for bot in bots], KERNEL_SIGNATURE)
    owns = np.zeros(len(bots), OWN)
    for k, bot in enumerate(bots):
        owns[k].params[:] = bot.params
    rows = np.zeros((n, rules.rounds, players, len(ROW)), np.int16)
    ends = np.zeros((n, rules.rounds, len(END)), np.int8)
    counts = np.zeros((n, players), np.int16)
    times = np.zeros((len(bots), BINS + 2))
    report = np.zeros(4, np.int64)
    seen = np.zeros(1, STATE)

    active = np.arange(n)
    while True:
        waiting = _run(
            states,
            active,
            seen,
            np.uint64(seed),
            games.deal,
            games.who,
            kernels,
            owns,
            in_python,
            peeks,
            rows,
            ends,
            counts,
            times,
            report,
        )
        if waiting < 0:
            _blame(states, games, bots, int(report[1]), int(report[3]), None)
        active = active[:waiting]
        if not waiting:
            asked = rows[..., ROW.index("decisions")].sum(1, dtype=np.int64)
            decisions = np.bincount(games.who.ravel(), asked.ravel(), minlength=len(bots)).astype(np.int64)
            return Played(rows, ends, decisions, times, int(report[0]))
        turns = states["turn"][active]
        asking = games.who[active, turns]
        for k in np.unique(asking):
            _ask(states, active[asking == k], bots[k], times[k], games, bots)
            report[0] += int((asking == k).sum())


def see(states: np.ndarray, waiting: np.ndarray, peeks: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what the seats on turn see, their legal actions padded with 0, and their streams: what `ask` takes.

    Whoever `peeks` sees the whole State, without the streams: tiles are what it may know more of, not chance.
    """
    n = len(waiting)
    obs = np.zeros(n, STATE)
    actions = np.zeros((n, _MAX_ACTIONS), np.int64)
    streams = np.zeros(n, np.uint64)
    most = gather(states, waiting, peeks, obs, actions, streams)
    return obs, np.ascontiguousarray(actions[:, :most]), streams


def _ask(
    states: np.ndarray, waiting: np.ndarray, bot: Bot, times: np.ndarray, games: Games, bots: Sequence[Bot]
) -> None:
    """Ask one Python agent about every game that waits for it, and apply its answers."""
    obs, actions, streams = see(states, waiting, bot.peeks)
    start = time.perf_counter_ns()
    try:
        answers = ask(bot, obs, actions, streams)
    except Unasked as failed:
        _blame(states, games, bots, int(waiting[failed.index]), None, failed.__cause__)
    note_each(times, len(waiting), time.perf_counter_ns() - start)
    wrong = answer(states, waiting, answers, streams)
    if wrong >= 0:
        _blame(states, games, bots, int(waiting[wrong]), int(answers[wrong]), None)


def note_each(times: np.ndarray, n: int, elapsed: int) -> None:
    """Add a batch of `n` decisions that took `elapsed` ns together to a histogram."""
    each = max(elapsed / n, 1.0)
    times[min(BINS - 1, int(8 * np.log2(each)))] += n
    times[BINS] += n
    times[BINS + 1] += elapsed


def _blame(
    states: np.ndarray,
    games: Games,
    bots: Sequence[Bot],
    g: int,
    action: int | None,
    error: BaseException | None,
) -> NoReturn:
    """Raise a Fault that names the agent, the game and what it did."""
    s = states[g]
    seat = int(s.turn)
    bot = bots[games.who[g, seat]]
    where = f"deal {games.deal[g]}, seating {games.seating[g]}, round {s.number}, seat {seat}"
    if error is not None:
        raise Fault(f"agent {bot.spec.label!r} failed ({where}): {type(error).__name__}: {error}") from error
    try:
        what = (
            action_text(action or 0, int(s.n_seats)) if action and (action == 1 or action >> 14 == 1) else str(action)
        )
    except IndexError:
        what = str(action)
    raise Fault(f"agent {bot.spec.label!r} answered {what} ({where}), which is none of its legal actions")
