"""Coverage: do 95 % intervals hold the truth in 95 % of runs? On synthetic agents whose truth is known.

2,000 runs miss by half a percentage point of chance (one standard error), so 93–97 % is a test that a right interval
passes and one that is 20 % too narrow does not.
"""

from functools import cache
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from mtrain.stats.blocks import block_numbers, pair_numbers
from mtrain.stats.effects import neighbour_numbers, offset_numbers, seat_numbers
from mtrain.stats.estimates import QUANTITIES, pairwise_from, standings_from
from mtrain.stats.intervals import bootstrap, estimate, estimate_share, resample
from tests.helpers.simulated import EQUAL, World, covered, simulate

RUNS = 2000
LARGE = 30_000

WORLD = World()
FLOORED = World(base=25.0, luck=30.0, deal=8.0, taste=5.0, floor=True)
RARE = World(skill=(-18.0, -12.0, -6.0, 12.0), after=(0.0,) * 4, before=(0.0,) * 4)


@cache
def runs_of(world: World, blocks: int, n: int = RUNS) -> tuple[pd.DataFrame, pd.DataFrame]:
    return simulate(world, n, blocks)


@cache
def numbers_of(world: World, blocks: int, n: int = RUNS) -> pd.DataFrame:
    return block_numbers(*runs_of(world, blocks, n))


@cache
def truth_of(world: World) -> pd.DataFrame:
    """What a sample of 30,000 blocks knows, by agent: right to a hundredth of the spread of a block."""
    large = block_numbers(*simulate(world, 1, LARGE, seed=99))
    return large.groupby("agent", observed=True)[[q.number for q in QUANTITIES]].mean()


def coverage(world: World, blocks: int, number: str, truth: pd.Series) -> list[float]:
    """Of the standings' interval of a quantity, agent by agent."""
    found = numbers_of(world, blocks)
    quantity = next(q for q in QUANTITIES if q.number == number)
    shares = []
    for agent in world.labels:
        mine = found[(found["agent"] == agent).to_numpy()]
        e = quantity.estimate(mine[number].to_numpy(np.float64), mine["match"].to_numpy(np.int64), RUNS, 4)
        shares.append(covered(e.lo, e.hi, truth[agent]))
    return shares


def test_the_simulated_truth_is_the_known_one() -> None:
    assert truth_of(WORLD)["diff"].to_numpy() == pytest.approx(WORLD.diff, abs=0.35)  # five standard errors


@pytest.mark.parametrize("blocks", [12, 25])
def test_H11_pips_cover(blocks: int) -> None:
    shares = coverage(WORLD, blocks, "diff", pd.Series(WORLD.diff, WORLD.labels))
    assert np.all((np.array(shares) > 0.93) & (np.array(shares) < 0.97)), shares


def test_H11_an_interval_over_games_does_not() -> None:
    games, _ = runs_of(WORLD, 12)
    score = games["score"].to_numpy().reshape(-1, 4)
    mine = (games["agent"] == "a").to_numpy()
    diff = ((4 * score - score.sum(axis=1, keepdims=True)) / 3).ravel()[mine]
    naive = estimate(diff, games["match"].to_numpy()[mine].astype(np.int64), RUNS)
    assert covered(naive.lo, naive.hi, WORLD.diff[0]) < 0.85


@pytest.mark.parametrize("blocks", [12, 25])
def test_H11_win_shares_cover(blocks: int) -> None:
    shares = coverage(WORLD, blocks, "win", truth_of(WORLD)["win"])
    assert np.all((np.array(shares) > 0.93) & (np.array(shares) < 0.97)), shares


def test_H12_win_shares_cover_where_wins_are_rare_and_blocks_few() -> None:
    """Wilson's interval errs to the safe side there; where no block differs from another there is none."""
    truth = truth_of(RARE)["win"]
    assert truth["d"] < 0.02
    found = numbers_of(RARE, 12)
    mine = found[(found["agent"] == "d").to_numpy()]
    e = estimate_share(mine["win"].to_numpy(np.float64), mine["match"].to_numpy(np.int64), RUNS)
    there = e.why == ""
    assert set(e.why[~there]) <= {"no variance between blocks"}
    assert there.mean() > 0.8
    assert covered(e.lo[there], e.hi[there], truth["d"]) > 0.93
    assert (e.lo[there] >= 0).all()


@pytest.mark.parametrize("number", ["score", "pips", "rank", "zero", "heavy", "out", "round_wins"])
def test_what_rounds_and_games_cost_covers(number: str) -> None:
    shares = coverage(FLOORED, 25, number, truth_of(FLOORED)[number])
    assert np.all((np.array(shares) > 0.925) & (np.array(shares) < 0.975)), shares


def many(values: np.ndarray) -> tuple[pd.DataFrame, np.ndarray]:
    """Blocks of as many agents as there are rows, each with blocks of its own: many runs in one frame."""
    runs, blocks = values.shape
    label = pd.Categorical.from_codes(np.repeat(np.arange(runs), blocks), [f"run {k}" for k in range(runs)])
    frame = pd.DataFrame({"match": 0, "deal": np.arange(values.size), "players": 4, "agent": label})
    return frame.assign(diff=values.ravel()), np.repeat(np.arange(runs), blocks)


@pytest.mark.parametrize("blocks", [20, 60])
def test_the_bootstrap_covers_and_errs_evenly_where_numbers_are_skewed(blocks: int) -> None:
    rng = np.random.default_rng(5)
    tails = np.zeros((2, 2))
    for _ in range(40):
        values = rng.gamma(2.0, 1.0, (RUNS // 40, blocks))
        match, who = np.repeat(np.arange(len(values)), blocks), np.repeat(np.arange(len(values)), blocks)
        drawn = resample(match, np.arange(values.size))
        for row, e in enumerate((
            estimate(values.ravel(), who, len(values)),
            bootstrap(values.ravel(), who, len(values), np.arange(values.size), drawn),
        )):  # fmt: skip
            tails[row] += [(e.lo > 2).sum(), (e.hi < 2).sum()]
    plain, again = tails / RUNS
    assert 0.93 < 1 - again.sum() < 0.97
    assert abs(again[1] - again[0]) < abs(plain[1] - plain[0])


def test_H20_seats_and_starters_cover() -> None:
    games, rounds = runs_of(WORLD, 12)
    for found, truth in ((seat_numbers(games), WORLD.seat), (offset_numbers(rounds), WORLD.offset)):
        for value, effect in enumerate(truth):
            mine = found[(found["value"] == value).to_numpy()]
            e = estimate(mine["diff"].to_numpy(), mine["match"].to_numpy(np.int64), RUNS)
            # Starters go evenly round the seats, which is better than by chance: errors are on the safe side.
            assert 0.93 < covered(e.lo, e.hi, effect) < 0.98


def test_neighbours_cover() -> None:
    found = neighbour_numbers(runs_of(WORLD, 12)[0])
    for side, effects in (("after", WORLD.after), ("before", WORLD.before)):
        for agent, effect in zip(WORLD.labels, effects, strict=True):
            mine = found[((found["agent"] == agent) & (found["side"] == side)).to_numpy()]
            e = estimate(mine["diff"].to_numpy(), mine["match"].to_numpy(np.int64), RUNS)
            assert 0.93 < covered(e.lo, e.hi, effect - (sum(effects) - effect) / 3) < 0.97


def by_run(found: pd.DataFrame, n: int) -> list[pd.DataFrame]:
    cuts = np.searchsorted(found["match"].to_numpy(), np.arange(n + 1))
    return [found.iloc[a:b] for a, b in pairwise(cuts)]


def test_no_pair_of_equal_agents_is_marked_in_95_percent_of_runs() -> None:
    n = 400
    wrong = alone = 0
    for pairs, blocks in zip(
        by_run(pair_numbers(runs_of(EQUAL, 12, n)[0]), n), by_run(numbers_of(EQUAL, 12, n), n), strict=True
    ):
        table = pairwise_from(pairs)
        wrong += (table["mark"] != "").any()
        alone += ((table["lo"] > 0) | (table["hi"] < 0)).any()
        ranked = standings_from(blocks)
        assert ((ranked["place_lo"] > 1) | (ranked["place_hi"] < 4)).any() <= (table["mark"] != "").any()
    assert wrong / n < 0.05 + 2 * np.sqrt(0.05 * 0.95 / n)
    assert alone / n > 0.1  # six intervals of 95 %, each judged by itself


def test_ranges_hold_all_true_places_together() -> None:
    n = 400
    close = World(skill=(-2.0, 0.0, 1.0, 5.0), after=(0.0,) * 4, before=(0.0,) * 4)
    held, width = 0, 0.0
    for blocks in by_run(numbers_of(close, 25, n), n):
        table = standings_from(blocks).set_index("agent").loc[close.labels]
        held += ((table["place_lo"] <= [1, 2, 3, 4]) & (table["place_hi"] >= [1, 2, 3, 4])).all()
        width += (table["place_hi"] - table["place_lo"]).mean()
    assert held / n > 0.95 - 2 * np.sqrt(0.05 * 0.95 / n)
    assert 0.5 < width / n < 2.5
