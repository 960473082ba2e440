"""Ratings: one order-free Plackett–Luce fit, ties averaged. Cases are named after `cases/harness.md`."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from test_estimates import numbers, tournament

from mtrain.study.plackett_luce import RIDGE, _terms, merged, outcomes
from mtrain.study.ratings import SCALE, rate, ratings


def ranked(tables, per_block=4):
    """Games from pairs of agents (a string, a letter each) and their ranks by seat; so many games a block."""
    n = len(tables[0][0])
    rows = {
        "match": [0] * n * len(tables),
        "deal": [i // per_block for i in range(len(tables)) for _ in range(n)],
        "seating": [i % per_block for i in range(len(tables)) for _ in range(n)],
        "seat": list(range(n)) * len(tables),
        "agent": [agent for agents, _ in tables for agent in agents],
        "rank": [rank for _, ranks in tables for rank in ranks],
    }
    return pd.DataFrame(rows)


def by_agent(frame):
    return dict(zip(frame["agent"], numbers(frame, "rating"), strict=True))


def drawn(rng, n_games, worth, seats, blocks_of=4, tie=0.0):
    """Games drawn from the model itself: in each, `seats` of the agents, ranked; neighbours tie now and then."""
    tables = []
    for _ in range(n_games):
        agents = rng.permutation(len(worth))[:seats]
        order = np.argsort(np.array(worth)[agents] * -1 + rng.gumbel(size=seats) * -1)
        rank, ranks = 1, [0] * seats
        for place, seat in enumerate(order):
            if place and rng.random() >= tie:
                rank = place + 1
            ranks[seat] = rank
        tables.append(("".join("abcdefghij"[agent] for agent in agents), ranks))
    return ranked(tables, blocks_of)


def brute_force(frame, ridge):
    """The same maximum, from the definition: every order of every tied group, one by one."""
    labels = sorted(frame["agent"].unique())
    games = []
    for _, game in frame.groupby(["deal", "seating"]):
        ordered = game.sort_values("rank")
        groups = [[labels.index(agent) for agent in g["agent"]] for _, g in ordered.groupby("rank")]
        orders = [[]]
        for group in groups:
            orders = [start + list(p) for start in orders for p in permutations(group)]
        games.append(np.array(orders))

    def loss(theta):
        total = ridge / 2 * theta @ theta
        for orders in games:
            worth = theta[orders]
            left = np.log(np.cumsum(np.exp(worth[:, ::-1]), axis=1))
            total -= (worth.sum(axis=1) - left.sum(axis=1)).mean()
        return total

    theta = minimize(loss, np.zeros(len(labels)), method="BFGS", options={"gtol": 1e-9}).x
    return {label: SCALE * t for label, t in zip(labels, theta - theta.mean(), strict=True)}


@pytest.mark.parametrize(("seats", "tie"), [(2, 0), (4, 0), (4, 0.3), (3, 0.6)])
def test_the_fit_is_that_of_the_definition(seats, tie):
    games = drawn(np.random.default_rng(seats), 60, [0, 0.5, 1, -0.5, 0.2], seats, tie=tie)
    expected, found = brute_force(games, RIDGE), by_agent(ratings(games))
    assert found == pytest.approx(expected, abs=0.01)


def test_two_agents_have_the_closed_form():
    games = ranked([("ab", (1, 2))] * 30 + [("ab", (2, 1))] * 10)
    found = by_agent(ratings(games, ridge=1e-9))
    assert found["a"] - found["b"] == pytest.approx(400 * np.log10(3), abs=1e-5)


def test_a_tie_counts_as_half_a_win_each():
    ties = by_agent(ratings(ranked([("ab", (1, 2))] * 10 + [("ab", (1, 1))] * 20)))
    halves = by_agent(ratings(ranked([("ab", (1, 2))] * 20 + [("ab", (2, 1))] * 10)))
    assert ties == pytest.approx(halves, abs=1e-9)


def test_H15_tied_agents_are_equal_and_above_the_third():
    found = by_agent(ratings(ranked([("abcd", (1, 1, 3, 4))] * 8)))
    assert found["a"] == pytest.approx(found["b"], abs=1e-9)
    assert found["a"] > found["c"] > found["d"]
    assert sum(found.values()) == pytest.approx(0, abs=1e-9)


@settings(deadline=None, max_examples=20)
@given(st.randoms(use_true_random=False))
def test_H15_no_order_of_rows_games_or_labels_moves_a_rating(random):
    games = drawn(np.random.default_rng(3), 40, [0, 0.5, 1, -0.5, 0.2], 4, tie=0.3)
    expected = ratings(games).set_index("agent")
    rows = list(range(len(games)))
    random.shuffle(rows)
    labels = list("abcde")
    random.shuffle(labels)
    found = ratings(games.iloc[rows].assign(agent=lambda g: pd.Categorical(g["agent"], labels))).set_index("agent")
    for column in ("rating", "rating_lo", "rating_hi"):
        np.testing.assert_allclose(
            found[column].loc[expected.index].to_numpy(float), numbers(expected, column), atol=1e-9
        )


def test_ten_tied_agents_cost_a_thousand_terms_not_three_million():
    mask, weight = _terms((10,))
    assert mask.shape == (2**10 - 1, 10)
    assert weight.sum() == pytest.approx(10)
    level = by_agent(ratings(ranked([("abcdefghij", (1,) * 10)] * 8)))
    assert list(level.values()) == pytest.approx([0] * 10, abs=1e-9)


def test_terms_of_an_untied_table_are_the_tails():
    mask, weight = _terms((1, 1, 1))
    assert mask.tolist() == [[1, 1, 1], [0, 1, 1], [0, 0, 1]]
    assert weight.tolist() == [1, 1, 1]


def test_seats_of_one_agent_share_its_worth():
    games = ranked([("aabb", (1, 2, 3, 4))] * 3 + [("abab", (2, 1, 3, 4))] * 3)

    def loss(x):  # a has worth e^x, b 1
        a = np.exp(x[0])
        first = 2 * x[0] - np.log(2 * a + 2) - np.log(a + 2) - np.log(2)
        second = 2 * x[0] - np.log(2 * a + 2) - np.log(2 * a + 1) - np.log(a + 1)
        return -3 * (first + second) + RIDGE / 4 * x[0] ** 2

    found = by_agent(ratings(games))
    assert (found["a"] - found["b"]) / SCALE == pytest.approx(minimize(loss, [0.0], tol=1e-12).x[0], abs=1e-4)


def test_games_of_one_agent_alone_change_nothing():
    games, _ = tournament([("a", "b")], deals=10)
    more, _ = tournament([("a", "b"), ("a", "a")], deals=10)
    pd.testing.assert_frame_equal(ratings(games), ratings(more))


def test_H16_groups_that_never_met_have_no_joint_rating():
    games, _ = tournament([("A", "B"), ("C", "D")], deals=30, skill={"A": -5, "C": -10})
    table = ratings(games).set_index("agent")
    assert dict(table["group"]) == {"A": 1, "B": 1, "C": 2, "D": 2}
    assert table["rating"]["A"] == pytest.approx(-table["rating"]["B"])
    assert table["rating"]["C"] == pytest.approx(-table["rating"]["D"])
    alone = ratings(games[games["match"] == 1]).set_index("agent")
    assert alone.loc["C", "rating_lo"] == pytest.approx(table.loc["C", "rating_lo"], abs=1e-9)
    bridged, _ = tournament([("A", "B"), ("C", "D"), ("B", "C")], deals=30)
    assert set(ratings(bridged)["group"]) == {1}


def test_never_beaten_is_finite_flagged_and_without_interval():
    games = ranked([("abc", (1, 2, 3)), ("abc", (1, 3, 2))] * 20)
    table = ratings(games).set_index("agent")
    assert np.isfinite(numbers(table, "rating")).all()
    assert table[["rating_lo", "rating_hi"]].isna().all(axis=None)
    assert table.loc["a", "note"] == "never finished behind another agent: held by the ridge"
    assert table.loc["b", "note"] == "some agents of its group never finished behind the others: held by the ridge"
    last = ratings(ranked([("abc", (1, 2, 3)), ("abc", (2, 1, 3))] * 20)).set_index("agent")
    assert last.loc["c", "note"] == "never finished ahead of another agent: held by the ridge"


def test_H12_one_block_and_equal_blocks_have_no_interval():
    four = [("ab", (1, 2)), ("ab", (1, 2)), ("ab", (1, 2)), ("ab", (2, 1))]
    assert list(ratings(ranked(four))["note"]) == ["needs 2 blocks"] * 2
    assert list(ratings(ranked(four * 5))["note"]) == ["no variance between blocks"] * 2
    assert ratings(ranked(four * 5))["rating_lo"].isna().all()


def test_an_agent_of_one_block_has_no_interval_and_the_others_do():
    games, _ = tournament([("a", "b", "c"), ("a", "b", "d")], deals=12)
    table = ratings(games[(games["match"] == 0) | (games["deal"] == 0)]).set_index("agent")
    assert table.loc["d", "note"] == "needs 2 blocks"
    assert table.loc["a", "rating_lo"] < table.loc["a", "rating"] < table.loc["a", "rating_hi"]


def test_outcomes_of_parts_merge_to_those_of_the_whole():
    games, _ = tournament([("a", "b", "c", "d"), ("a", "a", "b", "b")], deals=12)
    parts = [outcomes(part) for _, part in games.groupby(["match", "deal"])]
    pd.testing.assert_frame_equal(rate(merged(parts)), ratings(games), rtol=1e-12)


def test_intervals_cover():
    """Blocks of games that share their luck: an agent's strength differs from block to block."""
    rng = np.random.default_rng(0)
    low, high, mean = [], [], []
    for _ in range(250):
        n_blocks, per_block = 30, 8
        worth = np.array([0.4, 0, 0, -0.4]) + rng.normal(0, 0.5, (n_blocks, 1, 4))
        order = np.argsort(-(worth + rng.gumbel(size=(n_blocks, per_block, 4))), axis=2)
        rank = np.argsort(order, axis=2) + 1
        block, game, seat = np.broadcast_arrays(*np.ogrid[:n_blocks, :per_block, :4])
        columns = {
            "match": 0,
            "deal": block.ravel(),
            "seating": game.ravel(),
            "seat": seat.ravel(),
            "rank": rank.ravel(),
        }
        table = ratings(pd.DataFrame(columns).assign(agent=np.array(list("abcd"))[seat.ravel()])).set_index("agent")
        table = table.loc[list("abcd")]
        low.append(numbers(table, "rating_lo"))
        high.append(numbers(table, "rating_hi"))
        mean.append(numbers(table, "rating"))
    truth = np.mean(mean, axis=0)
    covered = (np.array(low) < truth) & (truth < np.array(high))
    assert 0.92 < covered.mean() < 0.975


def test_a_hundred_thousand_games_are_few_outcomes():
    games, _ = tournament([("a", "b", "c", "d")], deals=4200, n_rounds=1, skill={"a": -5})
    counted = outcomes(games)
    assert counted.count.sum() == 4200 * 24
    assert len(counted.agents) <= 75  # weak orders of four
    assert next(iter(rate(counted)["agent"])) == "a"
