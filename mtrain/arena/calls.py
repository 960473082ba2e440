"""A whole tournament in one call, for notebooks and scripts: planned, played, and its tables handed back."""

import shutil
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mtrain.arena.options import Options, Running, parted, taking
from mtrain.arena.run import run
from mtrain.arena.tournament import Tournament, TournamentError, plan
from mtrain.game.rules import RuleSet
from mtrain.study import results


@taking(Options, Running)
def tournament(
    agents: Sequence[str], rules: RuleSet | str = "standard", *, out: str | Path | None = None, **changes: Any
) -> results.Results:
    """Play a tournament and return its results.

    Parameters
    ----------
    agents
        As on the command line: ``["greedy", "mc:worlds=8", "cautious@double-holder:hand=3"]``.
    rules
        A RuleSet, or a preset's name.
    out
        A directory to keep the tables in. None: they live as long as the object returned.
    **options
        Those of `Options` and `Running`.
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
    options, how, changes = parted(changes, Options, Running)
    return played(plan(agents, rules, changes, **options), out, **how)


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
