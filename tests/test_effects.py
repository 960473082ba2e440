"""Neighbours: what it is worth to sit right after an agent, or right before."""

import numpy as np
import pandas as pd
import pytest

from mtrain.stats.effects import neighbour_numbers
from mtrain.stats.estimates import neighbours
from tests.helpers.synthetic import one_game, tournament


def games_of(effect, lineup="abcd", deals=6, kind="permute"):
    """Games whose score is the sum of `effect(seat's agent, the one before it, the one after it)` and nothing else."""
    labels = sorted(set(lineup))

    def score(match, deal, seating, agents):
        n = len(agents)
        names = [labels[agent] for agent in agents]
        return [effect(names[s], names[s - 1], names[(s + 1) % n]) for s in range(n)]

    return tournament([tuple(lineup)], deals=deals, n_rounds=1, out=0, score=score, kind=kind)[0]


def test_who_sits_right_after_a_pays_seven() -> None:
    skill = {"a": 100, "b": 20, "c": 30, "d": 70}
    games = games_of(lambda own, before, after: skill[own] + 7 * (before == "a"))
    table = neighbours(games).set_index(["agent", "side"])["diff"]
    assert table[("a", "after")] == pytest.approx(7)
    assert table[("a", "before")] == pytest.approx(0)
    for other in "bcd":
        assert table[(other, "after")] == pytest.approx(-7 / 3)
        assert table[(other, "before")] == pytest.approx(0)


def test_a_pair_of_agents_on_four_seats() -> None:
    games = games_of(lambda own, before, after: 10 + 5 * (before == "a") + 2 * (after == "a"), "aabb")
    table = neighbours(games).set_index(["agent", "side"])["diff"]
    assert table[("a", "after")] == pytest.approx(5)
    assert table[("a", "before")] == pytest.approx(2)


def test_copies_beside_each_other_in_a_gauntlet() -> None:
    games = games_of(lambda own, before, after: 10 + 5 * (before == "a"), "abbb")
    table = neighbours(games).set_index(["agent", "side"])
    assert table.loc[("a", "after"), "diff"] == pytest.approx(5)
    assert table.loc[("b", "after"), "note"] == "nothing to compare with"  # the only other sits on both sides of it


def test_at_three_seats_a_side_compares_with_the_other() -> None:
    table = neighbours(tournament([("a", "b", "c")], deals=9)[0])
    assert set(table["note"]) == {"against the other side: at 3 seats there is nothing else"}
    after, before = (table[table["side"] == side]["diff"].to_numpy(float) for side in ("after", "before"))
    np.testing.assert_allclose(after, -before, atol=1e-12)


def test_at_two_seats_there_is_only_one_side() -> None:
    games, _ = tournament([("a", "b")], deals=5)
    assert len(neighbour_numbers(games)) == 0
    assert set(neighbours(games)["note"]) == {"nothing to compare with"}


def test_rotations_of_one_order_cannot_tell_the_seat_from_its_holder() -> None:
    games, _ = tournament([("a", "b", "c", "d")], deals=12, kind="rotate")
    table = neighbours(games)
    assert table["diff"].isna().all()
    assert set(table["note"]) == {"the same agent always sat there: seat and agent are one"}


def test_random_orders_can() -> None:
    rng = np.random.default_rng(4)
    parts = []
    for deal in range(400):
        order = rng.permutation(5)
        for turn in range(5):
            agents = np.roll(order, turn)
            score = rng.normal(50, 3, 5) + 10 * agents + 8 * (np.roll(agents, 1) == 0)
            game = one_game(*score, deal=deal, agents=["abcde"[a] for a in agents])
            parts.append(game.assign(seating=np.int16(turn)))
    table = neighbours(pd.concat(parts, ignore_index=True)).set_index(["agent", "side"])
    row = table.loc[("a", "after")]
    assert row["lo"] < 8 < row["hi"]
    assert row["hi"] - row["lo"] < 6


def test_one_agent_on_all_seats_has_no_neighbours() -> None:
    table = neighbours(tournament([("a", "a", "a", "a")], deals=3)[0])
    assert table["diff"].isna().all()
    assert set(table["note"]) == {"nothing to compare with"}
