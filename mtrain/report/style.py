"""The look of the figures: colours, sizes, axes, dots with intervals, legends, and labels that fit.

What all figures share, so that they look alike and say the same things in the same words. Nothing here knows what a
figure shows.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.ticker import MaxNLocator

from mtrain.report.format import ABSENT, Format
from mtrain.stats.blocks import Floats

INK, FAINT, PALE = "#222222", "#8c8c8c", "#e4e4e4"
BLUE, ORANGE = "#0072b2", "#d55e00"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")
"""Okabe & Ito (2008), distinct to the colour-blind too; their yellow is left out, too faint on white."""
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)))
MARKERS = "osD^vP*Xhd"
SMALL, NORMAL, LARGE = 7.5, 9.0, 11.0
WRAP = 30

# Inches: an agent's row at least, and a line of its name.
ROW, LINE = 0.42, 0.155


def axes(ax: Axes | None, width: float, height: float) -> Axes:
    """The given Axes, or those of a new figure of this size in inches."""
    if ax is not None:
        return ax
    figure = Figure(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1), facecolor="white")
    FigureCanvasAgg(figure)
    return figure.add_subplot()


def beside(ax: Axes | None, names: Iterable[str], more: int = 0, width: float = 8.5, base: float = 0.8) -> Axes:
    """The given Axes, or new ones with room for a legend of these names, each with so many lines more."""
    lines = [more + len(wrapped(name).splitlines()) for name in names]
    return axes(ax, width, max(4.2, base + 0.16 * sum(lines) + 0.09 * len(lines)))


def panels(width: float, heights: Sequence[float]) -> list[Axes]:
    """Axes one below the other, of these heights in inches, in a new figure."""
    layout = ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1)
    figure = Figure(figsize=(width, sum(heights)), layout=layout, facecolor="white")
    FigureCanvasAgg(figure)
    return list(figure.subplots(len(heights), 1, height_ratios=list(heights), squeeze=False)[:, 0])


def dress(ax: Axes, title: str, xlabel: str, ylabel: str = "", grid: str = "x") -> None:
    """The common look: title on the left, thin grid behind, no frame at the top and right."""
    ax.set_title(title, loc="left", fontsize=LARGE, color=INK, pad=10)
    ax.set_xlabel(xlabel, fontsize=NORMAL, color=INK)
    if ylabel:
        ax.set_ylabel(ylabel, fontsize=NORMAL, color=INK)
    ax.tick_params(labelsize=NORMAL, color=FAINT, labelcolor=INK)
    ax.set_axisbelow(True)
    if grid:
        ax.grid(axis=grid, color=PALE, lw=0.8)  # type: ignore[arg-type]
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(FAINT)


def rows(names: Iterable[str], gaps: Any = 0) -> tuple[Floats, float]:
    """Where agents' rows lie, one below the other, and how high they are together, in inches: by their names' lines.

    Parameters
    ----------
    names
        Of the agents.
    gaps
        int[n] or 0: rows left free above each of them.
    """
    high = np.array([max(ROW, LINE * len(wrapped(name).splitlines()) + 0.12) for name in names], float)
    y = np.cumsum(high) - high / 2 + ROW * np.asarray(gaps)
    return y, float(y[-1] + high[-1] / 2) if len(y) else 0.0


def dots(ax: Axes, frame: pd.DataFrame, name: str, form: Format, gaps: Any = 0, level: float = 0.0) -> None:
    """A line an agent: dot and interval, the name on the left, the numbers on the right; a thin line at `level`."""
    y, total = rows(frame["agent"], gaps)
    found = estimates(frame, name)
    ax.axvline(level, color=FAINT, lw=0.9, zorder=0)
    errorbars(ax, y, found, BLUE, upright=False)
    for line, m, a, b, note in zip(y, *found, frame["note"], strict=True):
        text = form(m) + ("  no interval" if np.isnan(a) and not np.isnan(m) else "")
        text += f"\n{textwrap.fill(note, 36)}" if np.isnan(a) else f"  {form.ends(a, b)}"
        size = SMALL if np.isnan(a) else NORMAL
        ax.text(1.02, line, text, transform=ax.get_yaxis_transform(), va="center", fontsize=size, color=INK)
    ax.set_yticks(y, [wrapped(agent) for agent in frame["agent"]])
    ax.set_ylim(total + 0.05, -0.05)
    ax.xaxis.set_major_locator(MaxNLocator(7))
    if not np.isfinite(found.value).any():
        ax.set_xlim(-1, 1)


class Estimates(NamedTuple):
    """Numbers and the ends of their intervals, nan where there is none."""

    value: Floats
    lo: Floats
    hi: Floats

    def at(self, rows: Any) -> Estimates:
        """Those of some rows."""
        return Estimates(self.value[rows], self.lo[rows], self.hi[rows])

    @property
    def arms(self) -> Floats:
        """float64[2, n]: lengths of the error bars; none where there is no interval."""
        lengths = np.stack([np.maximum(self.value - self.lo, 0), np.maximum(self.hi - self.value, 0)])
        return np.asarray(np.nan_to_num(lengths))


def estimates(frame: pd.DataFrame, name: str, stem: str | None = None) -> Estimates:
    """A column's numbers and the ends of their intervals, whose columns begin with its name or with `stem`."""
    stem = f"{name}_" if stem is None else stem
    return Estimates(floats(frame, name), floats(frame, f"{stem}lo"), floats(frame, f"{stem}hi"))


def series(ax: Axes, at: Any, found: Estimates, colour: str, upright: bool = True, **how: Any) -> None:
    """Dots of one kind with their intervals; hollow, if none has one."""
    x, y = (at, found.value) if upright else (found.value, at)
    look: dict[str, Any] = {
        "color": colour,
        "ls": "none",
        "capsize": 0,
        "mfc": "white" if np.isnan(found.lo).all() else colour,
    }
    ax.errorbar(x, y, **look | {"yerr" if upright else "xerr": found.arms} | how)


def errorbars(ax: Axes, at: Any, found: Estimates, colour: str, upright: bool) -> None:
    """Dots with their intervals; a hollow dot has none."""
    sure = ~np.isnan(found.lo)
    for these, fill in ((sure, colour), (~sure & ~np.isnan(found.value), "white")):
        if not these.any():
            continue
        mine = found.at(these)
        x, y = (at[these], mine.value) if upright else (mine.value, at[these])
        bars = mine.arms if fill == colour else None
        ax.errorbar(
            x, y, yerr=bars if upright else None, xerr=None if upright else bars, ls="none", marker="o", ms=6,
            color=colour, mfc=fill, mec=colour, elinewidth=1.8, capsize=0, zorder=3,
        )  # fmt: skip


def bare(ax: Axes, title: str) -> None:
    """The look of a matrix: no frame, no grid, no ticks."""
    dress(ax, title, "", grid="")
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def row_height(names: Iterable[str], least: float) -> float:
    """Inches that each row of a matrix has, so that names fit beside them."""
    return max(least, LINE * max((len(wrapped(name).splitlines()) for name in names), default=1) + 0.1)


def number_names(ax: Axes, names: Sequence[str], most: int) -> bool:
    """Name the rows and columns of a matrix; by their numbers along the columns, if a name is longer than `most`."""
    by_number = max(map(len, names)) > most
    along = [str(k) for k in range(1, len(names) + 1)] if by_number else names
    down = [f"{wrapped(name)}   {k}" if by_number else wrapped(name) for k, name in enumerate(names, 1)]
    ax.set_yticks(range(len(names)), down)
    ax.set_xticks(range(len(names)), along)
    return by_number


def colour_bar(ax: Axes, mesh: Any, label: str, **how: Any) -> None:
    """Say beside a matrix what its colours mean."""
    bar = ax.figure.colorbar(mesh, ax=ax, shrink=0.85, pad=0.02, **how)
    bar.set_label(label, fontsize=NORMAL, color=INK)
    bar.ax.tick_params(labelsize=SMALL, color=FAINT, labelcolor=INK)
    bar.outline.set_visible(False)  # type: ignore[operator]


def nothing(ax: Axes, what: str) -> None:
    """Say in the middle of the axes that there is nothing to draw."""
    ax.text(0.5, 0.5, f"{ABSENT}: {what}", transform=ax.transAxes, ha="center", fontsize=NORMAL, color=INK)


def legend(ax: Axes, title: str) -> None:
    """Name what is drawn, to the right of the axes."""
    if ax.get_legend_handles_labels()[0]:
        drawn = ax.legend(
            loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0, frameon=False, fontsize=NORMAL, title=title,
            title_fontsize=SMALL, alignment="left", labelspacing=0.7, labelcolor=INK,
        )  # fmt: skip
        drawn.get_title().set_color(INK)


def looks(agents: Sequence[str]) -> dict[str, tuple[str, Any, str]]:
    """Colour, dash and marker of each agent: by the order of the names, so the same in every figure of a tournament."""
    return {
        agent: (COLOURS[i % len(COLOURS)], DASHES[i // len(COLOURS) % len(DASHES)], MARKERS[i % len(MARKERS)])
        for i, agent in enumerate(sorted(agents))
    }


def wrapped(label: str) -> str:
    """A long label on several lines; nothing of it is cut, so two agents never look alike."""
    spaced = label.replace(",", ",\u200b").replace(":", ":\u200b").replace("\u200b", " \u200b")
    lines = textwrap.wrap(spaced, WRAP, break_long_words=True, break_on_hyphens=True)
    # A dollar sign would begin a formula.
    return "\n".join(lines).replace(" \u200b", "").replace("\u200b", "").replace("$", r"\$")


def floats(frame: pd.DataFrame, name: str) -> Floats:
    """A column's numbers; nan where there is none."""
    return frame[name].to_numpy(np.float64, na_value=np.nan)


def basis(frame: pd.DataFrame) -> str:
    """What the intervals rest on: "95 % intervals over 20–24 blocks", or that there are none."""
    low, high = (int(frame["blocks"].min()), int(frame["blocks"].max())) if len(frame) else (0, 0)
    if high < 2:
        return f"no intervals: {high} block{'' if high == 1 else 's'}"
    return f"95 % intervals over {low if low == high else f'{low}–{high}'} blocks"
