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
from mtrain.game.state import OWN, STATE
from mtrain.think.base import NO_BASE, base_action, rollers
from mtrain.think.outcomes import cost, plan_for_others
from mtrain.think.planner import PLANS, make_plan, note_laid, planned_action
from mtrain.think.rollouts import roll_plans
from mtrain.think.trail import TRAIL
from mtrain.think.worlds import determinize

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
def walk(nodes, n_nodes, node, s, world, width, own):
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
            if below(own, n_untried) == 0:
                untried = action
            continue
        seen = nodes[child]
        if seen.shown == world:
            continue
        seen.n_available += seen.offered != world
        seen.offered = world
        bound = seen.total / seen.n_visits - width * np.sqrt(_log2(seen.n_available) / seen.n_visits)
        n_best = 1 if bound < least else n_best + (bound == least)
        if bound < least or (bound == least and below(own, n_best) == 0):
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
def _to_choice(s, seat, plans, t, own):
    """Play on, the others by their plans, until `seat` has a choice; say whether it came to that."""
    while True:
        n = advance(s)
        if n == 0:
            return False
        turn = np.int64(s.turn)
        if n > 1 and turn == seat:
            return True
        action = nth_action(s, 0) if n == 1 else planned_action(s, plans, t, own)
        if action != PASS:
            note_laid(plans, turn, action)
        apply(s, action)


@kernel
def _descend(nodes, n_nodes, s, seat, world, width, grow, plans, t, own):
    """Go down the tree in the State `s`, to where a roll-out begins; return that node, 0 if there is none to go to."""
    node = np.int64(0)
    while True:
        child = walk(nodes, n_nodes, node, s, world, width, own)
        if child == 0:
            return node
        node = child
        apply(s, nodes[node].action)
        if nodes[node].n_visits < grow or not _to_choice(s, seat, plans, t, own):
            return node


@kernel
def tree_search(obs, own):
    """Choose the best of the actions that a tree search visits most, if it is surely better than the base policy's.

    Parameters: ``[iterations, explore, grow, objective, base, gate, ways, paired]``. The budget is a count of
    roll-outs: iterations × legal actions. A world is walked `ways` times, from another root action each. The worlds
    of two candidates are not the same, so the test of one against the base is unpaired; but with `paired` every world
    is played out from the base's action, too, and the tree keeps what its own way cost more: luck common to both
    cancels, for one more roll-out a world.
    """
    seat = np.int64(obs.turn)
    n = np.int64(obs.n_legal)
    grow = np.int64(own.params[2])
    objective = np.int64(own.params[3])
    base_policy = np.int64(own.params[4])
    ways = np.int64(own.params[6])
    paired = own.params[7] != 0.0 and base_policy != NO_BASE
    states = np.empty(2, STATE)
    world, future = states[0], states[1]
    plans = np.zeros(2, PLANS)
    trails = np.empty(1, TRAIL)
    owns = np.zeros(2, OWN)
    base = np.int64(0)
    if base_policy != NO_BASE:
        base = np.int64(base_action(base_policy, obs, own))
    hero = rollers(owns, base_policy, seat)

    budget = np.int64(own.params[0]) * n
    nodes = np.empty(min(budget, _MOST_NODES) + 1, NODE)
    plant(nodes)
    n_nodes = 1
    n_worlds = 0
    spent = 0
    while n > 1 and spent + paired < budget:
        n_worlds += 1
        determinize(world, obs, seat, own)
        plan_for_others(plans[0], trails[0], world, seat)
        chance = mix(own.chance)  # the same chance for every way
        usual = 0.0
        if paired:
            states[1] = states[0]
            plans[1] = plans[0]
            owns[0].chance = chance
            owns[1].chance = chance
            apply(future, base)
            make_plan(plans[1], trails[0], future, seat)
            roll_plans(future, plans[1], trails[0], owns[0], hero, owns[1])
            usual = cost(future, seat, objective)
            spent += 1
        width = own.params[1] * np.sqrt(_variance(nodes, 0))
        for _ in range(min(ways, budget - spent)):
            states[1] = states[0]
            plans[1] = plans[0]
            owns[0].chance = chance
            owns[1].chance = chance
            node = _descend(nodes, n_nodes, future, seat, n_worlds, width, grow, plans[1], trails[0], owns[0])
            if node == 0:
                break
            n_nodes += node == n_nodes
            make_plan(plans[1], trails[0], future, seat)
            roll_plans(future, plans[1], trails[0], owns[0], hero, owns[1])
            back_up(nodes, node, cost(future, seat, objective) - usual)
            spent += 1

    best = _chosen(nodes, own)
    action = nodes[best].action if best else nth_action(obs, below(own, n))
    if base_policy != NO_BASE and action != base:
        usually = child_by(nodes, 0, base)
        if best == 0 or usually == 0 or not _surely_better(nodes, best, usually, own.params[5]):
            action = base
    return action + 0 * (len(states) + len(plans) + len(trails) + len(owns))


@kernel
def _chosen(nodes, own):
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
            if mean < least or (mean == least and below(own, n_best) == 0):
                best, least = child, mean
        child = seen.sibling
    return best
