"""Inference: weights held against what was really chosen, chains against exact weights, tables against the truth."""

import json
import math
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import mtrain
from mtrain.analysis import calibrate as study
from mtrain.analysis.calibrate import calibrate
from mtrain.errors import UsageError
from mtrain.game.jit import kernel
from mtrain.game.kernels import apply as do_action
from mtrain.game.moves import advance, apply, legal_actions, new_game, observe
from mtrain.game.positions import parse_position, position_text
from mtrain.game.rules import PRESETS, preset
from mtrain.game.state import AGENT_STATE, STATE
from mtrain.game.tiles import tile_text
from mtrain.report import plots
from mtrain.stats import tables
from mtrain.strategy.constraints import DEAL, count_deals
from mtrain.strategy.constraints import study as find_places
from mtrain.strategy.determinize import deal_again, determinize, write_world
from mtrain.strategy.locate import locate, unseen
from mtrain.strategy.opponent_model import CHOICES, MOST, belief, likely_worlds, listen, log_chance
from tests.helpers.deals import heavy_first
from tests.helpers.long_way import begin, follow, log_likelihood
from tests.helpers.program import mtrain as command
from tests.helpers.whole_deals import could_have_been, sampled, small_positions, whole_deals


@kernel
def _replayed(world, obs, seat, own, past, n):
    """Play the history again in `n` worlds; return how many go another way than it was."""
    wrong = 0
    for _ in range(n):
        determinize(world[0], obs[0], seat, own[0])
        begin(past[0], world[0], obs[0])
        while True:
            action = follow(past[0], obs[0])
            if action <= 0:
                wrong += action < 0
                break
            do_action(past[0], action)
    return wrong


@pytest.mark.parametrize(
    ("name", "players"), [(name, players) for name in PRESETS for players in preset(name).dealable()]
)
def test_every_world_goes_the_way_that_the_round_went(name: str, players: int) -> None:
    own, world, past, looks = np.zeros(1, AGENT_STATE), np.zeros(1, STATE), np.zeros(1, STATE), 0
    for seed in range(4):
        rng = random.Random(seed)
        position = new_game(name, players, seed=seed, starter=seed % players)
        k = 0
        while advance(position):
            if k % 6 == 0:
                for seat in {int(position[0].turn), k % players}:
                    assert _replayed(world, observe(position, seat), seat, own, past, 20) == 0
                    looks += 1
            apply(position, heavy_first(rng, position))
            k += 1
    assert looks > 10


@kernel
def _weigh(worlds, weights, obs, seat, believed, states):
    for k in range(len(worlds)):
        weights[k] = log_likelihood(worlds[k], obs[0], seat, believed[0], states[0], states[1])


def weigh(world: np.ndarray, obs: np.ndarray, seat: int, believed: np.ndarray) -> float:
    out = np.zeros(1)
    _weigh(world, out, obs, seat, believed, np.zeros(2, STATE))
    return float(out[0])


@pytest.mark.parametrize("name", PRESETS)
def test_the_weight_of_the_truth_is_the_chance_of_what_was_chosen(name: str) -> None:
    """By uniform choice: the ways to lay that tile among the legal actions, over what the others chose to lay."""
    rng, chances = random.Random(1), []
    position = new_game(name, 4, seed=2)
    while advance(position):
        legal = legal_actions(position)
        if len(chances) % 10 == 9:
            seat = int(position[0].turn)
            for reach in (200, 5):
                since = position[0].n_laid - reach
                wanted = sum(math.log(p) for who, laid, p in chances if who != seat and laid >= since)
                assert weigh(position, observe(position, seat), seat, belief("random", reach=reach)) == pytest.approx(
                    wanted
                )
        action = heavy_first(rng, position)
        ways = sum(a.tile == action.tile for a in legal)
        told = not position[0].drawn and action.is_lay
        chances.append((int(position[0].turn), int(position[0].n_laid), ways / len(legal) if told else 1.0))
        apply(position, action)
    assert len(chances) > 30


def test_a_greedy_truth_has_the_weight_of_the_floor() -> None:
    """Seat 1 laid 12-11, heaviest of its tiles, where it had a choice of 2: (1 − floor) + floor / 2."""
    from mtrain.game.moves import deal_hands

    rules = preset("standard", max_pip=6, hand_size=3, rounds=1, players=(2, 10))
    hands = [[1, 3, 4], [26, 21, 0]]  # seat 1: 6-5 6-0 0-0
    rest = [tile for tile in range(27) if tile not in hands[0] + hands[1]]
    position = deal_hands(rules, hands, rest, starter=1)
    advance(position)
    apply(position, next(a for a in legal_actions(position) if a.tile == 26 and a.train == 1))
    advance(position)
    heavy, light = belief("greedy", floor=0.2), belief("greedy", floor=0.0)
    assert weigh(position, observe(position, 0), 0, heavy) == pytest.approx(math.log(0.8 + 0.2 * 2 / 4))
    assert weigh(position, observe(position, 0), 0, light) == pytest.approx(0.0)


@kernel
def _chain(worlds, obs, seat, believed, own):
    return likely_worlds(worlds, obs[0], seat, believed[0], own[0])


@kernel
def _uniform(worlds, obs, seat, own):
    for k in range(len(worlds)):
        determinize(worlds[k], obs[0], seat, own[0])


@kernel
def _both_ways(obs, seat, believed, own, scratch, words, pasts, states, out):
    """Weigh one world by its witnesses, seat by seat, and by playing the whole deal again."""
    d, w = scratch[0], words[0]
    find_places(d, obs[0], seat)
    count_deals(d, seat)
    deal_again(d, own[0])
    write_world(states[0], d, obs[0], seat, own[0])
    listen(w, pasts, d, obs[0], seat, believed[0].reach)
    out[0] = 0.0
    for other in range(np.int64(obs[0].n_seats)):
        out[0] += log_chance(w, pasts, d, other, believed[0])
    out[1] = log_likelihood(states[0], obs[0], seat, believed[0], states[1], states[2])


@pytest.mark.parametrize("policy", ["random", "greedy", "planner"])
@pytest.mark.parametrize("name", PRESETS)
def test_witnesses_say_what_the_whole_deal_says(name: str, policy: str) -> None:
    looks = 0
    own, out = np.zeros(1, AGENT_STATE), np.zeros(2)
    for seed in range(3):
        rng, position, k = random.Random(seed), new_game(name, 4, seed=seed), 0
        while advance(position):
            if k % 9 == 5:
                seat = int(position[0].turn)
                believed = belief(policy, reach=60 if k % 2 else 8, asks=60, floor=0.3)
                scratch, words = np.zeros(1, DEAL), np.zeros(1, CHOICES)
                obs = observe(position, seat)
                _both_ways(obs, seat, believed, own, scratch, words, np.zeros(MOST, STATE), np.zeros(3, STATE), out)
                # The greedy and the planner draw for ties, each way anew: their shares are means of 60.
                loose = {} if policy == "random" else {"rel": 0.06, "abs": 0.5}
                assert out[0] == pytest.approx(out[1], **loose)
                looks += 1
            apply(position, heavy_first(rng, position))
            k += 1
    assert looks > 10


def by_deal(worlds: np.ndarray, weights: np.ndarray) -> dict:
    """Return the weight of each whole deal among some worlds."""
    s = worlds[0]
    n, size, top, end = int(s.n_seats), int(s.hand_size), int(s.top), int(s.n_tiles)
    found: dict = {}
    for deck, weight in zip(worlds["deck"].tolist(), weights.tolist(), strict=True):
        hands = [frozenset(deck[q * size : (q + 1) * size]) for q in range(n)]
        deal = (*hands, tuple(deck[n * size : top]), frozenset(deck[top:end]))
        found[deal] = found.get(deal, 0.0) + weight
    return found


@pytest.mark.parametrize("name", PRESETS)
def test_the_chain_agrees_with_every_deal_weighed(name: str) -> None:
    """Over all consistent deals, each weighed by uniform choice: the chain comes near those shares."""
    seen_weights = 0
    for rules, position, seat in small_positions(name, 3, most=400, start=20):
        deals = [deal for deal in whole_deals(position, seat) if could_have_been(rules, position, deal)]
        obs = observe(position, seat)
        believed = belief("random", reach=200, warm_up=300, thinning=12)
        counts = sampled(position, seat, 40 * len(deals))
        assert set(counts) == set(deals)
        own = np.zeros(1, AGENT_STATE)
        own[0].rng = 3
        n = 60 * len(deals)
        worlds = np.zeros(n, STATE)
        _uniform(worlds, obs, seat, own)
        each = np.zeros(n)
        _weigh(worlds, each, obs, seat, believed, np.zeros(2, STATE))
        exact = by_deal(worlds, np.exp(each)), by_deal(worlds, np.ones(n))
        share = {
            deal: exact[0][deal] / exact[1][deal] for deal in deals
        }  # uniform choice: the weight of a deal is sure
        total = sum(share.values())
        seen_weights += max(share.values()) > 1.01 * min(share.values())
        _chain(worlds, obs, seat, believed, own)
        by_chain = by_deal(worlds, np.full(n, 1 / n))
        assert set(by_chain) <= set(deals)
        assert sum(abs(share[deal] / total - by_chain.get(deal, 0.0)) for deal in deals) / 2 < 0.15
    assert seen_weights


@pytest.mark.parametrize(
    ("wrong", "word"),
    [({"policy": "greddy"}, "greddy"), ({"floor": 1.5}, "1.5"), ({"reach": -1}, "-1"), ({"asks": 0}, "asks")],
)
def test_a_belief_that_cannot_be_is_refused(wrong: dict, word: str) -> None:
    with pytest.raises(ValueError, match=word):
        belief(**wrong)


# ── Locations ─────────────────────────────────────────────────────────────────────────────────────────────


def late(name: str = "pinecone", choices: int = 40, seed: int = 3) -> np.ndarray:
    rng, position = random.Random(seed), new_game(name, 4, seed=seed)
    for _ in range(choices):
        advance(position)
        apply(position, heavy_first(rng, position))
    advance(position)
    return position


@pytest.mark.parametrize("weigh", [None, "random", "greedy", "double-holder"])
def test_locations_are_shares_of_all_that_is_unseen(weigh: str | None) -> None:
    position = late()
    s, seat = position[0], int(position[0].turn)
    found = locate(position, worlds=300, weigh=weigh)
    places = found.columns[1:]
    assert list(places) == [*(f"seat {q}" for q in range(4) if q != seat), "boneyard"]
    assert sorted(found["tile"]) == sorted(tile_text(tile) for tile in unseen(observe(position, seat), seat))
    assert found[places].sum(axis=1).to_numpy() == pytest.approx(1)
    sizes = [*(int(s.count[q]) for q in range(4) if q != seat), int(s.n_tiles - s.top)]
    assert found[places].sum().to_numpy() == pytest.approx(sizes)
    assert 1 <= found.attrs["effective_worlds"] <= 300.001


def test_locations_depend_on_nothing_hidden() -> None:
    position = late()
    seat = int(position[0].turn)
    pd.testing.assert_frame_equal(
        locate(position, worlds=50, weigh="greedy"), locate(observe(position, seat), seat, worlds=50, weigh="greedy")
    )
    assert not locate(position, worlds=50).equals(locate(position, worlds=50, seed=1))


def test_without_proofs_every_place_has_its_size() -> None:
    position = new_game("standard", 3, seed=1)
    advance(position)
    found = locate(position, worlds=4000)
    share = np.array([12, 12, 54 - 0]) / 78
    assert abs(found[found.columns[1:]].to_numpy() - share).max() < 0.05


@pytest.mark.parametrize(
    ("asked", "word"),
    [({"seat": 4}, "4"), ({"worlds": 0}, "worlds"), ({"weigh": "gredy"}, "gredy"), ({"seed": -1}, "-1")],
)
def test_what_cannot_be_located_is_refused(asked: dict, word: str) -> None:
    with pytest.raises(UsageError, match=word):
        locate(late(), **asked)


def test_a_round_that_is_over_or_leaves_tiles_out_is_refused() -> None:
    with pytest.raises(UsageError, match="hides 1"):
        locate(parse_position("seats 2\nhand 0: 12-3\nhand 1: ?1"))
    position = new_game("standard", 2, seed=1)
    while advance(position):
        apply(position, legal_actions(position)[0])
    with pytest.raises(UsageError, match="over"):
        locate(position)


def test_the_command_prints_the_table(tmp_path: Path) -> None:
    file = tmp_path / "position.txt"
    file.write_text(position_text(late()), encoding="utf-8")
    ran = command("locate", str(file), "--worlds", "100", "--seed", "4", "--json")
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == locate(late(), worlds=100, seed=4).to_dict("records")
    assert "boneyard" in command("locate", str(file), "--weigh", "greedy", "--worlds", "50").stdout
    for wrong, word in [
        ((str(file), "--seat", "9"), "9"),
        ((str(file), "--weigh", "mc"), "mc"),
        (("no.txt",), "no.txt"),
    ]:
        ran = command("locate", *wrong)
        assert (ran.returncode, word in ran.stderr, ran.stdout) == (2, True, "")
        assert len(ran.stderr.strip().splitlines()) == 1


# ── Calibration ───────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def made():
    return calibrate(
        ["greedy"], "pinecone", changes={"rounds": "4"}, deals=6, seed=5, worlds=200, weigh="greedy", every=20
    )


def test_what_is_proved_helps_and_what_others_did_helps_more(made) -> None:
    by = made.losses.set_index("method")
    assert list(by.index) == list(tables.METHODS)
    assert by.loc["weighed", "loss"] < by.loc["proved", "loss"] < by.loc["counts", "loss"]
    assert by.loc["weighed", "gain"] > 1.2 * by.loc["proved", "gain"]
    assert pd.isna(by.loc["counts", "gain"])


def test_every_look_is_counted_in_every_method(made) -> None:
    assert (made.looks.groupby("look", observed=True).size() == 3).all()
    tiles = made.looks.groupby("method", observed=True)["tiles"].sum()
    bins = made.bins.groupby("method", observed=True)[["n", "predicted", "observed"]].sum()
    assert (bins["observed"] == tiles).all()
    assert bins["predicted"].to_numpy(float) == pytest.approx(tiles.to_numpy(float))
    assert (bins["n"] == 4 * tiles).all()


def test_counts_lose_what_a_sum_says(made) -> None:
    """A tile is at a place with the place's share, so the mean loss over tiles is the entropy of those shares."""
    looks = made.looks[made.looks["method"] == "counts"]
    assert looks["loss"].between(0, math.log(4)).all()


def test_the_same_seed_the_same_tables(made) -> None:
    again = calibrate(
        ["greedy"], "pinecone", changes={"rounds": "4"}, deals=2, seed=5, worlds=200, weigh="greedy", every=20
    )
    kept = made.looks[made.looks["deal"] < 2].reset_index(drop=True)
    pd.testing.assert_frame_equal(kept, again.looks)


def test_calibration_by_hand() -> None:
    bins = tables.frame(
        tables.BINS,
        {
            "deal": [0, 1, 0], "method": ["proved"] * 3, "low": [0.1, 0.1, 0.9], "high": [0.2, 0.2, 1.0],
            "n": [10, 30, 5], "predicted": [1.5, 5.5, 4.9], "observed": [2, 4, 5],
        },
    )  # fmt: skip
    found = study.calibration(bins)
    assert found["predicted"].tolist() == pytest.approx([7 / 40, 0.98])
    assert found["observed"].tolist() == pytest.approx([6 / 40, 1.0])
    rest = np.array([2 - 1.5, 4 - 4.5])
    arm = 12.7062 * math.sqrt((rest**2).sum() * 2) / 40
    assert found["observed_hi"].iloc[0] == pytest.approx(6 / 40 + arm, rel=1e-4)
    assert found["observed_lo"].iloc[0] == 0
    assert found["note"].tolist() == ["", "needs 2 blocks"]


def test_the_figure_has_a_line_to_lie_on(made) -> None:
    ax = plots.calibration(made.calibration)
    assert "probability" in ax.get_xlabel()
    assert "share" in ax.get_ylabel()
    ax.figure.canvas.draw()
    inside, frame = ax.figure.get_tightbbox(), ax.figure.bbox_inches
    assert inside.x0 >= -0.01
    assert inside.x1 <= frame.x1 + 0.01
    own = Figure().add_subplot()
    assert plots.calibration(made.calibration, ax=own) is own


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ((), "AGENTS"),
        (("greedy", "--deals", "0"), "deals"),
        (("greedy", "--every", "0"), "every"),
        (("gredy",), "gredy"),
        (("greedy", "--weigh", "mc"), "mc"),
        (("greedy", "random", "mc", "--players", "2"), "3 agents"),
        (("greedy", "--players", "12"), "12"),
    ],
)
def test_a_wrong_call_is_one_sentence(wrong: tuple, word: str) -> None:
    ran = command("calibrate", *wrong)
    assert (ran.returncode, word in ran.stderr, ran.stdout) == (2, True, ""), ran.stderr
    assert len(ran.stderr.strip().splitlines()) == 1


def test_the_command_writes_tables_and_figure(tmp_path: Path) -> None:
    ran = command(
        "calibrate", "greedy", "random", "--set", "rounds=2", "--deals", "2", "--every", "10", "--worlds", "20",
        "--out", str(tmp_path / "cal"), "--json",
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    said = json.loads(ran.stdout)
    assert [row["method"] for row in said["losses"]] == ["counts", "proved"]
    assert {path.name for path in (tmp_path / "cal").iterdir()} == {
        "looks.parquet", "bins.parquet", "losses.parquet", "calibration.parquet", "calibration.png", "calibration.svg",
    }  # fmt: skip
    assert mtrain.calibrate is calibrate
    assert mtrain.locate is locate
