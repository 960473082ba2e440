"""Analyses as the terminal shows them: the actions of a position, the mistakes of a game, and what was luck.

Nothing here is computed.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from mtrain.errors import counted
from mtrain.show.terminal import Picks, alone, count, estimate, interval, records, show, show_picks
from mtrain.study.format import PIPS, POINTS, SCORE, SHARE, Format

if TYPE_CHECKING:
    from mtrain.arena.analysis import Analysis
    from mtrain.arena.annotation import Annotation


def show_analysis(found: "Analysis", top: int | None = None) -> None:
    """Print what there is to say of a position: its `top` actions, or all."""
    if not len(found.actions):
        show(["seat", "what is to be chosen"], [[found.seat, found.said]])
    else:
        unit = found.unit
        picks: Picks = {
            "action": "action",
            f"{unit}/round": lambda row: SCORE.sure(*estimate(row, "pips")),
            "more than the best": lambda row: "" if row["action"] == found.best else PIPS.sure(*estimate(row, "diff")),
            "goes out": interval(SHARE, "out"),
            "agents that would": "agents",
            "folly": _folly,
        }
        actions = found.actions[:top]
        left = len(found.actions) - len(actions)
        notes = [
            found.said,
            "95 % intervals, those of a column of pips all together: they hold for whichever action is picked."
            + (f" {counted(left, 'more action')} not shown." if left else ""),
            *(f"{row.agent}: {row.note!s}" for row in found.choices.itertuples() if row.note),
        ]
        show_picks(actions, picks, note="\n".join(notes))
    if found.locations is not None:
        show_locations(found.locations, title="where the tiles are that it cannot see")


def show_locations(locations: pd.DataFrame, title: str = "", note: str = "") -> None:
    """Print where tiles are likely to be, a line a tile."""
    tile, *places = locations.columns
    picks: Picks = {tile: tile}
    picks |= {place: alone(SHARE, place) for place in places}
    show_picks(locations, picks, title, note)


def show_annotation(found: "Annotation", top: int | None = None) -> None:
    """Print what there is to say of a game: its `top` mistakes, or all, and of what the scores are made up."""
    mistakes = found.mistakes[:top]
    left = len(found.mistakes) - len(mistakes)
    picks: Picks = {name: name for name in ("round", "action", "turn", "seat", "agent", "done", "best")}
    picks |= {"action": "event", f"regret, {found.unit}": interval(Format(".1f"), "regret"), "folly": _folly}
    note = f"{f'{left:,} more; ' if left else ''}--round and --action show what else there was to do"
    show_picks(mistakes, picks, "mistakes, the costliest first", note)
    whole = Format(".0f")
    picks = {
        "seat": "seat",
        "agent": "agent",
        found.unit: count("pips"),
        "par": interval(whole, "par"),
        "luck of the deal": interval(POINTS, "deal_luck"),
        "luck of draws\nand others": interval(POINTS, "draw_luck"),
        "skill": interval(POINTS, "skill"),
        "regret": interval(whole, "regret"),
        "decisions": count("decisions"),
    }
    note = (
        f"{found.unit} = par + luck of the deal + luck of draws and others + skill; below 0 is to the good.\n"
        "Par is what the reference scores there on average; skill is measured from its choices, regret from the best.\n"
        "95 % intervals of the sampling of worlds."
    )
    show_picks(found.summary, picks, "luck and skill", note)


def _folly(row: Mapping[Any, Any]) -> str:
    return str(row["folly"]).replace("_", " ")


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
