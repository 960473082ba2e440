"""A whole tournament in one call, for notebooks and scripts: planned, played, and its tables handed back."""

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from mtrain.arena.faults import SUBSTITUTE
from mtrain.arena.run import JOBLIB, Step, run
from mtrain.arena.tournament import Tournament, TournamentError, plan
from mtrain.game.rules import RuleSet
from mtrain.study import results
from mtrain.think.process import Limits


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
    on_fault: str = SUBSTITUTE,
    bot_time: float = Limits.seconds,
    bot_start: float = Limits.start,
    bot_memory: int = Limits.memory,
    until: str | None = None,
    watch: Callable[[Step], None] | None = None,
    resume: bool = False,
    share: tuple[int, int] | None = None,
    backend: str = JOBLIB,
    scheduler: str | None = None,
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
        How many blocks for every line-up (100 if nothing is said, 10,000 at most with `until`), or the least number of
        games.
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
    on_fault
        What becomes of a game in which an agent fails: ``substitute`` (a legal action drawn by chance takes the place
        of its answer), ``forfeit``, ``void`` (the block counts nowhere) or ``stop``.
    bot_time, bot_start, bot_memory
        What agents may take that are programs (``exec:COMMAND``): seconds to answer, seconds to come up, MB of memory.
    until
        What ends it before: ``"width<0.5"``, ``"width<0.5 for mc"`` or ``"mc better than greedy by 0.5"``. The results'
        `stopping` (and `comparison`) then have numbers raw and adjusted for that.
    watch
        Called with a `Step` after every chunk.
    resume
        If `out` holds a run of the same tournament, go on with it.
    share
        ``(k, n)``: play only the k-th of n shares; `mtrain.merge` puts them together.
    backend, scheduler
        ``"dask"`` and the address of a Dask scheduler: its workers play, on whatever machines they are.
    **changes
        Fields of the rules to change: ``rounds=5``.

    Returns
    -------
    Results
        Its `standings`, `pairwise`, `seats`, `games`, `rounds`, `faults` and `timing` are pandas frames.

    Raises
    ------
    TournamentError, AgentError, RulesError, UntilError
        Before anything is played, with one sentence.
    Interrupted
        After Ctrl-C: what is in flight is finished first.
    Fault
        If an agent fails and `on_fault` is ``stop``.

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
        on_fault=on_fault,
        bot_time=bot_time,
        bot_start=bot_start,
        bot_memory=bot_memory,
        until=until,
    )
    how: dict[str, Any] = {"jobs": jobs, "watch": watch, "share": share, "backend": backend, "scheduler": scheduler}
    return played(t, out, resume=resume, **how)


def played(t: Tournament, out: str | Path | None, resume: bool = False, **how: Any) -> results.Results:
    """Play a tournament into a directory, or, without one, into tables that live as long as the results returned."""
    if out is not None:
        return run(t, out, resume=resume, **how)
    if resume:
        raise TournamentError("there is nothing to go on with without a directory; name it with out=…")
    kept = Path(tempfile.mkdtemp(prefix="mtrain-"))
    try:
        made = run(t, kept, **how)
    except BaseException:
        shutil.rmtree(kept, ignore_errors=True)
        raise
    weakref.finalize(made, shutil.rmtree, kept, ignore_errors=True)
    return made
