"""Searches of parameters: one order of trials whatever the workers, one end however often broken off, and no luck."""

import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import mtrain as m
from mtrain.arena.spec import MAX_SEED
from mtrain.arena.workdir import locked
from mtrain.bots.registry import Registry, parameters
from mtrain.errors import UsageError
from mtrain.game.rng import SEARCH, stream
from mtrain.stats import files
from mtrain.tuning.maximise import Search, SearchInterrupted, maximise
from mtrain.tuning.racing import OBJECTIVES, OUTCOME, trials_table
from mtrain.tuning.space import Choices, Range, SearchError, parse_space
from tests.helpers.program import launch, wait_for

# Lays by weight, or by a number made of what it sees and of its salt: each salt plays as well as any other.
BOT = """
from dataclasses import dataclass
from typing import Literal

import numpy as np


@dataclass(frozen=True)
class Agent:
    kind: Literal["light", "heavy", "odd"] = "light"
    salt: float = 0.5
    few: int = 3
    idle: float = 1.0
    calm: bool = True
    value: int = 1
    name: str = "x"

    def __post_init__(self):
        if self.few == 7:
            raise ValueError("few is never 7")

    def act_batch(self, obs, actions, streams):
        pips = (actions >> 5 & 31) + (actions & 31)
        odd = (pips * 7919 + actions * 31 + int(self.salt * 1e6)) * 2654435761 % 65537
        worth = {"light": -pips, "heavy": pips, "odd": odd}[self.kind]
        return actions[np.arange(len(actions)), np.where(actions > 0, worth, -(10**9)).argmax(1)]
"""

PLAIN = {"changes": {"rounds": 1}, "players": 2, "deals": 20, "fresh": 20, "trials": 6, "seed": 3, "jobs": 1}


@pytest.fixture(scope="module")
def bot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bots") / "tuned.py"
    path.write_text(BOT, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def search(bot: Path) -> Any:
    def run(agent: str = "tuned", space: Any = ("salt=0..1", "kind=light|odd|heavy"), **how: Any) -> Search:
        return maximise(agent, space, agents_from=[bot], **(PLAIN | how))

    return run


@pytest.fixture(scope="module")
def whole(search: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a search that nothing disturbed."""
    out = tmp_path_factory.mktemp("whole") / "o"
    search(out=out)
    return out


def contents(folder: Path) -> dict[str, bytes]:
    """All tables, and what was searched."""
    found = [path for path in folder.rglob("*.parquet") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in [*found, folder / "search.json"]}


def matches(folder: Path) -> list[str]:
    """The tournaments that a search has played, in order."""
    names = sorted(path.name for path in (folder / "plays").iterdir())
    return sorted(names, key=lambda name: (name.startswith("fresh"), name == "fresh-best"))


def written(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in (folder / "plays").rglob("*") if path.is_file()}


def broken_off(whole: Path, out: Path, n: int, chunks: int) -> None:
    """Make a directory as a search leaves it that was broken off in its tournament `n`, after some of its chunks."""
    for name in matches(whole)[: n + 1]:
        shutil.copytree(whole / "plays" / name, out / "plays" / name)
    shutil.copy(whole / "search.json", out)
    last = out / "plays" / name
    for path in [path for path in last.glob("*.parquet/part-*") if int(path.stem[-5:]) >= chunks]:
        path.unlink()
    said = json.loads((last / "manifest.json").read_text()) | {"finished": False}
    said.pop("stopped", None)
    (last / "manifest.json").write_text(json.dumps(said))


# ── The same trials ───────────────────────────────────────────────────────────────────────────────────────


def test_L08_the_workers_change_no_byte(search, whole, tmp_path):
    search(out=tmp_path / "o", jobs=4)  # processes
    assert contents(tmp_path / "o") == contents(whole)


def test_L08_nor_do_threads(search, tmp_path):
    found = []
    for jobs in (1, 4):
        space = {"own": (-20.0, 20.0), "ties": ["random", "follow"]}
        found.append(search("greedy:own=10", space, against=["random"], out=tmp_path / str(jobs), jobs=jobs))
    assert contents(tmp_path / "1") == contents(tmp_path / "4")
    assert found[0].trials.equals(found[1].trials)
    assert found[0].sentence == found[1].sentence


def test_trials_are_rows_and_the_first_is_the_incumbent(search, whole):
    found = search()
    assert list(found.trials["trial"]) == list(range(6))
    assert found.trials["agent"].iloc[0] == found.incumbent == "tuned"
    assert found.trials["salt"].iloc[0] == 0.5
    assert found.trials["kind"].iloc[0] == "light"
    assert set(found.trials["state"]) <= {"complete", "pruned", "repeated"}
    assert (found.trials["pruned"] == (found.trials["blocks"] < 20)).all()
    table = trials_table({"kind": str, "salt": float})
    assert files.read(table, [whole / "trials.parquet"]).equals(found.trials)
    row = files.read(OUTCOME, [whole / "outcome.parquet"]).iloc[0]
    assert (row["winner"], row["gain"], row["note"]) == (found.winner, found.gain, found.sentence)


def test_the_seed_moves_deals_and_trials(search, whole):
    found = search(seed=4)
    theirs = files.read(trials_table({"kind": str, "salt": float}), [whole / "trials.parquet"])
    assert found.trials["agent"].iloc[0] == theirs["agent"].iloc[0]
    assert found.trials["value"].iloc[0] != theirs["value"].iloc[0]
    assert not found.trials["salt"].iloc[1:].isin(theirs["salt"].iloc[1:]).any()


def test_a_value_is_the_mean_of_a_tournaments_blocks(search, bot):
    found = search()
    row = found.trials.iloc[-1]
    blocks = played(bot, row["agent"], 3, int(row["blocks"]))
    assert row["value"] == pytest.approx(blocks["diff"].mean())


def played(bot: Path, agent: str, seed: int, deals: int) -> Any:
    """Return the blocks of an agent against greedy, by deal."""
    made = m.tournament([f"it@{agent}", "greedy"], deals=deals, seed=seed, players=2, rounds=1, agents_from=[bot])
    blocks = made.summary.blocks
    return blocks[(blocks["agent"] == "it").to_numpy()].sort_values("deal")


def test_what_falls_behind_is_given_up_and_what_was_tried_is_not_played_again(search, tmp_path):
    found = search("tuned:kind=heavy", ["kind=light|heavy"], deals=40, trials=8, out=tmp_path / "o")
    states = found.trials.set_index("trial")["state"]
    assert list(found.trials.drop_duplicates("agent")["state"]) == ["complete", "pruned"]
    assert (states == "repeated").sum() == 6
    assert found.trials.groupby("agent")["blocks"].nunique().eq(1).all()
    assert len([name for name in matches(tmp_path / "o") if name.startswith("trial")]) == 2
    assert found.trials.loc[found.trials["agent"] == "tuned:kind=light", "pruned"].all()


def test_values_that_the_agent_refuses_are_rows(search):
    found = search("tuned:kind=heavy", {"few": [3, 7], "kind": ["light", "heavy"]})
    refused = found.trials[(found.trials["few"] == 7).to_numpy()]
    assert len(refused)
    assert (refused["state"] == "refused").all()
    assert refused["value"].isna().all()
    assert (refused["blocks"] == 0).all()


def test_a_parameter_may_be_called_like_a_column(search):
    found = search(space=["value=1..4"], trials=3)
    assert found.trials["param:value"].between(1, 4).all()
    assert found.trials["value"].notna().all()


def test_the_text_of_an_agent_says_what_was_measured(search):
    trials = search(space=["salt=0.001..1:log"]).trials
    for agent, salt in zip(trials["agent"], trials["salt"], strict=True):
        assert agent == ("tuned" if salt == 0.5 else f"tuned:salt={salt:g}")
        assert float(f"{salt:g}") == salt


def test_those_at_the_table_take_turns(search, tmp_path):
    search(against=["greedy", "random"], players=4, trials=2, deals=2, fresh=2, out=tmp_path / "o")
    said = json.loads((tmp_path / "o/search.json").read_text())
    assert said["lineups"] == [["candidate", "greedy", "greedy", "random"]]
    search("greedy", ["own=-5..5"], against=["greedy"], trials=2, deals=2, fresh=2)  # an agent against itself


# ── Broken off ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("n", "chunks"), [(0, 0), (0, 7), (2, 3), (4, 0), (5, 10), (6, 2), (7, 19)])
def test_L08_a_search_that_was_broken_off_ends_as_if_it_had_not_been(search, whole, tmp_path, n, chunks):
    broken_off(whole, tmp_path / "o", n, chunks)
    search(out=tmp_path / "o", resume=True)
    assert contents(tmp_path / "o") == contents(whole)


def test_L08_between_two_trials_before_the_first_and_finished_ones_too(search, whole, tmp_path):
    for n in (0, 3):
        out = tmp_path / str(n)
        out.mkdir()
        shutil.copy(whole / "search.json", out)
        for name in matches(whole)[:n]:
            shutil.copytree(whole / "plays" / name, out / "plays" / name)
        search(out=out, resume=True)
        assert contents(out) == contents(whole)
    before = written(out)
    search(out=out, resume=True)
    assert contents(out) == contents(whole)
    assert written(out) == before  # nothing was played


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
def test_L08_a_search_that_was_killed_goes_on(search, whole, bot, tmp_path):
    call = f"maximise('tuned', ['salt=0..1', 'kind=light|odd|heavy'], agents_from=[{str(bot)!r}], out='o', **{PLAIN!r})"
    going = launch("-c", f"from mtrain.tuning.maximise import maximise; {call}", cwd=tmp_path)
    wait_for(lambda: (tmp_path / "o/plays/trial-002").exists())
    going.kill()
    going.communicate()
    assert not (tmp_path / "o/outcome.parquet").exists()
    search(out=tmp_path / "o", resume=True)
    assert contents(tmp_path / "o") == contents(whole)


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX's")
@pytest.mark.parametrize("after", [0, 3, None])
def test_ctrl_c_keeps_what_is_measured(search, whole, tmp_path, after):
    def stop(step: Any) -> None:
        if step.trial == after:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(SearchInterrupted) as broken:
        search(out=tmp_path / "o", watch=stop)
    assert len(broken.value.trials) == (6 if after is None else after + 1)
    assert set(matches(tmp_path / "o")) <= set(matches(whole))
    assert contents(tmp_path / "o").items() <= contents(whole).items()
    search(out=tmp_path / "o", resume=True)
    assert contents(tmp_path / "o") == contents(whole)


def test_what_is_damaged_is_played_again(search, whole, tmp_path, capfd):
    broken_off(whole, tmp_path / "o", 3, 10)
    part = tmp_path / "o/plays" / matches(whole)[3] / "rounds.parquet/part-00002.parquet"
    part.write_bytes(part.read_bytes()[:-9])
    search(out=tmp_path / "o", resume=True)
    assert "part-00002.parquet is damaged in rounds.parquet: it is played again" in capfd.readouterr().err
    assert contents(tmp_path / "o") == contents(whole)


def test_a_tournament_of_something_else_is_no_part_of_it(search, whole, tmp_path):
    out = tmp_path / "o"
    shutil.copytree(whole, out)
    (out / "plays/trial-000").rename(out / "plays/kept")
    (out / "plays/trial-001").rename(out / "plays/trial-000")
    with pytest.raises(
        UsageError, match=r"plays/trial-000 holds another run: agents is candidate@tuned, greedy, and the"
    ):
        search(out=out, resume=True)


def test_another_search_is_not_gone_on_with(search, whole):
    for how, sentence in (
        ({"trials": 7}, "holds another search: trials is 7, and the run in .* has 6"),
        ({"deals": 30}, "holds another search: deals is 30, and the run in .* has 20"),
        ({"seed": 9}, "holds another search: seed is 9"),
        ({"space": ["salt=0..2", "kind=light|odd|heavy"]}, r"space\.salt is 0\.\.2, and the run in .* has 0\.\.1"),
        ({"objective": "win"}, "objective is win, and the run in .* has pips"),
    ):
        with pytest.raises(SearchError, match=sentence):
            search(out=whole, resume=True, **how)


def test_a_directory_that_is_not_empty_is_refused(search, whole, bot, tmp_path):
    with pytest.raises(SearchError, match=r"is not empty: it holds a search; --resume \(resume=True\) goes on with it"):
        search(out=whole)
    (tmp_path / "notes.txt").touch()
    for resume in (False, True):
        with pytest.raises(UsageError, match=r"is not empty"):
            search(out=tmp_path, resume=resume)
    m.tournament(["greedy", "random"], players=2, deals=2, rounds=1, out=tmp_path / "run")
    for resume, sentence in ((False, "is not empty"), (True, "holds a run, and no search to go on with")):
        with pytest.raises(UsageError, match=sentence):
            search(out=tmp_path / "run", resume=resume)
    with locked(whole), pytest.raises(UsageError, match="is being written to by process"):
        search(out=whole, resume=True)
    with pytest.raises(SearchError, match="nothing to go on with without a directory"):
        search(resume=True)


# ── Who wins ──────────────────────────────────────────────────────────────────────────────────────────────


def test_L09_what_changes_nothing_is_no_improvement(search):
    found = search(space=["idle=0..5"])
    assert found.kept
    assert found.winner == found.best == found.incumbent == "tuned"
    assert found.trials["value"].nunique() == 1
    assert np.isnan([found.gain, found.lo, found.hi, found.value]).all()
    assert found.sentence == "tuned stays: none of 5 other candidates did better"


def test_L09_luck_on_the_trials_deals_is_not_enough(search):
    lucky = 0
    for seed in range(3):
        found = search("tuned:kind=odd", ["salt=0..1"], trials=10, seed=seed)
        lucky += found.best != found.incumbent
        assert found.winner == found.incumbent
        assert found.kept
    assert lucky == 3
    assert found.lo < 0
    assert found.sentence.startswith(f"tuned:kind=odd stays: on 20 fresh deals {found.best} is ")
    assert found.sentence.endswith(" pips/round, and the interval reaches 0")


def test_L09_a_true_improvement_takes_over_by_its_fresh_deals(search, bot):
    found = search(space=["kind=light|heavy"], deals=40, fresh=160)
    assert not found.kept
    assert found.winner == found.best
    assert 0 < found.lo < found.gain < found.hi
    seed = int(stream(3, SEARCH, 1, 0, 0)) & MAX_SEED
    before, after = (played(bot, agent, seed, 160)["diff"].to_numpy(float) for agent in (found.incumbent, found.best))
    assert found.value == pytest.approx(after.mean())
    assert found.value != pytest.approx(found.trials["value"].min())
    assert found.gain == pytest.approx((before - after).mean())
    interval = stats.t.interval(0.95, 159, found.gain, stats.sem(before - after))
    assert (found.lo, found.hi) == pytest.approx(interval)
    said = f"{found.gain:.2f} [{found.lo:.2f}, {found.hi:.2f}] pips/round"
    assert found.sentence == f"{found.best} takes over from tuned: on 160 fresh deals it is better by {said}"


def test_fresh_deals_are_twice_as_many_where_nothing_is_said(search):
    assert search(space=["kind=light|heavy"], deals=10, trials=4, fresh=None).blocks == 20


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("start", ["light", "heavy"])
def test_L10_the_better_bot_is_found_whichever_way_better_lies(search, objective, start):
    found = search(
        f"tuned:kind={start}", ["kind=light|heavy"], objective=objective, deals=100, fresh=100, trials=5, players=3
    )
    assert found.winner == "tuned:kind=heavy"
    assert found.kept == (start == "heavy")
    values = found.trials.groupby("kind")["value"].first()
    if objective == "win":
        assert values["heavy"] > values["light"]
        assert 0 < values["heavy"] < 1
    else:
        assert values["heavy"] < values["light"]
    if start == "light":
        assert found.lo > 0


@pytest.mark.parametrize(
    ("gain", "lo", "hi", "sentence"),
    [
        (0.5, 0.1, 0.9, "new takes over from old: on 9 fresh deals it is better by 0.50 [0.10, 0.90] pips/round"),
        (
            0.5,
            -0.1,
            1.1,
            "old stays: on 9 fresh deals new is better by 0.50 [-0.10, 1.10] pips/round, and the interval",
        ),
        (-0.5, -0.9, -0.1, "old stays: on 9 fresh deals new is worse by 0.50 [0.10, 0.90] pips/round"),
        (0.5, np.nan, np.nan, "old stays: on 9 fresh deals new is better by 0.50 pips/round, and without an interval"),
    ],
)
def test_the_sentence_says_what_came_of_it(gain, lo, hi, sentence):
    winner = "new" if lo > 0 else "old"
    found = Search(OBJECTIVES["pips"], pd.DataFrame(), "old", "new", gain, lo, hi, 9, winner, 1.0)
    assert found.sentence.startswith(sentence)


# ── Wrong calls ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"space": ["sald=0..1"]}, "unknown parameter 'sald' in the space; did you mean 'salt'?"),
        ({"space": ["salt=1..0"]}, "the range salt=1..0 is empty: its lower end comes first"),
        ({"space": ["salt=1..1"]}, "the range salt=1..1 holds one value alone: there is nothing to search"),
        ({"space": ["salt=0..1:log"]}, "the range salt=0..1:log has no logarithm: it must begin above 0"),
        ({"space": ["salt=0..1:lin"]}, "a range of salt is followed by :log or by nothing, not by 'lin'"),
        ({"space": ["few=1.5..3"]}, "few is a whole number, not '1.5'"),
        ({"space": {"few": (1.5, 3)}}, "few is a whole number, not 1.5"),
        ({"space": {"salt": (0, float("nan"))}}, "salt is a number, not nan"),
        ({"space": {"salt": (0, float("inf"))}}, "salt is a number, not inf"),
        ({"space": {"salt": (None, 1)}}, "salt is a number, not None"),
        ({"space": {"salt": 3}}, "salt is searched over a range (low, high) or a list of values, not 3"),
        ({"space": ["salt=.."]}, "salt is a number, not ''"),
        ({"space": ["salt"]}, "'salt' says of no parameter what to try; write pair=0..60 or order=rest|plan"),
        ({"space": ["salt=0..1", "salt=0..2"]}, "parameter 'salt' is given twice in the space"),
        ({"space": "salt=0..1"}, "a space is a list of texts, not the text 'salt=0..1'"),
        ({"space": []}, "nothing is to be searched; name a parameter and what to try, like pair=0..60"),
        ({"space": ["kind=light|hevy"]}, "kind is one of light, heavy, odd, not 'hevy'"),
        ({"space": ["kind=light"]}, "kind can be light alone: there is nothing to search; list two values or more"),
        ({"space": ["kind=light|odd|light"]}, "light stands twice among the values of kind"),
        ({"space": {"kind": ("light", "odd")}}, "kind is one of light, heavy, odd: list its values, kind=light|heavy|"),
        ({"space": {"calm": (0, 1)}}, "calm is true or false: list its values, calm=true|false"),
        ({"space": {"name": ["x", "y,z"]}}, "name='y,z' cannot be written as a parameter of an agent"),
        ({"space": ["salt=0.6..1"]}, "tuned begins with salt=0.5, which is not in salt=0.6..1"),
        (
            {"agent": "tuned:kind=odd", "space": ["kind=light|heavy"]},
            "tuned:kind=odd begins with kind=odd, which is no",
        ),
        ({"agent": "random", "space": ["salt=0..1"]}, "unknown parameter 'salt' in the space; the agent has none"),
        ({"agent": "tuned:few=7"}, "agent 'tuned': few is never 7"),
        ({"agent": "exec:true"}, "exec:true"),
        ({"agent": "tund"}, "unknown agent 'tund'; did you mean 'tuned'?"),
        ({"objective": "pip"}, "unknown objective 'pip'; did you mean 'pips'?"),
        ({"against": "greedy"}, "against is a list of agents, not 'greedy'"),
        ({"against": []}, "against nobody there is nothing to measure"),
        ({"against": ["gredy"]}, "unknown agent 'gredy'; did you mean 'greedy'?"),
        ({"against": ["greedy", "random"]}, "2 agents and the candidate need more than 2 seats"),
        ({"players": 1}, "1"),
        ({"players": 40}, "40"),
        ({"players": "4"}, "players is a whole number, not '4'"),
        ({"jobs": 0}, "jobs is a whole number, 1 or more, not 0"),
        ({"deals": 1}, "deals is a whole number, 2 or more, not 1"),
        ({"trials": True}, "trials is a whole number, 2 or more, not True"),
        ({"fresh": 1}, "fresh is a whole number, 2 or more, not 1"),
        ({"seed": -1}, "seed is a whole number, 0 or more, not -1"),
        ({"changes": {"round": 1}}, "round"),
        ({"rules": "standart"}, "standard"),
    ],
)
def test_a_search_that_cannot_be_is_refused_before_any_work(search, tmp_path, how, sentence):
    with pytest.raises(UsageError) as error:
        search(**(how | {"out": tmp_path / "o"}))
    assert sentence in str(error.value)
    assert len(str(error.value).splitlines()) == 1
    assert not (tmp_path / "o").exists()


def test_without_the_library_one_sentence_says_how_to_get_it(search, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(SearchError, match=r'a search needs optuna, and it is not there: pip install "mtrain\[tune\]"'):
        search()


def test_spaces_are_read_from_text_or_from_values():
    known = parameters(Registry().find("planner"))
    assert parse_space(["pair=0..60", "order=rest|plan"], known) == {
        "pair": Range(0.0, 60.0),
        "order": Choices(("rest", "plan")),
    }
    assert parse_space(["pair = 0.1..10:log"], known) == {"pair": Range(0.1, 10.0, True)}
    assert parse_space(["pair=-5..5"], known) == {"pair": Range(-5.0, 5.0)}
    assert parse_space(["pair=1|2.5|10"], known) == {"pair": Choices((1.0, 2.5, 10.0))}
    for text in ("pair=0.1..10:log", "pair=-5..60", "order=rest|plan"):
        (name, span), *_ = parse_space([text], known).items()
        assert f"{name}={span}" == text


def test_a_space_of_values_is_the_space_of_texts(search):
    texts = search(space=["salt=0.1..1:log", "few=1..5", "calm=true|false", "kind=light|odd"], trials=3)
    space = {"salt": (0.1, 1, "log"), "few": (1, 5), "calm": [True, False], "kind": "light|odd"}
    assert search(space=space, trials=3).trials.equals(texts.trials)
    assert texts.trials["few"].dtype == "int64"
    assert texts.trials["calm"].dtype == "bool"


def test_a_parameter_said_and_searched_begins_where_it_is_said(search):
    found = search("mine@tuned:salt=0.25,kind=heavy", ["salt=0..1"], trials=2)
    assert found.incumbent == "tuned:salt=0.25,kind=heavy"
    assert found.trials["salt"].iloc[0] == 0.25
    assert found.trials["agent"].iloc[1].startswith("tuned:salt=")
    assert found.trials["agent"].iloc[1].endswith(",kind=heavy")


def test_whoever_watches_hears_of_every_trial(search):
    steps = []
    found = search(watch=steps.append)
    assert [step.trial for step in steps] == [0, 1, 2, 3, 4, 5, None, None]
    assert [step.agent for step in steps[-2:]] == [found.incumbent, found.best]
    assert steps[5].best == found.best
    assert [step.state for step in steps[:6]] == list(found.trials["state"])
