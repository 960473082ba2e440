"""The README's commands and code, run from top to bottom as a reader would."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from mtrain.cli import main
from tests.conftest import HERE, mtrain

BLOCK = re.compile(r"^```(console|python|toml)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [HERE / "README.md", *sorted((HERE / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
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
            for line in text.splitlines():
                assert line.startswith("$ mtrain "), line
                # In this process: a page has dozens of commands, and each would import everything anew.
                ran = CliRunner().invoke(main.mtrain, shlex.split(line, comments=True)[2:])
                assert ran.exit_code == 0, (line, ran.stderr)
                assert ran.output.strip(), line


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_every_file_it_names_is_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for path in re.findall(r"`((?:mtrain|agents|experiments|docs)/[\w./-]*)`", text):
        assert (HERE / path).exists(), path
    for path in re.findall(r"\]\((?!http)([^)#]+)", text):
        assert (page.parent / path).exists(), path


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
