"""Comparisons: is one agent better than another, by so much? A tournament of the two that ends when a test can tell."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from mtrain.arena.calls import played
from mtrain.arena.run import Step
from mtrain.arena.tournament import Tournament, TournamentError, plan
from mtrain.game.rules import RulesError, RuleSet
from mtrain.study.results import Results
from mtrain.study.until import ALPHA, BETA


def plan_comparison(
    one: str,
    other: str,
    better: float,
    rules: RuleSet | str = "standard",
    *,
    beside: Sequence[str] = (),
    players: int = 4,
    alpha: float = ALPHA,
    beta: float = BETA,
    deals: int | None = None,
    **wanted: Any,
) -> Tournament:
    """Check a comparison before any of it is played. See `compare`; `wanted` goes to `plan`.

    Raises
    ------
    TournamentError, AgentError, RulesError, UntilError
        With one sentence.
    """
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
    rule = f"{one} better than {other} by {better} alpha={alpha} beta={beta}"
    agents = list(dict.fromkeys([one, other, *beside]))
    if len(agents) < 2:
        raise TournamentError(f"{one!r} is compared with itself; a label tells copies apart: a@{one}")
    title = f"Is {one} better than {other} by {better:g}?"
    return plan(
        agents, rules, players=players, lineups=[[one, other, *rest]], deals=deals, until=rule,
        **({"title": title} | wanted),
    )  # fmt: skip


def compare(
    one: str,
    other: str,
    better: float = 0.5,
    rules: RuleSet | str = "standard",
    *,
    beside: Sequence[str] = (),
    players: int = 4,
    alpha: float = ALPHA,
    beta: float = BETA,
    deals: int | None = None,
    seed: int = 0,
    jobs: int | None = None,
    out: str | Path | None = None,
    agents_from: Iterable[str | Path] = (),
    allow_peeking: bool = False,
    watch: Callable[[Step], None] | None = None,
    resume: bool = False,
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
    beside
        Who sits in the other seats, taking turns. None: the two share all seats equally.
    players
        Seats at a table.
    alpha, beta
        Probabilities of calling the first better where it is not, and of the reverse; both one-sided.
    deals
        Blocks after which the test is inconclusive; 10,000 if nothing is said.
    seed, jobs, out, agents_from, allow_peeking, watch, resume
        As for `tournament`.
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
    t = plan_comparison(
        one, other, better, rules, beside=beside, players=players, alpha=alpha, beta=beta, deals=deals, seed=seed,
        agents_from=agents_from, allow_peeking=allow_peeking, changes=changes,
    )  # fmt: skip
    return played(t, out, jobs=jobs, watch=watch, resume=resume)
