"""Commands about hidden tiles: where they are, and whether what is said of them is true."""

from pathlib import Path
from typing import Any

import click

from mtrain.cli.options import agents_from_too, changes_of, fail, json_too, quiet_too, rules_given, seed_given

# ── Hidden tiles ──────────────────────────────────────────────────────────────────────────────────────


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
    from mtrain.cli.terminal import show_locations
    from mtrain.game.positions import parse_position
    from mtrain.report.terminal import records, show_json
    from mtrain.strategy.locate import locate

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
    from mtrain.analysis.calibrate import calibrate
    from mtrain.report.terminal import records, show_json, show_losses

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


# ── Positions and games ───────────────────────────────────────────────────────────────────────────────
#
# The command about positions and games looked at again: what each action comes to, and what a game's mistakes were.


@click.command()
@click.argument("file", metavar="POSITION|RECORDS")
@click.option("--game", type=int, help="Of records: the game of this number  [default: the only one]")
@click.option("--round", "round_", type=int, help="… and one position of it: the round, from 1,")
@click.option("--action", type=int, help="… and which of the round's events was chosen there, from 0.")
@click.option("--seat", type=int, help="Of a game: this seat alone.")
@click.option("--worlds", type=int, help="Worlds in which every action is tried  [default: 400]")
@click.option(
    "--agent", "agents", multiple=True, metavar="AGENT",
    help="Of a position: say what this agent would do; may be repeated  [default: greedy to ismcts, not random]",
)  # fmt: skip
@click.option("--locate", is_flag=True, help="Of a position: say where the unseen tiles are likely to be, too.")
@click.option("--top", type=click.IntRange(1), help="Print so many actions, or mistakes  [default: all; 10]")
@seed_given
@agents_from_too
@quiet_too
@json_too
def analyse(
    file: str,
    game: int | None,
    round_: int | None,
    action: int | None,
    top: int | None,
    quiet: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Print what every legal action of a position comes to, or the mistakes of a recorded game.

    The file holds a position in text, or games as `mtrain record` writes them; - is standard input. A game is looked at
    as a whole, or in the one position that --round and --action name.
    """
    from mtrain.analysis.analyse import AGENTS, WORLDS, analyse
    from mtrain.analysis.annotate import annotate, position_at
    from mtrain.cli.terminal import analysis_json, annotation_json, show_analysis, show_annotation
    from mtrain.report.terminal import show_json

    found = _read(file, game)
    recorded = isinstance(found, dict)
    if (round_ is None) != (action is None):
        raise click.UsageError("--round and --action name a position together: give both, or none for the whole game")
    whole = recorded and round_ is None
    here = "a whole game; name a position with --round and --action" if whole else "a position"
    of_position = {"--agent": "agents", "--agents": "agents_from", "--locate": "locate"}
    for name, there, fits in (
        ("--round", round_ is not None, recorded),
        ("--seat", given["seat"] is not None, whole),
        *((name, bool(given[parameter]), not whole) for name, parameter in of_position.items()),
    ):
        if there and not fits:
            raise click.UsageError(f"{name} does not go with {here}")
    looked = {"worlds": WORLDS if given["worlds"] is None else given["worlds"], "seed": given["seed"]}
    if whole:

        def progress(done: int, rounds: int) -> None:
            if not quiet:
                click.echo(f"mtrain: {done} of {rounds} rounds", err=True)

        annotation = annotate(found, seat=given["seat"], progress=progress, **looked)
        if as_json:
            show_json(annotation_json(annotation, top))
        else:
            show_annotation(annotation, top or 10)
        return
    position = found if round_ is None or action is None else position_at(found, round_, action)
    asked = {"agents": given["agents"] or AGENTS, "agents_from": given["agents_from"], "locate": given["locate"]}
    analysis = analyse(position, **looked, **asked)
    if as_json:
        show_json(analysis_json(analysis, top))
    else:
        show_analysis(analysis, top)


def _read(file: str, game: int | None) -> Any:
    """Return the position that a file holds, or the record of a game in it."""
    from mtrain.game.positions import parse_position
    from mtrain.game.record import RecordError, read_records

    try:
        with click.open_file(file, encoding="utf-8") as lines:
            text = lines.read()
        if not text.lstrip().startswith("{"):
            if game is not None:
                raise click.UsageError(f"--game is about records, and {file} holds a position")
            return parse_position(text)
        games = [made for _, made, _ in read_records(iter(text.rstrip("\n").split("\n")))]
    except OSError as error:
        fail(f"cannot read {file}: {error.strerror}", 2)
    except UnicodeDecodeError:
        fail(f"{file} is not UTF-8 text", 2)
    except (ValueError, RecordError) as error:
        fail(f"{file}: {error}", 2)
    numbers = [made.get("game") for made in games]
    held = ", ".join(map(str, numbers[:8])) + (", …" if len(numbers) > 8 else "")
    if game is None and len(games) > 1:
        fail(f"{file} holds {len(games)} games; name one with --game: {held}", 2)
    wanted = games if game is None else [made for made in games if made.get("game") == game]
    if len(wanted) != 1:
        fail(f"{file} holds {len(wanted) or 'no'} game{'s' if wanted else ''} number {game}; choose from {held}", 2)
    return wanted[0]
