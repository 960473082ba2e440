"""Witness: what the other seats chose, kept so that it can be held against many deals.

The public side of a choice is the same in every deal, so the round is played again once; only the hand differs. What a
hand held at the moment of a choice follows from the places of the deal: what it was given before and had not laid.
This module weighs choices by a policy, seat by seat, and must not know how deals are made.
"""

import numpy as np

from mtrain.game.jit import kernel
from mtrain.game.kernels import step
from mtrain.game.state import AT_ONCE, MAX_SEATS, STATE
from mtrain.game.tiles import HI, LO, N_NUMBERS
from mtrain.think.history import LOST, NOW, lays_next, replay, rewind
from mtrain.think.planner import planner_policy
from mtrain.think.policies import double_holder_policy, greedy_policy, uniform_policy
from mtrain.think.survey import linear_policy

MOST = 64  # choices that are kept

# Policies that can be believed in; `uniform` says nothing but what the number of choices says.
UNIFORM, GREEDY, DOUBLE_HOLDER, PLANNER, HEURISTIC = range(5)

# The choices of the others, in their order. A record, so that it can be handed on in kernels.
WITNESS = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("n", "i8"),
                ("seat", "i2", (MOST,)),
                ("tile", "i2", (MOST,)),  # what was laid
                ("moment", "i2", (MOST,)),
                ("known", "i4", (MOST, N_NUMBERS)),  # tiles of the hand that no deal moves: rows of bits
                ("said", "f8", (MAX_SEATS,)),  # ln of the chance of each seat's choices, in the deal as it is …
                ("heard", "f8", (MAX_SEATS,)),  # … and in one that is tried
            ],
            align=True,
        ),
    )
)


@kernel
def choose(policy, obs, own):
    """Choose by a policy that can be believed in."""
    if policy == GREEDY:
        return greedy_policy(obs, own)
    if policy == DOUBLE_HOLDER:
        return double_holder_policy(obs, own)
    if policy == PLANNER:
        return planner_policy(obs, own)
    if policy == HEURISTIC:
        return linear_policy(obs, own)
    return uniform_policy(obs, own)


@kernel
def _keep(w, d, obs, past, moment):
    """Keep the choice that comes next; `past` is the State before it."""
    k = w.n
    seat = np.int64(past.turn)
    w.seat[k] = seat
    w.tile[k] = obs.laid[past.n_laid]
    w.moment[k] = moment
    w.known[k, :] = 0
    for n in range(np.int64(past.n_laid), np.int64(obs.n_laid)):
        moves = d.laid_seat[n] != seat
        for i in range(d.n_owned):
            moves = moves or d.tile[i] == obs.laid[n]
        if not moves:
            hi, lo = np.int64(HI[obs.laid[n]]), np.int64(LO[obs.laid[n]])
            w.known[k, hi] |= 1 << lo
            w.known[k, lo] |= 1 << hi
    w.n += 1


@kernel
def listen(w, pasts, d, obs, seat, reach):
    """Collect what the others chose, from the last `reach` tiles laid on, `MOST` choices at most.

    ``pasts: STATE[MOST]`` is overwritten with what was public before each choice. `d` is the studied DEAL of `seat`. A
    tile laid as soon as drawn was no choice, and a pass is none that everybody could tell: they say nothing here.
    """
    _listen(w, pasts, d, obs, seat, reach, np.empty(1, STATE))


@kernel
def _listen(w, pasts, d, obs, seat, reach, scratch):
    past = scratch[0]
    w.n = 0
    moment = 1
    going = rewind(past, obs)
    while going:
        n = np.int64(past.n_laid)
        chosen = past.engine >= 0 and lays_next(past, obs) and obs.since[n] < AT_ONCE
        if chosen and n >= obs.n_laid - reach and past.turn != seat and w.n < MOST:
            pasts[w.n] = scratch[0]
            _keep(w, d, obs, past, moment)
        did = replay(past, obs)
        going = did != NOW and did != LOST
        moment += 1


@kernel
def _hold(past, w, k, d, seat):
    """Give the State before choice `k` the hand that the seat held then in the deal."""
    for v in range(N_NUMBERS):
        past.hand[seat, v] = w.known[k, v]
    moment = w.moment[k]
    for place in range(np.int64(d.first[seat]), np.int64(d.first[seat + 1])):
        i = np.int64(d.held[place])
        if d.at[place] < moment and d.latest[i] >= moment:
            hi, lo = np.int64(HI[d.tile[i]]), np.int64(LO[d.tile[i]])
            past.hand[seat, hi] |= 1 << lo
            past.hand[seat, lo] |= 1 << hi


@kernel
def _ways(s, hi, lo):
    """Return on how many trains the seat on turn could lay a tile."""
    n = 0
    for train in range(np.int64(s.n_seats) + 1):
        v = np.int64(s.end[train])
        if v in (hi, lo):
            n += np.int64(s.legal[train]) >> (hi + lo - v) & 1
    return n


@kernel
def log_chance(w, pasts, d, seat, belief):
    """Return ln of the chance that a seat would have chosen as it did, in the deal that lies in `d`.

    `belief` has the fields `policy`, `floor`, `asks` and `own` of an `inference.BELIEF`. What is weighed is the tile,
    not the train: between trains simple policies draw lots, which says nothing of a hand.
    """
    total = 0.0
    for k in range(w.n):
        if w.seat[k] != seat:
            continue
        past = pasts[k]
        _hold(past, w, k, d, seat)
        step(past)
        if past.n_legal == 1:
            continue
        hi, lo = np.int64(HI[w.tile[k]]), np.int64(LO[w.tile[k]])
        share = _ways(past, hi, lo) / past.n_legal
        if belief.policy != UNIFORM:
            hits = 0
            for _ in range(belief.asks):
                hits += choose(belief.policy, past, belief.own) & 1023 == hi << 5 | lo
            share = belief.floor * share + (1.0 - belief.floor) * hits / belief.asks
        total += np.log(max(share, 1e-12))
    return total
