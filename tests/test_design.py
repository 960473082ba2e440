"""The design effect, what common deals save, and the bootstrap beside the interval of the standings."""

import numpy as np
import pandas as pd
import pytest

from mtrain.stats.blocks import block_numbers
from mtrain.stats.estimates import QUANTITIES, bootstrap, design, standings
from tests.helpers.synthetic import one_game, tournament

LINEUP = [("a", "b", "c", "d")]


def test_the_design_of_four_games_by_hand() -> None:
    scores = {(0, 0): (10, 30), (0, 1): (14, 30), (1, 0): (20, 30), (1, 1): (24, 30)}
    games = [one_game(*s, deal=deal).assign(seating=np.int16(turn)) for (deal, turn), s in scores.items()]
    row = design(block_numbers(pd.concat(games, ignore_index=True))).iloc[0]
    diff = np.array([-20, -16, -10, -6])
    assert row["diff"] == diff.mean()
    assert (row["blocks"], row["games"]) == (2, 4)
    assert row["se_block"] == pytest.approx(np.std([-18, -8], ddof=1) / np.sqrt(2))
    assert row["se_naive"] == pytest.approx(diff.std(ddof=1) / 2)
    assert row["design_effect"] == pytest.approx((row["se_block"] / row["se_naive"]) ** 2)
    assert row["saved"] == pytest.approx(0)  # the others' 30 pips don't vary: common deals can save nothing


@pytest.mark.parametrize(("taste", "least", "most"), [(0.0, 0.5, 1.5), (12.0, 4.0, 24.0)])
def test_an_agents_taste_for_deals_makes_games_repeat_each_other(taste: float, least: float, most: float) -> None:
    games, _ = tournament(LINEUP, deals=80, n_rounds=1, taste_sd=taste, out=0, base=200)
    effect = design(block_numbers(games))["design_effect"].to_numpy(float)
    assert np.all((effect > least) & (effect < most))


def test_common_deals_save_what_a_deal_is_worth_to_everybody() -> None:
    games, _ = tournament(LINEUP, deals=80, n_rounds=1, deal_sd=25, taste_sd=1, out=0, base=300)
    assert (design(block_numbers(games))["saved"] > 0.9).all()


def test_H12_the_design_of_few_blocks_and_of_an_agent_alone() -> None:
    games, _ = tournament(LINEUP, deals=1)
    table = design(block_numbers(games))
    assert set(table["note"]) == {"needs 2 blocks"}
    assert table[["se_block", "se_naive", "design_effect", "saved"]].isna().all(axis=None)
    alone = design(block_numbers(tournament([("a", "a")], deals=4)[0]))
    assert alone["blocks"].tolist() == [0]
    assert alone["diff"].isna().all()
    same = design(block_numbers(pd.concat([one_game(0, 50, deal=deal) for deal in range(5)])))
    assert set(same["note"]) == {"no variance between blocks"}
    assert same["design_effect"].isna().all()


def test_the_bootstrap_stands_beside_the_interval_of_the_standings() -> None:
    games, rounds = tournament([("a", "b", "c"), ("b", "c", "d")], deals=40, skill={"a": -4})
    blocks = block_numbers(games, rounds)
    table, found = bootstrap(blocks), standings(games, rounds).set_index("agent")
    assert len(table) == 4 * len(QUANTITIES)
    for row in table.itertuples():
        assert row.value == found.loc[row.agent, row.quantity]
    sure = table[table["note"] == ""]
    assert len(sure) >= 4 * 7
    assert (sure["boot_lo"] < sure["value"]).all()
    assert (sure["boot_hi"] > sure["value"]).all()
    ratio = ((sure["boot_hi"] - sure["boot_lo"]) / (sure["hi"] - sure["lo"])).to_numpy(float)
    assert np.all((ratio > 0.75) & (ratio < 1.4))


def test_the_bootstrap_is_the_same_whatever_the_order_of_blocks() -> None:
    games, rounds = tournament([("a", "b", "c"), ("b", "c", "d")], deals=20)
    blocks = block_numbers(games, rounds)
    shuffled = blocks.sample(frac=1, random_state=3).reset_index(drop=True)
    pd.testing.assert_frame_equal(bootstrap(blocks), bootstrap(blocks), check_exact=True)
    pd.testing.assert_frame_equal(bootstrap(blocks), bootstrap(shuffled), rtol=1e-9)


def test_H12_the_bootstrap_says_where_it_has_no_interval() -> None:
    won = pd.concat([one_game(50, 0 if deal else 60, deal=deal) for deal in range(8)])
    table = bootstrap(block_numbers(won)).set_index(["agent", "quantity"])
    assert table.loc[("a", "win"), "note"] == "too few blocks differ to draw them again"
    assert table.loc[("a", "win"), ["boot_lo", "boot_hi"]].isna().all()
    assert table.loc[("a", "win"), ["lo", "hi"]].notna().all()
    assert table.loc[("a", "pips"), "note"] == "no variance between blocks"
    assert bootstrap(block_numbers(won[won["deal"] == 0]))["note"].isin(["needs 2 blocks"]).all()
