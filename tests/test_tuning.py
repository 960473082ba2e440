"""Tuning: a dial turned until it is as strong as was asked for, confirmed, written, and verified."""

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mtrain.arena.spec import TournamentError
from mtrain.bots.agent import AgentError
from mtrain.bots.level_file import Levels, levels_text, read_levels
from mtrain.bots.registry import Registry
from mtrain.errors import UsageError
from mtrain.game.rules import preset
from mtrain.tuning.ladder_tables import elsewhere_of, elsewhere_said, levels_of, pairs_of, steps_of
from mtrain.tuning.measure import regret
from mtrain.tuning.placing import STRONG, WEAK, Unreached, plan_tuning
from mtrain.tuning.targets import Beats, Shares, Steps, TargetsError, make_skill_axis, wanted
from mtrain.tuning.tune import Tuned, run_tuning
from mtrain.tuning.verify import elsewhere, verify
from tests.helpers.program import mtrain, start, wait_for

SHORT = preset("standard", rounds=1)


def planned(want: Any, **more: Any) -> Any:
    given = {"rules": SHORT, "players": 3, "games": 1600, "seed": 3} | more
    return plan_tuning(
        more.pop("strong", STRONG),
        more.pop("weak", WEAK),
        want,
        **{k: v for k, v in given.items() if k not in ("strong", "weak")},
    )


# ── The dial ──────────────────────────────────────────────────────────────────────────────────────────────


def test_a_dial_goes_from_the_strong_agent_to_the_weak_one() -> None:
    skill_axis = make_skill_axis(Registry(), STRONG, WEAK)
    assert skill_axis.at(0.0) == "levelled"
    assert skill_axis.at(1.0) == WEAK
    values = [dict(Registry().parse(skill_axis.at(x)).params) for x in (0.25, 0.5, 0.75)]
    assert [value["memory"] for value in values] == [0.75, 0.5, 0.25]  # evenly
    assert [value["temperature"] for value in values] == [0.3125, 2.5, 8.438]  # by the third power, four digits
    assert [value["depth"] for value in values] == [31.39, 9.95, 3.154]  # by the same factor everywhere


def test_whole_numbers_stay_whole_on_a_dial() -> None:
    skill_axis = make_skill_axis(Registry(), "mc:worlds=64", "mc:worlds=1")
    assert [skill_axis.at(x) for x in (0.0, 0.5, 1.0)] == ["mc:worlds=64", "mc:worlds=8", "mc:worlds=1"]


@pytest.mark.parametrize(
    ("ends", "what"),
    [
        (("greedy", "random"), "'greedy' and 'random' are not one agent"),
        (("greedy", "greedy"), "'greedy' and 'greedy' are the same"),
        (("greedy", "greedy:ties=follow"), "ties is random at the one end and follow at the other"),
        (("levelled:sense=no", "levelled"), "sense is false at the one end and true at the other"),
    ],
)
def test_a_dial_that_turns_nothing_is_refused(ends: tuple[str, str], what: str) -> None:
    with pytest.raises(AgentError, match=what):
        make_skill_axis(Registry(), *ends)


# ── What is asked for ─────────────────────────────────────────────────────────────────────────────────────


def test_three_ways_to_ask() -> None:
    assert wanted() == Steps(5)
    assert wanted(3) == Steps(3)
    assert wanted(8, weakest=0.1) == Steps(8, 0.1)
    assert wanted(targets=[0.1, 0.2]) == Shares((0.1, 0.2))
    assert wanted(4, beats=0.6) == Beats(4, 0.6)


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        ({"levels": 1}, "levels is a whole number from 2 to 40, not 1"),
        ({"levels": True}, "levels is a whole number"),
        ({"targets": [0.2]}, "at least two levels, and 1 of the targets"),
        ({"targets": [0.2, 0.2]}, "0.2 after 0.2 does not"),
        ({"targets": [0.2, 1.2]}, "a target is a share between 0 and 1, not 1.2"),
        ({"levels": 3, "targets": [0.2, 0.3]}, "3 levels and 2 targets do not agree"),
        ({"targets": [0.2, 0.3], "beats": 0.6}, "targets and beats are two ways"),
        ({"beats": 0.4}, "beats is a share between 0.5 and 1, not 0.4"),
        ({"weakest": 0}, "weakest is a share between 0 and 1, not 0"),
    ],
)
def test_what_cannot_be_asked_for_is_said(asked: dict[str, Any], what: str) -> None:
    with pytest.raises(TargetsError, match=what):
        wanted(**asked)


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ({"games": 100}, "100 games are too few for 3 levels at this table; it takes 1,440"),
        ({"names": ["a", "b"]}, "3 levels and 2 names do not agree"),
        ({"names": ["a", "b", "a"]}, "two levels are called 'a'"),
        ({"names": ["a", "b", "@"]}, "a level's name is made of letters"),
        ({"references": []}, "name a reference agent"),
        ({"references": ["greedy"] * 3}, "3 references are more than the 2 other seats"),
        ({"references": ["gredy"]}, "did you mean 'greedy'"),
        ({"max_step": 0}, "max_step is a number of pips/round, above 0, not 0"),
        ({"top": "nobody"}, "unknown agent 'nobody'"),
    ],
)
def test_what_cannot_be_tuned_is_said_before_anything_is_played(more: dict[str, Any], what: str) -> None:
    with pytest.raises(UsageError, match=what):
        planned(wanted(3), **more)


def test_a_top_agent_takes_no_share_that_was_asked_for() -> None:
    with pytest.raises(TargetsError, match="whose share is asked for"):
        planned(wanted(targets=[0.2, 0.3]), top="mc")


# ── A whole tuning ────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> Tuned:
    """Three levels in equal steps, under a top agent."""
    plan = planned(wanted(3, weakest=0.35), top="top@heuristic", names=["low", "middle", "high"])
    return run_tuning(plan, tmp_path_factory.mktemp("steps") / "out", jobs=2)


def test_the_file_says_what_was_found(steps: Tuned) -> None:
    said = steps.levels.said
    assert list(steps.levels.levels) == ["low", "middle", "high"]
    low, middle, high = said["level"]
    assert (low["target"], low["target_of"]) == (0.35, "win")
    assert middle["target_of"] == "diff"
    assert "target" not in high
    assert low["diff"] > middle["diff"] > high["diff"]
    assert low["win_lo"] < low["win"] < low["win_hi"]
    assert low["plausibility"]["stays_in"] == low["plausibility"]["passes"] == 0
    assert low["plausibility"]["regret"] > high["plausibility"]["regret"]
    step = high["step"]
    assert step["below"] == "middle"
    assert 0.5 < step["rounds"] < 1
    assert step["rounds_lo"] < step["rounds"] < step["rounds_hi"]
    assert said["tuning"]["top"] == "heuristic"
    frame = levels_of(said)
    assert frame["level"].tolist() == ["low", "middle", "high"]
    assert steps_of(said)["gap"].tolist() == [round(gap, 4) for gap in steps.steps["gap"].tolist()]
    assert pairs_of(said)["rounds"].tolist() == [each["step"]["rounds"] for each in said["level"][1:]]


def test_L01_the_top_level_is_the_agent_without_a_weakness(steps: Tuned) -> None:
    assert steps.levels.said["level"][-1]["agent"] == "heuristic"


def test_L07_the_weakest_level_loses_a_share_of_games_to_random(steps: Tuned) -> None:
    low = steps.levels.said["level"][0]
    assert 0 < low["lost_to_random_lo"] < low["lost_to_random"] < low["lost_to_random_hi"] < 1


def test_tables_and_figures_lie_beside_the_file(steps: Tuned) -> None:
    names = {path.name for path in steps.levels.path.parent.glob("*.parquet")}
    wanted_ = {"curve-win", "curve-diff", "probes-win", "probes-diff", "steps", "pairs", "timing"}
    assert names == {f"{name}.parquet" for name in wanted_}


def test_the_same_tuning_is_the_same_file(steps: Tuned, folder: Path) -> None:
    """With one worker, and broken off in between: byte for byte."""
    plan = planned(wanted(3, weakest=0.35), top="top@heuristic", names=["low", "middle", "high"])

    class Enough(Exception):
        pass

    def stop_in_the_middle(step: Any) -> None:
        if step.games > step.n_games / 2:
            raise Enough

    with pytest.raises(Enough):
        run_tuning(plan, folder / "out", jobs=1, watch=stop_in_the_middle)
    with pytest.raises(TournamentError, match="--resume"):
        run_tuning(plan, folder / "out", jobs=1)
    other = planned(wanted(3, weakest=0.36), top="top@heuristic", names=["low", "middle", "high"])
    with pytest.raises(TournamentError, match="holds other work: its wanted is"):
        run_tuning(other, folder / "out", jobs=1, resume=True)
    again = run_tuning(plan, folder / "out", jobs=1, resume=True)
    assert again.levels.path.read_bytes() == steps.levels.path.read_bytes()
    for name in ("curve-win", "probes-diff", "steps", "pairs"):
        one, other_ = ((made.levels.path.parent / f"{name}.parquet").read_bytes() for made in (steps, again))
        assert one == other_


def test_a_tuning_that_was_killed_is_gone_on_with(steps: Tuned, folder: Path) -> None:
    words = ["tune", "--levels", "3", "--weakest", "0.35", "--top", "top@heuristic", "--names", "low,middle,high"]
    words += ["--games", "1600", "--players", "3", "--set", "rounds=1", "--seed", "3", "--quiet", "--jobs", "2"]
    out = folder / "out"
    running = start([*words, "--out", str(out)], folder)
    wait_for((out / "plays" / "grid-4").is_dir)
    os.killpg(running.pid, signal.SIGKILL)
    running.communicate()
    assert not (out / "levels.toml").exists()
    again = mtrain(*words, "--out", str(out), "--resume")
    assert again.returncode == bool(steps.troubles), again.stderr
    assert (out / "levels.toml").read_bytes() == steps.levels.path.read_bytes()
    assert {path.stem for path in (out / "figures").glob("*.png")} == {
        "strength_win", "strength_diff", "matrix", "plausibility"
    }  # fmt: skip


def test_L13_a_target_that_nothing_reaches_says_what_can_be_reached(folder: Path) -> None:
    made = mtrain(
        "tune", "--targets", "0.45,0.99", "--games", "3000", "--players", "3", "--set", "rounds=1", "--quiet",
        "--out", str(folder / "out"),
    )  # fmt: skip
    assert made.returncode == 1
    assert made.stdout == ""
    assert (
        "level '2' cannot be reached (share of games): no position reaches 0.99: the dial goes from 0." in made.stderr
    )


def test_each_level_takes_its_share_of_the_rounds_from_the_next_lower(folder: Path) -> None:
    made = run_tuning(planned(wanted(3, beats=0.56), players=2, games=5000), folder / "out", jobs=2)
    shares = [each["step"]["rounds"] for each in made.levels.said["level"][1:]]
    lo, hi = ([each["step"][f"rounds_{end}"] for each in made.levels.said["level"][1:]] for end in ("lo", "hi"))
    assert all(a < 0.56 < b for a, b in zip(lo, hi, strict=True)), shares
    assert made.levels.said["level"][0]["target_of"] == "taken"
    with pytest.raises(Unreached, match="1 level can be had, down from levelled"):
        run_tuning(planned(wanted(3, beats=0.95), players=2, games=2000), folder / "far", jobs=2)


def test_L06_L01_a_step_larger_than_stated_is_a_level_missing(folder: Path) -> None:
    made = mtrain(
        "tune", "--levels", "2", "--max-step", "1", "--games", "1600", "--players", "3", "--set", "rounds=1", "--quiet",
        "--out", str(folder / "out"),
    )  # fmt: skip
    assert made.returncode == 1
    assert "a level is missing between '1' and '2': they are " in made.stderr
    (trouble,) = read_levels(folder / "out" / "levels.toml").said["troubles"]
    assert trouble.endswith("pips/round apart, and 1 is the most")


# ── Verifying ─────────────────────────────────────────────────────────────────────────────────────────────


def test_what_was_tuned_holds_on_fresh_deals(steps: Tuned, folder: Path) -> None:
    found = verify(steps.levels, folder / "out", deals=40, pair_deals=12, jobs=2)
    assert found.holds, found.claims
    assert set(found.claims["claim"]) >= {"target: share of games", "share of games", "pips/round", "share of follies"}
    assert found.timing["agent"].astype(str).tolist() == ["low", "middle", "high"]
    with pytest.raises(TargetsError, match="another seed"):
        verify(steps.levels, folder / "same", seed=3)


def test_a_file_that_claims_too_much_is_found_out(steps: Tuned, folder: Path) -> None:
    said = dict(steps.levels.said)
    said["level"] = [dict(each) for each in said["level"]]
    said["level"][0] |= {"target": 0.6, "win": 0.6, "win_lo": 0.58, "win_hi": 0.62}  # weak, and said to be strong
    said["level"][1]["agent"] = said["level"][0]["agent"]  # two levels that are one
    path = folder / "lies.toml"
    path.write_text(levels_text(said), encoding="utf-8")
    made = mtrain("levels", "verify", str(path), "--deals", "40", "--pair-deals", "12", "--quiet")
    assert made.returncode == 1
    found = verify(read_levels(path), folder / "out", deals=40, pair_deals=12, jobs=2)
    failed = found.claims[~found.claims["holds"]]
    claims = set(zip(failed["level"], failed["claim"], strict=True))
    assert claims >= {
        ("low", "target: share of games"),
        ("low", "share of games"),
        ("middle", "better than the next lower"),
    }


def test_L11_levels_that_differ_by_noise_say_how_many_blocks_would_do(steps: Tuned, folder: Path) -> None:
    one, other = ("levelled:temperature=3", "levelled:temperature=3.05")
    said = dict(steps.levels.said) | {"level": [{"name": "1", "agent": one}, {"name": "2", "agent": other}]}
    found = verify(Levels(Path("x"), said, _levels(said)), folder / "out", deals=24, pair_deals=4, jobs=2)
    note = found.ladder.steps["note"].iloc[0]
    assert note.startswith("not distinguishable with 24 blocks; ")
    assert "would do" in note


def _levels(said: dict[str, Any]) -> Any:
    path = Path("levels-for-a-moment.toml")
    path.write_text(levels_text(said), encoding="utf-8")
    return read_levels(path).levels


def test_other_tables_are_measured_and_written(steps: Tuned, folder: Path) -> None:
    frame = elsewhere(steps.levels, [("standard", 2), ("cardinal", 4)], folder / "out", deals=6, jobs=2)
    assert len(frame) == 6
    said = {"elsewhere": elsewhere_said(frame, 0)}
    back = elsewhere_of(said)
    assert back["level"].tolist() == frame["level"].tolist()
    assert np.allclose(back["diff"].astype(float), frame["diff"].astype(float), atol=1e-4)
    assert back["note"].tolist() == frame["note"].tolist()


# ── Regret ────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_regret_of_the_best_is_nothing_and_of_others_what_they_cost_more() -> None:
    rng = np.random.default_rng(1)
    luck = rng.normal(size=(4000, 1)) * 10
    costs = luck + np.array([0.0, 3.0, 8.0]) + rng.normal(size=(4000, 3))
    assert regret(costs, 0)[0] == 0.0
    assert abs(regret(costs, 1)[0] - 3.0) < 0.1
    assert abs(regret(costs, 2)[0] - 8.0) < 0.1


def test_equals_are_no_regret_on_average() -> None:
    """Were the best judged in the worlds that it was chosen in, equals would seem to cost something."""
    rng = np.random.default_rng(2)
    found = [regret(rng.normal(size=(64, 4)), 0)[0] for _ in range(2000)]
    assert abs(np.mean(found)) < 4 * np.std(found) / np.sqrt(2000)
