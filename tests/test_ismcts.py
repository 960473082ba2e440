"""The tree search: what a walk counts and where it goes, and what only a look at one's next move finds."""

import itertools

import numpy as np
import pytest

from mtrain.bots.registry import Registry, build
from mtrain.game.moves import advance, apply, legal_actions, new_game, observe
from mtrain.game.notation import action_text, parse_action
from mtrain.game.positions import parse_position
from mtrain.game.state import AGENT_STATE
from mtrain.strategy.evaluate import SIMULATION
from mtrain.strategy.ismcts import NODE, _tree_search, back_up, child_by, plant, tree_search, walk
from mtrain.strategy.montecarlo import _monte_carlo
from tests.helpers.program import printed
from tests.regenerate import positions


def own_of(text: str, chance: int = 1) -> np.ndarray:
    """Return what the kernel of an agent brings along: AGENT_STATE[1]."""
    own = np.zeros(1, AGENT_STATE)
    own[0].params[:] = build(Registry().parse(text)).params
    own[0].rng = chance
    return own


def at_choice(*lines: str) -> np.ndarray:
    position = parse_position("\n".join(lines))
    assert advance(position)
    return position


# ── The tree ──────────────────────────────────────────────────────────────────────────────────────────────

# Two worlds: 12-1 can be laid in both, 12-5 in the first only, 12-7 in the second only; each on two trains.
FIRST = at_choice("engine 12-12", "seats 2", "hand 0: 12-1 12-5", "hand 1: 3-2", "boneyard: 6-3")
SECOND = at_choice("engine 12-12", "seats 2", "hand 0: 12-1 12-7", "hand 1: 3-2", "boneyard: 6-3")


def counts(nodes: np.ndarray, text: str) -> tuple[int, int]:
    """Return how often the root's child by an action was available, and how often visited."""
    child = int(child_by(nodes, 0, parse_action(text, 2)))
    return (int(nodes[child].n_available), int(nodes[child].n_visits)) if child else (0, 0)


def test_a_child_is_available_where_its_action_is_legal() -> None:
    nodes = np.zeros(20, NODE)
    plant(nodes)
    own = np.zeros(1, AGENT_STATE)
    n_nodes = 1
    for k in range(40):
        world = FIRST if k % 4 == 0 else SECOND  # the first in a quarter of the walks
        child = int(walk(nodes, n_nodes, 0, world[0], k + 1, 1.0, own[0]))
        assert int(nodes[child].action) in legal_actions(world)
        n_nodes += child == n_nodes
        back_up(nodes, child, 5.0)
    assert n_nodes == 7  # the root, and three tiles on two trains each
    assert nodes[0].n_visits == 40
    available = {text: counts(nodes, text)[0] for text in ("12-1@0", "12-5@0", "12-7@0", "12-5@mexican")}
    # What is new counts from the walk that tried it. The first world took the walks 0, 4, 8, …: 12-1 and 12-5 are two
    # of its four actions each.
    assert 30 <= available["12-1@0"] <= 40
    assert 6 <= available["12-5@0"] <= 10
    assert 6 <= available["12-5@mexican"] <= 10
    assert 24 <= available["12-7@0"] <= 30
    assert (
        sum(counts(nodes, f"{tile}@{train}")[1] for tile in ("12-1", "12-5", "12-7") for train in (0, "mexican")) == 40
    )


def tree_of(visits: dict[str, tuple[int, int, float]]) -> np.ndarray:
    """Return a root with children by their actions: how often available and visited, and at what mean cost."""
    nodes = np.zeros(len(visits) + 1, NODE)
    plant(nodes)
    for k, (text, (n_available, n_visits, mean)) in enumerate(visits.items(), 1):
        nodes[k].action, nodes[k].sibling = parse_action(text, 2), nodes[0].child
        nodes[k].n_available, nodes[k].n_visits, nodes[k].total = n_available, n_visits, n_visits * mean
        nodes[0].child = k
    return nodes


@pytest.mark.parametrize(
    ("rare", "wanted"),
    [
        ((1, 1, 5.0), "often"),  # log 1 = 0: it was taken each time that it could be
        ((4, 1, 5.0), "rare"),  # √(2 / 1) > √(6 / 64)
        ((4, 1, 6.5), "often"),  # 6.5 − 1.41 > 5 − 0.31
        ((4, 1, 6.0), "rare"),  # 6.0 − 1.41 < 5 − 0.31
    ],
)
def test_the_bound_counts_the_walks_in_which_a_child_was_legal(rare: tuple[int, int, float], wanted: str) -> None:
    """By the parent's visits, 64, even the first would look untried; before the walk each was available once less."""
    often = {text: (63, 64, 5.0) for text in ("12-1@0", "12-1@mexican", "12-5@mexican")}
    nodes = tree_of({"12-5@0": (rare[0] - 1, *rare[1:]), **often})
    child = walk(nodes, len(nodes), 0, FIRST[0], 1, 1.0, np.zeros(1, AGENT_STATE)[0])
    assert (action_text(int(nodes[child].action), 2) == "12-5@0") == (wanted == "rare")
    assert counts(nodes, "12-5@0")[0] == rare[0]


def test_a_full_tree_is_walked_on() -> None:
    nodes = tree_of({"12-1@0": (3, 3, 5.0)})
    own = np.zeros(1, AGENT_STATE)
    assert walk(nodes, len(nodes), 0, FIRST[0], 1, 1.0, own[0]) == 1
    assert walk(nodes, len(nodes), 1, FIRST[0], 1, 1.0, own[0]) == 0


def test_a_world_is_shown_each_way_once() -> None:
    nodes = tree_of({text: (3, 3, 5.0) for text in ("12-1@0", "12-1@mexican", "12-5@0", "12-5@mexican")})
    own = np.zeros(1, AGENT_STATE)
    ways = [int(walk(nodes, len(nodes), 0, FIRST[0], 1, 1.0, own[0])) for _ in range(5)]
    assert sorted(ways) == [0, 1, 2, 3, 4]
    assert ways[-1] == 0
    assert [int(node.n_available) for node in nodes[ways[:4]]] == [4, 4, 4, 4]
    assert walk(nodes, len(nodes), 0, FIRST[0], 2, 1.0, own[0]) > 0


def test_a_visit_counts_all_the_way_up() -> None:
    nodes = tree_of({"12-1@0": (0, 0, 0.0), "12-5@0": (0, 0, 0.0)})
    nodes[2].parent = 1
    back_up(nodes, 2, 3.0)
    back_up(nodes, 1, 4.0)
    assert [int(node.n_visits) for node in nodes] == [2, 2, 1]
    assert [float(node.total) for node in nodes] == [7.0, 7.0, 3.0]
    assert [float(node.squares) for node in nodes] == [25.0, 25.0, 9.0]


# ── The search ────────────────────────────────────────────────────────────────────────────────────────────

# Seat 1 holds 6-5 and nothing is left to draw. 6-4 on the own train takes its last home; it passes, and its train,
# open at 0, is marked. Now 4-4 must go first, which needs no cover since all fours are out; 5-0 on seat 1's train
# would open a 5 to it. Then 5-0 wins. A planner lays 5-0 first and keeps 8 pips, so to who plans after 6-4 it is
# better to lay 4-4 and 6-4 on the Mexican train now, and to keep 5.
ENDGAME = at_choice(
    "rules pinecone max_pip=6 hand_size=7 rounds=7",
    "seats 2",
    "hand 0: 6-4 5-0 4-4",
    "hand 1: 6-5",
    "table: 6-2@0 6-0@mexican 6-3@1 5-3@1 0-0@mexican 1-0@mexican 4-1@mexican 5-4@1 4-3@mexican 5-2@0 5-5@0 5-1@0 "
    "1-1@0 2-1@0 4-2@1 3-2@0 2-2@1 2-0@1 3-1@0 3-3@mexican 3-0@mexican 6-1@0 4-0@mexican",
    "acted 0 1",
)


def answer(text: str, chance: int = 1) -> str:
    return action_text(int(tree_search(observe(ENDGAME, 0)[0], own_of(text, chance)[0])), 2)


@pytest.mark.parametrize("chance", [1, 2, 3])
def test_what_comes_next_decides(chance: int) -> None:
    assert answer("ismcts:iterations=200,grow=1,base=none", chance) == "6-4@0"
    assert answer("ismcts:iterations=200,grow=1000000,base=none", chance) == "4-4@mexican"


@pytest.mark.parametrize("base", ["planner", "heuristic"])
@pytest.mark.parametrize("paired", ["yes", "no"])
def test_a_base_is_left_for_what_wins(base: str, paired: str) -> None:
    assert answer(f"ismcts:iterations=200,grow=1,base={base},paired={paired}") == "6-4@0"


@pytest.mark.parametrize("objective", ["lead", "out", "game"])
def test_by_every_objective_it_wins(objective: str) -> None:
    assert answer(f"ismcts:iterations=200,grow=1,base=none,objective={objective}") == "6-4@0"


def test_without_proof_the_base_stands() -> None:
    """One iteration proves nothing, and no gain is beyond such a gate."""
    position = new_game("pinecone", players=4, seed=3)
    for _ in range(30):
        if not (n := advance(position)):
            break
        here = observe(position, int(position[0].turn))
        if n > 1:
            few = tree_search(here[0], own_of("ismcts:iterations=1,base=planner", 9)[0])
            barred = tree_search(here[0], own_of("ismcts:iterations=40,base=planner,gate=1e9", 9)[0])
            assert few == barred
        apply(position, legal_actions(position)[n // 2])


@pytest.mark.parametrize(
    "text", ["ismcts:iterations=1", "ismcts:iterations=30,grow=1", "ismcts:iterations=9,base=none,ways=5"]
)
def test_the_same_seed_the_same_move(text: str) -> None:
    position = new_game("cardinal", players=3, seed=4)
    for _ in range(20):
        if not (n := advance(position)):
            break
        here = observe(position, int(position[0].turn))
        owns = [own_of(text, 7) for _ in range(2)]
        moves = [int(tree_search(here[0], own[0])) for own in owns]
        assert moves[0] == moves[1]
        assert moves[0] in legal_actions(position)
        assert owns[0].tobytes() == owns[1].tobytes()
        apply(position, legal_actions(position)[n // 2])


SMALL_SEARCHES = """
import numpy as np
from mtrain.game import jit
from mtrain.game.moves import advance, apply, legal_actions, new_game, observe
from mtrain.game.state import AGENT_STATE
from mtrain.strategy.ismcts import tree_search

print(jit.JIT)
for name, players, base in (("pinecone", 2, 0), ("cardinal", 3, 1), ("trainyard", 4, 2)):
    position = new_game(name, players, seed=6)
    own = np.zeros(1, AGENT_STATE)
    own[0].params[:8] = 3, 1.0, 1, 1, base, 1.0, 2, 1
    for k in range(40):
        n = advance(position)
        if not n:
            break
        here = observe(position, int(position[0].turn))
        if n > 1 and k % 20 > 17:
            print(name, k, int(tree_search(here[0], own[0])), int(own[0].rng))
        apply(position, legal_actions(position)[n // 2])
"""


def test_without_a_compiler_the_moves_are_the_same() -> None:
    with_it, without = (
        printed("-c", SMALL_SEARCHES, NUMBA_DISABLE_JIT="0"),
        printed("-c", SMALL_SEARCHES, NUMBA_DISABLE_JIT="1"),
    )
    assert (with_it[:5], without[:6]) == ("True\n", "False\n")
    assert with_it.splitlines()[1:] == without.splitlines()[1:]
    assert len(with_it.splitlines()) > 6


def test_what_lay_in_memory_before_decides_nothing() -> None:
    """Scratch space is handed over as it comes: full of whatever was there. A plan nobody had made was once read."""
    rubbish = np.random.default_rng(1)
    kinds = (("ismcts", _tree_search), ("mc:worlds=8", _monte_carlo), ("mc:worlds=2,worlds_from=policy", _monte_carlo))
    for text, search in kinds:
        params = build(Registry().parse(text)).params
        for obs, legal, stream in itertools.chain.from_iterable(positions()):
            chosen = set()
            for fill in range(4):
                scratch = [np.zeros(1, SIMULATION)]
                scratch += [np.zeros(64 * len(legal) + 1, NODE)] if search is _tree_search else []
                for room in scratch:
                    room.view(np.uint8)[:] = rubbish.integers(0, 256, room.nbytes) if fill else 0
                own = np.zeros(1, AGENT_STATE)
                own["params"], own["rng"] = params, stream
                chosen.add(int(search(obs[0], own[0], *scratch)))
            assert len(chosen) == 1, text
