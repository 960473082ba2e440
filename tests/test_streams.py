"""Chance: what a deal and a stream are made from, and that nothing else moves them.

The cases are those (`cases.md`) that random-number reports against other programs came to: workers that played the same
games, rollouts that moved the cards, streams that began alike, hands that went with the agent and not with the seat.
"""

import itertools
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from mtrain.arena.play import Games, play
from mtrain.bots.agent import SINGLE, AgentSpec, Bot
from mtrain.game.jit import kernel
from mtrain.game.kernels import deal, first_round
from mtrain.game.moves import advance, apply, legal_actions, new_game, next_round
from mtrain.game.rng import DEAL, SEAT, SEATING, STARTER, WORLD, Stream, at, below, scaled, stream, uniform
from mtrain.game.rules import PRESETS, preset
from mtrain.game.state import AGENT_STATE, blank

WORDS = st.integers(0, 2**64 - 1)


# ── Streams ───────────────────────────────────────────────────────────────────────────────────────────────


def splitmix64(state: int, n: int) -> list[int]:
    """Return the next numbers of splitmix64, as its authors write it."""
    mask, out = (1 << 64) - 1, []
    for _ in range(n):
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        out.append(z ^ (z >> 31))
    return out


def test_the_generator_is_splitmix64() -> None:
    """The first numbers from 1234567, as other implementations give them."""
    known = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
    assert splitmix64(1234567, 5) == known
    assert [int(at(np.uint64(1234567), k)) for k in range(5)] == known


@kernel
def _draws(own, bounds, out):
    """Draw below each bound, and a float after each."""
    for k in range(len(bounds)):
        out[k, 0] = below(own[0], bounds[k])
        out[k, 1] = uniform(own[0])


@given(WORDS, st.lists(st.integers(1, 2**31), min_size=1, max_size=30))
@settings(deadline=None)
def test_plain_python_draws_the_same_numbers_as_the_kernels(start: int, bounds: list[int]) -> None:
    own, out = np.zeros(1, AGENT_STATE), np.zeros((len(bounds), 2))
    own[0].rng = start
    _draws(own, np.array(bounds), out)
    rng = Stream(start)
    assert out.tolist() == [[rng.below(n), rng.random()] for n in bounds]
    assert rng.state == int(own[0].rng)


@given(WORDS, st.integers(1, 190))
@settings(deadline=None)
def test_a_choice_is_one_draw(start: int, n: int) -> None:
    things = list(range(n))
    rng, same = Stream(start), Stream(start)
    assert rng.choice(things) == same.below(n)
    assert rng.state == same.state == (start + 0x9E3779B97F4A7C15) % 2**64


@given(WORDS, st.integers(1, 2**31))
@settings(deadline=None)
def test_a_draw_lies_below_its_bound(bits: int, n: int) -> None:
    assert 0 <= int(scaled(np.uint64(bits), n)) < n
    assert int(scaled(np.uint64(2**64 - 1), n)) == n - 1


@pytest.mark.parametrize("n", [2, 3, 7, 90])
def test_draws_are_uniform(n: int) -> None:
    counts = np.zeros(n, int)
    rng = Stream(int(stream(1, WORLD, n, 0, 0)))
    for _ in range(400 * n):
        counts[rng.below(n)] += 1
    assert chi2.sf(((counts - 400) ** 2 / 400).sum(), n - 1) > 1e-4


def test_floats_are_uniform() -> None:
    rng = Stream(int(stream(2, WORLD, 0, 0, 0)))
    drawn = np.array([rng.random() for _ in range(20_000)])
    counts = np.histogram(drawn, 50, (0, 1))[0]
    assert counts.sum() == 20_000
    assert drawn.max() < 1
    assert chi2.sf(((counts - 400) ** 2 / 400).sum(), 49) > 1e-4


def draws(starts: list[int], n: int = 64) -> np.ndarray:
    """Return the first numbers of many streams: uint64[streams, n]."""
    return np.array([[int(at(np.uint64(start), k)) for k in range(n)] for start in starts], np.uint64)


def test_H06_no_two_streams_begin_alike() -> None:
    """Neighbouring seeds, deals, seatings and seats, agents' streams and deals': no number of 64 in two of them."""
    seats = [(SEAT, deal, seating, seat) for deal in range(6) for seating in range(2) for seat in range(4)]
    rounds = [(DEAL, deal, number, 0) for deal in range(6) for number in range(1, 14)]
    others = [(what, deal, 0, 0) for what in (SEATING, STARTER, WORLD) for deal in range(6)]
    starts = [int(stream(seed, *key)) for seed in (7, 8) for key in seats + rounds + others]
    first = draws(starts)
    assert len(np.unique(first)) == first.size == len(starts) * 64


def test_H06_block_5_seat_1_against_every_other() -> None:
    mine = draws([int(stream(7, SEAT, 5, 0, 1))])[0]
    others = [(seed, deal, seat) for seed in (7, 8) for deal in range(20) for seat in range(4)]
    others.remove((7, 5, 1))
    theirs = draws([int(stream(seed, SEAT, deal, 0, seat)) for seed, deal, seat in others])
    assert not np.isin(mine, theirs).any()


def test_H06_a_game_starts_the_streams_of_its_seats() -> None:
    begun = [
        tuple(new_game("standard", 4, seed=seed, deal=number, seating=seating)[0].stream[:4].tolist())
        for seed, number, seating in itertools.product((7, 8), (0, 1), (0, 1))
    ]
    keys = itertools.product((7, 8), (0, 1), (0, 1))
    assert begun == [tuple(int(stream(*key[:1], SEAT, *key[1:], seat)) for seat in range(4)) for key in keys]
    assert len({start for starts in begun for start in starts}) == 32


def test_a_key_is_told_apart_from_its_words_in_another_order() -> None:
    keys = list(itertools.product(range(3), repeat=5))
    assert len({int(stream(*key)) for key in keys}) == len(keys)


# ── Deals ─────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def _decks(states, seed, first, out):
    """Deal the rounds 1 of many deals: write each permutation into a row of ``out: uint8[n, 190]``."""
    for k in range(len(out)):
        first_round(states[0], seed, first + k, 0, 0)
        out[k] = states[0].deck


def decks(seed: int, n: int, first: int = 0, rules=preset("standard"), players: int = 4) -> np.ndarray:
    """Return the permutations of the first rounds of `n` deals: uint8[n, tiles]."""
    states = blank(rules, players)
    out = np.zeros((n, 190), np.uint8)
    _decks(states, np.uint64(seed), first, out)
    return out[:, : int(states[0].n_tiles)]


def hundred(seed: int) -> list[bytes]:
    """Return the deals of one worker: a hundred games, all their cards."""
    dealt = []
    for number in range(100):
        position = new_game("pinecone", 3, seed=seed, deal=number)
        dealt.append(position[0].deck.tobytes())
    return dealt


def test_H02_eight_seeds_of_a_hundred_games_are_800_deals() -> None:
    assert len({deal for seed in range(8) for deal in hundred(seed)}) == 800


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_H02_workers_deal_what_one_process_deals(method: str) -> None:
    """A worker brings no chance of its own: neither the one it inherits nor the one it starts with."""
    with ProcessPoolExecutor(2, mp_context=get_context(method)) as workers:
        dealt = list(workers.map(hundred, range(8)))
    assert dealt == [hundred(seed) for seed in range(8)]
    assert len(set(itertools.chain(*dealt))) == 800


def test_a_deal_is_made_from_seed_deal_and_round_alone() -> None:
    """Neither the starter nor the seating moves a tile; each word of the key moves them all."""
    base = new_game("standard", 4, seed=3, deal=2)[0].deck.tobytes()
    assert new_game("standard", 4, seed=3, deal=2, starter=3, seating=5)[0].deck.tobytes() == base
    assert new_game("standard", 4, seed=4, deal=2)[0].deck.tobytes() != base
    assert new_game("standard", 4, seed=3, deal=3)[0].deck.tobytes() != base


def test_every_round_of_a_game_is_another_deal() -> None:
    rules = preset("cardinal", rounds=20)
    position = new_game(rules, 4, seed=1)
    dealt = [position[0].deck.tobytes()]
    for _ in range(19):
        while advance(position):
            apply(position, legal_actions(position)[0])
        next_round(position, seed=1)
        dealt.append(position[0].deck.tobytes())
    assert len(set(dealt)) == 20


@kernel
def _deal_round(states, seed, number, round_number):
    states[0].number = round_number
    deal(states[0], seed, number)


def test_a_round_is_dealt_without_the_rounds_before_it() -> None:
    position = new_game("standard", 3, seed=9, deal=4)
    for number in range(2, 6):
        while advance(position):
            apply(position, legal_actions(position)[-1])
        next_round(position, seed=9, deal=4)
        alone = blank(preset("standard"), 3)
        _deal_round(alone, np.uint64(9), 4, number)
        assert alone[0].deck.tobytes() == position[0].deck.tobytes()


@pytest.mark.parametrize("name", PRESETS)
def test_the_shuffle_is_uniform(name: str) -> None:
    """Every tile is equally often in every place: chi-square over tile × place, whose rows and columns are fixed."""
    n = 40_000
    dealt = decks(11, n, rules=preset(name))
    tiles = np.unique(dealt)
    size = len(tiles)
    assert size == dealt.shape[1]
    counts = np.zeros((190, size), int)
    for place in range(size):
        counts[:, place] = np.bincount(dealt[:, place], minlength=190)
    expected = n / size
    statistic = ((counts[tiles] - expected) ** 2 / expected).sum() * (size - 1) / size
    assert 1e-4 < chi2.sf(statistic, (size - 1) ** 2) < 1 - 1e-4


def test_neighbouring_places_are_independent() -> None:
    """Of two tiles side by side, all ordered pairs are equally likely: at the deck's two ends and in its middle."""
    dealt = decks(12, 60_000, rules=preset("pinecone", max_pip=6, hand_size=5, rounds=1)).astype(int)
    for place in (0, 12, 25):
        pairs = np.bincount(dealt[:, place] * 28 + dealt[:, place + 1], minlength=28 * 28).reshape(28, 28)[:27, :27]
        assert pairs.sum() == 60_000
        assert not pairs.diagonal().any()
        expected = 60_000 / (27 * 26)
        statistic = ((pairs[~np.eye(27, dtype=bool)] - expected) ** 2 / expected).sum()
        assert 1e-4 < chi2.sf(statistic, 27 * 26 - 1) < 1 - 1e-4


def test_neighbouring_deals_are_independent() -> None:
    """Deal k and deal k + 1, seed s and seed s + 1: of 90 tiles one is where it was before, give or take one."""
    n = 20_000
    for one, other in ((decks(5, n), decks(5, n, first=1)), (decks(5, n), decks(6, n))):
        assert abs((one == other).sum() - n) < 4.5 * np.sqrt(n)


# ── Agents and cards ──────────────────────────────────────────────────────────────────────────────────────


def watcher(label: str, appetite: int, seen: list) -> Bot:
    """Return an agent that takes the first action, draws some numbers first, and writes down what it holds."""

    def act(obs, actions, rng):
        for _ in range(appetite):
            rng.random()
        seat = int(obs.turn)
        seen.append((int(obs.number), seat, label, obs.hand[seat].tobytes(), tuple(actions)))
        return actions[0]

    return bot_of(label, act)


def bot_of(label: str, act: Callable) -> Bot:
    """Return the agent that asks a function."""
    return Bot(AgentSpec(label, label, (), ""), SINGLE, act, np.zeros(16))


def one_game(number: int, starter: int, who: tuple[int, ...]) -> Games:
    """Return a single game to play."""
    return Games(np.array([number]), np.array([0]), np.array([starter]), np.array([who]))


def games_of(appetites: tuple[int, ...], who: tuple[int, ...], starter: int = 2) -> tuple[list, np.ndarray]:
    """Return what the agents saw, and the scores, of one game in one seating."""
    seen: list = []
    bots = [watcher("abcd"[k], appetite, seen) for k, appetite in enumerate(appetites)]
    played = play(preset("standard", rounds=3), bots, one_game(6, starter, who), 17)
    return seen, played.rows


@pytest.mark.parametrize("who", list(itertools.permutations(range(4))))
def test_H08_hand_k_goes_to_seat_k_whoever_sits_there(who: tuple[int, ...]) -> None:
    (plain, scores), (seen, same) = games_of((0, 0, 0, 0), (0, 1, 2, 3)), games_of((0, 0, 0, 0), who)
    assert [(number, seat, hand, actions) for number, seat, _, hand, actions in seen] == [
        (number, seat, hand, actions) for number, seat, _, hand, actions in plain
    ]
    assert all(label == "abcd"[who[seat]] for _, seat, label, _, _ in seen)
    assert np.array_equal(same, scores)


def test_H08_the_starter_belongs_to_the_deal() -> None:
    hands = set()
    for starter in range(4):
        position = new_game("standard", 4, seed=17, deal=6, starter=starter)
        hands.add(position[0].hand.tobytes())
        assert (int(position[0].starter), int(position[0].turn)) == (starter, starter)
    assert len(hands) == 1


@pytest.mark.parametrize("appetite", [1, 500])
def test_H05_an_agents_appetite_moves_nothing_but_its_own_stream(appetite: int) -> None:
    """An agent that draws 500 numbers for every decision, as one with rollouts does, and takes the same actions."""
    assert str(games_of((0, 0, 0, 0), (0, 1, 2, 3))) == str(games_of((0, appetite, 0, 0), (0, 1, 2, 3)))


def test_H05_nor_the_draws_of_the_others() -> None:
    """Seat 3 chooses at random; what seat 1 draws for itself does not change what seat 3 draws."""

    def drawn(appetite: int) -> list[float]:
        numbers: list[float] = []

        def dice(obs, actions, rng):
            numbers.append(rng.random())
            return actions[0]

        bots = [watcher("a", 0, []), watcher("b", appetite, []), bot_of("dice", dice)]
        play(preset("standard", rounds=1), bots, one_game(0, 0, (0, 1, 0, 2)), 1)
        return numbers

    assert len(drawn(0)) > 3
    assert drawn(0) == drawn(500)
