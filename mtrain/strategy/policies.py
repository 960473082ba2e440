"""Policies: the simple ways of choosing, as kernels that bots and rollouts share.

A policy is a kernel ``(obs, agent_state) -> action``: it reads an observation, never a whole State, and draws from the
stream in `agent_state`, which also holds its parameters (dtype AGENT_STATE). This module must not know who plays.
"""

import numpy as np

from mtrain.game.intrinsics import popcount
from mtrain.game.jit import kernel
from mtrain.game.kernels import PASS, nth_action
from mtrain.game.rng import below

# The parameters of `greedy_policy`, and what breaks a tie between tiles of equal weight.
OWN_TRAIN, TIES = range(2)
RANDOM, FOLLOW = range(2)

# The parameters of `double_holder_policy`.
HAND, RIVAL, COVERED = range(3)


@kernel
def pips_of(action):
    """Return the pips of the tile that an action lays; -1 for the pass."""
    if action == PASS:
        return -1
    return (action >> 5 & 31) + (action & 31)


@kernel
def uniform_policy(obs, agent_state):
    """Choose uniformly among the legal actions. No parameters."""
    return nth_action(obs, below(agent_state, np.int64(obs.n_legal)))


@kernel
def greedy_policy(obs, agent_state):
    """Lay the heaviest tile that fits; equals are drawn for, so that no seat or train is favoured by its number.

    Parameters: ``[agent_state, ties]``: pips that a place on one's own train is worth; what breaks ties first.
    """
    liking = agent_state.params[OWN_TRAIN]
    follow = agent_state.params[TIES] == FOLLOW
    seat = np.int64(obs.turn)
    best = 0
    worth = -1e9
    n_best = 0
    for k in range(np.int64(obs.n_legal)):
        action = nth_action(obs, k)
        here = pips_of(action) * 1.0
        if action != PASS:
            train = action >> 10 & 15
            if train == seat:
                here += liking
            if follow:
                # Less than a pip, and more for each tile of the hand that could come next.
                after = (action >> 5 & 31) + (action & 31) - np.int64(obs.end[train])
                here += 0.01 * popcount(np.int64(obs.hand[seat, after]))
        n_best = 1 if here > worth else n_best + (here == worth)
        if here > worth or (here == worth and below(agent_state, n_best) == 0):
            best, worth = action, here
    return best


@kernel
def double_holder_policy(obs, agent_state):
    """Lay the heaviest tile that is no double; a double only where nothing else fits or it is time to let go.

    Parameters: ``[hand, rival, covered]``: doubles are free once one's own hand has at most `hand` tiles, or
    somebody else's at most `rival`; a double that one can cover oneself is free if `covered`.
    """
    seat = np.int64(obs.turn)
    free = obs.count[seat] <= agent_state.params[HAND]
    for other in range(np.int64(obs.n_seats)):
        if other != seat and obs.count[other] <= agent_state.params[RIVAL]:
            free = True
    best = 0
    worth = -1e9
    n_best = 0
    for k in range(np.int64(obs.n_legal)):
        action = nth_action(obs, k)
        here = pips_of(action) * 1.0
        if action == PASS:
            here = -1e6  # a double that is the only tile to lay is laid
        elif (action >> 5 & 31) == (action & 31) and not free:
            covers = popcount(np.int64(obs.hand[seat, action & 31])) - 1
            here -= 1e3 * (agent_state.params[COVERED] == 0.0 or covers == 0)
        n_best = 1 if here > worth else n_best + (here == worth)
        if here > worth or (here == worth and below(agent_state, n_best) == 0):
            best, worth = action, here
    return best
