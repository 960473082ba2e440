"""How numbers are written, and the notes that say why one is absent."""

from typing import Any

import pytest

from mtrain.report import format
from mtrain.report.format import PIPS, SHARE, Format
from mtrain.stats import estimates
from mtrain.stats.intervals import Note, note_of, parse_note


@pytest.mark.parametrize(
    ("form", "value", "text"),
    [
        (PIPS, -1.234, "−1.23"),
        (PIPS, 1234.5, "+1,234.50"),
        (PIPS, -0.001, "−0.00"),
        (Format("+.2f", zero_sign=False), -0.001, "0.00"),
        (SHARE, 0.2549, "25.5 %"),
        (SHARE, None, "n/a"),
        (format.of_unit("rating points", signed=True), 3.2, "+3"),
        (format.of_unit("of a kind not heard of"), 1.23456, "1.235"),
        (format.p_value, 0.0004, "<0.001"),
        (format.p_value, 0.5, "0.500"),
        (format.count, 12345, "12,345"),
        (format.count, None, "n/a"),
        (format.word, None, "n/a"),
        (format.yes_no, None, "n/a"),
        (format.span, (24, 20), "20–24"),
        (format.span, (), "0"),
        (format.brief, 1500.0, "1.5 ms"),
        (format.duration, 3725.2, "1:02:05"),
    ],
)
def test_a_format_takes_a_number_and_gives_its_text(form: Any, value: Any, text: str) -> None:
    assert form(value) == text


def test_an_interval_is_written_by_the_format_of_its_number() -> None:
    assert PIPS.interval(-1, -2, 0.5) == "−1.00 [−2.00, +0.50]"
    assert SHARE.interval(0.5, 0.25, 0.75) == "50.0 % [25.0, 75.0]"
    assert SHARE.interval(0.5, None, None) == "50.0 % [n/a]"
    assert SHARE.sure(0.5, None, None) == "50.0 %"


def test_a_reason_that_all_quantities_share_is_about_the_row() -> None:
    assert str(note_of({"diff": "needs 2 blocks", "win": "needs 2 blocks"})) == "needs 2 blocks"
    assert str(note_of({"diff": "", "win": "why"}, "more")) == "win: why; more"
    assert str(note_of({"diff": "", "win": ""})) == ""


@pytest.mark.parametrize(
    "note",
    [
        Note(),
        Note((((), "needs 2 blocks"),)),
        Note(((("zero", "win"), "no variance between blocks"), ((), "group 2: never met the agents of other groups"))),
        Note(((("rating",), "never finished behind another agent: held by the ridge"),)),
    ],
)
def test_a_note_is_read_as_it_was_written(note: Note) -> None:
    assert parse_note(str(note), estimates.NOTED) == note
