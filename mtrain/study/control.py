"""Control variates: the luck of the deals taken out of the estimates, by what was declared before the run.

In a whole block every agent holds every hand, so which hands it was dealt cancels already. What stays is what the deal
is like for everybody: how heavy its hands are, how many doubles they hold, how unevenly pips are spread over them. Its
expectation is known exactly from the rules, and where a better agent gains more from a heavy deal, the block's `diff`
goes along with it: that part can be taken out (Lavenberg & Welch 1981, "A perspective on the use of control variables
to increase the efficiency of Monte Carlo simulations"). What is controlled for stands in the manifest, written
before the first game, so nobody can choose it by looking at results. The expectations come from there, too: this
module knows no tile.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from mtrain.study import tables
from mtrain.study.blocks import Floats, Grid, block_columns, grid
from mtrain.study.estimates import block_of, codes_of, once
from mtrain.study.intervals import FEW, estimate, t_quantile

CONTROLS: Mapping[str, str] = {
    "dealt_pips": "pips in a dealt hand, mean over the block's hands",
    "dealt_doubles": "doubles in a dealt hand, mean over the block's hands",
    "dealt_spread": "variance of the pips dealt to the seats of a round, mean over the block's rounds",
}
"""What can be controlled for."""

CONTROL_COLUMNS = ("dealt", "doubles")
"""The columns of `rounds` that this module reads, besides the keys."""


def deal_numbers(rounds: pd.DataFrame | Grid) -> pd.DataFrame:
    """One row per block: `match, deal, players`, and each of `CONTROLS`. A block's seatings share their hands."""
    g = grid(rounds, "round")
    lines = np.flatnonzero(g.seating == np.repeat(g.seating[g.begins], np.diff(g.begins, append=len(g.block))))
    block = g.block[lines]
    dealt, doubles = (g[name][lines].astype(np.float64) for name in CONTROL_COLUMNS)
    n = np.bincount(block, minlength=len(g.match))

    def mean(values: Floats) -> Floats:
        means: Floats = np.bincount(block, values, minlength=len(g.match)) / n
        return means

    return pd.DataFrame(
        {
            **block_columns(g, np.arange(len(g.match))),
            "dealt_pips": mean(dealt.mean(axis=1)),
            "dealt_doubles": mean(doubles.mean(axis=1)),
            "dealt_spread": mean(dealt.var(axis=1, ddof=1) if len(dealt) else dealt[:, 0]),
        }
    )


def controlled(blocks: pd.DataFrame, deals: pd.DataFrame, expected: Mapping[str, float]) -> pd.DataFrame:
    """The `controlled` table: each agent's `diff` as it is, and adjusted for what was declared.

    Parameters
    ----------
    blocks
        `block_numbers`.
    deals
        `deal_numbers` of the same blocks.
    expected
        What was declared, and the expectation of each: names of `CONTROLS`.

    Notes
    -----
    The adjusted estimate is the intercept of a regression of the blocks' `diff` on the declared numbers less their
    expectations; its interval is Student's t on blocks - 1 - declared degrees of freedom. `saved` compares the squared
    standard errors. It is below 0 where the numbers explain less than they cost.
    """
    who, labels = codes_of(blocks["agent"])
    n = len(labels)
    both = pd.concat([deals[["match", "deal"]], blocks[["match", "deal"]]], ignore_index=True)
    key = block_of(both)
    once(deals, key[: len(deals)])
    once(blocks, key[len(deals) :] * max(n, 1) + who)
    row = np.full(key.max(initial=-1) + 1, -1)
    row[key[: len(deals)]] = np.arange(len(deals))
    row = row[key[len(deals) :]]
    if (row < 0).any():
        lost = blocks.iloc[int(np.argmin(row))]
        raise tables.ResultsError(f"the hands of block (match {lost['match']}, deal {lost['deal']}) aren't known")
    diff = blocks["diff"].to_numpy(np.float64)
    luck = np.stack([deals[name].to_numpy(np.float64) - mean for name, mean in expected.items()], axis=1)[row]
    raw = estimate(diff, who, n)
    adjusted, half, saved = np.full((3, n), np.nan)
    note = raw.why.copy()
    least = len(expected) + 3
    for agent in np.flatnonzero(note == ""):
        mine = (who == agent) & ~np.isnan(diff)
        if mine.sum() < least:
            note[agent] = f"adjusted: {FEW.replace('2', str(least))}"
            continue
        x = np.column_stack([np.ones(mine.sum()), luck[mine]])
        _, r = np.linalg.qr(x / (scale := np.sqrt((x**2).sum(axis=0))))
        if np.abs(np.diag(r)).min() < 1e-9:
            note[agent] = "adjusted: what was declared doesn't vary by itself between blocks"
            continue
        worth = np.linalg.lstsq(x / scale, diff[mine], rcond=None)[0] / scale
        df = len(x) - x.shape[1]
        spread = ((diff[mine] - x @ worth) ** 2).sum() / df
        inverse = np.linalg.inv(r.T @ r) / np.outer(scale, scale)
        error = np.sqrt(spread * inverse[0, 0])
        adjusted[agent], half[agent] = worth[0], t_quantile(df) * error
        saved[agent] = 1 - (error / raw.error[agent]) ** 2
    return tables.frame(
        tables.CONTROLLED,
        {
            "agent": labels.to_numpy(object),
            "blocks": raw.n,
            "diff": raw.mean,
            "diff_lo": raw.lo,
            "diff_hi": raw.hi,
            "adjusted": adjusted,
            "adjusted_lo": adjusted - half,
            "adjusted_hi": adjusted + half,
            "saved": saved,
            "note": note,
        },
    )
