"""The command that plays a tournament again: golden/commands.txt holds what it was for every way to ask for one."""

import json

import pytest

from mtrain.arena.experiment import read_experiment
from mtrain.arena.spec import Tournament, command_of, plan
from mtrain.arena.tournament import plan_comparison
from tests.helpers.program import HERE

LINES = (HERE / "tests" / "golden" / "commands.txt").read_text(encoding="utf-8").splitlines()
ASKED, COMMANDS = LINES[::3], LINES[1::3]


def tournament(kind: str, asked: str) -> Tournament:
    """Return what is asked for: arguments of `plan` or of a comparison, or an experiment's file and part."""
    said = json.loads(asked)
    if kind == "experiment":
        return read_experiment(said[0]).parts[said[1]]
    return {"plan": plan, "compare": plan_comparison}[kind](**said)


@pytest.fixture(scope="module", autouse=True)
def _at_home() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(HERE)
        yield


def test_no_line_is_without_its_command() -> None:
    assert len(ASKED) == len(COMMANDS) > 150
    assert not any(LINES[2::3])


@pytest.mark.parametrize(("asked", "command"), list(zip(ASKED, COMMANDS, strict=True)), ids=range(len(ASKED)))
def test_the_command_is_what_it_was(asked: str, command: str) -> None:
    assert command_of(tournament(*asked.split(" ", 1))) == command
