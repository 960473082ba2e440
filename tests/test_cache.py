"""The cache of compiled kernels: never stale, and never in the way."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.helpers.program import HERE, mtrain

PLAY = ("record", "random", "random", "--set", "rounds=1", "--out", "-")


def test_torn_files_are_rebuilt_and_an_unwritable_folder_is_done_without(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    cold = mtrain(*PLAY, MTRAIN_CACHE_DIR=str(cache))
    assert cold.returncode == 0
    assert cold.stderr.count("compiling kernels") == 1
    warm = mtrain(*PLAY, MTRAIN_CACHE_DIR=str(cache))
    assert warm.stderr.count("compiling") == 0
    files = [*cache.rglob("*.nbi"), *cache.rglob("*.nbc")]
    assert len(files) > 6
    for path in files:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    healed = mtrain(*PLAY, MTRAIN_CACHE_DIR=str(cache))
    assert healed.stderr.count("could not be read") == 1
    assert mtrain(*PLAY, MTRAIN_CACHE_DIR=str(cache)).stderr.count("compiling") == 0
    (tmp_path / "file").write_text("no folder can be made below a file")
    without = mtrain(*PLAY, MTRAIN_CACHE_DIR=str(tmp_path / "file" / "below"))
    assert without.stderr.count("no writable cache folder") == 1
    assert cold.stdout == warm.stdout == healed.stdout == without.stdout != ""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package and the agents, to be changed."""
    for part in ("mtrain", "agents"):
        shutil.copytree(HERE / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def play_in(copy: Path) -> subprocess.CompletedProcess[str]:
    ran = mtrain(*PLAY, PYTHONPATH=str(copy), cwd=copy)
    assert ran.returncode == 0, ran.stderr
    return ran


def test_a_changed_helper_never_meets_stale_code(copy: Path) -> None:
    """The first legal action becomes the pass: an agent that takes it must notice."""
    before = play_in(copy)
    policies = copy / "mtrain" / "strategy" / "policies.py"
    rate = "below(agent_state, np.int64(obs.n_legal))"
    assert rate in policies.read_text()
    policies.write_text(policies.read_text().replace(rate, "np.int64(0)"))
    assert play_in(copy).stdout != before.stdout


def test_a_comment_compiles_nothing_again(copy: Path) -> None:
    before = play_in(copy)
    for file in ("game/kernels.py", "strategy/policies.py", "arena/play.py", "arena/schedule.py"):
        path = copy / "mtrain" / file
        head, line, rest = path.read_text().partition("\nimport ")
        path.write_text(f"{head}\n# A remark that changes nothing.\n{line}{rest}")
    after = play_in(copy)
    assert after.stdout == before.stdout
    assert "compiling" not in after.stderr
