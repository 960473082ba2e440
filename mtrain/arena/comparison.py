"""Comparisons: is one agent better than another, by so much? A tournament of the two that ends when a test can tell."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mtrain.arena.calls import played
from mtrain.arena.options import Comparison, Options, Running, parted, taking
from mtrain.arena.tournament import Tournament, TournamentError, plan
from mtrain.game.rules import RulesError, RuleSet
from mtrain.study.results import Results

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
