"""Tournaments: what is to be played, checked before any of it is.

A `Tournament` holds everything that the games depend on, and nothing else. This module plays nothing and writes
nothing.
"""

import difflib
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from mtrain.arena.controls import declared
from mtrain.arena.schedule import (
    ALL,
    GAUNTLET,
    LISTED,
    MOST_ORDERS,
    PERMUTE,
    SEATINGS,
    SELF_PLAY,
    Chunk,
    Schedule,
    combinations,
    gauntlet,
    n_orders,
)
from mtrain.errors import Mistake
from mtrain.game.rules import RulesError, RuleSet, override, preset
from mtrain.study.anchors import Anchor, parse_anchor
from mtrain.think.agent import PEEKS, AgentSpec, Registry, effort, refuse_peeking

MAX_SEED = 2**63 - 1


class TournamentError(Mistake):
    """A tournament that cannot be played; the sentence names the thing, the value and the choices."""


@dataclass(frozen=True)
class Tournament:
    """What is played: everything that the games depend on, and nothing else.

    Attributes
    ----------
    agents
        Told apart by their labels.
    deals
        Blocks for every line-up.
    lineups
        Who meets whom: sorted indices of agents, one a seat.
    kind
        Where the line-ups come from: `ALL`, `GAUNTLET`, `LISTED` or `SELF_PLAY`.
    seated
        How they are seated: one of `SEATINGS`; None: by the number of seats.
    anchor
        The agent whose rating is fixed, and at what; None: the mean of all is 0.
    control
        What of the deals the results will be adjusted for: names of `mtrain.study.control.CONTROLS`.
    """

    agents: tuple[AgentSpec, ...]
    rules: RuleSet
    players: int
    deals: int
    seed: int
    lineups: tuple[tuple[int, ...], ...]
    kind: str = ALL
    title: str = ""
    seated: str | None = None
    anchor: Anchor | None = None
    control: tuple[str, ...] = ()

    @cached_property
    def schedule(self) -> Schedule:
        """All its games."""
        return Schedule(self.lineups, self.deals, self.seed, self.seated)

    @property
    def n_rounds(self) -> int:
        """Rounds in all."""
        return self.schedule.n_games * self.rules.rounds

    def chunks(self) -> list[Chunk]:
        """The work in pieces, each a part of the tables."""
        return list(self.schedule.chunks(self.rules.rounds, [effort(agent) for agent in self.agents]))

    def sentence(self) -> str:
        """Say how much will be played."""
        s = self.schedule
        tables = "1 line-up" if len(s.lineups) == 1 else f"{len(s.lineups)} line-ups"
        least, most = min(s.all_seatings), max(s.all_seatings)
        seatings = f"{most}" if least == most else f"{least}–{most}"
        games = "1 game" if s.n_games == 1 else f"{s.n_games:,} games"
        rounds = "1 round" if self.rules.rounds == 1 else f"{self.rules.rounds} rounds"
        return f"{tables} × {s.deals} deals × {seatings} seatings = {games} of {rounds}, {self.players} seats"


def plan(
    agents: Sequence[str],
    rules: RuleSet | str = "standard",
    *,
    changes: Mapping[str, Any] | None = None,
    players: int = 4,
    focus: str | None = None,
    lineups: Sequence[Sequence[str]] | None = None,
    self_play: bool = False,
    seatings: str | None = None,
    deals: int | None = None,
    games: int | None = None,
    seed: int = 0,
    anchor: str | None = None,
    title: str = "",
    agents_from: Iterable[str | Path] = (),
    allow_peeking: bool = False,
    control: Sequence[str] = (),
) -> Tournament:
    """Check everything about a tournament before any of it is played.

    Parameters
    ----------
    agents
        As on the command line: ``[label@]name[:param=value,…]``.
    rules, changes
        A RuleSet or a preset's name, and fields to change.
    players
        Seats at a table.
    focus
        One of the agents, by its label: a gauntlet, in which it meets each of the others alone, copies of which fill
        the rest of the table.
    lineups
        Who meets whom, each line-up as labels of agents, one a seat. With neither, the agents meet in every
        combination, or fill the seats in equal shares where they are fewer.
    self_play
        One agent meets itself: a copy in every seat, each with a label of its own (``greedy#1`` …).
    seatings
        How a line-up is seated, deal by deal: in all its orders (``permute``), in the rotations of a random cyclic
        order a deal (``shuffle``) or of one fixed order (``rotate``). None: ``permute`` up to four seats, else
        ``shuffle``.
    deals
        Blocks for every line-up; 100 if neither `deals` nor `games` is given.
    games
        Instead of `deals`: as many whole blocks, the same for every line-up, as hold at least so many games.
    seed
        0 … 2**63 − 1.
    anchor
        The agent whose rating is 0, by its label; ``"greedy=1500"``: is 1500. None: the mean is 0.
    title
        What it is called in manifests and figures.
    agents_from
        Files and folders to look for agents in, besides those that come with mtrain.
    allow_peeking
        May agents play that are shown hidden tiles?
    control
        What of the deals the results are to be adjusted for, named before there are any: `dealt_pips`,
        `dealt_doubles`, `dealt_spread`.

    Raises
    ------
    TournamentError, AgentError, RulesError
        With one sentence.
    """
    if isinstance(agents, str):
        raise TournamentError(f"agents is a list of agents, not the text {agents!r}")
    if not isinstance(rules, (str, RuleSet)):
        raise RulesError(f"rules is a RuleSet or the name of a preset, not {rules!r}")
    if seed is None:
        raise TournamentError("seed is a whole number, 0 or more, not None")
    resolved = override(preset(rules) if isinstance(rules, str) else rules, changes or {})
    if isinstance(players, bool) or not isinstance(players, int):
        raise RulesError(f"players is a whole number, not {players!r}")
    resolved.hand_for(players)
    for name, value, least in (("deals", deals, 1), ("games", games, 1), ("seed", seed, 0)):
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MAX_SEED
        ):
            raise TournamentError(f"{name} is a whole number, {least} or more, not {value!r}")
    if deals is not None and games is not None:
        raise TournamentError(f"deals={deals} and games={games} say the same thing twice; give one")
    if isinstance(control, str):
        raise TournamentError(f"control is a list of names, not the text {control!r}")
    controls = declared(control)
    if not agents:
        raise TournamentError("a tournament needs at least one agent; `mtrain agents` lists them")
    registry = Registry(agents_from)
    specs = [registry.parse(text) for text in agents]
    if not allow_peeking:
        refuse_peeking(specs)
    if self_play:
        specs = _copies(specs, players, focus is not None or lineups is not None)
        agents = [spec.label for spec in specs]
    for one, other in itertools.combinations(specs, 2):
        if one.label == other.label:
            raise TournamentError(f"two agents are called {one.label!r}; give them labels: a@{one}, b@{other}")
    kind, tables_of = _pairing(dict(zip(agents, specs, strict=True)), players, focus, lineups)
    _check_seatings(seatings, tables_of)
    if games is not None:
        deals = -(-games // Schedule(tables_of, 1, seed, seatings).n_games)
    t = Tournament(
        tuple(specs),
        resolved,
        players,
        100 if deals is None else deals,
        seed,
        tables_of,
        SELF_PLAY if self_play else kind,
        title,
        seatings,
        None if anchor is None else parse_anchor(anchor, [spec.label for spec in specs]),
        controls,
    )
    if t.schedule.n_games > np.iinfo(np.int32).max:
        raise TournamentError(f"{t.schedule.n_games:,} games are more than the tables can number")
    if len(tables_of) > np.iinfo(np.int16).max:
        raise TournamentError(f"{len(tables_of):,} line-ups are more than the tables can number")
    return t


def _copies(specs: Sequence[AgentSpec], players: int, paired: bool) -> list[AgentSpec]:
    """Return one agent as often as there are seats, each copy with a label of its own."""
    if len(specs) != 1:
        raise TournamentError(f"in self-play one agent sits in all seats; {len(specs)} are given")
    if paired:
        raise TournamentError("self-play says who meets whom; leave out the focus or the line-ups")
    (spec,) = specs
    name, mark = spec.label.removesuffix(PEEKS), PEEKS if spec.peeks else ""
    return [replace(spec, label=f"{name}#{seat}{mark}") for seat in range(1, players + 1)]


def _check_seatings(wanted: str | None, lineups: Sequence[Sequence[int]]) -> None:
    """Refuse seatings that there are not, or that are too many to be one block."""
    if wanted is not None and wanted not in SEATINGS:
        near = difflib.get_close_matches(str(wanted), SEATINGS, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"choose from {', '.join(SEATINGS)}"
        raise TournamentError(f"unknown seatings {wanted!r}; {hint}")
    most, seats = max(map(n_orders, lineups)), len(lineups[0])
    if wanted == PERMUTE and most > MOST_ORDERS:
        raise TournamentError(
            f"seatings permute would play every deal in {most:,} orders, and at most {MOST_ORDERS} can be played; "
            f"shuffle plays {seats}"
        )


def _pairing(
    agents: Mapping[str, AgentSpec], players: int, focus: str | None, listed: Sequence[Sequence[str]] | None
) -> tuple[str, tuple[tuple[int, ...], ...]]:
    """Return the kind of a schedule and its line-ups. An agent is named by its label, or as it was written."""
    labels = [agent.label for agent in agents.values()]
    names = {text: k for k, text in enumerate(agents)}
    names |= {label.removesuffix(PEEKS): k for k, label in enumerate(labels)}
    names |= {label: k for k, label in enumerate(labels)}

    def index(name: Any, where: str) -> int:
        if not isinstance(name, str) or name not in names:
            near = difflib.get_close_matches(str(name), labels, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"the agents are {', '.join(labels)}"
            raise TournamentError(f"{where} names {name!r}, which is none of the agents; {hint}")
        return names[name]

    if focus is not None and listed is not None:
        raise TournamentError("a focus and line-ups are two ways to say who meets whom; give one")
    if focus is not None:
        if len(labels) < 2:
            raise TournamentError(f"the focus {focus!r} needs at least one other agent to meet")
        return GAUNTLET, tuple(gauntlet(len(labels), players, index(focus, "focus")))
    if listed is None:
        return ALL, tuple(combinations(len(labels), players))
    if not isinstance(listed, (list, tuple)) or not listed or not all(isinstance(x, (list, tuple)) for x in listed):
        raise TournamentError(f"lineups is a list of line-ups, each a list of agents, not {listed!r}")
    found: list[tuple[int, ...]] = []
    for lineup in listed:
        said = f"line-up {' '.join(map(str, lineup))!r}"
        seated = tuple(sorted(index(name, said) for name in lineup))
        if len(seated) != players:
            raise TournamentError(f"{said} seats {len(seated)} agents, and a table has {players} seats")
        if seated in found:
            raise TournamentError(f"{said} is given twice; every line-up is played in all its seatings anyway")
        found.append(seated)
    idle = [label for k, label in enumerate(labels) if not any(k in lineup for lineup in found)]
    if idle:
        raise TournamentError(f"agent {idle[0]!r} sits in no line-up; leave it out, or give it a seat")
    return LISTED, tuple(found)
