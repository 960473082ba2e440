"""Saved games: a game between people and agents as a file, to be gone on with.

A finished game is saved as a record. A record holds only whole games, so an unfinished one has a format of its own,
``mtrain-play/1``: one JSON object on one line, with the fields of a record and these differences.

===============  ====================================================================================================
`rounds`         those that are over, as in a record, and the one that is on: without `scores` and `end`, and with
                 `engine` null while it is not placed
`names`          of the players, by seat
`named`          what was named as an agent, by seat: "" for a person
`agents_from`    files and folders where agents were looked for
`streams`        every seat's stream now
`choices`        the choices of people, oldest first: the round, how many events of it came before, and every seat's
                 stream then; what `undo` goes back to
===============  ====================================================================================================

There are no `totals` and no `ranks`. All of it is played again by the rules when the game is gone on with.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mtrain.errors import UsageError
from mtrain.game.record import FORMAT, Event, RecordError, read_records, to_line
from mtrain.game.rules import RuleSet
from mtrain.stats.files import put
from mtrain.table.session import Player, Session, SessionError, Snapshot

PLAY_FORMAT = "mtrain-play/1"

_FIELDS: dict[str, type] = {
    "rules": dict,
    "players": int,
    "agents": list,
    "names": list,
    "named": list,
    "agents_from": list,
    "seed": int,
    "game": int,
    "rounds": list,
    "streams": list,
    "choices": list,
}


def _streams(moment: Snapshot, n: int) -> list[int]:
    return [int(stream) for stream in moment.position[0].stream[:n]]


def saved(session: Session, agents_from: Sequence[str] = ()) -> dict[str, Any]:
    """Return a game as it is saved: a record if it is over."""
    if session.over:
        return session.record()
    n = len(session.players)
    return {
        "format": PLAY_FORMAT,
        "rules": session.rules.to_json(),
        "players": n,
        "agents": [player.text for player in session.players],
        "names": list(session.names),
        "named": [player.named for player in session.players],
        "agents_from": list(agents_from),
        "seed": session.seed,
        "game": session.deal,
        "rounds": session.played(),
        "streams": _streams(session.now, n),
        "choices": [[past.number, len(past.events), *_streams(past, n)] for past in session.past],
    }


def write(path: Path, session: Session, agents_from: Sequence[str] = ()) -> None:
    """Save a game; what the file held before is there until all of it is written.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    put(path, (to_line(saved(session, agents_from)) + "\n").encode())


def read(path: str | Path) -> dict[str, Any]:
    """Return what a file of a saved game says, its form checked.

    Raises
    ------
    SessionError
        If it cannot be read, holds no unfinished game, or more than one; the sentence names the file.
    """
    try:
        with open(path, encoding="utf-8") as lines:
            games = [game for _, game, _ in read_records(lines)]
    except OSError as error:
        raise SessionError(f"{path} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, RuntimeError, RecursionError) as error:
        raise SessionError(f"{path} is no saved game: {error}") from None
    if len(games) != 1:
        raise SessionError(f"{path} holds {len(games)} games; a saved game has a file to itself")
    if games[0].get("format") == FORMAT:
        raise SessionError(f"the game in {path} is over; `mtrain replay {path} --show` tells it")
    try:
        hold(games[0])
    except SessionError as error:
        raise SessionError(f"{path}: {error}") from None
    return games[0]


def hold(said: Mapping[str, Any]) -> None:
    """Refuse what does not have the form of an unfinished game.

    Raises
    ------
    SessionError
        With the field that is wrong.
    """
    if said.get("format") != PLAY_FORMAT:
        raise SessionError(f"format is {said.get('format')!r}, not {PLAY_FORMAT!r}")
    for name, kind in _FIELDS.items():
        if not isinstance(said.get(name), kind) or isinstance(said[name], bool):
            raise SessionError(f"{name} is missing, or of another kind")
    n = said["players"]
    for name in ("agents", "names", "named"):
        if len(said[name]) != n or not all(isinstance(text, str) for text in said[name]):
            raise SessionError(f"{name} are {n} texts, one a seat")
    if not all(isinstance(text, str) for text in said["agents_from"]):
        raise SessionError("agents_from are texts")
    for round_ in said["rounds"] or [None]:
        if not isinstance(round_, dict) or not isinstance(round_.get("events"), list):
            raise SessionError("rounds are objects with events, one or more")
    if not _are_streams(said["streams"], n):
        raise SessionError(f"streams are {n} numbers, one a seat")
    for choice in said["choices"]:
        if not isinstance(choice, list) or not _are_streams(choice, n + 2):
            raise SessionError(f"a choice is a round, a number of events and {n} streams, not {str(choice)[:60]}")


def _are_streams(numbers: list[Any], n: int) -> bool:
    return len(numbers) == n and all(type(number) is int and 0 <= number < 1 << 64 for number in numbers)


def resumed(said: Mapping[str, Any], players: Sequence[Player]) -> Session:
    """Return the session that was saved: the game as it stood, and every choice that can be taken back.

    Parameters
    ----------
    said
        What `saved` returned; its form is checked, see `hold`.
    players
        Who sits where now.

    Raises
    ------
    SessionError
        If the rounds are not those of the seed, or break a rule.
    RulesError
        If the rules cannot be played.
    """
    try:
        session = Session(RuleSet.from_json(said["rules"]), players, seed=said["seed"], deal=said["game"])
    except (ValueError, OverflowError) as error:
        raise SessionError(str(error)) from None
    if len(said["rounds"]) > session.rules.rounds:
        raise SessionError(f"there are {len(said['rounds'])} rounds, and the rules say {session.rules.rounds}")
    kept = {(number, n): streams for number, n, *streams in said["choices"]}
    past, now = [], session.now
    for choice, moment in session.follow(said["rounds"]):
        now = moment
        if choice and choice.seat in session.people:
            streams = kept.get((choice.number, len(choice.events)))
            past += [_with(choice, streams)] if streams else []
    session.past, session.now = past, _with(now, said["streams"])
    if json.dumps(session.played()) != json.dumps(said["rounds"]):
        raise SessionError("what it says of its rounds is not what their events come to")
    return session


def steps(said: Mapping[str, Any]) -> Iterator[tuple[int, int, np.ndarray, Event | None]]:
    """Play an unfinished game again as `mtrain.game.record.replay` does a record.

    Raises
    ------
    SessionError
        Where it breaks a rule.
    """
    session = _by_people(said)
    for _, moment in session.follow(said["rounds"]):
        n = len(moment.events)
        yield moment.number, n - 1, moment.position, moment.events[-1] if n else None


def replayed(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the unfinished game that playing it again gives: the same, or an error says what is wrong.

    Raises
    ------
    RecordError
        If it is not of the form, or breaks a rule.
    """
    try:
        hold(said)
        return {**said, "rounds": _by_people(said).played()}
    except UsageError as error:
        raise RecordError(str(error)) from None


def _by_people(said: Mapping[str, Any]) -> Session:
    """Return the game of a file as if people played it: the same, but for what is to come."""
    return resumed(said, [Player(name) for name in said["names"]])


def _with(moment: Snapshot, streams: Sequence[int]) -> Snapshot:
    position = moment.position.copy()
    position[0].stream[: len(streams)] = np.array(streams, np.uint64)
    return replace(moment, position=position)
