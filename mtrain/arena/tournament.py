"""A whole tournament in one call, for notebooks and scripts: planned, played, and its tables handed back."""

import shutil
import tempfile
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mtrain.arena.options import Comparison, Options, Running, parted, taking
from mtrain.arena.run import run
from mtrain.arena.spec import Tournament, TournamentError, plan
from mtrain.game.rules import RulesError, RuleSet
from mtrain.stats import results
from mtrain.stats.results import Results

# ── One call ──────────────────────────────────────────────────────────────────────────────────────────


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


# ── Comparisons ───────────────────────────────────────────────────────────────────────────────────────
#
# Comparisons: is one agent better than another, by so much? A tournament of the two that ends when a test can tell.


TAKES = (
    "beside", "players", "alpha", "beta", "deals", "seed", "jobs", "agents_from", "allow_peeking", "watch", "resume",
)  # fmt: skip
"""The options of a comparison: its own, and some of a tournament and of its run."""


def plan_comparison(
    one: str, other: str, better: float, rules: RuleSet | str = "standard", **wanted: Any
) -> Tournament:
    """Check a comparison before any of it is played. See `compare`; what of `wanted` is not its own goes to `plan`.

    Raises
    ------
    TournamentError, AgentError, RulesError, UntilError
        With one sentence.
    """
    own, wanted = parted(wanted, Comparison)
    test, players = Comparison(**own), wanted.get("players", Options.players)
    beside: Sequence[str] = test.beside
    if isinstance(better, bool) or not isinstance(better, (int, float)):
        raise TournamentError(f"better is a number of pips/round, above 0, not {better!r}")
    if isinstance(players, bool) or not isinstance(players, int):
        raise RulesError(f"players is a whole number, not {players!r}")
    if not beside and players % 2:
        raise TournamentError(
            f"{players} seats cannot be shared equally by {one} and {other}; say who sits in the others (--with)"
        )
    if len(beside) > players - 2:
        raise TournamentError(f"{one}, {other} and {len(beside)} more need more than the {players} seats of a table")
    others = beside or (one, other)
    rest = [others[k % len(others)] for k in range(players - 2)]
    rule = f"{one} better than {other} by {better} alpha={test.alpha} beta={test.beta}"
    agents = list(dict.fromkeys([one, other, *beside]))
    if len(agents) < 2:
        raise TournamentError(f"{one!r} is compared with itself; a label tells copies apart: a@{one}")
    title = f"Is {one} better than {other} by {better:g}?"
    return plan(agents, rules, lineups=[[one, other, *rest]], until=rule, **({"title": title} | wanted))


@taking(Comparison, Options, Running, only=TAKES)
def compare(
    one: str,
    other: str,
    better: float = 0.5,
    rules: RuleSet | str = "standard",
    *,
    out: str | Path | None = None,
    **changes: Any,
) -> Results:
    """Play two agents against each other until a sequential test can tell whether the first is better.

    Parameters
    ----------
    one, other
        As on the command line: ``"mc:worlds=8"``.
    better
        Pips/round: the test holds this difference against none.
    rules
        A RuleSet, or a preset's name.
    out
        A directory to keep the tables in. None: they live as long as the object returned.
    **options
        Those that `TAKES` names.
    **changes
        Fields of the rules to change: ``rounds=5``.

    Returns
    -------
    Results
        Its `comparison` is what the test says.

    Raises
    ------
    TournamentError, AgentError, RulesError, UntilError
        Before anything is played, with one sentence.
    Fault
        If an agent fails.
    """
    own, wanted, how, changes = parted(changes, Comparison, Options, Running, only=TAKES)
    t = plan_comparison(one, other, better, rules, changes=changes, **own, **wanted)
    return played(t, out, **how)
