"""Results: directories read, checked and reported."""

import hashlib
import json
import shutil

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from mtrain.report.page import report
from mtrain.report.sheet import sheet
from mtrain.stats import files, tables
from mtrain.stats.blocks import split
from mtrain.stats.checks import check
from mtrain.stats.manifest import FORMAT, Manifest, read_manifest
from mtrain.stats.results import read
from mtrain.stats.tables import ResultsError
from tests.helpers.program import HERE
from tests.helpers.synthetic import store, tournament

LINEUPS = [("greedy", "random", "mc:worlds=4"), ("greedy", "random", "double-holder")]


@pytest.fixture(scope="module")
def played():
    return tournament(LINEUPS, deals=8, skill={"greedy": -5})


@pytest.fixture
def folder(tmp_path, played):
    return store(tmp_path / "run", *played)


def test_a_manifest_key_and_columns_that_are_kept_no_more_are_passed_over(tmp_path, folder, played):
    old = store(tmp_path / "old", *played, control={"dealt_pips": 120.0})
    for path in (old / "rounds.parquet").iterdir():
        rows = pq.read_table(path)
        pq.write_table(rows.append_column("dealt", rows["pips"]).append_column("doubles", rows["pips"]), path)
    pd.testing.assert_frame_equal(read(old).rounds, read(folder).rounds)
    pd.testing.assert_frame_equal(read(old).standings, read(folder).standings)


def digests(paths):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


# --- tables and files


def test_every_table_survives_a_file(tmp_path, played):
    games, rounds = played
    labels = list(games["agent"].cat.categories)
    for table, rows in ((tables.GAMES, games), (tables.ROUNDS, rounds)):
        path = files.write(table, rows, tmp_path / f"{table.name}.parquet")
        pd.testing.assert_frame_equal(files.read(table, [path], labels=labels), rows)
        assert pq.read_schema(path).names == list(table.names)
    standings = read(store(tmp_path / "run", games, rounds)).standings
    path = files.write(tables.STANDINGS, standings, tmp_path / "standings.parquet")
    pd.testing.assert_frame_equal(files.read(tables.STANDINGS, [path]), standings)


def test_H12_absent_numbers_are_null_in_the_file(tmp_path):
    folder = store(tmp_path / "run", *tournament([("a", "b")], deals=1), parts=1)
    report(folder)
    column = pq.read_table(folder / "standings.parquet").column("diff_lo")
    assert column.null_count == len(column) == 2
    assert pd.read_parquet(folder / "standings.parquet")["note"].tolist() == ["needs 2 blocks"] * 2
    assert (read(folder).standings["diff_lo"].array == tables.nullable([np.nan, np.nan])).isna().all()


def test_a_column_that_came_later_than_a_file_is_null_and_shown_so_and_one_that_is_gone_is_passed_over(tmp_path):
    later = [tables.Column("far", "int16", "…"), tables.Column("sure", "bool", "…"), tables.Column("word", "str", "…")]
    later += [*tables.interval("worth", "…", "pips/round"), tables.Column("kind", "category", "…", choices=("a", "b"))]
    now = tables.Table("some", "row", ("n",), (tables.Column("n", "int32", "…"), *later))
    old = tables.Table("some", "row", ("n",), (*now.columns[:1], tables.Column("gone", "Float64", "…")))
    path = files.write(old, tables.frame(old, {"n": [1, 2], "gone": [0.5, 1]}), tmp_path / "some.parquet")
    kept = files.read(now, [path])
    assert kept["n"].tolist() == [1, 2]
    assert list(kept) == list(now.names)
    assert kept[[column.name for column in later]].isna().all(axis=None)
    assert [str(kept[column.name].dtype) for column in later[:4]] == ["Int16", "boolean", "str", "Float64"]
    shown = sheet(now, kept)
    assert [[cell.text for cell in row] for row in shown.rows] == [["1", *["n/a"] * 5], ["2", *["n/a"] * 5]]
    again = files.write(now, kept, tmp_path / "again.parquet")
    pd.testing.assert_frame_equal(files.read(now, [again]), kept)
    both = files.read(now, [path, files.write(now, full(now), tmp_path / "full.parquet")])
    assert both["far"].tolist() == [pd.NA, pd.NA, 7]
    with pytest.raises(ResultsError, match="lacks the column 'n' of table 'some'"):
        files.read(now, [files.write(old_of(old), full(old_of(old)), tmp_path / "less.parquet")])


def full(table):
    """One row of a table, nothing in it null."""
    values = {"bool": [True], "str": ["x"], "category": ["a"]}
    return tables.frame(table, {column.name: values.get(column.dtype, [7]) for column in table.columns})


def old_of(table):
    """A table without what tells its rows apart."""
    return tables.Table(table.name, table.row, (), table.columns[1:])


def test_kept_tables_alone_are_read_though_a_column_came_later(tmp_path, played):
    folder = store(tmp_path / "run", *played)
    report(folder)
    whole = read(folder).standings
    for name in ("standings", "pairwise"):
        path = folder / f"{name}.parquet"
        pq.write_table(pq.read_table(path).drop_columns([pq.read_schema(path).names[5]]), path)
    pd.testing.assert_frame_equal(read(folder).standings, whole)  # the games are there: it is made of them
    for name in ("rounds", "games"):
        shutil.rmtree(folder / f"{name}.parquet")
    kept = read(folder).standings
    gone = list(kept)[5]
    assert kept[gone].isna().all()
    pd.testing.assert_frame_equal(kept.drop(columns=gone), whole.drop(columns=gone))


def test_codes_stand_for_labels():
    data = {name: np.zeros(3, int) for name in tables.GAMES.names} | {"agent": np.array([1, 0, 1], np.int8)}
    frame = tables.frame(tables.GAMES, data, ["x", "y"])
    assert list(frame["agent"]) == ["y", "x", "y"]
    assert {c.name: str(frame[c.name].dtype) for c in tables.GAMES.columns} == {
        c.name: c.dtype for c in tables.GAMES.columns
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"score": np.array([2**40])}, "column 'score' of table 'games' holds 1099511627776"),
        ({"rank": np.array([1.5])}, "no whole number"),
        ({"agent": np.array([7])}, "code 7"),
        ({"agent": ["greddy"]}, "'greddy', which is none of greedy"),
        ({"colour": [1]}, "no place for a column 'colour'"),
    ],
)
def test_what_does_not_fit_a_table_is_refused(change, message):
    data = {name: np.zeros(1, int) for name in tables.GAMES.names} | change
    with pytest.raises(ResultsError, match=message):
        tables.frame(tables.GAMES, data, ["greedy"])


# --- reading


def test_frames_come_in_one_order(folder, played):
    results = read(folder)
    for frame, key in ((results.games, tables.GAMES.key), (results.rounds, tables.ROUNDS.key)):
        pd.testing.assert_frame_equal(frame, frame.sort_values(list(key)).reset_index(drop=True))
    order = list(tables.GAMES.key)
    pd.testing.assert_frame_equal(results.games, played[0].sort_values(order).reset_index(drop=True))
    assert results.labels == ["greedy", "random", "mc:worlds=4", "double-holder"]
    assert results.title == "run"


def test_derived_tables_are_made_where_missing_and_read_where_not(folder):
    made = read(folder).standings
    report(folder)
    pd.testing.assert_frame_equal(read(folder).standings, made)
    files.write(tables.STANDINGS, made.assign(note="from the file"), folder / "standings.parquet")
    assert set(read(folder).standings["note"]) == {"from the file"}
    assert "from the file" not in set(read(folder, fresh=True).standings["note"])
    assert len(read(folder).pairwise) == 12
    assert read(folder).pairwise["note"].eq("never met").sum() == 2


def test_timing_is_read_never_made(folder):
    with pytest.raises(ResultsError, match=r"no timing\.parquet"):
        _ = read(folder).timing
    data = {"agent": ["greedy"], "decisions": [5], "us_per_decision": [1.5], "p95": [None]}
    files.write(tables.TIMING, tables.frame(tables.TIMING, data), folder / "timing.parquet")
    assert read(folder).timing["p95"].isna().all()


def test_what_is_missing_is_said_in_one_sentence(tmp_path, folder):
    with pytest.raises(ResultsError, match="no directory"):
        read(tmp_path / "nowhere")
    with pytest.raises(ResultsError, match=r"has no manifest\.json"):
        read(tmp_path)
    (tmp_path / "manifest.json").write_text("{")
    with pytest.raises(ResultsError, match="is not JSON"):
        read(tmp_path)
    (tmp_path / "manifest.json").write_text("[]")
    with pytest.raises(ResultsError, match="doesn't name its agents"):
        read(tmp_path)
    known = {"agents": {"a": "a"}, "format": FORMAT, "players": 2, "seed": 1, "rules": {}}
    for wrong, said in (
        ({"format": "mtrain-results/7"}, "has the format 'mtrain-results/7', and this mtrain reads"),
        ({"format": None}, "has the format None"),
        ({"seed": "x"}, "seed is a whole number, not 'x'"),
        ({"players": True}, "players is a whole number, not True"),
        ({"rules": None}, "rules is a table of fields, not None"),
    ):
        (tmp_path / "manifest.json").write_text(json.dumps(known | wrong))
        with pytest.raises(ResultsError, match=said):
            read(tmp_path)
    (tmp_path / "manifest.json").write_text(json.dumps(known))
    with pytest.raises(ResultsError, match=r"has no folder rounds\.parquet"):
        read(tmp_path)
    (tmp_path / "rounds.parquet").mkdir()
    (tmp_path / "games.parquet").mkdir()
    with pytest.raises(ResultsError, match="no finished game yet"):
        report(tmp_path)
    assert len(read(tmp_path).games) == 0
    torn = folder / "games.parquet" / "part-00000.parquet"
    torn.write_bytes(torn.read_bytes()[:100])
    with pytest.raises(ResultsError, match=r"part-00000\.parquet can't be read") as torn_part:
        _ = read(folder).standings
    assert "\n" not in str(torn_part.value)


def test_a_part_without_its_twin_waits_and_is_named(folder):
    (folder / "rounds.parquet" / "part-00001.parquet").rename(folder / "rounds.parquet" / "part-00001.parquet.tmp")
    results = read(folder)
    assert set(results.games["deal"] % 2) == {0}
    assert results.warnings == ["games.parquet/part-00001.parquet has no twin and is left out"]
    assert sorted(results.standings["blocks"]) == [4, 4, 8, 8]


# --- checks


def test_a_good_run_passes(played):
    assert check(*played) == []
    assert check(*(frame.sample(frac=1, random_state=1) for frame in played), players=3) == []


def test_H07_a_game_in_two_parts_stops_the_merge(folder):
    for table in ("games", "rounds"):
        part = folder / f"{table}.parquet" / "part-00000.parquet"
        (part.parent / "part-00002.parquet").write_bytes(part.read_bytes())
    with pytest.raises(ResultsError, match=r"block \(match 0, deal 0\) is there twice"):
        _ = read(folder).standings


def test_H07_a_game_twice_is_named(played):
    games, rounds = played
    again = (games["match"] == 1) & (games["deal"] == 2) & (games["seating"] == 3)
    with pytest.raises(ResultsError, match="match 1, deal 2, seating 3 is there twice"):
        check(pd.concat([games, games[again]]), rounds)


def wrong(column, row, value):
    def change(games, rounds):
        games = games.copy()
        games.loc[row, column] = value
        return games, rounds

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (wrong("win", 0, 0.7), "match 0, deal 0, seating 0 doesn't split one win"),
        (wrong("rank", 3, 3), "seating 1 (has impossible ranks|ranks a higher)"),
        (wrong("score", 6, 9999), "seating 2 (has a score|ranks a higher)"),
        (wrong("rounds_won", 0, 9), "sum of rounds won"),
        (wrong("rounds", 0, 9), "counts its rounds differently"),
        (
            lambda g, r: (g, r[~((r["round"] == 2) & (r["deal"] == 4))]),
            "deal 4, seating 0 has another number of rounds",
        ),
        (lambda g, r: (g[g["deal"] != 3], r), "deal 3, seating 0 has rounds but is not among the games"),
        (lambda g, r: (g, r.assign(pips=r["pips"] + 1)), "isn't the sum of its rounds"),
        (lambda g, r: (g, r.assign(went_out=False)), "end is not what its seats say"),
    ],
)
def test_sums_are_held(played, change, message):
    with pytest.raises(ResultsError, match=message):
        check(*change(*played))


def test_a_table_of_another_size_is_refused(played):
    with pytest.raises(ResultsError, match="has 3 seats at a table of 4"):
        check(*played, players=4)


def test_H20_each_agent_equally_often_in_each_seat(played):
    games, rounds = played
    kept = [~((frame["deal"] == 5) & (frame["seating"] == 1) & (frame["match"] == 0)) for frame in played]
    with pytest.raises(ResultsError, match="'greedy' of match 0 was not equally often in each seat: 15, 16, 16 games"):
        check(games[kept[0]], rounds[kept[1]])
    favoured = games["seat"].where(games["agent"] == "greedy").groupby(games["game"]).transform("max")
    with pytest.raises(ResultsError, match="'greedy' of match 0 was first starter in 48 games, not in 16"):
        check(games.assign(starter=favoured), rounds)


@pytest.mark.parametrize("column", ["pips", "draws", "passes", "plays", "went_out"])
def test_H38_a_constant_column_is_a_warning(column):
    games, rounds = tournament([("a", "b")], deals=30)
    if column == "pips":
        games, rounds = tournament([("a", "b")], deals=30, out=0, score=lambda match, deal, seating, agents: (5, 5))
    elif column == "went_out":
        games, rounds = tournament([("a", "b")], deals=30, out=0)
    else:
        rounds = rounds.assign(**{column: 7})
    warnings = check(games, rounds)
    assert any(w.startswith(f"{column} is ") and w.endswith("in all 360 rows of the rounds") for w in warnings)
    assert check(games[games["deal"] < 4], rounds[rounds["deal"] < 4]) == []


def test_H38_no_play_on_the_own_train(played):
    games, rounds = played
    assert check(games, rounds.assign(plays_own=0)) == ["plays_own/plays is 0 in all 864 rows of the rounds"]


# --- the report


def test_a_derived_table_of_older_columns_is_made_again(folder):
    made = read(folder).standings
    report(folder)
    old = pq.read_table(folder / "standings.parquet").drop_columns(["place_lo", "place_hi"])
    pq.write_table(old, folder / "standings.parquet")
    pd.testing.assert_frame_equal(read(folder).standings, made)


def test_the_report_is_made_from_parts_alone_and_twice_the_same(folder):
    first = report(folder)
    assert [path.relative_to(folder).as_posix() for path in first[:8]] == [
        "standings.parquet",
        "pairwise.parquet",
        "seats.parquet",
        "neighbours.parquet",
        "design.parquet",
        "bootstrap.parquet",
        "figures/standings.png",
        "figures/standings.svg",
    ]
    before = digests(first)
    for path in first:
        path.unlink()
    assert digests(report(folder)) == before
    assert digests(report(folder)) == before
    assert not list(folder.rglob("*.tmp"))


def test_the_number_of_parts_does_not_matter(tmp_path, played):
    one, many = (read(store(tmp_path / str(parts), *played, parts=parts)) for parts in (1, 4))
    for name in (
        "standings",
        "pairwise",
        "seats",
        "by_round",
        "scores",
        "ratings",
        "neighbours",
        "design",
        "bootstrap",
    ):
        pd.testing.assert_frame_equal(getattr(one, name), getattr(many, name), rtol=1e-12)


def test_a_part_is_worked_on_in_pieces_of_whole_blocks(played):
    games, rounds = played
    pieces = list(split(games, rounds, 100))
    assert len(pieces) > 5
    pd.testing.assert_frame_equal(pd.concat([g for g, _ in pieces]), games, check_index_type=False)
    pd.testing.assert_frame_equal(pd.concat([r for _, r in pieces]), rounds, check_index_type=False)
    for g, r in pieces:
        assert check(g, r) == []


def test_a_manifest_is_given_back_as_it_was_read_and_what_it_lacks_has_its_default():
    said = {"seed": 3, "agents": {"a": "a"}, "of long ago": [1, {"b": 2}], "finished": False}
    manifest = Manifest.of(said)
    assert (manifest.seed, manifest.lineups, manifest.games, manifest.finished) == (3, (), None, False)
    assert list(manifest.to_json().items()) == list(said.items())
    changed = manifest.but(finished=True, seconds=2.0)
    assert list(changed.to_json().items()) == [*(said | {"finished": True}).items(), ("seconds", 2.0)]
    assert changed.without("seconds") == manifest.but(finished=True)


@pytest.mark.parametrize("path", sorted((HERE / "results").rglob("manifest.json")), ids=lambda path: path.parent.name)
def test_every_kept_manifest_has_the_bytes_it_was_read_from(path):
    assert read_manifest(path.parent).to_bytes() == path.read_bytes()
