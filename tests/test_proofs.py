"""What the public history proves: the referee says which deals could have gone the same way, and the worlds are those.

A deal is the whole permutation. It is consistent with what a seat sees when the referee, dealing it, finds every event of
the public history legal and is then at the same point, with the same tiles in that seat's hand.
"""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import chi2

from mtrain.game.kernels import at_most
from mtrain.game.moves import advance, apply, legal_actions, new_game, observe
from mtrain.game.positions import parse_position, position_text
from mtrain.game.rules import PRESETS, preset
from mtrain.game.state import AGENT_STATE, STATE, UNTOLD
from mtrain.game.tiles import tile_text
from mtrain.strategy.constraints import DEAL, study, unmet
from mtrain.strategy.determinize import determinize
from mtrain.strategy.history import events
from tests.helpers.deals import SEEDS, SLOW, deal_by_chance, rule_sets
from tests.helpers.whole_deals import could_have_been, sampled, small_positions, story, whole_deals

# ── The history ───────────────────────────────────────────────────────────────────────────────────────────


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
    public = (
        "table",
        "end",
        "open_on",
        "marked",
        "count",
        "top",
        "laid",
        "since",
        "turn",
        "owed",
        "drawn",
        "in_first_train",
    )
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
    seen, world, own = observe(position, seat), np.ones(1, STATE), np.zeros(1, AGENT_STATE)
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
