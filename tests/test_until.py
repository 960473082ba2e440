"""Stopping rules: how they are written, when they stop, and what is said of the numbers afterwards."""

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import mtrain as m
from mtrain.arena.experiment import read_experiment
from mtrain.arena.run import run
from mtrain.arena.spec import plan
from mtrain.cli.tournaments import _print_standings
from mtrain.errors import UsageError
from mtrain.stats import tables
from mtrain.stats.intervals import CONSTANT, t_quantile
from mtrain.stats.results import read
from mtrain.stats.sequential import FIRST, MOST, radius
from mtrain.stats.stopping import TOO_FEW, Better, UntilError, Watcher, Width, parse_rule, stopping
from tests.helpers.program import mtrain

NAMES = {"greedy": "greedy", "mc": "mc", "mc:worlds=8": "mc", "x by y": "x by y"}
QUICK = {"players": 2, "rounds": 1, "seed": 4}


def part(match, deals, lineup, diffs):
    """Block numbers of a part: `diffs` is the score of the first agent less that of the others, a number a deal."""
    labels, rows, pairs = ["a", "b", "c"], [], []
    for deal, diff in zip(deals, diffs, strict=True):
        for agent, sign in zip(lineup, (1, -1), strict=True):
            rows.append((match, deal, agent, sign * diff, 2))
            pairs.append((match, deal, agent, lineup[0] if agent == lineup[1] else lineup[1], sign * diff))
    blocks = pd.DataFrame(rows, columns=["match", "deal", "agent", "diff", "games"])
    both = pd.DataFrame(pairs, columns=["match", "deal", "agent", "opponent", "diff"])
    for frame, name in ((blocks, "agent"), (both, "agent"), (both, "opponent")):
        frame[name] = pd.Categorical(frame[name], categories=labels)
    return SimpleNamespace(blocks=blocks, pairs=both)


# ── How rules are written ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("width<0.5", Width(0.5)),
        ("  width < 2 ", Width(2.0)),
        ("width<1e-1 for greedy", Width(0.1, "greedy")),
        ("width<1 for mc:worlds=8", Width(1.0, "mc")),
        ("mc better than greedy by 0.5", Better("mc", "greedy", 0.5)),
        ("mc:worlds=8 better than greedy by 2 alpha=0.01", Better("mc", "greedy", 2.0, 0.01)),
        ("mc  better than x by y  by 1 alpha=0.1 beta=0.2", Better("mc", "x by y", 1.0, 0.1, 0.2)),
    ],
)
def test_a_rule_is_read_and_written_again(text, rule):
    assert parse_rule(text, NAMES) == rule
    assert parse_rule(str(rule), NAMES) == rule


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("narrow", "unknown stopping rule 'narrow'; the rules are width<X, width<X for AGENT, AGENT better than OTHER by X"),
        ("width>0.5", "unknown stopping rule"),
        ("width<", "unknown stopping rule"),
        ("width<0", "the width is a number above 0, not '0'"),
        ("width<inf", "the width is a number above 0, not 'inf'"),
        ("width<nan", "not 'nan'"),
        ("width<half", "not 'half'"),
        ("width<1 for nobody", "names 'nobody', which is none of the agents; the agents are greedy, mc"),
        ("mc better than mc:worlds=8 by 1", "compares 'mc' with itself"),
        ("mc better than greedy by -1", "the difference is a number above 0, not '-1'"),
        ("mc better than greedy by 1 alpha=0.5", "alpha is a number between 0 and 0.5, not '0.5'"),
        ("mc better than greedy by 1 beta=0", "beta is a number between 0 and 0.5, not '0'"),
        (0.5, "until is a text"),
    ],
)  # fmt: skip
def test_what_is_no_rule_is_refused_with_the_choices(text, sentence):
    with pytest.raises(UntilError) as error:
        parse_rule(text, NAMES)
    assert sentence in str(error.value)


# ── When they stop ────────────────────────────────────────────────────────────────────────────────────────


def test_a_width_is_that_of_the_table_whatever_the_pieces():
    rng = np.random.default_rng(1)
    diffs = rng.normal(3, 2, 200)
    for size in (1, 7, 40):
        parts = [part(0, range(k, min(k + size, 200)), "ab", diffs[k : k + size]) for k in range(0, 200, size)]
        watcher = Watcher(Width(1e-9), ["a", "b"], 1)
        assert watcher(parts) is None
        made = stopping(pd.concat([each.blocks for each in parts])).set_index("agent")
        widths = made["adjusted_hi"] - made["adjusted_lo"]
        assert watcher._widths() == pytest.approx(widths[["a", "b"]].to_numpy(float))
        assert widths["a"] == pytest.approx(2 * float(radius(200)) * diffs.std(ddof=1) / np.sqrt(200))


def test_it_stops_at_the_first_look_that_is_narrow_enough_and_looks_at_whole_rounds_of_line_ups():
    rng = np.random.default_rng(2)
    parts = [
        part(match, [2 * k + match], ("ab", "ac")[match], rng.normal(0, 1, 1)) for k in range(200) for match in (0, 1)
    ]
    watcher = Watcher(Width(0.8, "b"), ["a", "b", "c"], 2)
    found = next(k for k in range(1, len(parts) + 1) if watcher(parts[:k]))
    assert found % 2 == 0
    theirs = np.concatenate([each.blocks["diff"][each.blocks["agent"] == "b"] for each in parts])

    def width(n):
        return 2 * float(radius(n)) * theirs[:n].std(ddof=1) / np.sqrt(n)

    assert width(found // 2) < 0.8 <= width(found // 2 - 1)
    everyone = Watcher(Width(0.8), ["a", "b", "c"], 2)
    assert next(k for k in range(1, len(parts) + 1) if everyone(parts[:k])) >= found


@pytest.mark.parametrize("rule", [Width(1e6), Better("a", "b", 0.5)])
def test_nothing_stops_before_the_first_look(rule):
    parts = [part(0, [k], "ab", [-9 - k % 2]) for k in range(FIRST)]
    watcher = Watcher(rule, ["a", "b"], 1)
    assert not any(watcher(parts[:k]) for k in range(1, FIRST))
    assert f"after {FIRST} blocks" in watcher(parts)


def test_agents_that_never_differ_have_no_interval_that_could_be_narrow():
    parts = [part(0, [k], "ab", [0.1]) for k in range(100)]
    assert Watcher(Width(0.5), ["a", "b"], 1)(parts) is None
    made = stopping(pd.concat([each.blocks for each in parts])).set_index("agent")
    assert made.loc["a", "note"] == CONSTANT
    assert pd.isna(made.loc["a", "adjusted_lo"])


def test_H12_before_the_first_look_the_adjusted_interval_is_null_and_says_why():
    made = stopping(part(0, range(20), "ab", np.arange(20.0)).blocks).set_index("agent")
    assert pd.isna(made.loc["a", "adjusted_lo"])
    assert not pd.isna(made.loc["a", "diff_lo"])
    assert made.loc["a", "note"] == TOO_FEW


@pytest.mark.parametrize("n", [1, 2, 29])
@pytest.mark.parametrize("until", ["width<1", "width<1 for greedy"])
def test_H12_a_run_shorter_than_the_first_look_is_printed_and_says_why_it_has_no_width(capsys, n, until):
    results = m.tournament(["greedy", "random"], until=until, deals=n, **QUICK)
    _print_standings(results, False)
    shown = capsys.readouterr().out
    table = shown[shown.index(f"played until {until}") :]
    assert table.count("n/a") >= 4  # each agent's adjusted interval, and its width
    assert "nan" not in table
    assert TOO_FEW in table
    assert ("needs 2 blocks" in table) == (n == 1)
    assert m.plots.until(results.looks).figure is not None


# ── Tournaments ───────────────────────────────────────────────────────────────────────────────────────────


def files(folder: Path) -> dict[str, bytes]:
    found = sorted(path for path in folder.rglob("*.parquet") if path.is_file() and path.name != "timing.parquet")
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@pytest.mark.parametrize("until", ["width<15", "greedy better than random by 8"])
def test_H01_a_run_that_is_stopped_has_the_same_bytes_with_any_number_of_workers(tmp_path, until):
    made = []
    for jobs in (1, 2, 3):
        t = plan(["greedy", "random", "double-holder"], changes={"rounds": 1}, players=2, seed=4, until=until)
        results = run(t, tmp_path / str(jobs), jobs=jobs)
        made.append((files(tmp_path / str(jobs)), results.manifest.stopped))
    assert made[0] == made[1] == made[2]
    stopped = made[0][1]
    assert stopped["chunks"] % 3 == 0
    assert stopped["blocks"] == 3 * results.standings["blocks"].sum() / 6 < MOST
    assert stopped["reason"].endswith(f"after {stopped['blocks']:,} blocks")


def test_a_run_broken_off_stops_where_it_would_have(tmp_path):
    t = plan(["greedy", "random"], changes={"rounds": 1}, players=2, seed=4, until="width<20")
    run(t, tmp_path / "whole", jobs=1)
    shutil.copytree(tmp_path / "whole", tmp_path / "torn")
    manifest = json.loads((tmp_path / "torn/manifest.json").read_text())
    manifest |= {"finished": False}
    del manifest["stopped"]
    (tmp_path / "torn/manifest.json").write_text(json.dumps(manifest))
    for table in ("games", "rounds"):
        (tmp_path / f"torn/{table}.parquet/part-00002.parquet").unlink()
    run(t, tmp_path / "torn", jobs=2, resume=True)
    assert files(tmp_path / "torn") == files(tmp_path / "whole")
    assert read(tmp_path / "torn").manifest.stopped == read(tmp_path / "whole").manifest.stopped


def test_H14_raw_and_adjusted_stand_side_by_side():
    results = m.tournament(["greedy", "random"], until="width<20", **QUICK)
    both = results.stopping.merge(results.standings, on="agent", suffixes=("", "_again"))
    for name in ("diff", "diff_lo", "diff_hi", "blocks"):
        assert both[name].to_numpy(float) == pytest.approx(both[f"{name}_again"].to_numpy(float))
    assert (both["adjusted_hi"] - both["adjusted_lo"] < 20).all()
    n = int(both["blocks"].iloc[0])
    assert ((both["adjusted_hi"] - both["adjusted_lo"]) / (both["diff_hi"] - both["diff_lo"])).to_numpy(
        float
    ) == pytest.approx(float(radius(n) / t_quantile(n - 1)))


def test_the_looks_end_at_the_tables_numbers():
    results = m.tournament(["greedy", "random", "double-holder"], until="width<25", **QUICK)
    last = results.looks.groupby("agent").last()
    for row in results.stopping.itertuples():
        there = last.loc[row.agent]
        assert there["blocks"] == row.blocks
        for name in ("diff", "diff_lo", "adjusted_lo", "adjusted_hi"):
            assert there[name] == pytest.approx(getattr(row, name))
    assert results.looks["llr"].isna().all()
    assert results.looks["blocks"].min() >= FIRST


def test_without_a_rule_nothing_was_looked_at(tmp_path):
    results = m.tournament(["greedy", "random"], deals=3, out=tmp_path / "o", **QUICK)
    assert results.rule is None
    assert not (tmp_path / "o/stopping.parquet").exists()
    with pytest.raises(tables.ResultsError, match="played without a stopping rule"):
        _ = results.looks
    with pytest.raises(tables.ResultsError, match="is no sequential test"):
        _ = results.comparison


def test_where_the_rule_is_never_met_all_deals_are_played():
    results = m.tournament(["greedy", "random"], until="width<0.1", deals=40, **QUICK)
    assert results.manifest.stopped is None
    assert list(results.standings["blocks"]) == [40, 40]
    assert results.stopping["adjusted_lo"].notna().all()


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"until": "width<0.5 for gredy"}, "names 'gredy'"),
        ({"until": "greedy better than nobody by 1"}, "names 'nobody'"),
        ({"agents": ["greedy"], "until": "width<0.5"}, "nobody sits at a table with another agent"),
        (
            {
                "agents": ["greedy", "random", "double-holder"],
                "lineups": [["greedy", "random"], ["greedy", "double-holder"]],
                "until": "random better than double-holder by 1",
            },
            "never sit at one table",
        ),
    ],
)
def test_a_rule_about_what_no_table_shows_is_refused(how, sentence):
    with pytest.raises(UsageError) as error:
        plan(**({"agents": ["greedy", "random"], "players": 2} | how))
    assert sentence in str(error.value)


def test_a_share_of_a_run_cannot_be_stopped():
    t = plan(["greedy", "random"], players=2, until="width<5")
    with pytest.raises(UsageError, match="share"):
        run(t, "nowhere", share=(1, 2))


def test_an_experiment_may_have_a_rule(tmp_path):
    (tmp_path / "e.toml").write_text(
        'question = "Who?"\nagents = ["greedy", "random"]\nseed = 1\nplayers = 2\nuntil = "width<3"\n', encoding="utf-8"
    )
    t = read_experiment(tmp_path / "e.toml").parts[""]
    assert (t.rule, t.deals, t.chunk_size) == (Width(3.0), MOST, 10)


def test_the_command_prints_both_and_report_prints_them_again(tmp_path):
    call = ["tournament", "greedy", "random", "--players", "2", "--set", "rounds=1", "--until", "width<20"]
    ran = mtrain(*call, "--out", "o", cwd=tmp_path)
    assert ran.returncode == 0
    assert "until width<20, at most 1 line-up" in ran.stderr
    assert "played until width<20" in ran.stdout
    assert "pips/round vs others, raw" in ran.stdout
    assert "adjusted for stopping" in ran.stdout
    told = json.loads(mtrain("report", "o", "--json", cwd=tmp_path).stdout)
    assert all(row["adjusted_lo"] < row["diff_lo"] < row["diff"] < row["adjusted_hi"] for row in told)
    assert (tmp_path / "o/figures/until.png").stat().st_size > 5000
    before = files(tmp_path / "o")
    read(tmp_path / "o", fresh=True).write_derived()
    assert files(tmp_path / "o") == before
    ran = mtrain("tournament", "greedy", "random", "--until", "soon", "--out", "p", cwd=tmp_path)
    assert ran.returncode == 2
    assert "unknown stopping rule 'soon'; the rules are" in ran.stderr
    assert not (tmp_path / "p").exists()
