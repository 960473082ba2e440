"""Faults: a bot that fails costs only itself, every fault is a row, and its game can be seen again."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mtrain as m
from mtrain.arena.driver import record_game
from mtrain.arena.experiment import read_experiment
from mtrain.arena.faults import FORFEIT, POLICIES, SUBSTITUTE, VOID, words
from mtrain.arena.play import ROW, Games, play
from mtrain.arena.reproduce import again
from mtrain.arena.run import run
from mtrain.arena.spec import plan
from mtrain.bots.agent import SINGLE, AgentSpec, Bot
from mtrain.bots.faults import ENDING, KINDS, TIMEOUT, Unasked
from mtrain.bots.registry import Registry, build
from mtrain.game.rules import preset
from mtrain.report.page import report
from mtrain.stats import estimates, ratings
from mtrain.stats.results import read
from tests.helpers.program import mtrain

# Bots that fail over more than five legal actions, each in its way, and else take the first.
FAILING = {
    "raises": "def agent(obs, actions, rng):\n    if len(actions) > 5:\n        raise ValueError('too many')\n",
    "exits": "import sys\ndef agent(obs, actions, rng):\n    if len(actions) > 5:\n        sys.exit(3)\n",
    "cheats": "def agent(obs, actions, rng):\n    if len(actions) > 5:\n        return 7\n",
    "talks": "def agent(obs, actions, rng):\n    if len(actions) > 5:\n        return 'pass'\n",
    "batched": """from dataclasses import dataclass
@dataclass(frozen=True)
class Agent:
    def act_batch(self, obs, actions, streams):
        if (obs["n_legal"] > 5).any():
            raise ValueError("too many")
        return actions[:, 0]
""",
    "compiled": """import mtrain as m
@m.compiled
def agent(obs, own):
    if obs.n_legal > 5:
        raise ValueError("too many")
    return m.nth_action(obs, 0)
""",
    "zero": """import mtrain as m
@m.compiled
def agent(obs, own):
    return 0 if obs.n_legal > 5 else m.nth_action(obs, 0)
""",
}
ALWAYS = "def agent(obs, actions, rng):\n    raise RuntimeError('no')\n"
# Plays as `greedy` does, but for one thing.
LIKE_GREEDY = """import mtrain as m
from mtrain.strategy.policies import greedy_policy
@m.compiled
def agent(obs, own):
    if obs.number == 1 and obs.n_legal > 9:
        raise ValueError("too many")
    return greedy_policy(obs, own)
"""


@pytest.fixture(scope="module")
def bots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bots")
    for name, body in FAILING.items():
        whole = body if "return actions" in body or "compiled" in body else body + "    return actions[0]\n"
        (folder / f"{name}.py").write_text(whole, encoding="utf-8")
    (folder / "always.py").write_text(ALWAYS, encoding="utf-8")
    (folder / "like_greedy.py").write_text(LIKE_GREEDY, encoding="utf-8")
    return folder


def dealt(n: int, players: int) -> Games:
    """`n` games, one agent against another."""
    who = np.tile((np.arange(players) > 0).astype(np.int64), (n, 1))
    return Games(np.arange(n), np.zeros(n, np.int64), np.arange(n) % players, who)


def plain(function: object, name: str = "made") -> Bot:
    """A bot from a function of this file."""
    return Bot(AgentSpec(name, name, (), ""), SINGLE, function, np.zeros(16))  # type: ignore[arg-type]


def tables(folder: Path) -> dict[str, bytes]:
    files = sorted(path for path in folder.rglob("*.parquet") if path.is_file() and path.name != "timing.parquet")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


# ── What the others notice: nothing ───────────────────────────────────────────────────────────────────────


def test_H30_however_an_agent_fails_its_rivals_meet_the_same_games(bots: Path) -> None:
    """A bot that fails at the same places in seven ways: the rounds are the same rows, whoever is asked how."""
    made = {}
    for name in FAILING:
        made[name] = m.tournament(
            [f"x@{name}", "greedy", "random"], players=3, deals=4, rounds=2, seed=5, jobs=1, agents_from=[bots]
        )
    first = made["raises"]
    assert len(first.faults) > 10
    for name, results in made.items():
        pd.testing.assert_frame_equal(results.rounds, first.rounds, obj=name)
        pd.testing.assert_frame_equal(results.games, first.games, obj=name)
        assert results.faults["decision"].tolist() == first.faults["decision"].tolist()
        assert results.manifest.on_fault == "substitute"
    kinds = {name: set(results.faults["kind"]) for name, results in made.items()}
    assert kinds == {
        "raises": {"raised"},
        "exits": {"raised"},
        "cheats": {"illegal"},
        "talks": {"garbage"},
        "batched": {"raised"},
        "compiled": {"raised"},
        "zero": {"illegal"},
    }
    assert set(made["batched"].faults["what"]) == {"ValueError: too many"}
    assert set(made["exits"].faults["what"]) == {"SystemExit: 3"}
    assert set(made["zero"].faults["what"]) == {"answered 0"}
    assert set(made["compiled"].faults["what"]) == {"ValueError: too many"}


def test_H30_a_fault_moves_no_deal_and_no_chance_but_its_own(bots: Path) -> None:
    """Up to the first fault the game is the healthy one; after it the cards are, in every round."""
    whole = plain(lambda obs, actions, rng: actions[0])
    team = [build(Registry([bots]).parse(name)) for name in ("raises", "random", "greedy")]
    seen = []
    made = [
        record_game(
            preset("standard", rounds=3),
            [first, *team[1:]],
            seed=2,
            game=1,
            starter=0,
            on_fault=SUBSTITUTE,
            see=lambda failure, _: seen.append(failure),
        )
        for first in (whole, team[0])
    ]
    assert seen
    for one, other in zip(*(record["rounds"] for record in made), strict=True):
        assert (one["hands"], one["boneyard"], one["starter"]) == (other["hands"], other["boneyard"], other["starter"])
    before = seen[0].round - 1
    assert made[0]["rounds"][:before] == made[1]["rounds"][:before]
    assert made[0]["rounds"] != made[1]["rounds"]


def test_H28_bots_of_every_kind_in_one_tournament_cost_only_themselves(bots: Path, tmp_path: Path) -> None:
    t = plan([*FAILING, "always", "greedy"], players=2, deals=2, seed=3, agents_from=[bots], changes={"rounds": 1})
    made = run(t, tmp_path / "o", jobs=1)
    assert len(made.games) == t.schedule.n_games * 2
    failures = made.failures.set_index("agent")
    assert set(failures.index) == {*FAILING, "always"}
    assert made.games["faults"].sum() == len(made.faults) == failures["faults"].sum()
    counted = made.games.groupby("agent", observed=False)["faults"].sum()
    assert {name: int(counted[name]) for name in failures.index} == failures["faults"].to_dict()
    shown = made.faults.iloc[0]
    assert made.games.query("game == @shown.game and seat == @shown.seat")["agent"].item() == shown["agent"]
    np.testing.assert_allclose(made.games.groupby("game")["win"].sum(), 1)
    assert read(tmp_path / "o", fresh=True).failures.equals(made.failures)


def test_H29_ten_faults_are_ten_rows_and_the_games_are_as_many() -> None:
    places = {3, 4, 50, 77, 100, 101, 102, 150, 200, 231}
    calls = []

    def choose(obs: np.record, actions: tuple[int, ...], rng: object) -> int:
        calls.append(len(calls))
        if calls[-1] in places:
            raise OSError(f"call {calls[-1]}")
        return actions[0]

    other = plain(lambda obs, actions, rng: actions[-1])
    played = play(preset("standard", rounds=2), [plain(choose), other], dealt(12, 3), 1, SUBSTITUTE)
    assert len(calls) > max(places)
    assert sorted(failure.what for failure in played.failures) == sorted(f"OSError: call {k}" for k in places)
    assert len(played.rows) == 12
    healthy = play(preset("standard", rounds=2), [other, other], dealt(12, 3), 1)
    assert (played.rows[..., ROW.index("turns")] > 0).all() == (healthy.rows[..., ROW.index("turns")] > 0).all()


@pytest.mark.parametrize("at", [0, 5], ids=["first", "last"])
def test_a_fault_at_the_end_of_a_batch_stays_in_its_game(bots: Path, at: int) -> None:
    """Game `at` is the only one that seat 1 starts; a compiled bot, asked inside the kernel, fails there alone."""
    body = LIKE_GREEDY.replace("obs.number == 1 and obs.n_legal > 9", "obs.number == 1 and obs.starter == 1")
    (bots / "_there.py").write_text(body, encoding="utf-8")
    faulty = build(Registry([bots / "_there.py"]).parse("-there"))
    greedy = build(Registry().parse("greedy"))
    games = dealt(6, 2)
    games.starter[:] = 0
    games.starter[at] = 1
    played = play(preset("standard", rounds=1), [faulty, greedy], games, 4, SUBSTITUTE)
    healthy = play(preset("standard", rounds=1), [greedy, greedy], games, 4)
    assert {failure.game for failure in played.failures} == {at}
    others = np.arange(6) != at
    assert (played.rows[others] == healthy.rows[others]).all()


def test_H01_the_same_bytes_with_one_two_and_three_workers(bots: Path, tmp_path: Path) -> None:
    made = []
    for jobs in (1, 2, 3):
        t = plan(
            ["raises", "batched", "compiled", "random"],
            players=2,
            deals=16,
            seed=9,
            agents_from=[bots],
            changes={"rounds": 1},
        )
        run(t, tmp_path / str(jobs), jobs=jobs)
        made.append(tables(tmp_path / str(jobs)))
    assert any(name.startswith("faults.parquet/") for name in made[0])
    assert made[0] == made[1] == made[2]


def test_plain_python_gives_the_same_bytes(bots: Path, tmp_path: Path) -> None:
    call = ["tournament", "compiled", "zero", "--players", "2", "--deals", "3", "--set", "rounds=1", "--jobs", "1"]
    for name, environment in (("jit", {}), ("plain", {"NUMBA_DISABLE_JIT": "1"})):
        ran = mtrain(*call, "--agents", str(bots), "--out", name, cwd=tmp_path, **environment)
        assert ran.returncode == 0, ran.stderr
        assert "Exception ignored" not in ran.stderr
    assert len(read(tmp_path / "jit").faults)
    assert tables(tmp_path / "jit") == tables(tmp_path / "plain")


# ── Policies ──────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("policy", [SUBSTITUTE, FORFEIT, VOID])
def test_sums_hold_under_every_policy(bots: Path, policy: str) -> None:
    made = m.tournament(
        ["compiled", "raises", "greedy"],
        "cardinal",
        players=3,
        deals=6,
        rounds=3,
        seed=5,
        jobs=1,
        agents_from=[bots],
        on_fault=policy,
    )
    assert len(made.faults)
    np.testing.assert_allclose(made.games.groupby("game")["win"].sum(), 1)
    np.testing.assert_allclose(made.games.groupby("game")["rounds_won"].sum(), 3, rtol=1e-5)
    pips = made.rounds.groupby(["game", "seat"])["pips"].sum()
    assert pips.tolist() == made.games.sort_values(["game", "seat"])["score"].tolist()
    assert made.manifest.on_fault == policy


def test_H30_forfeits_are_ranked_last_and_their_rivals_keep_what_they_have(bots: Path) -> None:
    call = {"players": 3, "deals": 6, "rounds": 3, "seed": 5, "jobs": 1, "agents_from": [bots]}
    made = m.tournament(["compiled", "greedy", "random"], on_fault="forfeit", **call)  # type: ignore[arg-type]
    void = m.tournament(["compiled", "greedy", "random"], on_fault="void", **call)  # type: ignore[arg-type]
    failed = made.games["faults"] > 0
    assert 0 < failed.sum() < len(made.games) / 3
    assert set(made.games.loc[failed, "agent"]) == {"compiled"}
    assert (made.games.loc[failed, "rank"] == 3).all()
    assert (made.games.loc[failed, "win"] == 0).all()
    assert (made.games.loc[failed, "rounds_won"] == 0).all()
    assert made.games.loc[~failed, "score"].equals(void.games.loc[~failed, "score"])
    most = made.rounds.groupby(["game", "round"])["pips"].transform("max")
    rows = made.rounds.merge(made.games[["game", "seat", "faults"]], on=["game", "seat"])
    assert (made.rounds["pips"] == most)[rows["faults"].to_numpy() > 0].all()


def test_one_process_ending_is_one_fault_a_game_and_the_stand_in_plays_it_out() -> None:
    """What ends a process costs the rest of the game; the next game asks again."""
    assert set(KINDS) > ENDING
    asked = []

    def choose(obs: np.record, actions: tuple[int, ...], rng: object) -> int:
        asked.append(int(obs.number))
        if obs.number == 2:
            raise Unasked(0, TIMEOUT, "no answer in 3 s")
        return actions[0]

    other = build(Registry().parse("random"))
    played = play(preset("standard", rounds=4), [plain(choose), other], dealt(5, 2), 1, SUBSTITUTE)
    assert [failure.game for failure in played.failures] == [0, 1, 2, 3, 4]
    assert {(failure.kind, failure.what) for failure in played.failures} == {(TIMEOUT, "no answer in 3 s")}
    assert asked.count(2) == 5
    assert max(asked) == 2
    decisions = played.rows[:, :, 0, ROW.index("decisions")]
    assert (decisions[:, 1] == 1).all()  # the one that was asked and not answered
    assert (decisions[:, 2:] == 0).all()
    assert played.decisions[0] == len(asked)


def test_void_gives_the_numbers_of_a_healthy_run_less_the_void_blocks(bots: Path) -> None:
    call = {"players": 3, "deals": 30, "rounds": 2, "seed": 8, "jobs": 1, "agents_from": [bots]}
    made = m.tournament(["x@like-greedy", "random", "double-holder"], on_fault="void", **call)  # type: ignore[arg-type]
    sound = m.tournament(["x@greedy", "random", "double-holder"], **call)  # type: ignore[arg-type]
    spoilt = set(made.faults["deal"])
    assert 2 < len(spoilt) < 25
    assert set(made.games.loc[made.games["void"], "deal"]) == spoilt
    assert set(made.rounds.loc[made.rounds["void"], "deal"]) == spoilt
    games, rounds = (frame[~frame["deal"].isin(spoilt)] for frame in (sound.games, sound.rounds))
    pd.testing.assert_frame_equal(made.standings, estimates.standings(games, rounds))
    pd.testing.assert_frame_equal(made.pairwise, estimates.pairwise(games))
    pd.testing.assert_frame_equal(made.seats, estimates.seats(games, rounds))
    pd.testing.assert_frame_equal(made.ratings, ratings.ratings(games))
    pd.testing.assert_frame_equal(made.by_round, estimates.by_round(rounds))
    pd.testing.assert_frame_equal(made.scores, estimates.scores(rounds))
    pd.testing.assert_frame_equal(made.standings, estimates.standings(made.games, made.rounds))
    pd.testing.assert_frame_equal(made.scores, estimates.scores(made.rounds))
    assert made.manifest.void == {"0": len(spoilt)}
    assert any(f"{len(spoilt)} of 30 blocks of match 0 (x, random, double-holder) are void" in w for w in made.warnings)


def test_a_run_that_is_void_as_a_whole_says_so_and_does_not_break(bots: Path, tmp_path: Path) -> None:
    call = ["tournament", "always", "greedy", "--players", "2", "--deals", "3", "--set", "rounds=1", "--jobs", "1"]
    ran = mtrain(*call, "--on-fault", "void", "--agents", str(bots), "--out", "o", "--figures", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "3 of 3 blocks of match 0 (always, greedy) are void" in ran.stderr
    assert "nan" not in ran.stdout
    assert "inf" not in ran.stdout
    made = read(tmp_path / "o", fresh=True)
    assert (made.standings["blocks"] == 0).all()
    assert made.standings["diff"].isna().all()
    assert [path.suffix for path in report(tmp_path / "o")].count(".svg") >= 5


# ── What is said ──────────────────────────────────────────────────────────────────────────────────────────


def test_H37_a_run_full_of_faults_says_so_loudly(bots: Path, tmp_path: Path) -> None:
    call = ["tournament", "always", "raises", "greedy", "--players", "3", "--deals", "4", "--set", "rounds=1"]
    ran = mtrain(*call, "--agents", str(bots), "--out", "o", "--jobs", "1", cwd=tmp_path)
    assert ran.returncode == 0
    assert "warning: agent 'always' failed in every one of its 24 games (" in ran.stderr
    assert "warning: agent 'raises' failed in " in ran.stderr
    assert "Traceback" not in ran.stderr
    first = read(tmp_path / "o").failures.set_index("agent")["game"]
    assert f"mtrain again o {first['always']}" in ran.stdout
    assert "RuntimeError: no" in ran.stdout
    assert "a legal action drawn by chance took the place" in ran.stdout
    said = json.loads((tmp_path / "o" / "manifest.json").read_text())["warnings"]
    assert sum("failed in" in sentence for sentence in said) == 2
    told = mtrain("report", "o", "--json", cwd=tmp_path)
    assert json.loads(told.stdout)[0]["agent"] == "greedy"
    assert "failed in every one" in told.stderr


def test_a_healthy_run_has_no_table_of_faults(tmp_path: Path) -> None:
    made = run(plan(["greedy", "random"], players=2, deals=2, seed=1), tmp_path / "o", jobs=1)
    assert made.faults.empty
    assert made.failures.empty
    assert made.manifest.void == {}
    assert not list((tmp_path / "o").glob("fa*"))


def test_a_lost_part_of_the_faults_is_missed(bots: Path, tmp_path: Path) -> None:
    t = plan(["always", "greedy"], players=2, deals=2, seed=1, agents_from=[bots], changes={"rounds": 1})
    made = run(t, tmp_path / "o", jobs=1)
    next((tmp_path / "o" / "faults.parquet").iterdir()).unlink()
    with pytest.raises(m.TournamentError.__mro__[1], match=r"holds [\d,]+ faults, and its games count"):
        _ = read(tmp_path / "o").faults
    assert len(made.faults)


class Rude(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("<thing object at 0x7f2ab3>"), "ValueError: <thing object at 0x…>"),
        (ValueError("a\n  b\tc"), "ValueError: a b c"),
        (ValueError(), "ValueError"),
        (Rude(), "Rude: (its message cannot be read)"),
        (ValueError("\ud800\x00"), "ValueError: \ufffd\ufffd"),
        (KeyError("x"), "KeyError: 'x'"),
    ],
)
def test_what_is_said_of_a_fault_is_one_line_the_same_everywhere(error: Exception, said: str) -> None:
    failed = Unasked(0)
    failed.__cause__ = error
    assert words(failed) == said
    failed.__cause__ = ValueError("x" * 10_000)
    assert len(words(failed)) < 200


def test_a_batch_that_fails_only_as_a_batch_is_charged_once(tmp_path: Path) -> None:
    body = FAILING["batched"].replace('(obs["n_legal"] > 5).any()', "len(obs) > 1").replace("too many", "crowd")
    (tmp_path / "shy.py").write_text(body, encoding="utf-8")
    shy = build(Registry([tmp_path]).parse("shy"))
    played = play(preset("standard", rounds=1), [shy, build(Registry().parse("random"))], dealt(4, 2), 1, SUBSTITUTE)
    assert played.failures
    assert len({(f.game, f.round, f.decision) for f in played.failures}) == len(played.failures)
    assert played.failures[0].game == 0
    assert "ValueError: crowd (asked about 4 games at once; about each alone it answers)" in {
        f.what for f in played.failures
    }


# ── Seen again ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("policy", [SUBSTITUTE, FORFEIT, VOID])
def test_H09_a_game_played_again_is_the_game_of_the_tables(bots: Path, tmp_path: Path, policy: str) -> None:
    agents = ["raises", "y@batched", "compiled", "greedy:own=2.123456789"]
    t = plan(agents, "pinecone", players=3, deals=1, seed=7, agents_from=[bots], on_fault=policy, changes={"rounds": 2})
    made = run(t, tmp_path / "o", jobs=1)
    faulty = set(made.faults["game"])
    assert faulty
    for number in range(0, t.schedule.n_games, 5):
        found = again(tmp_path / "o", number)
        assert (found.trouble, found.changed) == ("", [])
        rows = made.games[made.games["game"] == number].sort_values("seat")
        assert bool(found.faults) == (number in faulty)
        assert len(found.faults) == rows["faults"].sum()
        assert found.record is not None
        if policy != FORFEIT or number not in faulty:
            assert found.record["totals"] == rows["score"].tolist()
            assert found.record["ranks"] == rows["rank"].tolist()


def test_again_from_the_shell(bots: Path, tmp_path: Path) -> None:
    call = ["tournament", "compiled", "raises", "greedy", "--players", "3", "--deals", "3", "--set", "rounds=1"]
    assert mtrain(*call, "--agents", str(bots), "--out", "o", "--jobs", "1", cwd=tmp_path).returncode == 0
    made = read(tmp_path / "o")
    bad = made.faults.groupby("game")["kind"].size()
    number = str(made.faults.loc[made.faults["agent"] == "raises", "game"].iloc[0])
    ran = mtrain("again", "o", number, cwd=tmp_path)
    assert ran.returncode == 1
    assert len(ran.stdout.splitlines()) == 1
    assert json.loads(ran.stdout)["totals"] == made.game(int(number))["score"].tolist()
    assert "raises.py" in ran.stderr
    assert "Traceback (most recent call last)" in ran.stderr
    assert "mtrain: agent 'raises' failed (round 1, seat " in ran.stderr
    sound = next(str(k) for k in range(18) if k not in bad.index)
    shown = mtrain("again", "o", sound, "--show", cwd=tmp_path)
    assert shown.returncode == 0
    assert "failed" not in shown.stderr
    assert "places the engine" in shown.stdout or "engine 12-12" in shown.stdout
    assert mtrain("again", "o", sound, "--out", "g.jsonl", cwd=tmp_path).returncode == 0
    assert mtrain("replay", "g.jsonl", cwd=tmp_path).returncode == 0
    assert mtrain("again", "o", sound, "--out", "g.jsonl", cwd=tmp_path).returncode == 2
    gone = mtrain("again", "o", "99", cwd=tmp_path)
    assert (gone.returncode, gone.stderr) == (2, "mtrain: o has no game 99: games go from 0 to 17, not 99\n")
    assert mtrain("again", "nowhere", "0", cwd=tmp_path).returncode == 2


def test_a_stopped_run_names_the_command_that_shows_its_fault(bots: Path, tmp_path: Path) -> None:
    call = ["tournament", "always", "greedy", "--players", "2", "--deals", "2", "--on-fault", "stop", "--jobs", "1"]
    ran = mtrain(*call, "--agents", str(bots), "--out", "o", cwd=tmp_path)
    assert ran.returncode == 1
    command = ran.stderr.partition("`mtrain ")[2].partition("`")[0].split()
    assert command[:2] == ["again", "o"]
    found = mtrain(*command, cwd=tmp_path)
    assert (found.returncode, found.stdout) == (1, "")
    assert "RuntimeError: no" in found.stderr


def test_again_says_that_the_agent_has_changed(tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text("def agent(obs, actions, rng):\n    return actions[0]\n", encoding="utf-8")
    t = plan(["mine", "greedy"], players=2, deals=1, seed=1, agents_from=[bot])
    run(t, tmp_path / "o", jobs=1)
    bot.write_text("def agent(obs, actions, rng):\n    return actions[-1]\n", encoding="utf-8")
    ran = mtrain("again", str(tmp_path / "o"), "1")
    assert ran.returncode == 1
    assert "warning: the source file of agent 'mine' has changed since" in ran.stderr
    assert "game 1 went another way: totals" in ran.stderr


def test_H09_an_agent_that_uses_the_clock_marks_its_run(tmp_path: Path) -> None:
    (tmp_path / "late.py").write_text(
        "from dataclasses import dataclass\nfrom typing import ClassVar\n@dataclass(frozen=True)\nclass Agent:\n"
        "    uses_clock: ClassVar[bool] = True\n    def act(self, obs, actions, rng):\n        return actions[0]\n",
        encoding="utf-8",
    )
    t = plan(["late", "greedy"], players=2, deals=2, seed=1, agents_from=[tmp_path / "late.py"])
    made = run(t, tmp_path / "o", jobs=1)
    assert made.manifest.reproducible is False
    assert read(tmp_path / "o").warnings == ["late uses the clock: the same seed may give other games"]
    assert m.tournament(["greedy"], players=2, deals=1, seed=1, jobs=1).manifest.reproducible is True


def test_the_policy_is_in_an_experiment_too(bots: Path, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(
        f'question = "x?"\nagents = ["always", "greedy"]\nagents_from = ["{bots}"]\nseed = 1\nplayers = 2\n'
        'deals = 1\non_fault = "forfeit"\n[set]\nrounds = 1\n',
        encoding="utf-8",
    )
    made = run(read_experiment(tmp_path / "x.toml").parts[""], tmp_path / "o", jobs=1)
    assert made.manifest.on_fault == "forfeit"
    assert (made.games.loc[made.games["agent"] == "always", "rank"] == 2).all()
    assert POLICIES == ("substitute", "forfeit", "void", "stop")
