"""Commands about one game at a time: record, replay, again and perft."""

import sys
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

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
from mtrain.errors import RunError, UsageError

# ── Records and positions ─────────────────────────────────────────────────────────────────────────────


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
    from mtrain.bots.registry import Registry, build, refuse_peeking
    from mtrain.game.record import to_line

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
    except RunError:
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
    from mtrain.report.terminal import show, show_json
    from mtrain.table import saved
    from mtrain.table.view import game_lines

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
    from mtrain.table.replay_page import Replay

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
    from mtrain.arena.reproduce import again
    from mtrain.game.record import to_line
    from mtrain.table.view import game_lines

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
    from mtrain.game.moves import new_game
    from mtrain.game.positions import parse_position
    from mtrain.game.record import perft
    from mtrain.report.terminal import show, show_json

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


# ── Play ──────────────────────────────────────────────────────────────────────────────────────────────
#
# Commands for people at a table: a game against agents, the best train of a hand and what follows it.


@click.command()
@click.argument("hand", metavar="TILES")
@click.option("--start", required=True, type=int, help="The open end that the train begins at.")
@click.option(
    "--by", type=click.Choice(["tiles", "pips"]), default="tiles", show_default=True, help="What makes a train better."
)
@click.option("--nodes", type=click.IntRange(1), help="How far to search  [default: far enough for 25 tiles]")
@click.option("--watch", is_flag=True, help="Follow a real game: say what you lay and draw; `help` lists the entries.")
@json_too
def train(hand: str, start: int, by: Any, nodes: int | None, watch: bool, as_json: bool) -> None:
    """Print the best train that the TILES of a hand can make, and what to do with the rest.

    Tiles are written 12-5, in either order: mtrain train "12-5 5-3 3-3 9-2" --start 12
    """
    from mtrain.game.tiles import tile_text
    from mtrain.report.terminal import show, show_json
    from mtrain.strategy.longest_train import NODES, parse_hand
    from mtrain.table.companion import PROMPT, Companion, advice
    from mtrain.table.people import Entries, converse, steady

    if watch and as_json:
        raise click.UsageError("--watch talks, and --json prints one answer; choose one of them")
    companion = Companion(parse_hand(hand), start, by, NODES if nodes is None else nodes)
    if watch:
        steady()
        entries = Entries()
        entries.say(companion.text())
        converse(entries, PROMPT, companion.enter)
        return
    found = companion.train
    if as_json:
        show_json(
            {
                "train": [f"{joined}-{left}" for joined, left in found.ends()],
                "pips": found.pips,
                "rest": [tile_text(tile) for tile in found.rest],
                "rest_pips": found.rest_pips,
                "advice": advice(found),
                "proved": found.proved,
                "nodes": found.nodes,
            }
        )
        return
    rest = " ".join(tile_text(tile) for tile in found.rest)
    proof = (
        f"no train is better (proved in {found.nodes:,} steps)"
        if found.proved
        else f"the best found in {found.nodes:,} steps; not proved: give it more --nodes"
    )
    show(
        ["", "tiles", "number", "pips"],
        [
            ["train", str(found) or "none", len(found.tiles), found.pips],
            ["rest", rest or "none", len(found.rest), found.rest_pips],
        ],
        note=f"{proof}\nadvice: {advice(found)}",
    )


@click.command()
@click.argument("agents", nargs=-1)
@rules_given
@click.option("--players", type=int, help="Seats  [default: as many as people and agents]")
@click.option("--people", type=click.IntRange(1, 10), help="People at the keyboard  [default: one, or one a --me]")
@click.option("--me", "names", multiple=True, metavar="NAME", help="A person's name; once for each.")
@click.option("--rounds", type=int, help="Rounds of the game  [default: what the rules say]")
@seed_given
@click.option("--deal", default=0, show_default=True, type=click.IntRange(0), help="Which deal of the seed.")
@click.option("--save", metavar="FILE", help="Keep the game in FILE, choice by choice; a finished game is a record.")
@click.option("--resume", metavar="FILE", help="Go on with the game that FILE holds, and keep it there.")
@agents_from_too
@allow_peeking_too
@bot_limits_too
def play(
    agents: tuple[str, ...],
    save: str | None,
    resume: str | None,
    agents_from: tuple[str, ...],
    allow_peeking: bool,
    **given: Any,
) -> None:
    """Play against AGENTS, or levels, at this terminal; `help` there lists what can be entered.

    People sit in the first seats, the agents in the others, in the order in which they are named. The same seed and the
    same entries give the same game.
    """
    from mtrain.bots.registry import Registry
    from mtrain.report.terminal import console_of
    from mtrain.table import saved
    from mtrain.table.people import Entries, check_seats, people_named, seated, seated_again, steady
    from mtrain.table.play import Playing
    from mtrain.table.session import Session

    context, limits = click.get_current_context(), limits_of(given)
    if resume is not None:
        for name in ("agents", "rules", "changes", "players", "people", "names", "rounds", "seed", "deal", "save"):
            if context.get_parameter_source(name) != ParameterSource.DEFAULT:
                out = {"agents": "the agents", "changes": "--set", "names": "--me"}.get(name, f"--{name}")
                raise click.UsageError(f"--resume goes on with the game in {resume} as it is; leave out {out}")
        said = saved.read(resume)
        agents_from = agents_from or tuple(said["agents_from"])
        players_there, changed = seated_again(said, Registry(agents_from, limits), allow_peeking)
        for sentence in changed:
            click.echo(f"mtrain: warning: {sentence}", err=True)
        try:
            session = saved.resumed(said, players_there)
        except UsageError as error:
            raise click.UsageError(f"{resume}: {error}") from None
        save = resume
    else:
        rounds = () if given["rounds"] is None else (f"rounds={given['rounds']}",)
        rules = rules_of(given["rules"], (*given["changes"], *rounds))
        called = people_named(given["names"], given["people"])
        check_seats(rules, len(called), len(agents), given["players"])
        if save is not None:
            _new(save)
        seats = seated(called, agents, Registry(agents_from, limits), allow_peeking)
        session = Session(rules, seats, seed=given["seed"], deal=given["deal"])
    steady()
    file = None if save is None else Path(save)
    sys.exit(Playing(session, Entries(), console_of(sys.stdout), file, agents_from).play())


def _new(save: str) -> None:
    """Refuse a file that is there, or that cannot be."""
    path = Path(save)
    if path.exists():
        raise click.UsageError(f"{save} is there already; name a new file, or go on with `mtrain play --resume {save}`")
    if not path.parent.is_dir():
        raise click.UsageError(f"{save} cannot be written: there is no folder {path.parent}")
