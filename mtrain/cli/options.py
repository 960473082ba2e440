"""What several commands share: options, and giving up with one sentence."""

import sys
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import click

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
seed_given = click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0, 2**63 - 1), help="What all chance is made from."
)
anchor_given = click.option(
    "--anchor", metavar="LABEL[=RATING]", help="The agent whose rating is 0, or RATING  [default: the mean is 0]"
)
json_too = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
agents_from_too = click.option(
    "--agents", "agents_from", multiple=True, metavar="PATH", help="A file or folder with more agents; may be repeated."
)
allow_peeking_too = click.option("--allow-peeking", is_flag=True, help="Let agents play that are shown hidden tiles.")
bot_limits_too = options(
    click.option(
        "--bot-time",
        type=float,
        default=10.0,
        show_default=True,
        help="Seconds that an exec: agent may take to answer.",
    ),
    click.option(
        "--bot-start", type=float, default=30.0, show_default=True, help="Seconds that it may take to come up."
    ),
    click.option("--bot-memory", type=int, default=1024, show_default=True, help="MB of memory that it may take."),
)
on_fault_given = click.option(
    "--on-fault",
    default="substitute",
    show_default=True,
    metavar="POLICY",
    help="What becomes of a game in which an agent fails: substitute, forfeit, void or stop.",
)
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
    from mtrain.think.process import Limits

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
