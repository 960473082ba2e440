"""The command line: exit statuses, what goes where, and one sentence for a wrong call."""

import json
from pathlib import Path

import pytest

from mtrain.game.rules import MEANING, PRESETS
from tests.helpers.program import mtrain, run_unread


@pytest.mark.parametrize(
    ("call", "status", "sentence"),
    [
        (["tournament", "greddy", "--out", "o"], 2, "unknown agent 'greddy'; did you mean 'greedy'?"),
        (["tournament", "greedy", "random", "--rules", "carbinal", "--out", "o"], 2, "did you mean 'cardinal'?"),
        (["tournament", "greedy", "random", "--set", "rounds", "--out", "o"], 2, "'rounds' is not FIELD=VALUE"),
        (
            ["tournament", "greedy", "random", "--set", "rounds=1", "--set", "rounds=2", "--out", "o"],
            2,
            "'rounds' is set twice",
        ),
        (["tournament", "greedy", "--jobs", "0", "--out", "o"], 2, "--jobs"),
        (["tournament"], 2, "Missing argument"),
        (["tournement"], 2, "Did you mean 'tournament'?"),
        (["rules", "pinecones"], 2, "unknown rules 'pinecones'; did you mean 'pinecone'?"),
        (["rules", "--set", "players=1-4"], 2, "players goes from 2 to 10, not 1"),
        (["agents", "greed"], 2, "did you mean 'greedy'?"),
        (
            ["record", "greedy", "random", "--players", "3", "--out", "o"],
            2,
            "2 agents for 3 players; name one agent a seat",
        ),
        (["record", "greedy", "random", "--out", "no/such/folder/x"], 2, "cannot write no/such/folder/x"),
        (["replay", "nothing.jsonl"], 2, "cannot read nothing.jsonl"),
        (["report", "nowhere"], 2, "no directory nowhere"),
        (["run", "nothing.toml"], 2, "cannot be read"),
        (["perft", "--players", "11"], 2, "players goes from 2 to 8"),
        (["perft", "--starter", "7"], 2, "starter is a seat from 0 to 3, not 7"),
        (["bench", "--reference", "nothing.c"], 2, "no reference at nothing.c"),
        (["check-agent", "nobody"], 2, "unknown agent 'nobody'"),
    ],
)
def test_a_wrong_call_is_one_sentence_and_status_2(tmp_path: Path, call: list[str], status: int, sentence: str) -> None:
    ran = mtrain(*call, cwd=tmp_path)
    assert ran.returncode == status
    assert sentence in ran.stderr
    assert len(ran.stderr.strip().splitlines()) == 1, ran.stderr
    assert ran.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_the_rules_as_a_table_and_as_json() -> None:
    shown = mtrain("rules").stdout
    assert all(name in shown for name in PRESETS)
    assert all(field in shown for field in MEANING)
    assert "3: 12*" in shown
    assert "assumed" in shown
    told = json.loads(mtrain("rules", "--json").stdout)
    assert told["presets"] == {name: rules.to_json() for name, rules in PRESETS.items()}
    assert told["assumed"] == {"standard": {"hand_size": [3, 5, 6, 7]}}


def test_one_resolved_rule_set() -> None:
    told = json.loads(
        mtrain(
            "rules", "cardinal", "--set", "rounds=13", "--set", "engine=countdown", "--set", "players=2-6", "--json"
        ).stdout
    )
    assert told == PRESETS["cardinal"].to_json() | {"rounds": 13, "engine": "countdown", "players": [2, 6]}
    assert "can be dealt to 2, 3, 4, 5, 6 players" in mtrain("rules", "standard", "--set", "hand_size=15").stdout
    assert "*" not in mtrain("rules", "pinecone").stdout
    assert "7: 7*" in mtrain("rules", "standard").stdout


def test_agents_as_json() -> None:
    told = {agent["name"]: agent for agent in json.loads(mtrain("agents", "--json").stdout)}
    assert set(told) == {"random", "greedy", "double-holder", "heuristic", "ismcts", "levelled", "mc", "planner"}
    assert {p["name"]: p["default"] for p in told["mc"]["parameters"]} == {
        "worlds": "64",
        "rollout": "planner",
        "objective": "pips",
        "base": "heuristic",
        "gate": "1.2",
        "worlds_from": "proofs",
    }
    assert all(agent["about"] and all(p["meaning"] for p in agent["parameters"]) for agent in told.values())


def test_record_and_replay(tmp_path: Path) -> None:
    ran = mtrain(
        "record",
        "greedy",
        "random",
        "mc:worlds=1",
        "--rules",
        "trainyard",
        "--games",
        "3",
        "--seed",
        "5",
        "--out",
        "g.jsonl",
        cwd=tmp_path,
    )
    assert (ran.returncode, ran.stdout) == (0, "")
    lines = (tmp_path / "g.jsonl").read_text().splitlines()
    assert [json.loads(line)["game"] for line in lines] == [0, 1, 2]
    assert len({json.loads(line)["rounds"][0]["starter"] for line in lines}) == 3
    told = json.loads(mtrain("replay", "g.jsonl", "--json", cwd=tmp_path).stdout)
    assert (told["games"], told["same_bytes"]) == (3, 3)
    assert mtrain("record", "greedy", "random", "--out", "g.jsonl", cwd=tmp_path).returncode == 2
    assert (tmp_path / "g.jsonl").read_text().splitlines() == lines
    piped = mtrain(
        "record",
        "greedy",
        "random",
        "mc:worlds=1",
        "--rules",
        "trainyard",
        "--games",
        "3",
        "--seed",
        "5",
        "--out",
        "-",
        cwd=tmp_path,
    )
    assert piped.stdout.splitlines() == lines
    shown = mtrain("replay", "g.jsonl", "--show", "--game", "1", cwd=tmp_path).stdout
    assert shown.count("game 1 (seed 5)") == 1
    assert "places the engine" in shown
    assert "totals" in shown


def test_a_broken_record_is_named_and_status_1(tmp_path: Path) -> None:
    mtrain("record", "random", "random", "--games", "2", "--set", "rounds=1", "--out", "g.jsonl", cwd=tmp_path)
    good, bad = map(json.loads, (tmp_path / "g.jsonl").read_text().splitlines())
    bad["rounds"][0]["events"][3] = [1, "draw", "0-0"]
    (tmp_path / "g.jsonl").write_text(json.dumps(good) + "\n" + json.dumps(bad) + "\n")
    ran = mtrain("replay", "g.jsonl", cwd=tmp_path)
    assert ran.returncode == 1
    assert ran.stderr.startswith("mtrain: g.jsonl, line 2: round 1, event 3: ")
    (tmp_path / "g.jsonl").write_text("[]\n")
    assert mtrain("replay", "g.jsonl", cwd=tmp_path).returncode == 1
    (tmp_path / "g.jsonl").write_text("")
    assert mtrain("replay", "g.jsonl", cwd=tmp_path).returncode == 1


def test_perft_counts_from_a_deal_and_from_a_position(tmp_path: Path) -> None:
    counts = json.loads(mtrain("perft", "--seed", "3", "--depth", "3", "--json").stdout)
    assert [row["depth"] for row in counts] == [1, 2, 3]
    (tmp_path / "p.txt").write_text(
        "rules standard players=2-10\nseats 2\nhand 0: 12-3 3-3\nhand 1: 12-5\ntable:\nboneyard:\nturn 0\n",
        encoding="utf-8",
    )
    told = json.loads(mtrain("perft", "--position", "p.txt", "--depth", "2", "--json", cwd=tmp_path).stdout)
    assert told[0] == {"depth": 1, "sequences": 2}  # 12-3 on one's own train, or on the Mexican train
    (tmp_path / "p.txt").write_text("hand 0: 12-x\n", encoding="utf-8")
    ran = mtrain("perft", "--position", "p.txt", cwd=tmp_path)
    assert ran.returncode == 2
    assert "12-x" in ran.stderr


def test_standard_output_is_the_table_and_nothing_else(tmp_path: Path) -> None:
    call = ["tournament", "random", "greedy", "--players", "2", "--deals", "3", "--set", "rounds=2", "--seed", "1"]
    ran = mtrain(*call, "--out", "a", "--json", cwd=tmp_path)
    rows = json.loads(ran.stdout)
    assert [row["agent"] for row in rows] == ["greedy", "random"]
    assert "1 line-up × 3 deals × 2 seatings = 6 games of 2 rounds, 2 seats" in ran.stderr
    table = mtrain(*call, "--out", "b", "--quiet", cwd=tmp_path).stdout
    assert "vs others" in table
    assert max(map(len, table.splitlines())) <= 100
    assert "mtrain:" not in table
    assert mtrain("report", "b", cwd=tmp_path).stdout.strip() == table.strip()


def test_a_plain_encoding_gets_plain_lines(tmp_path: Path) -> None:
    ran = mtrain("agents", cwd=tmp_path, PYTHONIOENCODING="ascii:replace")
    assert ran.returncode == 0
    assert ran.stdout.isascii()
    assert "+-" in ran.stdout or "---" in ran.stdout


def test_one_blocks_interval_says_what_it_needs(tmp_path: Path) -> None:
    ran = mtrain("tournament", "random", "greedy", "--players", "2", "--deals", "1", "--out", "o", cwd=tmp_path)
    assert "[n/a]" in ran.stdout
    assert "needs 2 blocks" in ran.stdout
    assert "nan" not in ran.stdout
    assert "inf" not in ran.stdout


def test_without_out_the_next_free_directory_is_taken(tmp_path: Path) -> None:
    call = ["tournament", "random", "greedy", "--players", "2", "--deals", "1", "--set", "rounds=1", "--quiet"]
    for _ in range(2):
        assert mtrain(*call, cwd=tmp_path).returncode == 0
    assert sorted(path.name for path in (tmp_path / "results").iterdir()) == ["tournament-001", "tournament-002"]


def test_figures_are_drawn_though_nobody_reads_the_table(tmp_path: Path) -> None:
    call = [
        "tournament",
        "random",
        "greedy",
        "--players",
        "2",
        "--deals",
        "2",
        "--set",
        "rounds=1",
        "--figures",
        "--out",
        "o",
    ]
    run_unread(call, tmp_path)
    assert (tmp_path / "o" / "figures" / "by_round.png").is_file()
