"""Ratings: one order-free Plackett–Luce fit, ties averaged."""

import dataclasses
from itertools import permutations

import choix
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from mtrain.stats.intervals import resample
from mtrain.stats.plackett_luce import RIDGE, _terms, fit, merged, outcomes, refits
from mtrain.stats.ratings import BY_DEFINITION, SCALE, Anchor, anchor_in, parse_anchor, rate, ratings
from mtrain.stats.tables import ResultsError
from tests.helpers.simulated import World, covered, simulate
from tests.helpers.synthetic import numbers, tournament


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


def test_the_fit_is_that_of_choix_where_nobody_ties():
    games = drawn(np.random.default_rng(8), 80, [0, 0.5, 1, -0.5, 0.2], 4)
    orders = [
        ["abcde".index(agent) for agent in game.sort_values("rank")["agent"]]
        for _, game in games.groupby(["deal", "seating"])
    ]
    theirs = SCALE * choix.opt_rankings(5, orders, alpha=1e-6, tol=1e-10)
    found = by_agent(ratings(games, ridge=1e-6))
    assert [found[agent] for agent in "abcde"] == pytest.approx(list(theirs - theirs.mean()), abs=0.05)


# --- what ratings are counted from


def test_an_anchor_stands_where_it_is_put_and_the_others_differ_from_it_as_before():
    games, _ = tournament([("a", "b", "c", "d")], deals=20, skill={"a": -5, "d": 5})
    plain, fixed = ratings(games).set_index("agent"), ratings(games, anchor=Anchor("b", 1500)).set_index("agent")
    assert fixed.loc["b", "rating"] == 1500
    assert fixed.loc["b", "note"] == BY_DEFINITION
    assert fixed.loc["b", ["rating_lo", "rating_hi", "bootstrap_lo", "bootstrap_hi"]].isna().all()
    np.testing.assert_allclose(
        numbers(fixed, "rating") - 1500, numbers(plain, "rating") - plain.loc["b", "rating"], atol=1e-9
    )
    np.testing.assert_array_equal(numbers(plain, "first"), numbers(fixed, "first"))


def test_between_two_agents_the_interval_from_an_anchor_is_twice_that_from_their_mean():
    games, _ = tournament([("a", "b")], deals=20, skill={"a": -5})
    plain, fixed = ratings(games).set_index("agent"), ratings(games, anchor=Anchor("b")).set_index("agent")
    for column in ("rating", "rating_lo", "rating_hi", "bootstrap_lo", "bootstrap_hi"):
        assert fixed.loc["a", column] == pytest.approx(2 * plain.loc["a", column])


def test_H16_an_anchor_holds_in_its_own_group_alone():
    games, _ = tournament([("A", "B"), ("C", "D")], deals=30, skill={"A": -5, "C": -10})
    table, plain = (ratings(games, anchor=anchor).set_index("agent") for anchor in (Anchor("B", 100), None))
    assert table.loc["B", "rating"] == 100
    for column in ("rating", "rating_lo", "rating_hi"):
        np.testing.assert_array_equal(table.loc[["C", "D"], column], plain.loc[["C", "D"], column])


def test_with_one_block_of_the_anchor_nobody_has_an_interval():
    games, _ = tournament([("a", "b", "c"), ("a", "b", "d")], deals=12)
    few = games[(games["match"] == 0) | (games["deal"] == 0)]
    assert list(ratings(few, anchor=Anchor("d")).set_index("agent").loc[list("abc"), "note"]) == ["needs 2 blocks"] * 3


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ("greedy", Anchor("greedy")),
        ("greedy=1500", Anchor("greedy", 1500)),
        ("greedy:own=5", Anchor("greedy:own=5")),
        ("greedy:own=5=-20", Anchor("greedy:own=5", -20)),
    ],
)
def test_an_anchor_is_a_label_and_perhaps_a_number(text, anchor):
    labels = ["greedy", "greedy:own=5"]
    assert parse_anchor(text, labels) == anchor
    assert parse_anchor(str(anchor), labels) == anchor
    assert anchor_in(anchor.to_json()) == anchor


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("greddy", "anchor names 'greddy', which is none of the agents; did you mean 'greedy'?"),
        ("greddy=3", "anchor names 'greddy=3', which is none of the agents; did you mean 'greedy'?"),
        ("x", "anchor names 'x', which is none of the agents; the agents are greedy, random"),
        ("greedy=high", "the anchor 'greedy' is given a rating, like greedy=1500, not 'high'"),
        ("greedy=nan", "the anchor 'greedy' is given a rating, like greedy=1500, not 'nan'"),
    ],
)
def test_a_wrong_anchor_is_one_sentence(text, sentence):
    with pytest.raises(ResultsError) as said:
        parse_anchor(text, ["greedy", "random"])
    assert str(said.value) == sentence


def test_an_anchor_that_is_not_in_the_games_is_named():
    games, _ = tournament([("a", "b")], deals=4)
    with pytest.raises(ResultsError, match="the anchor 'z' is none of the agents a, b"):
        ratings(games, anchor=Anchor("z"))


# --- copies


def test_H17_a_table_of_one_agent_feeds_nothing():
    games, _ = tournament([("A", "A", "B", "B"), ("A", "A", "A", "A")], deals=10)
    pd.testing.assert_frame_equal(ratings(games), ratings(games[games["match"] == 0]))


def test_H25_two_labels_of_one_bot_are_rated_apart():
    games, _ = tournament([("greedy", "slow@greedy:ties=own")], deals=5)
    assert sorted(ratings(games)["agent"]) == ["greedy", "slow@greedy:ties=own"]


def test_H10_games_that_are_played_again_narrow_nothing():
    """Ten copies of every game of a block are no more than the block: only the ridge weighs less."""
    games, _ = tournament([("a", "b", "c")], deals=15)
    copies = pd.concat([games.assign(seating=games["seating"] + 6 * k) for k in range(10)])
    once, often = ratings(games, ridge=1e-9), ratings(copies, ridge=1e-9)
    for column in ("rating", "rating_lo", "rating_hi", "bootstrap_lo", "bootstrap_hi"):
        np.testing.assert_allclose(numbers(once, column), numbers(often, column), atol=1e-3)


def test_H10_deals_that_are_all_alike_give_no_interval():
    games, _ = tournament([("a", "b", "c")], deals=1)
    table = ratings(pd.concat([games.assign(deal=deal) for deal in range(20)]))
    assert table[["rating_lo", "bootstrap_lo", "first"]].isna().all(axis=None)
    assert set(table["note"]) == {"no variance between blocks"}


# --- how sure they are


def test_a_replicate_is_the_fit_with_its_weights():
    """One step of Newton's method goes nearly all the way: what is left is a small part of the spread."""
    games = drawn(np.random.default_rng(5), 400, [0, 0.5, 1, -0.5, 0.2], 4, tie=0.2)
    counted, group = outcomes(games), np.zeros(5, int)
    drawn_again = resample(*counted.blocks.T)
    theta, _ = fit(counted, group)
    found = refits(counted, theta, group, drawn_again)
    weights = drawn_again.of_blocks()
    whole = [fit(dataclasses.replace(counted, count=counted.count * w[counted.block]), group)[0] for w in weights[:40]]
    assert np.abs(found[:40] - whole).max() < 0.1 * found.std(axis=0).min()


def test_the_bootstrap_agrees_with_the_sandwich_where_blocks_are_many():
    games, _ = tournament([("a", "b", "c", "d")], deals=200, skill={"a": -5, "d": 5}, n_rounds=1)
    table = ratings(games)
    width = numbers(table, "rating_hi") - numbers(table, "rating_lo")
    np.testing.assert_allclose(numbers(table, "bootstrap_hi") - numbers(table, "bootstrap_lo"), width, rtol=0.08)
    assert table["first"].sum() == pytest.approx(1)


def test_H11_intervals_of_ratings_cover():
    """2,000 tournaments of 20 deals with effects of seats, neighbours, deals and tastes; with and without an anchor.

    The sandwich covers, and so it is the main interval; the bootstrap has no t, and stays a little below.
    """
    # So large a sample that its ratings are the truth, though the world is no Plackett–Luce model.
    large = ratings(simulate(World(floor=True), runs=1, blocks=40_000, seed=99)[0]).set_index("agent")["rating"]
    hits = {"rating": [], "bootstrap": [], "anchored": []}
    for batch in range(8):
        games, _ = simulate(World(floor=True), runs=250, blocks=20, seed=batch)
        rows = len(games) // 250
        for run in range(250):
            counted = outcomes(games.iloc[run * rows : (run + 1) * rows])
            table = rate(counted).set_index("agent").loc[large.index]
            for name in ("rating", "bootstrap"):
                hits[name].append(
                    covered(numbers(table, f"{name}_lo"), numbers(table, f"{name}_hi"), large.to_numpy(float))
                )
            if not run % 5:
                others = large.index.drop("b")
                table = rate(counted, anchor=Anchor("b")).set_index("agent").loc[others]
                truth = large.loc[others].to_numpy() - large.loc["b"]
                hits["anchored"].append(covered(numbers(table, "rating_lo"), numbers(table, "rating_hi"), truth))
    assert len(hits["rating"]) == 2000
    assert 0.93 < np.mean(hits["rating"]) < 0.97
    assert 0.93 < np.mean(hits["anchored"]) < 0.97
    assert 0.90 < np.mean(hits["bootstrap"]) < np.mean(hits["rating"])


def test_a_hundred_thousand_games_are_few_outcomes():
    games, _ = tournament([("a", "b", "c", "d")], deals=4200, n_rounds=1, skill={"a": -5})
    counted = outcomes(games)
    assert counted.count.sum() == 4200 * 24
    assert len(counted.agents) <= 75  # weak orders of four
    assert next(iter(rate(counted)["agent"])) == "a"
