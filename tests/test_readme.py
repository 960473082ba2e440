"""The README and the pages of docs: commands and code run as a reader would, links lead somewhere, made pages are fresh.

Pages under docs/reference are made by docs/generate.py and hold nothing to run.
"""

import re
import runpy
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from mtrain.cli import main
from tests.helpers.program import HERE, mtrain

BLOCK = re.compile(r"^```(console|python|toml)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
REFERENCE = HERE / "docs" / "reference"
PAGES = [HERE / "README.md", *sorted((HERE / "docs").rglob("*.md"))]
WRITTEN = [page for page in PAGES if REFERENCE not in page.parents]


def name_of(page: Path) -> str:
    return page.relative_to(HERE).with_suffix("").as_posix()


def commands(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the commands of a block, each with the lines that it is said to print; none: it may print anything."""
    command, printed = "", []
    for line in text.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, printed
            command, printed = line, []
        else:
            assert command, f"{line!r} follows no command"
            printed.append(line)
    yield command, printed


def even(text: str) -> list[str]:
    """Return the lines of a text without the blanks around it and at their ends."""
    return [line.rstrip() for line in text.rstrip().splitlines()] if text.strip() else []


@pytest.mark.parametrize("page", WRITTEN, ids=name_of)
def test_the_tour(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    said: dict[str, object] = {}
    for kind, name, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        if name:
            (tmp_path / name).write_text(text, encoding="utf-8")
        elif kind == "python":
            exec(compile(text, page.name, "exec"), said)
        elif kind == "console":
            for line, printed in commands(text):
                assert line.startswith("$ mtrain "), line
                # In this process: a page has dozens of commands, and each would import everything anew.
                ran = CliRunner().invoke(main.mtrain, shlex.split(line, comments=True)[2:])
                assert ran.exit_code == 0, (line, ran.stderr)
                assert ran.output.strip(), line
                if printed:
                    assert even(ran.stdout) == even("\n".join(printed)), f"{line} prints:\n{ran.stdout}"


def anchors(text: str) -> set[str]:
    """Return the anchors of a page's headings, as they are made where Markdown is shown."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.+)$", FENCED.sub("", text), re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        again = (plain, *(f"{plain}-{k}" for k in range(1, 100)))
        found.add(next(each for each in again if each not in found))
    return found


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_and_every_path_leads_somewhere(page: Path) -> None:
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    for path in re.findall(r"`((?:mtrain|agents|experiments|docs|results|tests)/[\w./-]*)`", text):
        assert (HERE / path).exists(), path
    for link in re.findall(r"\]\((?!https?:)([^)]+)\)", text):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), link


def test_every_page_is_in_the_index() -> None:
    index = HERE / "docs" / "README.md"
    linked = {(index.parent / link).resolve() for link in re.findall(r"\]\(([\w./-]+\.md)\)", index.read_text("utf-8"))}
    missing = [name_of(page) for page in PAGES if page.parent != HERE and page != index and page not in linked]
    assert not missing


def test_the_readme_is_short() -> None:
    assert len((HERE / "README.md").read_text(encoding="utf-8").splitlines()) <= 120


def test_made_pages_and_pictures_are_fresh() -> None:
    generate: dict[str, Any] = runpy.run_path(str(HERE / "docs" / "generate.py"))
    made: dict[Path, str] = generate["made"]()
    stale = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    stale += generate["there"]() - set(made)
    names = ", ".join(sorted(path.relative_to(HERE).as_posix() for path in stale))
    assert not stale, f"out of date: {names}; `make docs` mends it"
    assert not any(str(HERE) in text for text in made.values())


@pytest.mark.parametrize(
    "command",
    [
        "tournament",
        "run",
        "merge",
        "report",
        "compare",
        "power",
        "record",
        "replay",
        "again",
        "perft",
        "rules",
        "agents",
        "bench",
        "locate",
        "analyse",
        "calibrate",
        "train",
        "play",
        "tune",
        "levels",
    ],
)
def test_every_command_has_help(command: str) -> None:
    assert mtrain(command, "--help").returncode == 0
