"""Tuning: positions of a dial at which an agent is as strong as was asked for.

A grid of positions is played on common deals, a monotone curve is drawn through what they come to, and the targets are
read off it; there the dial is played again, on deals of its own each time, and the curve drawn anew. What comes out is
confirmed on fresh deals by `mtrain.tuning.measure`, and written by `mtrain.tuning.tune`. Each number depends on the
games alone, so the same tuning gives the same bytes however many workers there are and however often it was broken off.
"""

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mtrain.bots.agent import AgentSpec
from mtrain.bots.level_file import NAME
from mtrain.bots.registry import Registry, refuse_peeking
from mtrain.errors import RunError, counted
from mtrain.game.rules import RuleSet
from mtrain.tuning.curve import Curve, Found, Probe, fit
from mtrain.tuning.matches import Kept, Matches, numbers, taken
from mtrain.tuning.options import Tune
from mtrain.tuning.targets import Beats, Shares, SkillAxis, Steps, TargetsError, Wanted, make_skill_axis

GRID = 9  # positions that the search begins with
REFINES = 2  # how often it looks closer at what the targets are now
CHAIN = 5  # positions that are tried for each next lower level

# What share of the games goes into the grid, into looking closer, into confirming and into pairs.
SHARES = (0.25, 0.35, 0.25, 0.15)

LEAST_DEALS = 12  # fewer show no spread to speak of

FIRST_REFINE, CONFIRM = 1, 1_000  # sets of deals; the grid's is 0

STRONG = "levelled"
WEAK = "levelled:temperature=20,depth=1,memory=0,counting=0,hoard=40"
"""The ends of the dial that is turned where nothing else is said."""


class Unreached(RunError):
    """A target that no position of the dial reaches; the sentence says what can be reached."""


@dataclass(frozen=True)
class Tuning:
    """What is to be tuned, checked.

    Attributes
    ----------
    dial
        From the strongest agent to the weakest.
    wanted
        What the levels are to be like.
    names
        What they are called, the weakest first.
    top
        The agent that is the strongest level instead of the dial's strong end.
    references
        Who fills the other seats, in turn.
    rules, players
        At which table.
    games
        The budget.
    seed
        What all chance is made from.
    max_step
        Pips/round by which neighbours may differ.
    agents_from
        Where to look for agents besides.
    """

    skill_axis: SkillAxis
    wanted: Wanted
    names: tuple[str, ...]
    top: AgentSpec | None
    references: tuple[AgentSpec, ...]
    rules: RuleSet
    players: int
    games: int
    seed: int
    max_step: float | None
    agents_from: tuple[str, ...] = ()

    def matches(self, out: Path, **how: Any) -> Matches:
        """Return the tournaments of this tuning, kept in a directory."""
        return self._plays(Kept(out, n_games=self.sizes.games, **how))

    def _plays(self, kept: Kept) -> Matches:
        names = [str(each) for each in self.references]
        return Matches(kept, self.rules, self.players, names, self.seed, self.agents_from)

    @property
    def strongest(self) -> str:
        """The agent of the strongest level."""
        return str(self.top) if self.top else self.skill_axis.at(0.0)

    @property
    def sizes(self) -> "Sizes":
        """Return how the budget is spent."""
        matches = self._plays(Kept(Path()))
        block = matches.alone(self.skill_axis.at(0.5), 1, 0).schedule.n_games
        pair = matches.pair(self.skill_axis.at(0.0), self.skill_axis.at(1.0), 1, 0).schedule.n_games
        n = len(self.names)
        chain = isinstance(self.wanted, Beats)
        runs = (
            ((n - 1) * CHAIN * pair, (n - 1) * REFINES * pair) if chain
            else ((GRID + (self.top is not None)) * block, REFINES * n * block)
        )  # fmt: skip
        costs = (*runs, n * block, n * pair)  # the weakest meets chance, the others the next lower
        grid, refine, confirm, pairs = (
            int(self.games * share / cost) for share, cost in zip(SHARES, costs, strict=True)
        )
        games = sum(n * cost for n, cost in zip((grid, refine, confirm, pairs), costs, strict=True))
        if self.top and not chain:
            games -= REFINES * refine * block  # it stands beside the dial
        least = math.ceil(max(LEAST_DEALS * cost / share for share, cost in zip(SHARES, costs, strict=True)))
        return Sizes(grid, refine, confirm, pairs, games, least)


@dataclass(frozen=True)
class Sizes:
    """How many deals each position is played on: of the grid, looking closer, alone and in pairs; games in all."""

    grid: int
    refine: int
    confirm: int
    pairs: int
    games: int
    least: int


def plan_tuning(
    strong: str,
    weak: str,
    wanted: Wanted,
    rules: RuleSet,
    **options: Any,
) -> Tuning:
    """Check everything about a tuning before any of it is played.

    Raises
    ------
    TargetsError, AgentError, RulesError, TournamentError
        With one sentence.
    """
    asked = Tune(**options)
    agents_from = tuple(map(str, asked.agents_from))
    references, players, names, max_step = asked.references, asked.players, asked.names, asked.max_step
    registry = Registry(agents_from)
    skill_axis = make_skill_axis(registry, strong, weak)
    if not references:
        raise TargetsError("the levels need somebody to play with: name a reference agent")
    if len(references) > players - 1:
        raise TargetsError(f"{len(references)} references are more than the {players - 1} other seats of a table")
    known = tuple(registry.parse(text) for text in references)
    over = None if asked.top is None else registry.parse(asked.top)
    refuse_peeking([skill_axis.strong, *known, *([over] if over else [])])
    if over is not None and isinstance(wanted, Shares):
        raise TargetsError("a top agent takes the place of the strongest level, whose share is asked for; leave it out")
    if names is None:
        names = [str(k + 1) for k in range(wanted.levels)]
    if len(names) != wanted.levels:
        raise TargetsError(f"{counted(wanted.levels, 'level')} and {counted(len(names), 'name')} do not agree")
    for k, name in enumerate(names):
        if not NAME.fullmatch(name):
            raise TargetsError(f"a level's name is made of letters, digits, . _ and -, not {name!r}")
        if name in names[:k]:
            raise TargetsError(f"two levels are called {name!r}")
    if max_step is not None and not max_step > 0:
        raise TargetsError(f"max_step is a number of pips/round, above 0, not {max_step!r}")
    tuning = Tuning(
        skill_axis, wanted, tuple(names), over, known, rules, players, asked.games, asked.seed, max_step, agents_from
    )
    if asked.games < tuning.sizes.least:
        raise TargetsError(
            f"{counted(asked.games, 'game')} are too few for {counted(wanted.levels, 'level')} at this table; "
            f"it takes {tuning.sizes.least:,} at least"
        )
    return tuning


@dataclass(frozen=True)
class Placed:
    """A level where the search has put it.

    Attributes
    ----------
    name, agent
        What it is called, and who it is.
    target
        What it is to be worth; None for an end of the dial, which is worth what it is.
    quantity
        Of what: `win` (share of games), `diff` (pips/round) or `taken` (share of rounds).
    found
        Where on the dial it was found; None where there was nothing to find.
    """

    name: str
    agent: str
    target: float | None
    quantity: str
    found: Found | None = None

    @property
    def at(self) -> float | None:
        """Its position on the dial; None for an agent beside it."""
        return None if self.found is None else self.found.at


@dataclass
class Search:
    """A search along the dial, while it goes on.

    Attributes
    ----------
    probes
        All positions played, with their block numbers by column, in the order of play.
    """

    tuning: Tuning
    matches: Matches
    probes: list[tuple[float, int, dict[str, Any]]] = field(default_factory=list)

    def probe(self, name: str, x: float, deals: int, deal_set: int) -> None:
        """Play a position among the references."""
        made = self.matches.kept.results(name, self.matches.alone(self.tuning.skill_axis.at(x), deals, deal_set))
        self.probes.append((x, deal_set, {column: numbers(made, column) for column in ("win", "diff")}))

    def curve(self, column: str) -> Curve:
        """Draw the curve of one quantity through all that was played."""
        probes = [Probe(x, deal_set, values[column]) for x, deal_set, values in self.probes]
        if column == "win":
            return fit(probes, rises=False, least=0.0, most=1.0)
        return fit(probes, rises=True)


def search(tuning: Tuning, matches: Matches) -> tuple[list[Placed], Search]:
    """Find the levels.

    Raises
    ------
    Unreached
        If no position of the dial reaches a target.
    """
    found = Search(tuning, matches)
    if isinstance(tuning.wanted, Beats):
        return _chain(found, tuning.wanted), found
    sizes = tuning.sizes
    for k, x in enumerate(np.linspace(0, 1, GRID).tolist()):
        found.probe(f"grid-{k}", x, sizes.grid, 0)
    best = math.nan
    if tuning.top:
        made = matches.kept.results("grid-top", matches.alone(str(tuning.top), sizes.grid, 0))
        best = float(numbers(made, "diff").mean())
    placed = _read_off(found, best)
    for turn in range(REFINES):
        for each in placed:
            if each.at is not None:
                found.probe(f"closer-{turn + 1}-{each.name}", each.at, sizes.refine, FIRST_REFINE + turn)
        placed = _read_off(found, best)
    return placed, found


def _read_off(found: Search, best: float) -> list[Placed]:
    """Return the levels as the curves have them now."""
    tuning = found.tuning
    if isinstance(tuning.wanted, Shares):
        curve = found.curve("win")
        return [
            _place(tuning, name, "win", target, curve)
            for name, target in zip(tuning.names, tuning.wanted.targets, strict=True)
        ]
    curve = found.curve("diff")
    lowest = Placed(tuning.names[0], tuning.skill_axis.at(1.0), None, "diff", _end(1.0, "weak"))
    if isinstance(tuning.wanted, Steps) and tuning.wanted.weakest is not None:
        lowest = _place(tuning, tuning.names[0], "win", tuning.wanted.weakest, found.curve("win"))
    strong = best if tuning.top else float(curve.at(0.0)[0])
    assert lowest.at is not None
    wanted = np.linspace(float(curve.at(lowest.at)[0]), strong, len(tuning.names))[1:-1].tolist()
    between = [
        _place(tuning, name, "diff", target, curve) for name, target in zip(tuning.names[1:-1], wanted, strict=True)
    ]
    return [lowest, *between, _highest(tuning, "diff")]


def _end(at: float, which: str) -> Found:
    """Return an end of the dial as what was found there: it is worth what it is."""
    return Found(math.nan, at, math.nan, math.nan, math.nan, f"the {which} end of the dial")


def _highest(tuning: Tuning, quantity: str) -> Placed:
    """Return the strongest level: the strong end of the dial, or the agent that stands above it."""
    return Placed(tuning.names[-1], tuning.strongest, None, quantity, None if tuning.top else _end(0.0, "strong"))


def _place(tuning: Tuning, name: str, quantity: str, target: float, curve: Curve) -> Placed:
    """Return a level where a curve has its target.

    Raises
    ------
    Unreached
        If it has it nowhere.
    """
    where = curve.find(target)
    if math.isnan(where.at):
        what = {"win": "share of games", "diff": "pips/round", "taken": "share of rounds"}[quantity]
        raise Unreached(f"level {name!r} cannot be reached ({what}): {where.why}")
    return Placed(name, tuning.skill_axis.at(where.at), target, quantity, where)


def _chain(found: Search, wanted: Beats) -> list[Placed]:
    """Find each next lower level by what the level above takes from it, from the strongest down."""
    tuning, sizes = found.tuning, found.tuning.sizes
    names = tuning.names[::-1]
    placed = [_highest(tuning, "taken")]
    for step, name in enumerate(names[1:]):
        above = placed[-1]
        start = above.at or 0.0
        probes: list[Probe] = []
        first_set = (REFINES + 2) * step
        known = above.at is not None  # what it takes from itself is half, and need not be played
        if known:
            probes.append(Probe(start, first_set + REFINES + 1, np.full(sizes.grid, 0.5)))
        for k, x in enumerate(np.linspace(start, 1, CHAIN + known)[known:].tolist()):
            probes.append(_below(found, above, str(k), x, sizes.grid, first_set))
        for turn in range(REFINES + 1):
            curve = fit(probes, rises=True, least=0.0, most=1.0)
            try:
                next_ = _place(tuning, name, "taken", wanted.share, curve)
            except Unreached as error:
                raise Unreached(
                    f"{error}; {counted(len(placed), 'level')} can be had, down from {tuning.strongest}"
                ) from None
            if turn < REFINES and next_.at is not None:
                probes.append(_below(found, above, f"closer-{turn + 1}", next_.at, sizes.refine, first_set + turn + 1))
        placed.append(next_)
        found.probes += [(p.at, p.deals, {"taken": p.values}) for p in probes]
    return placed[::-1]


def _below(found: Search, above: Placed, what: str, x: float, deals: int, deal_set: int) -> Probe:
    """Play a position against the level above it: what the latter takes of the rounds."""
    t = found.matches.pair(above.agent, found.tuning.skill_axis.at(x), deals, deal_set)
    return Probe(x, deal_set, taken(found.matches.kept.results(f"below-{above.name}-{what}", t), "round_wins"))
