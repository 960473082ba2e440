"""The program as a person has it: commands and scripts in processes of their own, waited for or left going."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

HERE = Path(__file__).parents[2]


def surroundings(**environment: str) -> dict[str, str]:
    """Return the environment of a process that finds this checkout, whatever folder it is begun in."""
    return os.environ | {"PYTHONPATH": str(HERE), "PYTHONIOENCODING": "utf-8"} | environment


def python(*arguments: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a process of its own."""
    return subprocess.run(
        [sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=surroundings(**environment),
        check=False,
    )


def mtrain(*arguments: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    return python("-m", "mtrain", *arguments, cwd=cwd, **environment)


def printed(*arguments: str, cwd: Path | None = None, **environment: str) -> str:
    """Return what Python prints in a process of its own, which must end well."""
    ran = python(*arguments, cwd=cwd, **environment)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def launch(*arguments: str, cwd: Path | None = None) -> subprocess.Popen[str]:
    """Begin Python in a process group of its own, as a terminal does."""
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        start_new_session=True,
        env=surroundings(),
    )


def start(call: Sequence[str], cwd: Path) -> subprocess.Popen[str]:
    """Begin a command in a process group of its own."""
    return launch("-m", "mtrain", *call, cwd=cwd)


def run_unread(call: Sequence[str], cwd: Path) -> None:
    """Run a command that prints into a pipe whose reader has gone."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    subprocess.run(
        [sys.executable, "-m", "mtrain", *call],
        stdout=write_end,
        stderr=subprocess.DEVNULL,
        cwd=cwd,
        env=surroundings(),
        check=False,
    )
    os.close(write_end)


def wait_for(ready: Callable[[], object]) -> None:
    """Wait for what is sure to come; a busy machine takes minutes to compile."""
    end = time.monotonic() + 300
    while not ready():
        assert time.monotonic() < end, "it did not begin"
        time.sleep(0.01)
