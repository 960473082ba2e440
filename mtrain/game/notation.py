"""Text for actions and positions, each with a parser that is its exact inverse.

An action is ``12-7@3``, ``12-7@mexican`` or ``pass``. A position is a few lines of words; every line can be
read, and written, by hand. What a text cannot be is said with the word that is wrong.
"""

from collections.abc import Iterator
from functools import cache

import numpy as np

from mtrain.game.rules import RuleSet, override, preset
from mtrain.game.state import (
    BLOCKED,
    COVER,
    EXTRA,
    FIRST,
    NEVER,
    OUT,
    RIDE,
    STATION,
    blank,
)
from mtrain.game.tiles import HI, LO, parse_tile, tile_of, tile_text

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
    if text.isdigit() and str(int(text)) == text and int(text) < n_seats:
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


# ── Positions ─────────────────────────────────────────────────────────────────────────────────────────────

_OWED = {"first": FIRST, "cover": COVER, "extra": EXTRA, "ride": RIDE}
_OVER = {"no": 0, "out": OUT, "blocked": BLOCKED}

# The rules a State carries: field, its places in the record, and back.
_RULE_WORDS = {
    "first_turn": ("train_first", ("single", "train")),
    "first_turn_doubles": ("doubles_count", ("ignored", "count")),
    "drawn_tile": ("must_play", ("may", "must")),
    "after_double": ("extra", ("cover", "extra")),
    "draw_to_cover": ("draw_to_cover", ("false", "true")),
    "mark_uncovered": ("mark_uncovered", ("false", "true")),
    "exhausted_double": ("closes", ("open", "closed")),
    "scoring": ("count_tiles", ("pips", "tiles")),
}


def _rules_line(s: np.record) -> Iterator[str]:
    yield f"max_pip={s.max_pip}"
    yield f"hand_size={s.hand_size}"
    yield f"rounds={s.n_rounds}"
    yield f"engine={'countdown' if s.countdown else 'highest-double' if s.highest else 'first-double'}"
    for field, (name, words) in _RULE_WORDS.items():
        yield f"{field}={words[s[name]]}"
    yield f"double_blank={s.double_blank}"


def _hand(s: np.record, seat: int) -> list[str]:
    return [
        f"{hi}-{lo}" for hi in range(int(s.max_pip), -1, -1) for lo in range(hi, -1, -1) if s.hand[seat, hi] >> lo & 1
    ]


def position_text(position: np.ndarray) -> str:
    """Return a position (or an observation: hidden tiles are written ``?7``) as text.

    Notes
    -----
    `parse_position` gives back the same position but for what plays no part in it: the tallies of the round, the
    random streams, and the order in which tiles already dealt were dealt.
    """
    s = position[0]
    n = int(s.n_seats)
    seats = range(n)
    lines = [
        f"rules {' '.join(_rules_line(s))}",
        f"seats {n}",
        f"round {s.number}",
        f"starter {s.starter}",
        f"scores {' '.join(str(s.score[seat]) for seat in seats)}",
        f"engine {tile_text(tile_of(int(s.engine), int(s.engine))) if s.engine >= 0 else 'none'}",
    ]
    masked = False
    for seat in seats:
        hand = _hand(s, seat)
        hidden = int(s.count[seat]) - len(hand)
        masked = masked or hidden > 0
        lines.append(" ".join([f"hand {seat}:", *hand, *([f"?{hidden}"] if hidden else [])]))
    left = [tile_text(tile) for tile in s.deck[int(s.top) : int(s.n_tiles)]]
    lines.append(" ".join(["boneyard:", *([f"?{len(left)}"] if masked and left else left)]))
    laid = [int(tile) for tile in s.laid[: int(s.n_laid)]]
    lines.append(
        " ".join(["table:", *(f"{tile_text(tile)}@{train_text(int(s.laid_on[tile]) - 1, n)}" for tile in laid)])
    )
    lines.append(" ".join(["marked", *(str(seat) for seat in seats if s.marked >> seat & 1)]))
    lines.append(" ".join(["open", *(train_text(int(train), n) for train in s.open_on[: int(s.n_open)])]))
    owed = next(word for word, value in _OWED.items() if value == s.owed)
    lines.append(f"turn {s.turn} owed {owed} drawn {s.drawn} riding {s.riding} still {s.still}")
    lines.append(" ".join(["acted", *(str(seat) for seat in seats if s.acted >> seat & 1)]))
    lines.append(" ".join(["fresh", *(str(s.fresh[seat]) for seat in seats)]))
    for seat in seats:
        known = [f"{v}:{s.void[seat, v]}" for v in range(int(s.max_pip) + 1) if s.void[seat, v] != NEVER]
        lines.append(" ".join([f"void {seat}:", *known]))
    if s.over:
        over = next(word for word, value in _OVER.items() if value == s.over)
        lines.append(f"over {over} {' '.join(str(s.pips[seat]) for seat in seats)}")
    return "\n".join(lines) + "\n"


def parse_position(text: str) -> np.ndarray:
    """Return the position that `position_text` writes as `text`: STATE[1].

    Parameters
    ----------
    text
        The lines of `position_text`. By hand, most may be left out: the rules may be a preset's name followed by
        changed fields, a hand or boneyard left out is empty, and what is not said is as at a turn's beginning.

    Raises
    ------
    ValueError
        With the word that cannot be read.
    """
    said: dict[str, list[str]] = {}
    for line in filter(str.strip, text.splitlines()):
        words = line.split()
        key = " ".join(words[:2]) if words[0] in ("hand", "void") else words[0]
        if key in said:
            raise ValueError(f"a position says {key!r} twice")
        said[key] = words[len(key.split()) :]
    known = {"rules", "seats", "round", "starter", "scores", "engine", "boneyard:", "table:", "marked", "open", "turn"}
    known |= {"acted", "fresh", "over"} | {f"{what} {seat}:" for what in ("hand", "void") for seat in range(10)}
    for key in said:
        if key not in known:
            raise ValueError(f"a position has no {key!r}; it has {', '.join(sorted(known))}")
    n = int(said.get("seats", ["4"])[0])
    position = blank(_parse_rules(said.get("rules", ["standard"]), n), n)
    s = position[0]
    s.number = int(said.get("round", ["1"])[0])
    s.starter = int(said.get("starter", ["0"])[0])
    s.score[:n] = [int(word) for word in said.get("scores", ["0"] * n)]
    s.void[:] = NEVER
    s.engine = -1
    default = f"{s.max_pip + 1 - s.number}-{s.max_pip + 1 - s.number}" if s.countdown else "none"
    engine = said.get("engine", [default])[0]
    if engine != "none":
        tile = parse_tile(engine)
        if HI[tile] != LO[tile]:
            raise ValueError(f"the engine is a double, not {engine}")
        s.engine = HI[tile]
        s.table[s.engine] |= 1 << int(s.engine)
        s.laid_on[tile] = STATION
        s.end[: n + 1] = s.engine
    for seat in range(n):
        for word in said.get(f"hand {seat}:", []):
            if word.startswith("?"):
                s.count[seat] += int(word[1:])
            else:
                tile = parse_tile(word)
                s.hand[seat, HI[tile]] |= 1 << int(LO[tile])
                s.hand[seat, LO[tile]] |= 1 << int(HI[tile])
                s.count[seat] += 1
        for word in said.get(f"void {seat}:", []):
            v, _, bound = word.partition(":")
            s.void[seat, int(v)] = int(bound)
    _parse_boneyard(s, said.get("boneyard:", []))
    for word in said.get("table:", []):
        _parse_laid(s, word, n)
    s.marked = sum(1 << parse_train(word, n) for word in said.get("marked", []))
    s.acted = sum(1 << parse_train(word, n) for word in said.get("acted", []))
    for word in said.get("open", []):
        s.open_on[s.n_open] = parse_train(word, n)
        s.n_open += 1
    s.fresh[:n] = [int(word) for word in said.get("fresh", ["0"] * n)]
    turn = said.get("turn", ["0"])
    state = dict(zip(turn[1::2], turn[2::2], strict=True))
    s.turn = int(turn[0])
    s.owed = _OWED[state.get("owed", "first")]
    s.drawn, s.still = int(state.get("drawn", 0)), int(state.get("still", 0))
    s.riding = int(state.get("riding", s.train_first and not s.acted >> int(s.turn) & 1))
    if "over" in said:
        s.over = _OVER[said["over"][0]]
        s.pips[:n] = [int(word) for word in said["over"][1:]]
    return position


def _parse_rules(words: list[str], n_seats: int) -> RuleSet:
    named = [word for word in words if "=" not in word]
    rules = preset(named[0]) if named else preset("standard", players=(2, 10))
    return override(rules, dict(word.split("=", 1) for word in words if "=" in word))


def _parse_boneyard(s: np.record, words: list[str]) -> None:
    left = int(words[0][1:]) if words and words[0].startswith("?") else len(words)
    s.top = int(s.n_tiles) - left
    for k, word in enumerate(words if not words or not words[0].startswith("?") else []):
        s.deck[int(s.top) + k] = parse_tile(word)


def _parse_laid(s: np.record, word: str, n_seats: int) -> None:
    text, _, train_word = word.partition("@")
    tile, train = parse_tile(text), parse_train(train_word, n_seats)
    hi, lo, end = int(HI[tile]), int(LO[tile]), int(s.end[train])
    if end not in (hi, lo):
        raise ValueError(f"{text} does not fit train {train_word}, which is open at {end}")
    s.end[train] = hi + lo - end
    s.table[hi] |= 1 << lo
    s.table[lo] |= 1 << hi
    s.laid[s.n_laid] = tile
    s.laid_on[tile] = train + 1
    s.n_laid += 1
