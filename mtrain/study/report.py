"""The report: derived tables, figures and a page of a tournament, made from rounds, games and manifest alone.

The same results give the same bytes, so making it twice changes nothing. Times of decisions are measured, not
derived: they stay as they are. While a run goes on its directory is its own: a report of it writes the page, which
says how far the run was, and nothing else, so that no older table or figure can come over the run's last.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path

from mtrain.study import files, plots
from mtrain.study.anchors import anchor_in, parse_anchor
from mtrain.study.page import FILE, page, page_of_parts
from mtrain.study.parts import is_parts, read_parts
from mtrain.study.results import Results, read


def report(path: str | Path, anchor: str | None = None) -> list[Path]:
    """Make the tables, figures and page of the results in a directory: of a tournament, or of all parts.

    Parameters
    ----------
    path
        The directory, finished or running.
    anchor
        The agent from which ratings are counted from now on, ``LABEL`` or ``LABEL=RATING``: written into the manifest
        of a finished run.

    Returns
    -------
    list of Path
        The files written: the derived tables (`standings.parquet`, …), the pictures in `figures/` and
        `report.html`; of a run that isn't finished `report.html` alone. For an experiment with parts those of each
        finished part, and then `parts.parquet`, its figure and its page.

    Raises
    ------
    ResultsError
        The directory holds no results, no finished game yet, or tables that contradict themselves; or there is no
        agent of the anchor's name.
    """
    if is_parts(path):
        found = read_parts(path)
        for results in found.results.values() if anchor is not None else ():
            parse_anchor(anchor or "", results.labels)  # before anything is written
        written = [file for results in found.results.values() for file in report(results.path, anchor)]
        return written + report_parts(path)
    results = read(path, fresh=True)
    finished = results.manifest.finished is not False
    if anchor is not None:
        chosen = parse_anchor(anchor, results.labels)
        if chosen != anchor_in(results.manifest.anchor):
            results = dataclasses.replace(results, manifest=results.manifest.but(anchor=chosen.to_json()))
            if finished:
                files.put(results.path / "manifest.json", results.manifest.to_bytes())
    if finished:
        return results.write_derived() + show(results)
    pictures = {name: plots.picture(ax, "svg") for name, ax in plots.figures(results).items()}
    return [files.put(results.path / FILE, page(results, pictures).encode())]


def show(results: Results) -> list[Path]:
    """Draw the figures and write the page of a finished run into its directory; return the files."""
    drawn = plots.save(results, results.path / "figures")
    pictures = {path.stem: path.read_bytes() for path in drawn if path.suffix == ".svg"}
    return [*drawn, files.put(results.path / FILE, page(results, pictures).encode())]


def report_parts(path: str | Path) -> list[Path]:
    """Make the table, the figure and the page of all parts of an experiment, from the standings of each."""
    parts = read_parts(path)
    drawn = plots.save_parts(parts, parts.path / "figures")
    picture = next(path.read_bytes() for path in drawn if path.suffix == ".svg")
    return [parts.write(), *drawn, files.put(parts.path / FILE, page_of_parts(parts, picture).encode())]
