"""Racing: candidates tried one after the other on deals common to all, each given up once it has fallen behind.

Who has fallen behind is told by Wilcoxon's test of a candidate's deals against the best one's, and what is tried next
by a model of what has been found (see `mtrain.tuning.maximise` for the sources). Everything happens in the order of the
trials: only the deals of one trial are spread over workers. Each trial is a tournament by its number, so a search that
goes on finds what it has played before.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from mtrain.arena.spec import Tournament
from mtrain.bots.agent import AgentError
from mtrain.bots.registry import Registry
from mtrain.game.rng import SEARCH, stream
from mtrain.stats import tables
from mtrain.stats.blocks import Floats, of_agent
from mtrain.stats.results import ChunkStatistics
from mtrain.stats.tables import Column, Table
from mtrain.tuning.matches import Kept, numbers
from mtrain.tuning.space import Candidates

# ── Tables of a search ────────────────────────────────────────────────────────────────────────────────
#
# The tables of a search of an agent's parameters: what it is after, every trial, and what came of it.
#
# A search is after one number of the blocks: its `Objective` says which one, and in which direction better lies;
# nobody else asks. This part knows no agent: it is told the parameters that are searched.


STATES = COMPLETE, PRUNED, REPEATED, REFUSED = ("complete", "pruned", "repeated", "refused")
"""How a trial ended: with all its deals, before (it was worse than the best), as one that has been, or unplayed."""


@dataclass(frozen=True)
class Objective:
    """What a search is after.

    Attributes
    ----------
    number
        Which of the block numbers.
    lower
        Is less of it better?
    unit, decimals
        How it is said.
    """

    name: str
    number: str
    lower: bool
    unit: str
    decimals: int

    def cost(self, value: float) -> float:
        """Return a number that is the lower the better, whatever the objective."""
        return value if self.lower else -value

    def gain(self, before: Floats, after: Floats) -> Floats:
        """Return by how much the numbers after are better than those before: above 0, better."""
        return before - after if self.lower else after - before

    def said(self, value: float) -> str:
        """Return a number as it is written."""
        return f"{value:.{self.decimals}f}"


OBJECTIVES = {
    objective.name: objective
    for objective in (
        Objective("pips", "diff", True, "pips/round", 2),
        Objective("win", "win", False, "of all games won", 3),
        Objective("rank", "rank", True, "ranks", 3),
    )
}
"""By name: pips a round against the others at the table, the share of games won, the mean rank."""

_DTYPES = {bool: "bool", int: "int64", float: "Float64", str: "str"}

_BEFORE = (
    Column("trial", "int32", "number of the trial, from 0: the incumbent"),
    Column("agent", "str", "the agent that was tried"),
)
_AFTER = (
    Column("blocks", "int32", "deals that it was measured on, each in all its seatings", "blocks"),
    Column("value", "Float64", "mean of the objective over them; comparable where blocks are equal; null: none"),
    Column("pruned", "bool", "was it given up before all deals were played, as worse than the best by then?"),
    Column("state", "category", "how the trial ended", choices=STATES),
)


def trials_table(kinds: Mapping[str, type]) -> Table:
    """Return the `trials` table of a search of some parameters.

    Parameters
    ----------
    kinds
        The type of each parameter that is searched, by its name. A parameter that is called like another column has the
        column ``param:NAME``.
    """
    columns = tuple(
        Column(column_of(name), _DTYPES[kind], f"parameter {name} of the agent") for name, kind in kinds.items()
    )
    return Table("trials", "trial", ("trial",), (*_BEFORE, *columns, *_AFTER))


def column_of(parameter: str) -> str:
    """Return the name of a parameter's column in `trials`."""
    return f"param:{parameter}" if parameter in {column.name for column in (*_BEFORE, *_AFTER)} else parameter


OUTCOME = Table("outcome", "search", (), (
    Column("objective", "str", "what the search was after: pips, win or rank"),
    Column("incumbent", "str", "the agent that the search began with"),
    Column("best", "str", "the agent of the best trial"),
    Column("winner", "str", "the agent that is kept"),
    Column("kept", "bool", "is that the incumbent?"),
    Column("blocks", "int32", "fresh deals on which the best was held against the incumbent", "blocks"),
    Column("value", "Float64", "the winner's mean of the objective over the fresh deals"),
    Column("gain", "Float64", "by how much the best is better than the incumbent on the fresh deals; below 0: worse"),
    Column("lo", "Float64", "lower end of the 95 % interval of gain, paired by deal"),
    Column("hi", "Float64", "upper end of the 95 % interval of gain, paired by deal"),
    Column("note", "str", "the outcome in one sentence"),
))  # fmt: skip


# ── Racing ────────────────────────────────────────────────────────────────────────────────────────────


CANDIDATE = "candidate"
"""The label of whoever is tried, whatever its parameters: at its table there may be an agent like it."""

FIRST_PIECE = 10
"""Deals after which a candidate is first looked at; then after twice as many, and so on."""

BEHIND = 0.1
"""A candidate is given up where the test says so by less than this."""


@dataclass(frozen=True)
class TrialStep:
    """How far a search is, for whoever watches it: a trial has ended, or one of the two measurements on fresh deals.

    Attributes
    ----------
    trial
        Its number; None on fresh deals.
    n_trials
        Trials in all.
    agent
        Who was tried.
    state
        One of `mtrain.tuning.racing.STATES`.
    blocks, value
        On how many deals, and their mean; nan if none was played.
    best, best_value
        The best so far, on the trials' deals.
    """

    trial: int | None
    n_trials: int
    agent: str
    state: str
    blocks: int
    value: float
    best: str
    best_value: float


@dataclass
class Hunt:
    """A search while it goes on.

    Attributes
    ----------
    kept
        The tournaments that have been played.
    t
        The tournament of one line-up, in which agent 0 is the candidate.
    objective, candidates, registry
        What is measured, who may be tried, and where they are found.
    n_trials, watch
        How many candidates are tried; who is told of each.
    rows
        The `trials` table so far.
    measured
        By agent: its numbers of the first deals, in order.
    """

    kept: Kept
    t: Tournament
    objective: Objective
    candidates: Candidates
    registry: Registry
    n_trials: int
    watch: Callable[[TrialStep], None] | None
    rows: list[dict[str, Any]] = field(default_factory=list)
    measured: dict[str, list[float]] = field(default_factory=dict)

    def run(self, optuna: Any) -> None:
        """Try one candidate after the other."""
        distributions = self.candidates.distributions(optuna)
        with _quiet(optuna):
            study = _study(optuna, self.t.seed)
            study.enqueue_trial(self.candidates.start)
            for _ in range(self.n_trials):
                asked = study.ask(distributions)
                row = self._try(asked)
                self.rows.append(row)
                if row["state"] == REFUSED:
                    study.tell(asked, state=optuna.trial.TrialState.FAIL)
                else:
                    study.tell(asked, self._cost(row))
                self.tell(row)

    def seat(self, agent: str, t: Tournament | None = None) -> Tournament:
        """Return the tournament in which an agent is the candidate.

        Raises
        ------
        AgentError
            If the agent refuses its parameters.
        """
        t = t or self.t
        return replace(t, agents=(self.registry.parse(f"{CANDIDATE}@{agent}"), *t.agents[1:]))

    def measure(self, name: str, t: Tournament, race: _Race | None = None) -> list[float]:
        """Return the candidate's numbers of a tournament, one a deal, played now if it has not been."""
        made = self.kept.results(name, t, None if race is None else race.stop)
        return [float(value) for value in numbers(made, self.objective.number, t.agents[0].label)]

    def _try(self, asked: Any) -> dict[str, Any]:
        """Race one candidate, and return its row of the table."""
        values = self.candidates.values(asked.params)
        agent = self.candidates.agent(values)
        row = {"trial": asked.number, "agent": agent} | {column_of(name): values[name] for name in values}
        try:
            t = self.seat(agent)
        except AgentError:
            return row | {"blocks": 0, "value": np.nan, "pruned": False, "state": REFUSED}
        known = self.measured.setdefault(agent, [])
        before, race = len(known), _Race(self, asked, t.agents[0].label)
        race.look(known)
        if not race.over:
            found = self.measure(f"trial-{asked.number:03d}", t, race)
            race.look(found)
            known[:] = found[: race.end]
        state = REPEATED if race.end <= before else PRUNED if race.pruned else COMPLETE
        row |= {"blocks": race.end, "value": float(np.mean(known[: race.end])), "pruned": race.pruned}
        return row | {"state": state}

    def behind(self, values: Sequence[float]) -> float:
        """Return by how much the best is better than a candidate on the first deals, of which it has these numbers."""
        bests = np.array(self.measured[self.best()["agent"]][: len(values)])
        return float(self.objective.gain(np.array(values), bests).mean())

    def _cost(self, row: Mapping[str, Any]) -> float:
        """Return what a candidate is judged by when the next one is chosen.

        One that was given up is not judged by its mean, as the deals that it has not played may be harder or easier:
        what it is behind the best on the same deals is added to the best's.
        """
        if not row["pruned"]:
            return self.objective.cost(row["value"])
        return self.objective.cost(self.best()["value"]) + self.behind(self.measured[row["agent"]][: row["blocks"]])

    def best(self) -> dict[str, Any]:
        """Return the row of the best trial so far: of those with all their deals, the first with the least cost."""
        whole = [row for row in self.rows if row["state"] != REFUSED and not row["pruned"]]
        return min(whole, key=lambda row: self.objective.cost(row["value"]))

    def tell(self, row: Mapping[str, Any]) -> None:
        """Tell whoever watches."""
        if self.watch:
            best = self.best()
            said = (row["trial"], self.n_trials, row["agent"], row["state"], row["blocks"], row["value"])
            self.watch(TrialStep(*said, best["agent"], best["value"]))

    def table(self) -> pd.DataFrame:
        """Return the `trials` table so far."""
        table = trials_table(self.candidates.kinds)
        return tables.frame(table, {name: [row[name] for row in self.rows] for name in table.names})


@dataclass
class _Race:
    """One candidate's race: it is looked at after `FIRST_PIECE` deals, after twice as many, and so on, and after all.

    Attributes
    ----------
    end
        How many deals have been looked at.
    pruned
        Has it fallen behind?
    """

    hunt: Hunt
    asked: Any
    label: str
    end: int = 0
    pruned: bool = False
    come: list[float] = field(default_factory=list)
    n_come: int = 0

    @property
    def over(self) -> bool:
        """Is there nothing left to look at?"""
        return self.pruned or self.end == self.hunt.t.deals

    def look(self, values: Sequence[float]) -> None:
        """Look at a candidate's numbers of the first deals wherever it is time to."""
        deals, objective = self.hunt.t.deals, self.hunt.objective
        while not self.over and (end := min(2 * self.end or FIRST_PIECE, deals)) <= len(values):
            for deal in range(self.end, end):
                self.asked.report(objective.cost(values[deal]), deal)
            last = end == deals or not self.hunt.rows
            self.end = end
            self.pruned = not last and self.hunt.behind(values[:end]) > 0 and self.asked.should_prune()

    def stop(self, digests: Sequence[ChunkStatistics]) -> str | None:
        """Look at what has come; say why to end."""
        for done in digests[self.n_come :]:
            self.come += [float(value) for value in of_agent(done.blocks, self.label, self.hunt.objective.number)]
        self.n_come = len(digests)
        self.look(self.come)
        return "it has fallen behind" if self.pruned else None


def _study(optuna: Any, seed: int) -> Any:
    """Return what asks for candidates, and says which fall behind: costs, so that lower is better."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler = optuna.samplers.TPESampler(seed=int(stream(seed, SEARCH, 0, 0, 0)) >> 32, multivariate=True)
        return optuna.create_study(sampler=sampler, pruner=optuna.pruners.WilcoxonPruner(p_threshold=BEHIND))


@contextlib.contextmanager
def _quiet(optuna: Any) -> Iterator[None]:
    """Have the library say nothing of its own."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)
