"""Moments: a game as it stands, and what the next moment is after whatever happens.

A `Moment` is never changed: the game goes on by making another, so that every way back is a moment kept. Nothing is
known here of who sits where.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mtrain.game import record
from mtrain.game.engine import apply, legal_actions
from mtrain.game.notation import Action
from mtrain.game.record import Event, forced_event
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


def noted(moment: Moment, position: np.ndarray, event: Event | None, alone: bool = False) -> Moment:
    """Return a moment after an event, which led to `position`; a round that is over then is written down."""
    events = moment.events if event is None else (*moment.events, event)
    rounds = moment.rounds
    if position[0].over:
        rounds = (*rounds, record.round_of(position, moment.dealt, list(events)))
    only = moment.alone | {len(moment.events)} if alone else moment.alone
    return replace(moment, position=position, events=events, alone=only, rounds=rounds)


def gone_on(moment: Moment) -> tuple[Moment, tuple[Action, ...]]:
    """Return the moment after the next thing that nobody chooses, or the same with the legal actions of a choice.

    A position at a choice has its legal actions written in, so that equal moments are equal byte for byte.
    """
    position = moment.position.copy()
    event = forced_event(position)
    if event is not None or position[0].over:
        return noted(moment, position, event), ()
    legal = legal_actions(position)
    if len(legal) == 1:
        event = record.event_of(position, legal[0])
        apply(position, legal[0])
        return noted(moment, position, event, alone=True), ()
    return replace(moment, position=position), legal


def counted_choice(moment: Moment) -> Moment:
    """Return a moment in which the seat on turn has had one more choice."""
    return replace(moment, asked=tuple(n + (seat == moment.seat) for seat, n in enumerate(moment.asked)))


def done(moment: Moment, action: int) -> Moment:
    """Return the moment after a legal action."""
    position = moment.position.copy()
    event = record.event_of(position, action)
    apply(position, action)
    return noted(moment, position, event)
