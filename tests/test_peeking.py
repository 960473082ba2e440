"""Agents that peek: they see what is hidden, no other does; they play only where they may, and are marked everywhere."""

import json
from pathlib import Path

import numpy as np
import pytest

import mtrain as m
from mtrain.arena.conformance import check_agent
from mtrain.arena.driver import record_game
from mtrain.arena.experiment import read_experiment
from mtrain.arena.play import Games, play
from mtrain.bots.agent import AgentError
from mtrain.bots.registry import Registry, build
from mtrain.game.rules import preset
from tests.helpers.program import mtrain

# Three ways to write an agent that answers legally only if it sees the others' hands (or, with `sees` = 0, only if not).
KERNEL = """
from dataclasses import dataclass
import numpy as np
from mtrain import compiled, nth_action

def choose(obs, own):
    held = 0
    for seat in range(np.int64(obs.n_seats)):
        for v in range(13):
            if seat != obs.turn and obs.hand[seat, v] != 0:
                held = 1
    for seat in range(np.int64(obs.n_seats)):
        if obs.stream[seat] != 0:
            return 0
    return nth_action(obs, 0) if held == own.params[0] else 0

@dataclass(frozen=True)
class Agent:
    sees: int = {sees}
    peeks = {peeks}
    kernel = compiled(choose)
"""
SINGLE = """
def agent(obs, actions, rng):
    others = [obs.hand[seat].any() for seat in range(obs.n_seats) if seat != obs.turn]
    assert any(others) == bool(obs.deck.any()) == bool({sees})
    assert not obs.stream.any()
    return actions[0]

agent.peeks = {peeks}
"""
BATCH = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Agent:
    peeks = {peeks}

    def act_batch(self, obs, actions, streams):
        assert obs["deck"].any(1).all() == bool({sees}) and obs["deck"].any() == bool({sees})
        assert not obs["stream"].any()
        return actions[:, 0]
"""
KINDS = {"in-kernel": KERNEL, "single": SINGLE, "batch": BATCH}
CALL = ["--players", "3", "--deals", "2", "--set", "rounds=1"]


@pytest.fixture
def bots(tmp_path: Path) -> Path:
    """A folder with a peeking and a plain agent of every kind, each of which would fail if it saw the wrong thing."""
    folder = tmp_path / "bots"
    folder.mkdir()
    for kind, body in KINDS.items():
        (folder / f"{kind}-seer.py").write_text(body.format(sees=1, peeks=True), encoding="utf-8")
        (folder / f"{kind}-plain.py").write_text(body.format(sees=0, peeks=False), encoding="utf-8")
    return folder


@pytest.mark.parametrize("kind", list(KINDS))
def test_who_peeks_sees_the_hands_and_who_does_not_never_does(bots: Path, kind: str) -> None:
    registry = Registry([bots])
    mixed = [build(registry.parse(f"{name}-{what}")) for name in KINDS for what in ("seer", "plain")]
    mine = [build(registry.parse(f"{kind}-{what}")) for what in ("seer", "plain")]
    assert [bot.peeks for bot in mine] == [True, False]
    n = 12
    for team in (mine, mixed):
        who = np.arange(n * 4).reshape(n, 4) % len(team)
        games = Games(
            np.arange(n), np.zeros(n, np.int64), np.arange(n) % 4, np.random.default_rng(1).permuted(who, axis=1)
        )
        played = play(preset("pinecone", rounds=2), team, games, 1)
        assert (played.decisions > 0).all()


@pytest.mark.parametrize("kind", list(KINDS))
def test_the_wrong_way_round_every_kind_fails(tmp_path: Path, kind: str) -> None:
    """The agents above do tell the two cases apart."""
    for sees, peeks in ((1, False), (0, True)):
        path = tmp_path / f"odd{sees}.py"
        path.write_text(KINDS[kind].format(sees=sees, peeks=peeks), encoding="utf-8")
        bot = build(Registry([path]).parse(f"odd{sees}"))
        games = Games(np.arange(1), np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros((1, 3), np.int64))
        with pytest.raises(m.Fault, match=r"answered 0|AssertionError"):
            play(preset("standard"), [bot], games, 1)


def test_they_see_in_a_recorded_game_too_and_the_record_is_marked(bots: Path) -> None:
    registry = Registry([bots])
    team = [build(registry.parse(name)) for name in ("single-seer", "single-plain", "in-kernel-seer")]
    record = record_game(preset("standard", rounds=1), team, seed=1, game=0, starter=0)
    assert record["agents"] == ["single-seer (peeks)", "single-plain", "in-kernel-seer (peeks)"]


def test_peeking_may_be_a_parameter(tmp_path: Path) -> None:
    body = "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Agent:\n    open: bool = False\n"
    body += "    @property\n    def peeks(self):\n        return self.open\n"
    body += "    def act(self, obs, actions, rng):\n        assert bool(obs.deck.any()) == self.open\n        return actions[0]\n"
    (tmp_path / "both.py").write_text(body, encoding="utf-8")
    call = {"players": 2, "deals": 1, "rounds": 1, "jobs": 1, "agents_from": [tmp_path / "both.py"]}
    made = m.tournament(["both", "both:open=yes"], allow_peeking=True, **call)
    assert set(made.standings["agent"]) == {"both", "both:open=true (peeks)"}
    with pytest.raises(AgentError, match="agent 'both:open=true' peeks"):
        m.tournament(["both", "both:open=yes"], **call)


@pytest.mark.parametrize(
    "call",
    [
        ["tournament", "single-seer", "random", *CALL, "--out", "o"],
        ["record", "single-seer", "random", "--out", "o"],
        ["check-agent", "single-seer"],
        ["run", "x.toml", "--out", "o"],
    ],
)
def test_they_are_refused_without_the_flag(tmp_path: Path, bots: Path, call: list[str]) -> None:
    (tmp_path / "x.toml").write_text(
        'question = "x?"\nagents = ["single-seer", "random"]\nagents_from = ["bots"]\nseed = 1\n', encoding="utf-8"
    )
    where = [] if call[0] == "run" else ["--agents", str(bots)]
    ran = mtrain(*call, *where, cwd=tmp_path)
    assert ran.returncode == 2
    assert ran.stderr == (
        "mtrain: agent 'single-seer' peeks: it is shown all hands and the boneyard; only --allow-peeking "
        "(allow_peeking = true in an experiment) lets it play\n"
    )
    assert not (tmp_path / "o").exists()


def test_they_are_marked_in_every_table_and_figure(tmp_path: Path, bots: Path) -> None:
    call = ["tournament", "s@single-seer", "in-kernel-seer", "random", *CALL, "--agents", str(bots)]
    ran = mtrain(*call, "--allow-peeking", "--figures", "--out", "o", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    names = {"s (peeks)", "in-kernel-seer (peeks)", "random"}
    results = m.read(tmp_path / "o")
    for frame in (results.games, results.rounds, results.standings, results.pairwise, results.timing, results.by_round):
        assert set(frame["agent"]) == names
    assert results.manifest.peeking == ["s (peeks)", "in-kernel-seer (peeks)"]
    assert "s (peeks)" in ran.stdout
    for figure in ("standings", "pairwise", "ratings", "scores", "by_round"):
        text = (tmp_path / "o" / "figures" / f"{figure}.svg").read_text(encoding="utf-8")
        assert "s (peeks)" in text, figure


def test_they_are_named_with_and_without_their_mark(bots: Path, tmp_path: Path) -> None:
    call = {"deals": 1, "rounds": 1, "jobs": 1, "agents_from": [bots], "allow_peeking": True}
    for focus in ("s", "s (peeks)", "s@single-seer"):
        made = m.tournament(["s@single-seer", "random"], focus=focus, **call)
        assert made.manifest.lineups == [["s (peeks)", "random", "random", "random"]]


def test_nobody_else_may_have_the_mark() -> None:
    with pytest.raises(AgentError, match=r"the label 'x \(peeks\)' says that 'greedy' peeks, and it does not"):
        Registry().parse("x (peeks)@greedy")


def test_an_experiment_lets_them_in_by_a_key(tmp_path: Path, bots: Path) -> None:
    text = 'question = "x?"\nagents = ["single-seer", "random"]\nagents_from = ["bots"]\nseed = 1\nallow_peeking = '
    (tmp_path / "x.toml").write_text(text + "true\n", encoding="utf-8")
    assert read_experiment(tmp_path / "x.toml").parts[""].agents[0].label == "single-seer (peeks)"
    (tmp_path / "x.toml").write_text(text + "1\n", encoding="utf-8")
    with pytest.raises(ValueError, match="allow_peeking is true or false, not 1"):
        read_experiment(tmp_path / "x.toml")


def test_they_are_not_blind_by_design_and_pass_the_other_checks(bots: Path) -> None:
    verdicts = list(check_agent(Registry([bots]).parse("in-kernel-seer"), games=1, decisions=5))
    failed = [verdict for verdict in verdicts if verdict.trouble]
    assert {verdict.check for verdict in failed} == {"blind"}
    assert len(failed) == 26
    assert all(verdict.trouble.startswith("it peeks, so it is not blind, by design: ") for verdict in failed)


def test_the_list_of_agents_marks_them(bots: Path) -> None:
    told = {
        agent["name"]: agent["how"] for agent in json.loads(mtrain("agents", "--json", "--agents", str(bots)).stdout)
    }
    assert told["single-seer"] == "one at a time (peeks)"
    assert told["single-plain"] == "one at a time"
