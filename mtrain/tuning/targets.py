"""Targets: what a ladder of levels is to be like, as it is asked for.

Three ways to ask: the share of the games that each level wins among the references; equal steps in pips a round; or
the share of the rounds that each level wins of those that it and the next lower win at one table. This module says what
is wanted, and finds nothing.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mtrain.bots.agent import EXEC, AgentError, AgentSpec, word
from mtrain.bots.registry import Registry, all_params, parameters
from mtrain.errors import UsageError

# ── The dial ──────────────────────────────────────────────────────────────────────────────────────────
#
# The dial: agents between a strong one and a weak one, told apart by a number from 0 to 1.
#
# All parameters in which the two differ move together. One that is above 0 at both ends moves by the same factor
# everywhere; one that is 0 at the strong end sets in slowly, by the third power; any other moves evenly. This part
# plays nothing.


@dataclass(frozen=True)
class SkillAxis:
    """Agents from a strong one (0) to a weak one (1).

    Attributes
    ----------
    strong, weak
        The ends.
    moved
        The parameters that differ: name, type, value at the strong end, value at the weak one.
    """

    strong: AgentSpec
    weak: AgentSpec
    moved: tuple[tuple[str, type, float, float], ...]

    def at(self, x: float) -> str:
        """Return the agent at a position of the dial, as text."""
        if x in (0, 1):
            return str(self.weak if x else self.strong)
        values = dict(self.strong.params)
        for name, kind, here, there in self.moved:
            value = _between(here, there, x)
            values[name] = round(value) if kind is int else float(f"{value:.4g}")
        return f"{self.strong.name}:" + ",".join(f"{name}={word(value)}" for name, value in values.items())


def _between(here: float, there: float, x: float) -> float:
    if here > 0 and there > 0:
        return float(here * (there / here) ** x)
    return there * x**3 if here == 0 else here + (there - here) * x


def make_skill_axis(registry: Registry, strong: str, weak: str) -> SkillAxis:
    """Return the dial between two agents.

    Raises
    ------
    AgentError
        If they are not one agent with other numbers.
    """
    ends = [registry.parse(text) for text in (strong, weak)]
    if ends[0].name != ends[1].name or ends[0].name == EXEC:
        raise AgentError(f"a dial turns the numbers of one agent, and {strong!r} and {weak!r} are not one agent")
    known = {each.name: each for each in parameters(registry.find(ends[0].name))}
    moved = []
    values: list[dict[str, Any]] = [all_params(end) for end in ends]
    for name, parameter in known.items():
        here, there = values[0][name], values[1][name]
        if here == there:
            continue
        if parameter.choices or parameter.kind not in (int, float):
            raise AgentError(
                f"a dial turns numbers: {name} is {word(here)} at the one end and {word(there)} at the other"
            )
        moved.append((name, parameter.kind, here, there))
    if not moved:
        raise AgentError(f"a dial needs two ends, and {strong!r} and {weak!r} are the same")
    return SkillAxis(ends[0], ends[1], tuple(moved))


# ── Targets ───────────────────────────────────────────────────────────────────────────────────────────


LEVELS = 5  # where nothing else is said
MOST_LEVELS = 40


class TargetsError(UsageError):
    """Targets that contradict themselves, or are no numbers that they can be."""


@dataclass(frozen=True)
class Shares:
    """Each level wins such a share of the games at a table with the references; the weakest first."""

    targets: tuple[float, ...]

    @property
    def levels(self) -> int:
        """How many levels there are to be."""
        return len(self.targets)

    def __str__(self) -> str:
        return f"shares of games {', '.join(f'{target:g}' for target in self.targets)}"


@dataclass(frozen=True)
class Steps:
    """Equal steps in pips a round, from the weakest level to the strongest.

    Attributes
    ----------
    levels
        How many levels there are to be.
    weakest
        The share of the games that the weakest wins among the references; None: the weak end of the dial.
    """

    levels: int
    weakest: float | None = None

    def __str__(self) -> str:
        end = "the weak end of the dial" if self.weakest is None else f"a share of games of {self.weakest:g}"
        return f"{self.levels} levels in equal steps of pips/round, from {end}"


@dataclass(frozen=True)
class Beats:
    """Each level takes such a share of the rounds that it and the next lower win where the two share a table."""

    levels: int
    share: float

    def __str__(self) -> str:
        return f"{self.levels} levels, each taking {self.share:g} of the rounds from the next lower"


Wanted = Shares | Steps | Beats


def wanted(
    levels: int | None = None,
    targets: Sequence[float] | None = None,
    weakest: float | None = None,
    beats: float | None = None,
) -> Wanted:
    """Return what is wanted of the levels.

    Parameters
    ----------
    levels
        How many; None: as many as there are targets, else 5.
    targets
        Shares of games, the weakest first.
    weakest
        The share of games that the weakest of equal steps is to win.
    beats
        The share of the rounds that each is to take from the next lower.

    Raises
    ------
    TargetsError
        If they contradict each other, or a number is out of range.
    """
    given = [
        name for name, value in (("targets", targets), ("weakest", weakest), ("beats", beats)) if value is not None
    ]
    if len(given) > 1:
        raise TargetsError(f"{given[0]} and {given[1]} are two ways to say what levels are to be; give one")
    if levels is not None and (
        isinstance(levels, bool) or not isinstance(levels, int) or not 2 <= levels <= MOST_LEVELS
    ):
        raise TargetsError(f"levels is a whole number from 2 to {MOST_LEVELS}, not {levels!r}")
    if targets is None:
        n = LEVELS if levels is None else levels
        if beats is not None:
            return Beats(n, _share("beats", beats, 0.5))
        return Steps(n, None if weakest is None else _share("weakest", weakest))
    shares = tuple(_share("a target", target) for target in targets)
    if len(shares) < 2:
        raise TargetsError(f"there are at least two levels, and {len(shares)} of the targets")
    if levels not in (None, len(shares)):
        raise TargetsError(f"{levels} levels and {len(shares)} targets do not agree")
    for below, level in itertools.pairwise(shares):
        if level <= below:
            raise TargetsError(f"targets go from the weakest level up: {level:g} after {below:g} does not")
    return Shares(shares)


def _share(name: str, value: Any, least: float = 0.0) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least < value < 1:
        raise TargetsError(f"{name} is a share between {least:g} and 1, not {value!r}")
    return float(value)
