"""Monte Carlo over determinizations: try the legal actions in the same sampled worlds, and leave a base policy's choice
only where the gain is beyond doubt.

Sources: Ginsberg, "GIB: imperfect information in a computationally challenging game", JAIR 14 (2001), for worlds
shared by all candidates, so that their luck cancels; Karnin, Koren and Somekh, "Almost optimal exploration in
multi-armed bandits", ICML 2013, for halving the candidates as the budget is spent. The gate is a paired t test, with a
prior for the base.
"""

import numpy as np

from mtrain.game.jit import kernel
from mtrain.game.kernels import list_actions
from mtrain.game.rng import below, mix
from mtrain.game.state import MAX_ACTIONS
from mtrain.strategy.evaluate import OWN_PIPS, PROOFS, SIMULATION, begin, cost, next_world, plan_for_others, play_out
from mtrain.strategy.rollouts import BASE_HEURISTIC, BASE_NONE, ROLL_PLANNER, base_action

# The parameters of `monte_carlo`, and what they are where nothing else is said.
WORLDS, ROLLOUT, OBJECTIVE, BASE, GATE, WORLDS_FROM = range(6)
USUAL = np.array([64, ROLL_PLANNER, OWN_PIPS, BASE_HEURISTIC, 1.2, PROOFS])

_PRIOR = 4.5  # the base is good: from n worlds a gain must be larger by so many standard errors / √n
_LOOK = 8  # worlds between two looks at the candidates
_FAR = 3.0  # standard errors by which a candidate must be worse than the base to be dropped


@kernel
def _doubt(gate, n):
    """Return the `gate` of a normal test as that of a t test on `n` pairs (the first terms of Cornish and Fisher)."""
    free = n - 1.0
    return gate + (gate**3 + gate) / (4.0 * free) + (5.0 * gate**5 + 16.0 * gate**3 + 3.0 * gate) / (96.0 * free**2)


@kernel
def _error(total, squares, n):
    """Return the standard error of a mean, from a sum and a sum of squares."""
    return np.sqrt(max(squares - total * total / n, 0.0) / (n * (n - 1.0)))


@kernel
def _sure(gain, squares, n, gate):
    """Say whether a gain, the sum of `n` paired differences, is beyond doubt.

    A prior that another action is worse than the base's by some pips, give or take some, asks for a gain that grows
    with the variance of its mean: so much more from few worlds, next to nothing from many.
    """
    return n > 1 and gain > _doubt(gate + _PRIOR / np.sqrt(n), n) * n * _error(gain, squares, n)


@kernel
def monte_carlo(obs, agent_state):
    """Choose the action with the least mean cost over common worlds, if it is surely better than the base policy's.

    Parameters: ``[worlds, rollout, objective, base, gate, worlds_from]``. The budget is a count of roll-outs: worlds ×
    legal actions. As it is spent, candidates are halved; one that is surely worse than the base goes at once. With
    `PEEK`, `obs` is the whole State.
    """
    return _monte_carlo(obs, agent_state, np.empty(1, SIMULATION))


@kernel
def _monte_carlo(obs, agent_state, sims):
    sim = sims[0]
    seat = np.int64(obs.turn)
    policy = np.int64(agent_state.params[ROLLOUT])
    objective = np.int64(agent_state.params[OBJECTIVE])
    base_policy = np.int64(agent_state.params[BASE])
    actions = np.empty(MAX_ACTIONS, np.int64)
    n = list_actions(obs, actions)

    base = below(agent_state, n)
    if base_policy != BASE_NONE:
        wanted = base_action(base_policy, 0, obs, agent_state)
        for k in range(n):
            if actions[k] == wanted:
                base = k
    begin(sim, obs, seat, policy, base_policy, np.int64(agent_state.params[WORLDS_FROM]))
    alive = np.ones(n, np.int64)
    gain = np.zeros(n)  # sums of what each candidate cost more than the base
    squares = np.zeros(n)
    costs = np.zeros(n)
    n_alive = n
    n_worlds = 0
    spent = 0
    budget = np.int64(agent_state.params[WORLDS]) * n
    halvings = 0
    while (1 << halvings) < n:
        halvings += 1
    stage = 1
    while n_alive > 1 and spent + n_alive <= budget:
        next_world(sim, obs, n_worlds, agent_state)
        if policy == ROLL_PLANNER:
            plan_for_others(sim.plans, sim.trail, sim.world, seat)
        chance = mix(agent_state.rng)  # the same chance for every candidate
        for k in range(n):
            if alive[k]:
                play_out(sim, actions[k], chance)
                costs[k] = cost(sim.future, seat, objective)
        n_worlds += 1
        spent += n_alive
        for k in range(n):
            if alive[k]:
                more = costs[k] - costs[base]
                gain[k] += more
                squares[k] += more * more
        if n_worlds % _LOOK == 0 and base_policy != BASE_NONE:
            for k in range(n):
                if alive[k] and k != base and gain[k] > _FAR * n_worlds * _error(gain[k], squares[k], n_worlds):
                    alive[k] = 0
                    n_alive -= 1
        if spent * (halvings + 1) >= budget * stage and n_worlds > 1:
            stage += 1
            n_alive = _halve(alive, gain, base, n_alive)
    best = base
    n_best = 1
    for k in range(n):
        if k == base or not alive[k]:
            continue
        if gain[k] < gain[best]:
            best, n_best = k, 1
        elif gain[k] == gain[best] and base_policy == BASE_NONE:
            n_best += 1
            if below(agent_state, n_best) == 0:
                best = k
    if (
        base_policy != BASE_NONE
        and best != base
        and not _sure(-gain[best], squares[best], n_worlds, agent_state.params[GATE])
    ):
        best = base
    return actions[best]


@kernel
def _halve(alive, gain, base, n_alive):
    """Keep the better half of the candidates, and the base; return how many are left."""
    keep = (n_alive + 1) // 2
    while n_alive > max(keep, 2):
        worst = -1
        for k in range(len(alive)):
            if alive[k] and k != base and (worst < 0 or gain[k] > gain[worst]):
                worst = k
        alive[worst] = 0
        n_alive -= 1
    return n_alive
