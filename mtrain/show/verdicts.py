"""Tables of what was stopped, tested, compared and planned, as the terminal shows them. Nothing here is computed."""

from typing import Any

import pandas as pd

from mtrain.show.terminal import broken, interval, show
from mtrain.study.words import counted


def show_stopping(frame: pd.DataFrame, rule: str, unit: str = "pips") -> None:
    """Print the `stopping` table: raw numbers, and beside them what holds at every look."""
    rows = [
        [
            broken(row["agent"]),
            f"{row['blocks']:,}",
            _interval(row, "diff"),
            _interval(row, "adjusted"),
            _number(row["width"], ".2f"),
        ]
        for row in _rows(frame.assign(width=frame["adjusted_hi"] - frame["adjusted_lo"]))
    ]
    headings = ["agent", "blocks", f"{unit}/round vs others, raw", "adjusted for stopping", "width"]
    note = (
        "raw: 95 % interval as if nobody had looked on the way;\n"
        "adjusted: it holds at every look at once, so at the one that stopped, too"
    )
    show(headings, rows, f"played until {rule}", "\n".join([note, *_notes(frame, "agent")]))


def show_comparison(frame: pd.DataFrame, unit: str = "pips") -> None:
    """Print the `comparison` table: the verdict, and what it rests on."""
    for row in _rows(frame):
        ends = f"ends at {_number(row['llr_lo'], '.2f')} and at {_number(row['llr_hi'], '.2f')}"
        rows = [
            ["blocks", f"{row['blocks']:,} ({counted(row['games'], 'game')})"],
            ["a test of fixed size needs", _number(row["fixed"])],
            ["log likelihood ratio", f"{_number(row['llr'], '.2f')} ({ends})"],
            [f"difference, {unit}/round: raw", _interval(row, "diff")],
            ["adjusted for stopping", _interval(row, "adjusted")],
        ]
        note = (
            f"{row['agent']} minus {row['opponent']}, lower is better; 95 % intervals.\n"
            f"The test holds {row['better']:g} {unit}/round better against no better; its errors, one-sided, are "
            f"{row['alpha']:g} (better, though it is not) and {row['beta']:g} (the reverse)."
        )
        show(
            ["", f"{row['agent']} − {row['opponent']}"],
            rows,
            row["verdict"],
            "\n".join([note, *_notes(frame, "agent")]),
        )


def show_compared(frame: pd.DataFrame, first: str, second: str, unit: str = "pips") -> None:
    """Print the `compared` table: each agent in one run and in the other."""
    rows = [
        [
            broken(" → ".join(dict.fromkeys([row["first"], row["second"]]))),
            ", ".join(dict.fromkeys([f"{row['first_blocks']:,}", f"{row['second_blocks']:,}"])),
            _number(row["first_diff"], "+.2f"),
            _number(row["second_diff"], "+.2f"),
            _interval(row, "change"),
        ]
        for row in _rows(frame)
    ]
    paired, unpaired = "deal by deal: both played the same deals", "as two samples: their deals or seatings differ"
    how = paired if frame["paired"].all() else unpaired
    note = f"{unit}/round vs others; change: second minus first, 95 % interval, below 0 the second is better;\n{how}"
    show(["agent", "blocks", "first", "second", "change"], rows, f"{first} → {second}",
         "\n".join([note, *_notes(frame, "first")]))  # fmt: skip


def show_power(frame: pd.DataFrame, title: str, errors: tuple[float, float]) -> None:
    """Print the `power` table: what a test with these one-sided errors needs (better, though not; the reverse)."""
    rows = [
        [
            row["test"],
            row["truth"],
            _interval(row, "blocks", 0, sign=False),
            _number(row["games"]),
            _number(row["minutes"], ",.3g"),
            "n/a" if pd.isna(row["found"]) else f"{100 * row['found']:.1f} %",
        ]
        for row in _rows(frame)
    ]
    note = (
        "95 % intervals: how well the pilot knows the spread of its blocks; minutes at its rate, with its workers;\n"
        f"errors, one-sided: {errors[0]:g} (better, though it is not) and {errors[1]:g} (not better, though it is)"
    )
    headings = ["test", "if the truth is", "blocks", "games", "minutes", "says better"]
    show(headings, rows, title, "\n".join([note, *_notes(frame, "test")]))


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def _number(value: Any, form: str = ",.0f") -> str:
    return "n/a" if pd.isna(value) else format(value, form).replace("-", "−")


def _interval(row: dict[str, Any], name: str, places: int = 2, sign: bool = True) -> str:
    return interval(row[name], row[f"{name}_lo"], row[f"{name}_hi"], places, sign=sign, group=True)


def _notes(frame: pd.DataFrame, name: str) -> list[str]:
    """Return the notes of the rows: once where all share one, else each with what it is about."""
    notes = frame["note"].tolist()
    if len(set(notes)) == 1:
        return [note for note in notes[:1] if note]
    return [f"{row[name]}: {row['note']}" for row in _rows(frame) if row["note"]]
