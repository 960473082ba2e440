"""The two ways in which mtrain gives up, each with one sentence for whoever asked, and the words that many share."""

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import Any


class UsageError(ValueError):
    """What was asked for cannot be done; nothing has been spent. The command line ends with status 2."""


class RunError(RuntimeError):
    """The work found something wrong. The command line ends with status 1."""


def nearest(word: object, known: Iterable[str], instead: str = "") -> str:
    """Return the end of a sentence about an unknown word: the known word nearest to it, or else what there is.

    Parameters
    ----------
    word
        What was said.
    known
        What could have been.
    instead
        Said where nothing is near: by default ``choose from`` and the list of all.
    """
    known = list(known)
    near = difflib.get_close_matches(str(word), known, 1)
    return f"did you mean {near[0]!r}?" if near else instead or f"choose from {', '.join(known)}"


def read_toml(path: Path, mistake: type[UsageError]) -> dict[str, Any]:
    """Return what a TOML file says.

    Raises
    ------
    UsageError
        Of the given kind, if it cannot be read or is not TOML; the sentence names the file.
    """
    import tomllib  # most commands read no such file

    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise mistake(f"{path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise mistake(f"{path} is not TOML: {error}") from None


def counted(n: int, thing: str) -> str:
    """Return a number of things, the thing named in the singular: "1 block", "1,000 blocks"."""
    return f"{n:,} {thing}{'' if n == 1 else 's'}"
