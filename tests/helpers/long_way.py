"""The long way round: a whole deal played from its beginning, and every choice of the others weighed in it."""

import numpy as np

from mtrain.game.intrinsics import copy_masked
from mtrain.game.jit import kernel
from mtrain.game.kernels import CHOICE, DREW, PASS, apply, deal_out, is_legal, observe, step
from mtrain.game.state import UNTOLD
from mtrain.strategy.history import _told_action, agrees, caught_up, lays_next
from mtrain.strategy.opponent_model import UNIFORM, choose


@kernel
def begin(past, world, obs):
    """Deal the round of `obs` again from a whole deal, the deck of the State `world`, into the State `past`."""
    copy_masked(past, obs)
    past.deck[:] = world.deck
    deal_out(past)


@kernel
def follow(past, obs):
    """Go on with a round dealt by `begin` up to the next choice that was made in `obs`; return what was chosen there.

    0 at the present; -1 where this deal would have gone another way.
    """
    while not caught_up(past, obs):
        n = np.int64(past.n_laid)
        if past.over or n > obs.n_laid or past.since[n] > np.int64(obs.since[n]) & UNTOLD:
            return -1
        if past.engine_draws > obs.engine_draws or (
            past.engine >= 0 and (past.engine != obs.engine or past.engine_draws < obs.engine_draws)
        ):
            return -1
        lays = past.engine >= 0 and lays_next(past, obs)
        did = step(past)
        if did == CHOICE:
            action = np.int64(PASS)
            if lays:
                action = _told_action(past, obs)
                if past.drawn != obs.since[n] >> 7:
                    return -1
            return action if is_legal(past, action) else -1
        if lays and did != DREW:
            return -1
    return 0 if agrees(past, obs) else -1


@kernel
def log_likelihood(world, obs, seat, belief, past, seen):
    """Return ln of the chance that the others would have laid what they laid, where they had a choice, in this world."""
    total = 0.0
    since = np.int64(obs.n_laid) - belief.reach
    begin(past, world, obs)
    while True:
        action = follow(past, obs)
        if action <= 0:
            return total
        chosen = past.n_laid >= since and past.n_legal > 1 and not past.drawn and action != PASS
        if chosen and past.turn != seat:
            ways = 0
            for train in range(np.int64(past.n_seats) + 1):
                ways += is_legal(past, action & ~(15 << 10) | train << 10)
            share = ways / past.n_legal
            if belief.policy != UNIFORM:
                observe(seen, past, past.turn)
                hits = 0
                for _ in range(belief.asks):
                    hits += choose(belief.policy, seen, belief.agent_state) & 1023 == action & 1023
                share = belief.floor * share + (1.0 - belief.floor) * hits / belief.asks
            total += np.log(max(share, 1e-12))
        apply(past, action)
