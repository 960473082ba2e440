"""Written: the tables of difficulty levels out of what a levels file says.

This module takes what was read of a file, by key, and knows no agent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mtrain.study import files, ladder_tables, tables
from mtrain.study.tables import Table


def levels_of(said: Mapping[str, Any]) -> pd.DataFrame:
    """The `levels` table."""
    return _filled(
        ladder_tables.LEVELS,
        [{"level": each["name"]} | each.get("plausibility", {}) | each for each in said["level"]],
    )


def pairs_of(said: Mapping[str, Any]) -> pd.DataFrame:
    """The `pairs` table: what each level takes from the next lower."""
    steps = [(each["name"], each["step"]) for each in said["level"] if "step" in each]
    rows = [{"level": name, "blocks": step.get("pair_blocks", 0)} | _without(step, "note") for name, step in steps]
    return _filled(ladder_tables.PAIRS, rows)


def steps_of(said: Mapping[str, Any]) -> pd.DataFrame:
    """The `steps` table."""
    rows = [
        {"level": each["name"], "blocks": each["blocks"]} | each["step"] for each in said["level"] if "step" in each
    ]
    return _filled(ladder_tables.STEPS, rows)


def elsewhere_of(said: Mapping[str, Any]) -> pd.DataFrame:
    """The `elsewhere` table: what the levels are worth at other tables."""
    rows = []
    for place in said.get("elsewhere", ()):
        for each in place["level"]:
            rows.append({"rules": place["rules"], "players": place["players"], "blocks": place["blocks"]} | each)
    return _filled(ladder_tables.ELSEWHERE, rows)


def level_tables(folder: Path, said: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return the tables that pictures of levels are drawn from: those in a directory, and those that a file holds."""
    found = {"levels": levels_of(said), "pairs": pairs_of(said)}
    kinds = {"curve": ladder_tables.CURVE, "probes": ladder_tables.PROBES, "pairs": ladder_tables.PAIRS}
    for path in sorted(folder.glob("*.parquet")):
        if (kind := path.stem.partition("-")[0]) in kinds:
            found[path.stem] = files.read(kinds[kind], [path])
    return found


def elsewhere_said(frame: pd.DataFrame, seed: int) -> list[dict[str, Any]]:
    """Return an `elsewhere` table as a levels file says it: a place each, its levels in it."""
    said = []
    for rules, players in dict.fromkeys(zip(frame["rules"], frame["players"].tolist(), strict=True)):
        place = frame[(frame["rules"] == rules) & (frame["players"] == players)]
        blocks = int(place["blocks"].iloc[0])
        levels = []
        for row in place.to_dict("records"):
            numbers = {name: round(float(row[name]), 4) for name in row if _is_number(row[name], str(name))}
            levels.append({"level": row["level"]} | numbers | ({"note": row["note"]} if row["note"] else {}))
        said.append({"rules": rules, "players": players, "blocks": blocks, "seed": seed, "level": levels})
    return said


def _is_number(value: Any, name: str) -> bool:
    return name.startswith(("win", "diff")) and not pd.isna(value)


def _without(said: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in said.items() if name != key}


def _filled(table: Table, rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return a frame of rows in which numbers and words may be missing."""
    data: dict[str, Any] = {}
    for column in table.columns:
        empty: Any = {"str": "", "bool": False, "Float64": np.nan}.get(column.dtype, 0)
        values = [row.get(column.name, empty) for row in rows]
        kind = {"str": object, "bool": bool, "Float64": np.float64}.get(column.dtype, np.int64)
        data[column.name] = np.array(values, kind) if column.dtype != "str" else values
    return tables.frame(table, data)
