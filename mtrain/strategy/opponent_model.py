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

from mtrain.game.intrinsics import lowest
from mtrain.game.jit import kernel
from mtrain.game.kernels import step
from mtrain.game.rng import mix, uniform
from mtrain.game.state import AGENT_STATE, AT_ONCE, MAX_SEATS, STATE
from mtrain.game.tiles import HI, LO, N_NUMBERS
from mtrain.strategy.constraints import DEAL, count_deals, study, unmet
from mtrain.strategy.determinize import deal_again, move, undo, write_world
from mtrain.strategy.features import WEIGHTS, linear_policy
from mtrain.strategy.history import LOST, NOW, lays_next, replay, rewind
from mtrain.strategy.planner import PLAIN, planner_policy
from mtrain.strategy.policies import double_holder_policy, greedy_policy, uniform_policy

# ── Choices, and how likely they make a deal ──────────────────────────────────────────────────────────
#
# What the other seats chose, kept so that it can be held against many deals.
#
# The public side of a choice is the same in every deal, so the round is played again once; only the hand differs. What
# a hand held at the moment of a choice follows from the places of the deal: what it was given before and had not laid.
# This part weighs choices by a policy, seat by seat, and must not know how deals are made.


MOST = 64  # choices that are kept

# Policies that can be believed in; `uniform` says nothing but what the number of choices says.
UNIFORM, GREEDY, DOUBLE_HOLDER, PLANNER, HEURISTIC = range(5)

# The choices of the others, in their order. A record, so that it can be handed on in kernels.
CHOICES = np.dtype(
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
def choose(policy, obs, agent_state):
    """Choose by a policy that can be believed in."""
    if policy == GREEDY:
        return greedy_policy(obs, agent_state)
    if policy == DOUBLE_HOLDER:
        return double_holder_policy(obs, agent_state)
    if policy == PLANNER:
        return planner_policy(obs, agent_state)
    if policy == HEURISTIC:
        return linear_policy(obs, agent_state)
    return uniform_policy(obs, agent_state)


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

    `belief` has the fields `policy`, `floor`, `asks` and `agent_state` of a `BELIEF`. What is weighed is the tile, not
    the train: between trains simple policies draw lots, which says nothing of a hand.
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
                hits += choose(belief.policy, past, belief.agent_state) & 1023 == hi << 5 | lo
            share = belief.floor * share + (1.0 - belief.floor) * hits / belief.asks
        total += np.log(max(share, 1e-12))
    return total


# ── Inference ─────────────────────────────────────────────────────────────────────────────────────────


# The policies that others can be believed to choose by, in the order of `UNIFORM` …, and their parameters.
POLICIES = ("random", "greedy", "double-holder", "planner", "heuristic")
DEFAULTS: dict[str, tuple[float, ...]] = {
    "random": (),
    "greedy": (0.0, 0.0),
    "double-holder": (0.0, 0.0, 0.0),
    "planner": tuple(PLAIN.tolist()),
    "heuristic": tuple(WEIGHTS.tolist()),
}

# What is believed of the others. A record, so that it can be handed on in kernels.
BELIEF = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("policy", "i8"),  # an index into `POLICIES`
                ("floor", "f8"),  # how often they choose uniformly instead
                ("reach", "i8"),  # choices are looked at from the last so many tiles laid on
                ("asks", "i8"),  # how often the policy is asked about a choice
                ("warm_up", "i8"),  # rings tried before the first world of a chain …
                ("thinning", "i8"),  # … and between two worlds
                ("agent_state", AGENT_STATE),  # the policy's parameters, and what its ties are drawn from
            ],
            align=True,
        ),
    )
)

# What a chain of worlds is walked in: the studied deal, what the others chose, each with the State before it.
CHAIN = np.dtype(
    (
        np.record,
        np.dtype([("deal", DEAL), ("words", CHOICES), ("pasts", STATE, (MOST,)), ("belief", BELIEF)], align=True),
    )
)

# What is believed where nothing else is said.
FLOOR, REACH, ASKS, WARM_UP, THINNING = 0.1, 30, 1, 2000, 40


@kernel
def believe(b, policy):
    """Fill a record of dtype BELIEF, but for `agent_state`, with what is believed where nothing else is said."""
    b.policy = policy
    b.floor = FLOOR
    b.reach = REACH
    b.asks = ASKS
    b.warm_up = WARM_UP
    b.thinning = THINNING


def belief(
    policy: str = "greedy",
    *,
    floor: float = FLOOR,
    reach: int = REACH,
    asks: int = ASKS,
    warm_up: int = WARM_UP,
    thinning: int = THINNING,
) -> np.ndarray:
    """Return what is believed of the other seats: BELIEF[1].

    Parameters
    ----------
    policy
        One of `POLICIES`.
    floor
        How often a seat is believed to choose uniformly instead, from 0 (never) to 1.
    reach
        Choices are looked at from the last so many tiles laid on.
    asks
        How often the policy is asked about a choice: it may draw for ties.
    warm_up, thinning
        How many rings of tiles `likely_worlds` tries to move before its first world, and between two.

    Raises
    ------
    ValueError
        If the policy is unknown, or a number out of its range.
    """
    if policy not in POLICIES:
        raise ValueError(f"a policy to weigh by is one of {', '.join(POLICIES)}, not {policy!r}")
    if not 0 <= floor <= 1:
        raise ValueError(f"floor is a number from 0 to 1, not {floor}")
    if asks < 1:
        raise ValueError(f"asks is a number from 1 up, not {asks}")
    for name, value in (("reach", reach), ("warm_up", warm_up), ("thinning", thinning)):
        if value < 0:
            raise ValueError(f"{name} is a number from 0 up, not {value}")
    believed = np.zeros(1, BELIEF)
    b = believed[0]
    b.policy, b.floor, b.reach = POLICIES.index(policy), floor, reach
    b.asks, b.warm_up, b.thinning = asks, warm_up, thinning
    b.agent_state.params[: len(DEFAULTS[policy])] = DEFAULTS[policy]
    return believed


@kernel
def _start(chain, obs, seat, agent_state):
    """Begin a chain of deals whose limit is the weighted posterior, for the studied deal of `seat`."""
    d, w, pasts, belief = chain.deal, chain.words, chain.pasts, chain.belief
    belief.agent_state.rng = mix(agent_state.rng)
    deal_again(d, agent_state)
    listen(w, pasts, d, obs, seat, belief.reach)
    for other in range(np.int64(obs.n_seats)):
        w.said[other] = log_chance(w, pasts, d, other, belief)
    _walk(chain, agent_state, belief.warm_up)


@kernel
def _walk(chain, agent_state, n):
    """Try to move `n` rings of tiles; return how many tiles changed places.

    A ring changes places as in `worlds.move`, and stays so with the ratio of the weights: only those of the seats that
    it touches are weighed again. Weights are kept as first found: a policy's own chance does not move the limit.
    """
    d, w, pasts, belief = chain.deal, chain.words, chain.pasts, chain.belief
    moved = 0
    for _ in range(n):
        length = move(d, agent_state, unmet(d) if d.n_needs else 0)
        if length == 0:
            continue
        touched = 1 << np.int64(d.seat[d.hole])
        for k in range(length):
            touched |= 1 << np.int64(d.seat[d.queue[k]])
        touched &= (1 << MAX_SEATS) - 1  # the boneyard chooses nothing
        limit = np.log(max(uniform(agent_state), 1e-300))
        rest = touched
        while rest:
            seat = lowest(rest)
            rest &= rest - 1
            w.heard[seat] = log_chance(w, pasts, d, seat, belief)
            limit += w.said[seat] - w.heard[seat]
        if limit > 0.0:
            undo(d, length)
            continue
        moved += length + 1
        while touched:
            seat = lowest(touched)
            touched &= touched - 1
            w.said[seat] = w.heard[seat]
    return moved


@kernel
def next_likely(world, chain, obs, seat, k, agent_state):
    """Write world number `k` of a chain, whose deal has been studied; return how many tiles changed places since."""
    d = chain.deal
    moved = 0
    if not d.told:
        deal_again(d, agent_state)
    elif k == 0:
        _start(chain, obs, seat, agent_state)
    else:
        moved = _walk(chain, agent_state, chain.belief.thinning)
    write_world(world, d, obs, seat, agent_state)
    return moved


@kernel
def likely_worlds(worlds, obs, seat, belief, agent_state):
    """Sample worlds by their weights, as the states of a Markov chain.

    Where few of many uniform worlds have any weight, this finds worlds that do.

    Parameters
    ----------
    worlds : STATE[n]
        Overwritten with worlds that agree with the observation of `seat`; they count alike.
    obs, seat
        What that seat sees.
    belief
        A record of dtype BELIEF, whose stream plays no part: another is started from `agent_state`.
    agent_state
        A record of dtype AGENT_STATE, whose stream moves on.

    Returns
    -------
    float
        How many of the worlds have no tile of a hand in common by the chain's doing, roughly: at most n.

    Notes
    -----
    Source of the chain: Andrieu and Roberts, "The pseudo-marginal approach for efficient Monte Carlo computations",
    Annals of Statistics 37 (2009).
    """
    return _likely_worlds(worlds, obs, seat, belief, agent_state, np.empty(1, CHAIN))


@kernel
def _likely_worlds(worlds, obs, seat, belief, agent_state, chains):
    chain = chains[0]
    d = chain.deal
    chain.belief = belief
    study(d, obs, seat)
    count_deals(d, seat)
    n = len(worlds)
    moved = 0
    for k in range(n):
        moved += next_likely(worlds[k], chain, obs, seat, k, agent_state)
    if not d.told or d.n_hand == 0:
        return float(n)
    return min(float(n), 1.0 + moved / d.n_hand)
