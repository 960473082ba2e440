"""Tournaments: what is to be played, checked before any of it is.

A `Tournament` holds everything that the games depend on, and nothing else. This module plays nothing and writes
nothing.
"""

import difflib
import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from mtrain.arena.schedule import ALL, GAUNTLET, LISTED, Chunk, Schedule, combinations, gauntlet
from mtrain.errors import Mistake
from mtrain.game.rules import RulesError, RuleSet, override, preset
from mtrain.study.sequential import EVERY, MOST
from mtrain.study.until import Better, Rule, UntilError, Watcher, parse_rule
from mtrain.think.agent import PEEKS, AgentSpec, Registry, effort, refuse_peeking

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
        Where the line-ups come from: `ALL`, `GAUNTLET` or `LISTED`.
    until
        What ends it before all its deals are played; None: nothing.
    """

    agents: tuple[AgentSpec, ...]
    rules: RuleSet
    players: int
    deals: int
    seed: int
    lineups: tuple[tuple[int, ...], ...]
    kind: str = ALL
    title: str = ""
    until: Rule | None = None

    @cached_property
    def schedule(self) -> Schedule:
        """All its games."""
        return Schedule(self.lineups, self.deals, self.seed)

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
        tables = "1 line-up" if len(s.lineups) == 1 else f"{len(s.lineups)} line-ups"
        least, most = min(s.all_seatings), max(s.all_seatings)
        seatings = f"{most}" if least == most else f"{least}–{most}"
        games = "1 game" if s.n_games == 1 else f"{s.n_games:,} games"
        rounds = "1 round" if self.rules.rounds == 1 else f"{self.rules.rounds} rounds"
        before = "" if self.until is None else f"until {self.until}, at most "
        return f"{before}{tables} × {s.deals} deals × {seatings} seatings = {games} of {rounds}, {self.players} seats"


def plan(
    agents: Sequence[str],
    rules: RuleSet | str = "standard",
    *,
    changes: Mapping[str, Any] | None = None,
    players: int = 4,
    focus: str | None = None,
    lineups: Sequence[Sequence[str]] | None = None,
    deals: int | None = None,
    games: int | None = None,
    seed: int = 0,
    title: str = "",
    agents_from: Iterable[str | Path] = (),
    allow_peeking: bool = False,
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
    deals
        Blocks for every line-up; if neither `deals` nor `games` is given 100, or 10,000 at most with `until`.
    games
        Instead of `deals`: as many whole blocks, the same for every line-up, as hold at least so many games.
    seed
        0 … 2**63 − 1.
    title
        What it is called in manifests and figures.
    agents_from
        Files and folders to look for agents in, besides those that come with mtrain.
    allow_peeking
        May agents play that are shown hidden tiles?
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
    if not agents:
        raise TournamentError("a tournament needs at least one agent; `mtrain agents` lists them")
    registry = Registry(agents_from)
    specs = [registry.parse(text) for text in agents]
    if not allow_peeking:
        refuse_peeking(specs)
    for one, other in itertools.combinations(specs, 2):
        if one.label == other.label:
            raise TournamentError(f"two agents are called {one.label!r}; give them labels: a@{one}, b@{other}")
    named = dict(zip(agents, specs, strict=True))
    kind, tables_of = _pairing(named, players, focus, lineups)
    rule = None if until is None else parse_rule(until, {name: specs[k].label for name, k in _names(named).items()})
    if rule is not None:
        _refuse_unseen(rule, specs, tables_of)
    if games is not None:
        deals = -(-games // Schedule(tables_of, 1, seed).n_games)
    if deals is None:
        deals = DEALS if rule is None else MOST_DEALS
    t = Tournament(tuple(specs), resolved, players, deals, seed, tables_of, kind, title, rule)
    if t.schedule.n_games > np.iinfo(np.int32).max:
        raise TournamentError(f"{t.schedule.n_games:,} games are more than the tables can number")
    if len(tables_of) > np.iinfo(np.int16).max:
        raise TournamentError(f"{len(tables_of):,} line-ups are more than the tables can number")
    return t


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
