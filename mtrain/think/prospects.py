"""Prospects: what a round holds for a seat before anybody has chosen, with the hand that it was dealt and without.

Rounds are played as `outcomes` plays them on: the seat itself weighs as `heuristic` does, the others plan. This module
says what a round costs in each world; what is luck and what is not, is for others to say.
"""

import numpy as np

from mtrain.game import kernels
from mtrain.game.jit import kernel
from mtrain.game.kernels import advance
from mtrain.game.rng import mix
from mtrain.game.state import OWN
from mtrain.think.base import BASE_HEURISTIC
from mtrain.think.outcomes import PEEK, PROOFS, SIMULATION, begin, finish, next_world, plan_for_others, start
from mtrain.think.rollouts import ROLL_PLANNER


@kernel
def _play_round(sim, chance):
    """Play a dealt round to its end; all make their plans when the engine lies and the first choice is to be made."""
    start(sim, chance)
    if advance(sim.future):
        plan_for_others(sim.later, sim.trail, sim.future, sim.seat)
        finish(sim)


@kernel
def _with_hand(obs, seat, costs, own, sims):
    sim = sims[0]
    begin(sim, obs[0], seat, ROLL_PLANNER, BASE_HEURISTIC, PROOFS)
    for k in range(len(costs)):
        next_world(sim, obs[0], k, own[0])
        _play_round(sim, mix(own[0].chance))
        costs[k] = sim.future.pips[seat]


@kernel
def _before_deal(template, chance, costs, sims):
    sim = sims[0]
    for k in range(len(costs)):
        sim.world = template[0]
        kernels.deal(sim.world, chance, k)
        for seat in range(np.int64(template[0].n_seats)):
            begin(sim, sim.world, seat, ROLL_PLANNER, BASE_HEURISTIC, PEEK)
            _play_round(sim, chance + np.uint64(k))
            costs[k, seat] = sim.future.pips[seat]


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
    _with_hand(obs, seat, costs, own, np.zeros(1, SIMULATION))
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
    _before_deal(dealt, np.uint64(chance), costs, np.zeros(1, SIMULATION))
    return costs
