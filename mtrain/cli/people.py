"""Commands for people at a table: the best train of a hand, and the companion that follows it."""

from typing import Any

import click

from mtrain.cli.options import json_too


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
