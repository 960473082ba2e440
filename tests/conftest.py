"""What all tests share: kernels compiled once before the workers start, and results that go to temporary places."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.register_assert_rewrite("tests.helpers")


def pytest_configure(config: pytest.Config) -> None:
    """Compile the kernels before the workers start: each would compile its own.

    Whoever starts the tests in the background may have them ignore Ctrl-C, and the programs that they start would too.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):
        warm = (
            "import mtrain; mtrain.tournament(['random', 'greedy', 'double-holder', 'mc:worlds=1', "
            "'ismcts:iterations=1', 'levelled:base=mc,worlds=1,temperature=1'], players=6, deals=1, rounds=1)"
        )
        subprocess.run([sys.executable, "-c", warm], cwd=Path(__file__).parents[1], check=True)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Have a file that makes something for several of its tests run in one worker, since two would make it twice.

    Such files are begun first; all other tests go to whichever worker is free.
    """
    from xdist.scheduler import LoadScopeScheduling

    def shares(file: str) -> bool:
        text = (config.rootpath / file).read_text(encoding="utf-8")
        return any(sign in text for sign in ('scope="module"', 'scope="session"', "\n@cache\n"))

    class Sharing(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return file if shared(file) else nodeid

    shared = cache(shares)
    return Sharing(config, log)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder on a disk that costs nothing, where there is one: a run waits for its disk at every chunk."""
    light = Path("/dev/shm")
    roomy = light.is_dir() and shutil.disk_usage(light).free > 1 << 28
    with tempfile.TemporaryDirectory(dir=light if roomy else None, prefix="mtrain-test-") as name:
        yield Path(name)


@pytest.fixture(autouse=True, scope="session")
def _no_results_here(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep what a test leaves behind out of the checkout."""
    os.chdir(tmp_path_factory.mktemp("cwd"))
