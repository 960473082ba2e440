"""Any table of results as people read it, on the terminal by its name."""

import json
from pathlib import Path

import pytest

from mtrain.report.sections import SECTIONS, Section
from mtrain.report.sheet import sheet
from mtrain.report.terminal import show_sheet
from mtrain.stats import tables
from mtrain.stats.estimates import pairwise
from mtrain.stats.results import read
from tests.helpers.program import mtrain
from tests.helpers.synthetic import store, tournament


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    games, rounds = tournament([("a", "b", "c"), ("b", "c", "d")], deals=12, skill={"a": -9})
    return store(tmp_path_factory.mktemp("run") / "run", games, rounds)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.name)
def test_every_table_has_its_columns_units_and_rows(
    folder: Path, section: Section, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = section.frame(read(folder))
    if frame is None:
        assert section.name in ("comparison", "stopping", "failures", "families", "timing")
        return
    laid = sheet(section.table, frame)
    show_sheet(laid, section.heading)
    shown = capsys.readouterr().out
    there = {heading.column for heading in laid.headings}
    for column in section.table.columns:
        wordless = column.dtype in ("str", "category") and not any(frame[column.name])
        assert column.name.endswith(("lo", "hi")) or column.name in there or wordless
    for heading in laid.headings:
        assert heading.text in shown
        assert not heading.unit or heading.unit.split()[0] in shown
    assert len(laid.rows) == len(frame)


def test_estimates_and_intervals_share_a_cell_and_shares_are_percent(folder: Path) -> None:
    frame = read(folder).pairwise
    laid = sheet(tables.PAIRWISE, frame)
    cells = {heading.column: cell for heading, cell in zip(laid.headings, laid.rows[0], strict=True)}
    row = frame.iloc[0]
    assert cells["diff"].text == f"{row['diff']:+.2f}".replace("-", "−")
    assert cells["diff"].interval == f"[{row['lo']:+.2f}, {row['hi']:+.2f}]".replace("-", "−")
    assert cells["share"].text == f"{100 * row['share']:.1f} %"
    assert cells["share"].interval == f"[{100 * row['share_lo']:.1f}, {100 * row['share_hi']:.1f}]"


def test_places_stand_second_and_numbers_of_a_row_follow_its_unit(folder: Path) -> None:
    results = read(folder)
    standings = sheet(tables.STANDINGS, results.standings)
    assert [heading.column for heading in standings.headings][:2] == ["agent", "place"]
    assert standings.rows[0][1].text == "1"
    bootstrap = sheet(tables.BOOTSTRAP, results.bootstrap, "tiles")
    by_name = [heading.column for heading in bootstrap.headings]
    for row in bootstrap.rows:
        said = {name: cell for name, cell in zip(by_name, row, strict=True)}
        assert "pips" not in said["unit"].text
        assert ("share" in said["unit"].text) == said["value"].text.endswith(" %")


def test_small_probabilities_are_not_zero() -> None:
    games, _ = tournament([("a", "b")], deals=30, skill={"a": -30}, out=0, base=200)
    assert any(cell.text == "<0.001" for row in sheet(tables.PAIRWISE, pairwise(games)).rows for cell in row)


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
        ("x", "unknown table 'x'; the tables are standings, comparison"),
        ("timing", "has no table 'timing': times are measured while playing"),
    ],
)
def test_a_wrong_name_is_one_sentence(folder: Path, name: str, sentence: str) -> None:
    ran = mtrain("report", str(folder), "--table", name)
    assert ran.returncode == 2
    assert sentence in ran.stderr
    assert ran.stdout == ""
