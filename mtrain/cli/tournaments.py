"""Commands about many games: tournaments, experiments, and reports of them."""

import io
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

import click

from mtrain.arena.options import Comparison, Options, parted
from mtrain.cli.options import (
    WORDS,
    agents_from_too,
    allow_peeking_too,
    anchor_given,
    backend_given,
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
    workers_given,
)

# ── Tournaments and reports ───────────────────────────────────────────────────────────────────────────


@click.command()
@click.argument("agents", nargs=-1, required=True)
@rules_given
@options_from(Options, to="anchor")
@workers_given
@click.option("--out", metavar="DIR", help="An empty or new directory  [default: the next free results/tournament-NNN]")
@resume_too
@click.option("--figures", is_flag=True, help="Draw the figures and the page, too (`mtrain report` does it later).")
@options_from(Options, after="anchor")
@quiet_too
@json_too
def tournament(
    agents: tuple[str, ...],
    rules: str,
    changes: tuple[str, ...],
    out: str | None,
    figures: bool,
    quiet: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Play a tournament of the AGENTS and print the standings.

    With more agents than seats every combination meets equally often; with fewer, seats are filled by repetition
    in equal shares. With --focus, or a --lineup for every table wanted, only those meet; with --self-play one agent
    meets itself, and every interval should hold 0 pips and an equal share of the games.
    """
    from mtrain.arena.spec import plan
    from mtrain.cli.options import stop_signals
    from mtrain.errors import counted

    wanted, how = parted(given, Options)
    needs_out(how["resume"], out)
    t = plan(agents, rules, changes_of(changes), **wanted)
    if (games := wanted["games"]) is not None and t.schedule.n_games != games:
        whole = t.schedule.n_games
        click.echo(
            f"mtrain: {counted(games, 'game')} asked for; only whole blocks count, so {whole:,} are played", err=True
        )
    with stop_signals() as interrupt:
        how["interrupt"] = interrupt
        _play(t, Path(out) if out else next_free("tournament"), figures, quiet, as_json, how)


@click.command()
@click.argument("experiment", metavar="FILE.toml")
@workers_given
@click.option(
    "--out", metavar="DIR", help="An empty or new directory  [default: results/NAME beside the experiment's folder]"
)
@resume_too
@click.option("--part", metavar="NAME", help="Only this part of an experiment that has several.")
@quiet_too
@json_too
def run(experiment: str, out: str | None, part: str | None, quiet: bool, as_json: bool, **how: Any) -> None:
    """Play the tournament that an experiment file describes, and draw its figures.

    Parts of an experiment are played into folders of their own, and a table and a figure are made of all of them.
    """
    from mtrain.arena.experiment import begin, read_experiment
    from mtrain.cli.options import stop_signals

    found = read_experiment(experiment)
    chosen = found.parts if part is None else {part: found.part(part)}
    folder = Path(out) if out else Path("results") / Path(experiment).stem
    with stop_signals() as interrupt:
        how["interrupt"] = interrupt
        if found.whole:
            _play(found.parts[""], folder, True, quiet, as_json, how)
            return
        begin(found, folder, chosen, how["resume"])
        for name, t in chosen.items():
            if interrupt.is_set():
                broken_off(f"interrupted before part {name!r}", folder, 130)
            _play_part(t, folder, name, quiet, as_json, how)
    _print_parts(folder, as_json, printed=True)
    click.echo(
        f"mtrain: the table of all parts is {folder / 'parts.parquet'}, its figure in {folder / 'figures'}", err=True
    )


def _play_part(t: Any, folder: Path, name: str, quiet: bool, as_json: bool, how: dict[str, Any]) -> None:
    """Play a part of an experiment, print its standings and make the table of all parts again."""
    from mtrain.report.page import report_parts

    results = played(t, folder / name, True, quiet, as_json, how, folder)
    report_parts(folder)
    try:
        if not as_json:
            _print_standings(results, False)
    except (BrokenPipeError, SystemExit):  # nobody reads on, and the other parts are wanted all the same
        sys.stdout = io.StringIO()


def next_free(kind: str) -> Path:
    """Return the next directory of this kind in `results` that is not there yet."""
    taken = [int(path.name[-3:]) for path in Path("results").glob(f"{kind}-[0-9][0-9][0-9]")]
    return Path("results") / f"{kind}-{max(taken, default=0) + 1:03d}"


def _play(t: Any, out: Path, figures: bool, quiet: bool, as_json: bool, how: dict[str, Any]) -> None:
    """Play a planned tournament, show its progress and print its standings."""
    _print_standings(played(t, out, figures, quiet, as_json, how, out), as_json)
    if figures:
        click.echo(f"mtrain: tables in {out}, figures in {out / 'figures'}, page in {out / 'report.html'}", err=True)
    else:
        click.echo(f"mtrain: tables in {out}; `mtrain report {out}` draws the figures and writes the page", err=True)


def played(
    t: Any,
    out: Path,
    figures: bool,
    quiet: bool,
    as_json: bool,
    how: dict[str, Any],
    folder: Path,
    tell: Callable[[Any, bool], None] | None = None,
) -> Any:
    """Play a planned tournament, show its progress and draw its figures; return its results.

    A run that breaks off prints what it has so far (by `tell`; None: the standings), and the command to go on into
    `folder`.
    """
    from contextlib import nullcontext, suppress

    from mtrain.arena import run as arena
    from mtrain.arena.faults import Fault
    from mtrain.arena.workdir import Unwritten
    from mtrain.arena.workers import Lost
    from mtrain.cli.terminal import Watch

    chunks = arena.shared(t, how["share"])
    arena.RUN.ready(out, how["resume"])
    click.echo(f"mtrain: {t.sentence()}", err=True)
    if how["share"]:
        number, of = how["share"]
        click.echo(f"mtrain: share {number} of {of}: {sum(map(t.n_games_of, chunks)):,} of these games", err=True)
    try:
        with nullcontext() if quiet else Watch(t) as watch:
            results = arena.run(t, out, watch=watch, **how)
        if figures:  # before anything is printed: whoever reads the table may stop listening
            from mtrain.report.page import show

            show(results)
        return results
    except arena.Interrupted as interrupted:
        with suppress(KeyboardInterrupt):  # whoever is impatient still wants the command to go on
            if interrupted.results:
                (tell or _print_standings)(interrupted.results, as_json)
        broken_off("interrupted; what is finished is kept", folder, 130)
    except KeyboardInterrupt:
        broken_off("stopped; what was finished before is kept", folder, 130)
    except (Unwritten, Lost) as error:
        broken_off(str(error), folder, 1)
    except Fault as fault:
        number = t.schedule.number(fault.deal, fault.seating)
        fail(f"{fault}; `mtrain again {out} {number}` plays that game again", 1)


def broken_off(sentence: str, out: Path, status: int) -> NoReturn:
    """Say the command that goes on with a run, and end."""
    context = click.get_current_context()
    words, given = context.meta[WORDS], context.params
    more = [] if given["resume"] else ["--resume"]
    more += [] if given["out"] else ["--out", str(out)]
    end = words.index("--") if "--" in words else len(words)
    again = shlex.join(["mtrain", *words[:end], *more, *words[end:]])
    fail(f"{sentence}; go on with:\n{again}", status)


def _print_standings(results: Any, as_json: bool) -> None:
    """Print the standings of some results, and what is to be warned of."""
    from mtrain.report.terminal import records, show_comparison, show_failures, show_json, show_standings, show_stopping
    from mtrain.stats.stopping import Better

    if as_json:
        adjusted = ["agent", "adjusted", "adjusted_lo", "adjusted_hi"]
        stopped = results.rule is not None
        shown = results.standings.merge(results.stopping[adjusted], how="left") if stopped else results.standings
        show_json(records(shown))
    else:
        show_standings(results.standings, results.title, results.unit)
        if len(results.failures):
            policy = results.manifest.on_fault or ""
            show_failures(results.failures, results.path, policy, results.summary.spoilt)
        if isinstance(results.rule, Better):
            show_comparison(results.comparison, results.unit)
        elif results.rule is not None:
            show_stopping(results.stopping, str(results.rule), results.unit)
    if results.null_check:
        click.echo(f"mtrain: {results.null_check}", err=True)
    for warning in results.warnings:
        click.echo(f"mtrain: warning: {warning}", err=True)


def _print_parts(folder: Path, as_json: bool, printed: bool = False) -> None:
    """Print the standings of all parts of an experiment, or only what is left to say once each is `printed`."""
    from mtrain.report.terminal import records, show_json
    from mtrain.stats.parts import read_parts

    parts = read_parts(folder)
    if as_json:
        show_json(records(parts.standings))
    elif not printed:
        for results in parts.results.values():
            _print_standings(results, False)
    for name in parts.missing:
        click.echo(f"mtrain: warning: part {name!r} has not been played to the end and is left out", err=True)


@click.command()
@click.argument("out", metavar="OUT")
@click.argument("directories", metavar="DIR…", nargs=-1, required=True)
@json_too
def merge(out: str, directories: tuple[str, ...], as_json: bool) -> None:
    """Put the runs in each DIR, shares of one tournament, together in OUT, and print the standings.

    The merged run has the bytes of one that was played in one place. If shares are missing, it can be gone on with:
    the command that began it, with --out OUT --resume and without --share, plays the rest.
    """
    from mtrain.arena.merge import merge as put_together
    from mtrain.stats.parts import Parts

    made = put_together(out, directories)
    if isinstance(made, Parts):
        _print_parts(Path(out), as_json)
    else:
        _print_standings(made, as_json)
        if not made.manifest.finished:
            again = f"{made.manifest.command} --out {shlex.quote(out)} --resume"
            click.echo(f"mtrain: what is missing is played by:\n{again}", err=True)
    click.echo(f"mtrain: tables in {out}", err=True)


@click.command()
@click.argument("directory", metavar="DIR")
@click.option("--table", "wanted", metavar="NAME", help="Only print this table (`--table help` lists them all).")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print it as Markdown, with what it rests on.")
@click.option("--columns", metavar="NAME,NAME…", help="In Markdown, these columns of it.")
@anchor_given
@json_too
def report(
    directory: str, wanted: str | None, as_markdown: bool, columns: str | None, anchor: str | None, as_json: bool
) -> None:
    """Make the tables, figures and page of DIR again from its games and rounds alone; of each part, if it has parts.

    The page is DIR/report.html. Of a run that goes on, only the page is written. An --anchor stays: it is written
    into the manifest. With --table nothing is written: one table is made from the games and printed.
    """
    from mtrain.report import page as study
    from mtrain.stats.parts import is_parts
    from mtrain.stats.results import read

    if columns and not as_markdown:
        raise click.UsageError("--columns chooses the columns of --markdown; give both")
    if as_markdown and as_json:
        raise click.UsageError("--markdown and --json are two ways to print a table; give one")
    if wanted is not None:
        if anchor is not None:
            raise click.UsageError("--table prints what there is, and --anchor changes it; run one after the other")
        _print_table(directory, wanted, columns.split(",") if columns else (), as_markdown, as_json)
        return
    if as_markdown:
        raise click.UsageError("--markdown is about one table; name it with --table")
    written = study.report(directory, anchor)
    if is_parts(directory):
        _print_parts(Path(directory), as_json)
    else:
        _print_standings(read(directory), as_json)
    for path in written:
        click.echo(f"mtrain: wrote {path}", err=True)


def _print_table(directory: str, name: str, columns: Sequence[str], as_markdown: bool, as_json: bool) -> None:
    """Print one table of a tournament's results, made again from its games where they are there."""
    from mtrain.report.sections import SECTIONS, section
    from mtrain.report.sheet import markdown, sheet
    from mtrain.report.terminal import records, show, show_json, show_sheet
    from mtrain.stats.results import read

    if name == "help":
        show(["table", "a row is"], [[each.name, each.table.row] for each in SECTIONS])
        return
    chosen = section(name)
    results = read(directory)
    if not results.tables_alone:
        results = read(directory, fresh=True)
    if as_markdown:
        click.echo(markdown(results, name, columns))
    elif as_json:
        show_json(records(chosen.wanted(results)))
    else:
        laid = sheet(chosen.table, chosen.wanted(results), results.unit)
        show_sheet(laid, f"{results.title} · {chosen.heading}")
    for warning in results.warnings:
        click.echo(f"mtrain: warning: {warning}", err=True)


# ── Comparisons ───────────────────────────────────────────────────────────────────────────────────────
#
# Commands about differences: is an agent better than another, how do two results differ, how much does it take.


@click.command()
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@click.option("--better", type=float, help="Pips/round by which A is to be better  [default: 0.5]")
@options_from(Comparison, only=("beside",))
@rules_given
@options_from(Options, only=("players",))
@options_from(Comparison, after="beside")
@click.option("--max-deals", type=int, help="Blocks after which it is inconclusive  [default: 10000]")
@seed_given
@jobs_given
@backend_given
@click.option("--out", metavar="DIR", help="An empty or new directory  [default: the next free results/comparison-NNN]")
@resume_too
@agents_from_too
@allow_peeking_too
@quiet_too
@json_too
@click.pass_context
def compare(
    context: click.Context,
    /,
    one: str,
    other: str,
    better: float | None,
    out: str | None,
    quiet: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Play A against B until a sequential test can tell whether A is better; or compare the results in two directories.

    As agents, the two share the seats of the table equally, or sit with those named by --with. As directories of
    results, each agent of A is held against the same in B: deal by deal, if both played the same deals.
    """
    places = [text for text in (one, other) if _is_place(text, given["agents_from"])]
    if places:
        _compare_results(context, one, other, places, as_json)
        return
    own, wanted, how = parted(given, Comparison, Options)
    needs_out(how["resume"], out)
    from mtrain.arena.tournament import plan_comparison
    from mtrain.cli.options import stop_signals

    rules, changes, deals = how.pop("rules"), changes_of(how.pop("changes")), how.pop("max_deals")
    wanted |= {"changes": changes, "deals": deals}
    t = plan_comparison(one, other, 0.5 if better is None else better, rules, **own, **wanted)
    folder = Path(out) if out else next_free("comparison")
    with stop_signals() as interrupt:
        results = played(t, folder, False, quiet, as_json, how | {"share": None, "interrupt": interrupt}, folder, _tell)
    _tell(results, as_json)
    click.echo(f"mtrain: tables in {folder}; `mtrain report {folder}` draws the figures", err=True)


def _tell(results: Any, as_json: bool) -> None:
    """Print what a sequential test says, be it finished or not."""
    from mtrain.report.terminal import records, show_comparison, show_json

    if as_json:
        show_json(records(results.comparison)[0])
    else:
        show_comparison(results.comparison, results.unit)
    for warning in results.warnings:
        click.echo(f"mtrain: warning: {warning}", err=True)


def _is_place(text: str, agents_from: tuple[str, ...]) -> bool:
    """Is a directory meant, and no agent? One that holds results, a path, or one that is there and no agent's name."""
    from mtrain.stats.manifest import FILE, PARTS_FILE

    if any((Path(text) / name).is_file() for name in (FILE, PARTS_FILE)):
        return True
    if not Path(text).is_dir():
        return Path(text).name != text and not set(":@") & set(text)
    from mtrain.bots.registry import Registry

    return text not in Registry(agents_from).origins


def _option(context: click.Context, name: str) -> str:
    return next(option.opts[0] for option in context.command.params if option.name == name)


def _compare_results(context: click.Context, one: str, other: str, places: list[str], as_json: bool) -> None:
    """Compare the results in two directories; refuse where one is none, or options are given that mean nothing here."""
    from mtrain.report.terminal import records, show_compared, show_json
    from mtrain.stats.compare import caveats, compare_results
    from mtrain.stats.results import read

    opened = [read(place) for place in places]
    if len(opened) == 1:
        word = other if places == [one] else one
        raise click.UsageError(
            f"{places[0]} holds results, and there is no directory {word}; name two agents or two directories"
        )
    first, second = opened
    for name in context.params:
        chosen = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if chosen and name not in ("one", "other", "as_json"):
            spare = _option(context, name)
            raise click.UsageError(f"{one} and {other} hold results, which are compared as they are; leave out {spare}")
    frame = compare_results(first, second)
    if as_json:
        show_json(records(frame))
    else:
        show_compared(frame, one, other, first.unit)
    for sentence in caveats(first, second):
        click.echo(f"mtrain: warning: {sentence}", err=True)
    for results in (first, second):
        for warning in results.warnings:
            click.echo(f"mtrain: warning: {results.path}: {warning}", err=True)


@click.command()
@click.argument("pilot", metavar="DIR")
@click.option("--agents", nargs=2, metavar="A B", help="Two agents of DIR, by their labels  [default: its only two]")
@click.option("--difference", default=0.5, show_default=True, type=float, help="Pips/round to be told from none.")
@click.option("--power", "wanted", default=0.9, show_default=True, type=float, help="Probability of finding it.")
@click.option("--alpha", default=0.05, show_default=True, type=float, help="One-sided error: found, though it is not.")
@json_too
def power(
    pilot: str, agents: tuple[str, str] | None, difference: float, wanted: float, alpha: float, as_json: bool
) -> None:
    """Say how many blocks, games and minutes a difference needs, judging by the pilot in DIR."""
    from mtrain.report.terminal import records, show_json, show_power
    from mtrain.stats import compare as study
    from mtrain.stats.results import read

    results = read(pilot)
    frame = study.power(results, agents or None, difference=difference, power=wanted, alpha=alpha)
    if as_json:
        show_json(records(frame))
        return
    one, other = agents or results.labels
    title = f"to find {one} better than {other} by {difference:g} {results.unit}/round"
    show_power(frame, title, (alpha, 1 - wanted))
