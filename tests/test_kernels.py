"""Kernels: nothing that lies in an array outlives it, and parameters are called by name."""

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mtrain.bots.registry import Registry, build, parameters
from mtrain.game.jit import kernel
from mtrain.game.state import AGENT_STATE, N_PARAMS
from mtrain.strategy import evaluate, rollouts
from mtrain.strategy.montecarlo import USUAL
from mtrain.strategy.opponent_model import DEFAULTS
from tests.helpers.program import HERE

# ── Records and their arrays ──────────────────────────────────────────────────────────────────────────────


def kernels(source: str) -> Iterator[ast.FunctionDef]:
    """Yield the functions of a file that are kernels."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and any(ast.unparse(mark) == "kernel" for mark in node.decorator_list):
            yield node


def makes_records(node: ast.AST) -> bool:
    """Say whether an expression makes an array that may hold records: one of any dtype but a number's."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    if node.func.attr in ("copy", "empty_like", "zeros_like"):
        return True
    dtype = node.args[1:] + [word.value for word in node.keywords]
    return node.func.attr in ("empty", "zeros", "ones") and any(not ast.unparse(d).startswith("np.") for d in dtype)


def outlived(source: str) -> list[str]:
    """Return where kernels take a record out of an array that they made themselves.

    A record does not keep its array alive, and the array is gone with the last use of its name. So whoever makes one
    hands it on whole, and another kernel takes the records out of it: meanwhile the first still holds the array.
    """
    wrong = []
    for function in kernels(source):
        nodes = list(ast.walk(function))
        kept = [node for node in nodes if isinstance(node, ast.Assign) and makes_records(node.value)]
        own = {ast.unparse(target) for node in kept for target in node.targets}
        right = {id(given) for node in nodes if isinstance(node, ast.Call) for given in node.args}
        right |= {id(node.value) for node in kept}
        right |= {
            id(node.value) for node in nodes if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
        }
        for node in nodes:
            read = isinstance(node, ast.Name) and node.id in own and isinstance(node.ctx, ast.Load)
            if (read or makes_records(node)) and id(node) not in right:
                wrong.append(f"{function.name}: {ast.unparse(node)}")
    return wrong


def guards(source: str) -> list[str]:
    """Return what kernels multiply by 0: a last use of an array that keeps it alive until there."""
    return [
        f"{function.name}: {ast.unparse(node)}"
        for function in kernels(source)
        for node in ast.walk(function)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and ast.unparse(node.left) == "0"
    ]


SOURCES = sorted(path for path in (HERE / "mtrain").rglob("*.py") if list(kernels(path.read_text(encoding="utf-8"))))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_no_record_outlives_its_array(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert (outlived(source), guards(source)) == ([], [])


@pytest.mark.parametrize(
    "line",
    [
        "scratch = np.empty(1, AGENT_STATE); s = scratch[0]",
        "scratch = np.zeros(1, dtype=AGENT_STATE); inner(scratch[0])",
        "scratch = np.empty(1, AGENT_STATE); scratch[0].rng = own.rng",
        "s = np.empty(1, AGENT_STATE)[0]",
        "copied = states.copy(); s = copied[0]",
        "scratch = np.empty(1, AGENT_STATE); again = scratch; s = again[0]",
    ],
)
def test_a_record_that_would_outlive_its_array_is_found(line: str) -> None:
    assert outlived(f"@kernel\ndef f(obs, own):\n    {line}\n    return s")


@pytest.mark.parametrize(
    "line",
    [
        "return inner(obs, np.empty(1, AGENT_STATE))",
        "scratch = np.empty(1, AGENT_STATE); scratch[0] = own; return inner(scratch)",
        "s = owns[0]; values = np.empty(9); return values[0] + s.rng",
    ],
)
def test_an_array_that_is_handed_on_is_not(line: str) -> None:
    assert outlived(f"@kernel\ndef f(obs, own, owns):\n    {line}") == []


@kernel
def _filled(owns: Any, total: Any, n: Any) -> Any:
    """Write into a record, then into other memory of the same size, and read the record again."""
    own = owns[0]
    own.params[:] = 1.0
    for _ in range(n):
        _overwrite(np.empty(1, AGENT_STATE))
    for param in own.params:
        total[0] += param
    return total[0]


@kernel
def _overwrite(owns: Any) -> None:
    owns[0].params[:] = 7.0


@kernel
def _made(total: Any, n: Any) -> Any:
    return _filled(np.empty(1, AGENT_STATE), total, n)


def test_what_is_handed_on_stays_whole() -> None:
    assert _made(np.zeros(1), 1000) == N_PARAMS


# ── Parameters ────────────────────────────────────────────────────────────────────────────────────────────

# Of each agent: what its parameters are called where its kernel lies, and the choices of those that have some.
PARAMETERS: dict[str, tuple[str, dict[str, str]]] = {
    "random": ("", {}),
    "greedy": ("OWN_TRAIN TIES", {"ties": "RANDOM FOLLOW"}),
    "double-holder": ("HAND RIVAL COVERED", {}),
    "planner": ("PAIR ORDER", {"order": "REST_FIRST PLAN_FIRST"}),
    "heuristic": (
        "REST REST_PIPS DOUBLES BARE PLAN_PIPS TURNS MARKED UNCOVERED OFFERS HOMES DEAD STUCK REACH REST_RISK PLAN_RISK"
        " OFFER_RISK",
        {},
    ),
    "mc": (
        "WORLDS ROLLOUT OBJECTIVE BASE GATE WORLDS_FROM",
        {
            "rollout": "ROLL_RANDOM ROLL_GREEDY ROLL_DOUBLE_HOLDER ROLL_PLANNER",
            "objective": "OWN_PIPS LEAD GO_OUT WIN_GAME",
            "base": "BASE_NONE BASE_PLANNER BASE_HEURISTIC",
            "worlds_from": "COUNTS PROOFS POLICY",
        },
    ),
    "ismcts": (
        "ITERATIONS EXPLORE GROW OBJECTIVE BASE GATE WAYS PAIRED",
        {"objective": "OWN_PIPS LEAD GO_OUT WIN_GAME", "base": "BASE_NONE BASE_PLANNER BASE_HEURISTIC"},
    ),
    "levelled": (
        "BASE TEMPERATURE BLUNDERS WORLDS DEPTH MEMORY COUNTING HOARD SENSE",
        {"base": "HEURISTIC PLANNER MC"},
    ),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_are_called_as_the_agent_calls_them_in_its_order(name: str) -> None:
    constants, choices = PARAMETERS[name]
    agent = Registry().find(name)
    module = import_module(agent.kernel.py_func.__module__)
    known = parameters(agent)
    for k, (parameter, constant) in enumerate(zip(known, constants.split(), strict=True)):
        assert constant.lower().startswith(parameter.name)
        assert getattr(module, constant) == k
    assert {parameter.name for parameter in known if parameter.choices} == set(choices)
    for parameter in known:
        if parameter.choices:
            for k, (choice, constant) in enumerate(
                zip(parameter.choices, choices[parameter.name].split(), strict=True)
            ):
                assert choice.replace("-", "_") in constant.lower()
                assert at(module, constant) == k


def at(module: Any, constant: str) -> Any:
    """Return a constant of a module of kernels, or of one that it shares its choices with."""
    return next(
        getattr(where, constant) for where in (module, rollouts, evaluate, rollouts) if hasattr(where, constant)
    )


def test_every_agent_has_its_parameters_named_here() -> None:
    assert set(PARAMETERS) == set(Registry().origins)


@pytest.mark.parametrize("name", [*DEFAULTS, "mc"])
def test_what_others_are_believed_to_play_by_is_what_an_agent_plays_by_where_nothing_is_said(name: str) -> None:
    usual = USUAL if name == "mc" else np.array(DEFAULTS[name])
    registry = Registry()
    assert build(registry.parse(name)).params[: len(usual)].tolist() == usual.tolist()
