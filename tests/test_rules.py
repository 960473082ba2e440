"""RuleSets: the presets, what can be dealt, and the sentence that refuses what cannot."""

import json
from dataclasses import FrozenInstanceError, fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtrain.arena.spec import house_rules
from mtrain.bots.versions import rules_hash
from mtrain.game import rules
from mtrain.game.moves import new_game
from mtrain.game.rules import MEANING, RulesError, RuleSet, override, preset
from mtrain.game.tiles import HI, LO, PIPS, SETS, set_size, tile_text
from tests.reference import CHOICES, PRESETS


def refusal(call, *values, **named) -> str:
    """Return the sentence with which a call is refused."""
    with pytest.raises(RulesError) as caught:
        call(*values, **named)
    return str(caught.value)


# ── Presets ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_says_what_the_rules_say(name: str) -> None:
    assert preset(name).to_json() == PRESETS[name]


def test_there_are_no_other_presets_and_no_other_fields() -> None:
    assert set(rules.PRESETS) == set(PRESETS)
    assert [field.name for field in fields(RuleSet)] == list(MEANING) == list(PRESETS["standard"])


def test_every_choice_is_known_and_no_other() -> None:
    words = {field: set(choices) for field, choices in CHOICES.items() if field in rules.CHOICES}
    assert {field: set(choices) for field, choices in rules.CHOICES.items()} == words


def test_what_a_text_leaves_out_is_said_to_be_assumed() -> None:
    assert rules.ASSUMED == {"standard": {"hand_size": (3, 5, 6, 7)}}


@pytest.mark.parametrize(("name", "least", "most"), [("standard", 2, 8), ("pinecone", 2, 4), ("cardinal", 2, 8)])
def test_a_preset_is_dealt_to_its_numbers_of_players_and_no_other(name: str, least: int, most: int) -> None:
    assert preset(name).dealable() == list(range(least, most + 1))
    for players in (least - 1, most + 1):
        assert (
            refusal(preset(name).hand_for, players)
            == f"players goes from {least} to {most} in these rules, not {players}"
        )


def test_trainyard_seats_ten() -> None:
    assert [preset("trainyard").hand_for(n) for n in range(2, 11)] == [15, 15, 15, 12, 12, 10, 10, 8, 8]


@pytest.mark.parametrize("name", PRESETS)
def test_a_rule_set_is_a_frozen_value(name: str) -> None:
    with pytest.raises(FrozenInstanceError):
        preset(name).rounds = 3  # type: ignore[misc]
    assert preset(name) == preset(name) != replace(preset(name), double_blank=50)


# ── The set ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("max_pip", "size"), [(6, 28), (9, 55), (12, 91), (15, 136), (18, 190)])
def test_K20_the_set_for_each_max_pip(max_pip: int, size: int) -> None:
    deck = new_game(preset("trainyard", max_pip=max_pip, hand_size=5), 4, seed=1)[0].deck[: set_size(max_pip)]
    tiles = {tile_text(int(tile)) for tile in deck}
    assert len(tiles) == len(deck) == size
    assert sorted(tiles) == sorted(f"{hi}-{lo}" for hi in range(max_pip + 1) for lo in range(hi + 1))
    assert [text for text in tiles if set(text.split("-")) == {"0"}] == ["0-0"]


def test_sets_nest_and_a_tile_means_the_same_in_each() -> None:
    assert [(int(HI[t]), int(LO[t])) for t in range(190)] == [(hi, lo) for hi in range(19) for lo in range(hi + 1)]
    assert PIPS.tolist() == [hi + lo for hi in range(19) for lo in range(hi + 1)]


@pytest.mark.parametrize("max_pip", [0, 1, 5, 7, 10, 13, 19, 21, -6, "12", 12.0, 12.5, None, True])
def test_K20_no_other_set(max_pip: object) -> None:
    assert refusal(RuleSet, max_pip=max_pip) == f"max_pip is one of 6, 9, 12, 15, 18, not {max_pip!r}"


# ── What cannot be dealt ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("players", "hand_size", "need"), [(7, 15, 105), (8, 12, 96)])
def test_K22_too_many_tiles_for_the_set(players: int, hand_size: int, need: int) -> None:
    house = preset("standard", hand_size=hand_size)
    said = f"hand_size cannot be dealt: {players} players × {hand_size} tiles need {need}, "
    said += "but the double-12 set (max_pip=12) has 90 besides the engine"
    assert refusal(house.hand_for, players) == said
    assert refusal(new_game, house, players, seed=1) == said


@pytest.mark.parametrize(
    ("changes", "players", "numbers"),
    [
        ({"max_pip": 6, "hand_size": 14}, 2, ["28", "27 besides the engine", "max_pip=6"]),
        ({"max_pip": 6, "hand_size": 10, "engine": "first-double"}, 3, ["30", "has 28"]),
        ({"max_pip": 9, "hand_size": 9}, 8, ["72", "54 besides the engine"]),
        ({"hand_size": 46, "engine": "highest-double"}, 2, ["92", "has 91"]),
        ({"max_pip": 18, "hand_size": 24}, 8, ["192", "189 besides the engine"]),
    ],
)
def test_K22_on_other_sets(changes: dict, players: int, numbers: list[str]) -> None:
    said = refusal(preset, "standard", players=(players, players), rounds=1, **changes)
    assert said.startswith(f"hand_size cannot be dealt: {players} players × {changes['hand_size']} tiles need")
    assert [number for number in numbers if number not in said] == []


@pytest.mark.parametrize(
    ("changes", "players", "size"),
    [
        ({"hand_size": 45}, 2, 45),  # 90 tiles and the engine: the boneyard is empty
        ({"hand_size": 13, "engine": "first-double"}, 7, 13),  # 91 tiles
        ({"max_pip": 6, "hand_size": 14, "engine": "highest-double", "rounds": 1}, 2, 14),  # 28 tiles
    ],
)
def test_the_whole_set_may_be_dealt(changes: dict, players: int, size: int) -> None:
    game = new_game(preset("standard", **changes), players, seed=1)[0]
    assert (game.count[:players].tolist(), int(game.n_tiles - game.top)) == ([size] * players, 0)


def test_a_rule_set_may_serve_some_numbers_of_players_only() -> None:
    house = preset("standard", hand_size=15)
    assert house.dealable() == [2, 3, 4, 5, 6]
    assert refusal(house.hand_for, 8).startswith("hand_size cannot be dealt: 8 players × 15 tiles need 120")


def test_a_hand_size_left_out_is_refused_by_the_number_of_players() -> None:
    house = preset("standard", hand_size={2: 15, 4: 10})
    assert house.dealable() == [2, 4]
    assert refusal(house.hand_for, 3) == "hand_size says nothing for 3 players (it does for 2, 4)"
    assert "hand_size" in refusal(preset, "standard", hand_size={9: 5})
    assert "hand_size" in refusal(preset, "standard", hand_size={})


@pytest.mark.parametrize("max_pip", SETS)
def test_countdown_has_one_engine_for_every_number(max_pip: int) -> None:
    most = max_pip + 1
    assert preset("standard", max_pip=max_pip, hand_size=5, players=(2, 4), rounds=most).rounds == most
    said = f"rounds is {most + 1}, but at most {most} can be played (engine=countdown on a double-{max_pip} set)"
    assert refusal(preset, "standard", max_pip=max_pip, hand_size=5, players=(2, 4), rounds=most + 1) == said


@pytest.mark.parametrize("engine", ["first-double", "highest-double"])
def test_other_engines_play_more_rounds_than_there_are_doubles(engine: str) -> None:
    assert preset("standard", engine=engine, rounds=20).rounds == 20


# ── Bad values ────────────────────────────────────────────────────────────────────────────────────────────

BAD = [
    ("players", (1, 4), "players goes from 2 to 10, not 1"),
    ("players", (2, 11), "players goes from 2 to 10, not 11"),
    ("players", (5, 3), "players is the least and the most, not [5, 3]"),
    ("players", (4,), "players is the least and the most, like [2, 8], not (4,)"),
    ("players", 4, "players is the least and the most, like [2, 8], not 4"),
    ("players", (2, True), "players is a whole number from 2 to 10, not True"),
    ("players", (2, 8.0), "players is a whole number from 2 to 10, not 8.0"),
    ("hand_size", 0, "hand_size goes from 1 to 50, not 0"),
    ("hand_size", 51, "hand_size goes from 1 to 50, not 51"),
    ("hand_size", None, "hand_size is a whole number from 1 to 50, not None"),
    ("hand_size", 7.0, "hand_size is a whole number from 1 to 50, not 7.0"),
    ("hand_size", True, "hand_size is a whole number from 1 to 50, not True"),
    ("hand_size", {2: -1}, "hand_size goes from 1 to 50, not -1"),
    ("hand_size", {2: "x"}, "hand_size is a whole number from 1 to 50, not 'x'"),
    ("rounds", 0, "rounds goes from 1 to 13, not 0"),
    ("rounds", -3, "rounds goes from 1 to 13, not -3"),
    ("rounds", True, "rounds is a whole number from 1 to 13, not True"),
    ("rounds", 2.5, "rounds is a whole number from 1 to 13, not 2.5"),
    ("engine", "double", "engine is one of countdown, first-double, highest-double, not 'double'"),
    ("engine", None, "engine is one of countdown, first-double, highest-double, not None"),
    ("first_turn", "Train", "first_turn is one of single, train, not 'Train'"),
    ("first_turn_doubles", True, "first_turn_doubles is one of count, ignored, not True"),
    ("drawn_tile", "can", "drawn_tile is one of may, must, not 'can'"),
    ("after_double", [], "after_double is one of cover, extra, not []"),
    ("draw_to_cover", 1, "draw_to_cover is true or false, not 1"),
    ("draw_to_cover", None, "draw_to_cover is true or false, not None"),
    ("mark_uncovered", 0, "mark_uncovered is true or false, not 0"),
    ("exhausted_double", "shut", "exhausted_double is one of open, closed, not 'shut'"),
    ("scoring", "points", "scoring is one of pips, tiles, not 'points'"),
    ("double_blank", -1, "double_blank goes from 0 to 1000, not -1"),
    ("double_blank", 1001, "double_blank goes from 0 to 1000, not 1001"),
    ("double_blank", 50.0, "double_blank is a whole number from 0 to 1000, not 50.0"),
    ("tie_break", "none", "tie_break is one of shared, zero-rounds, not 'none'"),
]


@pytest.mark.parametrize(("field", "value", "said"), BAD, ids=[f"{field}={value!r}" for field, value, _ in BAD])
def test_a_bad_value_is_refused_with_one_sentence(field: str, value: object, said: str) -> None:
    assert refusal(RuleSet, **{field: value}) == said


@pytest.mark.parametrize("keys", ["a", "", "2.5", "1", "11", None, 2.5, True])
def test_hand_size_goes_by_numbers_of_players(keys: object) -> None:
    said = f"hand_size is given by number of players (2 to 10), not by {keys!r}"
    assert refusal(preset, "standard", hand_size={keys: 9}) == said
    assert refusal(RuleSet, hand_size={keys: 9}).startswith("hand_size ")


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    assert refusal(preset, "standrad") == "unknown rules 'standrad'; did you mean 'standard'?"
    assert refusal(preset, "chess") == "unknown rules 'chess'; choose from standard, pinecone, cardinal, trainyard"
    assert refusal(preset, "standard", dobule_blank=50) == "unknown rule 'dobule_blank'; did you mean 'double_blank'?"
    assert refusal(override, preset("standard"), {"zzz": 1}).startswith(
        "unknown rule 'zzz'; choose from max_pip, players"
    )


# ── Overrides ─────────────────────────────────────────────────────────────────────────────────────────────

TEXTS = [
    ("max_pip", "9", 9),
    ("players", "2-4", (2, 4)),
    ("players", "2–4", (2, 4)),
    ("players", "2,4", (2, 4)),
    ("players", "[2, 4]", (2, 4)),
    ("hand_size", "7", 7),
    ("hand_size", "2:9,3:7", {2: 9, 3: 7}),
    ("hand_size", "3: 7, 2: 9", {2: 9, 3: 7}),
    ("hand_size", '{"2": 9, "3": 7}', {2: 9, 3: 7}),
    ("rounds", " 3 ", 3),
    ("engine", "first-double", "first-double"),
    ("first_turn", "train", "train"),
    ("draw_to_cover", "yes", True),
    ("draw_to_cover", "True", True),
    ("draw_to_cover", "1", True),
    ("draw_to_cover", "no", False),
    ("mark_uncovered", "FALSE", False),
    ("mark_uncovered", "0", False),
    ("scoring", "tiles", "tiles"),
    ("double_blank", "50", 50),
    ("tie_break", "zero-rounds", "zero-rounds"),
]


@pytest.mark.parametrize(("field", "text", "value"), TEXTS, ids=[f"{field}={text}" for field, text, _ in TEXTS])
def test_an_override_is_read_from_text(field: str, text: str, value: object) -> None:
    small = preset("pinecone", hand_size=5, rounds=1)
    assert override(small, {field: text}) == override(small, {field: value})
    assert getattr(override(small, {field: text}), field) == value


BAD_TEXTS = [
    ("max_pip", "dozen", "max_pip is one of 6, 9, 12, 15, 18, not 'dozen'"),
    ("rounds", "many", "rounds is a whole number from 1 to 13, not 'many'"),
    ("rounds", "14", "rounds is 14, but at most 13 can be played (engine=countdown on a double-12 set)"),
    ("rounds", "true", "rounds is a whole number from 1 to 13, not True"),
    ("rounds", "1e1", "rounds is a whole number from 1 to 13, not 10.0"),
    ("rounds", "", "rounds is a whole number from 1 to 13, not ''"),
    ("draw_to_cover", "maybe", "draw_to_cover is true or false, not 'maybe'"),
    ("engine", "8-8", "engine is one of countdown, first-double, highest-double, not '8-8'"),
    ("hand_size", "ten", "hand_size is a whole number from 1 to 50, not 'ten'"),
    ("hand_size", "2:x", "hand_size is a whole number from 1 to 50, not 'x'"),
    ("hand_size", "x:2", "hand_size is given by number of players (2 to 10), not by 'x'"),
    ("hand_size", "2:15,3", "hand_size is a whole number from 1 to 50, not ''"),
    ("hand_size", "12:2", "hand_size is given by number of players (2 to 10), not by '12'"),
    ("players", "2-x", "players is a whole number from 2 to 10, not 'x'"),
    ("players", "2-²", "players is a whole number from 2 to 10, not '²'"),
    ("players", "2-4-6", "players is the least and the most, like [2, 8], not (2, 4, 6)"),
    ("double_blank", "NaN", "double_blank is a whole number from 0 to 1000, not nan"),
]


@pytest.mark.parametrize(("field", "text", "said"), BAD_TEXTS, ids=[f"{field}={text}" for field, text, _ in BAD_TEXTS])
def test_a_bad_text_is_refused_with_one_sentence(field: str, text: str, said: str) -> None:
    assert refusal(override, preset("standard"), {field: text}) == said


def test_a_number_of_players_named_twice_is_not_dropped_silently() -> None:
    assert "2" in refusal(override, preset("standard"), {"hand_size": "2:15,2:10"})


@given(field=st.sampled_from(list(MEANING)), text=st.text(max_size=8))
@settings(deadline=None, max_examples=300)
def test_no_text_is_refused_but_with_a_rules_error(field: str, text: str) -> None:
    try:
        made = override(preset("trainyard"), {field: text})
    except RulesError as error:
        said = str(error)
        assert field in said
    else:
        assert RuleSet.from_json(made.to_json()) == made


def test_an_override_leaves_all_else_alone() -> None:
    house = preset("pinecone", first_turn="train")
    assert house.to_json() == PRESETS["pinecone"] | {"first_turn": "train"}
    changes = {"rounds": 13, "engine": "countdown", "scoring": "pips"}
    assert preset("cardinal", **changes).to_json() == PRESETS["cardinal"] | changes


# ── JSON ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", PRESETS)
def test_rules_survive_json(name: str) -> None:
    text = json.dumps(preset(name).to_json())
    assert RuleSet.from_json(json.loads(text)) == preset(name)
    assert json.dumps(RuleSet.from_json(json.loads(text)).to_json()) == text


def test_hand_sizes_are_written_by_number_of_players() -> None:
    assert preset("standard", hand_size={4: 10, 2: 15}).to_json()["hand_size"] == {"2": 15, "4": 10}
    assert preset("standard", hand_size=9).to_json()["hand_size"] == 9


def test_json_must_say_every_field() -> None:
    short = {field: value for field, value in PRESETS["standard"].items() if field not in ("rounds", "scoring")}
    assert refusal(RuleSet.from_json, short) == "the rules lack rounds, scoring"
    assert refusal(RuleSet.from_json, PRESETS["standard"] | {"jokers": 2}).startswith("unknown rule 'jokers'")


def test_a_field_that_came_later_has_its_default_in_what_was_kept_before_and_moves_no_hash(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = {field: value for field, value in PRESETS["standard"].items() if field != "double_blank"}
    monkeypatch.setitem(rules.SINCE, "double_blank", "9.9.9")
    assert RuleSet.from_json(before) == preset("standard")
    assert preset("standard").to_json() == before
    assert preset("standard").all_fields() == PRESETS["standard"]
    house = preset("standard", double_blank=50)
    assert RuleSet.from_json(house.to_json()) == house
    assert house.to_json() == PRESETS["standard"] | {"double_blank": 50}
    assert rules_hash(house) != rules_hash(preset("standard"))
    assert house_rules(house) == ("standard", {"double_blank": 50})
    monkeypatch.delitem(rules.SINCE, "double_blank")
    assert refusal(RuleSet.from_json, before) == "the rules lack double_blank"


@pytest.mark.parametrize(
    ("field", "value"),
    [("rounds", "13"), ("draw_to_cover", "yes"), ("players", "2-8"), ("hand_size", "2:15"), ("max_pip", 12.0)],
)
def test_json_values_are_not_read_as_on_a_command_line(field: str, value: object) -> None:
    """A record holds true, 13 and [2, 8]; "yes", "13" and "2-8" are a person's short forms."""
    assert field in refusal(RuleSet.from_json, PRESETS["standard"] | {field: value})
