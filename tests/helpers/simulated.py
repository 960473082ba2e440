"""Tournaments of synthetic agents, many at once, whose true strengths are known.

The agents have known offsets; seats, places after the starter and neighbours have known effects; a deal is better or
worse for everybody, and suits each agent more or less; what is left is luck, and that is skewed, as pips are. Runs are
matches of one frame: run r is the rows in which `match` is r, and is to be studied by itself.
"""

from dataclasses import dataclass
from itertools import permutations

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class World:
    """What is true of some agents, in pips a game (a game has one round).

    ======== ====================================================================================================
    skill    offset of each agent
    seat     effect of each seat
    offset   effect of each place after the starter
    after    what the seat right after an agent gets for sitting there, by agent
    before   what the seat right before an agent gets for sitting there, by agent
    deal     spread of what a deal is worth to everybody
    taste    spread of what it is worth to each agent besides
    luck     spread of what is left of each score
    floor    are scores whole pips, 0 at least? Then only a large sample knows what is true of them
    ======== ====================================================================================================
    """

    skill: tuple[float, ...] = (-6.0, 0.0, 1.0, 5.0)
    seat: tuple[float, ...] = (-2.0, 0.0, 0.0, 2.0)
    offset: tuple[float, ...] = (-1.0, 0.0, 0.0, 1.0)
    after: tuple[float, ...] = (4.0, 0.0, -1.0, 0.0)
    before: tuple[float, ...] = (0.0, 2.0, 0.0, -1.0)
    deal: float = 20.0
    taste: float = 8.0
    luck: float = 16.0
    base: float = 40.0
    floor: bool = False

    @property
    def labels(self) -> list[str]:
        return list("abcdefghij"[: len(self.skill)])

    @property
    def diff(self) -> np.ndarray:
        """float64[agents]: true pips/round against the others, over all orders of the agents at one table."""
        n = len(self.skill)
        skill, after, before = map(np.array, (self.skill, self.after, self.before))
        mean = skill + (after.sum() - after + before.sum() - before) / (n - 1)
        return (n * mean - mean.sum()) / (n - 1)


EQUAL = World(skill=(0.0,) * 4, after=(0.0,) * 4, before=(0.0,) * 4)
"""Agents that differ in nothing: whatever is found among them is wrong."""


def skewed(rng: np.random.Generator, spread: float, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers of mean 0 and this spread, with a long upper tail (a gamma of shape 2: skewness 1.4)."""
    return (rng.gamma(2.0, 1.0, shape) - 2.0) * spread / np.sqrt(2.0)


def orders(n: int, kind: str = "permute") -> np.ndarray:
    """int64[seatings, n]: the agent in each seat, in all orders or in the rotations of one."""
    if kind == "rotate":
        return (np.arange(n)[None, :] - np.arange(n)[:, None]) % n
    return np.array(list(permutations(range(n))))


def simulate(
    world: World, runs: int, blocks: int, seed: int = 1, kind: str = "permute"
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """`games` and `rounds` of so many runs of so many blocks each, with the columns that block numbers are made from."""
    rng = np.random.default_rng(seed)
    n = len(world.skill)
    seating = orders(n, kind)
    shape = (runs, blocks, len(seating), n)
    agent = np.broadcast_to(seating, shape)
    starter = np.broadcast_to(np.arange(blocks)[:, None, None] % n, shape)
    seat = np.broadcast_to(np.arange(n), shape)
    score = world.base + np.array(world.skill)[agent] + np.array(world.seat)[seat]
    score += np.array(world.offset)[(seat - starter) % n]
    score += np.array(world.after)[np.roll(agent, 1, axis=-1)] + np.array(world.before)[np.roll(agent, -1, axis=-1)]
    score += skewed(rng, world.deal, (runs, blocks, 1, 1))
    score += np.take_along_axis(skewed(rng, world.taste, (runs, blocks, 1, n)).repeat(len(seating), 2), agent, 3)
    score += skewed(rng, world.luck, shape)
    if world.floor:
        score = np.maximum(np.rint(score), 0)
    rank = np.ones(shape, np.int8)
    for other in range(n):
        rank += score[..., other : other + 1] < score
    first = rank == 1
    run, deal, turn = (np.broadcast_to(i, shape) for i in np.ogrid[:runs, :blocks, : len(seating), :1][:3])
    win = first / first.sum(axis=-1, keepdims=True)
    columns = {"match": run, "deal": deal, "seating": turn, "seat": seat, "starter": starter}
    whole = pd.DataFrame({name: values.ravel() for name, values in columns.items()})
    whole["agent"] = pd.Categorical.from_codes(agent.ravel().astype(np.int8), world.labels)
    games = whole.assign(score=score.ravel(), rank=rank.ravel(), win=win.ravel(), rounds_won=win.ravel(), rounds=1)
    return games, whole.assign(round=1, pips=score.ravel(), went_out=first.ravel())


def covered(lo: np.ndarray, hi: np.ndarray, truth: float | np.ndarray) -> float:
    """Share of the intervals that hold the truth; one that is not there holds nothing."""
    return float(np.mean((lo <= truth) & (truth <= hi)))
