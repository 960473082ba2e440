"""The figure of a run that was looked at on its way: how means and intervals moved, look by look."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from mtrain.study import look
from mtrain.study.look import FAINT, INK, NORMAL


def until(frame: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Mean difference over the blocks seen, with intervals that hold at every look and with Student's inside them.

    Parameters
    ----------
    frame
        A `path` table.
    ax
        Where to draw; by default on a new figure.
    """
    by_agent = {str(agent): rows for agent, rows in frame.groupby("agent", sort=False)}
    last = {agent: float(look.floats(rows, "diff")[-1]) for agent, rows in by_agent.items()}
    agents = sorted(by_agent, key=lambda agent: (last[agent], agent))
    lines = sum(2 + len(look.wrapped(agent).splitlines()) for agent in agents)
    ax = look.axes(ax, 9.0, max(4.2, 1.0 + 0.16 * lines + 0.09 * len(agents)))
    looks = look.looks(agents)
    for agent in agents:
        rows = by_agent[agent]
        colour, dash, marker = looks[agent]
        n, mean = rows["blocks"].to_numpy(float), look.floats(rows, "diff")
        raw, adjusted = ([look.floats(rows, f"{name}_{end}") for end in ("lo", "hi")] for name in ("diff", "adjusted"))
        told = "\n".join(
            f"{what} [{look.number('{:+.2f}', lo[-1])}, {look.number('{:+.2f}', hi[-1])}]"
            if np.isfinite(lo[-1])
            else f"{what}: none"
            for what, (lo, hi) in (("every look", adjusted), ("raw", raw))
        )
        label = f"{look.wrapped(agent)} {look.number('{:+.2f}', last[agent])}\n{told}"
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
        ax.text(0.5, 0.5, "n/a: no look yet", transform=ax.transAxes, ha="center", fontsize=NORMAL, color=INK)
    test = frame["llr"].notna().any()
    against = "score of the first minus the other's" if test else "against the others at the table"
    ax.set_ylabel(f"pips/round {against},\nlower is better", fontsize=NORMAL, color=INK)
    look.dress(
        ax, "What each look saw",
        "blocks seen; 95 % intervals: light, valid at every look; dark, raw, as if this were the only one", grid="both",
    )  # fmt: skip
    look.legend(ax, "at the last look, best first")
    return ax
