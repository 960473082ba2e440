"""The design: what blocks and common deals do to the precision, and the bootstrap as a second opinion on intervals.

`design` says how wrong an interval over single games would be, and what it saves that all agents play the same deals.
`bootstrap` gives each number of the standings the interval of a method that supposes no distribution at all, beside
the standings' own. Both take block numbers; nothing here knows a file or a figure.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from mtrain.study import intervals, tables
from mtrain.study.estimates import QUANTITIES, STANDINGS_UNITS, block_of, codes_of, once, players_of
from mtrain.study.intervals import NOISE, variances
from mtrain.study.resample import resample


def design(blocks: pd.DataFrame) -> pd.DataFrame:
    """The `design` table from `block_numbers`: one row per agent.

    Notes
    -----
    `design_effect` is the variance of `diff` over blocks as a multiple of what it would be if all games were
    independent (Kish 1965, *Survey Sampling*). Above 1, games of a block repeat each other and an interval over single
    games is too narrow; below 1, playing a deal in all its seatings has taken more luck out than that.

    `saved` compares with agents that play different deals: 1 - var(own - others) / (var(own) + var(others)), over
    the blocks' mean pips of the agent and of the others at its tables.
    """
    players_of(blocks)
    who, labels = codes_of(blocks["agent"])
    n = len(labels)
    once(blocks, block_of(blocks) * max(n, 1) + who)
    diff = blocks["diff"].to_numpy(np.float64)
    known = ~np.isnan(diff)
    diff, who, kept = diff[known], who[known], blocks[known]
    games = kept["games"].to_numpy(np.float64)
    pips = kept["pips"].to_numpy(np.float64)
    over = intervals.estimate(diff, who, n)
    n_games = np.bincount(who, games, minlength=n)
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = np.bincount(who, games * diff, minlength=n) / n_games
        squares = kept["within"].to_numpy(np.float64) + games * (diff - centre[who]) ** 2
        naive = np.sqrt(np.bincount(who, squares, minlength=n) / (n_games - 1) / n_games)
        naive = np.where(np.isnan(over.error) | ~(naive > NOISE), np.nan, naive)
        apart = variances(pips, who, n)[2] + variances(pips - diff, who, n)[2]
        saved = np.where(np.isnan(over.error), np.nan, 1 - variances(diff, who, n)[2] / apart)
        effect = (over.error / naive) ** 2
    return tables.frame(
        tables.DESIGN,
        {
            "agent": labels.to_numpy(object),
            "blocks": over.n,
            "games": n_games.astype(np.int64),
            "diff": over.mean,
            "se_block": over.error,
            "se_naive": naive,
            "design_effect": effect,
            "saved": saved,
            "note": over.why,
        },
    )


def bootstrap(blocks: pd.DataFrame) -> pd.DataFrame:
    """The `bootstrap` table from `block_numbers`: for each number of the standings both intervals, side by side."""
    players = players_of(blocks)
    who, labels = codes_of(blocks["agent"])
    n, block = len(labels), block_of(blocks)
    once(blocks, block * max(n, 1) + who)
    first = np.unique(block, return_index=True)[1]
    drawn = resample(blocks["match"].to_numpy()[first], blocks["deal"].to_numpy()[first])
    parts = []
    for q in QUANTITIES:
        values = blocks[q.number].to_numpy(np.float64)
        plain = q.estimate(values, who, n, players)
        again = intervals.bootstrap(values, who, n, block, drawn, q.column.scale[0], q.highest(players))
        data = {
            "agent": labels.to_numpy(object),
            "quantity": np.full(n, q.name, dtype=object),
            "unit": np.full(n, STANDINGS_UNITS[q.name], dtype=object),
            "blocks": plain.n,
            "value": plain.mean,
            "lo": plain.lo,
            "hi": plain.hi,
            "boot_lo": again.lo,
            "boot_hi": again.hi,
            "note": again.why,
        }
        parts.append(tables.frame(tables.BOOTSTRAP, data))
    whole = pd.concat(parts, ignore_index=True)
    agent = pd.Index(labels.astype("str")).get_indexer(whole["agent"])
    return whole.iloc[np.argsort(agent, kind="stable")].reset_index(drop=True)
