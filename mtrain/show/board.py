"""The table as a picture and as text, of a position or of what one seat may know of it.

A `Board` shows what it is handed and computes nothing: what a position shows is in `mtrain.show.sight`, and where all
of it stands in `mtrain.show.placing`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.text import Text

from mtrain.errors import Mistake
from mtrain.game.record import Event
from mtrain.show.boardtext import board_text, writable
from mtrain.show.drawing import picture
from mtrain.show.placing import Piece, place
from mtrain.show.sight import done, sight_of


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
    Mistake
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
            raise Mistake(f"{len(names)} names for {self.sight.n_seats} seats")
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
