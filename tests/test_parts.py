"""Experiments with parts: one question at several tables, checked whole before anything is played."""

import json
from pathlib import Path

import pandas as pd
import pytest

import mtrain as m
from mtrain.arena.experiment import ExperimentError, read_experiment
from mtrain.errors import UsageError
from mtrain.report.page import report
from mtrain.stats import files, tables
from mtrain.stats.parts import read_parts
from mtrain.stats.tables import ResultsError
from tests.helpers.program import mtrain, run_unread

TOP = 'question = "Where?"\nagents = ["greedy", "random", "b@random"]\nfocus = "greedy"\ndeals = 3\nseed = 1\n'
SMALL = TOP + (
    '[set]\nrounds = 1\n[[part]]\nname = "two"\nplayers = 2\n[[part]]\nname = "tiles"\nrules = "cardinal"\nseed = 5\n'
    '[[part]]\nname = "listed"\nquestion = "And here?"\nlineups = [["greedy", "random", "b", "b"]]\ngames = 13\n'
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "where.toml"
    path.write_text(SMALL, encoding="utf-8")
    return path


def test_a_part_is_the_top_with_its_own_keys_instead(file: Path) -> None:
    parts = read_experiment(file).parts
    assert list(parts) == ["two", "tiles", "listed"]
    assert [(t.players, t.seed, t.kind, t.rules.scoring) for t in parts.values()] == [
        (2, 1, "gauntlet", "pips"),
        (4, 5, "gauntlet", "tiles"),
        (4, 1, "lineups", "pips"),
    ]
    assert {t.rules.rounds for t in parts.values()} == {1}
    assert [t.title for t in parts.values()] == ["Where? · two", "Where? · tiles", "And here?"]
    assert parts["two"].deals == parts["tiles"].deals == 3
    assert parts["listed"].schedule.n_games == 24  # two blocks of twelve hold 13 games


def test_the_parts_are_the_tournaments_played_alone(tmp_path: Path, file: Path) -> None:
    ran = mtrain("run", str(file), "--out", "o", "--jobs", "1", "--quiet", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert all(title in ran.stdout for title in ("Where? · two", "Where? · tiles", "And here?"))
    alone = m.tournament(["greedy", "random", "b@random"], focus="greedy", players=2, deals=3, seed=1, rounds=1, jobs=1)
    pd.testing.assert_frame_equal(m.read(tmp_path / "o" / "two").rounds, alone.rounds)
    parts = m.read_parts(tmp_path / "o")
    assert parts.unit == "pips or tiles"
    stored = files.read(tables.PARTS, [tmp_path / "o" / "parts.parquet"])
    pd.testing.assert_frame_equal(stored, parts.standings)
    assert list(dict.fromkeys(stored["part"])) == ["two", "tiles", "listed"]
    mine = stored[stored["part"] == "tiles"].drop(columns="part").reset_index(drop=True)
    pd.testing.assert_frame_equal(mine, m.read(tmp_path / "o" / "tiles").standings)
    assert (tmp_path / "o" / "figures" / "parts.svg").is_file()
    assert (tmp_path / "o" / "two" / "figures" / "standings.png").is_file()
    again = mtrain("run", str(file), "--out", "o", cwd=tmp_path)
    assert again.returncode == 2
    assert "is not empty" in again.stderr


def test_one_part_at_a_time_fills_the_same_directory(tmp_path: Path, file: Path) -> None:
    one = mtrain("run", str(file), "--part", "listed", "--out", "o", "--json", cwd=tmp_path)
    assert {row["part"] for row in json.loads(one.stdout)} == {"listed"}
    assert "warning: part 'two' has not been played to the end and is left out" in one.stderr
    assert read_parts(tmp_path / "o").missing == ["two", "tiles"]
    for name in ("tiles", "two"):
        assert mtrain("run", str(file), "--part", name, "--out", "o", "--quiet", cwd=tmp_path).returncode == 0
    assert mtrain("run", str(file), "--out", "whole", "--quiet", cwd=tmp_path).returncode == 0
    for name in ("parts.parquet", "figures/parts.svg", "two/standings.parquet", "listed/figures/scores.svg"):
        assert (tmp_path / "o" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    file.write_text(SMALL.replace("Where?", "Who?"), encoding="utf-8")
    (tmp_path / "o" / "two").rename(tmp_path / "elsewhere")
    other = mtrain("run", str(file), "--part", "two", "--out", "o", cwd=tmp_path)
    assert other.returncode == 2
    assert "o holds another experiment: 'Where?' with two, tiles, listed" in other.stderr


def test_a_report_of_parts_is_the_same_bytes(tmp_path: Path, file: Path) -> None:
    mtrain("run", str(file), "--out", "o", "--quiet", cwd=tmp_path)
    before = {
        path: path.read_bytes()
        for path in (tmp_path / "o").rglob("*")
        if path.suffix in (".parquet", ".svg") and path.is_file()
    }
    (tmp_path / "o" / "parts.parquet").unlink()
    (tmp_path / "o" / "two" / "standings.parquet").unlink()
    written = report(tmp_path / "o")
    assert tmp_path / "o" / "figures" / "parts.png" in written
    assert {path: path.read_bytes() for path in before} == before
    ran = mtrain("report", "o", cwd=tmp_path)
    assert ran.stdout.count("Below each figure") == 3
    assert {row["part"] for row in json.loads(mtrain("report", "o", "--json", cwd=tmp_path).stdout)} == {
        "two",
        "tiles",
        "listed",
    }


def test_every_part_is_played_though_nobody_reads_the_tables(tmp_path: Path, file: Path) -> None:
    run_unread(["run", str(file), "--out", "o"], tmp_path)
    assert set(pd.read_parquet(tmp_path / "o" / "parts.parquet")["part"]) == {"two", "tiles", "listed"}


PART = '[[part]]\nname = "a"\n'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (TOP + "[[part]]\nplayers = 2\n", "part 1 needs a name that can be a folder's"),
        (TOP + '[[part]]\nname = "../x"\n', "not '../x'"),
        (TOP + '[[part]]\nname = "figures"\n', "not 'figures'"),
        (TOP + PART + PART.replace('"a"', '"A"'), "two parts are called 'A'"),
        (TOP + PART + "playrs = 2\n", "part 'a': unknown key 'playrs'; did you mean 'players'?"),
        (TOP + PART + 'players = "2"\n', "part 'a': players is a whole number, not '2'"),
        (TOP + PART + "players = 9\n", "part 'a': players goes from 2 to 8"),
        (TOP + PART + 'agents = ["greddy"]\n', "part 'a': unknown agent 'greddy'; did you mean 'greedy'?"),
        (TOP + PART + 'focus = "b"\nlineups = [["b", "b", "random", "greedy"]]\n', "part 'a': a focus and line-ups"),
        (TOP + "part = 3\n", "a part is written [[part]]"),
        (TOP.replace('question = "Where?"\n', "") + PART, "the key 'question' is missing"),
        (TOP.replace("seed = 1\n", "") + PART, "part 'a': the key 'seed' is missing"),
    ],
)
def test_a_wrong_part_is_one_sentence_before_any_game(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "x.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as said:
        read_experiment(tmp_path / "x.toml")
    assert sentence in str(said.value)
    assert "\n" not in str(said.value)


def test_a_part_that_cannot_be_built_stops_the_others(tmp_path: Path) -> None:
    body = "from mtrain import compiled\ndef choose(obs, own):\n    return obs.nothing\nagent = compiled(choose)\n"
    (tmp_path / "odd.py").write_text(body, encoding="utf-8")
    text = (
        'question = "x?"\nagents = ["greedy", "random"]\nagents_from = ["odd.py"]\nseed = 1\nplayers = 2\ndeals = 1\n'
    )
    text += '[[part]]\nname = "good"\n[[part]]\nname = "bad"\nagents = ["odd", "random"]\n'
    (tmp_path / "x.toml").write_text(text, encoding="utf-8")
    ran = mtrain("run", "x.toml", "--out", "o", cwd=tmp_path)
    assert ran.returncode == 2
    assert "agent 'odd' cannot be compiled" in ran.stderr
    assert not (tmp_path / "o").exists()


def test_a_part_that_is_not_there(tmp_path: Path, file: Path) -> None:
    with pytest.raises(ExperimentError, match="the experiment has no part 'tow'; did you mean 'two'"):
        read_experiment(file).part("tow")
    (tmp_path / "plain.toml").write_text(TOP, encoding="utf-8")
    ran = mtrain("run", "plain.toml", "--part", "two", cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (2, "mtrain: the experiment has no part 'two'; it has no parts\n")


def test_a_directory_without_parts_or_without_a_finished_one(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match=r"it has no experiment\.json"):
        read_parts(tmp_path)
    (tmp_path / "experiment.json").write_text('{"title": "x"}')
    with pytest.raises(ResultsError, match="doesn't name its parts"):
        read_parts(tmp_path)
    (tmp_path / "experiment.json").write_text('{"title": "x", "parts": ["a", "b"]}')
    with pytest.raises(ResultsError, match="holds no finished part of a, b"):
        report(tmp_path)
