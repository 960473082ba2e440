"""What the public history proves: the referee says which deals could have gone the same way, and the worlds are those.

A deal is the whole permutation. It is consistent with what a seat sees when the referee, dealing it, finds every event of
the public history legal and is then at the same point, with the same tiles in that seat's hand.
"""

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator
from math import comb, perm

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from scipy.stats import chi2
from test_reference import SEEDS, SLOW, deal_by_chance, rule_sets

from mtrain.game import engine
from mtrain.game.engine import advance, apply, legal_actions, new_game, observe
from mtrain.game.jit import kernel
from mtrain.game.kernels import CHOICE, DREW, FOUND_ENGINE, PASSED, ROUND_OVER, TURN_OVER, at_most
from mtrain.game.notation import train_text
from mtrain.game.positions import parse_position, position_text
from mtrain.game.rules import PRESETS, preset
from mtrain.game.state import OWN, RIDE, STATE, UNTOLD
from mtrain.game.tiles import HI, LO, set_size, tile_text
from mtrain.think.history import events
from mtrain.think.proofs import DEAL, study, unmet
from mtrain.think.worlds import determinize

# ── The history ───────────────────────────────────────────────────────────────────────────────────────────

WORDS = {DREW: "drew", PASSED: "passed", FOUND_ENGINE: "engine", TURN_OVER: "over"}


def heavy_first(rng: random.Random, position: np.ndarray) -> int:
    """Choose like a greedy player in one round of two, at random in the others; hold back now and then."""
    legal = legal_actions(position)
    return max(legal, key=lambda a: (a.pips, rng.random())) if rng.random() < 0.5 else rng.choice(legal)


def story(position: np.ndarray, seed: int) -> Iterator[tuple[np.ndarray, list[tuple]]]:
    """Play a round step by step; yield each position with all that has happened: what, who, action, drawn."""
    rng = random.Random(seed)
    told: list[tuple] = []
    while True:
        yield position, told
        before = position[0].copy()
        did = engine.step(position, 0)
        if did == ROUND_OVER:
            return
        if did == CHOICE:
            action = heavy_first(rng, position)
            what = "laid" if action.is_lay else "stopped" if before.owed == RIDE else "passed"
            told.append((what, int(before.turn), action if action.is_lay else None, bool(before.drawn)))
            apply(position, action)
        else:
            seat = int(position[0].turn) if did == FOUND_ENGINE else int(before.turn)
            told.append((WORDS[did], seat, None, bool(before.drawn)))


@given(rule_sets(), SEEDS)
@settings(SLOW, max_examples=60)
def test_the_history_is_what_happened_by_any_rules(table: tuple[dict, int], seed: int) -> None:
    for k, (here, told) in enumerate(story(deal_by_chance(*table, seed), seed)):
        if k % 9 == 0 or here[0].over:
            seen = observe(here, k % table[1])
            assert [(e.what, e.seat, e.action, e.drawn) for e in events(seen)] == told


def test_the_past_is_shown_as_everybody_saw_it() -> None:
    befores = []
    for here, story_so_far in story(new_game("cardinal", 3, seed=4), 4):
        masked = observe(here, 0)[0]
        masked.hand[:] = 0
        befores.append(masked.copy())
        last, told = here, story_so_far
    public = ("table", "end", "open_on", "marked", "count", "top", "laid", "since", "turn", "owed", "drawn", "riding")
    pasts = list(events(last))
    assert len(pasts) == len(told) > 50
    for event, before in zip(pasts, befores, strict=False):
        assert not event.before[0].hand.any()
        for name in public:
            assert np.array_equal(event.before[0][name], before[name]), (event, name)


def test_a_position_by_hand_tells_no_history_and_is_refused() -> None:
    position = parse_position("table: 12-9@mexican 12-3@0\nhand 0: 5-4 8-1\nhand 1: ?2\nhand 2: ?2\nhand 3: ?2")
    with pytest.raises(ValueError, match="since:"):
        list(events(position))
    position = new_game("standard", 3, seed=1)
    for _ in range(9):
        advance(position)
        apply(position, legal_actions(position)[0])
    assert list(events(position))
    text = position_text(position)
    wrong = text.replace("since: 0", "since: 1", 1)
    assert wrong != text
    with pytest.raises(ValueError, match="since:"):
        list(events(parse_position(wrong)))


def test_so_many_passes_that_nobody_counts_them() -> None:
    """From 127 turns on the history is lost; worlds are still made, from the counts and what `void` says."""
    position = new_game("pinecone", 3, seed=1)
    for _ in range(30):
        advance(position)
        apply(position, legal_actions(position)[0])
    advance(position)
    position[0].since[3] = UNTOLD
    with pytest.raises(ValueError, match="since:"):
        list(events(position))
    seat = int(position[0].turn)
    seen, world, own = observe(position, seat), np.ones(1, STATE), np.zeros(1, OWN)
    determinize(world[0], seen[0], seat, own[0])
    assert observe(world, seat).tobytes() == seen.tobytes()
    assert legal_actions(world) == legal_actions(position)
    for q in range(3):
        for v in range(13):
            assert int(world[0].hand[q, v]).bit_count() <= at_most(position[0], q, v)


# ── Soundness: the true deal is consistent ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "players"), [(name, players) for name in PRESETS for players in preset(name).dealable()]
)
def test_the_true_deal_is_consistent(name: str, players: int) -> None:
    """Whoever plays: random choices and heavy tiles first, stops and tiles kept back included."""
    d, told_of = np.zeros(1, DEAL), 0
    for seed in range(6):
        for k, (here, told) in enumerate(story(new_game(name, players, seed=seed, starter=seed % players), seed)):
            if k % 11 or here[0].over or not told:
                continue
            seat = k % players
            study(d[0], observe(here, seat)[0], seat)
            assert d[0].told
            told_of += 1
            wrong, missing = true_places(d[0], here[0])
            assert (wrong, missing) == ([], 0)
    assert told_of > 20


def true_places(d: np.record, s: np.record) -> tuple[list[str], int]:
    """Put every tile where the true deal has it; return those that `d` says cannot lie there, and the needs missed."""
    size, n = int(s.hand_size), int(d.n)
    index = {int(tile): i for i, tile in enumerate(d.tile[:n])}
    wrong: list[str] = []
    d.held[:n] = -1
    for k in range(int(d.n_hand)):
        seat, place = int(d.seat[k]), int(d.place[k])
        if d.at[k] > 0:
            tiles = [int(s.deck[place])]
        else:  # a tile dealt: any of those that no known tile's place is
            fixed = [int(d.deck[seat * size + j]) for j in range(int(d.filled[seat]))]
            dealt = [int(tile) for tile in s.deck[seat * size : (seat + 1) * size]]
            assert set(fixed) <= set(dealt)
            tiles = [tile for tile in dealt if tile not in fixed and index[tile] not in d.held[:k]]
        i = index[tiles[0]]
        d.held[k] = i
        if not d.earliest[seat, i] <= d.at[k] < d.latest[i]:
            wrong.append(tile_text(tiles[0]))
    return wrong, int(unmet(d)) if d.n_needs else 0


# ── Completeness: against all deals, played by the referee ────────────────────────────────────────────────


def whole_deals(position: np.ndarray, seat: int) -> Iterator[tuple]:
    """Yield every deal with these hand sizes and this table: hands as sets, draws in order, the boneyard as a set."""
    s = position[0]
    n, size, top = int(s.n_seats), int(s.hand_size), int(s.top)
    laid: dict[int, list[int]] = {q: [] for q in range(n)}
    drawers = []
    for event in events(observe(position, seat)):
        if event.what == "drew":
            drawers.append(event.seat)
        elif event.what == "laid":
            laid[event.seat].append(event.action.tile)
        elif event.what == "engine":
            laid[event.seat].append(int(s.engine) * (int(s.engine) + 3) // 2)
    mine = [t for t in range(set_size(int(s.max_pip))) if s.hand[seat, HI[t]] >> int(LO[t]) & 1]
    unseen = [t for t in range(set_size(int(s.max_pip))) if not s.laid_on[t] and t not in mine]
    assert top == n * size + len(drawers)

    def hands(left: list[int], seats: list[int]) -> Iterator[dict[int, tuple]]:
        if not seats:
            yield {-1: tuple(left)}
            return
        q, rest = seats[0], seats[1:]
        for hand in [tuple(mine)] if q == seat else itertools.combinations(left, int(s.count[q])):
            for others in hands([t for t in left if t not in hand] if q != seat else left, rest):
                yield {q: hand} | others

    for held in hands(unseen, list(range(n))):
        orders = [list(itertools.permutations([*laid[q], *held[q]], drawers.count(q))) for q in range(n)]
        for drawn in itertools.product(*orders):
            dealt = [frozenset({*laid[q], *held[q]} - {*drawn[q]}) for q in range(n)]
            queues = [list(order) for order in drawn]
            yield (*dealt, tuple(queues[q].pop(0) for q in drawers), frozenset(held[-1]))


def n_whole_deals(position: np.ndarray, seat: int) -> int:
    s = position[0]
    n, size, ways, free = int(s.n_seats), int(s.hand_size), 1, 0
    free = int(s.n_tiles - s.top) + sum(int(s.count[q]) for q in range(n) if q != seat)
    drawers = [event.seat for event in events(observe(position, seat)) if event.what == "drew"]
    for q in range(n):
        if q != seat:
            ways *= comb(free, int(s.count[q]))
            free -= int(s.count[q])
        ways *= perm(size + drawers.count(q), drawers.count(q))
    return ways


def could_have_been(rules: dict, position: np.ndarray, deal: tuple) -> bool:
    """Ask the referee whether a deal can go through the public history of a position and be where it is now."""
    s = position[0]
    n = int(s.n_seats)
    *hands, draws, left = deal
    texts = [[tile_text(t) for t in sorted(hand)] for hand in hands]
    boneyard = [tile_text(t) for t in [*draws, *sorted(left)]]
    aside = f"{s.engine}-{s.engine}" if s.countdown else None
    state = reference.new_round(rules, n, int(s.number), int(s.starter), aside, texts, boneyard)
    try:
        for event in events(position):
            if event.what == "over":
                continue  # the referee ends such a turn with the tile laid
            said: list = [event.seat]
            if event.what == "laid":
                train = train_text(event.action.train, n)
                tile = tile_text(event.action.tile)
                said += ["play", tile, train if train == "mexican" else int(train)]
            elif event.what == "drew":
                said += ["draw", state["boneyard"][0]]
            elif event.what == "engine":
                said += ["engine", f"{s.engine}-{s.engine}"]
            else:
                said += ["pass"]
            reference.apply(state, said)
    except reference.Breach:
        return False
    return state["turn"] == s.turn


def small_tables(name: str) -> list[tuple]:
    """Rules and players under which a whole small set is dealt out, or nearly."""
    return [
        (preset(name, max_pip=6, hand_size=hand_size, rounds=1, players=(2, 10)), players)
        for players, hand_size in [(2, 12), (3, 8), (4, 6), (4, 5), (7, 3), (2, 2), (3, 2)]
    ]


def small_positions(name: str, wanted: int, most: int = 1500, start: int = 0) -> Iterator[tuple[dict, np.ndarray, int]]:
    """Yield late positions with a seat that sees some, but not too many, deals; the referee's rules come along."""
    found = 0
    for seed in itertools.count(start):
        rules, players = small_tables(name)[seed % 7]
        candidates = []
        for here, told in story(new_game(rules, players, seed=seed, starter=seed % players), seed):
            if here[0].over or not told or here[0].drawn or engine.step(here.copy(), 0) != CHOICE:
                continue
            for seat in range(players):
                if here[0].owed == RIDE and seat != here[0].turn:
                    continue  # whether it goes on is no event yet; the referee ends a turn that cannot at once
                if 20 <= n_whole_deals(here, seat) <= most:
                    candidates.append((here.copy(), seat))
        if candidates:
            position, seat = random.Random(seed).choice(candidates)
            yield rules.to_json(), position, seat
            found += 1
            if found == wanted:
                return


def sampled(position: np.ndarray, seat: int, n: int, chance: int = 5) -> Counter:
    """Return how often each whole deal comes up in `n` worlds."""
    own, world = np.zeros(1, OWN), np.zeros(1, STATE)
    own[0].chance = chance
    seen = observe(position, seat)
    s = position[0]
    players, size, top, end = int(s.n_seats), int(s.hand_size), int(s.top), int(s.n_tiles)
    decks = np.zeros((n, 190), np.uint8)
    _sample(world, seen, seat, own, decks)
    found: Counter = Counter()
    for deck in decks.tolist():
        hands = [frozenset(deck[q * size : (q + 1) * size]) for q in range(players)]
        found[(*hands, tuple(deck[players * size : top]), frozenset(deck[top:end]))] += 1
    return found


@kernel
def _sample(world, seen, seat, own, decks):
    for k in range(len(decks)):
        determinize(world[0], seen[0], seat, own[0])
        decks[k] = world[0].deck


def uniformity(name: str, wanted: int, each: int = 30, most: int = 1500, start: int = 0) -> list[float]:
    """Hold the worlds of some positions against all consistent deals; return the p-values of their counts."""
    found = []
    for rules, position, seat in small_positions(name, wanted, most, start):
        deals = [deal for deal in whole_deals(position, seat) if could_have_been(rules, position, deal)]
        assert deals
        counts = sampled(position, seat, each * len(deals))
        assert set(counts) <= set(deals), position_text(position)
        if len(deals) > 1:
            statistic = sum((counts[deal] - each) ** 2 / each for deal in deals)
            found.append(float(chi2.sf(statistic, len(deals) - 1)))
    return found


@pytest.mark.parametrize("name", PRESETS)
def test_H32_worlds_are_uniform_over_the_deals_that_the_referee_allows(name: str) -> None:
    p = uniformity(name, 10)
    assert len(p) > 3
    assert min(p) > 1e-4 / len(p)
    # Fisher's method: no tilt over all cases.
    assert chi2.sf(-2 * sum(math.log(each) for each in p), 2 * len(p)) > 1e-4
