"""The space of a search: which parameters of an agent are tried, and which values of each.

A parameter is searched over a `Range` of numbers or over a list of `Choices`. As text: ``pair=0..60``, ``few=1..9``,
``weight=0.1..10:log``, ``order=rest|plan``. Nothing here knows how a space is searched.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mtrain.bots.agent import EXEC, AgentSpec, Parameter, word
from mtrain.bots.registry import Registry, all_params, parameters
from mtrain.errors import UsageError, nearest

LOG = "log"
"""What follows a range that is searched by its logarithm."""


class SearchError(UsageError):
    """A search that cannot be; the sentence names the thing, the value and the choices."""


@dataclass(frozen=True)
class Range:
    """All numbers from `low` to `high`, both included; whole ones if the ends are."""

    low: float
    high: float
    log: bool = False

    def __contains__(self, value: Any) -> bool:
        return bool(self.low <= value <= self.high)

    def __str__(self) -> str:
        return f"{word(self.low)}..{word(self.high)}" + f":{LOG}" * self.log


@dataclass(frozen=True)
class Choices:
    """One of a few values."""

    values: tuple[Any, ...]

    def __contains__(self, value: Any) -> bool:
        return value in self.values

    def __str__(self) -> str:
        return "|".join(map(word, self.values))


Span = Range | Choices


def parse_space(texts: Sequence[str], parameters: Sequence[Parameter]) -> dict[str, Span]:
    """Return the space that some texts stand for.

    Parameters
    ----------
    texts
        A parameter each: ``name=low..high``, ``name=low..high:log`` or ``name=one|other|…``.
    parameters
        Those that the agent has.

    Raises
    ------
    SearchError
        With one sentence.
    """
    if isinstance(texts, str):
        raise SearchError(f"a space is a list of texts, not the text {texts!r}")
    space: dict[str, Any] = {}
    for text in texts:
        name, equals, said = (part.strip() for part in str(text).partition("="))
        if not equals or not name or not said:
            raise SearchError(f"{text!r} says of no parameter what to try; write pair=0..60 or order=rest|plan")
        if name in space:
            raise SearchError(f"parameter {name!r} is given twice in the space")
        space[name] = said
    return space_of(space, parameters)


def space_of(space: Mapping[str, Any], parameters: Sequence[Parameter]) -> dict[str, Span]:
    """Return a space with every value read as its parameter's.

    Parameters
    ----------
    space
        By name of a parameter: ``(low, high)``, ``(low, high, "log")``, a list of choices, or a text for either.
    parameters
        Those that the agent has.

    Raises
    ------
    SearchError
        With one sentence.
    """
    known = {parameter.name: parameter for parameter in parameters}
    if not space:
        raise SearchError("nothing is to be searched; name a parameter and what to try, like pair=0..60")
    for name in space:
        if name not in known:
            has = f"the agent has {', '.join(known)}" if known else "the agent has none"
            raise SearchError(f"unknown parameter {name!r} in the space; {nearest(name, known, has)}")
    # In the agent's order, whichever way it was said: what is tried next depends on it.
    return {name: _span(parameter, space[name]) for name, parameter in known.items() if name in space}


def _span(parameter: Parameter, said: Any) -> Span:
    """Return what is to be tried of one parameter."""
    numbers = parameter.kind in (int, float) and not parameter.choices
    if isinstance(said, str):
        body, colon, scale = said.partition(":")
        low, dots, high = body.partition("..")
        if not dots or not numbers:
            return _choices(parameter, said.split("|"))
        return _range(parameter, low, high, *[scale] * bool(colon))
    if isinstance(said, Range):
        said = (said.low, said.high, *[LOG] * said.log)
    if isinstance(said, tuple) and len(said) in (2, 3):
        if not numbers:
            listed = "|".join(map(word, parameter.choices)) or ("true|false" if parameter.kind is bool else "a|b")
            raise SearchError(f"{parameter.name} is {parameter.what}: list its values, {parameter.name}={listed}")
        return _range(parameter, *said)
    if isinstance(said, Choices):
        said = list(said.values)
    if isinstance(said, list):
        return _choices(parameter, said)
    raise SearchError(f"{parameter.name} is searched over a range (low, high) or a list of values, not {said!r}")


def _range(parameter: Parameter, low: Any, high: Any, scale: str | None = None) -> Range:
    """Return a range of numbers."""
    if scale not in (None, LOG):
        raise SearchError(f"a range of {parameter.name} is followed by :{LOG} or by nothing, not by {scale!r}")
    span = Range(_read(parameter, low), _read(parameter, high), scale == LOG)
    if span.low > span.high:
        raise SearchError(f"the range {parameter.name}={span} is empty: its lower end comes first")
    if span.low == span.high:
        raise SearchError(f"the range {parameter.name}={span} holds one value alone: there is nothing to search")
    if span.log and span.low <= 0:
        raise SearchError(f"the range {parameter.name}={span} has no logarithm: it must begin above 0")
    return span


def _choices(parameter: Parameter, values: Sequence[Any]) -> Choices:
    """Return a list of values."""
    read = [_read(parameter, value) for value in values]
    if twice := [value for k, value in enumerate(read) if value in read[:k]]:
        raise SearchError(f"{word(twice[0])} stands twice among the values of {parameter.name}")
    if odd := [value for value in read if isinstance(value, str) and ("," in value or value != value.strip())]:
        raise SearchError(f"{parameter.name}={odd[0]!r} cannot be written as a parameter of an agent")
    if len(read) < 2:
        only = f"{word(read[0])} alone" if read else "no value"
        raise SearchError(f"{parameter.name} can be {only}: there is nothing to search; list two values or more")
    return Choices(tuple(read))


def _read(parameter: Parameter, value: Any) -> Any:
    """Return the value of a parameter that a text or a Python value means, as the text of an agent can hold it."""
    try:
        return parameter.read(word(parameter.read(value)))
    except (ValueError, TypeError, OverflowError):
        raise SearchError(f"{parameter.name} is {parameter.what}, not {value!r}") from None


# ── What is tried ─────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Candidates:
    """All agents that a search may try: one agent, some of whose parameters vary."""

    spec: AgentSpec
    space: dict[str, Span]
    start: dict[str, Any]
    kinds: dict[str, type]

    @property
    def incumbent(self) -> str:
        """The agent that the search begins with."""
        return str(self.spec)

    def values(self, drawn: Mapping[str, Any]) -> dict[str, Any]:
        """Return drawn values as the text of an agent can hold them: what is measured is what the text says."""
        whole = {name: float(f"{value:.6g}") for name, value in drawn.items() if self.kinds[name] is float}
        return dict(drawn) | whole

    def agent(self, values: Mapping[str, Any]) -> str:
        """Return the agent of some values."""
        if all(word(values[name]) == word(self.start[name]) for name in values):
            return self.incumbent
        return str(replace(self.spec, params=tuple((dict(self.spec.params) | dict(values)).items())))

    def distributions(self, optuna: Any) -> dict[str, Any]:
        """Return the space as the library has it."""
        d = optuna.distributions
        found = {}
        for name, span in self.space.items():
            if isinstance(span, Choices):
                found[name] = d.CategoricalDistribution(span.values)
            else:
                numbers = d.IntDistribution if self.kinds[name] is int else d.FloatDistribution
                found[name] = numbers(span.low, span.high, log=span.log)
        return found


def candidates_of(start: AgentSpec, space: Mapping[str, Any] | Sequence[str], registry: Registry) -> Candidates:
    """Return all that may be tried, after checking it."""
    if start.name == EXEC:
        raise SearchError(f"{start} is a program: its parameters are its own, and only those of an agent are searched")
    known: list[Parameter] = parameters(registry.find(start.name))
    spans = space_of(space, known) if isinstance(space, Mapping) else parse_space(space, known)
    values = all_params(start)
    for name, span in spans.items():
        if values[name] not in span:
            raise SearchError(
                f"{start} begins with {name}={word(values[name])}, which is not in {name}={span}; "
                "take it in, or begin elsewhere"
            )
    kinds = {each.name: each.kind for each in known if each.name in spans}
    return Candidates(start, spans, {name: values[name] for name in spans}, kinds)
