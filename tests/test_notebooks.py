"""The notebooks: what is committed is a full run's, and every cell still runs, small, in this process."""

import ast
import base64
import gc
import json
import re
import sys
import tempfile
import types
from pathlib import Path
from typing import Any

import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mtrain.report import plots
from tests.helpers.program import HERE

BOOKS = sorted((HERE / "notebooks").glob("*.ipynb"))
NAMES = [path.stem for path in BOOKS]


def cells(path: Path) -> list[dict[str, Any]]:
    return list(json.loads(path.read_text(encoding="utf-8"))["cells"])


def code(path: Path) -> list[dict[str, Any]]:
    return [cell for cell in cells(path) if cell["cell_type"] == "code"]


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def labelled(ax: Axes) -> bool:
    """Does each axis say what it is: by a label, or by words instead of numbers at its ticks?"""
    sides = [
        (axis.get_label_text(), [tick.get_text() for tick in axis.get_ticklabels()]) for axis in (ax.xaxis, ax.yaxis)
    ]
    return bool(ax.get_title(loc="left")) and all(
        label or any(re.search("[^\\W\\d]", tick) for tick in ticks) for label, ticks in sides
    )


def show(value: Any) -> None:
    """What a notebook does with the last value of a cell."""
    for name in ("_repr_svg_", "_repr_html_"):
        if hasattr(value, name):
            getattr(value, name)()
            return


def test_an_axis_of_bare_numbers_is_not_labelled() -> None:
    ax = Figure().add_subplot()
    ax.set_title("Pips", loc="left")
    ax.set(xlabel="round", yticks=[0, 1], yticklabels=["0", "1"])
    assert not labelled(ax)
    ax.set_yticklabels(["greedy", "planner"])
    assert labelled(ax)


def test_there_are_seven() -> None:
    assert [name[:2] for name in NAMES] == [f"{k}_" for k in range(1, 8)]


@pytest.mark.parametrize("path", BOOKS, ids=NAMES)
def test_its_cells_run(
    path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn = []

    def picture(ax: Axes, kind: str, dpi: float = 150) -> bytes:
        drawn.append(ax)
        return b""

    display = types.ModuleType("IPython.display")
    display.Image = bytes  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(plots, "picture", picture)
    monkeypatch.setenv("MTRAIN_NOTEBOOKS", "small")
    (folder / "here").mkdir()
    (folder / "kept").mkdir()
    monkeypatch.chdir(folder / "here")
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "kept"))  # on a disk that costs nothing
    said: dict[str, Any] = {"__name__": path.stem}
    for cell in code(path):
        tree = ast.parse(source(cell))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, path.name, "exec"), said)
        if isinstance(last, ast.Expr):
            show(eval(compile(ast.Expression(last.value), path.name, "eval"), said))
    assert drawn
    assert all(labelled(ax) for ax in drawn)
    assert capsys.readouterr().out
    assert not list((folder / "here").iterdir())
    said.clear()
    gc.collect()
    assert not list((folder / "kept").iterdir())  # it leaves nothing behind


@pytest.mark.parametrize("path", BOOKS, ids=NAMES)
def test_its_title_is_a_question(path: Path) -> None:
    first = source(cells(path)[0]).splitlines()
    assert first[0].startswith("# ")
    assert first[0].endswith("?")
    assert 'SMALL = os.environ.get("MTRAIN_NOTEBOOKS") == "small"' in source(code(path)[0])


@pytest.mark.parametrize("path", BOOKS, ids=NAMES)
def test_it_is_kept_with_the_outputs_of_one_full_run(path: Path) -> None:
    assert path.stat().st_size < 400 * 1024
    assert [cell["execution_count"] for cell in code(path)] == list(range(1, len(code(path)) + 1))
    for cell in code(path):
        shows = isinstance(ast.parse(source(cell)).body[-1], ast.Expr) and source(cell) != "folder.cleanup()"
        assert bool(cell["outputs"]) == (shows or "print(" in source(cell)), source(cell)
        assert all(output["output_type"] != "error" and output.get("name") != "stderr" for output in cell["outputs"])
    # The story ends with what its numbers say.
    assert [output["output_type"] for cell in code(path) for output in cell["outputs"]][-1] == "stream"
    pictures = [output["data"]["image/png"] for cell in code(path) for output in cell["outputs"]
                if "image/png" in output.get("data", {})]  # fmt: skip
    assert pictures
    assert all(base64.b64decode(each).startswith(b"\x89PNG") for each in pictures)


@pytest.mark.parametrize("path", BOOKS, ids=NAMES)
def test_nothing_in_it_is_of_the_machine(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
    assert notebook["metadata"]["language_info"] == {"name": "python"}
    assert all(not cell["metadata"] for cell in notebook["cells"])
    for cell in notebook["cells"]:
        texts = [source(cell)]
        for output in cell.get("outputs", ()):
            texts += ["".join(output.get("text", ""))]
            texts += ["".join(data) for kind, data in output.get("data", {}).items() if not kind.startswith("image/")]
        for text in texts:
            assert not re.search(r"(?:^|[\s'\"(=])(?:/(?:home|tmp|work|root|usr|Users|opt|var|dev)/|[A-Z]:\\)", text)
            assert not re.search(r"[\w.]+@[\w-]+\.(?:com|org|net|de)\b", text)


@pytest.mark.parametrize("path", BOOKS, ids=NAMES)
def test_no_number_is_said_that_no_cell_prints(path: Path) -> None:
    """Sizes of tables and of rules may be told; what was found is printed."""
    for cell in cells(path):
        if cell["cell_type"] == "markdown":
            words = re.sub(r"`[^`]*`", "", source(cell))
            assert not re.search(r"\d+\.\d|\d\s*(?:%|pips)", words), words
