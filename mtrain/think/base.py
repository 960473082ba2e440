"""Base policies: whose choice a search leaves only for a better one, and by which its own seat goes on in roll-outs."""

import numpy as np

from mtrain.game.jit import kernel
from mtrain.game.state import OWN
from mtrain.think.planner import PLAIN, planner_policy
from mtrain.think.survey import TUNED, linear_policy

# No base (the search's best is played), and those that a gate protects.
NO_BASE, BASE_PLANNER, BASE_HEURISTIC = range(3)

NOBODY = -1


@kernel
def set_params(own, params):
    """Write parameters into a record of dtype OWN."""
    for k in range(len(params)):
        own.params[k] = params[k]


@kernel
def base_action(policy, obs, own):
    """Return what a base policy chooses, by the chance of `own`, which moves on."""
    scratch = np.zeros(1, OWN)
    theirs = scratch[0]
    theirs.chance = own.chance
    if policy == BASE_HEURISTIC:
        set_params(theirs, TUNED)
        action = linear_policy(obs, theirs)
    else:
        set_params(theirs, PLAIN)
        action = planner_policy(obs, theirs)
    own.chance = theirs.chance
    return action + 0 * len(scratch)  # a record does not keep its array alive: this last use of it does


@kernel
def rollers(owns, policy, seat):
    """Prepare ``owns: OWN[2]``, those who plan in roll-outs and the searching seat; return that seat, or `NOBODY`.

    `NOBODY`: the searching seat plans like all others.
    """
    set_params(owns[0], PLAIN)
    set_params(owns[1], TUNED)
    return seat if policy == BASE_HEURISTIC else np.int64(NOBODY)
