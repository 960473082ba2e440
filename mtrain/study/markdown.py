"""A table as Markdown, to stand in a page of text: with what it rests on, and the command that prints it again."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from mtrain.study.basis import lead, over
from mtrain.study.results import Results
from mtrain.study.sections import section
from mtrain.study.sheets import Cell, sheet
from mtrain.study.tables import ResultsError


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
