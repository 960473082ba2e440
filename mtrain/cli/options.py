"""What several commands share: options, and giving up with one sentence."""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import FrameType
from typing import Any, NoReturn

import click

from mtrain.arena.options import Options, flag_of, types_of
from mtrain.arena.options import options_of as fields_of

# ── Options ───────────────────────────────────────────────────────────────────────────────────────────


WORDS = "mtrain.words"
"""Under this name a command's context has all the words that mtrain was called with."""


def fail(sentence: str, status: int) -> NoReturn:
    click.echo(f"mtrain: {sentence}", err=True)
    sys.exit(status)


def options(*options: Callable[..., Any]) -> Callable[..., Any]:
    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def options_from(kind: type, *, only: Iterable[str] = (), after: str = "", to: str = "") -> Callable[..., Any]:
    """Return the options of a dataclass of options (see `mtrain.arena.options`) as those of a command, in its order.

    The command is called with a keyword for each, named as its field.

    Parameters
    ----------
    kind
        The class.
    only
        Which of them; by default all that have words for the command line.
    after, to
        Those after the one and up to the other, in the order of the class.
    """
    named = [name for name, each in fields_of(kind, only).items() if each.metadata["help"]]
    start, end = named.index(after) + 1 if after else 0, named.index(to) + 1 if to else None
    return options(*(_made(kind, name) for name in named[start:end]))


def _made(kind: type, name: str) -> Callable[..., Any]:
    """Return one field as an option of the command line."""
    each, plain = fields_of(kind)[name], types_of(kind)[name]
    told = each.metadata
    more: dict[str, Any] = {"help": told["help"], "metavar": told.get("metavar")}
    if plain is bool:
        more |= {"is_flag": True}
    elif plain is list:
        more |= {"multiple": True, "callback": _split if told.get("rows") else None}
    else:
        kind_of = click.IntRange(told.get("least"), told["most"]) if "most" in told else plain
        more |= {"type": click.Choice(told["choices"]) if "choices" in told else kind_of, "default": each.default}
        more |= {"show_default": each.default not in (None, "")}
    return click.option(flag_of(each), name, **more)


def _split(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> list[list[str]] | None:
    return [line.split() for line in given] or None


rules_given = options(
    click.option(
        "--rules",
        default="standard",
        show_default=True,
        metavar="PRESET",
        help="Which rules; `mtrain rules` lists them.",
    ),
    click.option(
        "--set", "changes", multiple=True, metavar="FIELD=VALUE", help="Change a field of the rules; may be repeated."
    ),
)
seed_given = options_from(Options, only=("seed",))
anchor_given = options_from(Options, only=("anchor",))
json_too = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
agents_from_too = options_from(Options, only=("agents_from",))
allow_peeking_too = options_from(Options, only=("allow_peeking",))
bot_limits_too = options_from(Options, after="on_fault")
jobs_given = click.option("--jobs", type=click.IntRange(1), help="Workers  [default: one a core]")


def _share(_: click.Context, __: click.Parameter, given: str | None) -> tuple[int, int] | None:
    if given is None:
        return None
    number, slash, of = given.partition("/")
    if not (slash and number.isdigit() and of.isdigit()):
        raise click.BadParameter(f"{given!r} is not K/N: the second of three shares is 2/3")
    return int(number), int(of)


resume_too = click.option(
    "--resume", is_flag=True, help="Go on with the run that --out holds: play exactly what is missing there."
)
backend_given = options(
    click.option(
        "--backend",
        type=click.Choice(["joblib", "dask"]),
        default="joblib",
        show_default=True,
        help="Who plays: this machine, or the workers of a Dask scheduler.",
    ),
    click.option("--scheduler", metavar="ADDRESS", help="Where the Dask scheduler is: tcp://HOST:8786"),
)
workers_given = options(
    jobs_given,
    click.option(
        "--share",
        metavar="K/N",
        callback=_share,
        help="Play only the K-th of N shares, to be put together by `mtrain merge`.",
    ),
    backend_given,
)
quiet_too = click.option("--quiet", is_flag=True, help="No progress.")


def needs_out(resume: bool, out: str | None, what: str = "run") -> None:
    """Refuse to go on with work that nobody says the directory of."""
    if resume and out is None:
        raise click.UsageError(f"--resume needs --out DIR: the directory of the {what} to go on with")


def limits_of(bot_limits: Mapping[str, Any]) -> Any:
    """Return what programs may take, from the options of `bot_limits_too`."""
    from mtrain.bots.process import Limits

    return Limits(bot_limits["bot_time"], bot_limits["bot_start"], bot_limits["bot_memory"])


def changes_of(pairs: tuple[str, ...]) -> dict[str, str]:
    """Return the fields to change from ``FIELD=VALUE`` texts."""
    changes = {}
    for pair in pairs:
        field, equals, value = pair.partition("=")
        if not equals:
            raise click.BadParameter(f"{pair!r} is not FIELD=VALUE", param_hint="--set")
        if field.strip() in changes:
            raise click.BadParameter(f"{field.strip()!r} is set twice", param_hint="--set")
        changes[field.strip()] = value
    return changes


def rules_of(preset_name: str, changes: tuple[str, ...]) -> Any:
    from mtrain.game.rules import override, preset

    return override(preset(preset_name), changes_of(changes))


# ── Signals ───────────────────────────────────────────────────────────────────────────────────────────
#
# Stop signals: Ctrl-C and SIGTERM while a command works. Once asks it to end, twice ends it.
#
# What is asked is an event that whatever works looks at; nothing here knows what that is, and nothing outside the
# command line handles a signal.


_SAID = b"\nmtrain: finishing the games in flight; Ctrl-C once more stops at once\n"


@contextlib.contextmanager
def stop_signals() -> Iterator[threading.Event]:
    """Have the first signal set an event, and the next raise KeyboardInterrupt; one that is ignored stays so."""
    interrupt = threading.Event()

    def ask(number: int, frame: FrameType | None) -> None:
        if interrupt.is_set():
            raise KeyboardInterrupt
        interrupt.set()
        with contextlib.suppress(OSError):
            os.write(2, _SAID)  # not `print`: what it writes to may be in the middle of a line

    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    before = {each: signal.signal(each, ask) for each in usual if signal.getsignal(each) == usual[each]}
    try:
        yield interrupt
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
