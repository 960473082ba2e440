"""Commands about difficulty levels: tune them, show them, verify them, measure them elsewhere, hand them on."""

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import click

from mtrain.arena.options import parted
from mtrain.cli.options import (
    agents_from_too,
    changes_of,
    fail,
    jobs_given,
    json_too,
    needs_out,
    options_from,
    quiet_too,
    resume_too,
    rules_given,
    seed_given,
)
from mtrain.cli.tournaments import broken_off, next_free
from mtrain.tuning.options import Like, Maximise, Tune


def _numbers(_: click.Context, parameter: click.Parameter, given: str | None) -> list[float] | None:
    if given is None:
        return None
    try:
        return [float(word) for word in given.split(",")]
    except ValueError:
        raise click.BadParameter(f"{given!r} is not a list of numbers, like 0.1,0.25,0.4") from None


@click.command()
@click.argument("strong", metavar="[AGENT", required=False)
@click.argument("weak", metavar="[WEAK]]", required=False)
@options_from(Like, only=("levels",))
@click.option(
    "--targets", callback=_numbers, metavar="SHARE,…", help="Share of the games each level wins, weakest first."
)
@options_from(Like, after="levels")
@options_from(Tune, to="top")
@click.option("--names", metavar="NAME,…", help="What the levels are called, weakest first  [default: 1,2,…]")
@options_from(Tune, only=("references", "max_step"))
@click.option(
    "--maximise", type=click.Choice(["pips", "win", "rank"]), help="Search AGENT's parameters for this instead."
)
@click.option("--space", multiple=True, metavar="PARAM=LOW..HIGH", help="With --maximise: what is searched; or A|B|C.")
@options_from(Maximise)
@rules_given
@options_from(Tune, only=("players", "games"))
@seed_given
@jobs_given
@click.option("--out", metavar="DIR", help="An empty or new directory  [default: the next free results/levels-NNN]")
@resume_too
@agents_from_too
@quiet_too
@json_too
@click.pass_context
def tune(
    context: click.Context,
    /,
    strong: str | None,
    weak: str | None,
    maximise: str | None,
    quiet: bool,
    as_json: bool,
    **asked: Any,
) -> None:
    """Tune AGENT into difficulty levels, or search its parameters.

    A dial is turned from AGENT, unweakened, to WEAK, the same with other numbers, until it is as strong as was asked
    for; then the levels are confirmed on fresh deals. With --maximise, candidates of AGENT are raced on common deals;
    the winner takes over from AGENT only if it is better on fresh ones.
    """
    needs_out(asked["resume"], asked["out"], "work")
    searched = ("space", "trials", "deals", "fresh")
    tuned = ("levels", "targets", "weakest", "beats", "top", "names", "max_step", "games")
    for name in tuned if maximise else searched:
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            other = "is about levels; leave out" if maximise else "needs"
            raise click.UsageError(f"--{name.replace('_', '-')} {other} --maximise")
    out, changes, rules = asked.pop("out"), changes_of(asked.pop("changes")), asked.pop("rules")
    folder = Path(out) if out else next_free("search" if maximise else "levels")
    space, names = asked.pop("space"), asked.pop("names")
    given = {name: value for name, value in asked.items() if value not in (None, ())}  # the rest holds as it is
    given |= {"rules": rules, "changes": changes}
    if maximise is None:
        given = {name: value for name, value in given.items() if name not in searched}
        _tune(strong, weak, folder, quiet, as_json, given | {"names": names})
        return
    if strong is None or weak is not None:
        raise click.UsageError("--maximise searches the parameters of one agent: name it, and it alone")
    given = {name: value for name, value in given.items() if name not in tuned} | {"objective": maximise}
    if "references" in given:
        given["against"] = given.pop("references")
    _maximise(strong, list(space), folder, quiet, as_json, given)


def _tune(
    strong: str | None, weak: str | None, folder: Path, quiet: bool, as_json: bool, asked: dict[str, Any]
) -> None:
    from mtrain.cli.terminal import show_levels
    from mtrain.errors import counted
    from mtrain.game.rules import override, preset
    from mtrain.report.terminal import show_json
    from mtrain.tuning import placing
    from mtrain.tuning.targets import wanted
    from mtrain.tuning.tune import run_tuning

    if strong is not None and weak is None:
        raise click.UsageError(f"name the weak end of the dial, too: {strong} with other numbers")
    like, options, how = parted(asked, Like, Tune)
    rules = override(preset(how.pop("rules")), how.pop("changes"))
    options["names"] = options["names"].split(",") if options["names"] is not None else None
    if options["names"] and not {"levels", "targets"} & set(like):
        like["levels"] = len(options["names"])
    plan = placing.plan_tuning(strong or placing.STRONG, weak or placing.WEAK, wanted(**like), rules, **options)
    games, seats = counted(plan.sizes.games, "game"), counted(plan.players, "seat")
    click.echo(f"mtrain: {plan.wanted}; {games} at most, {seats}", err=True)
    with _working(folder, quiet) as more:
        made = run_tuning(plan, folder, **how, **more)
    if as_json:
        show_json(made.levels.said)
    else:
        show_levels(made.levels)
    _draw(folder, made.levels)
    click.echo(f"mtrain: levels in {made.levels.path}, tables and figures beside it", err=True)
    if made.troubles:
        fail("; ".join(made.troubles), 1)


def _draw(folder: Path, levels: Any) -> None:
    """Draw the figures of levels beside their tables."""
    from mtrain.tuning import verify
    from mtrain.tuning.ladder_tables import level_tables
    from mtrain.tuning.level_plots import figures

    said = levels.conditions
    house = " with changes" if said.get("set") else ""
    caption = f"{said['players']} seats · {said['rules']} rules{house} · references: {', '.join(said['references'])}"
    figures(folder, level_tables(folder, levels.said), unit=verify.rules_of(levels).scoring, caption=caption)


@contextmanager
def _working(folder: Path, quiet: bool) -> Iterator[dict[str, Any]]:
    """Have what long work is told: what asks it to end, and who watches; if it breaks off, say how to go on."""
    from mtrain.arena.faults import Fault
    from mtrain.arena.run import Interrupted
    from mtrain.arena.workdir import Unwritten
    from mtrain.arena.workers import Lost
    from mtrain.cli.options import stop_signals
    from mtrain.cli.terminal import LevelsWatch

    try:
        with stop_signals() as interrupt, nullcontext() if quiet else LevelsWatch() as watch:
            yield {"interrupt": interrupt, "watch": watch}
    except Interrupted:
        broken_off("interrupted; what is finished is kept", folder, 130)
    except KeyboardInterrupt:
        broken_off("stopped; what was finished before is kept", folder, 130)
    except (Unwritten, Lost) as error:
        broken_off(str(error), folder, 1)
    except Fault as fault:
        fail(str(fault), 1)


def _maximise(agent: str, space: list[str], folder: Path, quiet: bool, as_json: bool, asked: dict[str, Any]) -> None:
    from mtrain.arena.faults import Fault
    from mtrain.arena.workdir import Unwritten
    from mtrain.cli.options import stop_signals
    from mtrain.cli.terminal import show_search, tell_trial
    from mtrain.report.terminal import records, show_json
    from mtrain.tuning.maximise import SearchInterrupted, maximise

    if not space:
        raise click.UsageError("--maximise needs a --space PARAM=LOW..HIGH to search")
    watch: Callable[[Any], None] | None = None if quiet else tell_trial
    try:
        with stop_signals() as interrupt:
            found = maximise(agent, space, out=folder, watch=watch, interrupt=interrupt, **asked)
    except SearchInterrupted:
        broken_off("interrupted; what has been measured is kept", folder, 130)
    except KeyboardInterrupt:
        broken_off("stopped; what was measured before is kept", folder, 130)
    except Unwritten as error:
        broken_off(str(error), folder, 1)
    except Fault as fault:
        fail(str(fault), 1)
    if as_json:
        show_json(
            {"winner": found.winner, "kept": found.kept, "sentence": found.sentence, "trials": records(found.trials)}
        )
    else:
        show_search(found)
    click.echo(f"mtrain: tables in {folder}", err=True)


@click.group()
def levels() -> None:
    """Show, verify, measure and hand on the levels of a FILE, or those that come with mtrain."""


def _read(file: str | None) -> Any:
    from mtrain.bots.level_file import SHIPPED, read_levels
    from mtrain.bots.registry import bundled

    return read_levels(bundled() / SHIPPED if file is None else file)


@levels.command()
@click.argument("file", required=False)
@json_too
def show(file: str | None, as_json: bool) -> None:
    """Print what FILE says of its levels, and warn if rules or agents have changed since."""
    from mtrain.cli.terminal import show_levels, show_written_elsewhere
    from mtrain.report.terminal import show_json
    from mtrain.tuning.verify import changes

    read = _read(file)
    if as_json:
        show_json(read.said)
    else:
        show_levels(read)
        show_written_elsewhere(read)
    for sentence in changes(read):
        click.echo(f"mtrain: warning: {sentence}", err=True)


@levels.command()
@click.argument("file", required=False)
@click.option("--json", "_", is_flag=True, default=True, help="As JSON, the one format there is.")
@click.option("--to", metavar="PATH", help="Write it there  [default: standard output]")
def export(file: str | None, to: str | None, _: bool) -> None:
    """Print the levels of FILE as JSON for a game to load: the agents, parameter by parameter, and their strength."""
    from mtrain.tuning.verify import exported

    text = json.dumps(exported(_read(file)), indent=2, ensure_ascii=False) + "\n"
    if to is None:
        click.echo(text, nl=False)
    else:
        from mtrain.stats.files import put

        put(Path(to), text.encode())


@contextmanager
def _kept(out: str | None) -> Iterator[Path]:
    """Have a directory for what is played: the one named, or one for now."""
    with ExitStack() as stack:
        yield Path(out) if out else Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mtrain-")))


@levels.command()
@click.argument("file", required=False)
@click.option("--deals", type=int, help="Deals that each level plays alone  [default: 300]")
@click.option("--pair-deals", type=int, help="Deals that it plays against the next lower  [default: 100]")
@click.option("--all-pairs", is_flag=True, help="Every level meets every other: the whole matrix.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Of the fresh deals  [default: the file's, plus 1]")
@click.option("--write", is_flag=True, help="Write the verdict and the times into FILE.")
@jobs_given
@click.option("--out", metavar="DIR", help="Keep what is played, tables and figures there  [default: nowhere]")
@resume_too
@quiet_too
@json_too
def verify(file: str | None, write: bool, out: str | None, quiet: bool, as_json: bool, **asked: Any) -> None:
    """Measure the levels of FILE again on fresh deals, and say which claims hold; exit 1 if one fails."""
    from mtrain.cli.terminal import show_claims
    from mtrain.report.terminal import records, show_json
    from mtrain.tuning import verify
    from mtrain.tuning.verify import write_verified

    needs_out(asked["resume"], out, "work")
    read = _read(file)
    given = {name: value for name, value in asked.items() if value is not None}
    with _kept(out) as folder:
        with _working(folder, quiet) as more:
            found = verify.verify(read, folder, **given, **more)
        if out:
            verify.write_tables(found, folder)
            _draw(folder, read)
    if as_json:
        show_json({"holds": found.holds, "claims": records(found.claims), "timing": records(found.timing)})
    else:
        show_claims(found.claims, found.timing, verify.rules_of(read).scoring)
    for sentence in found.changed:
        click.echo(f"mtrain: warning: {sentence}", err=True)
    if write:
        write_verified(read, found)
        click.echo(f"mtrain: written into {read.path}", err=True)
    if not found.holds:
        failed = found.claims[~found.claims["holds"]]
        fail(f"{len(failed)} of {len(found.claims)} claims fail: levels {', '.join(dict.fromkeys(failed['level']))}", 1)


@levels.command()
@click.argument("file", required=False)
@click.option(
    "--rules", "presets", multiple=True, metavar="PRESET", help="At these rules; may be repeated  [default: all]"
)
@click.option("--players", multiple=True, type=int, help="At so many seats; may be repeated  [default: 2, 4, 6, 8]")
@click.option("--deals", type=int, help="Deals for every level and table  [default: 100]")
@seed_given
@click.option("--write", is_flag=True, help="Write what is found into FILE.")
@jobs_given
@click.option("--out", metavar="DIR", help="Keep what is played there  [default: nowhere]")
@resume_too
@quiet_too
@json_too
def measure(
    file: str | None,
    presets: tuple[str, ...],
    players: tuple[int, ...],
    write: bool,
    out: str | None,
    quiet: bool,
    as_json: bool,
    **how: Any,
) -> None:
    """Measure the levels of FILE at other tables, and say where their order is not kept."""
    from mtrain.cli.terminal import show_elsewhere
    from mtrain.game.rules import PRESETS, preset
    from mtrain.report.terminal import records, show_json
    from mtrain.tuning import verify
    from mtrain.tuning.verify import write_elsewhere

    needs_out(how["resume"], out, "work")
    read = _read(file)
    asked = [(name, n) for name in presets or PRESETS for n in players or (2, 4, 6, 8)]
    places = [(name, n) for name, n in asked if players or n in preset(name).dealable()]
    with _kept(out) as folder, _working(folder, quiet) as more:
        given = {name: value for name, value in how.items() if value is not None}
        frame = verify.elsewhere(read, places, folder, **given, **more)
    if as_json:
        show_json(records(frame))
    else:
        show_elsewhere(frame)
    if write:
        write_elsewhere(read, frame, how["seed"])
        click.echo(f"mtrain: written into {read.path}", err=True)
