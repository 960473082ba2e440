"""Commands about one game at a time: record, replay, again and perft."""

import sys
from pathlib import Path
from typing import Any

import click

from mtrain.cli.options import (
    agents_from_too,
    allow_peeking_too,
    bot_limits_too,
    fail,
    json_too,
    limits_of,
    rules_given,
    rules_of,
    seed_given,
)
from mtrain.errors import Trouble


@click.command()
@click.argument("agents", nargs=-1, required=True)
@rules_given
@click.option("--players", type=int, help="Seats; one agent each  [default: as many as agents]")
@click.option("--games", default=1, show_default=True, type=click.IntRange(1), help="How many games.")
@seed_given
@click.option("--out", required=True, metavar="FILE", help="Where to write, one game a line; - for standard output.")
@agents_from_too
@allow_peeking_too
@bot_limits_too
def record(
    agents: tuple[str, ...],
    rules: str,
    changes: tuple[str, ...],
    players: int | None,
    games: int,
    seed: int,
    out: str,
    **asked: Any,
) -> None:
    """Play games, one AGENT a seat in the order of the seats, and write them down."""
    from mtrain.arena.driver import record_games
    from mtrain.game.record import to_line
    from mtrain.think.registry import Registry, build, refuse_peeking

    resolved = rules_of(rules, changes)
    players = len(agents) if players is None else players
    resolved.hand_for(players)
    if len(agents) != players:
        raise click.UsageError(
            f"{len(agents)} agents for {players} players; name one agent a seat, in the order of the seats"
        )
    registry = Registry(asked["agents_from"], limits_of(asked))
    specs = [registry.parse(agent) for agent in agents]
    if not asked["allow_peeking"]:
        refuse_peeking(specs)
    bots = [build(spec) for spec in specs]
    if out != "-" and Path(out).exists():
        raise click.UsageError(f"{out} is there already; name a new file")
    try:
        with click.open_file(out, "w", encoding="utf-8") as file:
            for game in record_games(resolved, bots, games=games, seed=seed):
                file.write(to_line(game) + "\n")
        click.echo(f"mtrain: {'1 game' if games == 1 else f'{games:,} games'} in {out}", err=True)
    except OSError as error:
        fail(f"cannot write {out}: {error.strerror}", 2)
    except Trouble:
        if out != "-" and not Path(out).stat().st_size:
            Path(out).unlink()  # no game was finished: the name is free again
        raise


@click.command()
@click.argument("file", metavar="FILE")
@click.option("--show", "in_words", is_flag=True, help="Print the games in words.")
@click.option("--game", type=int, help="Only the game of this number.")
@click.option("--html", "page", metavar="OUT", help="Write the game as a page to step through.")
@click.option("--seat", type=int, help="Whose hand the page shows at first  [default: all hands]")
@json_too
def replay(file: str, in_words: bool, game: int | None, page: str | None, seat: int | None, as_json: bool) -> None:
    """Play the games recorded in FILE again and check every event by the rules.

    An unfinished game of `mtrain play` is checked as far as it goes.
    """
    from mtrain.game.record import RecordError, read_records, replayed, to_line
    from mtrain.show import saved
    from mtrain.show.sight import game_lines
    from mtrain.show.terminal import show, show_json

    if page is not None and Path(page).exists():
        raise click.UsageError(f"{page} is there already; name a new file")
    if seat is not None and page is None:
        raise click.UsageError("--seat says what a page shows at first; name the page with --html")
    games = rounds = events = respelt = 0
    try:
        with click.open_file(file, encoding="utf-8") as lines:
            for number, made, text in read_records(lines):
                if game is not None and made.get("game") != game:
                    continue
                on = made.get("format") == saved.PLAY_FORMAT
                if on and page is not None:
                    fail(f"the game in {file}, line {number}, is not finished; a page shows a finished game", 2)
                try:
                    again = saved.replayed(made) if on else replayed(made)
                    if in_words:
                        click.echo("\n".join(game_lines(made, saved.steps(made) if on else None)) + "\n")
                except RecordError as error:
                    raise RecordError(f"{file}, line {number}: {error}") from None
                games += 1
                if page is not None and games > 1:
                    more = "more than one game" if game is None else f"more than one game number {game}"
                    fail(f"{file} holds {more}; a page shows one: choose it with --game", 2)
                chosen = made
                rounds += len(made["rounds"])
                events += sum(len(round_["events"]) for round_ in made["rounds"])
                respelt += to_line(again) != text
    except OSError as error:
        fail(f"cannot read {file}: {error.strerror}", 2)
    except UnicodeDecodeError:
        fail(f"{file} is not UTF-8 text", 1)
    if not games:
        fail(f"{file} holds no game" + (f" number {game}" if game is not None else ""), 1)
    if page is not None:
        _write_page(chosen, page, seat)
    found = {"games": games, "rounds": rounds, "events": events, "same_bytes": games - respelt}
    if as_json:
        show_json(found)
    elif not in_words:
        show(
            ["games", "rounds", "events checked", "played to the same bytes"],
            [[f"{value:,}" for value in found.values()]],
        )


def _write_page(game: dict[str, Any], page: str, seat: int | None) -> None:
    from mtrain.show.replay import Replay

    text = Replay(game, seat).html()
    try:
        Path(page).write_text(text, encoding="utf-8")
    except OSError as error:
        fail(f"cannot write {page}: {error.strerror}", 2)
    click.echo(f"mtrain: game {game['game']} in {page}", err=True)


@click.command()
@click.argument("directory", metavar="DIR")
@click.argument("game", type=click.IntRange(0))
@click.option("--out", default="-", metavar="FILE", help="Where to write the record  [default: standard output]")
@click.option("--show", "in_words", is_flag=True, help="Print the game in words instead of its record.")
@agents_from_too
def again(directory: str, game: int, out: str, in_words: bool, agents_from: tuple[str, ...]) -> None:
    """Play the game of number GAME of the results in DIR again, and show its faults with their tracebacks.

    Numbers of games are in the tables, and beside the faults that a tournament prints.
    """
    from mtrain.arena.again import again
    from mtrain.game.record import to_line
    from mtrain.show.sight import game_lines

    if out != "-" and Path(out).exists():
        raise click.UsageError(f"{out} is there already; name a new file")
    found = again(directory, game, agents_from or None)
    for sentence in found.changed:
        click.echo(f"mtrain: warning: {sentence}", err=True)
    if found.record is not None:
        lines = game_lines(found.record) if in_words else [to_line(found.record)]
        try:
            with click.open_file(out, "w", encoding="utf-8") as file:
                file.writelines(f"{line}\n" for line in lines)
        except OSError as error:
            fail(f"cannot write {out}: {error.strerror}", 2)
    for sentence, traceback in found.faults:
        click.echo(f"{traceback}mtrain: {sentence}", err=True)
    if found.trouble:
        fail(found.trouble, 1)
    sys.exit(1 if found.faults else 0)


@click.command()
@rules_given
@click.option("--players", default=4, show_default=True, type=int)
@seed_given
@click.option("--deal", default=0, show_default=True, type=click.IntRange(0), help="Which deal of the seed.")
@click.option("--starter", default=0, show_default=True, type=int, help="The seat that starts.")
@click.option("--position", metavar="FILE", help="Start from a position in text instead of a deal.")
@click.option("--depth", default=5, show_default=True, type=click.IntRange(1), help="The longest sequence counted.")
@json_too
def perft(rules: str, changes: tuple[str, ...], position: str | None, depth: int, as_json: bool, **dealt: int) -> None:
    """Count the sequences of actions of a fixed deal, by their length."""
    from mtrain.game.engine import new_game
    from mtrain.game.positions import parse_position
    from mtrain.game.record import perft
    from mtrain.show.terminal import show, show_json

    try:
        if position is None:
            start = new_game(rules_of(rules, changes), **dealt)
        else:
            start = parse_position(Path(position).read_text(encoding="utf-8"))
    except OSError as error:
        fail(f"cannot read {position}: {error.strerror}", 2)
    except ValueError as error:
        fail(str(error), 2)
    counts = perft(start, depth)
    if as_json:
        show_json([{"depth": k + 1, "sequences": count} for k, count in enumerate(counts)])
    else:
        show(["depth", "sequences"], [[k + 1, f"{count:,}"] for k, count in enumerate(counts)])
