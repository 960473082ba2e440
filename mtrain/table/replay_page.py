"""A recorded game as a page to step through: one HTML file that needs nothing else.

The record is played again by the rules, event by event, and every position laid out; what stays the same from one step
to the next is one element of a picture that says from which step to which it is there. The page only shows and hides.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from operator import add
from pathlib import Path
from typing import Any

from mtrain.game.record import replay as played
from mtrain.table.picture import GROUND, STYLE, Piece, Plan, definitions, draw, lanes_needed, picture, place
from mtrain.table.view import Done, TableView, done, hold_seat, sight_of, told

_HEIGHT = 860  # of the page in a notebook, in pixels

# Where an element's first word ends: there, what it is about is written in.
_FIRST_WORD = re.compile(r"^<\w+")


@dataclass(frozen=True)
class _Step:
    """A step of a round: the deal, or an event and the position after it."""

    sight: TableView
    last: Done | None
    held: tuple[tuple[int | None, ...], ...]
    words: str
    closed: str  # the words for those who do not see a drawn tile
    seat: int  # whose event it is; −1: the deal


@dataclass(frozen=True)
class Shown:
    """A piece of a round's picture, and the steps at which it is there: from `first` to before `until`."""

    piece: Piece
    first: int
    until: int


def _steps(record: Mapping[str, Any]) -> Iterator[list[_Step]]:
    """Yield the steps of every round, played by the rules."""
    steps: list[_Step] = []
    marked = n_open = 0
    for number, _, position, event in played(record):
        round_ = record["rounds"][number - 1]
        seen = sight_of(position)
        if number > 1:  # a round is played again by itself
            earlier = zip(*(other["scores"] for other in record["rounds"][: number - 1]), strict=True)
            seen = replace(seen, scores=tuple(map(add, seen.scores, map(sum, earlier))))
        if event is None:
            if steps:
                yield steps
            starts = f"the deal: seat {round_['starter']} starts, {seen.boneyard} tiles in the boneyard"
            steps = [_Step(seen, None, seen.hands, starts, starts, -1)]
        else:
            words = told(event, position[0], marked, n_open)
            if position[0].over:
                words += f"; the round is {'out' if round_['end'] == 'out' else 'blocked'}"
            closed = words.replace(f"draws {event[2]}", "draws a tile") if event[1] == "draw" else words
            held = tuple(map(_slots, steps[-1].held, seen.hands))
            steps.append(_Step(seen, done(event, seen), held, words, closed, event[0]))
        marked, n_open = int(position[0].marked), int(position[0].n_open)
    yield steps


def _slots(before: Sequence[int | None], hand: Sequence[int]) -> tuple[int | None, ...]:
    """Return the slots of a hand: what stays stays where it was, and what is new takes the first that is free."""
    slots = [tile if tile in hand else None for tile in before]
    for tile in hand:
        if tile not in slots:
            if None in slots:
                slots[slots.index(None)] = tile
            else:
                slots.append(tile)
    return tuple(slots)


def laid_out(steps: Sequence[_Step], names: Sequence[str]) -> list[Shown]:
    """Return the picture of a round: every piece once for each time that it comes, the lower ones first."""
    lanes = tuple(lanes_needed(train) for train in steps[-1].sight.trains)
    rows = zip(*(step.held for step in steps), strict=True)
    plan = Plan(lanes, tuple(max(map(len, row)) for row in rows))
    shown: list[Shown] = []
    there: dict[Piece, int] = {}
    for k, step in enumerate(steps):
        pieces = dict.fromkeys(place(step.sight, plan, step.last, names, step.held))
        for piece in [piece for piece in there if piece not in pieces]:
            shown.append(Shown(piece, there.pop(piece), k))
        there |= {piece: k for piece in pieces if piece not in there}
    shown += [Shown(piece, first, len(steps)) for piece, first in there.items()]
    height = {name: k for k, name in enumerate(GROUND)}
    return sorted(shown, key=lambda s: (height.get(s.piece.what, len(height)), s.first, s.until, s.piece.y, s.piece.x))


def _element(shown: Shown, n_steps: int) -> str:
    """Return a piece as an element that says when it is there, and which tile it is."""
    about = f' data-f="{shown.first}"' if shown.first else ""
    about += f' data-u="{shown.until}"' if shown.until < n_steps else ""
    about += f' data-t="{shown.piece.text}"' if shown.piece.what in ("tile", "held") and shown.piece.text else ""
    return _FIRST_WORD.sub(lambda word: word[0] + about, draw(shown.piece, both=True))


class Replay:
    """A recorded game as a page; in a notebook it shows itself.

    Parameters
    ----------
    record
        A game, as `mtrain record` writes it.
    seat
        Whose hand is shown at first; None: all hands.

    Raises
    ------
    RecordError
        Where the record breaks a rule.
    UsageError
        If there is no such seat.
    """

    def __init__(self, record: Mapping[str, Any], seat: int | None = None) -> None:
        self.record = record
        self.rounds = list(_steps(record))
        hold_seat(seat, len(record["agents"]))
        self.seat = seat

    @property
    def title(self) -> str:
        """What the game is called."""
        return f"Mexican Train, game {self.record['game']} (seed {self.record['seed']})"

    def html(self) -> str:
        """Return the page."""
        from jinja2 import Environment, FileSystemLoader, StrictUndefined  # slow to import

        agents = self.record["agents"]
        pictures, told_ = [], []
        for round_, steps in zip(self.record["rounds"], self.rounds, strict=True):
            shown = laid_out(steps, agents)
            said = f"The table in round {round_['number']}"
            elements = [_element(each, len(steps)) for each in shown]
            pictures.append(picture([each.piece for each in shown], said, elements, whole=False))
            told_.append([[step.words, step.closed if step.closed != step.words else 0, step.seat] for step in steps])
        about = Environment(
            loader=FileSystemLoader(Path(__file__).parent / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        return about.get_template("replay.html").render(
            title=self.title,
            agents=agents,
            pictures=pictures,
            style=STYLE,
            definitions=definitions(),
            told=_json(told_),
            seat=-1 if self.seat is None else self.seat,
            rounds=self.record["rounds"],
            totals=self.record["totals"],
            ranks=self.record["ranks"],
        )

    def _repr_html_(self) -> str:
        page = escape(self.html())
        return (
            f'<iframe srcdoc="{page}" title="{escape(self.title)}" width="100%" height="{_HEIGHT}" '
            'style="border:0" loading="lazy"></iframe>'
        )


def _json(value: Any) -> str:
    """Return JSON that may stand inside a script."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def replay(record: Mapping[str, Any], seat: int | None = None) -> Replay:
    """Return a recorded game as a page to step through; see `Replay`."""
    return Replay(record, seat)
