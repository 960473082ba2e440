"""Sections: what a report of a tournament shows, in order, an entry a table.

The page goes through this list, and the command line prints any of its tables by name. A table that is to be shown is
added here, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from mtrain.errors import nearest
from mtrain.stats import tables
from mtrain.stats.results import Results
from mtrain.stats.stopping import Better
from mtrain.stats.tables import ResultsError, Table


@dataclass(frozen=True)
class Section:
    """A table of a report, and the figures that belong to it.

    Attributes
    ----------
    table
        Its definition; by its name it can be asked for.
    heading, about
        What it is called, and what it says, in words.
    rows
        How it is had from results; None where the run has no such table.
    figures
        Names of figures and their captions. A name stands for all that begin with it and a low line, too.
    sorted
        Are the rows in the order in which they are read? If not, they are put in the order of the standings.
    unless
        Why there may be no such table.
    """

    table: Table
    heading: str
    about: str
    rows: Callable[[Results], pd.DataFrame | None]
    figures: Mapping[str, str] = field(default_factory=dict)
    sorted: bool = False
    unless: str = "nothing of the kind was played or measured"

    @property
    def name(self) -> str:
        """The table's name."""
        return self.table.name

    def frame(self, results: Results) -> pd.DataFrame | None:
        """The rows to show, best agent first; None where there are none."""
        frame = self.rows(results)
        if frame is None or not len(frame):
            return None
        if self.sorted or "agent" not in frame:
            return frame
        place = {agent: k for k, agent in enumerate(results.standings["agent"])}
        keys = [frame[name].map(place).to_numpy() for name in ("opponent", "agent") if name in frame]
        return frame.iloc[np.lexsort([np.arange(len(frame)), *keys])]

    def wanted(self, results: Results) -> pd.DataFrame:
        """The rows to show.

        Raises
        ------
        ResultsError
            If there are none.
        """
        frame = self.frame(results)
        if frame is None:
            raise ResultsError(f"{results.path} has no table {self.name!r}: {self.unless}")
        return frame


SECTIONS = (
    Section(
        tables.STANDINGS,
        "Standings",
        "Every agent against the others at its tables. Lower is better for pips and ranks, higher for shares and "
        "ratings; one seat's fair share of the games is one in as many as the table has seats.",
        lambda r: r.standings,
        {"standings": "Pips per round of each agent against the others at its tables, with 95 % intervals."},
        sorted=True,
    ),
    Section(
        tables.COMPARISON,
        "The test",
        "What a sequential test of two agents says, and their difference: raw, as if nobody had looked on the way, and "
        "adjusted for looking.",
        lambda r: r.comparison if isinstance(r.rule, Better) else None,
        {"until": "What was to be seen, look by look, and the interval that holds at every look."},
        unless="it is no sequential test of two agents (`mtrain compare` makes one)",
    ),
    Section(
        tables.STOPPING,
        "Adjusted for stopping",
        "The differences raw, as if nobody had looked on the way, and with intervals that hold at every look.",
        lambda r: r.stopping if r.rule is not None else None,
        {"until": "What was to be seen, look by look, and the intervals that hold at every look."},
        unless="it was played without a stopping rule (--until)",
    ),
    Section(
        tables.FAILURES,
        "Faults",
        "Agents that raised, answered with no legal action, or as programs hung, ended or wrote rubbish: how often, by "
        "kind, and the first game in which it happened. What became of those games is said under on fault below.",
        lambda r: r.failures,
        sorted=True,
        unless="no agent failed",
    ),
    Section(
        tables.PAIRWISE,
        "One against another",
        "The agent's score minus the opponent's in the games in which both sat, and the share of those games in which "
        "it ranked ahead.",
        lambda r: r.pairwise,
        {"pairwise": "Score of the row's agent minus the column's: below 0 the row does better."},
    ),
    Section(
        tables.RATINGS,
        "Ratings",
        "One Plackett–Luce fit over all games; 400 points are odds of ten to one. The main interval is clustered by "
        "block; beside it the bootstrap of blocks, and how often it rates the agent first.",
        lambda r: r.ratings,
        {"ratings": "Plackett–Luce rating of each agent, with 95 % intervals."},
        sorted=True,
    ),
    Section(
        tables.ALPHARANK,
        "A second opinion: alpha-rank",
        "Where a population spends its time if a better agent always takes over: all of it with an agent that beats "
        "every other, in shares where they beat each other in a circle. Only the sign of a difference counts, so look "
        "at the interval.",
        lambda r: r.alpharank,
        sorted=True,
    ),
    Section(
        tables.SEATS,
        "Seats",
        "What a seat, and a place after the round's starter, is worth by itself, whoever sits there.",
        lambda r: r.seats,
        {"seats": "Pips per round of each seat, and of each place after the starter, against the table's mean."},
        sorted=True,
    ),
    Section(
        tables.NEIGHBOURS,
        "Neighbours",
        "What it is worth to the others to sit right before or right after an agent.",
        lambda r: r.neighbours,
    ),
    Section(
        tables.BY_ROUND,
        "Round by round",
        "The mean score of each agent in each round of the game.",
        lambda r: r.by_round,
        {"by_round": "Mean score of each agent by round of the game, with 95 % intervals."},
    ),
    Section(
        tables.SCORES,
        "Scores",
        "How often each agent ended a round with each score. These are counts of rounds, which share their deals: no "
        "interval belongs to a single line.",
        lambda r: r.scores,
        {"scores": "Share of each agent's rounds that cost at most so many pips: a higher curve is better."},
    ),
    Section(
        tables.DESIGN,
        "What the design was worth",
        "Standard errors over blocks, which are the true ones, beside those that single games would give; and the "
        "share of the variance that is gone because all play the same deals.",
        lambda r: r.design,
    ),
    Section(
        tables.BOOTSTRAP,
        "The bootstrap beside Student's t",
        "The intervals of the standings, and the same from drawing the blocks again: where the two disagree notably, "
        "blocks are few or very uneven.",
        lambda r: r.bootstrap,
    ),
    Section(
        tables.FAMILIES,
        "Along a number",
        "Agents that differ in one number alone.",
        lambda r: r.families,
        {"budget": "Pips per round against the others at the table, along that number."},
        sorted=True,
    ),
    Section(
        tables.TIMING,
        "Time",
        "What a decision took on the machine below: the one table that differs from run to run, and without an "
        "interval, for times of one run on one machine are no sample of others.",
        lambda r: r.timing if r.timed else None,
        {"cost": "Pips per round against the mean time of a decision: down and to the left is better."},
        unless="times are measured while playing, and can't be had from the games",
    ),
)


def section(name: str) -> Section:
    """The section of a table, by the table's name.

    Raises
    ------
    ResultsError
        If there is none; the nearest name is offered.
    """
    known = {each.name: each for each in SECTIONS}
    if name not in known:
        there = f"the tables are {', '.join(known)}"
        raise ResultsError(f"unknown table {name!r}; {nearest(name, known, there)}")
    return known[name]
