"""The command line: each command parses, calls one function and prints one table.

Exit status: 0 done, 1 the work found something wrong, 2 the call was wrong, 130 interrupted. What a command needs
is imported when it runs, so that help comes at once.
"""

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from mtrain import __version__
from mtrain.errors import Mistake, Trouble


class _Group(click.Group):
    """A group whose commands answer a wrong call with one sentence, and never with a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Mistake as error:
            _fail(str(error), 2)
        except Trouble as error:
            _fail(str(error), 1)


def _fail(sentence: str, status: int) -> None:
    click.echo(f"mtrain: {sentence}", err=True)
    sys.exit(status)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mtrain")
def mtrain() -> None:
    """Research harness and bot arena for Mexican Train dominoes.

    An agent is written NAME or NAME:PARAM=VALUE,PARAM=VALUE; a label may precede it: LABEL@NAME:…
    """


def _options(*options: Callable[..., Any]) -> Callable[..., Any]:
    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


_rules = _options(
    click.option(
        "--rules",
        default="standard",
        show_default=True,
        metavar="PRESET",
        help="Which rules; `mtrain rules` lists them.",
    ),
    click.option(
        "--set", "changes", multiple=True, metavar="FIELD=VALUE", help="Change a field of the rules; may be repeated."
    ),
)
_seed = click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0, 2**63 - 1), help="What all chance is made from."
)
_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
_agents_from = click.option(
    "--agents", "agents_from", multiple=True, metavar="PATH", help="A file or folder with more agents; may be repeated."
)
_allow_peeking = click.option("--allow-peeking", is_flag=True, help="Let agents play that are shown hidden tiles.")
_jobs = click.option("--jobs", type=click.IntRange(1), help="Workers  [default: one a core]")
_quiet = click.option("--quiet", is_flag=True, help="No progress.")


def _changes(pairs: tuple[str, ...]) -> dict[str, str]:
    """Return the fields to change from ``FIELD=VALUE`` texts."""
    changes = {}
    for pair in pairs:
        field, equals, value = pair.partition("=")
        if not equals:
            raise click.BadParameter(f"{pair!r} is not FIELD=VALUE", param_hint="--set")
        if field.strip() in changes:
            raise click.BadParameter(f"{field.strip()!r} is set twice", param_hint="--set")
        changes[field.strip()] = value
    return changes


def _resolved(preset_name: str, changes: tuple[str, ...]) -> Any:
    from mtrain.game.rules import override, preset

    return override(preset(preset_name), _changes(changes))


# ── What there is ─────────────────────────────────────────────────────────────────────────────────────────


@mtrain.command()
@click.argument("preset", required=False)
@click.option("--set", "changes", multiple=True, metavar="FIELD=VALUE", help="Change a field; may be repeated.")
@_json
def rules(preset: str | None, changes: tuple[str, ...], as_json: bool) -> None:
    """Print the presets side by side, or PRESET with fields changed."""
    from mtrain.game.rules import ASSUMED, MEANING, PRESETS
    from mtrain.show.terminal import show, show_json

    if preset is None and not changes:
        if as_json:
            show_json({"presets": {name: rules.to_json() for name, rules in PRESETS.items()}, "assumed": ASSUMED})
            return
        rows = [
            [
                field,
                *(
                    _rule_text(rules.to_json()[field], ASSUMED.get(name, {}).get(field, ()))
                    for name, rules in PRESETS.items()
                ),
                meaning,
            ]
            for field, meaning in MEANING.items()
        ]
        show(["field", *PRESETS, "meaning"], rows, note="* assumed: the preset's published text leaves this value out")
        return
    resolved = _resolved(preset or "standard", changes)
    if as_json:
        show_json(resolved.to_json())
        return
    assumed = ASSUMED.get(preset or "standard", {})
    changed = _changes(changes)
    rows = [
        [field, _rule_text(resolved.to_json()[field], () if field in changed else assumed.get(field, ())), meaning]
        for field, meaning in MEANING.items()
    ]
    able = ", ".join(map(str, resolved.dealable()))
    marked = (
        "* assumed: the preset's published text leaves this value out\n" if any("*" in row[1] for row in rows) else ""
    )
    show(["field", "value", "meaning"], rows, note=f"{marked}can be dealt to {able} players")


def _rule_text(value: Any, assumed: tuple[int, ...]) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "–".join(map(str, value))
    if isinstance(value, dict):
        return ", ".join(f"{n}: {size}{'*' if int(n) in assumed else ''}" for n, size in value.items())
    return str(value)


@mtrain.command()
@click.argument("name", required=False)
@_agents_from
@_json
def agents(name: str | None, agents_from: tuple[str, ...], as_json: bool) -> None:
    """List the agents with their parameters and defaults, or describe the one called NAME."""
    from mtrain.show.terminal import show, show_json
    from mtrain.think.agent import Registry, describe

    registry = Registry(agents_from)
    if name is not None:
        about = describe(registry, name)
        if as_json:
            show_json(about)
            return
        rows = [[p["name"], p["default"], p["values"], p["meaning"]] for p in about["parameters"]]
        click.echo(f"{about['name']} ({about['how']}): {about['about']}")
        if rows:
            show(["parameter", "default", "values", "meaning"], rows)
        return
    listed = [describe(registry, each) for each in sorted(registry.origins)]
    if as_json:
        show_json(listed)
        return
    show(
        ["agent", "how", "parameters and defaults", "what it does"],
        [
            [a["name"], a["how"], " ".join(f"{p['name']}={p['default']}" for p in a["parameters"]), a["about"]]
            for a in listed
        ],
    )


@mtrain.command("check-agent")
@click.argument("agent")
@_agents_from
@_allow_peeking
@_seed
@_json
def check_agent(agent: str, agents_from: tuple[str, ...], allow_peeking: bool, seed: int, as_json: bool) -> None:
    """Check that AGENT keeps the rules of being an agent, on every preset and number of players."""
    from mtrain.arena.check import CHECKS, check_agent
    from mtrain.show.terminal import show, show_json
    from mtrain.think.agent import Registry, refuse_peeking

    spec = Registry(agents_from).parse(agent)
    if not allow_peeking:
        refuse_peeking([spec])
    verdicts = list(check_agent(spec, seed=seed))
    if as_json:
        show_json([vars(verdict) for verdict in verdicts])
    else:
        rows = []
        for check, meaning in CHECKS.items():
            mine = [v for v in verdicts if v.check == check]
            failed = [v for v in mine if v.trouble]
            first = f"{failed[0].rules}, {failed[0].players} players: {failed[0].trouble}" if failed else ""
            rows.append(
                [
                    check,
                    meaning,
                    f"{len(mine) - len(failed)} of {len(mine)}",
                    f"{sum(v.decisions for v in mine):,}",
                    first,
                ]
            )
        show(["check", "what is asked", "tables passed", "decisions", "first trouble"], rows)
    sys.exit(any(v.trouble for v in verdicts))


# ── One game at a time ────────────────────────────────────────────────────────────────────────────────────


@mtrain.command()
@click.argument("agents", nargs=-1, required=True)
@_rules
@click.option("--players", type=int, help="Seats; one agent each  [default: as many as agents]")
@click.option("--games", default=1, show_default=True, type=click.IntRange(1), help="How many games.")
@_seed
@click.option("--out", required=True, metavar="FILE", help="Where to write, one game a line; - for standard output.")
@_agents_from
@_allow_peeking
def record(
    agents: tuple[str, ...],
    rules: str,
    changes: tuple[str, ...],
    players: int | None,
    games: int,
    seed: int,
    out: str,
    agents_from: tuple[str, ...],
    allow_peeking: bool,
) -> None:
    """Play games, one AGENT a seat in the order of the seats, and write them down."""
    from mtrain.arena.recording import record_games
    from mtrain.game.record import to_line
    from mtrain.think.agent import Registry, build, refuse_peeking

    resolved = _resolved(rules, changes)
    players = len(agents) if players is None else players
    resolved.hand_for(players)
    if len(agents) != players:
        raise click.UsageError(
            f"{len(agents)} agents for {players} players; name one agent a seat, in the order of the seats"
        )
    registry = Registry(agents_from)
    specs = [registry.parse(agent) for agent in agents]
    if not allow_peeking:
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
        _fail(f"cannot write {out}: {error.strerror}", 2)
    except Trouble:
        if out != "-" and not Path(out).stat().st_size:
            Path(out).unlink()  # no game was finished: the name is free again
        raise


@mtrain.command()
@click.argument("file", metavar="FILE")
@click.option("--show", "in_words", is_flag=True, help="Print the games in words.")
@click.option("--game", type=int, help="Only the game of this number.")
@_json
def replay(file: str, in_words: bool, game: int | None, as_json: bool) -> None:
    """Play the games recorded in FILE again and check every event by the rules."""
    from mtrain.game.record import RecordError, read_records, replayed, to_line
    from mtrain.show.terminal import game_lines, show, show_json

    games = rounds = events = respelt = 0
    try:
        with click.open_file(file, encoding="utf-8") as lines:
            for number, made, text in read_records(lines):
                if game is not None and made.get("game") != game:
                    continue
                try:
                    again = replayed(made)
                    if in_words:
                        click.echo("\n".join(game_lines(made)) + "\n")
                except RecordError as error:
                    raise RecordError(f"{file}, line {number}: {error}") from None
                games += 1
                rounds += len(made["rounds"])
                events += sum(len(round_["events"]) for round_ in made["rounds"])
                respelt += to_line(again) != text
    except OSError as error:
        _fail(f"cannot read {file}: {error.strerror}", 2)
    except UnicodeDecodeError:
        _fail(f"{file} is not UTF-8 text", 1)
    if not games:
        _fail(f"{file} holds no game" + (f" number {game}" if game is not None else ""), 1)
    found = {"games": games, "rounds": rounds, "events": events, "same_bytes": games - respelt}
    if as_json:
        show_json(found)
    elif not in_words:
        show(
            ["games", "rounds", "events checked", "played to the same bytes"],
            [[f"{value:,}" for value in found.values()]],
        )


@mtrain.command()
@_rules
@click.option("--players", default=4, show_default=True, type=int)
@_seed
@click.option("--deal", default=0, show_default=True, type=click.IntRange(0), help="Which deal of the seed.")
@click.option("--starter", default=0, show_default=True, type=int, help="The seat that starts.")
@click.option("--position", metavar="FILE", help="Start from a position in text instead of a deal.")
@click.option("--depth", default=5, show_default=True, type=click.IntRange(1), help="The longest sequence counted.")
@_json
def perft(
    rules: str,
    changes: tuple[str, ...],
    players: int,
    seed: int,
    deal: int,
    starter: int,
    position: str | None,
    depth: int,
    as_json: bool,
) -> None:
    """Count the sequences of actions of a fixed deal, by their length."""
    from mtrain.game.engine import new_game
    from mtrain.game.positions import parse_position
    from mtrain.game.record import perft
    from mtrain.show.terminal import show, show_json

    try:
        if position is None:
            start = new_game(_resolved(rules, changes), players, seed=seed, deal=deal, starter=starter)
        else:
            start = parse_position(Path(position).read_text(encoding="utf-8"))
    except OSError as error:
        _fail(f"cannot read {position}: {error.strerror}", 2)
    except ValueError as error:
        _fail(str(error), 2)
    counts = perft(start, depth)
    if as_json:
        show_json([{"depth": k + 1, "sequences": count} for k, count in enumerate(counts)])
    else:
        show(["depth", "sequences"], [[k + 1, f"{count:,}"] for k, count in enumerate(counts)])


@mtrain.command()
@click.argument("hand", metavar="TILES")
@click.option("--start", required=True, type=int, help="The open end that the train begins at.")
@click.option(
    "--by", type=click.Choice(["tiles", "pips"]), default="tiles", show_default=True, help="What makes a train better."
)
@click.option("--nodes", type=click.IntRange(1), help="How far to search  [default: far enough for 25 tiles]")
@_json
def train(hand: str, start: int, by: Any, nodes: int | None, as_json: bool) -> None:
    """Print the best train that the TILES of a hand can make, and what stays in the hand.

    Tiles are written 12-5, in either order: mtrain train "12-5 5-3 3-3 9-2" --start 12
    """
    from mtrain.game.tiles import tile_text
    from mtrain.show.terminal import show, show_json
    from mtrain.think.trail import NODES, best_train, parse_hand

    found = best_train(parse_hand(hand), start, by, NODES if nodes is None else nodes)
    if as_json:
        show_json(
            {
                "train": [f"{joined}-{left}" for joined, left in found.ends()],
                "pips": found.pips,
                "rest": [tile_text(tile) for tile in found.rest],
                "rest_pips": found.rest_pips,
                "proved": found.proved,
                "nodes": found.nodes,
            }
        )
        return
    rest = " ".join(tile_text(tile) for tile in found.rest)
    show(
        ["", "tiles", "number", "pips"],
        [
            ["train", str(found) or "none", len(found.tiles), found.pips],
            ["rest", rest or "none", len(found.rest), found.rest_pips],
        ],
        note=f"no train is better (proved in {found.nodes:,} steps)"
        if found.proved
        else f"the best found in {found.nodes:,} steps; not proved: give it more --nodes",
    )


# ── Where tiles are ───────────────────────────────────────────────────────────────────────────────────────

_worlds = click.option("--worlds", default=1000, show_default=True, type=click.IntRange(1), help="Worlds to sample.")
_weigh = click.option(
    "--weigh",
    metavar="POLICY",
    help="Weigh worlds by what others did: the name of a simple agent, like greedy or planner.",
)


@mtrain.command()
@click.argument("position", metavar="POSITION-FILE")
@click.option("--seat", type=int, help="Who is looking  [default: the seat on turn]")
@_worlds
@_weigh
@_seed
@_json
def locate(position: str, seat: int | None, worlds: int, weigh: str | None, seed: int, as_json: bool) -> None:
    """Print where each tile that a seat cannot see is likely to be, from a position in text."""
    from mtrain.game.positions import parse_position
    from mtrain.show.terminal import records, show, show_json
    from mtrain.think.locations import locate

    try:
        start = parse_position(Path(position).read_text(encoding="utf-8"))
    except OSError as error:
        _fail(f"cannot read {position}: {error.strerror}", 2)
    except ValueError as error:
        _fail(f"{position}: {error}", 2)
    found = locate(start, seat, worlds=worlds, seed=seed, weigh=weigh)
    if as_json:
        show_json(records(found))
        return
    rows = [[row[0], *(f"{100 * share:.1f} %" for share in row[1:])] for row in found.itertuples(index=False)]
    show(found.columns.tolist(), rows, note=f"{found.attrs['effective_worlds']:,.0f} effective worlds of {worlds:,}")


@mtrain.command()
@click.argument("agents", nargs=-1, required=True)
@_rules
@click.option("--players", default=4, show_default=True, type=int, help="Seats at a table.")
@click.option("--deals", default=20, show_default=True, type=int, help="Games to play.")
@click.option("--every", default=40, show_default=True, type=int, help="Look at one decision in so many.")
@click.option("--worlds", default=400, show_default=True, type=int, help="Worlds to sample for a look.")
@_weigh
@_seed
@click.option("--out", metavar="DIR", help="Where to write the tables and the figure; nothing is written without.")
@_agents_from
@_quiet
@_json
def calibrate(
    agents: tuple[str, ...],
    rules: str,
    changes: tuple[str, ...],
    players: int,
    deals: int,
    every: int,
    worlds: int,
    weigh: str | None,
    seed: int,
    out: str | None,
    agents_from: tuple[str, ...],
    quiet: bool,
    as_json: bool,
) -> None:
    """Let AGENTS play, and hold what observers say of hidden tiles against the truth."""
    from mtrain.arena.calibration import calibrate
    from mtrain.show.terminal import records, show_json, show_losses

    def progress(done: int) -> None:
        if not quiet and done % max(1, deals // 10) == 0:
            click.echo(f"mtrain: {done:,} of {deals:,} deals", err=True)

    made = calibrate(
        agents,
        rules,
        changes=_changes(changes),
        players=players,
        deals=deals,
        every=every,
        worlds=worlds,
        weigh=weigh,
        seed=seed,
        agents_from=agents_from,
        progress=progress,
    )
    for path in made.save(out) if out else ():
        click.echo(f"mtrain: wrote {path}", err=True)
    if as_json:
        show_json({"losses": records(made.losses), "calibration": records(made.calibration)})
    else:
        show_losses(made.losses, made.calibration)


# ── Tournaments ───────────────────────────────────────────────────────────────────────────────────────────


@mtrain.command()
@click.argument("agents", nargs=-1, required=True)
@_rules
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
@_seed
@_jobs
@click.option("--out", metavar="DIR", help="An empty or new directory  [default: the next free results/tournament-NNN]")
@click.option("--figures", is_flag=True, help="Draw the figures, too (`mtrain report` does it later).")
@_agents_from
@_allow_peeking
@_quiet
@_json
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
    quiet: bool,
    as_json: bool,
) -> None:
    """Play a tournament of the AGENTS and print the standings.

    With more agents than seats every combination meets equally often; with fewer, seats are filled by repetition
    in equal shares. With --focus, or a --lineup for every table wanted, only those meet.
    """
    from mtrain.arena.tournament import plan

    t = plan(
        agents,
        rules,
        changes=_changes(changes),
        players=players,
        focus=focus,
        lineups=[lineup.split() for lineup in lineups] or None,
        deals=deals,
        games=games,
        seed=seed,
        agents_from=agents_from,
        allow_peeking=allow_peeking,
    )
    if games is not None and t.schedule.n_games != games:
        click.echo(
            f"mtrain: {games:,} games asked for; only whole blocks count, so {t.schedule.n_games:,} are played",
            err=True,
        )
    _play(t, Path(out) if out else _next_free(), jobs, figures, quiet, as_json)


@mtrain.command()
@click.argument("experiment", metavar="FILE.toml")
@_jobs
@click.option(
    "--out", metavar="DIR", help="An empty or new directory  [default: results/NAME beside the experiment's folder]"
)
@click.option("--part", metavar="NAME", help="Only this part of an experiment that has several.")
@_quiet
@_json
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

    from mtrain.arena import tournament as arena
    from mtrain.show.terminal import Watch

    arena.ready(out)
    click.echo(f"mtrain: {t.sentence()}", err=True)
    with nullcontext() if quiet else Watch(t) as watch:
        try:
            results = arena.run(t, out, jobs=jobs, watch=watch)
        except KeyboardInterrupt:
            kept = any((out / "games.parquet").glob("part-*.parquet"))
            said = f"the games finished so far are in {out}, and `mtrain report {out}` reads them"
            _fail(f"interrupted; {said if kept else 'no chunk of games was finished'}", 130)
    if figures:  # before anything is printed: whoever reads the table may stop listening
        from mtrain.study import plots

        plots.save(results, out / "figures")
    return results


def _print_standings(results: Any, as_json: bool) -> None:
    """Print the standings of some results, and what is to be warned of."""
    from mtrain.show.terminal import records, show_json, show_standings

    if as_json:
        show_json(records(results.standings))
    else:
        show_standings(results.standings, results.title, results.unit)
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


@mtrain.command()
@click.argument("directory", metavar="DIR")
@_json
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


@mtrain.command()
@click.option("--reference", metavar="FILE.c", help="The C source of a reference program to run in turn.")
@click.option("--quick", is_flag=True, help="Small sizes: a look, not a measurement.")
@_json
def bench(reference: str | None, quick: bool, as_json: bool) -> None:
    """Measure how fast everything is on this machine, as times and as ratios."""
    from mtrain.arena.bench import FULL, QUICK, bench
    from mtrain.show.terminal import show, show_json

    figures = []
    for figure in bench(QUICK if quick else FULL, reference):
        figures.append(figure)
        click.echo(f"mtrain: {figure.what}: {figure.value:,.4g} {figure.unit}", err=True)
    if as_json:
        show_json([vars(figure) for figure in figures])
    else:
        show(["what", "figure", "unit", "note"], [[f.what, f"{f.value:,.4g}", f.unit, f.note] for f in figures])


def main() -> None:
    """Run the command line."""
    try:
        mtrain(standalone_mode=False)
    except click.exceptions.Abort:
        _fail("interrupted", 130)
    except click.ClickException as error:
        _fail(f"{error.format_message()} (`mtrain {_command()}--help` says more)", 2)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)


def _command() -> str:
    named = [word for word in sys.argv[1:2] if not word.startswith("-")]
    return f"{named[0]} " if named and named[0] in mtrain.commands else ""
