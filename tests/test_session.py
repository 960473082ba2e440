"""A game between people and agents without a screen: undo, saved games, and what agents are shown."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from mtrain.arena.driver import record_game
from mtrain.arena.schedule import first_starter
from mtrain.bots.agent import SINGLE, AgentSpec, Bot
from mtrain.cli.main import mtrain
from mtrain.game.moves import IllegalAction, observe
from mtrain.game.record import replayed
from mtrain.game.rules import PRESETS, RuleSet, preset
from mtrain.table import saved
from mtrain.table.people import news, read_action
from mtrain.table.session import Player, Session
from tests.helpers.bots import bot
from tests.helpers.program import HERE
from tests.helpers.sessions import played, state, table

# ── The session ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("rules", "agents"),
    [
        ("standard", ["greedy", "heuristic", "random", "random"]),
        ("pinecone", ["heuristic", "random"]),
        ("cardinal", ["greedy", "heuristic", "random"]),
        (
            "trainyard",
            ["greedy", "random", "random", "greedy", "random", "heuristic", "random", "random", "greedy", "random"],
        ),
    ],
)
def test_a_person_who_plays_as_an_agent_would_plays_the_agents_game(rules: str, agents: list[str]) -> None:
    resolved = preset(rules, rounds=2)
    bots = [bot(agent) for agent in agents]
    game = record_game(resolved, bots, seed=4, game=1, starter=first_starter(4, len(agents), 1))
    players = [Player("Ann"), *(Player(f"{k}", agents[k], bots[k]) for k in range(1, len(agents)))]
    session = Session(resolved, players, seed=4, deal=1)
    _play_as(session, game)
    assert session.record() | {"agents": game["agents"]} == game
    assert replayed(session.record()) == session.record()


def test_chance_takes_the_place_of_an_agent_as_in_a_record_and_after_undo_again() -> None:
    def broken(obs: Any, actions: Any, rng: Any) -> int:
        raise RuntimeError("no idea")

    rules = preset("pinecone", rounds=2)
    failing = Bot(AgentSpec("broken", "broken", (), ""), SINGLE, broken, np.zeros(16))
    starter = first_starter(4, 2, 0)
    game = record_game(rules, [bot("greedy"), failing], seed=4, game=0, starter=starter, on_fault="substitute")
    session = Session(rules, [Player("Ann"), Player("broken", "x", failing)], seed=4)
    _play_as(session, game, undo=True)
    assert session.record()["rounds"] == game["rounds"]


def _play_as(session: Session, game: dict[str, Any], undo: bool = False) -> None:
    """Choose in seat 0 as in a recorded game; `undo`: each time, once another action has been tried."""
    choices = iter(_choices_of_seat_0(game))
    session.go_on()
    while not session.over:
        if session.now.round_over:
            session.next_round()
        else:
            choice = next(choices)
            if undo:
                session.choose(next(action for action in session.legal() if action != choice))
                session.go_on()
                assert session.undo(0)
            session.choose(choice)
        session.go_on()


def _choices_of_seat_0(game: dict[str, Any]) -> Iterator[int]:
    """Yield what seat 0 chose in a recorded game."""
    n = len(game["agents"])
    names = [f"seat {k}" for k in range(n)]
    people = [Player(name) for name in names]
    session = Session(RuleSet.from_json(game["rules"]), people, seed=game["seed"], deal=game["game"])
    for choice, moment in session.follow(game["rounds"]):
        if choice is not None and choice.seat == 0:
            what = moment.events[-1]
            yield (1 if what[1] == "pass" else read_action(f"{what[2]}@{what[3]}", (), 0, names))


def test_undo_and_the_same_choice_give_the_same_bytes() -> None:
    session = played(table("random", "greedy", "mc:worlds=2", rules="pinecone"), 5)
    after = []
    for _ in range(4):
        session.choose(session.legal()[-1])
        session.go_on()
        after.append(state(session))
    for expected in reversed(after):
        assert state(session) == expected
        here = session.now
        assert session.undo(0)
        session.choose(session.legal()[-1])
        session.go_on()
        assert state(session) == expected
        assert session.now.events == here.events
        assert session.undo(0)
    assert len(session.past) == 5


def test_undo_goes_back_over_the_end_of_a_round_and_no_further_than_the_first_choice() -> None:
    session = table("greedy", rules="pinecone", rounds=2)
    session.go_on()
    first = state(session)
    played(session)
    record = session.record()
    n = 0
    while session.undo():
        n += 1
        session.go_on()
    assert n > 10
    assert state(session) == first
    assert not session.now.rounds
    assert played(session).record() == record


def test_an_illegal_choice_changes_nothing_and_says_why() -> None:
    session = played(table("greedy"), 2)
    before = session.now
    not_held = read_action("12-12@own", session.legal(), 0, session.names)
    with pytest.raises(IllegalAction, match="seat 0 does not hold"):
        session.choose(not_held)
    assert session.why_not(not_held) == "you do not hold 12-12"
    assert session.now is before


def test_agents_are_shown_observations_and_nothing_more() -> None:
    shown = []

    def spy(obs: Any, actions: Any, rng: Any) -> int:
        shown.append((obs.copy(), session.now.position.copy()))
        return int(rng.choice(actions))

    watcher = Bot(AgentSpec("spy", "spy", (), ""), SINGLE, spy, np.zeros(16))
    session = Session(preset("standard", rounds=1), [Player("Ann"), Player("spy", "spy", watcher)], seed=2)
    played(session)
    assert shown
    for obs, position in shown:
        seen = observe(position, 1)
        hidden = np.array([obs]).reshape(1)
        for field in ("hand", "deck", "stream", "table", "count", "end"):
            assert (hidden[0][field] == seen[0][field]).all(), field
        assert not hidden[0].hand[0].any()


def test_an_agent_that_fails_is_told_of_and_chance_takes_its_place() -> None:
    def broken(obs: Any, actions: Any, rng: Any) -> int:
        raise RuntimeError("no idea")

    failing = Bot(AgentSpec("broken", "broken", (), ""), SINGLE, broken, np.zeros(16))
    session = Session(preset("standard", rounds=1), [Player("Ann"), Player("broken", "x", failing)], seed=2)
    played(session)
    told = list(news(session, 0))
    assert any("! broken failed" in line and "RuntimeError: no idea" in line for line in told)
    assert replayed(session.record()) == session.record()


def test_a_program_plays_and_is_told_the_game_again_after_undo(tmp_path: Path) -> None:
    program = f"exec:python3 {HERE / 'docs' / 'bots' / 'heaviest.py'}"
    session = played(table(program, rounds=1, max_pip=6, hand_size=5), 2)
    try:
        session.choose(session.legal()[0])
        session.go_on()
        expected = state(session)
        assert session.undo()
        session.choose(session.legal()[0])
        session.go_on()
        assert state(session) == expected
        assert played(session).over
    finally:
        session.close()


def test_what_others_draw_is_not_told() -> None:
    session = played(table("random", "random", people=2, rounds=1), 6)
    for seat in (0, 1, None):
        for (_, event), true in zip(session.seen(seat), session.now.events, strict=True):
            assert event == (true[:2] if true[1] == "draw" and true[0] != seat else true)


def test_a_hint_moves_nothing_and_says_the_same_twice() -> None:
    session = played(table("greedy"), 1)
    before = state(session)
    found = session.hint(16)
    assert found.actions.equals(session.hint(16).actions)
    assert len(found.actions) == len(session.legal())
    assert state(session) == before


# ── Saved games ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("choices", [0, 3, 9])
def test_a_saved_game_goes_on_as_if_it_had_never_stopped(rules: str, choices: int, tmp_path: Path) -> None:
    session = played(table("random", "heuristic", rules=rules, rounds=2), choices)
    file = tmp_path / "game.jsonl"
    saved.write(file, session)
    said = saved.read(file)
    other = saved.resumed(said, session.players)
    other.go_on()
    assert state(other) == state(session)
    assert [past.position.tobytes() for past in other.past] == [past.position.tobytes() for past in session.past]
    assert saved.saved(other) == said
    assert saved.replayed(said) == said
    if choices:
        assert session.undo() == other.undo()
    assert played(session, which=-1).record() == played(other, which=-1).record()


def test_a_saved_game_that_is_wrong_is_refused_with_a_sentence(tmp_path: Path) -> None:
    session = played(table("greedy", rounds=2), 4)
    said = json.loads(json.dumps(saved.saved(session)))
    wrong: dict[str, Any] = {
        "seed": said["seed"] + 1,
        "format": "mtrain-record/1",
        "rounds": [],
        "streams": [1],
        "choices": [[1]],
        "names": ["x"],
        "players": "two",
        "rules": {},
    }
    file = tmp_path / "game.jsonl"
    for field, value in wrong.items():
        file.write_text(json.dumps(said | {field: value}) + "\n")
        ran = CliRunner().invoke(mtrain, ["play", "--resume", str(file)])
        assert (ran.exit_code, ran.stdout) == (2, ""), (field, ran.output)
        assert "game.jsonl" in ran.stderr or "number of players" in ran.stderr, field
    said["rounds"][0]["events"][3] = [0, "play", "12-12", 0]
    file.write_text(json.dumps(said) + "\n")
    assert "round 1, event 3" in CliRunner().invoke(mtrain, ["play", "--resume", str(file)]).stderr
    ran = CliRunner().invoke(mtrain, ["replay", str(file)])
    assert ran.exit_code == 1
    assert "line 1: round 1, event 3" in ran.stderr
