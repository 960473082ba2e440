"""Tournaments: what is to be played, checked before any of it is.

A `Tournament` holds everything that the games depend on, and nothing else. This module plays nothing and writes
nothing.
"""

import itertools
import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from mtrain.arena.faults import POLICIES
from mtrain.arena.options import MAX_SEED, Options, flag_of, options_of, taking
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
from mtrain.bots.agent import EXEC, PEEKS, AgentSpec
from mtrain.bots.process import Limits
from mtrain.bots.registry import Registry, effort, refuse_peeking
from mtrain.errors import UsageError, counted, nearest
from mtrain.game.rules import PRESETS, RulesError, RuleSet, override, preset
from mtrain.stats.checks import n_orders
from mtrain.stats.ratings import parse_anchor
from mtrain.stats.sequential import EVERY, MOST
from mtrain.stats.stopping import Better, Rule, UntilError, Watcher, parse_rule

# ── Tournaments ───────────────────────────────────────────────────────────────────────────────────────


# Blocks for every line-up where nothing is said, and where a stopping rule is to end the run before.
DEALS, MOST_DEALS = 100, MOST


class TournamentError(UsageError):
    """A tournament that cannot be played; the sentence names the thing, the value and the choices."""


@dataclass(frozen=True, kw_only=True)
class Tournament(Options):
    """What is played: everything that the games depend on, its options with nothing left open.

    Attributes
    ----------
    agents
        Told apart by their labels.
    lineups
        Who meets whom: sorted indices of agents, one a seat.
    kind
        Where the line-ups come from: `ALL`, `GAUNTLET`, `LISTED` or `SELF_PLAY`.
    rule
        What ends it before all its deals are played, `until`; None: nothing.
    """

    agents: tuple[AgentSpec, ...]
    rules: RuleSet
    deals: int
    lineups: tuple[tuple[int, ...], ...]  # type: ignore[assignment]  # labels have become numbers
    kind: str
    agents_from: tuple[str, ...]
    folder: str
    rule: Rule | None

    @cached_property
    def schedule(self) -> Schedule:
        """All its games."""
        return Schedule(self.lineups, self.deals, self.seed, self.seatings)

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
        if self.rule is None:
            return None
        opposed = sorted({k for lineup in self.lineups if len(set(lineup)) > 1 for k in lineup})
        return Watcher(self.rule, [self.agents[k].label for k in opposed], len(self.lineups))

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


@taking(Options)
def plan(
    agents: Sequence[str],
    rules: RuleSet | str = "standard",
    changes: Mapping[str, Any] | None = None,
    **options: Any,
) -> Tournament:
    """Check everything about a tournament before any of it is played.

    Parameters
    ----------
    agents
        As on the command line: ``[label@]name[:param=value,…]``.
    rules, changes
        A RuleSet or a preset's name, and fields to change.
    **options
        Those of `Options`.

    Raises
    ------
    TournamentError, AgentError, RulesError, UntilError
        With one sentence.
    """
    o = Options(**options)
    if isinstance(agents, str):
        raise TournamentError(f"agents is a list of agents, not the text {agents!r}")
    if not isinstance(rules, (str, RuleSet)):
        raise RulesError(f"rules is a RuleSet or the name of a preset, not {rules!r}")
    if o.seed is None:
        raise TournamentError("seed is a whole number, 0 or more, not None")
    resolved = override(preset(rules) if isinstance(rules, str) else rules, changes or {})
    if isinstance(o.players, bool) or not isinstance(o.players, int):
        raise RulesError(f"players is a whole number, not {o.players!r}")
    resolved.hand_for(o.players)
    _check_numbers(o)
    if o.on_fault not in POLICIES:
        raise TournamentError(f"unknown on_fault {o.on_fault!r}; {nearest(o.on_fault, POLICIES)}")
    if not agents:
        raise TournamentError("a tournament needs at least one agent; `mtrain agents` lists them")
    places = tuple(map(str, o.agents_from))
    registry = Registry(places, Limits(o.bot_time, o.bot_start, o.bot_memory), o.folder)
    specs = [registry.parse(text) for text in agents]
    if not o.allow_peeking:
        refuse_peeking(specs)
    if o.self_play:
        specs = _copies(specs, o.players, o.focus is not None or o.lineups is not None)
        agents = [spec.label for spec in specs]
    for one, other in itertools.combinations(specs, 2):
        if one.label == other.label:
            raise TournamentError(f"two agents are called {one.label!r}; give them labels: a@{one}, b@{other}")
    named = dict(zip(agents, specs, strict=True))
    kind, tables_of = _pairing(named, o.players, o.focus, o.lineups)
    _check_seatings(o.seatings, tables_of)
    rule = None
    if o.until is not None:
        rule = parse_rule(o.until, {name: specs[k].label for name, k in _names(named).items()})
        _refuse_unseen(rule, specs, tables_of)
    deals = o.deals
    if o.games is not None:
        deals = -(-o.games // Schedule(tables_of, 1, o.seed, o.seatings).n_games)
    if deals is None:
        deals = DEALS if rule is None else MOST_DEALS
    labels = [spec.label for spec in specs]
    decided: dict[str, Any] = {
        "focus": None if o.focus is None else labels[_names(named)[o.focus]].removesuffix(PEEKS),
        "deals": deals,
        "games": None,
        "until": None if rule is None else str(rule),
        "anchor": None if o.anchor is None else str(parse_anchor(o.anchor, labels)),
        "allow_peeking": any(spec.peeks for spec in specs),
    }
    if not any(spec.name == EXEC for spec in specs):
        decided |= {name: getattr(Options, name) for name in ("bot_time", "bot_start", "bot_memory")}
    decided |= {
        "agents": tuple(specs),
        "rules": resolved,
        "lineups": tables_of,
        "kind": SELF_PLAY if o.self_play else kind,
    }
    decided |= {"agents_from": places, "folder": str(o.folder), "rule": rule}
    t = Tournament(**vars(o) | decided)
    if t.schedule.n_games > np.iinfo(np.int32).max:
        raise TournamentError(f"{t.schedule.n_games:,} games are more than the tables can number")
    if len(tables_of) > np.iinfo(np.int16).max:
        raise TournamentError(f"{len(tables_of):,} line-ups are more than the tables can number")
    return t


def _check_numbers(o: Options) -> None:
    """Refuse numbers that are none or too small, and two that say the same thing."""
    for name, each in options_of(Options).items():
        value, least = getattr(o, name), each.metadata.get("least")
        if least is None or value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MAX_SEED:
            raise TournamentError(f"{name} is a whole number, {least} or more, not {value!r}")
    if o.deals is not None and o.games is not None:
        raise TournamentError(f"deals={o.deals} and games={o.games} say the same thing twice; give one")


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


# ── The command that plays it again ───────────────────────────────────────────────────────────────────
#
# The command line that plays a tournament again: what `mtrain tournament` would have to be told.


ALWAYS = ("players", "deals", "seed")
"""Options that are said even where they are what holds anyhow."""


def house_rules(rules: RuleSet) -> tuple[str, dict[str, Any]]:
    """Return the preset that rules are nearest to, and the fields in which they differ from it, as JSON values."""
    mine = rules.all_fields()
    differ = {
        name: {field: mine[field] for field, value in other.all_fields().items() if value != mine[field]}
        for name, other in PRESETS.items()
    }
    nearest = min(differ, key=lambda name: len(differ[name]))
    return nearest, differ[nearest]


def command_of(t: Tournament) -> str:
    """Return the command that plays a tournament again, but for where its tables go."""
    base, changes = house_rules(t.rules)
    labels = [agent.label.removesuffix(PEEKS) for agent in t.agents]
    told = vars(t) | {"lineups": [" ".join(labels[k] for k in lineup) for lineup in t.lineups if t.kind == LISTED]}
    said = {name: list(_words(each, told[name])) for name, each in options_of(Options).items() if each.metadata["help"]}
    if t.kind == SELF_PLAY:
        labels = [labels[0].removesuffix("#1")]
    agents = [_written(label, agent) for label, agent in zip(labels, t.agents, strict=False)]
    words = ["mtrain", "tournament", *agents, *said.pop("self_play"), "--rules", base]
    for field, value in changes.items():
        words += ["--set", f"{field}={json.dumps(value).strip(chr(34))}"]
    until = said.pop("until")
    for name, its in said.items():
        words += [*until, *its] if name == "on_fault" else its
    return shlex.join(words)


def _words(each: Field[Any], value: Any) -> Iterator[str]:
    """Yield what is to be said of an option; nothing where it is as if nothing were said."""
    if value is None or (value == each.default and each.name not in ALWAYS):
        return
    if value is True:
        yield flag_of(each)
    for item in value if isinstance(value, (list, tuple)) else () if value is True else (value,):
        yield from (flag_of(each), f"{item:g}" if isinstance(item, float) else str(item))


def _written(label: str, agent: AgentSpec) -> str:
    return str(agent) if label == str(agent) else f"{label}@{agent}"
