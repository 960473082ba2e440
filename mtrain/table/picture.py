"""Where everything stands on the picture of a table, as boxes.

A `Plan` fixes the places of trains and hands, once for a whole round; `place` fills it with what a `TableView` shows. A
tile's place depends on what lay on the table before it and on nothing later, so no tile ever moves. Units are those of
the picture; nothing is drawn here.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from mtrain.game.notation import train_text
from mtrain.game.tiles import HI, LO, MAX_PIP, set_size, tile_of, tile_text
from mtrain.table.view import Done, Joined, TableView, cut, train_name

# ── Where everything stands ───────────────────────────────────────────────────────────────────────────


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


def usual_plan(seen: TableView) -> Plan:
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


def _lanes(seen: TableView, plan: Plan) -> tuple[dict[tuple[int, int], _Lane], list[tuple[int, int]]]:
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
    seen: TableView,
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
    seen: TableView, plan: Plan, below: Sequence[tuple[int, int]], lanes: dict[tuple[int, int], _Lane]
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


def _station(seen: TableView, plan: Plan, last: Done | None) -> Iterator[Piece]:
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


def _head(seen: TableView) -> Iterator[Piece]:
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
    seen: TableView, plan: Plan, train: int, lanes: dict[tuple[int, int], _Lane], last: Done | None
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


def _label(seen: TableView, plan: Plan, train: int, last: Done | None, names: Sequence[str] | None) -> Iterator[Piece]:
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


def _hand(seen: TableView, plan: Plan, seat: int, slots: Sequence[int | None], last: Done | None) -> Iterator[Piece]:
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


def _boneyard(seen: TableView, plan: Plan) -> Iterator[Piece]:
    middle = plan.top_of(seen.n_seats) + PAD + LANE / 2
    yield Piece("stack", HAND_X, middle - 20, 30, 40, look="empty" if not seen.boneyard else "")
    said = f"boneyard: {seen.boneyard or 'no'} tile{'s' * (seen.boneyard != 1)}"
    yield Piece("text", HAND_X + 40, middle - 10, 180, 20, text=said, look="words")


# ── Pieces as SVG ─────────────────────────────────────────────────────────────────────────────────────
#
# Pieces as SVG: what each looks like. Where it stands, `mtrain.table.picture` says.
#
# The same pieces give the same bytes. Nothing outside the picture is asked for: fonts are the reader's own.


PIPS_UP_TO = 12  # larger numbers are written

# The colour of a number, from 0 on.
COLOURS = (
    "#8a8f94", "#3f8fc9", "#2f8f57", "#cf4a4a", "#8a6534", "#2c4f9e", "#c98a00", "#b8478f", "#0f8080", "#6f4aa8",
    "#d0641f", "#6b7480", "#2b3640", "#3f8fc9", "#2f8f57", "#cf4a4a", "#8a6534", "#2c4f9e", "#b8478f",
)  # fmt: skip

# Where the pips of a number are: rows of columns, each from −1 to 1.
_ROWS = {
    0: (), 1: ((0,),), 2: ((-1,), (1,)), 3: ((-1,), (0,), (1,)), 4: ((-1, 1), (-1, 1)), 5: ((-1, 1), (0,), (-1, 1)),
    6: ((-1, 1), (-1, 1), (-1, 1)), 7: ((-1, 1), (-1, 0, 1), (-1, 1)), 8: ((-1, 0, 1), (-1, 1), (-1, 0, 1)),
    9: ((-1, 0, 1),) * 3, 10: ((-1, 0, 1), (-1, -1 / 3, 1 / 3, 1), (-1, 0, 1)),
    11: ((-1, -1 / 3, 1 / 3, 1), (-1, 0, 1), (-1, -1 / 3, 1 / 3, 1)), 12: ((-1, -1 / 3, 1 / 3, 1),) * 3,
}  # fmt: skip

STYLE = """
.mt{font-family:system-ui,-apple-system,"Segoe UI",Roboto,Helvetica,Arial,sans-serif;fill:#26323c}
.mt .frame{fill:#f1f3ef}
.mt .band{fill:#fbfcfa;stroke:#dfe3dc}.mt .common{fill:#eef4f4}.mt .below{fill:#f6f4ec}
.mt .turn{fill:#e4eefa;stroke:#3a78b8;stroke-width:2}.mt .turnbar{fill:#3a78b8}
.mt .station{fill:#3d4a54}
.mt .ties{fill:none;stroke:#e2ddd0;stroke-width:14;stroke-dasharray:3 7}.mt .rails{fill:none;stroke:#c9c2b2}
.mt .lit{fill:#ffd54a}.mt .open{fill:none;stroke:#d9480f;stroke-width:3;stroke-dasharray:5 3}
.mt .disc{fill:#fff;stroke:#9aa29b;stroke-width:1.5}.mt .usable .disc{fill:#23854f;stroke:#1a6a3e}
.mt .double .disc{stroke:#d9480f;stroke-width:3}
.mt text{font-size:12px}.mt .title{font-size:18px;font-weight:700}.mt .words{font-size:15px}
.mt .seat{font-size:15px;font-weight:700}.mt .small{fill:#55616b}.mt .said{font-weight:700}
.mt .engine{font-size:20px;fill:#fff;text-anchor:middle}.mt .end text{font-weight:700;text-anchor:middle}
.mt .usable text{fill:#fff}
""".strip()


def _g(number: float) -> str:
    return f"{number:g}"


def _pips(number: int) -> str:
    rows = _ROWS[number]
    radius = 1.9 if number > 9 else 2.1
    dots = []
    for k, row in enumerate(rows):
        y = 10 + 6 * ((2 * k / (len(rows) - 1) - 1) if len(rows) > 1 else 0)
        dots += [f'<circle cx="{_g(round(10 + 6.4 * x, 2))}" cy="{_g(y)}" r="{radius}"/>' for x in row]
    return "".join(dots)


def definitions() -> str:
    """Return what tiles are made of, to stand once before them: half a tile in pips, and in figures."""
    parts = []
    for number in range(MAX_PIP + 1):
        figure = f'<text x="10" y="14.8" style="font-size:13.5px;font-weight:700;text-anchor:middle">{number}</text>'
        parts.append(f'<g id="mt-n{number}" fill="{COLOURS[number]}">{figure}</g>')
        pips = _pips(number) if number <= PIPS_UP_TO else figure
        parts.append(f'<g id="mt-p{number}" fill="{COLOURS[number]}">{pips}</g>')
    # What is used elsewhere is not reached by the style of the picture.
    body = 'rx="3.5" fill="#fffefa" stroke="#8d897d"'
    for name, (w, h), bar in (("t", (40, 20), "M20 3v14"), ("v", (20, 40), "M3 20h14")):
        line = f'<path stroke="#b9b4a6" d="{bar}"/>'
        parts.append(f'<g id="mt-{name}"><rect width="{w}" height="{h}" {body}/>{line}</g>')
    back = '<rect width="20" height="40" rx="3.5" fill="#7d93a6" stroke="#5c7183"/>'
    parts.append(f'<g id="mt-b">{back}<circle cx="10" cy="20" r="3.5" fill="#a9bac8"/></g>')
    wheels = "".join(f'<circle cx="{x}" cy="15" r="2.8"/>' for x in (7, 14, 25))
    parts.append(f'<g id="mt-m" fill="#c2410c"><path d="M2 13v-7h2v-4h5v4h8v-5h13v12z"/>{wheels}</g>')
    return f"<defs>{''.join(parts)}</defs>"


def _tile(p: Piece) -> str:
    upright = p.h > p.w
    scale = p.w / (UNIT if upright else 2 * UNIT)
    move = f"translate({_g(p.x)} {_g(p.y)})" + (f" scale({_g(scale)})" if scale != 1 else "")
    if upright:  # a double: its pips turn with it
        halves = f'<use href="#mt-p{p.a}" transform="matrix(0 1 -1 0 20 0)"/>'
        halves += f'<use href="#mt-p{p.b}" transform="matrix(0 1 -1 0 20 20)"/>'
        if p.a > PIPS_UP_TO:
            halves = f'<use href="#mt-p{p.a}"/><use href="#mt-p{p.b}" y="20"/>'
        return f'<g transform="{move}"><use href="#mt-v"/>{halves}</g>'
    return f'<g transform="{move}"><use href="#mt-t"/><use href="#mt-p{p.a}"/><use href="#mt-p{p.b}" x="20"/></g>'


def _held(p: Piece, both: bool) -> str:
    scale = round(p.w / UNIT, 2)
    move = f"translate({_g(p.x)} {_g(p.y)})" + (f" scale({_g(scale)})" if scale != 1 else "")
    back = '<use href="#mt-b"/>' if both or p.a < 0 else ""
    face = f'<use href="#mt-v"/><use href="#mt-n{p.a}"/><use href="#mt-n{p.b}" y="20"/>' if p.a >= 0 else ""
    if both and face:
        face = f'<g class="face s{p.seat}">{face}</g>'
    return f'<g transform="{move}">{back}{face}</g>'


def _rect(p: Piece, radius: int = 6) -> str:
    name = f"{p.what} {p.look}".strip()
    return f'<rect class="{name}" x="{_g(p.x)}" y="{_g(p.y)}" width="{_g(p.w)}" height="{_g(p.h)}" rx="{radius}"/>'


def _rail(p: Piece) -> str:
    y, x0, x1 = p.y + p.h / 2, p.x, p.x + p.w
    ties, rails = f"M{_g(x0)} {_g(y)}H{_g(x1)}", f"M{_g(x0)} {_g(y - 4)}H{_g(x1)}M{_g(x0)} {_g(y + 4)}H{_g(x1)}"
    return f'<g><path class="ties" d="{ties}"/><path class="rails" d="{rails}"/></g>'


def _curve(p: Piece) -> str:
    """Draw rails that turn round into the lane below."""
    to_right = p.look == "right"
    x, top, bottom = p.x if to_right else p.x + p.w, p.y + 7, p.y + p.h - 7
    middle = (bottom - top) / 2

    def bow(radius: float) -> str:
        y = (top + bottom) / 2
        return f"M{_g(x)} {_g(y - radius)}A{_g(radius)} {_g(radius)} 0 0 {int(to_right)} {_g(x)} {_g(y + radius)}"

    ties, rails = bow(middle), bow(middle - 4) + bow(middle + 4)
    return f'<g><path class="ties" d="{ties}"/><path class="rails" d="{rails}"/></g>'


def _end(p: Piece) -> str:
    x, y, r = p.x + p.w / 2, p.y + p.h / 2, p.w / 2 - 1
    disc = f'<circle class="disc" cx="{_g(x)}" cy="{_g(y)}" r="{_g(r)}"/>'
    return f'<g class="{f"end {p.look}".strip()}">{disc}<text x="{_g(x)}" y="{_g(round(y + 4.3, 1))}">{p.a}</text></g>'


def _text(p: Piece) -> str:
    size = {"title": 18, "words": 15, "seat": 15, "engine": 20}.get(p.look, 12)
    x = p.x + p.w / 2 if p.look == "engine" else p.x
    return f'<text class="{p.look}" x="{_g(x)}" y="{_g(round(p.y + p.h / 2 + size * 0.36, 1))}">{escape(p.text)}</text>'


def _key(p: Piece) -> str:
    """Draw a sign of the legend."""
    if p.look == "marker":
        return f'<use href="#mt-m" transform="translate({_g(p.x - 6)} {_g(p.y + 2)}) scale(0.75)"/>'
    if p.look == "lit":
        return _rect(Piece("lit", p.x, p.y + 3, p.w, p.h - 6), 3)
    if p.look == "double":
        return _rect(Piece("open", p.x + 4, p.y + 1, p.w - 8, p.h - 2), 3)
    inner = f'<circle class="disc" cx="{_g(p.x + 9)}" cy="{_g(p.y + 9)}" r="7"/>'
    return f'<g class="{p.look}">{inner}</g>'


def _stack(p: Piece) -> str:
    if p.look == "empty":
        return f'<rect class="band" x="{_g(p.x)}" y="{_g(p.y)}" width="20" height="40" rx="3.5"/>'
    return "<g>" + "".join(f'<use href="#mt-b" x="{_g(p.x + k)}" y="{_g(p.y)}"/>' for k in (10, 5, 0)) + "</g>"


def draw(p: Piece, both: bool = False) -> str:
    """Return a piece as one SVG element; `both`: tiles of a hand with their backs beneath their faces."""
    if p.what == "tile":
        return _tile(p)
    if p.what == "held":
        return _held(p, both)
    if p.what == "turn":
        bar = f'<rect class="turnbar" x="{_g(p.x)}" y="{_g(p.y)}" width="7" height="{_g(p.h)}" rx="3"/>'
        return f"<g>{_rect(p)}{bar}</g>"
    if p.what == "frame":
        return _rect(p, 10)
    if p.what == "marker":
        return f'<use href="#mt-m" x="{_g(p.x)}" y="{_g(p.y)}"/>'
    drawn = {"rail": _rail, "curve": _curve, "end": _end, "text": _text, "key": _key, "stack": _stack}
    return drawn.get(p.what, _rect)(p)


def picture(pieces: Sequence[Piece], said: str, elements: Iterable[str] | None = None, whole: bool = True) -> str:
    """Return pieces as a picture.

    Parameters
    ----------
    pieces
        All of it; the first is the frame.
    said
        What the picture shows, for those who cannot see it.
    elements
        The pieces drawn, if they are drawn already.
    whole
        Whether style and definitions are part of it, or stand elsewhere on the page.
    """
    frame = pieces[0]
    inside = "".join(f"{element}\n" for element in elements or map(draw, pieces))
    before = f"<style>{STYLE}</style>\n{definitions()}\n" if whole else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="mt" viewBox="0 0 {_g(frame.w)} {_g(frame.h)}" '
        f'role="img" aria-label="{escape(said)}">\n{before}{inside}</svg>\n'
    )
