"""The page of a run: all that its tables say, in one file that needs nothing else and is the same each time."""

import base64
import json
import platform
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from mtrain.arena.run import run
from mtrain.arena.spec import plan
from mtrain.cli.main import mtrain as command_line
from mtrain.report import plots
from mtrain.report.page import page, report
from mtrain.report.sections import SECTIONS, section
from mtrain.report.sheet import number, sheet
from mtrain.stats import files, tables
from mtrain.stats.results import read
from mtrain.stats.tables import ResultsError
from tests.helpers.synthetic import store, tournament

VOID = {"meta", "img", "br", "hr", "link", "input"}


class Read(HTMLParser):
    """What a browser would make of a page: its elements, checked to be closed in order, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data if self.open[-1:] != ["style"] else ""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run whose agents' labels would be HTML."""
    folder = tmp_path_factory.mktemp("page") / "run"
    t = plan(["random", "greedy", "<b>&@double-holder"], players=3, deals=12, seed=5, title="Who <wins>?",
             changes={"rounds": 2}, seatings="rotate", anchor="random")  # fmt: skip
    run(t, folder, jobs=1)
    report(folder)
    return folder


@pytest.fixture(scope="module")
def text(played: Path) -> str:
    return (played / "report.html").read_text(encoding="utf-8")


def test_the_page_is_whole_html_and_needs_nothing_else(text: str) -> None:
    seen = Read(text)
    assert text.startswith("<!DOCTYPE html>")
    tags = {tag for tag, _ in seen.elements}
    assert not tags & {"script", "link", "iframe", "b"}
    for tag, attributes in seen.elements:
        address = attributes.get("src") or attributes.get("href")
        assert address is None or address.startswith(("data:image/svg+xml;base64,", "#")), (tag, address)
    assert "url(" not in text
    assert "@import" not in text
    assert {"Who <wins>?", "<b>&"} <= {line.strip() for line in seen.text.splitlines()}


def test_every_picture_says_what_it_shows_and_all_figures_are_there(played: Path, text: str) -> None:
    pictures = [attributes for tag, attributes in Read(text).elements if tag == "img"]
    assert all(len(each["alt"] or "") > 20 for each in pictures)
    inside = {base64.b64decode((each["src"] or "").partition(",")[2]) for each in pictures}
    assert inside == {path.read_bytes() for path in (played / "figures").glob("*.svg")}
    assert "Further figures" not in text


def test_H39_every_table_carries_its_blocks_its_seed_its_version_and_its_command(played: Path, text: str) -> None:
    shown = [each for each in SECTIONS if each.frame(read(played)) is not None]
    assert {"standings", "pairwise", "ratings", "alpharank", "seats", "timing"} <= {each.name for each in shown}
    for each in shown:
        mine = text.partition(f'<section id="{each.name}">')[2].partition("</section>")[0]
        # By rotation alone no block can say what a neighbour is worth.
        assert ("0 blocks" if each.name == "neighbours" else "12 blocks") in mine, each.name
        assert "seed 5, mtrain " in mine
        command = f"mtrain report DIR --table {each.name}"
        assert f"<code>{command}</code>" in mine
        ran = CliRunner().invoke(command_line, [*command.replace("DIR", str(played)).split()[1:], "--json"])
        assert ran.exit_code == 0, ran.output
        assert len(json.loads(ran.stdout)) == mine.count("<tr>") - 1


def test_H13_every_number_of_the_page_carries_its_unit() -> None:
    for each in SECTIONS:
        for column in each.table.columns:
            assert column.dtype != "Float64" or column.unit or column.name in each.table.key, (each.name, column.name)


def test_what_was_played_is_all_there(text: str) -> None:
    seen = Read(text).text
    for word in (
        "own=0.0, ties=random",
        "rounds2",
        platform.machine(),
        "numba",
        "<b>&@double-holder",
        "--seatings rotate",
    ):
        assert word in seen, word
    assert "Counted from random, which stands at 0." in seen


def test_warnings_stand_before_the_first_number(text: str) -> None:
    assert 0 < text.index("rotation doesn&#39;t cancel") < text.index("<table>")


def test_the_same_results_give_the_same_bytes_wherever_they_lie(tmp_path: Path, played: Path, text: str) -> None:
    there = tmp_path / "some" / "where"
    shutil.copytree(played, there)
    (there / "report.html").unlink()
    assert there / "report.html" in report(there)
    assert (there / "report.html").read_text(encoding="utf-8") == text


def test_best_agents_come_first_in_every_table(played: Path) -> None:
    results = read(played)
    best = list(results.standings["agent"])
    for each in SECTIONS:
        frame = each.frame(results)
        if frame is not None and "agent" in frame and not each.sorted:
            assert list(dict.fromkeys(frame["agent"])) == best, each.name


def test_a_running_directory_gets_a_page_and_nothing_else(tmp_path: Path) -> None:
    """Whatever the run will still write is left alone: its last tables can't be covered by older ones."""
    folder = tmp_path / "run"
    run(plan(["random", "greedy"], players=2, deals=40, seed=5, changes={"rounds": 1}), folder, jobs=1)
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"finished": true', '"finished": false'))
    for name in ("standings", "pairwise", "seats", "timing"):
        (folder / f"{name}.parquet").unlink()
    parts = sorted((folder / "games.parquet").iterdir())
    for part in parts[1:]:
        part.unlink()
        (folder / "rounds.parquet" / part.name).unlink()
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    done = read(folder).games["deal"].nunique()
    assert 0 < done < 40
    assert report(folder, anchor="greedy") == [folder / "report.html"]
    assert {
        path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".html"
    } == before
    seen = Read((folder / "report.html").read_text(encoding="utf-8"))
    assert f"{done} of 40 blocks so far" in seen.text
    assert "Counted from greedy" in seen.text
    assert "mean time" not in seen.text, "times are written when the run ends"


def test_an_anchor_given_to_the_report_stays(tmp_path: Path, played: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(played, folder)
    ran = CliRunner().invoke(command_line, ["report", str(folder), "--anchor", "greedy=1500"])
    assert ran.exit_code == 0, ran.output
    assert json.loads((folder / "manifest.json").read_text())["anchor"] == {"agent": "greedy", "rating": 1500.0}
    stored = files.read(tables.STANDINGS, [folder / "standings.parquet"]).set_index("agent")
    assert stored.loc["greedy", "rating"] == 1500
    assert read(folder).ratings.set_index("agent").loc["random", "rating"] == stored.loc["random", "rating"] < 1500
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    report(folder)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    ran = CliRunner().invoke(command_line, ["report", str(folder), "--anchor", "gready"])
    assert isinstance(ran.exception, SystemExit)
    assert ran.exit_code == 2
    assert "did you mean 'greedy'?" in ran.stderr
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_scores_in_tiles_are_said_to_be_tiles(tmp_path: Path) -> None:
    run(plan(["random", "greedy"], "cardinal", players=2, deals=3, seed=5), tmp_path / "a", jobs=1)
    report(tmp_path / "a")
    seen = Read((tmp_path / "a" / "report.html").read_text(encoding="utf-8")).text
    assert "tiles/round" in seen
    assert not re.search(r"\bpips/round|Pips\b", seen)


def test_self_play_says_how_its_copies_came_out(tmp_path: Path) -> None:
    run(plan(["random"], self_play=True, players=2, deals=6, seed=5, changes={"rounds": 1}), tmp_path / "a", jobs=1)
    report(tmp_path / "a")
    seen = Read((tmp_path / "a" / "report.html").read_text(encoding="utf-8")).text
    assert "null check of copies: 0 pips/round in " in seen


def test_results_of_bare_games_have_a_page(tmp_path: Path) -> None:
    """A manifest that says no more than it must, and a table that has no number at all."""
    folder = store(tmp_path / "run", *tournament([("a", "b")], deals=1), parts=1)
    report(folder)
    seen = Read((folder / "report.html").read_text(encoding="utf-8")).text
    assert "n/a" in seen
    assert "no intervals: 1 block" in seen


def test_a_figure_that_no_section_claims_stands_at_the_end(played: Path) -> None:
    results = read(played)
    text = page(results, {"other": plots.picture(plots.standings(results.standings), "svg")})
    assert text.index("Further figures") < text.index('alt="other"')


def test_an_experiments_parts_have_one_page_with_links_to_theirs(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(
        'question = "Where?"\nagents = ["greedy", "random"]\nseed = 1\ndeals = 2\nanchor = "random"\n[set]\nrounds = 1\n'
        '[[part]]\nname = "two"\nplayers = 2\n[[part]]\nname = "c"\nseatings = "rotate"\n[[part]]\nname = "never"\n'
    )
    for name in ("two", "c"):
        call = ["run", str(tmp_path / "x.toml"), "--part", name, "--out", str(tmp_path / "o"), "--quiet", "--jobs", "1"]
        assert CliRunner().invoke(command_line, call).exit_code == 0
    seen = Read((tmp_path / "o" / "report.html").read_text(encoding="utf-8"))
    links = [attributes["href"] or "" for tag, attributes in seen.elements if tag == "a"]
    assert links == ["two/report.html", "c/report.html"]
    assert all((tmp_path / "o" / link).is_file() for link in links)
    assert "part never has not been played to the end" in seen.text
    before = {path: path.read_bytes() for path in (tmp_path / "o").rglob("*.html")}
    assert len(before) == 3
    report(tmp_path / "o")
    assert {path: path.read_bytes() for path in before} == before


# --- tables as people read them


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("diff", -1.234, "−1.23"),
        ("diff", 1.235001, "+1.24"),
        ("diff", -0.001, "0.00"),
        ("win", 0.2549, "25.5 %"),
        ("win", -0.0001, "0.0 %"),
        ("win", -0.024, "−2.4 %"),
        ("rating", -1500.4, "−1500"),
        ("rank_mean", 2.5, "2.50"),
        ("pips", None, "n/a"),
        ("games", 12345, "12,345"),
    ],
)
def test_numbers_are_written_by_their_unit(column: str, value: float | None, said: str) -> None:
    assert number(tables.STANDINGS[column], value) == said


def test_a_sheet_folds_intervals_and_leaves_empty_notes_out() -> None:
    games, _ = tournament([("a", "b")], deals=4)
    laid = sheet(tables.PAIRWISE, read_pairs(games), "tiles")
    assert [heading.column for heading in laid.headings] == ["agent", "opponent", "blocks", "diff", "share", "p"]
    assert laid.headings[3].unit == "tiles/round"
    assert re.fullmatch(r"\[[+−]?\d+\.\d\d, [+−]?\d+\.\d\d\]", laid.rows[0][3].interval)
    few = sheet(tables.PAIRWISE, read_pairs(games[games["deal"] == 0]))
    assert [heading.column for heading in few.headings][-1] == "note"
    assert few.rows[0][3].interval == "[n/a]"


def read_pairs(games: pd.DataFrame) -> pd.DataFrame:
    from mtrain.stats.estimates import pairwise

    return pairwise(games)


def test_a_table_that_is_not_there_is_one_sentence(played: Path) -> None:
    with pytest.raises(ResultsError, match="unknown table 'ratngs'; did you mean 'ratings'"):
        section("ratngs")
    ran = CliRunner().invoke(command_line, ["report", str(played), "--table", "families"])
    assert ran.exit_code == 2
    assert "has no table 'families'" in ran.stderr
