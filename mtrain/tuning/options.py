"""The options of tuning and of searching: what may be said of either, spelled once (see `mtrain.arena.options`)."""

# ruff: noqa: RUF009  (an option is a field)

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtrain.arena.options import option


@dataclass(frozen=True, kw_only=True)
class Like:
    """What levels are to be like: at most one of `targets`, `weakest` and `beats`; with none, equal steps."""

    levels: int | None = option(
        None,
        "How many; None: as many as there are targets, else 5. What they are like, one of `targets`, `weakest` and "
        "`beats` says; with none of them, equal steps from end to end.",
        "How many levels  [default: 5, or as many as there are targets]",
    )
    targets: Sequence[float] | None = option(
        None, "The share of the games that each level is to win among the references, the weakest first."
    )
    weakest: float | None = option(
        None,
        "The share of the games that the weakest is to win, for equal steps in pips/round from there upward.",
        "Equal steps in pips/round from this share of the games upward.",
    )
    beats: float | None = option(
        None,
        "The share of the rounds that each level is to take from the next lower.",
        "The share of the rounds that each level takes from the next lower.",
    )


@dataclass(frozen=True, kw_only=True)
class Tune:
    """What may be said of a tuning besides its dial and what its levels are to be like."""

    top: str | None = option(
        None,
        "The agent that is the strongest level instead of `strong`.",
        "The strongest level is this agent.",
        metavar="AGENT",
    )
    names: Sequence[str] | None = option(None, "What the levels are called, the weakest first; None: 1, 2, …")
    references: Sequence[str] = option(
        ("greedy",),
        "Who fills the other seats, in turn.",
        "Who sits in the other seats  [default: greedy]",
        flag="--with",
        metavar="AGENT",
    )
    max_step: float | None = option(
        None,
        "Pips/round by which neighbours may differ.",
        "Pips/round that neighbours may differ by: more is a level missing.",
    )
    players: int = option(4, "Seats at a table.", "Seats at a table.")
    games: int = option(100_000, "The budget.", "The budget of a tuning")
    seed: int = option(0, "The same seed gives the same file, whatever `jobs` is.")
    agents_from: Iterable[str | Path] = option(
        (), "Files and folders to look for agents in, besides those that come with mtrain."
    )


@dataclass(frozen=True, kw_only=True)
class Maximise:
    """What may be said of a search besides the agent, the space and the rules."""

    objective: str = option(
        "pips",
        "``pips`` a round against the others at the table (lower is better), ``win`` (the share of games won) or "
        "``rank`` (the mean rank, lower is better).",
    )
    against: Sequence[str] = option(("greedy",), "Who sits in the other seats, taking turns.")
    players: int = option(4, "Seats at a table.")
    trials: int = option(
        50, "How many candidates are tried; the first is the incumbent.", "With --maximise: candidates"
    )
    deals: int = option(
        200,
        "On how many deals, each in all its seatings: the same for every candidate.",
        "With --maximise: deals of a candidate",
    )
    fresh: int | None = option(
        None,
        "On how many others the best is held against the incumbent; None: twice as many.",
        "With --maximise: deals that confirm the winner  [default: twice --deals]",
    )
    seed: int = option(0, "The same seed gives the same trials, whatever `jobs` is.")
    agents_from: Iterable[str | Path] = option(
        (), "Files and folders to look for agents in, besides those that come with mtrain."
    )
    allow_peeking: bool = option(False, "May agents play that are shown hidden tiles?")
    jobs: int | None = option(None, "Workers; None: one a core.")
    watch: Callable[[Any], None] | None = option(None, "Called with a `TrialStep` after every trial.")
