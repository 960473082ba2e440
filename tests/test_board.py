"""The table as picture and text: everything has its place, nothing moves, and nobody's tiles are told."""

import random
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

import mtrain
from mtrain.errors import UsageError
from mtrain.game.rules import preset
from mtrain.game.tiles import tile_text
from mtrain.table.picture import GROUND, Piece
from tests.helpers.browser import dumped

TABLES = [
    ("standard", 2, {}), ("standard", 4, {}), ("standard", 8, {}), ("pinecone", 2, {}), ("pinecone", 4, {}),
    ("cardinal", 2, {}), ("cardinal", 4, {}), ("cardinal", 8, {}), ("trainyard", 2, {}), ("trainyard", 4, {}),
    ("trainyard", 8, {}), ("trainyard", 10, {}), ("trainyard", 2, {"max_pip": 18}), ("trainyard", 4, {"max_pip": 18}),
    ("trainyard", 8, {"max_pip": 18}), ("trainyard", 10, {"max_pip": 18}), ("standard", 2, {"max_pip": 9, "rounds": 1}),
    ("pinecone", 4, {"max_pip": 15}),
]  # fmt: skip
NAMES = ("greedy", "a-name-that-is-much-too-long:for=its,place=here", "mc:worlds=8")


def through_a_round(rules: str, players: int, changes: dict, deal: int = 0, how: str = "heavy"):
    """Yield the positions of a round, each with the action just done: the deal, and every action."""
    position = mtrain.new_game(preset(rules, **changes), players, seed=5, deal=deal)
    chance = random.Random(deal)
    yield position, None
    while mtrain.advance(position):
        actions = mtrain.legal_actions(position)
        action = max(actions, key=lambda each: each.pips) if how == "heavy" else chance.choice(actions)
        mtrain.apply(position, action)
        yield position, action


def names(players: int) -> list[str]:
    return [NAMES[seat % len(NAMES)] for seat in range(players)]


def collisions(boxes: list[Piece]) -> list[tuple[Piece, Piece]]:
    """Return the pieces that stand on one another and should not; none may leave the frame."""
    frame = boxes[0]
    assert all(b.x >= 0 and b.y >= 0 and b.x + b.w <= frame.w and b.y + b.h <= frame.h for b in boxes)
    things = [piece for piece in boxes if piece.what not in GROUND]
    x, y, w, h = np.array([(piece.x, piece.y, piece.w, piece.h) for piece in things], float).T
    over = (x[:, None] < (x + w)[None] - 0.01) & (x[None] < (x + w)[:, None] - 0.01)
    over &= (y[:, None] < (y + h)[None] - 0.01) & (y[None] < (y + h)[:, None] - 0.01)
    return [(things[i], things[j]) for i, j in zip(*np.nonzero(np.triu(over, 1)), strict=True)]


@pytest.mark.parametrize(("rules", "players", "changes"), TABLES)
@pytest.mark.parametrize("how", ["heavy", "random"])
def test_nothing_overlaps_or_leaves_the_frame(rules: str, players: int, changes: dict, how: str) -> None:
    for k, (position, action) in enumerate(through_a_round(rules, players, changes, deal=players, how=how)):
        if k % 17 == 0 or position[0].over:
            for viewer in (None, 0):
                for called in (None, names(players)):
                    assert not collisions(mtrain.board(position, viewer, action, called).boxes())


@pytest.mark.parametrize(
    ("rules", "players", "changes", "below"),
    [("standard", 6, {}, True), ("standard", 4, {}, False), ("trainyard", 2, {"max_pip": 18}, False)],
)
def test_no_tile_ever_moves(rules: str, players: int, changes: dict, below: bool) -> None:
    continued = False
    for deal in range(3):
        before: set[Piece] = set()
        for position, _ in through_a_round(rules, players, changes, deal, "random"):
            boxes = mtrain.board(position).boxes()
            tiles = {piece for piece in boxes if piece.what == "tile" and piece.look != "engine"}
            laid = position[0].laid[: int(position[0].n_laid)].tolist()
            assert before <= tiles
            assert sorted(piece.text.split("@")[0] for piece in tiles) == sorted(map(tile_text, laid))
            before = tiles
            continued |= any(piece.text.endswith(", continued") for piece in boxes)
        assert not collisions(boxes)
    assert continued or not below, "no train outgrew its lanes"


def test_a_train_turns_round_at_the_end_of_its_lane() -> None:
    *_, (position, _) = through_a_round("pinecone", 2, {}, how="random")
    boxes = mtrain.board(position).boxes()
    assert {piece.look for piece in boxes if piece.what == "curve"} >= {"right"}


def test_a_seat_sees_of_a_position_what_it_sees_of_its_observation() -> None:
    for k, (position, action) in enumerate(through_a_round("pinecone", 4, {})):
        if k % 11 == 0:
            whole, seen = mtrain.board(position, 2, action), mtrain.board(mtrain.observe(position, 2), 2, action)
            assert whole.svg() == seen.svg() == mtrain.board(mtrain.observe(position, 2), last=action).svg()
            assert str(whole) == str(seen)
            assert {piece.seat for piece in whole.boxes() if piece.what == "held" and piece.a >= 0} <= {2}


def test_the_same_table_is_the_same_svg_which_needs_nothing_else() -> None:
    *_, (position, action) = through_a_round("cardinal", 4, {})
    svg = mtrain.board(position, last=action, names=["<&>", "b", "c", "d"]).svg()
    assert svg == mtrain.board(position.copy(), last=action, names=["<&>", "b", "c", "d"])._repr_svg_()
    ElementTree.fromstring(svg)
    assert svg.count("http") == 1  # its namespace
    assert "&lt;&amp;&gt;" in svg


POSITION = """
rules pinecone
seats 3
round 2
scores 0 14 31
hand 0: 9-9 5-0
hand 1: ?3
hand 2: ?1
boneyard: ?50
table: 11-4@0 4-4@0 11-2@mexican 11-3@2
marked 0
open 0
turn 1
"""

TEXT = """\
round 2 of 13 · engine 11-11 · boneyard 50
seat 1 is on turn and must cover 4-4 on the train of seat 0

  train    end · tiles in the order laid
  Mexican    2 · 11-2
▶ seat 0  ⚑  4 ≡ 11-4 4-4
  seat 1    11 ·
  seat 2     3 · 11-3

  seat 0   2 tiles · score  0 · 9-9 5-0
▶ seat 1   3 tiles · score 14 · hidden
  seat 2   1 tile  · score 31 · hidden"""


def test_the_text_of_a_position() -> None:
    position = mtrain.parse_position(POSITION)
    assert str(mtrain.board(position)).splitlines() == TEXT.splitlines()
    assert mtrain.board(position).text(width=100).plain == str(mtrain.board(position))


def test_text_fits_its_width_and_its_encoding() -> None:
    *_, (position, action) = through_a_round("pinecone", 2, {}, how="random")
    board = mtrain.board(position, last=action, names=["é" * 40, "b"])
    wide, narrow = board.text(colour=False), board.text(colour=False, width=60)
    assert max(map(len, narrow.splitlines())) <= 60
    assert narrow.split() == wide.split() or "…" in narrow
    assert board.text(colour=False, encoding="ascii").isascii()
    assert board.text(encoding="ascii").plain == board.text(colour=False, encoding="ascii")
    assert board.text(encoding="utf-8").plain == wide


def test_what_was_done_is_lit() -> None:
    for position, action in through_a_round("standard", 4, {}):
        lit = [piece for piece in mtrain.board(position, last=action).boxes() if piece.what == "lit"]
        assert len(lit) == (action is not None)
    event = [1, "pass"]
    said = [piece.text for piece in mtrain.board(position, last=event).boxes()]
    assert "passes" in said


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"viewer": 4}, "the viewer is a seat from 0 to 3, not 4"),
        ({"names": ["a"]}, "1 names for 4 seats"),
        ({"last": 7}, "neither an action nor an event of a record: 7"),
        ({"last": [9, "pass"]}, "neither an action nor an event of a record"),
    ],
)
def test_a_wrong_call_is_one_sentence(asked: dict, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        mtrain.board(mtrain.new_game(seed=1), **asked)


def test_what_is_no_position_is_refused() -> None:
    with pytest.raises(UsageError, match="a position is an array of one STATE record, not a list"):
        mtrain.board([])
    with pytest.raises(UsageError, match="not 2 of them"):
        mtrain.board(np.zeros(2, mtrain.STATE))


def test_words_stay_in_their_boxes(tmp_path) -> None:
    """In a browser, with its own font: no text is wider than the box that was left for it."""
    *_, (position, _) = through_a_round("trainyard", 10, {})
    board = mtrain.board(position, last=[3, "pass"], names=names(10))
    texts = [piece for piece in board.boxes() if piece.what == "text"]
    script = (
        "document.body.append(JSON.stringify([...document.querySelectorAll('svg>text')].map(t=>t.getBBox().width)))"
    )
    page = tmp_path / "board.html"
    page.write_text(f"<body>{board.svg()}<script>{script}</script>", encoding="utf-8")
    found = dumped(page)
    shown = [float(width) for width in found[found.rindex("[") + 1 : found.rindex("]")].split(",")]
    assert not [piece.text for piece, width in zip(texts, shown, strict=True) if width > piece.w]


def test_pieces_are_told_apart() -> None:
    position = mtrain.new_game(seed=1)
    mtrain.advance(position)
    boxes = mtrain.board(position).boxes()
    assert not [pair for pair in combinations(boxes, 2) if pair[0] == pair[1]]
