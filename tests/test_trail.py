"""The train solver against a search that knows no bound, and on what is known of random hands."""

import random

import numpy as np
import pytest
from click.testing import CliRunner

from mtrain.cli.main import mtrain
from mtrain.game.tiles import PIPS, set_size, tile_of
from mtrain.strategy.longest_train import TrainError, best_train, parse_hand


def brute(hand: frozenset[tuple[int, int]], end: int, by: str) -> tuple[int, int]:
    """Return (tiles, pips), or (pips, tiles), of the best train: every way is tried."""
    best = (0, 0)
    for a, b in hand:
        for joined, left in {(a, b), (b, a)}:
            if joined == end:
                more = brute(hand - {(a, b)}, left, by)
                here = (1, a + b) if by == "tiles" else (a + b, 1)
                best = max(best, (more[0] + here[0], more[1] + here[1]))
    return best


def random_hand(rng: random.Random, n: int, max_pip: int = 12) -> list[int]:
    return rng.sample(range(set_size(max_pip)), n)


@pytest.mark.parametrize("max_pip", [4, 6, 12])
@pytest.mark.parametrize("by", ["tiles", "pips"])
def test_no_train_is_better(max_pip: int, by: str) -> None:
    rng = random.Random(max_pip)
    for _ in range(150):
        tiles = random_hand(rng, rng.randrange(1, 10), max_pip)
        start = rng.randrange(max_pip + 1)
        hand = frozenset((hi, lo) for hi in range(19) for lo in range(hi + 1) if tile_of(hi, lo) in tiles)
        found = best_train(tiles, start, by)
        worth = (len(found.tiles), found.pips) if by == "tiles" else (found.pips, len(found.tiles))
        assert worth == brute(hand, start, by)
        assert found.proved


def test_a_train_joins_and_the_rest_is_the_rest() -> None:
    rng = random.Random(3)
    for n in (5, 15, 30, 60, 190):
        tiles = random_hand(rng, n, 18)
        found = best_train(tiles, rng.randrange(19), nodes=500)
        end = found.start
        for joined, left in found.ends():
            assert joined == end
            end = left
        assert sorted([*found.tiles, *found.rest]) == sorted(tiles)
        assert found.pips + found.rest_pips == sum(PIPS[tile] for tile in tiles)


def test_all_double_six_tiles_make_one_train_of_even_degrees() -> None:
    # Seven numbers, each on eight ends of tiles: an Euler circuit, so nothing is left.
    assert best_train(range(set_size(6)), 3).rest == ()


def test_an_odd_set_leaves_as_many_tiles_as_euler_says() -> None:
    # 0 … 5 without doubles: six odd vertices; a train ends at two of them, so two tiles stay.
    tiles = [tile_of(a, b) for a in range(6) for b in range(a)]
    assert len(best_train(tiles, 0).rest) == 2


def test_doubles_are_laid_on_arrival() -> None:
    assert str(best_train(parse_hand("12-12 12-5 5-5 5-3 3-3"), 12)) == "12-12 12-5 5-5 5-3 3-3"


def test_more_pips_may_mean_fewer_tiles() -> None:
    hand = parse_hand("12-1 1-0 0-2 12-11 11-10")
    assert str(best_train(hand, 12, "tiles")) == "12-1 1-0 0-2"
    assert str(best_train(hand, 12, "pips")) == "12-11 11-10"


def test_a_short_budget_says_that_nothing_is_proved() -> None:
    tiles = random_hand(random.Random(1), 25)
    short, long = best_train(tiles, 12, nodes=5), best_train(tiles, 12)
    assert not short.proved
    assert long.proved
    assert len(short.tiles) <= len(long.tiles)
    assert len(best_train(tiles, 12, nodes=1000).tiles) >= len(long.tiles) - 2


@pytest.mark.parametrize(("n", "mean"), [(8, 2.13), (10, 3.47), (12, 5.35), (15, 9.00)])
def test_the_mean_longest_train_of_random_hands(n: int, mean: float) -> None:
    rng = np.random.default_rng(n)
    tiles = [tile for tile in range(set_size(12)) if tile != tile_of(12, 12)]
    lengths = [len(best_train(rng.choice(tiles, n, replace=False).tolist(), 12).tiles) for _ in range(4000)]
    error = np.std(lengths) / np.sqrt(len(lengths))
    assert abs(np.mean(lengths) - mean) < 0.05 + 3 * error


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: parse_hand("12-5 5_3"), "not a tile: '5_3'; a tile is two numbers from 0 to 18, like 12-5"),
        (lambda: parse_hand("19-5"), "not a tile: '19-5'; a tile is two numbers from 0 to 18, like 12-5"),
        (lambda: best_train([3, 3], 0), "the tile 2-0 is in the hand twice"),
        (lambda: best_train([190], 0), "190 is no tile; tiles are numbered from 0 to 189"),
        (lambda: best_train([3], 19), "start is a number on a tile, from 0 to 18, not 19"),
        (lambda: best_train([3], 0, "weight"), "by is tiles or pips, not 'weight'"),
        (lambda: best_train([3], 0, nodes=0), "nodes is a number of vertices, 1 or more, not 0"),
    ],
)
def test_what_makes_no_sense_is_refused(call: object, sentence: str) -> None:
    with pytest.raises(TrainError) as error:
        call()  # type: ignore[operator]
    assert str(error.value) == sentence


def test_the_command_prints_the_train_and_the_rest() -> None:
    printed = CliRunner().invoke(mtrain, ["train", "5-12 5-3 3-3 9-2", "--start", "12"])
    assert printed.exit_code == 0
    assert "12-5 5-3 3-3" in printed.output
    assert "9-2" in printed.output
    assert "proved" in printed.output
    refused = CliRunner().invoke(mtrain, ["train", "12-5 12-5", "--start", "12"])
    assert refused.exit_code == 2
