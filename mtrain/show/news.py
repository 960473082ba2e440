"""News: what has happened at a table, in words, a line a turn, as one seat may hear it."""

from collections.abc import Iterator

from mtrain.show.session import Session
from mtrain.show.terminal import event_words
from mtrain.study.words import counted


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
    faults = [fault for fault in now.faults if fault[0] >= since]
    turn, speaker = "", None
    for k, event in session.seen(seat, since):
        wrong = [said for before, said in faults if before == k]
        if wrong or event[0] != speaker:
            yield from filter(None, [turn])
            turn, speaker = "", None
        for said in wrong:
            yield f"  ! {said}"
        words = event_words(event, session.names, seat)
        if event[0] == seat and event[1] == "play" and k in now.alone:
            words += " (all you could do)"
        who = "you" if event[0] == seat else session.names[event[0]]
        turn = f"{turn}, {words.removeprefix(f'{who} ')}" if speaker is not None else f"  {words}"
        speaker = event[0]
    yield from filter(None, [turn])


def round_words(session: Session, seat: int | None) -> str:
    """Return how a round begins."""
    now = session.now
    starter = int(now.position[0].starter)
    starts = "you start" if starter == seat else f"{session.names[starter]} starts"
    dealt = counted(len(now.dealt["hands"][0]), "tile")
    return f"round {now.number} of {session.rules.rounds}: {dealt} each, {starts}"
