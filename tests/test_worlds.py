"""Observations and worlds: what a seat may know, and the deals that agree with it.

H31 (`cases.md`): two hidden tiles change places, and the observation is the same bytes. H32: every world agrees with all that was
seen, what draws and passes prove included, and the true hands are no likelier than others.
"""

import itertools
import random
from collections import Counter
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import chi2

from mtrain.game.intrinsics import popcount
from mtrain.game.jit import kernel
from mtrain.game.kernels import CHOICE, PASS, ROUND_OVER, at_most, first_round, nth_action, step
from mtrain.game.kernels import apply as do_action
from mtrain.game.kernels import observe as look
from mtrain.game.moves import advance, apply, legal_actions, new_game, observe
from mtrain.game.notation import parse_action
from mtrain.game.positions import parse_position
from mtrain.game.rng import below
from mtrain.game.rules import PRESETS, RuleSet, preset
from mtrain.game.state import AGENT_STATE, HIDDEN, MAX_SEATS, NEVER, STATE, blank
from mtrain.game.tiles import HI, LO, set_size, tile_text
from mtrain.strategy.determinize import determinize
from mtrain.strategy.montecarlo import monte_carlo
from tests.helpers.deals import SEEDS, SLOW, deal_by_chance, rule_sets, walk
from tests.helpers.whole import check

TABLES = [(name, players) for name in PRESETS for players in preset(name).dealable()]


# ── What a seat may know ──────────────────────────────────────────────────────────────────────────────────


def move(position: np.ndarray, tile: int, by: int, place: int) -> None:
    """Put a tile into a seat's hand (`by` = 1) or take it out (-1); a place from 10 on is one in the deck."""
    s = position[0]
    if place >= MAX_SEATS:
        s.deck[place - MAX_SEATS] = tile if by > 0 else 0
        return
    hi, lo = int(HI[tile]), int(LO[tile])
    for v, x in {(hi, lo), (lo, hi)}:
        s.hand[place, v] = s.hand[place, v] | 1 << x if by > 0 else s.hand[place, v] & ~(1 << x)


def places(position: np.ndarray, seat: int) -> dict[int, int]:
    """Return where the tiles are that a seat does not see: a seat, or 10 and more for a place in the deck."""
    s = position[0]
    hidden = {int(tile): MAX_SEATS + int(s.top) + k for k, tile in enumerate(s.deck[s.top : s.n_tiles])}
    for other in range(int(s.n_seats)):
        for tile in range(190):
            if other != seat and s.hand[other, HI[tile]] >> int(LO[tile]) & 1:
                hidden[tile] = other
    return hidden


def swapped(position: np.ndarray, seat: int, rng: random.Random, but: int = -1) -> np.ndarray | None:
    """Return the position with two tiles exchanged that a seat does not see; None if there are no two."""
    hidden = {tile: place for tile, place in places(position, seat).items() if tile != but}
    pairs = [(a, b) for a, b in itertools.combinations(hidden, 2) if hidden[a] != hidden[b]]
    if not pairs:
        return None
    a, b = rng.choice(pairs)
    other = position.copy()
    for tile in (a, b):
        move(other, tile, -1, hidden[tile])
    move(other, a, 1, hidden[b])
    move(other, b, 1, hidden[a])
    return other


@given(rule_sets(), SEEDS)
@settings(SLOW, max_examples=60)
def test_H31_two_hidden_tiles_change_places_unseen(table: tuple[dict, int], seed: int) -> None:
    rng = random.Random(seed)
    position = deal_by_chance(*table, seed)
    for k, here in enumerate(itertools.chain(walk(position, seed), [position])):
        if k % 6 == 0 or here[0].over:
            seat = rng.randrange(table[1])
            other = swapped(here, seat, rng)
            if other is not None:
                assert other.tobytes() != here.tobytes()
                assert observe(other, seat).tobytes() == observe(here, seat).tobytes()


@given(rule_sets(), SEEDS)
@settings(SLOW, max_examples=60)
def test_H31_also_between_an_action_and_what_follows(table: tuple[dict, int], seed: int) -> None:
    """After `apply` and before `advance`: what the seat that has played could have done is not the next's to see."""
    rng = random.Random(seed)
    for k, here in enumerate(walk(deal_by_chance(*table, seed), seed)):
        if k % 4:
            continue
        action = rng.choice(legal_actions(here))
        seat = (int(here[0].turn) + 1) % table[1]
        other = swapped(here, seat, rng, but=action.tile)
        if other is None:
            continue
        advance(other)
        if action not in legal_actions(other) or observe(other, seat).tobytes() != observe(here, seat).tobytes():
            continue  # what was exchanged belongs to the seat on turn, and it could do something else
        after = here.copy()
        apply(after, action)
        apply(other, action)
        if after[0].over or other[0].over:
            continue
        assert observe(other, seat).tobytes() == observe(after, seat).tobytes()


def test_H31_and_so_is_the_choice() -> None:
    rng = random.Random(1)
    for k, here in enumerate(walk(new_game("trainyard", 4, seed=3), 3)):
        seat = int(here[0].turn)
        other = swapped(here, seat, rng)
        if k % 5 or here[0].n_legal < 2 or other is None:
            continue
        chosen = []
        for position in (here, other):
            own = np.zeros(1, AGENT_STATE)
            own[0].params[:3] = [4, 1, 0]
            chosen.append((int(monte_carlo(observe(position, seat)[0], own[0])), int(own[0].rng)))
        assert chosen[0] == chosen[1]


@given(rule_sets(), SEEDS)
@settings(SLOW, max_examples=30)
def test_an_observation_is_the_position_without_what_is_hidden(table: tuple[dict, int], seed: int) -> None:
    for k, here in enumerate(walk(deal_by_chance(*table, seed), seed)):
        if k % 9:
            continue
        for seat in range(table[1]):
            seen = observe(here, seat)[0]
            assert not seen.deck.any()
            assert not seen.stream.any()
            assert np.array_equal(seen.hand[seat], here[0].hand[seat])
            assert not np.delete(seen.hand, seat, 0).any()
            mine = ("legal", "n_legal", "may_pass")
            if seat != here[0].turn:
                assert not any(np.any(seen[name]) for name in mine)
            for name in STATE.names or ():
                if name not in HIDDEN and (seat == here[0].turn or name not in mine):
                    assert np.array_equal(seen[name], here[0][name]), name


def unseen(obs: np.ndarray, seat: int) -> list[int]:
    """Return the tiles that a seat sees neither on the table nor in its hand."""
    s = obs[0]
    tiles = range(set_size(int(s.max_pip)))
    return [tile for tile in tiles if not s.laid_on[tile] and not s.hand[seat, HI[tile]] >> int(LO[tile]) & 1]


# ── What draws and passes prove ───────────────────────────────────────────────────────────────────────────


def most(position: np.ndarray, seat: int) -> dict[int, int]:
    """Return how many tiles with each number a seat can hold, where that is fewer than it holds tiles."""
    s = position[0]
    bounds = {v: int(at_most(s, seat, v)) for v in range(int(s.max_pip) + 1)}
    return {v: bound for v, bound in bounds.items() if bound < s.count[seat]}


PASSED = "table: 12-9@mexican 12-3@0\nhand 0: 5-4 8-1\nhand 1: 12-1 9-1 3-1\nhand 2: 7-6\nhand 3: 7-5"


@pytest.mark.parametrize(("name", "bound"), [("standard", 1), ("pinecone", 0)])
def test_a_draw_and_a_pass(name: str, bound: int) -> None:
    """Under `may` the tile drawn may fit all the same; under `must` it does not."""
    position = parse_position(f"rules {name}\n{PASSED}\nboneyard: 8-7 6-6")
    advance(position)
    assert most(position, 0) == {3: bound, 9: bound}


def test_a_pass_without_a_draw() -> None:
    position = parse_position(f"rules standard\n{PASSED}\nmarked 1 2")
    advance(position)
    assert most(position, 0) == {3: 0, 9: 0, 12: 0}


def test_a_drawn_tile_that_is_laid_says_no_more_than_that_nothing_else_fitted() -> None:
    position = parse_position(f"rules standard\n{PASSED}\nboneyard: 9-7 6-6")
    advance(position)
    apply(position, parse_action("9-7@mexican", 4))
    assert most(position, 0) == {3: 0, 9: 0}


def test_each_draw_since_may_be_one() -> None:
    position = parse_position(f"rules pinecone\n{PASSED}\nfresh 3 0 0 0\nvoid 0: 9:1 3:0 7:3")
    assert most(position, 0) == {7: 0}
    position = parse_position(f"rules pinecone\n{PASSED} 11-2 11-3 11-5\nfresh 3 0 0 0\nvoid 3: 9:0").copy()
    position[0].unseen_draws[3] = 2
    assert most(position, 3) == {9: 2}


def test_a_tile_laid_was_one_of_those_drawn_since() -> None:
    text = "table: 12-9@mexican\nhand 0: 9-4 8-1 8-2\nhand 1: 12-1\nboneyard: 7-5\nfresh 2 0 0 0\nvoid 0: 9:1 4:0 8:0"
    position = parse_position(text)
    assert most(position, 0) == {4: 2, 8: 2, 9: 1}
    advance(position)
    apply(position, parse_action("9-4@mexican", 4))
    assert most(position, 0) == {4: 1, 9: 0}


def test_a_double_left_uncovered() -> None:
    position = parse_position("table: 12-6@mexican\nhand 0: 6-6 5-1 5-2\nhand 1: 6-1 7-1\nboneyard: 8-7")
    advance(position)
    apply(position, parse_action("6-6@mexican", 4))
    advance(position)
    assert most(position, 0) == {6: 0}


def test_stopping_a_first_turn_train_proves_nothing() -> None:
    position = parse_position("rules trainyard\nengine 12-12\nhand 0: 12-5 5-4 3-1\nhand 1: 12-1 1-0")
    advance(position)
    apply(position, parse_action("12-5@0", 4))
    advance(position)
    apply(position, PASS)
    assert most(position, 0) == {}


@kernel
def _hold(s, out):
    """Hold every bound of a State against the hands.

    ``out: int64[3]`` counts bounds, those that are broken, and those that say something.
    """
    for seat in range(np.int64(s.n_seats)):
        for v in range(np.int64(s.max_pip) + 1):
            bound = at_most(s, seat, v)
            held = popcount(np.int64(s.hand[seat, v]))
            out[0] += 1
            out[1] += held > bound or bound < 0
            out[2] += bound < s.count[seat]


@kernel
def _soundness(states, own, n, out):
    """Play `n` first rounds at random; hold all bounds against the true hands after every single step."""
    s = states[0]
    chance = own[0]
    for k in range(n):
        first_round(s, 7, k, 0, k % np.int64(s.n_seats))
        hold_back = k % 3  # of three rounds one without, one with doubles last, one with passes first
        while True:
            did = step(s)
            _hold(s, out)
            if did == ROUND_OVER:
                break
            if did == CHOICE:
                n_legal = np.int64(s.n_legal)
                action = nth_action(s, below(chance, n_legal))
                for _ in range(3):
                    if hold_back == 1 and (action >> 5 & 31) == (action & 31):
                        action = nth_action(s, below(chance, n_legal))
                if hold_back == 2 and s.may_pass:
                    action = nth_action(s, n_legal - 1)
                do_action(s, action)
                _hold(s, out)


def soundness(rules: RuleSet, players: int, n: int) -> list[int]:
    """Return how many bounds were held against true hands, how many were broken, and how many said something."""
    out = np.zeros(3, np.int64)
    _soundness(blank(rules, players), np.zeros(1, AGENT_STATE), n, out)
    return out.tolist()


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_H32_the_true_hands_obey_every_proof(name: str, players: int) -> None:
    held, broken, told = soundness(preset(name), players, 1500)
    assert broken == 0
    assert told > held / 100


@given(rule_sets())
@settings(SLOW, max_examples=150)
def test_H32_the_true_hands_obey_every_proof_by_any_rules(table: tuple[dict, int]) -> None:
    rules, players = table
    held, broken, _ = soundness(RuleSet.from_json(rules), players, 60)
    assert held > 0
    assert broken == 0


# ── Worlds ────────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def _worlds(states, own, n, every, out):
    """Play rounds at random and sample a world at every so manieth choice, for the seat on turn and the next.

    ``out: int64[5]``: worlds; with a tile lost, doubled or where it is known not to be; with a hand of the wrong size;
    with a proof broken; bounds that said something.
    """
    s, seen, world = states[0], states[1], states[2]
    chance, sampler = own[0], own[1]
    where = np.zeros(190, np.int64)
    choices = 0
    for k in range(n):
        first_round(s, 3, k, 0, k % np.int64(s.n_seats))
        while True:
            did = step(s)
            if did == ROUND_OVER:
                break
            if did != CHOICE:
                continue
            choices += 1
            if choices % every == 0:
                for ahead in range(2):
                    seat = (np.int64(s.turn) + ahead) % np.int64(s.n_seats)
                    look(seen, s, seat)
                    determinize(world, seen, seat, sampler)
                    out[0] += 1
                    where[:] = 0
                    for tile in range(190):
                        hi, lo = np.int64(HI[tile]), np.int64(LO[tile])
                        where[tile] += world.laid_on[tile] > 0
                        for other in range(np.int64(s.n_seats)):
                            held = world.hand[other, hi] >> lo & 1
                            where[tile] += held
                            if held != world.hand[other, lo] >> hi & 1:
                                where[tile] += 100
                            if other == seat and held != s.hand[seat, hi] >> lo & 1:
                                where[tile] += 100
                    for at in range(np.int64(world.top), np.int64(world.n_tiles)):
                        where[world.deck[at]] += 1
                    lost = False
                    for tile in range(190):
                        lost = lost or where[tile] != (HI[tile] <= s.max_pip)
                    out[1] += lost
                    wrong_size = False
                    for other in range(np.int64(s.n_seats)):
                        size = 0
                        for v in range(np.int64(s.max_pip) + 1):
                            row = np.int64(world.hand[other, v])
                            size += popcount(row) + (row >> v & 1)
                        wrong_size = wrong_size or size != 2 * s.count[other] or world.count[other] != s.count[other]
                    out[2] += wrong_size
                    before = out[3]
                    for other in range(np.int64(s.n_seats)):
                        for v in range(np.int64(s.max_pip) + 1):
                            bound = at_most(s, other, v)
                            out[4] += bound < s.count[other]
                            if popcount(np.int64(world.hand[other, v])) > bound:
                                out[3] = before + 1
            do_action(s, nth_action(s, below(chance, np.int64(s.n_legal))))


def worlds(rules: RuleSet, players: int, n: int, every: int) -> list[int]:
    """Return what `_worlds` counts over `n` rounds."""
    out = np.zeros(5, np.int64)
    states = np.concatenate([blank(rules, players), np.zeros(2, STATE)])
    own = np.zeros(2, AGENT_STATE)
    own["rng"] = 1, 2
    _worlds(states, own, n, every, out)
    return out.tolist()


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_H32_every_world_agrees_with_what_was_seen(name: str, players: int) -> None:
    made, lost, wrong_size, broken, told = worlds(preset(name), players, 130, 7)
    assert made > 1000
    assert told > made
    assert (lost, wrong_size, broken) == (0, 0, 0)


@given(rule_sets())
@settings(SLOW, max_examples=60)
def test_H32_every_world_agrees_by_any_rules(table: tuple[dict, int]) -> None:
    rules, players = table
    _, lost, wrong_size, broken, _ = worlds(RuleSet.from_json(rules), players, 20, 3)
    assert (lost, wrong_size, broken) == (0, 0, 0)


def world_of(seen: np.ndarray, seat: int, own: np.ndarray) -> np.ndarray:
    """Return one world that agrees with an observation."""
    world = np.ones(1, STATE)  # nothing of it may survive
    determinize(world[0], seen[0], seat, own[0])
    return world


@given(rule_sets(), SEEDS)
@settings(SLOW, max_examples=50)
def test_H32_a_world_observed_again_is_the_same_observation(table: tuple[dict, int], seed: int) -> None:
    own = np.zeros(1, AGENT_STATE)
    own[0].rng = seed
    position = deal_by_chance(*table, seed)
    for k, here in enumerate(walk(position, seed)):
        if k % 5 == 0:
            for seat in {int(here[0].turn), k % table[1]}:
                seen = observe(here, seat)
                world = world_of(seen, seat, own)
                assert observe(world, seat).tobytes() == seen.tobytes()
                world[0].tally[:] = here[0].tally
                check(world)


def test_H32_worlds_go_on_like_the_game() -> None:
    """The seat on turn has the same actions in every world, and each can be played on to its end."""
    own = np.zeros(1, AGENT_STATE)
    for k, here in enumerate(walk(new_game("cardinal", 4, seed=2), 2)):
        if k % 10:
            continue
        world = world_of(observe(here, int(here[0].turn)), int(here[0].turn), own)
        assert legal_actions(world) == legal_actions(here)
        for there in walk(world, k):
            check(there)
        assert world[0].over


def test_worlds_come_from_the_stream_they_are_given() -> None:
    position = new_game("standard", 4, seed=1)
    advance(position)
    seen = observe(position, 0)
    own = np.zeros(1, AGENT_STATE)
    own[0].rng = 5
    one, two = world_of(seen, 0, own), world_of(seen, 0, own)
    own[0].rng = 5
    assert one.tobytes() == world_of(seen, 0, own).tobytes() != two.tobytes()


@kernel
def _tally_places(seen, world, seat, own, n, counts):
    """Count in ``counts: int64[190, places]`` where each tile is in `n` worlds: a hand, or a place in the boneyard."""
    for _ in range(n):
        determinize(world[0], seen[0], seat, own[0])
        w = world[0]
        for tile in range(190):
            hi, lo = np.int64(HI[tile]), np.int64(LO[tile])
            for other in range(np.int64(w.n_seats)):
                if w.hand[other, hi] >> lo & 1:
                    counts[tile, other] += 1
        for at in range(np.int64(w.top), np.int64(w.n_tiles)):
            counts[w.deck[at], np.int64(w.n_seats) + at - np.int64(w.top)] += 1


def place_counts(seen: np.ndarray, seat: int, n: int) -> np.ndarray:
    """Return how often each tile (row) is in each place (column) of `n` worlds."""
    s = seen[0]
    counts = np.zeros((190, int(s.n_seats) + int(s.n_tiles - s.top)), np.int64)
    own = np.zeros(1, AGENT_STATE)
    own[0].rng = 77
    _tally_places(seen, np.zeros(1, STATE), seat, own, n, counts)
    return counts


def first_choice_without_proofs(name: str, players: int) -> np.ndarray:
    """Return the first choice of a round in which no seat had to draw before it."""
    for seed in itertools.count():
        position = new_game(name, players, seed=seed, starter=1)
        if advance(position) and (position[0].void == NEVER).all():
            return position
    raise AssertionError


@pytest.mark.parametrize(("name", "players"), [("standard", 2), ("standard", 8), ("pinecone", 3), ("trainyard", 10)])
def test_H32_without_proofs_every_hidden_tile_is_anywhere_alike(name: str, players: int) -> None:
    """Hands and the boneyard's order, and the true place of a tile no more than any other."""
    n = 20_000
    position = first_choice_without_proofs(name, players)
    seat = int(position[0].turn)
    counts = place_counts(observe(position, seat), seat, n)
    hidden = places(position, seat)
    columns = [column for column in range(counts.shape[1]) if column != seat]
    table = counts[sorted(hidden)][:, columns]
    sizes = table.sum(0) / n
    assert sizes.tolist() == [int(position[0].count[c]) if c < players else 1 for c in columns]

    n_tiles = len(hidden)
    expected = n * sizes / n_tiles
    statistic = ((table - expected) ** 2 / expected).sum() * (n_tiles - 1) / n_tiles
    assert 1e-5 < chi2.sf(statistic, (n_tiles - 1) * (len(columns) - 1)) < 1 - 1e-5

    offset = players - MAX_SEATS - int(position[0].top)
    true = np.array([counts[tile, place if place < MAX_SEATS else place + offset] for tile, place in hidden.items()])
    share = np.array([position[0].count[place] if place < MAX_SEATS else 1 for place in hidden.values()]) / n_tiles
    z = (true - n * share) / np.sqrt(n * share * (1 - share))
    assert abs(z).max() < 5
    assert abs(z.sum()) < 5 * np.sqrt(len(z))


# ── Without a history: against all deals that the counts allow ────────────────────────────────────────────────────────────────────────────


def all_deals(seen: np.ndarray, seat: int) -> list[tuple[frozenset[int], ...]]:
    """Return every deal that obeys the proofs of what a seat does not see: one set of tiles for each other seat."""
    s = seen[0]
    tiles = unseen(seen, seat)
    others = [other for other in range(int(s.n_seats)) if other != seat]
    deals: list[tuple[frozenset[int], ...]] = [()]
    for other in others:
        bounds = most(seen, other)
        deals = [
            (*deal, frozenset(hand))
            for deal in deals
            for hand in itertools.combinations(sorted(set(tiles).difference(*deal)), int(s.count[other]))
            if all(sum(v in (HI[tile], LO[tile]) for tile in hand) <= bound for v, bound in bounds.items())
        ]
    return deals


def sample_deals(seen: np.ndarray, seat: int, n: int) -> Counter:
    """Return how often each deal comes up in `n` worlds."""
    own, world = np.zeros(1, AGENT_STATE), np.zeros(1, STATE)
    own[0].rng = 99
    others = [other for other in range(int(seen[0].n_seats)) if other != seat]
    found: Counter = Counter()
    tiles = [(tile, int(HI[tile]), int(LO[tile])) for tile in range(28)]
    for _ in range(n):
        determinize(world[0], seen[0], seat, own[0])
        rows = world[0].hand.tolist()
        found[tuple(frozenset(tile for tile, hi, lo in tiles if rows[other][hi] >> lo & 1) for other in others)] += 1
    return found


def test_H32_a_void_counted_by_hand() -> None:
    """Seat 1 holds two of the nine tiles left and has no 3: 3-0 and 3-1 are with seat 2 or in the boneyard."""
    position = parse_position(
        "rules standard max_pip=6 hand_size=4 rounds=1\nseats 3\n"
        "hand 0: 6-5 5-5\nhand 1: ?2\nhand 2: ?2\nboneyard: ?5\n"
        "table: 6-4@0 4-3@0 3-3@0 6-3@0 6-2@1 2-2@1 5-2@1 5-4@1 4-4@1 4-2@1 6-1@mexican 1-1@mexican 5-1@mexican "
        "5-3@mexican 3-2@mexican 2-1@mexican\nvoid 1: 3:0"
    )
    seen = observe(position, 0)
    left = {tile_text(tile) for tile in unseen(seen, 0)}
    assert left == {"0-0", "1-0", "2-0", "3-0", "4-0", "5-0", "6-0", "3-1", "4-1"}
    deals = all_deals(seen, 0)
    assert len(deals) == comb(7, 2) * comb(7, 2)  # two of seven without a 3, then any two of the seven left
    found = sample_deals(seen, 0, 40 * len(deals))
    assert set(found) <= set(deals)
    assert chi2.sf(sum((found[deal] - 40) ** 2 / 40 for deal in deals), len(deals) - 1) > 1e-6
