"""Commands for people at a table: a game against agents, the best train of a hand and what follows it."""

import sys
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from mtrain.cli.options import (
    agents_from_too,
    allow_peeking_too,
    bot_limits_too,
    json_too,
    limits_of,
    rules_given,
    rules_of,
    seed_given,
)
from mtrain.errors import Mistake


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
    from mtrain.show.companion import PROMPT, Companion, advice
    from mtrain.show.entries import Entries, converse, steady
    from mtrain.show.terminal import show, show_json
    from mtrain.think.trail import NODES, parse_hand

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
    from mtrain.show import saved
    from mtrain.show.entries import Entries, steady
    from mtrain.show.playing import Playing
    from mtrain.show.seating import check_seats, people_named, seated, seated_again
    from mtrain.show.session import Session
    from mtrain.show.terminal import console_of
    from mtrain.think.registry import Registry

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
        except Mistake as error:
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
