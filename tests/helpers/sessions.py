"""Games with people at the table, for tests: sessions begun and played on by place in the list of actions."""

from typing import Any

from mtrain.bots.registry import Registry
from mtrain.game.rules import preset
from mtrain.table.people import seated
from mtrain.table.session import Session


def table(*agents: str, rules: str = "standard", seed: int = 3, people: int = 1, **changes: Any) -> Session:
    names = ["Ann", "Bob", "Cid"][:people]
    return Session(preset(rules, **changes), seated(names, agents, Registry(), True), seed=seed)


def played(session: Session, choices: int = 10_000, which: int = 0) -> Session:
    """Go on, always with the same place in the list, for so many choices or to the end of the game."""
    session.go_on()
    while True:
        if session.now.round_over:
            if session.over:
                return session
            session.next_round()
        elif not choices:
            return session
        else:
            session.choose(session.legal()[which])
            choices -= 1
        session.go_on()


def state(session: Session) -> bytes:
    return session.now.position.tobytes()
