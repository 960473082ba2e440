"""Runs: a tournament played into a directory of tables.

Chunks of games go over the workers; each comes back as a finished pair of Parquet parts and a digest of their
numbers. Nothing depends on how many workers there are or on which finishes first.
"""

import os
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import pandas as pd

from mtrain.arena.chunks import Done, work
from mtrain.arena.clock import summary
from mtrain.arena.manifest import manifest_of, to_bytes
from mtrain.arena.tournament import Tournament, TournamentError, plan
from mtrain.errors import Trouble
from mtrain.game.jit import JIT
from mtrain.game.rules import RuleSet
from mtrain.study import results, tables
from mtrain.think.agent import KERNEL, build


@dataclass(frozen=True)
class Step:
    """How far a run is, for whoever watches it."""

    games: int
    n_games: int
    rounds: int
    seconds: float
    digests: list[results.Digest]

    def standings(self) -> pd.DataFrame:
        """Return the standings of what has been played so far."""
        return results.standings_so_far(self.digests)


def run(
    t: Tournament, out: Path | str, *, jobs: int | None = None, watch: Callable[[Step], None] | None = None
) -> results.Results:
    """Play a tournament into a directory.

    Parameters
    ----------
    t
        What to play.
    out
        A directory that is empty or not there yet.
    jobs
        Workers; None: one a core. Compiled line-ups run on threads, others in processes.
    watch
        Called after every chunk.

    Raises
    ------
    TournamentError
        If the directory holds something, or cannot be written.
    Fault
        If an agent fails; the chunks finished before are kept.
    """
    out = Path(out)
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1):
        raise TournamentError(f"jobs is a whole number, 1 or more, not {jobs!r}")
    for spec in t.agents:
        build(spec)  # one that cannot be compiled says so before anything is written
    ready(out)
    jobs = jobs or os.cpu_count() or 1
    started = time.time()
    manifest = manifest_of(t, jobs, started)
    tables.put(out / "manifest.json", to_bytes(manifest))

    digests: list[results.Digest] = []
    decisions = [0] * len(t.agents)
    times: list[Any] = [0] * len(t.agents)
    games = 0
    for done in _spread(t, out, jobs):
        digests.append(done.digest)
        games += done.n_games
        for agent, count in done.decisions.items():
            decisions[agent] += count
            times[agent] = times[agent] + done.times[agent]
        if watch:
            rounds = games * t.rules.rounds
            watch(Step(games, t.schedule.n_games, rounds, time.time() - started, digests))

    made = results.Results(out, manifest, ready=results.combine(digests))
    if (deals := made.summary.blocks["deal"].nunique()) != t.schedule.n_blocks:
        raise Trouble(f"{t.schedule.n_blocks:,} blocks are to be as many different deals, and they are {deals:,}")
    means = [summary(histogram) for histogram in times]
    timing = {
        "agent": [agent.label for agent in t.agents],
        "decisions": decisions,
        "us_per_decision": [mean for mean, _ in means],
        "p95": [p95 for _, p95 in means],
    }
    tables.write(tables.TIMING, tables.frame(tables.TIMING, timing), out / "timing.parquet")
    made.write_derived()
    manifest |= {"finished": True, "seconds": round(time.time() - started, 3), "warnings": made.warnings}
    tables.put(out / "manifest.json", to_bytes(manifest))
    return made


def _spread(t: Tournament, out: Path, jobs: int) -> Iterable[Done]:
    """Yield the chunks' outcomes as they finish."""
    chunks = t.chunks()
    if jobs == 1:
        yield from (work(t, chunk, out) for chunk in chunks)
        return
    compiled = JIT and all(build(agent).how == KERNEL for agent in t.agents)
    workers = joblib.Parallel(
        n_jobs=min(jobs, len(chunks)),
        backend="threading" if compiled else "loky",
        return_as="generator_unordered",
        batch_size=1,
        pre_dispatch="2 * n_jobs",
    )
    yield from workers(joblib.delayed(work)(t, chunk, out) for chunk in chunks)


def ready(out: Path) -> None:
    """Make sure that results can be written to a directory.

    Raises
    ------
    TournamentError
        If there is something in it, or it cannot be made.
    """
    try:
        if out.is_dir() and any(out.iterdir()):
            raise TournamentError(f"{out} is not empty; name a new directory, or empty it first")
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        raise TournamentError(f"cannot write to {out}: {error.strerror or error}") from None


def tournament(
    agents: Sequence[str],
    rules: RuleSet | str = "standard",
    *,
    players: int = 4,
    focus: str | None = None,
    lineups: Sequence[Sequence[str]] | None = None,
    self_play: bool = False,
    seatings: str | None = None,
    deals: int | None = None,
    games: int | None = None,
    seed: int = 0,
    anchor: str | None = None,
    jobs: int | None = None,
    out: str | Path | None = None,
    title: str = "",
    agents_from: Iterable[str | Path] = (),
    allow_peeking: bool = False,
    control: Sequence[str] = (),
    watch: Callable[[Step], None] | None = None,
    **changes: Any,
) -> results.Results:
    """Play a tournament and return its results.

    Parameters
    ----------
    agents
        As on the command line: ``["greedy", "mc:worlds=8", "cautious@double-holder:hand=3"]``.
    rules
        A RuleSet, or a preset's name.
    players
        Seats at a table.
    focus, lineups
        Who meets whom: one of the agents against each of the others (``focus="mc"``), or a list of line-ups
        (``lineups=[["mc", "greedy", "greedy", "greedy"]]``). With neither, the agents meet in every combination.
    self_play
        One agent in all seats, each copy with a label of its own: a check that what is equal comes out equal.
    seatings
        ``permute``, ``shuffle`` or ``rotate``; None: all orders up to four seats, shuffled rotations above.
    deals, games
        How many blocks for every line-up (100 if nothing is said), or the least number of games.
    seed
        The same seed gives the same tables, whatever `jobs` is.
    anchor
        The agent whose rating is 0 (``"greedy"``) or given (``"greedy=1500"``).
    jobs
        Workers; None: one a core.
    out
        A directory to keep the tables in. None: they live as long as the object returned.
    title
        What it is called in manifests and figures.
    agents_from
        Files and folders to look for agents in, besides those that come with mtrain.
    allow_peeking
        May agents play that are shown hidden tiles? Their labels say so.
    control
        What of the deals the results are to be adjusted for (`dealt_pips`, `dealt_doubles`, `dealt_spread`): it is
        written down before the first game.
    watch
        Called with a `Step` after every chunk.
    **changes
        Fields of the rules to change: ``rounds=5``.

    Returns
    -------
    Results
        Its `standings`, `pairwise`, `seats`, `games`, `rounds` and `timing` are pandas frames.

    Raises
    ------
    TournamentError, AgentError, RulesError
        Before anything is played, with one sentence.
    Fault
        If an agent fails.

    Examples
    --------
    >>> import mtrain
    >>> results = mtrain.tournament(["random", "greedy"], deals=2, seed=1, jobs=1)
    >>> list(results.standings["agent"])
    ['greedy', 'random']
    """
    t = plan(
        agents,
        rules,
        changes=changes,
        players=players,
        focus=focus,
        lineups=lineups,
        self_play=self_play,
        seatings=seatings,
        deals=deals,
        games=games,
        seed=seed,
        anchor=anchor,
        title=title,
        agents_from=agents_from,
        allow_peeking=allow_peeking,
        control=control,
    )
    if out is not None:
        return run(t, out, jobs=jobs, watch=watch)
    kept = Path(tempfile.mkdtemp(prefix="mtrain-"))
    try:
        made = run(t, kept, jobs=jobs, watch=watch)
    except BaseException:
        shutil.rmtree(kept, ignore_errors=True)
        raise
    weakref.finalize(made, shutil.rmtree, kept, ignore_errors=True)
    return made
