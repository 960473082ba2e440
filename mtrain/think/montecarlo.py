"""Monte Carlo over determinizations: try the legal actions in the same sampled worlds, and leave a base policy's choice
only where the gain is beyond doubt.

Sources: Ginsberg, "GIB: imperfect information in a computationally challenging game", JAIR 14 (2001), for worlds
shared by all candidates, so that their luck cancels; Karnin, Koren and Somekh, "Almost optimal exploration in
multi-armed bandits", ICML 2013, for halving the candidates as the budget is spent. The gate is a paired t test, with a
prior for the base.
"""

import numpy as np

from mtrain.game.jit import kernel
from mtrain.game.kernels import apply, list_actions
from mtrain.game.rng import below, mix
from mtrain.game.state import NEVER, OUT, OWN, STATE, UNTOLD
from mtrain.think.base import NO_BASE, NOBODY, base_action, rollers, set_params
from mtrain.think.counting import count_deals
from mtrain.think.inference import BELIEF, believe, start_chain, walk
from mtrain.think.planner import PLAIN, PLANS, make_plan
from mtrain.think.proofs import DEAL, study
from mtrain.think.rollouts import ROLL_PLANNER, roll_out, roll_plans
from mtrain.think.trail import TRAIL
from mtrain.think.witness import MOST, PLANNER, WITNESS
from mtrain.think.worlds import deal_again, shuffle_boneyard, write_world

# What a rollout is worth; less is better.
OWN_PIPS, LEAD, GO_OUT, WIN_GAME = range(4)

# What worlds are made from: hand sizes alone; what draws and passes prove; what a planner would have laid, besides; or
# the true hands, which only an agent that peeks is shown.
COUNTS, PROOFS, POLICY, PEEK = range(4)

_PRIOR = 4.5  # the base is good: from n worlds a gain must be larger by so many standard errors / √n
_MAX_ACTIONS = 512
_LOOK = 8  # worlds between two looks at the candidates
_FAR = 3.0  # standard errors by which a candidate must be worse than the base to be dropped
_ROUND_SPREAD = 17.0  # pips: the spread of a seat's score in one round

# What worlds are sampled by.
SOURCE = np.dtype((np.record, np.dtype([("deal", DEAL), ("words", WITNESS), ("belief", BELIEF)], align=True)))


@kernel
def _ahead(gap, n_rounds):
    """Return the chance that a lead of `gap` pips holds for `n_rounds` more rounds: a logistic curve for a normal's."""
    if n_rounds == 0:
        return 0.5 if gap == 0.0 else 1.0 * (gap > 0.0)
    return 1.0 / (1.0 + np.exp(-1.702 * gap / (_ROUND_SPREAD * np.sqrt(2.0 * n_rounds))))


@kernel
def cost(s, seat, objective):
    """Return what a finished round cost a seat."""
    if objective == GO_OUT:
        return 0.0 if s.over == OUT and s.count[seat] == 0 else 1.0
    n_seats = np.int64(s.n_seats)
    if objective == WIN_GAME:
        chance = 1.0
        for other in range(n_seats):
            if other != seat:
                gap = float(np.int64(s.score[other]) - np.int64(s.score[seat]))
                chance *= _ahead(gap, np.int64(s.n_rounds) - np.int64(s.number))
        return 1.0 - chance
    pips = float(s.pips[seat])
    if objective == LEAD:
        others = 0.0
        for other in range(n_seats):
            if other != seat:
                others += s.pips[other]
        pips -= others / (n_seats - 1)
    return pips


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
def _study(source, pasts, obs, seat, worlds_from, own):
    """Find out what there is to know of the hidden tiles, once a decision."""
    d = source.deal
    if worlds_from == COUNTS:
        scratch = np.empty(1, STATE)
        scratch[0] = obs
        blind = scratch[0]
        blind.void[:] = NEVER
        blind.since[:] = UNTOLD
        study(d, blind, seat)
        count_deals(d, seat)
        return len(scratch)  # a record does not keep its array alive: this last use of it does
    study(d, obs, seat)
    count_deals(d, seat)
    if worlds_from == POLICY and d.told:
        set_params(source.belief.own, PLAIN)
        believe(source.belief, PLANNER)
        start_chain(d, source.words, pasts, seat, obs, source.belief, own)
    return 0


@kernel
def _next_deal(source, pasts, worlds_from, k, own):
    """Make deal number `k` of a decision."""
    d = source.deal
    if worlds_from != POLICY or not d.told:
        deal_again(d, own)
    elif k > 0:
        walk(d, source.words, pasts, source.belief, own, source.belief.thinning)


@kernel
def monte_carlo(obs, own):
    """Choose the action with the least mean cost over common worlds, if it is surely better than the base policy's.

    Parameters: ``[worlds, rollout, objective, base, gate, worlds_from]``. The budget is a count of roll-outs: worlds ×
    legal actions. As it is spent, candidates are halved; one that is surely worse than the base goes at once. With
    `PEEK`, `obs` is the whole State.
    """
    seat = np.int64(obs.turn)
    policy = np.int64(own.params[1])
    objective = np.int64(own.params[2])
    base_policy = np.int64(own.params[3])
    gate = own.params[4]
    worlds_from = np.int64(own.params[5])
    states = np.empty(3, STATE)
    world, future, seen = states[0], states[1], states[2]
    source = np.empty(1, SOURCE)
    pasts = np.empty(MOST if worlds_from == POLICY else 1, STATE)
    plans = np.zeros(2, PLANS)
    trails = np.empty(1, TRAIL)
    owns = np.zeros(2, OWN)
    actions = np.empty(_MAX_ACTIONS, np.int64)
    n = list_actions(obs, actions)

    base = below(own, n)
    if base_policy != NO_BASE:
        wanted = base_action(base_policy, obs, own)
        for k in range(n):
            if actions[k] == wanted:
                base = k
    hero = np.int64(NOBODY)
    if policy == ROLL_PLANNER:
        hero = rollers(owns, base_policy, seat)

    if worlds_from != PEEK:
        _study(source[0], pasts, obs, seat, worlds_from, own)
    alive = np.ones(n, np.int64)
    gain = np.zeros(n)  # sums of what each candidate cost more than the base
    squares = np.zeros(n)
    costs = np.zeros(n)
    n_alive = n
    n_worlds = 0
    spent = 0
    budget = np.int64(own.params[0]) * n
    halvings = 0
    while (1 << halvings) < n:
        halvings += 1
    stage = 1
    while n_alive > 1 and spent + n_alive <= budget:
        if worlds_from == PEEK:
            states[0] = obs
            shuffle_boneyard(world, own)
        else:
            _next_deal(source[0], pasts, worlds_from, n_worlds, own)
            write_world(world, source[0].deal, obs, seat, own)
        if policy == ROLL_PLANNER:
            for other in range(np.int64(obs.n_seats)):
                if other != seat:
                    make_plan(plans[0], trails[0], world, other)
        chance = mix(own.chance)  # the same chance for every candidate
        for k in range(n):
            if not alive[k]:
                continue
            states[1] = states[0]
            apply(future, actions[k])
            owns[0].chance = chance
            owns[1].chance = chance
            if policy == ROLL_PLANNER:
                plans[1] = plans[0]
                make_plan(plans[1], trails[0], future, seat)
                roll_plans(future, plans[1], trails[0], owns[0], hero, owns[1])
            else:
                roll_out(future, seen, policy, owns[0])
            costs[k] = cost(future, seat, objective)
        n_worlds += 1
        spent += n_alive
        for k in range(n):
            if alive[k]:
                more = costs[k] - costs[base]
                gain[k] += more
                squares[k] += more * more
        if n_worlds % _LOOK == 0 and base_policy != NO_BASE:
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
        elif gain[k] == gain[best] and base_policy == NO_BASE:
            n_best += 1
            if below(own, n_best) == 0:
                best = k
    if base_policy != NO_BASE and best != base and not _sure(-gain[best], squares[best], n_worlds, gate):
        best = base
    return actions[best] + 0 * (len(states) + len(plans) + len(trails) + len(owns) + len(source))


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
