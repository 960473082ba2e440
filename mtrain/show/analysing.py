"""Analyses as the terminal shows them: the actions of a position, the mistakes of a game, and what was luck.

Nothing here is computed.
"""

from typing import TYPE_CHECKING, Any

import pandas as pd

from mtrain.show.terminal import interval, records, show
from mtrain.study.words import counted

if TYPE_CHECKING:
    from mtrain.arena.analysis import Analysis
    from mtrain.arena.annotation import Annotation


def show_analysis(found: "Analysis", top: int | None = None) -> None:
    """Print what there is to say of a position: its `top` actions, or all."""
    if not len(found.actions):
        show(["seat", "what is to be chosen"], [[found.seat, found.said]])
    else:
        rows = [
            [
                row.action,
                _sure(row.pips, row.pips_lo, row.pips_hi),
                "" if row.action == found.best else _sure(row.diff, row.diff_lo, row.diff_hi, sign=True),
                interval(row.out, row.out_lo, row.out_hi, 1, percent=True),
                row.agents,
                str(row.folly).replace("_", " "),
            ]
            for row in found.actions[:top].itertuples()
        ]
        left = len(found.actions) - len(rows)
        notes = [
            found.said,
            "95 % intervals, those of a column of pips all together: they hold for whichever action is picked."
            + (f" {counted(left, 'more action')} not shown." if left else ""),
            *(f"{row.agent}: {row.note!s}" for row in found.choices.itertuples() if row.note),
        ]
        unit = found.unit
        headings = ["action", f"{unit}/round", "more than the best", "goes out", "agents that would", "folly"]
        show(headings, rows, note="\n".join(notes))
    if found.locations is not None:
        places = found.locations
        rows = [[row[0], *(f"{100 * share:.1f} %" for share in row[1:])] for row in places.itertuples(index=False)]
        show(places.columns.tolist(), rows, "where the tiles are that it cannot see")


def show_annotation(found: "Annotation", top: int | None = None) -> None:
    """Print what there is to say of a game: its `top` mistakes, or all, and of what the scores are made up."""
    mistakes = found.mistakes[:top]
    left = len(found.mistakes) - len(mistakes)
    show(
        ["round", "action", "turn", "seat", "agent", "done", "best", f"regret, {found.unit}", "folly"],
        [
            [
                row.round, row.event, row.turn, row.seat, row.agent, row.done, row.best,
                interval(row.regret, row.regret_lo, row.regret_hi, 1), str(row.folly).replace("_", " "),
            ]
            for row in mistakes.itertuples()
        ],
        "mistakes, the costliest first",
        f"{f'{left:,} more; ' if left else ''}--round and --action show what else there was to do",
    )  # fmt: skip
    show(
        [
            "seat", "agent", found.unit, "par", "luck of the deal", "luck of draws\nand others", "skill", "regret",
            "decisions",
        ],
        [
            [
                row.seat, row.agent, f"{row.pips:,}", interval(row.par, row.par_lo, row.par_hi, 0),
                interval(row.deal_luck, row.deal_luck_lo, row.deal_luck_hi, 0, sign=True),
                interval(row.draw_luck, row.draw_luck_lo, row.draw_luck_hi, 0, sign=True),
                interval(row.skill, row.skill_lo, row.skill_hi, 0, sign=True),
                interval(row.regret, row.regret_lo, row.regret_hi, 0), f"{row.decisions:,}",
            ]
            for row in found.summary.itertuples()
        ],
        "luck and skill",
        f"{found.unit} = par + luck of the deal + luck of draws and others + skill; below 0 is to the good.\n"
        "Par is what the reference scores there on average; skill is measured from its choices, regret from the best.\n"
        "95 % intervals of the sampling of worlds.",
    )  # fmt: skip


def _sure(value: Any, lo: Any, hi: Any, sign: bool = False) -> str:
    """Return a number with its interval; alone, where it was the same in every world."""
    return interval(value, lo, hi, 2, sign=sign).removesuffix(" [n/a]")


def analysis_json(found: "Analysis", top: int | None = None) -> dict[str, Any]:
    """Return what there is to say of a position as JSON."""
    return {
        "said": found.said,
        "seat": found.seat,
        "worlds": found.worlds,
        "unit": found.unit,
        "actions": records(found.actions[:top]),
        "choices": records(found.choices),
        "locations": None if found.locations is None else records(found.locations),
    }


def annotation_json(found: "Annotation", top: int | None = None) -> dict[str, Any]:
    """Return what there is to say of a game as JSON."""
    tables: dict[str, pd.DataFrame] = {
        "mistakes": found.mistakes[:top],
        "summary": found.summary,
        "luck": found.parts,
        "decisions": found.decisions,
    }
    return {"unit": found.unit} | {name: records(table) for name, table in tables.items()}
