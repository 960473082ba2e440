"""What the terminal shows of the standings: readable in 100 columns, with many agents and long labels."""

from itertools import combinations

import pytest

from mtrain.report.format import SCORE, SHARE
from mtrain.report.terminal import broken, seen, show_standings
from mtrain.stats import estimates
from tests.helpers.synthetic import tournament

LONG = [
    "random", "greedy", "planner:home=1.5,deny=true,ends=keep,marked=close", "double-holder:keep=3,until=5",
    "mc:worlds=64,policy=planner,objective=lead,gate=2.0,rollout=planner (peeks)", "a-label-of-hyphens-only-and-long",
    *[f"mc:worlds={2**k}" for k in range(6)],
]  # fmt: skip


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        ((-10.564, -14.66, -6.47), "−10.56\n±4.10"),
        ((5.0, 0.0, 30.0), "5.00\n[0.00,\n30.00]"),
        ((5.0, None, None), "5.00\n[n/a]"),
        ((None, None, None), "n/a"),
    ],
)
def test_an_interval_lies_below_its_figure(estimate: tuple[float, float, float], text: str) -> None:
    assert SCORE.beneath(*estimate) == text


def test_shares_are_in_percent_and_an_uneven_interval_is_never_shortened() -> None:
    assert SHARE.beneath(0.30, 0.277, 0.324) == "30.0 %\n±2.4"
    assert SHARE.beneath(0.167, 0.034, 0.53) == "16.7 %\n[3.4,\n53.0]"


def test_labels_break_where_they_have_a_joint_and_lose_nothing() -> None:
    for label in LONG:
        lines = broken(label).splitlines()
        assert "".join(lines).replace(" ", "") == label.replace(" ", "")
        assert max(map(len, lines)) <= 24
    assert broken("mc:worlds=64,rollout=random") == "mc:worlds=64,\nrollout=random"
    assert broken("x" * 40) == "x" * 40


def test_standings_of_many_agents_fit_into_100_columns(capsys: pytest.CaptureFixture[str]) -> None:
    games, rounds = tournament(list(combinations(LONG, 4)), deals=2, n_rounds=2, kind="rotate", labels=LONG)
    table = estimates.standings(games, rounds)
    show_standings(table, "Who is who?")
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 100
    for row in table.itertuples():
        assert f"{row.pips:.2f}" in shown
        assert f"({row.blocks:,})" in shown
    assert "\n  random " in shown


def test_notes_speak_of_what_is_shown() -> None:
    known = {
        "": "",
        "needs 2 blocks": "needs 2 blocks",
        "heavy: no variance between blocks": "",
        "zero, win, heavy: no variance between blocks; group 2: never met the agents of other groups": (
            "win: no variance between blocks; group 2: never met the agents of other groups"
        ),
        "rating: never finished behind another agent: held by the ridge": (
            "rating: never finished behind another agent: held by the ridge"
        ),
    }
    for note, shown in known.items():
        assert seen(note) == shown
