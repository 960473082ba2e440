"""How many pips is a unit of the heuristic's sums worth, and how far is its word off?

    python experiments/value_scale.py

Positions of self-played rounds are looked at in sampled worlds; what an action costs more there than the heuristic's
choice is held against what its sums say: the slope, and the spread of the true differences around it, the worlds' own
noise taken out. One number of each serves all tables, and is printed last: `PIPS_A_UNIT` and `DOUBT` of
`mtrain.strategy.weaken`.
"""

import argparse

import numpy as np

from mtrain.arena.play import Games, play
from mtrain.bots.agent import BATCH, Bot
from mtrain.bots.ask import ask
from mtrain.bots.registry import Registry, build
from mtrain.game.kernels import PASS
from mtrain.game.rng import WORLD, stream
from mtrain.game.rules import preset
from mtrain.game.state import N_PARAMS
from mtrain.strategy.evaluate import look
from mtrain.strategy.features import WEIGHTS
from mtrain.strategy.weaken import DOUBT, PIPS_A_UNIT, weigh_all

TABLES = (("standard", 2), ("standard", 4), ("standard", 8), ("pinecone", 4))
FAR = 200.0  # units beyond which differences are left out: nobody doubts them


def positions(rules: str, players: int, deals: int, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return what seats on turn saw in self-played rounds of the heuristic, and their legal actions."""
    bot = build(Registry().parse("heuristic"))
    seen: list[tuple[np.ndarray, np.ndarray]] = []

    def call(obs: np.ndarray, actions: np.ndarray, streams: np.ndarray) -> np.ndarray:
        seen.extend((obs[i : i + 1].copy(), actions[i][actions[i] > 0]) for i in range(len(obs)))
        return ask(bot, obs, actions, streams)

    deal = np.arange(deals)
    games = Games(deal, np.zeros(deals, np.int64), deal % players, np.zeros((deals, players), np.int64))
    play(preset(rules, rounds=1), [Bot(bot.spec, BATCH, call, np.zeros(N_PARAMS))], games, seed)
    return seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--deals", type=int, default=40)
    parser.add_argument("--positions", type=int, default=250)
    parser.add_argument("--worlds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=3)
    asked = parser.parse_args()
    for rules, players in TABLES:
        seen = positions(rules, players, asked.deals, asked.seed)
        order = np.random.default_rng(asked.seed).permutation(len(seen))[: asked.positions]
        said, found, noise = [], [], []
        for k in order.tolist():
            obs, actions = seen[k]
            actions = actions[actions != PASS]
            if len(actions) < 2:
                continue
            values = np.zeros(len(actions))
            weigh_all(obs[0], actions, WEIGHTS, 0, values)
            best = int(values.argmin())
            costs, _ = look(obs, actions, asked.worlds, int(stream(asked.seed, WORLD, k, 0, 0)))
            for i in np.flatnonzero((values > values[best]) & (values - values[best] < FAR)).tolist():
                more = costs[:, i] - costs[:, best]
                said.append(values[i] - values[best])
                found.append(more.mean())
                noise.append(more.var() / asked.worlds)
        x, y = np.array(said), np.array(found)
        slope = (x * y).sum() / (x * x).sum()
        spread = np.sqrt(max(((y - slope * x) ** 2).mean() - np.mean(noise), 0.0))
        print(f"{rules}, {players} seats: {slope:.4f} pips a unit, spread {spread:.1f} pips, over {len(x)} pairs")
    print(f"levelled bots take, at all tables: {PIPS_A_UNIT} pips a unit, spread {DOUBT} pips")


if __name__ == "__main__":
    main()
