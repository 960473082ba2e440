"""Notes: why numbers of a row are absent, as reasons by quantity and as the one text that tables keep of them.

A reason is about some quantities of a row, or about the row as a whole: "win: no variance between blocks; group 2:
never met the agents of other groups". The two forms are inverses of one another for the quantities that are known.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Note:
    """Reasons in the order in which they are said, each with the quantities that it is about; none: the whole row."""

    reasons: tuple[tuple[tuple[str, ...], str], ...] = ()

    def __str__(self) -> str:
        return "; ".join(f"{', '.join(names)}: {why}" if names else why for names, why in self.reasons)

    @property
    def whys(self) -> tuple[str, ...]:
        """The reasons alone."""
        return tuple(why for _, why in self.reasons)

    def about(self, quantities: Collection[str]) -> Note:
        """What of it is about these quantities, or about the whole row."""
        kept = ((names, tuple(name for name in names if name in quantities), why) for names, why in self.reasons)
        return Note(tuple((left, why) for names, left, why in kept if left or not names))


def note_of(why: Mapping[str, str], *further: str) -> Note:
    """Return the note of a row.

    Parameters
    ----------
    why
        The reason by quantity, "" where there is none; one that all share is about the whole row.
    further
        What else is to be said of the row.
    """
    names: dict[str, list[str]] = {}
    for name, reason in why.items():
        names.setdefault(reason, []).append(name)
    shared = [(tuple(said) if len(said) < len(why) else (), reason) for reason, said in names.items() if reason]
    return Note((*shared, *(((), reason) for reason in further)))


def parse_note(text: str, quantities: Iterable[str]) -> Note:
    """Read the text of a note about these quantities."""
    known = set(quantities)
    reasons: list[tuple[tuple[str, ...], str]] = []
    for part in filter(None, text.split("; ")):
        said, colon, why = part.partition(": ")
        names = tuple(said.split(", "))
        reasons.append((names, why) if colon and known.issuperset(names) else ((), part))
    return Note(tuple(reasons))
