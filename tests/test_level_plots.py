"""Figures of levels: labelled, with intervals, each number in its place, nothing over anything else."""

import matplotlib
import numpy as np
import pytest
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.text import Text

from mtrain.report import plots
from mtrain.stats import tables
from mtrain.stats.tables import ResultsError
from mtrain.tuning import ladder_tables, level_plots

LONG = (
    "beginner", "learner", "casual", "steady", "club-player", "tournament", "expert.v2", "quick", "master",
    "grandmaster_of_trains", "a-very-long-name-of-a-level-that-goes-on-and-on", "unweakened",
)  # fmt: skip
NAMES = {"two": ("1", "2"), "five": tuple("12345"), "twelve": tuple(map(str, range(1, 13))), "long": LONG}
MISSING = {"str": "", "int32": 0}


def frame(table, rows):
    """A frame of this table; what a row doesn't say is absent."""
    return tables.frame(
        table, {c.name: [row.get(c.name, MISSING.get(c.dtype, np.nan)) for row in rows] for c in table.columns}
    )


def around(name, value, half, stem=None):
    stem = f"{name}_" if stem is None else stem
    return {name: value, f"{stem}lo": value - half, f"{stem}hi": value + half}


def win(at):
    return 0.85 - 0.78 / (1 + np.exp(-14 * (at - 0.45)))


def diff(at):
    return 20 * (0.4 - win(at))


def curve(worth=win, half=0.02):
    return frame(
        ladder_tables.CURVE, [{"at": x, **around("value", worth(x), half, "")} for x in np.linspace(0, 1, 101)]
    )


def probes(worth=win, half=0.04):
    grid = [*np.linspace(0, 1, 9), 0.44, 0.45, 0.46]
    return frame(
        ladder_tables.PROBES,
        [
            {"at": x, "agent": f"a{x}", "blocks": 20 + k, **around("value", worth(x), half, "")}
            for k, x in enumerate(grid)
        ],
    )


def levels(names, skill_axis=None, **changed):
    """Levels along the dial; `changed` are columns of other values, None for one that is as it was."""
    skill_axis = np.linspace(0.9, 0.1, len(names)) if skill_axis is None else skill_axis
    rows = [
        {"level": name, "agent": name, "dial": x, "target_of": "win", "target": win(x), "blocks": 30}
        | around("win", win(x) + 0.01, 0.03) | around("diff", diff(x) + 0.2, 0.6) | around("regret", 1 + x, 0.3)
        | {"regret_p95": 5 + 9 * x, "stays_in": 0.0, "passes": 0.0, "leaves_marked": 0.0}
        for name, x in zip(names, skill_axis, strict=True)
    ]  # fmt: skip
    for column, values in changed.items():
        for row, value in zip(rows, values, strict=True):
            row[column] = row[column] if value is None else value
    return frame(ladder_tables.LEVELS, rows)


def pairs(names, played=None):
    """Pairs of levels, all of them or those `played`."""
    rows = [
        {"level": names[i], "below": names[j], "blocks": 40, **around("rounds", 0.5 + 0.03 * (i - j), 0.01)}
        for i in range(len(names))
        for j in range(i)
        if played is None or (names[i], names[j]) in played
    ]
    return frame(ladder_tables.PAIRS, rows)


def empty(table):
    return frame(table, [])


def drawn(what, names, **how):
    if what == "matrix":
        return level_plots.matrix(pairs(names), levels(names), **how)
    if what == "plausibility":
        return level_plots.plausibility(levels(names), **how)
    worth, half = (win, 0.03) if what == "win" else (diff, 0.5)
    return level_plots.strength(curve(worth, half), probes(worth, half), levels(names), what, **how)


def words(ax):
    return " ".join(text.get_text() for text in ax.figure.findobj(Text))


def bars(ax):
    """The ends of each interval that is drawn as a bar, by where it stands."""
    segments = [s for c in ax.collections if isinstance(c, LineCollection) for s in c.get_segments()]
    return {round(float(s[0][0]), 6): sorted(s[:, 1].tolist()) for s in segments if s[0][0] == s[1][0]}


def cells(ax):
    """The texts in each cell of the matrix."""
    found = {}
    for text in ax.texts:
        x, y = text.get_position()
        found.setdefault((round(y), round(x)), []).append(text.get_text())
    return found


PICTURES = ("win", "diff", "matrix", "plausibility")


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("what", PICTURES)
def test_nothing_is_outside_the_frame_and_no_labels_collide(what, names):
    ax = drawn(what, names)
    ax.figure.canvas.draw()
    inside, edge = ax.figure.get_tightbbox(), ax.figure.bbox_inches
    assert inside.x0 >= -0.01
    assert inside.y0 >= -0.01
    assert inside.x1 <= edge.x1 + 0.01
    assert inside.y1 <= edge.y1 + 0.01
    apart(ax)
    assert ax.get_window_extent().height >= 200  # pixels, of 100 an inch: room for what is drawn


def apart(ax):
    """No tick's label, of the axes or above them, touches another, nor the title or a text."""
    texts = [text for text in ax.get_children() if isinstance(text, Text)] + [ax.xaxis.label, ax.yaxis.label]
    for axis in (ax.xaxis, ax.yaxis, *(child.xaxis for child in ax.child_axes)):
        low, high = sorted(axis.get_view_interval())
        texts += [tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]
        texts += [tick.label2 for tick in axis.get_major_ticks()]
    boxes = [t.get_window_extent().shrunk(0.98, 0.9) for t in texts if t.get_visible() and t.get_text().strip()]
    assert len(boxes) > 5
    for k, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[:k])


@pytest.mark.parametrize("skill_axis", [np.linspace(0.03, 0, 12), np.linspace(1, 0.97, 12), np.full(12, 0.5)])
def test_names_of_levels_close_to_one_another_stay_apart(skill_axis):
    names = NAMES["twelve"]
    ax = level_plots.strength(curve(), probes(), levels(names, skill_axis), "win")
    ax.figure.canvas.draw()
    apart(ax)
    above = ax.child_axes[0].get_xticklabels()
    assert [label.get_text() for label in above] == list(names)
    boxes = [label.get_window_extent() for label in above]
    frame = ax.get_window_extent()
    assert boxes == sorted(boxes, key=lambda box: box.x0)
    assert boxes[0].x0 >= frame.x0 - 2
    assert boxes[-1].x1 <= frame.x1 + 2


@pytest.mark.parametrize(
    ("what", "x", "y"),
    [
        ("win", "position of the dial", "share of games won, higher is better"),
        ("diff", "position of the dial", "pips/round against the others\nat the table, lower is better"),
        ("matrix", "95 % intervals over 40 blocks", "level, strongest on top"),
        ("plausibility", "level, weakest to strongest", "pips/decision"),
    ],
)
def test_axes_carry_their_unit_and_say_which_way_is_better(what, x, y):
    ax = drawn(what, NAMES["five"])
    assert ax.get_title(loc="left")
    assert x in ax.get_xlabel()
    assert y in ax.get_ylabel()
    if what == "win":
        assert all(label.endswith(" %") for label in map(Text.get_text, ax.get_yticklabels()))
    if what == "matrix":
        bar = ax.figure.axes[1]
        assert "share of rounds" in bar.get_ylabel()
        assert all(label.get_text().endswith(" %") for label in bar.get_yticklabels())


@pytest.mark.parametrize("what", PICTURES)
def test_axes_of_the_caller_are_used(what):
    ax = Figure().add_subplot()
    assert drawn(what, NAMES["five"], ax=ax) is ax


def test_the_stronger_is_on_the_right():
    ax = drawn("win", NAMES["two"])
    left, right = ax.get_xlim()
    assert left > 1 > 0 > right
    assert "stronger to the right" in ax.get_xlabel()
    ax = drawn("matrix", NAMES["five"])
    for axis in (ax.xaxis, ax.yaxis):
        assert [label.get_text() for label in axis.get_ticklabels()] == list("12345")
        assert not axis.get_inverted()
    assert [label.get_text() for label in drawn("plausibility", "abc").get_xticklabels()] == list("abc")


@pytest.mark.parametrize(("what", "worth"), [("win", win), ("diff", diff)])
def test_strength_shows_curve_probes_targets_and_what_was_found_with_intervals(what, worth):
    ax = drawn(what, NAMES["five"])
    half = 0.03 if what == "win" else 0.5
    at = np.linspace(0, 1, 101)
    line = next(line for line in ax.lines if line.get_label() == "curve through all probes")
    np.testing.assert_allclose(line.get_xydata(), np.stack([at, worth(at)], axis=1))
    band = next(c for c in ax.collections if isinstance(c, PolyCollection)).get_paths()[0].vertices
    assert band[:, 1].min() == pytest.approx(worth(at).min() - half)
    assert band[:, 1].max() == pytest.approx(worth(at).max() + half)
    shown = bars(ax)
    assert shown[0.44] == pytest.approx([worth(0.44) - half, worth(0.44) + half])
    found, own = (win(0.9) + 0.01, 0.03) if what == "win" else (diff(0.9) + 0.2, 0.6)
    assert shown[0.9] == pytest.approx([found - own, found + own])
    targets = [line for line in ax.lines if len(set(line.get_ydata())) == 1 and line.get_ls() == "--"]
    assert [(line.get_xdata()[1], line.get_ydata()[0]) for line in targets] == (
        [(x, win(x)) for x in np.linspace(0.9, 0.1, 5)] if what == "win" else []
    )
    low, high = ax.get_ylim()
    assert all(low <= end <= high for ends in shown.values() for end in ends)
    assert "probe, 20–31 blocks" in words(ax)
    assert "level on fresh deals,\n30 blocks" in words(ax)


def test_a_level_off_the_dial_stands_beside_it():
    table = levels("abc", [0.6, 0.3, np.nan], target=[None, None, np.nan], win=[None, None, 0.9])
    table.loc[2, ["win_lo", "win_hi"]] = 0.88, 0.92
    ax = level_plots.strength(curve(), probes(), table, "win")
    assert ax.child_axes[0].get_xticklabels()[-1].get_text() == "c"
    assert "not on it" in words(ax)
    dots = next(c for c in ax.containers if "level" in c.get_label()).lines[0].get_xydata()
    assert dots[2][0] < 0
    assert dots[2][1] == 0.9
    assert min(ax.get_xlim()) < dots[2][0]


def test_another_quantity_is_refused():
    with pytest.raises(ResultsError, match="strength is drawn in win or diff, not in 'taken'"):
        level_plots.strength(curve(), probes(), levels("ab"), "taken")


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_both_triangles_of_the_matrix_add_up(names):
    n = len(names)
    texts = cells(drawn("matrix", names))
    assert set(texts) == {(y, x) for y in range(n) for x in range(n) if x != y}
    for (y, x), (share, interval) in texts.items():
        there, other = texts[x, y]
        assert float(share.removesuffix(" %")) + float(there.removesuffix(" %")) == pytest.approx(100)
        assert float(share.removesuffix(" %")) == pytest.approx(50 + 3 * (y - x))
        ends = [float(end) for end in interval.split("–")]
        assert ends == pytest.approx([100 - float(end) for end in reversed(other.split("–"))])
        assert ends == pytest.approx([50 + 3 * (y - x) - 1, 50 + 3 * (y - x) + 1])


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_what_is_written_in_a_cell_stays_in_it(names):
    ax = drawn("matrix", names)
    ax.figure.canvas.draw()
    boxes = {}
    for text in ax.texts:
        x, y = text.get_position()
        box, cell = text.get_window_extent(), (round(x), round(y))
        (left, bottom), (right, top) = ax.transData.transform([np.array(cell) - 0.5, np.array(cell) + 0.5])
        assert left < box.x0 < box.x1 < right
        assert bottom < box.y0 < box.y1 < top
        boxes.setdefault(cell, []).append(box)
    assert all(not one.overlaps(other) for one, other in boxes.values())


def test_pairs_that_did_not_play_are_blank():
    table = pairs("abcd", played={("b", "a"), ("c", "b"), ("d", "c")})
    ax = level_plots.matrix(table, levels("abcd"))
    assert set(cells(ax)) == {(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)}
    shown = ax.collections[-1].get_array()
    assert np.ma.getmaskarray(shown)[0, 3]
    assert np.ma.getmaskarray(shown).sum() == 16 - 6
    assert "white: not played" in ax.get_xlabel()
    assert "not played" not in level_plots.matrix(pairs("abcd"), levels("abcd")).get_xlabel()


def test_the_matrix_is_coloured_from_the_middle():
    mesh = drawn("matrix", NAMES["five"]).collections[-1]
    low, high = mesh.get_clim()
    assert (low + high) / 2 == pytest.approx(0.5)
    assert high == pytest.approx(0.62)
    near = pairs("ab").assign(rounds=0.501)
    assert level_plots.matrix(near, levels("ab")).collections[-1].get_clim() == pytest.approx((0.45, 0.55))


def test_the_order_is_that_of_the_levels_and_nobody_is_left_out():
    ax = level_plots.matrix(pairs("abc"), levels("cba"))
    assert [label.get_text() for label in ax.get_xticklabels()] == ["c", "b", "a"]
    ax = level_plots.matrix(pairs("abc"), empty(ladder_tables.LEVELS))
    assert [label.get_text() for label in ax.get_xticklabels()] == ["a", "b", "c"]


def test_plausibility_shows_means_with_intervals_and_what_most_cost():
    ax = drawn("plausibility", NAMES["five"])
    x = np.linspace(0.9, 0.1, 5)
    for k, ends in bars(ax).items():
        assert ends == pytest.approx([1 + x[round(k)] - 0.3, 1 + x[round(k)] + 0.3])
    marks = {c.get_label(): c.lines[0].get_xydata() for c in ax.containers}
    np.testing.assert_allclose(marks["mean, 95 % interval"][:, 1], 1 + x)
    np.testing.assert_allclose(marks["what 19 decisions\nof 20 cost at most"][:, 1], 5 + 9 * x)
    assert level_plots.NEVER in ax.get_xlabel()


def test_follies_are_said_with_their_share():
    ax = level_plots.plausibility(levels("abc", stays_in=[0.0125, None, 1.0], leaves_marked=[None, 0.0004, None]))
    said = ax.get_xlabel().replace("\u00a0", " ")
    assert "stays in where it could go out: a (1.25 %), c (100 %)" in said
    assert "leaves its train marked where closing it is free: b (0.04 %)" in said
    assert "passes" not in said
    assert level_plots.NEVER not in said
    some = level_plots.plausibility(levels("abc", passes=[None, np.nan, None])).get_xlabel()
    assert some.endswith(f"{level_plots.NEVER}\nnot looked at: b")
    none = {column: [np.nan] * 3 for column in level_plots.BLUNDER_KINDS}
    assert level_plots.NEVER not in level_plots.plausibility(levels("abc", **none)).get_xlabel()


def test_absent_numbers_are_said():
    gone = [None, np.nan, None]
    table = levels("abc", win=gone, win_lo=gone, win_hi=gone, regret=gone, regret_lo=gone, regret_hi=gone)
    some = probes()
    some.loc[2, ["value", "lo", "hi"]] = None
    some.loc[3:5, ["lo", "hi"]] = None
    ax = level_plots.strength(curve().assign(lo=np.nan, hi=np.nan), some, table, "win")
    assert ax.get_xlabel().endswith("no interval of the curve; probes without a number: 1; no number of level b")
    assert "no interval" in [text.get_text() for text in ax.get_legend().get_texts()]
    assert "n/a" in [text.get_text() for text in level_plots.plausibility(table).texts]
    bare = pairs("abc")
    bare.loc[0, ["rounds", "rounds_lo", "rounds_hi"]] = None
    bare.loc[1, ["rounds_lo", "rounds_hi"]] = None
    texts = cells(level_plots.matrix(bare, table))
    assert texts[1, 0] == texts[0, 1] == ["n/a"]
    assert texts[2, 0] == ["56.0 %", "no interval"]
    assert not any("nan" in words(each) for each in (ax, level_plots.matrix(bare, table)))


def test_empty_tables_are_said():
    nothing = [empty(table) for table in (ladder_tables.CURVE, ladder_tables.PROBES, ladder_tables.LEVELS)]
    ax = level_plots.strength(*nothing, "diff")
    assert ax.get_xlabel().endswith("no curve; no probes; no levels")
    assert "n/a: no number" in words(ax)
    assert "n/a: no level" in words(level_plots.plausibility(nothing[2]))
    for names in ("", "a"):
        ax = level_plots.matrix(pairs(names), levels(names))
        assert "n/a: no two levels met" in words(ax)
        ax.figure.canvas.draw()
        assert ax.figure.get_tightbbox().x1 <= ax.figure.bbox_inches.x1
    none = {name: [np.nan] for name in ("win", "win_lo", "win_hi", "target")}
    ax = level_plots.strength(*nothing[:2], levels("a", **none), "win")
    assert ax.get_xlabel().endswith("no curve; no probes; no number of level a")
    assert plots.picture(ax, "png")


def test_what_the_tables_allow_is_written_the_same_bytes_and_settings_left_alone(tmp_path):
    names = NAMES["five"]
    everything = {
        "curve-win": curve(), "probes-win": probes(), "curve-diff": curve(diff, 0.5), "probes-diff": probes(diff, 0.5),
        "levels": levels(names), "pairs": pairs(names), "steps": empty(ladder_tables.STEPS),
    }  # fmt: skip
    before = dict(matplotlib.rcParams)
    paths = level_plots.figures(tmp_path / "one", everything, caption="a tuning")
    again = level_plots.figures(tmp_path / "two", everything, caption="a tuning")
    stems = ("strength_win", "strength_diff", "matrix", "plausibility")
    folder = tmp_path / "one" / "figures"
    assert paths == [folder / f"{stem}.{kind}" for stem in stems for kind in ("png", "svg")]
    for one, other in zip(paths, again, strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name
    assert dict(matplotlib.rcParams) == before
    assert "a tuning" in (folder / "matrix.svg").read_text()
    tiles = level_plots.figures(tmp_path / "tiles", {"levels": everything["levels"]}, unit="tiles")
    assert "tiles/decision" in tiles[1].read_text()

    def written(*keys):
        return {path.stem for path in level_plots.figures(tmp_path / "some", {key: everything[key] for key in keys})}

    assert written() == set()
    assert written("probes-diff") == {"strength_diff"}
    assert written("pairs", "steps") == {"matrix"}
    assert written("levels") == {"plausibility"}
    unseen = {column: [np.nan] * 5 for column in ("regret", *level_plots.BLUNDER_KINDS)}
    assert level_plots.figures(tmp_path / "unseen", {"levels": levels(names, **unseen)}) == []
