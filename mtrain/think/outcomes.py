"""Outcomes: what becomes of actions that are played to the end of the round in the same sampled worlds.

Common worlds and common chance are what makes the outcomes of two actions comparable: their luck cancels. This module
says what an action costs in each world; whether one is better is for others to say.
"""

import numpy as np

from mtrain.game.jit import kernel
from mtrain.game.kernels import apply
from mtrain.game.rng import mix
from mtrain.game.state import NEVER, OUT, OWN, STATE, UNTOLD
from mtrain.think.base import BASE_HEURISTIC, NOBODY, rollers, set_params
from mtrain.think.counting import count_deals
from mtrain.think.inference import BELIEF, believe, start_chain, walk
from mtrain.think.planner import PLAIN, PLANS, make_plan
from mtrain.think.proofs import DEAL, study
from mtrain.think.rollouts import ROLL_PLANNER, roll_out, roll_plans
from mtrain.think.trail import TRAIL
from mtrain.think.witness import PLANNER, WITNESS
from mtrain.think.worlds import deal_again, write_world

# What a rollout is worth; less is better.
OWN_PIPS, LEAD, GO_OUT, WIN_GAME = range(4)

# What worlds are made from: hand sizes alone; what draws and passes prove; what a planner would have laid, besides; or
# the true hands, which only an agent that peeks is shown.
COUNTS, PROOFS, POLICY, PEEK = range(4)

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
def study_hidden(source, pasts, obs, seat, worlds_from, own):
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
def next_deal(source, pasts, worlds_from, k, own):
    """Make deal number `k` of a decision."""
    d = source.deal
    if worlds_from != POLICY or not d.told:
        deal_again(d, own)
    elif k > 0:
        walk(d, source.words, pasts, source.belief, own, source.belief.thinning)


@kernel
def plan_for_others(plans, t, world, seat):
    """Make the plans of all seats but one in a world, before anything is tried there."""
    for other in range(np.int64(world.n_seats)):
        if other != seat:
            make_plan(plans, t, world, other)


@kernel
def play_out(states, plans, trails, owns, action, seat, policy, hero, chance):
    """Play an action in the world ``states[0]``, and then the round to its end, in ``states[1]``.

    ``states: STATE[3]``: the world, its future, scratch. ``plans: PLANS[2]``: those that the others have before, by
    `plan_for_others`, and scratch; read where the `policy` is `ROLL_PLANNER`. ``owns: OWN[2]``: who plans, and the
    seat `hero`. All chance is drawn from `chance`, the same for every action tried in a world.
    """
    states[1] = states[0]
    future = states[1]
    apply(future, action)
    owns[0].chance = chance
    owns[1].chance = chance
    if policy == ROLL_PLANNER:
        plans[1] = plans[0]
        make_plan(plans[1], trails[0], future, seat)
        roll_plans(future, plans[1], trails[0], owns[0], hero, owns[1])
    else:
        roll_out(future, states[2], policy, owns[0])


@kernel
def outcomes(obs, actions, n, forgotten, depth, costs, outs, own):
    """Play actions out in the same worlds; the others plan, and the seat itself weighs as `heuristic` does.

    Parameters
    ----------
    obs
        What the seat on turn sees. Of the tiles laid so many may be `forgotten`: struck off `table`, and off `top`.
    actions, n
        ``int64[≥ n]``: what is tried.
    forgotten
        Tiles that were laid and are taken for unseen.
    depth
        How many tiles plans look ahead, those of the seat itself included; 0: to the end.
    costs : float64[worlds, n]
        Written: the pips that the round cost the seat, by world and action.
    outs : uint8[worlds, n]
        Written: 1 where the seat went out.
    own
        What worlds are drawn by; its stream moves on.
    """
    seat = np.int64(obs.turn)
    states = np.empty(3, STATE)
    source = np.empty(1, SOURCE)
    pasts = np.empty(1, STATE)
    plans = np.zeros(2, PLANS)
    plans[0].depth = depth
    trails = np.empty(1, TRAIL)
    owns = np.zeros(2, OWN)
    hero = rollers(owns, BASE_HEURISTIC, seat)
    if depth:
        hero = np.int64(NOBODY)
    study_hidden(source[0], pasts, obs, seat, PROOFS, own)
    for k in range(len(costs)):
        next_deal(source[0], pasts, PROOFS, k, own)
        world = states[0]
        write_world(world, source[0].deal, obs, seat, own)
        world.top += forgotten  # more tiles than places are unseen: those beyond the boneyard are nowhere
        plan_for_others(plans[0], trails[0], world, seat)
        chance = mix(own.chance)
        for i in range(n):
            play_out(states, plans, trails, owns, actions[i], seat, ROLL_PLANNER, hero, chance)
            costs[k, i] = states[1].pips[seat]
            outs[k, i] = states[1].over == OUT and states[1].count[seat] == 0
    return len(states) + len(source) + len(pasts) + len(plans) + len(trails) + len(owns)  # none dies before this


@kernel
def _look(obs, actions, costs, outs, own):
    outcomes(obs[0], actions, len(actions), 0, 0, costs, outs, own[0])


def look(obs: np.ndarray, actions: np.ndarray, worlds: int, chance: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what actions come to in common worlds, in which nothing is forgotten.

    Parameters
    ----------
    obs : STATE[1]
        What the seat on turn sees.
    actions : int64[n]
        What is tried.
    worlds
        In how many worlds.
    chance
        Where the stream starts that worlds are drawn by.

    Returns
    -------
    costs : float64[worlds, n]
        The pips that the round cost the seat.
    outs : uint8[worlds, n]
        1 where it went out.
    """
    own = np.zeros(1, OWN)
    own[0].chance = chance
    costs, outs = np.empty((worlds, len(actions))), np.empty((worlds, len(actions)), np.uint8)
    _look(obs, actions, costs, outs, own)
    return costs, outs
