"""Differences: is an agent better than another, how do two results differ, and how much does it take to tell."""

import json
import os
import re
import shutil
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import mtrain as m
from mtrain.arena.experiment import EXPERIMENT, spec_of
from mtrain.arena.run import run
from mtrain.arena.spec import plan
from mtrain.arena.tournament import plan_comparison
from mtrain.errors import UsageError
from mtrain.stats.compare import FIXED, _spread, caveats, compare_results, power
from mtrain.stats.results import read
from mtrain.stats.sequential import fixed_size
from mtrain.stats.tables import ResultsError
from tests.helpers.program import mtrain, start, wait_for
from tests.helpers.runs import parts

QUICK = {"players": 2, "rounds": 1, "seed": 4}


def lineup(t):
    return sorted(t.agents[k].label for k in t.lineups[0])


# ── A sequential test ─────────────────────────────────────────────────────────────────────────────────────


def test_the_two_share_the_seats_or_sit_with_others():
    assert lineup(plan_comparison("greedy", "random", 0.5)) == ["greedy", "greedy", "random", "random"]
    with_one = plan_comparison("greedy", "random", 0.5, beside=["planner"])
    assert lineup(with_one) == ["greedy", "planner", "planner", "random"]
    with_two = plan_comparison("greedy", "random", 0.5, beside=["planner", "double-holder"], players=5)
    assert lineup(with_two) == ["double-holder", "greedy", "planner", "planner", "random"]


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"players": 3}, "3 seats cannot be shared equally by greedy and random; say who sits in the others (--with)"),
        ({"beside": ["planner"] * 3}, "need more than the 4 seats"),
        ({"other": "greedy"}, "'greedy' is compared with itself; a label tells copies apart: a@greedy"),
        ({"other": "rondom"}, "unknown agent 'rondom'; did you mean 'random'?"),
        ({"players": "4"}, "players is a whole number, not '4'"),
        ({"better": "much"}, "better is a number of pips/round, above 0, not 'much'"),
        ({"better": 0}, "the difference is a number above 0"),
        ({"alpha": 0.7}, "alpha is a number between 0 and 0.5"),
    ],
)
def test_a_comparison_that_cannot_be_is_refused(how, sentence):
    with pytest.raises(UsageError) as error:
        plan_comparison(**({"one": "greedy", "other": "random", "better": 0.5} | how))
    assert sentence in str(error.value)


def test_a_great_difference_is_found_at_the_first_look():
    found = m.compare("greedy", "random", better=1, rounds=3, seed=4).comparison.iloc[0]
    assert found["verdict"] == "greedy is better than random"
    assert found["blocks"] == 30
    assert found["games"] == 30 * 6
    assert found["llr"] >= found["llr_hi"]
    assert found["adjusted_lo"] < found["diff_lo"] < found["diff"] < found["diff_hi"] < found["adjusted_hi"] < 0


def test_the_reverse_is_not_better():
    found = m.compare("random", "greedy", better=1, rounds=3, seed=4).comparison.iloc[0]
    assert found["verdict"] == "random is not better than greedy by 1"
    assert found["llr"] <= found["llr_lo"]
    assert found["diff"] > 0


def test_H14_a_comparison_says_raw_and_adjusted_and_what_a_fixed_test_needs():
    results = m.compare("greedy", "double-holder", better=6, **QUICK)
    found = results.comparison.iloc[0]
    assert 30 < found["blocks"] < 2000
    assert abs(found["adjusted"]) < abs(found["diff"])  # it ended where it did because it was lucky
    assert found["adjusted_lo"] < found["adjusted"] < found["adjusted_hi"]
    pairs = results.summary.pairs
    diffs = pairs["diff"][(pairs["agent"] == "greedy").to_numpy()]
    assert found["fixed"] == np.ceil(fixed_size(diffs.std(), 6, 0.05, 0.05))
    assert results.looks["llr"].iloc[-1] == pytest.approx(found["llr"])
    assert (results.looks["llr"].iloc[:-1].abs() < 6).all()


def test_twins_may_be_left_undecided():
    results = m.compare("a@random", "b@random", better=5, deals=40, **QUICK)
    found = results.comparison.iloc[0]
    assert found["verdict"] == "inconclusive"
    assert found["blocks"] == 40
    assert found["note"] == "all blocks were played before the test ended"


def test_a_running_test_has_not_ended_yet(tmp_path):
    m.compare("a@random", "b@random", better=5, deals=60, out=tmp_path / "o", **QUICK)
    for table in ("games", "rounds"):
        (tmp_path / f"o/{table}.parquet/part-00019.parquet").unlink()
    manifest = tmp_path / "o/manifest.json"
    manifest.write_text(manifest.read_text().replace('"finished": true', '"finished": false'))
    found = read(tmp_path / "o", fresh=True).comparison.iloc[0]
    assert found["verdict"] == "not finished"
    assert found["note"] == "the test has not ended yet"


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
@pytest.mark.parametrize("as_json", [False, True])
def test_H35_a_test_that_is_broken_off_says_that_it_is_not_finished(folder, as_json):
    call = ["compare", "a@mc:worlds=24", "b@mc:worlds=24", "--better", "0.01", "--players", "2"]
    call += ["--set", "rounds=1", "--quiet"]
    going = start([*call, *["--json"] * as_json, "--out", "o"], folder)
    wait_for(lambda: len(parts(folder / "o")) >= 1)
    os.killpg(going.pid, signal.SIGINT)
    out, err = going.communicate(timeout=60)
    assert going.returncode == 130, err
    assert "--resume" in err
    if as_json:
        told = json.loads(out)
        assert told["verdict"] == "not finished"
        assert told["blocks"] == read(folder / "o").n_blocks
    else:
        assert "not finished" in out
        assert "inconclusive" not in out
        assert "the test has not ended yet" in out


def test_H12_a_comparison_of_one_block_has_no_interval():
    found = m.compare("greedy", "random", better=5, deals=1, **QUICK).comparison.iloc[0]
    assert found["verdict"] == "inconclusive"
    assert pd.isna(found[["diff_lo", "adjusted", "adjusted_lo", "fixed"]]).all()
    assert found["note"].startswith("needs 2 blocks")


def test_the_command_says_what_it_found_and_status_0_whatever_it_is(tmp_path):
    call = ["compare", "greedy", "random", "--better", "1", "--players", "2", "--set", "rounds=1", "--max-deals", "40"]
    ran = mtrain(*call, "--quiet", cwd=tmp_path)
    assert ran.returncode == 0
    assert "inconclusive" in ran.stdout
    assert "adjusted for stopping" in ran.stdout
    assert "results/comparison-001" in ran.stderr
    told = json.loads(mtrain(*call, "--json", "--jobs", "1", "--out", "o", cwd=tmp_path).stdout)
    assert told["verdict"] == "inconclusive"
    assert told["blocks"] == 40
    one, other = tmp_path / "results/comparison-001", tmp_path / "o"
    for name in ("comparison.parquet", "standings.parquet", "games.parquet/part-00003.parquet"):
        assert (one / name).read_bytes() == (other / name).read_bytes()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (["compare", "greedy", "random", "--players", "3"], "--with"),
        (["compare", "greedy", "random", "--resume"], "--resume needs --out"),
        (["compare", "a", "greedy"], "a holds results, and there is no directory greedy; name two agents or two dir"),
        (["compare", "nothere", "a"], "a holds results, and there is no directory nothere"),
        (["compare", "a", "no/where"], "no directory no/where"),
        (["compare", "no/where", "greedy"], "no directory no/where"),
        (["compare", "./a", "./nothere"], "no directory nothere"),
        (["compare", "empty", "a"], "empty is no results directory: it has no manifest.json"),
        (["compare", "a", "empty"], "empty is no results directory: it has no manifest.json"),
        (["compare", "empty", "empty"], "empty is no results directory: it has no manifest.json"),
        (["compare", "starting", "a"], "starting has no folder rounds.parquet"),
        (["compare", "parts", "a"], "parts has parts; name the directory of one of them"),
        (["compare", "a", "parts"], "parts has parts; name the directory of one of them"),
        (["power", "parts"], "parts has parts; name the directory of one of them"),
        (["again", "parts", "0"], "parts has parts; name the directory of one of them"),
        (["report", "parts", "--table", "standings"], "parts has parts; name the directory of one of them"),
        (["compare", "a", "b", "--better", "1"], "leave out --better"),
        (["compare", "a", "d"], "results by different rules are never compared: rounds is 1 in a and 2 in d"),
        (["power", "nowhere"], "no directory nowhere"),
    ],
)
def test_a_wrong_call_is_one_sentence_and_status_2(runs, call, sentence):
    ran = mtrain(*call, cwd=runs)
    assert ran.returncode == 2, ran.stderr
    assert sentence in ran.stderr
    assert len(ran.stderr.strip().splitlines()) == 1
    assert not ran.stdout


# ── Two results ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """a and b: the same deals, one agent changed; c: another size of table; d: other rules; e: other deals.

    And directories without results: empty; starting; parts, of an experiment; greedy, which an agent is called.
    """
    folder = tmp_path_factory.mktemp("runs")
    m.tournament(["greedy", "random"], deals=40, out=folder / "a", **QUICK)
    m.tournament(
        [
            "greedy",
            "random:"[:-1],
        ],
        deals=60,
        out=folder / "more",
        **QUICK,
    )
    m.tournament(["double-holder", "random"], deals=40, out=folder / "b", **QUICK)
    m.tournament(["greedy", "random", "double-holder"], deals=3, out=folder / "c", **(QUICK | {"players": 3}))
    m.tournament(["greedy", "random"], deals=3, out=folder / "d", **(QUICK | {"rounds": 2}))
    m.tournament(["greedy", "random"], deals=50, out=folder / "e", **(QUICK | {"seed": 5}))
    for name in ("empty", "starting", "parts", "greedy"):
        (folder / name).mkdir()
    shutil.copy(folder / "a/manifest.json", folder / "starting")
    EXPERIMENT.agreed(folder / "parts", spec_of("Who?", ["two", "four"]))
    return folder


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One bot that always fails, under three policies; and two that never do."""
    folder = tmp_path_factory.mktemp("faulty")
    (folder / "always.py").write_text("def agent(obs, actions, rng):\n    raise RuntimeError('no')\n", encoding="utf-8")
    for policy in ("substitute", "forfeit", "void"):
        t = plan(
            ["always", "random"], changes={"rounds": 1}, players=2, deals=5, seed=4, on_fault=policy,
            agents_from=[folder / "always.py"],
        )  # fmt: skip
        run(t, folder / policy, jobs=1)
    for policy in ("void", "forfeit"):
        t = plan(["greedy", "random"], changes={"rounds": 1}, players=2, deals=5, seed=4, on_fault=policy)
        run(t, folder / f"sound-{policy}", jobs=1)
    return folder


def diffs(folder: Path, label: str) -> np.ndarray:
    blocks = read(folder).summary.blocks
    return blocks[(blocks["agent"] == label).to_numpy()].sort_values("deal")["diff"].to_numpy(float)


def test_the_same_deals_are_compared_deal_by_deal(runs):
    found = compare_results(read(runs / "a"), read(runs / "b")).set_index("first")
    change = diffs(runs / "b", "double-holder") - diffs(runs / "a", "greedy")
    row = found.loc["greedy"]
    assert row["second"] == "double-holder"  # the one that differs
    assert row["paired"]
    assert row["change"] == pytest.approx(change.mean())
    lo, hi = stats.t.interval(0.95, 39, change.mean(), stats.sem(change))
    assert (row["change_lo"], row["change_hi"]) == pytest.approx((lo, hi))
    assert row["second_diff"] - row["first_diff"] == pytest.approx(row["change"])


def test_other_deals_are_two_samples(runs):
    found = compare_results(read(runs / "a"), read(runs / "e")).set_index("first").loc["greedy"]
    welch = stats.ttest_ind(diffs(runs / "e", "greedy"), diffs(runs / "a", "greedy"), equal_var=False)
    interval = welch.confidence_interval()
    assert not found["paired"]
    assert (found["first_blocks"], found["second_blocks"]) == (40, 50)
    assert (found["change_lo"], found["change_hi"]) == pytest.approx((interval.low, interval.high))


def test_a_longer_run_of_the_same_deals_is_compared_over_those_that_both_have(runs):
    found = compare_results(read(runs / "a"), read(runs / "more")).set_index("first").loc["greedy"]
    assert found["paired"]
    assert found["second_blocks"] == 40
    assert found["change"] == 0
    assert "left out, as the other run has not their deals: 0 and 20 blocks" in found["note"]


def test_H19_two_table_sizes_are_never_compared(runs):
    with pytest.raises(ResultsError, match=r"never compared: 2 seats in .*a, 3 in .*c"):
        compare_results(read(runs / "a"), read(runs / "c"))


def test_runs_without_a_common_agent_are_refused(runs, tmp_path):
    m.tournament(["x@greedy", "y@random"], deals=2, out=tmp_path / "o", **QUICK)
    with pytest.raises(ResultsError, match=r"no agent in common: greedy, random in .*, x, y in"):
        compare_results(read(runs / "a"), read(tmp_path / "o"))


def test_an_agent_of_one_label_and_other_parameters_is_said_to_be_so(tmp_path):
    for name, worlds in (("a", 1), ("b", 2)):
        m.tournament([f"mc@mc:worlds={worlds}", "random"], deals=4, out=tmp_path / name, **QUICK)
    found = compare_results(read(tmp_path / "a"), read(tmp_path / "b")).set_index("first").loc["mc"]
    assert found["paired"]
    assert "worlds=1" in found["note"]
    assert "worlds=2" in found["note"]


def test_a_stopped_run_is_compared_and_says_so(runs, tmp_path):
    m.tournament(["greedy", "random"], until="width<30", out=tmp_path / "o", **QUICK)
    found = compare_results(read(runs / "a"), read(tmp_path / "o"))
    assert found["note"].str.contains("not adjusted for the stopping rule of").all()


def test_the_command_compares_directories(runs):
    ran = mtrain("compare", "a", "b", cwd=runs)
    assert ran.returncode == 0
    assert "greedy → double-holder" in ran.stdout
    assert "deal by deal" in ran.stdout
    told = json.loads(mtrain("compare", "a", "e", "--json", cwd=runs).stdout)
    assert {row["first"] for row in told} == {"greedy", "random"}
    assert not any(row["paired"] for row in told)


def test_games_that_count_otherwise_are_compared_with_a_warning(faulty):
    ran = mtrain("compare", "substitute", "forfeit", cwd=faulty)
    assert ran.returncode == 0
    sentence = (
        r"games in which an agent failed count otherwise: on_fault is substitute in substitute \([\d,]+ faults\) "
    )
    assert re.search(f"mtrain: warning: {sentence}and forfeit in forfeit", ran.stderr)
    assert re.search(sentence, ran.stdout)
    found = compare_results(read(faulty / "substitute"), read(faulty / "forfeit"))
    assert found["note"].str.contains("count otherwise").all()
    assert caveats(read(faulty / "substitute"), read(faulty / "substitute")) == []


def test_how_games_with_faults_would_have_counted_is_no_matter_where_there_are_none(faulty):
    assert caveats(read(faulty / "sound-void"), read(faulty / "sound-forfeit")) == []


def test_other_company_is_said(runs, tmp_path):
    m.tournament(["greedy", "random", "double-holder"], deals=2, out=tmp_path / "three", **QUICK)
    sentence = "the line-ups differ: each difference is one to the others at its own tables"
    assert caveats(read(runs / "a"), read(tmp_path / "three")) == [sentence]
    assert caveats(read(runs / "a"), read(runs / "b")) == []  # the one that differs sits where the other sat


def test_what_has_changed_in_an_agent_is_said(runs):
    first = read(runs / "a")
    mine, theirs = (first.manifest.parameters | {"greedy": {"ties": ties}} for ties in ("any", "own"))
    second = replace(read(runs / "a"), manifest=first.manifest.but(parameters=theirs, agent_versions={"random": 2}))
    first = replace(first, manifest=first.manifest.but(parameters=mine))
    notes = compare_results(first, second).set_index("first")["note"]
    assert "ties=any first, ties=own second" in notes["greedy"]
    assert notes["random"].endswith("version 1 first, 2 second")
    assert "version" not in notes["greedy"]


def test_an_agents_name_is_an_agent_though_a_directory_has_it(runs):
    call = ["compare", "greedy", "random", "--players", "2", "--set", "rounds=1", "--max-deals", "2", "--quiet"]
    assert mtrain(*call, "--out", "fresh", cwd=runs).returncode == 0


# ── Power ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_pilot_says_what_a_difference_needs(runs):
    found = power(read(runs / "a"), difference=5, power=0.9, alpha=0.05)
    pairs = read(runs / "a").summary.pairs
    sd = pairs["diff"][(pairs["agent"] == "greedy").to_numpy()].std()
    fixed = found.iloc[0]
    assert fixed["test"] == FIXED
    assert fixed["blocks"] == np.ceil(fixed_size(sd, 5, 0.05, 0.1))
    assert fixed["blocks_lo"] < fixed["blocks"] < fixed["blocks_hi"]
    assert fixed["games"] == 2 * fixed["blocks"]
    assert fixed["minutes"] > 0
    sequential = found.iloc[1:].set_index("truth")
    assert sequential.loc["no difference", "found"] <= 0.05
    assert sequential.loc["better by 5", "found"] >= 0.9
    assert sequential.loc["no difference", "blocks"] < sequential.loc["better by 2.5", "blocks"]
    assert (sequential.loc[["no difference", "better by 5"], "blocks"] < fixed["blocks"]).all()


@pytest.mark.parametrize(
    ("name", "how", "sentence"),
    [
        ("a", {"agents": ("greedy", "nobody")}, "has no agent 'nobody'; its agents are greedy, random"),
        ("a", {"agents": ("greedy", "greedy")}, "'greedy' is named twice; name two agents"),
        ("a", {"difference": 0}, "difference is a number above 0, not 0"),
        ("a", {"power": 0.05}, "power is a number between 0.05 and 1, not 0.05"),
        ("a", {"alpha": 0.6}, "alpha is a number between 0 and 0.5, not 0.6"),
        ("c", {}, "c has 3 agents; name two of greedy, random, double-holder"),
    ],
)
def test_a_pilot_is_asked_what_it_can_answer(runs, name, how, sentence):
    with pytest.raises(ResultsError) as error:
        power(read(runs / name), **how)
    assert sentence in str(error.value)


def test_the_interval_of_the_needed_blocks_covers(runs):
    """The χ² interval of a spread, as it is used for what a pilot of 20 normal blocks foretells."""
    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(1000):
        _, lo, hi = _spread(rng.normal(0, 3, 20))
        inside += fixed_size(lo, 1, 0.05, 0.1) <= fixed_size(3, 1, 0.05, 0.1) <= fixed_size(hi, 1, 0.05, 0.1)
    assert 0.93 < inside / 1000 < 0.97


def test_a_pilot_that_is_too_small_says_so(tmp_path):
    m.tournament(["greedy", "random"], deals=5, out=tmp_path / "five", **QUICK)
    found = power(read(tmp_path / "five"))
    assert (found["blocks_hi"] > 5 * found["blocks_lo"]).iloc[0]
    assert found["note"].str.contains("the pilot has 5 blocks: mind the interval").all()


def test_a_pilot_that_shows_no_spread_is_refused(tmp_path):
    m.tournament(["greedy", "random"], deals=1, out=tmp_path / "one", **QUICK)
    for more in ([], ["--json"]):
        ran = mtrain("power", "one", *more, cwd=tmp_path)
        assert ran.returncode == 2
        assert ran.stderr == "mtrain: a pilot needs 2 blocks in which 'greedy' and 'random' met; one has 1\n"
        assert not ran.stdout
    made = m.tournament(["greedy", "random"], deals=3, **QUICK)
    alike = replace(made, ready=replace(made.summary, pairs=made.summary.pairs.assign(diff=-1.5)))
    with pytest.raises(ResultsError, match=r"'random' differ by as much in every block of .*: no variance between"):
        power(alike)


def test_that_two_met_in_void_blocks_only_is_not_that_they_never_met(faulty, tmp_path):
    with pytest.raises(ResultsError, match=r"'always' and 'random' met in void blocks only in .*void: in each of them"):
        power(read(faulty / "void"))
    lineups = [["greedy", "random"], ["greedy", "planner"]]
    t = plan(["greedy", "random", "planner"], changes={"rounds": 1}, players=2, deals=2, lineups=lineups)
    run(t, tmp_path / "o", jobs=1)
    with pytest.raises(ResultsError, match=r"'random' and 'planner' never met in"):
        power(read(tmp_path / "o"), ("random", "planner"))


def test_errors_are_said_to_be_one_sided(runs):
    ran = mtrain("power", "a", "--power", "0.8", "--alpha", "0.1", cwd=runs)
    assert "errors, one-sided: 0.1 (better, though it is not) and 0.2 (not better, though it is)" in ran.stdout
    call = ["compare", "greedy", "random", "--players", "2", "--set", "rounds=1", "--max-deals", "1", "--quiet"]
    shown = mtrain(*call, "--out", "once", cwd=runs).stdout
    assert "its errors, one-sided, are 0.05 (better, though it is not) and 0.05 (the reverse)" in shown
    for command in ("compare", "power"):
        assert "One-sided error" in mtrain(command, "--help").stdout


def test_numbers_of_a_table_are_written_in_one_way_and_one_is_one(runs, tmp_path):
    shown = mtrain("power", "a", "--difference", "0.5", cwd=runs).stdout
    table = shown[: shown.index("95 % intervals")]
    assert re.search(r" \d{1,3},\d{3} \[", table)
    assert not re.search(r"\d{4}", table)
    said = mtrain("compare", "greedy", "random", "--players", "2", "--max-deals", "1", "--out", "p", cwd=tmp_path)
    assert "at most 1 line-up × 1 deal × 2 seatings = 2 games of 13 rounds, 2 seats" in said.stderr
    assert "1 (2 games)" in said.stdout


def test_the_command_prints_blocks_games_and_minutes(runs):
    ran = mtrain("power", "c", "--agents", "greedy", "random", "--difference", "4", cwd=runs)
    assert ran.returncode == 0
    assert "to find greedy better than random by 4 pips/round" in ran.stdout
    told = json.loads(mtrain("power", "a", "--json", cwd=runs).stdout)
    assert [row["truth"] for row in told] == ["better by 0.5", "no difference", "better by 0.25", "better by 0.5"]
