"""Levels files: read, named as agents, shown, handed on, and warned of."""

import json
from pathlib import Path

import pytest

from mtrain.arena.spec import plan
from mtrain.bots.level_file import FORMAT, LevelsError, levels_text, read_levels
from mtrain.bots.registry import Registry, bundled
from mtrain.bots.versions import rules_hash
from mtrain.game.rules import preset
from mtrain.tuning.verify import changes, exported
from tests.helpers.program import mtrain


def said(**more: object) -> dict[str, object]:
    levels = [
        {"name": "easy", "agent": "levelled:temperature=9", "version": 1, "blocks": 20, "win": 0.2,
         "win_lo": 0.15, "win_hi": 0.26, "diff": 2.0, "diff_lo": 1.0, "diff_hi": 3.0},
        {"name": "hard", "agent": "levelled", "version": 1, "blocks": 20, "win": 0.8},
    ]  # fmt: skip
    conditions = {
        "rules": "standard", "set": {}, "players": 4, "references": ["greedy"],
        "rules_hash": rules_hash(preset("standard")),
    }  # fmt: skip
    return {"format": FORMAT, "conditions": conditions, "level": levels} | more


def file(folder: Path, **more: object) -> Path:
    path = folder / "mine.toml"
    path.write_text(levels_text(said(**more)), encoding="utf-8")
    return path


def test_what_is_written_is_what_is_read(tmp_path: Path) -> None:
    read = read_levels(file(tmp_path))
    assert read.said == said()
    assert list(read.levels) == ["easy", "hard"]
    assert read.level("easy").agent == "levelled:temperature=9"


def test_a_level_is_an_agent_wherever_an_agent_is_accepted(tmp_path: Path) -> None:
    path = file(tmp_path)
    registry = Registry()
    spec = registry.parse(f"level:easy@{path}")
    assert str(spec) == "levelled:temperature=9"
    assert spec.label == "level easy of mine.toml"
    assert registry.parse(f"x@level:hard@{path}").label == "x"
    assert Registry(folder=tmp_path).parse("level:hard@mine.toml").name == "levelled"
    t = plan([f"level:easy@{path}", f"level:hard@{path}", "greedy"], players=3, deals=1)
    assert [agent.label for agent in t.agents] == ["level easy of mine.toml", "level hard of mine.toml", "greedy"]
    # What is written down of a level is the agent that it is, and says it again.
    again = Registry().parse(f"{spec.label}@{spec}")
    assert (again.label, again.params) == (spec.label, spec.params)


def test_all_digits_of_a_level_are_kept(tmp_path: Path) -> None:
    path = file(tmp_path, level=[{"name": "1", "agent": "levelled:temperature=1.23456789"}])
    spec = Registry().parse(f"level:1@{path}")
    assert dict(Registry().parse(str(spec)).params)["temperature"] == 1.23456789


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("level:medium@{}", "has no level 'medium'; its levels are easy, hard"),
        ("level:esy@{}", "did you mean 'easy'"),
        ("level:easy@nowhere.toml", "nowhere.toml cannot be read: No such file or directory"),
    ],
)
def test_a_level_that_is_not_there_is_said(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(LevelsError, match=what):
        Registry().parse(text.format(file(tmp_path)))


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ({"format": "other"}, "is no levels file: its format is 'other', not 'mtrain-levels/1'"),
        ({"conditions": 3}, "does not say under which conditions"),
        ({"level": []}, "has no levels"),
        ({"level": [{"name": "a b", "agent": "greedy"}]}, "level 1 needs a name of letters"),
        ({"level": [{"name": "a"}]}, "level 'a' needs the text of an agent, not None"),
        ({"level": [{"name": "a", "agent": "greedy"}] * 2}, "two levels are called 'a'"),
    ],
)
def test_a_file_that_is_none_is_said(tmp_path: Path, more: dict[str, object], what: str) -> None:
    with pytest.raises(LevelsError, match=what):
        read_levels(file(tmp_path, **more))


def test_L05_a_file_made_with_other_agents_or_rules_is_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert changes(read_levels(file(tmp_path))) == []
    Registry().parse(f"level:easy@{file(tmp_path)}")
    assert capsys.readouterr().err == ""
    levels = said()["level"]
    assert isinstance(levels, list)
    old = [levels[0] | {"version": 7}, levels[1]]
    path = file(tmp_path, level=old)
    for _ in range(2):  # said once
        Registry().parse(f"level:easy@{path}")
    told = capsys.readouterr().err
    assert told.count("level 'easy'") == 1
    assert "was measured with version 7 of 'levelled', now 1; `mtrain levels verify " in told
    assert changes(read_levels(path)) == ["level 'easy' was measured with version 7 of 'levelled', now 1"]
    conditions = said()["conditions"]
    assert isinstance(conditions, dict)
    path = file(tmp_path, conditions=conditions | {"rules_hash": "feed"})
    assert changes(read_levels(path))[0].startswith("the rules are others than then (hash feed, now ")
    shown = mtrain("levels", "show", str(path))
    assert "warning: the rules are others than then" in shown.stderr


def test_a_file_from_before_there_were_versions_is_of_the_first_and_its_hash_of_the_code_is_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = [{key: value for key, value in each.items() if key != "version"} for each in said()["level"]]  # type: ignore[attr-defined]
    path = file(tmp_path, level=[each | {"code": "0123456789abcdef"} for each in listed])
    assert changes(read_levels(path)) == []
    Registry().parse(f"level:easy@{path}")
    assert capsys.readouterr().err == ""


def test_L02_a_level_is_shown_with_its_conditions_and_its_interval(tmp_path: Path) -> None:
    shown = mtrain("levels", "show", str(file(tmp_path)))
    assert shown.returncode == 0
    assert "measured at 4 seats by standard rules, greedy in the other seats, on 20 blocks each" in shown.stdout
    assert "20.0 %" in shown.stdout
    assert "±6.0" in shown.stdout  # 15 to 26: the longer side
    assert json.loads(mtrain("levels", "show", str(file(tmp_path)), "--json").stdout) == said()


def test_where_a_score_counts_tiles_levels_are_told_in_tiles(tmp_path: Path) -> None:
    conditions = said()["conditions"]
    assert isinstance(conditions, dict)
    cardinal = conditions | {"rules": "cardinal", "rules_hash": rules_hash(preset("cardinal"))}
    shown = mtrain("levels", "show", str(file(tmp_path, conditions=cardinal))).stdout
    assert "tiles/round" in shown
    assert "pips" not in shown.lower()


def test_a_game_is_handed_every_parameter(tmp_path: Path) -> None:
    path = file(tmp_path)
    made = mtrain("levels", "export", str(path), "--json")
    told = json.loads(made.stdout)
    assert told == exported(read_levels(path))
    assert told["levels"][0]["parameters"]["temperature"] == 9.0
    assert told["levels"][0]["parameters"]["depth"] == 99.0
    assert told["levels"][0]["strength"]["win"] == 0.2
    assert told["conditions"]["players"] == 4
    mtrain("levels", "export", str(path), "--to", str(tmp_path / "game.json"))
    assert json.loads((tmp_path / "game.json").read_text(encoding="utf-8")) == told


def test_agents_of_a_file_are_found_beside_it(tmp_path: Path) -> None:
    bots = tmp_path / "bots"
    bots.mkdir()
    (bots / "own.py").write_text("def agent(obs, actions, rng):\n    return actions[0]\n", encoding="utf-8")
    path = file(tmp_path, agents_from=["bots"], level=[{"name": "1", "agent": "own"}])
    assert Registry().parse(f"level:1@{path}").origin == str((bots / "own.py").resolve())


def test_the_levels_that_come_with_mtrain_are_eight_and_in_step_with_the_code() -> None:
    read = read_levels(bundled() / "levels.toml")
    assert len(read.levels) == 8
    assert Registry().parse("level:1").label == "level 1"
    assert changes(read) == []  # else: mtrain levels verify --write
    assert read.said["verified"]["holds"]
    assert read.said["troubles"] == []
