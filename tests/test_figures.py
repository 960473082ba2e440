"""The figures of random play: what other programs, written apart from this one, say of the same rules.

`golden/means.json` holds the means, per round, of a slow independent referee for every preset and number of players
(some 6,000–10,000 rounds each), and those of a C program of the `standard` rules (390,000 rounds each).
"""

import json
from pathlib import Path

import numpy as np
import pytest

from mtrain.arena.play import END, ROW, play
from mtrain.bots.registry import Registry, build
from mtrain.game.jit import kernel
from mtrain.game.kernels import advance, apply, first_round, next_round, nth_action
from mtrain.game.rng import below
from mtrain.game.rules import PRESETS, preset
from mtrain.game.state import AGENT_STATE, blank
from tests.helpers.deals import games_with

MEANS = json.loads((Path(__file__).parent / "golden" / "means.json").read_text(encoding="utf-8"))
TABLES = [(name, int(players)) for name, table in MEANS["referee"].items() for players in table]


def figures(name: str, players: int, n_rounds: int) -> dict[str, np.ndarray]:
    """Return what random agents do in about so many rounds: for each figure, its value in every round."""
    rules = preset(name)
    games = -(-n_rounds // rules.rounds)
    bot = build(Registry().parse("random"))
    played = play(rules, [bot], games_with((0,) * players, games), 2024)
    rows = played.rows.reshape(-1, players, len(ROW)).astype(float)
    ends = played.ends.reshape(-1, len(END))
    column = {what: rows[..., k] for k, what in enumerate(ROW)}
    starter = ends[:, END.index("starter"), None].astype(int)
    return {
        "score_per_seat": column["pips"].mean(1),
        "plays": column["plays"].sum(1),
        "draws": column["draws"].sum(1),
        "passes": column["passes"].sum(1),
        "blocked": ends[:, END.index("blocked")].astype(float),
        "starter_out": np.take_along_axis(column["went_out"], starter, 1)[:, 0],
    }


@kernel
def _actions(states, own, seed, n):
    """Play whole games at random; return the actions taken in each round, forced ones included: int64[n]."""
    s = states[0]
    taken = np.zeros(n, np.int64)
    for k in range(n):
        if k % s.n_rounds == 0:
            first_round(s, seed, k, 0, k % np.int64(s.n_seats))
        else:
            next_round(s, seed, k)
        legal = advance(s)
        while legal > 0:
            apply(s, nth_action(s, below(own[0], legal)))
            taken[k] += 1
            legal = advance(s)
    return taken


def far(ours: np.ndarray, theirs: float, error: float) -> float:
    """Return how many standard errors, ours and theirs together, lie between our mean and another."""
    own = ours.std() / np.sqrt(len(ours))
    return abs(ours.mean() - theirs) / max(np.hypot(own, error), 1e-9)


@pytest.mark.parametrize("players", [2, 3, 4, 8])
def test_standard_against_a_program_in_c(players: int) -> None:
    told, n = MEANS["standard"][str(players)], MEANS["standard"]["rounds"]
    ours = figures("standard", players, 100_000)
    ours["actions"] = _actions(blank(preset("standard"), players), np.zeros(1, AGENT_STATE), np.uint64(5), 100_100)
    # The spread of a round is the same for both programs; the C program's means are printed to three or four places.
    apart = {what: far(ours[what], mean, ours[what].std() / np.sqrt(n)) for what, mean in told.items()}
    assert set(apart) == {"score_per_seat", "actions", "draws", "passes", "blocked", "starter_out"}
    assert {what: errors for what, errors in apart.items() if errors > 4} == {}


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_every_preset_against_a_slow_referee(name: str, players: int) -> None:
    told = MEANS["referee"][name][str(players)]
    ours = figures(name, players, 10_000)
    apart = {what: far(ours[what], *told[what]) for what in told if what != "rounds"}
    assert set(apart) == {"score_per_seat", "plays", "draws", "passes", "blocked"}
    assert {what: errors for what, errors in apart.items() if errors > 4.5} == {}


def test_there_are_figures_for_every_table() -> None:
    assert [(name, players) for name in PRESETS for players in preset(name).dealable()] == TABLES


@pytest.mark.parametrize(("name", "players"), [("standard", 4), ("cardinal", 6), ("trainyard", 10)])
def test_shares_that_a_dead_rule_would_make_0_or_1(name: str, players: int) -> None:
    """Plays on one's own train, rounds out, turns passed: none of them never, none of them always."""
    bot = build(Registry().parse("random"))
    played = play(preset(name), [bot], games_with((0,) * players, 500), 1)
    total = dict(zip(ROW, played.rows.sum((0, 1, 2), dtype=np.int64).tolist(), strict=True))
    shares = [
        total["plays_own"] / total["plays"],
        total["passes"] / total["turns"],
        total["draws"] / total["turns"],
        played.ends[..., END.index("blocked")].mean(),
    ]
    assert all(0 < share < 1 for share in shares)
