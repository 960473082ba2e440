"""Information-set Monte Carlo tree search: a tree over the searcher's own decisions, walked in one world after another.

Between two of its decisions all other seats play their plans. A node is a sequence of the searcher's own actions,
whatever the others did meanwhile, so that worlds share what they teach; in each world some children only are legal,
and a child is judged by how often it could have been chosen. This module searches; it deals no worlds and knows no
plan but through others.

Sources: Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search", IEEE TCIAIG 4 (2012), for the
single-observer tree and its counts of availability; Auer, Cesa-Bianchi and Fischer, "Finite-time analysis of the
multiarmed bandit problem", Machine Learning 47 (2002), for UCB1.
"""

import numpy as np

from mtrain.game.jit import kernel
from mtrain.game.kernels import PASS, advance, apply, nth_action
from mtrain.game.rng import below, mix
from mtrain.strategy.evaluate import (
    PROOFS,
    SIMULATION,
    begin,
    cost,
    finish,
    next_world,
    plan_for_others,
    play_out,
    start,
)
from mtrain.strategy.planner import note_laid, planned_action
from mtrain.strategy.rollouts import BASE_NONE, ROLL_PLANNER, base_action

# The parameters of `tree_search`.
ITERATIONS, EXPLORE, GROW, OBJECTIVE, BASE, GATE, WAYS, PAIRED = range(8)

# A node of the tree; node 0 is the root. Children are a list: the newest first, each naming the next.
NODE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("action", "i8"),  # what leads here
                ("parent", "i8"),
                ("child", "i8"),  # the newest child; 0: none
                ("sibling", "i8"),  # the next child of the same parent; 0: none
                ("shown", "i8"),  # the number of the last world in which it was visited …
                ("offered", "i8"),  # … and of the last in which its action was legal
                ("n_visits", "i8"),
                ("n_available", "i8"),  # worlds in which the parent was visited and the action legal
                ("total", "f8"),  # costs of the visits: their sum …
                ("squares", "f8"),  # … and that of their squares
            ],
            align=True,
        ),
    )
)

_MOST_NODES = 1 << 16  # a tree that is full is still walked
_FEW = 8  # visits from which a spread is believed
_LARGE = 1e12


# ── The tree ──────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def plant(nodes):
    """Begin a tree in ``nodes: NODE[≥ 1]``: a root without children."""
    _clear(nodes, 0, 0, 0, 0)


@kernel
def _clear(nodes, node, parent, action, world):
    """Write a node that nobody has visited."""
    made = nodes[node]
    made.action = action
    made.parent = parent
    made.child = 0
    made.sibling = 0
    made.shown = world
    made.offered = world
    made.n_visits = 0
    made.n_available = 0
    made.total = 0.0
    made.squares = 0.0


@kernel
def child_by(nodes, node, action):
    """Return the child of a node to which an action leads; 0: there is none yet."""
    child = nodes[node].child
    while child and nodes[child].action != action:
        child = nodes[child].sibling
    return child


@kernel
def _log2(n):
    """Return about the logarithm of n ≥ 1 to the base 2, straight between powers: the same bits on every machine."""
    floor = 0
    while n >> floor > 1:
        floor += 1
    return floor - 1 + n / (1 << floor)


@kernel
def walk(nodes, n_nodes, node, s, world, width, agent_state):
    """Return the child of a node to go to in the State `s`, where its seat on turn has a choice.

    Every child whose action is legal here counts as available, once in a `world` (its number, from 1), and is visited
    once: another walk would show it nothing new. An action not yet tried comes first, one of them by chance, and its
    child is written as node `n_nodes` if there is room; then the child with the least bound: its mean cost less
    ``width × √(log₂ available / visits)``, equals drawn for. 0: there is no child left to go to and no room.
    """
    best = np.int64(0)
    least = _LARGE
    n_best = 0
    untried = np.int64(0)
    n_untried = 0
    for k in range(np.int64(s.n_legal)):
        action = nth_action(s, k)
        child = child_by(nodes, node, action)
        if child == 0:
            n_untried += 1
            if below(agent_state, n_untried) == 0:
                untried = action
            continue
        seen = nodes[child]
        if seen.shown == world:
            continue
        seen.n_available += seen.offered != world
        seen.offered = world
        bound = seen.total / seen.n_visits - width * np.sqrt(_log2(seen.n_available) / seen.n_visits)
        n_best = 1 if bound < least else n_best + (bound == least)
        if bound < least or (bound == least and below(agent_state, n_best) == 0):
            best, least = child, bound
    if n_untried and n_nodes < len(nodes):
        _clear(nodes, n_nodes, node, untried, world)
        nodes[n_nodes].n_available = 1
        nodes[n_nodes].sibling = nodes[node].child
        nodes[node].child = n_nodes
        return np.int64(n_nodes)
    if best:
        nodes[best].shown = world
    return best


@kernel
def back_up(nodes, node, value):
    """Count a visit that cost `value` at a node and at all above it."""
    while True:
        seen = nodes[node]
        seen.n_visits += 1
        seen.total += value
        seen.squares += value * value
        if node == 0:
            return
        node = seen.parent


@kernel
def _variance(nodes, node):
    """Return the variance of a node's costs."""
    seen = nodes[node]
    n = max(seen.n_visits, 1)
    return max(seen.squares - seen.total * seen.total / n, 0.0) / max(n - 1, 1)


@kernel
def _surely_better(nodes, node, other, gate):
    """Say whether a node's mean cost is less than another's by `gate` standard errors of the difference."""
    a, b = nodes[node], nodes[other]
    if a.n_visits < _FEW or b.n_visits == 0:
        return False
    gain = b.total / b.n_visits - a.total / a.n_visits
    error = np.sqrt(_variance(nodes, node) / a.n_visits + _variance(nodes, other) / b.n_visits)
    return gain > gate * error


# ── The search ────────────────────────────────────────────────────────────────────────────────────────────


@kernel
def _to_choice(sim):
    """Play the future on, the others by their plans, until the seat has a choice; say whether it came to that."""
    s = sim.future
    while True:
        n = advance(s)
        if n == 0:
            return False
        turn = np.int64(s.turn)
        if n > 1 and turn == sim.seat:
            return True
        action = nth_action(s, 0) if n == 1 else planned_action(s, sim.later, sim.trail, sim.planner)
        if action != PASS:
            note_laid(sim.later, turn, action)
        apply(s, action)


@kernel
def _descend(nodes, n_nodes, sim, world, width, grow):
    """Go down the tree in the future, to where a roll-out begins; return that node, 0 if there is none to go to."""
    node = np.int64(0)
    while True:
        child = walk(nodes, n_nodes, node, sim.future, world, width, sim.planner)
        if child == 0:
            return node
        node = child
        apply(sim.future, nodes[node].action)
        if nodes[node].n_visits < grow or not _to_choice(sim):
            return node


@kernel
def tree_search(obs, agent_state):
    """Choose the best of the actions that a tree search visits most, if it is surely better than the base policy's.

    Parameters: ``[iterations, explore, grow, objective, base, gate, ways, paired]``. The budget is a count of
    roll-outs: iterations × legal actions. A world is walked `ways` times, from another root action each. The worlds
    of two candidates are not the same, so the test of one against the base is unpaired; but with `paired` every world
    is played out from the base's action, too, and the tree keeps what its own way cost more: luck common to both
    cancels, for one more roll-out a world.
    """
    room = min(np.int64(agent_state.params[ITERATIONS]) * np.int64(obs.n_legal), _MOST_NODES) + 1
    return _tree_search(obs, agent_state, np.empty(1, SIMULATION), np.empty(room, NODE))


@kernel
def _tree_search(obs, agent_state, sims, nodes):
    sim = sims[0]
    seat = np.int64(obs.turn)
    n = np.int64(obs.n_legal)
    budget = np.int64(agent_state.params[ITERATIONS]) * n
    grow = np.int64(agent_state.params[GROW])
    objective = np.int64(agent_state.params[OBJECTIVE])
    base_policy = np.int64(agent_state.params[BASE])
    ways = np.int64(agent_state.params[WAYS])
    paired = agent_state.params[PAIRED] != 0.0 and base_policy != BASE_NONE
    base = np.int64(0)
    if base_policy != BASE_NONE:
        base = np.int64(base_action(base_policy, 0, obs, agent_state))
    begin(sim, obs, seat, ROLL_PLANNER, base_policy, PROOFS)

    plant(nodes)
    n_nodes = 1
    n_worlds = 0
    spent = 0
    while n > 1 and spent + paired < budget:
        next_world(sim, obs, n_worlds, agent_state)
        n_worlds += 1
        plan_for_others(sim.plans, sim.trail, sim.world, seat)
        chance = mix(agent_state.rng)  # the same chance for every way
        usual = 0.0
        if paired:
            play_out(sim, base, chance)
            usual = cost(sim.future, seat, objective)
            spent += 1
        width = agent_state.params[EXPLORE] * np.sqrt(_variance(nodes, 0))
        for _ in range(min(ways, budget - spent)):
            start(sim, chance)
            node = _descend(nodes, n_nodes, sim, n_worlds, width, grow)
            if node == 0:
                break
            n_nodes += node == n_nodes
            finish(sim)
            back_up(nodes, node, cost(sim.future, seat, objective) - usual)
            spent += 1

    best = _chosen(nodes, agent_state)
    action = nodes[best].action if best else nth_action(obs, below(agent_state, n))
    if base_policy != BASE_NONE and action != base:
        usually = child_by(nodes, 0, base)
        if best == 0 or usually == 0 or not _surely_better(nodes, best, usually, agent_state.params[GATE]):
            action = base
    return action


@kernel
def _chosen(nodes, agent_state):
    """Return the root's child with the least mean cost of those that are visited at least half as often as any.

    Equals are drawn for; 0: there is no child. Where a world is walked once, that is mostly the one visited most; where
    it is walked often, the second best is visited as often as the best.
    """
    most = np.int64(0)
    child = nodes[0].child
    while child:
        most = max(most, nodes[child].n_visits)
        child = nodes[child].sibling
    best = np.int64(0)
    least = _LARGE
    n_best = 0
    child = nodes[0].child
    while child:
        seen = nodes[child]
        mean = seen.total / max(seen.n_visits, 1)
        if 2 * seen.n_visits >= most:
            n_best = 1 if mean < least else n_best + (mean == least)
            if mean < least or (mean == least and below(agent_state, n_best) == 0):
                best, least = child, mean
        child = seen.sibling
    return best
