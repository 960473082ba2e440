"""The dial: agents between a strong one and a weak one, told apart by a number from 0 to 1.

All parameters in which the two differ move together. One that is above 0 at both ends moves by the same factor
everywhere; one that is 0 at the strong end sets in slowly, by the third power; any other moves evenly. This module
plays nothing.
"""

from dataclasses import dataclass
from typing import Any

from mtrain.think.agent import EXEC, AgentError, AgentSpec, word
from mtrain.think.registry import Registry, all_params, parameters


@dataclass(frozen=True)
class Dial:
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


def make_dial(registry: Registry, strong: str, weak: str) -> Dial:
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
    return Dial(ends[0], ends[1], tuple(moved))
