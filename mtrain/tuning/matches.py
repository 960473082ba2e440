"""Plays: the tournaments that searching, tuning and verifying are made of, each in a folder of its own.

Every one has a name, and is played once: gone on with, the same work reads what is finished and plays what is not. A
*set of deals* is a seed of its own; what is played on one set is paired deal by deal. This module knows no level.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mtrain.arena.manifest import difference, manifest_of, spec
from mtrain.arena.run import RUN, Step, Stop, run
from mtrain.arena.spec import Tournament, TournamentError, plan
from mtrain.game.rng import LEVELS, stream
from mtrain.game.rules import RuleSet
from mtrain.stats.blocks import of_agent
from mtrain.stats.manifest import Manifest
from mtrain.stats.results import Results, read

FOLDER = "plays"
AGENT, BELOW = "level", "below"
"""The labels of who is measured, and of who is measured against it."""


@dataclass(frozen=True)
class Progress:
    """How far the work is: what is being played, and how many of all games are."""

    what: str
    games: int
    n_games: int
    seconds: float


@dataclass
class Kept:
    """Tournaments by name, each in a folder of its own.

    Attributes
    ----------
    out
        The directory that they are kept in.
    jobs, interrupt, watch
        Workers; what ends the work once it is set; who is told how far it is.
    n_games
        Games of all that will be played, for whoever is told.
    derived
        Are tables made of each one's games?
    """

    out: Path
    jobs: int | None = None
    interrupt: threading.Event | None = None
    watch: Callable[[Progress], None] | None = None
    n_games: int = 0
    derived: bool = True
    started: float = field(default_factory=time.time)
    played: int = 0

    def results(self, name: str, t: Tournament, stop: Stop | None = None) -> Results:
        """Return the results of a tournament, played now if it has not been; `stop` as for `run`.

        Raises
        ------
        TournamentError
            If another tournament was played under this name.
        Interrupted, Unwritten, Lost, Fault
            As from `run`; what is finished is kept.
        """
        folder = self.out / FOLDER / name
        before = RUN.read(folder)
        if before and before.get("finished"):
            if said := difference(spec(manifest_of(t, 1, 0.0)), spec(Manifest.of(before)), str(folder)):
                raise TournamentError(f"{folder} holds another run: {said}")
            made = read(folder)
        else:
            made = run(
                t, folder, jobs=self.jobs, resume=True, interrupt=self.interrupt, watch=self._told(name), stop=stop,
                derived=self.derived,
            )  # fmt: skip
        self.played += t.schedule.n_games
        self._tell(name, 0)
        return made

    def _told(self, name: str) -> Callable[[Step], None]:
        return lambda step: self._tell(name, step.games)

    def _tell(self, name: str, more: int) -> None:
        if self.watch:
            self.watch(Progress(name, self.played + more, self.n_games, time.time() - self.started))


@dataclass(frozen=True)
class Matches:
    """The tournaments of levels at one table.

    Attributes
    ----------
    kept
        Those that have been played.
    rules, players
        What is played, and at which table.
    references
        Who fills the other seats, in turn.
    seed
        What all sets of deals are made from.
    agents_from
        Where to look for agents besides.
    """

    kept: Kept
    rules: RuleSet
    players: int
    references: Sequence[str]
    seed: int
    agents_from: Sequence[str | Path] = ()

    def others(self) -> list[str]:
        """Return who sits in the other seats."""
        return [self.references[k % len(self.references)] for k in range(self.players - 1)]

    def seed_of(self, deal_set: int) -> int:
        """Return the seed of a set of deals."""
        return int(stream(self.seed, LEVELS, deal_set, 0, 0)) >> 1

    def alone(self, agent: str, deals: int, deal_set: int) -> Tournament:
        """Return the tournament of one agent among the references."""
        others = self.others()
        return self._planned([f"{AGENT}@{agent}", *dict.fromkeys(others)], [[AGENT, *others]], deals, deal_set)

    def pair(self, agent: str, below: str, deals: int, deal_set: int) -> Tournament:
        """Return the tournament of two agents that share the seats."""
        return self._planned([f"{AGENT}@{agent}", f"{BELOW}@{below}"], None, deals, deal_set)

    def _planned(
        self, agents: Sequence[str], lineups: Sequence[Sequence[str]] | None, deals: int, deal_set: int
    ) -> Tournament:
        return plan(
            agents, self.rules, players=self.players, lineups=lineups, deals=deals, seed=self.seed_of(deal_set),
            agents_from=self.agents_from, on_fault="stop",
        )  # fmt: skip


def numbers(results: Results, column: str, label: str = AGENT) -> Any:
    """Return an agent's block numbers in the order of the deals: float64[blocks]."""
    return of_agent(results.summary.blocks, label, column)


def taken(results: Results, column: str) -> Any:
    """Return what an agent took of what it and the one below it won, block by block: float64[blocks]."""
    mine, theirs = (numbers(results, column, label) for label in (AGENT, BELOW))
    return mine / (mine + theirs)
