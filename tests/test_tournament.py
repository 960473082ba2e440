"""Tournaments: the same bytes whoever works, nothing lost, nothing counted twice, and wrong calls refused before play."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mtrain as m
from mtrain.arena.driver import record_game
from mtrain.arena.experiment import ExperimentError, read_experiment
from mtrain.arena.run import run
from mtrain.arena.spec import TournamentError, plan
from mtrain.bots.registry import Registry, build
from mtrain.errors import UsageError
from mtrain.game.rng import SEAT, Stream, stream
from mtrain.report.page import report
from mtrain.stats.results import read
from tests.helpers.program import HERE, mtrain
from tests.helpers.runs import tables

QUICK = ["random", "greedy", "double-holder"]
RANDOM_PYTHON = "def agent(obs, actions, rng):\n    return rng.choice(actions)\n"


# ── The same bytes ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("kind", ["compiled", "search", "python"])
def test_H01_the_same_bytes_with_one_two_and_three_workers(tmp_path: Path, kind: str) -> None:
    (tmp_path / "chance.py").write_text(RANDOM_PYTHON, encoding="utf-8")
    agents, deals = {
        "compiled": ([*QUICK, "b@random"], 40),
        "search": (["mc:worlds=4", "greedy", "random"], 16),
        "python": (["chance", "greedy", "random"], 6),
    }[kind]
    made = []
    for jobs in (1, 2, 3):
        t = plan(
            agents,
            "standard",
            players=3,
            deals=deals,
            seed=9,
            agents_from=[tmp_path / "chance.py"],
        )
        run(t, tmp_path / str(jobs), jobs=jobs)
        made.append(tables(tmp_path / str(jobs)))
    assert len(made[0]) > 10
    assert made[0] == made[1] == made[2]


def test_H24_another_seed_is_another_tournament_of_the_same_size(tmp_path: Path) -> None:
    made = [m.tournament(QUICK, players=3, deals=3, seed=seed, jobs=1) for seed in (1, 2)]
    assert len(made[0].rounds) == len(made[1].rounds)
    assert not made[0].rounds.equals(made[1].rounds)
    told = [each.manifest.to_json() for each in made]
    assert {key for key in told[0] if told[0][key] != told[1][key]} <= {
        "seed",
        "command",
        "started",
        "seconds",
    }


def test_a_report_from_the_files_alone_is_the_same_bytes(tmp_path: Path) -> None:
    run(plan(QUICK, players=2, deals=4, seed=5), tmp_path / "a", jobs=1)
    before = tables(tmp_path / "a")
    for name in ("standings", "pairwise", "seats"):
        (tmp_path / "a" / f"{name}.parquet").unlink()
    written = report(tmp_path / "a")
    assert tables(tmp_path / "a") == before
    figures = {path: path.read_bytes() for path in written if path.suffix == ".svg"}
    assert len(figures) >= 5
    report(tmp_path / "a")
    assert figures == {path: path.read_bytes() for path in figures}


def test_a_record_is_a_tournaments_game(tmp_path: Path) -> None:
    made = m.tournament(["random", "greedy"], "pinecone", players=4, deals=2, seed=13, jobs=1, rounds=2)
    for game, rows in list(made.games.groupby("game"))[:8]:
        seats = rows.sort_values("seat")
        bots = [build(Registry().parse(agent)) for agent in seats["agent"]]
        first = seats.iloc[0]
        record = record_game(
            m.preset("pinecone", rounds=2),
            bots,
            seed=13,
            game=int(first["deal"]),
            starter=int(first["starter"]),
            seating=int(first["seating"]),
        )
        assert record["totals"] == seats["score"].tolist(), game
        assert record["ranks"] == seats["rank"].tolist()


def test_H03_two_games_interleaved_are_the_games_alone() -> None:
    """Two games go on in one process, a choice each in turn, a third seat's chance in between."""
    alone = []
    for deal in (0, 1):
        position, rng = m.new_game("standard", players=3, seed=1, deal=deal), Stream(deal)
        while m.advance(position):
            m.apply(position, rng.choice(m.legal_actions(position)))
        alone.append(position[0].pips[:3].tolist())
    positions = [m.new_game("standard", players=3, seed=1, deal=deal) for deal in (0, 1)]
    streams = [Stream(0), Stream(1)]
    going = [True, True]
    while any(going):
        for k in (0, 1):
            going[k] = going[k] and m.advance(positions[k]) > 0
            if going[k]:
                m.apply(positions[k], streams[k].choice(m.legal_actions(positions[k])))
    assert [position[0].pips[:3].tolist() for position in positions] == alone


def test_H03_rollouts_of_a_chance_policy_differ() -> None:
    outcomes = set()
    for k in range(1000):
        position, rng = m.new_game("standard", players=2, seed=1), Stream(int(stream(k, SEAT, 0, 0, 0)))
        for _ in range(6):
            if m.advance(position):
                m.apply(position, rng.choice(m.legal_actions(position)))
        outcomes.add(position.tobytes())
    assert len(outcomes) > 100


# ── Nothing lost ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("agents", "players", "preset"),
    [(QUICK, 4, "standard"), (QUICK, 2, "cardinal"), (["random", "greedy"], 10, "trainyard"), (QUICK, 5, "trainyard")],
)
def test_K25_every_game_that_starts_is_in_the_tables(agents: list[str], players: int, preset: str) -> None:
    t = plan(agents, preset, players=players, deals=3, seed=2)
    made = m.tournament(agents, preset, players=players, deals=3, seed=2, jobs=1)
    games, rounds = made.games, made.rounds
    assert len(games) == t.schedule.n_games * players
    assert len(rounds) == t.n_rounds * players
    assert games["game"].nunique() == t.schedule.n_games
    assert not games.duplicated(["match", "deal", "seating", "seat"]).any()
    assert np.allclose(games.groupby("game")["win"].sum(), 1)
    assert np.allclose(games.groupby("game")["rounds_won"].sum(), t.rules.rounds)
    assert set(rounds["end"]) <= {"out", "blocked"}
    assert (rounds.loc[rounds["went_out"], "pips"] == 0).all()
    assert (
        rounds.groupby(["game", "round"])["went_out"].sum()
        == (rounds.groupby(["game", "round"])["end"].first() == "out")
    ).all()
    totals = rounds.groupby(["game", "seat"])["pips"].sum().sort_index()
    assert (totals == games.set_index(["game", "seat"])["score"].sort_index()).all()


def test_H17_one_agent_in_all_seats() -> None:
    made = m.tournament(["random"], players=4, deals=2000, seed=5, jobs=1)
    row = made.standings.iloc[0]
    assert pd.isna(row["diff"])
    assert "no other agent" in row["note"]
    seats = made.seats[made.seats["effect"] == "seat"]
    assert ((seats["win_lo"] < 0.25) & (seats["win_hi"] > 0.25)).sum() >= 3
    assert ((seats["lo"] < 0) & (seats["hi"] > 0)).sum() >= 3


def test_H21_copies_of_one_agent_are_equal_within_their_intervals() -> None:
    made = m.tournament([f"{name}@random" for name in "abcd"], players=4, deals=150, seed=6, jobs=1)
    table = made.standings
    assert ((table["diff_lo"] < 0) & (table["diff_hi"] > 0)).sum() >= 3
    assert ((table["win_lo"] < 0.25) & (table["win_hi"] > 0.25)).sum() >= 3
    assert np.isclose(table["win"].sum(), 1)
    assert np.isclose(table["diff"].sum(), 0)


def test_H25_two_agents_of_one_name_are_told_apart() -> None:
    made = m.tournament(["greedy", "greedy:own=5", "own@greedy:own=5,ties=follow"], players=3, deals=3, seed=1, jobs=1)
    assert set(made.standings["agent"]) == {"greedy", "greedy:own=5", "own"}
    assert made.manifest.parameters["own"] == {"own": 5.0, "ties": "follow"}
    assert set(made.games["agent"].unique()) == {"greedy", "greedy:own=5", "own"}


def test_what_will_be_played_is_said_in_good_numbers():
    once = plan(["greedy"], players=2, deals=1, seed=1, changes={"rounds": 1})
    assert once.sentence() == "1 line-up × 1 deal × 1 seating = 1 game of 1 round, 2 seats"
    often = plan(["greedy", "random", "double-holder"], players=2, deals=4000, seed=1)
    assert often.sentence() == "3 line-ups × 4,000 deals × 2 seatings = 24,000 games of 13 rounds, 2 seats"


def test_H26_only_whole_blocks(tmp_path: Path) -> None:
    ran = mtrain("tournament", *QUICK, "b@random", "--games", "10", "--out", str(tmp_path / "o"), "--jobs", "1")
    assert ran.returncode == 0
    assert "10 games asked for; only whole blocks count, so 24 are played" in ran.stderr
    assert "= 24 games" in ran.stderr
    assert read(tmp_path / "o").games["game"].nunique() == 24


def test_H27_one_worker_is_one_process(tmp_path: Path) -> None:
    body = "import os\ndef agent(obs, actions, rng):\n    with open({pids!r}, 'a') as file:\n"
    body += "        print(os.getpid(), file=file)\n    return actions[0]\n"
    (tmp_path / "who.py").write_text(body.format(pids=str(tmp_path / "pids")), encoding="utf-8")
    m.tournament(["who", "random"], players=2, deals=2, rounds=1, seed=1, jobs=1, agents_from=[tmp_path / "who.py"])
    assert {int(line) for line in (tmp_path / "pids").read_text().split()} == {os.getpid()}


def test_the_results_of_an_object_live_as_long_as_it() -> None:
    made = m.tournament(["random", "greedy"], players=2, deals=2, rounds=1, seed=1, jobs=1)
    path = made.path
    assert path.is_dir()
    del made
    assert not path.exists()


def test_the_manifest_says_what_was_played(tmp_path: Path) -> None:
    run(
        plan(["random", "x@mc:worlds=2"], "pinecone", changes={"rounds": 2}, players=3, deals=2, seed=8),
        tmp_path / "o",
        jobs=1,
    )
    said = json.loads((tmp_path / "o" / "manifest.json").read_text())
    assert said["agents"] == {"random": "random", "x": "mc:worlds=2"}
    assert said["parameters"]["x"].items() >= {"worlds": 2, "rollout": "planner", "objective": "pips"}.items()
    assert (said["rules"]["rounds"], said["players"], said["seed"], said["deals"]) == (2, 3, 8, 2)
    assert said["lineups"] == [["random", "random", "x"], ["random", "x", "x"]]
    assert (said["games"], said["finished"], said["warnings"]) == (12, True, [])
    assert {"mtrain", "numba", "numpy"} <= set(said["versions"])


# ── Who meets whom ────────────────────────────────────────────────────────────────────────────────────────


def test_a_gauntlet_is_one_against_three_and_its_numbers_are_per_seat() -> None:
    made = m.tournament(["greedy", "random", "b@random"], focus="greedy", deals=60, seed=4, jobs=1, rounds=2)
    assert made.manifest.schedule == "gauntlet"
    assert made.manifest.lineups == [["greedy", *["random"] * 3], ["greedy", *["b"] * 3]]
    games, rounds = made.games, made.rounds
    assert games.groupby(["match", "deal"])["game"].nunique().eq(4).all()
    table = made.standings.set_index("agent")
    mine, theirs = games[games["agent"] == "greedy"], games[games["agent"] != "greedy"]
    assert len(theirs) == 3 * len(mine)
    assert np.isclose(table.loc["greedy", "win"], mine["win"].mean())
    assert np.isclose(table.loc["greedy", "round_wins"], mine["rounds_won"].mean() / 2)
    assert np.isclose(table.loc["greedy", "pips"], mine["score"].mean() / 2)
    assert np.isclose(table.loc["greedy", "diff"], (mine["score"].mean() - theirs["score"].mean()) / 2)
    first = theirs[theirs["agent"] == "random"]
    assert np.isclose(
        table.loc["random", "diff"], (first["score"].mean() - mine[mine["match"] == 0]["score"].mean()) / 2
    )
    out = rounds[rounds["agent"] == "greedy"]["went_out"].mean()
    assert np.isclose(table.loc["greedy", "out"], out)
    assert table.loc["greedy", "out_lo"] < out < table.loc["greedy", "out_hi"]
    assert out < table.loc["greedy", "round_wins"]
    seated = {"greedy": 1, "random": 1.5, "b": 1.5}  # seats at a table of the two kinds, on the average
    assert np.isclose(sum(table.loc[name, "win"] * n for name, n in seated.items()), 1)


def test_copies_that_fill_the_table_are_worth_a_quarter_each() -> None:
    made = m.tournament(["a@random", "b@random"], focus="a", deals=150, seed=6, jobs=1)
    row = made.standings.set_index("agent").loc["a"]
    for name in ("win", "round_wins"):
        assert row[f"{name}_lo"] < 0.25 < row[f"{name}_hi"]
    assert row["diff_lo"] < 0 < row["diff_hi"]
    assert row["win_hi"] - row["win_lo"] < 0.1


def test_listed_line_ups_of_other_sizes_of_blocks_are_whole(tmp_path: Path) -> None:
    lineups = [["greedy", "random", "random", "random"], ["random", "greedy", "greedy", "x"]]
    made = []
    for jobs in (1, 2):
        t = plan(["random", "greedy", "x@double-holder"], lineups=lineups, deals=5, seed=4, changes={"rounds": 2})
        assert "2 line-ups × 5 deals × 4–12 seatings = 80 games" in t.sentence()
        run(t, tmp_path / str(jobs), jobs=jobs)
        made.append(tables(tmp_path / str(jobs)))
    assert made[0] == made[1]
    results = read(tmp_path / "1", fresh=True)
    assert results.standings.equals(read(tmp_path / "2").standings)
    assert sorted(results.games["game"].unique()) == list(range(80))
    assert results.manifest.schedule == "lineups"
    assert results.manifest.lineups == [
        ["random", "random", "random", "greedy"],
        ["random", "greedy", "greedy", "x"],
    ]
    assert results.games.groupby("match")["deal"].nunique().tolist() == [5, 5]
    assert results.games.groupby("deal")["match"].nunique().eq(1).all()


def test_line_ups_on_the_command_line_and_in_a_file_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(
        'question = "x?"\nagents = ["greedy:own=5.0,ties=follow", "random"]\nseed = 1\ndeals = 2\n'
        'lineups = [["random", "greedy:own=5,ties=follow", "random", "random"]]\n[set]\nrounds = 1\n'
    )
    call = ["tournament", "greedy:own=5.0,ties=follow", "random", "--seed", "1", "--deals", "2", "--set", "rounds=1"]
    call += ["--lineup", "greedy:own=5,ties=follow random random random", "--out", "a"]
    assert mtrain(*call, cwd=tmp_path).returncode == 0
    assert mtrain("run", "x.toml", "--out", "b", cwd=tmp_path).returncode == 0
    assert tables(tmp_path / "a") == tables(tmp_path / "b")


# ── Refused before play ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ({"agents": []}, "at least one agent"),
        ({"agents": ["greddy"]}, "did you mean 'greedy'"),
        ({"agents": ["greedy", "greedy"]}, "two agents are called 'greedy'; give them labels"),
        ({"agents": ["x@greedy", "x@random"]}, "two agents are called 'x'"),
        ({"rules": "standart"}, "unknown rules 'standart'; did you mean 'standard'?"),
        ({"changes": {"round": 3}}, "unknown rule 'round'; did you mean 'rounds'?"),
        ({"changes": {"rounds": 14}}, "rounds is 14, but at most 13 can be played"),
        ({"players": 9}, "players goes from 2 to 8 in these rules, not 9"),
        ({"players": 1}, "players goes from 2 to 8"),
        ({"players": "4"}, "players is a whole number"),
        ({"players": 7, "changes": {"hand_size": 15}}, "hand_size cannot be dealt: 7 players × 15 tiles need 105"),
        ({"deals": 0}, "deals is a whole number, 1 or more, not 0"),
        ({"games": -1}, "games is a whole number, 1 or more, not -1"),
        ({"seed": -1}, "seed is a whole number, 0 or more, not -1"),
        ({"seed": 1.5}, "seed is a whole number"),
        ({"deals": 2, "games": 2}, "give one"),
        ({"deals": 10**9}, "more than the tables can number"),
        ({"agents_from": ["nowhere"]}, "no agents at nowhere"),
        ({"focus": "greddy"}, "focus names 'greddy', which is none of the agents; did you mean 'greedy'?"),
        ({"agents": ["random"], "focus": "random"}, "the focus 'random' needs at least one other agent"),
        ({"focus": "random", "lineups": [["random"] * 4]}, "a focus and line-ups are two ways"),
        ({"lineups": [["random"] * 3 + ["mc"]]}, "'random random random mc' names 'mc', which is none of the agents"),
        ({"lineups": [["random", "greedy"]]}, "'random greedy' seats 2 agents, and a table has 4 seats"),
        ({"lineups": [["random"] * 4]}, "agent 'greedy' sits in no line-up"),
        ({"lineups": [["random", *["greedy"] * 3], [*["greedy"] * 3, "random"]]}, "is given twice"),
        ({"lineups": []}, "lineups is a list of line-ups, each a list of agents, not []"),
        ({"lineups": ["random greedy greedy greedy"]}, "lineups is a list of line-ups"),
        ({"lineups": [3]}, "lineups is a list of line-ups"),
        ({"lineups": [[["random"]] * 4]}, "names ['random'], which is none of the agents"),
        ({"on_fault": "viod"}, "unknown on_fault 'viod'; did you mean 'void'?"),
        ({"on_fault": "ignore"}, "unknown on_fault 'ignore'; choose from substitute, forfeit, void, stop"),
        ({"focus": ["random"]}, "focus names ['random'], which is none of the agents"),
    ],
)
def test_a_wrong_call_is_one_sentence(call: dict[str, object], sentence: str) -> None:
    with pytest.raises(UsageError) as said:
        plan(**({"agents": ["random", "greedy"], "players": 4} | call))  # type: ignore[arg-type]
    assert sentence in str(said.value)
    assert "\n" not in str(said.value)


def test_a_directory_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "dear.txt").write_text("dear")
    with pytest.raises(TournamentError, match="is not empty"):
        run(plan(QUICK, deals=1), tmp_path, jobs=1)
    assert [path.name for path in tmp_path.iterdir()] == ["dear.txt"]


@pytest.mark.parametrize("jobs", [0, -1, "2"])
def test_workers_are_counted_from_one(tmp_path: Path, jobs: object) -> None:
    with pytest.raises(TournamentError, match="jobs is a whole number, 1 or more"):
        run(plan(QUICK, deals=1), tmp_path / "o", jobs=jobs)  # type: ignore[arg-type]


def test_a_faulty_agent_stops_the_run_and_keeps_what_is_finished(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text(
        "def agent(obs, actions, rng):\n    assert obs.number < 3, 'tired'\n    return actions[0]\n"
    )
    where = ["--agents", str(tmp_path / "late.py"), "--out", str(tmp_path / "o"), "--on-fault", "stop"]
    ran = mtrain("tournament", "late", "random", "--players", "2", "--deals", "2", *where)
    assert ran.returncode == 1
    assert ran.stderr.count("mtrain: agent 'late' failed (deal ") == 1
    assert "AssertionError: tired" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert json.loads((tmp_path / "o" / "manifest.json").read_text())["finished"] is False


def test_a_fault_is_named_at_its_own_seat_among_many_games(tmp_path: Path) -> None:
    body = "def agent(obs, actions, rng):\n    assert obs.number < 2, f'round {obs.number}, seat {obs.turn}'\n    return actions[-1]\n"
    (tmp_path / "where.py").write_text(body)
    with pytest.raises(m.Fault) as said:
        m.tournament(
            ["where"], players=4, deals=40, seed=3, jobs=1, on_fault="stop", agents_from=[tmp_path / "where.py"]
        )
    told, found = str(said.value).split(": AssertionError: ")
    assert found in told


def test_a_bot_that_exits_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "gone.py").write_text("import sys\ndef agent(obs, actions, rng):\n    sys.exit(0)\n")
    with pytest.raises(m.Fault, match="SystemExit"):
        m.tournament(
            ["gone", "random"], players=2, deals=1, jobs=1, on_fault="stop", agents_from=[tmp_path / "gone.py"]
        )


def test_a_finished_run_with_a_part_missing_is_refused(tmp_path: Path) -> None:
    run(plan(QUICK, players=3, deals=40, seed=5), tmp_path / "a", jobs=1)
    before = (tmp_path / "a" / "standings.parquet").read_bytes()
    (tmp_path / "a" / "games.parquet" / "part-00001.parquet").unlink()
    with pytest.raises(
        UsageError, match="of 40 blocks, though its manifest says that it is finished: parts are missing"
    ):
        report(tmp_path / "a")
    assert (tmp_path / "a" / "standings.parquet").read_bytes() == before


def test_an_unfinished_run_says_so(tmp_path: Path) -> None:
    run(plan(QUICK, players=3, deals=40, seed=5), tmp_path / "a", jobs=1)
    manifest = tmp_path / "a" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"finished": true', '"finished": false'))
    for table in ("games", "rounds"):
        (tmp_path / "a" / f"{table}.parquet" / "part-00001.parquet").unlink()
    assert any("the run was not finished" in warning for warning in read(tmp_path / "a", fresh=True).warnings)


def test_figures_say_the_unit_that_the_rules_score_in(tmp_path: Path) -> None:
    run(plan(["random", "$x$@greedy"], "cardinal", players=2, deals=3, seed=5), tmp_path / "a", jobs=1)
    svg = [path.read_text() for path in report(tmp_path / "a") if path.suffix == ".svg"]
    assert any("tiles/round" in text for text in svg)
    assert not any("pips" in text for text in svg)


@pytest.mark.parametrize(
    "call", [{"agents": "greedy"}, {"rules": {"rounds": 3}}, {"seed": None}, {"agents": ["a\nb@greedy"]}]
)
def test_values_of_the_wrong_kind_are_one_sentence(call: dict[str, object]) -> None:
    with pytest.raises(UsageError, match=r"is a|is made of"):
        plan(**({"agents": ["random", "greedy"]} | call))  # type: ignore[arg-type]


# ── Experiments ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", sorted((HERE / "experiments").glob("*.toml")), ids=lambda path: path.stem)
def test_every_experiment_can_be_played(path: Path) -> None:
    experiment = read_experiment(path)
    assert experiment.question.endswith("?")
    assert sum(t.schedule.n_games for t in experiment.parts.values()) >= 1000


def test_the_demo_is_at_least_two_thousand_games_of_the_four_agents() -> None:
    t = read_experiment(HERE / "experiments" / "first.toml").parts[""]
    assert {agent.name for agent in t.agents} == {"random", "greedy", "double-holder", "planner"}
    assert t.schedule.n_games >= 2000


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('question = "x?"\nagents = ["random"]\nsed = 1\n', "unknown key 'sed'; did you mean 'seed'?"),
        ('question = "x?"\nagents = "random"\nseed = 1\n', "agents is a list of texts, not 'random'"),
        ('question = "x?"\nagents = ["random", 3]\nseed = 1\n', "agents is a list of texts"),
        ('question = "x?"\nagents = ["random"]\nseed = true\n', "seed is a whole number, not True"),
        ('agents = ["random"]\nseed = 1\n', "the key 'question' is missing"),
        ("question = ", "is not TOML"),
        ('question = "x?"\nagents = ["random"]\nseed = 1\nlineups = ["random"]\n', "a list of lists of texts"),
        ('question = "x?"\nagents = ["random"]\nseed = 1\n[set]\nroundz = 1\n', "unknown rule 'roundz'"),
    ],
)
def test_a_wrong_experiment_is_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    (tmp_path / "x.toml").write_text(text)
    with pytest.raises(UsageError) as said:
        read_experiment(tmp_path / "x.toml")
    assert sentence in str(said.value)


def test_an_experiment_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match="cannot be read"):
        read_experiment(tmp_path / "none.toml")


def test_an_experiment_brings_its_agents_and_draws_its_figures(tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "mine.py").write_text(RANDOM_PYTHON)
    (tmp_path / "ask.toml").write_text(
        'question = "Is mine random?"\nagents = ["mine", "random"]\nagents_from = ["bots"]\nplayers = 2\ndeals = 3\nseed = 1\n'
        "[set]\nrounds = 2\n"
    )
    ran = mtrain("run", "ask.toml", "--quiet", "--jobs", "1", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "Is mine random?" in ran.stdout
    assert (tmp_path / "results" / "ask" / "figures" / "standings.png").is_file()
    assert mtrain("run", "ask.toml", cwd=tmp_path).returncode == 2
