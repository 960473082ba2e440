"""The companion: a hand at a real table, followed entry by entry."""

import random
from pathlib import Path

import pytest
from click.testing import CliRunner

from mtrain.cli.main import mtrain
from mtrain.game.tiles import tile_text
from mtrain.strategy.longest_train import TrainError, best_train, parse_hand
from mtrain.table.companion import Companion, advice
from mtrain.table.people import MOST, EntryError, plain, tidy
from tests.helpers.terminal import Terminal

HAND = "12-5 5-3 3-3 9-2 9-9 7-7 6-1"


def companion(hand: str = HAND, start: int = 12) -> Companion:
    return Companion(parse_hand(hand), start)


def tiles(follower: Companion) -> list[str]:
    return sorted(map(tile_text, follower.held.tiles))


def test_a_hand_is_followed_tile_by_tile() -> None:
    follower = companion()
    assert str(follower.train) == "12-5 5-3 3-3"
    follower.enter("played 12-5")
    assert (str(follower.train), follower.held.end) == ("5-3 3-3", 5)
    follower.enter("3-5")
    follower.enter("dumped 9-9, 9-2")
    follower.enter("drew 0-3 4-0")
    assert (str(follower.train), follower.held.end) == ("3-3 3-0 0-4", 3)
    follower.enter("end 7")
    assert str(follower.train) == "7-7"
    follower.enter("start 6")
    assert str(follower.train) == "6-1"
    assert tiles(follower) == ["3-0", "3-3", "4-0", "6-1", "7-7"]


def test_undo_goes_back_entry_by_entry_to_the_deal() -> None:
    follower = companion()
    entries = ["12-5", "5-3 3-3", "drew 3-1 1-1", "dumped 7-7", "by pips", "end 9", "9-9 9-2"]
    before = []
    for entry in entries:
        before.append((follower.held, str(follower.train)))
        follower.enter(entry)
    for held, train in reversed(before):
        follower.enter("undo")
        assert (follower.held, str(follower.train)) == (held, train)
    with pytest.raises(EntryError, match="nothing to undo"):
        follower.enter("undo")


@pytest.mark.parametrize(
    ("entry", "right"),
    [
        ("played 9-2", "12-5 of your hand does"),
        ("played 12-6", "say `drew 12-6` first"),
        ("dumped 0-0", "say `drew 0-0` first"),
        ("drew 12-5", "12-5 is in your hand already"),
        ("drew 11-11", "you laid 11-11 before"),
        ("drew", "takes a tile, like `drew 12-5`"),
        ("plaid 12-5", "did you mean 'played'?"),
        ("xyzzy", "`help` lists what can be said"),
        ("end", "takes the number at your open end"),
        ("end 44", "a number from 0 to 18"),
        ("end ²", "a number from 0 to 18"),
        ("start five", "a number from 0 to 18"),
        ("played twelve-five", "not a tile: 'twelve-five'"),
        ("19-1", "not a tile: '19-1'"),
        ("5-3-1", "not a tile: '5-3-1'"),
        ("by weight", "`by tiles` or `by pips`"),
        ("12-5 9-9", "9-9 does not fit your open end 5"),
    ],
)
def test_a_wrong_entry_changes_nothing_and_says_what_is_right(entry: str, right: str) -> None:
    follower = companion(HAND + " 11-11")
    follower.enter("dumped 11-11")
    before = follower.held
    with pytest.raises(EntryError, match=r"^[^\n]*$") as refused:
        follower.enter(entry)
    assert right in str(refused.value)
    assert follower.held is before


@pytest.mark.parametrize(
    ("hand", "start", "said"),
    [
        ("", 5, "your hand is empty: you are out."),
        ("5-1 1-0", 5, "lay 5-1 next; the train takes your whole hand."),
        ("5-1 12-12 12-3 8-2", 5, "lay 5-1 next; elsewhere, the heaviest first: 12-12 (24, cover it with 12-3), 12-3 (15), 8-2 (10)."),
        ("9-9 8-8 7-7 6-6", 5, "nothing of yours fits 5; elsewhere, the heaviest first: 9-9 (18, no cover), 8-8 (16, no cover), 7-7 (14, no cover) and 1 more."),
        ("5-5 5-1", 5, "lay 5-5 next, and 5-1 to cover it; the train takes your whole hand."),
        ("5-5 8-2", 5, "lay 5-5 next; nothing of yours covers it; elsewhere: 8-2 (10)."),
        ("5-4 4-3 3-5 12-5 1-1", 5, "lay 5-4 next; elsewhere: 1-1 (2, no cover)."),
    ],
)  # fmt: skip
def test_advice_says_what_to_lay_next_and_what_elsewhere(hand: str, start: int, said: str) -> None:
    assert advice(best_train(parse_hand(hand), start)) == said


def test_a_double_that_was_laid_is_to_be_covered() -> None:
    follower = companion("5-5 5-1 8-2", 5)
    said = follower.enter("played 5-5")
    assert said is not None
    assert "lay 5-1 next, it covers your double" in said
    follower.enter("dumped 5-1")
    assert "nothing of yours covers the double 5-5" in follower.text()
    assert "nothing of yours fits 5" in str(follower.enter("end 5"))


def test_a_train_that_is_not_proved_says_so() -> None:
    follower = Companion(parse_hand(" ".join(f"{a}-{b}" for a in range(8) for b in range(a))), 3, nodes=5)
    assert "the longest found, not proved" in follower.text()
    assert "the heaviest found, not proved" in str(follower.enter("by pips"))


def test_entries_are_read_as_printable_text() -> None:
    assert tidy("  played\t12-5 \r\n") == "played 12-5"
    assert tidy("\x1b[A\x1b[31mundo\x1b[0m\x00\x07\n") == "undo"
    assert len(tidy("x" * 100_000)) == MOST
    assert plain("±1 − Zoë…", type("ascii", (), {"encoding": "ascii"})) == "+/-1 - Zo?..."


WORDS = [
    "played",
    "dumped",
    "drew",
    "end",
    "by",
    "undo",
    "show",
    "help",
    "?",
    "12-5",
    "5-3",
    "3",
    "-",
    "²",
    "١-٢",
    "\x00",
    "tiles",
]


def test_nothing_typed_does_harm() -> None:
    chance = random.Random(2)
    follower = companion()
    refused = []
    for _ in range(500):
        words = [*chance.choices(WORDS, k=chance.randrange(1, 4)), chr(chance.randrange(0x3000))]
        try:
            assert follower.enter(tidy(" ".join(words)))
        except EntryError as error:
            refused.append(str(error))
    assert len(refused) > 100
    assert all(len(sentence.splitlines()) == 1 for sentence in refused)
    with pytest.raises(TrainError):
        companion("12-5 5-12")


def test_the_companion_at_a_terminal(tmp_path: Path) -> None:
    terminal = Terminal("train", HAND, "--start", "12", "--watch", cwd=tmp_path)
    said = terminal.answers(["12-5", "drew 3-0", "\x1b[A\x1b[B é \x07", "9" * 6000, "help", "undo", "show"], "train> ")
    assert "train from 12  12-5 5-3 3-3  (3 tiles, 31 pips)" in said[0]
    assert "train from 5   5-3 3-3  (2 tiles, 14 pips)" in said[1]
    assert "5-3 3-3 3-0" in said[2]
    assert "unknown entry 'é'" in said[3]
    assert "unknown entry" in said[4]
    assert "dumped 9-9" in said[5]
    terminal.until("train> ")
    terminal.press(b"\x04")
    assert terminal.end()[0] == 0
    terminal = Terminal("train", HAND, "--start", "12", "--watch", cwd=tmp_path)
    terminal.answers(["quit"], "train> ")
    assert terminal.end() == (0, "quit\n")


def test_the_command_prints_the_advice_and_the_proof() -> None:
    said = CliRunner().invoke(mtrain, ["train", HAND, "--start", "12"])
    assert said.exit_code == 0
    assert "no train is better" in said.stdout
    assert "advice: lay 12-5 next; elsewhere" in said.stdout
    assert '"advice": "lay 12-5 next' in CliRunner().invoke(mtrain, ["train", HAND, "--start", "12", "--json"]).stdout
    both = CliRunner().invoke(mtrain, ["train", HAND, "--start", "12", "--json", "--watch"])
    assert both.exit_code == 2
    ended = CliRunner().invoke(mtrain, ["train", HAND, "--start", "12", "--watch"], input="12-5\n")
    assert ended.exit_code == 0
    assert ended.stdout.endswith("train> \n")
