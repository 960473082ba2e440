"""Any table of results, laid out for the terminal: by its declaration alone, whatever it is about.

An estimate and its interval share a cell, units stand in the headings, shares are in percent. What standings look like
is `terminal`'s business; this module knows columns, and no quantity.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from mtrain.show.terminal import interval, place, show
from mtrain.study.tables import Column, Table

_PLACES = {"place": 0, "rating points": 0, "probability": 3, "share of variance": 1}


def show_table(table: Table, frame: pd.DataFrame, title: str = "") -> None:
    """Print a table of results; a column of notes only if there is one."""
    groups = [group for group in _groups(table) if group[0].name != "note" or (frame["note"] != "").any()]
    rows = [[_cell(group, row) for group in groups] for row in frame.to_dict("records")]
    ends = any(len(group) > 1 and group[0].unit != "place" for group in groups)
    show([_heading(group) for group in groups], rows, title, "Intervals: 95 %, clustered by block." if ends else "")


def _groups(table: Table) -> Iterator[tuple[Column, ...]]:
    """Yield the columns that share a cell: an estimate with the ends of its interval, the ends alone, or only one."""
    columns = list(table.columns)
    while columns:
        names = [column.name[-2:] for column in columns[:3]]
        size = 3 if names[1:] == ["lo", "hi"] else 2 if names[:2] == ["lo", "hi"] else 1
        yield tuple(columns[:size])
        del columns[:size]


def _heading(group: tuple[Column, ...]) -> str:
    name = group[0].name.removesuffix("_lo") if len(group) == 2 else group[0].name
    unit = group[0].unit
    return name if unit in ("", name) else f"{name}\n{unit}"


def _cell(group: tuple[Column, ...], row: Mapping[Any, Any]) -> str:
    first, values = group[0], [row[column.name] for column in group]
    if first.dtype != "Float64":
        return f"{values[0]:,}" if first.dtype.startswith("int") else str(values[0])
    if first.unit == "place":
        return place(values[0], values[1])
    unit = str(row["unit"]) if first.unit == "unit of the row" else first.unit
    percent = "share" in unit
    places = _PLACES.get(unit, 1 if percent else 2)
    if unit == "probability" and not pd.isna(values[0]) and values[0] < 10.0**-places:
        return f"<{10.0**-places:g}"
    if len(group) == 1:
        return interval(values[0], None, None, places, percent=percent).removesuffix(" [n/a]")
    value, lo, hi = values if len(group) == 3 else (values[0], *values)
    text = interval(value, lo, hi, places, percent=percent)
    return text if len(group) == 3 else text[text.find("[") :] if "[" in text else text
