"""Versions: they say that an agent plays otherwise, and are held to it by the golden decisions."""

from pathlib import Path

import pytest

from mtrain.bots.agent import AgentError
from mtrain.bots.registry import Registry, bundled, parameters
from mtrain.bots.versions import change, made_of
from tests import regenerate
from tests.regenerate import AGENTS, DECISIONS, unsaid


def test_an_agent_that_plays_otherwise_has_another_version() -> None:
    before, now = DECISIONS.read_text(encoding="utf-8").splitlines(), list(regenerate.decisions())
    assert unsaid(before, now) == []  # else: give these another `version` in agents/ …
    assert before == now  # … and then, or if only the agents asked are others: python -m tests.regenerate


def test_every_agent_is_asked_with_every_parameter_and_every_choice() -> None:
    registry = Registry()
    specs = [registry.parse(text) for text in AGENTS]
    for name, origin in registry.origins.items():
        if Path(origin).parent != bundled().resolve():
            continue
        asked = [dict(spec.params) for spec in specs if spec.name == name]
        assert {} in asked or name == "level"
        for parameter in parameters(registry.find(name)):
            given = {params.get(parameter.name, parameter.default) for params in asked}
            assert given >= set(parameter.choices), f"{name}:{parameter.name}"
            assert len(given) > 1, f"{name}:{parameter.name}"


def test_who_changes_without_saying_so_is_named() -> None:
    before = ["rules 1", "greedy 1 greedy: 01 2", "mc 1 mc: 00 1", "mc 1 mc:worlds=2: 11 1"]
    assert unsaid(before, before) == []
    assert unsaid(before, [*before[:2], "mc 1 mc: 00 2", "mc 1 mc:worlds=2: 10 1"]) == ["mc"]
    assert unsaid(before, [*before[:2], "mc 2 mc: 00 2", "mc 2 mc:worlds=2: 10 1"]) == []
    assert unsaid(before, ["rules 2", "greedy 1 greedy: 01 0"]) == []
    assert unsaid(before, [*before, "planner 1 planner: 00 0"]) == []


def bot(folder: Path, text: str):
    (folder / "own.py").write_text(text, encoding="utf-8")
    return Registry([folder / "own.py"]).parse("own")


def test_an_agent_of_somebody_else_is_known_by_its_file_and_its_version(tmp_path: Path) -> None:
    body = "def agent(obs, actions, rng):\n    return actions[0]\n"
    one, two = bot(tmp_path, body), bot(tmp_path, body + "# other\n")
    assert made_of(one) == {"version": 1, "source": one.source}
    assert change(made_of(one), one) == change({}, one) == change({"code": "feed"}, one) == ""
    assert change(made_of(one), two) == f"another source file of 'own' (hash {one.source}, now {two.source})"
    assert made_of(Registry().parse("greedy")) == {"version": 1}
    (tmp_path / "newer").mkdir()
    newer = bot(tmp_path / "newer", body + "\nagent.version = 2\n")
    assert change(made_of(one), newer) == "version 1 of 'own', now 2"


def test_a_version_is_a_whole_number_and_a_parameter_of_that_name_is_none(tmp_path: Path) -> None:
    body = "def agent(obs, actions, rng):\n    return actions[0]\n\nagent.version = 'new'\n"
    with pytest.raises(AgentError, match="the version of agent 'own' is a whole number, not 'new'"):
        bot(tmp_path, body)
    (tmp_path / "other").mkdir()
    body = (
        "from dataclasses import dataclass\n\n@dataclass(frozen=True)\nclass Agent:\n    version: int = 3\n\n"
        "    def act(self, obs, actions, rng):\n        return actions[0]\n"
    )
    assert bot(tmp_path / "other", body).version == 1
