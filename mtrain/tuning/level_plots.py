"""Figures of difficulty levels: strength along the dial, level against level, and how they err.

Like `mtrain.report.plots`: a table in, Axes out, and the same look. In all of them the stronger level is to the right,
and in the matrix also further up. Nothing here knows how a level was found.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill, wrap
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.ticker import PercentFormatter

from mtrain.report import style
from mtrain.report.format import ABSENT, SHARE, span
from mtrain.report.plots import captioned, put_figure
from mtrain.report.style import BLUE, FAINT, INK, NORMAL, ORANGE, PALE, SMALL
from mtrain.stats import tables
from mtrain.stats.blocks import Bools, Floats
from mtrain.stats.tables import ResultsError, Table
from mtrain.tuning import ladder_tables

DRAWN = ("win", "diff")
"""Quantities whose strength can be drawn along the dial: the share of games won, and pips per round."""

BLUNDER_KINDS = {
    "stays_in": "stays in where it could go out",
    "passes": "passes where it could lay a tile",
    "leaves_marked": "leaves its train marked where closing it is free",
}
"""What no level should do, by the column that has the share of decisions in which it does."""

NEVER = "never stays in, passes or leaves its train marked where it need not"

_SLOT = 0.07  # of the dial: room for a level that isn't on it
_ABOVE = 0.05  # of the height: how far above the axes the levels' names are
_TINY = 6.0  # points: an interval within a small cell
_LIGHT = (0.2126, 0.7152, 0.0722)  # how much red, green and blue make a colour light


def strength(
    curve: pd.DataFrame, probes: pd.DataFrame, levels: pd.DataFrame, quantity: str, *, ax: Axes | None = None,
    unit: str = "pips",
) -> Axes:  # fmt: skip
    """Strength along the dial, with its probes; what each level was to be worth there and what it is worth.

    The dial runs from its weak end on the left to its strong end on the right. A level that isn't on the dial stands
    beside it, on the right.

    Parameters
    ----------
    curve
        A `curve` table of the quantity.
    probes
        The `probes` table behind it.
    levels
        A `levels` table; targets of other quantities are not drawn.
    quantity
        `win` (share of games) or `diff` (pips a round).
    ax, unit
        Where to draw, by default on a new figure; what a score counts: pips, or tiles.

    Raises
    ------
    ResultsError
        The quantity is another.
    """
    if quantity not in DRAWN:
        raise ResultsError(f"strength is drawn in {' or '.join(DRAWN)}, not in {quantity!r}")
    ax, turn = _axes(ax, 5.2, [str(name) for name in levels["level"]])
    missing = [_draw_curve(ax, curve), _draw_probes(ax, probes), _draw_levels(ax, levels, quantity, turn)]
    title, ylabel = f"{unit} per round", f"{unit}/round against the others\nat the table, lower is better"
    if quantity == "win":
        ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
        title, ylabel = "share of games won", "share of games won, higher is better"
    drawn = [
        style.estimates(curve, "value", ""),
        style.estimates(probes, "value", ""),
        style.estimates(levels, quantity),
    ]
    known = np.concatenate([*itertools.chain(*drawn), style.floats(levels[_aimed(levels, quantity)], "target")])
    known = known[np.isfinite(known)]
    if len(known):
        margin = 0.05 * (float(np.ptp(known)) or 1.0)
        ax.set_ylim(float(known.min()) - margin, float(known.max()) + margin)
    else:
        style.nothing(ax, "no number")
    xlabel = "position of the dial: 1 is weakest, 0 unweakened; stronger to the right"
    said = "; ".join(what for what in missing if what)
    style.dress(ax, f"Strength along the dial: {title}", f"{xlabel}\n{fill(said, 90)}".rstrip(), ylabel, grid="y")
    style.legend(ax, "with 95 % intervals")
    return ax


def matrix(pairs: pd.DataFrame, levels: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Matrix of the rounds that the row's level takes from the column's; the stronger further up and to the right.

    Each pair is in it twice, once from either side. Cells of pairs that didn't play are blank.

    Parameters
    ----------
    pairs
        A `pairs` table.
    levels
        A `levels` table, for the order; levels that it lacks come after its own.
    ax
        Where to draw; by default on a new figure.
    """
    names = _order(pairs, levels)
    n = len(names)
    ax = style.axes(ax, max(6.2, 4.4 + 0.72 * n), max(4.2, 2.4 + style.row_height(names, 0.56) * n))
    style.bare(ax, "Share of rounds that the row's level takes from the column's")
    if n < 2:
        ax.set(xticks=[], yticks=[])
        style.nothing(ax, "no two levels met")
        return ax
    share, lo, hi, played = _both_sides(pairs, names)
    edges = np.arange(n + 1) - 0.5
    ax.hlines(edges, -0.5, n - 0.5, color=PALE, lw=1.2)
    ax.vlines(edges, -0.5, n - 0.5, color=PALE, lw=1.2)
    itself = np.ma.masked_equal(np.eye(n), 0)
    ax.pcolormesh(edges, edges, itself, cmap=ListedColormap([PALE]))
    most = max(float(np.nanmax(np.abs(share - 0.5), initial=0.0)), 0.05)
    mesh = ax.pcolormesh(edges, edges, np.ma.masked_invalid(share), cmap="RdBu", vmin=0.5 - most, vmax=0.5 + most)
    size, small = (NORMAL, SMALL) if n <= 5 else (SMALL, _TINY)
    for y, x in zip(*np.nonzero(played), strict=True):
        value, low, high = share[y, x], lo[y, x], hi[y, x]
        if np.isnan(value):
            ax.text(x, y, ABSENT, ha="center", va="center", fontsize=size, color=INK)
            continue
        colour = "white" if np.dot(mesh.to_rgba(value)[:3], _LIGHT) < 0.5 else INK
        told = "no interval" if np.isnan(low) else f"{100 * low:.1f}–{100 * high:.1f}"
        ax.text(x, y + 0.03, SHARE(value), ha="center", va="bottom", fontsize=size, color=colour)
        ax.text(x, y - 0.08, told, ha="center", va="top", fontsize=small, color=colour)
    number = " by its number" if style.number_names(ax, names, 8) else ""
    ax.set(xlim=(-0.5, n - 0.5), ylim=(-0.5, n - 0.5))
    percent = PercentFormatter(1.0, decimals=0, symbol=" %")
    style.colour_bar(ax, mesh, "share of rounds;\nabove 50 % the row is stronger", format=percent)
    blank = "; white: not played" if (~played & ~np.eye(n, dtype=bool)).any() else ""
    ax.set_xlabel(f"other level{number}, weakest to strongest\n{style.basis(pairs)}{blank}", fontsize=NORMAL, color=INK)
    ax.set_ylabel("level, strongest on top", fontsize=NORMAL, color=INK)
    return ax


def plausibility(levels: pd.DataFrame, *, ax: Axes | None = None, unit: str = "pips") -> Axes:
    """What a level's decisions cost more than the reference's choice, and whether it does what nobody would.

    Parameters
    ----------
    levels
        A `levels` table.
    ax, unit
        Where to draw, by default on a new figure; what a score counts: pips, or tiles.
    """
    names = [str(name) for name in levels["level"]]
    told = [line for said in _follies(levels, names) for line in wrap(said, 95, break_on_hyphens=False)]
    ax, turn = _axes(ax, 4.4 + style.LINE * len(told), names)
    x = np.arange(len(levels), dtype=np.float64)
    regret, most = style.estimates(levels, "regret"), style.floats(levels, "regret_p95")
    _errorbar(ax, x, regret, BLUE, "mean, 95 % interval", marker="o", ms=5.5)
    if (seen := np.isfinite(most)).any():
        label = "what 19 decisions\nof 20 cost at most"
        ax.errorbar(x[seen], most[seen], color=ORANGE, ls="none", marker="v", ms=6, label=label)
    for at in x[np.isnan(regret.value)]:
        where = ax.get_xaxis_transform()
        ax.text(at, 0.02, ABSENT, transform=where, ha="center", va="bottom", fontsize=SMALL, color=FAINT)
    ax.axhline(0, color=FAINT, lw=0.9, zorder=0)
    known = np.concatenate([each[np.isfinite(each)] for each in (*regret, most)])
    top, bottom = float(known.max(initial=0)) or 1.0, float(known.min(initial=0))
    ax.set_ylim(bottom - 0.02 * top if bottom == 0 else bottom * 1.1, 1.06 * top)
    ax.set_xlim(-0.6, max(len(levels), 1) - 0.4)
    ax.set_xticks(x, [style.wrapped(name) for name in names], rotation=90 if turn else 0)
    if not len(levels):
        style.nothing(ax, "no level")
    xlabel = "\n".join(["level, weakest to strongest", *told])
    ylabel = f"{unit}/decision more than the\nreference's choice, lower is better"
    style.dress(ax, "What a decision costs, by level", xlabel, ylabel, grid="y")
    style.legend(ax, "regret of a decision")
    return ax


def figures(out: Path, frames: Mapping[str, pd.DataFrame], *, unit: str = "pips", caption: str = "") -> list[Path]:
    """Draw the figures that some tables allow into `figures` below a folder, as PNG and SVG; the same bytes each time.

    Parameters
    ----------
    out
        The folder.
    frames
        Tables by the names of their files: `curve-win`, `probes-win`, `curve-diff`, `probes-diff`, `levels` and
        `pairs`; others are left alone.
    unit
        What a score counts: pips, or tiles.
    caption
        What they are from: a line below each of them.

    Returns
    -------
    list of Path
        The files: `strength_win` and `strength_diff` where there is a curve or are probes, `matrix` where there are
        pairs, `plausibility` where a level's decisions were looked at again.
    """
    blank = {table.name: _empty(table) for table in (ladder_tables.CURVE, ladder_tables.PROBES, ladder_tables.LEVELS)}
    levels, pairs = frames.get("levels", blank["levels"]), frames.get("pairs")
    drawn = {}
    for quantity in DRAWN:
        curve, probes = (frames.get(f"{name}-{quantity}", blank[name]) for name in ("curve", "probes"))
        if len(curve) or len(probes):
            drawn[f"strength_{quantity}"] = strength(curve, probes, levels, quantity, unit=unit)
    if pairs is not None and len(pairs):
        drawn["matrix"] = matrix(pairs, levels)
    if levels[["regret", *BLUNDER_KINDS]].notna().any(axis=None):
        drawn["plausibility"] = plausibility(levels, unit=unit)
    for ax in drawn.values():
        captioned(ax, caption)
    return [path for name, ax in drawn.items() for path in put_figure(ax, out / "figures", name)]


def _draw_curve(ax: Axes, curve: pd.DataFrame) -> str:
    """Draw the curve and its band; say what is missing of them."""
    at, (value, lo, hi) = style.floats(curve, "at"), style.estimates(curve, "value", "")
    if not np.isfinite(value).any():
        return "no curve"
    ax.plot(at, value, color=BLUE, lw=1.6, label="curve through all probes")
    if not np.isfinite(lo).any():
        return "no interval of the curve"
    ax.fill_between(at, lo, hi, color=BLUE, alpha=0.2, lw=0)
    return ""


def _draw_probes(ax: Axes, probes: pd.DataFrame) -> str:
    """Draw the probes with their intervals; say what is missing."""
    found = style.estimates(probes, "value", "")
    _errorbar(ax, style.floats(probes, "at"), found, FAINT, f"probe, {_blocks(probes)}", marker="s", ms=3.0)
    absent = int(np.isnan(found.value).sum())
    return "no probes" if not len(probes) else f"probes without a number: {absent}" if absent else ""


def _draw_levels(ax: Axes, levels: pd.DataFrame, quantity: str, turn: bool) -> str:
    """Draw the levels' guides, names and numbers, and set the ends of the dial; say whose numbers are missing."""
    at = style.floats(levels, "dial")
    beside = np.isnan(at)
    at = np.where(beside, -_SLOT * np.cumsum(beside), at)
    left, right = 1.03, -0.03 - _SLOT * beside.sum()
    ax.set_xlim(left, right)
    ticks = {x: f"{x:g}" for x in (1.0, 0.75, 0.5, 0.25, 0.0)}
    if beside.any():
        ax.axvline(-_SLOT / 2, color=FAINT, lw=0.8)
        ticks[float(at[beside].mean())] = "\nnot on it"
    ax.set_xticks(list(ticks), list(ticks.values()))
    for x in at:
        ax.axvline(x, color=FAINT, lw=0.8, ls=":", zorder=1)
    aimed = _aimed(levels, quantity)
    for k, (x, target) in enumerate(zip(at[aimed], style.floats(levels, "target")[aimed], strict=True)):
        label = "a level's target" if k == 0 else None
        ax.plot([left, x], [target, target], color=INK, lw=0.7, ls=(0, (5, 3)), zorder=2, label=label)
    found = style.estimates(levels, quantity)
    _errorbar(ax, at, found, ORANGE, f"level on fresh deals,\n{_blocks(levels)}", marker="o", ms=4.5)
    names = [str(name) for name in levels["level"]]
    _name_above(ax, at, names, turn)
    absent = [name for name, number in zip(names, found.value, strict=True) if np.isnan(number)]
    return f"no number of level {', '.join(absent)}" if absent else "" if names else "no levels"


def _name_above(ax: Axes, at: Floats, names: Sequence[str], turn: bool) -> None:
    """Write names above the axes, each with a line down to its position, and no two over one another."""
    if not names:
        return
    left, right = ax.get_xlim()
    order = np.argsort(-at, kind="stable")
    labels = [style.wrapped(names[k]) for k in order]
    inches = _inches(ax)
    width = [style.LINE * (1 + label.count("\n")) + 0.04 for label in labels] if turn else _width(labels)
    per_inch = (left - right) / inches
    there = left - per_inch * _apart((left - at[order]) / per_inch, np.array(width), inches)
    above = ax.secondary_xaxis(1 + _ABOVE)
    above.set_xticks(there, labels, rotation=90 if turn else 0)
    above.tick_params(length=0, labelsize=NORMAL, labelcolor=INK, pad=1)
    above.spines[:].set_visible(False)
    ax.annotate(
        "level", (0, 1 + _ABOVE), (-6, 4), "axes fraction", "offset points", ha="right", fontsize=NORMAL, color=INK
    )
    where = ax.get_xaxis_transform()
    for x, y in zip(at[order], there, strict=True):
        ax.plot([x, y], [1, 1 + _ABOVE], transform=where, color=FAINT, lw=0.8, ls=":", clip_on=False, zorder=1)


def _apart(at: Floats, width: Floats, room: float) -> Floats:
    """float64[n]: rising positions as near to `at` as labels of these widths can be, side by side within the room."""
    n = len(at)
    taken = np.concatenate([[0.0], np.cumsum((width[:-1] + width[1:]) / 2)])
    free = at - taken  # with no label in another's place this never falls
    rising = [max(min(free[j : k + 1].mean() for k in range(i, n)) for j in range(i + 1)) for i in range(n)]
    moved: Floats = np.clip(rising, width[0] / 2, max(room - width[-1] / 2 - taken[-1], width[0] / 2)) + taken
    return moved


def _axes(ax: Axes | None, height: float, names: Sequence[str]) -> tuple[Axes, bool]:
    """The given Axes or new ones, high enough for levels' names along them; must the names be turned to fit?"""
    made = style.axes(ax, 9.2, height)
    labels = [style.wrapped(name) for name in names]
    turn = sum(_width(labels)) > _inches(made)
    if ax is None and turn:
        made.figure.set_figheight(height + max(_width(labels)))  # type: ignore[union-attr]
    return made, turn


def _inches(ax: Axes) -> float:
    """How wide the axes are at least, once there is a legend beside them."""
    return float(0.7 * ax.get_position().width * ax.figure.get_size_inches()[0])  # type: ignore[union-attr]


def _width(labels: Sequence[str]) -> list[float]:
    """Inches that labels need side by side, at most."""
    return [0.08 * max(map(len, label.splitlines()), default=0) + 0.1 for label in labels]


def _errorbar(ax: Axes, x: Floats, found: style.Estimates, colour: str, label: str, **how: Any) -> None:
    """Dots with upright intervals and one name for all of them; a hollow dot has none."""
    known = np.isfinite(found.value)
    sure = known & np.isfinite(found.lo)
    hollow = "no interval" if sure.any() else f"{label},\nno interval"
    how |= {"elinewidth": 1.4, "zorder": 3 if colour == FAINT else 4}
    for these, inside, name in ((sure, colour, label), (known & ~sure, "white", hollow)):
        if these.any():
            style.series(ax, x[these], found.at(these), colour, mfc=inside, label=name, **how)


def _aimed(levels: pd.DataFrame, quantity: str) -> Bools:
    """bool[n]: which levels were to be worth so much of this quantity."""
    aimed: Bools = (levels["target_of"] == quantity).to_numpy(bool) & np.isfinite(style.floats(levels, "target"))
    return aimed


def _blocks(frame: pd.DataFrame) -> str:
    """How many blocks are behind each row."""
    return f"{span(frame['blocks'])} blocks"


def _order(pairs: pd.DataFrame, levels: pd.DataFrame) -> list[str]:
    """Names of the levels, the weakest first."""
    others = [str(name) for pair in zip(pairs["below"], pairs["level"], strict=True) for name in pair]
    return list(dict.fromkeys([*map(str, levels["level"]), *others]))


def _both_sides(pairs: pd.DataFrame, names: Sequence[str]) -> tuple[Floats, Floats, Floats, Bools]:
    """float64[n, n], thrice: the row's share and the ends of its interval; bool[n, n]: who has played whom."""
    n = len(names)
    row, column = (pd.Index(names).get_indexer(pd.Index(pairs[name])) for name in ("level", "below"))
    share, lo, hi = style.estimates(pairs, "rounds")
    found = np.full((3, n, n), np.nan)
    found[:, row, column] = share, lo, hi
    found[:, column, row] = 1 - share, 1 - hi, 1 - lo
    played = np.zeros((n, n), dtype=bool)
    played[row, column] = played[column, row] = True
    return found[0], found[1], found[2], played


def _follies(levels: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """Say which levels do what no level should, in which share of their decisions, and of whom it isn't known."""
    said = []
    unknown = np.zeros(len(levels), dtype=bool)
    for column, what in BLUNDER_KINDS.items():
        share = style.floats(levels, column)
        unknown |= np.isnan(share)
        who = [f"{name}\u00a0({100 * v:.3g}\u00a0%)" for name, v in zip(names, share, strict=True) if v > 0]
        if who:
            said.append(f"decisions in which it {what}: {', '.join(who)}")
    if not said and not unknown.all():
        said.append(NEVER)
    if unknown.any():
        said.append(f"not looked at: {', '.join(np.array(names)[unknown])}")
    return said


def _empty(table: Table) -> pd.DataFrame:
    return tables.frame(table, {name: [] for name in table.names})
