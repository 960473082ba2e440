"""Entries: lines that a person types, read so that nothing typed can do harm, and words printed on any terminal.

What is read is one line of printable characters, however it came; the end of the input is said apart. This module
knows nothing of what entries mean.
"""

import io
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

from mtrain.errors import Mistake, nearest
from mtrain.show.boardtext import writable

MOST = 200  # characters of an entry that are read; no entry needs so many

_ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|.)?")

# What a terminal is shown that has no more than ASCII.
_PLAIN = str.maketrans({"−": "-", "–": "-", "±": "+/-", "×": "x", "…": "...", "·": "."})


class EntryError(Mistake):
    """An entry that cannot be followed; the sentence says what is right."""


def tidy(line: str) -> str:
    """Return an entry as it is read: printable, single blanks, not too long."""
    seen = _ESCAPE.sub("", line[: 20 * MOST])
    kept = "".join(letter if letter.isprintable() else " " for letter in seen)
    return " ".join(kept.split())[:MOST].strip()


def quoted(entry: str) -> str:
    """Return an entry as an answer repeats it: short."""
    return repr(entry if len(entry) <= 40 else entry[:39] + "…")


def unknown(word: str, known: Sequence[str]) -> EntryError:
    """Return the error for a first word that is no command."""
    return EntryError(f"unknown entry {quoted(word)}; {nearest(word, known, '`help` lists what can be said')}")


def plain(text: str, stream: Any = None) -> str:
    """Return a text in the characters that a stream has."""
    return writable(text, getattr(stream or sys.stdout, "encoding", None) or "ascii", _PLAIN)


def steady() -> None:
    """Have standard input and output replace characters that they cannot read or write."""
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


class Entries:
    """Where entries come from, and where answers go.

    Parameters
    ----------
    source, to
        Streams of text; None: standard input and output.
    """

    def __init__(self, source: Any = None, to: Any = None) -> None:
        self._source, self._to = source or sys.stdin, to or sys.stdout

    def read(self, prompt: str) -> str | None:
        """Print the prompt and return the next entry; None at the end of the input."""
        self._to.write(plain(prompt, self._to))
        self._to.flush()
        line = self._source.readline()
        if not line:
            self._to.write("\n")
            return None
        return tidy(line)

    def say(self, text: str) -> None:
        """Print a text and end its line."""
        self._to.write(plain(text, self._to) + "\n")
        self._to.flush()


def converse(entries: Entries, prompt: str, enter: Callable[[str], str | None]) -> None:
    """Answer entry after entry, until one of them is the wish to leave or the input ends."""
    while (entry := entries.read(prompt)) is not None:
        try:
            answer = enter(entry)
        except Mistake as error:
            answer = str(error)
        if answer is None:
            return
        entries.say(answer)
