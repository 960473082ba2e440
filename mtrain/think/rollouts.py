"""Roll-outs: the rest of a round, played quickly by one policy in every seat.

Each seat sees its own hand only: a simple policy is handed an observation; a planning seat keeps its plan from turn
to turn. This module plays on; it weighs nothing.
"""

import numpy as np

from mtrain.game.jit import kernel
from mtrain.game.kernels import PASS, advance, apply, nth_action, observe
from mtrain.think.planner import note_laid, planned_action
from mtrain.think.policies import double_holder_policy, greedy_policy, uniform_policy
from mtrain.think.survey import linear_policy

# Roll-out policies.
ROLL_RANDOM, ROLL_GREEDY, ROLL_DOUBLE_HOLDER, ROLL_PLANNER = range(4)


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
def roll_plans(s, plans, t, own, hero, heros):
    """Play a State to the end of its round, every seat by its plan in the record `plans` of dtype PLANS.

    But for the seat `hero` (-1: no seat), which weighs `survey.FEATURES` by the record `heros` of dtype OWN.
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
            action = planned_action(s, plans, t, own)
        if action != PASS:
            note_laid(plans, np.int64(s.turn), action)
        apply(s, action)
