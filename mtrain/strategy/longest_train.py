"""Trails: the best train that a hand can lay from an open end.

A hand is a graph: the numbers are its vertices, the tiles its edges, the doubles its loops. A train is a trail in
it, a walk that uses no edge twice. `longest_train` finds the heaviest by branch and bound; `best_train` is its face
for people. This module knows tiles and nothing of seats, turns or trains on a table.

The bound is Euler's (1736): a trail uses an even number of edges at every vertex but its two ends. The longest trail is
hard to find in general, as the longest path is (Garey and Johnson, "Computers and Intractability", 1979, problem ND29),
but hands are small.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mtrain.errors import UsageError
from mtrain.game.intrinsics import lowest, popcount
from mtrain.game.jit import kernel
from mtrain.game.rng import mix
from mtrain.game.tiles import HI, LO, MAX_PIP, MAX_TILES, N_NUMBERS, PIPS, tile_of, tile_text

# What a tile is worth to a trail: `EACH` and so much a pip. The longest trail prefers more pips among equals, the
# heaviest more tiles.
LONGEST = (1024, 1)
HEAVIEST = (1, 1024)

# Beyond so many tiles, positions met twice are remembered.
_FEW = 18
_SLOTS = 4096

NODES = 100_000  # how far people's questions are searched
DEEP = MAX_TILES  # looking ahead to a trail's end

# A search: the tiles not yet laid, the trail so far and the best one. `visited` is written only where many tiles are.
TRAIL = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("rows", "i8", (N_NUMBERS,)),  # bit x of row v: v-x is not yet laid
                ("at", "i8", (MAX_TILES + 1,)),  # the vertices of the trail so far
                ("todo", "i8", (MAX_TILES + 1,)),  # where it may go on from each: a row of bits
                ("looped", "i8", (MAX_TILES + 1,)),  # 1: the double was laid on arrival
                ("worth", "i8", (MAX_TILES + 1,)),  # what the trail was worth on arrival
                ("path", "i8", (MAX_TILES,)),  # the best trail's tiles, in their order
                ("n", "i8"),  # … how many they are
                ("best", "i8"),  # … and what they are worth
                ("each", "i8"),
                ("per_pip", "i8"),
                ("depth", "i8"),  # vertices beyond the first that a trail may go on to
                ("nodes", "i8"),  # vertices arrived at
                ("proved", "i8"),  # 1: no trail is worth more
                ("key", "u8"),  # the hash of the tiles not yet laid
                ("visited", "u8", (_SLOTS,)),
            ],
            align=True,
        ),
    )
)


@kernel
def _name(a, b):
    """Return the hash of a tile."""
    return mix(np.uint64(max(a, b) * 32 + min(a, b) + 1))


@kernel
def _bound(t, v):
    """Return what the tiles that can still be reached from `v` are worth at most.

    At every vertex with an odd number of them, but the trail's two ends, one must be left over.
    """
    total = 0
    lost = 0
    most = 0
    seen = 0
    queue = 1 << v
    while queue:
        x = lowest(queue)
        seen |= 1 << x
        row = t.rows[x]
        queue = (queue | row) & ~seen
        loop = row >> x & 1
        row &= ~(1 << x)
        degree = popcount(row)
        total += degree * (t.each + 2 * t.per_pip * x) + loop * 2 * (t.each + 2 * t.per_pip * x)
        if (degree ^ (x == v)) & 1 and degree > 0:
            least = t.each + t.per_pip * (x + lowest(row))
            lost += least
            most = max(most, least)
    return (total - lost + most) // 2


@kernel
def _arrive(t, k, v):
    """Let the trail's vertex `k` be `v`: lay its double, count the trail if it is the best, see where it goes on.

    A double laid on arrival never costs anything: it leaves the trail where it was.
    """
    t.nodes += 1
    t.at[k] = v
    t.looped[k] = t.rows[v] >> v & 1
    if t.looped[k]:
        t.rows[v] ^= 1 << v
        t.worth[k] += t.each + 2 * t.per_pip * v
        t.key ^= _name(v, v)
    if t.worth[k] > t.best:
        t.best = t.worth[k]
        t.n = 0
        for j in range(k + 1):
            if j > 0:
                a, b = max(t.at[j - 1], t.at[j]), min(t.at[j - 1], t.at[j])
                t.path[t.n] = a * (a + 1) // 2 + b
                t.n += 1
            if t.looped[j]:
                t.path[t.n] = t.at[j] * (t.at[j] + 1) // 2 + t.at[j]
                t.n += 1
    t.todo[k] = t.rows[v] if k < t.depth else 0
    if t.todo[k] and t.worth[k] + _bound(t, v) <= t.best:
        t.todo[k] = 0


@kernel
def _met(t, v):
    """Say whether the same tiles were left at the same end before, and remember that they were."""
    key = mix(t.key + np.uint64(v)) | np.uint64(1)
    slot = np.int64(key >> np.uint64(52))
    if t.visited[slot] == key:
        return True
    t.visited[slot] = key
    return False


@kernel
def _onward(t, k):
    """Return the next vertex to try from vertex `k`, taken off its list: the one with the most ways on."""
    row = t.todo[k]
    best = 0
    most = -1
    while row:
        x = lowest(row)
        ways = 32 * popcount(t.rows[x]) + x
        if ways > most:
            best, most = x, ways
        row &= row - 1
    t.todo[k] &= ~(1 << best)
    return best


@kernel
def longest_train(t, v, each, per_pip, nodes, depth):
    """Find the best trail from `v` through the tiles in ``t.rows``.

    Parameters
    ----------
    t
        A record of dtype TRAIL with `rows` filled in, which are as they were afterwards. `path`, `n`, `best`, `nodes`
        and `proved` are the answer; nothing else need be set.
    v
        The open end.
    each, per_pip
        What a tile is worth, and a pip on it: whole numbers, 0 or more.
    nodes
        The budget: after so many vertices the best so far is the answer, and it may be unproved.
    depth
        How far ahead to look: so many tiles, doubles not counted; `DEEP`: to the end.
    """
    t.depth = depth
    t.each = each
    t.per_pip = per_pip
    t.nodes = 0
    t.best = 0
    t.n = 0
    t.key = 0
    n_tiles = 0
    for x in range(N_NUMBERS):
        n_tiles += popcount(t.rows[x] >> x)
    many = n_tiles > _FEW
    if many:
        t.visited[:] = 0
    t.worth[0] = 0
    bound = _bound(t, v)
    _arrive(t, 0, v)
    k = 0
    while k >= 0:
        if t.todo[k] and t.best < bound and t.nodes < nodes:
            here = t.at[k]
            x = _onward(t, k)
            t.rows[here] ^= 1 << x
            t.rows[x] ^= 1 << here
            t.key ^= _name(here, x)
            k += 1
            t.worth[k] = t.worth[k - 1] + t.each + t.per_pip * (here + x)
            _arrive(t, k, x)
            if many and t.todo[k] and _met(t, x):
                t.todo[k] = 0
            continue
        here = t.at[k]
        if t.looped[k]:
            t.rows[here] ^= 1 << here
            t.key ^= _name(here, here)
        k -= 1
        if k >= 0:
            back = t.at[k]
            t.rows[here] ^= 1 << back
            t.rows[back] ^= 1 << here
            t.key ^= _name(back, here)
    t.proved = t.nodes < nodes or t.best == bound


# ── For people ────────────────────────────────────────────────────────────────────────────────────────────


class TrainError(UsageError):
    """A question about a train that makes no sense; the sentence says what is wrong with it."""


@dataclass(frozen=True)
class Train:
    """The best train of a hand.

    Attributes
    ----------
    tiles : tuple of int
        In the order in which they are laid.
    rest : tuple of int
        What stays in the hand, the heaviest first.
    proved : bool
        Whether no train can be better. False where the search's budget ran out.
    nodes : int
        How far it was searched.
    """

    start: int
    tiles: tuple[int, ...]
    rest: tuple[int, ...]
    proved: bool
    nodes: int

    @property
    def pips(self) -> int:
        """The pips on the train."""
        return int(sum(PIPS[tile] for tile in self.tiles))

    @property
    def rest_pips(self) -> int:
        """The pips that stay in the hand."""
        return int(sum(PIPS[tile] for tile in self.rest))

    def ends(self) -> list[tuple[int, int]]:
        """Return the tiles as they lie: the number that joins, then the number left open."""
        laid = []
        end = self.start
        for tile in self.tiles:
            other = int(HI[tile]) + int(LO[tile]) - end
            laid.append((end, other))
            end = other
        return laid

    def __str__(self) -> str:
        return " ".join(f"{joined}-{left}" for joined, left in self.ends())


def parse_hand(text: str) -> list[int]:
    """Return the tiles of a hand written as text, spaces or commas between them, each in either order: ``5-12 3-3``.

    Raises
    ------
    TrainError
        If a word is no tile.
    """
    hand = []
    for word in text.replace(",", " ").split():
        a, dash, b = word.partition("-")
        if not (dash and a.isdecimal() and b.isdecimal() and int(a) <= MAX_PIP and int(b) <= MAX_PIP):
            raise TrainError(f"not a tile: {word!r}; a tile is two numbers from 0 to {MAX_PIP}, like 12-5")
        hand.append(tile_of(int(a), int(b)))
    return hand


def best_train(hand: Iterable[int], start: int, by: Literal["tiles", "pips"] = "tiles", nodes: int = NODES) -> Train:
    """Return the best train that a hand can lay.

    Parameters
    ----------
    hand
        Tiles, each once.
    start
        The open end that the train begins at.
    by
        What makes it better: more `tiles` (more pips among equals), or more `pips` (more tiles among equals).
    nodes
        How far to search, in vertices arrived at.

    Raises
    ------
    TrainError
        If a tile is there twice or is none, `start` is no number of a set, or `nodes` is below 1.

    Examples
    --------
    >>> print(best_train([tile_of(12, 5), tile_of(5, 3), tile_of(12, 3)], start=12))
    12-5 5-3 3-12
    """
    tiles = list(hand)
    for tile in tiles:
        if not 0 <= tile < MAX_TILES:
            raise TrainError(f"{tile} is no tile; tiles are numbered from 0 to {MAX_TILES - 1}")
        if tiles.count(tile) > 1:
            raise TrainError(f"the tile {tile_text(tile)} is in the hand twice")
    if not 0 <= start <= MAX_PIP:
        raise TrainError(f"start is a number on a tile, from 0 to {MAX_PIP}, not {start}")
    if by not in ("tiles", "pips"):
        raise TrainError(f"by is tiles or pips, not {by!r}")
    if nodes < 1:
        raise TrainError(f"nodes is a number of vertices, 1 or more, not {nodes}")
    scratch = np.zeros(1, TRAIL)
    t = scratch[0]
    for tile in tiles:
        hi, lo = int(HI[tile]), int(LO[tile])
        t.rows[hi] |= 1 << lo
        t.rows[lo] |= 1 << hi
    longest_train(t, start, *(LONGEST if by == "tiles" else HEAVIEST), nodes, DEEP)
    laid = tuple(int(tile) for tile in t.path[: t.n])
    rest = sorted(set(tiles) - set(laid), key=lambda tile: (-PIPS[tile], tile))
    return Train(start, laid, tuple(rest), bool(t.proved), int(t.nodes))
