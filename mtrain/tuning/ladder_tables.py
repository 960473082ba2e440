"""The tables of difficulty levels: every column's name, type, unit and meaning, written once.

A curve of strength along a dial, the probes that it was drawn through, the levels of a ladder, its steps, what levels
take from one another, which claims about them hold, and what they are worth at other tables. Nothing here knows how a
number of theirs is found, or what a dial turns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mtrain.stats import files, tables
from mtrain.stats.tables import Column, Table, interval

# ── Columns ───────────────────────────────────────────────────────────────────────────────────────────


_AT = Column("at", "Float64", "position of the dial: 0 is unweakened, 1 is weakest", "dial")
_BLOCKS = Column("blocks", "int32", "blocks that it was measured on", "blocks")
_STRENGTH = (
    *interval("win", "share of the games that it wins among the references", "share"),
    *interval("diff", "pips per round against the others at the table, lower is better", "pips/round"),
)

CURVE = Table("curve", "position", ("at",), (
    _AT,
    *interval("value", "what the curve through all probes has there", "as probed", ""),
))  # fmt: skip

PROBES = Table("probes", "probe", ("at", "deals", "agent"), (
    _AT,
    Column("agent", "str", "label of the agent that was measured"),
    Column("deals", "int32", "set of deals; probes of one set are paired deal by deal"),
    Column("blocks", "int32", "blocks behind the number", "blocks"),
    *interval("value", "mean of this probe's blocks alone", "as probed", ""),
    Column("note", "str", "why an interval is absent, else empty"),
))  # fmt: skip

STEPS = Table("steps", "neighbouring levels", ("level", "below"), (
    Column("level", "str", "the level meant to be stronger"),
    Column("below", "str", "the level next to it, meant to be weaker"),
    Column("blocks", "int32", "blocks that both played", "blocks"),
    *interval("gap", "pips by which the level is better than the one below, deal by deal", "pips/round"),
    Column("p", "Float64", "least level at which the gap's sign is claimed: two-sided, by Holm over all steps"),
    Column("distinct", "bool", "are the two told apart, in whichever order, at 5 % for all steps together?"),
    Column("needed", "Float64", "blocks with which a gap of this size is told with power 0.9", "blocks"),
    *interval("off", "gap minus the mean gap of the ladder", "pips/round"),
    Column("even", "bool", "may the step be as large as the mean step: does the interval of off hold 0?"),
    Column("note", "str", "what is wrong with the step, or why a number is absent, else empty"),
))  # fmt: skip

QUANTITIES = ("win", "diff", "taken")
"""What a target can be of: the share of games won, pips a round, or the share of rounds taken from the next lower."""

LEVELS = Table("levels", "level", ("level",), (
    Column("level", "str", "the level, the weakest first"),
    Column("agent", "str", "the agent that it is, as one writes it"),
    Column("dial", "Float64", "where on the dial it was found: 0 is unweakened, 1 is weakest", "dial"),
    Column("target_of", "str", "what it was to be worth: a quantity, or empty where nothing was asked for"),
    Column("target", "Float64", "… and how much of it"),
    _BLOCKS,
    *_STRENGTH,
    *interval("round_wins", "share of the rounds that it wins among the references", "share"),
    *interval("regret", "pips that a decision costs more than the reference's choice", "pips/decision"),
    Column("regret_p95", "Float64", "pips that nineteen decisions of twenty cost at most", "pips/decision"),
    Column("stays_in", "Float64", "share of its decisions in which it stays in where it could go out", "share"),
    Column("passes", "Float64", "share in which it passes where it could lay a tile", "share"),
    Column("leaves_marked", "Float64", "share in which it leaves its train marked though closing it is free", "share"),
))  # fmt: skip

PAIRS = Table("pairs", "pair of levels", ("level", "below"), (
    Column("level", "str", "the level meant to be stronger"),
    Column("below", "str", "the level meant to be weaker; the two share the seats"),
    Column("blocks", "int32", "blocks that the two played", "blocks"),
    *interval("rounds", "share of the rounds that the level takes", "share"),
    *interval("games", "share of the games that the level takes", "share"),
    Column("note", "str", "why an interval is absent, else empty"),
))  # fmt: skip

CLAIMS = Table("claims", "claim", ("level", "claim"), (
    Column("level", "str", "the level that it is about"),
    Column("claim", "str", "what is claimed"),
    Column("said", "Float64", "what the file says"),
    *interval("found", "what fresh deals say", "as claimed"),
    Column("holds", "bool", "is it not refuted, all claims of its kind judged together at 5 %?"),
    Column("note", "str", "in what it fails, or why a number is absent, else empty"),
))  # fmt: skip

ELSEWHERE = Table("elsewhere", "level at a table", ("rules", "players", "level"), (
    Column("rules", "str", "the preset"),
    Column("players", "int8", "seats at the table", "seats"),
    Column("level", "str", "the level, the weakest first"),
    _BLOCKS,
    *_STRENGTH,
    Column("note", "str", "where the order of the levels is not kept, else empty"),
))  # fmt: skip


# ── Tables out of what a file says ────────────────────────────────────────────────────────────────────
#
# Written: the tables of difficulty levels out of what a levels file says.
#
# This part takes what was read of a file, by key, and knows no agent.


def levels_of(said: Mapping[str, Any]) -> pd.DataFrame:
    """The `levels` table."""
    return _filled(
        LEVELS,
        [{"level": each["name"]} | each.get("plausibility", {}) | each for each in said["level"]],
    )


def pairs_of(said: Mapping[str, Any]) -> pd.DataFrame:
    """The `pairs` table: what each level takes from the next lower."""
    steps = [(each["name"], each["step"]) for each in said["level"] if "step" in each]
    rows = [{"level": name, "blocks": step.get("pair_blocks", 0)} | _without(step, "note") for name, step in steps]
    return _filled(PAIRS, rows)


def steps_of(said: Mapping[str, Any]) -> pd.DataFrame:
    """The `steps` table."""
    rows = [
        {"level": each["name"], "blocks": each["blocks"]} | each["step"] for each in said["level"] if "step" in each
    ]
    return _filled(STEPS, rows)


def elsewhere_of(said: Mapping[str, Any]) -> pd.DataFrame:
    """The `elsewhere` table: what the levels are worth at other tables."""
    rows = []
    for place in said.get("elsewhere", ()):
        for each in place["level"]:
            rows.append({"rules": place["rules"], "players": place["players"], "blocks": place["blocks"]} | each)
    return _filled(ELSEWHERE, rows)


def level_tables(folder: Path, said: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Return the tables that pictures of levels are drawn from: those in a directory, and those that a file holds."""
    found = {"levels": levels_of(said), "pairs": pairs_of(said)}
    kinds = {"curve": CURVE, "probes": PROBES, "pairs": PAIRS}
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
