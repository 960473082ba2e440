"""Records: played again they give the same bytes; damaged ones are refused with round, event and reason."""

import copy
import io
import json
import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtrain.game.moves import IllegalAction, deal_hands, legal_actions, new_game
from mtrain.game.positions import parse_position
from mtrain.game.record import (
    FORMAT,
    RecordError,
    follow,
    forced_event,
    perft,
    play_game,
    play_round,
    read_records,
    replay,
    replayed,
    to_line,
)
from mtrain.game.rules import RuleSet, preset
from mtrain.game.tiles import parse_tile
from tests import reference, regenerate
from tests.helpers.deals import SEEDS, SLOW, deal_by_chance, rule_sets

GAMES = [json.loads(line) for line in regenerate.GAMES.read_text(encoding="utf-8").splitlines()]


def refusal(record: object) -> str:
    """Return why a record is refused; the referee must refuse it, too."""
    with pytest.raises(RecordError) as caught:
        replayed(record)
    with pytest.raises((reference.Breach, TypeError, AttributeError)):
        reference.check_record(record)
    return str(caught.value)


# ── The same bytes ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("game", range(len(GAMES)))
def test_a_record_played_again_is_the_same_bytes(game: int) -> None:
    line = regenerate.GAMES.read_text(encoding="utf-8").splitlines()[game]
    assert to_line(replayed(json.loads(line))) == line


@given(rule_sets(most_rounds=3), SEEDS)
@settings(SLOW, max_examples=30)
def test_any_game_played_again_is_the_same_bytes(table: tuple[dict, int], seed: int) -> None:
    rules, players = table
    agents = ["random"] * players
    record = play_game(RuleSet.from_json(rules), agents, regenerate.choose, seed=seed, game=3, starter=0)
    assert to_line(replayed(json.loads(to_line(record)))) == to_line(record)


def test_a_record_holds_what_its_format_says_in_its_order() -> None:
    record = play_game(preset("cardinal"), ["a", "b", "c"], regenerate.choose, seed=1, game=4, starter=2)
    assert list(record) == ["format", "rules", "players", "agents", "seed", "game", "rounds", "totals", "ranks"]
    round_ = record["rounds"][0]
    assert list(round_) == ["number", "engine", "starter", "hands", "boneyard", "events", "scores", "end"]
    assert record["format"] == FORMAT == "mtrain-record/1"
    assert (record["players"], record["agents"], record["seed"], record["game"]) == (3, ["a", "b", "c"], 1, 4)
    assert list(record["rules"]) == list(reference.PRESETS["cardinal"])
    assert ([len(hand) for hand in round_["hands"]], len(round_["boneyard"])) == ([15, 15, 15], 46)


def test_names_are_written_as_they_are() -> None:
    record = play_game(preset("trainyard"), ["Käthe", "mc:worlds=8"], regenerate.choose, seed=1, game=0, starter=0)
    assert "Käthe" in to_line(record)
    assert "\n" not in to_line(record)


def test_the_position_after_every_event_is_the_one_played() -> None:
    record = GAMES[3]
    seen: list[bytes] = []
    position = new_game(RuleSet.from_json(record["rules"]), 3, seed=regenerate.SEED, deal=3, starter=0)
    for number, event, there, what in replay(record):
        if number > 1:
            break
        if event >= 0:
            follow(position, what)
        seen.append(there[0].hand.tobytes())
        for field in (
            "hand",
            "table",
            "end",
            "open_on",
            "marked",
            "turn",
            "count",
            "top",
            "idle_turns",
            "void",
            "unseen_draws",
            "pips",
        ):
            assert np.array_equal(there[0][field], position[0][field])
    assert len(seen) == len(set(seen[:1])) + len(record["rounds"][0]["events"])


def test_replay_yields_every_event_of_every_round() -> None:
    for record in GAMES:
        told = [(number, event, what) for number, event, _, what in replay(record)]
        expected = []
        for round_ in record["rounds"]:
            expected += [(round_["number"], -1, None)]
            expected += [(round_["number"], k, event) for k, event in enumerate(round_["events"])]
        assert told == expected


# ── Damage ────────────────────────────────────────────────────────────────────────────────────────────────


def game(k: int = 3) -> dict:
    """Return a golden game, to be damaged. Game 3: `pinecone`, 3 seats, two rounds."""
    return copy.deepcopy(GAMES[k])


def first(record: dict, what: str, number: int = 1, holds: Callable[[list], bool] = lambda event: True) -> int:
    """Return the index of the first event of a kind in a round."""
    events = record["rounds"][number - 1]["events"]
    return next(k for k, event in enumerate(events) if event[1] == what and holds(event))


def test_a_wrong_tile_drawn() -> None:
    record = game()
    k = first(record, "draw", 2)
    event = record["rounds"][1]["events"][k]
    right, event[2] = event[2], record["rounds"][1]["boneyard"][-1]
    assert refusal(record) == f"round 2, event {k}: the next tile of the boneyard is {right}, not {event[2]}"


@pytest.mark.parametrize("what", ["play", "draw", "pass"])
def test_out_of_turn(what: str) -> None:
    record = game()
    k = first(record, what)
    event = record["rounds"][0]["events"][k]
    seat, event[0] = event[0], (event[0] + 1) % 3
    said = refusal(record)
    assert said.startswith(f"round 1, event {k}: ")
    assert f"seat {seat}" in said
    assert f"seat {event[0]}" in said


def test_a_seat_that_is_not_there() -> None:
    record = game()
    record["rounds"][0]["events"][0][0] = 3
    assert refusal(record).startswith("round 1, event 0: it is seat ")
    record["rounds"][0]["events"][0][0] = -1
    assert refusal(record).startswith("round 1, event 0: it is seat ")


def test_a_draw_while_able_to_play() -> None:
    record = game()
    round_ = record["rounds"][0]
    seat = round_["events"][0][0]
    round_["events"].insert(0, [seat, "draw", round_["boneyard"][0]])
    assert refusal(record).startswith(f"round 1, event 0: seat {seat} may not draw: it can lay ")


def test_a_pass_while_able_to_play() -> None:
    record = game()
    seat = record["rounds"][0]["events"][0][0]
    record["rounds"][0]["events"].insert(0, [seat, "pass"])
    assert refusal(record).startswith(f"round 1, event 0: seat {seat} may not pass: it can lay ")


def test_a_pass_without_the_draw() -> None:
    record = game()
    events = record["rounds"][0]["events"]
    k = next(k for k in range(len(events) - 1) if events[k][1] == "draw" and events[k + 1][1] == "pass")
    seat, drawn = events[k][0], events[k][2]
    del events[k]
    assert refusal(record) == f"round 1, event {k}: seat {seat}: pass, but seat {seat}: draw {drawn} must come next"


def test_a_second_draw() -> None:
    record = game()
    events = record["rounds"][0]["events"]
    k = next(k for k in range(len(events) - 1) if events[k][1] == "draw" and events[k + 1][1] == "pass")
    seat = events[k][0]
    events.insert(k + 1, [seat, "draw", "5-5"])
    assert refusal(record) == f"round 1, event {k + 1}: seat {seat}: draw 5-5, but seat {seat}: pass must come next"


@pytest.mark.parametrize("k", [3, 5, 9])
def test_a_second_engine(k: int) -> None:
    record = game(k)
    round_ = record["rounds"][0]
    at = first(record, "play")
    round_["events"].insert(at, [round_["events"][at][0], "engine", "0-0"])
    assert refusal(record) == f"round 1, event {at}: an engine is placed already: {round_['engine']}"


def test_another_engine_than_the_highest() -> None:
    record = game(8)
    k = first(record, "engine")
    event = record["rounds"][0]["events"][k]
    said = f"seat {event[0]}: engine 0-0, but seat {event[0]}: engine {event[2]} must come next"
    event[2] = "0-0"
    assert refusal(record) == f"round 1, event {k}: {said}"


def test_an_engine_that_is_left_out() -> None:
    record = game(8)
    k = first(record, "engine")
    del record["rounds"][0]["events"][k]
    assert refusal(record).startswith(f"round 1, event {k}: ")
    assert "engine" in refusal(record)


@pytest.mark.parametrize("k", range(len(GAMES)))
def test_a_missing_last_event(k: int) -> None:
    record = game(k)
    events = record["rounds"][-1]["events"]
    events.pop()
    assert refusal(record).startswith(f"round {len(record['rounds'])}, event {len(events)}: the round is not over: ")


@pytest.mark.parametrize("event", [[0, "pass"], [0, "play", "12-3", 0], [1, "draw", "5-0"], [2, "engine", "3-3"]])
def test_an_extra_event(event: list) -> None:
    record = game()
    events = record["rounds"][0]["events"]
    events.append(event)
    assert refusal(record) == f"round 1, event {len(events) - 1}: the round is over"


def test_a_tile_not_held() -> None:
    record = game()
    events = record["rounds"][0]["events"]
    k = first(record, "play")
    other = next(event for event in events[k + 1 :] if event[1] == "play" and event[0] != events[k][0])
    events[k][2] = other[2]
    assert refusal(record) == f"round 1, event {k}: seat {events[k][0]} does not hold {other[2]}"


def test_a_tile_laid_twice() -> None:
    record = game()
    events = record["rounds"][0]["events"]
    k = first(record, "play")
    later = first(record, "play", holds=lambda event: event[0] == events[k][0] and event is not events[k])
    events[later][2:] = events[k][2:]
    assert refusal(record) == f"round 1, event {later}: seat {events[k][0]} does not hold {events[k][2]}"


def test_a_train_that_the_tile_does_not_fit() -> None:
    record = game()
    events = record["rounds"][0]["events"]
    k = first(record, "play", holds=lambda event: "12" not in event[2])
    events[k][3] = next(train for train in (0, 1, 2, "mexican") if train != events[k][3])
    assert refusal(record).startswith(f"round 1, event {k}: ")


@pytest.mark.parametrize("train", [3, -1, 11, "Mexican", "0", None, True, 1.0, [0], ""])
def test_a_train_that_does_not_exist(train: object) -> None:
    record = game()
    k = first(record, "play")
    record["rounds"][0]["events"][k][3] = train
    said = refusal(record)
    assert said.startswith(f"round 1, event {k}: ")
    assert repr(train).strip("'") in said


@pytest.mark.parametrize("tile", ["5-12", "13-1", "12", "12-", "", "a-b", "012-3", "12-03", 123, None, ["12-3"]])
def test_what_is_no_tile(tile: object) -> None:
    record = game()
    k = first(record, "play")
    record["rounds"][0]["events"][k][2] = tile
    assert refusal(record).startswith(f"round 1, event {k}: ")


@pytest.mark.parametrize(
    "event",
    [[], [0], ["pass"], "pass", None, 7, {"seat": 0}, [0, "sleep"], [0, "pass", "12-3"], [0, "play"],
     [0, "play", "12-3"], [0, "play", "12-3", 0, 0], [0, "draw"], ["0", "pass"], [None, "pass"], [0.0, "pass"],
     [True, "pass"], [0, None], [0, ["pass"]]],
)  # fmt: skip
def test_what_is_no_event(event: object) -> None:
    """Seat 0 may choose here: whatever is said, the round and the event are named."""
    record = game(0)
    assert record["rounds"][0]["events"][0][:2] == [0, "play"]
    record["rounds"][0]["events"][0] = event
    assert refusal(record).startswith("round 1, event 0: ")


@pytest.mark.parametrize("seat", [True, 1.0, "1", None])
@pytest.mark.parametrize("what", ["draw", "pass", "engine"])
def test_a_seat_is_a_whole_number_also_where_nothing_is_chosen(what: str, seat: object) -> None:
    """To Python 1, 1.0 and true are equal; in a record they are not the same."""
    for record in map(copy.deepcopy, GAMES):
        for round_ in record["rounds"]:
            for k, event in enumerate(round_["events"]):
                if event[:2] == [1, what]:
                    event[0] = seat
                    assert refusal(record).startswith(f"round {round_['number']}, event {k}: ")
                    return
    pytest.fail(f"no golden game shows seat 1: {what}")


# ── Damage to the deal ────────────────────────────────────────────────────────────────────────────────────


def test_a_tile_dealt_twice() -> None:
    record = game()
    hands = record["rounds"][1]["hands"]
    lost, hands[0][0] = hands[0][0], hands[1][0]
    said = refusal(record)
    assert said == f"round 2, the deal: not the whole set: twice ['{hands[1][0]}'], missing ['{lost}'], foreign []"


def test_a_tile_left_out() -> None:
    record = game()
    lost = record["rounds"][0]["boneyard"].pop()
    assert refusal(record) == f"round 1, the deal: not the whole set: twice [], missing ['{lost}'], foreign []"


def test_a_tile_of_another_set() -> None:
    record = game()
    lost, record["rounds"][0]["boneyard"][0] = record["rounds"][0]["boneyard"][0], "13-2"
    assert refusal(record) == f"round 1, the deal: not the whole set: twice [], missing ['{lost}'], foreign ['13-2']"


def test_the_engine_in_the_boneyard() -> None:
    record = game()
    record["rounds"][0]["boneyard"].append("12-12")
    assert refusal(record) == "round 1, the deal: not the whole set: twice [], missing [], foreign ['12-12']"


def test_hands_of_the_wrong_size() -> None:
    record = game()
    round_ = record["rounds"][0]
    round_["hands"][0].append(round_["boneyard"].pop())
    assert refusal(record) == "round 1, the deal: seat 0 is dealt 15 tiles, not 16"


def test_a_hand_too_many_or_too_few() -> None:
    record = game()
    round_ = record["rounds"][0]
    round_["hands"].append(round_["boneyard"][:15])
    del round_["boneyard"][:15]
    assert refusal(record).startswith("round 1, the deal: ")
    record = game()
    record["rounds"][0]["boneyard"] += record["rounds"][0]["hands"].pop()
    assert refusal(record).startswith("round 1, the deal: ")


def test_as_many_hands_as_players() -> None:
    """A game of four seats, said to be one of three."""
    rules = preset("trainyard", hand_size=15)
    record = play_game(rules, ["r"] * 4, regenerate.choose, seed=1, game=0, starter=1)
    record["players"] = 3
    record["agents"].pop()
    assert refusal(record).startswith("round 1, the deal: ")


def test_what_is_no_tile_in_the_deal() -> None:
    record = game()
    record["rounds"][0]["hands"][2][3] = "3-12"
    assert refusal(record) == (
        "round 1, the deal: not a tile: '3-12'; a tile is written like 12-7, the larger number first"
    )


@pytest.mark.parametrize("tile", [None, 7, ["12-3"]])
@pytest.mark.parametrize("where", ["hands", "boneyard"])
def test_what_is_no_text_in_the_deal(where: str, tile: object) -> None:
    record = game()
    place = record["rounds"][1][where]
    (place[0] if where == "hands" else place)[0] = tile
    assert refusal(record).startswith("round 2, the deal: ")


def test_the_order_of_the_boneyard_matters() -> None:
    record = game()
    boneyard = record["rounds"][0]["boneyard"]
    boneyard[0], boneyard[1] = boneyard[1], boneyard[0]
    k = first(record, "draw")
    assert refusal(record) == f"round 1, event {k}: the next tile of the boneyard is {boneyard[0]}, not {boneyard[1]}"


# ── Damage to what is said about a round or a game ────────────────────────────────────────────────────────

ROUND_2 = [("number", 1), ("number", 3), ("starter", 0), ("starter", 2), ("engine", "12-12"), ("engine", "1-1")]
ROUND_2 += [("end", "blocked"), ("end", "won"), ("end", None), ("engine", None), ("number", True), ("starter", None)]
ROUND_2 += [("number", 2.0), ("starter", 1.0), ("starter", True)]


@pytest.mark.parametrize(("field", "value"), ROUND_2, ids=[f"{field}={value!r}" for field, value in ROUND_2])
def test_a_wrong_field_of_a_round(field: str, value: object) -> None:
    record = game()
    assert (record["rounds"][1]["starter"], record["rounds"][1]["end"]) == (1, "out")
    right, record["rounds"][1][field] = record["rounds"][1][field], value
    said = refusal_of_ours(record)
    assert said == f"round 2: {field} is {value!r}, not {right!r}"


def refusal_of_ours(record: object) -> str:
    """Return why we refuse a record, whatever the referee says: it takes 1.0 for 1 in the round's own fields."""
    with pytest.raises(RecordError) as caught:
        replayed(record)
    return str(caught.value)


@pytest.mark.parametrize("starter", [3, -1, True, None, 1.0, "0"])
def test_the_first_starter_is_a_seat(starter: object) -> None:
    record = game(0)
    record["rounds"][0]["starter"] = starter
    assert "starter" in refusal_of_ours(record)


def test_wrong_scores() -> None:
    record = game()
    right = list(record["rounds"][1]["scores"])
    record["rounds"][1]["scores"][0] += 1
    assert refusal(record) == f"round 2: scores is {record['rounds'][1]['scores']}, not {right}"


@pytest.mark.parametrize("zero", [False, 0.0])
def test_scores_are_whole_numbers(zero: object) -> None:
    record = game()
    scores = record["rounds"][1]["scores"]
    scores[scores.index(0)] = zero
    assert "scores" in refusal_of_ours(record)


@pytest.mark.parametrize("field", ["totals", "ranks"])
def test_wrong_totals_and_ranks(field: str) -> None:
    record = game()
    right = list(record[field])
    record[field][0] += 1
    assert refusal(record) == f"{field} are {record[field]}, not {right}"
    record[field] = None
    assert field in refusal(record)


def test_competition_ranks_and_no_others() -> None:
    """1, 1, 3 and not 1, 1, 2."""
    record = next(record for record in map(tied, range(200)) if record)
    assert record["ranks"].count(1) == 2
    assert 3 in record["ranks"]
    assert replayed(record) == record
    record["ranks"] = [2 if rank == 3 else rank for rank in record["ranks"]]
    assert refusal(record).startswith("ranks are ")


def tied(seed: int) -> dict | None:
    """Return a game of three seats whose first rank is shared, if the deal of that number makes one."""
    rules = preset("standard", max_pip=6, hand_size=2, rounds=2, scoring="tiles")
    record = play_game(rules, ["r"] * 3, regenerate.choose, seed=seed, game=0, starter=0)
    return record if record["ranks"].count(1) == 2 else None


def test_a_round_too_few_or_too_many() -> None:
    record = game()
    record["rounds"].pop()
    assert refusal(record) == "1 rounds, where the rules say 2"
    record = game()
    record["rounds"].append(record["rounds"][1])
    assert refusal(record) == "3 rounds, where the rules say 2"


def test_another_number_of_agents_or_players() -> None:
    record = game()
    record["agents"].append("random")
    assert refusal(record) == "4 agents for 3 players"
    record = game()
    record["players"] = 5
    assert refusal(record) == "players goes from 2 to 4 in these rules, not 5"


@pytest.mark.parametrize("players", [3.0, "3", None, True, 3.5])
def test_the_number_of_players_is_a_whole_number(players: object) -> None:
    assert refusal(game() | {"players": players})


@pytest.mark.parametrize("agents", ["abc", None, [1, 2, 3], ["a", "b", None]])
def test_agents_are_names(agents: object) -> None:
    assert refusal(game() | {"agents": agents})


def test_an_unknown_format() -> None:
    assert refusal(game() | {"format": "mtrain-record/2"}) == "format is 'mtrain-record/2', not 'mtrain-record/1'"


FIELDS = ["format", "rules", "players", "agents", "seed", "game", "rounds", "totals", "ranks"]


@pytest.mark.parametrize("field", FIELDS)
def test_a_missing_field_of_a_game(field: str) -> None:
    record = game()
    del record[field]
    assert field in refusal(record)


@pytest.mark.parametrize("field", ["number", "engine", "starter", "hands", "boneyard", "events", "scores", "end"])
def test_a_missing_field_of_a_round(field: str) -> None:
    record = game()
    del record["rounds"][1][field]
    said = refusal(record)
    assert field in said
    assert "round 2" in said


@pytest.mark.parametrize("field", ["rounds", "hands", "boneyard", "events"])
@pytest.mark.parametrize("value", [None, 3, True])
def test_a_list_that_is_none(field: str, value: object) -> None:
    record = game()
    (record if field == "rounds" else record["rounds"][0])[field] = value
    assert refusal(record)


@pytest.mark.parametrize("record", [[], None, 3, "record"])
def test_what_is_no_record(record: object) -> None:
    assert refusal_of_ours(record).startswith("not a game record")


def test_rules_must_be_all_known_and_all_there() -> None:
    record = game()
    record["rules"]["jokers"] = 2
    assert refusal(record).startswith("unknown rule 'jokers'")
    record = game()
    del record["rules"]["scoring"]
    assert refusal(record) == "the rules lack scoring"


WRONG_RULES = [
    ("max_pip", 13), ("rounds", 14), ("hand_size", 31), ("engine", "none"), ("draw_to_cover", 1), ("scoring", None),
    ("draw_to_cover", "yes"), ("rounds", "2"), ("rounds", 2.0), ("max_pip", 12.0), ("players", "2-4"),
    ("hand_size", "15"), ("players", [4, 2]), ("double_blank", -1),
]  # fmt: skip


@pytest.mark.parametrize(("field", "value"), WRONG_RULES, ids=[f"{field}={value!r}" for field, value in WRONG_RULES])
def test_rules_that_are_none(field: str, value: object) -> None:
    record = game()
    record["rules"][field] = value
    assert field in refusal(record)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("draw_to_cover", False),
        ("after_double", "extra"),
        ("scoring", "tiles"),
        ("first_turn", "train"),
        ("max_pip", 15),
    ],
)
def test_a_game_played_by_other_rules(field: str, value: object) -> None:
    record = game()
    record["rules"][field] = value
    assert refusal(record).startswith("round ")


@given(st.integers(0, len(GAMES) - 1), SEEDS)
@settings(SLOW, max_examples=150)
def test_whatever_is_changed_is_refused_as_the_referee_refuses_it(k: int, seed: int) -> None:
    """Swap, drop, double or replace anything at random: we and the referee take the same records, or neither."""
    rng = random.Random(seed)
    record = game(k)
    round_ = rng.choice(record["rounds"])
    events = round_["events"]
    at = rng.randrange(len(events))
    how = rng.choice(["drop", "double", "swap", "replace", "seat", "deal", "score"])
    if how == "drop":
        del events[at]
    elif how == "double":
        events.insert(at, copy.deepcopy(events[at]))
    elif how == "swap":
        other = rng.randrange(len(events))
        events[at], events[other] = events[other], events[at]
    elif how == "replace":
        events[at][-1] = rng.choice([0, 1, "mexican", "3-2", "0-0", "6-5"])
    elif how == "seat":
        events[at][0] = rng.randrange(record["players"])
    elif how == "deal":
        a, b = rng.choice(round_["hands"]), rng.choice([*round_["hands"], round_["boneyard"] or round_["hands"][0]])
        i, j = rng.randrange(len(a)), rng.randrange(len(b))
        a[i], b[j] = b[j], a[i]
    else:
        round_["scores"][rng.randrange(record["players"])] += rng.choice([0, 1])
    try:
        reference.check_record(record)
    except reference.Breach:
        assert "round " in refusal(record)
    else:
        assert to_line(replayed(record)) == to_line(record)


# ── Playing, following, reading, counting ─────────────────────────────────────────────────────────────────


def test_an_answer_that_is_not_legal_is_refused_and_named() -> None:
    position = new_game(preset("standard"), 2, seed=3)
    with pytest.raises(IllegalAction, match="0 is not an action"):
        play_round(position, lambda position: 0)


def test_only_real_choices_are_asked() -> None:
    asked = []

    def choose(position: np.ndarray) -> int:
        asked.append(len(legal_actions(position)))
        return legal_actions(position)[0]

    play_game(preset("pinecone", rounds=1), ["a", "b"], choose, seed=3, game=0, starter=0)
    assert asked
    assert min(asked) >= 2


@given(rule_sets(), SEEDS)
@settings(SLOW, max_examples=20)
def test_a_refused_event_leaves_the_position_untouched(table: tuple[dict, int], seed: int) -> None:
    position = deal_by_chance(*table, seed)
    before = position.tobytes()
    for event in ([10, "pass"], [0, "draw", "19-0"], [0, "play", "0-0", 11], [0, "engine", "1-0"], [0], "x", []):
        with pytest.raises(IllegalAction):
            follow(position, event)
        assert position.tobytes() == before


def test_a_round_may_be_followed_from_hands_given_by_hand() -> None:
    tiles = [parse_tile(tile) for tile in reference.full_set(6) if tile != "6-6"]
    position = deal_hands(preset("standard", max_pip=6, hand_size=3, rounds=7), [tiles[:3], tiles[3:6]], tiles[6:])
    assert forced_event(position) == [0, "draw", "3-0"]


def test_lines_are_numbered_and_must_be_objects() -> None:
    lines = regenerate.GAMES.read_text(encoding="utf-8")
    read = list(read_records(io.StringIO(lines)))
    assert [number for number, _, _ in read] == list(range(1, len(GAMES) + 1))
    assert [text for _, _, text in read] == lines.splitlines()
    assert [record for _, record, _ in read] == GAMES
    for text, said in (("{}\n[1]\n", "line 2: not a game record, but a list"), ("{}\n{\n", "line 2: not JSON: ")):
        with pytest.raises(RecordError) as caught:
            list(read_records(io.StringIO(text)))
        assert str(caught.value).startswith(said)


def test_perft_counts_sequences_and_leaves_the_position_alone() -> None:
    position = parse_position("seats 2\nhand 0: 12-3 4-3\nhand 1: 12-5\nboneyard: 9-8")
    before = position.tobytes()
    # 12-3 on 0 or the Mexican train; then 12-5 goes out on either train left to it.
    assert perft(position, 3) == [2, 3, 0]
    assert position.tobytes() == before
