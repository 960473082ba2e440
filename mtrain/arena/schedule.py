"""Who meets whom, in which seats, on which cards: everything about a tournament that is fixed before it starts.

A *line-up* is who sits at a table, whatever the seats. A *block* is one deal played by one line-up in all its
seatings. Blocks are numbered through, the line-ups taking turns, so that any prefix is balanced; a block's
number is its deal's, so that n blocks are n different deals. Which line-ups there are is data: all that the agents
can form, a gauntlet, or any list of them. This module plays nothing.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mtrain.arena.play import Games
from mtrain.game.rng import SEATING, STARTER, Stream, stream
from mtrain.stats.checks import n_orders

# How a line-up is seated: in all its orders, in a random cyclic order a deal and its rotations, or in the rotations of
# one and the same order.
PERMUTE, SHUFFLE, ROTATE = SEATINGS = ("permute", "shuffle", "rotate")

# Where the line-ups come from: every one that the agents can form, one agent against each of the others, a list, or
# one agent in all seats.
ALL, GAUNTLET, LISTED, SELF_PLAY = "all", "gauntlet", "lineups", "self-play"

# Up to so many seats, all orders are played where nothing else is asked for; above, a random cyclic order, rotated …
MOST_PERMUTED = 4
# … and so many orders of a line-up (those of five agents) may be asked for.
MOST_ORDERS = 120

_CHUNK_SECONDS = 0.5  # what a chunk should roughly take …
_CHUNK_GAMES = 4096  # … how many games it may hold …
_LEAST_CHUNKS = 16  # … and how many chunks there should be, where there are blocks enough

# What a round costs besides decisions, in µs, and how many decisions a seat has in one.
_ROUND_COST = 1.0
_DECISIONS = 10.0


def combinations(n_agents: int, players: int) -> list[tuple[int, ...]]:
    """Return the line-ups of `n_agents` at tables of `players` seats, each as sorted indices of agents.

    With more agents than seats, every combination; with fewer, every agent in an equal number of seats, and every
    choice of who gets one of the seats left over.
    """
    if n_agents >= players:
        return list(itertools.combinations(range(n_agents), players))
    each, left = divmod(players, n_agents)
    return [
        tuple(sorted(list(range(n_agents)) * each + list(more)))
        for more in itertools.combinations(range(n_agents), left)
    ]


def gauntlet(n_agents: int, players: int, focus: int) -> list[tuple[int, ...]]:
    """Return the line-ups of one agent against each of the others, copies of which fill the rest of the table."""
    return [tuple(sorted([focus] + [other] * (players - 1))) for other in range(n_agents) if other != focus]


def first_starter(seed: int, players: int, k: int) -> int:
    """Return the seat that starts deal `k` of a match: drawn from the seed for the first, then round the table."""
    return (Stream(int(stream(seed, STARTER, 0, 0, 0))).below(players) + k) % players


@dataclass(frozen=True)
class Chunk:
    """A piece of work: some blocks of one line-up."""

    number: int
    match: int
    lineup: tuple[int, ...]
    blocks: range


@dataclass(frozen=True)
class Schedule:
    """All games of a tournament.

    Parameters
    ----------
    lineups
        Each as sorted indices of agents, one a seat; its place is the number of its match.
    deals
        Blocks for every line-up.
    seed
        Moves seatings (`shuffle`) and the first starter.
    seated
        One of `SEATINGS`; None: ``permute`` up to four seats, ``shuffle`` above.
    """

    lineups: tuple[tuple[int, ...], ...]
    deals: int
    seed: int
    seated: str | None = None

    @property
    def players(self) -> int:
        """Seats at a table."""
        return len(self.lineups[0])

    @property
    def mode(self) -> str:
        """How line-ups are seated: one of `SEATINGS`."""
        return self.seated or (PERMUTE if self.players <= MOST_PERMUTED else SHUFFLE)

    def seatings(self, match: int) -> int:
        """Games in a block of a match."""
        if self.mode == PERMUTE:
            return n_orders(self.lineups[match])
        return self.players if len(set(self.lineups[match])) > 1 else 1

    @cached_property
    def all_seatings(self) -> tuple[int, ...]:
        """Games in a block, by match."""
        return tuple(self.seatings(match) for match in range(len(self.lineups)))

    @property
    def n_blocks(self) -> int:
        """Blocks in all."""
        return self.deals * len(self.lineups)

    @property
    def n_games(self) -> int:
        """Games in all."""
        return self.deals * sum(self.all_seatings)

    def first_game(self, match: int, deal: np.ndarray) -> np.ndarray:
        """Return the numbers of the first games of some deals of a match: games are numbered by deal and seating."""
        return deal // len(self.lineups) * sum(self.all_seatings) + sum(self.all_seatings[:match])

    def number(self, deal: int, seating: int) -> int:
        """Return the number of one game."""
        return int(self.first_game(deal % len(self.lineups), np.array(deal))) + seating

    def game(self, number: int) -> tuple[int, Games]:
        """Return the match of the game of a number, and that game alone.

        Raises
        ------
        IndexError
            If there is none.
        """
        if not 0 <= number < self.n_games:
            raise IndexError(f"games go from 0 to {self.n_games - 1:,}, not {number:,}")
        block, rest = divmod(number, sum(self.all_seatings))
        match = 0
        while rest >= self.all_seatings[match]:
            rest -= self.all_seatings[match]
            match += 1
        whole, one = self.games(match, range(block, block + 1)), slice(rest, rest + 1)
        return match, Games(whole.deal[one], whole.seating[one], whole.starter[one], whole.who[one])

    def deals_of(self, match: int, blocks: range) -> np.ndarray:
        """Return the deals of some blocks (numbered from 0) of a match."""
        return np.asarray(blocks, np.int64) * len(self.lineups) + match

    def games(self, match: int, blocks: range) -> Games:
        """Return the games of some blocks (numbered from 0) of a match, block by block."""
        lineup = self.lineups[match]
        block = np.asarray(blocks, np.int64)
        deal = self.deals_of(match, blocks)
        if len(set(lineup)) == 1:
            who = np.tile(np.array([lineup]), (len(block), 1))
        elif self.mode == PERMUTE:
            who = np.tile(np.array(_orders(lineup)), (len(block), 1))
        elif self.mode == ROTATE:
            who = np.tile(np.array(_rotations(lineup)), (len(block), 1))
        else:
            who = np.concatenate(
                [_rotations(_shuffled(lineup, stream(self.seed, SEATING, d, 0, 0))) for d in deal.tolist()]
            )
        each = self.all_seatings[match]
        return Games(
            np.repeat(deal, each),
            np.tile(np.arange(each), len(block)),
            # The starter belongs to the deal; a match goes round all of them.
            np.repeat((first_starter(self.seed, self.players, 0) + block) % self.players, each),
            who.astype(np.int64),
        )

    def chunk_size(self, n_rounds: int, effort: Sequence[float], most: int | None = None) -> int:
        """Return how many blocks of a line-up are played as one piece of work.

        Parameters
        ----------
        n_rounds
            Rounds in a game.
        effort
            What a decision of each agent roughly costs, in µs. How the work is cut depends on what is played alone,
            never on the workers or on the time that anything took.
        most
            No more than so many, if given.
        """
        seat = _ROUND_COST + _DECISIONS * max(effort)
        games = max(self.all_seatings)
        block = 1e-6 * games * n_rounds * self.players * seat
        size = min(int(_CHUNK_SECONDS / block), _CHUNK_GAMES // games, self.n_blocks // _LEAST_CHUNKS)
        return max(1, min(size, self.deals, self.deals if most is None else most))

    def chunks(self, size: int) -> Iterator[Chunk]:
        """Yield the work in pieces of so many blocks, in an order any prefix of which is balanced over the line-ups."""
        numbers = itertools.count()
        for first in range(0, self.deals, size):
            for match, lineup in enumerate(self.lineups):
                yield Chunk(next(numbers), match, lineup, range(first, min(first + size, self.deals)))


def _orders(lineup: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Return all different orders of a line-up: copies of an agent are not told apart."""
    return sorted(set(itertools.permutations(lineup)))


def _shuffled(lineup: tuple[int, ...], start: Any) -> list[int]:
    """Return a line-up in a random order, drawn from the stream that starts there."""
    order, rng = list(lineup), Stream(int(start))
    for i in range(len(order) - 1):
        j = i + rng.below(len(order) - i)
        order[i], order[j] = order[j], order[i]
    return order


def _rotations(order: Sequence[int]) -> list[list[int]]:
    """Return the rotations of an order round the table."""
    return [[*order[k:], *order[:k]] for k in range(len(order))]
