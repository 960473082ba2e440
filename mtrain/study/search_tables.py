"""The tables of a search of an agent's parameters: what it is after, every trial, and what came of it.

A search is after one number of the blocks: its `Objective` says which one, and in which direction better lies;
nobody else asks. This module knows no agent: it is told the parameters that are searched.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mtrain.study.blocks import Floats
from mtrain.study.tables import Column, Table

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
