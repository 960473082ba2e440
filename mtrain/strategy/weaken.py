"""Levels of skill: a strong policy weakened as people are weak.

It weighs the legal actions in pips and takes one of the better ones by a softmax, so that a choice between equals
costs nothing and a large mistake is rare; it looks less far ahead, forgets what draws and passes prove and which tiles
have been laid, is fond of its doubles, and thinks less. What it forgets is struck off the observation that it weighs:
it is handed a *dimmed* one. This module must not know which settings make which level.

Sources: Luce, "Individual Choice Behavior" (1959), and McKelvey and Palfrey, "Quantal response equilibria for normal
form games", Games and Economic Behavior 10 (1995), for choice by a softmax over values.
"""

import numpy as np

from mtrain.game.intrinsics import lowest
from mtrain.game.jit import kernel
from mtrain.game.kernels import PASS, apply, is_legal, lay, list_actions, nth_action, open_to
from mtrain.game.rng import below, uniform
from mtrain.game.state import AGENT_STATE, MAX_ACTIONS, NEVER, STATE, UNTOLD
from mtrain.strategy import montecarlo
from mtrain.strategy.evaluate import outcomes
from mtrain.strategy.features import EXTRACTED, N_FEATURES, REST_PIPS, UNCOVERED, WEIGHTS, weigh
from mtrain.strategy.planner import PAIR, PLAIN
from mtrain.strategy.rollouts import BASE_HEURISTIC, BASE_PLANNER, base_action, set_params

# ── Sense ─────────────────────────────────────────────────────────────────────────────────────────────
#
# Sense: what nobody who knows the game would do, however weak.
#
# A bot that is weakened by chance would now and then throw the round away where everybody sees it. `blunder` tells such
# acts apart, so that a weak bot can leave them out and a stranger's can be counted. This part reads observations and
# must not know who plays.


# What is wrong with an action: nothing; another would have gone out; it passes, and could lay a tile; it lays elsewhere
# a tile that would have closed its own marked train, and been laid as well there.
SANE, STAYS, IDLE, OPEN = range(4)
BLUNDER_KINDS = ("stays_in", "passes", "leaves_marked")
"""What the follies are called where they are counted, from `STAYS` on."""


@kernel
def _goes_out(w, obs, action):
    """Say whether an action empties the hand, or leaves one tile that the same turn can lay; `w` is scratch."""
    if action == PASS:
        return False
    seat = np.int64(obs.turn)
    w.after = obs
    s = w.after
    apply(s, action)
    if s.over or s.turn != seat or s.count[seat] != 1:
        return s.over != 0 and s.count[seat] == 0
    trains = open_to(s)
    while trains:
        if s.hand[seat, s.end[lowest(trains)]]:
            return True
        trains &= trains - 1
    return False


@kernel
def blunder(obs, actions, n, found):
    """Write into ``found: int64[≥ n]`` what is wrong with each of the `n` legal actions; return how many are sane.

    Whether a tile is laid as well on one's own train, the weights of `heuristic` say.
    """
    return _blunder(obs, actions, n, found, np.empty(1, EXTRACTED), np.empty(1, AGENT_STATE))


@kernel
def _blunder(obs, actions, n, found, scratch, owns):
    seat = np.int64(obs.turn)
    w, weights = scratch[0], owns[0]
    w.depth = 0
    set_params(weights, WEIGHTS)
    n_sane = 0
    for k in range(n):
        found[k] = SANE if _goes_out(w, obs, actions[k]) else STAYS
        n_sane += found[k] == SANE
    if n_sane:
        return n_sane
    marked = np.int64(obs.marked) >> seat & 1
    for k in range(n):
        found[k] = IDLE if actions[k] == PASS and n > 1 else SANE
        if marked and found[k] == SANE and actions[k] >> 10 & 15 != seat:
            home = lay(seat, actions[k] >> 5 & 31, actions[k] & 31)
            if is_legal(obs, home):
                here = weigh(w, obs, actions[k], weights)
                if weigh(w, obs, home, weights) <= here:
                    found[k] = OPEN
        n_sane += found[k] == SANE
    return n_sane


@kernel
def _judge(obs, actions, found):
    return blunder(obs[0], actions, len(actions), found)


def judge(obs: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """Return what is wrong with each legal action of the seat on turn: int64[n] of `SANE`, `STAYS`, `IDLE`, `OPEN`.

    Parameters
    ----------
    obs : STATE[1]
        What it sees.
    actions : int64[n]
        All its legal actions.
    """
    found = np.zeros(len(actions), np.int64)
    _judge(obs, actions, found)
    return found


# ── Levels of skill ───────────────────────────────────────────────────────────────────────────────────


# Whose choice is weakened.
HEURISTIC, PLANNER, MC = range(3)

# The parameters.
BASE, TEMPERATURE, BLUNDERS, WORLDS, DEPTH, MEMORY, COUNTING, HOARD, SENSE = range(9)
ALL = 99  # a depth that is none

# How many pips of a round's score a unit of the heuristic's sums is worth, and how far its word on the difference of
# two actions is off, in pips: `python experiments/value_scale.py` prints both.
PIPS_A_UNIT = 0.033
DOUBT = 3.0

# What the planner's choices are weighed by: the pips that the plan leaves over, and its dislike of a double alone.
_LEFT = np.zeros(N_FEATURES)
_LEFT[REST_PIPS] = 1.0
_LEFT[UNCOVERED] = PLAIN[PAIR]


@kernel
def whole(agent_state, share):
    """Return a whole number near `share`: the one below or the one above it, by chance, so that its mean is `share`."""
    low = np.int64(share)
    return low + (uniform(agent_state) < share - low)


@kernel
def dim(seen, obs, memory, counting, agent_state):
    """Write an observation into `seen` without what is forgotten of it; return how many tiles laid are.

    Each proof that a seat held none of a number is kept with the chance `memory`, each tile laid with the chance
    `counting`; the engine lies in sight. Forgotten tiles are struck off `table` and `top`: they may be anywhere.
    """
    seat = np.int64(obs.turn)
    if memory < 1.0:
        seen.since[:] = UNTOLD
        for other in range(np.int64(obs.n_seats)):
            for v in range(np.int64(obs.max_pip) + 1):
                if other != seat and seen.void[other, v] != NEVER and uniform(agent_state) >= memory:
                    seen.void[other, v] = NEVER
    forgotten = np.int64(0)
    if counting < 1.0:
        seen.since[:] = UNTOLD
        for hi in range(np.int64(obs.max_pip) + 1):
            for lo in range(hi + 1):
                laid = np.int64(obs.table[hi]) >> lo & 1
                if laid and not (hi == lo and hi == obs.engine) and uniform(agent_state) >= counting:
                    seen.table[hi] &= ~(1 << lo)
                    seen.table[lo] &= ~(1 << hi)
                    forgotten += 1
        seen.top -= forgotten
    return forgotten


@kernel
def weigh_all(seen, actions, weights, depth, values):
    """Write into ``values: float64[n]`` what each action leaves behind, by `weights` of `features.FEATURES`."""
    _weigh_all(seen, actions, weights, depth, values, np.empty(1, EXTRACTED), np.empty(1, AGENT_STATE))


@kernel
def _weigh_all(seen, actions, weights, depth, values, scratch, owns):
    w, agent_state = scratch[0], owns[0]
    w.depth = depth
    set_params(agent_state, weights)
    for k in range(len(actions)):
        values[k] = weigh(w, seen, actions[k], agent_state)


@kernel
def _search(seen, forgotten, actions, n_worlds, depth, values, agent_state):
    """Draw what the heuristic thinks of each action towards what sampled worlds say, as each is sure of it."""
    n = len(actions)
    costs = np.empty((n_worlds, n))
    outs = np.empty((n_worlds, n), np.uint8)
    outcomes(seen, actions, forgotten, depth, costs, outs, agent_state)
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
def _values(seen, forgotten, actions, base, n_worlds, depth, values, agent_state):
    """Write what each action costs in pips, as far as it can be told, into ``values: float64[n]``; less is better."""
    n = len(actions)
    if base == PLANNER:
        weigh_all(seen, actions, _LEFT, depth, values)
        chosen = base_action(BASE_PLANNER, depth, seen, agent_state)
        best = values[0]
        for k in range(n):
            if actions[k] == chosen:
                best = values[k]
        for k in range(n):
            values[k] = abs(values[k] - best)  # its rules come first: what looks better by pips alone is no better
        return
    weigh_all(seen, actions, WEIGHTS, depth, values)
    for k in range(n):
        values[k] *= PIPS_A_UNIT
    if base == MC and n > 1:
        _search(seen, forgotten, actions, n_worlds, depth, values, agent_state)


@kernel
def _softmax(values, n, temperature, agent_state):
    """Draw one of `n` values, a lower one more likely: by exp(−value / temperature); at 0 one of the lowest."""
    least = values[0]
    for k in range(1, n):
        least = min(least, values[k])
    total = 0.0
    for k in range(n):
        values[k] = np.exp((least - values[k]) / temperature) if temperature > 0.0 else 1.0 * (values[k] == least)
        total += values[k]
    left = uniform(agent_state) * total
    last = 0
    for k in range(n):
        if values[k] > 0.0:
            last = k
            left -= values[k]
            if left < 0.0:
                return k
    return last


@kernel
def _unweakened(obs, base, n_worlds, agent_state, owns):
    """Return what the base itself chooses; ``owns: AGENT_STATE[1]`` is scratch."""
    if base != MC:
        return base_action(BASE_HEURISTIC if base == HEURISTIC else BASE_PLANNER, 0, obs, agent_state)
    theirs = owns[0]
    theirs.rng = agent_state.rng
    set_params(theirs, montecarlo.USUAL)
    theirs.params[montecarlo.WORLDS] = n_worlds
    action = montecarlo.monte_carlo(obs, theirs)
    agent_state.rng = theirs.rng
    return action


@kernel
def levelled_policy(obs, agent_state):
    """Choose as a base does that is weakened.

    Parameters: ``[base, temperature, blunders, worlds, depth, memory, counting, hoard, sense]``; what each means,
    `agents/levelled.py` says.
    """
    return _levelled(obs, agent_state, np.empty(1, STATE))


@kernel
def _levelled(obs, agent_state, dimmed):
    base = np.int64(agent_state.params[BASE])
    temperature, blunders = agent_state.params[TEMPERATURE], agent_state.params[BLUNDERS]
    n_worlds = np.int64(agent_state.params[WORLDS])
    far, memory, counting = agent_state.params[DEPTH], agent_state.params[MEMORY], agent_state.params[COUNTING]
    hoard = agent_state.params[HOARD]
    sense = agent_state.params[SENSE] != 0.0
    if temperature + blunders + hoard == 0.0 and far >= ALL and memory >= 1.0 and counting >= 1.0:
        return _unweakened(obs, base, n_worlds, agent_state, np.empty(1, AGENT_STATE))
    if blunders > 0.0 and uniform(agent_state) < blunders and not sense:
        return nth_action(obs, below(agent_state, np.int64(obs.n_legal)))
    actions = np.empty(MAX_ACTIONS, np.int64)
    found = np.empty(MAX_ACTIONS, np.int64)
    n = list_actions(obs, actions)
    if sense:
        blunder(obs, actions, n, found)
    kept = 0
    for k in range(n):
        if (found[k] == SANE) if sense else (actions[k] != PASS or n == 1):
            actions[kept] = actions[k]
            kept += 1
    if kept == 1:
        return actions[0]
    if sense and blunders > 0.0 and uniform(agent_state) < blunders:
        return actions[below(agent_state, kept)]
    seen = dimmed[0]
    dimmed[0] = obs
    forgotten = dim(seen, obs, memory, counting, agent_state)
    depth = whole(agent_state, far) if far < ALL else np.int64(0)
    actions = actions[:kept]
    values = np.empty(kept)
    _values(seen, forgotten, actions, base, n_worlds, depth, values, agent_state)
    for k in range(kept):
        values[k] += hoard * (actions[k] != PASS and actions[k] >> 5 & 31 == actions[k] & 31)
    return actions[_softmax(values, kept, temperature, agent_state)]
