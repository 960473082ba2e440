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
from mtrain.game.rng import mix, uniform
from mtrain.game.state import MAX_SEATS, OWN, STATE
from mtrain.think.counting import count_deals
from mtrain.think.planner import PLAIN
from mtrain.think.proofs import DEAL, study, unmet
from mtrain.think.survey import TUNED
from mtrain.think.witness import MOST, WITNESS, listen, log_chance
from mtrain.think.worlds import deal_again, move, undo, write_world

# The policies that others can be believed to choose by, in the order of `witness.UNIFORM` …, and their parameters.
POLICIES = ("random", "greedy", "double-holder", "planner", "heuristic")
DEFAULTS: dict[str, tuple[float, ...]] = {
    "random": (),
    "greedy": (0.0, 0.0),
    "double-holder": (0.0, 0.0, 0.0),
    "planner": tuple(PLAIN.tolist()),
    "heuristic": tuple(TUNED.tolist()),
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
                ("own", OWN),  # the policy's parameters, and what its ties are drawn from
            ],
            align=True,
        ),
    )
)

# What a chain of worlds is walked in: the studied deal, what the others chose, each with the State before it.
CHAIN = np.dtype(
    (
        np.record,
        np.dtype([("deal", DEAL), ("words", WITNESS), ("pasts", STATE, (MOST,)), ("belief", BELIEF)], align=True),
    )
)

# What is believed where nothing else is said.
FLOOR, REACH, ASKS, WARM_UP, THINNING = 0.1, 30, 1, 2000, 40


@kernel
def believe(b, policy):
    """Fill a record of dtype BELIEF, but for `own`, with what is believed where nothing else is said."""
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
    b.own.params[: len(DEFAULTS[policy])] = DEFAULTS[policy]
    return believed


@kernel
def _start(chain, obs, seat, own):
    """Begin a chain of deals whose limit is the weighted posterior, for the studied deal of `seat`."""
    d, w, pasts, belief = chain.deal, chain.words, chain.pasts, chain.belief
    belief.own.chance = mix(own.chance)
    deal_again(d, own)
    listen(w, pasts, d, obs, seat, belief.reach)
    for other in range(np.int64(obs.n_seats)):
        w.said[other] = log_chance(w, pasts, d, other, belief)
    _walk(chain, own, belief.warm_up)


@kernel
def _walk(chain, own, n):
    """Try to move `n` rings of tiles; return how many tiles changed places.

    A ring changes places as in `worlds.move`, and stays so with the ratio of the weights: only those of the seats that
    it touches are weighed again. Weights are kept as first found: a policy's own chance does not move the limit.
    """
    d, w, pasts, belief = chain.deal, chain.words, chain.pasts, chain.belief
    moved = 0
    for _ in range(n):
        length = move(d, own, unmet(d) if d.n_needs else 0)
        if length == 0:
            continue
        touched = 1 << np.int64(d.seat[d.hole])
        for k in range(length):
            touched |= 1 << np.int64(d.seat[d.queue[k]])
        touched &= (1 << MAX_SEATS) - 1  # the boneyard chooses nothing
        limit = np.log(max(uniform(own), 1e-300))
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
def next_likely(world, chain, obs, seat, k, own):
    """Write world number `k` of a chain, whose deal has been studied; return how many tiles changed places since."""
    d = chain.deal
    moved = 0
    if not d.told:
        deal_again(d, own)
    elif k == 0:
        _start(chain, obs, seat, own)
    else:
        moved = _walk(chain, own, chain.belief.thinning)
    write_world(world, d, obs, seat, own)
    return moved


@kernel
def likely_worlds(worlds, obs, seat, belief, own):
    """Sample worlds by their weights, as the states of a Markov chain.

    Where few of many uniform worlds have any weight, this finds worlds that do.

    Parameters
    ----------
    worlds : STATE[n]
        Overwritten with worlds that agree with the observation of `seat`; they count alike.
    obs, seat
        What that seat sees.
    belief
        A record of dtype BELIEF, whose stream plays no part: another is started from `own`.
    own
        A record of dtype OWN, whose stream moves on.

    Returns
    -------
    float
        How many of the worlds have no tile of a hand in common by the chain's doing, roughly: at most n.

    Notes
    -----
    Source of the chain: Andrieu and Roberts, "The pseudo-marginal approach for efficient Monte Carlo computations",
    Annals of Statistics 37 (2009).
    """
    return _likely_worlds(worlds, obs, seat, belief, own, np.empty(1, CHAIN))


@kernel
def _likely_worlds(worlds, obs, seat, belief, own, chains):
    chain = chains[0]
    d = chain.deal
    chain.belief = belief
    study(d, obs, seat)
    count_deals(d, seat)
    n = len(worlds)
    moved = 0
    for k in range(n):
        moved += next_likely(worlds[k], chain, obs, seat, k, own)
    if not d.told or d.n_hand == 0:
        return float(n)
    return min(float(n), 1.0 + moved / d.n_hand)
