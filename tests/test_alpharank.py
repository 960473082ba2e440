"""Alpha-rank: known cases, and what its masses are read off."""

import numpy as np
import pytest

from mtrain.stats.blocks import block_numbers, pair_numbers
from mtrain.stats.ratings import LINEUPS, PAIRS, alpharank, chain, stationary
from tests.helpers.synthetic import numbers, tournament


def ranked(games, lineups=()):
    return alpharank(pair_numbers(games), block_numbers(games), lineups).set_index("agent")


def masses(advantage):
    return stationary(chain(np.array([advantage], float)))[0]


ROCK_PAPER_SCISSORS = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]


def test_rock_paper_and_scissors_have_a_third_each():
    assert masses(ROCK_PAPER_SCISSORS) == pytest.approx([1 / 3] * 3)


def test_one_that_beats_all_others_has_everything():
    assert masses([[0, 0.1, 0.1], [-0.1, 0, 0.4], [-0.1, -0.4, 0]]) == pytest.approx([1, 0, 0], abs=1e-6)


def test_only_the_sign_of_an_advantage_counts():
    assert masses([[0, 9.0], [-0.01, 0]]) == pytest.approx(masses([[0, 0.01], [-9.0, 0]]))


def test_equals_share_alike():
    assert masses(np.zeros((4, 4))) == pytest.approx([0.25] * 4)


def test_who_loses_to_a_whole_circle_has_nothing():
    circle = np.zeros((4, 4))
    circle[:3, :3] = ROCK_PAPER_SCISSORS
    circle[3, :3], circle[:3, 3] = -1, 1
    assert masses(circle) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=1e-6)


def test_two_that_a_third_ties_with_have_what_the_chain_says():
    """a beats b; c ties with both: from b the way leads to a, and c trades places with all of them."""
    takes = chain(np.array([[0, 1, 0], [-1, 0, 0], [0, 0, 0]], float))
    values, vectors = np.linalg.eig(takes.T)
    share = np.real(vectors[:, np.argmax(np.real(values))])
    assert stationary(takes[None])[0] == pytest.approx(share / share.sum(), abs=1e-9)


@pytest.mark.parametrize("n", [2, 3, 7])
def test_the_shares_are_those_that_the_chain_leaves_as_they_are(n):
    rng = np.random.default_rng(n)
    chains = rng.dirichlet(np.ones(n), (5, n))
    share = stationary(chains)
    np.testing.assert_allclose((share[:, None, :] @ chains)[:, 0], share, atol=1e-12)
    np.testing.assert_allclose(share.sum(axis=1), 1)


def test_the_best_of_a_tournament_has_it_all():
    games, _ = tournament([("a", "b", "c", "d")], deals=20, skill={"c": -20, "a": -8})
    table = ranked(games)
    assert next(iter(table.index)) == "c"
    assert numbers(table, "mass") == pytest.approx([1, 0, 0, 0], abs=1e-6)
    assert table.loc["c", "mass_lo"] == pytest.approx(1)
    assert set(table["basis"]) == {PAIRS}


def test_what_is_not_known_is_not_said_to_be_sure():
    games, _ = tournament([("a", "b", "c")], deals=10, seed=2)
    table = ranked(games)
    assert (table["mass_hi"] - table["mass_lo"] > 0.9).any()
    assert 0 < table["expected"].max() < 0.95
    assert table["expected"].sum() == pytest.approx(1)


def among(skill, **more):
    """Every agent alone among copies of every other, three seats a table."""
    lineups = [(one, other, other) for one in "abc" for other in "abc" if one != other]
    games, _ = tournament(lineups, deals=12, skill=skill, labels=list("abc"), **more)
    return games, lineups


def test_tables_of_one_among_copies_are_what_mutants_meet():
    """The scores make a circle: the one that sits alone wins where it is paper among rocks, and so on."""
    beats = {"a": "b", "b": "c", "c": "a"}

    def score(match, deal, seating, agents):
        (alone,) = (agent for agent in set(agents) if agents.count(agent) == 1)
        (others,) = set(agents) - {alone}
        labels = "abc"
        good = beats[labels[alone]] == labels[others]
        luck = 30 * ((deal + seating) % 4 == 0)
        return [(10 if good else 50) + luck if agent == alone else 30 for agent in agents]

    games, lineups = among({}, score=score, out=0)
    table = ranked(games, lineups)
    assert set(table["basis"]) == {LINEUPS}
    assert numbers(table, "mass") == pytest.approx([1 / 3] * 3)
    some = ranked(games, [*lineups[:-1], ("a", "b", "c")])
    assert set(some["basis"]) == {PAIRS}, "one ordered pair without a table is too few"


def test_two_seats_are_one_among_copies_both_ways():
    games, _ = tournament([("a", "b"), ("a", "c"), ("b", "c")], deals=20, skill={"b": -20, "c": 20})
    table = ranked(games, [("a", "b"), ("a", "c"), ("b", "c")])
    assert set(table["basis"]) == {LINEUPS}
    assert table.loc["b", "mass"] == pytest.approx(1)


def test_a_gauntlet_has_pairs_that_never_met():
    games, _ = tournament([("f", "a", "a"), ("f", "b", "b")], deals=5)
    table = ranked(games, [("f", "a", "a"), ("f", "b", "b")])
    assert table["mass"].isna().all()
    assert set(table["note"]) == {"some agents of its group never met at one table"}


def test_H16_groups_apart_have_masses_apart():
    games, _ = tournament([("a", "b"), ("c", "d")], deals=20, skill={"a": -20, "d": -20})
    table = ranked(games)
    assert dict(table["group"]) == {"a": 1, "b": 1, "d": 2, "c": 2}
    assert numbers(table, "mass") == pytest.approx([1, 0, 1, 0], abs=1e-6)


def test_H12_one_block_has_masses_without_intervals_and_a_table_of_one_agent_none():
    games, _ = tournament([("a", "b"), ("c", "c")], deals=1, skill={"a": -50})
    table = ranked(games)
    assert table.loc["a", "mass"] == pytest.approx(1)
    assert table.loc["a", "note"] == "needs 2 blocks"
    assert table[["mass_lo", "mass_hi", "expected"]].isna().all(axis=None)
    assert table.loc["c", "note"] == "no other agent at the table"


def test_H15_no_order_of_rows_moves_a_mass():
    games, _ = tournament([("a", "b", "c", "d")], deals=10, seed=5)
    shuffled = games.sample(frac=1, random_state=1)
    np.testing.assert_allclose(numbers(ranked(shuffled), "expected"), numbers(ranked(games), "expected"), atol=1e-12)
