"""Text for actions, with a parser that is its exact inverse.

An action is ``12-7@3``, ``12-7@mexican`` or ``pass``. What is none is refused with the word that is wrong.
"""

from functools import cache

from mtrain.game.tiles import HI, LO, parse_tile, tile_of

MEXICAN = "mexican"


class Action(int):
    """An action: an integer with names for its parts."""

    __slots__ = ()

    @property
    def is_pass(self) -> bool:
        """Whether this is the pass."""
        return self == 1

    @property
    def is_lay(self) -> bool:
        """Whether this lays a tile."""
        return self >> 14 == 1

    @property
    def train(self) -> int:
        """The train laid on (a seat's number; the number of seats for the Mexican train); -1 for the pass."""
        return self >> 10 & 15 if self.is_lay else -1

    @property
    def hi(self) -> int:
        """The tile's larger number; -1 for the pass."""
        return self >> 5 & 31 if self.is_lay else -1

    @property
    def lo(self) -> int:
        """The tile's smaller number; -1 for the pass."""
        return self & 31 if self.is_lay else -1

    @property
    def tile(self) -> int:
        """The tile laid; -1 for the pass."""
        return tile_of(self.hi, self.lo) if self.is_lay else -1

    @property
    def pips(self) -> int:
        """The pips of the tile laid; -1 for the pass."""
        return self.hi + self.lo if self.is_lay else -1

    @property
    def is_double(self) -> bool:
        """Whether this lays a double."""
        return self.is_lay and self.hi == self.lo


@cache
def known_action(number: int) -> Action:
    """Return the Action that an integer stands for, always the same object."""
    return Action(number)


def train_text(train: int, n_seats: int) -> str:
    """Return a train as text: the seat's number, or ``mexican``."""
    return MEXICAN if train == n_seats else str(train)


def parse_train(text: str, n_seats: int) -> int:
    """Return the train that `train_text` writes as `text`."""
    if text == MEXICAN:
        return n_seats
    if text in map(str, range(n_seats)):
        return int(text)
    raise ValueError(f"not a train: {text!r}; a train is a seat from 0 to {n_seats - 1}, or mexican")


def action_text(action: int, n_seats: int) -> str:
    """Return an action as text."""
    act = Action(action)
    return "pass" if act.is_pass else f"{act.hi}-{act.lo}@{train_text(act.train, n_seats)}"


def parse_action(text: str, n_seats: int) -> Action:
    """Return the action that `action_text` writes as `text`."""
    if text == "pass":
        return Action(1)
    tile, at, train = text.partition("@")
    if not at:
        raise ValueError(f"not an action: {text!r}; an action is written like 12-7@3, 12-7@mexican or pass")
    number = parse_tile(tile)
    return Action(1 << 14 | parse_train(train, n_seats) << 10 | int(HI[number]) << 5 | int(LO[number]))
