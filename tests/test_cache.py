"""The cache of compiled kernels: never stale, and never in the way."""

import shutil
from pathlib import Path

from tests.conftest import HERE, mtrain

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


def test_a_changed_helper_never_meets_stale_code(tmp_path: Path) -> None:
    """The first legal action becomes the pass: an agent that takes it must notice."""
    for part in ("mtrain", "agents"):
        shutil.copytree(HERE / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    said = []
    for rate in ("below(own, np.int64(obs.n_legal))", "np.int64(0)"):
        policies = tmp_path / "mtrain" / "think" / "policies.py"
        policies.write_text(policies.read_text().replace("below(own, np.int64(obs.n_legal))", rate))
        ran = mtrain(*PLAY, PYTHONPATH=str(tmp_path), MTRAIN_CACHE_DIR=str(tmp_path / "cache"), cwd=tmp_path)
        assert ran.returncode == 0, ran.stderr
        said.append(ran.stdout)
    assert said[0] != said[1]
