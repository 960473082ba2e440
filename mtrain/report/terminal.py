"""What the terminal shows: tables, games and progress.

Tables go to standard output and nothing else does; progress goes to standard error. This module lays out what it
is given and computes nothing.
"""

import json
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mtrain.errors import counted
from mtrain.report import format
from mtrain.report.format import PIPS, SCORE, SHARE, WHOLE, Format
from mtrain.report.sheet import Sheet
from mtrain.stats.estimates import NOTED
from mtrain.stats.intervals import parse_note
from mtrain.stats.tables import METHODS

if TYPE_CHECKING:
    pass


# ── Tables ────────────────────────────────────────────────────────────────────────────────────────────


_LABEL = 24  # characters of a label on a line of a table


def console_of(stream: Any) -> Console:
    """Return a console that never cuts a line for want of a terminal's width."""
    console = Console(file=stream, highlight=False)
    return console if console.is_terminal else Console(file=stream, highlight=False, width=240)


def _box(stream: Any) -> box.Box:
    try:
        "─│".encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return box.ASCII2
    return box.SIMPLE_HEAD


def table(headings: Sequence[str], rows: Sequence[Sequence[Any]], title: str = "", stream: Any = None) -> Table:
    """Return a table laid out for a stream: numbers to the right, words to the left."""
    laid = Table(title=title or None, title_justify="left", box=_box(stream or sys.stdout))
    for k, heading in enumerate(headings):
        numbers = rows and all(_is_number(row[k]) for row in rows)
        laid.add_column(heading, justify="right" if numbers else "left", overflow="fold")
    for row in rows:
        laid.add_row(*(Text(str(cell)) for cell in row))
    return laid


def _is_number(cell: Any) -> bool:
    text = str(cell).strip()
    return (bool(text) and (text[0].isdigit() or text[0] in "+−-–")) or text.startswith("n/a")


def show(headings: Sequence[str], rows: Sequence[Sequence[Any]], title: str = "", note: str = "") -> None:
    """Print a table on standard output."""
    console = console_of(sys.stdout)
    console.print(table(headings, rows, title))
    if note:
        console.print(note, markup=False)


def show_sheet(laid: Sheet, title: str) -> None:
    """Print a table that was laid out, every figure with its 95 % interval below it."""
    headings = [f"{heading.text}\n{heading.unit}".strip() for heading in laid.headings]
    rows = [[f"{cell.text}\n{cell.interval}".strip() for cell in row] for row in laid.rows]
    show(headings, rows, title)


def show_json(value: Any) -> None:
    """Print JSON on standard output."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a frame's rows as JSON values; what is absent is null."""
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return [{str(name): getattr(value, "item", lambda v=value: v)() for name, value in row.items()} for row in rows]


def broken(label: str) -> str:
    """Return a label on as many lines as it needs, broken after its commas, colons and hyphens."""
    lines = [""]
    for piece in re.split("(?<=[-,: ])", label):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > _LABEL:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines)


# ── Columns picked from a table ───────────────────────────────────────────────────────────────────────────

Pick = str | Callable[[Mapping[Any, Any]], Any]
"""What a column of a table shows of a row: a column of the frame as it is, or what is made of the row."""

Picks = dict[str, Pick]
"""Columns by their headings."""


def show_picks(frame: pd.DataFrame, picks: Picks, title: str = "", note: str = "") -> None:
    """Print columns of a frame."""
    show(list(picks), picked(frame, picks.values()), title, note)


def picked(frame: pd.DataFrame, picks: Iterable[Pick]) -> list[list[Any]]:
    """Return the cells that `picks` show of each row of a frame."""
    chosen = list(picks)
    return [
        [format.word(row[pick]) if isinstance(pick, str) else pick(row) for pick in chosen]
        for row in frame.to_dict("records")
    ]


def alone(form: Callable[[Any], str], name: str) -> Pick:
    """Pick a column, written by a format."""
    return lambda row: form(row[name])


def label(name: str) -> Pick:
    """Pick a column of labels, broken where they are long."""
    return lambda row: broken(format.word(row[name]))


def count(name: str) -> Pick:
    """Pick a column of whole numbers."""
    return alone(format.count, name)


def interval(form: Format, name: str) -> Pick:
    """Pick an estimate with its interval."""
    return lambda row: form.interval(*estimate(row, name))


def beneath(form: Format, name: str, stem: str = "") -> Pick:
    """Pick an estimate, its interval below it."""
    return lambda row: form.beneath(*estimate(row, name, stem))


def estimate(row: Mapping[Any, Any], name: str, stem: str = "") -> tuple[Any, Any, Any]:
    """Return an estimate of a row and the ends of its interval, whose columns begin with `stem` or with its name."""
    return row[name], row[f"{stem or name}_lo"], row[f"{stem or name}_hi"]


def show_losses(losses: pd.DataFrame, calibration: pd.DataFrame) -> None:
    """Print what a calibration says: the loss of each method, and its probabilities bin by bin."""
    gain = Format("+.3f")
    show_picks(
        losses,
        {
            "places judged by": "method",
            "deals": count("deals"),
            "decisions": count("looks"),
            "tiles": count("tiles"),
            "loss, nats/tile": interval(format.NATS, "loss"),
            "gain on counts, nats/tile": lambda row: gain.interval(*estimate(row, "gain")) if _weighed(row) else "",
            "worlds": lambda row: Format(".0f")(row["worlds"]) if _weighed(row) else "",
        },
    )
    show_picks(
        calibration,
        {
            "places judged by": "method",
            "probability": lambda row: f"{row['low']:g}–{row['high']:g}",
            "pairs": count("n"),
            "predicted": alone(format.SHARE, "predicted"),
            "lay there": interval(format.SHARE, "observed"),
        },
        note="a pair is a tile and a place it may lie in; 95 % intervals clustered by deal",
    )


def _weighed(row: Mapping[Any, Any]) -> bool:
    return bool(row["method"] != METHODS[0])


# Quantities of the standings that are not among the columns shown.
_UNSEEN = ("out", "score", "zero", "heavy")

# The standings, every figure with its 95 % interval below it.
STANDINGS: Picks = {
    "agent": lambda row: f"{broken(row['agent'])}\n  place {format.places(row['place_lo'], row['place_hi'])}",
    "games\n(blocks)": lambda row: f"{format.count(row['games'])}\n({format.count(row['blocks'])})",
    "pips/round\nvs others": beneath(format.PIPS, "diff"),
    "pips/round": beneath(format.SCORE, "pips"),
    "games\nwon": beneath(format.SHARE, "win"),
    "rounds\nwon": beneath(format.SHARE, "round_wins"),
    "mean\nrank": beneath(format.SCORE, "rank_mean", "rank"),
    "rating\npoints": beneath(format.POINTS, "rating"),
}


def seen(note: str) -> str:
    """Return what a note of the standings says of the quantities that the terminal shows."""
    return str(parse_note(note, NOTED).about([name for name in NOTED if name not in _UNSEEN]))


def show_standings(frame: pd.DataFrame, title: str, unit: str = "pips") -> None:
    """Print the standings, and why an interval is absent where one is."""
    said: dict[str, list[str]] = {}
    for agent, note in zip(frame["agent"], frame["note"], strict=True):
        said.setdefault(seen(format.word(note)), []).append(str(agent))
    notes = [f"{'all' if len(who) == len(frame) > 1 else ', '.join(who)}: {note}" for note, who in said.items() if note]
    about = (
        "Below each figure its 95 % interval, clustered by block (±: its longer side).\n"
        f"Lower {unit} and ranks are better. Shares are per seat held; a round is won by its lowest score.\n"
        f"Places are those by {unit}/round vs others; with 95 % all their ranges hold together."
    )
    picks = {format.in_unit(heading, unit): pick for heading, pick in STANDINGS.items()}
    show_picks(frame, picks, title, "\n".join([about, *notes]))


_POLICIES = {
    "substitute": "a legal action drawn by chance took the place of each answer that failed",
    "forfeit": "whoever failed has the highest score of every round of that game",
    "void": "blocks in which an agent failed count nowhere",
}


def show_failures(frame: pd.DataFrame, folder: Path, policy: str, spoilt: pd.DataFrame) -> None:
    """Print how often agents failed, by kind, how to see the first fault of each kind again, and what is left out."""
    left_out = [
        f"{void:,} of {counted(blocks, 'block')} of match {match} ({agents}) are left out"
        for match, agents, blocks, void in spoilt.itertuples(index=False, name=None)
        if void
    ]
    picks: Picks = {
        "agent": label("agent"),
        "fault": "kind",
        "times": count("faults"),
        "games": count("games"),
        "the first": "what",
        "see it again": lambda row: shlex.join(["mtrain", "again", str(folder), str(row["game"])]),
    }
    show_picks(frame, picks, "faults", "\n".join(filter(None, [_POLICIES.get(policy, ""), *left_out])))


# ── Tables of tests ───────────────────────────────────────────────────────────────────────────────────
#
# Tables of what was stopped, tested, compared and planned, as the terminal shows them. Nothing here is computed.


def show_stopping(frame: pd.DataFrame, rule: str, unit: str = "pips") -> None:
    """Print the `stopping` table: raw numbers, and beside them what holds at every look."""
    picks: Picks = {
        "agent": label("agent"),
        "blocks": count("blocks"),
        f"{unit}/round vs others, raw": interval(PIPS, "diff"),
        "adjusted for stopping": interval(PIPS, "adjusted"),
        "width": alone(SCORE, "width"),
    }
    note = (
        "raw: 95 % interval as if nobody had looked on the way;\n"
        "adjusted: it holds at every look at once, so at the one that stopped, too"
    )
    wide = frame.assign(width=frame["adjusted_hi"] - frame["adjusted_lo"])
    show_picks(wide, picks, f"played until {rule}", "\n".join([note, *_notes(frame, "agent")]))


def show_comparison(frame: pd.DataFrame, unit: str = "pips") -> None:
    """Print the `comparison` table: the verdict, and what it rests on."""
    for row in frame.to_dict("records"):
        ends = f"ends at {SCORE(row['llr_lo'])} and at {SCORE(row['llr_hi'])}"
        rows = [
            ["blocks", f"{row['blocks']:,} ({counted(row['games'], 'game')})"],
            ["a test of fixed size needs", WHOLE(row["fixed"])],
            ["log likelihood ratio", f"{SCORE(row['llr'])} ({ends})"],
            [f"difference, {unit}/round: raw", PIPS.interval(*estimate(row, "diff"))],
            ["adjusted for stopping", PIPS.interval(*estimate(row, "adjusted"))],
        ]
        note = (
            f"{row['agent']} minus {row['opponent']}, lower is better; 95 % intervals.\n"
            f"The test holds {row['better']:g} {unit}/round better against no better; its errors, one-sided, are "
            f"{row['alpha']:g} (better, though it is not) and {row['beta']:g} (the reverse)."
        )
        headings = ["", f"{row['agent']} − {row['opponent']}"]
        show(headings, rows, row["verdict"], "\n".join([note, *_notes(frame, "agent")]))


def show_compared(frame: pd.DataFrame, first: str, second: str, unit: str = "pips") -> None:
    """Print the `compared` table: each agent in one run and in the other."""
    picks: Picks = {
        "agent": lambda row: broken(" → ".join(dict.fromkeys([row["first"], row["second"]]))),
        "blocks": lambda row: ", ".join(dict.fromkeys(f"{row[f'{run}_blocks']:,}" for run in ("first", "second"))),
        "first": alone(PIPS, "first_diff"),
        "second": alone(PIPS, "second_diff"),
        "change": interval(PIPS, "change"),
    }
    paired, unpaired = "deal by deal: both played the same deals", "as two samples: their deals or seatings differ"
    how = paired if frame["paired"].all() else unpaired
    note = f"{unit}/round vs others; change: second minus first, 95 % interval, below 0 the second is better;\n{how}"
    show_picks(frame, picks, f"{first} → {second}", "\n".join([note, *_notes(frame, "first")]))


def show_power(frame: pd.DataFrame, title: str, errors: tuple[float, float]) -> None:
    """Print the `power` table: what a test with these one-sided errors needs (better, though not; the reverse)."""
    picks: Picks = {
        "test": "test",
        "if the truth is": "truth",
        "blocks": interval(WHOLE, "blocks"),
        "games": alone(WHOLE, "games"),
        "minutes": alone(Format(",.3g"), "minutes"),
        "says better": alone(SHARE, "found"),
    }
    note = (
        "95 % intervals: how well the pilot knows the spread of its blocks; minutes at its rate, with its workers;\n"
        f"errors, one-sided: {errors[0]:g} (better, though it is not) and {errors[1]:g} (not better, though it is)"
    )
    show_picks(frame, picks, title, "\n".join([note, *_notes(frame, "test")]))


def _notes(frame: pd.DataFrame, name: str) -> list[str]:
    """Return the notes of the rows: once where all share one, else each with what it is about."""
    notes = frame["note"].tolist()
    if len(set(notes)) == 1:
        return [note for note in notes[:1] if note]
    return [f"{who}: {note}" for who, note in zip(frame[name], notes, strict=True) if note]
