"""What a position shows, as plain Python: trains tile by tile, hands as far as they may be seen, and whose turn it is.

Pictures and text are both made from a `TableView`, so neither reads a State, and no rule is written here: who may use
which train is asked of the kernels.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from mtrain.errors import UsageError, counted
from mtrain.game import kernels
from mtrain.game.notation import MEXICAN, Action, train_text
from mtrain.game.record import Event, replay
from mtrain.game.state import COVER, EXTRA, FIRST, OUT, RIDE, STATE
from mtrain.game.tiles import HI, LO, tile_of, tile_text
from mtrain.strategy.longest_train import Train, best_train

# ── What a position shows ─────────────────────────────────────────────────────────────────────────────


# A tile on a train: the number that joins it to the train, and the number that it leaves open.
Joined = tuple[int, int]

_open_to: Any = getattr(kernels.open_to, "py_func", kernels.open_to)


@dataclass(frozen=True)
class TableView:
    """A position as somebody sees it. Trains are numbered as in a State: the Mexican train is number `n_seats`."""

    n_seats: int
    max_pip: int
    number: int  # of the round, from 1
    n_rounds: int
    engine: int | None
    trains: tuple[tuple[Joined, ...], ...]
    order: tuple[int, ...]  # the trains laid on, tile by tile, oldest first
    ends: tuple[int, ...]  # the open end of every train; nothing before there is an engine
    marked: tuple[bool, ...]  # by seat
    open_on: tuple[int, ...]  # trains with an open double, oldest first
    usable: frozenset[int]  # trains that the seat on turn may use now
    hands: tuple[tuple[int, ...], ...]  # the tiles seen, by seat, heaviest number first
    counts: tuple[int, ...]  # all tiles held, by seat
    scores: tuple[int, ...]
    boneyard: int
    turn: int | None  # None when the round is over
    words: str  # whose turn it is and what it is about


def sight_of(position: np.ndarray, viewer: int | None = None) -> TableView:
    """Return what a position shows to a seat; to None all that the position holds.

    Raises
    ------
    UsageError
        If this is no position, or the viewer no seat of it.
    """
    if not isinstance(position, np.ndarray | np.record) or position.dtype != STATE:
        raise UsageError(f"a position is an array of one STATE record, not a {type(position).__name__}")
    if isinstance(position, np.ndarray) and position.size != 1:
        raise UsageError(f"a position is one STATE record, not {position.size} of them")
    s: Any = position.reshape(1)[0] if isinstance(position, np.ndarray) else position
    n = int(s.n_seats)
    hold_seat(viewer, n)
    trains, order = _trains(s)
    engine = int(s.engine) if s.engine >= 0 else None
    access = 0 if s.over or engine is None else int(_open_to(s))
    return TableView(
        n_seats=n,
        max_pip=int(s.max_pip),
        number=int(s.number),
        n_rounds=int(s.n_rounds),
        engine=engine,
        trains=trains,
        order=order,
        ends=() if engine is None else tuple(int(end) for end in s.end[: n + 1]),
        marked=tuple(bool(s.marked >> seat & 1) for seat in range(n)),
        open_on=tuple(int(train) for train in s.open_on[: int(s.n_open)]),
        usable=frozenset(train for train in range(n + 1) if access >> train & 1),
        hands=tuple(held(s, seat) if viewer in (None, seat) else () for seat in range(n)),
        counts=tuple(int(count) for count in s.count[:n]),
        scores=tuple(int(score) for score in s.score[:n]),
        boneyard=int(s.n_tiles) - int(s.top),
        turn=None if s.over else int(s.turn),
        words=turn_words(s),
    )


def hold_seat(viewer: int | None, n_seats: int) -> None:
    """Refuse a viewer that is no seat of the table."""
    if viewer is not None and viewer not in range(n_seats):
        raise UsageError(f"the viewer is a seat from 0 to {n_seats - 1}, not {viewer}")


def _trains(s: Any) -> tuple[tuple[tuple[Joined, ...], ...], tuple[int, ...]]:
    """Return the tiles of every train from the station on, and the order in which trains were laid on."""
    trains: list[list[Joined]] = [[] for _ in range(int(s.n_seats) + 1)]
    order = []
    for tile in s.laid[: int(s.n_laid)].tolist():
        train = int(s.laid_on[tile]) - 1
        near = trains[train][-1][1] if trains[train] else int(s.engine)
        trains[train].append((near, int(HI[tile]) + int(LO[tile]) - near))
        order.append(train)
    return tuple(map(tuple, trains)), tuple(order)


def held(s: Any, seat: int) -> tuple[int, ...]:
    """Return the tiles of a seat's hand as far as they can be seen, the largest number first."""
    numbers = range(int(s.max_pip), -1, -1)
    rows = s.hand[seat].tolist()
    return tuple(hi * (hi + 1) // 2 + lo for hi in numbers for lo in range(hi, -1, -1) if rows[hi] >> lo & 1)


def train_words(
    train: int | str, seat: int | None = None, names: Sequence[str] | None = None, viewer: int | None = None
) -> str:
    """Return a train, named as in an event of a record, as a person would say it; `seat` is who would."""
    if train == MEXICAN:
        return "the Mexican train"
    if train == viewer:
        return "your own train" if seat == viewer else "your train"
    if train == seat:
        return "their own train" if names else "its own train"
    return f"the train of {names[int(train)]}" if names else f"the train of seat {train}"


def turn_words(s: Any) -> str:
    """Return whose turn it is and what it is about, as a person would say it."""
    n, seat = int(s.n_seats), int(s.turn)
    if s.over:
        return f"the round is over: seat {seat} went out" if s.over == OUT else "the round is over: it is blocked"
    if s.engine < 0:
        return "no engine yet: a double out of a hand will be placed"
    drew = ", having drawn," if s.drawn else ""
    if s.owed == COVER or (s.owed == FIRST and s.n_open):
        train = int(s.open_on[int(s.n_open) - 1 if s.owed == COVER else 0])
        double = f"{int(s.end[train])}-{int(s.end[train])}"
        where = train_words(MEXICAN if train == n else train, seat)
        return f"seat {seat} is on turn{drew} and must cover {double} on {where}"
    if s.owed == EXTRA:
        return f"seat {seat} is on turn{drew} and owes a tile for its double"
    if s.owed == RIDE:
        return f"seat {seat} is on turn and may go on with its first train"
    if s.in_first_train:
        return f"seat {seat} is on turn{drew} and begins its train"
    return f"seat {seat} is on turn{drew.removesuffix(',')}"


# ── What has just been done ───────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Done:
    """An action or event just done: who did what, with which tile, on which train."""

    seat: int  # -1 where an action does not say
    what: str  # play, draw, engine or pass
    tile: str = ""
    train: int = -1

    def lays(self, train: int, near: int, far: int) -> bool:
        """Say whether this laid the tile near-far on a train."""
        return self.what == "play" and self.train == train and self.tile == tile_text(tile_of(near, far))


def done(last: int | Event | Sequence[Any] | None, seen: TableView) -> Done | None:
    """Return what was done last, from an action or from an event of a record.

    Raises
    ------
    UsageError
        If it is neither.
    """
    if last is None:
        return None
    if isinstance(last, int | np.integer):
        act = Action(last)
        if act.is_lay and act.train <= seen.n_seats:
            return Done(-1, "play", tile_text(act.tile), act.train)
        if act.is_pass:
            return Done(-1 if seen.turn is None else (seen.turn - 1) % seen.n_seats, "pass")
    elif isinstance(last, Sequence) and len(last) >= 2 and last[0] in range(seen.n_seats):
        seat, what, *rest = last
        trains = [MEXICAN if train == seen.n_seats else train for train in range(seen.n_seats + 1)]
        if what == "play" and len(rest) == 2 and rest[1] in trains:
            return Done(seat, what, rest[0], trains.index(rest[1]))
        if what in ("draw", "engine") and len(rest) == 1:
            return Done(seat, what, rest[0])
        if what == "pass" and not rest:
            return Done(seat, what)
    raise UsageError(f"neither an action nor an event of a record: {last!r}")


def cut(name: str, most: int) -> str:
    """Return a name of at most so many characters."""
    return name if len(name) <= most else name[: most - 1] + "…"


def train_name(train: int, n_seats: int) -> str:
    """Return the short name of a train: whose it is."""
    return "Mexican" if train == n_seats else f"seat {train_text(train, n_seats)}"


# ── Events and games in words ─────────────────────────────────────────────────────────────────────────────


def event_words(event: Event, names: Sequence[str] | None = None, viewer: int | None = None) -> str:
    """Return an event as a person would say it, and hear it in the seat `viewer`; a draw without its tile, too."""
    seat, what, *rest = event
    who = "you" if seat == viewer else names[seat] if names else f"seat {seat}"
    s = "" if seat == viewer else "s"
    if what == "play":
        return f"{who} lay{s} {rest[0]} on {train_words(rest[1], seat, names, viewer)}"
    if what == "draw":
        return f"{who} draw{s} {rest[0] if rest else 'a tile'}"
    if what == "engine":
        return f"{who} place{s} the engine {rest[0]}"
    return f"{who} pass{'es' if s else ''}"


def told(event: Event, s: Any, marked: int, n_open: int) -> str:
    """Return an event in words, with what came of it; `s` is the position after it.

    Parameters
    ----------
    event, s
        The event, and the record of the position after it.
    marked, n_open
        The markers and the number of open doubles before it.
    """
    words = event_words(event)
    if changed := int(s.marked) ^ marked:
        words += f" (marker {'up' if changed & int(s.marked) else 'down'})"
    if event[1] == "play" and s.n_open > n_open:
        words += " (a double to cover)"
    return words


def game_lines(
    record: Mapping[str, Any], steps: Iterable[tuple[int, int, np.ndarray, Event | None]] | None = None
) -> Iterator[str]:
    """Yield a recorded game in words, a line a turn; what is told is checked by the rules on the way.

    An unfinished game brings its `steps`, which are those of `replay` for a record.
    """
    seats = ", ".join(f"seat {seat} {agent}" for seat, agent in enumerate(record["agents"]))
    yield f"game {record['game']} (seed {record['seed']}): {seats}"
    turn: list[str] = []
    for number, _, position, event in replay(record) if steps is None else steps:
        round_ = record["rounds"][number - 1]
        if event is None:
            marked = n_open = 0
            yield ""
            starts = f"seat {round_['starter']} starts, {len(round_['boneyard'])} tiles in the boneyard"
            yield f"round {number}: engine {round_['engine'] or 'not yet placed'}, {starts}"
            for seat, hand in enumerate(round_["hands"]):
                yield f"  seat {seat} is dealt {' '.join(hand)}"
            continue
        words = told(event, position[0], marked, n_open)
        marked, n_open = int(position[0].marked), int(position[0].n_open)
        if turn and turn[0].split()[1] == str(event[0]):
            turn.append(words.split(" ", 2)[2])
        else:
            if turn:
                yield "  " + ", ".join(turn)
            turn = [words]
        if position[0].over:
            yield "  " + ", ".join(turn)
            turn = []
            yield f"  {'out' if round_['end'] == 'out' else 'blocked'}; scores {' '.join(map(str, round_['scores']))}"
    if turn:
        yield "  " + ", ".join(turn)
    yield ""
    if "totals" in record:
        yield f"totals {' '.join(map(str, record['totals']))}; ranks {' '.join(map(str, record['ranks']))}"
    else:
        yield "the game is not finished"


# ── Hands as people hold them ─────────────────────────────────────────────────────────────────────────
#
# Hands as people hold them: lined up when they are dealt, and then in that order until they are lined up again.


class Hands:
    """The orders in which people hold their hands: the tiles of a train, then the rest, then what was drawn since."""

    def __init__(self) -> None:
        self._trains: dict[tuple[int, int], Train] = {}

    def text(self, seen: np.ndarray, seat: int) -> str:
        """Return the hand of a seat in its order."""
        at = (int(seen[0].number), seat)
        if at not in self._trains:
            self.line_up(seen, seat)
        train = self._trains[at]
        tiles = held(seen[0], seat)
        first = " ".join(tile_text(tile) for tile in train.tiles if tile in tiles)
        order = [*(tile for tile in train.rest if tile in tiles)]
        order += [tile for tile in tiles if tile not in train.tiles and tile not in train.rest]
        return " | ".join(filter(None, [first, " ".join(map(tile_text, order))]))

    def line_up(self, seen: np.ndarray, seat: int, by: Literal["tiles", "pips"] = "tiles") -> str:
        """Put a hand in the order of the best train from its own open end; return that train and the rest in words."""
        start = int(seen[0].end[seat])
        train = best_train(held(seen[0], seat), start, by)
        self._trains[int(seen[0].number), seat] = train
        rest = " ".join(map(tile_text, train.rest)) or "nothing"
        if not train.tiles:
            return f"nothing fits {start}; the rest: {rest}"
        proof = "" if train.proved else ", not proved the best"
        what = f"{counted(len(train.tiles), 'tile')}, {counted(train.pips, 'pip')}{proof}"
        return f"train from {start}: {train} ({what}); the rest: {rest}"
