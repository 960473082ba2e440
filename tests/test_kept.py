"""What is kept outlives a change: a rules field, a column, an option and comments are added to a copy of the package.

Each is a change that a later version may make, in as few files as there should be to touch. The changed copy then
reads every kept result, golden game and shipped level, and has nothing to say of any.
"""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.program import HERE, mtrain, printed

# What is written in the place of what; each text stands once in the package. … is the text itself.
FIELD = [
    ('    "tie_break": ("shared", "zero-rounds"),\n', '…    "last_tile": ("any", "single"),\n'),
    ('    "tie_break": "equal totals', '    "last_tile": "whether a double may be the last tile laid",\n…'),
    ("SINCE: dict[str, str] = {}", 'SINCE: dict[str, str] = {"last_tile": "0.2.0"}'),
    ('    tie_break: str = "shared"\n', '…    last_tile: str = "any"\n'),
    ('    ("closes", "u1"),\n', '…    ("single_last", "u1"),\n'),
    ("    s.double_blank = rules.double_blank\n", '…    s.single_last = rules.last_tile == "single"\n'),
    ("        s.pips[seat] = cost\n", "        cost += s.single_last\n…"),
    ('    "exhausted_double": ("closes",', '    "last_tile": ("single_last", ("any", "single")),\n…'),
]
COLUMN = [
    (
        '    *interval("zero", "share of rounds',
        '    *interval("drawn", "mean tiles drawn in a round", "tiles/round"),\n…',
    ),
    ('    "zero": lambda r: ', '    "drawn": lambda r: r["draws"],\n…'),
]
OPTION = [
    (
        "    on_fault: str = option(\n",
        '    umpire: str = option("none", "Who looks on.", "Who looks on.", "who looks on")\n…',
    ),
]
COMMENTS = [
    ("def monte_carlo(", "# how worlds are tried\n…"),
    ("def list_actions(", "# what may be done\n…"),
    ("def work(t: ", "# a chunk of games\n…"),
    ("    kernel = compiled(levelled_policy)", "    # with its kernel\n…"),
]


def changed(copy: Path, edits: list[tuple[str, str]]) -> set[Path]:
    """Change a copy of the package; return the files that it took."""
    took = set()
    for old, new in edits:
        found = [path for path in copy.rglob("*.py") if old in path.read_text(encoding="utf-8")]
        assert len(found) == 1, (old, found)
        text = found[0].read_text(encoding="utf-8")
        assert text.count(old) == 1, old
        found[0].write_text(text.replace(old, new.replace("…", old)), encoding="utf-8")
        took |= set(found)
    return took


@pytest.fixture(scope="module")
def later(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, int], dict[str, Any]]:
    """A copy of the package with all changes: how many files each took, and where it is found."""
    copy = tmp_path_factory.mktemp("later")
    for part in ("mtrain", "agents", "experiments"):  # kept runs say where their agents were: experiments/…
        shutil.copytree(HERE / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
    every = {"field": FIELD, "column": COLUMN, "option": OPTION, "comments": COMMENTS}
    took = {what: len(changed(copy, edits)) for what, edits in every.items()}
    return took, {"cwd": copy, "PYTHONPATH": f"{copy}{os.pathsep}{HERE}", "NUMBA_DISABLE_JIT": "1"}


def test_a_change_takes_few_files(later) -> None:
    took, _ = later
    assert took["field"] <= 4
    assert took["column"] <= 2
    assert took["option"] <= 2


def test_everything_kept_is_read_by_a_later_version_and_nothing_is_warned_of(later) -> None:
    _, where = later
    told = json.loads(printed("-m", "tests.helpers.kept", **where))
    assert not Path(told["from"]).is_relative_to(HERE)
    assert (told["results"], told["records"], told["levels"]) == (44, 12, 8)
    assert told["replayed"]
    # The agents of experiments are files like anybody's, and one was edited since.
    assert [each for each in told["changed"] if "source" not in each or "peeking" not in each] == []
    assert told["others"] == []
    assert "drawn" in told["absent"]
    assert not told["new"]["drawn"]  # games that are there have it


def test_the_commands_of_a_later_version_know_what_is_new_and_warn_of_nothing(later, tmp_path: Path) -> None:
    _, where = later
    shown = mtrain("levels", "show", **where)
    assert (shown.returncode, shown.stderr) == (0, "")
    shutil.copytree(HERE / "results" / "first", tmp_path / "first")
    kept = mtrain("report", str(tmp_path / "first"), "--table", "standings", **where)
    assert (kept.returncode, kept.stderr) == (0, "")
    assert kept.stdout.count("n/a") == 4  # an agent each
    rows = json.loads(mtrain("report", str(tmp_path / "first"), "--table", "standings", "--json", **where).stdout)
    assert [row["drawn"] for row in rows] == [None] * 4
    assert "last_tile" in mtrain("rules", **where).stdout
    assert "--umpire" in mtrain("tournament", "--help", **where).stdout
