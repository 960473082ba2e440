"""Figures: labelled, with intervals, nothing outside the frame, the same bytes each time."""

import subprocess
import sys
from itertools import combinations, pairwise

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from test_estimates import tournament
from test_results import store

from mtrain.study import estimates, look, plots
from mtrain.study import ratings as rating
from mtrain.study.results import read

LONG = [
    "random", "greedy", "greedy:ties=own", "greedy-own@greedy:own=0.75", "double-holder",
    "double-holder:keep=3,until=5", "mc:worlds=4", "mc:worlds=64,policy=greedy",
    "a-very-long-name-without-a-break@mc:worlds=16,policy=greedy,objective=pips",
]  # fmt: skip
RUNS = {
    "two": {"lineups": [("a", "b")], "deals": 6},
    "four": {"lineups": [("random", "greedy", "double-holder", "mc")], "deals": 6, "n_rounds": 13},
    "nine": {"lineups": list(combinations(LONG, 4)), "deals": 2, "n_rounds": 2, "kind": "rotate", "labels": LONG},
    "ten": {"lineups": [tuple("abcdefghij")], "deals": 4, "kind": "rotate"},
    "apart": {"lineups": [("A", "B"), ("C", "D")], "deals": 6},
    "alone": {"lineups": [("A", "A", "A")], "deals": 6},
    "one block": {"lineups": [("a", "b", "c")], "deals": 1},
}
UNITS = {
    "standings": ("pips/round", ""),
    "pairwise": ("95 %", "agent"),
    "ratings": ("rating points", ""),
    "scores": ("pips", "share of the agent's rounds"),
    "seats": ("", "pips/round"),
    "by_round": ("round", "pips/round"),
}


@pytest.fixture(scope="module", params=list(RUNS))
def frames(request):
    games, rounds = tournament(**RUNS[request.param])
    return {
        "name": request.param,
        "standings": estimates.standings(games),
        "pairwise": estimates.pairwise(games),
        "ratings": rating.ratings(games),
        "scores": estimates.scores(rounds),
        "seats": estimates.seats(games, rounds),
        "by_round": estimates.by_round(rounds),
    }


@pytest.mark.parametrize("name", list(UNITS))
def test_nothing_is_outside_the_frame_and_no_labels_collide(frames, name):
    ax = getattr(plots, name)(frames[name])
    figure = ax.figure
    figure.canvas.draw()
    inside, frame = figure.get_tightbbox(), figure.bbox_inches
    assert inside.x0 >= -0.01
    assert inside.y0 >= -0.01
    assert inside.x1 <= frame.x1 + 0.01
    assert inside.y1 <= frame.y1 + 0.01
    for axis in (ax.xaxis, ax.yaxis):
        ticks = [label.get_window_extent() for label in axis.get_ticklabels() if label.get_text()]
        for one, other in pairwise(ticks):
            assert not one.shrunk(0.98, 0.9).overlaps(other)


@pytest.mark.parametrize("name", list(UNITS))
def test_axes_carry_their_unit(frames, name):
    ax = getattr(plots, name)(frames[name])
    assert ax.get_title(loc="left")
    if frames["name"] != "alone" or name != "pairwise":
        assert UNITS[name][0] in ax.get_xlabel()
        assert UNITS[name][1] in ax.get_ylabel()
    words = " ".join(text.get_text() for text in ax.figure.findobj(Text))
    assert "nan" not in words
    assert "inf" not in words


@pytest.mark.parametrize("name", list(UNITS))
def test_axes_of_the_caller_are_used(frames, name):
    ax = Figure().add_subplot()
    assert getattr(plots, name)(frames[name], ax=ax) is ax


def test_rounds_can_be_drawn_as_they_are():
    _, rounds = tournament([("a", "b")], deals=3)
    one, other = plots.scores(rounds), plots.scores(estimates.scores(rounds))
    for drawn, again in zip(one.lines, other.lines, strict=True):
        np.testing.assert_array_equal(drawn.get_xydata(), again.get_xydata())
    assert len(plots.by_round(rounds).lines) == len(plots.by_round(estimates.by_round(rounds)).lines)


def test_H12_absent_numbers_are_said_in_words():
    games, _ = tournament([("a", "b")], deals=1)
    words = [text.get_text() for text in plots.standings(estimates.standings(games)).texts]
    assert all(word.endswith("no interval\nneeds 2 blocks") for word in words)
    games, _ = tournament([("A", "B"), ("C", "D")], deals=4)
    assert sum(text.get_text() == "n/a" for text in plots.pairwise(estimates.pairwise(games)).texts) == 8


def test_best_is_on_top():
    games, _ = tournament([("a", "b", "c")], deals=20, skill={"b": -20, "a": 20})
    ax = plots.standings(estimates.standings(games))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b", "c", "a"]
    assert ax.yaxis_inverted()
    assert [label.get_text() for label in plots.ratings(rating.ratings(games)).get_yticklabels()] == ["b", "c", "a"]


def test_long_labels_are_wrapped_and_never_cut():
    for label in LONG:
        assert look.wrapped(label).replace("\n", "") == label
        assert max(map(len, look.wrapped(label).splitlines())) <= look.WRAP


def test_numbers_have_a_true_minus_and_no_signed_zero():
    assert look.number("{:+.2f}", -1.234) == "−1.23"
    assert look.number("{:+.2f}", -0.001) == "0.00"


def test_figures_are_saved_the_same_bytes_and_leave_settings_alone(tmp_path):
    results = read(store(tmp_path / "run", *tournament([("a", "b", "c")], deals=4)))
    before = dict(matplotlib.rcParams)
    paths = plots.save(results, tmp_path / "one")
    assert sorted(path.name for path in paths) == sorted(f"{name}.{kind}" for name in UNITS for kind in ("png", "svg"))
    for path, again in zip(paths, plots.save(results, tmp_path / "two"), strict=True):
        assert path.read_bytes() == again.read_bytes(), path.name
    assert dict(matplotlib.rcParams) == before
    assert "run · 3 seats · seed 7" in (tmp_path / "one" / "seats.svg").read_text()
    assert [path.name for path in plots.save(results, tmp_path / "three", formats=("svg",))] == [
        f"{name}.svg" for name in ("standings", "pairwise", "ratings", "scores", "seats", "by_round")
    ]


def test_no_pyplot_and_no_scipy_at_import():
    code = "import sys, mtrain.study.report; print({'matplotlib.pyplot', 'scipy', 'numba'} & {*sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"
