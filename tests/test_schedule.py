"""Schedules: who meets whom, in which seats, who starts, and that any prefix is balanced."""

from collections import Counter
from math import comb

import numpy as np
import pytest

from mtrain.arena.schedule import Schedule, combinations, first_starter, gauntlet

SHAPES = [(1, 4), (2, 2), (2, 4), (3, 3), (3, 4), (4, 4), (6, 4), (2, 5), (5, 5), (4, 8), (7, 5), (10, 10)]


def everything(s: Schedule) -> list[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
    """Return match, deal, starter and seats of every game."""
    made = []
    for match in range(len(s.lineups)):
        g = s.games(match, range(s.deals))
        made += [(match, *rest) for rest in zip(g.deal.tolist(), g.starter.tolist(), g.who.tolist(), strict=True)]
    return made


def test_more_agents_than_seats_meet_in_every_combination_once() -> None:
    assert len(combinations(6, 4)) == comb(6, 4)
    assert Counter(agent for lineup in combinations(6, 4) for agent in lineup) == dict.fromkeys(range(6), comb(5, 3))


@pytest.mark.parametrize(
    ("n", "players", "found"), [(2, 4, [(0, 0, 1, 1)]), (3, 4, 3), (3, 8, 3), (4, 10, 6), (1, 3, [(0, 0, 0)])]
)
def test_fewer_agents_than_seats_fill_equal_shares(n: int, players: int, found: int | list[tuple[int, ...]]) -> None:
    made = combinations(n, players)
    assert made == found if isinstance(found, list) else len(made) == found
    seats = Counter(agent for lineup in made for agent in lineup)
    assert len(set(seats.values())) == 1


def test_a_gauntlet_is_one_agent_against_copies_of_each_other() -> None:
    assert gauntlet(3, 4, 1) == [(0, 0, 0, 1), (1, 2, 2, 2)]
    assert gauntlet(2, 2, 0) == [(0, 1)]
    assert gauntlet(2, 8, 0) == [(0, *[1] * 7)]


UNEVEN = ((0, 1, 1, 1), (0, 0, 1, 1), (0, 1, 2, 3), (1, 1, 1, 1))


def test_line_ups_with_other_numbers_of_seatings_share_no_deal_and_no_game() -> None:
    s = Schedule(UNEVEN, 8, seed=3)
    assert [s.seatings(match) for match in range(4)] == [4, 6, 24, 1]
    assert [len(s.games(match, range(8))) for match in range(4)] == [32, 48, 192, 8]
    deals = [set(s.games(match, range(8)).deal.tolist()) for match in range(4)]
    assert len(set.union(*deals)) == s.n_blocks == 32
    numbers = [s.first_game(match, g.deal) + g.seating for match in range(4) for g in [s.games(match, range(8))]]
    assert sorted(np.concatenate(numbers).tolist()) == list(range(s.n_games))


@pytest.mark.parametrize("lineups", [UNEVEN, (tuple([0] + [1] * 7), (0, 0, 0, 1, 1, 2, 2, 2)), ((0, 1), (1, 1))])
def test_H20_listed_line_ups_sit_and_start_evenly(lineups: tuple[tuple[int, ...], ...]) -> None:
    players = len(lineups[0])
    s = Schedule(lineups, 2 * players, seed=3)
    for match, lineup in enumerate(lineups):
        g = s.games(match, range(s.deals))
        assert {tuple(sorted(row)) for row in g.who.tolist()} == {lineup}
        for agent in set(lineup):
            sits = (g.who == agent).sum(0)
            assert len(set(sits.tolist())) == 1
            assert (g.who[np.arange(len(g)), g.starter] == agent).sum() * players == sits.sum()


@pytest.mark.parametrize(("n", "players"), SHAPES)
def test_H20_every_agent_sits_and_starts_everywhere_equally_often(n: int, players: int) -> None:
    s = Schedule(tuple(combinations(n, players)), 2 * players, seed=3)
    for match in range(len(s.lineups)):
        g = s.games(match, range(s.deals))
        for agent in set(s.lineups[match]):
            sits = (g.who == agent).sum(0)
            assert len(set(sits.tolist())) == 1
            starts = (g.who[np.arange(len(g)), g.starter] == agent).sum()
            assert starts * players == sits.sum()
        assert len(set(Counter(g.starter.tolist()).values())) == 1


@pytest.mark.parametrize(("n", "players"), SHAPES)
def test_H04_n_blocks_are_n_different_deals(n: int, players: int) -> None:
    s = Schedule(tuple(combinations(n, players)), 7, seed=3)
    blocks = {(match, deal) for match, deal, _, _ in everything(s)}
    assert len(blocks) == s.n_blocks == len({deal for _, deal in blocks})
    assert len(everything(s)) == s.n_games


@pytest.mark.parametrize(("n", "players"), SHAPES)
def test_up_to_four_seats_all_orders_are_played_and_above_the_rotations_of_one(n: int, players: int) -> None:
    s = Schedule(tuple(combinations(n, players)), 3, seed=1)
    g = s.games(0, range(1))
    orders = {tuple(row) for row in g.who.tolist()}
    if n == 1:
        assert len(g) == 1
    elif players <= 4:
        assert len(g) == len(orders) == s.seatings(0)
    else:
        first = g.who[0].tolist()
        assert g.who.tolist() == [first[k:] + first[:k] for k in range(players)]
        assert len(g) == players


def test_above_four_seats_neighbours_change_from_deal_to_deal() -> None:
    s = Schedule(((0, 1, 2, 3, 4, 5),), 60, seed=1)
    right = Counter()
    for k in range(60):
        row = s.games(0, range(k, k + 1)).who[0].tolist()
        right[row[(row.index(0) + 1) % 6]] += 1
    assert set(right) == {1, 2, 3, 4, 5}
    assert max(right.values()) < 25


@pytest.mark.parametrize(("n", "players"), SHAPES)
def test_the_work_is_cut_without_loss_and_any_prefix_is_balanced(n: int, players: int) -> None:
    s = Schedule(tuple(combinations(n, players)), 50, seed=1)
    chunks = list(s.chunks(s.chunk_size(13, [0.1] * n)))
    assert [chunk.number for chunk in chunks] == list(range(len(chunks)))
    seen = Counter((chunk.match, k) for chunk in chunks for k in chunk.blocks)
    assert set(seen.values()) == {1}
    assert len(seen) == s.n_blocks
    size = max(len(chunk.blocks) for chunk in chunks)
    done = Counter[int]()
    for chunk in chunks:
        done[chunk.match] += len(chunk.blocks)
        counts = [done[match] for match in range(len(s.lineups))]
        assert max(counts) - min(counts) <= size


def test_slow_agents_get_small_pieces_of_work() -> None:
    s = Schedule(((0, 1, 2, 3),), 1000, seed=1)
    assert s.chunk_size(13, [0.1] * 4) > 20
    assert s.chunk_size(13, [0.1] * 4, most=10) == 10
    assert s.chunk_size(13, [0.1, 0.1, 0.1, 5000.0]) == 1


def test_the_first_starter_comes_from_the_seed_and_goes_round() -> None:
    assert [first_starter(5, 4, k) for k in range(8)] == [(first_starter(5, 4, 0) + k) % 4 for k in range(8)]
    assert {first_starter(seed, 4, 0) for seed in range(40)} == {0, 1, 2, 3}
