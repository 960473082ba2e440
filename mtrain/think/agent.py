"""Agents: what a bot is, how it is written as text, where bots are found, and how one is built.

A bot is one file. It defines ``agent``, a function ``(obs, actions, rng) -> action``, or ``Agent``, a frozen
dataclass whose fields are its parameters and which has one of

- ``act(obs, actions, rng) -> action``: one observation at a time;
- ``act_batch(obs, actions, streams) -> actions``: many games at once;
- ``kernel``: a function ``(obs, own) -> action`` compiled with `compiled`.

The file's name is the bot's name. Or a bot is a program of its own, in any language, written ``exec:COMMAND``: it
plays over lines of JSON (`mtrain.think.protocol`).

Workers are handed an agent's *spec* and build it themselves. A bot that declares ``peeks = True`` is for questions
about what hidden tiles are worth: it is shown them, and its label says so wherever it stands; one that looks at the
time declares ``uses_clock = True``. This module must not know what a tournament is.
"""

import contextlib
import dataclasses
import difflib
import functools
import importlib.metadata
import importlib.util
import inspect
import re
import shlex
import sys
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numba
import numpy as np

from mtrain.errors import Mistake
from mtrain.game import jit
from mtrain.game.notation import known_action
from mtrain.game.rng import Stream
from mtrain.game.state import N_PARAMS, OWN, STATE
from mtrain.think import crew
from mtrain.think.crew import Crew
from mtrain.think.faults import GARBAGE, RAISED, Unasked
from mtrain.think.process import Limits, NotStarted
from mtrain.think.protocol import Hello

ENTRY_POINTS = "mtrain.agents"

# How an agent is asked.
KERNEL, BATCH, SINGLE, PROCESS = "compiled", "batch", "one at a time", "process"

# What an agent begins with that is a program of its own, and the name of all of them.
EXEC = "exec"

# What the label of an agent that peeks ends with, and no other's does.
PEEKS = " (peeks)"

# What a decision usually costs, in µs.
_USUAL_EFFORT = {KERNEL: 0.1, BATCH: 2.0, SINGLE: 10.0, PROCESS: 150.0}


class _Garbage(ValueError):
    """An answer that is no whole number."""


class AgentError(Mistake):
    """An agent that is not there, cannot be built, or was given a parameter it does not have."""


# ── Compiled agents ───────────────────────────────────────────────────────────────────────────────────────

KERNEL_SIGNATURE: Any = None
if jit.JIT:
    KERNEL_SIGNATURE = numba.int64(numba.from_dtype(STATE), numba.from_dtype(OWN))

_folder: str | None = jit.KERNEL_FOLDER


def compiled(function: Callable[..., int]) -> Any:
    """Have a choosing function compiled, when it is first to play, so that whole games run without Python.

    Parameters
    ----------
    function
        A plain function, or a kernel of `mtrain.think`: ``(obs, own) -> action``. `obs` is one observation (a record
        of dtype STATE); ``own.params`` holds the agent's parameters in the order of its fields (a choice by its
        index, a yes as 1), and `own` is what `mtrain.below` and `mtrain.uniform` draw from.

    Notes
    -----
    What it returns is checked; an exception raised in it counts as the action 0, which is never legal.
    """
    if hasattr(function, "py_func"):
        return function
    made = jit.kernel(function, _folder)
    if not jit.JIT:
        made.py_func = function  # what tells a compiled function from one that is asked from Python
    return made


# ── One interface ─────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Parameter:
    """One parameter of an agent: its name, type, choices (if it is one of a few words) and default."""

    name: str
    kind: type
    choices: tuple[Any, ...]
    default: Any

    @property
    def what(self) -> str:
        """What a value may be, in words."""
        if self.choices:
            return "one of " + ", ".join(map(str, self.choices))
        return {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}[self.kind]

    def read(self, value: Any) -> Any:
        """Return the value that a text, or a Python value, means for this parameter.

        Raises
        ------
        ValueError
            If it means none.
        """
        text = value.strip() if isinstance(value, str) else value
        if self.choices:
            for choice in self.choices:
                if str(choice) == str(text):
                    return choice
        elif self.kind is bool:
            if isinstance(text, bool):
                return text
            words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
            if str(text).lower() in words:
                return words[str(text).lower()]
        elif self.kind is str:
            return str(text)
        elif not isinstance(text, bool):
            number = self.kind(text)
            if (isinstance(text, str) or number == text) and abs(number) < 1e15:
                return number
        raise ValueError


@dataclass(frozen=True)
class AgentSpec:
    """An agent as text: label, name, parameters, where its code is, and what it declares. It can be sent to a worker.

    Attributes
    ----------
    peeks
        Is it shown the whole State?
    uses_clock
        Does it look at the time, so that its games cannot be played again to the same end?
    """

    label: str
    name: str
    params: tuple[tuple[str, Any], ...]
    origin: str
    peeks: bool = False
    uses_clock: bool = False

    def __str__(self) -> str:
        if self.name == EXEC:
            return f"{EXEC}:{dict(self.params)['command']}"
        given = ",".join(f"{name}={_word(value)}" for name, value in self.params)
        return f"{self.name}:{given}" if given else self.name


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Bot:
    """An agent, built: how it is asked, and with what.

    Attributes
    ----------
    how
        `KERNEL`, `BATCH`, `SINGLE` or `PROCESS`.
    call
        The kernel, ``act_batch`` or ``act``; of a program, how its processes are asked.
    params : float64[16]
        For a kernel: the parameters as numbers.
    peeks
        Is it shown the whole State?
    crew
        Of a program: its processes, started when a game begins. They must be closed.
    """

    spec: AgentSpec
    how: str
    call: Callable[..., Any]
    params: np.ndarray
    peeks: bool = False
    crew: Crew | None = None

    def close(self) -> None:
        """Let go of what it holds beyond this object: of a program, its processes."""
        if self.crew is not None:
            self.crew.close()


def ask(
    bot: Bot, obs: np.ndarray, actions: np.ndarray, streams: np.ndarray, failed: dict[int, Unasked] | None = None
) -> np.ndarray:
    """Ask an agent about a batch of observations.

    Parameters
    ----------
    bot
        Whom to ask.
    obs : STATE[n]
        What the seats on turn see; the whole States for a bot that peeks.
    actions : int64[n, m]
        Their legal actions, padded with 0.
    streams : uint64[n]
        Their streams, moved on in place; where the bot fails, as far as it drew.
    failed
        Where the failures are written, by entry; such an entry has the answer 0, which is never legal. None: the
        first of them is raised.

    Returns
    -------
    int64[n]
        Its answers, not yet checked against the legal actions.

    Raises
    ------
    Unasked
        If `failed` is None and the bot raises, an answer is no whole number, or a batch is answered with another
        number of answers; if a program gives no answer that can be used.

    Notes
    -----
    Who fails over a batch is asked again about each entry alone, so that only those are charged which fail by
    themselves. If none does, the first entry of the batch is charged, and what is said of it says so.
    """
    found: dict[int, Unasked] = {} if failed is None else failed
    how = {BATCH: _ask_together, KERNEL: _ask_kernel, PROCESS: _ask_program}.get(bot.how, _ask_singly)
    answers = how(bot, obs, actions, streams, found)
    if failed is None and found:
        raise found[min(found)]
    return answers


def _ask_together(
    bot: Bot, obs: np.ndarray, actions: np.ndarray, streams: np.ndarray, failed: dict[int, Unasked]
) -> np.ndarray:
    n = len(obs)
    before = streams.copy()
    try:
        return _all_whole(bot.call(obs, actions, streams), n)
    except (Exception, SystemExit) as error:
        together = _unasked(0, error)
    answers = np.zeros(n, np.int64)
    if n > 1:
        streams[:] = before
        for i in range(n):
            alone = slice(i, i + 1)
            try:
                answers[alone] = _all_whole(bot.call(obs[alone], actions[alone], streams[alone]), 1)
            except (Exception, SystemExit) as error:
                failed[i] = _unasked(i, error)
    if not failed:
        together.said += f" (asked about {n} games at once; about each alone it answers)" if n > 1 else ""
        failed[0] = together
        answers[0] = 0
    return answers


def _ask_program(
    bot: Bot, obs: np.ndarray, actions: np.ndarray, streams: np.ndarray, failed: dict[int, Unasked]
) -> np.ndarray:
    return np.asarray(bot.call(obs, actions, streams, failed))


def _ask_kernel(
    bot: Bot, obs: np.ndarray, actions: np.ndarray, streams: np.ndarray, failed: dict[int, Unasked]
) -> np.ndarray:
    answers = np.zeros(len(obs), np.int64)
    own = np.zeros(1, OWN)
    own[0].params[:] = bot.params
    for i in range(len(obs)):
        own[0].chance = streams[i]
        try:
            answers[i] = bot.call(obs[i], own[0])
        except Exception as error:
            failed[i] = _unasked(i, error)
        streams[i] = own[0].chance
    return answers


def _ask_singly(
    bot: Bot, obs: np.ndarray, actions: np.ndarray, streams: np.ndarray, failed: dict[int, Unasked]
) -> np.ndarray:
    answers = np.zeros(len(obs), np.int64)
    for i in range(len(obs)):
        rng = Stream(int(streams[i]))
        legal = tuple([known_action(a) for a in actions[i].tolist() if a])
        try:
            answers[i] = _whole(bot.call(obs[i], legal, rng))
            streams[i] = rng.state
        except (Exception, SystemExit) as error:
            failed[i] = _unasked(i, error)
            answers[i] = 0
            with contextlib.suppress(AttributeError, TypeError, ValueError, OverflowError):  # a bot may break its rng
                streams[i] = rng.state
    return answers


def _unasked(index: int, error: BaseException) -> Unasked:
    """Return an exception of a bot as the failure over one entry."""
    if isinstance(error, Unasked):
        error.index = index
        return error
    failed = Unasked(index, GARBAGE if isinstance(error, _Garbage) else RAISED)
    failed.__cause__ = error
    return failed


def _all_whole(answers: Any, n: int) -> np.ndarray:
    chosen = np.asarray(answers)
    if chosen.shape != (n,) or chosen.dtype.kind not in "iu":
        raise _Garbage(f"{n} whole numbers were asked for, not {chosen.dtype}{list(chosen.shape)}")
    return chosen.astype(np.int64)


def _whole(answer: Any) -> int:
    if isinstance(answer, (bool, np.bool_)) or not isinstance(answer, (int, np.integer)):
        raise _Garbage(f"an action is one of the whole numbers it was handed, not {answer!r}")
    return int(answer) if -(1 << 63) <= answer < 1 << 63 else 0


# ── Finding ───────────────────────────────────────────────────────────────────────────────────────────────


def bundled() -> Path:
    """Return the folder of the agents that come with mtrain: the checkout's, or the copy in the wheel."""
    package = Path(__file__).parents[1]
    inside = package / "_agents"
    return inside if inside.is_dir() else package.parent / "agents"


def _name_of(path: Path) -> str:
    return path.stem.replace("_", "-")


@functools.cache
def _load(origin: str) -> Any:
    """Import a bot by its origin (a file, or ``entry:module:attribute``) and return what it defines, once."""
    global _folder
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
    before, _folder = _folder, jit.cache_folder([*jit.SOURCES, *path.parent.glob("*.py")]) if jit.JIT else None
    try:
        plan.loader.exec_module(module_)
    except Exception as error:
        del sys.modules[name]
        raise AgentError(f"{origin} cannot be imported: {type(error).__name__}: {error}") from error
    finally:
        _folder = before
    for attribute in ("Agent", "agent"):
        if hasattr(module_, attribute):
            return getattr(module_, attribute)
    raise AgentError(f"{origin} defines neither a function `agent` nor a class `Agent`")


# A program as an agent: everything after the first ``exec:`` is its command line.
_PROGRAM = re.compile(r"(?:(?!exec:)(?P<label>.*?)@)?exec:(?P<command>.*)", re.DOTALL)


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
            near = difflib.get_close_matches(name, self.origins, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"choose from {', '.join(sorted(self.origins))}"
            raise AgentError(f"unknown agent {name!r}; {hint}")
        return _load(self.origins[name])

    def parse(self, text: str, *, meet: bool = True) -> AgentSpec:
        """Return the spec that ``[label@]name[:param=value,…]`` stands for, its parameters read and checked.

        In ``[label@]exec:COMMAND`` all the rest is a command line, commas and signs of every kind included. The program
        is started once, to hear its hello, unless nobody wants to `meet` it yet.

        Raises
        ------
        AgentError
            If the agent or a parameter is unknown, or a value has the wrong type; if a command line cannot be read, or
            its program cannot be started or does not speak the protocol.
        """
        if program := _PROGRAM.fullmatch(text):
            spec = self._program(program["label"], program["command"], text)
            return dataclasses.replace(spec, uses_clock=introduce(spec).uses_clock) if meet else spec
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
        return dataclasses.replace(spec, label=label, peeks=peeks, uses_clock=uses_clock)

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
        spec = AgentSpec("", EXEC, tuple(params.items()), str(self.folder))
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
            near = difflib.get_close_matches(key, known, 1)
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise AgentError(
                f"agent {name!r} has no parameter {key!r}; " + (f"did you mean {near[0]!r}?" if near else has)
            )
        try:
            yield key, known[key].read(value)
        except ValueError:
            raise AgentError(f"{key} of agent {name!r} is {known[key].what}, not {value!r}") from None


def _instance(spec: AgentSpec) -> tuple[Any, str]:
    """Return the function or the object that a spec stands for, and how it is asked."""
    if spec.name == EXEC:
        command, limits = _program_of(spec)
        return Crew(command, spec.origin, limits), PROCESS
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
        return Bot(spec, how, agent.ask, np.zeros(N_PARAMS), crew=agent)
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
        return crew.introduce(command, spec.origin, limits)
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
            {"name": p.name, "default": _word(p.default), "values": p.what, "meaning": meanings.get(p.name, "")}
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
