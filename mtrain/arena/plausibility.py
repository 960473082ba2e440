"""Plausibility: how large the mistakes of an agent are, and whether it does what nobody would do.

Its decisions are looked at again with many sampled worlds. The *regret* of a decision is the pips that it cost more
than the reference's choice; the reference is the action that comes off best over half of the worlds, judged in the
other half, so that its own luck does not count. This module plays games and writes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mtrain.arena.play import Games, play
from mtrain.arena.schedule import first_starter
from mtrain.game.rng import WORLD, Stream, stream
from mtrain.game.rules import RuleSet
from mtrain.game.state import N_PARAMS
from mtrain.study.intervals import estimate
from mtrain.think.agent import BATCH, AgentSpec, Bot
from mtrain.think.asking import ask
from mtrain.think.outcomes import look
from mtrain.think.registry import build
from mtrain.think.sense import FOLLIES, STAYS, judge

WORLDS = 256  # for each decision looked at


@dataclass(frozen=True)
class Plausibility:
    """How plausible an agent's play is.

    Attributes
    ----------
    decisions
        Choices that it made: where two actions or more were legal.
    looks
        Of those, looked at with worlds.
    regret, regret_lo, regret_hi
        Pips a decision, and the 95 % interval over games; nan where there is none.
    regret_p95
        Pips: nineteen decisions of twenty cost no more. It has the spread of the worlds in it.
    follies
        By what is wrong: how often it was done, and how often it could have been.
    """

    decisions: int
    looks: int
    regret: float
    regret_lo: float
    regret_hi: float
    regret_p95: float
    follies: dict[str, tuple[int, int]]


def plausibility(
    agent: AgentSpec,
    others: Sequence[AgentSpec],
    rules: RuleSet,
    seed: int,
    *,
    games: int,
    looks: int,
    worlds: int = WORLDS,
) -> Plausibility:
    """Play games of an agent with others, one in each of the other seats, and look at its decisions again.

    Parameters
    ----------
    agent, others
        Who is looked at, and who else sits at its table.
    rules
        What is played.
    seed
        What all chance is made from.
    games
        Games, each with other cards and from another seat.
    looks
        About how many decisions are looked at with worlds, drawn by chance.
    worlds
        Worlds for each.
    """
    players = len(others) + 1
    bots = [build(agent), *map(build, others)]
    seen: list[tuple[int, np.ndarray, np.ndarray, int]] = []

    def call(obs: np.ndarray, actions: np.ndarray, streams: np.ndarray) -> np.ndarray:
        answers = ask(bots[0], obs, actions, streams)
        for i in range(len(obs)):
            seen.append((deal, obs[i : i + 1].copy(), actions[i][actions[i] > 0], int(answers[i])))
        return answers

    watched = Bot(agent, BATCH, call, np.zeros(N_PARAMS), bots[0].peeks)
    for deal in range(games):
        who = np.roll(np.arange(players), deal % players)[None]
        starter = np.array([first_starter(seed, players, deal)])
        play(rules, [watched, *bots[1:]], Games(np.array([deal]), np.zeros(1, np.int64), starter, who), seed)
    done, could = np.zeros(len(FOLLIES) + STAYS, np.int64), np.zeros(len(FOLLIES) + STAYS, np.int64)
    for _, obs, actions, answer in seen:
        wrong = judge(obs, actions)
        done[wrong[actions == answer]] += 1
        could[np.unique(wrong)] += 1
    rng = Stream(int(stream(seed, WORLD, 1, 0, 0)))
    regrets, game = [], []
    for number, (deal, obs, actions, answer) in enumerate(seen):
        if rng.below(len(seen)) < looks:
            costs, _ = look(obs, actions, worlds, int(stream(seed, WORLD, 2, number, 0)))
            regrets.append(regret(costs, int(np.flatnonzero(actions == answer)[0]))[0])
            game.append(deal)
    found = np.array(regrets)
    clusters, at = np.unique(game, return_inverse=True)
    means = np.bincount(at, found) / np.bincount(at)
    over = estimate(means, np.zeros(len(clusters), np.int64), 1)
    follies = {name: (int(done[k]), int(could[k])) for k, name in enumerate(FOLLIES, STAYS)}
    return Plausibility(
        len(seen), len(found), float(over.mean[0]), float(over.lo[0]), float(over.hi[0]),
        float(np.quantile(found, 0.95)), follies,
    )  # fmt: skip


def regret(costs: np.ndarray, chosen: int) -> tuple[float, float]:
    """Return what an action cost more than the best, and the standard error of that.

    In each half of the worlds it is held against the action that comes off best in the other half. That action may
    not be the best there is, so what is found is rather too little than too much.

    Parameters
    ----------
    costs : float64[worlds, n]
        What each action cost in each world; four worlds or more, for an error.
    chosen
        Which action.
    """
    half = len(costs) // 2
    total, variance = 0.0, 0.0
    for mine, others in ((costs[:half], costs[half:]), (costs[half:], costs[:half])):
        best = int(others.mean(0).argmin())
        more = mine[:, chosen] - mine[:, best]
        total += float(more.mean())
        variance += float(more.var(ddof=1)) / len(more) if len(more) > 1 else np.nan
    return total / 2, variance**0.5 / 2
