"""Alpha-rank: a second opinion on who is best, which needs no scale and lets preferences go round in a circle.

Imagine a population that plays nothing but one agent; now and then a single mutant, another agent, sits down. If it
does better than its table, its kind takes over. Where that process spends its time is an agent's mass (Omidshafiei et
al. 2019, "α-Rank: Multi-agent evaluation by evolution", the form with one population; Rowland et al. 2019,
"Multiagent evaluation under incomplete information", for selection without bound: better always takes over, equal
takes over by chance, worse never does). An agent that beats all others has mass 1; rock, paper and scissors have a
third each.

How a mutant does is read off the tables where one sits among copies of the other, if the tournament has them for all
ordered pairs of agents; else off the share of games in which it ranks ahead of the other, whoever else is there.

Block numbers in, masses out: this module knows no rating and no file.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mtrain.study.blocks import Bools, Floats, Ints, met
from mtrain.study.intervals import ALONE, CONSTANT, FEW, NOISE
from mtrain.study.resample import Resamples, resample
from mtrain.study.tables import ALPHARANK, frame

LINEUPS = "one among copies"
PAIRS = "pairs at mixed tables"

POPULATION = 50
"""Members of the imagined population: one as good as the others takes over once in so many times."""

_NEVER = 1e-9
"""How often a worse one takes over: so rarely that it only joins what would be apart."""


def alpharank(pairs: pd.DataFrame, blocks: pd.DataFrame, lineups: Sequence[Sequence[str]] = ()) -> pd.DataFrame:
    """The `alpharank` table, the greatest mass first within each group.

    Parameters
    ----------
    pairs
        `pair_numbers` of the games.
    blocks
        `block_numbers` of the same games.
    lineups
        Who sits at the table of each match, a label a seat; without them only pairs are looked at.

    Returns
    -------
    DataFrame
        One row an agent. The intervals are those of the bootstrap of blocks. A group in which two agents never met at
        one table has no masses.
    """
    labels = list(blocks["agent"].cat.categories)
    n = len(labels)
    match, deal = (blocks[name].to_numpy(np.int64) for name in ("match", "deal"))
    key, block = np.unique(match << 32 | deal, return_inverse=True)
    drawn = resample(key >> 32, key & 0xFFFFFFFF)
    mutant, resident = (np.asarray(pairs[name].cat.codes).astype(np.int64) for name in ("agent", "opponent"))
    group = met(n, mutant, resident)
    where = np.searchsorted(key, pairs["match"].to_numpy(np.int64) << 32 | pairs["deal"].to_numpy(np.int64))
    edges = _Edges(where, mutant * n + resident, pairs["share"].to_numpy(np.float64) - 0.5)
    together = (group[:, None] == group) & ~np.eye(n, dtype=bool)
    basis = PAIRS
    if (among := _among_copies(blocks, block, lineups, labels)) is not None:
        seen = np.zeros(n * n, dtype=bool)
        seen[among.cell] = True
        if (seen.reshape(n, n) >= together).all():
            edges, basis = among, LINEUPS
    value, again = edges.means(drawn, n)
    n_blocks = np.bincount(np.unique(block * n + np.asarray(blocks["agent"].cat.codes)) % n, minlength=n)
    mass, low, high, expected = np.full((4, n), np.nan)
    note = np.full(n, "", dtype=object)
    for number in np.unique(group):
        theirs = np.flatnonzero(group == number)
        cells = np.ix_(theirs, theirs)
        if len(theirs) < 2:
            note[theirs] = ALONE if n_blocks[theirs[0]] else FEW
            continue
        if np.isnan(value[cells][together[cells]]).any():
            note[theirs] = "some agents of its group never met at one table"
            continue
        mass[theirs] = stationary(chain(value[cells][None]))[0]
        if n_blocks[theirs].min() < 2:
            note[theirs] = FEW
            continue
        replicates = again[:, theirs][:, :, theirs]
        if not (np.nanmax(np.ptp(replicates, axis=0), initial=0.0) > NOISE):
            note[theirs] = CONSTANT
            continue
        masses = stationary(chain(replicates))
        low[theirs], high[theirs] = np.quantile(masses, (0.025, 0.975), axis=0)
        expected[theirs] = masses.mean(axis=0)
    order = np.lexsort((np.arange(n), -np.nan_to_num(mass), np.isnan(mass), group))
    table = {
        "agent": np.array(labels, dtype=object),
        "group": group + 1,
        "blocks": n_blocks,
        "mass": mass,
        "mass_lo": low,
        "mass_hi": high,
        "expected": expected,
        "basis": np.where(np.isnan(mass), "", basis).astype(object),
        "note": note,
    }
    return frame(ALPHARANK, {name: values[order] for name, values in table.items()})


def chain(advantage: Floats) -> Floats:
    """The chances to pass from one population to another, float64[…, from, to]; each row sums to 1.

    Parameters
    ----------
    advantage
        float64[…, n, n]: what mutant i gains over its table among residents j; its sign alone counts.
    """
    n = advantage.shape[-1]
    gain = np.swapaxes(np.nan_to_num(advantage), -1, -2)  # residents in rows, mutants in columns
    takes: Floats = np.where(gain > NOISE, 1.0, np.where(gain < -NOISE, _NEVER, 1 / POPULATION)) / max(n - 1, 1)
    takes[..., np.arange(n), np.arange(n)] = 0.0
    takes[..., np.arange(n), np.arange(n)] = 1 - takes.sum(axis=-1)
    return takes


def stationary(chains: Floats) -> Floats:
    """The share of time that each chain spends in each state, float64[chains, n].

    Notes
    -----
    States are taken out one by one, without a subtraction, so that chances of very different sizes do no harm
    (Grassmann, Taksar & Heyman 1985, "Regenerative analysis and steady state distributions for Markov chains").
    """
    a = chains.copy()
    n = a.shape[-1]
    for k in range(n - 1, 0, -1):
        a[:, :k, k] /= a[:, k, :k].sum(axis=1)[:, None]
        a[:, :k, :k] += a[:, :k, k, None] * a[:, k, None, :k]
    share = np.zeros(a.shape[:2])
    share[:, 0] = 1
    for k in range(1, n):
        share[:, k] = (share[:, :k] * a[:, :k, k]).sum(axis=1)
    whole: Floats = share / share.sum(axis=1, keepdims=True)
    return whole


class _Edges:
    """What mutants gained over residents, block by block: rows of (block, mutant · n + resident, gain)."""

    def __init__(self, block: Ints, cell: Ints, gain: Floats) -> None:
        self.block, self.cell, self.gain = block, cell, gain

    def means(self, drawn: Resamples, n: int) -> tuple[Floats, Floats]:
        """Mean gains over all blocks, float64[n, n], and in every replicate, float64[repeats, n, n]; nan: never met."""
        units = drawn.counts.shape[1]
        where = drawn.unit[self.block] * n * n + self.cell
        count = np.bincount(where, minlength=units * n * n).reshape(units, n * n)
        total = np.bincount(where, self.gain, minlength=units * n * n).reshape(units, n * n)
        with np.errstate(invalid="ignore", divide="ignore"):
            value = total.sum(axis=0) / count.sum(axis=0)
            again = (drawn.weights @ total) / (drawn.weights @ count)
        return value.reshape(n, n), again.reshape(-1, n, n)


def _among_copies(
    blocks: pd.DataFrame, block: Ints, lineups: Sequence[Sequence[str]], labels: list[str]
) -> _Edges | None:
    """What each agent won more than the others where it sat alone among copies of one other; None without such tables.

    At a table of two, every pair is one such table both ways.
    """
    n = len(labels)
    mutant, resident = np.full(len(lineups), -1), np.full(len(lineups), -1)
    both: Bools = np.zeros(len(lineups), dtype=bool)
    for number, lineup in enumerate(lineups):
        kinds = sorted(set(lineup), key=lambda label: (list(lineup).count(label), label))
        if len(kinds) == 2 and list(lineup).count(kinds[0]) == 1 and set(kinds) <= set(labels):
            mutant[number], resident[number] = (labels.index(label) for label in kinds)
            both[number] = len(lineup) == 2
    match = blocks["match"].to_numpy(np.int64)
    if not len(lineups) or match.max(initial=0) >= len(lineups) or not (mutant >= 0).any():
        return None
    who = np.asarray(blocks["agent"].cat.codes).astype(np.int64)
    win = blocks["win"].to_numpy(np.float64)
    gain = np.bincount(block, np.where(who == mutant[match], win, np.where(who == resident[match], -win, 0.0)))
    first = np.unique(block, return_index=True)[1]
    of = match[first]
    here = np.flatnonzero(mutant[of] >= 0)
    back = np.flatnonzero(both[of])
    return _Edges(
        np.concatenate([here, back]),
        np.concatenate([mutant[of[here]] * n + resident[of[here]], resident[of[back]] * n + mutant[of[back]]]),
        np.concatenate([gain[here], -gain[back]]),
    )
