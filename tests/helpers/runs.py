"""Small runs of quick agents, and the bytes that they leave."""

import json
from collections.abc import Sequence
from pathlib import Path

from mtrain.arena.spec import Tournament, plan


def tables(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every table but the one of times."""
    files = sorted(path for path in folder.rglob("*.parquet") if path.is_file() and path.name != "timing.parquet")
    assert len(files) >= 5
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


QUICK = ["random", "greedy"]


def quick(deals: int = 40, seed: int = 5) -> Tournament:
    return plan(QUICK, players=2, deals=deals, seed=seed, changes={"rounds": 2})


def parts(out: Path) -> list[str]:
    return [path.name for path in sorted((out / "games.parquet").glob("part-*"))]


def break_off(out: Path, keep: Sequence[int]) -> None:
    """Make a finished run look like one that was broken off when some of its chunks were finished."""
    for table in ("games", "rounds"):
        for path in (out / f"{table}.parquet").glob("part-*"):
            if int(path.stem[5:]) not in keep:
                path.unlink()
    for name in ("standings", "pairwise", "seats", "timing"):
        (out / f"{name}.parquet").unlink()
    manifest = json.loads((out / "manifest.json").read_text())
    (out / "manifest.json").write_text(json.dumps(manifest | {"finished": False}))
