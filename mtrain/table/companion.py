"""The companion: a hand at a real table followed tile by tile, with its best train and advice on the rest.

It takes entries and returns text; it reads no input and prints nothing. It knows one hand and its open end, and
nothing of the other seats.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from mtrain.errors import counted
from mtrain.game.tiles import HI, LO, MAX_PIP, PIPS, tile_text
from mtrain.strategy.longest_train import NODES, Train, TrainError, best_train, parse_hand
from mtrain.table.people import EntryError, quoted, unknown

By = Literal["tiles", "pips"]

PROMPT = "train> "

HELP = """\
played 12-5    you laid it on your train (12-5 alone says the same); several: played 12-5 5-3
dumped 9-9     you laid it elsewhere
drew 6-3       you drew it
end 5          your open end is 5 now
by pips        look for the heaviest train (by tiles: the longest)
undo           take the last entry back
show           print the best train again
help, quit"""

_NAMED = 3  # tiles that advice names


@dataclass(frozen=True)
class Held:
    """A hand: its tiles, the open end of its train, the tiles that it has laid, and what trains are judged by.

    Attributes
    ----------
    uncovered
        Is the last tile on the train a double of this hand?
    """

    tiles: tuple[int, ...]
    end: int
    laid: tuple[int, ...] = ()
    by: By = "tiles"
    uncovered: bool = False


# ── What happens to a hand ────────────────────────────────────────────────────────────────────────────────


def _fits(held: Held) -> str:
    fitting = [tile_text(tile) for tile in held.tiles if held.end in (HI[tile], LO[tile])]
    if not fitting:
        return "and nothing in your hand does"
    return f"{_listed(fitting, 'and')} of your hand {'does' if len(fitting) == 1 else 'do'}"


def _hold(held: Held, tile: int, done: str) -> None:
    """Refuse a tile that the hand does not hold."""
    if tile in held.laid:
        raise EntryError(f"you laid {tile_text(tile)} before; `undo` takes the last entry back")
    if tile not in held.tiles:
        raise EntryError(
            f"{tile_text(tile)} is not in your hand: say `drew {tile_text(tile)}` first if you drew and {done} it"
        )


def _without(held: Held, tile: int) -> Held:
    return replace(held, tiles=tuple(other for other in held.tiles if other != tile), laid=(*held.laid, tile))


def played(held: Held, tile: int) -> Held:
    """Return the hand after a tile was laid on its train."""
    _hold(held, tile, "played")
    hi, lo = int(HI[tile]), int(LO[tile])
    if held.end not in (hi, lo):
        raise EntryError(
            f"{tile_text(tile)} does not fit your open end {held.end}, {_fits(held)}; "
            "`end N` says that the end is another, `dumped` that it lies elsewhere"
        )
    return replace(_without(held, tile), end=hi + lo - held.end, uncovered=hi == lo)


def dumped(held: Held, tile: int) -> Held:
    """Return the hand after a tile was laid elsewhere."""
    _hold(held, tile, "dumped")
    return _without(held, tile)


def drew(held: Held, tile: int) -> Held:
    """Return the hand after a tile was drawn."""
    if tile in held.tiles:
        raise EntryError(f"{tile_text(tile)} is in your hand already")
    if tile in held.laid:
        raise EntryError(f"you laid {tile_text(tile)} before; `undo` takes the last entry back")
    return replace(held, tiles=(*held.tiles, tile))


def ended(held: Held, word: str) -> Held:
    """Return the hand after its open end changed."""
    if not (word.isascii() and word.isdigit() and len(word) <= 2 and int(word) <= MAX_PIP):
        raise EntryError(f"an open end is a number from 0 to {MAX_PIP}, like `end 5`, not {quoted(word)}")
    return replace(held, end=int(word), uncovered=False)


# ── What is said of it ────────────────────────────────────────────────────────────────────────────────────


def _listed(words: Iterable[str], last: str = "") -> str:
    words = list(words)
    if last and len(words) > 1:
        words[-2:] = [f"{words[-2]} {last} {words[-1]}"]
    return ", ".join(words)


def _elsewhere(tile: int, train: Train) -> str:
    """Return a tile of the rest with its pips; a double with what of the hand would cover it."""
    said = f"{tile_text(tile)} ({PIPS[tile]}"
    number = int(HI[tile])
    if number == LO[tile] and len(train.rest) + len(train.tiles) > 1:
        covers = [other for other in (*train.rest, *train.tiles) if other != tile and number in (HI[other], LO[other])]
        of_train = " of the train" if covers and covers[0] in train.tiles else ""
        said += f", cover it with {tile_text(covers[0])}{of_train}" if covers else ", no cover"
    return said + ")"


def advice(train: Train, uncovered: bool = False) -> str:
    """Return in one sentence or two what to do next: with the train, and with what is off it, the heaviest first.

    Parameters
    ----------
    train
        The best train of a hand.
    uncovered
        Is the tile at the open end a double that this hand has just laid?
    """
    if not train.tiles and not train.rest:
        return "your hand is empty: you are out."
    said = ""
    if train.tiles:
        first, *more = (f"{joined}-{left}" for joined, left in train.ends())
        said = f"lay {first} next"
        if uncovered:
            said += ", it covers your double"
        elif HI[train.tiles[0]] == LO[train.tiles[0]] and (more or train.rest):
            said += f", and {more[0]} to cover it" if more else "; nothing of yours covers it"
    elif uncovered:
        said = f"nothing of yours covers the double {train.start}-{train.start}"
    else:
        said = f"nothing of yours fits {train.start}"
    if not train.rest:
        return f"{said}; the train takes your whole hand."
    named = [_elsewhere(tile, train) for tile in train.rest[:_NAMED]]
    left = len(train.rest) - len(named)
    more_ = f" and {left} more" if left else ""
    how = ", the heaviest first" if len(train.rest) > 1 else ""
    return f"{said}; elsewhere{how}: {', '.join(named)}{more_}."


def said_of(train: Train, held: Held) -> str:
    """Return the best train of a hand, its rest and the advice, a line each."""
    kind = "longest" if held.by == "tiles" else "heaviest"
    rows = [
        (f"train from {train.start}", str(train) or "none", len(train.tiles), train.pips),
        ("rest", " ".join(map(tile_text, train.rest)) or "none", len(train.rest), train.rest_pips),
    ]
    lines = [f"{what:<14} {tiles}  ({counted(n, 'tile')}, {counted(pips, 'pip')})" for what, tiles, n, pips in rows]
    if not train.proved:
        lines[0] += f", the {kind} found, not proved"
    return "\n".join([*lines, f"{'advice':<14} {advice(train, held.uncovered)}"])


# ── The companion ─────────────────────────────────────────────────────────────────────────────────────────


class Companion:
    """Follows a hand entry by entry.

    Parameters
    ----------
    hand
        The tiles dealt.
    start
        The open end that its train begins at.
    by
        Whether the longest train is looked for (`tiles`) or the heaviest (`pips`).
    nodes
        How far each search goes.

    Raises
    ------
    TrainError
        If a tile is there twice, or `start` is no number of a set.

    Examples
    --------
    >>> companion = Companion(parse_hand("12-5 5-3 9-2"), 12)
    >>> print(companion.enter("played 12-5"))
    train from 5   5-3  (1 tile, 8 pips)
    rest           9-2  (1 tile, 11 pips)
    advice         lay 5-3 next; elsewhere: 9-2 (11).
    """

    def __init__(self, hand: Iterable[int], start: int, by: By = "tiles", nodes: int = NODES) -> None:
        self.held = Held(tuple(hand), start, by=by)
        self._nodes = nodes
        self._before: list[Held] = []
        self.train = best_train(self.held.tiles, start, by, nodes)

    def text(self) -> str:
        """Return the best train, the rest and the advice."""
        return said_of(self.train, self.held)

    def enter(self, entry: str) -> str | None:
        """Follow an entry; return what to print, None for the wish to leave.

        Raises
        ------
        EntryError
            If it cannot be followed: the sentence says what is right, and the hand is as it was.
        """
        word, *rest = entry.replace(",", " ").split() or ["show"]
        word = word.lower()
        if word in ("quit", "exit", "q"):
            return None
        if word in ("help", "?"):
            return HELP
        if word == "show":
            return self.text()
        if word == "undo":
            if not self._before:
                raise EntryError("there is nothing to undo: nothing has happened yet")
            self._become(self._before.pop())
            return self.text()
        before = self.held
        self._become(self._after(word, rest))
        self._before.append(before)
        return self.text()

    def _become(self, held: Held) -> None:
        self.train = best_train(held.tiles, held.end, held.by, self._nodes)
        self.held = held

    def _after(self, word: str, rest: list[str]) -> Held:
        """Return the hand after what an entry says has happened."""
        if word[0].isdigit() and "-" in word:
            word, rest = "played", [word, *rest]
        if word in ("end", "start"):
            if len(rest) != 1:
                raise EntryError(f"`{word}` takes the number at your open end, like `{word} 5`")
            return ended(self.held, rest[0])
        if word == "by":
            if rest == ["tiles"] or rest == ["pips"]:
                return replace(self.held, by="tiles" if rest == ["tiles"] else "pips")
            raise EntryError("trains are judged `by tiles` or `by pips`")
        does = {"played": played, "dumped": dumped, "drew": drew}
        if word not in does:
            raise unknown(word, [*does, "end", "start", "by", "undo", "show", "help", "quit"])
        if not rest:
            raise EntryError(f"`{word}` takes a tile, like `{word} 12-5`")
        held = self.held
        for text in rest:
            try:
                (tile,) = parse_hand(text[:20])
            except TrainError as error:
                raise EntryError(str(error)) from None
            held = does[word](held, tile)
        return held
