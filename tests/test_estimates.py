"""Estimates: one number a block, intervals over blocks."""

import numpy as np
import pandas as pd
import pytest

from mtrain.report.sections import SECTIONS
from mtrain.stats import tables
from mtrain.stats.blocks import block_numbers, merged, mid_ranks, pair_numbers
from mtrain.stats.effects import offset_numbers, seat_numbers
from mtrain.stats.estimates import (
    bootstrap,
    by_round,
    design,
    neighbours,
    pairwise,
    scores,
    seats,
    seats_from,
    standings,
    standings_from,
)
from mtrain.stats.intervals import estimate, estimate_share
from mtrain.stats.tables import ResultsError
from tests.helpers.synthetic import one_game, tournament

# --- one number a block


def test_H18_ties_for_first_low_wins():
    b = block_numbers(one_game(10, 10, 30, 50))
    np.testing.assert_allclose(b["diff"], [-20, -20, 6.67, 33.33], atol=0.005)
    assert list(b["win"]) == [0.5, 0.5, 0, 0]
    assert list(b["rank"]) == [1.5, 1.5, 3, 4]
    assert list(b["round_wins"]) == [0.5, 0.5, 0, 0]
    assert b["win"].sum() == 1


def test_pips_and_going_out_are_per_seat_held():
    games, rounds = tournament([("a", "b", "b")], deals=6)
    table = standings(games, rounds).set_index("agent")
    for agent, rows in rounds.groupby("agent", observed=True):
        pips = rows["pips"]
        found = table.loc[agent, ["pips", "score", "out", "zero", "heavy"]].astype(float)
        true = [pips.mean(), 3 * pips.mean(), rows["went_out"].mean(), (pips == 0).mean(), (pips >= 100).mean()]
        np.testing.assert_allclose(found, true)
    assert table[["pips_lo", "score_lo", "out_lo", "zero_lo"]].notna().all(axis=None)
    assert standings(games)["out"].isna().all()
    assert not standings(games)["note"].str.contains("out").any()
    with pytest.raises(ResultsError, match="other games than the table of games"):
        standings(games, rounds[rounds["deal"] > 0])


@pytest.mark.parametrize(
    ("ranks", "mid"),
    [
        ((1, 2, 3, 4), (1, 2, 3, 4)),
        ((1, 1, 3, 4), (1.5, 1.5, 3, 4)),
        ((1, 2, 2, 2), (1, 3, 3, 3)),
        ((1,) * 4, (2.5,) * 4),
    ],
)
def test_mid_ranks_average_ties(ranks, mid):
    assert tuple(mid_ranks(np.array([ranks]))[0]) == mid


def test_diff_is_in_pips_per_round():
    games = one_game(130, 0, rounds=13)
    assert list(block_numbers(games)["diff"]) == [10, -10]
    assert list(pair_numbers(games)["diff"]) == [10, -10]
    assert list(seat_numbers(games)["diff"]) == [5, -5]


def test_an_agent_in_two_seats_is_measured_against_the_other_agents_only():
    b = block_numbers(one_game(10, 20, 30, 50, agents="aabb")).set_index("agent")
    assert b.loc["a", "diff"] == 15 - 40
    assert b.loc["a", "win"] == 0.5  # one win over two seats held
    assert b.loc["a", "rank"] == 1.5
    pairs = pair_numbers(one_game(10, 40, 30, 50, agents="aabb")).set_index("agent")
    assert pairs.loc["a", "diff"] == 25 - 40
    assert pairs.loc["a", "share"] == 0.75


def test_pairs_are_the_mirror_of_each_other():
    games, _ = tournament([("a", "b", "c", "d"), ("a", "a", "b", "c")], deals=4)
    pairs = (
        pair_numbers(games).astype({"agent": str, "opponent": str}).set_index(["match", "deal", "agent", "opponent"])
    )
    mirror = pairs.reorder_levels([0, 1, 3, 2]).reindex(pairs.index)
    np.testing.assert_allclose(pairs["diff"], -mirror["diff"], atol=1e-12)
    np.testing.assert_allclose(pairs["share"], 1 - mirror["share"], atol=1e-12)


def test_any_order_of_rows_gives_the_same_numbers():
    games, rounds = tournament([("a", "b", "c"), ("b", "c", "d")], deals=6)
    for numbers_of, frame in ((block_numbers, games), (pair_numbers, games), (offset_numbers, rounds)):
        pd.testing.assert_frame_equal(numbers_of(frame), numbers_of(frame.sample(frac=1, random_state=5)))


def test_block_numbers_of_parts_concatenate_to_those_of_the_whole():
    games, _ = tournament([("a", "b", "c", "d")], deals=9)
    parts = [block_numbers(games[games["deal"] % 3 == k]) for k in range(3)]
    whole = standings_from(block_numbers(games))
    pd.testing.assert_frame_equal(standings_from(merged(parts)), whole, check_exact=False, rtol=1e-12)


def test_H07_a_game_twice_is_named():
    games, _ = tournament([("a", "b")], deals=3)
    again = pd.concat([games, games[(games["deal"] == 1) & (games["seating"] == 0)]])
    with pytest.raises(ResultsError, match="match 0, deal 1, seating 0 is there twice"):
        block_numbers(again)
    b = block_numbers(games)
    with pytest.raises(ResultsError, match=r"block \(match 0, deal 2\) is there twice"):
        standings_from(pd.concat([b, b[b["deal"] == 2]], ignore_index=True))


def test_a_seat_missing_is_named():
    games, _ = tournament([("a", "b", "c")], deals=3)
    with pytest.raises(ResultsError, match="match 0, deal 1, seating 2 has 2 seats at a table of 3"):
        block_numbers(games[~((games["deal"] == 1) & (games["seating"] == 2) & (games["seat"] == 0))])


def test_a_block_with_changing_agents_is_refused():
    a, b = one_game(1, 2), one_game(1, 2, agents="ac")
    with pytest.raises(ResultsError, match="differ from game to game"):
        block_numbers(pd.concat([a, b.assign(seating=1)]))


def test_H19_two_table_sizes_are_never_pooled():
    two, four = tournament([("a", "b")], deals=3)[0], tournament([("a", "b", "c", "d")], deals=3)[0]
    with pytest.raises(ResultsError):
        standings(pd.concat([two, four.assign(match=1)], ignore_index=True))
    with pytest.raises(ResultsError, match="2 and of 4 seats"):
        standings_from(merged([block_numbers(two), block_numbers(four.assign(match=1))]))


# --- intervals


def test_the_interval_is_students_t():
    e = estimate(np.array([1.0, 2, 3, 4, 10]), np.zeros(5, int), 1)
    assert e.mean[0] == 4
    np.testing.assert_allclose(e.hi[0] - 4, 2.7764451 * np.sqrt(12.5 / 5), rtol=1e-6)


def test_the_interval_of_a_share_is_wilsons_where_games_are_independent():
    values = np.array([1.0, 0, 0, 0, 0, 0, 0, 0, 0, 1] * 100)  # 200 of 1000
    e = estimate_share(values, np.zeros(1000, int), 1)
    np.testing.assert_allclose([e.lo[0], e.hi[0]], [0.1763771, 0.2259190], atol=2e-4)  # Wilson, z = 1.96


def test_H12_no_block_one_block():
    games, _ = tournament([("a", "b")], deals=1, labels=["a", "b", "late"])
    table = standings(games).set_index("agent")
    assert table.loc["late", "blocks"] == 0
    assert table.loc["late", ["diff", "win", "rating", "diff_lo"]].isna().all()
    assert table.loc["a", ["diff_lo", "diff_hi", "win_lo", "rank_hi", "rating_lo", "round_wins_hi"]].isna().all()
    assert table.loc["a", ["diff", "win", "rank_mean", "rating"]].notna().all()
    assert list(table["note"]) == ["needs 2 blocks"] * 3
    empty = standings(games.iloc[:0])
    assert list(empty["blocks"]) == [0, 0, 0]
    assert set(empty["note"]) == {"needs 2 blocks"}
    assert len(standings(games.iloc[:0].astype({"agent": str}))) == 0


def test_H12_all_wins_and_zero_variance():
    won = pd.concat([one_game(0, 50 + deal, deal=deal) for deal in range(5)])
    table = standings(won).set_index("agent")
    assert table.loc["a", "win"] == 1
    assert table[["win_lo", "win_hi", "rank_lo", "rank_hi"]].isna().all(axis=None)
    assert table.loc["a", "diff_lo"] < -52 < table.loc["a", "diff_hi"]
    assert table.loc["a", "note"] == (
        "win, rank mean, round wins, pips, score: no variance between blocks; "
        "rating: never finished behind another agent: held by the ridge"
    )
    same = pairwise(pd.concat([one_game(0, 50, deal=deal) for deal in range(5)]))
    assert same[["lo", "hi", "share_lo", "share_hi"]].isna().all(axis=None)
    assert set(same["note"]) == {"no variance between blocks"}


@pytest.mark.parametrize("seed", range(3))
def test_H12_no_inf_no_nan_and_bounded_shares(seed):
    games, rounds = tournament([("a", "b", "c", "d")], deals=2, seed=seed, skill={"a": -60})
    for table in (standings(games), pairwise(games), seats(games, rounds), by_round(rounds), scores(rounds)):
        for column in table.select_dtypes("Float64"):
            assert np.isfinite(table[column].dropna().to_numpy(float)).all()
    table = standings(games)
    for low, high, least, most in (("win_lo", "win_hi", 0, 1), ("rank_lo", "rank_hi", 1, 4)):
        assert (table[low].dropna() >= least).all()
        assert (table[high].dropna() <= most).all()


# --- standings and the rest


def test_known_offsets_are_found():
    skill = {"a": -6, "b": 0, "c": 2, "d": 4}
    games, _ = tournament([("a", "b", "c", "d")], deals=60, skill=skill, out=0, base=200)
    table = standings(games).set_index("agent")
    assert list(table.index) == ["a", "b", "c", "d"]
    for agent, worth in skill.items():
        assert table.loc[agent, "diff_lo"] < worth - (sum(skill.values()) - worth) / 3 < table.loc[agent, "diff_hi"]
    assert table["win"].sum() == pytest.approx(1)
    assert table["rank_mean"].mean() == pytest.approx(2.5)
    assert (table["blocks"] == 60).all()
    assert (table["games"] == 60 * 24).all()


def test_blocks_of_several_lineups_count_once_each():
    games, _ = tournament([("a", "b", "c"), ("a", "b", "d")], deals=7)
    table = standings(games).set_index("agent")
    assert list(table.loc[["a", "b", "c", "d"], "blocks"]) == [14, 14, 7, 7]
    b = block_numbers(games)
    assert table.loc["a", "diff"] == pytest.approx(b[b["agent"] == "a"]["diff"].mean())


def test_H16_groups_that_never_met_are_ranked_apart():
    games, _ = tournament([("A", "B"), ("C", "D")], deals=20, skill={"A": -30, "C": -60})
    table = standings(games)
    assert list(table["agent"]) == ["A", "B", "C", "D"]
    assert list(table["note"].str.extract(r"(group \d)")[0]) == ["group 1", "group 1", "group 2", "group 2"]
    pairs = pairwise(games).set_index(["agent", "opponent"])
    assert pairs.loc[("A", "C"), "note"] == "never met"
    assert pairs.loc[("A", "C"), ["diff", "share"]].isna().all()


def test_H17_an_agent_alone_feeds_no_strength():
    games, rounds = tournament([("A", "A", "A", "A")], deals=40)
    row = standings(games).iloc[0]
    assert row["note"] == "no other agent at the table"
    assert row[["diff", "win", "rank_mean", "rating", "round_wins"]].isna().all()
    assert (row["blocks"], row["games"]) == (40, 40)
    table = seats(games, rounds)
    assert len(table) == 8
    assert ((table["win_lo"] < 0.25) & (table["win_hi"] > 0.25)).mean() > 0.7
    with_b, _ = tournament([("A", "A", "B", "B"), ("A", "A", "A", "A")], deals=10)
    mixed, only = standings(with_b).set_index("agent"), standings(with_b[with_b["match"] == 0]).set_index("agent")
    assert mixed.loc["A", "diff"] == only.loc["A", "diff"]
    assert mixed.loc["A", "win"] == only.loc["A", "win"]
    assert mixed.loc["A", "rating"] == pytest.approx(only.loc["A", "rating"], abs=1e-9)
    assert mixed.loc["A", "note"] == "10 blocks without another agent are left out"


def test_H20_the_seat_effect_and_the_starters_have_intervals():
    games, rounds = tournament([("a", "b", "c", "d")], deals=80, seat_effect=[-3, 0, 0, 3], out=0, base=200)
    table = seats(games, rounds).set_index(["effect", "value"])
    for seat, effect in enumerate([-3, 0, 0, 3]):
        row = table.loc[("seat", seat)]
        assert row["lo"] < effect < row["hi"]
        assert row["hi"] - row["lo"] < 2
    offsets = table.loc["starter offset"]
    assert (offsets["blocks"] == 80).all()
    assert (offsets["lo"] < 0).sum() + (offsets["hi"] > 0).sum() >= 6
    assert offsets["diff"].sum() == pytest.approx(0, abs=1e-9)
    assert table.loc["seat"]["win"].sum() == pytest.approx(1)


def test_starter_offsets_are_counted_from_the_starter():
    rounds = pd.concat([one_game(9, 3, 0).assign(round=1, starter=1), one_game(9, 3, 0).assign(round=2, starter=0)])
    effects = offset_numbers(rounds.assign(pips=rounds["score"])).set_index("value")
    np.testing.assert_allclose(effects["diff"], [(3 + 9) / 2 - 4, (0 + 3) / 2 - 4, (9 + 0) / 2 - 4])
    assert list(effects["win"]) == [0, 0.5, 0.5]


def test_H21_copies_cover_a_share_of_one_nth_and_no_pips():
    copies = ("bot@1", "bot@2", "bot@3", "bot@4")
    hits = []
    for seed in range(15):
        games, _ = tournament([copies], deals=40, seed=seed, kind="rotate")
        table = standings(games)
        hits += list((table["win_lo"] < 0.25) & (table["win_hi"] > 0.25))
        hits += list((table["diff_lo"] < 0) & (table["diff_hi"] > 0))
    assert np.mean(hits) > 0.88


def test_H25_two_labels_of_one_bot_stay_two_rows():
    games, _ = tournament([("greedy", "slow@greedy:ties=own")], deals=5)
    assert sorted(standings(games)["agent"]) == ["greedy", "slow@greedy:ties=own"]
    assert len(pairwise(games)) == 2


def test_H13_every_effect_carries_its_unit():
    for section in SECTIONS:
        for column in section.table.columns:
            assert column.dtype != "Float64" or column.unit or column.name == "setting", (section.name, column.name)
    assert tables.STANDINGS["diff"].unit == "pips/round"
    assert tables.STANDINGS.schema.field("win").metadata[b"unit"] == b"win share"


def test_a_running_tournament_shows_standings_without_ratings():
    games, _ = tournament([("a", "b")], deals=4)
    table = standings_from(block_numbers(games))
    assert table["rating"].isna().all()
    assert table["diff_lo"].notna().all()
    assert set(table["note"]) == {""}


def test_scores_and_rounds_by_agent():
    _, rounds = tournament([("a", "b")], deals=20, n_rounds=4)
    table = scores(rounds)
    assert table.groupby("agent")["share"].sum().tolist() == pytest.approx([1, 1])
    at_zero = rounds[rounds["agent"] == "a"]["pips"].eq(0).mean()
    assert table[(table["agent"] == "a") & (table["pips"] == 0)]["share"].iloc[0] == pytest.approx(at_zero)
    by = by_round(rounds)
    assert list(by["round"]) == [1, 2, 3, 4] * 2
    mean = rounds[(rounds["agent"] == "b") & (rounds["round"] == 3)]["pips"].mean()
    assert by[(by["agent"] == "b") & (by["round"] == 3)]["pips"].iloc[0] == pytest.approx(mean)


def test_seat_numbers_of_ten_seats():
    games, rounds = tournament([tuple("abcdefghij")], deals=3, kind="rotate")
    table = seats_from(merged([seat_numbers(games), offset_numbers(rounds)]))
    assert len(table) == 20
    assert len(pairwise(games)) == 90
    assert standings(games)["rank_mean"].mean() == pytest.approx(5.5)


@pytest.mark.parametrize("labels", [["a", "b", "c"], []])
def test_H12_tables_of_no_game_at_all_have_notes_and_no_numbers(labels):
    games, rounds = (table.iloc[:0] for table in tournament([("a", "b", "c")], deals=2))
    games, rounds = (t.assign(agent=t["agent"].cat.set_categories(labels)) for t in (games, rounds))
    blocks = block_numbers(games, rounds)
    for table in (
        standings_from(blocks), pairwise(games), neighbours(games), design(blocks), bootstrap(blocks),
    ):  # fmt: skip
        assert (len(table) > 0) == bool(labels)
        assert (table["note"] != "").all()
        for column in table.select_dtypes("Float64"):
            assert table[column].isna().all()
    assert len(seats(games, rounds)) == len(by_round(rounds)) == len(scores(rounds)) == 0
