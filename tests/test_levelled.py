"""Levelled bots: weak in the ways that were asked for, and never absurd."""

from collections.abc import Iterator

import numpy as np
import pytest

from mtrain.arena.play import Games, play
from mtrain.bots.agent import BATCH, Bot
from mtrain.bots.ask import ask
from mtrain.bots.registry import Registry, build
from mtrain.game.jit import kernel
from mtrain.game.kernels import list_actions
from mtrain.game.moves import advance, apply, legal_actions, new_game, observe
from mtrain.game.rules import PRESETS, preset
from mtrain.game.state import NEVER, STATE
from mtrain.game.tiles import HI, LO
from mtrain.strategy.evaluate import outcomes
from mtrain.strategy.longest_train import DEEP, LONGEST, TRAIL, longest_train, parse_hand
from mtrain.strategy.weaken import BLUNDER_KINDS, IDLE, OPEN, SANE, STAYS, _softmax, blunder, dim, whole
from mtrain.table import people
from mtrain.tuning import ladder_tables, level_plots
from tests.helpers.bots import own

BASES = ("heuristic", "planner", "mc:worlds=3")
WEAK = (
    "levelled:temperature=3",
    "levelled:blunders=1",
    "levelled:temperature=1e6,depth=1,memory=0,counting=0,hoard=50",
    "levelled:base=planner,temperature=10,depth=2.5",
    "levelled:base=mc,worlds=3,temperature=4,memory=0.5,counting=0.5",
)


def bot(text: str) -> Bot:
    return build(Registry().parse(text))


def watched(text: str, rules: str, players: int, n: int, seed: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Play rounds in self-play; return what every seat on turn saw, and what it answered."""
    inner = bot(text)
    seen: list[tuple[np.ndarray, np.ndarray]] = []

    def call(obs: np.ndarray, actions: np.ndarray, streams: np.ndarray) -> np.ndarray:
        answers = ask(inner, obs, actions, streams)
        seen.append((obs.copy(), answers))
        return answers

    deal = np.arange(n)
    games = Games(deal, np.zeros(n, np.int64), deal % players, np.zeros((n, players), np.int64))
    play(preset(rules, rounds=1), [Bot(inner.spec, BATCH, call, np.zeros(16))], games, seed)
    return np.concatenate([obs for obs, _ in seen]), np.concatenate([answers for _, answers in seen])


@kernel
def _blunder(obs, i, found, actions):
    n = list_actions(obs[i], actions)
    blunder(obs[i], actions, n, found)
    return n


def blunders(obs: np.ndarray, answers: np.ndarray) -> Iterator[tuple[int, set[int]]]:
    """Yield of each decision what was wrong with the answer, and what was wrong with any legal action."""
    found, actions = np.zeros(512, np.int64), np.zeros(512, np.int64)
    for i in range(len(obs)):
        n = _blunder(obs, i, found, actions)
        yield int(found[:n][actions[:n] == answers[i]][0]), set(found[:n].tolist())


def rows(text: str, n: int = 30, players: int = 3) -> np.ndarray:
    deal = np.arange(n)
    who = (np.arange(players) + deal[:, None]) % 2
    games = Games(deal, np.zeros(n, np.int64), deal % players, who)
    return play(preset("standard", rounds=2), [bot(text), bot("greedy")], games, 5).rows


# ── Unweakened, and weakest ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("base", BASES)
def test_L15_with_nothing_said_it_is_its_base_action_for_action(base: str) -> None:
    same = rows(f"levelled:base={base.replace(':', ',')}") == rows(base)
    assert same.all()


def test_L15_blundering_always_it_is_the_random_bot_in_distribution() -> None:
    """Every legal action as often as any other: by the number of actions, and in what rounds come to."""
    obs, answers = watched("levelled:blunders=1,sense=no", "standard", 4, 300)
    actions = np.zeros(512, np.int64)
    place, size = [], []
    for i in range(len(obs)):
        n = _listed(obs, i, actions)
        place.append(int(np.flatnonzero(actions[:n] == answers[i])[0]))
        size.append(n)
    for n in (2, 3, 4, 5):
        counts = np.bincount([p for p, s in zip(place, size, strict=True) if s == n], minlength=n)
        spread = ((counts - counts.mean()) ** 2 / counts.mean()).sum()
        assert spread < 4 * n + 8, (n, counts)  # χ² with n - 1 degrees of freedom
    one, other = (rows(text, 1200)[..., 0].mean((1, 2)) for text in ("levelled:blunders=1,sense=no", "random"))
    assert abs((one - other).mean()) < 4 * (one - other).std() / np.sqrt(len(one))


@kernel
def _listed(obs, i, actions):
    return list_actions(obs[i], actions)


def test_each_weakness_makes_it_weaker() -> None:
    def pips(text: str) -> np.ndarray:
        deal = np.repeat(np.arange(500), 4)
        seat = np.tile(np.arange(4), 500)
        who = np.ones((2000, 4), np.int64)
        who[np.arange(2000), seat] = 0
        made = play(preset("standard", rounds=1), [bot(text), bot("greedy")], Games(deal, seat, deal % 4, who), 9)
        return made.rows[np.arange(2000), 0, seat, 0].reshape(-1, 4).mean(1)

    whole_, deep = pips("levelled"), pips("levelled:depth=2")
    for better, worse in (
        (whole_, deep),
        (deep, pips("levelled:depth=1,temperature=3")),
        (whole_, pips("levelled:temperature=2")),
        (pips("levelled:temperature=2"), pips("levelled:temperature=8")),
        (whole_, pips("levelled:blunders=0.3")),
        (whole_, pips("levelled:hoard=20")),
        (pips("levelled:base=planner"), pips("levelled:base=planner,temperature=8")),
    ):
        gap = worse - better
        assert gap.mean() > 2 * gap.std() / np.sqrt(len(gap))


# ── The softmax ───────────────────────────────────────────────────────────────────────────────────────────


def chosen(values: list[float], temperature: float, n: int = 4000) -> np.ndarray:
    mine = own(np.zeros(1), 11)
    return np.bincount([_softmax(np.array(values), len(values), temperature, mine[0]) for _ in range(n)], minlength=3)


def test_L04_noise_acts_on_differences_and_equals_cost_nothing() -> None:
    equal = chosen([7.0, 7.0, 7.0], 0.5)
    assert (abs(equal - 4000 / 3) < 150).all()  # five standard deviations
    two = chosen([5.0, 9.0, 5.0], 0.5)
    assert two[1] < 8  # e^-8 of the others
    assert abs(two[0] - two[2]) < 320
    assert (chosen([1005.0, 1009.0, 1005.0], 0.5) == two).all()  # what all have in common is no difference
    share = chosen([0.0, 2.0, 1e9], 2.0) / 4000
    assert share[2] == 0
    assert abs(share[1] / share[0] - np.exp(-1)) < 0.05


def test_at_no_temperature_one_of_the_best_is_taken() -> None:
    assert chosen([3.0, 1.0, 1.0], 0.0)[0] == 0
    assert chosen([3.0, 1.0, 1.0], 0.0)[1:].min() > 1800


def test_a_share_of_a_tile_is_a_tile_now_and_then() -> None:
    mine = own(np.zeros(1), 4)
    drawn = [int(whole(mine[0], 2.25)) for _ in range(4000)]
    assert set(drawn) == {2, 3}
    assert abs(np.mean(drawn) - 2.25) < 0.035


# ── Sense ─────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("text", WEAK)
def test_L03_no_level_does_what_nobody_would_do(text: str) -> None:
    """It goes out when it can, passes only where it must, and closes its train where that costs nothing."""
    chances = set()
    for rules in PRESETS:
        for players in (2, 4):
            done = list(blunders(*watched(text, rules, players, 40 if "mc" not in text else 8)))
            assert {wrong for wrong, _ in done} == {SANE}
            chances |= set().union(*(could for _, could in done))
    assert chances >= {SANE, STAYS, IDLE, OPEN}  # there were chances enough to be absurd


def test_the_follies_have_one_set_of_names() -> None:
    """The kernels count them, tables have them as columns, figures and the terminal put them into words."""
    assert BLUNDER_KINDS == tuple(level_plots.BLUNDER_KINDS) == ladder_tables.LEVELS.names[-3:] == tuple(people.WHY_NOT)


def test_who_has_no_sense_does_all_of_it() -> None:
    done = {wrong for wrong, _ in blunders(*watched("levelled:blunders=1,sense=no", "standard", 4, 200))}
    assert done == {SANE, STAYS, IDLE, OPEN}


# ── What it forgets, and how far it looks ─────────────────────────────────────────────────────────────────


@kernel
def _dim(seen, obs, memory, counting, mine):
    seen[0] = obs[0]
    return dim(seen[0], obs[0], memory, counting, mine[0])


def late_position(rules: str = "standard", seed: int = 4) -> np.ndarray:
    position = new_game(rules, 4, seed=seed)
    for _ in range(24):
        advance(position)
        legal = legal_actions(position)
        apply(position, max(legal, key=lambda action: action.pips))
    advance(position)
    return observe(position, int(position[0].turn))


def test_it_forgets_what_it_is_told_to_and_nothing_else() -> None:
    obs, seen, mine = late_position(), np.zeros(1, STATE), own(np.zeros(1))
    seat, engine = int(obs[0].turn), int(obs[0].engine)
    assert _dim(seen, obs, 1.0, 1.0, mine) == 0
    assert seen.tobytes() == obs.tobytes()
    assert _dim(seen, obs, 0.0, 1.0, mine) == 0
    others = [other for other in range(4) if other != seat]
    assert (obs[0].void[others] != NEVER).any()
    assert (seen[0].void[others] == NEVER).all()
    assert (seen[0].table == obs[0].table).all()
    forgotten = _dim(seen, obs, 1.0, 0.0, mine)
    assert forgotten == obs[0].n_laid
    assert seen[0].top == obs[0].top - forgotten
    assert [v for v in range(13) if seen[0].table[v]] == [engine]
    assert 0 < _dim(seen, obs, 1.0, 0.5, mine) < forgotten


@kernel
def _outcomes(obs, forgotten, costs, outs, mine):
    actions = np.empty(512, np.int64)
    n = list_actions(obs[0], actions)
    outcomes(obs[0], actions[:n], forgotten, 0, costs, outs, mine[0])


def test_what_actions_come_to_in_common_worlds() -> None:
    obs, mine = late_position(), own(np.zeros(1))
    n = int(obs[0].n_legal)
    assert n > 1
    costs, outs = np.full((60, n), -1.0), np.full((60, n), 9, np.uint8)
    _outcomes(obs, 0, costs, outs, mine)
    assert (costs >= 0).all()
    assert set(np.unique(outs)) <= {0, 1}
    assert (costs[outs == 1] == 0).all()
    again = np.zeros((60, n))
    _outcomes(obs, 0, again, outs.copy(), own(np.zeros(1)))
    assert (again == costs).all()  # the same chance, the same worlds
    assert np.corrcoef(costs[:, 0], costs[:, 1])[0, 1] > 0.2  # worlds are common: what is hard for one is for the other


@pytest.mark.parametrize("rules", sorted(PRESETS))
def test_worlds_hold_when_tiles_are_forgotten(rules: str) -> None:
    obs, seen, mine = late_position(rules), np.zeros(1, STATE), own(np.zeros(1))
    forgotten = _dim(seen, obs, 0.3, 0.3, mine)
    costs, outs = np.zeros((20, int(obs[0].n_legal))), np.zeros((20, int(obs[0].n_legal)), np.uint8)
    _outcomes(seen, forgotten, costs, outs, mine)
    assert forgotten > 0
    assert costs.max() > 0


@kernel
def _trail(t, v, depth):
    longest_train(t[0], v, 1024, 1, 100_000, depth)


def test_a_plan_looks_as_far_ahead_as_it_is_told() -> None:
    hand = parse_hand("9-1 1-0 2-0 5-2 9-7 7-6 6-6")
    t = np.zeros(1, TRAIL)
    for tile in hand:
        t[0].rows[HI[tile]] |= 1 << int(LO[tile])
        t[0].rows[LO[tile]] |= 1 << int(HI[tile])
    lengths = []
    for depth in (1, 2, 3, 4, DEEP):
        _trail(t, 9, depth)
        lengths.append(int(t[0].n))
    assert lengths == [1, 3, 3, 4, 4]  # 9-7; 9-7 7-6 6-6 (a double comes free); 9-1 1-0 0-2 2-5
    assert LONGEST == (1024, 1)


# ── What it may be told ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("levelled:temperature=-1", "temperature is a number of pips, 0 or more, not -1"),
        ("levelled:blunders=1.5", "blunders is a share from 0 to 1, not 1.5"),
        ("levelled:depth=0", "depth is a number of tiles from 1 to 99, not 0"),
        ("levelled:worlds=0", "worlds is a number of worlds from 1 to 10000, not 0"),
        ("levelled:base=greedy", "base of agent 'levelled' is one of heuristic, planner, mc, not 'greedy'"),
    ],
)
def test_what_it_cannot_be_is_said(text: str, what: str) -> None:
    with pytest.raises(ValueError, match=what.replace(".", r"\.")):
        Registry().parse(text)


def test_a_level_plays_the_same_game_from_the_same_seed() -> None:
    for text in WEAK:
        assert (rows(text, 6) == rows(text, 6)).all()
