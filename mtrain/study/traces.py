"""The figure of a run that was looked at on its way: how means and intervals moved, look by look."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from mtrain.study import look
from mtrain.study.format import of_unit
from mtrain.study.look import FAINT


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
    last = {agent: float(look.floats(rows, "diff")[-1]) for agent, rows in by_agent.items()}
    agents = sorted(by_agent, key=lambda agent: (last[agent], agent))
    ax = look.beside(ax, agents, more=2, width=9.0, base=1.0)
    form = of_unit("pips/round", signed=True)
    looks = look.looks(agents)
    for agent in agents:
        rows = by_agent[agent]
        colour, dash, marker = looks[agent]
        n, mean = rows["blocks"].to_numpy(float), look.floats(rows, "diff")
        raw, adjusted = ([look.floats(rows, f"{name}_{end}") for end in ("lo", "hi")] for name in ("diff", "adjusted"))
        told = "\n".join(
            f"{what} {form.ends(lo[-1], hi[-1])}" if np.isfinite(lo[-1]) else f"{what}: none"
            for what, (lo, hi) in (("every look", adjusted), ("raw", raw))
        )
        label = f"{look.wrapped(agent)} {form(last[agent])}\n{told}"
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
        look.nothing(ax, "no look yet")
    test = frame["llr"].notna().any()
    against = "score of the first minus the other's" if test else "against the others at the table"
    about = "blocks seen; 95 % intervals: light, valid at every look; dark, raw, as if this were the only one"
    look.dress(ax, "What each look saw", about, f"{unit}/round {against},\nlower is better", grid="both")
    look.legend(ax, "at the last look, best first")
    return ax
