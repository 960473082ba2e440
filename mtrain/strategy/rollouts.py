"""Roll-outs: the rest of a round, played quickly by one policy in every seat.

Each seat sees its own hand only: a simple policy is handed an observation; a planning seat keeps its plan from turn
to turn. This module plays on; it weighs nothing.
"""

import numpy as np

from mtrain.game.jit import kernel
from mtrain.game.kernels import PASS, advance, apply, nth_action, observe
from mtrain.game.state import AGENT_STATE
from mtrain.strategy.features import WEIGHTS, linear_policy
from mtrain.strategy.planner import PLAIN, note_laid, plan_ahead, planned_action
from mtrain.strategy.policies import double_holder_policy, greedy_policy, uniform_policy

# ── Base policies ─────────────────────────────────────────────────────────────────────────────────────
#
# Base policies: whose choice a search leaves only for a better one, and by which its own seat goes on in roll-outs.


# No base (the search's best is played), and those that a gate protects.
BASE_NONE, BASE_PLANNER, BASE_HEURISTIC = range(3)


@kernel
def set_params(agent_state, params):
    """Write parameters into a record of dtype AGENT_STATE."""
    for k in range(len(params)):
        agent_state.params[k] = params[k]


@kernel
def base_action(policy, depth, obs, agent_state):
    """Return what a base policy chooses, by the chance of `agent_state`, which moves on.

    A planner looks `depth` tiles ahead; 0: to the end.
    """
    return _base_action(policy, depth, obs, agent_state, np.empty(1, AGENT_STATE))


@kernel
def _base_action(policy, depth, obs, agent_state, owns):
    theirs = owns[0]
    theirs.rng = agent_state.rng
    if policy == BASE_HEURISTIC:
        set_params(theirs, WEIGHTS)
        action = linear_policy(obs, theirs)
    else:
        set_params(theirs, PLAIN)
        action = plan_ahead(obs, depth, theirs)
    agent_state.rng = theirs.rng
    return action


# ── Roll-outs ─────────────────────────────────────────────────────────────────────────────────────────


# Roll-out policies.
ROLL_RANDOM, ROLL_GREEDY, ROLL_DOUBLE_HOLDER, ROLL_PLANNER = range(4)


@kernel
def roll_out(s, seen, policy, agent_state):
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
                action = greedy_policy(seen, agent_state)
            elif policy == ROLL_DOUBLE_HOLDER:
                action = double_holder_policy(seen, agent_state)
            else:
                action = uniform_policy(seen, agent_state)
        apply(s, action)


@kernel
def roll_plans(s, plans, t, agent_state, hero, heros):
    """Play a State to the end of its round, every seat by its plan in the record `plans` of dtype PLANS.

    But for the seat `hero` (-1: no seat), which weighs `features.FEATURES` by the record `heros` of dtype AGENT_STATE.
    """
    while True:
        n = advance(s)
        if n == 0:
            return
        if n == 1:
            action = nth_action(s, 0)
        elif np.int64(s.turn) == hero:
            action = linear_policy(s, heros)
        else:
            action = planned_action(s, plans, t, agent_state)
        if action != PASS:
            note_laid(plans, np.int64(s.turn), action)
        apply(s, action)
