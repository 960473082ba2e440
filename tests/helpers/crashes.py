"""Runs that are killed: one process plays a small tournament again and again, and each time is ended without warning.

``python -m tests.helpers.crashes KIND FOLDER``: KIND is `moments`, twenty random ones within one run that is gone on with each
time, or `writes`, a run for every single write. What is left in FOLDER must be the bytes of an uninterrupted run.
"""

import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from mtrain.arena.run import run
from mtrain.arena.spec import Tournament, plan
from mtrain.stats.results import read

# A block a chunk, since a decision is said to be slow; and a little slow it is.
SLOW = """
import dataclasses, time


@dataclasses.dataclass(frozen=True)
class Agent:
    effort = 1e6

    def act(self, obs, actions, rng):
        time.sleep({seconds})
        return rng.choice(actions)
"""


def small(folder: Path, deals: int = 40, seconds: float = 1e-4, seed: int = 7) -> Tournament:
    """Return a tournament of as many chunks as deals, one agent of which is in Python."""
    (folder / "slow.py").write_text(SLOW.format(seconds=seconds), encoding="utf-8")
    return plan(
        ["slow", "random"], players=2, deals=deals, seed=seed, changes={"rounds": 2}, agents_from=[folder / "slow.py"]
    )


def child(act: Callable[[], object]) -> int:
    """Do something in a process of its own; return its number."""
    if pid := os.fork():
        return pid
    try:
        act()
        os._exit(0)
    finally:
        os._exit(1)


def moments(folder: Path) -> None:
    """Kill one run at twenty random moments, and go on with it each time."""
    t, rng, unfinished = small(folder, deals=60, seconds=5e-4), random.Random(1), 0
    run(t, folder / "whole", jobs=1)
    for _ in range(20):
        pid = child(lambda: run(t, folder / "out", jobs=1, resume=True))
        time.sleep(rng.uniform(0, 0.3))
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        file = folder / "out" / "manifest.json"
        unfinished += not file.is_file() or '"finished": false' in file.read_text(encoding="utf-8")
    run(t, folder / "out", jobs=1, resume=True)
    print(unfinished)


def writes(folder: Path) -> None:
    """Die before each write that a run makes, in a run for each; go on with it, and compare the bytes."""
    t = small(folder, deals=2, seconds=0)
    run(t, folder / "whole", jobs=1)
    whole = {path.name: path.read_bytes() for path in sorted((folder / "whole").rglob("*.parquet")) if path.is_file()}
    for n in range(1000):
        out = folder / f"out-{n:03d}"
        pid = child(lambda n=n, out=out: (die_at(n), run(t, out, jobs=1)))
        died = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if not died:
            break
        assert died == 137, died
        run(t, out, jobs=1, resume=True)
        made = read(out)
        assert made.manifest.finished
        assert len(made.games) == t.schedule.n_games * t.players
        for path in out.rglob("*.parquet"):
            other = folder / "whole" / path.relative_to(out)
            assert path.is_dir() or path.name == "timing.parquet" or path.read_bytes() == other.read_bytes(), (n, path)
        assert {path.name for path in out.rglob("*.parquet") if path.is_file()} == set(whole), n
        assert not list(out.rglob("*.tmp")), n
        assert not (out / ".lock").exists(), n
    print(n)


def die_at(n: int) -> None:
    """Have this process die when it has put `n` files on the disk or given them their names."""
    left = n

    def or_die(act: Callable[..., object]) -> Callable[..., object]:
        def count(*arguments: object) -> object:
            nonlocal left
            if not left:
                os._exit(137)
            left -= 1
            return act(*arguments)

        return count

    os.fsync = or_die(os.fsync)  # type: ignore[assignment]
    Path.replace = or_die(Path.replace)  # type: ignore[assignment, method-assign]


if __name__ == "__main__":
    {"moments": moments, "writes": writes}[sys.argv[1]](Path(sys.argv[2]))
