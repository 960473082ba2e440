"""Figures: a table in, Axes out.

Every function draws one table on `ax`, or on a figure of its own, and returns the Axes. Intervals are always shown,
axes carry their unit and say which way is better. No pyplot, no global settings: the caller's are left alone and no
display is needed. Nothing here computes a number that isn't in a table.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text
from matplotlib.ticker import MaxNLocator, PercentFormatter

from mtrain.study import estimates
from mtrain.study.blocks import Floats, met
from mtrain.study.results import Results
from mtrain.study.tables import EFFECTS, METHODS, put

INK, FAINT, PALE = "#222222", "#8c8c8c", "#e4e4e4"
BLUE, ORANGE = "#0072b2", "#d55e00"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe & Ito (2008), distinct to the colour-blind too; their yellow is left out, too faint on white."""
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)))
MARKERS = "osD^vP*Xhd"
SMALL, NORMAL, LARGE = 7.5, 9.0, 11.0
WRAP = 30


def standings(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Pips per round of each agent against the others at the table, with intervals; best on top.

    Parameters
    ----------
    frame
        A `standings` table.
    ax
        Where to draw; by default on a new figure.
    """
    ax = _axes(ax, 8.0, 1.6 + 0.42 * len(frame))
    _dots(ax, frame, "diff", "diff_lo", "diff_hi", "{:+.2f}", names=frame["agent"])
    _dress(ax, "Pips per round against the other agents at the table", f"pips/round, lower is better; {_basis(frame)}")
    return ax


def ratings(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Plackett–Luce rating of each agent, with intervals; best on top, groups that never met apart.

    Parameters
    ----------
    frame
        A `ratings` table, or `standings`, where all agents count as one group.
    ax
        Where to draw; by default on a new figure.
    """
    group = frame["group"].to_numpy() if "group" in frame else np.ones(len(frame), int)
    best = frame["rating"].to_numpy(float, na_value=-np.inf)
    order = np.lexsort((-best, group))
    frame, group = frame.iloc[order], group[order]
    ax = _axes(ax, 8.0, 1.6 + 0.42 * (len(frame) + len(np.unique(group)) - 1))
    gaps = np.cumsum(np.diff(group, prepend=group[:1]) != 0)
    _dots(ax, frame, "rating", "rating_lo", "rating_hi", "{:+.0f}", names=frame["agent"], gaps=gaps)
    if gaps.any():
        for change in np.flatnonzero(np.diff(gaps)):
            ax.axhline(change + gaps[change] + 1, color=FAINT, lw=0.8, ls=":")
        scale = "mean 0 in each group; groups (dotted lines) don't compare\n"
    else:
        scale = "mean 0; "
    unit = "rating points, higher is better; 400 points are odds of 10 to 1"
    _dress(ax, "Plackett–Luce rating", f"{unit}\n{scale}95 % intervals clustered by block")
    return ax


def pairwise(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Matrix of score differences: the agent of the row against the opponent of the column.

    Parameters
    ----------
    frame
        A `pairwise` table.
    ax
        Where to draw; by default on a new figure.
    """
    agents = sorted({*frame["agent"], *frame["opponent"]})
    n = len(agents)
    row, column = (pd.Index(agents).get_indexer(frame[name]) for name in ("agent", "opponent"))
    matrix = np.full((3, n, n), np.nan)
    matrix[:, row, column] = [_floats(frame, name) for name in ("diff", "lo", "hi")]
    known = ~np.isnan(matrix[0])
    strength = np.where(known, matrix[0], 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    order = np.lexsort((strength, met(n, *np.nonzero(known))))
    names, (diff, lo, hi) = [agents[i] for i in order], matrix[:, order][:, :, order]
    ax = _axes(ax, 4.6 + 0.62 * n, 2.6 + 0.5 * n)
    _dress(ax, "Score of the row's agent minus the column's", "", grid="")
    ax.tick_params(length=0)
    for spine in ax.spines.values():
        spine.set_visible(False)
    if n < 2:
        ax.set(xticks=[], yticks=[])
        ax.text(0.5, 0.5, "n/a: no two agents met", transform=ax.transAxes, ha="center", fontsize=NORMAL, color=INK)
        return ax
    most = float(np.nanmax(np.abs(diff), initial=0.0)) or 1.0
    edges = np.arange(n + 1) - 0.5
    ax.set_facecolor(PALE)
    mesh = ax.pcolormesh(
        edges, edges, np.ma.masked_invalid(diff), cmap="RdBu_r", vmin=-most, vmax=most, edgecolors="white", lw=1.5
    )
    size = NORMAL if n <= 5 else SMALL
    for y, x in zip(*np.nonzero(~np.eye(n, dtype=bool)), strict=True):
        value, low, high = diff[y, x], lo[y, x], hi[y, x]
        text = "n/a" if np.isnan(value) else _number("{:+.2f}", value)
        text += "" if np.isnan(low) else f"\n±{(high - low) / 2:.2f}"
        ax.text(
            x, y, text, ha="center", va="center", fontsize=size, fontweight="bold" if low > 0 or high < 0 else "normal",
            color="white" if abs(value) > 0.62 * most else INK,
        )  # fmt: skip
    short = max(map(len, names)) <= 10
    ax.set_yticks(range(n), [_wrapped(name) if short else f"{_wrapped(name)}   {k}" for k, name in enumerate(names, 1)])
    ax.set_xticks(range(n), names if short else [str(k) for k in range(1, n + 1)])
    ax.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5))
    bar = ax.figure.colorbar(mesh, ax=ax, shrink=0.85, pad=0.02)
    bar.set_label("pips/round (below 0: the row does better)", fontsize=NORMAL, color=INK)
    bar.ax.tick_params(labelsize=SMALL, color=FAINT, labelcolor=INK)
    bar.outline.set_visible(False)
    number = "" if short else ", by its number"
    ax.set_xlabel(f"opponent{number}; ± 95 % interval, bold where it excludes 0", fontsize=NORMAL, color=INK)
    ax.set_ylabel("agent", fontsize=NORMAL, color=INK)
    return ax


def scores(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Distribution of the score of a round: the share of each agent's rounds that cost at most so many pips.

    Parameters
    ----------
    frame
        A `rounds` table, or the `scores` table made from one.
    ax
        Where to draw; by default on a new figure.
    """
    frame = frame if "share" in frame else estimates.scores(frame)
    by_agent = {str(agent): rows for agent, rows in frame.groupby("agent", sort=True)}
    mean = {agent: float(np.average(rows["pips"], weights=rows["rounds"])) for agent, rows in by_agent.items()}
    lines = sum(1 + len(_wrapped(agent).splitlines()) for agent in mean)
    ax = _axes(ax, 8.5, max(4.2, 0.8 + 0.16 * lines + 0.09 * len(mean)))
    most = int(frame["pips"].max()) if len(frame) else 1
    looks = _looks(list(mean))
    for agent in sorted(mean, key=lambda name: (mean[name], name)):
        rows = by_agent[agent]
        pips = np.concatenate([rows["pips"].to_numpy(float), [most + 1.0]])
        share = np.concatenate([np.cumsum(rows["share"].to_numpy(float)), [1.0]])
        at_zero = float(share[0]) if pips[0] == 0 else 0.0
        colour, dash, _ = looks[agent]
        label = f"{_wrapped(agent)}\n{100 * at_zero:.0f} % at 0, mean {mean[agent]:.1f}"
        x, y = np.concatenate([[0.0], pips]), np.concatenate([[0.0], share])
        ax.step(x, y, where="post", color=colour, ls=dash, lw=1.6, label=label)
    ax.set(xlim=(-0.01 * most, most + 1), ylim=(0, 1.02))
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    ax.set_ylabel("share of the agent's rounds", fontsize=NORMAL, color=INK)
    score = "score of a round in pips, lower is better (higher curve: better)"
    _dress(ax, "Rounds that cost at most so many pips", score, grid="both")
    _legend(ax, "agent, best mean first")
    return ax


def by_round(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Mean score of each agent in each round of the game, with intervals.

    Parameters
    ----------
    frame
        A `rounds` table, or the `by_round` table made from one.
    ax
        Where to draw; by default on a new figure.
    """
    frame = frame if "pips_lo" in frame else estimates.by_round(frame)
    by_agent = {str(agent): rows for agent, rows in frame.groupby("agent", sort=True)}
    mean = {agent: float(rows["pips"].mean()) for agent, rows in by_agent.items()}
    lines = sum(len(_wrapped(agent).splitlines()) for agent in mean)
    ax = _axes(ax, 8.5, max(4.2, 0.8 + 0.16 * lines + 0.09 * len(mean)))
    looks = _looks(list(mean))
    agents = sorted(mean, key=lambda name: (mean[name], name))
    last = int(frame["round"].max()) if len(frame) else 1
    dodge = np.linspace(-0.3, 0.3, len(agents)) if len(agents) > 1 else [0.0]
    for agent, shift in zip(agents, dodge, strict=True):
        rows = by_agent[agent]
        x, value = rows["round"].to_numpy(float) + shift, _floats(rows, "pips")
        colour, dash, marker = looks[agent]
        lo, hi = _floats(rows, "pips_lo"), _floats(rows, "pips_hi")
        ax.errorbar(
            x, value, yerr=_arms(value, lo, hi), color=colour, ls="none", marker=marker, ms=4, elinewidth=1.2,
            capsize=0, mfc="white" if np.isnan(lo).all() else colour, label=_wrapped(agent),
        )  # fmt: skip
        ax.plot(x, value, color=colour, ls=dash, lw=0.9, alpha=0.45)
    ax.set_xlim(0.5, last + 0.5)
    ax.set_xticks(range(1, last + 1))
    ax.set_ylabel("pips/round, lower is better", fontsize=NORMAL, color=INK)
    _dress(ax, "Score by round of the game", f"round; {_basis(frame)}", grid="y")
    _legend(ax, "agent, best mean first")
    return ax


def seats(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """What a seat, and a place after the round's starter, is worth by itself, with intervals.

    Parameters
    ----------
    frame
        A `seats` table.
    ax
        Where to draw; by default on a new figure.
    """
    ax = _axes(ax, 8.0, 3.8)
    ticks: list[float] = []
    names: list[str] = []
    start = 0.0
    for effect, colour, what in zip(EFFECTS, (BLUE, ORANGE), ("seat", "seats after the round's starter"), strict=True):
        rows = frame[(frame["effect"] == effect).to_numpy()]
        if not len(rows):
            continue
        x = start + np.arange(len(rows))
        _errorbars(ax, x, _floats(rows, "diff"), _floats(rows, "lo"), _floats(rows, "hi"), colour, upright=True)
        ax.annotate(
            what, (float(x.mean()), 0), (0, -20), ax.get_xaxis_transform(), "offset points", ha="center", va="top",
            fontsize=NORMAL, color=colour,
        )  # fmt: skip
        ticks += list(x)
        names += [str(value) for value in rows["value"]]
        start += len(rows) + 0.8
    ax.axhline(0, color=FAINT, lw=0.9, zorder=0)
    ax.set_xticks(ticks, names)
    ax.set_ylabel("pips/round against the\ntable's mean, lower is better", fontsize=NORMAL, color=INK)
    _dress(ax, "Effect of the seat and of the place after the starter", _basis(frame), grid="y")
    ax.xaxis.labelpad = 20
    return ax


def calibration(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """How often tiles lay where they were given such a probability, with intervals; on the line is right.

    Parameters
    ----------
    frame
        A `calibration` table.
    ax
        Where to draw; by default on a new figure.
    """
    ax = _axes(ax, 7.2, 5.2)
    ax.axline((0, 0), (1, 1), color=FAINT, lw=0.9, zorder=0)
    most = 0
    for method, colour, marker in zip(METHODS, COLOURS, MARKERS, strict=False):
        rows = frame[(frame["method"] == method).to_numpy()]
        if not len(rows):
            continue
        x, y = _floats(rows, "predicted"), _floats(rows, "observed")
        lo, hi = _floats(rows, "observed_lo"), _floats(rows, "observed_hi")
        ax.errorbar(
            x, y, yerr=_arms(y, lo, hi), color=colour, ls="none", marker=marker, ms=5, elinewidth=1.2, capsize=0,
            mfc="white" if np.isnan(lo).all() else colour, label=f"{method}\n{int(rows['n'].sum()):,} pairs",
        )  # fmt: skip
        ax.plot(x, y, color=colour, lw=0.9, alpha=0.45)
        most = max(most, int(rows["deals"].max()))
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    ax.set_ylabel("share of pairs where the tile lay there", fontsize=NORMAL, color=INK)
    basis = f"95 % intervals over {most} deals" if most > 1 else "no intervals: 1 deal"
    _dress(ax, "Where tiles are: predicted and observed", f"mean predicted probability; {basis}", grid="both")
    _legend(ax, "places judged by")
    return ax


def save(results: Results, folder: str | Path, formats: Sequence[str] = ("png", "svg")) -> list[Path]:
    """Draw every figure of a tournament into a folder, the same bytes each time.

    Returns
    -------
    list of Path
        `standings`, `pairwise`, `ratings`, `scores`, `seats` and `by_round`, in each of the formats.
    """
    figures: dict[str, tuple[Callable[..., Axes], pd.DataFrame]] = {
        "standings": (standings, results.standings),
        "pairwise": (pairwise, results.pairwise),
        "ratings": (ratings, results.ratings),
        "scores": (scores, results.scores),
        "seats": (seats, results.seats),
        "by_round": (by_round, results.by_round),
    }
    paths: list[Path] = []
    for name, (draw, frame) in figures.items():
        ax = draw(frame)
        _in_unit(ax, results.unit)
        figure = ax.figure
        figure.supxlabel(results.caption, x=0.01, ha="left", fontsize=SMALL, color=FAINT)
        paths += put_figure(ax, Path(folder), name, formats)
    return paths


def put_figure(ax: Axes, folder: Path, name: str, formats: Sequence[str] = ("png", "svg")) -> list[Path]:
    """Write the figure of some Axes into a folder, the same bytes each time; return the files."""
    paths = []
    for kind in formats:
        data, undated = BytesIO(), {"Date": None} if kind == "svg" else None
        with matplotlib.rc_context({"svg.hashsalt": "mtrain"}):
            ax.figure.savefig(data, format=kind, dpi=150, metadata=undated)  # type: ignore[union-attr]
        paths.append(put(folder / f"{name}.{kind}", data.getvalue()))
    return paths


def _in_unit(ax: Axes, unit: str) -> None:
    """Say `unit` where a figure says pips: some rules count the tiles left instead."""
    legend = ax.get_legend()
    texts = [legend.get_title()] if legend else []
    for each in ax.figure.axes:  # titles and notes; the names of agents are left alone
        texts += [each.xaxis.label, each.yaxis.label, *(t for t in each.get_children() if isinstance(t, Text))]
    for text in texts:
        text.set_text(text.get_text().replace("pips", unit))


def _axes(ax: Axes | None, width: float, height: float) -> Axes:
    """The given Axes, or those of a new figure of this size in inches."""
    if ax is not None:
        return ax
    figure = Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1), facecolor="white")
    FigureCanvasAgg(figure)
    return figure.add_subplot()


def _dress(ax: Axes, title: str, xlabel: str, grid: str = "x") -> None:
    """The common look: title on the left, thin grid behind, no frame at the top and right."""
    ax.set_title(title, loc="left", fontsize=LARGE, color=INK, pad=10)
    ax.set_xlabel(xlabel, fontsize=NORMAL, color=INK)
    ax.tick_params(labelsize=NORMAL, color=FAINT, labelcolor=INK)
    ax.set_axisbelow(True)
    if grid:
        ax.grid(axis=grid, color=PALE, lw=0.8)  # type: ignore[arg-type]
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(FAINT)


def _dots(
    ax: Axes, frame: pd.DataFrame, value: str, low: str, high: str, form: str, names: pd.Series[str], gaps: Any = 0
) -> None:
    """A line an agent: dot and interval, the name on the left, the numbers on the right."""
    y = np.arange(len(frame)) + np.zeros(len(frame), int) + gaps
    mean, lo, hi = _floats(frame, value), _floats(frame, low), _floats(frame, high)
    ax.axvline(0, color=FAINT, lw=0.9, zorder=0)
    _errorbars(ax, y, mean, lo, hi, BLUE, upright=False)
    for line, m, a, b, note in zip(y, mean, lo, hi, frame["note"], strict=True):
        text = "n/a" if np.isnan(m) else _number(form, m) + ("  no interval" if np.isnan(a) else "")
        text += f"\n{textwrap.fill(note, 36)}" if np.isnan(a) else f"  [{_number(form, a)}, {_number(form, b)}]"
        size = SMALL if np.isnan(a) else NORMAL
        ax.text(1.02, line, text, transform=ax.get_yaxis_transform(), va="center", fontsize=size, color=INK)
    ax.set_yticks(y, [_wrapped(name) for name in names])
    ax.set_ylim(float(y.max(initial=0)) + 0.6, -0.6)
    ax.xaxis.set_major_locator(MaxNLocator(7))
    if not np.isfinite(mean).any():
        ax.set_xlim(-1, 1)


def _errorbars(ax: Axes, at: Any, value: Floats, lo: Floats, hi: Floats, colour: str, upright: bool) -> None:
    """Dots with their intervals; a hollow dot has none."""
    sure = ~np.isnan(lo)
    for rows, fill in ((sure, colour), (~sure & ~np.isnan(value), "white")):
        if not rows.any():
            continue
        x, y = (at[rows], value[rows]) if upright else (value[rows], at[rows])
        arms = _arms(value[rows], lo[rows], hi[rows]) if fill == colour else None
        ax.errorbar(
            x, y, yerr=arms if upright else None, xerr=None if upright else arms, ls="none", marker="o", ms=6,
            color=colour, mfc=fill, mec=colour, elinewidth=1.8, capsize=0, zorder=3,
        )  # fmt: skip


def _arms(value: Floats, lo: Floats, hi: Floats) -> Floats:
    """float64[2, n]: lengths of the error bars; none where there is no interval."""
    arms: Floats = np.nan_to_num(np.stack([np.maximum(value - lo, 0), np.maximum(hi - value, 0)]))
    return arms


def _legend(ax: Axes, title: str) -> None:
    if ax.get_legend_handles_labels()[0]:
        legend = ax.legend(
            loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0, frameon=False, fontsize=NORMAL, title=title,
            title_fontsize=SMALL, alignment="left", labelspacing=0.7, labelcolor=INK,
        )  # fmt: skip
        legend.get_title().set_color(INK)


def _looks(agents: Sequence[str]) -> dict[str, tuple[str, Any, str]]:
    """Colour, dash and marker of each agent: by the order of the names, so the same in every figure of a tournament."""
    return {
        agent: (COLOURS[i % len(COLOURS)], DASHES[i // len(COLOURS) % len(DASHES)], MARKERS[i % len(MARKERS)])
        for i, agent in enumerate(sorted(agents))
    }


def _wrapped(label: str) -> str:
    """A long label on several lines; nothing of it is cut, so two agents never look alike."""
    spaced = label.replace(",", ",\u200b").replace(":", ":\u200b").replace("\u200b", " \u200b")
    lines = textwrap.wrap(spaced, WRAP, break_long_words=True, break_on_hyphens=True)
    # A dollar sign would begin a formula.
    return "\n".join(lines).replace(" \u200b", "").replace("\u200b", "").replace("$", r"\$")


def _number(form: str, value: float) -> str:
    """The number with a true minus sign, and none on what rounds to 0."""
    text = form.format(value)
    return (text if float(text) else text.lstrip("+-")).replace("-", "−")


def _floats(frame: pd.DataFrame, name: str) -> Floats:
    return frame[name].to_numpy(np.float64, na_value=np.nan)


def _basis(frame: pd.DataFrame) -> str:
    """What the intervals rest on: "95 % intervals over 20–24 blocks", or that there are none."""
    low, high = (int(frame["blocks"].min()), int(frame["blocks"].max())) if len(frame) else (0, 0)
    if high < 2:
        return f"no intervals: {high} block{'' if high == 1 else 's'}"
    return f"95 % intervals over {low if low == high else f'{low}–{high}'} blocks"
