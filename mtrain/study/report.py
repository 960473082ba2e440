"""The report: derived tables and figures of a tournament, made again from its rounds, its games and its manifest alone.

The same results give the same bytes, so making it twice changes nothing. Times of decisions are measured, not
derived: they stay as they are.
"""

from __future__ import annotations

from pathlib import Path

from mtrain.study import plots
from mtrain.study.parts import is_parts, read_parts
from mtrain.study.results import read


def report(path: str | Path) -> list[Path]:
    """Make the tables and figures of the results in a directory: of a tournament, finished or running, or of all parts.

    Returns
    -------
    list of Path
        The files written: the derived tables (`standings.parquet`, `pairwise.parquet`, …) and the pictures in
        `figures/`; for an experiment with parts those of each part, and then `parts.parquet` and its figure.

    Raises
    ------
    ResultsError
        The directory holds no results, no finished game yet, or tables that contradict themselves.
    """
    if is_parts(path):
        written = [file for results in read_parts(path).results.values() for file in report(results.path)]
        return written + report_parts(path)
    results = read(path, fresh=True)
    return results.write_derived() + plots.save(results, results.path / "figures")


def report_parts(path: str | Path) -> list[Path]:
    """Make the table and the figure of all parts of an experiment, from the standings of each."""
    parts = read_parts(path)
    return [parts.write(), *plots.save_parts(parts, parts.path / "figures")]
