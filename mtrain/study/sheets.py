"""Sheets: a table as people read it. Headings with units, numbers with their intervals, what is absent in words.

How a number is written follows from its column's unit alone, so that the page and the terminal agree. This module lays
out what it is given; it knows no file, no page and no terminal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from mtrain.study.format import ABSENT, Format, count, in_unit, of_unit, p_value, places, word, yes_no
from mtrain.study.tables import Column, Table

# Columns whose name, its low lines read as spaces, is no word to head them with.
_WORDS = {
    "diff": "difference",
    "win": "games won",
    "rank_mean": "mean rank",
    "round_wins": "rounds won",
    "out": "went out",
    "us_per_decision": "mean time",
    "p95": "95 % within",
    "first": "rated first",
    "p": "p, all together",
    "se_block": "error by block",
    "se_naive": "error by game",
    "zero": "at nothing",
    "heavy": "heavy rounds",
    "boot": "bootstrap-t",
}

_BY_ROW = "unit of the row"  # … which the column `unit` says

# Columns that say how far something is from something else: + or − tells on which side.
_SIGNED = ("diff", "adjusted", "gain")


@dataclass(frozen=True)
class Heading:
    """A column's name, what heads it, its unit and what it means, and whether numbers stand in it."""

    column: str
    text: str
    unit: str
    meaning: str
    numeric: bool


@dataclass(frozen=True)
class Cell:
    """A value as text, and its interval; "" where there is nothing to say."""

    text: str
    interval: str = ""


@dataclass(frozen=True)
class Sheet:
    """Headings, and rows of as many cells each."""

    headings: tuple[Heading, ...]
    rows: tuple[tuple[Cell, ...], ...]


def sheet(table: Table, frame: pd.DataFrame, unit: str = "pips") -> Sheet:
    """Lay a table out.

    Parameters
    ----------
    table
        What its columns mean.
    frame
        Its rows, in the order in which they are to be read.
    unit
        What a score counts: it stands where the table says pips.

    Notes
    -----
    What tells rows apart comes first, then their places. The two ends of an interval stand with their value in one
    cell, or in one of their own where the value is elsewhere. A column without a word in it is left out.
    """
    headings: list[Heading] = []
    columns: list[list[Cell]] = []
    ends: dict[str, list[Column]] = {}
    for column in table.columns:
        if column.of:
            ends.setdefault(column.of, []).append(column)
    for column in sorted(table.columns, key=lambda column: (column.name not in table.key, column.unit != "place")):
        pair = ends.get(column.of or column.name, [])
        if column.of and (column.of in table.names or column is not pair[0]):
            continue  # it stands with the value, or with the lower end
        cells = _cells(frame, column, pair)
        if column.name == "unit":
            cells = [Cell(in_unit(cell.text, unit)) for cell in cells]
        numeric = column.dtype not in ("str", "category")
        if not numeric and not any(cell.text for cell in cells):
            continue
        name = column.name.removesuffix("_lo") if column.of else column.name
        text = _WORDS.get(name, name.replace("_", " "))
        measure = column.unit if column.unit != text else ""
        text, measure, meaning = (in_unit(said, unit) for said in (text, measure, column.whole or column.meaning))
        headings.append(Heading(name, text, measure, meaning, numeric))
        columns.append(cells)
    return Sheet(tuple(headings), tuple(zip(*columns, strict=True)))


def _cells(frame: pd.DataFrame, column: Column, ends: Sequence[Column]) -> list[Cell]:
    """The cells of one column with its interval, or of an interval alone."""
    values = frame[column.name]
    if column.dtype in ("str", "category"):
        return [Cell(word(value)) for value in values]
    if column.dtype == "bool":
        return [Cell(yes_no(value)) for value in values]
    units = frame["unit"] if column.unit == _BY_ROW else [column.unit] * len(frame)
    columns = [replace(column, unit=unit) for unit in units]
    texts = [""] * len(frame) if column.of else map(number, columns, values)
    if not ends:
        return [Cell(text) for text in texts]
    bounds = zip(*(frame[end.name] for end in ends), strict=True)
    if column.unit == "place":
        return [Cell(places(*each)) for each in bounds]
    return [
        Cell(text, "" if text == ABSENT else _form(of_row).ends(*each))
        for text, of_row, each in zip(texts, columns, bounds, strict=True)
    ]


def number(column: Column, value: Any) -> str:
    """A number as its column's unit is written."""
    if pd.isna(value):
        return ABSENT
    if np.dtype(type(value)).kind in "iu":
        return count(value)
    return p_value(value) if column.unit == "probability" else _form(column)(value)


def _form(column: Column) -> Format:
    return of_unit(column.unit, column.name in _SIGNED)
