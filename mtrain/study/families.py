"""Families: agents that are one but for a number, so that strength can be followed along it.

Searchers with 4, 16 and 64 worlds, say. This module reads the standings and a manifest's parameters, and knows neither
an agent nor what its parameters mean.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd

from mtrain.study import tables

LEAST = 3
"""Settings that make a family: through two points goes any line."""


def families(
    standings: pd.DataFrame,
    agents: Mapping[str, str],
    parameters: Mapping[str, Mapping[str, Any]],
    peeking: Collection[str] = (),
) -> pd.DataFrame:
    """The `families` table: every agent that differs from at least two others in the value of one number alone.

    Parameters
    ----------
    standings
        A `standings` table.
    agents
        By label, how each agent is written: ``name:param=value,…`` (a manifest's `agents`).
    parameters
        By label, all parameters of each agent (a manifest's `parameters`).
    peeking
        Labels of the agents that peek: a family of them is marked (a manifest's `peeking`).
    """
    members: dict[tuple[str, str, str, str], list[str]] = {}
    for label, text in agents.items():
        mine = parameters.get(label, {})
        for number, value in mine.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                rest = ",".join(f"{name}={other}" for name, other in sorted(mine.items()) if name != number)
                mark = " (peeks)" if label in peeking else ""
                members.setdefault((number, text.partition(":")[0], rest, mark), []).append(label)
    found = standings.set_index("agent")
    lines: list[dict[str, Any]] = []
    for (number, name, _, mark), labels in members.items():
        setting = {label: float(parameters[label][number]) for label in labels}
        if len(set(setting.values())) < LEAST:
            continue
        for label in sorted(labels, key=lambda each: (setting[each], each)):
            family = _called(name, agents[labels[0]], number) + mark
            lines.append({"parameter": number, "family": family, "agent": label, "setting": setting[label]})
    rows = found.reindex([line["agent"] for line in lines])
    data: dict[str, Any] = {column: [line[column] for line in lines] for column in ("parameter", "family", "agent")}
    data["setting"] = np.array([line["setting"] for line in lines], float)
    data |= {name: rows[name].array for name in tables.FAMILIES.names if name not in data}
    data["blocks"] = rows["blocks"].to_numpy(np.int64)
    return tables.frame(tables.FAMILIES, data)


def _called(name: str, text: str, number: str) -> str:
    """How a family is written: as its agents are, with … for the number."""
    given = [pair for pair in text.partition(":")[2].split(",") if pair and pair.partition("=")[0] != number]
    return f"{name}:{','.join([f'{number}=…', *given])}"
