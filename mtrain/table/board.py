"""The table as a picture and as text, of a position or of what one seat may know of it.

A `Board` shows what it is handed and computes nothing: what a position shows is in `mtrain.table.view`, and where all
of it stands in `mtrain.table.picture`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from rich.text import Text

from mtrain.errors import UsageError
from mtrain.game.record import Event
from mtrain.game.tiles import tile_text
from mtrain.table.picture import Piece, picture, place
from mtrain.table.view import Done, TableView, cut, done, sight_of, train_name

# ── In words and figures ──────────────────────────────────────────────────────────────────────────────
#
# The table in words and figures, for a terminal or a file: the trains, then the hands.
#
# Written from a `TableView`; what an encoding cannot say is said in ASCII.


# The signs of the text, and what stands for them where they cannot be written.
_SIGNS = str.maketrans({"·": "|", "▶": ">", "⚑": "!", "›": ">", "…": "~", "≡": "="})

_BRIGHT = {
    "turn": "bold blue",
    "usable": "bold green",
    "open": "bold yellow",
    "marked": "bold red",
    "last": "reverse",
    "head": "dim",
}

# A piece of a line: what it says, and what it is (a key of `_BRIGHT`, or nothing).
_Part = tuple[str, str]


def board_text(seen: TableView, last: Done | None, names: Sequence[str] | None, width: int) -> Text:
    """Return the table as lines of at most `width` characters, as rich text whose `plain` is the text alone."""
    label = max(len(train_name(seen.n_seats, seen.n_seats)), len(train_name(seen.n_seats - 1, seen.n_seats)))
    lines = [_head(seen), [(seen.words, "turn" if seen.turn is not None else "")], []]
    lines.append([(f"  {'train'.ljust(label)}  end · tiles in the order laid", "head")])
    for train in (seen.n_seats, *range(seen.n_seats)):
        lines += _train(seen, train, last, label, width)
    lines.append([])
    for seat in range(seen.n_seats):
        lines += _hand(seen, seat, last, names, label, width)
    texts = [Text.assemble(*((said, _BRIGHT.get(what, "")) for said, what in line)) for line in lines]
    for text in texts:
        text.rstrip()
    return Text("\n").join(texts)


def writable(text: str, encoding: str | None, signs: Mapping[int, str] = _SIGNS) -> str:
    """Return a text as an encoding can write it: where it lacks a sign, all are said in ASCII."""
    try:
        text.encode(encoding or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return text.translate(signs).encode("ascii", "replace").decode()
    return text


def _head(seen: TableView) -> list[_Part]:
    engine = "none" if seen.engine is None else f"{seen.engine}-{seen.engine}"
    return [(f"round {seen.number} of {seen.n_rounds} · engine {engine} · boneyard {seen.boneyard}", "")]


def _train(seen: TableView, train: int, last: Done | None, label: int, width: int) -> list[list[_Part]]:
    """Return a train: who may use it, its open end, its tiles in the order in which they join."""
    usable = train in seen.usable
    marked = train < seen.n_seats and seen.marked[train]
    end = f"{seen.ends[train]:>2}" if seen.ends else " -"
    opened = train in seen.open_on
    first: list[_Part] = [
        ("▶ " if usable else "  ", "usable"),
        (train_name(train, seen.n_seats).ljust(label), "usable" if usable else ""),
        (" ⚑ " if marked else "   ", "marked"),
        (end, "open" if opened else "usable" if usable else ""),
        (" ≡ " if opened else " · ", "open" if opened else ""),
    ]
    tiles: list[_Part] = []
    for k, (near, far) in enumerate(seen.trains[train]):
        at_end = k == len(seen.trains[train]) - 1
        lit = at_end and last is not None and last.lays(train, near, far)
        tiles.append((f"{near}-{far}", "last" if lit else "open" if opened and at_end else ""))
    return _folded(first, tiles, width)


def _hand(
    seen: TableView, seat: int, last: Done | None, names: Sequence[str] | None, label: int, width: int
) -> list[list[_Part]]:
    on_turn = seat == seen.turn
    count, score = seen.counts[seat], seen.scores[seat]
    tiles = f"{count:>2} tile{'s' * (count != 1)}".ljust(8)
    first: list[_Part] = [
        ("▶ " if on_turn else "  ", "turn"),
        (train_name(seat, seen.n_seats).ljust(label), "turn" if on_turn else ""),
        (f" {tiles} · score {score:>{max(len(str(total)) for total in seen.scores)}} · ", ""),
    ]
    held: list[_Part] = []
    for tile in seen.hands[seat]:
        text = tile_text(tile)
        drawn = last is not None and last.what == "draw" and (last.seat, last.tile) == (seat, text)
        held.append((text, "last" if drawn else ""))
    if hidden := count - len(held):
        held.append((f"{hidden} hidden" if held else "hidden", ""))
    if last is not None and last.what == "pass" and last.seat == seat:
        held.append(("(passed)", "last"))
    if names is not None:
        held.insert(0, (f"{cut(names[seat], width // 3)}:", ""))
    return _folded(first, held, width)


def _folded(first: list[_Part], words: list[_Part], width: int) -> list[list[_Part]]:
    """Return words behind a beginning, on as many lines as they need; later lines are indented as far."""
    indent = sum(len(said) for said, _ in first)
    lines, used = [first], indent
    for word in words:
        space = "" if used == indent else " "
        if space and used + 1 + len(word[0]) > width:
            lines.append([(" " * indent, "")])
            space, used = "", indent
        lines[-1] += [(space, ""), word]
        used += len(space) + len(word[0])
    return lines


# ── Boards ────────────────────────────────────────────────────────────────────────────────────────────


class Board:
    """The table as it lies. In a notebook it shows itself.

    Parameters
    ----------
    position : STATE[1]
        A position or an observation.
    viewer
        The seat whose hand is shown; None: every hand that the position holds.
    last
        What has just been done, to be lit: an action, or an event of a record.
    names
        What sits where, by seat.

    Raises
    ------
    UsageError
        If one of them is not what it should be.
    """

    def __init__(
        self,
        position: np.ndarray,
        viewer: int | None = None,
        last: int | Event | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.sight = sight_of(position, viewer)
        self.last = done(last, self.sight)
        if names is not None and len(names) != self.sight.n_seats:
            raise UsageError(f"{len(names)} names for {self.sight.n_seats} seats")
        self.names = None if names is None else tuple(map(str, names))

    def boxes(self) -> list[Piece]:
        """Return everything on the picture with the box that it stands in, the lower ones first."""
        return place(self.sight, last=self.last, names=self.names)

    def svg(self) -> str:
        """Return the table as a picture in SVG, which needs nothing else; the same table is the same text."""
        return picture(self.boxes(), self.sight.words)

    def _repr_svg_(self) -> str:
        return self.svg()

    def text(self, colour: bool = True, width: int = 100, encoding: str | None = None) -> Any:
        """Return the table as text.

        Parameters
        ----------
        colour
            True: as rich text, for ``rich.print``. False: as a plain string.
        width
            The most characters of a line.
        encoding
            What the text will be written in, as ``sys.stdout.encoding`` says; where it lacks a sign, all are ASCII.

        Returns
        -------
        rich.text.Text or str
        """
        text: Text = board_text(self.sight, self.last, self.names, width)
        if not colour:
            return writable(text.plain, encoding)
        if writable(text.plain, encoding) != text.plain:
            return Text.assemble(*((writable(part.plain, encoding), part.style) for part in text.divide(_edges(text))))
        return text

    def __str__(self) -> str:
        return str(self.text(colour=False))

    def __rich__(self) -> Text:
        return board_text(self.sight, self.last, self.names, 100)


def _edges(text: Text) -> list[int]:
    return sorted({edge for span in text.spans for edge in (span.start, span.end)})


def board(
    position: np.ndarray,
    viewer: int | None = None,
    last: int | Event | None = None,
    names: Sequence[str] | None = None,
) -> Board:
    """Return the table of a position or an observation, to be seen; see `Board`."""
    return Board(position, viewer, last, names)
