"""The planner by hand-made tables, its plans through whole rounds, and the features by a second opinion."""

import random

import numpy as np
import pytest

from mtrain.bots.registry import Registry, parameters
from mtrain.game.jit import kernel
from mtrain.game.kernels import PASS
from mtrain.game.moves import advance, apply, deal_hands, legal_actions, new_game, observe
from mtrain.game.notation import Action, action_text
from mtrain.game.rules import preset
from mtrain.game.state import STATE
from mtrain.game.tiles import HI, LO, PIPS, set_size
from mtrain.strategy.features import EXTRACTED, FEATURES, WEIGHTS, extract_features, linear_policy
from mtrain.strategy.longest_train import TRAIL, best_train, parse_hand
from mtrain.strategy.planner import PLAIN, PLANS, make_plan, note_laid, planned_action, planner_policy
from tests.helpers.bots import own

RULES = preset("pinecone", rounds=1, max_pip=9, hand_size=5, players=(2, 10))


def table(mine: str, theirs: str = "8-8 8-7 8-6 8-5 8-4") -> np.ndarray:
    """Return a round of two that seat 0 begins; the engine is 9-9."""
    hands = [parse_hand(mine), parse_hand(theirs)]
    rest = [tile for tile in range(set_size(9) - 1) if tile not in hands[0] + hands[1]]
    position = deal_hands(RULES, hands, rest)
    advance(position)
    return position


def planned(position: np.ndarray, params: np.ndarray = PLAIN) -> str:
    obs = observe(position, int(position[0].turn))
    return action_text(int(planner_policy(obs[0], own(params)[0])), int(position[0].n_seats))


def test_a_tile_off_the_plan_goes_first() -> None:
    # The plan is 9-1 1-0 0-2; 9-7 is heavier than 9-5, and both fit the Mexican train only.
    assert planned(table("9-1 1-0 2-0 9-7 9-5")) == "9-7@mexican"


def test_a_planner_that_keeps_nothing_lays_its_plan() -> None:
    assert planned(table("9-1 1-0 2-0 9-7 9-5"), np.array([30.0, 1.0])) == "9-1@0"


def test_a_tile_of_the_plan_goes_elsewhere_where_another_plan_is_as_long() -> None:
    # 9-1 1-2 and 9-3 3-2 are as long: all but one of them lie on one plan, and the other start is free for elsewhere.
    assert planned(table("9-1 2-1 9-3 3-2 7-6")) in ("9-1@mexican", "9-3@mexican", "9-3@0", "9-1@0")
    # 9-1 1-2 2-3 3-9 is one train of four: whatever goes elsewhere shortens it, so it is begun.
    assert planned(table("9-1 2-1 3-2 9-3 7-6")) in ("9-1@0", "9-3@0")


def test_two_tiles_in_a_turn_are_better_than_one() -> None:
    # 9-9 is the engine: after 9-4, 4-4 could be laid and covered by 7-4, all off the plan 9-1 1-0 …
    position = table("9-4 4-4 7-4 8-1 5-0", "8-8 8-7 8-6 8-5 8-3")
    assert planned(position).startswith("9-4@")


@kernel
def _keep_to_plan(s, plans, trails, own, fresh):
    """Return what the seat on turn lays by the plan it keeps, and by one made anew."""
    kept = planned_action(s[0], plans[0], trails[0], own[0])
    make_plan(fresh[0], trails[0], s[0], np.int64(s[0].turn))
    anew = planned_action(s[0], fresh[0], trails[0], own[0])
    return kept, anew


@kernel
def _plan(s, plans, trails, seat):
    make_plan(plans[0], trails[0], s[0], seat)


@kernel
def _note(plans, seat, action):
    note_laid(plans[0], seat, action)


@pytest.mark.parametrize("name", ["standard", "pinecone", "cardinal", "trainyard"])
def test_a_plan_kept_stays_a_train_of_the_hand(name: str) -> None:
    """Through whole rounds: the kept plan joins the seat's end, lies in its hand, and is as long as a new one."""
    plans, fresh, trails, me = np.zeros(1, PLANS), np.zeros(1, PLANS), np.zeros(1, TRAIL), own(PLAIN)
    looked = longer = shorter = 0
    for seed in range(6):
        position = new_game(name, 4, seed=seed)
        plans[:] = 0
        while advance(position):
            s = position[0]
            seat = int(s.turn)
            kept, anew = _keep_to_plan(position, plans, trails, me, fresh)
            legal = legal_actions(position)
            assert kept in legal
            assert anew in legal
            left = int(plans[0].n[seat] - plans[0].at[seat])
            looked += 1
            longer += left > fresh[0].n[seat]
            shorter += left < fresh[0].n[seat]
            end = int(s.end[seat])
            for tile in plans[0].path[seat, plans[0].at[seat] : plans[0].n[seat]].tolist():
                assert end in (HI[tile], LO[tile])
                assert s.hand[seat, HI[tile]] >> int(LO[tile]) & 1
                end = int(HI[tile]) + int(LO[tile]) - end
            action = Action(kept)
            if action != PASS:
                _note(plans, seat, kept)
            apply(position, action)
    assert longer == 0
    assert shorter < 0.1 * looked  # where a tile off the plan has opened a longer one since


def test_what_lay_in_the_scratch_before_is_no_tile() -> None:
    """A dirty scratch once moved a search: rows above the set's numbers were read as tiles."""
    position = table("9-1 1-0 2-0 9-7 9-5")
    plans, clean, dirty = np.zeros(2, PLANS), np.zeros(1, TRAIL), np.full(TRAIL.itemsize, 255, np.uint8).view(TRAIL)
    _plan(position, plans[:1], clean, 0)
    _plan(position, plans[1:], dirty, 0)
    assert plans[0].tobytes() == plans[1].tobytes()
    assert clean[0].nodes == dirty[0].nodes
    assert (clean[0].rows == dirty[0].rows).all()


@kernel
def _survey(scratch, position, seat, train):
    extract_features(scratch[0], position[0], seat, train)


def told(position: np.ndarray, seat: int, train: int) -> dict[str, float]:
    scratch = np.zeros(1, EXTRACTED)
    _survey(scratch, position, seat, train)
    return dict(zip(FEATURES, scratch[0].features.tolist(), strict=True))


def test_the_features_of_a_position_counted_by_hand() -> None:
    position = table("9-1 1-0 9-7 4-4 5-4")
    found = told(observe(position, 0), 0, -1)
    # Plan: 9-1 1-0. Rest: 9-7 5-4 4-4; the Mexican train's end is 9.
    wanted = {"rest": 3, "rest_pips": 16 + 9 + 8, "doubles": 1, "bare": 0, "plan_pips": 11, "turns": 2, "marked": 0}
    wanted |= {"uncovered": 0, "offers": 0, "homes": 1, "stuck": 0, "rest_risk": 33 / 5, "plan_risk": 11 / 5}
    assert {name: found[name] for name in wanted} == pytest.approx(wanted)
    # Of the ten tiles with a 0 the seat sees one.
    assert found["dead"] == 1


def test_the_features_agree_with_the_solver_all_through_rounds() -> None:
    rng = random.Random(2)
    looked = 0
    for seed in range(5):
        position = new_game("trainyard", 5, seed=seed)
        while advance(position):
            s = position[0]
            seat = int(s.turn)
            hand = [t for t in range(91) if s.hand[seat, HI[t]] >> int(LO[t]) & 1]
            train = best_train(hand, int(s.end[seat]))
            found = told(observe(position, seat), seat, -1)
            assert found["rest"] == len(train.rest)
            assert found["rest_pips"] + found["plan_pips"] == sum(PIPS[t] for t in hand)
            assert found["turns"] == sum(HI[t] != LO[t] for t in train.tiles)
            assert found["stuck"] == (not train.tiles and found["homes"] == 0)
            looked += 1
            apply(position, rng.choice(legal_actions(position)))
    assert looked > 200


def test_a_weight_for_the_rest_alone_leaves_the_least_rest() -> None:
    weights = np.zeros(len(FEATURES))
    weights[FEATURES.index("rest")] = 1.0
    position = table("9-1 1-0 2-0 9-7 6-5")
    action = Action(int(linear_policy(observe(position, 0)[0], own(weights)[0])))
    assert action_text(action, 2) == "9-7@mexican"
    assert len(WEIGHTS) == len(FEATURES)


def test_the_parameters_of_the_heuristic_are_the_features_in_their_order() -> None:
    assert tuple(parameter.name for parameter in parameters(Registry().find("heuristic"))) == FEATURES


def test_who_can_go_out_goes_out() -> None:
    rules = preset("pinecone", rounds=1, max_pip=9, hand_size=2, players=(2, 10))
    hands = [parse_hand("9-2 2-2"), parse_hand("8-8 8-7")]
    rest = [tile for tile in range(set_size(9) - 1) if tile not in hands[0] + hands[1]]
    position = deal_hands(rules, hands, rest)
    for policy, params in ((planner_policy, PLAIN), (linear_policy, WEIGHTS)):
        here = position.copy()
        while advance(here) and here[0].turn == 0:
            obs = observe(here, 0)
            apply(here, Action(int(policy(obs[0], own(params)[0]))))
        assert here[0].count[0] == 0


@pytest.mark.parametrize("name", ["standard", "cardinal", "trainyard"])
def test_the_heuristic_lays_what_it_can(name: str) -> None:
    """It once stopped its first-turn trains, since a long plan looked like wealth."""
    me, passes = own(WEIGHTS), 0
    for seed in range(5):
        position = new_game(name, 4, seed=seed)
        while advance(position):
            legal = legal_actions(position)
            passes += PASS in legal and len(legal) > 1
            obs = observe(position, int(position[0].turn))
            action = Action(int(linear_policy(obs[0], me[0])))
            assert action.is_lay or len(legal) == 1
            apply(position, action)
    assert passes > 5


def test_a_state_is_never_written_to() -> None:
    position = table("9-1 1-0 2-0 9-7 9-5")
    obs = observe(position, 0)
    before = obs.tobytes()
    planner_policy(obs[0], own(PLAIN)[0])
    linear_policy(obs[0], own(WEIGHTS)[0])
    assert obs.tobytes() == before
    assert STATE.itemsize == len(before)
