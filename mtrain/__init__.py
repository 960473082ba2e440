"""mtrain: research harness and bot arena for Mexican Train dominoes.

The public names are those that ``__init__.pyi`` imports, each from where it lives, when it is first used: so that
``import mtrain`` costs nothing, and type checkers read the same list.
"""

import importlib
from pathlib import Path
from typing import Any

from mtrain.version import __version__ as __version__

# Its lines read: from MODULE import NAME as NAME
_HOMES = {
    words[-1]: (words[1], words[3])
    for words in map(str.split, Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8").splitlines())
    if words[:1] == ["from"]
}

__all__ = ["__version__", *sorted(_HOMES)]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mtrain' has no attribute {name!r}")
    module, attribute = _HOMES[name]
    found = importlib.import_module(module)
    # A whole module is public, too: its package does not hold it as a name before it is imported.
    return getattr(found, attribute) if hasattr(found, attribute) else importlib.import_module(f"{module}.{attribute}")
