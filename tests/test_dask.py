"""Workers of a Dask scheduler: real processes play the same bytes, and the loss of some loses nothing."""

import dataclasses
import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mtrain.arena import dask
from mtrain.arena.faults import Fault
from mtrain.arena.run import run
from mtrain.arena.spec import Tournament, plan
from mtrain.arena.workers import Lost
from mtrain.bots.registry import bundled
from mtrain.errors import RunError, UsageError
from tests.helpers.crashes import SLOW, small
from tests.helpers.program import HERE, mtrain, start, wait_for
from tests.helpers.runs import parts, tables


class Machines:
    """A Dask scheduler and its workers, each a process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.file = folder / "scheduler.json"
        self.processes = [self.start("scheduler", "--port", "0", "--host", "127.0.0.1", "--scheduler-file", self.file)]
        wait_for(lambda: self.file.is_file() and self.file.read_text().endswith("}"))
        self.address = json.loads(self.file.read_text())["address"]

    def start(self, what: str, *options: object) -> subprocess.Popen[bytes]:
        (self.folder / "elsewhere").mkdir(exist_ok=True)
        return subprocess.Popen(
            [sys.executable, "-m", "dask", what, *map(str, options), "--no-dashboard"],
            cwd=self.folder / "elsewhere",
            env=os.environ | {"PYTHONPATH": str(HERE)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def worker(self) -> subprocess.Popen[bytes]:
        self.processes.append(self.start("worker", self.address, "--nthreads", "1", "--no-nanny"))
        return self.processes[-1]

    def end(self) -> None:
        for process in self.processes:
            process.kill()
        for process in self.processes:
            process.wait()


@pytest.fixture
def machines(folder: Path) -> Iterator[Machines]:
    there = Machines(folder)
    yield there
    there.end()


CALL = ["tournament", "slow", "random", "--players", "2", "--deals", "24", "--seed", "7", "--set", "rounds=2"]


def test_one_of_two_workers_killed_loses_nothing_and_the_bytes_are_those_of_one_process(
    folder: Path, machines: Machines
) -> None:
    """The agent is in Python, in a file of this machine."""
    (folder / "slow.py").write_text(SLOW.format(seconds=2e-3))
    call = [*CALL, "--agents", "slow.py", "--backend", "dask", "--scheduler", machines.address, "--quiet"]
    first, second = machines.worker(), machines.worker()
    going = start([*call, "--out", "out"], folder)
    wait_for(lambda: len(parts(folder / "out")) >= 4)
    first.kill()
    _, err = going.communicate(timeout=120)
    assert going.returncode == 0, err
    assert second.poll() is None
    manifest = json.loads((folder / "out" / "manifest.json").read_text())
    assert (manifest["backend"], manifest["finished"]) == ("dask", True)
    ran = mtrain(*CALL, "--agents", "slow.py", "--jobs", "1", "--out", "whole", "--quiet", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    assert tables(folder / "out") == tables(folder / "whole")


def test_what_is_finished_outlives_the_last_worker_and_the_scheduler(
    folder: Path, machines: Machines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask, "PATIENCE", 1.5)
    t, how = small(folder, deals=24, seconds=2e-3), {"backend": "dask", "scheduler": machines.address}
    left = [machines.worker()]

    def kill(step: object) -> None:
        for process in left:
            process.kill()

    wait_for_worker(machines)
    with pytest.raises(Lost, match=r"the Dask scheduler at tcp://\S+ has no worker; what is finished is kept"):
        run(t, folder / "out", watch=kill, **how)  # type: ignore[arg-type]
    kept = len(parts(folder / "out"))
    assert 1 <= kept < 24
    left[:] = machines.processes[:1]
    machines.worker()
    wait_for_worker(machines)
    with pytest.raises(Lost, match=r"the Dask scheduler at tcp://\S+ is gone; what is finished is kept"):
        run(t, folder / "out", watch=kill, resume=True, **how)  # type: ignore[arg-type]
    assert kept < len(parts(folder / "out")) < 24
    run(t, folder / "out", jobs=1, resume=True)
    run(t, folder / "whole", jobs=1)
    assert tables(folder / "out") == tables(folder / "whole")


def wait_for_worker(machines: Machines) -> None:
    from distributed import Client

    with Client(machines.address, set_as_default=False) as client:
        client.wait_for_workers(1, timeout=60)


def test_ctrl_c_finishes_what_the_workers_have_in_flight(folder: Path, machines: Machines) -> None:
    (folder / "slow.py").write_text(SLOW.format(seconds=2e-3))
    call = [*CALL, "--agents", "slow.py", "--backend", "dask", "--scheduler", machines.address, "--quiet"]
    machines.worker()
    going = start([*call, "--out", "out"], folder)
    wait_for(lambda: len(parts(folder / "out")) >= 2)
    going.send_signal(signal.SIGINT)
    out, err = going.communicate(timeout=60)
    assert going.returncode == 130, err
    assert "slow" in out
    assert shlex.split(err.splitlines()[-1]) == ["mtrain", *call, "--out", "out", "--resume"]
    assert 2 <= len(parts(folder / "out")) < 24


# ── What a worker is handed ───────────────────────────────────────────────────────────────────────────────


def one(t: Tournament, what: dask.Sent) -> dict[str, bytes]:
    return dask.play(what, t.chunks()[0]).parts


def test_an_agent_from_a_file_is_sent_along(folder: Path) -> None:
    t = small(folder, deals=2, seconds=0)
    what = dask.sent(t)
    here = one(t, what)
    (folder / "slow.py").unlink()
    elsewhere = dataclasses.replace(what, run="another")
    assert one(t, elsewhere) == here


def test_a_bundled_agent_is_the_workers_own() -> None:
    t = plan(["random", "greedy"], players=2, deals=2)
    what = dask.sent(t)
    assert list(what.sources.values()) == [None, None]
    moved = [
        dataclasses.replace(agent, origin=agent.origin.replace(str(bundled()), "/other/agents")) for agent in t.agents
    ]
    sources = dict.fromkeys(agent.origin for agent in moved)
    other = dataclasses.replace(what, run="moved", t=dataclasses.replace(t, agents=tuple(moved)), sources=sources)
    assert one(t, other) == one(t, what)
    changed = tuple(dataclasses.replace(agent, version=7) for agent in moved)
    with pytest.raises(RunError, match="a worker has not the agent 'random' as it was when the run was begun"):
        one(t, dataclasses.replace(other, run="changed", t=dataclasses.replace(t, agents=changed)))


def test_a_worker_with_another_mtrain_says_so() -> None:
    t = plan(["random", "greedy"], players=2, deals=2)
    with pytest.raises(RunError, match=r"a worker has mtrain \S+ \(rules \d+\), and the run is begun with 9\.9\.9"):
        one(t, dataclasses.replace(dask.sent(t), run="old", version="9.9.9"))


def test_a_fault_on_a_worker_is_the_agents(folder: Path, machines: Machines) -> None:
    (folder / "bad.py").write_text("def agent(obs, actions, rng):\n    raise ValueError('tired')\n")
    t = plan(["bad", "random"], players=2, deals=3, agents_from=[folder / "bad.py"], on_fault="stop")
    machines.worker()
    with pytest.raises(Fault, match=r"agent 'bad' failed .*ValueError: tired"):
        run(t, folder / "out", backend="dask", scheduler=machines.address)


# ── Refused ───────────────────────────────────────────────────────────────────────────────────────────────


def test_a_scheduler_that_does_not_answer_is_one_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask, "ANSWER", 0.5)
    t = plan(["random", "greedy"], players=2, deals=2)
    for address in ("tcp://127.0.0.1:1", "nonsense://x", "127.0.0.1"):
        with pytest.raises(UsageError, match=f"no Dask scheduler answers at {address} "):
            run(t, folder / "out", backend="dask", scheduler=address)
    assert not parts(folder / "out")
    assert not (folder / "out" / "manifest.json").exists()


def test_without_dask_the_extra_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"needs Dask: pip install 'mtrain\[dask\]'"):
        run(plan(["random"], players=2, deals=2), folder / "out", backend="dask", scheduler="tcp://127.0.0.1:1")


def test_dask_needs_an_address_on_the_command_line() -> None:
    ran = mtrain("tournament", "random", "--backend", "dask")
    assert ran.returncode == 2
    assert "needs the address of a scheduler; say --backend dask --scheduler tcp://HOST:8786" in ran.stderr
