"""Figures: a table in, Axes out.

Every function draws one table on `ax`, or on a figure of its own, and returns the Axes. Intervals are always shown,
axes carry their unit and say which way is better. No pyplot, no global settings: the caller's are left alone and no
display is needed. Nothing here computes a number that isn't in a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter, PercentFormatter

from mtrain.report import style
from mtrain.report.format import ABSENT, brief, count, of_unit
from mtrain.report.style import BLUE, FAINT, INK, NORMAL, ORANGE, PALE, SMALL
from mtrain.stats import estimates
from mtrain.stats.blocks import met
from mtrain.stats.files import put
from mtrain.stats.intervals import parse_note
from mtrain.stats.parts import Parts
from mtrain.stats.ratings import BY_DEFINITION
from mtrain.stats.results import Results
from mtrain.stats.tables import EFFECTS, METHODS

# ── A run that was looked at on its way ───────────────────────────────────────────────────────────────
#
# The figure of a run that was looked at on its way: how means and intervals moved, look by look.


def until(frame: pd.DataFrame, *, ax: Axes | None = None, unit: str = "pips") -> Axes:
    """Mean difference over the blocks seen, with intervals that hold at every look and with Student's inside them.

    Parameters
    ----------
    frame
        A `path` table.
    ax, unit
        Where to draw, by default on a new figure; what a score counts: pips, or tiles.
    """
    by_agent = {str(agent): rows for agent, rows in frame.groupby("agent", sort=False)}
    last = {agent: float(style.floats(rows, "diff")[-1]) for agent, rows in by_agent.items()}
    agents = sorted(by_agent, key=lambda agent: (last[agent], agent))
    ax = style.beside(ax, agents, more=2, width=9.0, base=1.0)
    form = of_unit("pips/round", signed=True)
    looks = style.looks(agents)
    for agent in agents:
        rows = by_agent[agent]
        colour, dash, marker = looks[agent]
        n, mean = rows["blocks"].to_numpy(float), style.floats(rows, "diff")
        raw, adjusted = ([style.floats(rows, f"{name}_{end}") for end in ("lo", "hi")] for name in ("diff", "adjusted"))
        told = "\n".join(
            f"{what} {form.ends(lo[-1], hi[-1])}" if np.isfinite(lo[-1]) else f"{what}: none"
            for what, (lo, hi) in (("every look", adjusted), ("raw", raw))
        )
        label = f"{style.wrapped(agent)} {form(last[agent])}\n{told}"
        ax.fill_between(n, adjusted[0], adjusted[1], color=colour, alpha=0.16, lw=0)
        ax.fill_between(n, raw[0], raw[1], color=colour, alpha=0.3, lw=0)
        ax.plot(n, mean, color=colour, ls=dash, lw=1.5, marker=marker, ms=4, markevery=[-1], label=label)
        for end in adjusted:
            ax.plot(n, end, color=colour, lw=0.7)
    ax.axhline(0, color=FAINT, lw=0.9, zorder=0)
    if len(frame):
        first, most = float(frame["blocks"].min()), float(frame["blocks"].max())
        ax.set_xlim(0, max(most, first + 1) * 1.02)
    else:
        style.nothing(ax, "no look yet")
    test = frame["llr"].notna().any()
    against = "score of the first minus the other's" if test else "against the others at the table"
    about = "blocks seen; 95 % intervals: light, valid at every look; dark, raw, as if this were the only one"
    style.dress(ax, "What each look saw", about, f"{unit}/round {against},\nlower is better", grid="both")
    style.legend(ax, "at the last look, best first")
    return ax


# ── Figures ───────────────────────────────────────────────────────────────────────────────────────────


DIFFERENCE = of_unit("pips/round", signed=True)


def standings(frame: pd.DataFrame, *, ax: Axes | None = None, unit: str = "pips") -> Axes:
    """Pips per round of each agent against the others at the table, with intervals; best on top.

    Parameters
    ----------
    frame
        A `standings` table.
    ax, unit
        Where to draw, by default on a new figure; what a score counts: pips, or tiles.
    """
    ax = style.axes(ax, 8.0, 1.6 + style.rows(frame["agent"])[1])
    style.dots(ax, frame, "diff", DIFFERENCE)
    about = f"{unit}/round, lower is better; {style.basis(frame)}"
    style.dress(ax, f"{unit.capitalize()} per round against the other agents at the table", about)
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
    gaps = np.cumsum(np.diff(group, prepend=group[:1]) != 0)
    y, total = style.rows(frame["agent"], gaps)
    ax = style.axes(ax, 8.0, 1.6 + total)
    fixed = frame[[BY_DEFINITION in parse_note(note, estimates.NOTED).whys for note in frame["note"]]]
    form = of_unit("rating points", signed=not len(fixed))
    level = float(fixed["rating"].iloc[0]) if len(fixed) else 0.0
    style.dots(ax, frame, "rating", form, gaps, level)
    if gaps.any():
        for change in np.flatnonzero(np.diff(gaps)):
            ax.axhline((y[change] + y[change + 1]) / 2, color=FAINT, lw=0.8, ls=":")
        scale = "mean 0 in each group; groups (dotted lines) don't compare\n"
    else:
        scale = "mean 0; "
    if len(fixed):
        at = f"{style.wrapped(fixed['agent'].iloc[0])} at {fixed['rating'].iloc[0]:g}"
        scale = f"{at}; {scale}" if gaps.any() else f"{at}; "
    unit = "rating points, higher is better; 400 points are odds of 10 to 1"
    style.dress(ax, "Plackett–Luce rating", f"{unit}\n{scale}95 % intervals clustered by block")
    return ax


def pairwise(frame: pd.DataFrame, *, ax: Axes | None = None, unit: str = "pips") -> Axes:
    """Matrix of score differences: the agent of the row against the opponent of the column.

    Intervals are those of each pair by itself; bold is what the column `mark` claims, where all pairs are judged
    together.

    Parameters
    ----------
    frame
        A `pairwise` table.
    ax, unit
        Where to draw, by default on a new figure; what a score counts: pips, or tiles.
    """
    agents = sorted({*frame["agent"], *frame["opponent"]})
    n = len(agents)
    row, column = (pd.Index(agents).get_indexer(frame[name]) for name in ("agent", "opponent"))
    matrix = np.full((3, n, n), np.nan)
    matrix[:, row, column] = style.estimates(frame, "diff", "")
    known = ~np.isnan(matrix[0])
    strength = np.where(known, matrix[0], 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
    order = np.lexsort((strength, met(n, *np.nonzero(known))))
    names, (diff, lo, hi) = [agents[i] for i in order], matrix[:, order][:, :, order]
    marked = np.zeros((n, n), dtype=bool)
    marked[row, column] = (frame["mark"] != "").to_numpy()
    marked = marked[order][:, order]
    ax = style.axes(ax, 4.6 + 0.62 * n, 2.6 + style.row_height(names, 0.5) * n)
    style.bare(ax, "Score of the row's agent minus the column's")
    if n < 2:
        ax.set(xticks=[], yticks=[])
        style.nothing(ax, "no two agents met")
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
        text = DIFFERENCE(value) + ("" if np.isnan(low) else f"\n{DIFFERENCE.half((high - low) / 2)}")
        ax.text(
            x, y, text, ha="center", va="center", fontsize=size, fontweight="bold" if marked[y, x] else "normal",
            color="white" if abs(value) > 0.62 * most else INK,
        )  # fmt: skip
    number = ", by its number" if style.number_names(ax, names, 10) else ""
    ax.set(xlim=(-0.5, n - 0.5), ylim=(n - 0.5, -0.5))
    style.colour_bar(ax, mesh, f"{unit}/round (below 0: the row does better)")
    ax.set_xlabel(
        f"opponent{number}; ± 95 % interval, bold where sure, all pairs judged together", fontsize=NORMAL, color=INK
    )
    ax.set_ylabel("agent", fontsize=NORMAL, color=INK)
    return ax


def scores(frame: pd.DataFrame, *, ax: Axes | None = None, unit: str = "pips") -> Axes:
    """Distribution of the score of a round: the share of each agent's rounds that cost at most so many pips.

    Parameters
    ----------
    frame
        A `rounds` table, or the `scores` table made from one.
    ax, unit
        Where to draw, by default on a new figure; what a score counts: pips, or tiles.
    """
    frame = frame if "share" in frame else estimates.scores(frame)
    by_agent = {str(agent): rows for agent, rows in frame.groupby("agent", sort=True)}
    mean = {agent: float(np.average(rows["pips"], weights=rows["rounds"])) for agent, rows in by_agent.items()}
    ax = style.beside(ax, mean, more=1)
    most = int(frame["pips"].max()) if len(frame) else 1
    looks = style.looks(list(mean))
    for agent in sorted(mean, key=lambda name: (mean[name], name)):
        rows = by_agent[agent]
        pips = np.concatenate([rows["pips"].to_numpy(float), [most + 1.0]])
        share = np.concatenate([np.cumsum(rows["share"].to_numpy(float)), [1.0]])
        colour, dash, _ = looks[agent]
        x, y = np.concatenate([[0.0], pips]), np.concatenate([[0.0], share])
        ax.step(x, y, where="post", color=colour, ls=dash, lw=1.6, label=style.wrapped(agent))
    ax.set(xlim=(-0.01 * most, most + 1), ylim=(0, 1.02))
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    score = f"score of a round in {unit}, lower is better (higher curve: better)"
    style.dress(ax, f"Rounds that cost at most so many {unit}", score, "share of the agent's rounds", grid="both")
    style.legend(ax, "agent, best mean first")
    return ax


def by_round(frame: pd.DataFrame, *, ax: Axes | None = None, unit: str = "pips") -> Axes:
    """Mean score of each agent in each round of the game, with intervals.

    Parameters
    ----------
    frame
        A `rounds` table, or the `by_round` table made from one.
    ax, unit
        Where to draw, by default on a new figure; what a score counts: pips, or tiles.
    """
    frame = frame if "pips_lo" in frame else estimates.by_round(frame)
    by_agent = {str(agent): rows for agent, rows in frame.groupby("agent", sort=True)}
    mean = {agent: float(rows["pips"].mean()) for agent, rows in by_agent.items()}
    ax = style.beside(ax, mean)
    looks = style.looks(list(mean))
    agents = sorted(mean, key=lambda name: (mean[name], name))
    last = int(frame["round"].max()) if len(frame) else 1
    dodge = np.linspace(-0.3, 0.3, len(agents)) if len(agents) > 1 else np.zeros(len(agents))
    for agent, shift in zip(agents, dodge, strict=True):
        rows = by_agent[agent]
        x, found = rows["round"].to_numpy(float) + shift, style.estimates(rows, "pips")
        colour, dash, marker = looks[agent]
        style.series(ax, x, found, colour, marker=marker, ms=4, elinewidth=1.2, label=style.wrapped(agent))
        ax.plot(x, found.value, color=colour, ls=dash, lw=0.9, alpha=0.45)
    ax.set_xlim(0.5, last + 0.5)
    ax.set_xticks(range(1, last + 1))
    ylabel = f"{unit}/round, lower is better"
    style.dress(ax, "Score by round of the game", f"round; {style.basis(frame)}", ylabel, grid="y")
    style.legend(ax, "agent, best mean first")
    return ax


def seats(frame: pd.DataFrame, *, ax: Axes | None = None, unit: str = "pips") -> Axes:
    """What a seat, and a place after the round's starter, is worth by itself, with intervals.

    Parameters
    ----------
    frame
        A `seats` table.
    ax, unit
        Where to draw, by default on a new figure; what a score counts: pips, or tiles.
    """
    ax = style.axes(ax, 8.0, 3.8)
    ticks: list[float] = []
    names: list[str] = []
    start = 0.0
    for effect, colour, what in zip(EFFECTS, (BLUE, ORANGE), ("seat", "seats after the round's starter"), strict=True):
        rows = frame[(frame["effect"] == effect).to_numpy()]
        if not len(rows):
            continue
        x = start + np.arange(len(rows))
        style.errorbars(ax, x, style.estimates(rows, "diff", ""), colour, upright=True)
        ax.annotate(
            what, (float(x.mean()), 0), (0, -20), ax.get_xaxis_transform(), "offset points", ha="center", va="top",
            fontsize=NORMAL, color=colour,
        )  # fmt: skip
        ticks += list(x)
        names += [str(value) for value in rows["value"]]
        start += len(rows) + 0.8
    ax.axhline(0, color=FAINT, lw=0.9, zorder=0)
    ax.set_xticks(ticks, names)
    ylabel = f"{unit}/round against the\ntable's mean, lower is better"
    style.dress(ax, "Effect of the seat and of the place after the starter", style.basis(frame), ylabel, grid="y")
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
    ax = style.axes(ax, 7.2, 5.2)
    ax.axline((0, 0), (1, 1), color=FAINT, lw=0.9, zorder=0)
    most = 0
    for method, colour, marker in zip(METHODS, style.COLOURS, style.MARKERS, strict=False):
        rows = frame[(frame["method"] == method).to_numpy()]
        if not len(rows):
            continue
        x, found = style.floats(rows, "predicted"), style.estimates(rows, "observed")
        label = f"{method}\n{count(int(rows['n'].sum()))} pairs"
        style.series(ax, x, found, colour, marker=marker, ms=5, elinewidth=1.2, label=label)
        ax.plot(x, found.value, color=colour, lw=0.9, alpha=0.45)
        most = max(most, int(rows["deals"].max()))
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    basis = f"95 % intervals over {most} deals" if most > 1 else "no intervals: 1 deal"
    xlabel, ylabel = f"mean predicted probability; {basis}", "share of pairs where the tile lay there"
    style.dress(ax, "Where tiles are: predicted and observed", xlabel, ylabel, grid="both")
    style.legend(ax, "places judged by")
    return ax


def cost(
    frame: pd.DataFrame,
    timing: pd.DataFrame,
    value: Literal["pips", "diff"] = "pips",
    *,
    ax: Axes | None = None,
    unit: str = "pips",
) -> Axes:
    """Pips per round of each agent, with intervals, against the mean time of its decisions.

    Parameters
    ----------
    frame
        A `standings` table.
    timing
        The `timing` table of the same tournament; who has no time in it is named, and not drawn.
    value
        Its own `pips`, which compare where all met all, or the `diff` from the others at its tables.
    ax, unit
        Where to draw, by default on a new figure; what a score counts: pips, or tiles.
    """
    times = timing.set_index("agent")["us_per_decision"].reindex(frame["agent"])
    time = times.to_numpy(np.float64, na_value=np.nan)
    found = style.estimates(frame, value)
    form = of_unit("pips/round", signed=value != "pips")
    shown = np.isfinite(time) & (time > 0) & np.isfinite(found.value)
    names = [str(name) for name in frame["agent"]]
    ax = style.beside(ax, names, more=1)
    colours = style.looks(names)
    for k in sorted(range(len(names)), key=lambda k: (not shown[k], found.value[k], names[k])):
        colour, _, marker = colours[names[k]]
        told = f"{form(found.value[k])}, {brief(time[k])}" if shown[k] else ABSENT
        at = [k] if shown[k] else []
        fill = "white" if np.isnan(found.lo[k]) else colour
        how: dict[str, Any] = {
            "marker": marker,
            "ms": 6,
            "elinewidth": 1.6,
            "label": f"{style.wrapped(names[k])}\n{told}",
        }
        style.series(ax, time[at], found.at(at), colour, mfc=fill, **how)
    ax.set_xscale("log")
    if shown.any():
        ax.set_xlim(
            10 ** np.floor(np.log10(time[shown].min()) - 0.05), 10 ** np.ceil(np.log10(time[shown].max()) + 0.05)
        )
    ax.xaxis.set_major_formatter(FuncFormatter(lambda us, _: brief(us)))
    ax.xaxis.set_minor_formatter(NullFormatter())
    others = "" if value == "pips" else " against the others\nat the table"
    title, xlabel = f"{unit.capitalize()} per round against time per decision", "mean time of a decision"
    ylabel = f"{unit}/round{others}, lower is better"
    style.dress(ax, title, f"{xlabel}; {style.basis(frame)}", ylabel, grid="both")
    style.legend(ax, f"agent, {unit}/round, time; best first")
    return ax


def budget(frame: pd.DataFrame, *, ax: Axes | None = None, unit: str = "pips") -> Axes:
    """Strength of families of agents along the number in which their members differ, with intervals.

    Parameters
    ----------
    frame
        A `families` table, of one parameter.
    ax, unit
        Where to draw, by default on a new figure; what a score counts: pips, or tiles.
    """
    by_family = {str(family): rows for family, rows in frame.groupby("family", sort=False)}
    parameter = str(frame["parameter"].iloc[0])
    ax = style.beside(ax, by_family)
    colours = style.looks(list(by_family))
    setting = style.floats(frame, "setting")
    wide = setting.min() > 0 and setting.max() >= 8 * setting.min()
    span = 0.03 * (np.log(setting.max() / setting.min()) if wide else np.ptp(setting)) / max(len(by_family), 1)
    for k, (family, rows) in enumerate(by_family.items()):
        shift = (k - (len(by_family) - 1) / 2) * span
        x = style.floats(rows, "setting")
        x = x * np.exp(shift) if wide else x + shift
        found = style.estimates(rows, "diff")
        colour, dash, marker = colours[family]
        ax.plot(x, found.value, color=colour, ls=dash, lw=0.9, alpha=0.45)
        style.series(ax, x, found, colour, marker=marker, ms=5, elinewidth=1.6, label=style.wrapped(family))
    ax.axhline(0, color=FAINT, lw=0.9, zorder=0)
    if wide:
        ax.set_xscale("log", base=2)
    known = np.unique(setting)
    if len(known) <= 12:
        ax.set_xticks(known, [f"{value:g}" for value in known])
        ax.minorticks_off()
    ylabel = f"{unit}/round against the others\nat the table, lower is better"
    style.dress(ax, f"Strength by {parameter}", f"{parameter}; {style.basis(frame)}", ylabel, grid="both")
    style.legend(ax, "agents")
    return ax


def parts(frame: pd.DataFrame, *, ax: Axes | None = None, unit: str = "pips") -> Axes:
    """Pips per round of each agent against the others at its table, part by part, with intervals.

    Parameters
    ----------
    frame
        A `parts` table.
    ax, unit
        Where to draw, by default on a new figure; what a score counts: pips, or tiles.
    """
    names = list(dict.fromkeys(frame["part"]))
    agents = sorted(set(frame["agent"]))
    colours = style.looks(agents)
    step = 0.17
    high = np.array([max(style.ROW, step * (frame["part"] == name).sum() + 0.2) for name in names], float)
    middle = np.cumsum(high) - high / 2
    lines = sum(len(style.wrapped(agent).splitlines()) for agent in agents)
    ax = style.axes(ax, 8.5, max(1.6 + float(high.sum()), 1.2 + 0.16 * lines + 0.09 * len(agents)))
    for agent in agents:
        mine = frame[(frame["agent"] == agent).to_numpy()]
        at = []
        for name in mine["part"]:
            here = sorted(frame["agent"][(frame["part"] == name).to_numpy()])
            at.append(middle[names.index(name)] + step * (here.index(agent) - (len(here) - 1) / 2))
        found = style.estimates(mine, "diff")
        colour, _, marker = colours[agent]
        how: dict[str, Any] = {"marker": marker, "ms": 5, "elinewidth": 1.6, "label": style.wrapped(agent)}
        style.series(ax, at, found, colour, upright=False, **how)
        for y, x, note in zip(at, found.value, mine["note"], strict=True):
            if np.isnan(x):
                inside = ax.get_yaxis_transform()
                ax.text(0.02, y, f"{ABSENT}: {note}", transform=inside, va="center", fontsize=SMALL, color=FAINT)
    ax.axvline(0, color=FAINT, lw=0.9, zorder=0)
    for edge in np.cumsum(high)[:-1]:
        ax.axhline(edge, color=PALE, lw=0.8, zorder=0)
    ax.set_yticks(middle, [style.wrapped(name) for name in names])
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(float(high.sum()) + 0.05, -0.05)
    title = f"{unit.capitalize()} per round against the others at the table, by part"
    style.dress(ax, title, f"{unit}/round, lower is better; {style.basis(frame)}")
    style.legend(ax, "agent")
    return ax


def figures(results: Results) -> dict[str, Axes]:
    """Draw every figure of a tournament, by name.

    Returns
    -------
    dict
        `standings`, `pairwise`, `ratings`, `scores`, `seats` and `by_round`; `cost` where times were measured, `until`
        where a rule was to stop it, and a `budget` for every number along which there is a family of agents.
    """
    unit = results.unit
    drawn = {
        "standings": standings(results.standings, unit=unit),
        "pairwise": pairwise(results.pairwise, unit=unit),
        "ratings": ratings(results.ratings),
        "scores": scores(results.scores, unit=unit),
        "seats": seats(results.seats, unit=unit),
        "by_round": by_round(results.by_round, unit=unit),
    }
    if results.timed:
        together = results.manifest.schedule == "all"
        drawn["cost"] = cost(results.standings, results.timing, "pips" if together else "diff", unit=unit)
    if results.rule is not None:
        drawn["until"] = until(results.looks, unit=unit)
    numbers = sorted(set(results.families["parameter"]))
    for parameter in numbers:
        rows = results.families[(results.families["parameter"] == parameter).to_numpy()]
        drawn["budget" if len(numbers) == 1 else f"budget_{parameter}"] = budget(rows, unit=unit)
    for ax in drawn.values():
        captioned(ax, results.caption)
    return drawn


def figure_of_parts(found: Parts) -> Axes:
    """Draw the figure of all parts of an experiment."""
    if len(found.units) < 2:
        ax = parts(found.standings, unit=found.unit)
    else:
        frames = {unit: found.standings_in(unit) for unit in found.units}
        sizes = [parts(frame).figure.get_size_inches() for frame in frames.values()]  # type: ignore[union-attr]
        panels = style.panels(8.5, [float(size[1]) for size in sizes])
        for (unit, frame), panel in zip(frames.items(), panels, strict=True):
            parts(frame, ax=panel, unit=unit)
        ax = panels[0]
    captioned(ax, found.title)
    return ax


def save(results: Results, folder: str | Path, formats: Sequence[str] = ("png", "svg")) -> list[Path]:
    """Draw every figure of a tournament into a folder, in each of the formats; the same bytes each time."""
    return [path for name, ax in figures(results).items() for path in put_figure(ax, folder, name, formats)]


def save_parts(found: Parts, folder: str | Path, formats: Sequence[str] = ("png", "svg")) -> list[Path]:
    """Draw the figure of all parts of an experiment, `parts`, into a folder; the same bytes each time."""
    return put_figure(figure_of_parts(found), folder, "parts", formats)


def captioned(ax: Axes, caption: str) -> None:
    """Say below a figure what it is from."""
    ax.figure.supxlabel(caption, x=0.01, ha="left", fontsize=SMALL, color=FAINT)  # type: ignore[union-attr]


def put_figure(ax: Axes, folder: str | Path, name: str, formats: Sequence[str] = ("png", "svg")) -> list[Path]:
    """Write the figure of some Axes into a folder, the same bytes each time; return the files."""
    return [put(Path(folder) / f"{name}.{kind}", picture(ax, kind)) for kind in formats]


def picture(ax: Axes, kind: str, dpi: float = 150) -> bytes:
    """The figure of some Axes as the bytes of a file, the same each time."""
    data, undated = BytesIO(), {"Date": None} if kind == "svg" else None
    with matplotlib.rc_context({"svg.hashsalt": "mtrain"}):
        ax.figure.savefig(data, format=kind, dpi=dpi, metadata=undated)  # type: ignore[union-attr]
    return data.getvalue()
