"""Says how often the interval that an analysis gives for the action it calls best holds what that action is worth.

    python experiments/analysis_coverage.py

Positions are drawn from recorded games of strong and weak agents by several rules. Each is analysed with few worlds;
the action that comes off best is then judged anew, alone, in so many other worlds that what they say is nearly the
truth. The reference's own error is allowed for: the interval's half, in standard errors, is taken of the error of the
difference of the two means.

Plain intervals, Student's for each action by itself, are counted beside: they do not know that the action was picked.
"""

import argparse

import numpy as np

from mtrain.analysis.analyse import analyse, choice_of
from mtrain.analysis.annotate import choices_in
from mtrain.arena.driver import record_games
from mtrain.bots.registry import Registry, build
from mtrain.game.moves import legal_actions
from mtrain.game.notation import action_text
from mtrain.game.rng import Stream
from mtrain.game.rules import preset
from mtrain.stats.intervals import t_quantile, wilson
from mtrain.strategy.evaluate import look

AGENTS = ("heuristic", "planner", "greedy", "random")
RULES = ("standard", "pinecone", "cardinal", "trainyard")


def positions(n: int, seed: int) -> list[np.ndarray]:
    """Return what seats saw at `n` decisions among two actions or more, as many by each of the rules."""
    registry, rng = Registry(), Stream(seed)
    bots = [build(registry.parse(agent)) for agent in AGENTS]
    found: list[np.ndarray] = []
    for number, name in enumerate(RULES):
        share = n * (number + 1) // len(RULES) - n * number // len(RULES)
        games = record_games(preset(name, rounds=1), bots, games=max(1, share // 2), seed=seed)
        seen = [p for game in games for p, legal in choices_in(game) if len(legal) > 1]
        for k in range(share):  # one of each stretch, so that all phases of a round come up
            low, high = len(seen) * k // share, len(seen) * (k + 1) // share
            found.append(seen[low + rng.below(high - low)])
    return found


def held(position: np.ndarray, worlds: int, reference: int, seed: int) -> tuple[bool, bool, float]:
    """Say whether the interval of the best action holds, whether a plain one does, and by how much its value is off."""
    found = analyse(position, worlds=worlds, seed=seed, agents=())
    best = found.actions.iloc[0]
    seen, _ = choice_of(position)
    legal = [a for a in legal_actions(seen) if action_text(a, int(seen[0].n_seats)) == best["action"]]
    costs, _ = look(seen, np.array(legal, np.int64), reference, 1_000_003 * (seed + 1))
    off = float(best["pips"]) - float(costs.mean())
    error = float(np.hypot(best["error"], costs.std(ddof=1) / reference**0.5))
    if best["error"] == 0:
        return off == 0, off == 0, off
    quantile = (best["pips_hi"] - best["pips"]) / best["error"]
    return abs(off) <= quantile * error, abs(off) <= t_quantile(worlds - 1) * error, off


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=100)
    parser.add_argument("--worlds", type=int, default=400)
    parser.add_argument("--reference", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    found = [
        held(position, given.worlds, given.reference, given.seed + k)
        for k, position in enumerate(positions(given.positions, given.seed))
    ]
    print(f"{len(found)} positions, {given.worlds} worlds against {given.reference}")
    for name, column in (("together", 0), ("each by itself", 1)):
        n = sum(row[column] for row in found)
        lo, hi = wilson(n, len(found))
        print(f"{name}: {n} of {len(found)} held, {100 * n / len(found):.1f} % [{100 * lo:.1f}, {100 * hi:.1f}]")
    off = np.array([row[2] for row in found])
    print(f"mean error of the value {off.mean():+.3f} ± {1.96 * off.std(ddof=1) / len(off) ** 0.5:.3f} pips")


if __name__ == "__main__":
    main()
