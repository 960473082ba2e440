"""A position held to all that one of its fields says about another: no tile is lost, and every count is right."""

import numpy as np

from mtrain.game.state import BLOCKED, OUT, STATION
from mtrain.game.tiles import MAX_TILES, parse_tile, set_size, tile_text
from tests import reference


def hands_here(position: np.ndarray) -> list[list[str]]:
    """Return every seat's hand; both halves of its rows of bits must say the same."""
    n, numbers = int(position[0].n_seats), int(position[0].max_pip) + 1
    hands = []
    for rows in position[0].hand[:n].tolist():
        held = {(v, x) for v in range(numbers) for x in range(numbers) if rows[v] >> x & 1}
        assert held == {(x, v) for v, x in held}
        assert max(rows) < 1 << numbers
        assert not any(rows[numbers:])
        hands.append(sorted(f"{v}-{x}" for v, x in held if v >= x))
    return hands


def check(position: np.ndarray) -> None:
    """Hold a position to all that one of its fields says about another."""
    s = position[0]
    n, size = int(s.n_seats), set_size(int(s.max_pip))
    hands = hands_here(position)  # both halves of every hand agree
    laid = [tile_text(tile) for tile in s.laid[: s.n_laid].tolist()]
    boneyard = [tile_text(tile) for tile in s.deck[s.top : s.n_tiles].tolist()]
    engine_tile = [f"{s.engine}-{s.engine}"] if s.engine >= 0 else []
    everywhere = [tile for hand in hands for tile in hand] + laid + boneyard + engine_tile
    assert sorted(everywhere) == sorted(reference.full_set(int(s.max_pip)))

    assert s.count[:n].tolist() == [len(hand) for hand in hands]
    assert not s.count[n:].any()
    assert not s.hand[n:].any()
    assert s.n_tiles == size - s.countdown

    # The table, three ways: rows of bits, where a tile lies, and in which order.
    on_table = {tile for tile in range(MAX_TILES) if s.laid_on[tile]}
    assert on_table == {parse_tile(tile) for tile in laid + engine_tile}
    rows = [0] * 19
    for tile in on_table:
        hi, lo = reference.numbers(tile_text(tile))
        rows[hi] |= 1 << lo
        rows[lo] |= 1 << hi
    assert s.table.tolist() == rows
    ends = [int(s.engine)] * (n + 1)
    for tile in s.laid[: s.n_laid].tolist():
        hi, lo = reference.numbers(tile_text(tile))
        train = int(s.laid_on[tile]) - 1
        assert train <= n
        assert ends[train] in (hi, lo)
        ends[train] = hi + lo - ends[train]
    if s.engine >= 0:
        assert s.end[: n + 1].tolist() == ends
        assert s.laid_on[parse_tile(engine_tile[0])] == STATION

    # Every open double is the last tile of its train, and on each train there is one at most.
    open_on = s.open_on[: s.n_open].tolist()
    last = {int(s.laid_on[tile]) - 1: tile_text(tile) for tile in s.laid[: s.n_laid].tolist()}
    assert len(set(open_on)) == len(open_on)
    assert all(last[train] == f"{s.end[train]}-{s.end[train]}" for train in open_on)
    assert s.extra or len(open_on) <= 1

    assert 0 <= s.marked < 1 << n
    assert 0 <= s.acted < 1 << n
    assert s.turn < n
    assert s.starter < n
    assert s.idle_turns <= n
    assert s.top <= s.n_tiles
    assert s.tally[:n, 3].sum() == s.n_laid  # plays
    assert s.tally[:n, 1].sum() == s.top - n * s.hand_size  # draws
    assert (s.tally[:n, 4] <= s.tally[:n, 3]).all()
    assert not s.tally[n:].any()
    if s.over:
        scored = [reference.hand_score(scoring(position), hand) for hand in hands]
        assert s.pips[:n].tolist() == scored
        assert (s.over == OUT) == (min(s.count[:n]) == 0)
        assert s.over != BLOCKED or s.top == s.n_tiles
        assert s.tally[:n, 0].sum() >= 1


def scoring(position: np.ndarray) -> dict:
    """Return the rules of scoring, as the referee reads them."""
    s = position[0]
    return {"scoring": "tiles" if s.count_tiles else "pips", "double_blank": int(s.double_blank)}
