"""Choosing: what a person's words for an action mean, and actions as a person reads them.

Actions are named by their number in a list, by a tile and a train, or by a tile alone where only one train is meant.
What is legal is not known here; it is handed in.
"""

import re
from collections.abc import Sequence

from mtrain.game.notation import MEXICAN, Action, action_text
from mtrain.game.tiles import MAX_PIP
from mtrain.show.entries import EntryError, quoted

_TILE = re.compile(r"([0-9]{1,2})[-/:]([0-9]{1,2})", re.ASCII)
_OWN = ("own", "mine", "my own", "me")


def action_words(action: int, seat: int, names: Sequence[str]) -> str:
    """Return an action of a seat in words, as that seat hears it."""
    act = Action(action)
    if act.is_pass:
        return "pass"
    where = (
        "your own train"
        if act.train == seat
        else "the Mexican train"
        if act.train == len(names)
        else f"the train of seat {act.train}, {names[act.train]}"
    )
    return f"{act.hi}-{act.lo} on {where}"


def listed(legal: Sequence[Action], seat: int, names: Sequence[str], width: int) -> str:
    """Return legal actions with their numbers, in as many columns as fit."""
    cells = [f"{number:>3}  {action_words(action, seat, names)}" for number, action in enumerate(legal, 1)]
    wide = max(map(len, cells)) + 3
    columns = max(1, width // wide)
    rows = -(-len(cells) // columns)
    lines = ["".join(cell.ljust(wide) for cell in cells[row::rows]).rstrip() for row in range(rows)]
    return "\n".join(lines)


def _train(text: str, seat: int, names: Sequence[str]) -> int:
    word = text.strip().lower()
    word = re.sub(r"^(?:the )?(?:train of |train |seat )", "", word).removesuffix(" train")
    if word in _OWN:
        return seat
    if word in (MEXICAN, "m", "the mexican"):
        return len(names)
    if word.isascii() and word.isdigit() and len(word) < 3 and int(word) < len(names):
        return int(word)
    lowered = [name.lower() for name in names]
    if word in lowered:
        return lowered.index(word)
    raise EntryError(f"no train {quoted(text)}; a train is own, mexican, a seat from 0 to {len(names) - 1}, or a name")


def read_action(text: str, legal: Sequence[Action], seat: int, names: Sequence[str]) -> Action:
    """Return the action that a person means.

    Parameters
    ----------
    text
        ``3``, ``12-7@2``, ``7-12@mexican``, ``12-7 on greedy``, ``12-7`` or ``pass``.
    legal
        The legal actions, in the order of their list; the action meant need not be among them.
    seat
        The person's.
    names
        What sits where.

    Raises
    ------
    EntryError
        If it means none, or more than one.
    """
    text = text.strip()
    if text.lower() == "pass":
        return Action(1)
    if text.isascii() and text.isdigit():
        if len(text) > 3 or not 1 <= int(text) <= len(legal):
            raise EntryError(f"the actions are numbered from 1 to {len(legal)}, not {quoted(text)}")
        return legal[int(text) - 1]
    tile, at, train = text.partition("@")
    if not at:
        tile, at, train = text.partition(" on ")
    match = _TILE.fullmatch(tile.strip())
    if not match or max(int(match[1]), int(match[2])) > MAX_PIP:
        raise EntryError(
            f"{quoted(text)} is no action; enter a number from the list, or a tile and a train: 12-7@own, "
            "12-7@mexican, 12-7@2"
        )
    hi, lo = max(int(match[1]), int(match[2])), min(int(match[1]), int(match[2]))
    if at:
        return Action(1 << 14 | _train(train, seat, names) << 10 | hi << 5 | lo)
    fitting = [action for action in legal if (action.hi, action.lo) == (hi, lo)]
    if len(fitting) > 1:
        ways = " or ".join(action_text(action, len(names)) for action in fitting)
        raise EntryError(f"{hi}-{lo} goes on more than one train: say {ways}")
    return fitting[0] if fitting else Action(1 << 14 | seat << 10 | hi << 5 | lo)
