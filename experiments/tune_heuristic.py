"""Tunes the weights of `heuristic`: alone against three planners, on deals common to all candidates of a generation.

    python experiments/tune_heuristic.py

prints weights for `mtrain.strategy.features.WEIGHTS`, and what they are worth on fresh deals, beside those that stand
there now. It needs the extra `tune`.

Source: Hansen, "The CMA evolution strategy: a tutorial", arXiv:1604.00772 (2016).
"""

import argparse
import dataclasses

import cma
import joblib
import numpy as np

from mtrain.arena.play import Games, play
from mtrain.bots.agent import Bot
from mtrain.bots.registry import Registry, build
from mtrain.game.rules import RuleSet, preset
from mtrain.stats.intervals import estimate
from mtrain.strategy.features import FEATURES, WEIGHTS

SEATS = 4

# Where the search begins, and how far it looks at first, in pips for each unit of a feature.
START = {
    "rest": 25.0,
    "rest_pips": 1.0,
    "plan_pips": 0.3,
    "uncovered": 15.0,
    "homes": -2.0,
    "stuck": 5.0,
    "rest_risk": 5.0,
}
STEP = {"rest": 5.0, "plan_pips": 0.5, "turns": 3.0, "marked": 5.0, "uncovered": 10.0, "dead": 0.5, "stuck": 5.0}
FIXED = FEATURES.index("rest_pips")  # a sum of features has no unit: a pip of the rest weighs 1

start = np.array([START.get(name, 0.0) for name in FEATURES])
step = np.array([STEP.get(name, 2.0) for name in FEATURES])
free = [k for k in range(len(FEATURES)) if k != FIXED]


def weights_at(point: np.ndarray) -> np.ndarray:
    """Return the weights at a point of the search."""
    weights = start.copy()
    weights[free] += np.asarray(point) * step[free]
    return weights


def gain(weights: np.ndarray, rules: RuleSet, heuristic: Bot, planner: Bot, deals: range, seed: int) -> np.ndarray:
    """Return for each deal, all seats alike, the pips of the heuristic less the mean of three planners'."""
    params = heuristic.params.copy()
    params[: len(weights)] = weights
    bot = dataclasses.replace(heuristic, params=params)
    deal = np.repeat(np.asarray(deals), SEATS)
    seat = np.tile(np.arange(SEATS), len(deals))
    who = np.ones((len(deal), SEATS), np.int64)
    who[np.arange(len(deal)), seat] = 0
    pips = play(rules, [bot, planner], Games(deal, seat, deal % SEATS, who), seed).rows[:, 0, :, 0].astype(float)
    mine = pips[np.arange(len(deal)), seat]
    return (mine - (pips.sum(1) - mine) / (SEATS - 1)).reshape(-1, SEATS).mean(1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rules", default="pinecone")
    parser.add_argument("--generations", type=int, default=80)
    parser.add_argument("--deals", type=int, default=2000, help="deals of a generation")
    parser.add_argument("--fresh", type=int, default=6000, help="deals that confirm the winner")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=-1)
    asked = parser.parse_args()
    rules = preset(asked.rules, rounds=1)
    heuristic, planner = (build(Registry().parse(name)) for name in ("heuristic", "planner"))

    search = cma.CMAEvolutionStrategy(np.zeros(len(free)), 0.5, {"seed": asked.seed, "popsize": 16, "verbose": -9})
    with joblib.Parallel(n_jobs=asked.jobs, backend="threading") as parallel:
        for generation in range(asked.generations):
            deals = range(generation * asked.deals, (generation + 1) * asked.deals)
            points = search.ask()
            gains = parallel(
                joblib.delayed(gain)(weights_at(point), rules, heuristic, planner, deals, asked.seed)
                for point in points
            )
            search.tell(points, [each.mean() for each in gains])
            print(f"generation {generation + 1}: mean {np.mean(gains):+.2f} pips a round", flush=True)

    winner = np.round(weights_at(search.mean), 2)
    print(f"weights: {winner.tolist()}")
    first = asked.generations * asked.deals
    for name, weights in (("winner", winner), ("WEIGHTS", WEIGHTS)):
        fresh = gain(weights, rules, heuristic, planner, range(first, first + asked.fresh), asked.seed)
        found = estimate(fresh, np.zeros(len(fresh), np.int64), 1)
        worth = f"{found.mean[0]:+.2f} [{found.lo[0]:+.2f}, {found.hi[0]:+.2f}] pips a round against the planners"
        print(f"{name} on {asked.fresh} fresh deals: {worth}")


if __name__ == "__main__":
    main()
