"""Checks: do the tables add up, and do they look like games at all?

`check` refuses tables that contradict themselves, and warns of columns that never vary and of agents that keep failing.
A `Tally` holds what has to be judged over the whole run and can be added up part by part. Nothing here knows an
estimate or a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import factorial, prod

import numpy as np
import pandas as pd

from mtrain.errors import counted
from mtrain.stats import tables
from mtrain.stats.blocks import GAME_COLUMNS, ROUND_COLUMNS, Bools, Floats, Grid, Ints, across, grid, labelled, per_game
from mtrain.stats.manifest import Manifest
from mtrain.stats.tables import ENDS, ResultsError

# ── Checks ────────────────────────────────────────────────────────────────────────────────────────────


GAME_CHECKED = (*GAME_COLUMNS, "starter", "faults")
"""The columns of `games` that are checked."""

ROUND_CHECKED = (*ROUND_COLUMNS, "end", "draws", "passes", "plays", "plays_own", "decisions")
"""The columns of `rounds` that are checked."""

VARYING = ("pips", "draws", "passes", "plays", "went_out", "plays_own/plays")
"""What differs from row to row in any normal batch."""

ENOUGH = 100
"""Rows from which a constant column is suspect."""

_CLOSE = 1e-4
"""Slack of sums of 32-bit shares."""


@dataclass(frozen=True)
class Tally:
    """What has to be judged over a whole run.

    ======== =============================================================================================
    blocks   int64[b, 2]: match and deal of each block
    seated   one row per match, agent and seat: games there that count, and how many of them this agent started
    seats    seats at the table
    extremes float64[len(VARYING), 3]: rows, least and greatest value
    failing  one row per agent: games, those with a fault, decisions, faults
    spoilt   one row per match with void blocks: its agents, its blocks, and how many of them are void
    ======== =============================================================================================
    """

    blocks: Ints
    seated: pd.DataFrame
    seats: int
    extremes: Floats
    failing: pd.DataFrame
    spoilt: pd.DataFrame


def check(games: pd.DataFrame, rounds: pd.DataFrame, players: int | None = None) -> list[str]:
    """Check the two tables of a run, whole.

    Parameters
    ----------
    games, rounds
        Rows of the `games` and `rounds` tables, the same games in both, in any order.
    players
        Seats at the table; by default what the games show.

    Returns
    -------
    list of str
        Warnings: one sentence for each column that is constant over at least `ENOUGH` rows, for each agent that
        fails often, and for each match of which blocks are void.

    Raises
    ------
    ResultsError
        A game is there twice or lacks a seat; wins, rounds won, ranks or scores of a game don't add up; an agent
        wasn't equally often in each seat or as first starter. The sentence names the first such game or agent.
    """
    return verdict([tally(games, rounds, players)])


def tally(games: pd.DataFrame | Grid, rounds: pd.DataFrame | Grid, players: int | None = None) -> Tally:
    """Check each game of a part of a run, and count what only the whole run shows."""
    g, r = grid(games, whole=True), grid(rounds, "round", whole=True)
    if players is not None and len(g.block) and g.seats != players:
        raise ResultsError(f"{_name(g, 0)} has {g.seats} seats at a table of {players}")
    _check_games(g)
    _check_rounds(g, r)
    void = _void(g, r)
    counts = ~void[g.block]
    matches, match = np.unique(g.match, return_inverse=True)
    n = max(len(g.labels), 1)
    cell = (((match[g.block] * n)[:, None] + g.agents) * g.seats + np.arange(g.seats))[counts]
    there = np.bincount(cell.ravel(), minlength=len(matches) * n * g.seats)
    starts = np.bincount(cell[g["starter"][counts] == np.arange(g.seats)], minlength=len(there))
    cells = np.flatnonzero(there)
    seated = pd.DataFrame(
        {
            "match": matches[cells // g.seats // n],
            "agent": labelled(cells // g.seats % n, g.labels),
            "seat": cells % g.seats,
            "games": there[cells],
            "starts": starts[cells],
        }
    )
    return Tally(
        blocks=np.stack([g.match, g.deal], axis=1),
        seated=seated,
        seats=g.seats,
        extremes=_extremes(r.frame),
        failing=failing(g, r),
        spoilt=spoilt(g, void),
    )


def _void(g: Grid, r: Grid) -> Bools:
    """bool[blocks]: which count nowhere; both tables say so of the same blocks, and of whole ones."""
    found = []
    for lines in (g, r):
        marked = lines["void"] if "void" in lines.frame else np.zeros(lines.agents.shape, bool)
        void = np.zeros(len(lines.match), bool)
        void[lines.block[marked.any(axis=1)]] = True
        _hold(lines, (marked == void[lines.block][:, None]).all(axis=1), "is void in part: a block is void as a whole")
        found.append(void)
    _hold(g, (found[0] == found[1])[g.block], "is void in one of the two tables only")
    return found[0]


def _check_games(g: Grid) -> None:
    rank, score, rounds = g["rank"].astype(np.int64), g["score"].astype(np.int64), g["rounds"]
    ahead, beaten = np.zeros_like(rank), np.zeros(len(rank), dtype=bool)
    for seat in range(g.seats):
        better = rank[:, seat : seat + 1] < rank
        ahead += better
        beaten |= across(np.logical_or, better & (score[:, seat : seat + 1] > score))
    first = rank == 1
    share = first / np.maximum(across(np.add, first.astype(np.int8)), 1)[:, None]
    won = across(np.add, g["rounds_won"].astype(np.float64))
    split = across(np.logical_and, np.abs(g["win"] - share) <= _CLOSE)
    _hold(g, across(np.logical_and, rounds == rounds[:, :1]), "counts its rounds differently for its seats")
    _hold(g, rounds[:, 0] > 0, "has no rounds")
    _hold(g, across(np.logical_and, rank == 1 + ahead), "has impossible ranks (ties share one: 1, 1, 3, 4)")
    _hold(g, ~beaten, "ranks a higher score above a lower one")
    _hold(g, split, "doesn't split one win among those ranked 1")
    _hold(g, np.abs(won - rounds[:, 0]) <= _CLOSE, "has a sum of rounds won other than rounds")


def _check_rounds(g: Grid, r: Grid) -> None:
    """The rounds are those of the games, and give their scores."""
    if not np.array_equal(r.key[r.first], g.key):
        _hold(r, np.isin(r.key, g.key), "has rounds but is not among the games")
        n = np.bincount(np.searchsorted(g.key, r.key), minlength=len(g.key))
        _hold(g, n == g["rounds"][:, 0], "has another number of rounds in the table of rounds")
    _hold(g, r.lines == g["rounds"][:, 0], "has another number of rounds in the table of rounds")
    right = per_game(r, r["pips"]) == g["score"]
    _hold(g, across(np.logical_and, right), "has a score that isn't the sum of its rounds")
    same = np.repeat(g.agents, r.lines, axis=0) == r.agents
    if not g.labels.equals(r.labels):
        same = np.repeat(g.agents, r.lines, axis=0) == g.labels.get_indexer(r.labels)[r.agents]
    _hold(r, across(np.logical_and, same), "has other agents in its rounds")
    n_out = across(np.add, r["went_out"].astype(np.int8))
    out = (r.frame["end"].cat.codes == ENDS.index("out")).to_numpy()[r.rows].reshape(-1, r.seats)
    agree = (n_out == out[:, 0]) & across(np.logical_and, out == out[:, :1])
    _hold(r, agree, "has a round whose end is not what its seats say")


def _hold(g: Grid, good: Bools, wrong: str) -> None:
    if not good.all():
        raise ResultsError(f"{_name(g, int(np.argmin(good)))} {wrong}")


def _name(g: Grid, line: int) -> str:
    block = g.block[line]
    return f"match {g.match[block]}, deal {g.deal[block]}, seating {g.seating[line]}"


def _extremes(rounds: pd.DataFrame) -> Floats:
    plays, own = rounds["plays"].to_numpy(), rounds["plays_own"].to_numpy()
    share = own[plays > 0] / plays[plays > 0].astype(np.float32)
    columns = [share if "/" in name else rounds[name].to_numpy() for name in VARYING]
    return np.array([[len(c), c.min(), c.max()] if len(c) else [0, np.inf, -np.inf] for c in columns], np.float64)


def verdict(tallies: Iterable[Tally]) -> list[str]:
    """Judge the whole run from the tallies of its parts: the warnings of `check`, or its error."""
    parts = list(tallies)
    if not parts:
        return []
    blocks = np.concatenate([part.blocks for part in parts])
    known, n = np.unique(blocks, axis=0, return_counts=True)
    if (n > 1).any():
        match, deal = known[int(np.argmax(n > 1))]
        raise ResultsError(f"block (match {match}, deal {deal}) is there twice")
    if len(sizes := {part.seats for part in parts if len(part.blocks)}) > 1:
        raise ResultsError(f"tables of {min(sizes)} and of {max(sizes)} seats are two tournaments: never pooled")
    _check_balance(pd.concat([part.seated for part in parts]), parts[0].seats)
    extremes = np.stack([part.extremes for part in parts])
    rows, least, most = extremes[:, :, 0].sum(0), extremes[:, :, 1].min(0), extremes[:, :, 2].max(0)
    return [
        f"{name} is {low:g} in all {count:.0f} rows of the rounds"
        for name, count, low, high in zip(VARYING, rows, least, most, strict=True)
        if count >= ENOUGH and low == high
    ] + warnings([part.failing for part in parts], [part.spoilt for part in parts])


def n_orders(lineup: Sequence[Hashable]) -> int:
    """Return how many different orders a line-up has: copies of an agent are not told apart."""
    return factorial(len(lineup)) // prod(map(factorial, Counter(lineup).values()))


def of_design(manifest: Manifest) -> list[str]:
    """Warn of what the plan of a run, its manifest, can't tell apart: one sentence for each."""
    uneven = [lineup for lineup in manifest.lineups if n_orders(lineup) > len(lineup)]
    if manifest.seatings != "rotate" or not uneven:
        return []
    return [
        "seatings rotate: every agent has the same neighbours in all games, and rotation doesn't cancel what they are "
        "worth; permute or shuffle does"
    ]


def of_copies(standings: pd.DataFrame, unit: str = "pips") -> str:
    """Say how the copies of one agent came out against one another, given their `standings`: equal, if all is well.

    `unit` is what a score counts.
    """
    told = []
    n = len(standings)
    for name, fair, words in (("diff", 0.0, f"0 {unit}/round"), ("win", 1 / max(n, 1), f"1/{n} of the games")):
        low, high = (standings[f"{name}_{end}"].to_numpy(np.float64, na_value=np.nan) for end in ("lo", "hi"))
        known = ~np.isnan(low)
        if known.any():
            inside = int(((low <= fair) & (fair <= high)).sum())
            told.append(f"{words} in {inside} of {known.sum()} intervals")
    if not told:
        return "null check: no intervals to look into"
    return f"null check of copies: {' and '.join(told)}; by chance one interval in twenty misses"


def _check_balance(seated: pd.DataFrame, seats: int) -> None:
    """Each agent of a match equally often in each seat, and as first starter as often as it holds seats."""
    if seated.empty:
        return
    count = seated.groupby(["match", "agent", "seat"], sort=True, observed=True)[["games", "starts"]].sum()
    games = count["games"].unstack("seat", fill_value=0).reindex(columns=range(seats), fill_value=0)
    uneven = (games.max(axis=1) != games.min(axis=1)).to_numpy()
    if uneven.any():
        match, agent = games.index[int(np.argmax(uneven))]
        theirs = ", ".join(str(n) for n in games.loc[(match, agent)])
        raise ResultsError(f"agent {agent!r} of match {match} was not equally often in each seat: {theirs} games")
    starts = count["starts"].groupby(level=["match", "agent"]).sum()
    wrong = (starts * seats != games.sum(axis=1)).to_numpy()
    if wrong.any():
        match, agent = starts.index[int(np.argmax(wrong))]
        n, fair = starts.iloc[int(np.argmax(wrong))], games.loc[(match, agent)].sum() / seats
        raise ResultsError(f"agent {agent!r} of match {match} was first starter in {n} games, not in {fair:g}")


# ── Faults ────────────────────────────────────────────────────────────────────────────────────────────
#
# Faults: how often agents failed, what is to be warned of, and which blocks are left out for it.
#
# A fault is a row of the `faults` table; `games` counts them. Nothing here knows how an agent fails, or a file.


OFTEN = 0.02
"""The share of an agent's decisions from which its faults are loudly warned of."""

_FAILING = ("agent", "games", "faulty", "decisions", "faults")
_SPOILT = ("match", "agents", "blocks", "void")
_KEYS = ("agent", "match", "agents")


def failing(games: Grid, rounds: Grid) -> pd.DataFrame:
    """One row per agent: `agent, games, faulty, decisions, faults` (`faulty`: games and seats with a fault)."""
    n = len(games.labels)
    faults = games["faults"] if "faults" in games.frame else np.zeros(games.agents.shape)
    decisions = rounds["decisions"] if "decisions" in rounds.frame else np.zeros(rounds.agents.shape)
    who = games.agents.ravel()
    place = games.labels.get_indexer(rounds.labels)
    asked = np.bincount(place[rounds.agents.ravel()], decisions.ravel(), minlength=n)
    return pd.DataFrame(
        {
            "agent": games.labels.to_numpy(object),
            "games": np.bincount(who, minlength=n),
            "faulty": np.bincount(who, faults.ravel() > 0, minlength=n).astype(np.int64),
            "decisions": asked.astype(np.int64),
            "faults": np.bincount(who, faults.ravel(), minlength=n).astype(np.int64),
        }
    )


def spoilt(games: Grid, void: Bools) -> pd.DataFrame:
    """One row per match: `match, agents, blocks, void` (``void: bool[blocks]``)."""
    match, first, where = np.unique(games.match, return_index=True, return_inverse=True)
    lineup = games.labels.to_numpy(object)[games.lineup[first]] if len(match) else np.zeros((0, 1), object)
    return pd.DataFrame(
        {
            "match": match,
            "agents": [", ".join(agents) for agents in lineup.tolist()],
            "blocks": np.bincount(where, minlength=len(match)),
            "void": np.bincount(where, void, minlength=len(match)).astype(np.int64),
        }
    )


def totals(parts: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Add up what `failing`, or `spoilt`, says of the parts of a run."""
    whole = pd.concat(list(parts), ignore_index=True)
    return whole.groupby([key for key in _KEYS if key in whole], sort=False, as_index=False).sum()


def warnings(failed: Sequence[pd.DataFrame], left_out: Sequence[pd.DataFrame]) -> list[str]:
    """Say which agents fail in every game or often, and how many blocks of which match are void.

    Parameters
    ----------
    failed, left_out
        What `failing` and `spoilt` say of each part of the run.
    """
    said = []
    for agent, games, faulty, decisions, n in totals(failed)[list(_FAILING)].to_numpy(object).tolist():
        if n and faulty == games:
            said.append(f"agent {agent!r} failed in every one of its {counted(games, 'game')} ({counted(n, 'fault')})")
        elif n > OFTEN * decisions:
            said.append(
                f"agent {agent!r} failed in {n / decisions:.1%} of its {decisions:,} decisions ({counted(n, 'fault')})"
            )
    for match, agents, blocks, void in totals(left_out)[list(_SPOILT)].to_numpy(object).tolist():
        if void:
            said.append(
                f"{void:,} of {counted(blocks, 'block')} of match {match} ({agents}) are void and left out of all "
                "estimates: in each an agent failed"
            )
    return said


def clocks(labels: Sequence[str]) -> list[str]:
    """Say that agents look at the time, so that the same seed may give other games."""
    if not labels:
        return []
    use = "uses" if len(labels) == 1 else "use"
    return [f"{', '.join(labels)} {use} the clock: the same seed may give other games"]


def failures(faults: pd.DataFrame) -> pd.DataFrame:
    """The `failures` table of a `faults` table: the agents by label, the kinds of each by how often."""
    rows = faults.astype({"agent": "str"}).sort_values(["game", "round", "seat", "decision"])
    grouped = rows.groupby(["agent", "kind"], sort=True)
    found = pd.DataFrame(
        {
            "faults": grouped.size(),
            "games": grouped["game"].nunique(),
            "game": grouped["game"].first(),
            "what": grouped["what"].first(),
        }
    ).reset_index()
    found = found.sort_values(["agent", "faults", "kind"], ascending=[True, False, True], ignore_index=True)
    return tables.frame(tables.FAILURES, {name: found[name] for name in tables.FAILURES.names})
