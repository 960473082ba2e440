"""Commands about many games: tournaments, experiments, and reports of them."""

import io
import sys
from pathlib import Path
from typing import Any

import click

from mtrain.cli.options import (
    agents_from_too,
    allow_peeking_too,
    bot_limits_too,
    changes_of,
    fail,
    jobs_given,
    json_too,
    on_fault_given,
    quiet_too,
    rules_given,
    seed_given,
)


@click.command()
@click.argument("agents", nargs=-1, required=True)
@rules_given
@click.option("--players", default=4, show_default=True, type=int, help="Seats at a table.")
@click.option("--focus", metavar="AGENT", help="One of the AGENTS, by its label, meets each of the others alone.")
@click.option(
    "--lineup",
    "lineups",
    multiple=True,
    metavar="'AGENT AGENT …'",
    help="Who sits at a table, whatever the seats: labels with spaces between; may be repeated.",
)
@click.option("--deals", type=int, help="Deals for every line-up, each played in all its seatings  [default: 100]")
@click.option("--games", type=int, help="Instead of --deals: whole blocks that hold at least so many games.")
@seed_given
@jobs_given
@click.option("--out", metavar="DIR", help="An empty or new directory  [default: the next free results/tournament-NNN]")
@click.option("--figures", is_flag=True, help="Draw the figures, too (`mtrain report` does it later).")
@agents_from_too
@allow_peeking_too
@on_fault_given
@bot_limits_too
@quiet_too
@json_too
def tournament(
    agents: tuple[str, ...],
    rules: str,
    changes: tuple[str, ...],
    players: int,
    focus: str | None,
    lineups: tuple[str, ...],
    deals: int | None,
    games: int | None,
    seed: int,
    jobs: int | None,
    out: str | None,
    figures: bool,
    agents_from: tuple[str, ...],
    allow_peeking: bool,
    on_fault: str,
    quiet: bool,
    as_json: bool,
    **bot_limits: Any,
) -> None:
    """Play a tournament of the AGENTS and print the standings.

    With more agents than seats every combination meets equally often; with fewer, seats are filled by repetition
    in equal shares. With --focus, or a --lineup for every table wanted, only those meet.
    """
    from mtrain.arena.tournament import plan

    t = plan(
        agents,
        rules,
        changes=changes_of(changes),
        players=players,
        focus=focus,
        lineups=[lineup.split() for lineup in lineups] or None,
        deals=deals,
        games=games,
        seed=seed,
        agents_from=agents_from,
        allow_peeking=allow_peeking,
        on_fault=on_fault,
        **bot_limits,
    )
    if games is not None and t.schedule.n_games != games:
        click.echo(
            f"mtrain: {games:,} games asked for; only whole blocks count, so {t.schedule.n_games:,} are played",
            err=True,
        )
    _play(t, Path(out) if out else _next_free(), jobs, figures, quiet, as_json)


@click.command()
@click.argument("experiment", metavar="FILE.toml")
@jobs_given
@click.option(
    "--out", metavar="DIR", help="An empty or new directory  [default: results/NAME beside the experiment's folder]"
)
@click.option("--part", metavar="NAME", help="Only this part of an experiment that has several.")
@quiet_too
@json_too
def run(experiment: str, jobs: int | None, out: str | None, part: str | None, quiet: bool, as_json: bool) -> None:
    """Play the tournament that an experiment file describes, and draw its figures.

    Parts of an experiment are played into folders of their own, and a table and a figure are made of all of them.
    """
    from mtrain.arena.experiment import begin, read_experiment

    found = read_experiment(experiment)
    chosen = found.parts if part is None else {part: found.part(part)}
    folder = Path(out) if out else Path("results") / Path(experiment).stem
    if found.whole:
        _play(found.parts[""], folder, jobs, True, quiet, as_json)
        return
    from mtrain.study.report import report_parts

    begin(found, folder, chosen)
    for name, t in chosen.items():
        results = _played(t, folder / name, jobs, True, quiet)
        report_parts(folder)
        try:
            if not as_json:
                _print_standings(results, False)
        except (BrokenPipeError, SystemExit):  # nobody reads on, and the other parts are wanted all the same
            sys.stdout = io.StringIO()
    _print_parts(folder, as_json, printed=True)
    click.echo(
        f"mtrain: the table of all parts is {folder / 'parts.parquet'}, its figure in {folder / 'figures'}", err=True
    )


def _next_free() -> Path:
    taken = [int(path.name[-3:]) for path in Path("results").glob("tournament-[0-9][0-9][0-9]")]
    return Path("results") / f"tournament-{max(taken, default=0) + 1:03d}"


def _play(t: Any, out: Path, jobs: int | None, figures: bool, quiet: bool, as_json: bool) -> None:
    """Play a planned tournament, show its progress and print its standings."""
    _print_standings(_played(t, out, jobs, figures, quiet), as_json)
    if figures:
        click.echo(f"mtrain: tables in {out}, figures in {out / 'figures'}", err=True)
    else:
        click.echo(f"mtrain: tables in {out}; `mtrain report {out}` draws the figures", err=True)


def _played(t: Any, out: Path, jobs: int | None, figures: bool, quiet: bool) -> Any:
    """Play a planned tournament, show its progress and draw its figures; return its results."""
    from contextlib import nullcontext

    from mtrain.arena import run as arena
    from mtrain.arena.faults import Fault
    from mtrain.show.terminal import Watch

    arena.ready(out)
    click.echo(f"mtrain: {t.sentence()}", err=True)
    with nullcontext() if quiet else Watch(t) as watch:
        try:
            results = arena.run(t, out, jobs=jobs, watch=watch)
        except KeyboardInterrupt:
            kept = any((out / "games.parquet").glob("part-*.parquet"))
            said = f"the games finished so far are in {out}, and `mtrain report {out}` reads them"
            fail(f"interrupted; {said if kept else 'no chunk of games was finished'}", 130)
        except Fault as fault:
            number = t.schedule.number(fault.deal, fault.seating)
            fail(f"{fault}; `mtrain again {out} {number}` plays that game again", 1)
    if figures:  # before anything is printed: whoever reads the table may stop listening
        from mtrain.study import plots

        plots.save(results, out / "figures")
    return results


def _print_standings(results: Any, as_json: bool) -> None:
    """Print the standings of some results, and what is to be warned of."""
    from mtrain.show.terminal import records, show_failures, show_json, show_standings

    if as_json:
        show_json(records(results.standings))
    else:
        show_standings(results.standings, results.title, results.unit)
        if len(results.failures):
            policy = results.manifest.get("on_fault", "")
            show_failures(results.failures, results.path, policy, results.summary.spoilt)
    for warning in results.warnings:
        click.echo(f"mtrain: warning: {warning}", err=True)


def _print_parts(folder: Path, as_json: bool, printed: bool = False) -> None:
    """Print the standings of all parts of an experiment, or only what is left to say once each is `printed`."""
    from mtrain.show.terminal import records, show_json
    from mtrain.study.parts import read_parts

    parts = read_parts(folder)
    if as_json:
        show_json(records(parts.standings))
    elif not printed:
        for results in parts.results.values():
            _print_standings(results, False)
    for name in parts.missing:
        click.echo(f"mtrain: warning: part {name!r} has not been played to the end and is left out", err=True)


@click.command()
@click.argument("directory", metavar="DIR")
@json_too
def report(directory: str, as_json: bool) -> None:
    """Make the tables and figures of DIR again from its games and rounds alone; of each part, if it has parts."""
    from mtrain.study import report as study
    from mtrain.study.parts import is_parts
    from mtrain.study.results import read

    written = study.report(directory)
    if is_parts(directory):
        _print_parts(Path(directory), as_json)
    else:
        _print_standings(read(directory), as_json)
    for path in written:
        click.echo(f"mtrain: wrote {path}", err=True)
