"""Sheets: a table as people read it. Headings with units, numbers with their intervals, what is absent in words.

How a number is written follows from its column's unit alone, so that the page and the terminal agree. This module lays
out what it is given; it knows no file, no page and no terminal.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from mtrain.report.format import ABSENT, Format, count, in_unit, of_unit, p_value, places, span, word, yes_no
from mtrain.report.sections import section
from mtrain.stats.results import Results
from mtrain.stats.tables import Column, ResultsError, Table

# ── What numbers rest on ──────────────────────────────────────────────────────────────────────────────
#
# What numbers rest on, in a line: so that none stands without its blocks, its seed and its version.


def lead(results: Results) -> str:
    """What was played, in a line: rules, seats, deals, games, seed, version."""
    m = results.manifest
    games = int(results.standings["games"].max())
    facts = [
        results.rules,
        f"{m.players} seats",
        f"{m.games:,} games" if m.games is not None and m.finished is not False else f"up to {games:,} games an agent",
        f"seed {m.seed}",
        f"mtrain {m.versions['mtrain']}" if m.versions else "",
    ]
    return " · ".join(fact for fact in facts if fact)


def basis(results: Results, frame: pd.DataFrame) -> str:
    """What the numbers of a table rest on: blocks, seed and version."""
    m = results.manifest
    parts = [over(results, frame), f"seed {m.seed}"]
    parts += [f"mtrain {m.versions['mtrain']}"] if m.versions else []
    return ", ".join(parts)


def over(results: Results, frame: pd.DataFrame) -> str:
    """How many blocks a table is over, and whether that is enough for its intervals, if it has any."""
    numbers = frame["blocks"].tolist() if "blocks" in frame else [results.n_blocks]
    high = max(numbers)
    blocks = f"{span(numbers)} block{'' if high == 1 else 's'}"
    if not any(str(name).endswith("lo") for name in frame):
        return blocks
    return f"95 % intervals over {blocks}" if high > 1 else f"no intervals: {blocks}"


# ── Sheets ────────────────────────────────────────────────────────────────────────────────────────────


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


# ── Markdown ──────────────────────────────────────────────────────────────────────────────────────────
#
# A table as Markdown, to stand in a page of text: with what it rests on, and the command that prints it again.


def markdown(results: Results, table: str, columns: Sequence[str] = ()) -> str:
    """Return a table of some results as Markdown.

    Parameters
    ----------
    results
        Of a tournament.
    table
        The table's name.
    columns
        Which of its columns, besides the first; by default all.

    Raises
    ------
    ResultsError
        If there is no such table or column, or the results have no such table.
    """
    chosen = section(table)
    frame = chosen.wanted(results)
    laid = sheet(chosen.table, frame, results.unit)
    known = {heading.column: k for k, heading in enumerate(laid.headings)}
    for name in columns:
        if name not in known:
            raise ResultsError(f"table {table!r} shows no column {name!r}; it shows {', '.join(known)}")
    shown = [0, *(known[name] for name in columns if known[name])] if columns else list(known.values())
    headings = [laid.headings[k] for k in shown]
    lines = [
        [f"{heading.text}{f' ({heading.unit})' if heading.unit else ''}" for heading in headings],
        ["---:" if heading.numeric else "---" for heading in headings],
        *([_text(row[k]) for k in shown] for row in laid.rows),
    ]
    words = ["mtrain", "report", str(results.path), "--table", table, "--markdown"]
    words += ["--columns", ",".join(columns)] if columns else []
    told = f"{results.title}: {lead(results)}; {over(results, frame)}. Printed by `{shlex.join(words)}`."
    return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), "", told]).replace("$", r"\$")


def _text(cell: Cell) -> str:
    return f"{cell.text} {cell.interval}".strip().replace("|", r"\|")
