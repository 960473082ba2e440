"""Pieces as SVG: what each looks like. Where it stands, `mtrain.show.placing` says.

The same pieces give the same bytes. Nothing outside the picture is asked for: fonts are the reader's own.
"""

from collections.abc import Iterable, Sequence
from html import escape

from mtrain.game.tiles import MAX_PIP
from mtrain.show.placing import UNIT, Piece

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
