"""Any table of results on the terminal, by its name."""

import json
from pathlib import Path

import pytest
from test_estimates import tournament
from test_results import store

from mtrain.show.frames import show_table
from mtrain.study import tables
from mtrain.study.estimates import pairwise
from mtrain.study.results import read
from tests.conftest import mtrain


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    games, rounds = tournament([("a", "b", "c"), ("b", "c", "d")], deals=12, skill={"a": -9})
    return store(tmp_path_factory.mktemp("run") / "run", games, rounds, control={"dealt_pips": 120.0})


@pytest.mark.parametrize("name", [name for name in tables.PRINTED if name != "timing"])
def test_every_table_has_its_columns_units_and_rows(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table, frame = tables.PRINTED[name], getattr(read(folder), name)
    show_table(table, frame, name)
    shown = capsys.readouterr().out
    for column in table.columns:
        if not column.name.endswith(("lo", "hi")) and column.name != "note":
            assert column.name in shown
            assert not column.unit or column.unit.split()[0] in shown
    assert sum(len(line.strip()) > 3 for line in shown.splitlines()) >= len(frame)


def test_estimates_and_intervals_share_a_cell_and_shares_are_percent(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = read(folder).pairwise
    show_table(tables.PAIRWISE, frame)
    shown = " ".join(capsys.readouterr().out.split())
    row = frame.iloc[0]
    assert f"{row['diff']:.2f} [{row['lo']:.2f}, {row['hi']:.2f}]".replace("-", "−") in shown
    assert f"{100 * row['share']:.1f} % [{100 * row['share_lo']:.1f}, {100 * row['share_hi']:.1f}]" in shown


def test_small_probabilities_are_not_zero(capsys: pytest.CaptureFixture[str]) -> None:
    games, _ = tournament([("a", "b")], deals=30, skill={"a": -30}, out=0, base=200)
    show_table(tables.PAIRWISE, pairwise(games))
    assert "<0.001" in capsys.readouterr().out


def test_the_command_prints_one_table(folder: Path) -> None:
    ran = mtrain("report", str(folder), "--table", "neighbours", "--json")
    assert ran.returncode == 0
    assert [row["side"] for row in json.loads(ran.stdout)] == ["after", "before"] * 4
    assert not (folder / "neighbours.parquet").exists()  # nothing is written
    assert "neighbours" in mtrain("report", str(folder), "--table", "help").stdout


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("pairwse", "unknown table 'pairwse'; did you mean 'pairwise'?"),
        ("x", "unknown table 'x'; choose from standings, pairwise"),
        ("timing", "has no timing.parquet"),
    ],
)
def test_a_wrong_name_is_one_sentence(folder: Path, name: str, sentence: str) -> None:
    ran = mtrain("report", str(folder), "--table", name)
    assert ran.returncode == 2
    assert sentence in ran.stderr
    assert ran.stdout == ""
