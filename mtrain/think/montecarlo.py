"""Monte Carlo over determinizations: try every legal action in the same sampled worlds.

Source: Ginsberg, "GIB: imperfect information in a computationally challenging game", JAIR 14 (2001): the
sampled worlds are shared by all candidates, so that their luck cancels in the comparison.
"""

import numpy as np

from mtrain.game.jit import kernel
from mtrain.game.kernels import advance, apply, list_actions, nth_action, observe
from mtrain.game.rng import below, mix
from mtrain.game.state import OUT, OWN, STATE
from mtrain.think.policies import double_holder_policy, greedy_policy, uniform_policy
from mtrain.think.worlds import determinize

# Rollout policies.
ROLL_RANDOM, ROLL_GREEDY, ROLL_DOUBLE_HOLDER = range(3)

# What a rollout is worth; less is better.
OWN_PIPS, LEAD, GO_OUT = range(3)

_MAX_ACTIONS = 512


@kernel
def roll_out(s, seen, policy, own):
    """Play a State to the end of its round; every seat chooses by `policy` from its own observation `seen`."""
    while True:
        n = advance(s)
        if n == 0:
            return
        if n == 1:
            action = nth_action(s, 0)
        else:
            observe(seen, s, s.turn)
            if policy == ROLL_GREEDY:
                action = greedy_policy(seen, own)
            elif policy == ROLL_DOUBLE_HOLDER:
                action = double_holder_policy(seen, own)
            else:
                action = uniform_policy(seen, own)
        apply(s, action)


@kernel
def _cost(s, seat, objective):
    """Return what a finished round cost a seat."""
    if objective == GO_OUT:
        return 0.0 if s.over == OUT and s.count[seat] == 0 else 1.0
    cost = float(s.pips[seat])
    if objective == LEAD:
        others = 0.0
        for other in range(np.int64(s.n_seats)):
            if other != seat:
                others += s.pips[other]
        cost -= others / (np.int64(s.n_seats) - 1)
    return cost


@kernel
def monte_carlo(obs, own):
    """Choose the action with the least mean cost over common worlds; equals are drawn for.

    Parameters: ``[worlds, rollout, objective]``. The budget is a count: worlds × legal actions rollouts.
    """
    seat = np.int64(obs.turn)
    scratch = np.empty(3, STATE)
    world, future, seen = scratch[0], scratch[1], scratch[2]
    actions = np.empty(_MAX_ACTIONS, np.int64)
    n = list_actions(obs, actions)
    cost = np.zeros(n)
    rollers = np.zeros(1, OWN)  # one stream for all seats of a rollout, and no parameters
    for _ in range(np.int64(own.params[0])):
        determinize(world, obs, seat, own)
        for k in range(n):
            rollers[0].chance = mix(own.chance)  # the same chance for every candidate
            scratch[1] = scratch[0]
            apply(future, actions[k])
            roll_out(future, seen, np.int64(own.params[1]), rollers[0])
            cost[k] += _cost(future, seat, np.int64(own.params[2]))
    best = 0
    n_best = 1
    for k in range(1, n):
        n_best = 1 if cost[k] < cost[best] else n_best + (cost[k] == cost[best])
        if cost[k] < cost[best] or (cost[k] == cost[best] and below(own, n_best) == 0):
            best = k
    return actions[best]
