"""Outcomes: what becomes of actions that are played to the end of the round in the same sampled worlds.

Common worlds and common chance are what makes the outcomes of two actions comparable: their luck cancels. This module
says what an action costs in each world; whether one is better is for others to say.
"""

import numpy as np

from mtrain.game import kernels
from mtrain.game.jit import kernel
from mtrain.game.kernels import advance, apply
from mtrain.game.rng import mix
from mtrain.game.state import AGENT_STATE, NEVER, OUT, STATE, UNTOLD
from mtrain.strategy.constraints import count_deals, study
from mtrain.strategy.determinize import deal_again, shuffle_boneyard, write_world
from mtrain.strategy.features import WEIGHTS
from mtrain.strategy.longest_train import TRAIL
from mtrain.strategy.opponent_model import CHAIN, PLANNER, believe, next_likely
from mtrain.strategy.planner import PLAIN, PLANS, make_plan
from mtrain.strategy.rollouts import BASE_HEURISTIC, BASE_PLANNER, ROLL_PLANNER, roll_out, roll_plans, set_params

# ── Outcomes ──────────────────────────────────────────────────────────────────────────────────────────


# What a rollout is worth; less is better.
OWN_PIPS, LEAD, GO_OUT, WIN_GAME = range(4)

# What worlds are made from: hand sizes alone; what draws and passes prove; what a planner would have laid, besides; or
# the true hands, which only an agent that peeks is shown.
COUNTS, PROOFS, POLICY, PEEK = range(4)

_ROUND_SPREAD = 17.0  # pips: the spread of a seat's score in one round

_NOBODY = -1

# What worlds are sampled and played on in. A record, so that it can be handed on in kernels.
SIMULATION = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("seat", "i8"),  # whose decision it is
                ("worlds_from", "i8"),
                ("policy", "i8"),  # of roll-outs
                ("hero", "i8"),  # the seat that weighs instead of planning; -1: none
                ("planner", AGENT_STATE),  # whoever follows the policy …
                ("weigher", AGENT_STATE),  # … and the hero
                ("chain", CHAIN),
                ("world", STATE),
                ("plans", PLANS),  # the others', before anything is tried in the world
                ("future", STATE),  # the world after an action
                ("later", PLANS),  # … and what all mean to lay there
                ("seen", STATE),  # … and what a seat sees of it
                ("trail", TRAIL),
            ],
            align=True,
        ),
    )
)


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
def begin(sim, obs, seat, policy, base, worlds_from):
    """Begin a decision of `seat`: say how roll-outs go on, and find out what there is to know of the hidden tiles.

    All follow `policy`; but the seat itself, where others plan, its `base`.
    """
    sim.seat = seat
    sim.worlds_from = worlds_from
    sim.policy = policy
    sim.hero = _NOBODY
    sim.plans.depth = 0
    sim.plans.kept[:] = 0  # nobody has a plan: the seat makes its own last, and may lay before
    sim.planner.params[:] = 0.0
    if policy == ROLL_PLANNER:
        set_params(sim.planner, PLAIN)
        set_params(sim.weigher, WEIGHTS)
        if base == BASE_HEURISTIC:
            sim.hero = seat
    if worlds_from == PEEK:
        return
    if worlds_from == COUNTS:
        sim.seen = obs
        sim.seen.void[:] = NEVER
        sim.seen.since[:] = UNTOLD
        study(sim.chain.deal, sim.seen, seat)
    else:
        study(sim.chain.deal, obs, seat)
    count_deals(sim.chain.deal, seat)
    if worlds_from == POLICY:
        set_params(sim.chain.belief.agent_state, PLAIN)
        believe(sim.chain.belief, PLANNER)


@kernel
def next_world(sim, obs, k, agent_state):
    """Make world number `k` of a decision."""
    if sim.worlds_from == PEEK:
        sim.world = obs
        shuffle_boneyard(sim.world, agent_state)
    elif sim.worlds_from == POLICY:
        next_likely(sim.world, sim.chain, obs, sim.seat, k, agent_state)
    else:
        deal_again(sim.chain.deal, agent_state)
        write_world(sim.world, sim.chain.deal, obs, sim.seat, agent_state)


@kernel
def plan_for_others(plans, t, world, seat):
    """Make the plans of all seats but one in a world, before anything is tried there."""
    for other in range(np.int64(world.n_seats)):
        if other != seat:
            make_plan(plans, t, world, other)


@kernel
def start(sim, chance):
    """Begin a future of the world, in which nothing has happened yet; all chance in it is drawn from `chance`."""
    sim.future = sim.world
    sim.later = sim.plans
    sim.planner.rng = chance
    sim.weigher.rng = chance


@kernel
def finish(sim):
    """Play the future to the end of its round, all by their plans: the seat makes its own now."""
    make_plan(sim.later, sim.trail, sim.future, sim.seat)
    roll_plans(sim.future, sim.later, sim.trail, sim.planner, sim.hero, sim.weigher)


@kernel
def play_out(sim, action, chance):
    """Play an action in the world, and then the round to its end, in its future.

    All chance is drawn from `chance`, the same for every action tried in a world. `plan_for_others` comes first where
    roll-outs plan.
    """
    start(sim, chance)
    apply(sim.future, action)
    if sim.policy == ROLL_PLANNER:
        finish(sim)
    else:
        roll_out(sim.future, sim.seen, sim.policy, sim.planner)


@kernel
def outcomes(obs, actions, forgotten, depth, costs, outs, agent_state):
    """Play actions out in the same worlds; the others plan, and the seat itself weighs as `heuristic` does.

    Parameters
    ----------
    obs
        What the seat on turn sees. Of the tiles laid so many may be `forgotten`: struck off `table`, and off `top`.
    actions : int64[n]
        What is tried.
    forgotten
        Tiles that were laid and are taken for unseen.
    depth
        How many tiles plans look ahead, the seat then planning like the others; 0: to the end.
    costs : float64[worlds, n]
        Written: the pips that the round cost the seat, by world and action.
    outs : uint8[worlds, n]
        Written: 1 where the seat went out.
    agent_state
        What worlds are drawn by; its stream moves on.
    """
    _outcomes(obs, actions, forgotten, depth, costs, outs, agent_state, np.empty(1, SIMULATION))


@kernel
def _outcomes(obs, actions, forgotten, depth, costs, outs, agent_state, sims):
    sim = sims[0]
    seat = np.int64(obs.turn)
    begin(sim, obs, seat, ROLL_PLANNER, BASE_PLANNER if depth else BASE_HEURISTIC, PROOFS)
    sim.plans.depth = depth
    for k in range(len(costs)):
        next_world(sim, obs, k, agent_state)
        sim.world.top += forgotten  # more tiles than places are unseen: those beyond the boneyard are nowhere
        plan_for_others(sim.plans, sim.trail, sim.world, seat)
        chance = mix(agent_state.rng)
        for i in range(len(actions)):
            play_out(sim, actions[i], chance)
            costs[k, i] = sim.future.pips[seat]
            outs[k, i] = sim.future.over == OUT and sim.future.count[seat] == 0


@kernel
def _look(obs, actions, costs, outs, agent_state):
    outcomes(obs[0], actions, 0, 0, costs, outs, agent_state[0])


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
    agent_state = np.zeros(1, AGENT_STATE)
    agent_state[0].rng = chance
    costs, outs = np.empty((worlds, len(actions))), np.empty((worlds, len(actions)), np.uint8)
    _look(obs, actions, costs, outs, agent_state)
    return costs, outs


# ── Prospects ─────────────────────────────────────────────────────────────────────────────────────────
#
# Prospects: what a round holds for a seat before anybody has chosen, with the hand that it was dealt and without.
#
# Rounds are played as `outcomes` plays them on: the seat itself weighs as `heuristic` does, the others plan. This
# module says what a round costs in each world; what is luck and what is not, is for others to say.


@kernel
def _play_round(sim, chance):
    """Play a dealt round to its end; all make their plans when the engine lies and the first choice is to be made."""
    start(sim, chance)
    if advance(sim.future):
        plan_for_others(sim.later, sim.trail, sim.future, sim.seat)
        finish(sim)


@kernel
def _with_hand(obs, seat, costs, agent_state, sims):
    sim = sims[0]
    begin(sim, obs[0], seat, ROLL_PLANNER, BASE_HEURISTIC, PROOFS)
    for k in range(len(costs)):
        next_world(sim, obs[0], k, agent_state[0])
        _play_round(sim, mix(agent_state[0].rng))
        costs[k] = sim.future.pips[seat]


@kernel
def _before_deal(template, chance, costs, sims):
    sim = sims[0]
    for k in range(len(costs)):
        sim.world = template[0]
        kernels.deal(sim.world, chance, k)
        for seat in range(np.int64(template[0].n_seats)):
            begin(sim, sim.world, seat, ROLL_PLANNER, BASE_HEURISTIC, PEEK)
            _play_round(sim, chance + np.uint64(k))
            costs[k, seat] = sim.future.pips[seat]


def with_hand(obs: np.ndarray, seat: int, worlds: int, chance: int) -> np.ndarray:
    """Return what a round that has just been dealt costs a seat in sampled worlds, by its hand: float64[worlds].

    Parameters
    ----------
    obs : STATE[1]
        What the seat sees.
    seat
        Who it is; it need not be on turn.
    worlds
        How many worlds.
    chance
        Where the stream starts that worlds are drawn by.
    """
    agent_state = np.zeros(1, AGENT_STATE)
    agent_state[0].rng = np.uint64(chance)
    costs = np.empty(worlds)
    _with_hand(obs, seat, costs, agent_state, np.zeros(1, SIMULATION))
    return costs


def before_deal(dealt: np.ndarray, worlds: int, chance: int) -> np.ndarray:
    """Return what a round costs each seat before its tiles are dealt: float64[worlds, seats].

    Parameters
    ----------
    dealt : STATE[1]
        The round, just dealt. What it is (rules, number, starter, scores) is read, and no tile.
    worlds
        How many deals.
    chance
        What they are made from.
    """
    costs = np.empty((worlds, int(dealt[0].n_seats)))
    _before_deal(dealt, np.uint64(chance), costs, np.zeros(1, SIMULATION))
    return costs
