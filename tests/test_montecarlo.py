"""The search: its gate against scipy, its budget, its base, and what it is made from."""

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from mtrain.arena.play import Games, play
from mtrain.bots.registry import Registry, build
from mtrain.game.moves import advance, apply, legal_actions, new_game, observe
from mtrain.game.notation import Action
from mtrain.game.rules import preset
from mtrain.game.state import AGENT_STATE, OUT, STATE
from mtrain.strategy.evaluate import COUNTS, GO_OUT, LEAD, OWN_PIPS, PROOFS, WIN_GAME, _ahead, cost
from mtrain.strategy.features import WEIGHTS, linear_policy
from mtrain.strategy.montecarlo import _doubt, _halve, monte_carlo
from mtrain.strategy.planner import PLAIN, planner_policy
from mtrain.strategy.rollouts import BASE_HEURISTIC, BASE_NONE, BASE_PLANNER, ROLL_PLANNER


def own(params: list[float] | np.ndarray, chance: int = 7) -> np.ndarray:
    made = np.zeros(1, AGENT_STATE)
    made[0].rng = chance
    made[0].params[: len(params)] = params
    return made


def choices(name: str, players: int, n: int) -> list[np.ndarray]:
    """Return observations at real choices along planners' rounds."""
    found: list[np.ndarray] = []
    me = own(PLAIN)
    seed = 0
    while len(found) < n:
        position = new_game(name, players, seed=seed)
        k = 0
        while advance(position) and len(found) < n:
            legal = legal_actions(position)
            obs = observe(position, int(position[0].turn))
            if len(legal) > 2 and k % 7 == 0:
                found.append(obs)
            apply(position, Action(int(planner_policy(obs[0], me[0]))))
            k += 1
        seed += 1
    return found


def search(obs: np.ndarray, *params: float, chance: int = 7) -> tuple[int, int]:
    me = own(list(params), chance)
    return int(monte_carlo(obs[0], me[0])), int(me[0].rng)


@pytest.mark.parametrize("worlds", [1, 4, 33])
def test_the_same_seed_the_same_move_at_any_budget(worlds: int) -> None:
    for obs in choices("trainyard", 3, 10):
        for source in (COUNTS, PROOFS):
            params = (worlds, ROLL_PLANNER, OWN_PIPS, BASE_HEURISTIC, 1.5, source)
            assert search(obs, *params) == search(obs, *params)


@pytest.mark.parametrize(
    ("base", "policy", "params"), [(BASE_PLANNER, planner_policy, PLAIN), (BASE_HEURISTIC, linear_policy, WEIGHTS)]
)
def test_behind_a_gate_that_nothing_passes_the_base_plays(base: int, policy: object, params: np.ndarray) -> None:
    for obs in choices("pinecone", 4, 12):
        wanted = int(policy(obs[0], own(params)[0]))  # type: ignore[operator]
        assert search(obs, 16, ROLL_PLANNER, OWN_PIPS, base, 1e6, PROOFS)[0] == wanted


def test_one_world_is_no_proof() -> None:
    """No error can be told from one world, so the base plays."""
    for obs in choices("pinecone", 4, 12):
        wanted = int(planner_policy(obs[0], own(PLAIN)[0]))
        assert search(obs, 1, ROLL_PLANNER, OWN_PIPS, BASE_PLANNER, 0.0, PROOFS)[0] == wanted


def test_without_a_gate_the_search_leaves_its_base_sometimes() -> None:
    seen = choices("pinecone", 4, 30)
    free = [search(obs, 24, ROLL_PLANNER, OWN_PIPS, BASE_PLANNER, 0.0, PROOFS)[0] for obs in seen]
    base = [int(planner_policy(obs[0], own(PLAIN)[0])) for obs in seen]
    assert 0 < sum(a != b for a, b in zip(free, base, strict=True)) < 30


@pytest.mark.parametrize("n", [4, 8, 16, 64, 1000])
@pytest.mark.parametrize("gate", [1.0, 1.5, 2.0])
def test_the_gate_is_that_of_a_t_test(n: int, gate: float) -> None:
    exact = student.isf(norm.sf(gate), n - 1)
    assert _doubt(gate, n) == pytest.approx(exact, rel=0.06)


def test_halving_keeps_the_base_and_the_better_half() -> None:
    alive, gain = np.ones(6, np.int64), np.array([5.0, -1.0, 3.0, 0.0, -2.0, 4.0])
    assert _halve(alive, gain, 0, 6) == 3
    assert alive.tolist() == [1, 1, 0, 0, 1, 0]
    assert _halve(alive, gain, 0, 3) == 2
    assert alive.tolist() == [1, 0, 0, 0, 1, 0]


def test_what_a_round_cost() -> None:
    state = np.zeros(1, STATE)
    s = state[0]
    s.n_seats, s.n_rounds, s.number, s.over = 3, 5, 5, OUT
    s.count[:3] = 0, 2, 3
    s.pips[:3] = 0, 10, 20
    s.score[:3] = 50, 40, 60
    assert [cost(s, seat, OWN_PIPS) for seat in range(3)] == [0, 10, 20]
    assert [cost(s, seat, LEAD) for seat in range(3)] == [-15, 0, 15]
    assert [cost(s, seat, GO_OUT) for seat in range(3)] == [0, 1, 1]
    # After the last round the totals decide; a tie is half a win.
    assert [cost(s, seat, WIN_GAME) for seat in range(3)] == [1, 0, 1]
    s.score[:3] = 40, 40, 60
    assert [cost(s, seat, WIN_GAME) for seat in range(3)] == [0.5, 0.5, 1]


def test_a_lead_is_worth_more_the_fewer_rounds_are_left() -> None:
    chances = [_ahead(10.0, rounds) for rounds in (12, 6, 2, 1, 0)]
    assert chances == sorted(chances)
    assert chances[-1] == 1.0
    assert _ahead(0.0, 3) == 0.5
    for rounds in (1, 4, 9):
        assert _ahead(13.0, rounds) == pytest.approx(norm.cdf(13.0 / (17.0 * np.sqrt(2 * rounds))), abs=0.01)


def test_a_search_of_a_hundred_worlds_is_no_worse_than_its_base() -> None:
    deals = 60
    rules = preset("pinecone", rounds=1)
    bots = [build(Registry().parse(text)) for text in ("mc:worlds=24,base=planner", "planner")]
    deal, seat = np.repeat(np.arange(deals), 4), np.tile(np.arange(4), deals)
    who = np.ones((4 * deals, 4), np.int64)
    who[np.arange(4 * deals), seat] = 0
    pips = play(rules, bots, Games(deal, seat, deal % 4, who), 9).rows[:, 0, :, 0].astype(float)
    mine = pips[np.arange(4 * deals), seat]
    more = (mine - (pips.sum(1) - mine) / 3).reshape(deals, 4).mean(1)
    assert more.mean() < 3 * more.std() / np.sqrt(deals)


@pytest.mark.parametrize("base", ["none", "planner", "heuristic"])
@pytest.mark.parametrize("source", ["counts", "proofs", "policy"])
def test_every_search_plays(base: str, source: str) -> None:
    games = Games(np.arange(2), np.zeros(2, np.int64), np.arange(2), np.zeros((2, 3), np.int64))
    spec = Registry().parse(f"mc:worlds=2,base={base},worlds_from={source},objective=game")
    assert play(preset("trainyard"), [build(spec)], games, 1).decisions[0] > 20
    assert BASE_NONE == 0
