"""Looking again and again: what holds at every look, how a test ends, and what is left to say after a stop."""

import importlib.util

import numpy as np
import pytest
from scipy import optimize, stats

from mtrain.stats.sequential import (
    EVERY,
    FIRST,
    SequentialTest,
    bounds,
    first_look,
    fixed_size,
    likeliest,
    likelihood_ratio,
    radius,
)
from tests.helpers.program import HERE

_spec = importlib.util.spec_from_file_location("stopping", HERE / "experiments" / "stopping.py")
assert _spec is not None
assert _spec.loader is not None
simulated = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(simulated)

RUNS = 2000

# A share of 5 % in 2,000 runs has a standard error of 0.49 %; two of them are allowed for.
SLACK = 2 * np.sqrt(0.05 * 0.95 / RUNS)


# ── The confidence sequence ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_the_first_look_solves_the_equation_of_the_source(level):
    t = stats.t(FIRST - 1)
    b = float(radius(FIRST, level=level))
    assert 2 * (t.sf(b) + b * t.pdf(b)) == pytest.approx(1 - level, abs=1e-9)


def test_looking_has_its_price_and_it_grows_slowly():
    n = np.array([30, 100, 1000, 10_000, 1_000_000])
    dearer = radius(n) / stats.t.ppf(0.975, n - 1)
    assert (np.diff(dearer) > 0).all()
    assert 1.4 < dearer[0] < 1.5
    assert 2.1 < dearer[-1] < 2.2


def test_before_the_first_look_there_is_no_interval():
    assert np.isnan(radius([2, FIRST - 1])).all()
    assert np.isfinite(radius([FIRST, 10**9])).all()


@pytest.mark.parametrize("noise", ["normal", "skewness 0.5", "skewness 1", "heavy tails"])
def test_a_true_mean_is_ever_outside_in_5_percent_of_runs_at_most(noise):
    found = simulated.sequence(noise, RUNS, seed=1)
    assert found["ever_outside"] <= 0.05
    assert found["ever_outside_raw"] > 0.4


def test_stopped_by_its_width_the_sequence_covers():
    found = simulated.width("skewness 1", 0.5, RUNS, seed=1)
    assert found["covered"] >= 0.95
    assert found["covered"] > found["covered_raw"] > 0.93
    assert abs(found["mean_error"]) < 0.02  # a rule that looks at the spread alone does next to nothing to the mean
    assert 100 < found["blocks"] < 200


# ── The likelihood ratio ──────────────────────────────────────────────────────────────────────────────────

NELO = 800 / np.log(10)
PENTANOMIAL = np.array([379.0, 10170, 21828, 10640, 343])


def at_standardised_mean(values, weights, t):
    """The likeliest distribution of results whose mean is ½ + t standard deviations of its own, step by step."""
    p = weights / weights.sum()
    for _ in range(100):
        mean = p @ values
        sd = np.sqrt(p @ (values - mean) ** 2)
        # The constraint, linear around the last step (Van den Bergh 2019).
        new = likeliest(values - 0.5 - t * sd * (1 + ((mean - values) / sd) ** 2) / 2, weights)
        if abs(new - p).max() < 1e-12:
            break
        p = new
    return p


def test_pinned_pentanomial_counts():
    """Pairs of games by their points: 379, 10170, 21828, 10640, 343; bounds of 0 and 2 normalised Elo."""
    values, n = np.arange(5) / 4, PENTANOMIAL.sum()
    share = PENTANOMIAL / n
    mean = share @ values
    t = (mean - 0.5) / np.sqrt(share @ (values - mean) ** 2)
    assert t / np.sqrt(2) * NELO == pytest.approx(3.05, abs=0.005)
    assert 1.959964 / np.sqrt(n) / np.sqrt(2) * NELO == pytest.approx(2.31, abs=0.005)
    null, other = (at_standardised_mean(values, PENTANOMIAL, nelo / NELO * np.sqrt(2)) for nelo in (0, 2))
    assert PENTANOMIAL @ np.log(other / null) == pytest.approx(2.9455, abs=0.00005)
    # With the spread as it was seen, the hypotheses are about the mean alone: the ratio that stops a run.
    spread = np.sqrt(share @ (values - mean) ** 2)
    ratio = likelihood_ratio(values, 0.5, 0.5 + 2 / NELO * np.sqrt(2) * spread, PENTANOMIAL)
    assert ratio == pytest.approx(2.9455, abs=0.0005)
    assert bounds(0.05, 0.05) == pytest.approx((-2.9444, 2.9444), abs=0.0001)
    assert ratio > bounds(0.05, 0.05)[1]


def test_pinned_wins_and_losses():
    """W 880, L 759, D 1863: Elo 12.01 ± 7.87, and a chance of 99.86 % of being ahead."""
    values, weights = np.array([0.0, 0.5, 1.0]), np.array([759.0, 1863, 880])
    share, n = weights / weights.sum(), weights.sum()
    mean = share @ values
    error = np.sqrt(share @ (values - mean) ** 2 / n)

    def elo(points):
        return -400 * np.log10(1 / points - 1)

    assert elo(mean) == pytest.approx(12.01, abs=0.005)
    assert (elo(mean + 1.959964 * error) - elo(mean - 1.959964 * error)) / 2 == pytest.approx(7.87, abs=0.005)
    assert stats.norm.cdf((mean - 0.5) / error) == pytest.approx(0.9986, abs=0.00005)
    # Twice the log likelihood ratio of the mean seen against ½ is χ² with one degree of freedom.
    assert np.sqrt(2 * likelihood_ratio(values, 0.5, mean, weights)) == pytest.approx((mean - 0.5) / error, rel=0.002)


def test_the_likeliest_distribution_is_that_of_a_general_optimiser():
    scores = np.random.default_rng(1).gamma(2, size=12) - 1.4
    found = likeliest(scores)
    assert found.sum() == pytest.approx(1)
    assert found @ scores == pytest.approx(0, abs=1e-12)
    constraints = [
        {"type": "eq", "fun": lambda p: p.sum() - 1},
        {"type": "eq", "fun": lambda p: p @ scores},
    ]
    best = optimize.minimize(
        lambda p: -np.log(p).sum(), np.full(12, 1 / 12), bounds=[(1e-9, 1)] * 12, constraints=constraints, tol=1e-12
    )
    assert found == pytest.approx(best.x, abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_counts_are_as_good_as_repeated_values(seed):
    rng = np.random.default_rng(seed)
    values, counts = rng.normal(size=6), rng.integers(1, 9, 6)
    one = likelihood_ratio(values, 0.0, 0.1, counts.astype(float))
    assert one == pytest.approx(likelihood_ratio(np.repeat(values, counts), 0.0, 0.1), abs=1e-9)
    assert one == pytest.approx(-likelihood_ratio(values, 0.1, 0.0, counts.astype(float)))


def test_a_value_that_is_never_seen_changes_nothing():
    assert likelihood_ratio(np.array([-1.0, 0, 2, 50]), 0.0, 0.1, np.array([3.0, 2, 2, 0])) == pytest.approx(
        likelihood_ratio(np.array([-1.0, 0, 2]), 0.0, 0.1, np.array([3.0, 2, 2]))
    )


def test_means_beyond_all_values_are_told_apart_all_the_same():
    values = 9 + np.random.default_rng(1).normal(size=40)
    assert likeliest(values) is None
    n, s2 = len(values), values.var()
    assert likelihood_ratio(values, 0.0, 0.5) == pytest.approx(n * 0.5 * (values.mean() - 0.25) / s2)
    assert likelihood_ratio(values, 0.0, 0.5) > bounds(0.05, 0.05)[1]
    assert likelihood_ratio(-values, 0.0, 0.5) < bounds(0.05, 0.05)[0]


def test_equal_values_say_nothing():
    assert likelihood_ratio(np.full(40, 2.0), 0.0, 0.5) == 0
    assert likelihood_ratio(np.zeros(0), 0.0, 0.5) == 0


def test_it_tends_to_the_normal_ratio():
    values = np.random.default_rng(2).normal(0.02, 1, 20_000)
    normal = len(values) * 0.05 * (values.mean() - 0.025) / values.var()
    assert likelihood_ratio(values, 0.0, 0.05) == pytest.approx(normal, abs=0.1)


# ── The walk of a test ────────────────────────────────────────────────────────────────────────────────────


def endings(walk, mean, asked, runs, seed):
    """Simulate a walk of normal numbers: shares of both ends, mean size, and share of means of at least `asked`."""
    rng = np.random.default_rng(seed)
    looks = np.unique(np.append(np.arange(walk.first, walk.most, walk.every), walk.most))
    total, size, end, last = np.zeros(runs), np.zeros(runs), np.zeros(runs), np.zeros(runs)
    going = np.arange(runs)
    for look, n in zip(looks, np.diff(looks, prepend=0), strict=True):
        total[going] += rng.normal(mean * n, walk.sd * np.sqrt(n), len(going))
        ratio = walk.by / walk.sd**2 * (total[going] - look * walk.by / 2)
        size[going], last[going] = look, total[going] / look
        end[going] = (ratio >= walk.bounds[1]).astype(int) - (ratio <= walk.bounds[0])
        going = going[end[going] == 0]
    return (end > 0).mean(), (end < 0).mean(), size.mean(), (last >= asked).mean()


@pytest.mark.parametrize(
    "walk",
    [
        SequentialTest(0.5, 2.0, 30, 10, 10_000, bounds(0.05, 0.05)),
        SequentialTest(0.5, 1.0, 30, 16, 100, bounds(0.05, 0.1)),  # ends undecided now and then
        SequentialTest(0.5, 5.0, 30, 1, 2_000, bounds(0.1, 0.05)),  # steps so small that looks are merged
    ],
    ids=["usual", "short", "fine"],
)
@pytest.mark.parametrize("truth", [0.0, 0.3, 0.5])
def test_the_law_of_a_walk_is_what_simulation_finds(walk, truth):
    law = walk.law(truth, asked=0.4)
    upper, lower, size, above = endings(walk, truth, 0.4, 10_000, seed=3)
    assert law.upper == pytest.approx(upper, abs=0.015)
    assert law.lower == pytest.approx(lower, abs=0.015)
    assert law.size == pytest.approx(size, rel=0.03)
    assert law.above == pytest.approx(above, abs=0.015)


def test_the_law_is_symmetric_where_the_errors_are():
    walk = SequentialTest(0.5, 2.0, 30, 10, 10_000, bounds(0.05, 0.05))
    at_null, at_other = walk.law(0.0), walk.law(0.5)
    assert at_null.upper == pytest.approx(at_other.lower, abs=1e-6)
    assert at_null.size == pytest.approx(at_other.size, rel=1e-6)
    assert at_null.upper < 0.05
    assert at_null.size < walk.law(0.25).size


@pytest.mark.parametrize("n", [30, 80, 200])
def test_the_estimate_after_a_test_has_half_of_all_ends_above_it(n):
    walk = SequentialTest(0.5, 2.0, 30, 10, 10_000, bounds(0.05, 0.05))
    ended = (walk.bounds[1] * walk.sd**2 / walk.by) / n + walk.by / 2  # a mean on the upper bound
    estimate = walk.unbiased(ended, n)
    assert walk.law(estimate, ended).above == pytest.approx(0.5, abs=0.01)
    assert estimate < ended  # those that stop early for "better" were lucky


def test_the_first_look_is_after_whole_pieces():
    assert (first_look(10, 1000), first_look(16, 1000), first_look(1, 1000), first_look(10, 20)) == (30, 32, 30, 20)


@pytest.mark.parametrize(("alpha", "beta"), [(0.05, 0.05), (0.05, 0.1), (0.01, 0.2)])
def test_a_test_of_fixed_size_has_the_power_asked_for(alpha, beta):
    n = int(np.ceil(fixed_size(2.0, 0.5, alpha, beta)))

    def power(n):
        return stats.nct.sf(stats.t.ppf(1 - alpha, n - 1), n - 1, 0.5 / 2 * np.sqrt(n))

    assert power(n + 1) >= 1 - beta > power(n - 2)


# ── Both rules, simulated ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("noise", "by"), [("normal", 0.5), ("skewness −1", 0.5), ("skewness −0.5", 0.3), ("heavy tails", 0.3)]
)
def test_a_test_errs_in_5_percent_of_runs_at_most_and_covers_after_its_stop(noise, by):
    null = simulated.told(noise, by, 0.0, RUNS, seed=1, estimates=300)
    assert null["says_better"] <= 0.05 + SLACK
    assert null["blocks"] < null["fixed"]
    assert null["covered"] >= 0.95
    assert null["covered"] > null["covered_raw"]


def test_a_test_finds_what_is_there_in_fewer_blocks_than_one_of_fixed_size():
    found = simulated.told("normal", 0.3, 0.3, RUNS, seed=1, estimates=400)
    assert found["says_better"] >= 0.95 - SLACK
    assert found["blocks"] < 0.8 * found["fixed"]
    assert found["covered_raw"] < 0.95 <= found["covered"]
    # A share of one half in 400 runs has a standard error of 2.5 %.
    assert abs(found["too_large"] - 0.5) < 0.075
    assert found["too_large_raw"] > 0.55


def test_the_walk_foretells_how_long_a_test_takes():
    found = simulated.told("normal", 0.3, 0.0, 500, seed=2, estimates=1)
    law = SequentialTest(0.3, 1.0, first_look(EVERY, 10_000), EVERY, 10_000, bounds(0.05, 0.05)).law(0.0)
    assert law.size == pytest.approx(found["blocks"], rel=0.1)
