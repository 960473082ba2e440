"""Where everything stands on the picture of a table, as boxes.

A `Plan` fixes the places of trains and hands, once for a whole round; `place` fills it with what a `Sight` shows. A
tile's place depends on what lay on the table before it and on nothing later, so no tile ever moves. Units are those of
the picture; nothing is drawn here.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mtrain.game.notation import train_text
from mtrain.game.tiles import HI, LO, set_size, tile_of, tile_text
from mtrain.show.sight import Done, Joined, Sight, cut, train_name

UNIT = 20  # the side of half a tile
GAP = 2  # between tiles
LANE = 46  # from one lane of a train to the next: a double lies crosswise
N_IN_LANE = 16  # tiles that a lane holds, doubles aside

MARGIN = 12
HEAD = 64
FOOT = 12
PAD = 4  # inside a band, above and below
BETWEEN = 6  # bands
LABEL = 178  # the width of what stands before a train
STATION_X, STATION_W = MARGIN + LABEL + 10, 52
CURVE = 34  # room at either end of a lane: for its open end, and for the rails to turn round
LANE_X = STATION_X + STATION_W + 6 + CURVE
LANE_W = N_IN_LANE * (2 * UNIT + GAP)
HAND_X = LANE_X + LANE_W + CURVE + 8
HAND_W = 274
WIDTH = HAND_X + HAND_W + PAD + MARGIN
END = 22  # the sign of an open end

# Pieces that others stand on; all other pieces stand side by side.
GROUND = ("frame", "band", "turn", "station", "rail", "curve", "lit", "open")


@dataclass(frozen=True)
class Piece:
    """Something on the picture, and the box that holds it.

    Parameters
    ----------
    what
        ``tile``, ``held``, ``end``, ``marker``, ``text`` …, or one of `GROUND`.
    x, y, w, h
        Its box, from the upper left corner.
    a, b
        Numbers: of a tile, left or upper half first (−1: face down); of an open end.
    text
        What it says; of a tile, what lies there: ``12-7@3`` on a train, ``12-7#3`` in a hand.
    look
        More about what it looks like, in words.
    seat
        Whose secret it is; −1: nobody's.
    """

    what: str
    x: float
    y: float
    w: float
    h: float
    a: int = -1
    b: int = -1
    text: str = ""
    look: str = ""
    seat: int = -1


# ── The plan ──────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Plan:
    """The places of a round: how many lanes each train has, and how many tiles each hand has room for."""

    lanes: tuple[int, ...]  # by train
    slots: tuple[int, ...]  # by seat

    @property
    def trains(self) -> tuple[int, ...]:
        """The trains from top to bottom: the Mexican train, then those of the seats."""
        return (len(self.slots), *range(len(self.slots)))

    def height_of(self, train: int) -> int:
        """Return the height of a train's band."""
        return self.lanes[train] * LANE + 2 * PAD

    def top_of(self, train: int) -> int:
        """Return where a train's band begins."""
        above = self.trains[: self.trains.index(train)]
        return HEAD + sum(self.height_of(other) + BETWEEN for other in above)

    @property
    def bottom(self) -> int:
        """Where the last band ends."""
        return self.top_of(self.trains[-1]) + self.height_of(self.trains[-1])


def usual_plan(seen: Sight) -> Plan:
    """Return the plan for a position of which nobody knows how it will go on: one for the set and the seats.

    Trains that outgrow their lanes go on below the last band.
    """
    n_trains = seen.n_seats + 1
    lanes = math.ceil(1.2 * set_size(seen.max_pip) / n_trains / N_IN_LANE)
    return Plan((lanes,) * n_trains, seen.counts)


def lanes_needed(tiles: Sequence[Joined]) -> int:
    """Return how many lanes a train of these tiles takes."""
    return 1 + max((lane for lane, _, _ in _walk(tiles)), default=0)


def _walk(tiles: Sequence[Joined]) -> Iterator[tuple[int, int, int]]:
    """Yield for every tile of a train its lane, where it begins in it, and how long it is there."""
    lane = used = 0
    for near, far in tiles:
        length = UNIT if near == far else 2 * UNIT
        if used + length > LANE_W:
            lane, used = lane + 1, 0
        yield lane, used, length
        used += length + GAP


# ── What stands where ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Lane:
    """A lane of a train: the height of its middle, and whether it runs back to the left."""

    y: float
    back: bool

    def x_of(self, used: int, length: int) -> int:
        return LANE_X + LANE_W - used - length if self.back else LANE_X + used


def _lanes(seen: Sight, plan: Plan) -> tuple[dict[tuple[int, int], _Lane], list[tuple[int, int]]]:
    """Return the lanes in use, and those of them that lie below the last band, in the order of their beginning."""
    found: dict[tuple[int, int], _Lane] = {}
    below: list[tuple[int, int]] = []
    walks = [_walk(tiles) for tiles in seen.trains]
    first = [(train, 0) for train in plan.trains]
    for train, lane in [*first, *((train, next(walks[train])[0]) for train in seen.order)]:
        if (train, lane) in found:
            continue
        if lane < plan.lanes[train]:
            y: float = plan.top_of(train) + PAD + LANE * lane + LANE / 2
            found[train, lane] = _Lane(y, lane % 2 == 1)
        else:
            y = plan.bottom + BETWEEN + (LANE + 2 * PAD + BETWEEN) * len(below) + PAD + LANE / 2
            found[train, lane] = _Lane(y, False)
            below.append((train, lane))
    return found, below


def place(
    seen: Sight,
    plan: Plan | None = None,
    last: Done | None = None,
    names: Sequence[str] | None = None,
    held: Sequence[Sequence[int | None]] | None = None,
) -> list[Piece]:
    """Return all pieces of a picture, the lower ones first; the first is the frame.

    Parameters
    ----------
    seen
        What is to be shown.
    plan
        The places; None: those of `usual_plan`.
    last
        What has just been done.
    names
        What sits where.
    held
        The hands, slot by slot, with None for an empty slot; None: as they are seen, the hidden tiles after the others.
    """
    plan = plan or usual_plan(seen)
    lanes, below = _lanes(seen, plan)
    if held is None:
        held = [[*hand, *[-1] * (count - len(hand))] for hand, count in zip(seen.hands, seen.counts, strict=True)]
    bottom = plan.bottom + (LANE + 2 * PAD + BETWEEN) * len(below) + FOOT
    pieces = [Piece("frame", 0, 0, WIDTH, bottom)]
    pieces += _bands(seen, plan, below, lanes)
    pieces += _station(seen, plan, last)
    pieces += _head(seen)
    for train in plan.trains:
        pieces += _train(seen, plan, train, lanes, last)
        pieces += _label(seen, plan, train, last, names)
    for seat in range(seen.n_seats):
        pieces += _hand(seen, plan, seat, held[seat], last)
    pieces += _boneyard(seen, plan)
    return sorted(pieces, key=lambda piece: GROUND.index(piece.what) if piece.what in GROUND else len(GROUND))


def _bands(
    seen: Sight, plan: Plan, below: Sequence[tuple[int, int]], lanes: dict[tuple[int, int], _Lane]
) -> Iterator[Piece]:
    width = WIDTH - 2 * MARGIN
    for train in plan.trains:
        look = "common" if train == seen.n_seats else ""
        what = "turn" if train == seen.turn and train < seen.n_seats else "band"
        yield Piece("band", MARGIN, plan.top_of(train), width, plan.height_of(train), look=look)
        if what == "turn":
            yield Piece("turn", MARGIN, plan.top_of(train), width, plan.height_of(train))
    for train, lane in below:
        middle = lanes[train, lane].y
        yield Piece("band", MARGIN, middle - LANE / 2 - PAD, width, LANE + 2 * PAD, look="below")
        said = f"{train_name(train, seen.n_seats)}, continued"
        yield Piece("text", MARGIN + 12, middle - 9, LABEL - 20, 18, text=said, look="small")


def _station(seen: Sight, plan: Plan, last: Done | None) -> Iterator[Piece]:
    height = plan.bottom - HEAD
    middle = HEAD + height / 2
    yield Piece("station", STATION_X, HEAD, STATION_W, height)
    x, w, h = STATION_X + (STATION_W - 30) / 2, 30, 60
    if seen.engine is None:
        yield Piece("text", STATION_X + 6, middle - 12, STATION_W - 12, 24, text="?", look="engine")
        return
    if last is not None and last.what == "engine":
        yield Piece("lit", x - 4, middle - h / 2 - 4, w + 8, h + 8)
    yield Piece("tile", x, middle - h / 2, w, h, seen.engine, seen.engine, look="engine")


def _head(seen: Sight) -> Iterator[Piece]:
    engine = "no engine yet" if seen.engine is None else f"engine {seen.engine}-{seen.engine}"
    yield Piece("text", MARGIN + 4, 8, 420, 24, text=f"Round {seen.number} of {seen.n_rounds} · {engine}", look="title")
    yield Piece("text", MARGIN + 4, 36, 820, 20, text=seen.words[:1].upper() + seen.words[1:], look="words")
    x, y = WIDTH - MARGIN - 4 - 558, 8
    for look, said, width in (
        ("usable", "may be used now", 132),
        ("closed", "not now", 76),
        ("double", "open double", 108),
        ("marker", "marker", 72),
        ("lit", "just done", 90),
    ):
        yield Piece("key", x, y, 18, 18, look=look)
        yield Piece("text", x + 22, y, width - 22, 18, text=said, look="small")
        x += width + 20


def _train(
    seen: Sight, plan: Plan, train: int, lanes: dict[tuple[int, int], _Lane], last: Done | None
) -> Iterator[Piece]:
    """Yield a train: its rails, its tiles as they join, and the sign of its open end."""
    tiles = seen.trains[train]
    yield from _rails(train, lanes)
    lane, used, lit = 0, 0, False
    box = (0.0, 0.0, 0.0, 0.0)
    for (near, far), (lane, start, length) in zip(tiles, _walk(tiles), strict=True):
        here = lanes[train, lane]
        h = 2 * UNIT if near == far else UNIT
        box = (here.x_of(start, length), here.y - h / 2, length, h)
        a, b = (far, near) if here.back else (near, far)
        yield Piece("tile", *box, a, b, f"{tile_text(tile_of(a, b))}@{train_text(train, seen.n_seats)}")
        lit = last is not None and last.lays(train, near, far)
        used = start + length + GAP
        if lit:
            yield Piece("lit", box[0] - 4, box[1] - 4, box[2] + 8, box[3] + 8)
    opened = train in seen.open_on
    if opened and tiles:
        yield Piece("open", box[0] - 2, box[1] - 2, box[2] + 4, box[3] + 4)
    if seen.ends:
        here = lanes[train, lane]
        x = here.x_of(used + 3, END)
        look = " ".join(word for word, so in (("usable", train in seen.usable), ("double", opened)) if so)
        yield Piece("end", x, here.y - END / 2, END, END, seen.ends[train], look=look)


def _rails(train: int, lanes: dict[tuple[int, int], _Lane]) -> Iterator[Piece]:
    lane = 0
    while (train, lane) in lanes:
        here, following = lanes[train, lane], lanes.get((train, lane + 1))
        begin = LANE_X if lane else STATION_X + STATION_W
        yield Piece("rail", begin, here.y - 7, LANE_X + LANE_W - begin, 14)
        if following and following.y == here.y + LANE and here.back != following.back:
            x = LANE_X - CURVE + 4 if here.back else LANE_X + LANE_W
            yield Piece("curve", x, here.y - 7, CURVE - 4, LANE + 14, look="left" if here.back else "right")
        elif following:
            x = LANE_X - CURVE + 6 if here.back else LANE_X + LANE_W + 6
            yield Piece("text", x, here.y - 9, 22, 18, text="↓", look="words")
        lane += 1


def _label(seen: Sight, plan: Plan, train: int, last: Done | None, names: Sequence[str] | None) -> Iterator[Piece]:
    """Yield what stands before a train: whose it is, its marker, what that seat has, and what it has just done."""
    x, middle = MARGIN + 12, plan.top_of(train) + PAD + LANE / 2
    if train == seen.n_seats:
        yield Piece("text", x, middle - 20, LABEL - 20, 20, text="Mexican train", look="seat")
        yield Piece("text", x, middle + 3, LABEL - 20, 15, text="open to all", look="small")
        return
    top = middle - (23 if names is not None else 20)
    yield Piece("text", x, top, 62, 18, text=train_name(train, seen.n_seats), look="seat")
    if last is not None and last.seat == train and last.what in ("pass", "draw"):
        said = "passes" if last.what == "pass" else "draws"
        yield Piece("lit", x + 62, top, 60, 18)
        yield Piece("text", x + 66, top, 54, 18, text=said, look="said")
    if seen.marked[train]:
        yield Piece("marker", x + LABEL - 20 - 32, top, 32, 18)
    if names is not None:
        yield Piece("text", x, middle - 5, LABEL - 20, 14, text=cut(names[train], 22), look="small")
    count, score = seen.counts[train], seen.scores[train]
    said = f"{count} tile{'s' * (count != 1)} · score {score}"
    y = middle + 9 if names is not None else middle + 3
    yield Piece("text", x, y, LABEL - 20, 14, text=said, look="small")


def _hand(seen: Sight, plan: Plan, seat: int, slots: Sequence[int | None], last: Done | None) -> Iterator[Piece]:
    """Yield the tiles of a hand, as large as the room of the plan lets them be."""
    top, height = plan.top_of(seat) + PAD, plan.height_of(seat) - 2 * PAD
    room = max(plan.slots[seat], len(slots), 1)
    scale = next(size / 100 for size in range(100, 9, -2) if _fits(size / 100, room, height))
    across, down = (UNIT + 3) * scale, (2 * UNIT + 4) * scale
    a_row = int((HAND_W + 3 * scale) // across)
    drawn = last is not None and last.what == "draw" and last.seat == seat
    for k, tile in enumerate(slots):
        if tile is None:
            continue
        x, y = HAND_X + k % a_row * across, top + 1 + k // a_row * down
        x, y, w, h = round(x, 1), round(y, 1), round(UNIT * scale, 1), round(2 * UNIT * scale, 1)
        if drawn and last is not None and (tile_text(tile) == last.tile if tile >= 0 else k == len(slots) - 1):
            yield Piece("lit", x - 2, y - 2, w + 4, h + 4)
        if tile < 0:
            yield Piece("held", x, y, w, h, seat=seat)
        else:
            yield Piece("held", x, y, w, h, int(HI[tile]), int(LO[tile]), f"{tile_text(tile)}#{seat}", seat=seat)


def _fits(scale: float, n: int, height: float) -> bool:
    a_row = int((HAND_W + 3 * scale) // ((UNIT + 3) * scale))
    return math.ceil(n / a_row) * (2 * UNIT + 4) * scale <= height


def _boneyard(seen: Sight, plan: Plan) -> Iterator[Piece]:
    middle = plan.top_of(seen.n_seats) + PAD + LANE / 2
    yield Piece("stack", HAND_X, middle - 20, 30, 40, look="empty" if not seen.boneyard else "")
    said = f"boneyard: {seen.boneyard or 'no'} tile{'s' * (seen.boneyard != 1)}"
    yield Piece("text", HAND_X + 40, middle - 10, 180, 20, text=said, look="words")
