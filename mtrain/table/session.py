"""A game with people at the table: what has happened, what each of them may know of it, and every way back.

A `Session` is a game between people and agents without a keyboard or a screen: it goes on to the next choice of a
person, takes that choice, and can take it back. Its cards and its agents' chance are those of a tournament's game of
the same seed, so the same choices give the same game.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from mtrain.analysis.analyse import WORLDS, Analysis, analyse
from mtrain.arena.driver import Driver
from mtrain.arena.faults import SUBSTITUTE, Failure
from mtrain.arena.observers import Broadcast
from mtrain.arena.schedule import first_starter
from mtrain.bots.agent import SINGLE, AgentSpec, Bot
from mtrain.errors import UsageError
from mtrain.game import record
from mtrain.game.moves import IllegalAction, legal_actions, new_game, next_round, observe, why_not
from mtrain.game.notation import Action
from mtrain.game.record import Event, chosen_event, play_events, unchosen_event
from mtrain.game.rules import RuleSet
from mtrain.game.state import MAX_SEATS, N_PARAMS
from mtrain.game.tiles import tile_of, tile_text

# ── Moments ───────────────────────────────────────────────────────────────────────────────────────────
#
# Moments: a game as it stands, and what the next moment is after whatever happens.
#
# A `Snapshot` is never changed: the game goes on by making another, so that every way back is a moment kept. Nothing is
# known here of who sits where.


@dataclass(frozen=True)
class Snapshot:
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


def dealt_moment(position: np.ndarray, rounds: tuple[dict[str, Any], ...] = ()) -> Snapshot:
    """Return the moment in which a round has just been dealt, after other rounds."""
    return Snapshot(position, record.dealt_of(position), rounds)


def noted(moment: Snapshot, position: np.ndarray, event: Event, chosen: bool) -> Snapshot:
    """Return a moment after an event, which led to `position`; a round that is over then is written down."""
    events, rounds = (*moment.events, event), moment.rounds
    if position[0].over:
        rounds = (*rounds, record.round_of(position, moment.dealt, list(events)))
    alone = moment.alone | {len(moment.events)} if event[1] == "play" and not chosen else moment.alone
    asked = tuple(n + (chosen and seat == event[0]) for seat, n in enumerate(moment.asked))
    return replace(moment, position=position, events=events, alone=alone, asked=asked, rounds=rounds)


# ── A game with people at the table ───────────────────────────────────────────────────────────────────


# What a person is called in a record: this, and the name.
PERSON = "person:"


class SessionError(UsageError):
    """A game that cannot be begun, or an entry that the game does not allow."""


@dataclass(frozen=True)
class Player:
    """Who sits in a seat: a name, what the person named as an agent, and the agent; a person has none."""

    name: str
    named: str = ""
    bot: Bot | None = None

    @property
    def text(self) -> str:
        """What a record says of this seat."""
        return f"{PERSON}{self.name}" if self.bot is None else self.bot.text


class Session:
    """A game between people and agents.

    Parameters
    ----------
    rules
        What is played.
    players
        Who sits where.
    seed, deal
        What the cards and the agents' chance are made from; the seat that starts, too.

    Attributes
    ----------
    now : Snapshot
        The game as it stands.
    past : list of Snapshot
        The game before every choice of a person, oldest first.

    Raises
    ------
    RulesError
        If these rules cannot be dealt to so many players.
    SessionError
        If nobody in the seats is a person, or two have one name.
    """

    def __init__(self, rules: RuleSet, players: Sequence[Player], *, seed: int, deal: int = 0) -> None:
        rules.hand_for(len(players))
        if all(player.bot for player in players):
            raise SessionError("no person plays; `mtrain record` plays agents among themselves")
        names = [player.name.lower() for player in players]
        if twice := [player.name for player in players if names.count(player.name.lower()) > 1]:
            raise SessionError(f"two players are called {twice[0]!r}")
        self.rules, self.players = rules, tuple(players)
        self.seed, self.deal = seed, deal
        self.starter = first_starter(seed, len(players), deal)
        bots = [player.bot or _PERSON for player in players]
        self._driver = Driver(bots, seed=seed, deal=deal, on_fault=SUBSTITUTE, see=self._note_fault)
        self.now = dealt_moment(self._first())
        self.past: list[Snapshot] = []
        self._telling: Broadcast | None = None  # programs are told of the game once one of them is asked

    def _first(self) -> np.ndarray:
        return new_game(self.rules, len(self.players), seed=self.seed, deal=self.deal, starter=self.starter)

    # ── How it stands ─────────────────────────────────────────────────────────────────────────────────────

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the seats."""
        return tuple(player.name for player in self.players)

    @property
    def people(self) -> tuple[int, ...]:
        """The seats of people."""
        return tuple(seat for seat, player in enumerate(self.players) if player.bot is None)

    @property
    def over(self) -> bool:
        """Is the game over?"""
        return len(self.now.rounds) == self.rules.rounds

    def legal(self) -> tuple[Action, ...]:
        """Return the legal actions of the person on turn; none where nobody is asked."""
        position = self.now.position
        return legal_actions(position) if position[0].n_legal > 1 and not self.now.round_over else ()

    def observation(self, seat: int) -> np.ndarray:
        """Return what a seat may know now: STATE[1]."""
        return observe(self.now.position, seat)

    def seen(self, seat: int | None, since: int = 0) -> Iterator[tuple[int, Event]]:
        """Yield the events of this round from number `since` on, as a seat sees them: what others draw is hidden."""
        for number, event in enumerate(self.now.events[since:], since):
            yield number, event[:2] if event[1] == "draw" and event[0] != seat else event

    def why_not(self, action: int) -> str | None:
        """Return why the person on turn may not do this, in words for that person; None if it is legal."""
        return why_not(self.now.position, action, as_you=True)

    def hint(self, worlds: int = WORLDS) -> Analysis:
        """Return what the legal actions come to, as far as the person on turn can know: see `analyse`."""
        return analyse(self.observation(self.now.seat), worlds=worlds, seed=self.seed, agents=())

    # ── How it goes on ────────────────────────────────────────────────────────────────────────────────────

    def go_on(self) -> None:
        """Go on to the next choice of a person, or to the end of the round; agents choose on the way."""
        position, chosen = self.now.position.copy(), False
        for event in play_events(position, self._answer):
            if event is not None:
                self._become(noted(self.now, position.copy(), event, chosen))
            else:
                self.now = replace(self.now, position=position.copy())
                if self.now.seat in self.people:
                    return
            chosen = event is None

    def choose(self, action: int) -> None:
        """Do what the person on turn has chosen; `go_on` comes next.

        Raises
        ------
        IllegalAction
            With the reason; nothing has happened.
        """
        if not self.legal():
            raise IllegalAction("nobody is asked now")
        position = self.now.position.copy()
        event = chosen_event(position, action)
        self.past.append(self.now)
        self._become(noted(self.now, position, event, chosen=True))

    def undo(self, seat: int | None = None) -> bool:
        """Go back to the last choice of a seat (None: of anybody); return False if there is none."""
        for k in range(len(self.past) - 1, -1, -1):
            if seat in (None, self.past[k].seat):
                self.now = self.past[k]
                del self.past[k:]
                self._hush()
                return True
        return False

    def next_round(self) -> None:
        """Deal the next round.

        Raises
        ------
        ValueError
            If this round is not over, or was the last.
        """
        position = self.now.position.copy()
        next_round(position, seed=self.seed, deal=self.deal)
        self._become(replace(dealt_moment(position, self.now.rounds), stood=self.now.stood))

    def played(self) -> list[dict[str, Any]]:
        """Return the rounds so far as a record has them; one that is not over has no scores and no end."""
        now = self.now
        if now.round_over:
            return list(now.rounds)
        s = now.position[0]
        engine = tile_text(tile_of(int(s.engine), int(s.engine))) if s.engine >= 0 else None
        on = {"number": now.number, "engine": engine, "starter": int(s.starter), **now.dealt}
        return [*now.rounds, on | {"events": list(now.events)}]

    def record(self) -> dict[str, Any]:
        """Return the finished game as a record.

        Raises
        ------
        SessionError
            If it is not over.
        """
        if not self.over:
            raise SessionError(
                f"{len(self.now.rounds)} of {self.rules.rounds} rounds are over; a record holds them all"
            )
        agents = [player.text for player in self.players]
        made_from = {"players": len(agents), "agents": agents, "seed": self.seed, "game": self.deal}
        return record.game_of(self.rules, list(self.now.rounds), **made_from)

    def follow(self, rounds: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Snapshot | None, Snapshot]]:
        """Play rounds of a record again, from the first deal on; the session stays as it is.

        Yields
        ------
        choice, moment
            The moment after every deal and after every event; before it the moment of the choice, where it was one.

        Raises
        ------
        SessionError
            If the cards are others than those of the seed, or an event breaks a rule: the sentence says where.
        """
        moment = dealt_moment(self._first())
        for k, round_ in enumerate(rounds):
            if k:
                if not moment.round_over:
                    raise SessionError(f"round {k} is not over")
                position = moment.position.copy()
                next_round(position, seed=self.seed, deal=self.deal)
                moment = dealt_moment(position, moment.rounds)
            if any(round_.get(name) != dealt for name, dealt in moment.dealt.items()):
                raise SessionError(f"round {k + 1}: the cards are not those of seed {self.seed}, deal {self.deal}")
            yield None, moment
            for number, event in enumerate(round_["events"]):
                where = f"round {k + 1}, event {number}"
                if moment.round_over:
                    raise SessionError(f"{where}: the round is over")
                position, choice = moment.position.copy(), None
                unchosen = unchosen_event(position)
                if unchosen is None:
                    choice = replace(moment, position=position.copy())
                    try:
                        record.follow(position, event)
                    except IllegalAction as error:
                        raise SessionError(f"{where}: {error}") from None
                elif unchosen != event:
                    raise SessionError(f"{where}: {event} cannot come here, but {unchosen}")
                moment = noted(moment, position, event, chosen=unchosen is None)
                yield choice, moment

    # ── Agents ────────────────────────────────────────────────────────────────────────────────────────────

    def _answer(self, position: np.ndarray) -> int:
        """Return what the agent on turn chooses; for one that fails chance chooses."""
        self._brief()
        stood = self._driver.referee.stood[0]
        stood[:] = [seat in self.now.stood for seat in range(len(stood))]  # as it was here, whatever was taken back
        action = self._driver.answer(position, self.now.asked[self.now.seat] + 1)
        self.now = replace(self.now, stood=frozenset(np.flatnonzero(stood).tolist()))
        return action

    def _note_fault(self, failure: Failure, _: BaseException | None) -> None:
        what = f"{self.names[failure.seat]} failed, {failure.kind}: {failure.what}"
        said = f"{what}; a legal action drawn by chance takes its place"
        self.now = replace(self.now, faults=(*self.now.faults, (len(self.now.events), said)))

    def _become(self, moment: Snapshot) -> None:
        """Go on to a moment: a deal, or one event after the last."""
        self.now = moment
        if self._telling:
            self._telling.follow(moment.position, moment.events[-1] if moment.events else None)

    def _brief(self) -> None:
        """Tell the programs among the agents of the whole game, unless they have heard it."""
        if self._telling or not any(player.bot and player.bot.processes for player in self.players):
            return
        self._telling = Broadcast(self.rules, self._driver.bots)
        for _, moment in self.follow(self.played()):
            self._telling.follow(moment.position, moment.events[-1] if moment.events else None)

    def _hush(self) -> None:
        """Stop the programs: others are told what is left of the game."""
        for player in self.players:
            if player.bot and self._telling:
                player.bot.close()
        self._telling = None

    def close(self) -> None:
        """Let go of what the agents hold."""
        for player in self.players:
            if player.bot:
                player.bot.close()


_PERSON = Bot(AgentSpec("person", "person", (), ""), SINGLE, lambda *_: 0, np.zeros(N_PARAMS))
