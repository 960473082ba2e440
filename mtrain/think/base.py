"""Base policies: whose choice a search leaves only for a better one, and by which its own seat goes on in roll-outs."""

import numpy as np

from mtrain.game.jit import kernel
from mtrain.game.state import OWN
from mtrain.think.planner import PLAIN, plan_ahead
from mtrain.think.survey import TUNED, linear_policy

# No base (the search's best is played), and those that a gate protects.
BASE_NONE, BASE_PLANNER, BASE_HEURISTIC = range(3)


@kernel
def set_params(own, params):
    """Write parameters into a record of dtype OWN."""
    for k in range(len(params)):
        own.params[k] = params[k]


@kernel
def base_action(policy, depth, obs, own):
    """Return what a base policy chooses, by the chance of `own`, which moves on.

    A planner looks `depth` tiles ahead; 0: to the end.
    """
    return _base_action(policy, depth, obs, own, np.empty(1, OWN))


@kernel
def _base_action(policy, depth, obs, own, owns):
    theirs = owns[0]
    theirs.chance = own.chance
    if policy == BASE_HEURISTIC:
        set_params(theirs, TUNED)
        action = linear_policy(obs, theirs)
    else:
        set_params(theirs, PLAIN)
        action = plan_ahead(obs, depth, theirs)
    own.chance = theirs.chance
    return action
