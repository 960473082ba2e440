"""The registry: where bots are found, how the text that names one is read, and how one is built.

Workers are handed an agent's spec and build it here. This module must not know what a tournament is.
"""

import dataclasses
import functools
import importlib.metadata
import importlib.util
import inspect
import re
import shlex
import sys
import types
import typing
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np

from mtrain.bots import process
from mtrain.bots.agent import (
    BATCH,
    EXEC,
    KERNEL,
    KERNEL_SIGNATURE,
    PEEKS,
    PROCESS,
    SINGLE,
    AgentError,
    AgentSpec,
    Bot,
    Parameter,
    word,
)
from mtrain.bots.level_file import SHIPPED, read_levels
from mtrain.bots.process import BotProcesses, Limits, NotStarted
from mtrain.bots.protocol import Hello
from mtrain.bots.versions import change, hash_of, source_at
from mtrain.errors import nearest
from mtrain.game import jit
from mtrain.game.state import N_PARAMS

ENTRY_POINTS = "mtrain.agents"

# What a decision usually costs, in µs.
_USUAL_EFFORT = {KERNEL: 0.1, BATCH: 2.0, SINGLE: 10.0, PROCESS: 150.0}


def bundled() -> Path:
    """Return the folder of the agents that come with mtrain: the checkout's, or the copy in the wheel."""
    package = Path(__file__).parents[1]
    inside = package / "_agents"
    return inside if inside.is_dir() else package.parent / "agents"


def is_bundled(origin: str) -> bool:
    """Is an agent's origin among those that come with mtrain?"""
    return not origin.startswith("entry:") and Path(origin).parent == bundled().resolve()


def _name_of(path: Path) -> str:
    return path.stem.replace("_", "-")


@functools.cache
def _load(origin: str) -> Any:
    """Import a bot by its origin (a file, or ``entry:module:attribute``) and return what it defines, once."""
    if origin.startswith("entry:"):
        _, module, attribute = origin.split(":")
        found = importlib.metadata.EntryPoint(attribute, f"{module}:{attribute}", ENTRY_POINTS).load()
        return found
    path = Path(origin)
    name = f"mtrain_agents.{path.stem}"
    if name in sys.modules and sys.modules[name].__file__ != origin:
        name = f"mtrain_agents.{path.stem}_{abs(hash(origin))}"
    sys.modules.setdefault("mtrain_agents", types.ModuleType("mtrain_agents"))
    plan = importlib.util.spec_from_file_location(name, path)
    if plan is None or plan.loader is None:
        raise AgentError(f"{origin} is not a Python file")
    module_ = importlib.util.module_from_spec(plan)
    sys.modules[name] = module_
    try:
        plan.loader.exec_module(module_)
    except Exception as error:
        del sys.modules[name]
        raise AgentError(f"{origin} cannot be imported: {type(error).__name__}: {error}") from error
    for attribute in ("Agent", "agent"):
        if hasattr(module_, attribute):
            return getattr(module_, attribute)
    raise AgentError(f"{origin} defines neither a function `agent` nor a class `Agent`")


# A program as an agent: everything after the first ``exec:`` is its command line.
_PROGRAM = re.compile(r"(?:(?!exec:)(?P<label>.*?)@)?exec:(?P<command>.*)", re.DOTALL)

# A level of a levels file as an agent.
_LEVEL = re.compile(r"(?:(?!level:)(?P<label>.*?)@)?level:(?P<name>[^@]*)(?:@(?P<file>.*))?", re.DOTALL)

_said: set[str] = set()  # what has been warned of, once


class Registry:
    """The agents that can be named: bundled ones, files and folders, and those of other distributions.

    Parameters
    ----------
    extra
        Files and folders to look in besides.
    limits
        What an agent may take that is a program of its own.
    folder
        Where such programs run; None: where this one does.

    Raises
    ------
    AgentError
        If one of them is not there, or two agents have one name.
    """

    def __init__(
        self, extra: Iterable[str | Path] = (), limits: Limits | None = None, folder: str | Path | None = None
    ) -> None:
        self.limits = limits or Limits()
        self.folder = Path(folder or ".").resolve()
        self.origins: dict[str, str] = {}
        for path in sorted(bundled().glob("[!_]*.py")):
            self._add(_name_of(path), str(path.resolve()))
        for entry in importlib.metadata.entry_points(group=ENTRY_POINTS):
            self._add(entry.name, f"entry:{entry.module}:{entry.attr}")
        for place in map(Path, extra):
            if not place.exists():
                raise AgentError(f"no agents at {place}: there is no such file or folder")
            files = sorted(place.glob("[!_]*.py")) if place.is_dir() else [place]
            if not files:
                raise AgentError(f"no agents in {place}: it holds no Python file")
            for path in files:
                self._add(_name_of(path), str(path.resolve()))

    def _add(self, name: str, origin: str) -> None:
        if self.origins.setdefault(name, origin) != origin:
            raise AgentError(f"two agents are called {name!r}: {self.origins[name]} and {origin}")

    def find(self, name: str) -> Any:
        """Return what the bot called `name` defines: a function or a dataclass.

        Raises
        ------
        AgentError
            If there is none; the nearest name is offered.
        """
        if name not in self.origins:
            raise AgentError(f"unknown agent {name!r}; {nearest(name, sorted(self.origins))}")
        return _load(self.origins[name])

    def parse(self, text: str, *, meet: bool = True) -> AgentSpec:
        """Return the spec that ``[label@]name[:param=value,…]`` stands for, its parameters read and checked.

        In ``[label@]exec:COMMAND`` all the rest is a command line, commas and signs of every kind included. The program
        is started once, to hear its hello, unless nobody wants to `meet` it yet. ``[label@]level:NAME@FILE`` is a level
        of a levels file; without a file, one of those that come with mtrain.

        Raises
        ------
        AgentError
            If the agent or a parameter is unknown, or a value has the wrong type; if a command line cannot be read, or
            its program cannot be started or does not speak the protocol.
        LevelsError
            If there is no such levels file, or no such level in it.
        """
        if program := _PROGRAM.fullmatch(text):
            spec = self._program(program["label"], program["command"], text)
            return dataclasses.replace(spec, uses_clock=introduce(spec).uses_clock) if meet else spec
        if level := _LEVEL.fullmatch(text):
            return self._level(level["label"], level["name"], level["file"])
        label, at, rest = text.rpartition("@")
        name, _, given = rest.partition(":")
        if at and not label.strip():
            raise AgentError(f"an empty label in {text!r}; an agent is written label@name:param=value")
        if not label.isprintable():
            raise AgentError(f"a label is made of printable characters, not {label!r}")
        found = self.find(name.strip())
        values = {}
        for pair in filter(None, given.split(",")):
            key, equals, value = pair.partition("=")
            if not equals:
                raise AgentError(f"{pair!r} in {text!r} is no parameter; write {name}:param=value,param=value")
            if key.strip() in values:
                raise AgentError(f"parameter {key.strip()!r} is given twice in {text!r}")
            values[key.strip()] = value
        spec = AgentSpec("", name.strip(), tuple(_read_params(name, found, values)), self.origins[name.strip()])
        agent = _instance(spec)[0]
        peeks = _peeks(agent)
        label = label.strip() or str(spec)
        if label.endswith(PEEKS.strip()) and not peeks:
            raise AgentError(f"the label {label!r} says that {name.strip()!r} peeks, and it does not")
        label = label.removesuffix(PEEKS) + PEEKS if peeks else label
        uses_clock = bool(getattr(agent, "uses_clock", False))
        source = "" if is_bundled(spec.origin) else source_at(spec.origin)
        return dataclasses.replace(
            spec, label=label, peeks=peeks, uses_clock=uses_clock, version=version_of(spec), source=source
        )

    def _level(self, label: str | None, name: str, file: str | None) -> AgentSpec:
        """Return the spec of the agent that a level is; warn if that has changed since it was measured."""
        levels = read_levels(self._levels_file(file))
        level = levels.level(name.strip())
        known = Registry(levels.places, self.limits, self.folder)
        known.origins = self.origins | known.origins
        spec = known.parse(level.agent)
        if changed := change(level.said, spec):
            sentence = (
                f"level {name!r} of {levels.path} was measured with {changed}; "
                f"`mtrain levels verify {levels.path}` says whether it still holds"
            )
            if sentence not in _said:
                _said.add(sentence)
                jit.say(f"warning: {sentence}")
        usual = f"level {name.strip()}" + ("" if file is None else f" of {Path(file).name}")
        return dataclasses.replace(spec, label=(label or "").strip() or usual)

    def _levels_file(self, file: str | None) -> Path:
        """Return the path of a levels file: where it is said to be, or among those that come with mtrain."""
        if file is None:
            return bundled() / SHIPPED
        near = self.folder / file
        return bundled() / file if not near.exists() and (bundled() / file).is_file() else near

    def _program(self, label: str | None, command: str, text: str) -> AgentSpec:
        """Return the spec of a program."""
        if label is not None and not label.strip():
            raise AgentError(f"an empty label in {text!r}; a program is written label@exec:COMMAND")
        if not text.isprintable():
            raise AgentError(f"a command line is made of printable characters, not {text!r}")
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise AgentError(f"the command line {command!r} cannot be read: {str(error).lower()}") from None
        if not words:
            raise AgentError(f"{text!r} names no program; write exec:COMMAND, like exec:python3 bot.py")
        params = {"command": command.strip()} | dataclasses.asdict(self.limits)
        source = hash_of(path for word in words if (path := self.folder / word).is_file())
        spec = AgentSpec("", EXEC, tuple(params.items()), str(self.folder), source=source)
        label = (label or str(spec)).strip()
        if label.endswith(PEEKS.strip()):
            raise AgentError(f"the label {label!r} says that {str(spec)!r} peeks, and it does not")
        return dataclasses.replace(spec, label=label)


def parameters(found: Any) -> list[Parameter]:
    """Return the parameters of what a bot defines: the fields of its dataclass; none for a function."""
    if not dataclasses.is_dataclass(found):
        return []
    hints = typing.get_type_hints(found)
    listed = []
    for field in dataclasses.fields(found):
        hint = hints[field.name]
        choices = typing.get_args(hint) if typing.get_origin(hint) is Literal else ()
        kind = type(choices[0]) if choices else hint
        if kind not in (bool, int, float, str):
            raise AgentError(
                f"parameter {field.name!r} of {found.__module__} is a {hint}; use bool, int, float, str or Literal"
            )
        if field.default is dataclasses.MISSING:
            raise AgentError(f"parameter {field.name!r} of {found.__module__} has no default")
        listed.append(Parameter(field.name, kind, choices, field.default))
    return listed


def _read_params(name: str, found: Any, values: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    known = {parameter.name: parameter for parameter in parameters(found)}
    for key, value in values.items():
        if key not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise AgentError(f"agent {name!r} has no parameter {key!r}; {nearest(key, known, has)}")
        try:
            yield key, known[key].read(value)
        except ValueError:
            raise AgentError(f"{key} of agent {name!r} is {known[key].what}, not {value!r}") from None


def _instance(spec: AgentSpec) -> tuple[Any, str]:
    """Return the function or the object that a spec stands for, and how it is asked."""
    if spec.name == EXEC:
        command, limits = _program_of(spec)
        return BotProcesses(command, spec.origin, limits), PROCESS
    found = _load(spec.origin)
    if not isinstance(found, type):
        return found, KERNEL if hasattr(found, "py_func") else SINGLE
    try:
        agent = found(**dict(spec.params))
    except (TypeError, ValueError) as error:
        raise AgentError(f"agent {spec.name!r}: {error}") from None
    for method, how in (("kernel", KERNEL), ("act_batch", BATCH), ("act", SINGLE)):
        if hasattr(found, method):
            return agent, how
    raise AgentError(f"agent {spec.name!r} has neither act, act_batch nor kernel")


def _program_of(spec: AgentSpec) -> tuple[str, Limits]:
    """Return the command line of a program, and what it may take."""
    params = dict(spec.params)
    return params.pop("command"), Limits(**params)


def version_of(spec: AgentSpec) -> int:
    """Return the version that an agent declares: the first, where it declares none.

    Raises
    ------
    AgentError
        If it is no whole number.
    """
    found = _load(spec.origin)
    version = getattr(found, "version", 1)
    if any(parameter.name == "version" for parameter in parameters(found)):
        return 1
    if isinstance(version, bool) or not isinstance(version, int):
        raise AgentError(f"the version of agent {spec.name!r} is a whole number, not {version!r}")
    return version


def _peeks(agent: Any) -> bool:
    """Does what a spec stands for declare that it peeks?"""
    return bool(getattr(agent, "peeks", False))


def refuse_peeking(specs: Iterable[AgentSpec]) -> None:
    """Refuse agents that peek.

    Raises
    ------
    AgentError
        With the first of them.
    """
    for spec in specs:
        if spec.peeks:
            raise AgentError(
                f"agent {str(spec)!r} peeks: it is shown all hands and the boneyard; only --allow-peeking "
                "(allow_peeking = true in an experiment) lets it play"
            )


def build(spec: AgentSpec) -> Bot:
    """Return the agent that a spec describes, compiled if it is one to compile.

    Raises
    ------
    AgentError
        If its parameters are refused by the agent itself, or it defines no way of choosing.
    """
    agent, how = _instance(spec)
    if how == PROCESS:
        return Bot(spec, how, agent.ask, np.zeros(N_PARAMS), processes=agent)
    if how == BATCH:
        return Bot(spec, how, agent.act_batch, np.zeros(N_PARAMS), _peeks(agent))
    if how == SINGLE:
        return Bot(spec, how, getattr(agent, "act", agent), np.zeros(N_PARAMS), _peeks(agent))
    kernel = getattr(type(agent), "kernel", agent)
    try:
        jit.addressed([kernel], KERNEL_SIGNATURE)  # compiled now, while nobody waits for a game
    except Exception as error:  # numba lets out whatever its own parts raise
        said = " ".join(line.strip() for line in str(error).splitlines() if line.strip() and "pipeline" not in line)
        raise AgentError(f"agent {spec.name!r} cannot be compiled: {type(error).__name__}: {said[:300]}") from error
    return Bot(spec, how, kernel, _numbers(agent, parameters(type(agent))), _peeks(agent))


def introduce(spec: AgentSpec) -> Hello:
    """Start a program once, and return what it says of itself.

    Raises
    ------
    AgentError
        If it cannot be started, or does not speak the protocol.
    """
    command, limits = _program_of(spec)
    try:
        return process.introduce(command, spec.origin, limits)
    except NotStarted as error:
        raise AgentError(f"agent {spec.label!r}: {error}") from None


def effort(spec: AgentSpec) -> float:
    """Return roughly how many µs a decision of this agent takes: what it says of itself, or what its kind does.

    It decides how work is cut into pieces, so it is part of the spec: it is never measured.
    """
    agent, how = _instance(spec)
    return float(getattr(agent, "effort", _USUAL_EFFORT[how]))


def _numbers(agent: Any, known: Sequence[Parameter]) -> np.ndarray:
    """Return an agent's parameters as a kernel gets them."""
    values = []
    for parameter in known:
        value = getattr(agent, parameter.name)
        if parameter.kind is str and not parameter.choices:
            raise AgentError(f"parameter {parameter.name!r}: a compiled agent cannot be given a free text")
        values.append(float(parameter.choices.index(value) if parameter.choices else value))
    if len(values) > N_PARAMS:
        raise AgentError(f"a compiled agent has at most {N_PARAMS} parameters, not {len(values)}")
    return np.array(values + [0.0] * (N_PARAMS - len(values)))


def all_params(spec: AgentSpec) -> dict[str, Any]:
    """Return every parameter of a spec, the defaults included; of a program, its command line and limits."""
    if spec.name == EXEC:
        return dict(spec.params)
    return {p.name: dict(spec.params).get(p.name, p.default) for p in parameters(_load(spec.origin))}


def describe(registry: Registry, name: str) -> dict[str, Any]:
    """Return what there is to say of the agent called `name`: how it is asked, what it does, its parameters.

    Raises
    ------
    AgentError
        If there is no such agent.
    """
    found = registry.find(name)
    agent, how = _instance(AgentSpec(name, name, (), registry.origins[name]))
    doc = inspect.getdoc(found) or inspect.getdoc(sys.modules.get(found.__module__)) or ""
    meanings = _parameter_docs(doc)
    return {
        "name": name,
        "how": how + PEEKS if _peeks(agent) else how,
        "about": doc.partition("\n\n")[0].replace("\n", " "),
        "parameters": [
            {"name": p.name, "default": word(p.default), "values": p.what, "meaning": meanings.get(p.name, "")}
            for p in parameters(found)
        ],
    }


def _parameter_docs(doc: str) -> dict[str, str]:
    """Return what the `Parameters` section of a docstring says of each."""
    _, _, section = doc.partition("Parameters\n----------\n")
    said: dict[str, str] = {}
    name = ""
    for line in section.partition("\n\n")[0].splitlines():
        if line.startswith(" "):
            said[name] = f"{said[name]} {line.strip()}".strip()
        else:
            name = line.partition(" :")[0].strip()
            said[name] = ""
    return said
