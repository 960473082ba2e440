"""The command about positions and games looked at again: what each action comes to, and what a game's mistakes were."""

from typing import Any

import click

from mtrain.cli.options import agents_from_too, fail, json_too, quiet_too, seed_given


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
    from mtrain.arena.analysis import AGENTS, WORLDS, analyse
    from mtrain.arena.annotation import annotate, position_at
    from mtrain.show.analysing import analysis_json, annotation_json, show_analysis, show_annotation
    from mtrain.show.terminal import show_json

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
