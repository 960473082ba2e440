"""Commands about hidden tiles: where they are, and whether what is said of them is true."""

from pathlib import Path
from typing import Any

import click

from mtrain.cli.options import agents_from_too, changes_of, fail, json_too, quiet_too, rules_given, seed_given

_worlds = click.option("--worlds", default=1000, show_default=True, type=click.IntRange(1), help="Worlds to sample.")
_weigh = click.option(
    "--weigh",
    metavar="POLICY",
    help="Weigh worlds by what others did: the name of a simple agent, like greedy or planner.",
)


@click.command()
@click.argument("position", metavar="POSITION-FILE")
@click.option("--seat", type=int, help="Who is looking  [default: the seat on turn]")
@_worlds
@_weigh
@seed_given
@json_too
def locate(position: str, seat: int | None, worlds: int, weigh: str | None, seed: int, as_json: bool) -> None:
    """Print where each tile that a seat cannot see is likely to be, from a position in text."""
    from mtrain.game.positions import parse_position
    from mtrain.show.analysing import show_locations
    from mtrain.show.terminal import records, show_json
    from mtrain.think.locations import locate

    try:
        start = parse_position(Path(position).read_text(encoding="utf-8"))
    except OSError as error:
        fail(f"cannot read {position}: {error.strerror}", 2)
    except ValueError as error:
        fail(f"{position}: {error}", 2)
    found = locate(start, seat, worlds=worlds, seed=seed, weigh=weigh)
    if as_json:
        show_json(records(found))
        return
    show_locations(found, note=f"{found.attrs['effective_worlds']:,.0f} effective worlds of {worlds:,}")


@click.command()
@click.argument("agents", nargs=-1, required=True)
@rules_given
@click.option("--players", default=4, show_default=True, type=int, help="Seats at a table.")
@click.option("--deals", default=20, show_default=True, type=int, help="Games to play.")
@click.option("--every", default=40, show_default=True, type=int, help="Look at one decision in so many.")
@click.option("--worlds", default=400, show_default=True, type=int, help="Worlds to sample for a look.")
@_weigh
@seed_given
@click.option("--out", metavar="DIR", help="Where to write the tables and the figure; nothing is written without.")
@agents_from_too
@quiet_too
@json_too
def calibrate(
    agents: tuple[str, ...],
    changes: tuple[str, ...],
    deals: int,
    out: str | None,
    quiet: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Let AGENTS play, and hold what observers say of hidden tiles against the truth."""
    from mtrain.arena.calibration import calibrate
    from mtrain.show.terminal import records, show_json, show_losses

    def progress(done: int) -> None:
        if not quiet and done % max(1, deals // 10) == 0:
            click.echo(f"mtrain: {done:,} of {deals:,} deals", err=True)

    made = calibrate(agents, changes=changes_of(changes), deals=deals, progress=progress, **given)
    for path in made.save(out) if out else ():
        click.echo(f"mtrain: wrote {path}", err=True)
    if as_json:
        show_json({"losses": records(made.losses), "calibration": records(made.calibration)})
    else:
        show_losses(made.losses, made.calibration)
