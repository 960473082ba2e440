"""The report: derived tables and figures of a tournament, made again from its rounds, its games and its manifest alone.

The same results give the same bytes, so making it twice changes nothing. Times of decisions are measured, not
derived: they stay as they are.
"""

from __future__ import annotations

from pathlib import Path

from mtrain.study import plots
from mtrain.study.results import read


def report(path: str | Path) -> list[Path]:
    """Make the tables and figures of the results in a directory, finished or running.

    Returns
    -------
    list of Path
        The files written: `standings.parquet`, `pairwise.parquet`, `seats.parquet` and the pictures in `figures/`.

    Raises
    ------
    ResultsError
        The directory holds no results, no finished game yet, or tables that contradict themselves.
    """
    results = read(path, fresh=True)
    return results.write_derived() + plots.save(results, results.path / "figures")
