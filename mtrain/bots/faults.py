"""Faults: how a bot can fail when it is asked, and what each kind is called.

The words stand in tables, so they are few and fixed. This module knows of no bot and of no game.
"""

# How an agent can fail, what each kind is, and which of them end the process of a bot that is one.
RAISED, ILLEGAL, GARBAGE = "raised", "illegal", "garbage"
TIMEOUT, EXITED, CLOSED, MEMORY, FLOOD = "timeout", "exited", "closed", "memory", "flood"
KINDS = {
    RAISED: "it raised an exception",
    ILLEGAL: "it answered with what is none of the legal actions",
    GARBAGE: "its answer was no whole number, or none that could be read",
    TIMEOUT: "it gave no answer in time",
    EXITED: "its process ended",
    CLOSED: "its process closed the pipe",
    MEMORY: "its process took too much memory",
    FLOOD: "its process wrote a line without end",
}
ENDING = frozenset((TIMEOUT, EXITED, CLOSED, MEMORY, FLOOD))


class Unasked(Exception):
    """A bot gave no answer that could be read when it was asked about entry `index` of a batch.

    Parameters
    ----------
    index
        Which entry.
    kind
        One of `KINDS`.
    said
        What happened, in words; besides them, or without, its cause (an exception of the bot) says it.
    ended
        Is the bot's process gone, so that it cannot be asked again in this game? None: as is usual for the kind.
    """

    def __init__(self, index: int, kind: str = RAISED, said: str = "", ended: bool | None = None) -> None:
        super().__init__(index, kind, said, ended)
        self.index = index
        self.kind = kind
        self.said = said
        self.ended = kind in ENDING if ended is None else ended


class Broken(Exception):
    """A process gave no answer that can be used; the sentence says how, and is the same wherever it happens.

    Parameters
    ----------
    kind
        One of `KINDS`.
    said
        What happened, in words.
    """

    def __init__(self, kind: str, said: str) -> None:
        super().__init__(kind, said)
        self.kind = kind
        self.said = said
