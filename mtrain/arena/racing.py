"""Racing: candidates tried one after the other on deals common to all, each given up once it has fallen behind.

Who has fallen behind is told by Wilcoxon's test of a candidate's deals against the best one's, and what is tried next
by a model of what has been found (see `mtrain.arena.search` for the sources). Everything happens in the order of the
trials: only the deals of one trial are spread over workers.
"""

import contextlib
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from mtrain.arena.space import Candidates
from mtrain.arena.trials import Course
from mtrain.game.rng import SEARCH, stream
from mtrain.study import tables
from mtrain.study.search_tables import COMPLETE, PRUNED, REFUSED, REPEATED, column_of, trials_table
from mtrain.think.agent import AgentError

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
        One of `mtrain.study.search_tables.STATES`.
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


def _pieces(deals: int) -> Iterator[int]:
    """Yield after how many deals a candidate is looked at; the last is after all."""
    end = FIRST_PIECE
    while end < deals:
        yield end
        end *= 2
    yield deals


class Hunt:
    """A search while it goes on."""

    def __init__(
        self, course: Course, candidates: Candidates, trials: int, watch: Callable[[TrialStep], None] | None
    ) -> None:
        self.course = course
        self.candidates = candidates
        self.n_trials = trials
        self.watch = watch
        self.rows: list[dict[str, Any]] = []
        self.measured: dict[str, list[float]] = {}  # by agent: its numbers of the first deals, in order
        self.objective = course.objective

    def run(self, optuna: Any) -> None:
        """Try one candidate after the other."""
        distributions = self.candidates.distributions(optuna)
        with _quiet(optuna):
            study = _study(optuna, self.course.t.seed)
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

    def _try(self, asked: Any) -> dict[str, Any]:
        """Race one candidate, and return its row of the table."""
        values = self.candidates.values(asked.params)
        agent = self.candidates.agent(values)
        row = {"trial": asked.number, "agent": agent} | {column_of(name): values[name] for name in values}
        row |= {"blocks": 0, "value": np.nan, "pruned": False}
        try:
            self.course.seat(agent)
        except AgentError:
            return row | {"state": REFUSED}
        known = self.measured.setdefault(agent, [])
        before = len(known)
        first = 0
        for end in _pieces(self.course.t.deals):
            if len(known) < end:
                known += self.course.measure(asked.number, agent, range(first, end))
            for deal in range(first, end):
                asked.report(self.objective.cost(known[deal]), deal)
            last = end == self.course.t.deals or not self.rows
            row |= {"blocks": end, "pruned": not last and self._behind(agent, end) > 0 and asked.should_prune()}
            first = end
            if row["pruned"]:
                break
        state = PRUNED if row["pruned"] else COMPLETE
        return row | {"value": float(np.mean(known[:first])), "state": REPEATED if first <= before else state}

    def _behind(self, agent: str, deals: int) -> float:
        """Return by how much the best is better than an agent on the first deals, which both have played."""
        ours, bests = (np.array(self.measured[each][:deals]) for each in (agent, self.best()["agent"]))
        return float(self.objective.gain(ours, bests).mean())

    def _cost(self, row: Mapping[str, Any]) -> float:
        """Return what a candidate is judged by when the next one is chosen.

        One that was given up is not judged by its mean, as the deals that it has not played may be harder or easier:
        what it is behind the best on the same deals is added to the best's.
        """
        if not row["pruned"]:
            return self.objective.cost(row["value"])
        return self.objective.cost(self.best()["value"]) + self._behind(row["agent"], row["blocks"])

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
