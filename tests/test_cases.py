"""Where Mexican Train programs go wrong, or people argue: a position, and what may happen in it.

Seats are numbered from 0; "train 2" is seat 2's own. A position says what matters; hands and boneyards it does not
mention are empty, and tiles it does not mention do not exist.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mtrain.arena.play import END, ROW, play
from mtrain.bots.registry import Registry, build
from mtrain.game.jit import kernel
from mtrain.game.kernels import advance as go_on
from mtrain.game.kernels import apply as do_action
from mtrain.game.kernels import first_round, nth_action
from mtrain.game.moves import IllegalAction, advance, apply, legal_actions, new_game, next_round
from mtrain.game.notation import action_text, parse_action
from mtrain.game.positions import parse_position, position_text
from mtrain.game.record import follow, forced_event
from mtrain.game.rng import below
from mtrain.game.rules import PRESETS, RuleSet, preset, ranks
from mtrain.game.state import AGENT_STATE, BLOCKED, OUT, RIDE, blank
from mtrain.game.tiles import tile_text
from tests.helpers.deals import SEEDS, deal_by_chance, games_with, plays_of, rule_sets, walk
from tests.reference import ranks as reference_ranks

FULL_TURNS = "acted 0 1 2 3"  # no first-turn trains


def at(*lines: str) -> np.ndarray:
    """Return the position that some lines describe, gone on to its next choice."""
    position = parse_position("\n".join(lines))
    advance(position)
    return position


def can(position: np.ndarray) -> list[str]:
    """Return what the seat on turn may do."""
    return [action_text(action, int(position[0].n_seats)) for action in legal_actions(position)]


def after(position: np.ndarray, *actions: str) -> np.ndarray:
    """Return the position after some actions, gone on to the next choice after each."""
    position = position.copy()
    for action in actions:
        apply(position, parse_action(action, int(position[0].n_seats)))
        advance(position)
    return position


def forced(*lines: str) -> list[str]:
    """Return the events that nobody chooses, from a position on to its next choice: ``0 draw 5-3``."""
    return forced_on(parse_position("\n".join(lines)))


def forced_on(position: np.ndarray) -> list[str]:
    """Do what nobody chooses, in place, and return it."""
    events = []
    while event := forced_event(position):
        events.append(" ".join(map(str, event)))
    return events


def forced_after(position: np.ndarray, *actions: str) -> list[str]:
    """Return the events that nobody chooses after some actions, from the last one on."""
    position = after(position, *actions[:-1])
    apply(position, parse_action(actions[-1], int(position[0].n_seats)))
    return forced_on(position)


def line(position: np.ndarray, word: str) -> str:
    """Return the line of a position's text that begins with a word."""
    return next(text for text in position_text(position).splitlines() if text.startswith(word))


def shown(position: np.ndarray) -> str:
    """Return the open doubles, the markers, and who is on, in one line."""
    return f"{line(position, 'open')}, {line(position, 'marked')}, turn {position[0].turn}"


def refusal(position: np.ndarray, action: str, seat: int | None = None) -> str:
    """Return why an action is refused."""
    with pytest.raises(IllegalAction) as caught:
        apply(position, parse_action(action, int(position[0].n_seats)), seat)
    return str(caught.value)


# ── Stuck seats ───────────────────────────────────────────────────────────────────────────────────────────

K01 = [
    "hand 0: 5-3 4-2",
    "hand 1: 9-8 7-1",
    "hand 2: 6-5 3-1",
    "hand 3: 8-4 9-2",
    "boneyard: 11-10 11-9 11-8 11-7 11-6 11-5 11-4 11-3 11-2 11-1 11-0 10-9 10-8 10-7 10-6 10-5 "
    "10-4 10-3 10-2 10-1 10-0 9-7 9-6 9-5 9-4 9-3 9-1 9-0 8-7 8-6 8-5",
]


@pytest.mark.parametrize("name", PRESETS)
def test_K01_a_lap_of_stuck_seats_ends_nothing_while_tiles_are_left(name: str) -> None:
    position = parse_position("\n".join([f"rules {name}", "engine 12-12", *K01]))
    lap = [forced_event(position) for _ in range(8)]
    assert lap == [
        [0, "draw", "11-10"], [0, "pass"], [1, "draw", "11-9"], [1, "pass"],
        [2, "draw", "11-8"], [2, "pass"], [3, "draw", "11-7"], [3, "pass"],
    ]  # fmt: skip
    assert (position[0].over, position[0].n_tiles - position[0].top) == (0, 27)


@pytest.mark.parametrize("name", PRESETS)
def test_K01_the_round_is_blocked_a_lap_after_the_boneyard_is_empty(name: str) -> None:
    events = forced(f"rules {name}", "engine 12-12", *K01)
    draws = [k for k, event in enumerate(events) if "draw" in event]
    # The 31st tile is drawn by seat 2; then everybody, seat 3 first, passes once more.
    assert (len(draws), events[draws[-1] :]) == (31, ["2 draw 8-5", "2 pass", "3 pass", "0 pass", "1 pass", "2 pass"])


@kernel
def _rounds(states, own, n, limit, seen):
    """Play `n` first rounds at random; count in ``seen: int64[4]`` the ends: out, blocked, blocked too soon, none."""
    s = states[0]
    chance = own[0]
    for k in range(n):
        first_round(s, 5, k, 0, k % np.int64(s.n_seats))
        steps = 0
        legal = go_on(s)
        while legal > 0 and steps < limit:
            do_action(s, nth_action(s, below(chance, legal)))
            steps += 1
            legal = go_on(s)
        if s.over == OUT:
            seen[0] += 1
        elif s.over == BLOCKED and s.top == s.n_tiles:
            seen[1] += 1
        elif s.over == BLOCKED:
            seen[2] += 1
        else:
            seen[3] += 1


def ends_of(rules: RuleSet, players: int, n: int) -> list[int]:
    """Return how `n` random rounds end: out, blocked, blocked with tiles in the boneyard, not at all."""
    seen = np.zeros(4, np.int64)
    _rounds(blank(rules, players), np.zeros(1, AGENT_STATE), n, 1000, seen)
    return seen.tolist()


@pytest.mark.parametrize("name", PRESETS)
def test_K01_K25_every_round_of_a_batch_ends_and_none_too_soon(name: str) -> None:
    ends = np.array([ends_of(preset(name), players, 2000) for players in preset(name).dealable()])
    out, blocked, too_soon, never = ends.sum(0)
    assert (out + blocked, too_soon, never) == (2000 * len(ends), 0, 0)
    assert out > blocked > 0


def test_K13_a_marker_that_is_up_stays_up_and_nothing_else_changes() -> None:
    text = ["hand 0: 5-3", "hand 1: 12-3", "marked 0", "turn 0"]
    before = position_text(parse_position("\n".join(text))).splitlines()
    position = at(*text)
    changed = [new for old, new in zip(before, position_text(position).splitlines(), strict=True) if old != new]
    assert changed == ["turn 1 owed first drawn 0 riding 0 still 1", "acted 0", "void 0: 12:0"]


def test_K13_also_after_a_draw() -> None:
    position = at("hand 0: 5-3", "hand 1: 12-3", "boneyard: 4-1 7-7", "marked 0 2")
    assert (shown(position), line(position, "hand 0")) == ("open, marked 0 2, turn 1", "hand 0: 5-3 4-1")


def test_a_new_marker_keeps_the_round_alive() -> None:
    """Seat 1's marker opens its train to seat 0, which had passed before it."""
    table = ["seats 3", "table: 12-7@0 12-3@1 12-9@mexican 12-10@2", "hand 0: 3-1 2-1", "hand 1: 8-6", "hand 2: 8-5"]
    assert forced(*table, "marked 0 2") == ["0 pass", "1 pass", "2 pass"]
    assert can(at(*table, "marked 0 2")) == ["3-1@1"]


def test_a_lap_without_a_new_marker_blocks_the_round() -> None:
    table = ["seats 3", "table: 12-7@0 12-3@1 12-9@mexican 12-10@2", "hand 0: 2-1", "hand 1: 8-6", "hand 2: 8-5"]
    assert forced(*table, "marked 0 1 2") == ["0 pass", "1 pass", "2 pass"]
    assert forced(*table, "marked 0 2") == ["0 pass", "1 pass", "2 pass", "0 pass", "1 pass"]
    assert line(at(*table, "marked 0 2"), "over") == "over blocked 3 14 13"


# ── An open double comes first ────────────────────────────────────────────────────────────────────────────


def test_K02_the_cover_comes_before_ones_own_train() -> None:
    table = ["table: 12-6@mexican 6-6@mexican 12-4@0", "hand 0: 6-4 4-3", "hand 1: 9-1"]
    assert can(at(*table, "open mexican")) == ["6-4@mexican"]


def test_K02_the_seat_that_laid_the_double_must_cover_it() -> None:
    position = at("table: 12-6@mexican 12-4@0", "hand 0: 6-6 6-4 4-3", "hand 1: 9-1")
    assert can(position) == ["4-3@0", "6-4@0", "6-4@mexican", "6-6@mexican"]
    assert can(after(position, "6-6@mexican")) == ["6-4@mexican"]


@pytest.mark.parametrize("marked", ["marked", "marked 0", "marked 0 1 2 3"])
@pytest.mark.parametrize("name", PRESETS)
def test_K03_a_double_on_a_rivals_train_marked_or_not(name: str, marked: str) -> None:
    table = ["table: 12-6@0 6-6@0 12-3@mexican", "hand 0: 9-1", "hand 1: 7-6 2-1", "hand 2: 8-1", "engine 12-12"]
    assert can(at(f"rules {name}", *table, marked, "open 0", "turn 1", FULL_TURNS)) == ["7-6@0"]


def test_K03_the_oldest_double_and_no_younger_one() -> None:
    table = ["rules cardinal", "engine 12-12", "table: 12-6@0 6-6@0 12-3@mexican 3-3@mexican", FULL_TURNS]
    hands = ["hand 0: 9-1", "hand 1: 7-6 3-1", "hand 2: 8-1"]
    assert can(at(*table, *hands, "open 0 mexican", "turn 1")) == ["7-6@0"]
    assert can(at(*table, *hands, "open mexican 0", "turn 1")) == ["3-1@mexican"]


def test_K03_an_engine_is_no_open_double() -> None:
    assert can(at("hand 0: 12-3 12-1", "hand 1: 9-1")) == ["12-1@0", "12-3@0", "12-1@mexican", "12-3@mexican"]


@pytest.mark.parametrize("hand", ["hand 0: 9-2", "hand 0: 9-2 4-3"])
def test_K08_a_seat_that_can_cover_may_not_pass(hand: str) -> None:
    position = at("table: 12-9@1 9-9@1", hand, "hand 1: 9-1", "hand 2: 5-1", "boneyard: 8-8", "open 1")
    assert can(position) == ["9-2@1"]
    assert refusal(position, "pass") == "seat 0 may not pass: it can lay 9-2@1"


# ── Doubles whose tiles are all gone ──────────────────────────────────────────────────────────────────────

# Every 6 but 6-6; the Mexican train and train 1 end in 6.
SIXES = "12-6 6-0 1-0 6-1 6-2 3-2 6-3 6-4 5-4 6-5 7-6 8-7 8-6 9-6 10-9 10-6"
ALL_SIXES = "table: " + " ".join(f"{tile}@mexican" for tile in SIXES.split()) + " 12-11@1 11-6@1 12-3@2"
K04_HANDS = ["hand 0: 6-6 4-2", "hand 1: 3-1 8-3", "hand 2: 5-3", "hand 3: 9-8"]


@pytest.mark.parametrize("train", ["mexican", "1"])
def test_K04_pinecone_owes_nothing_on_an_exhausted_double(train: str) -> None:
    position = at("rules pinecone", ALL_SIXES, *K04_HANDS, "marked 1 2")
    position = after(position, f"6-6@{train}")
    assert shown(position) == "open, marked 1 2, turn 1"
    assert can(position) == ["3-1@2", "8-3@2"]


@pytest.mark.parametrize("name", ["standard", "cardinal", "trainyard"])
def test_K04_elsewhere_an_exhausted_double_stays_open(name: str) -> None:
    table = [f"rules {name}", "engine 12-12", ALL_SIXES, *K04_HANDS, "marked 2", FULL_TURNS]
    position = at(*table)
    apply(position, parse_action("6-6@mexican", 4))
    assert line(position, "open") == "open mexican"


def test_K04_in_standard_it_blocks_the_round() -> None:
    table = ["rules standard", ALL_SIXES, *K04_HANDS, "marked 0 1 2 3"]
    position = at(*table)
    assert can(position) == ["6-6@1", "6-6@mexican"]
    assert forced_after(position, "6-6@1") == ["0 pass", "1 pass", "2 pass", "3 pass", "0 pass"]
    assert line(after(position, "6-6@1"), "over") == "over blocked 6 15 8 17"


@pytest.mark.parametrize("where", ["hand 3: 6-0 9-8", "boneyard: 6-0"])
def test_K04_one_tile_still_to_come_and_the_double_is_open(where: str) -> None:
    table = ALL_SIXES.replace("12-6@mexican 6-0@mexican", "12-0@mexican")
    hands = ["hand 0: 6-6 4-2", "hand 1: 3-1 8-3", "hand 2: 12-6 5-3"]
    position = at("rules pinecone", table, *hands, where)
    apply(position, parse_action("6-6@mexican", 4))
    assert line(position, "open") == "open mexican"


def test_K04_the_engine_counts_as_lying_on_the_table() -> None:
    """Round 7: the engine is 6-6, so the other sixes are what 5-5 has to wait for; 6-5 is on the table."""
    fives = "6-5 5-4 4-3 5-3 5-2 2-1 5-1 5-0 10-0 10-5 11-5 11-7 7-5 8-5 9-8 9-5"
    table = "table: " + " ".join(f"{tile}@mexican" for tile in fives.split())
    position = at("rules pinecone", "round 7", table + " 6-3@1 12-3@1 12-5@1", "hand 0: 5-5 8-4", "hand 1: 9-3")
    apply(position, parse_action("5-5@mexican", 4))
    assert line(position, "open") == "open"


def test_K04_an_open_double_closes_when_its_last_tile_is_laid_elsewhere() -> None:
    """Under `extra` the owed tile may be the last 6, on another train than the 6-6."""
    table = "table: " + " ".join(f"{tile}@mexican" for tile in SIXES.split()) + " 12-11@0 12-3@2"
    text = ["rules cardinal exhausted_double=closed", "engine 12-12", table, FULL_TURNS]
    position = at(*text, "hand 0: 6-6 11-6 9-8", "hand 1: 3-1 8-4", "hand 2: 9-4", "marked 2")
    apply(position, parse_action("6-6@mexican", 4))
    assert line(position, "open") == "open mexican"
    advance(position)
    assert can(position) == ["11-6@0", "11-6@mexican"]
    position = after(position, "11-6@0")
    assert (line(position, "open"), can(position)) == ("open", ["3-1@2"])


# ── The end ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", PRESETS)
def test_K05_a_double_as_last_tile_ends_the_round(name: str) -> None:
    table = [f"rules {name} engine=highest-double", "engine 11-11", "table: 12-11@1"]
    hands = ["hand 0: 12-12", "hand 1: 12-4 5-0", "hand 2: 12-3 3-3", "hand 3: 1-0", "boneyard: 12-7 12-8"]
    position = after(at(*table, *hands, "marked 1", FULL_TURNS), "12-12@1")
    pips = "0 2 2 1" if name == "cardinal" else "0 21 21 1"
    assert line(position, "over") == f"over out {pips}"


def test_K05_also_as_the_last_of_a_first_turn_train() -> None:
    text = ["rules trainyard", "engine 12-12", "hand 0: 12-3 3-3", "hand 1: 12-4", "boneyard: 9-8"]
    assert line(after(at(*text), "12-3@0", "3-3@0"), "over") == "over out 0 16 0 0"


def test_K05_also_with_the_tile_that_was_owed() -> None:
    text = ["rules pinecone", "table: 12-3@0", "hand 0: 3-3 8-3", "hand 1: 12-4", "boneyard: 9-3"]
    position = after(at(*text), "3-3@0", "8-3@0")
    assert (line(position, "over"), line(position, "open")) == ("over out 0 16 0 0", "open")


def test_K23_in_a_blocked_round_nobody_is_forgiven() -> None:
    table = ["seats 3", "hand 0: 2-1", "hand 1: 4-3 3-0", "hand 2: 8-6 4-4", "scores 100 20 0"]
    position = at(*table, "marked 0 1 2")
    assert (line(position, "over"), line(position, "scores")) == ("over blocked 3 10 22", "scores 103 30 22")


@pytest.mark.parametrize(
    ("rules", "score"),
    [
        ("standard", 6),
        ("standard double_blank=50", 56),
        ("standard scoring=tiles", 2),
        ("standard scoring=tiles double_blank=50", 52),
    ],
)
def test_K24_the_double_blank(rules: str, score: int) -> None:
    text = [f"rules {rules}", "seats 3", "hand 0: 12-3", "hand 1: 4-2 0-0", "hand 2: 5-1"]
    without = 1 if "tiles" in rules else 6
    assert line(after(at(*text), "12-3@0"), "over") == f"over out 0 {score} {without}"


def test_K24_a_double_costs_both_its_numbers() -> None:
    text = ["seats 2", "hand 0: 12-3", "hand 1: 9-9 11-9 0-0 5-0"]
    assert line(after(at(*text), "12-3@0"), "over") == "over out 0 43"


@pytest.mark.parametrize("name", PRESETS)
def test_K29_rounds_end_though_everybody_holds_doubles_back(name: str) -> None:
    """Also where a seat owes a tile for every double it lays; and each round is written down as out or as blocked."""
    bot = build(Registry().parse("double-holder"))
    shares = []
    for players in preset(name).dealable():
        played = play(preset(name, rounds=2), [bot], games_with((0,) * players, 500), 3)
        blocked = played.ends[..., END.index("blocked")]
        assert np.array_equal(played.rows[..., ROW.index("went_out")].sum(-1) + blocked, np.ones((500, 2)))
        shares.append(blocked.mean())
    assert 0 < np.mean(shares) < 1


# ── A turn ────────────────────────────────────────────────────────────────────────────────────────────────


def test_K06_pinecone_draws_again_to_cover_a_drawn_double() -> None:
    text = ["table: 12-8@mexican", "hand 0: 3-2 5-4", "hand 1: 12-1", "boneyard: 8-8 7-1 9-8"]
    position = at("rules pinecone", *text)
    assert (forced("rules pinecone", *text), can(position)) == (["0 draw 8-8"], ["8-8@mexican"])
    assert forced_after(position, "8-8@mexican")[:3] == ["0 draw 7-1", "0 pass", "1 draw 9-8"]
    assert line(after(position, "8-8@mexican"), "marked") == "marked 0"


def test_K06_pinecone_lays_the_cover_it_draws() -> None:
    text = ["table: 12-8@mexican", "hand 0: 3-2 5-4", "hand 1: 12-1", "boneyard: 8-8 8-1 9-8"]
    position = after(at("rules pinecone", *text), "8-8@mexican")
    assert can(position) == ["8-1@mexican"]
    position = after(position, "8-1@mexican")
    assert shown(position) == "open, marked, turn 1"


def test_K06_standard_ends_the_turn_without_a_marker() -> None:
    text = ["table: 12-8@mexican", "hand 0: 3-2 5-4", "hand 1: 12-1", "boneyard: 8-8 7-1 9-8"]
    position = at("rules standard", *text)
    assert can(position) == ["8-8@mexican", "pass"]
    assert forced_after(position, "8-8@mexican")[:3] == ["0 pass", "1 draw 7-1", "1 pass"]
    apply(position, parse_action("8-8@mexican", 4))
    assert forced_event(position) == [0, "pass"]
    assert (shown(position), line(position, "hand 0")) == ("open mexican, marked, turn 1", "hand 0: 5-4 3-2")


@given(rule_sets(), SEEDS)
@settings(deadline=None, max_examples=40)
def test_K07_a_seat_that_can_play_neither_draws_nor_passes(table, seed: int) -> None:
    rules, players = table
    for position in walk(deal_by_chance(rules, players, seed), seed):
        s = position[0]
        may_stop = s.owed == RIDE
        may_decline = bool(s.drawn) and rules["drawn_tile"] == "may"
        assert ("pass" in can(position)) == (may_stop or may_decline)
        assert plays_of(position)
        before = position.tobytes()
        if s.top < s.n_tiles:
            with pytest.raises(IllegalAction):
                follow(position, [int(s.turn), "draw", tile_text(int(s.deck[s.top]))])
        if not (may_stop or may_decline):
            with pytest.raises(IllegalAction, match=f"seat {s.turn} may not pass: it can lay"):
                apply(position, 1)
        assert position.tobytes() == before


K09 = ["table: 12-8@mexican 12-2@1", "hand 0: 3-1 5-4", "hand 1: 12-1", "boneyard: 8-2 7-1", "marked 1"]


@pytest.mark.parametrize("name", PRESETS)
def test_K09_a_drawn_tile_that_fits(name: str) -> None:
    position = at(f"rules {name}", "engine 12-12", *K09, FULL_TURNS)
    assert can(position) == ["8-2@1", "8-2@mexican"] + ["pass"] * (name == "standard")


def test_K09_declining_it_is_a_pass_like_any_other() -> None:
    position = after(at("rules standard", *K09), "pass")
    assert (shown(position), line(position, "hand 0")) == ("open, marked 0 1, turn 1", "hand 0: 8-2 5-4 3-1")


def test_K09_a_tile_drawn_as_cover_may_be_declined_without_a_marker_where_the_rules_say_so() -> None:
    text = ["table: 12-8@mexican", "hand 0: 8-8 5-4", "hand 1: 12-1", "boneyard: 8-2 7-1"]
    for mark, marked in (("no", "marked"), ("yes", "marked 0")):
        position = at(f"rules standard draw_to_cover=yes mark_uncovered={mark}", *text)
        position = after(position, "8-8@mexican")
        assert can(position) == ["8-2@mexican", "pass"]
        apply(position, 1)
        assert (line(position, "marked"), line(position, "open")) == (marked, "open mexican")


def test_a_seat_draws_one_tile_and_no_more() -> None:
    text = ["hand 0: 3-1 5-4", "hand 1: 12-1", "boneyard: 8-2 12-7 12-8"]
    assert forced(*text) == ["0 draw 8-2", "0 pass"]


@pytest.mark.parametrize("name", PRESETS)
def test_K10_a_marker_goes_when_its_seat_plays_on_its_own_train(name: str) -> None:
    hands = ["hand 0: 12-3 5-4", "hand 1: 12-1", "hand 2: 8-1"]
    position = at(f"rules {name}", "engine 12-12", *hands, "marked 0 2", FULL_TURNS)
    assert can(position) == ["12-3@0", "12-3@2", "12-3@mexican"]
    marks = {action: line(after(position, action), "marked") for action in can(position)}
    assert marks == {"12-3@0": "marked 2", "12-3@2": "marked 0 2", "12-3@mexican": "marked 0 2"}


@pytest.mark.parametrize("name", PRESETS)
def test_K11_covering_on_a_rivals_train_leaves_its_marker(name: str) -> None:
    text = [f"rules {name}", "engine 12-12", "table: 12-6@0 6-6@0", "hand 0: 9-1", "hand 1: 7-6 2-1", "hand 2: 12-5"]
    position = after(at(*text, "marked 0", "open 0", "turn 1", FULL_TURNS), "7-6@0")
    assert (line(position, "marked"), line(position, "open")) == ("marked 0", "open")


@pytest.mark.parametrize("name", PRESETS)
def test_K11_covering_on_ones_own_train_takes_ones_marker_away(name: str) -> None:
    text = [f"rules {name}", "engine 12-12", "table: 12-6@0 6-6@0", "hand 0: 7-6 9-1", "hand 1: 12-5"]
    assert line(after(at(*text, "marked 0", "open 0", FULL_TURNS), "7-6@0"), "marked") == "marked"


K12 = ["table: 12-6@1 12-3@mexican 12-9@0", "hand 0: 6-4 3-2", "hand 1: 5-1", "hand 2: 5-2"]


def test_K12_a_rivals_train_is_open_while_its_marker_is_up() -> None:
    assert can(at(*K12, "marked")) == ["3-2@mexican"]
    assert can(at(*K12, "marked 0 2 3")) == ["3-2@mexican"]
    assert can(at(*K12, "marked 1")) == ["6-4@1", "3-2@mexican"]
    assert refusal(at(*K12, "marked"), "6-4@1") == "train 1 has no marker"


def test_K12_or_while_it_carries_the_oldest_open_double() -> None:
    table = ["table: 12-6@1 6-6@1 12-3@mexican 12-9@0", *K12[1:]]
    assert can(at(*table, "open 1")) == ["6-4@1"]


# ── Several open doubles (`cardinal`) ─────────────────────────────────────────────────────────────────────

K14 = [
    "rules cardinal",
    "engine 12-12",
    "table: 12-5@0 12-7@mexican 12-9@2",
    "hand 0: 7-7 5-5 4-3",
    "hand 1: 9-5 8-7",
    "hand 2: 9-7 9-8",
    "hand 3: 2-1",
    FULL_TURNS,
]


def test_K14_two_doubles_stay_open_oldest_first() -> None:
    position = after(at(*K14), "5-5@0")
    assert can(position) == ["7-7@mexican"]
    assert forced_after(position, "7-7@mexican") == ["0 pass"]
    position = after(position, "7-7@mexican")
    assert shown(position) == "open 0 mexican, marked 0, turn 1"
    assert can(position) == ["9-5@0"]
    position = after(position, "9-5@0")
    assert (line(position, "open"), can(position)) == ("open mexican", ["9-7@mexican"])
    position = after(position, "9-7@mexican")
    assert line(position, "open") == "open"


def test_K14_a_third_tile_drawn_must_be_laid() -> None:
    position = after(at(*K14, "boneyard: 7-2 3-3"), "5-5@0", "7-7@mexican")
    assert can(position) == ["7-2@mexican"]
    position = after(position, "7-2@mexican")
    assert shown(position) == "open 0, marked, turn 1"


def test_K14_each_owed_tile_has_its_own_draw() -> None:
    """Nothing fits: 5-5 is drawn and laid, then 7-7 for the tile it owes, and for the next one 8-8 is no help."""
    table = ["rules cardinal", "engine 12-12", "table: 12-5@0 12-7@mexican", "hand 0: 4-3", "hand 1: 9-5", FULL_TURNS]
    position = at(*table, "boneyard: 5-5 7-7 8-8")
    assert can(position) == ["5-5@0"]
    position = after(position, "5-5@0")
    assert can(position) == ["7-7@mexican"]
    assert forced_after(position, "7-7@mexican")[:2] == ["0 draw 8-8", "0 pass"]


def test_K14_the_owed_tile_may_go_on_any_train_it_may_use() -> None:
    table = [*K14[:3], "hand 0: 5-5 5-2 9-1 7-1 12-1", *K14[4:]]
    position = after(at(*table, "marked 2"), "5-5@0")
    assert can(position) == ["5-2@0", "9-1@2", "7-1@mexican"]
    assert line(after(position, "5-2@0"), "open") == "open"
    assert line(after(position, "9-1@2"), "open") == "open 0"
    assert after(position, "7-1@mexican")[0].turn == 1


def test_K14_no_marker_where_the_rules_spare_it() -> None:
    position = after(at(f"{K14[0]} mark_uncovered=no", *K14[1:]), "5-5@0", "7-7@mexican")
    assert (line(position, "marked"), line(position, "open")) == ("marked", "open 0 mexican")


def test_under_cover_there_is_never_more_than_one_open_double() -> None:
    position = after(at("rules pinecone", *K14[1:]), "5-5@0")
    assert (can(position), shown(position)) == (["9-5@0"], "open 0, marked 0, turn 1")


# ── First-turn trains ─────────────────────────────────────────────────────────────────────────────────────

K15 = ["engine 12-12", "hand 0: 12-3 3-3 9-1", "hand 1: 12-4 8-3", "hand 2: 9-8", "hand 3: 7-1"]


def test_K15_cardinal_ignores_doubles_in_a_first_turn_train() -> None:
    position = after(at("rules cardinal", *K15), "12-3@0", "3-3@0")
    assert shown(position) == "open, marked, turn 1"
    assert can(position) == ["12-4@1"]


def test_K15_and_goes_on_after_the_double_if_it_likes() -> None:
    position = after(at("rules cardinal", K15[0], "hand 0: 12-3 3-3 9-3", *K15[2:]), "12-3@0", "3-3@0")
    assert can(position) == ["9-3@0", "pass"]
    position = after(position, "pass")
    assert shown(position) == "open, marked, turn 1"


def test_K16_trainyard_draws_for_the_cover_of_a_double_at_the_trains_end() -> None:
    position = at("rules trainyard", *K15, "boneyard: 3-2 7-2")
    position = after(position, "12-3@0", "3-3@0")
    assert can(position) == ["3-2@0"]
    position = after(position, "3-2@0")
    assert shown(position) == "open, marked, turn 1"


@pytest.mark.parametrize("boneyard", ["boneyard:", "boneyard: 7-2"])
def test_K16_else_it_is_marked_and_the_next_seat_must_cover(boneyard: str) -> None:
    position = after(at("rules trainyard", *K15, boneyard), "12-3@0", "3-3@0")
    assert (line(position, "open"), line(position, "marked")) == ("open 0", "marked 0")
    assert can(position) == ["8-3@0"]


def test_K16_the_cover_comes_first_and_the_seats_own_train_after_it() -> None:
    """A first turn that begins with an open double covers it, then goes on with the train if it likes."""
    position = after(at("rules trainyard", *K15), "12-3@0", "3-3@0", "8-3@0")
    assert can(position) == ["12-4@1", "pass"]
    apply(position, 1)
    assert shown(position) == "open, marked 0, turn 2"


def test_K16_a_first_turn_spent_without_covering_is_gone() -> None:
    table = ["rules trainyard", "engine 12-12", "table: 12-3@0 3-3@0", "acted 0", "open 0", "turn 1"]
    position = at(*table, "hand 0: 9-1", "hand 1: 12-4 5-4", "hand 2: 8-3 7-2", "hand 3: 12-6 12-7")
    assert (line(position, "marked"), line(position, "acted"), can(position)) == ("marked 1", "acted 0 1", ["8-3@0"])
    position = after(position, "8-3@0", "12-6@3")
    assert (line(position, "marked"), can(position)) == ("marked 0 1", ["12-4@1", "12-4@mexican"])
    assert after(position, "12-4@1")[0].turn == 3


K28 = ["rules standard first_turn=train", "hand 0: 12-5 5-5 4-3", "hand 1: 12-1 9-8", "hand 2: 7-1", "hand 3: 8-1"]


def test_K28_a_first_turn_lays_any_number_of_tiles_on_its_own_train() -> None:
    position = at(*K28)
    assert can(position) == ["12-5@0"]
    position = after(position, "12-5@0")
    assert can(position) == ["5-5@0", "pass"]
    assert refusal(position, "4-3@0") == "4-3 does not fit train 0, which is open at 5"


def test_K28_stopping_is_no_failed_turn() -> None:
    position = after(at(*K28), "12-5@0", "pass")
    assert (shown(position), position[0].in_first_train) == ("open, marked, turn 1", 1)


def test_K28_the_mexican_train_and_marked_trains_wait() -> None:
    position = at(*K28, "marked 1 2")
    assert can(position) == ["12-5@0"]
    assert refusal(position, "12-5@mexican") == "in its first turn a seat lays on its own train, not on train mexican"
    assert refusal(position, "12-5@2") == "in its first turn a seat lays on its own train, not on train 2"


def test_K28_a_train_that_nothing_can_follow_ends_without_a_word() -> None:
    position = at(K28[0], "hand 0: 12-5 4-3", *K28[2:])
    assert forced_after(position, "12-5@0") == []
    assert after(position, "12-5@0")[0].turn == 1


def test_K28_a_train_that_cannot_be_started_draws_one() -> None:
    """From cardinal's and trainyard's readings: if the drawn tile starts the train, the seat goes on with it."""
    text = ["rules trainyard", "engine 12-12", "hand 0: 7-4 4-3", "hand 1: 12-1"]
    position = at(*text, "boneyard: 12-7 12-8")
    assert can(position) == ["12-7@0"]
    assert can(after(position, "12-7@0")) == ["7-4@0", "pass"]
    assert line(at(*text, "boneyard: 8-7 12-8"), "marked") == "marked 0"


def test_K28_the_second_turn_is_an_ordinary_one() -> None:
    text = [K28[0], "hand 0: 12-5 5-4 4-3", *K28[2:], "acted 0", "marked 1"]
    assert can(at(*text)) == ["12-5@0", "12-5@1", "12-5@mexican"]


def test_an_owed_tile_laid_elsewhere_leaves_the_first_turn_train() -> None:
    """`extra`, doubles counting: after 5-5 the owed tile may go on the Mexican train, and the turn is over."""
    hands = ["hand 0: 12-5 12-6 5-5 5-4 4-3", "hand 1: 12-1 9-8"]
    position = at("rules cardinal first_turn_doubles=count", "engine 12-12", *hands)
    position = after(position, "12-5@0", "5-5@0")
    assert can(position) == ["5-4@0", "12-6@mexican"]
    assert can(after(position, "5-4@0")) == ["4-3@0", "pass"]
    apply(position, parse_action("12-6@mexican", 4))
    assert shown(position) == "open 0, marked, turn 1"


# ── Engines ───────────────────────────────────────────────────────────────────────────────────────────────

K17 = ["engine none", "starter 2", "turn 2", "hand 0: 5-3", "hand 1: 6-5", "hand 2: 7-2 6-2", "hand 3: 4-1"]


@pytest.mark.parametrize("engine", ["highest-double", "first-double"])
def test_K17_while_nobody_holds_a_double_the_seats_draw_in_turn(engine: str) -> None:
    rules, boneyard = f"rules trainyard engine={engine}", "boneyard: 8-1 8-2 8-3 8-4 8-5 4-4 12-12"
    lap = ["2 draw 8-1", "3 draw 8-2", "0 draw 8-3", "1 draw 8-4"]
    assert forced(rules, *K17, boneyard)[:7] == [*lap, "2 draw 8-5", "3 draw 4-4", "3 engine 4-4"]
    position = at(rules, *K17, boneyard)
    assert (line(position, "starter"), position[0].turn, position[0].in_first_train) == ("starter 2", 3, 1)
    assert (line(position, "hand 3"), can(position)) == ("hand 3: 8-2 4-1", ["4-1@3"])


STARTER_1 = ["engine none", "starter 1", "turn 1"]
K18 = [*STARTER_1, "hand 0: 11-11 3-1", "hand 1: 9-9 2-2 9-5", "hand 2: 12-12 12-3", "hand 3: 4-1"]


def test_K18_first_double_the_starter_places_its_own_highest() -> None:
    assert forced("rules cardinal", *K18) == ["1 engine 9-9"]
    assert can(at("rules cardinal", *K18)) == ["9-5@1"]


def test_K18_highest_double_its_holder_places_it() -> None:
    assert forced("rules trainyard", *K18) == ["2 engine 12-12"]
    assert can(at("rules trainyard", *K18)) == ["12-3@2"]


def test_K18_first_double_goes_round_the_table() -> None:
    hands = ["hand 0: 3-3 11-11", "hand 1: 9-1 2-1", "hand 2: 12-3", "hand 3: 4-4 4-1 5-5"]
    assert forced("rules cardinal", *STARTER_1, *hands, "boneyard: 5-2")[:1] == ["3 engine 5-5"]


@pytest.mark.parametrize("name", ["cardinal", "trainyard"])
def test_an_engine_that_was_the_last_tile_goes_out(name: str) -> None:
    hands = ["hand 0: 3-1", "hand 1: 9-9", "hand 2: 12-3", "hand 3: 4-1"]
    position = at(f"rules {name}", *STARTER_1, *hands, "boneyard: 5-2")
    assert line(position, "over") == ("over out 1 0 1 1" if name == "cardinal" else "over out 4 0 15 5")


@pytest.mark.parametrize("name", ["standard", "pinecone"])
def test_K19_round_k_is_played_from_the_double_13_less_k(name: str) -> None:
    position = new_game(name, 4, seed=11, starter=3)
    for number in range(1, 14):
        s = position[0]
        engine = f"{13 - number}-{13 - number}"
        assert (line(position, "engine"), s.number, s.starter) == (f"engine {engine}", number, (2 + number) % 4)
        dealt = {tile_text(int(tile)) for tile in s.deck[: s.n_tiles]}
        assert (len(dealt), engine in dealt) == (90, False)
        while advance(position):
            apply(position, legal_actions(position)[0])
        if number < 13:
            next_round(position, seed=11)
    with pytest.raises(ValueError, match="round 13 was the last of the game"):
        next_round(position, seed=11)


def test_a_round_that_is_not_over_cannot_be_followed() -> None:
    with pytest.raises(ValueError, match="round 1 is not over"):
        next_round(new_game(seed=1), seed=1)


# ── Ranks ─────────────────────────────────────────────────────────────────────────────────────────────────


def ranked(tie_break: str, *seats: list[int]) -> list[int]:
    """Return the ranks of seats that scored these rounds."""
    return ranks(np.array(seats).T, tie_break).tolist()


def test_K26_pinecone_more_rounds_at_0_come_first() -> None:
    a, b = [0, 0, 0, 0, 100], [0, 0, 0, 50, 50]
    assert (ranked("zero-rounds", a, b), ranked("shared", a, b)) == ([1, 2], [1, 1])


def test_K26_equal_zeros_the_lowest_round_above_0() -> None:
    a, b = [0, 30, 70], [0, 40, 60]
    assert (ranked("zero-rounds", a, b), ranked("zero-rounds", b, a)) == ([1, 2], [2, 1])
    assert ranked("shared", a, b) == [1, 1]


def test_K26_still_equal_the_rank_is_shared() -> None:
    assert ranked("zero-rounds", [0, 40, 60], [60, 0, 40], [0, 0, 101]) == [1, 1, 3]


def test_K26_a_lower_total_comes_before_everything() -> None:
    assert ranked("zero-rounds", [0, 0, 0, 101], [25, 25, 25, 25]) == [2, 1]


def test_K26_nothing_but_zeros_is_equal() -> None:
    assert ranked("zero-rounds", [0, 0], [0, 0], [0, 1]) == [1, 1, 3]


@given(st.data(), st.integers(2, 10), st.integers(1, 13), st.sampled_from(["shared", "zero-rounds"]))
@settings(deadline=None, max_examples=200)
def test_K26_ranks_agree_with_the_referee(data, players: int, rounds: int, tie_break: str) -> None:
    score = st.one_of(st.integers(0, 3), st.integers(0, 1200))
    table = data.draw(st.lists(st.lists(score, min_size=players, max_size=players), min_size=rounds, max_size=rounds))
    assert ranks(np.array(table), tie_break).tolist() == reference_ranks({"tie_break": tie_break}, table)
