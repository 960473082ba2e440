"""Runs survive: whatever ends one, what is finished is kept, and going on gives the bytes of one that never ended."""

import errno
import gc
import json
import os
import pickle
import re
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import mtrain as m
from mtrain.arena import run as arena
from mtrain.arena import workers
from mtrain.arena.chunk import Done, work
from mtrain.arena.experiment import begin, read_experiment
from mtrain.arena.run import Interrupted, run
from mtrain.arena.spec import TournamentError, plan
from mtrain.arena.store import log
from mtrain.arena.workdir import Locked, Unwritten, locked
from mtrain.errors import RunError, UsageError
from mtrain.stats import files
from mtrain.stats.results import ChunkStatistics, read
from tests.helpers.crashes import SLOW, small
from tests.helpers.program import HERE, launch, mtrain, printed, python, start, wait_for
from tests.helpers.runs import QUICK, break_off, parts, quick, tables


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the chunks that are played."""
    numbers: list[int] = []
    monkeypatch.setattr(workers, "work", lambda t, chunk: (numbers.append(chunk.number), work(t, chunk))[1])
    return numbers


# ── Killed ────────────────────────────────────────────────────────────────────────────────────────────────


def crash(kind: str, folder: Path) -> int:
    return int(printed("-m", "tests.helpers.crashes", kind, str(folder), cwd=HERE))


def test_H33_killed_at_twenty_random_moments_it_has_the_bytes_of_an_uninterrupted_run(folder: Path) -> None:
    assert crash("moments", folder) >= 10  # kills while it was going on
    assert tables(folder / "out") == tables(folder / "whole")


def test_H33_killed_before_each_single_write_it_has_the_bytes_of_an_uninterrupted_run(folder: Path) -> None:
    assert crash("writes", folder) > 20


def test_H33_killed_with_all_its_processes(folder: Path) -> None:
    """The command line with a Python agent, so in worker processes; the whole group is killed."""
    (folder / "slow.py").write_text(SLOW.format(seconds=1e-3))
    call = ["tournament", "slow", "random", "--players", "2", "--deals", "24", "--seed", "3", "--set", "rounds=2"]
    call += ["--agents", "slow.py", "--jobs", "2", "--quiet", "--out"]
    going = start([*call, "out"], folder)
    wait_for(lambda: len(parts(folder / "out")) >= 3)
    os.killpg(going.pid, signal.SIGKILL)
    going.communicate()
    wait_for(lambda: not left_of(going.pid))
    kept = len(parts(folder / "out"))
    ran = mtrain(*call, "out", "--resume", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    assert 3 <= kept < 24
    assert f"out holds {kept} of 24 blocks; the others are played" in ran.stderr
    run(
        plan(["slow", "random"], players=2, deals=24, seed=3, changes={"rounds": 2}, agents_from=[folder / "slow.py"]),
        folder / "whole",
        jobs=1,
    )
    assert tables(folder / "out") == tables(folder / "whole")


@pytest.mark.skipif(os.name != "posix", reason="who a process's parent is")
def test_H33_workers_go_when_the_process_they_work_for_is_killed(folder: Path) -> None:
    (folder / "slow.py").write_text(SLOW.format(seconds=1e-3))
    call = ["tournament", "slow", "random", "--players", "2", "--deals", "500", "--agents", "slow.py", "--jobs", "2"]
    going = start([*call, "--out", "out"], folder)
    wait_for(lambda: len(parts(folder / "out")) >= 1)
    assert len(left_of(going.pid)) > 2
    going.kill()
    going.communicate()
    wait_for(lambda: not left_of(going.pid))


def test_H33_exactly_the_missing_chunks_are_played(folder: Path, played: list[int]) -> None:
    run(quick(), folder / "a", jobs=1)
    whole, seconds = tables(folder / "a"), read(folder / "a").timing
    assert played == list(range(20))
    played.clear()
    break_off(folder / "a", [0, 2, 5])
    made = run(quick(), folder / "a", jobs=1, resume=True)
    assert sorted(played) == [k for k in range(20) if k not in (0, 2, 5)]
    assert tables(folder / "a") == whole
    assert made.timing["decisions"].tolist() == seconds["decisions"].tolist()
    assert made.manifest.finished


def test_H40_what_is_played_after_a_crash_has_the_seeds_it_would_have_had(folder: Path) -> None:
    run(quick(), folder / "a", jobs=1)
    before = read(folder / "a").rounds
    break_off(folder / "a", range(7))
    run(quick(), folder / "a", jobs=1, resume=True)
    after = read(folder / "a").rounds
    later = before["deal"] >= 14
    assert later.sum() > 100
    assert after[later].equals(before[later])


def damage(out: Path, kind: str) -> str:
    """Damage chunk 3 of a run; return what is said of it."""
    games, rounds = (out / f"{table}.parquet" / "part-00003.parquet" for table in ("games", "rounds"))
    if kind == "torn":
        games.write_bytes(games.read_bytes()[:-100])
        return "part-00003.parquet is damaged in games.parquet: it is played again"
    if kind == "empty":
        rounds.write_bytes(b"")
        return "part-00003.parquet is damaged in rounds.parquet: it is played again"
    if kind == "a bit":
        data = bytearray(rounds.read_bytes())
        data[len(data) // 2] ^= 1
        rounds.write_bytes(data)
        return "part-00003.parquet is damaged in rounds.parquet: it is played again"
    if kind == "another's":
        shutil.copy(out / "games.parquet" / "part-00002.parquet", games)
        shutil.copy(out / "rounds.parquet" / "part-00002.parquet", rounds)
        lines = (out / "chunks.jsonl").read_text().splitlines()
        second = next(json.loads(line) for line in lines if json.loads(line)["chunk"] == 2)
        with (out / "chunks.jsonl").open("a") as file:
            file.write(json.dumps(second | {"chunk": 3}) + "\n")
        return "part-00003.parquet holds other blocks: it is played again"
    if kind == "no twin":
        rounds.unlink()
        return "part-00003.parquet is not complete: it is played again"
    lines = (out / "chunks.jsonl").read_text().splitlines(keepends=True)
    kept = [line for line in lines if json.loads(line)["chunk"] != 3]
    (out / "chunks.jsonl").write_text("".join(kept) + '{"chunk": 3, "par')
    return "part-00003.parquet is not in chunks.jsonl: it is played again"


@pytest.mark.parametrize("finished", [True, False])
@pytest.mark.parametrize("kind", ["torn", "empty", "a bit", "another's", "no twin", "torn log"])
def test_H33_a_damaged_part_is_played_again_and_it_is_said(
    folder: Path, played: list[int], capsys: pytest.CaptureFixture[str], kind: str, finished: bool
) -> None:
    run(quick(), folder / "a", jobs=1)
    whole = tables(folder / "a")
    if not finished:
        break_off(folder / "a", range(19))
    said = damage(folder / "a", kind)
    (folder / "a" / "games.parquet" / "part-00009.parquet.tmp").write_bytes(b"torn")
    (folder / "a" / "standings.parquet.tmp").write_bytes(b"torn")
    played.clear()
    run(quick(), folder / "a", jobs=1, resume=True)
    assert sorted(played) == ([3] if finished else [3, 19])
    assert f"mtrain: {said}\n" in capsys.readouterr().err
    assert tables(folder / "a") == whole
    assert not list(folder.rglob("*.tmp"))
    assert set(log(folder / "a")) == set(range(20))


def test_a_finished_run_says_so_and_prints_its_standings(folder: Path) -> None:
    call = ["tournament", *QUICK, "--players", "2", "--deals", "3", "--out", "o", "--jobs", "1", "--quiet"]
    first = mtrain(*call, cwd=folder)
    before = {path: path.stat().st_mtime_ns for path in (folder / "o").rglob("*.*")}
    ran = mtrain(*call, "--resume", cwd=folder)
    assert ran.returncode == 0
    assert "mtrain: o is finished; there is nothing left to play" in ran.stderr
    assert ran.stdout == first.stdout
    assert {path: path.stat().st_mtime_ns for path in (folder / "o").rglob("*.*")} == before


def test_a_run_that_failed_at_once_can_be_gone_on_with(folder: Path) -> None:
    run(quick(), folder / "a", jobs=1)
    whole = tables(folder / "a")
    (folder / "b").mkdir()
    manifest = json.loads((folder / "a" / "manifest.json").read_text())
    (folder / "b" / "manifest.json").write_text(json.dumps(manifest | {"finished": False}))
    run(quick(), folder / "b", jobs=1, resume=True)
    assert tables(folder / "b") == whole


def test_going_on_where_nothing_is_begins(folder: Path) -> None:
    made = m.tournament(QUICK, players=2, deals=3, rounds=1, jobs=1, out=folder / "new", resume=True)
    assert made.manifest.finished
    (folder / "killed").mkdir()
    (folder / "killed" / "manifest.json.tmp").write_text("{")
    assert m.tournament(QUICK, players=2, deals=3, rounds=1, jobs=1, out=folder / "killed", resume=True).parts


# ── Refused ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"seed": 2}, r"holds another run: seed is 2, and the run in \S+ has 1$"),
        ({"deals": 4}, r"deals is 4, and the run in \S+ has 3$"),
        ({"players": 3}, r"players is 3, and the run in \S+ has 2; lineups is"),
        ({"rounds": 2}, r"rules.rounds is 2, and the run in \S+ has 1$"),
        ({"rules": "pinecone"}, r"rules\.\w+ is .*, and the run in \S+ has"),
        ({"agents": ["random", "greedy:own=5"]}, r"agents is random, greedy:own=5, and the run in \S+ has random, gr"),
        ({"agents": ["greedy", "random"]}, r"agents is greedy, random, and the run in \S+ has random, greedy"),
        ({"agents": ["random", "x@greedy"]}, r"agents is random, x@greedy, and the run in \S+ has random, greedy"),
        ({"agents": ["random", "planner"]}, r"agents is random, planner, and"),
        ({"lineups": [["random", "greedy"]]}, r"schedule is lineups, and the run in \S+ has all$"),
        ({"share": (1, 2)}, r"share is 1/2, and the run in \S+ has none$"),
        ({"seed": 2, "deals": 4}, r"seed is 2, and the run in \S+ has 1; deals is 4, and the run in \S+ has 3"),
    ],
)
def test_H34_a_changed_spec_is_refused_with_the_difference(folder: Path, change: dict[str, object], said: str) -> None:
    spec: dict[str, object] = {"agents": QUICK, "players": 2, "deals": 3, "seed": 1, "rounds": 1, "jobs": 1}
    m.tournament(**spec, out=folder / "a")  # type: ignore[arg-type]
    break_off(folder / "a", [0])
    with pytest.raises(TournamentError, match=said) as refused:
        m.tournament(**(spec | change), out=folder / "a", resume=True)  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)
    assert len(parts(folder / "a")) == 1


def test_H34_a_changed_agent_or_version_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(small(folder, deals=3, seconds=0), folder / "a", jobs=1)
    break_off(folder / "a", [0])
    with pytest.raises(TournamentError, match=r"the source file of agent 'slow' has changed since$"):
        run(small(folder, deals=3, seconds=1e-9), folder / "a", jobs=1, resume=True)
    monkeypatch.setattr("mtrain.arena.manifest.__version__", "9.9.9")
    with pytest.raises(TournamentError, match=r"versions.mtrain is 9.9.9, and the run in \S+ has 0"):
        run(small(folder, deals=3, seconds=0), folder / "a", jobs=1, resume=True)
    monkeypatch.undo()
    manifest = json.loads((folder / "a" / "manifest.json").read_text())
    for there, said in (({"random": 2}, r"agent 'random' is of version 1, and in \S+ of 2$"), ({}, "")):
        kept = manifest | {"agent_versions": manifest["agent_versions"] | there, "code": "another"}
        (folder / "a" / "manifest.json").write_text(json.dumps(kept))
        if said:
            with pytest.raises(TournamentError, match=said):
                run(small(folder, deals=3, seconds=0), folder / "a", jobs=1, resume=True)
    del kept["agent_versions"]  # as it was before there were any: the first
    (folder / "a" / "manifest.json").write_text(json.dumps(kept | {"sources": kept["sources"] | {"random": "feed"}}))
    run(small(folder, deals=3, seconds=0), folder / "a", jobs=1, resume=True)


def test_an_unfinished_run_is_not_begun_anew_and_going_on_is_offered(folder: Path) -> None:
    run(quick(), folder / "a", jobs=1)
    with pytest.raises(TournamentError, match="is not empty; name a new directory"):
        run(quick(), folder / "a", jobs=1)
    break_off(folder / "a", [0])
    with pytest.raises(TournamentError, match="holds an unfinished run; --resume"):
        run(quick(), folder / "a", jobs=1)


def test_only_a_run_can_be_gone_on_with(folder: Path) -> None:
    (folder / "dear.txt").write_text("dear")
    with pytest.raises(TournamentError, match="is not empty, and holds no run to go on with"):
        run(quick(), folder, jobs=1, resume=True)
    (folder / "manifest.json").write_text("{")
    with pytest.raises(TournamentError, match=r"manifest\.json cannot be read"):
        run(quick(), folder, jobs=1, resume=True)
    with pytest.raises(TournamentError, match="nothing to go on with without a directory"):
        m.tournament(QUICK, resume=True)
    ran = mtrain("tournament", *QUICK, "--resume")
    assert ran.returncode == 2
    assert "--resume needs --out DIR" in ran.stderr


def test_a_part_of_no_chunk_is_refused(folder: Path) -> None:
    run(quick(), folder / "a", jobs=1)
    for table in ("games", "rounds"):
        there = folder / "a" / f"{table}.parquet"
        shutil.copy(there / "part-00000.parquet", there / "part-00077.parquet")
    with pytest.raises(TournamentError, match=r"holds part-00077.parquet, which is no part of this run"):
        run(quick(), folder / "a", jobs=1, resume=True)


def test_two_runs_cannot_share_a_directory(folder: Path) -> None:
    (folder / "a").mkdir()
    with locked(folder / "a"), pytest.raises(Locked, match=rf"being written to by process {os.getpid()} on \S+; two"):
        run(quick(), folder / "a", jobs=1)
    run(quick(), folder / "a", jobs=1)
    assert not (folder / "a" / ".lock").exists()


def test_the_lock_of_a_dead_process_holds_nothing(folder: Path) -> None:
    hold = "import sys, time; from pathlib import Path; from mtrain.arena.workdir import locked\n"
    hold += "with locked(Path(sys.argv[1])):\n    print('held', flush=True); time.sleep(60)"
    holder = launch("-c", hold, str(folder))
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(Locked, match=f"process {holder.pid}"):
        run(quick(), folder, jobs=1)
    holder.kill()
    holder.communicate()
    assert (folder / ".lock").exists()
    assert run(quick(), folder, jobs=1).manifest.finished


# ── Full disks ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
@pytest.mark.parametrize("n", [0, 5, 43])
def test_a_disk_that_is_full_or_broken_costs_nothing_that_is_finished(
    folder: Path, monkeypatch: pytest.MonkeyPatch, number: int, n: int
) -> None:
    run(quick(), folder / "whole", jobs=1)
    left = n

    def full(path: Path, data: bytes) -> Path:
        nonlocal left
        if not left:
            raise OSError(number, os.strerror(number), str(path))
        left -= 1
        return put(path, data)

    put = files.put
    monkeypatch.setattr(files, "put", full)
    with pytest.raises(Unwritten, match=f"cannot write to .*: {os.strerror(number)}.*is kept$") as said:
        run(quick(), folder / "a", jobs=1)
    assert isinstance(said.value, RunError)
    assert len(parts(folder / "a")) == min((n - 1) // 2, 20) if n else not parts(folder / "a")
    monkeypatch.undo()
    run(quick(), folder / "a", jobs=1, resume=True)
    assert tables(folder / "a") == tables(folder / "whole")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="limits of files are POSIX's")
def test_a_real_limit_is_one_sentence_and_the_command_to_go_on(folder: Path) -> None:
    """Files may grow to 12,000 bytes: the log of chunks comes there first."""
    agents = [*QUICK, "double-holder"]
    call = ["tournament", *agents, "--players", "3", "--deals", "31", "--set", "rounds=1", "--jobs", "1", "--quiet"]
    limit = "import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (12000, 12000));"
    limit += "sys.argv = ['mtrain', *sys.argv[1:]]; runpy.run_module('mtrain', run_name='__main__')"
    ran = python("-c", limit, *call, "--out", "o o", cwd=folder)
    assert ran.returncode == 1
    assert "Traceback" not in ran.stderr
    said, command = ran.stderr.splitlines()[-2:]
    assert said.startswith("mtrain: cannot write to o o: File too large")
    assert said.endswith("what was finished before is kept; go on with:")
    assert 0 < len(parts(folder / "o o")) < 31
    assert mtrain(*shlex.split(command)[1:], cwd=folder).returncode == 0
    run(plan(agents, players=3, deals=31, changes={"rounds": 1}), folder / "whole", jobs=1)
    assert tables(folder / "o o") == tables(folder / "whole")


# ── Ctrl-C ────────────────────────────────────────────────────────────────────────────────────────────────


def left_of(group: int) -> list[str]:
    """Return the processes of a group that live."""
    lines = subprocess.run(["ps", "-eo", "pgid=,stat=,args="], capture_output=True, text=True, check=True).stdout
    return [line for line in lines.splitlines() if line.split()[0] == str(group) and line.split()[1][0] != "Z"]


LONG = {
    "compiled": ["mc:worlds=24", "random", "--players", "2", "--deals", "2000", "--set", "rounds=1"],
    "python": ["slow", "random", "--players", "2", "--deals", "2000", "--agents", "slow.py"],
}


@pytest.mark.skipif(os.name != "posix", reason="process groups are POSIX's")
@pytest.mark.parametrize(
    ("kind", "jobs", "number"),
    [("compiled", 2, signal.SIGINT), ("python", 2, signal.SIGINT), ("python", 1, signal.SIGTERM)],
)
def test_H35_ctrl_c_finishes_what_is_in_flight(folder: Path, kind: str, jobs: int, number: int) -> None:
    (folder / "slow.py").write_text(SLOW.format(seconds=2e-4))
    call = ["tournament", *LONG[kind], "--jobs", str(jobs), "--seed", "1", "--out", "a b", "--quiet"]
    going = start(call, folder)
    wait_for(lambda: len(parts(folder / "a b")) >= 2)
    os.killpg(going.pid, number)
    out, err = going.communicate(timeout=60)
    assert going.returncode == 130, err
    assert "Traceback" not in err
    kept = read(folder / "a b")
    assert kept.halves == []
    assert 2 <= len(kept.parts) < 2000
    assert re.search(r"random +\d+ ", out)  # the standings so far
    assert "blocks: the run was not finished" in err
    said, command = err.splitlines()[-2:]
    assert said == "mtrain: interrupted; what is finished is kept; go on with:"
    assert shlex.split(command) == ["mtrain", *call, "--resume"]
    assert not (folder / "a b" / ".lock").exists()
    wait_for(lambda: not left_of(going.pid))


@pytest.mark.skipif(os.name != "posix", reason="process groups are POSIX's")
@pytest.mark.parametrize(("kind", "jobs"), [("compiled", 1), ("python", 2)])
def test_H35_ctrl_c_twice_stops_at_once(folder: Path, kind: str, jobs: int) -> None:
    (folder / "slow.py").write_text(SLOW.format(seconds=0.05))
    lineup = {"compiled": ["mc:worlds=4000", "random"], "python": ["slow", "random"]}[kind]
    call = ["tournament", *lineup, "--players", "2", "--deals", "50", "--jobs", str(jobs), "--agents", "slow.py"]
    going = start([*call, "--out", "o"], folder)
    wait_for(lambda: (folder / "o" / "manifest.json").is_file())
    time.sleep(1)  # a chunk takes minutes
    os.killpg(going.pid, signal.SIGINT)
    time.sleep(0.5)
    assert going.poll() is None
    os.killpg(going.pid, signal.SIGINT)
    _, err = going.communicate(timeout=30)
    assert going.returncode == 130, err
    assert "Traceback" not in err
    assert "mtrain: stopped; what was finished before is kept; go on with:\nmtrain tournament" in err
    assert parts(folder / "o") == []
    wait_for(lambda: not left_of(going.pid))


@pytest.mark.skipif(os.name != "posix", reason="process groups are POSIX's")
def test_H35_ctrl_c_in_an_experiment_with_parts(folder: Path) -> None:
    (folder / "slow.py").write_text(SLOW.format(seconds=1e-4))
    (folder / "x.toml").write_text(
        'question = "Which?"\nagents = ["slow", "random"]\nagents_from = ["slow.py"]\nseed = 1\nplayers = 2\n'
        '[set]\nrounds = 1\n[[part]]\nname = "one"\ndeals = 2000\n[[part]]\nname = "two"\ndeals = 2\n'
    )
    going = start(["run", "x.toml", "--jobs", "1", "--quiet"], folder)
    out_of = folder / "results" / "x"
    wait_for(lambda: len(parts(out_of / "one")) >= 2)
    os.killpg(going.pid, signal.SIGINT)
    out, err = going.communicate(timeout=60)
    assert going.returncode == 130, err
    assert "Which? · one" in out
    assert not parts(out_of / "two")
    command = shlex.split(err.splitlines()[-1])
    assert command == ["mtrain", "run", "x.toml", "--jobs", "1", "--quiet", "--resume", "--out", "results/x"]
    experiment = read_experiment(folder / "x.toml")
    with pytest.raises(TournamentError, match="holds an unfinished run"):
        begin(experiment, out_of, experiment.parts)
    begin(experiment, out_of, experiment.parts, resume=True)


IN_PYTHON = """
import signal, sys
from dataclasses import replace
from pathlib import Path
from mtrain.arena.run import Interrupted, run
from mtrain.arena.spec import plan
from mtrain.cli.options import stop_signals

out = Path(sys.argv[1])
t = plan(["random", "greedy"], players=2, deals=40, seed=5, changes={"rounds": 2})
try:
    run(t, out, jobs=1, watch=lambda step: signal.raise_signal(signal.SIGINT) if step.games == 4 else None)
except KeyboardInterrupt as stopped:
    assert isinstance(stopped, Interrupted)
    assert len(stopped.results.standings) == 2
    assert signal.getsignal(signal.SIGINT) == signal.default_int_handler
# The one that was finished, and the one in flight.
assert len(list((out / "games.parquet").glob("part-*"))) == 2
with stop_signals() as interrupt:
    signal.raise_signal(signal.SIGTERM)
    assert interrupt.is_set()
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        print("twice")
"""


def test_H35_ctrl_c_in_python(folder: Path) -> None:
    ran = python("-c", IN_PYTHON, str(folder / "a"))
    assert ran.stdout == "twice\n", ran.stderr
    run(quick(), folder / "a", jobs=1, resume=True)


@pytest.mark.parametrize("jobs", [1, 2])
def test_H35_a_library_call_leaves_signals_alone(folder: Path, jobs: int) -> None:
    """Whoever calls handles them as they like; workers of any kind finish what they have, and nothing is ours."""

    def handlers() -> list[object]:
        return [signal.getsignal(number) for number in signal.valid_signals()]

    (folder / "slow.py").write_text(SLOW.format(seconds=0))
    before, seen = handlers(), []
    m.tournament(["slow", "random"], players=2, deals=3, agents_from=[folder / "slow.py"], jobs=jobs, rounds=1,
                 watch=lambda step: seen.append(handlers()))  # fmt: skip
    assert seen
    assert all(each == before for each in [*seen, handlers()])


def test_H35_an_event_ends_a_run_in_any_thread(folder: Path) -> None:
    ends, found = threading.Event(), []

    def play() -> None:
        try:
            run(quick(), folder / "a", jobs=1, interrupt=ends, watch=lambda step: ends.set())
        except Interrupted as interrupted:
            found.append(interrupted.results)

    thread = threading.Thread(target=play)
    thread.start()
    thread.join()
    assert len(found[0].parts) == len(parts(folder / "a")) == 2  # the one that was finished, and the one in flight


def test_a_worker_that_is_killed_is_one_sentence(folder: Path) -> None:
    (folder / "dies.py").write_text(
        "import os, signal\n\n\ndef agent(obs, actions, rng):\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    with pytest.raises(workers.Lost, match="a worker process was killed, perhaps for want of memory"):
        m.tournament(["dies", "random"], players=2, deals=9, jobs=2, agents_from=[folder / "dies.py"])


# ── Looks ─────────────────────────────────────────────────────────────────────────────────────────────────


class Look:
    """Stops when so many blocks are there, and remembers what it was shown."""

    def __init__(self, enough: int) -> None:
        self.enough = enough
        self.seen: list[list[int]] = []

    def __call__(self, digests: Sequence[ChunkStatistics]) -> str | None:
        self.seen.append([int(part.tally.blocks[0, 1]) for part in digests])
        return "enough" if sum(len(part.tally.blocks) for part in digests) >= self.enough else None


@pytest.mark.parametrize("order", ["straight", "backwards", "two workers"])
def test_H01_a_run_that_is_stopped_has_the_same_bytes_whatever_came_first(
    folder: Path, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    t, look = quick(), Look(10)
    if order == "backwards":
        monkeypatch.setattr(
            workers, "spread", lambda t, chunks, jobs, interrupt: (work(t, chunk) for chunk in reversed(list(chunks)))
        )
    made = run(t, folder / "a", jobs=2 if order == "two workers" else 1, stop=look)
    assert look.seen == [list(range(0, 2 * k, 2)) for k in range(1, 6)]
    assert made.manifest.stopped == {"reason": "enough", "chunks": 5, "blocks": 10}
    assert parts(folder / "a") == [f"part-{k:05d}.parquet" for k in range(5)]
    run(quick(), folder / "whole", jobs=1)
    for name in parts(folder / "a"):
        for table in ("games", "rounds"):
            a, b = (folder / side / f"{table}.parquet" / name for side in ("a", "whole"))
            assert a.read_bytes() == b.read_bytes()
    stored = tables(folder / "a")
    again = read(folder / "a", fresh=True)
    assert again.warnings == made.warnings
    again.write_derived()
    assert tables(folder / "a") == stored
    assert made.standings["blocks"].tolist() == [10, 10]


def test_a_stopped_run_is_looked_at_again_when_it_is_gone_on_with(folder: Path) -> None:
    run(quick(), folder / "a", jobs=1, stop=Look(10))
    whole = tables(folder / "a")
    break_off(folder / "a", [0, 3])
    look = Look(10)
    run(quick(), folder / "a", jobs=1, stop=look, resume=True)
    assert len(look.seen) == 5
    assert tables(folder / "a") == whole
    again = Look(10)
    run(quick(), folder / "a", jobs=1, stop=again, resume=True)
    assert len(again.seen) == 5
    assert tables(folder / "a") == whole
    run(replace(quick(), until="width<0.000001"), folder / "b", jobs=1)
    with pytest.raises(TournamentError, match=r"until is none, and the run in \S+ has width<0.000001"):
        run(quick(), folder / "b", jobs=1, resume=True)


def test_a_rule_that_never_stops_changes_nothing(folder: Path) -> None:
    made = run(quick(), folder / "a", jobs=1, stop=Look(10**9))
    assert made.manifest.stopped is None
    run(quick(), folder / "b", jobs=1)
    assert tables(folder / "a") == tables(folder / "b")


# ── Memory ────────────────────────────────────────────────────────────────────────────────────────────────


def test_H36_the_games_of_a_finished_chunk_are_not_kept(folder: Path) -> None:
    alive = []

    def watch(step: arena.Step) -> None:
        gc.collect()
        alive.append(sum(type(each) is Done for each in gc.get_objects()))  # others may be proxies of what is gone

    run(quick(), folder / "a", jobs=2, watch=watch)
    assert len(alive) == 20
    assert max(alive) <= 2 + 3  # in the hands of the writer, and come back from two workers meanwhile


def test_H36_what_is_kept_of_a_block_does_not_grow_with_its_games() -> None:
    sizes = {}
    for players in (2, 4):
        t = plan(["random", "greedy", "b@random", "c@greedy"], players=players, deals=320, seed=1)
        chunk = t.chunks()[0]
        done = work(t, chunk)
        games = t.n_games_of(chunk) / len(chunk.blocks)
        sizes[games] = len(pickle.dumps(done.chunk_statistics)) / len(chunk.blocks)
    assert list(sizes) == [2, 24]
    assert sizes[24] < 12 / 3 * sizes[2]
    assert sizes[24] < 5_000


# ── Beside a live writer ──────────────────────────────────────────────────────────────────────────────────


def test_a_report_beside_a_live_writer(folder: Path) -> None:
    said = []

    def watch(step: arena.Step) -> None:
        there = read(folder / "a", fresh=True)
        there.write_derived()
        said.append((len(there.standings), there.warnings))

    run(quick(deals=5), folder / "a", jobs=1, watch=watch)
    assert [(n, warnings[-1].partition(" holds ")[2]) for n, warnings in said[:4]] == [
        (2, f"{k} of 5 blocks: the run was not finished") for k in range(1, 5)
    ]
    run(quick(deals=5), folder / "b", jobs=1)
    assert tables(folder / "a") == tables(folder / "b")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"share": (0, 2)}, "share 0/2 is none"),
        ({"share": (3, 2)}, "share 3/2 is none: of 2 shares the first is 1/2 and the last 2/2"),
        ({"share": (1, 99)}, "99 shares are more than the 20 chunks"),
        ({"share": (1, 2), "stop": Look(1)}, "a share of a run cannot be stopped early"),
        ({"backend": "ray"}, "unknown backend 'ray'; choose from joblib, dask"),
        ({"backend": "dask"}, "the backend dask needs the address of a scheduler"),
        ({"scheduler": "tcp://x:1"}, "the backend joblib has no scheduler"),
    ],
)
def test_a_wrong_call_is_one_sentence_before_anything_is_written(
    folder: Path, how: dict[str, object], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        run(quick(), folder / "a", **how)  # type: ignore[arg-type]
    assert not list(folder.glob("a/*"))
