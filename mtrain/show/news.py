"""News: what has happened at a table, in words, a line a turn, as one seat may hear it."""

from collections.abc import Iterator

from mtrain.errors import counted
from mtrain.game.record import Event
from mtrain.show.session import Session
from mtrain.show.sight import event_words


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
