"""Tiles, trains, actions and positions as text: each parser is its printer's inverse, and bad texts are refused."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtrain.game import moves
from mtrain.game.kernels import PASS, lay
from mtrain.game.moves import advance, legal_actions, new_game, observe
from mtrain.game.notation import Action, action_text, parse_action, parse_train, train_text
from mtrain.game.positions import parse_position, position_text
from mtrain.game.rules import preset
from mtrain.game.state import STATE
from mtrain.game.tiles import HI, LO, MAX_TILES, PIPS, parse_tile, tile_of, tile_text
from tests.helpers.deals import SEEDS, SLOW, deal_by_chance, rule_sets, walk

# What plays no part in a position, and no part in its text; `legal` and its kin are what `advance` finds.
UNSAID = {"tally", "stream", "legal", "n_legal", "may_pass"}
UNSAID |= {name for name in STATE.names or () if name.startswith("pad")}
# Of these a part is in use, and the rest is whatever it is.
LISTS: dict = {"deck": lambda s: s.deck[s.top : s.n_tiles], "open_on": lambda s: s.open_on[: s.n_open]}


def exactly(sentence: str) -> str:
    """Return the pattern that a sentence matches, and no other."""
    return f"^{re.escape(sentence)}$"


# ── Tiles ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_tile_is_read_as_it_is_written() -> None:
    assert [parse_tile(tile_text(tile)) for tile in range(MAX_TILES)] == list(range(MAX_TILES))
    assert len({tile_text(tile) for tile in range(MAX_TILES)}) == MAX_TILES == 190


def test_a_tile_has_no_order_but_its_text_has() -> None:
    assert tile_of(7, 12) == tile_of(12, 7) == parse_tile("12-7")
    assert [int(table[parse_tile("12-7")]) for table in (HI, LO, PIPS)] == [12, 7, 19]


NO_TILES = ["7-12", "19-0", "19-19", "-1-0", "3-", "-3", "3", "3-2-1", "03-2", "3-02", "3–2", "a-b", "1٢-7", "³-2"]


@pytest.mark.parametrize("text", [*NO_TILES, "", "3 - 2", " 3-2", "3-2\n"])
def test_what_is_no_tile_is_refused_with_the_word(text: str) -> None:
    said = f"not a tile: {text!r}; a tile is written like 12-7, the larger number first"
    with pytest.raises(ValueError, match=exactly(said)):
        parse_tile(text)


@given(st.text(max_size=6))
@settings(max_examples=300)
def test_no_other_text_is_a_tile(text: str) -> None:
    try:
        tile = parse_tile(text)
    except ValueError as error:
        said = str(error)
        assert repr(text) in said
    else:
        assert tile_text(tile) == text


# ── Trains and actions ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("n_seats", range(2, 11))
def test_every_train_is_read_as_it_is_written(n_seats: int) -> None:
    texts = [train_text(train, n_seats) for train in range(n_seats + 1)]
    assert texts == [*map(str, range(n_seats)), "mexican"]
    assert [parse_train(text, n_seats) for text in texts] == list(range(n_seats + 1))


@pytest.mark.parametrize("text", ["4", "-1", "00", "01", "", "Mexican", "mexican ", "1.0", "x", "²", "٢", "True"])
def test_what_is_no_train_is_refused_with_the_word(text: str) -> None:
    with pytest.raises(ValueError, match=exactly(f"not a train: {text!r}; a train is a seat from 0 to 3, or mexican")):
        parse_train(text, 4)


@pytest.mark.parametrize("n_seats", range(2, 11))
def test_every_action_is_read_as_it_is_written(n_seats: int) -> None:
    actions = [lay(train, hi, lo) for train in range(n_seats + 1) for hi in range(19) for lo in range(hi + 1)] + [PASS]
    texts = [action_text(action, n_seats) for action in actions]
    assert [parse_action(text, n_seats) for text in texts] == actions
    assert len(set(actions)) == len(set(texts)) == (n_seats + 1) * 190 + 1
    assert 0 not in actions


def test_actions_as_people_write_them() -> None:
    texts = ["12-7@3", "12-7@mexican", "0-0@0", "pass"]
    assert [action_text(parse_action(text, 4), 4) for text in texts] == texts
    assert [parse_action(text, 4) for text in texts] == [lay(3, 12, 7), lay(4, 12, 7), lay(0, 0, 0), PASS]


def test_an_action_has_names_for_its_parts() -> None:
    action = parse_action("12-7@3", 4)
    assert (action.is_pass, action.is_lay, action.train, action.hi, action.lo) == (False, True, 3, 12, 7)
    assert (action.tile, action.pips, action.is_double) == (parse_tile("12-7"), 19, False)
    assert parse_action("7-7@mexican", 4).is_double
    assert parse_action("7-7@mexican", 4).train == 4
    stop = parse_action("pass", 4)
    assert (stop.is_pass, stop.is_lay, stop.train, stop.hi, stop.lo, stop.tile, stop.pips, stop.is_double) == (
        True, False, -1, -1, -1, -1, -1, False,
    )  # fmt: skip
    assert isinstance(action, int)
    assert {action: "laid"}[lay(3, 12, 7)] == "laid"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", ""),
        ("Pass", "Pass"),
        ("pass@0", "pass"),
        ("12-7", "12-7"),
        ("7-12@3", "7-12"),
        ("12-7@4", "4"),
        ("12-7@", ""),
        ("@3", ""),
        ("12-7@3@3", "3@3"),
        ("12-7 @3", "12-7 "),
        ("draw", "draw"),
    ],
)
def test_what_is_no_action_is_refused_with_the_word(text: str, word: str) -> None:
    with pytest.raises(ValueError, match=f"^not a.*{re.escape(repr(word))}"):
        parse_action(text, 4)


# ── Positions ─────────────────────────────────────────────────────────────────────────────────────────────


def differences(one: np.ndarray, other: np.ndarray) -> list[str]:
    """Return the fields in which two positions differ, but for what a text does not say."""
    names = [name for name in STATE.names or () if name not in UNSAID | set(LISTS)]
    different = [name for name in names if not np.array_equal(one[0][name], other[0][name])]
    lists = [name for name, used in LISTS.items() if not np.array_equal(used(one[0]), used(other[0]))]
    return different + lists


def assert_inverse(position: np.ndarray) -> None:
    """Both ways: the text gives back the position, and that position the text."""
    text = position_text(position)
    read = parse_position(text)
    assert differences(read, position) == []
    assert position_text(read) == text


@given(rule_sets(), SEEDS)
@settings(SLOW, max_examples=50)
def test_positions_along_random_rounds(table: tuple[dict, int], seed: int) -> None:
    position = deal_by_chance(*table, seed)
    assert_inverse(position)  # before anything has happened: perhaps no engine yet
    for k, here in enumerate(walk(position, seed)):
        if k % 8 == 0:
            assert_inverse(here)
            read = parse_position(position_text(here))
            assert advance(read) == here[0].n_legal
            assert legal_actions(read) == legal_actions(here)
    assert position[0].over
    assert_inverse(position)


@given(rule_sets(), SEEDS)
@settings(SLOW, max_examples=50)
def test_observations_along_random_rounds(table: tuple[dict, int], seed: int) -> None:
    position = deal_by_chance(*table, seed)
    for k, here in enumerate(walk(position, seed)):
        if k % 7 == 0:
            assert_inverse(observe(here, k % table[1]))
    assert_inverse(observe(position, seed % table[1]))


def test_a_later_round_with_scores() -> None:
    position = new_game("pinecone", 3, seed=4, starter=2)
    for _ in range(2):
        while n := advance(position):
            moves.apply(position, legal_actions(position)[n // 2])
        moves.next_round(position, seed=4)
    assert_inverse(position)
    lines = position_text(position).splitlines()
    assert lines[2:4] == ["round 3", "starter 1"]
    assert lines[4] != "scores 0 0 0"


def test_a_position_as_it_is_written() -> None:
    position = parse_position(
        "rules pinecone\nseats 2\ntable: 12-3@1 12-5@mexican\nhand 0: 5-0 3-1\nhand 1: 5-4\nboneyard: 2-1"
    )
    advance(position)
    assert position_text(position) == (
        "rules max_pip=12 hand_size=15 rounds=13 engine=countdown first_turn=single first_turn_doubles=count "
        "drawn_tile=must after_double=cover draw_to_cover=true mark_uncovered=true exhausted_double=closed "
        "scoring=pips double_blank=0\n"
        "seats 2\nround 1\nstarter 0\nscores 0 0\nengine 12-12\n"
        "hand 0: 5-0 3-1\nhand 1: 5-4\nboneyard: 2-1\ntable: 12-3@1 12-5@mexican\n"
        "since: 127 127 127\nsought 0\nmarked\nopen\n"
        "turn 0 owed first drawn 0 riding 0 still 0\nacted\nstopped\nfresh 0 0\nvoid 0:\nvoid 1:\n"
    )


def test_what_is_hidden_is_written_as_a_number() -> None:
    position = parse_position("seats 2\nhand 0: 12-3 4-2\nhand 1: 5-4 5-3 5-1\nboneyard: 2-1 9-8 7-7 7-6")
    advance(position)
    lines = position_text(observe(position, 0)).splitlines()
    assert lines[6:9] == ["hand 0: 12-3 4-2", "hand 1: ?3", "boneyard: ?4"]


def test_what_is_hidden_stays_hidden_when_the_round_is_over() -> None:
    """Seat 1 has gone out: no hand is hidden from seat 0, but the boneyard is."""
    position = parse_position("seats 2\nturn 1\nhand 0: 4-2\nhand 1: 12-4\nboneyard: 2-1 9-8")
    advance(position)
    moves.apply(position, parse_action("12-4@1", 2))
    assert position[0].over
    lines = position_text(observe(position, 0)).splitlines()
    assert lines[6:9] == ["hand 0: 4-2", "hand 1:", "boneyard: ?2"]


def test_what_is_not_said_is_as_at_a_turns_beginning() -> None:
    s = parse_position("hand 2: 12-1")[0]
    rules = preset("standard")
    assert (s.n_seats, s.max_pip, s.hand_size, s.number, s.engine) == (4, 12, rules.hand_for(4), 1, 12)
    assert (s.turn, s.owed, s.drawn, s.in_first_train, s.idle_turns, s.over) == (0, 0, 0, 0, 0, 0)
    assert (s.count[:4].tolist(), s.top) == ([0, 0, 1, 0], s.n_tiles)


def test_a_first_turn_is_known_from_who_has_had_one() -> None:
    rides = [parse_position(f"rules trainyard\nacted 0 2\nturn {seat}")[0].in_first_train for seat in range(4)]
    assert rides == [0, 1, 0, 1]


BAD = [
    ("chairs 4", "chairs"),
    ("hand 0 12-3", "hand 0"),
    ("seats four", "four"),
    ("seats", "seats"),
    ("seats 11", "11"),
    ("seats 4\nseats 5", "seats"),
    ("rules standrad", "standrad"),
    ("rules standard pinecone", "pinecone"),
    ("rules standard hnad_size=5", "hnad_size"),
    ("rules standard scoring=points", "points"),
    ("round x", "x"),
    ("round 0", "0"),
    ("round 14", "14"),
    ("starter 4", "4"),
    ("starter x", "x"),
    ("scores 1 2", "scores"),
    ("scores 1 2 3 x", "x"),
    ("engine 12-7", "12-7"),
    ("engine twelve", "twelve"),
    ("engine 13-13", "13-13"),
    ("hand 0: 12-x", "12-x"),
    ("hand 0: 3-12", "3-12"),
    ("hand 0: 13-1", "13-1"),
    ("hand 4: 12-3", "hand 4"),
    ("hand 10: 12-3", "hand 10"),
    ("hand 0: 12-3 12-3", "12-3"),
    ("hand 0: 12-3\nhand 1: 12-3", "12-3"),
    ("hand 0: 12-3\nboneyard: 12-3", "12-3"),
    ("hand 0: 12-3\ntable: 12-3@0", "12-3"),
    ("hand 0: 12-12", "12-12"),
    ("boneyard: 12-12", "12-12"),
    ("hand 0: ?x", "?x"),
    ("hand 0: ?-3", "?-3"),
    ("boneyard: ?x", "?x"),
    ("boneyard: ?91", "?91"),
    ("boneyard: 5-3 ?3", "?3"),
    ("boneyard: ?3 5-3", "5-3"),
    ("table: 12-3", "12-3"),
    ("table: 12-3@4", "4"),
    ("table: 12-3@0 7-5@0", "7-5"),
    ("table: 12-3@0 12-3@1", "12-3"),
    ("since:", "since"),
    ("since: 0 0", "not 2"),
    ("since: x", "x"),
    ("since: 128", "128"),
    ("since: 1*", "1*"),
    ("table: 12-3@0\nsince: 0** 0", "0*"),
    ("sought x", "x"),
    ("sought 99", "99"),
    ("stopped 4", "4"),
    ("marked 4", "4"),
    ("marked mexican", "mexican"),
    ("acted x", "x"),
    ("acted mexican", "mexican"),
    ("open 4", "4"),
    ("turn", "turn"),
    ("turn 4", "4"),
    ("turn x", "x"),
    ("turn 0 owed tea", "tea"),
    ("turn 0 owed", "owed"),
    ("turn 0 hungry 1", "hungry"),
    ("turn 0 drawn maybe", "maybe"),
    ("turn 0 still 300", "300"),
    ("fresh 1 2", "fresh"),
    ("fresh 1 2 3 x", "x"),
    ("void 4: 3:0", "void 4"),
    ("void 0: 3", "3"),
    ("void 0: x:1", "x"),
    ("void 0: 13:1", "13:1"),
    ("void 0: 30:1", "30:1"),
    ("over maybe 1 2 3 4", "maybe"),
    ("over out 1 2", "over"),
    ("over out 1 2 3 x", "x"),
]


@pytest.mark.parametrize(("text", "word"), BAD, ids=[text.replace("\n", " / ") for text, _ in BAD])
def test_what_is_no_position_is_refused_with_the_word(text: str, word: str) -> None:
    with pytest.raises(ValueError, match=re.escape(word)):
        parse_position(text)


@given(SEEDS, st.data())
@settings(SLOW, max_examples=150)
def test_a_word_changed_at_random_is_refused_or_read(seed: int, data) -> None:
    """No text breaks the parser: it raises ValueError, or gives a position that has a text of its own."""
    position = new_game("trainyard", 3, seed=seed)
    here = next(here.copy() for k, here in enumerate(walk(position, seed)) if k == seed % 7)
    words = position_text(here).split(" ")
    at = data.draw(st.integers(1, len(words) - 1))
    words[at] = data.draw(st.sampled_from(["", "0", "3", "-1", "99", "12-3", "?2", "mexican", "x", "1:1", "\n"]))
    try:
        read = parse_position(" ".join(words))
    except ValueError:
        return
    assert position_text(parse_position(position_text(read))) == position_text(read)


def test_an_action_of_an_unknown_number_has_no_text_but_its_number_breaks_nothing() -> None:
    assert [Action(0).is_pass, Action(0).is_lay, Action(0).train, Action(0).tile] == [False, False, -1, -1]
