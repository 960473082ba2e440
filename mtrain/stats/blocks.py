"""One number a block: what every estimate is made from.

A block is one deal in all its seatings, the unit of statistics: its games share their tiles, so they are no
independent observations, and only whole blocks are free of the luck of the seat. A block that is void counts nowhere.
The functions here turn `games` and `rounds` into frames with one row per block and agent (or pair, or round). A
block's rows must come in one call; the frames of several calls are simply concatenated, so a running tournament never
reads a game twice. Nothing here knows an interval, a rating or a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NoReturn

import numpy as np
import numpy.typing as npt
import pandas as pd

from mtrain.stats.tables import HEAVY, MASKED, ResultsError

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer[Any]]
Bools = npt.NDArray[np.bool_]

GAME_COLUMNS = ("match", "deal", "seating", "seat", "agent", "score", "rank", "win", "rounds_won", "rounds", "void")
"""The columns of `games` that this module reads."""

ROUND_COLUMNS = ("match", "deal", "seating", "round", "seat", "starter", "agent", "pips", "went_out", "void")
"""The columns of `rounds` that this module reads."""


@dataclass(frozen=True)
class Grid:
    """Rows of `games` or `rounds` laid out: a line a game (or round), by match, deal, seating, round; a column a seat.

    ======== ============ ==========================================
    field    shape        meaning
    ======== ============ ==========================================
    rows     (lines·n,)   index of each row in the frame, or a slice
    seats    n            seats at the table
    match    int64[B]     match of each block
    deal     int64[B]     deal of each block
    seating  int64[lines] seating of each line
    block    int64[lines] block of each line, ascending
    agents   int16[lines, n]  code of the agent in each seat
    labels   str[agents]  what the codes stand for
    ======== ============ ==========================================
    """

    frame: pd.DataFrame
    rows: slice | Ints
    seats: int
    match: Ints
    deal: Ints
    seating: Ints
    block: Ints
    agents: Ints
    labels: pd.Index[str]

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """A column of the frame, shape (lines, seats); what is null is nan."""
        column = self.frame[name]
        masked = isinstance(column.array, MASKED)
        values = column.to_numpy(np.float64, na_value=np.nan) if masked else column.to_numpy()
        return values[self.rows].reshape(-1, self.seats)

    @cached_property
    def key(self) -> Ints:
        """int64[lines]: a number for each line's game, by match, deal and seating."""
        key: Ints = self.match[self.block] << 48 | self.deal[self.block] << 16 | self.seating
        return key

    @cached_property
    def first(self) -> Ints:
        """int64[games]: the first line of each game."""
        return np.flatnonzero(np.diff(self.key, prepend=-1))

    @cached_property
    def begins(self) -> Ints:
        """int64[B]: the first line of each block."""
        return np.searchsorted(self.block, np.arange(len(self.match)))

    @cached_property
    def lines(self) -> Ints:
        """int64[games]: how many lines each game has."""
        return np.diff(self.first, append=len(self.block))

    @cached_property
    def lineup(self) -> Ints:
        """int16[B, seats]: the agents of each block, ascending, one entry a seat.

        Raises
        ------
        ResultsError
            A block changes its agents from one game, or round, to another.
        """
        seated, block = self.agents[self.first], self.block[self.first]
        ordered = np.sort(seated, axis=1)
        lineup = ordered[np.searchsorted(block, np.arange(len(self.match)))]
        same = across(np.logical_and, ordered == lineup[block])
        if len(self.first) < len(self.block):
            moved = self.agents != np.repeat(seated, self.lines, axis=0)
            same &= per_game(self, across(np.logical_or, moved)) == 0
        if same.all():
            return lineup
        wrong = block[int(np.argmin(same))]
        raise ResultsError(f"the agents of match {self.match[wrong]}, deal {self.deal[wrong]} differ from game to game")

    @cached_property
    def place(self) -> Ints:
        """int64[lines, seats]: block · seats + the first place in the block's line-up of the agent in each seat."""
        seated, block = self.agents[self.first], self.block[self.first]
        theirs = self.lineup[block]
        place = np.repeat(block[:, None] * self.seats, self.seats, axis=1)
        for other in range(self.seats):
            place += theirs[:, other : other + 1] < seated
        return place if len(self.first) == len(self.block) else np.repeat(place, self.lines, axis=0)


def across(op: np.ufunc, lines: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """What `op` makes of each line, seat after seat: faster than a reduction along so short an axis."""
    found = lines[:, 0]
    for seat in range(1, lines.shape[1]):
        found = op(found, lines[:, seat])
    return found


def per_game(r: Grid, lines: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Sums over the lines of each game, [games, …] from [lines, …]: whole numbers stay whole."""
    n, kind = len(r.first), np.float64 if lines.dtype.kind == "f" else np.int64
    each = len(lines) // max(n, 1)
    if not n or (r.lines == each).all():  # one slice a round: faster than a reduction along so short an axis
        by_round = lines.reshape(n, each, *lines.shape[1:])
        sums = by_round[:, 0].astype(kind) if each else np.zeros((0, *lines.shape[1:]), kind)
        for number in range(1, each):
            sums += by_round[:, number]
        return sums
    found: npt.NDArray[Any] = np.add.reduceat(lines, r.first, axis=0, dtype=kind)
    return found


def counted(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of the blocks that count: those that are not void."""
    if "void" not in frame or not (void := frame["void"].to_numpy()).any():
        return frame
    return frame[~void].reset_index(drop=True)


def grid(frame: pd.DataFrame | Grid, line: Literal["game", "round"] = "game", whole: bool = False) -> Grid:
    """Lay the rows out, a line a game or a round; any order of rows will do. What is laid out already stays as it is.

    Void blocks are left out, unless the `whole` table is wanted.

    Raises
    ------
    ResultsError
        A game is there twice, lacks a seat, or tables of different sizes are mixed.
    """
    if isinstance(frame, Grid):
        return frame
    if not whole:
        frame = counted(frame)
    game, within = _keys(frame, line)
    labels, agents = _codes(frame["agent"])
    rows = _order(game, within)
    game, within, agents = game[rows], within[rows], agents[rows]
    seats = int(frame["seat"].max()) + 1 if len(frame) else 1
    if len(game) % seats:
        _refuse(game, within, seats)
    by_seat, games = within.reshape(-1, seats), game.reshape(-1, seats)
    first, line_game = by_seat[:, 0], games[:, 0]
    filled = all((by_seat[:, k] == first + k).all() and (games[:, k] == line_game).all() for k in range(1, seats))
    distinct = (np.diff(line_game) > 0) | (np.diff(first) > 0)
    if not (filled and (first & 0xFF == 0).all() and distinct.all()):
        _refuse(game, within, seats)
    starts = np.flatnonzero(np.diff(line_game >> 16, prepend=-1))
    block = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(line_game)))
    return Grid(
        frame=frame,
        rows=rows,
        seats=seats,
        match=line_game[starts] >> 48,
        deal=line_game[starts] >> 16 & 0xFFFFFFFF,
        seating=line_game & 0xFFFF,
        block=block,
        agents=agents.reshape(-1, seats),
        labels=labels,
    )


def ordered(frame: pd.DataFrame, line: Literal["game", "round"] = "game") -> pd.DataFrame:
    """The rows in order of match, deal, seating, round and seat."""
    rows = _order(*_keys(frame, line))
    return frame if isinstance(rows, slice) else frame.iloc[rows].reset_index(drop=True)


def split(games: pd.DataFrame, rounds: pd.DataFrame, rows: int) -> Iterator[tuple[pd.DataFrame, pd.DataFrame]]:
    """Cut the two tables of the same games at the same blocks, into pieces of about so many rows of `rounds`."""
    games, rounds = ordered(games), ordered(rounds, "round")
    of_game, of_round = (t["match"].to_numpy(np.int64) << 32 | t["deal"].to_numpy() for t in (games, rounds))
    cuts = np.unique(of_round[rows::rows])  # blocks that begin a piece
    ends = np.stack([[*np.searchsorted(keys, cuts), len(keys)] for keys in (of_game, of_round)], axis=1)
    start = np.zeros(2, np.int64)
    for end in ends:
        if (end > start).any():
            yield games.iloc[start[0] : end[0]], rounds.iloc[start[1] : end[1]]
        start = end


def of_agent(blocks: pd.DataFrame, agent: str, number: str) -> Floats:
    """float64[blocks]: one of an agent's block numbers, in the order of match and deal.

    Parameters
    ----------
    blocks
        `block_numbers`, in any order.
    agent, number
        The agent's label, and the column.
    """
    mine = blocks[(blocks["agent"] == agent).to_numpy()].sort_values(["match", "deal"])
    return mine[number].to_numpy(np.float64)


def game_keys(games: pd.DataFrame) -> Ints:
    """int64[rows]: a number for the game of each row of `games`, by match, deal and seating."""
    return _keys(games, "game")[0]


def game_name(key: int) -> str:
    """What the game of a key is called."""
    return f"match {key >> 48}, deal {key >> 16 & 0xFFFFFFFF}, seating {key & 0xFFFF}"


def _keys(frame: pd.DataFrame, line: Literal["game", "round"]) -> tuple[Ints, Ints]:
    """int64[rows]: a number a game, by match, deal and seating. int16[rows]: one a row within it, by round and seat."""
    game = np.zeros(len(frame), np.int64)
    for name, bits in (("match", 16), ("deal", 32), ("seating", 16)):
        game <<= bits
        game |= frame[name].to_numpy()
    within = frame["seat"].to_numpy().astype(np.int16)
    if line == "round":
        within |= frame["round"].to_numpy().astype(np.int16) << 8
    return game, within


def _order(game: Ints, within: Ints) -> slice | Ints:
    """What puts rows in order: everything as it is, where possible."""
    step = np.diff(game)
    if ((step > 0) | ((step == 0) & (np.diff(within) >= 0))).all():
        return slice(None)
    return np.lexsort((within, game))


def _codes(agents: pd.Series[str]) -> tuple[pd.Index[str], Ints]:
    """Labels, and the code of each row's agent."""
    whole = pd.Categorical(agents.array)
    return whole.categories, np.asarray(whole.codes).astype(np.int16)


def _refuse(game: Ints, within: Ints, seats: int) -> NoReturn:
    """Say which game isn't there exactly once with every seat."""
    twice = np.flatnonzero((np.diff(game) == 0) & (np.diff(within) == 0))
    if len(twice):
        key = game[twice[0]]
        wrong = "is there twice"
    else:
        _, first, n = np.unique(np.stack([game, within >> 8]), axis=1, return_index=True, return_counts=True)
        line = int(np.argmax(n != seats))
        key = game[first[line]]
        wrong = f"has {n[line]} seats at a table of {seats}"
    raise ResultsError(f"{game_name(int(key))} {wrong}")


def block_numbers(games: pd.DataFrame | Grid, rounds: pd.DataFrame | Grid | None = None) -> pd.DataFrame:
    """One row per block and agent.

    ========== =========================================================================================
    match deal the block
    agent      category
    players    seats at the table
    games      games of the block
    diff       pips/round: own score minus the mean of the other agents' seats, over the rounds of the game
    within     sum over the block's games of (the game's diff - diff)²
    win        games won per seat held, ties split
    rank       mean rank per seat held, ties averaged (1.5, 1.5, 3, 4)
    round_wins share of rounds won per seat held: those in which it had the lowest score, ties split
    pips       pips/round per seat held
    score      pips/game per seat held
    out        share of rounds per seat held in which it went out; this and the next are nan without `rounds`
    zero       share of rounds per seat held that cost it nothing
    heavy      share of rounds per seat held that cost it `HEAVY` pips or more
    ========== =========================================================================================

    Each number but `within` is the mean over the block's games and the agent's seats. An agent that holds every seat
    has nobody to be measured against: its numbers are nan.

    Parameters
    ----------
    games
        Rows of the `games` table (`GAME_COLUMNS` suffice), whole blocks, in any order.
    rounds
        Rows of the `rounds` table of the same games (`ROUND_COLUMNS` suffice).

    Raises
    ------
    ResultsError
        The two tables don't hold the same blocks.
    """
    g = grid(games)
    lineup, place = g.lineup, g.place.ravel()
    score = g["score"].astype(np.float64)
    n_rounds = g["rounds"][:, 0].astype(np.float64)
    table = score.sum(axis=1)
    own, held = np.zeros_like(score), np.zeros_like(score)
    for seat in range(g.seats):
        mine = g.agents == g.agents[:, seat : seat + 1]
        own += mine * score[:, seat : seat + 1]
        held += mine
    with np.errstate(invalid="ignore", divide="ignore"):  # 0/0 where one agent holds all seats
        diff = (own / held - (table[:, None] - own) / (g.seats - held)) / n_rounds[:, None]
    n = np.bincount(place, minlength=lineup.size)
    rows = np.flatnonzero(n)
    block = rows // g.seats
    n_games = np.bincount(g.block, minlength=len(g.match))[block]
    alone = (lineup[:, :1] == lineup[:, -1:]).repeat(g.seats, axis=1).ravel()[rows]

    def total(values: npt.NDArray[Any]) -> Floats:
        sums = np.bincount(place, values.ravel().astype(np.float64, copy=False), minlength=lineup.size)[rows]
        return np.where(alone, np.nan, sums)

    mean = total(diff) / n[rows]
    by_round = dict.fromkeys(FROM_ROUNDS, np.full(len(rows), np.nan))
    if rounds is not None:
        by_round = {name: total(mean) / n[rows] for name, mean in _round_means(grid(rounds, "round"), g).items()}
    return pd.DataFrame(
        {
            **block_columns(g, block),
            "agent": labelled(lineup.ravel()[rows], g.labels),
            "games": n_games.astype(np.int32),
            "diff": mean,
            "within": np.maximum(total(diff**2 / held) - n_games * mean**2, 0),
            "win": total(g["win"]) / n[rows],
            "rank": total(mid_ranks(g["rank"])) / n[rows],
            "round_wins": total(g["rounds_won"] / n_rounds[:, None]) / n[rows],
            "pips": total(score / n_rounds[:, None]) / n[rows],
            "score": total(score) / n[rows],
            **by_round,
        }
    )


FROM_ROUNDS: Mapping[str, Callable[[Grid], npt.NDArray[Any]]] = {
    "out": lambda r: r["went_out"],
    "zero": lambda r: r["pips"] == 0,
    "heavy": lambda r: r["pips"] >= HEAVY,
}
"""The block numbers that only `rounds` knows, the means over rounds of what is made of it: [lines, seats]."""


def _round_means(r: Grid, g: Grid) -> dict[str, Floats]:
    """float64[games, seats] each: `FROM_ROUNDS`, the mean over the rounds of each game."""
    if not np.array_equal(r.key[r.first], g.key):
        raise ResultsError("the table of rounds holds other games than the table of games")
    return {name: per_game(r, made_of(r)) / r.lines[:, None] for name, made_of in FROM_ROUNDS.items()}


def mid_ranks(rank: npt.NDArray[Any]) -> Floats:
    """Ties averaged: a table's competition ranks 1, 1, 3, 4 are the mid-ranks 1.5, 1.5, 3, 4.

    Parameters
    ----------
    rank
        int[lines, seats]: competition ranks, a line a table.
    """
    rank = np.asarray(rank)
    tied = np.zeros(rank.shape)
    for seat in range(rank.shape[1]):
        tied += rank == rank[:, seat : seat + 1]
    return rank + (tied - 1) / 2


def pair_numbers(games: pd.DataFrame | Grid) -> pd.DataFrame:
    """One row per block and ordered pair of different agents: `match, deal, players, agent, opponent, diff, share`.

    `diff` is the agent's score minus the opponent's, in pips/round; `share` the share in which the agent ranks ahead,
    ties half. Both are means over the block's games and all pairs of their seats.
    """
    g = grid(games)
    lineup, place = g.lineup, g.place
    n, cells = g.seats, lineup.size * g.seats
    score = g["score"] / g["rounds"].astype(np.float64)
    rank = g["rank"]
    count, diff, share = np.zeros(cells), np.zeros(cells), np.zeros(cells)
    within = place - g.block[:, None] * n
    for a in range(n):
        for b in range(a + 1, n):
            gap = score[:, a] - score[:, b]
            ahead = 0.5 * (1 + np.sign(rank[:, b] - rank[:, a]))
            for cell, sign, portion in (
                (place[:, a] * n + within[:, b], 1.0, ahead),
                (place[:, b] * n + within[:, a], -1.0, 1.0 - ahead),
            ):
                count += np.bincount(cell, minlength=cells)
                diff += np.bincount(cell, sign * gap, minlength=cells)
                share += np.bincount(cell, portion, minlength=cells)
    agent = np.repeat(lineup.ravel(), n)
    opponent = np.repeat(lineup, n, axis=0).ravel()
    rows = np.flatnonzero((count > 0) & (agent != opponent))
    return pd.DataFrame(
        {
            **block_columns(g, rows // (n * n)),
            "agent": labelled(agent[rows], g.labels),
            "opponent": labelled(opponent[rows], g.labels),
            "diff": diff[rows] / count[rows],
            "share": share[rows] / count[rows],
        }
    )


def round_numbers(rounds: pd.DataFrame | Grid) -> pd.DataFrame:
    """One row per block, agent and round: `match, deal, players, agent, round, pips` (mean pips per seat held)."""
    g = grid(rounds, "round")
    lineup = g.lineup
    number = g["round"].astype(np.int64)
    last = int(number.max(initial=1))
    cell = (g.place * last + number - 1).ravel()
    cells = lineup.size * last
    n = np.bincount(cell, minlength=cells)
    rows = np.flatnonzero(n)
    return pd.DataFrame(
        {
            **block_columns(g, rows // (last * g.seats)),
            "agent": labelled(lineup.ravel()[rows // last], g.labels),
            "round": (rows % last + 1).astype(np.int8),
            "pips": np.bincount(cell, g["pips"].ravel().astype(np.float64), minlength=cells)[rows] / n[rows],
        }
    )


def score_counts(rounds: pd.DataFrame) -> pd.DataFrame:
    """One row per agent and score of a round: `agent, pips, rounds`, how many seat-rounds ended with that score."""
    rounds = counted(rounds)
    labels, agents = _codes(rounds["agent"])
    pips = rounds["pips"].to_numpy().astype(np.int64)
    width = int(pips.max(initial=0)) + 1
    n = np.bincount(agents * width + pips, minlength=1)
    rows = np.flatnonzero(n)
    return pd.DataFrame(
        {"agent": labelled(rows // width, labels), "pips": (rows % width).astype(np.int16), "rounds": n[rows]}
    )


def block_columns(g: Grid, block: Ints) -> dict[str, npt.NDArray[Any]]:
    return {
        "match": g.match[block].astype(np.int16),
        "deal": g.deal[block].astype(np.int32),
        "players": np.full(len(block), g.seats, np.int8),
    }


def labelled(codes: Ints, labels: pd.Index[str]) -> pd.Categorical[str]:
    return pd.Categorical.from_codes(codes.astype(np.int16), categories=labels)


def merged(parts: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Block numbers of several calls as one frame; agents stay categories even where the parts know different ones."""
    frames = list(parts)
    whole = pd.concat(frames, ignore_index=True)
    for name in ("agent", "opponent"):
        if name in whole and not isinstance(whole[name].dtype, pd.CategoricalDtype):
            labels = dict.fromkeys(label for frame in frames for label in frame[name].cat.categories)
            whole[name] = pd.Categorical(whole[name], categories=list(labels))
    return whole


def met(n_agents: int, a: Ints, b: Ints) -> Ints:
    """int64[n_agents]: the group of each agent when agents a[i] and b[i] met; numbered from 0, by first agent."""
    from scipy.sparse import coo_array  # slow to import
    from scipy.sparse.csgraph import connected_components

    meetings = coo_array((np.ones(len(a), bool), (a, b)), (n_agents, n_agents))
    group: Ints = connected_components(meetings, directed=False)[1].astype(np.int64)
    return group
