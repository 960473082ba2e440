"""Sheets: a table as people read it. Headings with units, numbers with their intervals, what is absent in words.

How a number is written follows from its column's unit alone, so that the page and the terminal agree. This module lays
out what it is given; it knows no file, no page and no terminal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from mtrain.study.tables import Column, Table

ABSENT = "n/a"

# How numbers of a unit are written; of any other, with four digits.
_FORMS = {
    "pips/round": "{:.2f}",
    "pips/game": "{:.1f}",
    "rank": "{:.2f}",
    "× variance": "{:.2f}",
    "place": "{:.0f}",
    "probability": "{:.3f}",
    "rating points": "{:.0f}",
    "nats/tile": "{:.3f}",
    "µs": "{:.3g}",
}

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
    left = sorted(table.columns, key=lambda column: (column.name not in table.key, column.unit != "place"))
    while left:
        column = left.pop(0)
        value: Column | None = column
        ends: tuple[Column, Column] | None = None
        if column.name.endswith("_lo"):
            value, ends = None, (column, left.pop(0))
        elif len(left) > 1 and left[0].name.endswith("lo") and left[0].meaning.endswith(f" of {column.name}"):
            ends = left.pop(0), left.pop(0)
        cells = _cells(frame, value, ends)
        if column.name == "unit":
            cells = [Cell(in_unit(cell.text, unit)) for cell in cells]
        if column.dtype in ("str", "category") and not any(cell.text for cell in cells):
            continue
        name = value.name if value else column.name.removesuffix("_lo")
        text = _WORDS.get(name, name.replace("_", " "))
        measure = column.unit if column.unit != text else ""
        meaning = column.meaning.removeprefix("lower end of ")
        text, measure, meaning = (in_unit(word, unit) for word in (text, measure, meaning))
        headings.append(Heading(name, text, measure, meaning, column.dtype not in ("str", "category")))
        columns.append(cells)
    return Sheet(tuple(headings), tuple(zip(*columns, strict=True)))


def in_unit(text: str, unit: str) -> str:
    """A text in which what a score counts stands where it says pips."""
    return text.replace("pips", unit).replace("Pips", unit.capitalize())


def _cells(frame: pd.DataFrame, value: Column | None, ends: tuple[Column, Column] | None) -> list[Cell]:
    """The cells of one column, its interval included."""
    if value is not None and value.dtype in ("str", "category"):
        return [Cell(str(word)) for word in frame[value.name]]
    if value is not None and value.dtype == "bool":
        return [Cell("yes" if said else "no") for said in frame[value.name]]
    unit = value.unit if value else ends[0].unit if ends else ""
    units = list(frame["unit"]) if unit == _BY_ROW else [unit] * len(frame)
    texts = [""] * len(frame)
    if value is not None:
        each = zip(units, frame[value.name], strict=True)
        texts = [number(replace(value, unit=unit), said) for unit, said in each]
    if ends is None:
        return [Cell(text) for text in texts]
    column = value or ends[0]
    rows = zip(texts, units, frame[ends[0].name], frame[ends[1].name], strict=True)
    if column.unit == "place":
        return [Cell(places(lo, hi)) for _, _, lo, hi in rows]
    return [
        Cell(text, "" if text == ABSENT else _interval(replace(column, unit=unit), lo, hi))
        for text, unit, lo, hi in rows
    ]


def places(lo: Any, hi: Any) -> str:
    """A range of places: "2–3", or "2" where there is no doubt."""
    if pd.isna(lo) or pd.isna(hi):
        return ABSENT
    return f"{lo:.0f}" if lo == hi else f"{lo:.0f}–{hi:.0f}"


def _interval(column: Column, lo: Any, hi: Any) -> str:
    if pd.isna(lo) or pd.isna(hi):
        return f"[{ABSENT}]"
    return f"[{number(column, lo).removesuffix(' %')}, {number(column, hi).removesuffix(' %')}]"


def number(column: Column, value: Any) -> str:
    """A number as its column's unit is written: shares in percent, a true minus sign, no sign on what rounds to 0."""
    if pd.isna(value):
        return ABSENT
    if np.dtype(type(value)).kind in "iu":
        return f"{value:,}".replace("-", "−")
    if "share" in column.unit:
        return f"{100 * value + 0.0:.1f} %".replace("-0.0", "0.0").replace("-", "−")
    if column.unit == "probability" and value < 0.001:
        return "<0.001"
    text = _FORMS.get(column.unit, "{:.4g}").format(value)
    if not float(text):
        return text.lstrip("-")
    sign = "+" if column.name in _SIGNED and value > 0 else ""
    return sign + text.replace("-", "−")
