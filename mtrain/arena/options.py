"""Options: one spelling of what a function, a command and a file may be told.

The fields of a frozen dataclass are options. A field's type, default and words make the keyword argument of a
function with its entry in the docstring, the option of a command (`mtrain.cli.options.options_from`), and the key of a
file. Here are those of a tournament, too. This module knows nothing that takes long to import: commands read it to
print their help.
"""

# ruff: noqa: RUF009  (an option is a field)

import inspect
import re
import threading
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

MAX_SEED = 2**63 - 1

JOBLIB, DASK = BACKENDS = ("joblib", "dask")
"""Who plays: workers of this machine, or those of a Dask scheduler."""


_F = TypeVar("_F", bound=Callable[..., Any])


def option(default: Any, doc: str, help: str = "", key: str = "", **more: Any) -> Any:
    """Return a field of a dataclass of options.

    Parameters
    ----------
    default
        What holds where nothing is said.
    doc
        What it means, in the docstrings of functions.
    help
        The same on the command line; "": there is no such option there.
    key
        The same in a file; "": there is no such key.
    **more
        What else is to be known of it: `flag` (its name on the command line, where it is another), `metavar`,
        `choices`, `least`, `most` (a range the command line holds it to), `rows` (each of a list is a list itself),
        `derived` (manifests say it in other words).
    """
    return field(default=default, metadata={"doc": doc, "help": help, "key": key} | more)


def options_of(kind: type, only: Iterable[str] = ()) -> dict[str, Field[Any]]:
    """Return the options of a class by their names: all, or only those named, in the order of the class."""
    wanted = set(only)
    return {each.name: each for each in fields(kind) if not wanted or each.name in wanted}


def flag_of(each: Field[Any]) -> str:
    """Return the name of an option on the command line."""
    return str(each.metadata.get("flag") or "--" + each.name.replace("_", "-"))


def types_of(kind: type) -> dict[str, type]:
    """Return the types of a class's options as commands and files know them: None aside, and any series a list."""
    return {name: _plain(hint) for name, hint in get_type_hints(kind).items()}


def _plain(hint: Any) -> type:
    if get_origin(hint) in (Union, types.UnionType):
        return _plain(next(each for each in get_args(hint) if each is not types.NoneType))
    return hint if hint in (bool, int, float, str) else list


def taking(*kinds: type, only: Iterable[str] = ()) -> Callable[[_F], _F]:
    """Have a function show the options that it takes: in its signature, and in its docstring instead of ``**options``.

    The function itself takes them as keywords. Its own ``**options`` is not shown; by another name it is, for those
    that are no options.

    Parameters
    ----------
    *kinds
        The classes whose options it takes.
    only
        Which of them; by default all.
    """
    only = tuple(only)

    def show(function: _F) -> _F:
        own = inspect.signature(function)
        named = [each for each in own.parameters.values() if each.kind is not each.VAR_KEYWORD]
        rest = [each for each in own.parameters.values() if each.kind is each.VAR_KEYWORD and each.name != "options"]
        entries = []
        for kind in kinds:
            hints = get_type_hints(kind)
            for name, each in options_of(kind, only).items():
                named.append(inspect.Parameter(name, _KEYWORD, default=each.default, annotation=hints[name]))
                entries.append(f"{name}\n        {each.metadata['doc']}")
        function.__signature__ = own.replace(parameters=named + rest)  # type: ignore[attr-defined]
        shown = "\n    ".join(entries)
        function.__doc__ = re.sub(r"\*\*options\n +.*", lambda _: shown, function.__doc__ or "")
        return function

    return show


_KEYWORD = inspect.Parameter.KEYWORD_ONLY


def parted(given: Mapping[str, Any], *kinds: type, only: Iterable[str] = ()) -> list[dict[str, Any]]:
    """Return what was given in parts: the options of each class (`only` some), and last what is none of them."""
    left, parts, only = dict(given), [], tuple(only)
    for kind in kinds:
        parts.append({name: left.pop(name) for name in options_of(kind, only) if name in left})
    return [*parts, left]


@dataclass(frozen=True, kw_only=True)
class Options:
    """What may be said of a tournament besides its agents and rules: the one place where each option is spelled."""

    players: int = option(4, "Seats at a table.", "Seats at a table.", "seats at a table")
    focus: str | None = option(
        None,
        'One of the agents, by its label: it meets each of the others alone (``focus="mc"``), copies of which fill '
        "the rest of the table. With neither a focus nor line-ups, the agents meet in every combination, or fill the "
        "seats in equal shares where they are fewer.",
        "One of the AGENTS, by its label, meets each of the others alone.",
        "the agent, by its label, that meets each of the others alone",
        metavar="AGENT",
        derived=True,
    )
    lineups: Sequence[Sequence[str]] | None = option(
        None,
        "Who meets whom, each line-up as labels of agents, one a seat: "
        '``lineups=[["mc", "greedy", "greedy", "greedy"]]``.',
        "Who sits at a table, whatever the seats: labels with spaces between; may be repeated.",
        "who meets whom: lists of labels, one a seat",
        flag="--lineup",
        metavar="'AGENT AGENT …'",
        rows=True,
    )
    self_play: bool = option(
        False,
        "One agent in all seats, each copy with a label of its own (``greedy#1`` …): a check that what is equal comes "
        "out equal.",
        "The one AGENT in all seats, each copy with a label of its own.",
        "does one agent sit in all seats?",
        derived=True,
    )
    seatings: str | None = option(
        None,
        "How a line-up is seated, deal by deal: in all its orders (``permute``), in the rotations of a random cyclic "
        "order a deal (``shuffle``) or of one fixed order (``rotate``). None: ``permute`` up to four seats, else "
        "``shuffle``.",
        "How a line-up is seated, deal by deal: permute (all orders), shuffle (the rotations of a random order) or "
        "rotate (of one order)  [default: permute up to 4 seats, else shuffle]",
        "permute, shuffle or rotate",
        metavar="HOW",
    )
    deals: int | None = option(
        None,
        "Blocks for every line-up; if neither `deals` nor `games` is given 100, or 10,000 at most with `until`.",
        "Deals for every line-up, each played in all its seatings  [default: 100]",
        "blocks for every line-up",
        least=1,
    )
    games: int | None = option(
        None,
        "Instead of `deals`: as many whole blocks, the same for every line-up, as hold at least so many games.",
        "Instead of --deals: whole blocks that hold at least so many games.",
        "instead of deals: whole blocks that hold at least so many games",
        least=1,
        derived=True,
    )
    until: str | None = option(
        None,
        'What ends it before: ``"width<0.5"``, ``"width<0.5 for mc"`` or ``"mc better than greedy by 0.5"``. The '
        "results' `stopping` (and `comparison`) then have numbers raw and adjusted for that.",
        "Stop by a rule: 'width<0.5' (docs/stopping.md); --deals is the most.",
        "what ends the tournament before all its deals are played",
        metavar="RULE",
    )
    seed: int = option(
        0,
        "The same seed gives the same tables, however many workers there are: 0 … 2**63 − 1.",
        "What all chance is made from.",
        "the seed",
        least=0,
        most=MAX_SEED,
    )
    anchor: str | None = option(
        None,
        'The agent, by its label, whose rating is 0 (``"greedy"``) or given (``"greedy=1500"``). None: the mean is 0.',
        "The agent whose rating is 0, or RATING  [default: the mean is 0]",
        "the agent, by its label, whose rating is 0, or LABEL=RATING",
        metavar="LABEL[=RATING]",
    )
    title: str = option("", "What it is called in manifests and figures.")
    agents_from: Iterable[str | Path] = option(
        (),
        "Files and folders to look for agents in, besides those that come with mtrain.",
        "A file or folder with more agents; may be repeated.",
        flag="--agents",
        metavar="PATH",
    )
    allow_peeking: bool = option(
        False,
        "May agents play that are shown hidden tiles? Their labels say so.",
        "Let agents play that are shown hidden tiles.",
        "may agents play that are shown hidden tiles?",
        derived=True,
    )
    on_fault: str = option(
        "substitute",
        "What becomes of a game in which an agent fails: ``substitute`` (a legal action drawn by chance takes the "
        "place of its answer), ``forfeit``, ``void`` (the block counts nowhere) or ``stop``.",
        "What becomes of a game in which an agent fails: substitute, forfeit, void or stop.",
        "what becomes of a game in which an agent fails: substitute, forfeit, void or stop",
        metavar="POLICY",
    )
    bot_time: float = option(
        10.0,
        "Seconds that an agent may take to answer that is a program (``exec:COMMAND``).",
        "Seconds that an exec: agent may take to answer.",
        "seconds that an agent may take to answer that is a program",
        derived=True,
    )
    bot_start: float = option(
        30.0,
        "Seconds that it may take to come up.",
        "Seconds that it may take to come up.",
        "seconds that it may take to come up",
        derived=True,
    )
    bot_memory: int = option(
        1024,
        "MB of memory that it may take.",
        "MB of memory that it may take.",
        "MB of memory that it may take",
        derived=True,
    )
    folder: str | Path = option(".", "Where agents run that are programs.")


@dataclass(frozen=True, kw_only=True)
class Running:
    """How a run goes: what its games and tables do not depend on, and which part of them it plays."""

    jobs: int | None = option(None, "Workers; None: one a core. Compiled line-ups run on threads, others in processes.")
    watch: Callable[[Any], None] | None = option(None, "Called with a `Step` after every chunk.")
    resume: bool = option(
        False,
        "If the directory holds a run of the same tournament, go on with it: exactly the chunks that are missing or "
        "damaged are played.",
    )
    share: tuple[int, int] | None = option(
        None, "``(k, n)``: play only the k-th of n shares of the chunks; `mtrain.merge` puts them together."
    )
    backend: str = option(
        JOBLIB, 'Who plays: the workers of this machine (``"joblib"``), or those of a Dask scheduler (``"dask"``).'
    )
    scheduler: str | None = option(None, "The address of the Dask scheduler, whatever machines its workers are on.")
    interrupt: threading.Event | None = option(
        None, "Once it is set, what is in flight is finished and `Interrupted` raised. Ctrl-C sets it, too."
    )


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What may be said of the test that compares two agents, besides by how much the first is to be better."""

    beside: Sequence[str] = option(
        (),
        "Who sits in the other seats, taking turns. None: the two share all seats equally.",
        "Who has the other seats; may be repeated.",
        flag="--with",
        metavar="AGENT",
    )
    alpha: float = option(
        0.05,
        "Probability of calling the first better where it is not; one-sided.",
        "One-sided error: better, though it is not.",
    )
    beta: float = option(
        0.05,
        "Probability of calling the first not better where it is; one-sided.",
        "One-sided error: not better, though it is.",
    )
