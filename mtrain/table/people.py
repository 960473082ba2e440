"""Entries: lines that a person types, read so that nothing typed can do harm, and words printed on any terminal.

What is read is one line of printable characters, however it came; the end of the input is said apart. This module
knows nothing of what entries mean.
"""

import io
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mtrain.analysis.analyse import Analysis
from mtrain.bots.registry import Registry, build, refuse_peeking
from mtrain.errors import UsageError, counted, nearest
from mtrain.game.notation import MEXICAN, Action, action_text
from mtrain.game.record import Event
from mtrain.game.rules import MAX_PLAYERS, RuleSet
from mtrain.game.tiles import MAX_PIP
from mtrain.report.terminal import records
from mtrain.table.board import writable
from mtrain.table.session import Player, Session, SessionError
from mtrain.table.view import event_words

# ── Entries ───────────────────────────────────────────────────────────────────────────────────────────


MOST = 200  # characters of an entry that are read; no entry needs so many

_ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|.)?")

# What a terminal is shown that has no more than ASCII.
_PLAIN = str.maketrans({"−": "-", "–": "-", "±": "+/-", "×": "x", "…": "...", "·": "."})


class EntryError(UsageError):
    """An entry that cannot be followed; the sentence says what is right."""


def tidy(line: str) -> str:
    """Return an entry as it is read: printable, single blanks, not too long."""
    seen = _ESCAPE.sub("", line[: 20 * MOST])
    kept = "".join(letter if letter.isprintable() else " " for letter in seen)
    return " ".join(kept.split())[:MOST].strip()


def quoted(entry: str) -> str:
    """Return an entry as an answer repeats it: short."""
    return repr(entry if len(entry) <= 40 else entry[:39] + "…")


def unknown(word: str, known: Sequence[str]) -> EntryError:
    """Return the error for a first word that is no command."""
    return EntryError(f"unknown entry {quoted(word)}; {nearest(word, known, '`help` lists what can be said')}")


def plain(text: str, stream: Any = None) -> str:
    """Return a text in the characters that a stream has."""
    return writable(text, getattr(stream or sys.stdout, "encoding", None) or "ascii", _PLAIN)


def steady() -> None:
    """Have standard input and output replace characters that they cannot read or write."""
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


class Entries:
    """Where entries come from, and where answers go.

    Parameters
    ----------
    source, to
        Streams of text; None: standard input and output.
    """

    def __init__(self, source: Any = None, to: Any = None) -> None:
        self._source, self._to = source or sys.stdin, to or sys.stdout

    def read(self, prompt: str) -> str | None:
        """Print the prompt and return the next entry; None at the end of the input."""
        self._to.write(plain(prompt, self._to))
        self._to.flush()
        line = self._source.readline()
        if not line:
            self._to.write("\n")
            return None
        return tidy(line)

    def say(self, text: str) -> None:
        """Print a text and end its line."""
        self._to.write(plain(text, self._to) + "\n")
        self._to.flush()


def converse(entries: Entries, prompt: str, enter: Callable[[str], str | None]) -> None:
    """Answer entry after entry, until one of them is the wish to leave or the input ends."""
    while (entry := entries.read(prompt)) is not None:
        try:
            answer = enter(entry)
        except UsageError as error:
            answer = str(error)
        if answer is None:
            return
        entries.say(answer)


# ── Choosing ──────────────────────────────────────────────────────────────────────────────────────────
#
# Choosing: what a person's words for an action mean, and actions as a person reads them.
#
# Actions are named by their number in a list, by a tile and a train, or by a tile alone where only one train is meant.
# What is legal is not known here; it is handed in.


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


# ── Seating ───────────────────────────────────────────────────────────────────────────────────────────
#
# Seating: who sits where when people and agents play, and under which names.


_LONGEST = 30  # characters of a name
_TAKEN = (MEXICAN, "m", "own", "mine", "me")  # what trains are called


def people_named(names: Sequence[str], people: int | None) -> list[str]:
    """Return the names of the people at the keyboard.

    Raises
    ------
    SessionError
        If there are more names than people, or a name cannot be one.
    """
    people = max(1, len(names)) if people is None else people
    if len(names) > people:
        raise SessionError(f"{len(names)} names for {counted(people, 'person').replace('persons', 'people')}")
    for name in names:
        if not name.strip() or not name.isprintable() or len(name) > _LONGEST:
            raise SessionError(f"a name is 1 to {_LONGEST} printable characters, not {name[:60]!r}")
        if name.strip().lower() in _TAKEN or name.strip().isdigit():
            raise SessionError(f"{name!r} is what a train is called; take another name")
    left = [f"person {k + 1}" if people > 1 else "you" for k in range(len(names), people)]
    return [*(name.strip() for name in names), *left]


def check_seats(rules: RuleSet, n_people: int, n_agents: int, players: int | None) -> None:
    """Refuse a table that cannot be filled or dealt to, before any agent is built.

    Raises
    ------
    SessionError, RulesError
        With the number that is wrong.
    """
    there = n_people + n_agents
    wanted = there if players is None else players
    who = f"{counted(n_agents, 'agent')} and {'1 person' if n_people == 1 else f'{n_people} people'}"
    if there == 1:
        raise SessionError("name the agents to play against, like `mtrain play greedy heuristic`")
    if there != wanted:
        raise SessionError(f"{who} for {counted(wanted, 'seat')}; name one agent for every seat that no person has")
    if there > MAX_PLAYERS:
        raise SessionError(f"{who}, and a table has {MAX_PLAYERS} seats at most")
    rules.hand_for(there)


def seated(people: Sequence[str], agents: Sequence[str], registry: Registry, allow_peeking: bool) -> list[Player]:
    """Return who sits where: people first, then the agents, built; several of one name are numbered.

    Raises
    ------
    AgentError, LevelsError
        If an agent is not there, cannot be built, or peeks without being allowed to.
    """
    specs = [registry.parse(agent) for agent in agents]
    if not allow_peeking:
        refuse_peeking(specs)
    taken = [name.lower() for name in people]
    players = [Player(name) for name in people]
    labels = [spec.label.lower() for spec in specs]
    for named, spec in zip(agents, specs, strict=True):
        name, number = spec.label, 1
        if labels.count(name.lower()) > 1:
            name = f"{spec.label} {number}"
        while name.lower() in taken:
            number += 1
            name = f"{spec.label} {number}"
        taken.append(name.lower())
        players.append(Player(name, named, build(spec)))
    return players


def seated_again(said: Mapping[str, Any], registry: Registry, allow_peeking: bool) -> tuple[list[Player], list[str]]:
    """Return who sits in the seats of a saved game, and a sentence for every agent that is another by now.

    Raises
    ------
    AgentError, LevelsError
        As for `seated`.
    """
    players, changed = [], []
    for name, named, text in zip(said["names"], said["named"], said["agents"], strict=True):
        if not named:
            players.append(Player(name))
            continue
        spec = registry.parse(named)
        if not allow_peeking:
            refuse_peeking([spec])
        player = Player(name, named, build(spec))
        if player.text != text:
            changed.append(f"{named} was {text} when the game was begun, and is {player.text}")
        players.append(player)
    return players, changed


# ── Narration ─────────────────────────────────────────────────────────────────────────────────────────
#
# News: what has happened at a table, in words, a line a turn, as one seat may hear it.


def news(session: Session, seat: int | None, since: int = 0) -> Iterator[str]:
    """Yield what has happened in this round.

    Parameters
    ----------
    session
        The game.
    seat
        Who hears it; None: what everybody may hear.
    since
        The first event that is told.
    """
    now = session.now
    faults: dict[int, list[str]] = {}
    for before, said in now.faults:
        faults.setdefault(before, []).append(f"  ! {said}")
    turn: list[Event] = []
    for k, event in session.seen(seat, since):
        if turn and (k in faults or event[0] != turn[0][0]):
            yield _turn_words(session, seat, turn)
            turn = []
        yield from faults.get(k, ())
        if event[0] == seat and event[1] == "play" and k in now.alone:
            yield from [_turn_words(session, seat, turn)] if turn else []
            turn = []
            yield f"  {event_words(event, session.names, seat)} (all you could do)"
        elif turn and event[1] == turn[-1][1] == "play" and event[3] == turn[-1][3]:
            turn[-1] = [*event[:2], f"{turn[-1][2]} {event[2]}", event[3]]
        else:
            turn.append(event)
    if turn:
        yield _turn_words(session, seat, turn)


def _turn_words(session: Session, seat: int | None, turn: list[Event]) -> str:
    """Return what one seat does in a turn; tiles that go on one train are told together."""
    who = "you" if turn[0][0] == seat else session.names[turn[0][0]]
    did = [event_words(event, session.names, seat).removeprefix(f"{who} ") for event in turn]
    return f"  {who} {', '.join(did)}"


def round_words(session: Session, seat: int | None) -> str:
    """Return how a round begins."""
    now = session.now
    starter = int(now.position[0].starter)
    starts = "you start" if starter == seat else f"{session.names[starter]} starts"
    dealt = counted(len(now.dealt["hands"][0]), "tile")
    return f"round {now.number} of {session.rules.rounds}: {dealt} each, {starts}"


# ── Score sheets ──────────────────────────────────────────────────────────────────────────────────────
#
# Sheets for people at a table: the score sheet, and what actions come to. Rows of text; nothing is printed here.


# What is said of an action that is a folly whatever the others hold.
WHY_NOT = {"stays_in": "another goes out", "passes": "a tile could be laid", "leaves_marked": "your marker stays up"}


def score_rows(rounds: Sequence[Mapping[str, Any]], names: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Return the headings and the rows of a score sheet: a row a round, the totals last."""
    rows = [[f"{round_['number']}", round_["engine"], *map(str, round_["scores"])] for round_ in rounds]
    if len(rows) > 1:
        totals = np.array([round_["scores"] for round_ in rounds]).sum(0)
        rows.append(["total", "", *map(str, totals.tolist())])
    return ["round", "engine", *names], rows


def hint_rows(found: Analysis, texts: Sequence[str], words: Sequence[str]) -> list[list[str]]:
    """Return what actions come to, the best first.

    Parameters
    ----------
    found
        The analysis of a choice.
    texts, words
        Its legal actions in the order of their list: as text, and as they are said.

    Returns
    -------
    list of rows
        The action's number in the list, the action, what the round costs on average, how much more that is than with
        the best action (with the half of its 95 % interval), and the share of worlds in which the seat goes out.
    """
    rows = []
    for row in records(found.actions):
        k = texts.index(row["action"])
        more = "the best" if row["action"] == found.best else f"+{abs(row['diff']):.1f}"
        if row["action"] != found.best and row["diff_hi"] is not None:
            more += f" ±{row['diff_hi'] - row['diff']:.1f}"
        said = f"{words[k]} ({WHY_NOT.get(row['folly'], row['folly'])})" if row["folly"] else words[k]
        rows.append([f"{k + 1}", said, f"{row['pips']:.1f}", more, f"{100 * row['out']:.0f} %"])
    return rows
