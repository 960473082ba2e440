"""Schedules: who meets whom, in which seats, who starts, and that any prefix is balanced."""

import dataclasses
import json
import shlex
from collections import Counter
from math import comb, factorial
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from mtrain.arena.run import run
from mtrain.arena.schedule import SEATINGS, Schedule, combinations, first_starter, gauntlet
from mtrain.arena.spec import TournamentError, plan
from mtrain.cli.main import mtrain as command_line
from mtrain.errors import RunError
from mtrain.stats.checks import of_design
from mtrain.stats.manifest import Manifest

SHAPES = [(1, 4), (2, 2), (2, 4), (3, 3), (3, 4), (4, 4), (6, 4), (2, 5), (5, 5), (4, 8), (7, 5), (10, 10)]


def everything(s: Schedule) -> list[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
    """Return match, deal, starter and seats of every game."""
    made = []
    for match in range(len(s.lineups)):
        g = s.games(match, range(s.deals))
        made += [(match, *rest) for rest in zip(g.deal.tolist(), g.starter.tolist(), g.who.tolist(), strict=True)]
    return made


def test_more_agents_than_seats_meet_in_every_combination_once() -> None:
    assert len(combinations(6, 4)) == comb(6, 4)
    assert Counter(agent for lineup in combinations(6, 4) for agent in lineup) == dict.fromkeys(range(6), comb(5, 3))


@pytest.mark.parametrize(
    ("n", "players", "found"), [(2, 4, [(0, 0, 1, 1)]), (3, 4, 3), (3, 8, 3), (4, 10, 6), (1, 3, [(0, 0, 0)])]
)
def test_fewer_agents_than_seats_fill_equal_shares(n: int, players: int, found: int | list[tuple[int, ...]]) -> None:
    made = combinations(n, players)
    assert made == found if isinstance(found, list) else len(made) == found
    seats = Counter(agent for lineup in made for agent in lineup)
    assert len(set(seats.values())) == 1


def test_a_gauntlet_is_one_agent_against_copies_of_each_other() -> None:
    assert gauntlet(3, 4, 1) == [(0, 0, 0, 1), (1, 2, 2, 2)]
    assert gauntlet(2, 2, 0) == [(0, 1)]
    assert gauntlet(2, 8, 0) == [(0, *[1] * 7)]


UNEVEN = ((0, 1, 1, 1), (0, 0, 1, 1), (0, 1, 2, 3), (1, 1, 1, 1))


def test_line_ups_with_other_numbers_of_seatings_share_no_deal_and_no_game() -> None:
    s = Schedule(UNEVEN, 8, seed=3)
    assert [s.seatings(match) for match in range(4)] == [4, 6, 24, 1]
    assert [len(s.games(match, range(8))) for match in range(4)] == [32, 48, 192, 8]
    deals = [set(s.games(match, range(8)).deal.tolist()) for match in range(4)]
    assert len(set.union(*deals)) == s.n_blocks == 32
    numbers = [s.first_game(match, g.deal) + g.seating for match in range(4) for g in [s.games(match, range(8))]]
    assert sorted(np.concatenate(numbers).tolist()) == list(range(s.n_games))


@pytest.mark.parametrize("lineups", [UNEVEN, (tuple([0] + [1] * 7), (0, 0, 0, 1, 1, 2, 2, 2)), ((0, 1), (1, 1))])
def test_H20_listed_line_ups_sit_and_start_evenly(lineups: tuple[tuple[int, ...], ...]) -> None:
    players = len(lineups[0])
    s = Schedule(lineups, 2 * players, seed=3)
    for match, lineup in enumerate(lineups):
        g = s.games(match, range(s.deals))
        assert {tuple(sorted(row)) for row in g.who.tolist()} == {lineup}
        for agent in set(lineup):
            sits = (g.who == agent).sum(0)
            assert len(set(sits.tolist())) == 1
            assert (g.who[np.arange(len(g)), g.starter] == agent).sum() * players == sits.sum()


@pytest.mark.parametrize(("n", "players"), SHAPES)
def test_H20_every_agent_sits_and_starts_everywhere_equally_often(n: int, players: int) -> None:
    s = Schedule(tuple(combinations(n, players)), 2 * players, seed=3)
    for match in range(len(s.lineups)):
        g = s.games(match, range(s.deals))
        for agent in set(s.lineups[match]):
            sits = (g.who == agent).sum(0)
            assert len(set(sits.tolist())) == 1
            starts = (g.who[np.arange(len(g)), g.starter] == agent).sum()
            assert starts * players == sits.sum()
        assert len(set(Counter(g.starter.tolist()).values())) == 1


@pytest.mark.parametrize(("n", "players"), SHAPES)
def test_H04_n_blocks_are_n_different_deals(n: int, players: int) -> None:
    s = Schedule(tuple(combinations(n, players)), 7, seed=3)
    blocks = {(match, deal) for match, deal, _, _ in everything(s)}
    assert len(blocks) == s.n_blocks == len({deal for _, deal in blocks})
    assert len(everything(s)) == s.n_games


@pytest.mark.parametrize(("n", "players"), SHAPES)
def test_up_to_four_seats_all_orders_are_played_and_above_the_rotations_of_one(n: int, players: int) -> None:
    s = Schedule(tuple(combinations(n, players)), 3, seed=1)
    g = s.games(0, range(1))
    orders = {tuple(row) for row in g.who.tolist()}
    if n == 1:
        assert len(g) == 1
    elif players <= 4:
        assert len(g) == len(orders) == s.seatings(0)
    else:
        first = g.who[0].tolist()
        assert g.who.tolist() == [first[k:] + first[:k] for k in range(players)]
        assert len(g) == players


def test_above_four_seats_neighbours_change_from_deal_to_deal() -> None:
    s = Schedule(((0, 1, 2, 3, 4, 5),), 60, seed=1)
    right = Counter()
    for k in range(60):
        row = s.games(0, range(k, k + 1)).who[0].tolist()
        right[row[(row.index(0) + 1) % 6]] += 1
    assert set(right) == {1, 2, 3, 4, 5}
    assert max(right.values()) < 25


@pytest.mark.parametrize(("n", "players"), SHAPES)
def test_the_work_is_cut_without_loss_and_any_prefix_is_balanced(n: int, players: int) -> None:
    s = Schedule(tuple(combinations(n, players)), 50, seed=1)
    chunks = list(s.chunks(s.chunk_size(13, [0.1] * n)))
    assert [chunk.number for chunk in chunks] == list(range(len(chunks)))
    seen = Counter((chunk.match, k) for chunk in chunks for k in chunk.blocks)
    assert set(seen.values()) == {1}
    assert len(seen) == s.n_blocks
    size = max(len(chunk.blocks) for chunk in chunks)
    done = Counter[int]()
    for chunk in chunks:
        done[chunk.match] += len(chunk.blocks)
        counts = [done[match] for match in range(len(s.lineups))]
        assert max(counts) - min(counts) <= size


def test_slow_agents_get_small_pieces_of_work() -> None:
    s = Schedule(((0, 1, 2, 3),), 1000, seed=1)
    assert s.chunk_size(13, [0.1] * 4) > 20
    assert s.chunk_size(13, [0.1] * 4, most=10) == 10
    assert s.chunk_size(13, [0.1, 0.1, 0.1, 5000.0]) == 1


def test_the_first_starter_comes_from_the_seed_and_goes_round() -> None:
    assert [first_starter(5, 4, k) for k in range(8)] == [(first_starter(5, 4, 0) + k) % 4 for k in range(8)]
    assert {first_starter(seed, 4, 0) for seed in range(40)} == {0, 1, 2, 3}


# ── How a line-up is seated ───────────────────────────────────────────────────────────────────────────────

KINDS = [(kind, n, players) for kind in SEATINGS for n, players in SHAPES if kind != "permute" or players <= 5]


@pytest.mark.parametrize(("kind", "n", "players"), KINDS)
def test_H20_H04_any_seatings_sit_and_start_evenly_on_a_deal_of_their_own(kind: str, n: int, players: int) -> None:
    s = Schedule(tuple(combinations(n, players)), 2 * players, 3, kind)
    deals = set()
    for match in range(len(s.lineups)):
        g = s.games(match, range(s.deals))
        deals |= set(g.deal.tolist())
        assert len(g) == s.deals * s.seatings(match)
        assert set(Counter(g.starter.tolist()).values()) == {len(g) // players}
        for agent in set(s.lineups[match]):
            sits = (g.who == agent).sum(0)
            assert len(set(sits.tolist())) == 1
            assert (g.who[np.arange(len(g)), g.starter] == agent).sum() * players == sits.sum()
    assert len(deals) == s.n_blocks


@pytest.mark.parametrize(("kind", "n", "players"), KINDS)
def test_any_prefix_is_balanced_whatever_the_seatings(kind: str, n: int, players: int) -> None:
    """After any chunk every agent has sat in all seats alike, and first starters differ by a block at most."""
    s = Schedule(tuple(combinations(n, players)), 9, 3, kind)
    sits, starts = np.zeros((n, players), int), np.zeros((len(s.lineups), players), int)
    for chunk in s.chunks(s.chunk_size(13, [5000.0] * n)):
        g = s.games(chunk.match, chunk.blocks)
        for seat in range(players):
            sits[:, seat] += np.bincount(g.who[:, seat], minlength=n)
        starts[chunk.match] += np.bincount(g.starter, minlength=players)
        assert (sits == sits[:, :1]).all()
        assert (np.ptp(starts, axis=1) <= s.all_seatings).all()


@pytest.mark.parametrize(("kind", "n", "players"), KINDS)
def test_H10_no_order_of_a_line_up_is_played_twice_on_one_deal(kind: str, n: int, players: int) -> None:
    """Copies of an agent are not told apart, so agents without chance never replay a game."""
    s = Schedule(tuple(combinations(n, players)), 3, 3, kind)
    for match, lineup in enumerate(s.lineups):
        rows = [tuple(row) for row in s.games(match, range(1)).who.tolist()]
        if kind != "shuffle" or max(Counter(lineup).values()) == 1:  # a random order may be its own rotation
            assert len(rows) == len(set(rows))


def test_rotation_keeps_the_neighbours_and_shuffling_changes_them() -> None:
    seen = {}
    for kind in ("rotate", "shuffle"):
        who = Schedule((tuple(range(6)),), 40, 1, kind).games(0, range(40)).who
        seen[kind] = {(int(a), int(b)) for row in who for a, b in zip(row, np.roll(row, -1), strict=True)}
    assert seen["rotate"] == {(k, (k + 1) % 6) for k in range(6)}
    assert len(seen["shuffle"]) == 30


@pytest.mark.parametrize(
    ("lineup", "warned"),
    [("ab", False), ("abbb", False), ("abc", True), ("aabb", True), ("aaaa", False)],
)
def test_rotation_warns_where_it_leaves_orders_out(lineup: str, warned: bool) -> None:
    manifest = Manifest(seatings="rotate", lineups=[list(lineup)])
    assert bool(of_design(manifest)) == warned
    assert of_design(manifest.but(seatings="permute")) == []


def test_all_orders_of_five_can_be_asked_for_and_of_six_cannot() -> None:
    five = plan(["random", "greedy", "a@greedy", "b@greedy", "c@greedy"], players=5, deals=1, seatings="permute")
    assert five.schedule.n_games == factorial(5) == 120
    eight = plan(["random", "greedy"], players=8, deals=1, focus="random", seatings="permute")
    assert eight.schedule.n_games == 8
    six = [f"{name}@random" for name in "abcdef"]
    with pytest.raises(
        TournamentError, match="every deal in 720 orders, and at most 120 can be played; shuffle plays 6"
    ):
        plan(six, players=6, seatings="permute")
    with pytest.raises(TournamentError, match="unknown seatings 'rotated'; did you mean 'rotate'"):
        plan(six, players=6, seatings="rotated")


@pytest.mark.parametrize("kind", SEATINGS)
def test_H24_H26_whole_blocks_as_many_as_are_said_before_the_start(tmp_path: Path, kind: str) -> None:
    t = plan(["random", "greedy", "a@random"], players=3, games=10, seatings=kind, changes={"rounds": 1})
    each = 6 if kind == "permute" else 3
    assert t.schedule.n_games == -(-10 // each) * each
    assert f"= {t.schedule.n_games} games" in t.sentence()
    made = run(t, tmp_path / "o", jobs=1)
    assert made.games["game"].nunique() == t.schedule.n_games
    assert made.manifest.seatings == kind
    assert (kind == "rotate") == any("neighbours" in warning for warning in made.warnings)


def test_H04_the_runner_asserts_that_blocks_are_different_deals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    t = plan(["random", "greedy", "a@random"], players=2, deals=3, changes={"rounds": 1})
    whole = Schedule.games
    monkeypatch.setattr(
        Schedule,
        "games",
        lambda s, match, blocks: dataclasses.replace(whole(s, match, blocks), deal=whole(s, 0, blocks).deal),
    )
    with pytest.raises(RunError, match="9 blocks are to be as many different deals, and they are 3"):
        run(t, tmp_path / "o", jobs=1)


# ── Self-play ─────────────────────────────────────────────────────────────────────────────────────────────


def test_H21_copies_in_self_play_cover_an_equal_share_and_no_pips(tmp_path: Path) -> None:
    made = run(
        plan(["double-holder"], self_play=True, deals=100, seed=1, changes={"rounds": 2}), tmp_path / "o", jobs=1
    )
    assert sorted(made.standings["agent"]) == [f"double-holder#{seat}" for seat in (1, 2, 3, 4)]
    assert made.manifest.schedule == "self-play"
    assert set(made.manifest.agents.values()) == {"double-holder"}
    for name, fair in (("diff", 0), ("win", 1 / 4), ("round_wins", 1 / 4), ("rank", 2.5), ("rating", 0)):
        assert ((made.standings[f"{name}_lo"] < fair) & (fair < made.standings[f"{name}_hi"])).all(), name
    assert made.null_check.startswith(
        "null check of copies: 0 pips/round in 4 of 4 intervals and 1/4 of the games in 4"
    )


def test_H10_copies_without_chance_tie_exactly_and_have_no_interval(tmp_path: Path) -> None:
    (tmp_path / "still.py").write_text("def agent(obs, actions, rng):\n    return actions[0]\n")
    t = plan(["still"], self_play=True, players=3, deals=4, changes={"rounds": 1}, agents_from=[tmp_path / "still.py"])
    made = run(t, tmp_path / "o", jobs=1)
    assert made.standings["diff"].tolist() == pytest.approx([0, 0, 0], abs=1e-12)
    assert made.standings[["diff_lo", "win_lo", "rating_lo"]].isna().all(axis=None)
    assert made.standings["note"].str.contains("no variance between blocks").all()
    assert made.null_check == "null check: no intervals to look into"


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ({"agents": ["random", "greedy"]}, "in self-play one agent sits in all seats; 2 are given"),
        ({"agents": ["random"], "focus": "random"}, "self-play says who meets whom; leave out the focus"),
        ({"agents": ["random"], "anchor": "random"}, "anchor names 'random', which is none of the agents"),
    ],
)
def test_what_self_play_refuses(call: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        plan(**({"self_play": True} | call))  # type: ignore[arg-type]


# ── The same again ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "call",
    [
        "tournament greedy 'r 1@random' --players 3 --focus 'r 1' --seatings rotate --deals 2 --seed 5 --set rounds=2",
        "tournament greedy r@random --lineup 'r greedy greedy' --lineup 'r r greedy' --players 3 --games 5 "
        "--rules pinecone --set rounds=1 --set draw_to_cover=no --set hand_size=3:12 --anchor r=1500",
        "tournament x@greedy:own=5 --self-play --players 2 --deals 2 --set rounds=1",
    ],
)
def test_the_manifests_command_plays_the_same_games_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    monkeypatch.chdir(tmp_path)
    words, told = shlex.split(call), []
    for folder in ("a", "b"):
        ran = CliRunner().invoke(command_line, [*words, "--out", folder, "--quiet", "--jobs", "1"])
        assert ran.exit_code == 0, ran.output
        told.append(json.loads((tmp_path / folder / "manifest.json").read_text()))
        words = shlex.split(told[0]["command"])[1:]
    one, other = told
    assert {key for key in one if one[key] != other[key]} <= {"started", "seconds"}
    for table in ("rounds.parquet/part-00000.parquet", "standings.parquet"):
        assert (tmp_path / "a" / table).read_bytes() == (tmp_path / "b" / table).read_bytes()
