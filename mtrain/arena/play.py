"""Playing games in bulk: one kernel that goes through a batch of games, and the loop that asks Python agents.

Compiled agents are called from inside the kernel, so a line-up of them plays whole games without Python.
Games that wait for a Python agent are handed out together, an agent at a time. An agent is shown an observation; one
that peeks is shown the whole State, all but the seats' streams. What becomes of a game in which an agent fails, a
referee says (`mtrain.arena.faults`); all others go on. This module knows of games, seats and agents, and nothing of
tournaments or tables.
"""

import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mtrain.arena.faults import FORFEIT, STOP, Failure, Referee, forfeit, stand_in
from mtrain.arena.observers import Broadcast
from mtrain.bots.agent import KERNEL, KERNEL_SIGNATURE, Bot
from mtrain.bots.ask import ask
from mtrain.bots.faults import Unasked
from mtrain.game.intrinsics import call
from mtrain.game.jit import JIT, addressed, kernel, swallowed
from mtrain.game.journal import NONE, advance_noting, apply_noting, blank_journal
from mtrain.game.kernels import first_round, is_legal, list_actions, next_round, nth_action, observe
from mtrain.game.rules import RuleSet
from mtrain.game.state import AGENT_STATE, DRAWS, MAX_ACTIONS, OUT, PASSES, PLAYS, PLAYS_OWN, STATE, TURNS, blank
from mtrain.strategy.policies import uniform_policy

# ── Time inside kernels ───────────────────────────────────────────────────────────────────────────────
#
# Time inside kernels: measured to be reported, never used to decide.
#
# One decision in `SAMPLE` is timed, so that the clock costs less than a nanosecond a decision. Times go into a
# histogram of eight bins an octave, from which the mean and the 95th percentile are read.


SAMPLE = 64
BINS = 320  # up to 2**40 ns

if JIT and os.name == "posix":
    from numba import types

    _MONOTONIC = 6 if sys.platform == "darwin" else 1
    _clock_gettime = types.ExternalFunction("clock_gettime", types.int32(types.int32, types.voidptr))

    @kernel
    def nanoseconds(buffer):
        """Return the monotonic clock in ns; ``buffer: int64[2]`` is scratch."""
        _clock_gettime(np.int32(_MONOTONIC), buffer.ctypes)
        return buffer[0] * 1_000_000_000 + buffer[1]

else:

    @kernel
    def nanoseconds(buffer):
        """Return 0: on this system kernels cannot read a clock, and their times are not given."""
        return 0


@kernel
def note(times, elapsed):
    """Add `elapsed` ns to a histogram ``times: float64[BINS + 2]`` (the last two: how many, and their sum)."""
    if elapsed > 0:
        times[min(BINS - 1, int(8 * np.log2(elapsed)))] += 1
        times[BINS] += 1
        times[BINS + 1] += elapsed


def summary(times: np.ndarray) -> tuple[float, float]:
    """Return the mean and the 95th percentile of a histogram in µs; nan where nothing was timed."""
    if not times[BINS]:
        return float("nan"), float("nan")
    slot = int(np.searchsorted(times[:BINS].cumsum(), 0.95 * times[BINS]))
    return times[BINS + 1] / times[BINS] / 1e3, 2 ** ((slot + 0.5) / 8) / 1e3


# ── Playing games in bulk ─────────────────────────────────────────────────────────────────────────────


# Columns of `Played.rows`, one row a round and seat.
ROW = ("pips", "went_out", "turns", "decisions", "draws", "passes", "plays", "plays_own")
# Columns of `Played.ends`, one row a round.
END = ("engine", "starter", "blocked")


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
    rows : int16[games, rounds, seats, 8]
        The columns are `ROW`.
    ends : int8[games, rounds, 3]
        The columns are `END`.
    decisions : int64[agents]
        How many choices each agent was asked for.
    times : float64[agents, BINS + 2]
        How long they took (see `mtrain.arena.play`).
    actions : int
        Actions done: tiles laid, chosen or forced, and passes chosen.
    failures
        The faults, by game, round, seat and decision.
    forfeited : bool[games, seats]
        Which seats have the score of a forfeit.
    """

    rows: np.ndarray
    ends: np.ndarray
    decisions: np.ndarray
    times: np.ndarray
    actions: int
    failures: list[Failure]
    forfeited: np.ndarray


@kernel
def _begin(states, template, seed, deals, starters, seatings):
    """Deal the first round of every game."""
    for g in range(len(states)):
        states[g] = template[0]
        first_round(states[g], seed, deals[g], seatings[g], starters[g])


@kernel
def _end_round(s, rows, ends, counts, stood):
    """Write down a finished round. What a stand-in chose, no agent was asked for."""
    for seat in range(np.int64(s.n_seats)):
        row = rows[seat]
        row[0] = s.pips[seat]
        row[1] = s.over == OUT and s.count[seat] == 0
        row[2] = s.tally[seat, TURNS]
        row[3] = counts[seat] - max(stood[seat] - 1, 0)
        row[4] = s.tally[seat, DRAWS]
        row[5] = s.tally[seat, PASSES]
        row[6] = s.tally[seat, PLAYS]
        row[7] = s.tally[seat, PLAYS_OWN]
        counts[seat] = 0
        stood[seat] = min(stood[seat], 1)
    ends[0] = s.engine
    ends[1] = s.starter
    ends[2] = s.over != OUT


@kernel
def _run(states, active, seed, games, agents, written, report, journal):
    """Play every active game on to its end, or to the next choice of a Python agent.

    ``active: int64[n]`` holds the games' numbers; those that wait are written to its front.
    ``games: int64[n, 2 + seats]``: deal, seating, who sits where.
    `agents` is a tuple of arrays, an entry each: their kernels, what those bring along, whether one is asked in Python,
    whether it peeks; and ``STATE[1]``, scratch. `written` is one, by game: rows and ends as in `Played`, the choices of
    the round so far, those that stand-ins made; and times by agent. Plain tuples, since Python hands them over as fast
    as arrays.
    ``report: int64[4]``: the actions done, and where to go on: at which entry of `active`, and how many wait so far.
    Returns how many wait, or -1 after an illegal answer (then the last of `report`): once that game has another, the
    call is to be repeated. With a journal there is one game, and it waits at the end of every round, too.
    """
    kernels, owns, in_python, peeks, seen = agents
    rows, ends, counts, stood, times = written
    waiting = report[2]
    o = seen[0]
    buffer = np.empty(2, np.int64)
    for k in range(report[1], len(active)):
        g = active[k]
        s = states[g]
        while True:
            n = advance_noting(s, journal)
            if n == 0:
                number = np.int64(s.number) - 1
                _end_round(s, rows[g, number], ends[g, number], counts[g], stood[g])
                if len(journal) > 1:
                    active[waiting] = g
                    waiting += 1
                    break
                if s.number == s.n_rounds:
                    break
                next_round(s, seed, games[g, 0])
                continue
            action = np.int64(0)
            if n == 1:
                action = nth_action(s, 0)
            else:
                seat = np.int64(s.turn)
                agent = games[g, 2 + seat]
                counts[g, seat] += 1
                if stood[g, seat]:
                    stood[g, seat] += 1
                    apply_noting(s, stand_in(s, seed, games[g, 0], games[g, 1], counts[g, seat]), journal)
                    report[0] += 1
                    continue
                if in_python[agent]:
                    active[waiting] = g
                    waiting += 1
                    break
                if peeks[agent]:
                    seen[0] = s
                    o.stream[:] = 0
                else:
                    observe(o, s, seat)
                agent_state = owns[agent]
                agent_state.rng = s.stream[seat]
                timed = report[0] % SAMPLE == 0
                start = nanoseconds(buffer) if timed else 0
                action = call(kernels, agent, o, agent_state)
                if timed:
                    note(times[agent], nanoseconds(buffer) - start)
                s.stream[seat] = agent_state.rng
                if not is_legal(s, action):
                    report[1] = k
                    report[2] = waiting
                    report[3] = action
                    return -1
            apply_noting(s, action, journal)
            report[0] += 1
    report[1] = 0
    report[2] = 0
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
def answer(states, games, chosen, streams, wrong, journal):
    """Apply the answers that are legal; write the entries of the others into ``wrong: int64[n]``, return how many."""
    n = 0
    for i in range(len(games)):
        s = states[games[i]]
        s.stream[s.turn] = streams[i]
        if is_legal(s, chosen[i]):
            apply_noting(s, chosen[i], journal)
        else:
            wrong[n] = i
            n += 1
    return n


@kernel
def _substitute(states, g, seed, deal, seating, decision, journal):
    """Let a stand-in choose in game `g`."""
    apply_noting(states[g], stand_in(states[g], seed, deal, seating, decision), journal)


@kernel
def _deal_next(states, g, seed, deal):
    """Deal the next round of game `g`."""
    next_round(states[g], seed, deal)


def play(rules: RuleSet, bots: Sequence[Bot], games: Games, seed: int, on_fault: str = STOP) -> Played:
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
    on_fault
        What becomes of a game in which an agent fails: one of `mtrain.arena.faults.POLICIES`.

    Raises
    ------
    RulesError
        If these rules cannot be dealt to so many players.
    Fault
        Under `stop`, if an agent raises, or answers with what is no legal action.
    """
    n, players = games.who.shape
    states = np.zeros(n, STATE)
    start = np.uint64(seed)
    _begin(states, blank(rules, players), start, games.deal, games.starter, games.seating)

    table = np.column_stack([games.deal, games.seating, games.who])
    owns = np.zeros(len(bots), AGENT_STATE)
    for k, bot in enumerate(bots):
        owns[k].params[:] = bot.params
    agents = (
        addressed([bot.call if bot.how == KERNEL else uniform_policy for bot in bots], KERNEL_SIGNATURE),
        owns,
        np.array([bot.how != KERNEL for bot in bots], np.uint8),
        np.array([bot.peeks for bot in bots], np.uint8),
        np.zeros(1, STATE),
    )
    rows = np.zeros((n, rules.rounds, players, len(ROW)), np.int16)
    ends = np.zeros((n, rules.rounds, len(END)), np.int8)
    counts = np.zeros((n, players), np.int16)
    times = np.zeros((len(bots), BINS + 2))
    report = np.zeros(4, np.int64)
    referee = Referee(on_fault, games.deal, games.seating, players)
    written = (rows, ends, counts, referee.stood, times)
    listening = any(bot.processes for bot in bots)
    journal = blank_journal() if listening else NONE

    def failed(g: int, given: int, why: Unasked | None) -> None:
        """Have a stand-in choose for the agent on turn, unless the referee ends the run."""
        s = states[g]
        decision = int(counts[g, s.turn])
        referee.fault(g, s, bots[games.who[g, s.turn]].spec.label, decision, given, why)
        _substitute(states, g, start, games.deal[g], games.seating[g], decision, journal)

    def go_on(active: np.ndarray, raised: list[BaseException]) -> np.ndarray:
        """Play games on until each is over or waits for a Python agent; return those that wait."""
        while True:
            waiting = _run(states, active, start, table, agents, written, report, journal)
            if waiting >= 0:
                return active[:waiting]
            why = Unasked(0) if raised else None
            if why is not None:
                why.__cause__ = raised.pop()
            failed(int(active[report[1]]), int(report[3]), why)
            report[0] += 1

    def ask_all(active: np.ndarray) -> None:
        """Ask the agents about the games that wait for them."""
        if len(active) == 1:
            k = int(games.who[active[0], states[active[0]].turn])
            _ask(states, active, bots[k], times[k], failed, journal)
            report[0] += 1
            return
        asking = games.who[active, states["turn"][active]]
        for k in np.unique(asking):
            _ask(states, active[asking == k], bots[k], times[k], failed, journal)
            report[0] += int((asking == k).sum())

    def play_aloud(g: int, raised: list[BaseException]) -> None:
        """Play one game, and tell the programs in it what happens."""
        telling = Broadcast(rules, [bots[k] for k in games.who[g]])
        telling.round(states[g])
        active = np.array([g])
        while True:
            active = go_on(active, raised)
            telling.read(journal)
            if not states[g].over:
                ask_all(active)
                continue
            telling.over(states[g])
            if states[g].number == rules.rounds:
                return
            _deal_next(states, g, start, games.deal[g])
            telling.round(states[g])

    try:
        with swallowed() as raised:
            if listening:
                for g in range(n):
                    play_aloud(g, raised)
            else:
                active = np.arange(n)
                while len(active := go_on(active, raised)):
                    ask_all(active)
    finally:
        for bot in bots:
            bot.close()

    asked = rows[..., ROW.index("decisions")].sum(1, dtype=np.int64)
    decisions = np.bincount(games.who.ravel(), asked.ravel(), minlength=len(bots)).astype(np.int64)
    failures = sorted(referee.failures, key=lambda f: (f.game, f.round, f.seat, f.decision))
    forfeited = np.zeros((n, players), bool)
    if on_fault == FORFEIT:
        forfeited = forfeit(rows[..., ROW.index("pips")], failures)
    return Played(rows, ends, decisions, times, int(report[0]), failures, forfeited)


def see(states: np.ndarray, waiting: np.ndarray, peeks: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what the seats on turn see, their legal actions padded with 0, and their streams: what `ask` takes.

    Whoever `peeks` sees the whole State, without the streams: tiles are what it may know more of, not chance.
    """
    n = len(waiting)
    obs = np.zeros(n, STATE)
    actions = np.zeros((n, MAX_ACTIONS), np.int64)
    streams = np.zeros(n, np.uint64)
    most = gather(states, waiting, peeks, obs, actions, streams)
    return obs, np.ascontiguousarray(actions[:, :most]), streams


def _ask(
    states: np.ndarray,
    waiting: np.ndarray,
    bot: Bot,
    times: np.ndarray,
    failed: Callable[[int, int, Unasked | None], None],
    journal: np.ndarray,
) -> None:
    """Ask one Python agent about every game that waits for it, and apply its answers."""
    obs, actions, streams = see(states, waiting, bot.peeks)
    unasked: dict[int, Unasked] = {}
    start = time.perf_counter_ns()
    answers = ask(bot, obs, actions, streams, unasked)
    note_each(times, len(waiting), time.perf_counter_ns() - start)
    wrong = np.zeros(len(waiting), np.int64)
    for i in wrong[: answer(states, waiting, answers, streams, wrong, journal)].tolist():
        failed(int(waiting[i]), int(answers[i]), unasked.get(i))
    unasked.clear()  # the exceptions know the frames that know them: whole batches would wait for the collector


def note_each(times: np.ndarray, n: int, elapsed: int) -> None:
    """Add a batch of `n` decisions that took `elapsed` ns together to a histogram."""
    each = max(elapsed / n, 1.0)
    times[min(BINS - 1, int(8 * np.log2(each)))] += n
    times[BINS] += n
    times[BINS + 1] += elapsed
