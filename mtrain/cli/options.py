"""What several commands share: options, and giving up with one sentence."""

import sys
from collections.abc import Callable
from typing import Any, NoReturn

import click


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
jobs_given = click.option("--jobs", type=click.IntRange(1), help="Workers  [default: one a core]")
quiet_too = click.option("--quiet", is_flag=True, help="No progress.")


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
