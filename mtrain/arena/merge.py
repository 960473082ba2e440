"""Merging: runs of one spec, played in several directories, put together into one.

What makes two results the same is their key: match, deal, seating. A key that is there twice stops the merge, and so
does a spec that differs in anything: results are never pooled over tables of different sizes, rules or seeds. Parts
are copied as they are, so that the merged run has the bytes of one that was played in one place.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mtrain.arena.experiment import EXPERIMENT, spec_of
from mtrain.arena.manifest import difference, spec
from mtrain.arena.run import RUN, finish
from mtrain.arena.store import LOG, Entry, Store, log, number_of, part, torn
from mtrain.arena.workdir import locked, written
from mtrain.errors import UsageError
from mtrain.game.jit import say
from mtrain.stats import blocks, files, parts, results, tables
from mtrain.stats.manifest import Manifest
from mtrain.stats.results import ChunkStatistics, combine, part_statistics, shortfall


class MergeError(UsageError):
    """Runs that cannot be put together; the sentence names the directories and what is wrong."""


@dataclass(frozen=True)
class _Source:
    """A directory to merge: its manifest, and of each finished chunk its line of the log and its numbers."""

    path: Path
    manifest: Manifest
    entries: dict[int, Entry]
    digests: dict[int, ChunkStatistics]


def merge(out: str | Path, sources: Sequence[str | Path]) -> results.Results | parts.Parts:
    """Put the runs in several directories together.

    Parameters
    ----------
    out
        A directory that is empty or not there yet.
    sources
        Directories of runs of the same tournament, such as its shares, finished or not; or of an experiment with
        parts, which are merged part by part.

    Returns
    -------
    Results or Parts
        The merged run. Where shares are missing it says so among its warnings, and can be gone on with like any run
        that was broken off.

    Raises
    ------
    MergeError
        If the runs are not of the same tournament, a game is there twice, or a part is damaged. Nothing is written.
    ResultsError, TournamentError
        If a directory holds no results, or `out` holds something.
    Unwritten
        If the disk is full or fails.
    """
    out, places = Path(out), [Path(source) for source in sources]
    if not places:
        raise MergeError("there is nothing to merge; name the directories")
    if any(map(parts.is_parts, places)):
        return _merge_parts(out, places)
    read = [_read(path) for path in places]
    if not any(source.digests for source in read):
        raise MergeError(f"no chunk of games is finished in {', '.join(map(str, places))}")
    _same([(source.path, source.manifest) for source in read])
    _once(read)
    RUN.ready(out)
    with written(out), locked(out):
        return _write(out, read)


def _merge_parts(out: Path, places: list[Path]) -> parts.Parts:
    """Merge experiments, part by part."""
    for path in places:
        if not parts.is_parts(path):
            raise MergeError(f"{path} has no parts, and {next(filter(parts.is_parts, places))} has")
    read = [parts.read_parts(path) for path in places]
    first = read[0]
    for other in read[1:]:
        if (other.title, other.names) != (first.title, first.names):
            raise MergeError(f"{other.path} holds another experiment than {first.path}: {other.title!r}")
    RUN.ready(out)
    EXPERIMENT.agreed(out, spec_of(first.title, first.names))
    for name in first.names:
        there = [path / name for path in places if (path / name / "manifest.json").is_file()]
        if there:
            merge(out / name, there)
    made = parts.read_parts(out)
    if made.results:
        made.write()
    return made


def _read(path: Path) -> _Source:
    """Read a directory, and verify every part."""
    found = results.read(path)
    manifest = found.manifest
    if stopped := manifest.stopped:
        raise MergeError(f"{path} was stopped by its rule ({stopped['reason']}): it is whole as it is")
    logged, entries, digests = log(path), {}, {}
    for name in found.parts:
        number = number_of(name)
        if number not in logged:
            say(f"{path}/games.parquet/{name} is left out: it is not in {LOG}")
            continue
        if table := torn(path, number, logged[number]):
            raise MergeError(f"{path}/{table}.parquet/{name} is damaged; the run there plays it again with --resume")
        entries[number] = logged[number]
        digests[number] = part_statistics(path, name, list(manifest.agents), manifest.players)
    return _Source(path, manifest, entries, digests)


def _same(runs: Sequence[tuple[Path, Manifest]]) -> None:
    """Refuse runs of different specs."""
    (place, first), *others = runs
    for path, manifest in others:
        if said := difference(spec(manifest.but(share=None)), spec(first.but(share=None)), str(place)):
            raise MergeError(f"{path} is of another tournament than {place}: {said}")


def _once(read: Sequence[_Source]) -> None:
    """Refuse a game that is there twice, within a directory or in two."""
    keys, owner = [], []
    for k, source in enumerate(read):
        for number in source.entries:
            file = source.path / "games.parquet" / part(number)
            rows = files.read(tables.GAMES, [file], ("match", "deal", "seating", "seat"))
            keys.append(blocks.game_keys(rows[rows["seat"] == 0]))
            owner.append(np.full(len(keys[-1]), k))
    if not keys:
        return
    every, owners = np.concatenate(keys), np.concatenate(owner)
    order = np.argsort(every, kind="stable")
    twice = np.flatnonzero(np.diff(every[order]) == 0)
    if len(twice):
        one, other = (read[owners[order[twice[0] + k]]].path for k in (0, 1))
        where = f"in {one} and in {other}" if one != other else f"twice in {one}"
        raise MergeError(f"{blocks.game_name(int(every[order[twice[0]]]))} is {where}; a game counts once")


def _write(out: Path, read: Sequence[_Source]) -> results.Results:
    """Copy the parts, and make the tables of them all if nothing is missing."""
    store, manifest = Store(out), read[0].manifest.without("seconds", "warnings")
    started = min(source.manifest.started or "" for source in read)
    merged = [_told(source) for source in read]
    manifest = manifest.but(share=None, finished=False, started=started, merged=merged)
    files.put(out / "manifest.json", manifest.to_bytes())
    digests: dict[int, ChunkStatistics] = {}
    for source in read:
        for number, entry in source.entries.items():
            data = {table: (source.path / f"{table}.parquet" / part(number)).read_bytes() for table in entry.hashes}
            store.put(number, data, entry)
        digests |= source.digests
    ordered = [digests[number] for number in sorted(digests)]
    short = shortfall(out, manifest, ordered)
    if short:
        return results.Results(out, manifest, ready=combine(ordered, [*_missing(read), *short]))
    return finish(out, manifest, ordered, sum(source.manifest.seconds or 0.0 for source in read))


def _missing(read: Sequence[_Source]) -> list[str]:
    """Say which shares are missing, where they are shares of one number."""
    shares = [source.manifest.share for source in read if source.manifest.share]
    if len({share["of"] for share in shares}) != 1:
        return []
    of = shares[0]["of"]
    left = sorted(set(range(1, of + 1)) - {share["number"] for share in shares})
    return [f"of {of} shares, {', '.join(map(str, left))} {'is' if len(left) == 1 else 'are'} missing"] if left else []


def _told(source: _Source) -> dict[str, Any]:
    kept = ("share", "machine", "jobs", "started", "seconds")
    return {"directory": source.path.name} | {key: getattr(source.manifest, key) for key in kept}
