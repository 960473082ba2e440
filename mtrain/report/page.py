"""The page: everything a report has to say, in one HTML file that needs nothing else.

Figures and style are inside it, so it can be sent, kept and printed; it asks no network. It goes through the declared
sections of a report, and shows of the manifest all that it holds. The same results give the same bytes: where they lie
is not among what is shown. This module writes text from what it is given; it draws nothing and computes nothing.
"""

from __future__ import annotations

import base64
import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mtrain.report import plots
from mtrain.report.format import in_unit
from mtrain.report.sections import SECTIONS
from mtrain.report.sheet import Sheet, basis, lead, sheet
from mtrain.stats import files, tables
from mtrain.stats.manifest import Manifest
from mtrain.stats.parts import Parts, is_parts, read_parts
from mtrain.stats.ratings import anchor_in, parse_anchor
from mtrain.stats.results import Results, read

# ── The page ──────────────────────────────────────────────────────────────────────────────────────────


FILE = "report.html"

LONG = 24
"""A table of more rows is folded away until it is asked for."""

# What the manifest's own numbers are called on the page; the others go by their names.
_FACTS = {
    "preset": "rules",
    "rules_version": "version of the rules",
    "players": "seats at a table",
    "schedule": "who meets whom",
    "seatings": "seatings of a deal",
    "deals": "deals for every line-up",
    "rounds": "rounds in a game",
    "jobs": "workers",
    "seconds": "seconds it took",
}
_ELSEWHERE = (
    "agents", "parameters", "peeking", "rules", "base", "changes", "lineups", "warnings", "title", "format", "anchor",
    "command",
)  # fmt: skip


_PARTS = "Pips per round of each agent against the others at its table, part by part, with 95 % intervals."


@dataclass(frozen=True)
class Figure:
    """A picture as a data address, what it shows, and what stands below it."""

    source: str
    alt: str
    caption: str


@dataclass(frozen=True)
class Shown:
    """A section as the page shows it."""

    name: str
    heading: str
    about: str
    sheet: Sheet
    long: bool
    basis: str
    command: str
    figures: tuple[Figure, ...]


def page(results: Results, pictures: Mapping[str, bytes]) -> str:
    """The page of one tournament.

    Parameters
    ----------
    results
        Of a tournament, finished or running.
    pictures
        Its figures as SVG, by name. One that no section claims stands at the end.
    """
    manifest = results.manifest
    shown = []
    claimed: set[str] = set()
    anchor = anchor_in(manifest.anchor)
    for section in SECTIONS:
        frame = section.frame(results)
        if frame is None:
            continue
        figures = []
        for name, caption in section.figures.items():
            mine = [each for each in pictures if each == name or each.startswith(f"{name}_")]
            claimed.update(mine)
            figures += [_figure(pictures[each], in_unit(caption, results.unit)) for each in mine]
        about = in_unit(section.about, results.unit)
        if section.table is tables.RATINGS and anchor:
            about += f" Counted from {anchor.agent}, which stands at {anchor.rating:g}."
        laid = sheet(section.table, frame, results.unit)
        command = f"mtrain report DIR --table {section.name}"
        shown.append(
            Shown(
                section.name,
                section.heading,
                about,
                laid,
                len(frame) > LONG,
                basis(results, frame),
                command,
                tuple(figures),
            )
        )
    there, planned = len(results.summary.blocks[["match", "deal"]].drop_duplicates()), manifest.blocks
    return _render(
        "page.html",
        title=results.title,
        lead=lead(results),
        running=None if planned is None or there == planned else f"{there:,} of {planned:,} blocks so far",
        null_check=results.null_check,
        warnings=results.warnings,
        sections=shown,
        further=[_figure(data, name) for name, data in pictures.items() if name not in claimed],
        agents=_agents(manifest),
        base=manifest.base or manifest.preset,
        changes={field: _plain(value) for field, value in manifest.changes.items()},
        rules={field: _plain(value) for field, value in manifest.rules.items()},
        lineups=[", ".join(lineup) for lineup in manifest.lineups],
        facts={_FACTS.get(name, name.replace("_", " ")): _plain(value) for name, value in manifest.to_json().items()
               if name not in _ELSEWHERE and value is not None},
        command=manifest.command,
    )  # fmt: skip


def page_of_parts(found: Parts, picture: bytes) -> str:
    """The page of an experiment with parts: their table and figure, and where the page of each part is."""
    return _render(
        "parts.html",
        title=found.title,
        figure=_figure(picture, in_unit(_PARTS, found.unit)),
        sheets=[sheet(tables.PARTS, found.standings_in(unit), unit) for unit in found.units],
        parts={name: found.results[name] for name in found.names if name in found.results},
        missing=found.missing,
        file=FILE,
        leads={name: lead(results) for name, results in found.results.items()},
        basis="95 % intervals clustered by block; each part is a tournament of its own, and nothing is pooled.",
    )  # fmt: skip


def _render(template: str, **said: Any) -> str:
    """Fill a template in; what is missing is an error, and what is said is text, never HTML."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # slow to import

    about = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return about.get_template(template).render(**said)


def _figure(svg: bytes, caption: str) -> Figure:
    return Figure("data:image/svg+xml;base64," + base64.b64encode(svg).decode(), caption, caption)


def _agents(manifest: Manifest) -> list[tuple[str, str, str]]:
    """Label, how it is written, and all parameters of every agent."""
    return [
        (
            label,
            written + (" — is shown hidden tiles" if label in manifest.peeking else ""),
            ", ".join(f"{name}={_plain(value)}" for name, value in manifest.parameters.get(label, {}).items())
            or "none",
        )
        for label, written in manifest.agents.items()
    ]


def _plain(value: Any) -> str:
    """A value of the manifest as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(each)}" for name, each in value.items())
    if isinstance(value, list):
        return ", ".join(_plain(each) for each in value)
    return value if isinstance(value, str) else json.dumps(value)


# ── The report ────────────────────────────────────────────────────────────────────────────────────────
#
# The report: derived tables, figures and a page of a tournament, made from rounds, games and manifest alone.
#
# The same results give the same bytes, so making it twice changes nothing. Times of decisions are measured, not
# derived: they stay as they are. While a run goes on its directory is its own: a report of it writes the page, which
# says how far the run was, and nothing else, so that no older table or figure can come over the run's last.


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
