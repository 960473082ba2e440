"""Runs the notebooks in full, each in a kernel of its own, and writes their outputs into them.

    python notebooks/run.py [FILE…]

What a notebook holds afterwards is what its cells printed and drew, and nothing of the machine or of the time. A cell
that fails, or that writes to standard error, ends it.
"""

import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent

# What a notebook says of itself: nothing of the machine that it was run on.
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}

COMPILING = "mtrain: compiling kernels"
"""How the sentence begins that a first compilation says: the one thing left out of what cells wrote."""


def run(path: Path) -> float:
    """Run a notebook and write it with its outputs; return the seconds that it took."""
    notebook = nbformat.read(path, as_version=4)
    began = time.monotonic()
    where = {"metadata": {"path": str(path.parent)}}
    NotebookClient(notebook, timeout=None, resources=where, extra_arguments=["--log-level=ERROR"]).execute()
    took = time.monotonic() - began
    notebook.metadata = nbformat.from_dict(METADATA)
    for number, cell in enumerate(notebook.cells, 1):
        cell.id, cell.metadata = f"cell-{number}", nbformat.from_dict({})
        if cell.cell_type != "code":
            continue
        cell.outputs = [output for output in cell.outputs if not output.get("text", "").startswith(COMPILING)]
        for output in cell.outputs:
            if output.get("name") == "stderr":
                raise SystemExit(f"{path.name}, cell {number} writes to standard error: {output.text}")
            if "metadata" in output:
                output.metadata = nbformat.from_dict({})
    nbformat.write(notebook, path)
    return took


def main() -> None:
    paths = [Path(name) for name in sys.argv[1:]] or sorted(HERE.glob("*.ipynb"))
    for path in paths:
        print(f"{path.name}: {run(path):.0f} s, {path.stat().st_size / 1024:.0f} KB", flush=True)


if __name__ == "__main__":
    main()
