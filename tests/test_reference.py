"""The engine against the referee: two programs that share no line play the same rounds, event by event.

`reference.py` was written from the rules' text alone. Whatever the rules, the deal and the choices, both must find the
same things legal and then see the same table.
"""

import json
import random
from copy import deepcopy

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from mtrain.arena.driver import record_game
from mtrain.arena.play import ROW, Games, play
from mtrain.bots.registry import Registry, build
from mtrain.game import moves
from mtrain.game.kernels import TURN_OVER
from mtrain.game.moves import legal_actions
from mtrain.game.notation import train_text
from mtrain.game.record import follow, forced_event, play_game, replayed, to_line
from mtrain.game.rules import RuleSet
from mtrain.game.state import BLOCKED, OUT, RIDE
from mtrain.game.tiles import MAX_TILES, tile_text
from tests import reference, regenerate
from tests.helpers.deals import SEEDS, SLOW, deal_by_chance, rule_sets, walk
from tests.helpers.whole import hands_here

# ── Any rules, any deal ───────────────────────────────────────────────────────────────────────────────────


# ── Both, side by side ────────────────────────────────────────────────────────────────────────────────────


def referee(rules: dict, position: np.ndarray) -> dict:
    """Return the referee's round for a round just dealt."""
    s = position[0]
    players = int(s.n_seats)
    deck, size = [tile_text(int(tile)) for tile in s.deck[: s.n_tiles]], int(s.hand_size)
    hands = [deck[seat * size : (seat + 1) * size] for seat in range(players)]
    aside = f"{s.engine}-{s.engine}" if s.engine >= 0 else None
    return reference.new_round(rules, players, int(s.number), int(s.starter), aside, hands, deck[players * size :])


def settle(position: np.ndarray) -> None:
    """Let a turn that ends without a word end, in place: the referee ends it with the tile laid."""
    while True:
        ahead = position.copy()
        if moves.step(ahead, 0) != TURN_OVER:
            return
        position[:] = ahead


def legal_here(position: np.ndarray) -> list[list]:
    """Return every event that the engine allows next."""
    ahead = position.copy()
    forced = forced_event(ahead)
    if forced:
        return [forced]
    seat, n = int(ahead[0].turn), int(ahead[0].n_seats)
    legal = legal_actions(ahead) if not ahead[0].over else ()
    trains = {action: train_text(action.train, n) for action in legal if action.is_lay}
    plays = [
        [seat, "play", f"{action.hi}-{action.lo}", train if train == "mexican" else int(train)]
        for action, train in trains.items()
    ]
    return plays + [[seat, "pass"] for action in legal if action.is_pass]


def table_here(position: np.ndarray) -> dict:
    """Return all that the referee knows of a round, as the engine holds it."""
    s = position[0]
    n = int(s.n_seats)
    names = [*range(n), "mexican"]
    trains: dict = {name: [] for name in names}
    laid_on = s.laid_on.tolist()
    for tile in s.laid[: s.n_laid].tolist():
        trains[names[laid_on[tile] - 1]].append(TEXTS[tile])
    return {
        "hands": hands_here(position),
        "boneyard": [TEXTS[tile] for tile in s.deck[s.top : s.n_tiles].tolist()],
        "trains": trains,
        "ends": dict(zip(names, s.end.tolist(), strict=False)) if s.engine >= 0 else None,
        "engine": f"{s.engine}-{s.engine}" if s.engine >= 0 else None,
        "marked": [seat for seat in range(n) if s.marked >> seat & 1],
        "open_doubles": [names[train] for train in s.open_on[: s.n_open].tolist()],
        "turn": int(s.turn),
        "drew": bool(s.drawn),
        "end": {0: None, OUT: "out", BLOCKED: "blocked"}[int(s.over)],
        "scores": s.pips[:n].tolist() if s.over else None,
    }


TEXTS = [tile_text(tile) for tile in range(MAX_TILES)]


def table_there(state: dict) -> dict:
    """Return the same from the referee's round."""
    same = ("boneyard", "trains", "engine", "marked", "open_doubles", "turn", "end", "scores")
    return {field: state[field] for field in same} | {
        "hands": [sorted(hand) for hand in state["hands"]],
        "ends": {name: reference.open_end(state, name) for name in state["trains"]} if state["engine"] else None,
        "drew": state["drew"],
    }


# How to choose among the legal events: some reach states that the others hardly ever see.
TASTES = {
    "anything": lambda event: 0,
    "a pass before all": lambda event: event[1] != "pass",
    "a pass after all": lambda event: event[1] == "pass",
    "doubles first": lambda event: not (event[1] == "play" and reference.is_double(event[2])),
    "doubles last": lambda event: event[1] == "play" and reference.is_double(event[2]),
    "one's own train": lambda event: event[1] != "play" or event[3] != event[0],
    "a rival's train": lambda event: event[1] != "play" or event[3] in ("mexican", event[0]),
}


@given(rule_sets(), SEEDS, st.sampled_from(list(TASTES)))
@settings(SLOW, max_examples=250)
def test_the_engine_and_the_referee_play_the_same_round(table: tuple[dict, int], seed: int, taste: str) -> None:
    rules, players = table
    ours = deal_by_chance(rules, players, seed)
    theirs = referee(rules, ours)
    rng = random.Random(seed)
    while True:
        settle(ours)
        here, there = table_here(ours), table_there(theirs)
        if theirs["end"]:  # nobody is on, and nothing is owed
            for facts in (here, there):
                del facts["turn"], facts["drew"], facts["open_doubles"]
        if theirs["due"] == "engine":
            del here["turn"], there["turn"]  # whoever holds the engine
        assert here == there
        legal = reference.legal_events(theirs)
        assert sorted(map(str, legal_here(ours))) == sorted(map(str, legal))
        if not legal:
            break
        order = sorted(legal, key=lambda event: (TASTES[taste](event), rng.random()))
        chosen = order[0] if rng.random() < 0.9 else rng.choice(legal)
        follow(ours, chosen)
        reference.apply(theirs, chosen)
    event(f"ends {theirs['end']}")


@given(rule_sets(), SEEDS)
@settings(SLOW, max_examples=30)
def test_the_engine_and_the_referee_refuse_the_same(table: tuple[dict, int], seed: int) -> None:
    """Whatever a record might say next, both take it or both refuse it, and a refusal changes nothing."""
    rules, players = table
    ours = deal_by_chance(rules, players, seed)
    theirs = referee(rules, ours)
    rng = random.Random(seed)
    tiles = reference.full_set(rules["max_pip"])
    while legal := reference.legal_events(theirs):
        for _ in range(3):
            seat, tile, train = rng.randrange(players), rng.choice(tiles), rng.choice([*range(players), "mexican"])
            what = rng.choice(["play", "play", "play", "draw", "engine", "pass"])
            odd = [seat, what] + [tile] * (what != "pass") + [train] * (what == "play")
            before = ours.tobytes()
            if odd not in legal:
                with pytest.raises(moves.IllegalAction):
                    follow(ours, odd)
                with pytest.raises(reference.Breach):
                    reference.apply(theirs, odd)
                assert ours.tobytes() == before
        chosen = rng.choice(legal)
        follow(ours, chosen)
        reference.apply(theirs, chosen)


# ── Records ───────────────────────────────────────────────────────────────────────────────────────────────


@given(rule_sets(most_rounds=4), st.integers(0, 2**63), st.integers(0, 9))
@settings(SLOW, max_examples=40)
def test_the_referee_accepts_our_records(table: tuple[dict, int], seed: int, game: int) -> None:
    rules, players = table
    agents = [f"random {seat}" for seat in range(players)]
    record = play_game(
        RuleSet.from_json(rules), agents, regenerate.choose, seed=seed, game=game, starter=game % players
    )
    reference.check_record(json.loads(to_line(record)))


@given(rule_sets(most_rounds=4), SEEDS)
@settings(SLOW, max_examples=40)
def test_we_replay_the_referees_records_to_the_same_bytes(table: tuple[dict, int], seed: int) -> None:
    rules, players = table
    line = json.dumps(reference.random_game(rules, players, seed), ensure_ascii=False)
    assert to_line(replayed(json.loads(line))) == line


# ── Golden files ──────────────────────────────────────────────────────────────────────────────────────────


def test_the_golden_games_are_what_we_play() -> None:
    assert regenerate.GAMES.read_text(encoding="utf-8").splitlines() == list(regenerate.games())


@pytest.mark.parametrize("game", range(len(regenerate.TABLES)))
def test_the_golden_games_keep_the_rules(game: int) -> None:
    line = regenerate.GAMES.read_text(encoding="utf-8").splitlines()[game]
    record = json.loads(line)
    reference.check_record(record)
    assert to_line(replayed(record)) == line


@pytest.mark.parametrize("game", range(len(regenerate.TABLES)))
def test_the_golden_games_are_the_random_agents(game: int) -> None:
    """One event at a time or in bulk, the agent `random` plays the same games from the same seed."""
    record = json.loads(regenerate.GAMES.read_text(encoding="utf-8").splitlines()[game])
    rules, players = RuleSet.from_json(record["rules"]), record["players"]
    bot, starter = build(Registry().parse("random")), record["rounds"][0]["starter"]
    assert record_game(rules, [bot] * players, seed=record["seed"], game=game, starter=starter) == record
    seats = np.zeros((1, players), np.int64)
    played = play(rules, [bot], Games(np.array([game]), np.array([0]), np.array([starter]), seats), record["seed"])
    assert played.rows[0, :, :, ROW.index("pips")].tolist() == [round_["scores"] for round_ in record["rounds"]]


def test_the_golden_games_show_every_rule_of_the_presets() -> None:
    games = [json.loads(line) for line in regenerate.GAMES.read_text(encoding="utf-8").splitlines()]
    rounds = [(game, round_) for game in games for round_ in game["rounds"]]
    assert {game["players"] for game in games} >= {2, 3, 4, 5, 6, 7, 8, 9, 10}
    assert {round_["end"] for _, round_ in rounds} == {"out", "blocked"}
    assert {event[1] for _, round_ in rounds for event in round_["events"]} == {"play", "draw", "pass", "engine"}
    for field, choices in reference.CHOICES.items():
        assert {game["rules"][field] for game in games} == set(choices)


def test_the_golden_counts_are_ours() -> None:
    assert regenerate.PERFT.read_text(encoding="utf-8").splitlines() == list(regenerate.counts())


def spread(state: dict, depth: int, counts: list[int], done: int) -> None:
    """Count the referee's sequences of choices, by length: what nobody chooses is done, and not counted."""
    while not any(event[1] == "play" for event in reference.legal_events(state)):
        if not (legal := reference.legal_events(state)):
            return
        reference.apply(state, legal[0])
    if done == depth:
        return
    for chosen in reference.legal_events(state):
        counts[done] += 1
        branch = {**state, **{field: deepcopy(state[field]) for field in MOVING}}
        reference.apply(branch, chosen)
        spread(branch, depth, counts, done + 1)


MOVING = ("hands", "boneyard", "trains", "marked", "open_doubles", "had_turn")


@pytest.mark.parametrize("deal", range(len(regenerate.COUNTS)))
def test_the_golden_counts_are_the_referees(deal: int) -> None:
    table, _, told = regenerate.PERFT.read_text(encoding="utf-8").splitlines()[deal].partition(":")
    name, *changes, players, seed = table.split()
    rules = regenerate.rules_of(name, " ".join(changes))
    state = referee(rules.to_json(), moves.new_game(rules, int(players), seed=int(seed)))
    expected = [int(word) for word in told.split()]
    counts = [0] * len(expected)
    spread(state, len(expected), counts, 0)
    assert counts == expected


# ── What the walks see ────────────────────────────────────────────────────────────────────────────────────


def test_walks_meet_what_they_are_for() -> None:
    """Random rules are of use only if rounds block, doubles pile up and first-turn trains are stopped."""
    seen = set()
    rng = random.Random(3)
    for seed in range(60):
        fields = {field: rng.choice(choices) for field, choices in reference.CHOICES.items()}
        rules = reference.PRESETS["trainyard"] | fields | {"hand_size": rng.choice([3, 9])}
        position = deal_by_chance(rules, 9, seed)
        for here in walk(position, seed):
            s = here[0]
            seen |= {f"open {min(2, int(s.n_open))}", f"owed {s.owed}", f"drawn {s.drawn}"}
            seen |= {"stops"} if s.owed == RIDE and s.may_pass else set()
        seen.add(f"over {position[0].over}")
    assert seen == {
        *("open 0", "open 1", "open 2", "owed 0", "owed 1", "owed 2", "owed 3"),
        *("drawn 0", "drawn 1", "stops", "over 1", "over 2"),
    }
