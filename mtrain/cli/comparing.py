"""Commands about differences: is an agent better than another, how do two results differ, how much does it take."""

from pathlib import Path
from typing import Any

import click

from mtrain.arena.options import Comparison, Options, parted
from mtrain.cli.options import (
    agents_from_too,
    allow_peeking_too,
    backend_given,
    changes_of,
    jobs_given,
    json_too,
    needs_out,
    options_from,
    quiet_too,
    resume_too,
    rules_given,
    seed_given,
)
from mtrain.cli.tournaments import next_free, played


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
    from mtrain.arena.comparison import plan_comparison
    from mtrain.cli.signals import stop_signals

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
    from mtrain.show.terminal import records, show_json
    from mtrain.show.verdicts import show_comparison

    if as_json:
        show_json(records(results.comparison)[0])
    else:
        show_comparison(results.comparison, results.unit)
    for warning in results.warnings:
        click.echo(f"mtrain: warning: {warning}", err=True)


def _is_place(text: str, agents_from: tuple[str, ...]) -> bool:
    """Is a directory meant, and no agent? One that holds results, a path, or one that is there and no agent's name."""
    from mtrain.study.manifest import FILE, PARTS_FILE

    if any((Path(text) / name).is_file() for name in (FILE, PARTS_FILE)):
        return True
    if not Path(text).is_dir():
        return Path(text).name != text and not set(":@") & set(text)
    from mtrain.think.registry import Registry

    return text not in Registry(agents_from).origins


def _option(context: click.Context, name: str) -> str:
    return next(option.opts[0] for option in context.command.params if option.name == name)


def _compare_results(context: click.Context, one: str, other: str, places: list[str], as_json: bool) -> None:
    """Compare the results in two directories; refuse where one is none, or options are given that mean nothing here."""
    from mtrain.show.terminal import records, show_json
    from mtrain.show.verdicts import show_compared
    from mtrain.study.comparing import caveats, compare_results
    from mtrain.study.results import read

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
    from mtrain.show.terminal import records, show_json
    from mtrain.show.verdicts import show_power
    from mtrain.study import power as study
    from mtrain.study.results import read

    results = read(pilot)
    frame = study.power(results, agents or None, difference=difference, power=wanted, alpha=alpha)
    if as_json:
        show_json(records(frame))
        return
    one, other = agents or results.labels
    title = f"to find {one} better than {other} by {difference:g} {results.unit}/round"
    show_power(frame, title, (alpha, 1 - wanted))
