"""What a seat, a place after the starter and a neighbour are worth, one number a block.

None of these is an agent's strength; an estimate of strength is fair if they cancel over the seatings of a block, and
here they are seen by themselves. Frames go in as in `blocks`; nothing here knows an interval or a file.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from mtrain.stats.blocks import Floats, Grid, Ints, across, block_columns, grid, labelled
from mtrain.stats.tables import EFFECTS, SIDES

_EFFECTS, _SIDES = pd.Index(EFFECTS, dtype="str"), pd.Index(SIDES, dtype="str")


def seat_numbers(games: pd.DataFrame | Grid) -> pd.DataFrame:
    """One row per block and seat: `match, deal, players, effect, value, diff, win`, with "seat" as `effect`.

    `diff` is the seat's score minus the table's mean, in pips/round; `win` its share of the games won, ties split.
    """
    g = grid(games)
    return _effect_numbers(g, "seat", g["score"] / g["rounds"].astype(np.float64), g["win"].astype(np.float64))


def offset_numbers(rounds: pd.DataFrame | Grid) -> pd.DataFrame:
    """One row per block and starter offset: the columns of `seat_numbers`; `effect` is "starter offset".

    The offset is (seat - starter) mod seats in each round: 0 is the seat that started it. `win` is the share of
    rounds won.
    """
    g = grid(rounds, "round")
    pips = g["pips"]
    seat = g["starter"].astype(np.int64)
    seat[:] = seat[:, :1] + np.arange(g.seats)
    seat -= g.seats * (seat >= g.seats)
    pips = pips.ravel()[seat + np.arange(0, pips.size, g.seats)[:, None]]  # by offset, not by seat
    best = pips == across(np.minimum, pips)[:, None]
    return _effect_numbers(g, "starter offset", pips, best / across(np.add, best.astype(np.int8))[:, None])


def _effect_numbers(g: Grid, effect: str, pips: npt.NDArray[Any], win: Floats) -> pd.DataFrame:
    """Block means of numbers that are laid out by line and by value of the effect."""
    n_lines = np.diff(g.begins, append=len(g.block))[:, None]
    sums = [np.add.reduceat(x, g.begins, axis=0) if len(x) else np.zeros((0, g.seats)) for x in (pips * 1.0, win)]
    diff, won = sums[0] / n_lines, sums[1] / n_lines
    rows = np.arange(diff.size)
    return pd.DataFrame(
        {
            **block_columns(g, rows // g.seats),
            "effect": labelled(np.full(len(rows), EFFECTS.index(effect)), _EFFECTS),
            "value": (rows % g.seats).astype(np.int8),
            "diff": (diff - diff.mean(axis=1, keepdims=True)).ravel(),
            "win": won.ravel(),
        }
    )


def neighbour_numbers(games: pd.DataFrame | Grid) -> pd.DataFrame:
    """One row per block, agent and side: what it is worth to the others to sit right after it, or right before.

    ========== ================================================================================================
    match deal the block
    agent      category
    players    seats at the table
    side       "after": the seats that have their turn right after the agent's; "before": right before
    diff       pips/round: mean score of the others on that side, less that of those who aren't but have the same
               place else (beside the agent on the other side, or not); where nobody compares, as with three
               agents on three seats, less that of those on the other side
    others     how many other agents there are in the line-up
    one, last  the least and the greatest code among those that sat on that side
    ========== ================================================================================================

    Over all orders of a line-up the same agents sit on all these seats, so their own strength cancels within the
    block; over random orders it does so from block to block. Where nothing compares at all, as with two seats, a block
    has no row.
    """
    g = grid(games)
    rate = (g["score"] / g["rounds"].astype(np.float64)).ravel()
    before_it, after_it = np.roll(g.agents, 1, axis=1), np.roll(g.agents, -1, axis=1)
    new = np.diff(g.lineup, axis=1, prepend=-1) != 0
    cells = len(g.match) * 4
    parts = []
    for place in range(g.seats):
        agent = g.lineup[g.block, place][:, None]
        mine = g.agents == agent
        # Seats of others by what lies beside them: 1, the agent has its turn right before; 2, right after; 3, both.
        cell = 4 * g.block[:, None] + (before_it == agent) + 2 * (after_it == agent)
        cell[mine] = cells
        count = np.bincount(cell.ravel(), minlength=cells + 1)[:cells].reshape(-1, 4)
        sums = np.bincount(cell.ravel(), rate, minlength=cells + 1)[:cells].reshape(-1, 4)
        with np.errstate(invalid="ignore", divide="ignore"):
            neither, after, before, both = (sums / count).T
        for side, (here, there, beside) in enumerate(((after, before, after_it), (before, after, before_it))):
            contrasts = np.stack([here - neither, both - there])
            known = ~np.isnan(contrasts)
            diff = np.where(known, contrasts, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
            diff = np.where(known.any(axis=0), diff, here - there)
            rows = np.flatnonzero(new[:, place] & ~np.isnan(diff))
            who = (g.lineup[rows, place], np.full(len(rows), side))
            parts.append((rows, *who, diff[rows], *_span(g, np.where(mine, beside, -1), rows)))
    block, agents, sides, diffs, one, last = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.lexsort((sides, agents, block))
    return pd.DataFrame(
        {
            **block_columns(g, block[order]),
            "agent": labelled(agents[order], g.labels),
            "side": labelled(sides[order], _SIDES),
            "diff": diffs[order],
            "others": (new.sum(axis=1) - 1)[block[order]].astype(np.int8),
            "one": one[order].astype(np.int16),
            "last": last[order].astype(np.int16),
        }
    )


def _span(g: Grid, codes: Ints, blocks: Ints) -> tuple[Ints, Ints]:
    """The least and the greatest code in some blocks; -1 is none. Where all orders are played, every code comes up."""
    if len(g.block) > g.seats * len(g.match) or not len(blocks):
        return np.full(len(blocks), -1), np.full(len(blocks), len(g.labels))
    least = across(np.minimum, np.where(codes < 0, len(g.labels), codes))
    most = across(np.maximum, codes)
    return np.minimum.reduceat(least, g.begins)[blocks], np.maximum.reduceat(most, g.begins)[blocks]
