"""What numbers rest on, in a line: so that none stands without its blocks, its seed and its version."""

from __future__ import annotations

import pandas as pd

from mtrain.study.format import span
from mtrain.study.results import Results


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
