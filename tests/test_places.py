"""Places and marks: who is ahead, when all are judged together."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import stdtr, stdtrit

from mtrain.stats.blocks import block_numbers
from mtrain.stats.estimates import pairwise, standings, standings_from
from mtrain.stats.ranks import differences, holm, ranges
from tests.helpers.synthetic import one_game, tournament


def test_holm_counts_two_hypotheses_a_pair_and_drops_those_that_fell() -> None:
    p = np.array([0.02, 0.001, 0.3])
    level = holm(stdtrit(20, p), np.full(3, 20.0))
    np.testing.assert_allclose(level, [5 * 0.02, 6 * 0.001, 1.0])


def test_holm_never_lets_a_weaker_claim_pass_a_stronger_one() -> None:
    level = holm(stdtrit(9, np.array([0.010, 0.0101, 0.2])), np.full(3, 9.0))
    assert level[0] == pytest.approx(0.06)
    assert level[1] == level[0]


def test_holm_leaves_pairs_without_a_standard_error_out() -> None:
    level = holm(np.array([np.nan, -3.0]), np.array([5.0, 5.0]))
    assert np.isnan(level[0])
    assert level[1] == pytest.approx(2 * stdtr(5, -3.0))


def test_differences_of_agents_that_share_all_blocks_are_paired() -> None:
    rng = np.random.default_rng(1)
    luck = rng.normal(0, 10, 40)
    values = np.stack([luck + rng.normal(0, 1, 40), luck + rng.normal(1, 1, 40)], axis=1)
    who, block = np.tile([0, 1], 40), np.repeat(np.arange(40), 2)
    t, df = differences(values.ravel(), who, block, 2)
    gap = values[:, 0] - values[:, 1]
    assert t[0, 1] == pytest.approx(gap.mean() / (gap.std(ddof=1) / np.sqrt(40)))
    assert t[1, 0] == -t[0, 1]
    assert df[0, 1] == 39


def test_differences_of_agents_that_share_none_add_their_variances() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(0, 1, 10), rng.normal(0, 3, 25)
    t, df = differences(np.concatenate([a, b]), np.repeat([0, 1], [10, 25]), np.arange(35), 2)
    assert t[0, 1] == pytest.approx((a.mean() - b.mean()) / np.sqrt(a.var(ddof=1) / 10 + b.var(ddof=1) / 25))
    assert df[0, 1] == 9


def test_a_range_goes_from_those_surely_ahead_to_those_surely_behind() -> None:
    t = np.array([[0.0, -9, -9, -9], [9, 0, -1, -9], [9, 1, 0, -9], [9, 9, 9, 0]])
    t[np.eye(4, dtype=bool)] = np.nan
    lo, hi = ranges(t, np.full((4, 4), 30.0), np.zeros(4, int), np.ones(4, bool))
    assert list(zip(lo, hi, strict=True)) == [(1, 1), (2, 3), (2, 3), (4, 4)]


def test_standings_and_pairs_say_what_is_sure() -> None:
    games, _ = tournament([("a", "b", "c", "d")], deals=60, skill={"a": -9, "d": 9}, out=0, base=200)
    table = standings(games).set_index("agent")
    assert table.loc[["a", "b", "c", "d"], "place_lo"].tolist() == [1, 2, 2, 4]
    assert table.loc[["a", "b", "c", "d"], "place_hi"].tolist() == [1, 3, 3, 4]
    pairs = pairwise(games).set_index(["agent", "opponent"])
    assert pairs.loc[("a", "b"), "mark"] == "ahead"
    assert pairs.loc[("b", "a"), "mark"] == "behind"
    assert pairs.loc[("b", "c"), "mark"] == ""
    assert pairs.loc[("b", "c"), "p"] == pairs.loc[("c", "b"), "p"] > 0.05


def test_H16_places_are_those_of_a_group_and_nobody_never_met_is_marked() -> None:
    games, _ = tournament([("A", "B"), ("C", "D")], deals=20, skill={"A": -30, "C": -60})
    table = standings(games)
    assert table["place_lo"].tolist() == table["place_hi"].tolist() == [1, 2, 1, 2]
    never = pairwise(games)
    never = never[never["note"] == "never met"]
    assert never["p"].isna().all()
    assert (never["mark"] == "").all()


def test_H12_one_block_leaves_every_place_open_and_no_block_has_none() -> None:
    games, _ = tournament([("a", "b", "c")], deals=1, labels=["a", "b", "c", "late"])
    table = standings(games).set_index("agent")
    assert table.loc[["a", "b", "c"], "place_lo"].tolist() == [1, 1, 1]
    assert table.loc[["a", "b", "c"], "place_hi"].tolist() == [3, 3, 3]
    assert table.loc["late", ["place_lo", "place_hi"]].isna().all()
    same = pd.concat([one_game(0, 50, deal=deal) for deal in range(5)])
    assert pairwise(same)["p"].isna().all()
    assert standings(same)["place_hi"].tolist() == [2, 2]


def test_the_order_of_blocks_moves_nothing() -> None:
    games, _ = tournament([("a", "b", "c"), ("b", "c", "d"), ("a", "c", "d")], deals=9, skill={"a": -4})
    blocks = block_numbers(games)
    shuffled = blocks.sample(frac=1, random_state=3).reset_index(drop=True)
    pd.testing.assert_frame_equal(standings_from(blocks), standings_from(shuffled), rtol=1e-12)
