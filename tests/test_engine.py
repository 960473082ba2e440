"""The engine: no tile is lost or doubled, what is refused changes nothing, and one compilation serves every rule."""

import random
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtrain.game import kernels, moves
from mtrain.game.jit import JIT
from mtrain.game.kernels import PASS, lay
from mtrain.game.moves import (
    IllegalAction,
    advance,
    apply,
    deal_hands,
    legal_actions,
    new_game,
    next_round,
    observe,
    why_not,
)
from mtrain.game.notation import parse_action
from mtrain.game.positions import parse_position
from mtrain.game.record import forced_event, play_round
from mtrain.game.rules import PRESETS, RulesError, preset
from mtrain.game.state import FIRST, MAX_TRAINS, RIDE
from mtrain.game.tiles import parse_tile
from tests import reference
from tests.helpers.deals import SEEDS, SLOW, deal_by_chance, rule_sets, walk
from tests.helpers.program import printed
from tests.helpers.whole import check

ROOT = Path(__file__).parents[1]


# ── No tile is lost or doubled ────────────────────────────────────────────────────────────────────────────


@given(rule_sets(), SEEDS)
@settings(SLOW, max_examples=50)
def test_K21_no_tile_is_lost_or_doubled(table: tuple[dict, int], seed: int) -> None:
    """After every single thing that happens: a draw, a play, a pass, an engine found."""
    position = deal_by_chance(*table, seed)
    rng = random.Random(seed)
    check(position)
    while True:
        event = forced_event(position)
        check(position)
        if event is None:
            if position[0].over:
                break
            apply(position, rng.choice(legal_actions(position)))
            check(position)


@pytest.mark.parametrize("name", PRESETS)
def test_K21_the_presets_at_every_table_over_a_whole_game(name: str) -> None:
    for players in preset(name).dealable():
        rules = preset(name, rounds=2)
        position = new_game(rules, players, seed=players, starter=players - 1)
        totals = np.zeros(players, int)
        for number in (1, 2):
            for here in walk(position, players):
                check(here)
            check(position)
            totals += position[0].pips[:players]
            assert position[0].score[:players].tolist() == totals.tolist()
            assert position[0].starter == (players - 2 + number) % players
            if number == 1:
                next_round(position, seed=players)


@given(rule_sets(), SEEDS)
@settings(SLOW, max_examples=40)
def test_K25_every_round_ends_and_gives_every_seat_a_score(table: tuple[dict, int], seed: int) -> None:
    rules, players = table
    rng = random.Random(seed)
    round_ = play_round(deal_by_chance(rules, players, seed), lambda here: rng.choice(legal_actions(here)))
    assert round_["end"] in ("out", "blocked")
    assert len(round_["scores"]) == players
    assert round_["end"] == "blocked" or min(round_["scores"]) == 0


@given(rule_sets(), SEEDS)
@settings(SLOW, max_examples=40)
def test_legal_actions_are_different_ordered_and_told_from_all_others(table: tuple[dict, int], seed: int) -> None:
    for here in walk(deal_by_chance(*table, seed), seed):
        s = here[0]
        n = int(s.n_seats)
        legal = legal_actions(here)
        assert len(set(legal)) == len(legal) == s.n_legal > 0
        assert [kernels.nth_action(s, k) for k in range(len(legal))] == list(legal)
        assert list(legal[:-1]) == sorted(legal[:-1], key=lambda a: (a.train, a.hi + a.lo - s.end[a.train]))
        assert PASS not in legal[:-1]
        assert 0 not in legal
        for train in range(n + 2):
            for action in (lay(train, hi, lo) for hi in range(19) for lo in range(hi + 1)):
                assert kernels.is_legal(s, action) == (action in legal)
        break  # 190 tiles on every train: once a round is enough


# ── What is refused changes nothing ───────────────────────────────────────────────────────────────────────


def refused(position: np.ndarray, action: object, seat: int | None = None) -> str:
    """Return why an action is refused; the position must be the same bytes as before."""
    before = position.tobytes()
    with pytest.raises(IllegalAction) as caught:
        apply(position, action, seat)  # type: ignore[arg-type]
    assert position.tobytes() == before
    return str(caught.value)


K27 = "table: 12-6@mexican 12-3@0\nhand 0: 9-3 6-4\nhand 1: 12-5 6-1\nhand 2: 9-2\nhand 3: 8-3\nboneyard: 8-7 9-9"


def k27(*lines: str) -> np.ndarray:
    """Return the position of K27: seat 0 may lay 9-3 on its own train and 6-4 on the Mexican train."""
    position = parse_position("\n".join([K27, *lines]))
    advance(position)
    return position


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("12-5@0", "seat 0 does not hold 12-5"),
        ("12-12@0", "seat 0 does not hold 12-12"),
        ("18-18@0", "seat 0 does not hold 18-18"),
        ("6-4@0", "6-4 does not fit train 0, which is open at 3"),
        ("9-3@mexican", "9-3 does not fit train mexican, which is open at 6"),
        ("9-3@1", "9-3 does not fit train 1, which is open at 12"),
        ("pass", "seat 0 may not pass: it can lay 9-3@0"),
    ],
)
def test_K27_an_illegal_action(action: str, reason: str) -> None:
    assert refused(k27(), parse_action(action, 4)) == reason


def test_K27_out_of_turn() -> None:
    for seat in (1, 2, 3):
        for action in legal_actions(k27()):
            assert refused(k27(), action, seat) == f"it is seat 0's turn, not seat {seat}'s"


def test_K27_a_train_that_does_not_exist() -> None:
    assert refused(k27(), lay(5, 9, 3)) == "there is no train 5 at a table of 4"
    assert refused(k27(), lay(15, 9, 3)) == "there is no train 15 at a table of 4"


def test_K27_a_train_without_a_marker() -> None:
    position = parse_position(K27.replace("12-3@0", "12-3@0 12-9@1"))
    advance(position)
    assert refused(position, parse_action("9-3@1", 4)) == "train 1 has no marker"


def test_K27_an_open_double_comes_first() -> None:
    position = parse_position(K27.replace("12-6@mexican", "12-6@mexican 6-6@mexican") + "\nopen mexican")
    advance(position)
    assert refused(position, parse_action("9-3@0", 4)) == "the open double on train mexican comes first"


def test_K27_a_double_just_laid_comes_first() -> None:
    position = parse_position(K27.replace("9-3 6-4", "9-3 6-4 6-6"))
    advance(position)
    apply(position, parse_action("6-6@mexican", 4))
    advance(position)
    assert refused(position, parse_action("9-3@0", 4)) == "the double on train mexican must be covered first"


@pytest.mark.parametrize("action", [0, -1, 2, 3, 1 << 15, 1 << 14 | 1 << 15, 1 << 40, -(1 << 14), (1 << 14) - 1])
def test_K27_what_is_no_action(action: int) -> None:
    assert refused(k27(), action) == f"{action} is not an action"


@pytest.mark.parametrize(("hi", "lo"), [(19, 0), (25, 3), (31, 31), (31, 0), (20, 20)])
def test_K27_a_tile_that_does_not_exist(hi: int, lo: int) -> None:
    """Five bits hold numbers up to 31; the largest set ends at 18."""
    assert refused(k27(), 1 << 14 | hi << 5 | lo)


def test_K27_a_tile_written_the_wrong_way_round() -> None:
    """3-9 is not an action: each has one number. The seat's own train needs no marker."""
    assert "marker" not in refused(k27(), 1 << 14 | 0 << 10 | 3 << 5 | 9)


@given(st.integers(-(1 << 16), 1 << 17), SEEDS)
@settings(deadline=None, max_examples=300)
def test_K27_any_number_is_done_or_refused(number: int, seed: int) -> None:
    position = next(iter(walk(new_game("trainyard", 3, seed=seed), seed)))
    if number in legal_actions(position):
        assert why_not(position, number) is None
    else:
        assert refused(position, number)


def test_K27_nothing_is_done_after_the_end() -> None:
    position = parse_position("seats 2\nhand 0: 12-3\nhand 1: 12-4")
    advance(position)
    apply(position, parse_action("12-3@0", 2))
    for action in (parse_action("12-4@1", 2), PASS, 0):
        assert refused(position, action) == "the round is over"


def test_K27_nothing_is_done_before_the_engine_is_found() -> None:
    position = new_game("trainyard", 3, seed=1)
    assert refused(position, PASS) == refused(position, lay(0, 12, 3)) == "nothing is to be chosen here"


def test_K27_an_action_is_done_once() -> None:
    """An action, then another of the same seat: between them the turn has passed on, or the tile owed is another."""
    position = k27()
    first, second = legal_actions(position)
    apply(position, first)
    assert refused(position, second)
    assert refused(position, first)


@given(rule_sets(), SEEDS)
@settings(SLOW, max_examples=40)
def test_K27_what_was_legal_before_an_action_is_not_after_it(table: tuple[dict, int], seed: int) -> None:
    """`apply` without `advance`: nobody has said yet what may follow."""
    rng = random.Random(seed)
    position = deal_by_chance(*table, seed)
    while advance(position):
        legal = legal_actions(position)
        apply(position, rng.choice(legal))
        if not position[0].over:
            assert legal_actions(position) == ()
            for action in legal:
                refused(position, action)


def test_a_refused_next_round_changes_nothing() -> None:
    position = k27()
    before = position.tobytes()
    with pytest.raises(ValueError, match="round 1 is not over"):
        next_round(position, seed=1)
    assert position.tobytes() == before


def test_what_cannot_be_dealt_is_refused_with_the_reason() -> None:
    with pytest.raises(RulesError, match="players goes from 2 to 8 in these rules, not 9"):
        new_game("standard", 9, seed=1)
    with pytest.raises(RulesError, match="unknown rules 'standrad'; did you mean 'standard'"):
        new_game("standrad", 4, seed=1)
    for starter in (-1, 4):
        with pytest.raises(ValueError, match=f"starter is a seat from 0 to 3, not {starter}"):
            new_game("standard", 4, seed=1, starter=starter)
    for seed in (-1, 1 << 64):
        with pytest.raises(ValueError, match="seed"):
            new_game("standard", 4, seed=seed)


def test_hands_that_cannot_be_dealt_are_refused_with_the_reason() -> None:
    rules = preset("standard", max_pip=6, hand_size=2, rounds=1)
    tiles = [parse_tile(tile) for tile in reference.full_set(6) if tile != "6-6"]
    deal_hands(rules, [tiles[:2], tiles[2:4]], tiles[4:])
    for hands, boneyard, said in [
        ([tiles[:3], tiles[3:5]], tiles[5:], "seat 0 is dealt 2 tiles, not 3"),
        ([tiles[:2], tiles[:2]], tiles[4:], "twice ['0-0', '1-0'], missing ['1-1', '2-0'], foreign []"),
        ([tiles[:2], tiles[2:4]], tiles[4:-1], "missing ['6-5']"),
        ([tiles[:2], tiles[2:4]], [*tiles[4:], parse_tile("6-6")], "foreign ['6-6']"),
    ]:
        with pytest.raises(ValueError, match=re.escape(said)):
            deal_hands(rules, hands, boneyard)


def test_only_seats_observe() -> None:
    for seat in (-1, 4):
        with pytest.raises(ValueError, match=f"seat goes from 0 to 3, not {seat}"):
            observe(k27(), seat)


# ── Turns in small steps ──────────────────────────────────────────────────────────────────────────────────


@given(rule_sets(), SEEDS)
@settings(SLOW, max_examples=30)
def test_advance_is_its_steps_and_stays_where_it_is(table: tuple[dict, int], seed: int) -> None:
    position = deal_by_chance(*table, seed)
    rng = random.Random(seed)
    while True:
        ahead = position.copy()
        while forced_event(ahead):
            pass
        n = advance(position)
        assert position.tobytes() == ahead.tobytes()
        assert advance(position) == n
        assert position.tobytes() == ahead.tobytes()
        if not n:
            break
        apply(position, rng.choice(legal_actions(position)))


@given(rule_sets(), SEEDS)
@settings(SLOW, max_examples=30)
def test_a_turn_in_its_parts(table: tuple[dict, int], seed: int) -> None:
    """A seat that has drawn owes something; only a first-turn train rides, and only on rules that have one."""
    rules, _ = table
    for here in walk(deal_by_chance(*table, seed), seed):
        s = here[0]
        assert s.owed != RIDE or s.in_first_train
        assert not s.in_first_train or (rules["first_turn"] == "train" and not s.acted >> int(s.turn) & 1)
        assert not (s.drawn and s.owed == RIDE)
        assert s.owed == FIRST or s.tally[s.turn, 3] > 0
        trains = {action.train for action in legal_actions(here) if action.is_lay}
        assert trains <= set(range(MAX_TRAINS))


# ── One compilation for all ───────────────────────────────────────────────────────────────────────────────


def compiled() -> dict[str, int]:
    """Return in how many forms each kernel of the game has been compiled."""
    found = {**vars(kernels), **vars(moves)}
    return {name: len(made.signatures) for name, made in found.items() if hasattr(made, "signatures")}


def play_a_little(name: str, players: int, **changes: object) -> None:
    """Go through everything that Python asks of the engine."""
    position = new_game(preset(name, **changes), players, seed=1)
    for here in walk(position, 1):
        observe(here, 0)
    if position[0].number < position[0].n_rounds:
        next_round(position, seed=1)


@pytest.mark.skipif(not JIT, reason="nothing is compiled")
def test_changing_a_rule_or_a_table_compiles_nothing() -> None:
    play_a_little("standard", 2)
    before = compiled()
    assert before["_advance"] == before["_apply"] == 1
    for name in PRESETS:
        for players in preset(name).dealable():
            play_a_little(name, players)
    play_a_little("trainyard", 10, max_pip=18, hand_size=12, drawn_tile="may", after_double="extra", double_blank=50)
    play_a_little("cardinal", 3, max_pip=6, hand_size=5, exhausted_double="closed", scoring="pips")
    assert compiled() == before


SMALL_GAMES = """
import hashlib

import numpy as np
from tests import regenerate
from mtrain.game import jit
from mtrain.game.moves import advance, apply, legal_actions, new_game, observe
from mtrain.game.record import play_game, to_line
from mtrain.game.rules import preset
from mtrain.game.state import AGENT_STATE, STATE
from mtrain.strategy.weaken import levelled_policy
from mtrain.strategy.montecarlo import monte_carlo
from mtrain.strategy.planner import PLAIN, planner_policy
from mtrain.strategy.features import WEIGHTS, linear_policy
from mtrain.strategy.determinize import determinize

WEAK = (2, 1.5, 0.1, 2, 2.5, 0.5, 0.5, 1.0, 1.0)  # the parameters of `levelled`
# Worlds, roll-outs, objective, base, gate and what worlds are made from.
SEARCHES = ((1, 0, 0, 0, 0, 1), (2, 3, 3, 2, 0.5, 0), (2, 3, 0, 1, 0.5, 1))
small = [("standard", 3), ("pinecone", 2), ("cardinal", 4), ("trainyard", 10)]
print(jit.JIT)
for name, players in small:
    rules = preset(name, rounds=2 if name == "standard" else 1)
    print(to_line(play_game(rules, ["random"] * players, regenerate.choose, seed=5, game=1, starter=1)))
    position = new_game(rules, players, seed=5)
    own, world, seen = np.zeros(1, AGENT_STATE), np.zeros(1, STATE), hashlib.sha256()
    for k in range(60):
        n = advance(position)
        if not n:
            break
        seen.update(position.tobytes())
        here = observe(position, int(position[0].turn))
        if k % 20 == 7:
            determinize(world[0], here[0], int(here[0].turn), own[0])
            seen.update(world.tobytes())
            for params in SEARCHES:
                own[0].params[: len(params)] = params
                print(name, k, int(monte_carlo(here[0], own[0])), int(own[0].rng))
        asked = ((planner_policy, PLAIN), (linear_policy, WEIGHTS), (levelled_policy, WEAK))
        for policy, params in asked[: 3 if k % 3 == 0 else 2]:  # the last takes a hundred times as long without a compiler
            own[0].params[: len(params)] = params
            print(name, k, int(policy(here[0], own[0])), int(own[0].rng))
        apply(position, legal_actions(position)[n // 2])
    print(name, seen.hexdigest())
"""


def test_without_a_compiler_the_games_are_the_same() -> None:
    with_it, without = (
        printed("-c", SMALL_GAMES, NUMBA_DISABLE_JIT="0"),
        printed("-c", SMALL_GAMES, NUMBA_DISABLE_JIT="1"),
    )
    assert (with_it[:5], without[:6]) == ("True\n", "False\n")
    assert with_it.splitlines()[1:] == without.splitlines()[1:]
    assert len(with_it.splitlines()) > 12


# Random games, and worlds dealt in the midst of them, with every index checked; then an index that is out of bounds.
CHECKED = """
import numpy as np
import numba
from mtrain.arena.play import Games, play
from mtrain.game.jit import kernel
from mtrain.game.rules import PRESETS, preset
from mtrain.game.state import STATE
from mtrain.bots.registry import Registry, build

assert numba.config.BOUNDSCHECK
registry = Registry()
bots = [build(registry.parse(text)) for text in ("random", "greedy", "mc:worlds=1,base=none,rollout=random", "ismcts:iterations=1")]
bots += [build(registry.parse(text)) for text in ("planner", "heuristic", "mc:worlds=2", "mc:worlds=2,worlds_from=policy", "levelled:base=mc,worlds=2,temperature=2,depth=2,memory=0.5,counting=0.5")]
tables = [(preset(name, rounds=1), players) for name in PRESETS for players in preset(name).dealable()]
big = dict(max_pip=18, rounds=2)
tables += [(preset("standard", hand_size=18, players=(2, 10), **big), 10)]
tables += [(preset("trainyard", hand_size=19, **big), 10)]
tables += [(preset("cardinal", hand_size=9, players=(2, 10), drawn_tile="may", **big), 10)]
tables += [(preset("pinecone", hand_size=7, players=(2, 10), max_pip=6, rounds=7, engine="first-double"), 4)]
for rules, players in tables:
    for agents, n in ((1, 40), (9, 3)):
        who = (np.arange(players) + 4 * np.arange(n)[:, None]) % agents
        play(rules, bots[:agents], Games(np.arange(n), np.zeros(n, np.int64), np.arange(n) % players, who), 9)


def beyond(states, i):
    return states[0].void[0, i]


try:
    kernel(beyond)(np.zeros(1, STATE), 19)
except IndexError:
    print("checked", len(tables))
"""


def test_no_index_is_out_of_bounds(tmp_path: Path) -> None:
    """Compiled anew with every index checked, in a cache of its own; the slowest test here, a minute or so."""
    assert printed("-c", CHECKED, NUMBA_BOUNDSCHECK="1", MTRAIN_CACHE_DIR=str(tmp_path)) == "checked 30\n"
