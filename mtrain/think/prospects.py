"""Prospects: what a round holds for a seat before anybody has chosen, with the hand that it was dealt and without.

Rounds are played as `outcomes` plays them on: the seat itself weighs as `heuristic` does, the others plan. This module
says what a round costs in each world; what is luck and what is not, is for others to say.
"""

import numpy as np

from mtrain.game import kernels
from mtrain.game.jit import kernel
from mtrain.game.kernels import advance
from mtrain.game.rng import mix
from mtrain.game.state import OWN, STATE
from mtrain.think.base import BASE_HEURISTIC, rollers
from mtrain.think.outcomes import PROOFS, SOURCE, next_deal, study_hidden
from mtrain.think.planner import PLANS, make_plan
from mtrain.think.rollouts import roll_plans
from mtrain.think.trail import TRAIL
from mtrain.think.worlds import write_world


@kernel
def _play_round(world, plans, trails, owns, hero, chance):
    """Play a dealt round to its end; all make their plans when the engine lies and the first choice is to be made."""
    owns[0].chance = chance
    owns[1].chance = chance
    if advance(world):
        for seat in range(np.int64(world.n_seats)):
            make_plan(plans[0], trails[0], world, seat)
        roll_plans(world, plans[0], trails[0], owns[0], hero, owns[1])


@kernel
def _with_hand(obs, seat, costs, own):
    states = np.empty(1, STATE)
    source = np.empty(1, SOURCE)
    pasts = np.empty(1, STATE)
    plans = np.zeros(1, PLANS)
    trails = np.empty(1, TRAIL)
    owns = np.zeros(2, OWN)
    hero = rollers(owns, BASE_HEURISTIC, seat)
    study_hidden(source[0], pasts, obs[0], seat, PROOFS, own[0])
    for k in range(len(costs)):
        next_deal(source[0], pasts, PROOFS, k, own[0])
        write_world(states[0], source[0].deal, obs[0], seat, own[0])
        _play_round(states[0], plans, trails, owns, hero, mix(own[0].chance))
        costs[k] = states[0].pips[seat]
    return len(states) + len(source) + len(pasts) + len(plans) + len(trails) + len(owns)  # none dies before this


@kernel
def _before_deal(template, chance, costs):
    states = np.empty(2, STATE)
    plans = np.zeros(1, PLANS)
    trails = np.empty(1, TRAIL)
    owns = np.zeros(2, OWN)
    for k in range(len(costs)):
        states[1] = template[0]
        kernels.deal(states[1], chance, k)
        for seat in range(np.int64(template[0].n_seats)):
            states[0] = states[1]
            _play_round(states[0], plans, trails, owns, rollers(owns, BASE_HEURISTIC, seat), chance + np.uint64(k))
            costs[k, seat] = states[0].pips[seat]
    return len(states) + len(plans) + len(trails) + len(owns)  # none dies before this


def with_hand(obs: np.ndarray, seat: int, worlds: int, chance: int) -> np.ndarray:
    """Return what a round that has just been dealt costs a seat in sampled worlds, by its hand: float64[worlds].

    Parameters
    ----------
    obs : STATE[1]
        What the seat sees.
    seat
        Who it is; it need not be on turn.
    worlds
        How many worlds.
    chance
        Where the stream starts that worlds are drawn by.
    """
    own = np.zeros(1, OWN)
    own[0].chance = np.uint64(chance)
    costs = np.empty(worlds)
    _with_hand(obs, seat, costs, own)
    return costs


def before_deal(dealt: np.ndarray, worlds: int, chance: int) -> np.ndarray:
    """Return what a round costs each seat before its tiles are dealt: float64[worlds, seats].

    Parameters
    ----------
    dealt : STATE[1]
        The round, just dealt. What it is (rules, number, starter, scores) is read, and no tile.
    worlds
        How many deals.
    chance
        What they are made from.
    """
    costs = np.empty((worlds, int(dealt[0].n_seats)))
    _before_deal(dealt, np.uint64(chance), costs)
    return costs
