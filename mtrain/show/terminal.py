"""What the terminal shows: tables, games and progress.

Tables go to standard output and nothing else does; progress goes to standard error. This module lays out what it
is given and computes nothing.
"""

import json
import re
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from mtrain.study.sheets import Sheet, places
from mtrain.study.words import counted

if TYPE_CHECKING:
    from mtrain.arena.run import Step
    from mtrain.arena.tournament import Tournament

EVERY = 15.0  # seconds between lines of progress where there is no terminal
_LABEL = 24  # characters of a label on a line of a table
_EVEN = 0.1  # an interval is about even if its sides differ by no more than this share of it
_REDRAW = 2.0  # seconds between two looks at the standings where there is one


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


def interval(
    value: Any, lo: Any, hi: Any, places: int = 2, sign: bool = False, percent: bool = False, group: bool = False
) -> str:
    """Return an estimate with its interval, or what there is of it; `group` sets a comma after the thousands."""
    if pd.isna(value):
        return "n/a"
    form = f"{'+' if sign else ''}{',' if group else ''}.{places}f"
    scale = 100 if percent else 1
    text = format(value * scale, form).replace("-", "−") + (" %" if percent else "")
    if pd.isna(lo) or pd.isna(hi):
        return f"{text} [n/a]"
    return f"{text} [{format(lo * scale, form)}, {format(hi * scale, form)}]".replace("-", "−")


def beneath(value: Any, lo: Any, hi: Any, places: int = 2, sign: bool = False, percent: bool = False) -> str:
    """Return an estimate and, below it, its interval: as ± its longer side where it is about even, else its ends."""
    if pd.isna(value) or pd.isna(lo) or pd.isna(hi):
        return interval(value, lo, hi, places, sign, percent).replace(" [", "\n[")
    number, _, ends = interval(value, lo, hi, places, sign, percent).partition(" [")
    down, up = value - lo, hi - value
    if abs(up - down) > _EVEN * (up + down):
        return f"{number}\n[{ends}".replace(", ", ",\n")
    return f"{number}\n±{max(up, down) * (100 if percent else 1):.{places}f}"


def broken(label: str) -> str:
    """Return a label on as many lines as it needs, broken after its commas, colons and hyphens."""
    lines = [""]
    for piece in re.split("(?<=[-,: ])", label):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > _LABEL:
            lines.append("")
        lines[-1] += piece
    return "\n".join(line.rstrip() for line in lines)


def show_losses(losses: pd.DataFrame, calibration: pd.DataFrame) -> None:
    """Print what a calibration says: the loss of each method, and its probabilities bin by bin."""
    shown = ["method", "low", "high", "n", "predicted", "observed", "observed_lo", "observed_hi"]
    show(
        ["places judged by", "deals", "decisions", "tiles", "loss, nats/tile", "gain on counts, nats/tile", "worlds"],
        [
            [
                str(row.method),
                f"{row.deals:,}",
                f"{row.looks:,}",
                f"{row.tiles:,}",
                interval(row.loss, row.loss_lo, row.loss_hi, 3),
                "" if row.method == "counts" else interval(row.gain, row.gain_lo, row.gain_hi, 3, sign=True),
                "" if row.method == "counts" else interval(row.worlds, None, None, 0).removesuffix(" [n/a]"),
            ]
            for row in losses.itertuples()
        ],
    )
    show(
        ["places judged by", "probability", "pairs", "predicted", "lay there"],
        [
            [
                method,
                f"{low:g}–{high:g}",
                f"{n:,}",
                f"{100 * predicted:.1f} %",
                interval(share, lo, hi, 1, percent=True),
            ]
            for method, low, high, n, predicted, share, lo, hi in calibration[shown].itertuples(index=False, name=None)
        ],
        note="a pair is a tile and a place it may lie in; 95 % intervals clustered by deal",
    )


# Quantities that the notes of standings speak of, and those of them that are not among the columns shown.
_UNSEEN = frozenset(("out", "score", "zero", "heavy"))
_QUANTITIES = _UNSEEN | {"diff", "win", "rank mean", "round wins", "pips", "rating"}

STANDINGS_HEADINGS = (
    "agent",
    "games\n(blocks)",
    "pips/round\nvs others",
    "pips/round",
    "games\nwon",
    "rounds\nwon",
    "mean\nrank",
    "rating\npoints",
)


def standings_rows(frame: pd.DataFrame) -> list[list[str]]:
    """Return the standings as rows of text, every figure with its 95 % interval below it."""
    rows = []
    for row in frame.itertuples():
        rows.append(
            [
                f"{broken(str(row.agent))}\n  place {places(row.place_lo, row.place_hi)}",
                f"{row.games:,}\n({row.blocks:,})",
                beneath(row.diff, row.diff_lo, row.diff_hi, 2, sign=True),
                beneath(row.pips, row.pips_lo, row.pips_hi, 2),
                beneath(row.win, row.win_lo, row.win_hi, 1, percent=True),
                beneath(row.round_wins, row.round_wins_lo, row.round_wins_hi, 1, percent=True),
                beneath(row.rank_mean, row.rank_lo, row.rank_hi, 2),
                beneath(row.rating, row.rating_lo, row.rating_hi, 0, sign=True),
            ]
        )
    return rows


def _seen(note: str) -> str:
    """What a note says of the quantities that the terminal shows."""
    kept = []
    for part in filter(None, note.split("; ")):
        names, colon, why = part.partition(": ")
        listed = names.split(", ")
        if not colon or not set(listed) <= _QUANTITIES:
            kept.append(part)
        elif left := [name for name in listed if name not in _UNSEEN]:
            kept.append(f"{', '.join(left)}: {why}")
    return "; ".join(kept)


def show_standings(frame: pd.DataFrame, title: str, unit: str = "pips") -> None:
    """Print the standings, and why an interval is absent where one is."""
    said: dict[str, list[str]] = {}
    for row in frame.itertuples():
        said.setdefault(_seen(str(row.note)), []).append(str(row.agent))
    notes = [f"{'all' if len(who) == len(frame) > 1 else ', '.join(who)}: {note}" for note, who in said.items() if note]
    about = (
        "Below each figure its 95 % interval, clustered by block (±: its longer side).\n"
        f"Lower {unit} and ranks are better. Shares are per seat held; a round is won by its lowest score.\n"
        f"Places are those by {unit}/round vs others; with 95 % all their ranges hold together."
    )
    headings = [heading.replace("pips", unit) for heading in STANDINGS_HEADINGS]
    show(headings, standings_rows(frame), title, "\n".join([about, *notes]))


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
    show(
        ["agent", "fault", "times", "games", "the first", "see it again"],
        [
            [
                broken(str(row.agent)),
                str(row.kind),
                f"{row.faults:,}",
                f"{row.games:,}",
                str(row.what),
                shlex.join(["mtrain", "again", str(folder), str(row.game)]),
            ]
            for row in frame.itertuples()
        ],
        "faults",
        "\n".join(filter(None, [_POLICIES.get(policy, ""), *left_out])),
    )


# ── Progress ──────────────────────────────────────────────────────────────────────────────────────────────


def duration(seconds: float) -> str:
    """Return a time in words short enough for a line of progress."""
    minutes, rest = divmod(int(seconds + 0.5), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}" if minutes >= 60 else f"{minutes}:{rest:02d}"


def games_bar(console: Console, said: str, transient: bool = False) -> Progress:
    """Return a bar of games played, with the field `said` of the task beside it and the time left."""
    return Progress(
        TextColumn("games"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(f"{{task.fields[{said}]}}"),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        transient=transient,
    )


class Watch:
    """Progress of a tournament on standard error: the rate, the time left, the standings so far.

    A live picture on a terminal; one line per interval elsewhere.
    """

    def __init__(self, t: "Tournament") -> None:
        self.rules = t.rules
        self.stream = sys.stderr
        self.console = Console(file=self.stream, highlight=False)
        self.bar = games_bar(self.console, "rate")
        self.task = self.bar.add_task("games", total=t.schedule.n_games, rate="")
        self.live = Live(self.bar, console=self.console, refresh_per_second=4, transient=True)
        self.last = time.monotonic()

    def __enter__(self) -> "Watch":
        if self.console.is_terminal:
            self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.console.is_terminal:
            self.live.stop()

    def __call__(self, step: "Step") -> None:
        played = step.games - step.kept
        rate = step.rounds * played / step.games / max(step.seconds, 1e-9)
        now = time.monotonic()
        if self.console.is_terminal:
            self.bar.update(self.task, completed=step.games, rate=f"{rate:,.0f} rounds/s")
            if now - self.last > _REDRAW:
                self.last = now
                self.live.update(Group(self.bar, self._standings(step)))
        elif now - self.last > EVERY and step.games < step.n_games:
            self.last = now
            left = step.seconds / played * (step.n_games - step.games)
            best = "; ".join(
                f"{row.agent} {interval(row.diff, row.diff_lo, row.diff_hi, 2, sign=True)}"
                for row in step.standings().itertuples()
            )
            done = f"{step.games:,} of {step.n_games:,} games, {rate:,.0f} rounds/s, {duration(left)} left"
            print(f"{done}; pips/round vs others: {best}", file=self.stream, flush=True)

    def _standings(self, step: "Step") -> Table:
        rows = [row[:5] for row in standings_rows(step.standings())]
        return table(STANDINGS_HEADINGS[:5], rows, "standings so far", self.stream)
