"""Tables of what was stopped, tested, compared and planned, as the terminal shows them. Nothing here is computed."""

import pandas as pd

from mtrain.errors import counted
from mtrain.show.terminal import Picks, alone, broken, count, estimate, interval, label, show, show_picks
from mtrain.study.format import PIPS, SCORE, SHARE, WHOLE, Format


def show_stopping(frame: pd.DataFrame, rule: str, unit: str = "pips") -> None:
    """Print the `stopping` table: raw numbers, and beside them what holds at every look."""
    picks: Picks = {
        "agent": label("agent"),
        "blocks": count("blocks"),
        f"{unit}/round vs others, raw": interval(PIPS, "diff"),
        "adjusted for stopping": interval(PIPS, "adjusted"),
        "width": lambda row: SCORE(row["adjusted_hi"] - row["adjusted_lo"]),
    }
    note = (
        "raw: 95 % interval as if nobody had looked on the way;\n"
        "adjusted: it holds at every look at once, so at the one that stopped, too"
    )
    show_picks(frame, picks, f"played until {rule}", "\n".join([note, *_notes(frame, "agent")]))


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
