"""The two ways in which mtrain gives up, each with one sentence for the person who asked."""

import difflib
from collections.abc import Iterable


class Mistake(ValueError):
    """What was asked for cannot be done; nothing has been spent. The command line ends with status 2."""


class Trouble(RuntimeError):
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
