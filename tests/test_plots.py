"""Figures: labelled, with intervals, nothing outside the frame, the same bytes each time."""

from itertools import combinations, pairwise

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from mtrain.report import plots, style
from mtrain.stats import estimates, files, tables
from mtrain.stats import ratings as rating
from mtrain.stats.results import families, read
from tests.helpers.program import printed
from tests.helpers.synthetic import store, tournament

LONG = [
    "random", "greedy", "greedy:ties=own", "greedy-own@greedy:own=0.75", "double-holder",
    "double-holder:keep=3,until=5", "mc:worlds=4", "mc:worlds=64,policy=greedy",
    "a-very-long-name-without-a-break@mc:worlds=16,policy=greedy,objective=pips",
    "mc:worlds=1024,policy=planner,objective=lead,gate=2.0,halving=true,rollout=planner,share=0.5 (peeks)",
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
    "cost": ("time of a decision", "pips/round"),
    "parts": ("pips/round", ""),
}
FAMILY = ["mc:worlds=4", "mc:worlds=16", "mc:worlds=64", "mc:worlds=4,rollout=random", "greedy", "greedy:own=2"]
KNOWN = {
    label: {"worlds": int(label.split("=")[1].split(",")[0]), "rollout": "random" if "random" in label else "greedy"}
    for label in FAMILY[:4]
} | {"greedy": {"own": 0.0}, "greedy:own=2": {"own": 2.0}}


@pytest.fixture(scope="module", params=list(RUNS))
def frames(request):
    games, rounds = tournament(**RUNS[request.param])
    table = estimates.standings(games)
    return {
        "cost": table,
        "parts": pd.concat([table.assign(part=part) for part in ("two-seats", "a-part-of-a-very-long-name", "c")]),
        "name": request.param,
        "standings": table,
        "pairwise": estimates.pairwise(games),
        "ratings": rating.ratings(games),
        "scores": estimates.scores(rounds),
        "seats": estimates.seats(games, rounds),
        "by_round": estimates.by_round(rounds),
    }


def timing(labels, times=None):
    """A `timing` table: 0.05 µs for the first, and ten times as much for each further one, up to a second."""
    times = times or [0.05 * 10 ** (k % 8) for k in range(len(labels))]
    data = {"agent": list(labels), "decisions": [9] * len(labels), "us_per_decision": times, "p95": times}
    return tables.frame(tables.TIMING, data)


def drawn(name, frame, **where):
    """A figure of a frame, with times where it wants them."""
    more = (timing(frame["agent"]),) if name == "cost" else ()
    return getattr(plots, name)(frame, *more, **where)


@pytest.mark.parametrize("name", list(UNITS))
def test_nothing_is_outside_the_frame_and_no_labels_collide(frames, name):
    ax = drawn(name, frames[name])
    figure = ax.figure
    figure.canvas.draw()
    inside, frame = figure.get_tightbbox(), figure.bbox_inches
    assert inside.x0 >= -0.01
    assert inside.y0 >= -0.01
    assert inside.x1 <= frame.x1 + 0.01
    assert inside.y1 <= frame.y1 + 0.01
    fits_and_is_apart(ax)


def fits_and_is_apart(ax):
    """Labels of an axis are inside the figure and don't touch."""
    for axis in (ax.xaxis, ax.yaxis):
        ticks = [label.get_window_extent() for label in axis.get_ticklabels() if label.get_text()]
        for one, other in pairwise(ticks):
            assert not one.shrunk(0.98, 0.9).overlaps(other)


@pytest.mark.parametrize("name", list(UNITS))
def test_axes_carry_their_unit(frames, name):
    ax = drawn(name, frames[name])
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
    assert drawn(name, frames[name], ax=ax) is ax


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


def test_cost_says_each_agents_numbers_best_first_and_who_has_no_time():
    games, _ = tournament([("a", "b", "c")], deals=20, skill={"b": -20, "a": 20})
    table = estimates.standings(games)
    ax = plots.cost(table, timing(["b", "c", "a"], [0.25, 1500.0, None]))
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    mean = table.set_index("agent")["pips"]
    assert words == [f"b\n{mean['b']:.2f}, 250 ns", f"c\n{mean['c']:.2f}, 1.5 ms", "a\nn/a"]
    assert ax.get_xscale() == "log"
    points = [line.get_xydata().tolist() for line in ax.lines if len(line.get_xdata())]
    assert points == [[[0.25, mean["b"]]], [[1500.0, mean["c"]]]]
    near = plots.cost(table, timing(["b", "c", "a"], [0.03, 0.04, 0.07]))
    near.figure.canvas.draw()
    assert {t.get_text() for t in near.get_xticklabels(which="both")} - {""} <= {"1 ns", "10 ns", "100 ns", "1 µs"}
    other = plots.cost(table, timing(["b", "c", "a"]), "diff")
    assert "against the others" in other.get_ylabel()
    assert other.lines[0].get_ydata().tolist() == [table["diff"][0]]


def test_a_family_differs_in_one_number_alone():
    games, _ = tournament([tuple(FAMILY[:4]), tuple(FAMILY[2:])], deals=4, labels=FAMILY)
    made = families(estimates.standings(games), {label: label for label in FAMILY}, KNOWN)
    assert list(made["agent"]) == FAMILY[:3]  # one of four worlds is another rollout's, two greedy ones are too few
    assert set(made["family"]) == {"mc:worlds=…"}
    assert made["setting"].tolist() == [4, 16, 64]
    theirs = estimates.standings(games).set_index("agent")
    assert made["diff"].tolist() == theirs.loc[made["agent"], "diff"].tolist()
    marked = {label: label for label in FAMILY[:3]}
    peek = families(estimates.standings(games), marked, KNOWN, peeking=FAMILY[:3])
    assert set(peek["family"]) == {"mc:worlds=… (peeks)"}
    assert families(estimates.standings(games), marked, KNOWN, peeking=FAMILY[:1]).empty
    assert families(estimates.standings(games), {}, {}).empty


def test_strength_is_drawn_along_the_number():
    labels = [f"mc:worlds={n}{more}" for more in ("", ",rollout=random") for n in (1, 4, 64)]
    known = {label: {"worlds": int(label.split("=")[1].split(",")[0]), "rollout": label[-6:]} for label in labels}
    for label in labels[:3]:
        known[label]["rollout"] = "greedy"
    games, _ = tournament(list(combinations(labels, 4)), deals=3, labels=labels)
    made = families(estimates.standings(games), {label: label for label in labels}, known)
    assert set(made["family"]) == {"mc:worlds=…", "mc:worlds=…,rollout=random"}
    ax = plots.budget(made)
    ax.figure.canvas.draw()
    fits_and_is_apart(ax)
    assert ax.get_xscale() == "log"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "4", "64"]
    assert "worlds; 95 % intervals over" in ax.get_xlabel()
    assert "pips/round" in ax.get_ylabel()
    narrow = made[made["setting"] < 64].assign(setting=[0.0, 1.0, 0.0, 1.0])
    assert plots.budget(narrow).get_xscale() == "linear"


def test_parts_are_in_their_order_with_a_dot_an_agent():
    games, _ = tournament([("a", "b", "c")], deals=6)
    table = estimates.standings(games)
    some = pd.concat([table.assign(part="z"), table[table["agent"] != "b"].assign(part="y")])
    ax = plots.parts(some)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["z", "y"]
    assert ax.yaxis_inverted()
    dots = {c.get_label(): c.lines[0].get_xydata() for c in ax.containers}
    assert {name: len(xy) for name, xy in dots.items()} == {"a": 2, "b": 1, "c": 2}
    for name, xy in dots.items():
        assert set(xy[:, 0]) == set(table["diff"][table["agent"] == name])
    assert len({y for xy in dots.values() for y in xy[:, 1]}) == 5


def test_best_is_on_top():
    games, _ = tournament([("a", "b", "c")], deals=20, skill={"b": -20, "a": 20})
    ax = plots.standings(estimates.standings(games))
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b", "c", "a"]
    assert ax.yaxis_inverted()
    assert [label.get_text() for label in plots.ratings(rating.ratings(games)).get_yticklabels()] == ["b", "c", "a"]


def test_long_labels_are_wrapped_and_never_cut():
    for label in LONG:
        assert "".join(style.wrapped(label).split()) == label.replace(" ", "")
        assert max(map(len, style.wrapped(label).splitlines())) <= style.WRAP


def test_numbers_have_a_true_minus_and_no_signed_zero():
    assert plots.DIFFERENCE(-1.234) == "−1.23"
    assert plots.DIFFERENCE(-0.001) == "0.00"


def test_figures_are_saved_the_same_bytes_and_leave_settings_alone(tmp_path):
    results = read(store(tmp_path / "run", *tournament([("a", "b", "c")], deals=4)))
    before = dict(matplotlib.rcParams)
    paths = plots.save(results, tmp_path / "one")
    names = ("standings", "pairwise", "ratings", "scores", "seats", "by_round")
    assert sorted(path.name for path in paths) == sorted(f"{name}.{kind}" for name in names for kind in ("png", "svg"))
    for path, again in zip(paths, plots.save(results, tmp_path / "two"), strict=True):
        assert path.read_bytes() == again.read_bytes(), path.name
    assert dict(matplotlib.rcParams) == before
    assert "run · 3 seats · seed 7" in (tmp_path / "one" / "seats.svg").read_text()
    assert [path.name for path in plots.save(results, tmp_path / "three", formats=("svg",))] == [
        f"{name}.svg" for name in names
    ]
    files.write(tables.TIMING, timing(["a", "b", "c"]), results.path / "timing.parquet")
    assert {path.stem for path in plots.save(results, tmp_path / "four")} == {*names, "cost"}


def test_no_pyplot_and_no_scipy_at_import():
    code = "import sys, mtrain.report.page; print({'matplotlib.pyplot', 'scipy', 'numba'} & {*sys.modules})"
    assert printed("-c", code).strip() == "set()"
