"""Curves of strength along a dial: synthetic bots whose strength at each position is known.

What is said of coverage is said of 400 runs for each shape and of three targets in each: chance moves the share of
their intervals that hold the truth by 0.6 to 0.7 percentage points (one standard error), so 93–97 % is a test that a
right interval passes and one that is 20 % too narrow does not.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

from mtrain.stats.intervals import CONSTANT, FEW, estimate
from mtrain.stats.tables import ResultsError
from mtrain.tuning.curve import Curve, Found, Probe, fit, probes_table, table

RUNS = 400
GRID = np.linspace(0, 1, 9)
DEEP = np.linspace(0, 1, 2001)


@dataclass(frozen=True)
class Bots:
    """A family of bots on a dial, measured in pips: what each position costs, and how a block's number strays."""

    cost: Callable[[np.ndarray], np.ndarray]
    targets: tuple[float, ...]
    deal: float = 8.0
    luck: float = 15.0
    blocks: tuple[int, int] = (300, 600)

    def play(self, rng: np.random.Generator, deals: int, at: np.ndarray, blocks: int) -> list[Probe]:
        """Measure some positions on one set of deals, which are as good or bad for each of them; luck is skewed."""
        common = self.deal * (rng.exponential(1, blocks) - 1)
        own = self.luck * (rng.gamma(2, 1, (len(at), blocks)) - 2) / np.sqrt(2)
        return [
            Probe(float(x), deals, mean + common + strays)
            for x, mean, strays in zip(at, self.cost(at), own, strict=True)
        ]

    def where(self, target: float) -> float:
        return float(np.interp(target, self.cost(DEEP), DEEP))


BOTS = {
    "saturating": Bots(lambda x: 15 * (1 - np.exp(-4 * x)) / (1 - np.exp(-4)), (2.0, 7.0, 12.0)),
    "logistic": Bots(lambda x: 15 / (1 + np.exp(-10 * (x - 0.45))), (2.0, 6.0, 12.0)),
    "linear": Bots(lambda x: 12 * x, (2.0, 6.0, 10.0)),
}


@cache
def runs_of(name: str) -> tuple[list[list[Found]], np.ndarray]:
    """Levels are looked for as one would: a grid, then three probes around where it shows each target, then anew.

    Besides what was found: in which runs the interval of each found position's mean, on fresh deals, holds the truth.
    """
    bots = BOTS[name]
    rng = np.random.default_rng(list(name.encode()))
    found, fresh = [], []
    for _ in range(RUNS):
        probes = bots.play(rng, 0, GRID, bots.blocks[0])
        coarse = fit(probes, rises=True, repeats=20)
        for number, target in enumerate(bots.targets, 1):
            near = np.clip(np.nan_to_num(coarse.find(target).at, nan=1.0) + np.array([-0.04, 0, 0.04]), 0, 1)
            probes += bots.play(rng, number, near, bots.blocks[1])
        curve = fit(probes, rises=True, repeats=100)
        found.append([curve.find(target) for target in bots.targets])
        again = [bots.play(rng, 9, np.array([f.at]), bots.blocks[1])[0] for f in found[-1]]
        e = estimate(np.concatenate([p.values for p in again]), np.repeat(np.arange(3), bots.blocks[1]), 3)
        truth = bots.cost(np.array([f.at for f in found[-1]]))
        fresh.append((e.lo <= truth) & (truth <= e.hi))
    return found, np.array(fresh)


@pytest.mark.parametrize("name", BOTS)
def test_L14_the_position_found_holds_the_truth_in_95_of_100_runs(name: str) -> None:
    found, _ = runs_of(name)
    truth = [BOTS[name].where(target) for target in BOTS[name].targets]
    holds = np.array([[f.lo <= at <= f.hi for f, at in zip(run, truth, strict=True)] for run in found])
    assert 0.93 <= holds.mean() <= 0.97
    assert (abs(holds.mean(axis=0) - 0.95) < 0.035).all()  # each target: three standard errors


@pytest.mark.parametrize("name", BOTS)
def test_L14_its_strength_on_fresh_deals_is_estimated_in_95_of_100_runs(name: str) -> None:
    assert 0.93 <= runs_of(name)[1].mean() <= 0.97


@pytest.mark.parametrize("name", BOTS)
def test_L14_positions_are_found_closer_than_a_grid_alone_finds_them(name: str) -> None:
    bots = BOTS[name]
    alone = fit(bots.play(np.random.default_rng(3), 0, GRID, bots.blocks[0]), rises=True)
    width = [[f.hi - f.lo for f in run] for run in runs_of(name)[0]]
    assert np.mean(width) < np.mean([f.hi - f.lo for f in map(alone.find, bots.targets)])


def test_L14_also_the_share_of_games_won_which_falls() -> None:
    def won(x: np.ndarray) -> np.ndarray:
        return 0.04 + 0.26 * np.exp(-3 * x)

    rng = np.random.default_rng(14)
    holds, at = [], float(np.interp(-0.12, -won(DEEP), DEEP))
    for _ in range(RUNS):
        probes = []
        for deals, positions in enumerate((GRID, at + np.array([-0.05, 0.0, 0.05]))):
            luck = rng.uniform(0.5, 1.5, 400)
            probes += [Probe(x, deals, rng.binomial(4, won(x) * luck) / 4) for x in positions]
        f = fit(probes, rises=False, repeats=100, least=0, most=1).find(0.12)
        holds.append(f.lo <= at <= f.hi)
    assert abs(np.mean(holds) - 0.95) < 0.033  # three standard errors


def test_the_curve_follows_the_truth_where_that_bends() -> None:
    """With hardly any noise it is within a hundredth of what there is to gain, at every position."""
    for bots in BOTS.values():
        quiet = Bots(bots.cost, bots.targets, deal=0.1, luck=0.1)
        probes = quiet.play(np.random.default_rng(2), 0, GRID, 100)
        off = fit(probes, rises=True, repeats=10).at(DEEP) - bots.cost(DEEP)
        assert np.abs(off).max() < 0.15


def test_a_cluster_of_probes_is_averaged_not_followed() -> None:
    """Five probes within a fiftieth of the dial that go up and down: the curve passes through the midst of them."""
    bots = BOTS["linear"]
    rng = np.random.default_rng(5)
    probes = bots.play(rng, 0, GRID, 400)
    near = 0.5 + np.array([-0.01, -0.005, 0.0, 0.005, 0.01])
    probes += [
        Probe(x, 1, p.values + s) for x, p, s in zip(near, bots.play(rng, 1, near, 400), (2, -2, 2, -2, 2), strict=True)
    ]
    curve = fit(probes, rises=True)
    assert np.ptp(curve.at(near)) < 0.6
    assert curve.at(0.5)[0] == pytest.approx(np.mean([p.values.mean() for p in probes[9:]]), abs=0.7)


@pytest.mark.parametrize("rises", [True, False])
def test_it_is_monotone_whatever_the_noise(rises: bool) -> None:
    for seed in range(40):
        rng = np.random.default_rng(seed)
        sizes = rng.integers(2, 30, 3)
        probes = [Probe(float(rng.random()), int(d), rng.normal(0, 5, sizes[d])) for d in rng.integers(0, 3, 14)]
        steps = np.diff(fit(probes, rises, repeats=5).at(DEEP))
        assert ((steps if rises else -steps) >= -1e-12).all()


def some(seed: int = 1, blocks: int = 200) -> list[Probe]:
    rng = np.random.default_rng(seed)
    bots = BOTS["saturating"]
    return bots.play(rng, 0, GRID, blocks) + bots.play(rng, 1, np.array([0.2, 0.25]), 2 * blocks)


def test_falling_numbers_are_rising_ones_upside_down() -> None:
    up = fit(some(), rises=True)
    down = fit([Probe(p.at, p.deals, -p.values) for p in some()], rises=False)
    np.testing.assert_allclose(down.at(GRID), -up.at(GRID))
    np.testing.assert_allclose(down.band(GRID)[0], -up.band(GRID)[1])
    one, other = up.find(7.0), down.find(-7.0)
    np.testing.assert_allclose((other.at, other.lo, other.hi), (one.at, one.lo, one.hi))


def test_the_same_probes_give_the_same_curve_in_any_order() -> None:
    one, other, turned = fit(some(), rises=True), fit(some(), rises=True), fit(some()[::-1], rises=True)
    for curve in (other, turned):
        assert curve.find(7.0) == one.find(7.0)
        assert table(curve).equals(table(one))


def test_probes_of_one_set_of_deals_are_drawn_together() -> None:
    """What a deal is worth to everybody moves the curve up or down, and makes none of its steps less sure."""

    def unsure(deal: float, sets: tuple[int, ...]) -> float:
        bots = Bots(BOTS["linear"].cost, (), deal=deal, luck=1.0)
        rng = np.random.default_rng(4)
        probes = [Probe(p.at, d, p.values) for d in sets for p in bots.play(rng, d, GRID[d :: len(sets)], 300)]
        curve = fit(probes, rises=True)
        width = np.diff(curve.knots)
        pull = np.concatenate([[0.0], np.append(width, 0) / 2 + np.append(0, width) / 2])  # the whole rise
        return float(np.sqrt(pull @ curve.cover @ pull))

    assert unsure(20.0, (0,)) == pytest.approx(unsure(0.0, (0,)), rel=0.2)
    assert unsure(20.0, tuple(range(9))) > 3 * unsure(20.0, (0,))


def test_two_sets_of_deals_that_share_the_dial_are_told_from_a_bend() -> None:
    """One set is of worse deals for everybody: every other probe is 3 pips up, and the curve goes straight through."""
    probes = Bots(lambda x: 12 * x, (), deal=20.0, luck=1.0).play(np.random.default_rng(8), 0, GRID, 300)
    probes = [Probe(p.at, n % 2, p.values + 3 * (n % 2)) for n, p in enumerate(probes)]
    steps = np.diff(fit(probes, rises=True).at(GRID))
    assert steps == pytest.approx(np.full(8, 1.5), abs=0.3)


def test_the_ends_are_reach_and_the_table_is_the_curve() -> None:
    curve = fit(some(), rises=True)
    one, zero = curve.reach
    assert (one.at, zero.at) == (1.0, 0.0)
    drawn = table(curve, 11)
    assert len(drawn) == 11
    for point, row in ((zero, 0), (one, -1)):
        assert (point.lo, point.value, point.hi) == pytest.approx(tuple(drawn[["lo", "value", "hi"]].iloc[row]))
        assert point.lo < point.value < point.hi


def test_found_and_band_agree() -> None:
    """An end of the position's interval is where the target leaves the band."""
    curve = fit(some(), rises=True)
    f = curve.find(7.0)
    assert 0 < f.lo < f.at < f.hi < 1
    assert curve.at(f.at)[0] == pytest.approx(7.0, abs=1e-3)
    assert curve.band(f.lo)[1][0] == pytest.approx(7.0, abs=1e-2)
    assert curve.band(f.hi)[0][0] == pytest.approx(7.0, abs=1e-2)


def test_L13_beyond_reach_is_a_reason_with_the_range() -> None:
    curve = fit(some(), rises=True)
    one, zero = curve.reach
    for target in (one.hi + 0.1, zero.lo - 0.1, 60.0):
        f = curve.find(target)
        assert np.isnan([f.at, f.lo, f.hi, f.value]).all()
        assert f.why == (
            f"no position reaches {target:.4g}: the dial goes from {zero.value:.4g} ({zero.lo:.4g} … {zero.hi:.4g}) "
            f"at 0 to {one.value:.4g} ({one.lo:.4g} … {one.hi:.4g}) at 1"
        )


def test_L13_beyond_the_end_by_less_than_its_interval_is_the_end() -> None:
    curve = fit(some(), rises=True)
    one, zero = curve.reach
    high, low = curve.find(one.hi - 0.01), curve.find(zero.lo + 0.01)
    assert (high.value, low.value) == (one.value, zero.value)
    assert (high.hi, low.lo) == (1.0, 0.0)
    assert high.why == low.why == ""


def test_L13_probes_that_stop_short_reach_no_further() -> None:
    curve = fit([p for p in some() if 0.2 <= p.at <= 0.8], rises=True)
    assert [point.at for point in curve.reach] == [0.75, 0.2]
    assert "at 0.2 to" in curve.find(99.0).why
    assert curve.at(1.0) == curve.at(0.75)


def test_of_a_flat_stretch_it_is_the_middle() -> None:
    knots, cover = np.linspace(0, 1, 6), np.zeros((7, 7))
    cover[0, 0] = 0.01**2
    curve = Curve(True, knots, np.array([4.0, 0, 0, 0, 2, 2]), 1.0, cover, 99.0, -np.inf, np.inf, "")
    f = curve.find(1.4)
    assert (f.value, f.at) == (pytest.approx(1.4), pytest.approx(0.4))
    assert f.lo < 0.2
    assert f.hi > 0.6


def test_numbers_in_the_wrong_order_are_a_level_curve() -> None:
    curve = fit(some(), rises=False)
    assert np.ptp(curve.at(DEEP)) < 1e-9
    f = curve.find(float(curve.at(0.0)[0]))
    assert (f.at, f.lo, f.hi) == (0.5, 0.0, 1.0)


def lone(*numbers: tuple[float, int, list[float]]) -> Curve:
    return fit([Probe(at, deals, np.array(values)) for at, deals, values in numbers], rises=True)


@pytest.mark.parametrize(
    ("curve", "why"),
    [
        (lone((0.5, 0, [1.0, 2.0, 4.0])), "needs probes at 2 positions of the dial"),
        (lone((0.5, 0, [1.0, 2.0]), (0.5, 1, [2.0, 2.5])), "needs probes at 2 positions of the dial"),
        (lone((0.0, 0, [2.0, 2.0]), (1.0, 0, [2.0, 2.0])), CONSTANT),
        (lone((0.0, 0, [1.0, 1.0]), (1.0, 0, [3.0, 3.0])), CONSTANT),
        (lone((0.0, 0, [1.0]), (1.0, 1, [2.0, 5.0])), FEW),
    ],
)
def test_where_there_is_no_interval_a_sentence_says_why(curve: Curve, why: str) -> None:
    assert curve.why == why
    assert np.isfinite(curve.at(GRID)).all()
    assert table(curve)[["lo", "hi"]].isna().all(axis=None)
    for target in (2.0, 99.0):
        f = curve.find(target)
        assert f.why
        assert np.isnan(f.lo)
        assert np.isnan(f.hi)
    assert why in curve.find(2.0).why


def test_two_positions_give_a_line() -> None:
    curve = lone((0.2, 0, [1.0, 2.0, 3.0]), (0.8, 0, [4.0, 6.0, 5.0]))
    np.testing.assert_allclose(curve.at(np.array([0.2, 0.5, 0.8])), [2.0, 3.5, 5.0])


@pytest.mark.parametrize(
    ("probes", "sentence"),
    [
        ([], "a curve needs probes, and there are none"),
        ([Probe(1.2, 0, np.ones(3))], "a probe is at 1.2; the dial goes from 0 to 1"),
        ([Probe(np.nan, 0, np.ones(3))], "a probe is at nan; the dial goes from 0 to 1"),
        ([Probe(0.1, 0, np.ones(0))], "the probe at 0.1 of the set of deals 0 has no blocks"),
        ([Probe(0.1, 0, np.array([1, np.nan]))], "the probe at 0.1 of the set of deals 0 has blocks without a number"),
        ([Probe(0.1, -1, np.ones(3))], "the probe at 0.1 is of the set of deals -1; sets count from 0"),
        (
            [Probe(0.1, 0, np.ones(3)), Probe(0.2, 0, np.ones(4))],
            "the probe at 0.2 has 4 blocks, another of its set of deals has 3: probes of a set share its deals",
        ),
    ],
)
def test_wrong_probes_are_one_sentence(probes: list[Probe], sentence: str) -> None:
    with pytest.raises(ResultsError) as error:
        fit(probes, rises=True)
    assert str(error.value) == sentence


def test_a_position_off_the_dial_and_a_target_that_is_none_are_refused() -> None:
    curve = fit(some(blocks=20), rises=True)
    with pytest.raises(ResultsError, match="no position"):
        curve.at(1.5)
    with pytest.raises(ResultsError, match="a target is a number"):
        curve.find(np.nan)


def test_the_probes_table_has_each_by_itself() -> None:
    probes = [Probe(0.5, 3, np.array([0.0, 0.5, 1.0])), Probe(0.0, 3, np.ones(3))]
    found = probes_table(probes, ["a", "b"], share=True)
    assert found["agent"].tolist() == ["a", "b"]
    assert found["deals"].tolist() == [3, 3]
    assert found["value"].tolist() == [0.5, 1.0]
    assert 0 <= found["lo"][0] < 0.5 < found["hi"][0] <= 1
    assert found["note"].tolist() == ["", CONSTANT]
    with pytest.raises(ResultsError, match="2 probes and 1 agents"):
        probes_table(probes, ["a"])


def test_it_takes_no_time() -> None:
    probes = some(blocks=1000) + BOTS["linear"].play(np.random.default_rng(0), 2, np.linspace(0, 1, 19), 1000)
    fit(probes, rises=True)
    began = time.process_time()
    fit(probes, rises=True).find(7.0)
    assert time.process_time() - began < 0.5
