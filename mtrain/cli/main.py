"""The command line: each command parses, calls one function and prints one table.

Exit status: 0 done, 1 the work found something wrong, 2 the call was wrong, 130 interrupted. What a command needs
is imported when it runs, so that help comes at once.
"""

import sys
from typing import Any

import click

from mtrain.cli import catalogue, explore, games, levels, tournaments
from mtrain.cli.options import WORDS, fail
from mtrain.errors import RunError, UsageError
from mtrain.version import __version__

# In the order of the help.
COMMANDS = (
    catalogue.rules,
    catalogue.agents,
    catalogue.check_agent,
    games.record,
    games.replay,
    games.again,
    games.perft,
    games.play,
    games.train,
    explore.locate,
    explore.analyse,
    explore.calibrate,
    tournaments.tournament,
    tournaments.run,
    tournaments.merge,
    tournaments.report,
    tournaments.compare,
    tournaments.power,
    levels.tune,
    levels.levels,
    catalogue.bench,
)


class _Group(click.Group):
    """A group whose commands answer a wrong call with one sentence, and never with a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[WORDS] = list(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except UsageError as error:
            fail(str(error), 2)
        except RunError as error:
            fail(str(error), 1)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mtrain")
def mtrain() -> None:
    """Research harness and bot arena for Mexican Train dominoes.

    An agent is written NAME or NAME:PARAM=VALUE,PARAM=VALUE, or exec:COMMAND if it is a program of its own, or
    level:NAME@FILE if it is a level of a levels file; a label may precede it: LABEL@NAME:…
    """


for _each in COMMANDS:
    mtrain.add_command(_each)


def main() -> None:
    """Run the command line."""
    try:
        mtrain(standalone_mode=False)
    except click.exceptions.Abort:
        fail("interrupted", 130)
    except click.ClickException as error:
        fail(f"{error.format_message()} (`mtrain {_command()}--help` says more)", 2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        fail(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}", 1)


def _command() -> str:
    named = [word for word in sys.argv[1:2] if not word.startswith("-")]
    return f"{named[0]} " if named and named[0] in mtrain.commands else ""
