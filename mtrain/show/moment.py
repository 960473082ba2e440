"""Moments: a game as it stands, and what the next moment is after whatever happens.

A `Moment` is never changed: the game goes on by making another, so that every way back is a moment kept. Nothing is
known here of who sits where.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mtrain.game import record
from mtrain.game.record import Event
from mtrain.game.state import MAX_SEATS


@dataclass(frozen=True)
class Moment:
    """A game as it stands.

    Attributes
    ----------
    position : STATE[1]
        All of it, the hidden tiles and the streams included.
    dealt
        The hands and the boneyard of this round, as a record has them.
    events
        Of this round.
    alone
        The events that were the only action there was, by their number.
    faults
        What agents did wrong in this round: before which event, and a sentence.
    rounds
        The rounds that are over, as a record has them; this round too, once it is over.
    asked
        How many choices each seat has had in this round.
    stood
        The seats of programs that have ended: chance chooses for them.
    """

    position: np.ndarray
    dealt: Mapping[str, Any]
    rounds: tuple[dict[str, Any], ...] = ()
    events: tuple[Event, ...] = ()
    alone: frozenset[int] = frozenset()
    faults: tuple[tuple[int, str], ...] = ()
    asked: tuple[int, ...] = field(default=(0,) * MAX_SEATS)
    stood: frozenset[int] = frozenset()

    @property
    def seat(self) -> int:
        """The seat on turn."""
        return int(self.position[0].turn)

    @property
    def number(self) -> int:
        """The round's number, from 1."""
        return int(self.position[0].number)

    @property
    def round_over(self) -> bool:
        """Is the round over?"""
        return bool(self.position[0].over)


def dealt_moment(position: np.ndarray, rounds: tuple[dict[str, Any], ...] = ()) -> Moment:
    """Return the moment in which a round has just been dealt, after other rounds."""
    return Moment(position, record.dealt_of(position), rounds)


def noted(moment: Moment, position: np.ndarray, event: Event, chosen: bool) -> Moment:
    """Return a moment after an event, which led to `position`; a round that is over then is written down."""
    events, rounds = (*moment.events, event), moment.rounds
    if position[0].over:
        rounds = (*rounds, record.round_of(position, moment.dealt, list(events)))
    alone = moment.alone | {len(moment.events)} if event[1] == "play" and not chosen else moment.alone
    asked = tuple(n + (chosen and seat == event[0]) for seat, n in enumerate(moment.asked))
    return replace(moment, position=position, events=events, alone=alone, asked=asked, rounds=rounds)
