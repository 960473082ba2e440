"""Agents: what a bot is, and how it is written as text.

A bot is one file. It defines ``agent``, a function ``(obs, actions, rng) -> action``, or ``Agent``, a frozen
dataclass whose fields are its parameters and which has one of

- ``act(obs, actions, rng) -> action``: one observation at a time;
- ``act_batch(obs, actions, streams) -> actions``: many games at once;
- ``kernel``: a function ``(obs, agent_state) -> action`` compiled with `compiled`.

The file's name is the bot's name. Or a bot is a program of its own, in any language, written ``exec:COMMAND``: it
plays over lines of JSON (`mtrain.bots.protocol`).

Workers are handed an agent's *spec* and build it themselves. A bot that declares ``peeks = True`` is for questions
about what hidden tiles are worth: it is shown them, and its label says so wherever it stands; one that looks at the
time declares ``uses_clock = True``. Whoever changes how a bot plays gives it another ``version``. This module must not
know where bots are found.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

from mtrain.bots.process import BotProcesses
from mtrain.errors import UsageError
from mtrain.game import jit
from mtrain.game.state import AGENT_STATE, STATE

# How an agent is asked.
KERNEL, BATCH, SINGLE, PROCESS = "compiled", "batch", "one at a time", "process"

# What an agent begins with that is a program of its own, and the name of all of them.
EXEC = "exec"

# What the label of an agent that peeks ends with, and no other's does.
PEEKS = " (peeks)"


class AgentError(UsageError):
    """An agent that is not there, cannot be built, or was given a parameter it does not have."""


KERNEL_SIGNATURE: Any = None
if jit.JIT:
    KERNEL_SIGNATURE = numba.int64(numba.from_dtype(STATE), numba.from_dtype(AGENT_STATE))


def compiled(function: Callable[..., int]) -> Any:
    """Have a choosing function compiled, when it is first to play, so that whole games run without Python.

    Parameters
    ----------
    function
        A plain function, or a kernel of `mtrain.strategy`: ``(obs, agent_state) -> action``. `obs` is one observation
        (a record of dtype STATE); ``agent_state.params`` holds the agent's parameters in the order of its fields (a
        choice by its index, a yes as 1), and `agent_state` is what `mtrain.below` and `mtrain.uniform` draw from.

    Notes
    -----
    What it returns is checked; an exception raised in it counts as the action 0, which is never legal.
    """
    if hasattr(function, "py_func"):
        return function
    made: Any = jit.kernel(function)
    if not jit.JIT:
        made.py_func = function  # what tells a compiled function from one that is asked from Python
    return made


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
    version
        The number that it declares: another if it plays otherwise.
    source
        A short hash of its file, if it does not come with mtrain; of a program, of the files that its command names.
    """

    label: str
    name: str
    params: tuple[tuple[str, Any], ...]
    origin: str
    peeks: bool = False
    uses_clock: bool = False
    version: int = 1
    source: str = ""

    def __str__(self) -> str:
        if self.name == EXEC:
            return f"{EXEC}:{dict(self.params)['command']}"
        given = ",".join(f"{name}={word(value)}" for name, value in self.params)
        return f"{self.name}:{given}" if given else self.name


def word(value: Any) -> str:
    """Return the value of a parameter as it is written: what is read from that text is the value again."""
    if isinstance(value, bool):
        return str(value).lower()
    short = f"{value:g}" if isinstance(value, float) else str(value)
    return repr(value) if isinstance(value, float) and float(short) != value else short


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
    processes
        Of a program: its processes, started when a game begins. They must be closed.
    """

    spec: AgentSpec
    how: str
    call: Callable[..., Any]
    params: np.ndarray
    peeks: bool = False
    processes: BotProcesses | None = None

    @property
    def text(self) -> str:
        """What a record says of it."""
        return f"{self.spec}{PEEKS if self.peeks else ''}"

    def close(self) -> None:
        """Let go of what it holds beyond this object: of a program, its processes."""
        if self.processes is not None:
            self.processes.close()
