"""Analysis: what actions come to, as far as their seat can know; what a game's mistakes cost, and what was luck."""

import json
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result

import mtrain as face
from mtrain.analysis.analyse import Analysis, analyse
from mtrain.analysis.annotate import Annotation, annotate, choices_in, position_at
from mtrain.arena.driver import record_games
from mtrain.bots.registry import Registry, build
from mtrain.cli import main
from mtrain.errors import UsageError
from mtrain.game.jit import kernel
from mtrain.game.moves import advance, apply, legal_actions, new_game, observe
from mtrain.game.notation import action_text
from mtrain.game.positions import parse_position, position_text
from mtrain.game.record import RecordError
from mtrain.game.rules import preset
from mtrain.game.state import STATE
from mtrain.stats.intervals import simultaneous, wilson
from mtrain.strategy.determinize import determinize
from tests.helpers.bots import own
from tests.helpers.program import HERE

CHEAP = ("greedy", "planner", "heuristic")

# Seat 0 can lay 5-4 on its own train, which is marked, and on the Mexican train.
MARKED = """
rules standard
seats 2
round 1
hand 0: 5-4 12-3
hand 1: ?13
table: 12-5@0 12-4@mexican
boneyard: ?73
marked 0
turn 0
"""


def games(
    rules: str = "standard", agents: tuple[str, ...] = CHEAP, n: int = 1, rounds: int = 2
) -> list[dict[str, Any]]:
    bots = [build(Registry().parse(agent)) for agent in agents]
    return list(record_games(preset(rules, rounds=rounds), bots, games=n, seed=5))


def choices(rules: str = "standard") -> list[np.ndarray]:
    return [position for position, legal in choices_in(games(rules)[0]) if len(legal) > 1]


@kernel
def _deal_again(worlds: Any, obs: Any, seat: Any, own: Any) -> None:
    determinize(worlds[0], obs[0], seat, own[0])


def dealt_again(position: np.ndarray, chance: int) -> np.ndarray:
    """Return a position with other hidden tiles, which the seat on turn cannot tell from this one."""
    seat = int(position[0].turn)
    world = np.zeros(1, STATE)
    _deal_again(world, observe(position, seat), seat, own(np.zeros(1), chance))
    world[0].stream[:] = chance
    return world


def same(one: Analysis, other: Analysis) -> bool:
    frames = [(one.actions, other.actions), (one.choices, other.choices)]
    if one.locations is not None and other.locations is not None:
        frames.append((one.locations, other.locations))
    return one.said == other.said and all(a.to_csv() == b.to_csv() and a.equals(b) for a, b in frames)


# Seat 0 has to draw.
STUCK = """
rules standard
seats 2
round 13
hand 0: 5-4 5-3
hand 1: ?6
table: 2-0@mexican 12-0@0
boneyard: ?80
turn 0
"""


# ── Positions ─────────────────────────────────────────────────────────────────────────────────────────────


def test_the_same_position_and_seed_give_the_same_bytes_and_another_seed_others() -> None:
    position = choices()[8]
    before = position.tobytes()
    first = analyse(position, worlds=50, seed=3, agents=CHEAP, locate=True)
    assert same(first, analyse(position, worlds=50, seed=3, agents=CHEAP, locate=True))
    assert not same(first, analyse(position, worlds=50, seed=4, agents=CHEAP, locate=True))
    assert position.tobytes() == before


@pytest.mark.parametrize("rules", ["standard", "cardinal"])
def test_it_does_not_hang_on_a_hidden_tile(rules: str) -> None:
    for k, position in enumerate(choices(rules)[::11]):
        seat = int(position[0].turn)
        first = analyse(position, worlds=20, agents=CHEAP, locate=k == 1)
        other = dealt_again(position, k + 1)
        assert other.tobytes() != position.tobytes()
        assert same(first, analyse(other, worlds=20, agents=CHEAP, locate=k == 1))
        assert same(first, analyse(observe(position, seat), worlds=20, agents=CHEAP, locate=k == 1))


def test_every_legal_action_is_there_from_the_best_on() -> None:
    position = choices()[3]
    found = analyse(position, worlds=60, agents=CHEAP)
    rows = found.actions
    assert sorted(rows["action"]) == sorted(action_text(action, 3) for action in legal_actions(position))
    assert rows["pips"].is_monotonic_increasing
    assert found.best == rows["action"][0]
    assert rows["diff"][0] == rows["diff_lo"][0] == rows["diff_hi"][0] == 0
    assert np.allclose(rows["diff"], rows["pips"] - rows["pips"][0])
    assert (rows["worlds"] == 60).all()
    assert ((rows["out_lo"] <= rows["out"]) & (rows["out"] <= rows["out_hi"])).all()
    for _, row in found.choices.iterrows():
        mine = rows[rows["action"] == row["action"]].iloc[0]
        assert row["agent"] in mine["agents"].split(", ")
        assert np.isclose(row["diff"], mine["diff"])


def test_what_goes_out_is_best_and_all_else_is_folly() -> None:
    position = parse_position(
        MARKED.replace("hand 0: 5-4 12-3", "hand 0: 5-4").replace("boneyard: ?73", "boneyard: ?74")
    )
    found = analyse(position, worlds=20, agents=CHEAP)
    assert set(found.actions["action"]) == {"5-4@0", "5-4@mexican"}
    assert (found.actions["pips"] == 0).all()
    assert (found.actions["note"] == "the same in every world").all()
    assert (found.actions["folly"] == "").all()
    assert (found.actions["out"] == 1).all()


def test_folly_is_flagged() -> None:
    found = analyse(parse_position(MARKED), worlds=40, agents=CHEAP).actions.set_index("action")["folly"]
    assert found["5-4@0"] == ""
    assert found["5-4@mexican"] == "leaves_marked"
    drawn = parse_position(
        MARKED.replace("turn 0", "turn 0 drawn 1").replace("hand 1: ?13", "hand 1: ?12").replace("?73", "?74")
    )
    assert analyse(drawn, worlds=40, agents=CHEAP).actions.set_index("action")["folly"]["pass"] == "passes"


def test_one_legal_action_is_one_row_and_none_is_a_sentence() -> None:
    one = analyse(parse_position(MARKED.replace("12-4@mexican", "12-6@mexican")), worlds=20, agents=CHEAP)
    assert one.actions["action"].tolist() == ["5-4@0"]
    assert one.said.startswith("Seat 0 has one legal action, 5-4@0: ")
    none = analyse(parse_position(STUCK), worlds=20, agents=CHEAP)
    assert none.best is None
    assert not len(none.actions)
    assert none.said == "Seat 0 has nothing to lay and draws a tile: nothing is to be chosen before."
    position = new_game("standard", 2, seed=1)
    while advance(position):
        apply(position, legal_actions(position)[0])
    assert analyse(position, agents=()).said == "The round is over: nothing is to be chosen."


def test_turns_that_end_of_themselves_are_gone_through() -> None:
    position = new_game("cardinal", 3, seed=2)
    advance(position)
    n = 0
    for _ in range(40):
        apply(position, legal_actions(position)[-1])
        before, turn, drawn = position.copy(), int(position[0].turn), int(position[0].top)
        if not advance(position):
            break
        if position[0].top == drawn and position[0].turn != turn:
            n += 1
            assert same(analyse(before, worlds=3, agents=()), analyse(position, worlds=3, agents=()))
    assert n


def test_an_agent_that_fails_is_said_to(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def agent(obs, actions, rng):\n    raise ValueError\n", encoding="utf-8")
    (tmp_path / "cheat.py").write_text("def agent(obs, actions, rng):\n    return 7\n", encoding="utf-8")
    found = analyse(choices()[0], worlds=5, agents=("broken", "cheat"), agents_from=[tmp_path]).choices
    assert found["action"].tolist() == ["", ""]
    assert found["note"].tolist() == ["it raised an exception", "it answered with what is none of the legal actions"]


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"worlds": 1}, "worlds is a whole number, 2 or more, not 1"),
        ({"seed": -1}, "seed is a number from 0"),
        ({"agents": ("greddy",)}, "unknown agent 'greddy'; did you mean 'greedy'?"),
        ({"agents": ("mc", "mc")}, "two agents are called 'mc'; write LABEL@mc"),
        ({"agents": ("exec:true",)}, "is a program; an analysis asks agents in Python only"),
    ],
)
def test_what_cannot_be_asked_for_is_refused(how: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as refused:
        analyse(choices()[0], **how)
    assert sentence in str(refused.value)


def test_positions_that_leave_tiles_out_are_refused() -> None:
    with pytest.raises(UsageError, match="write hidden tiles as \\?N"):
        analyse(parse_position(MARKED.replace("?73", "?50")), agents=())
    with pytest.raises(UsageError, match="hides tiles of seat 0, which is on turn"):
        analyse(parse_position(MARKED.replace("5-4 12-3", "?2")), agents=())


def test_the_value_of_the_best_action_holds_against_many_more_worlds() -> None:
    """Of whichever action is called best: `experiments/analysis_coverage.py` asks 100 positions and 10,000 worlds."""
    script = runpy.run_path(str(HERE / "experiments" / "analysis_coverage.py"))
    found = [script["held"](position, 200, 2000, k)[0] for k, position in enumerate(script["positions"](40, 1))]
    assert sum(found) >= 36  # at 95 % fewer are a matter of one in a hundred


# ── Intervals that hold together ──────────────────────────────────────────────────────────────────────────


def test_intervals_hold_for_whichever_is_picked() -> None:
    rng = np.random.default_rng(4)
    joint = alone = 0
    for _ in range(150):
        values = rng.normal(size=(100, 12))
        judged = simultaneous(values)
        best = judged.mean.argmin()
        joint += abs(judged.mean[best]) <= judged.quantile * judged.error[best]
        alone += abs(judged.mean[best]) <= 1.984 * judged.error[best]
    assert joint >= 0.91 * 150
    assert alone < 0.85 * 150  # which is why they are made to hold together


def test_groups_that_go_together_cost_nothing() -> None:
    values = np.repeat(np.random.default_rng(1).normal(size=(200, 1)), 5, axis=1)
    judged = simultaneous(values)
    assert 1.9 < judged.quantile < 2.2
    assert (judged.diff_error == 0).all()
    constant = simultaneous(np.zeros((50, 2)))
    assert (constant.error == 0).all()
    assert np.isfinite(constant.quantile)


def test_wilson_holds_at_both_ends() -> None:
    lo, hi = wilson(np.array([0, 5, 10]), 10)
    assert np.allclose(lo, [0, 0.2366, 0.7225], atol=1e-3)
    assert np.allclose(hi, [0.2775, 0.7634, 1], atol=1e-3)


# ── Games ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("rules", ["standard", "pinecone", "cardinal", "trainyard"])
def test_the_parts_add_up_to_the_pips(rules: str) -> None:
    record = games(rules, rounds=1 if rules in ("cardinal", "trainyard") else 2)[0]
    found = annotate(record, worlds=8, deals=20)
    for table in (found.parts, found.summary):
        parts = table[["par", "deal_luck", "draw_luck", "skill"]].sum(axis=1)
        assert np.allclose(parts.astype(float), table["pips"].astype(float), atol=1e-9)
    assert found.summary["pips"].tolist() == record["totals"]
    for name in ("skill", "regret"):
        sums = found.decisions.groupby("seat")[name].sum()
        assert np.allclose(sums, found.summary.set_index("seat")[name])
    assert found.unit == ("tiles" if rules == "cardinal" else "pips")


def test_every_choice_is_there_in_the_order_of_play() -> None:
    record = games()[0]
    found = annotate(record, worlds=8, deals=4)
    here = [(p, legal) for p, legal in choices_in(record) if len(legal) > 1]
    assert found.decisions["actions"].tolist() == [len(legal) for _, legal in here]
    assert found.decisions["seat"].tolist() == [int(p[0].turn) for p, _ in here]
    assert found.decisions[["round", "event"]].to_records(index=False).tolist() == sorted(
        found.decisions[["round", "event"]].to_records(index=False).tolist()
    )
    for _, row in found.decisions.iterrows():
        seat, what, *rest = record["rounds"][row["round"] - 1]["events"][row["event"]]
        assert (seat, "@".join(map(str, rest)) or what) == (row["seat"], row["done"])
        assert row["agent"] == record["agents"][seat]
    mistakes = found.mistakes
    assert len(mistakes)
    assert mistakes["regret"].is_monotonic_decreasing
    assert (mistakes["done"] != mistakes["best"]).all()
    first = mistakes.iloc[0]
    position = position_at(record, int(first["round"]), int(first["event"]))
    assert first["done"] in analyse(position, worlds=8, agents=()).actions["action"].tolist()


def test_a_game_is_annotated_to_the_same_bytes_and_one_seat_alone_as_with_the_others() -> None:
    record = games()[0]
    first = annotate(record, worlds=8, deals=10)
    again, alone = annotate(record, worlds=8, deals=10), annotate(record, worlds=8, deals=10, seat=1)
    for table in ("decisions", "parts", "summary"):
        whole = getattr(first, table)
        assert whole.equals(getattr(again, table))
        pd.testing.assert_frame_equal(whole[whole["seat"] == 1].reset_index(drop=True), getattr(alone, table))


@pytest.fixture(scope="module")
def beside_planners() -> dict[str, Annotation]:
    found = {}
    for agent in ("heuristic", "greedy"):
        records = games(agents=(agent, "planner", "planner", "planner"), n=16, rounds=6)
        found[agent] = pd.concat([annotate(each, worlds=4, deals=40, seat=0).parts for each in records])
    return found


@pytest.mark.parametrize("agent", ["heuristic", "greedy"])
def test_luck_is_nothing_on_average_whoever_sits_among_players_of_the_reference(
    beside_planners: dict[str, pd.DataFrame], agent: str
) -> None:
    """It would not be if regret, which the reference has as well, stood in the place of skill."""
    parts = beside_planners[agent]
    for name in ("deal_luck", "draw_luck"):
        luck = parts[name].to_numpy(float)
        assert abs(luck.mean()) < 3 * luck.std() / np.sqrt(len(luck)), name


def test_skill_tells_strong_from_weak(beside_planners: dict[str, pd.DataFrame]) -> None:
    strong, weak = (beside_planners[agent]["skill"].to_numpy(float) for agent in ("heuristic", "greedy"))
    assert abs(strong.mean()) < 0.5  # it is the reference: only its ties are broken by chance
    assert weak.mean() > 4 * weak.std() / np.sqrt(len(weak))


def test_what_cannot_be_annotated_is_refused() -> None:
    record = games()[0]
    with pytest.raises(UsageError, match="worlds is a whole number, 4 or more, not 3"):
        annotate(record, worlds=3)
    with pytest.raises(UsageError, match="deals is a whole number, 2 or more, not 1"):
        annotate(record, deals=1)
    with pytest.raises(UsageError, match="seat goes from 0 to 2, not 3"):
        annotate(record, seat=3)
    with pytest.raises(RecordError, match="not a game record, but a list"):
        annotate([])  # type: ignore[arg-type]
    broken = json.loads(json.dumps(record))
    broken["rounds"][1]["events"].pop()
    with pytest.raises(RecordError, match="round 2, event"):
        annotate(broken, progress=lambda done, rounds: pytest.fail("work was done"))
    with pytest.raises(UsageError, match="round goes from 1 to 2, not 3"):
        position_at(record, 3, 0)
    with pytest.raises(UsageError, match="action goes from 0 to"):
        position_at(record, 1, 999)


# ── The command, and the face ─────────────────────────────────────────────────────────────────────────────


def test_the_face() -> None:
    assert face.analyse is analyse
    assert face.annotate is annotate


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*call: str) -> Result:
        ran = CliRunner().invoke(main.mtrain, ["analyse", *call])
        assert ran.exit_code == 0, ran.stderr
        return ran

    monkeypatch.chdir(tmp_path)
    text = position_text(choices()[5])
    Path("p.txt").write_text(text, encoding="utf-8")
    Path("g.jsonl").write_text("".join(json.dumps(each) + "\n" for each in games(n=2)), encoding="utf-8")
    shown = run("p.txt", "--worlds", "20", "--agent", "greedy", "--locate", "--top", "2").stdout
    assert "does best with" in shown
    assert "boneyard" in shown
    piped = CliRunner().invoke(main.mtrain, ["analyse", "-", "--worlds", "5", "--agent", "greedy"], input=text)
    assert "does best with" in piped.stdout
    whole = run("g.jsonl", "--game", "1", "--worlds", "4", "--json")
    assert "2 of 2 rounds" in whole.stderr
    first = json.loads(whole.stdout)["mistakes"][0]
    at = ["--round", str(first["round"]), "--action", str(first["event"])]
    one = run("g.jsonl", "--game", "1", *at, "--worlds", "4", "--agent", "greedy", "--json")
    assert first["done"] in [row["action"] for row in json.loads(one.stdout)["actions"]]
    assert "luck of the deal" in run("g.jsonl", "--game", "0", "--worlds", "4", "--top", "3", "--quiet").stdout


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (["nothing.txt"], "cannot read nothing.txt"),
        (["p.txt", "--agent", "greddy"], "did you mean 'greedy'?"),
        (["p.txt", "--worlds", "1"], "worlds is a whole number, 2 or more, not 1"),
        (["p.txt", "--seat", "1"], "--seat does not go with a position"),
        (["p.txt", "--game", "1"], "--game is about records, and p.txt holds a position"),
        (["g.jsonl"], "g.jsonl holds 2 games; name one with --game: 0, 1"),
        (["g.jsonl", "--game", "7"], "g.jsonl holds no game number 7; choose from 0, 1"),
        (["g.jsonl", "--game", "0", "--round", "1"], "--round and --action name a position together"),
        (["g.jsonl", "--game", "0", "--agent", "mc"], "--agent does not go with a whole game"),
        (["g.jsonl", "--game", "0", "--round", "9", "--action", "0"], "round goes from 1 to 1, not 9"),
        (["bad.txt"], "bad.txt: a position has no line 'hans'"),
    ],
)
def test_a_wrong_call_is_one_sentence_and_status_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, call: list[str], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.txt").write_text(MARKED, encoding="utf-8")
    Path("bad.txt").write_text("hans 3\n", encoding="utf-8")
    Path("g.jsonl").write_text("".join(json.dumps(each) + "\n" for each in games(n=2, rounds=1)), encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["mtrain", "analyse", *call])
    with pytest.raises(SystemExit) as ended:
        main.main()
    said = capsys.readouterr()
    assert ended.value.code == 2
    assert sentence in said.err
    assert len(said.err.strip().splitlines()) == 1
    assert said.out == ""
