"""The protocol: what is said to a bot that is a process, and how its answers are read. docs/protocol.md is its text.

Every message is one line of JSON. Messages are made out of observations and of what everybody saw; no function here
is ever handed a State with its hidden tiles. The same game gives the same bytes. This module knows nothing of
processes.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from mtrain.bots.faults import GARBAGE, ILLEGAL, Broken
from mtrain.game.jit import kernel
from mtrain.game.notation import MEXICAN, action_text, train_text
from mtrain.game.rules import RuleSet
from mtrain.game.state import COVER, EXTRA, FIRST, OUT, RIDE
from mtrain.game.tiles import MAX_TILES, tile_of, tile_text

# Moves on only when a bot written for the older number would no longer understand.
PROTOCOL = 1

OWED = {FIRST: "first", COVER: "cover", EXTRA: "extra", RIDE: "ride"}

# A `chance` is a whole number below this: JavaScript, too, reads it without loss.
CHANCES = 1 << 53

# How much of an answer is quoted in a sentence.
_QUOTED = 80


@dataclass(frozen=True)
class Hello:
    """What a bot says of itself: a name, and does it use the clock?"""

    name: str
    uses_clock: bool = False


def _line(**message: Any) -> bytes:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


# ── What mtrain says ──────────────────────────────────────────────────────────────────────────────────────


def hello(version: str) -> bytes:
    """Return the first message: which protocol is spoken, and by which mtrain."""
    return _line(type="hello", protocol=PROTOCOL, mtrain=version)


def game(rules: RuleSet, players: int, seat: int) -> bytes:
    """Return the message that a game begins: its rules, the seats at the table, and the bot's own."""
    return _line(type="game", rules=rules.to_json(), players=players, seat=seat)


def round_(number: int, starter: int, engine: int) -> bytes:
    """Return the message that a round begins; an `engine` below 0 is still to be found."""
    return _line(type="round", round=number, starter=starter, engine=_double(engine))


def _double(engine: int) -> str | None:
    return tile_text(tile_of(engine, engine)) if engine >= 0 else None


@cache
def event(what: tuple[Any, ...]) -> str:
    """Return an event of a record as JSON."""
    return json.dumps(what, separators=(",", ":"))


@cache
def marker(seat: int, up: bool) -> str:
    """Return the event that a marker is raised or taken down, as JSON."""
    return event((seat, "marker", "up" if up else "down"))


def scores(events: Sequence[str], over: int, pips: Sequence[int], totals: Sequence[int]) -> bytes:
    """Return the message that a round is over: its last events, how it ended, what it cost, and the game so far."""
    end = "out" if over == OUT else "blocked"
    told = _line(type="scores", events=[], end=end, scores=list(pips), totals=list(totals))
    return told.replace(b"[]", f"[{','.join(events)}]".encode(), 1)


def end(totals: Sequence[int], ranks: Sequence[int]) -> bytes:
    """Return the message that the game is over."""
    return _line(type="end", totals=list(totals), ranks=list(ranks))


def bye() -> bytes:
    """Return the last message: nothing comes after it, and the input is closed."""
    return _line(type="bye")


# What `_flat` writes first; then hand, ends, trains with an open double, hand sizes, totals, and the tiles laid.
_HEAD = 12
_MOST = _HEAD + 3 * MAX_TILES


@kernel
def _flat(obs, i, out):
    """Write what `act` tells of an observation into ``out: int64[_MOST]`` as plain numbers."""
    o = obs[i]
    seat = np.int64(o.turn)
    n_trains = np.int64(o.n_seats) + 1
    out[0] = o.number
    out[1] = seat
    out[2] = o.n_seats
    out[3] = o.owed
    out[4] = o.drawn
    out[5] = o.in_first_train
    out[6] = np.int64(o.n_tiles) - o.top
    out[7] = o.marked
    out[8] = o.n_open
    out[9] = o.n_laid
    out[10] = o.engine
    k = np.int64(_HEAD)
    for hi in range(np.int64(o.max_pip) + 1):
        row = np.int64(o.hand[seat, hi]) & ((2 << hi) - 1)
        for lo in range(hi + 1):
            if row >> lo & 1:
                out[k] = hi * (hi + 1) // 2 + lo
                k += 1
    out[11] = k - _HEAD
    for train in range(n_trains):
        out[k] = o.end[train]
        k += 1
    for j in range(np.int64(o.n_open)):
        out[k] = o.open_on[j]
        k += 1
    for other in range(n_trains - 1):
        out[k] = o.count[other]
        out[k + n_trains - 1] = o.score[other]
        k += 1
    k += n_trains - 1
    for j in range(np.int64(o.n_laid)):
        tile = np.int64(o.laid[j])
        out[k] = tile << 4 | (np.int64(o.laid_on[tile]) - 1)
        k += 1


_TILES = [f'"{tile_text(tile)}"' for tile in range(MAX_TILES)]


@cache
def _action(action: int, n_seats: int) -> str:
    return f'"{action_text(action, n_seats)}"'


@cache
def _lays(n_seats: int) -> list[str]:
    """Return the JSON of every tile on every train, by tile × 16 + train."""
    return [
        f'"{tile_text(code >> 4)}@{train_text(code & 15, n_seats)}"' if code & 15 <= n_seats else ""
        for code in range(MAX_TILES << 4)
    ]


@cache
def _trains(mask: int) -> str:
    return ",".join(str(seat) for seat in range(mask.bit_length()) if mask >> seat & 1)


def act(obs: np.ndarray, i: int, actions: Sequence[int], chance: int, events: Sequence[str]) -> str:
    """Return the question what to do.

    Parameters
    ----------
    obs : STATE[n]
        Observations.
    i
        The one that the question is about.
    actions
        Its legal actions.
    chance
        A number below 2**53 for the bot's own chance.
    events
        What everybody saw since the last message, as JSON.
    """
    out = np.zeros(_MOST, np.int64)
    _flat(obs, i, out)
    number, seat, n, owed, drawn, riding, boneyard, marked, n_open, n_laid, engine, n_hand, *rest = out.tolist()
    ends = n_hand + n + 1
    opens = ends + n_open
    laid = opens + 2 * n
    lays = _lays(n)
    open_doubles = ",".join([f'"{MEXICAN}"' if train == n else str(train) for train in rest[ends:opens]])
    return (
        f'{{"type":"act","events":[{",".join(events)}],"round":{number},"seat":{seat},"owed":"{OWED[owed]}",'
        f'"drawn":{"true" if drawn else "false"},"riding":{"true" if riding else "false"},'
        f'"hand":[{",".join([_TILES[tile] for tile in rest[:n_hand]])}],'
        f'"ends":[{",".join(map(str, rest[n_hand:ends]))}],"markers":[{_trains(marked)}],'
        f'"open_doubles":[{open_doubles}],"hand_sizes":[{",".join(map(str, rest[opens : opens + n]))}],'
        f'"boneyard":{boneyard},"totals":[{",".join(map(str, rest[opens + n : laid]))}],'
        f'"engine":{_TILES[tile_of(engine, engine)]},'
        f'"laid":[{",".join([lays[code] for code in rest[laid : laid + n_laid]])}],'
        f'"chance":{chance},"actions":[{",".join([_action(action, n) for action in actions])}]}}\n'
    )


# ── What a bot says ───────────────────────────────────────────────────────────────────────────────────────


def read_hello(line: bytes) -> Hello:
    """Return what a bot says of itself.

    Raises
    ------
    Broken
        If it says something else, or speaks another protocol.
    """
    said = _object(line)
    if said.get("type") != "hello":
        raise Broken(GARBAGE, f"answered hello with {quote(line)}, which is no hello")
    if said.get("protocol") != PROTOCOL or isinstance(said["protocol"], bool):
        raise Broken(GARBAGE, f"speaks protocol {said.get('protocol')!r}, and mtrain speaks {PROTOCOL}")
    name, uses_clock = said.get("name"), said.get("uses_clock", False)
    if not isinstance(name, str) or not name:
        raise Broken(GARBAGE, f"has no name in its hello: {quote(line)}")
    if not isinstance(uses_clock, bool):
        raise Broken(GARBAGE, f"uses_clock is true or false in a hello, not {uses_clock!r}")
    return Hello(name, uses_clock)


def read_action(line: bytes, n_actions: int) -> int:
    """Return the number of the action that a bot has chosen.

    Raises
    ------
    Broken
        If the line is no JSON object with a whole number `action`, or none of the actions has that number.
    """
    number = _number(line)
    if not 0 <= number < n_actions:
        raise Broken(ILLEGAL, f"answered action {number}, and the actions were numbered 0 to {n_actions - 1}")
    return number


@lru_cache(1024)
def _number(line: bytes) -> int:
    """Return the whole number `action` of a line; most lines have been read before."""
    number = _object(line).get("action")
    if isinstance(number, bool) or not isinstance(number, int):
        raise Broken(GARBAGE, f"answered {quote(line)}, which has no whole number 'action'")
    return number


def _object(line: bytes) -> dict[str, Any]:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        raise Broken(GARBAGE, f"answered {quote(line)}, which is not JSON") from None
    if not isinstance(said, dict):
        raise Broken(GARBAGE, f"answered {quote(line)}, which is not a JSON object")
    return said


def quote(line: bytes) -> str:
    """Return what was said as a short text that can be printed."""
    text = line[: 4 * _QUOTED].decode("utf-8", "replace").rstrip("\r\n")
    return repr(text if len(text) <= _QUOTED else text[: _QUOTED - 1] + "…")
