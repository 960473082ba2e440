"""Inference: how likely each world is by what the other seats did, if they choose by a known policy.

A world is a whole deal, so the round can be played again in it and every choice of the others seen from their own
hands. Its weight is the product, over their latest choices, of the chance that the policy would have chosen so; a
floor of uniform choice keeps one odd move from ruling a world out. Proofs are not repeated here: worlds obey them
already.

Source: Richards and Amir, "Opponent modeling in Scrabble", IJCAI (2007), for weights by the likelihood of moves; Long,
Sturtevant, Buro and Furtak, "Understanding the success of perfect information Monte Carlo sampling in game tree
search", AAAI (2010), for why worlds should be weighed at all.
"""

import numpy as np

from mtrain.game.jit import kernel
from mtrain.game.kernels import apply, observe
from mtrain.game.rng import mix, uniform
from mtrain.game.state import OWN, STATE
from mtrain.think.history import begin, follow
from mtrain.think.policies import double_holder_policy, greedy_policy, uniform_policy
from mtrain.think.proofs import DEAL, study
from mtrain.think.worlds import deal_again, write_world

# The policies that others can be believed to choose by, by the names of the agents that do, and their parameters.
POLICIES = ("random", "greedy", "double-holder")
RANDOM, GREEDY, DOUBLE_HOLDER = range(3)
DEFAULTS: dict[str, tuple[float, ...]] = {"random": (), "greedy": (0.0, 0.0), "double-holder": (0.0, 0.0, 0.0)}

# What is believed of the others. A record, so that it can be handed on in kernels.
BELIEF = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("policy", "i8"),  # an index into `POLICIES`
                ("floor", "f8"),  # how often they choose uniformly instead
                ("reach", "i8"),  # choices are looked at from the last so many tiles laid on
                ("own", OWN),  # the policy's parameters, and what its ties are drawn from
            ],
            align=True,
        ),
    )
)


def belief(policy: str = "greedy", *, floor: float = 0.1, reach: int = 30) -> np.ndarray:
    """Return what is believed of the other seats: BELIEF[1].

    Parameters
    ----------
    policy
        One of `POLICIES`.
    floor
        How often a seat is believed to choose uniformly instead, from 0 (never) to 1.
    reach
        Choices are looked at from the last so many tiles laid on.

    Raises
    ------
    ValueError
        If the policy is unknown, or a number out of its range.
    """
    if policy not in POLICIES:
        raise ValueError(f"a policy to weigh by is one of {', '.join(POLICIES)}, not {policy!r}")
    if not 0 <= floor <= 1:
        raise ValueError(f"floor is a number from 0 to 1, not {floor}")
    if reach < 0:
        raise ValueError(f"reach is a number of tiles, not {reach}")
    believed = np.zeros(1, BELIEF)
    b = believed[0]
    b.policy, b.floor, b.reach = POLICIES.index(policy), floor, reach
    b.own.params[: len(DEFAULTS[policy])] = DEFAULTS[policy]
    return believed


@kernel
def choose(policy, obs, own):
    """Choose by one of `POLICIES`."""
    if policy == GREEDY:
        return greedy_policy(obs, own)
    if policy == DOUBLE_HOLDER:
        return double_holder_policy(obs, own)
    return uniform_policy(obs, own)


@kernel
def log_likelihood(world, obs, seat, belief, past, seen):
    """Return ln of the chance that the other seats would have chosen as they did, in this world.

    Parameters
    ----------
    world
        A State as `determinize` writes it for `seat`.
    obs, seat
        What that seat sees.
    belief
        A record of dtype BELIEF; its stream moves on.
    past, seen
        Two States to work in.

    Notes
    -----
    The policy is asked once a choice, so where it draws for ties the product is right on average only. Of an
    observation that does not tell its history nothing is known: 0.
    """
    total = 0.0
    since = np.int64(obs.n_laid) - belief.reach
    begin(past, world, obs)
    while True:
        action = follow(past, obs)
        if action <= 0:
            return total
        if past.n_laid >= since and past.turn != seat and past.n_legal > 1:
            share = belief.floor / past.n_legal
            if belief.policy == RANDOM:
                share = 1.0 / past.n_legal
            elif belief.floor < 1.0:
                observe(seen, past, past.turn)
                if choose(belief.policy, seen, belief.own) == action:
                    share += 1.0 - belief.floor
            total += np.log(max(share, 1e-12))
        apply(past, action)


@kernel
def normalise(weights):
    """Turn logarithms of weights into weights that add up to 1, in place; return the effective sample size.

    Source: Kong, "A note on importance sampling using standardized weights", University of Chicago (1992).
    """
    most = -np.inf
    for k in range(len(weights)):
        most = max(most, weights[k])
    total = 0.0
    for k in range(len(weights)):
        weights[k] = np.exp(weights[k] - most)
        total += weights[k]
    squares = 0.0
    for k in range(len(weights)):
        weights[k] /= total
        squares += weights[k] * weights[k]
    return 1.0 / squares


@kernel
def weighted_worlds(worlds, weights, obs, seat, belief, own):
    """Sample worlds uniformly, and weigh them.

    Parameters
    ----------
    worlds : STATE[n]
        Overwritten with worlds that agree with the observation of `seat`.
    weights : float64[n]
        Overwritten with their weights, which add up to 1.
    obs, seat
        What that seat sees.
    belief
        A record of dtype BELIEF; its stream is started from `own`.
    own
        A record of dtype OWN, whose stream moves on.

    Returns
    -------
    float
        The effective sample size: as many worlds drawn by weight say as much.
    """
    scratch = np.empty(1, DEAL)
    states = np.empty(2, STATE)
    study(scratch[0], obs, seat)
    belief.own.chance = mix(own.chance)
    for k in range(len(worlds)):
        d = scratch[0]  # a record does not keep its array alive: being asked for again, the array does
        deal_again(d, own)
        write_world(worlds[k], d, obs, seat, own)
        weights[k] = log_likelihood(worlds[k], obs, seat, belief, states[0], states[1]) if d.told else 0.0
    return normalise(weights)


@kernel
def resample(weights, chosen, own):
    """Draw worlds by their weights: each as often as its weight says, up to one more or less.

    ``weights: float64[n]`` add up to 1; ``chosen: int64[m]`` is overwritten with indices, in order.

    Source: Kitagawa, "Monte Carlo filter and smoother for non-Gaussian nonlinear state space models", Journal of
    Computational and Graphical Statistics 5 (1996): systematic resampling.
    """
    m = len(chosen)
    point = uniform(own) / m
    k = 0
    below = weights[0]
    for j in range(m):
        while below < point and k < len(weights) - 1:
            k += 1
            below += weights[k]
        chosen[j] = k
        point += 1.0 / m
