"""Completeness: every deal that could have been, played by the referee, and how often worlds bring each."""

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from math import comb, perm

import numpy as np

from mtrain.game import moves
from mtrain.game.jit import kernel
from mtrain.game.kernels import CHOICE, DREW, FOUND_ENGINE, PASSED, ROUND_OVER, TURN_OVER
from mtrain.game.moves import apply, new_game, observe
from mtrain.game.notation import train_text
from mtrain.game.rules import preset
from mtrain.game.state import AGENT_STATE, RIDE, STATE
from mtrain.game.tiles import HI, LO, set_size, tile_text
from mtrain.strategy.determinize import determinize
from mtrain.strategy.history import events
from tests import reference
from tests.helpers.deals import heavy_first

WORDS = {DREW: "drew", PASSED: "passed", FOUND_ENGINE: "engine", TURN_OVER: "over"}


def story(position: np.ndarray, seed: int) -> Iterator[tuple[np.ndarray, list[tuple]]]:
    """Play a round step by step; yield each position with all that has happened: what, who, action, drawn."""
    rng = random.Random(seed)
    told: list[tuple] = []
    while True:
        yield position, told
        before = position[0].copy()
        did = moves.step(position, 0)
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
            if here[0].over or not told or here[0].drawn or moves.step(here.copy(), 0) != CHOICE:
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
    own, world = np.zeros(1, AGENT_STATE), np.zeros(1, STATE)
    own[0].rng = chance
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
