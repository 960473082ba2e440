"""Text for positions, with a parser that is its exact inverse.

A position is a few lines of words, each of which can be read, and written, by hand. What cannot be is refused
with the word that is wrong; what is not said is as at the beginning of a turn.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from mtrain.game.notation import parse_train, train_text
from mtrain.game.rules import MAX_PLAYERS, MAX_ROUNDS, MIN_PLAYERS, RuleSet, override, preset
from mtrain.game.state import AT_ONCE, BLOCKED, COVER, EXTRA, FIRST, NEVER, OUT, RIDE, STATION, UNTOLD, blank
from mtrain.game.tiles import HI, LO, parse_tile, tile_of, tile_text

_OWED = {"first": FIRST, "cover": COVER, "extra": EXTRA, "ride": RIDE}
_OVER = {"out": OUT, "blocked": BLOCKED}
# The other words of the line `turn`: the field of the State that each says, and the most it can be.
_FLAGS = {"drawn": ("drawn", 1), "riding": ("in_first_train", 1), "still": ("idle_turns", MAX_PLAYERS)}

_FIRST_LINES = ("rules", "seats", "round", "starter", "scores", "engine")
_MIDDLE_LINES = ("boneyard:", "table:", "since:", "sought", "marked", "open", "turn", "acted", "stopped", "fresh")

# The rules a State carries: field, its name in the record, and its values in words.
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


# ── Writing ───────────────────────────────────────────────────────────────────────────────────────────────


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
    lines: list[list[Any]] = [
        ["rules", *_rule_words(s)],
        ["seats", n],
        ["round", s.number],
        ["starter", s.starter],
        ["scores", *(s.score[seat] for seat in seats)],
        ["engine", tile_text(tile_of(int(s.engine), int(s.engine))) if s.engine >= 0 else "none"],
    ]
    for seat in seats:
        hand = _hand(s, seat)
        hidden = int(s.count[seat]) - len(hand)
        lines.append([f"hand {seat}:", *hand, *([f"?{hidden}"] if hidden else [])])
    lines.append(["boneyard:", *_boneyard(s)])
    laid = [int(tile) for tile in s.laid[: int(s.n_laid)]]
    lines.append(["table:", *(f"{tile_text(tile)}@{train_text(int(s.laid_on[tile]) - 1, n)}" for tile in laid)])
    ago = [int(turns) for turns in s.since[: int(s.n_laid) + 1]]
    lines.append(["since:", *(f"{turns % AT_ONCE}{'*' * (turns >= AT_ONCE)}" for turns in ago)])
    lines.append(["sought", s.engine_draws])
    lines.append(["marked", *(seat for seat in seats if s.marked >> seat & 1)])
    lines.append(["open", *(train_text(int(train), n) for train in s.open_on[: int(s.n_open)])])
    owed = next(word for word, value in _OWED.items() if value == s.owed)
    lines.append(
        ["turn", s.turn, "owed", owed, *(word for flag, (name, _) in _FLAGS.items() for word in (flag, s[name]))]
    )
    lines.append(["acted", *(seat for seat in seats if s.acted >> seat & 1)])
    lines.append(["stopped", *(seat for seat in seats if s.stopped >> seat & 1)])
    lines.append(["fresh", *(s.unseen_draws[seat] for seat in seats)])
    for seat in seats:
        known = (f"{v}:{s.void[seat, v]}" for v in range(int(s.max_pip) + 1) if s.void[seat, v] != NEVER)
        lines.append([f"void {seat}:", *known])
    if s.over:
        over = next(word for word, value in _OVER.items() if value == s.over)
        lines.append(["over", over, *(s.pips[seat] for seat in seats)])
    return "".join(" ".join(str(word) for word in line) + "\n" for line in lines)


def _rule_words(s: np.record) -> Iterator[str]:
    yield f"max_pip={s.max_pip}"
    yield f"hand_size={s.hand_size}"
    yield f"rounds={s.n_rounds}"
    yield f"engine={'countdown' if s.countdown else 'highest-double' if s.highest else 'first-double'}"
    for field, (name, words) in _RULE_WORDS.items():
        yield f"{field}={words[s[name]]}"
    yield f"double_blank={s.double_blank}"


def _hand(s: np.record, seat: int) -> list[str]:
    numbers = range(int(s.max_pip), -1, -1)
    return [f"{hi}-{lo}" for hi in numbers for lo in range(hi, -1, -1) if s.hand[seat, hi] >> lo & 1]


def _boneyard(s: np.record) -> list[str]:
    """Return the tiles left; how many, where they are masked: then they stand where other tiles lie, or each other."""
    left = [int(tile) for tile in s.deck[int(s.top) : int(s.n_tiles)]]
    seen = [tile for tile in left if s.laid_on[tile] or (s.hand[:, HI[tile]].any() and _held(s, tile))]
    hidden = any(int(s.count[seat]) > len(_hand(s, seat)) for seat in range(int(s.n_seats)))
    if left and (hidden or seen or len(set(left)) < len(left)):
        return [f"?{len(left)}"]
    return [tile_text(tile) for tile in left]


def _held(s: np.record, tile: int) -> bool:
    return any(s.hand[seat, HI[tile]] >> int(LO[tile]) & 1 for seat in range(int(s.n_seats)))


# ── Reading ───────────────────────────────────────────────────────────────────────────────────────────────


class _Lines:
    """The lines of a text by their first words; every word taken from them is checked."""

    def __init__(self, text: str) -> None:
        self.said: dict[str, list[str]] = {}
        for line in filter(str.strip, text.splitlines()):
            words = line.split()
            key = " ".join(words[:2]) if words[0] in ("hand", "void") else words[0]
            if key in self.said:
                raise ValueError(f"a position says {key!r} twice")
            self.said[key] = words[len(key.split()) :]

    def hold_to(self, known: list[str]) -> None:
        """Refuse lines that a position of this size does not have."""
        for key in self.said:
            if key not in known:
                raise ValueError(f"a position has no line {key!r}; it has {', '.join(known)}")

    def words(self, key: str) -> list[str]:
        """Return the words of a line; none if it is not there."""
        return self.said.get(key, [])

    def one(self, key: str, default: object) -> str:
        """Return the only word of a line."""
        if key not in self.said:
            return str(default)
        if len(self.said[key]) != 1:
            raise ValueError(f"the line {key!r} has one word, not {len(self.said[key])}")
        return self.said[key][0]

    def numbers(self, key: str, n: int, most: int) -> list[int]:
        """Return the numbers of a line, one a seat; zeros if it is not there."""
        words = self.said.get(key, ["0"] * n)
        if len(words) != n:
            raise ValueError(f"the line {key!r} has {n} numbers, one a seat, not {len(words)}")
        return [_number(word, key, 0, most) for word in words]


def _number(word: str, what: str, least: int, most: int) -> int:
    if word.isascii() and word.isdigit() and least <= int(word) <= most:
        return int(word)
    raise ValueError(f"{what} is a number from {least} to {most}, not {word!r}")


def _choice(word: str, what: str, choices: dict[str, int]) -> int:
    if word not in choices:
        raise ValueError(f"{what} is one of {', '.join(choices)}, not {word!r}")
    return choices[word]


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
    lines = _Lines(text)
    n = _number(lines.one("seats", 4), "seats", MIN_PLAYERS, MAX_PLAYERS)
    hands, voids = ([f"{what} {seat}:" for seat in range(n)] for what in ("hand", "void"))
    lines.hold_to([*_FIRST_LINES, *hands, *_MIDDLE_LINES, *voids, "over"])
    position = blank(_rules(lines.said.get("rules", ["standard"])), n)
    s = position[0]
    most = int(s.max_pip) + 1 if s.countdown else MAX_ROUNDS
    s.number = _number(lines.one("round", 1), "round", 1, most)
    s.starter = _number(lines.one("starter", 0), "starter", 0, n - 1)
    s.score[:n] = lines.numbers("scores", n, 1_000_000)
    s.void[:] = NEVER
    placed: set[int] = set()
    _place_engine(s, lines, placed)
    for seat, key in enumerate(hands):
        _fill_hand(s, seat, lines.words(key), placed)
    _lay_table(s, lines.words("table:"), placed)
    _fill_boneyard(s, lines.words("boneyard:"), placed)
    _read_since(s, lines)
    s.engine_draws = _number(lines.one("sought", 0), "sought", 0, int(s.n_tiles))
    s.marked = sum(1 << seat for seat in {_number(word, "marked", 0, n - 1) for word in lines.words("marked")})
    s.acted = sum(1 << seat for seat in {_number(word, "acted", 0, n - 1) for word in lines.words("acted")})
    s.stopped = sum(1 << seat for seat in {_number(word, "stopped", 0, n - 1) for word in lines.words("stopped")})
    for word in lines.words("open")[: n + 1]:
        s.open_on[s.n_open] = parse_train(word, n)
        s.n_open += 1
    s.unseen_draws[:n] = lines.numbers("fresh", n, NEVER - 1)
    for seat, key in enumerate(voids):
        for word in lines.words(key):
            v, _, since = word.partition(":")
            number = _number(v, f"the number before the colon in {word!r}", 0, int(s.max_pip))
            s.void[seat, number] = _number(since, f"the number after the colon in {word!r}", 0, NEVER - 1)
    _read_turn(s, lines.said.get("turn", ["0"]))
    if over := lines.words("over"):
        s.over = _choice(over[0], "over", _OVER)
        if len(over) != n + 1:
            raise ValueError(f"the line 'over' has a word and {n} scores, not {len(over) - 1}")
        s.pips[:n] = [_number(word, "a score", 0, 30_000) for word in over[1:]]
    return position


def _rules(words: list[str]) -> RuleSet:
    named = [word for word in words if "=" not in word]
    if len(named) > 1:
        raise ValueError(f"the rules are one preset and fields to change, not {named[1]!r} as well")
    rules = preset(named[0]) if named else preset("standard", players=(MIN_PLAYERS, MAX_PLAYERS))
    return override(rules, dict(word.split("=", 1) for word in words if "=" in word))


def _tile(s: np.record, word: str, placed: set[int]) -> int:
    """Return the tile that a word names, unless it is of another set or in another place already."""
    tile = parse_tile(word)
    if HI[tile] > s.max_pip:
        raise ValueError(f"{word} is no tile of the double-{s.max_pip} set")
    if tile in placed:
        raise ValueError(f"{word} is in two places")
    placed.add(tile)
    return tile


def _place_engine(s: np.record, lines: _Lines, placed: set[int]) -> None:
    double = int(s.max_pip) + 1 - int(s.number)
    word = lines.one("engine", f"{double}-{double}" if s.countdown else "none")
    s.engine = -1
    if word != "none":
        tile = _tile(s, word, placed)
        if HI[tile] != LO[tile]:
            raise ValueError(f"the engine is a double, not {word}")
        s.engine = HI[tile]
        s.table[HI[tile]] |= 1 << int(HI[tile])
        s.laid_on[tile] = STATION
        s.end[: int(s.n_seats) + 1] = HI[tile]


def _fill_hand(s: np.record, seat: int, words: list[str], placed: set[int]) -> None:
    for word in words:
        if word.startswith("?"):
            s.count[seat] += _number(word[1:], f"a number of hidden tiles ({word})", 0, int(s.n_tiles))
        else:
            tile = _tile(s, word, placed)
            s.hand[seat, HI[tile]] |= 1 << int(LO[tile])
            s.hand[seat, LO[tile]] |= 1 << int(HI[tile])
            s.count[seat] += 1


def _lay_table(s: np.record, words: list[str], placed: set[int]) -> None:
    for word in words:
        text, _, train_word = word.partition("@")
        if not train_word:
            raise ValueError(f"{word!r} lies on no train; write {text}@0 or {text}@mexican")
        tile, train = _tile(s, text, placed), parse_train(train_word, int(s.n_seats))
        hi, lo, end = int(HI[tile]), int(LO[tile]), int(s.end[train])
        if s.engine < 0 or end not in (hi, lo):
            raise ValueError(f"{text} does not fit train {train_word}, which is open at {end}")
        s.end[train] = hi + lo - end
        s.table[hi] |= 1 << lo
        s.table[lo] |= 1 << hi
        s.laid[s.n_laid] = tile
        s.laid_on[tile] = train + 1
        s.n_laid += 1


def _read_since(s: np.record, lines: _Lines) -> None:
    """Read when each tile was laid; a position that does not say so has no history."""
    words = lines.words("since:")
    if "since:" not in lines.said:
        s.since[: int(s.n_laid) + 1] = UNTOLD
        return
    if len(words) != s.n_laid + 1:
        raise ValueError(f"the line 'since:' has {s.n_laid + 1} numbers, one a tile laid and a last, not {len(words)}")
    for k, word in enumerate(words):
        at_once = word.endswith("*") and k < s.n_laid
        s.since[k] = _number(word[:-1] if at_once else word, "since", 0, UNTOLD) + AT_ONCE * at_once


def _fill_boneyard(s: np.record, words: list[str], placed: set[int]) -> None:
    if words and words[0].startswith("?"):
        if len(words) > 1:
            raise ValueError(f"a boneyard is tiles, or a number of hidden ones, not {words[1]!r} as well")
        left = _number(words[0][1:], f"a number of hidden tiles ({words[0]})", 0, int(s.n_tiles))
        s.top = int(s.n_tiles) - left
        return
    s.top = int(s.n_tiles) - len(words)
    for k, word in enumerate(words):
        s.deck[int(s.top) + k] = _tile(s, word, placed)


def _read_turn(s: np.record, words: list[str]) -> None:
    if len(words) % 2 == 0:
        raise ValueError(f"the line 'turn' is a seat, then words and their values, not {' '.join(['turn', *words])!r}")
    s.turn = _number(words[0], "turn", 0, int(s.n_seats) - 1)
    s.in_first_train = s.train_first and not s.acted >> int(s.turn) & 1
    for word, value in zip(words[1::2], words[2::2], strict=True):
        if word == "owed":
            s.owed = _choice(value, word, _OWED)
        elif word in _FLAGS:
            name, most = _FLAGS[word]
            s[name] = _number(value, word, 0, most)
        else:
            raise ValueError(f"the line 'turn' has no {word!r}; it has owed, {', '.join(_FLAGS)}")
