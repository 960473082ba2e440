"""The experiments: every file can be played, what is kept of them belongs to them, and their scripts run."""

import json
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mtrain.arena.experiment import read_experiment
from tests.helpers.program import HERE, mtrain, printed

FILES = sorted((HERE / "experiments").glob("*.toml"))
KEPT = sorted(
    path for path in (HERE / "results").iterdir() if path.is_dir() and not path.name.startswith("tournament-")
)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_experiment_can_be_played(path: Path) -> None:
    experiment = read_experiment(path)
    assert experiment.question.endswith("?")
    assert all(t.n_rounds >= 800 for t in experiment.parts.values())


@pytest.mark.parametrize("folder", KEPT, ids=lambda path: path.name)
def test_what_is_kept_was_made_by_the_experiment_as_it_stands(folder: Path) -> None:
    experiment = read_experiment(HERE / "experiments" / f"{folder.name}.toml")
    for name, t in experiment.parts.items():
        manifest = json.loads((folder / name / "manifest.json").read_text(encoding="utf-8"))
        assert manifest["finished"]
        assert (manifest["title"], manifest["games"], manifest["seed"]) == (t.title, t.schedule.n_games, t.seed)
        assert list(manifest["agents"]) == [agent.label for agent in t.agents]
        assert manifest["rules"] == t.rules.to_json()
        assert manifest["deals"] == t.deals
        standings = pd.read_parquet(folder / name / "standings.parquet")
        assert sorted(standings["agent"].astype(str)) == sorted(agent.label for agent in t.agents)
        assert all((folder / name / f"{table}.parquet").is_file() for table in ("pairwise", "seats", "timing"))
    # The figures of single parts are drawn again by `mtrain report`, and not all kept.
    drawn = {path.stem for path in (folder / "figures").glob("*.png")}
    whole = {"standings", "pairwise", "ratings", "scores", "seats", "by_round"}
    assert (whole if experiment.whole else {"parts"}) <= drawn


def test_H39_a_table_in_the_readme_is_what_its_command_prints() -> None:
    text = (HERE / "README.md").read_text(encoding="utf-8")
    printed = re.findall(r"(?:^\|.*\n)+\n.*? Printed by `mtrain (report .*?)`\.$", text, re.MULTILINE)
    whole = [match.group() for match in re.finditer(r"(?:^\|.*\n)+\n.*? Printed by `.*?`\.$", text, re.MULTILINE)]
    assert printed
    for command, table in zip(printed, whole, strict=True):
        ran = mtrain(*shlex.split(command), cwd=HERE)
        assert ran.stdout.strip() == table
        assert all(word in table for word in ("seed", "blocks", "games", "mtrain 0", "["))


def script(name: str, *arguments: str, cwd: Path = HERE) -> str:
    return printed(str(HERE / "experiments" / name), *arguments, cwd=cwd)


def test_weights_are_tuned_the_same_with_any_number_of_workers() -> None:
    pytest.importorskip("cma")
    small = ("--generations", "2", "--deals", "5", "--fresh", "20")
    one = script("tune_heuristic.py", *small, "--jobs", "1")
    assert one == script("tune_heuristic.py", *small, "--jobs", "2")
    assert "winner on 20 fresh deals: " in one
    assert len(json.loads(one.partition("weights: ")[2].splitlines()[0])) == 16


def test_the_share_of_a_gap_has_the_interval_of_fieller() -> None:
    sys.path.insert(0, str(HERE / "experiments"))
    from inference_gap import share

    rng = np.random.default_rng(1)
    inside = 0
    for _ in range(400):
        gap = rng.normal(10.0, 20.0, 150)
        gain = 0.2 * gap + rng.normal(0.0, 15.0, 150)
        _, lo, hi = share(gain, gap)
        inside += bool(lo <= 0.2 <= hi)
    assert 0.92 < inside / 400 < 0.98
    assert all(np.isnan(share(rng.normal(0, 1, 20), rng.normal(0, 1, 20))[1:]) == np.isnan([np.nan, np.nan]))
