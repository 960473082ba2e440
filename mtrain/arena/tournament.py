"""Tournaments: what is to be played, checked before any of it is.

A `Tournament` holds everything that the games depend on, and nothing else. This module plays nothing and writes
nothing.
"""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from mtrain.arena.faults import POLICIES, SUBSTITUTE
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
)
from mtrain.errors import Mistake, nearest
from mtrain.game.rules import RulesError, RuleSet, override, preset
from mtrain.study.anchors import Anchor, parse_anchor
from mtrain.study.checks import n_orders
from mtrain.study.format import counted
from mtrain.study.sequential import EVERY, MOST
from mtrain.study.until import Better, Rule, UntilError, Watcher, parse_rule
from mtrain.think.agent import PEEKS, AgentSpec
from mtrain.think.process import Limits
from mtrain.think.registry import Registry, effort, refuse_peeking

MAX_SEED = 2**63 - 1

# Blocks for every line-up where nothing is said, and where a stopping rule is to end the run before.
DEALS, MOST_DEALS = 100, MOST


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
    on_fault
        What becomes of a game in which an agent fails: one of `mtrain.arena.faults.POLICIES`.
    agents_from
        Where agents were looked for besides those that come with mtrain, as it was said.
    folder
        Where agents run that are programs, as it was said.
    until
        What ends it before all its deals are played; None: nothing.
    seated
        How they are seated: one of `SEATINGS`; None: by the number of seats.
    anchor
        The agent whose rating is fixed, and at what; None: the mean of all is 0.
    """

    agents: tuple[AgentSpec, ...]
    rules: RuleSet
    players: int
    deals: int
    seed: int
    lineups: tuple[tuple[int, ...], ...]
    kind: str = ALL
    title: str = ""
    on_fault: str = SUBSTITUTE
    agents_from: tuple[str, ...] = ()
    folder: str = "."
    until: Rule | None = None
    seated: str | None = None
    anchor: Anchor | None = None

    @cached_property
    def schedule(self) -> Schedule:
        """All its games."""
        return Schedule(self.lineups, self.deals, self.seed, self.seated)

    @property
    def n_rounds(self) -> int:
        """Rounds in all."""
        return self.schedule.n_games * self.rules.rounds

    @cached_property
    def chunk_size(self) -> int:
        """Blocks of a line-up in a piece of work, and so from one look of a stopping rule to the next."""
        costs = [effort(agent) for agent in self.agents]
        return self.schedule.chunk_size(self.rules.rounds, costs, None if self.until is None else EVERY)

    def chunks(self) -> list[Chunk]:
        """The work in pieces, each a part of the tables."""
        return list(self.schedule.chunks(self.chunk_size))

    def watcher(self) -> Watcher | None:
        """The stopping rule at work on a run that begins; None where there is none."""
        if self.until is None:
            return None
        opposed = sorted({k for lineup in self.lineups if len(set(lineup)) > 1 for k in lineup})
        return Watcher(self.until, [self.agents[k].label for k in opposed], len(self.lineups))

    def n_games_of(self, chunk: Chunk) -> int:
        """Return how many games a chunk holds."""
        return len(chunk.blocks) * self.schedule.all_seatings[chunk.match]

    def sentence(self) -> str:
        """Say how much will be played."""
        s = self.schedule
        least, most = min(s.all_seatings), max(s.all_seatings)
        seatings = counted(most, "seating") if least == most else f"{least:,}–{most:,} seatings"
        played = f"{counted(len(s.lineups), 'line-up')} × {counted(s.deals, 'deal')} × {seatings}"
        before = "" if self.until is None else f"until {self.until}, at most "
        games = f"{counted(s.n_games, 'game')} of {counted(self.rules.rounds, 'round')}"
        return f"{before}{played} = {games}, {counted(self.players, 'seat')}"


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
    on_fault: str = SUBSTITUTE,
    bot_time: float = Limits.seconds,
    bot_start: float = Limits.start,
    bot_memory: int = Limits.memory,
    folder: str | Path = ".",
    until: str | None = None,
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
        Blocks for every line-up; if neither `deals` nor `games` is given 100, or 10,000 at most with `until`.
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
    on_fault
        What becomes of a game in which an agent fails: ``substitute``, ``forfeit``, ``void`` or ``stop``
        (see `mtrain.arena.faults`).
    bot_time, bot_start, bot_memory
        What agents may take that are programs: seconds to answer, seconds to come up, MB of memory.
    folder
        Where such programs run.
    until
        A stopping rule (see `mtrain.study.until`): the tournament ends when it is met, if not before.

    Raises
    ------
    TournamentError, AgentError, RulesError, UntilError
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
    if on_fault not in POLICIES:
        raise TournamentError(f"unknown on_fault {on_fault!r}; {nearest(on_fault, POLICIES)}")
    if not agents:
        raise TournamentError("a tournament needs at least one agent; `mtrain agents` lists them")
    places = tuple(map(str, agents_from))
    registry = Registry(places, Limits(bot_time, bot_start, bot_memory), folder)
    specs = [registry.parse(text) for text in agents]
    if not allow_peeking:
        refuse_peeking(specs)
    if self_play:
        specs = _copies(specs, players, focus is not None or lineups is not None)
        agents = [spec.label for spec in specs]
    for one, other in itertools.combinations(specs, 2):
        if one.label == other.label:
            raise TournamentError(f"two agents are called {one.label!r}; give them labels: a@{one}, b@{other}")
    named = dict(zip(agents, specs, strict=True))
    kind, tables_of = _pairing(named, players, focus, lineups)
    _check_seatings(seatings, tables_of)
    rule = None if until is None else parse_rule(until, {name: specs[k].label for name, k in _names(named).items()})
    if rule is not None:
        _refuse_unseen(rule, specs, tables_of)
    if games is not None:
        deals = -(-games // Schedule(tables_of, 1, seed, seatings).n_games)
    if deals is None:
        deals = DEALS if rule is None else MOST_DEALS
    t = Tournament(
        tuple(specs),
        resolved,
        players,
        deals,
        seed,
        tables_of,
        SELF_PLAY if self_play else kind,
        title,
        on_fault,
        places,
        str(folder),
        rule,
        seatings,
        None if anchor is None else parse_anchor(anchor, [spec.label for spec in specs]),
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
        raise TournamentError(f"unknown seatings {wanted!r}; {nearest(wanted, SEATINGS)}")
    most, seats = max(map(n_orders, lineups)), len(lineups[0])
    if wanted == PERMUTE and most > MOST_ORDERS:
        raise TournamentError(
            f"seatings permute would play every deal in {most:,} orders, and at most {MOST_ORDERS} can be played; "
            f"shuffle plays {seats}"
        )


def _names(agents: Mapping[str, AgentSpec]) -> dict[str, int]:
    """Return the numbers of the agents by all names they may be called: their labels, or as they were written."""
    labels = [agent.label for agent in agents.values()]
    names = {text: k for k, text in enumerate(agents)}
    names |= {label.removesuffix(PEEKS): k for k, label in enumerate(labels)}
    return names | {label: k for k, label in enumerate(labels)}


def _refuse_unseen(rule: Rule, specs: Sequence[AgentSpec], lineups: Iterable[tuple[int, ...]]) -> None:
    """Refuse a stopping rule about what no table shows."""
    tables = [{specs[k].label for k in lineup} for lineup in lineups]
    if isinstance(rule, Better):
        if not any({rule.agent, rule.than} <= table for table in tables):
            raise UntilError(f"until {str(rule)!r}: {rule.agent!r} and {rule.than!r} never sit at one table")
    elif not any(len(table) > 1 and (rule.agent is None or rule.agent in table) for table in tables):
        raise UntilError(f"until {str(rule)!r}: nobody sits at a table with another agent, so nothing can be told")


def _pairing(
    agents: Mapping[str, AgentSpec], players: int, focus: str | None, listed: Sequence[Sequence[str]] | None
) -> tuple[str, tuple[tuple[int, ...], ...]]:
    """Return the kind of a schedule and its line-ups."""
    labels = [agent.label for agent in agents.values()]
    names = _names(agents)

    def index(name: Any, where: str) -> int:
        if not isinstance(name, str) or name not in names:
            there = f"the agents are {', '.join(labels)}"
            raise TournamentError(
                f"{where} names {name!r}, which is none of the agents; {nearest(name, labels, there)}"
            )
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
