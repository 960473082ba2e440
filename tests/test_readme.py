"""The README's commands and code, run from top to bottom as a reader would."""

import re
import shlex
from pathlib import Path

import pytest

from tests.conftest import HERE, mtrain

BLOCK = re.compile(r"^```(console|python|toml)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks() -> list[tuple[str, str, str]]:
    """Return kind, file name and text of every block that is to be run."""
    return BLOCK.findall((HERE / "README.md").read_text(encoding="utf-8"))


def test_the_tour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    said: dict[str, object] = {}
    commands = 0
    for kind, name, text in blocks():
        if name:
            (tmp_path / name).write_text(text, encoding="utf-8")
        elif kind == "python":
            exec(compile(text, "README.md", "exec"), said)
        else:
            for line in text.splitlines():
                assert line.startswith("$ mtrain "), line
                ran = mtrain(*shlex.split(line)[2:], cwd=tmp_path)
                assert ran.returncode == 0, (line, ran.stderr)
                assert (ran.stdout + ran.stderr).strip(), line
                commands += 1
    assert commands > 10
    assert (tmp_path / "standings.png").stat().st_size > 1000
    assert (tmp_path / "out/tour/figures/standings.svg").is_file()


def test_every_file_it_names_is_there() -> None:
    text = (HERE / "README.md").read_text(encoding="utf-8")
    for path in re.findall(r"`((?:mtrain|agents|experiments)/[\w./]*)`", text):
        assert (HERE / path).exists(), path


@pytest.mark.parametrize(
    "command",
    [
        "tournament",
        "run",
        "report",
        "compare",
        "power",
        "record",
        "replay",
        "perft",
        "rules",
        "agents",
        "bench",
        "locate",
        "calibrate",
        "train",
    ],
)
def test_every_command_has_help(command: str) -> None:
    assert mtrain(command, "--help").returncode == 0
