"""Faults: how often agents failed, what is to be warned of, and which blocks are left out for it.

A fault is a row of the `faults` table; `games` counts them. Nothing here knows how an agent fails, or a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from mtrain.errors import counted
from mtrain.study import tables
from mtrain.study.blocks import Bools, Grid

OFTEN = 0.02
"""The share of an agent's decisions from which its faults are loudly warned of."""

_FAILING = ("agent", "games", "faulty", "decisions", "faults")
_SPOILT = ("match", "agents", "blocks", "void")
_KEYS = ("agent", "match", "agents")


def failing(games: Grid, rounds: Grid) -> pd.DataFrame:
    """One row per agent: `agent, games, faulty, decisions, faults` (`faulty`: games and seats with a fault)."""
    n = len(games.labels)
    faults = games["faults"] if "faults" in games.frame else np.zeros(games.agents.shape)
    decisions = rounds["decisions"] if "decisions" in rounds.frame else np.zeros(rounds.agents.shape)
    who = games.agents.ravel()
    place = games.labels.get_indexer(rounds.labels)
    asked = np.bincount(place[rounds.agents.ravel()], decisions.ravel(), minlength=n)
    return pd.DataFrame(
        {
            "agent": games.labels.to_numpy(object),
            "games": np.bincount(who, minlength=n),
            "faulty": np.bincount(who, faults.ravel() > 0, minlength=n).astype(np.int64),
            "decisions": asked.astype(np.int64),
            "faults": np.bincount(who, faults.ravel(), minlength=n).astype(np.int64),
        }
    )


def spoilt(games: Grid, void: Bools) -> pd.DataFrame:
    """One row per match: `match, agents, blocks, void` (``void: bool[blocks]``)."""
    match, first, where = np.unique(games.match, return_index=True, return_inverse=True)
    lineup = games.labels.to_numpy(object)[games.lineup[first]] if len(match) else np.zeros((0, 1), object)
    return pd.DataFrame(
        {
            "match": match,
            "agents": [", ".join(agents) for agents in lineup.tolist()],
            "blocks": np.bincount(where, minlength=len(match)),
            "void": np.bincount(where, void, minlength=len(match)).astype(np.int64),
        }
    )


def totals(parts: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Add up what `failing`, or `spoilt`, says of the parts of a run."""
    whole = pd.concat(list(parts), ignore_index=True)
    return whole.groupby([key for key in _KEYS if key in whole], sort=False, as_index=False).sum()


def warnings(failed: Sequence[pd.DataFrame], left_out: Sequence[pd.DataFrame]) -> list[str]:
    """Say which agents fail in every game or often, and how many blocks of which match are void.

    Parameters
    ----------
    failed, left_out
        What `failing` and `spoilt` say of each part of the run.
    """
    said = []
    for agent, games, faulty, decisions, n in totals(failed)[list(_FAILING)].to_numpy(object).tolist():
        if n and faulty == games:
            said.append(f"agent {agent!r} failed in every one of its {counted(games, 'game')} ({counted(n, 'fault')})")
        elif n > OFTEN * decisions:
            said.append(
                f"agent {agent!r} failed in {n / decisions:.1%} of its {decisions:,} decisions ({counted(n, 'fault')})"
            )
    for match, agents, blocks, void in totals(left_out)[list(_SPOILT)].to_numpy(object).tolist():
        if void:
            said.append(
                f"{void:,} of {counted(blocks, 'block')} of match {match} ({agents}) are void and left out of all "
                "estimates: in each an agent failed"
            )
    return said


def clocks(labels: Sequence[str]) -> list[str]:
    """Say that agents look at the time, so that the same seed may give other games."""
    if not labels:
        return []
    use = "uses" if len(labels) == 1 else "use"
    return [f"{', '.join(labels)} {use} the clock: the same seed may give other games"]


def failures(faults: pd.DataFrame) -> pd.DataFrame:
    """The `failures` table of a `faults` table: the agents by label, the kinds of each by how often."""
    rows = faults.astype({"agent": "str"}).sort_values(["game", "round", "seat", "decision"])
    grouped = rows.groupby(["agent", "kind"], sort=True)
    found = pd.DataFrame(
        {
            "faults": grouped.size(),
            "games": grouped["game"].nunique(),
            "game": grouped["game"].first(),
            "what": grouped["what"].first(),
        }
    ).reset_index()
    found = found.sort_values(["agent", "faults", "kind"], ascending=[True, False, True], ignore_index=True)
    return tables.frame(tables.FAILURES, {name: found[name] for name in tables.FAILURES.names})
