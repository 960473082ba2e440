"""Kept files: all that the repository keeps, read by whichever mtrain is found first, and what it has to say of them.

``python -m tests.helpers.kept`` prints that as JSON. Games are replayed, and none is played.
"""

import json
import tempfile
from pathlib import Path
from typing import Any

import mtrain
from mtrain.arena.manifest import differences, manifest_of, spec
from mtrain.arena.reproduce import changes, tournament_of
from mtrain.bots.level_file import read_levels
from mtrain.bots.registry import Registry, bundled
from mtrain.game.record import replayed, to_line
from mtrain.report.sheet import sheet
from mtrain.stats import tables
from mtrain.stats.results import read
from mtrain.tuning.verify import changes as changed
from tests.helpers.program import HERE
from tests.helpers.synthetic import store, tournament
from tests.regenerate import GAMES

DERIVED = (
    tables.STANDINGS, tables.PAIRWISE, tables.SEATS, tables.NEIGHBOURS, tables.DESIGN, tables.BOOTSTRAP, tables.TIMING
)  # fmt: skip


def results() -> dict[str, Any]:
    """Read the tables of all kept results, and plan their tournaments as if to go on with them."""
    said: list[str] = []
    absent: set[str] = set()
    found = sorted((HERE / "results").rglob("manifest.json"))
    for path in found:
        kept = read(path.parent)
        assert all(list(getattr(kept, table.name)) == list(table.names) for table in DERIVED), path
        shown = sheet(tables.STANDINGS, kept.standings)
        absent |= {shown.headings[k].column for row in shown.rows for k, cell in enumerate(row) if cell.text == "n/a"}
        t = tournament_of(kept)
        said += changes(kept, t)
        apart = differences(spec(manifest_of(t, 1, 0.0)), spec(kept.manifest))
        said += [f"{field} is {now}, and was {was}" for field, now, was in apart if field != "schedule"]  # it is listed
    return {"results": len(found), "changed": sorted(set(said)), "absent": sorted(absent)}


def records() -> dict[str, Any]:
    """Replay the golden games."""
    lines = GAMES.read_text(encoding="utf-8").splitlines()
    return {"records": len(lines), "replayed": [to_line(replayed(json.loads(line))) for line in lines] == lines}


def levels() -> dict[str, Any]:
    """Read the levels that come with mtrain."""
    shipped = read_levels(bundled() / "levels.toml")
    specs = [Registry().parse(f"level:{name}") for name in shipped.levels]
    return {"levels": len(specs), "others": changed(shipped)}


def new() -> dict[str, Any]:
    """Make a table of new games."""
    with tempfile.TemporaryDirectory() as folder:
        made = read(store(Path(folder) / "new", *tournament([("a", "b")], deals=2))).standings
    return {"new": {name: bool(made[name].isna().any()) for name in made}}


if __name__ == "__main__":
    print(json.dumps({"from": mtrain.__file__} | results() | records() | levels() | new()))
