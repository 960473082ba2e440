"""Levels of skill: a strong policy weakened as people are weak.

It weighs the legal actions in pips and takes one of the better ones by a softmax, so that a choice between equals
costs nothing and a large mistake is rare; it looks less far ahead, forgets what draws and passes prove and which tiles
have been laid, is fond of its doubles, and thinks less. What it forgets is struck off the observation that it weighs:
it is handed a *dimmed* one. This module must not know which settings make which level.

Sources: Luce, "Individual Choice Behavior" (1959), and McKelvey and Palfrey, "Quantal response equilibria for normal
form games", Games and Economic Behavior 10 (1995), for choice by a softmax over values.
"""

import numpy as np

from mtrain.game.jit import kernel
from mtrain.game.kernels import PASS, list_actions, nth_action
from mtrain.game.rng import below, uniform
from mtrain.game.state import NEVER, OWN, STATE, UNTOLD
from mtrain.think.base import BASE_HEURISTIC, set_params
from mtrain.think.montecarlo import monte_carlo
from mtrain.think.outcomes import OWN_PIPS, PROOFS, outcomes
from mtrain.think.planner import PLAIN, PLANS, make_plan, planned_action, planner_policy
from mtrain.think.rollouts import ROLL_PLANNER
from mtrain.think.sense import SANE, folly
from mtrain.think.survey import N_FEATURES, REST_PIPS, SURVEY, TUNED, UNCOVERED, linear_policy, weigh
from mtrain.think.trail import TRAIL

# Whose choice is weakened.
HEURISTIC, PLANNER, MC = range(3)

# The parameters.
BASE, TEMPERATURE, BLUNDERS, WORLDS, DEPTH, MEMORY, COUNTING, HOARD, SENSE = range(9)
ALL = 99  # a depth that is none

_MAX_ACTIONS = 512

# How many pips of a round's score a unit of the heuristic's sums is worth, and how far its word on the difference of
# two actions is off, in pips: `python experiments/value_scale.py` prints both.
PIPS_A_UNIT = 0.033
DOUBT = 3.0

# What the planner's choices are weighed by: the pips that the plan leaves over, and its dislike of a double alone.
_LEFT = np.zeros(N_FEATURES)
_LEFT[REST_PIPS] = 1.0
_LEFT[UNCOVERED] = PLAIN[0]

_GATE = 1.2  # that of `mc` where nothing else is said


@kernel
def whole(own, share):
    """Return a whole number near `share`: the one below or the one above it, by chance, so that its mean is `share`."""
    low = np.int64(share)
    return low + (uniform(own) < share - low)


@kernel
def dim(seen, obs, memory, counting, own):
    """Write an observation into `seen` without what is forgotten of it; return how many tiles laid are.

    Each proof that a seat held none of a number is kept with the chance `memory`, each tile laid with the chance
    `counting`; the engine lies in sight. Forgotten tiles are struck off `table` and `top`: they may be anywhere.
    """
    seat = np.int64(obs.turn)
    if memory < 1.0:
        seen.since[:] = UNTOLD
        for other in range(np.int64(obs.n_seats)):
            for v in range(np.int64(obs.max_pip) + 1):
                if other != seat and seen.void[other, v] != NEVER and uniform(own) >= memory:
                    seen.void[other, v] = NEVER
    forgotten = np.int64(0)
    if counting < 1.0:
        seen.since[:] = UNTOLD
        for hi in range(np.int64(obs.max_pip) + 1):
            for lo in range(hi + 1):
                laid = np.int64(obs.table[hi]) >> lo & 1
                if laid and not (hi == lo and hi == obs.engine) and uniform(own) >= counting:
                    seen.table[hi] &= ~(1 << lo)
                    seen.table[lo] &= ~(1 << hi)
                    forgotten += 1
        seen.top -= forgotten
    return forgotten


@kernel
def weigh_all(seen, actions, n, weights, depth, values):
    """Write into ``values: float64[≥ n]`` what each action leaves behind, by `weights` of `survey.FEATURES`."""
    after = np.empty(1, STATE)
    covered = np.empty(1, STATE)
    scratch = np.empty(1, SURVEY)
    scratch[0].depth = depth
    owns = np.zeros(1, OWN)
    set_params(owns[0], weights)
    for k in range(n):
        values[k] = weigh(scratch[0], after, covered, seen, actions[k], owns[0])
    return len(after) + len(covered) + len(scratch) + len(owns)


@kernel
def _search(seen, forgotten, actions, n, n_worlds, depth, values, own):
    """Draw what the heuristic thinks of each action towards what sampled worlds say, as each is sure of it."""
    costs = np.empty((n_worlds, n))
    outs = np.empty((n_worlds, n), np.uint8)
    outcomes(seen, actions, n, forgotten, depth, costs, outs, own)
    best = 0
    for k in range(n):
        if values[k] < values[best]:
            best = k
    squares = 0.0
    means = np.zeros(n)
    for k in range(n):
        more = costs[:, k] - costs[:, best]
        means[k] = more.mean()
        squares += ((more - means[k]) ** 2).sum()
    if n_worlds < 2 or squares == 0.0:
        return
    noise = squares / ((n_worlds - 1) * (n - 1)) / n_worlds
    trust = DOUBT**2 / (DOUBT**2 + noise)
    prior = values[best]
    for k in range(n):
        values[k] = (1.0 - trust) * (values[k] - prior) + trust * means[k]


@kernel
def _planned(seen, depth, own):
    """Return what a planner would lay that looks `depth` tiles ahead."""
    plans = np.zeros(1, PLANS)
    plans[0].depth = depth
    trails = np.empty(1, TRAIL)
    owns = np.zeros(1, OWN)
    set_params(owns[0], PLAIN)
    owns[0].chance = own.chance
    make_plan(plans[0], trails[0], seen, np.int64(seen.turn))
    action = planned_action(seen, plans[0], trails[0], owns[0])
    own.chance = owns[0].chance
    return action + 0 * (len(plans) + len(trails))


@kernel
def _values(seen, forgotten, actions, n, base, n_worlds, depth, values, own):
    """Write what each action costs in pips, as far as it can be told, into ``values: float64[≥ n]``; less is better."""
    if base == PLANNER:
        weigh_all(seen, actions, n, _LEFT, depth, values)
        chosen = _planned(seen, depth, own)
        best = values[0]
        for k in range(n):
            if actions[k] == chosen:
                best = values[k]
        for k in range(n):
            values[k] = abs(values[k] - best)  # its rules come first: what looks better by pips alone is no better
        return
    weigh_all(seen, actions, n, TUNED, depth, values)
    for k in range(n):
        values[k] *= PIPS_A_UNIT
    if base == MC and n > 1:
        _search(seen, forgotten, actions, n, n_worlds, depth, values, own)


@kernel
def _softmax(values, n, temperature, own):
    """Draw one of `n` values, a lower one more likely: by exp(−value / temperature); at 0 one of the lowest."""
    least = values[0]
    for k in range(1, n):
        least = min(least, values[k])
    total = 0.0
    for k in range(n):
        values[k] = np.exp((least - values[k]) / temperature) if temperature > 0.0 else 1.0 * (values[k] == least)
        total += values[k]
    left = uniform(own) * total
    last = 0
    for k in range(n):
        if values[k] > 0.0:
            last = k
            left -= values[k]
            if left < 0.0:
                return k
    return last


@kernel
def _unweakened(obs, base, n_worlds, own):
    """Return what the base itself chooses."""
    owns = np.zeros(1, OWN)
    owns[0].chance = own.chance
    theirs = owns[0]
    if base == HEURISTIC:
        set_params(theirs, TUNED)
        action = linear_policy(obs, theirs)
    elif base == PLANNER:
        set_params(theirs, PLAIN)
        action = planner_policy(obs, theirs)
    else:
        set_params(theirs, np.array([float(n_worlds), ROLL_PLANNER, OWN_PIPS, BASE_HEURISTIC, _GATE, PROOFS]))
        action = monte_carlo(obs, theirs)
    own.chance = theirs.chance
    return action + 0 * len(owns)


@kernel
def levelled_policy(obs, own):
    """Choose as a base does that is weakened.

    Parameters: ``[base, temperature, blunders, worlds, depth, memory, counting, hoard, sense]``; what each means,
    `agents/levelled.py` says.
    """
    base = np.int64(own.params[BASE])
    temperature, blunders = own.params[TEMPERATURE], own.params[BLUNDERS]
    n_worlds = np.int64(own.params[WORLDS])
    far, memory, counting = own.params[DEPTH], own.params[MEMORY], own.params[COUNTING]
    hoard = own.params[HOARD]
    sense = own.params[SENSE] != 0.0
    if temperature + blunders + hoard == 0.0 and far >= ALL and memory >= 1.0 and counting >= 1.0:
        return _unweakened(obs, base, n_worlds, own)
    if blunders > 0.0 and uniform(own) < blunders and not sense:
        return nth_action(obs, below(own, np.int64(obs.n_legal)))
    actions = np.empty(_MAX_ACTIONS, np.int64)
    found = np.empty(_MAX_ACTIONS, np.int64)
    n = list_actions(obs, actions)
    if sense:
        folly(obs, actions, n, found)
    kept = 0
    for k in range(n):
        if (found[k] == SANE) if sense else (actions[k] != PASS or n == 1):
            actions[kept] = actions[k]
            kept += 1
    if kept == 1:
        return actions[0]
    if sense and blunders > 0.0 and uniform(own) < blunders:
        return actions[below(own, kept)]
    states = np.empty(1, STATE)
    states[0] = obs
    forgotten = dim(states[0], obs, memory, counting, own)
    depth = whole(own, far) if far < ALL else np.int64(0)
    values = np.empty(_MAX_ACTIONS)
    _values(states[0], forgotten, actions, kept, base, n_worlds, depth, values, own)
    for k in range(kept):
        values[k] += hoard * (actions[k] != PASS and actions[k] >> 5 & 31 == actions[k] & 31)
    return actions[_softmax(values, kept, temperature, own)] + 0 * len(states)
