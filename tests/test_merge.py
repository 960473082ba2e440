"""Merging: shares put together are the run itself; what is twice, damaged or of another tournament is refused."""

import errno
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import mtrain as m
from mtrain.arena.merge import MergeError, merge
from mtrain.arena.run import run
from mtrain.arena.spec import Tournament, TournamentError, plan
from mtrain.arena.workdir import Unwritten
from mtrain.stats import files
from mtrain.stats.parts import Parts
from mtrain.stats.results import read
from mtrain.stats.tables import ResultsError
from tests.helpers.program import mtrain
from tests.helpers.runs import quick, tables


def shares(folder: Path, n: int, t: Tournament | None = None) -> list[Path]:
    for k in range(1, n + 1):
        run(t or quick(), folder / f"share-{k}", jobs=1, share=(k, n))
    return [folder / f"share-{k}" for k in range(1, n + 1)]


def test_shares_put_together_have_the_bytes_of_one_run(folder: Path) -> None:
    run(quick(), folder / "whole", jobs=1)
    of = shares(folder, 3)
    made = m.merge(folder / "out", reversed(of))
    assert tables(folder / "out") == tables(folder / "whole")
    assert made.manifest.finished
    assert made.manifest.share is None
    assert made.warnings == []
    assert [told["share"]["number"] for told in made.manifest.merged] == [3, 2, 1]
    assert read(folder / "out").timing["decisions"].equals(read(folder / "whole").timing["decisions"])


def test_a_share_says_that_it_is_one(folder: Path) -> None:
    made = run(quick(), folder / "a", jobs=1, share=(2, 3))
    assert made.manifest.share == {"number": 2, "of": 3, "blocks": 14}
    assert made.manifest.blocks == 40
    said = f"{folder / 'a'} is share 2 of 3: 14 of 40 blocks; `mtrain merge` puts shares together"
    assert made.warnings == [said]
    assert read(folder / "a", fresh=True).warnings == [said]
    assert [int(name[5:10]) for name in made.parts] == [1, 4, 7, 10, 13, 16, 19]
    with pytest.raises(TournamentError, match=r"share is 1/3, and the run in \S+ has 2/3$"):
        run(quick(), folder / "a", jobs=1, share=(1, 3), resume=True)
    assert run(quick(), folder / "a", jobs=1, share=(2, 3), resume=True).warnings == [said]


def test_a_missing_share_is_said_and_played_when_the_merged_run_is_gone_on_with(folder: Path) -> None:
    run(quick(), folder / "whole", jobs=1)
    of = shares(folder, 4)
    made = merge(folder / "out", [of[0], of[3]])
    assert made.warnings == [
        "of 4 shares, 2, 3 are missing",
        f"{folder / 'out'} holds 20 of 40 blocks: the run was not finished",
    ]
    assert not made.manifest.finished
    assert not (folder / "out" / "standings.parquet").exists()
    again = merge(folder / "more", [folder / "out", of[1]])
    assert len(again.parts) == 15
    run(quick(), folder / "more", jobs=1, resume=True)
    assert tables(folder / "more") == tables(folder / "whole")


def test_H07_a_game_that_is_there_twice_stops_the_merge_and_is_named(folder: Path) -> None:
    of = shares(folder, 2)
    shutil.copytree(of[0], folder / "copy")
    with pytest.raises(MergeError, match=r"^match 0, deal 0, seating 0 is in .*/share-1 and in .*/copy; a game counts"):
        merge(folder / "out", [*of, folder / "copy"])
    assert not (folder / "out").exists()
    with pytest.raises(MergeError, match=r"is twice in .*/share-2; a game counts once"):
        merge(folder / "out", [of[1], of[1]])


def test_H07_no_key_is_twice_in_what_is_merged(folder: Path) -> None:
    t = plan(["random", "greedy", "double-holder"], players=2, deals=8, seed=5, changes={"rounds": 1})
    games = merge(folder / "out", shares(folder, 5, t)).games
    assert not games.duplicated(["match", "deal", "seating", "seat"]).any()
    assert len(games.drop_duplicates(["match", "deal", "seating"])) == t.schedule.n_games
    assert np.array_equal(np.sort(games["game"].unique()), np.arange(t.schedule.n_games))


def test_H19_tables_of_different_sizes_are_never_merged(folder: Path) -> None:
    for players in (2, 3):
        run(plan(["random", "greedy"], players=players, deals=3, seed=1, changes={"rounds": 1}), folder / f"{players}")
    with pytest.raises(
        MergeError, match=r"is of another tournament than .*/2: players is 3, and the run in .*/2 has 2"
    ):
        merge(folder / "out", [folder / "2", folder / "3"])
    assert not (folder / "out").exists()


def test_another_seed_is_another_tournament(folder: Path) -> None:
    run(quick(seed=1), folder / "a", jobs=1, share=(1, 2))
    run(quick(seed=2), folder / "b", jobs=1, share=(2, 2))
    with pytest.raises(
        MergeError, match=r"/b is of another tournament than .*/a: seed is 2, and the run in .*/a has 1$"
    ):
        merge(folder / "out", [folder / "a", folder / "b"])


def test_a_damaged_part_stops_the_merge_before_anything_is_written(folder: Path) -> None:
    of = shares(folder, 2)
    file = of[1] / "rounds.parquet" / "part-00003.parquet"
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    with pytest.raises(
        MergeError, match=r"share-2/rounds.parquet/part-00003.parquet is damaged; the run there plays it"
    ):
        merge(folder / "out", of)
    assert not (folder / "out").exists()
    run(quick(), of[1], jobs=1, share=(2, 2), resume=True)
    assert merge(folder / "out", of).manifest.finished


def test_a_full_disk_while_merging_is_one_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    of = shares(folder, 2)

    def full(path: Path, data: bytes) -> Path:
        if path.name == "part-00003.parquet":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
        return put(path, data)

    put = files.put
    monkeypatch.setattr(files, "put", full)
    with pytest.raises(Unwritten, match=r"cannot write to .*out: No space left on device"):
        merge(folder / "out", of)
    monkeypatch.undo()
    run(quick(), folder / "out", jobs=1, resume=True)
    run(quick(), folder / "whole", jobs=1)
    assert tables(folder / "out") == tables(folder / "whole")


def test_what_cannot_be_merged(folder: Path) -> None:
    of = shares(folder, 2)
    with pytest.raises(MergeError, match="nothing to merge"):
        merge(folder / "out", [])
    with pytest.raises(ResultsError, match="no directory"):
        merge(folder / "out", [of[0], folder / "none"])
    with pytest.raises(TournamentError, match="is not empty"):
        merge(of[0], of)
    run(quick(), folder / "stopped", jobs=1, stop=lambda digests: "enough")
    with pytest.raises(MergeError, match=r"stopped was stopped by its rule \(enough\)"):
        merge(folder / "out", [folder / "stopped"])
    manifest = of[0] / "manifest.json"
    for path in of[0].glob("*.parquet/part-*"):
        path.unlink()
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"finished": False}))
    with pytest.raises(MergeError, match="no chunk of games is finished in"):
        merge(folder / "out", [of[0]])


def test_parts_of_experiments_are_merged_part_by_part(folder: Path) -> None:
    (folder / "x.toml").write_text(
        'question = "Which?"\nagents = ["random", "greedy"]\nseed = 1\nplayers = 2\n'
        '[set]\nrounds = 1\n[[part]]\nname = "one"\ndeals = 4\n[[part]]\nname = "two"\ndeals = 6\n'
    )
    from mtrain.arena.experiment import begin, read_experiment

    found = read_experiment(folder / "x.toml")
    for k in (1, 2):
        begin(found, folder / f"{k}", found.parts)
        for name, t in found.parts.items():
            run(t, folder / f"{k}" / name, jobs=1, share=(k, 2))
    made = merge(folder / "out", [folder / "1", folder / "2"])
    assert isinstance(made, Parts)
    assert made.missing == []
    for name, t in found.parts.items():
        run(t, folder / "whole" / name, jobs=1)
        assert tables(folder / "whole" / name) == tables(folder / "out" / name)
    assert (folder / "out" / "parts.parquet").is_file()
    with pytest.raises(MergeError, match="has no parts, and"):
        merge(folder / "other", [folder / "1", folder / "1" / "one"])


def test_the_command_line(folder: Path) -> None:
    call = ["tournament", "random", "greedy", "--players", "2", "--deals", "6", "--quiet", "--jobs", "1", "--out"]
    for k in (1, 2):
        ran = mtrain(*call, f"m{k}", "--share", f"{k}/2", cwd=folder)
        assert ran.returncode == 0, ran.stderr
        assert f"mtrain: share {k} of 2: 6 of these games\n" in ran.stderr
        assert "puts shares together" in ran.stderr
    ran = mtrain("merge", "all", "m1", "m2", "--json", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    assert {row["agent"]: row["blocks"] for row in json.loads(ran.stdout)} == {"greedy": 6, "random": 6}
    ran = mtrain("merge", "other", "m1", "m1", cwd=folder)
    assert ran.returncode == 2
    assert "mtrain: match 0, deal 0, seating 0 is twice in m1; a game counts once" in ran.stderr
    for share in ("2", "0/2", "3/2", "a/b"):
        ran = mtrain(*call, "bad", "--share", share, cwd=folder)
        assert ran.returncode == 2, share
        assert not (folder / "bad").exists()
