"""Commands that say what there is: rules, agents, whether an agent is one, and how fast everything runs."""

import sys
from typing import Any

import click

from mtrain.cli.options import (
    agents_from_too,
    allow_peeking_too,
    bot_limits_too,
    changes_of,
    json_too,
    limits_of,
    rules_of,
    seed_given,
)


@click.command()
@click.argument("preset", required=False)
@click.option("--set", "changes", multiple=True, metavar="FIELD=VALUE", help="Change a field; may be repeated.")
@json_too
def rules(preset: str | None, changes: tuple[str, ...], as_json: bool) -> None:
    """Print the presets side by side, or PRESET with fields changed."""
    from mtrain.game.rules import ASSUMED, MEANING, PRESETS
    from mtrain.report.terminal import show, show_json

    if preset is None and not changes:
        if as_json:
            show_json({"presets": {name: rules.all_fields() for name, rules in PRESETS.items()}, "assumed": ASSUMED})
            return
        rows = [
            [
                field,
                *(
                    _rule_text(rules.all_fields()[field], ASSUMED.get(name, {}).get(field, ()))
                    for name, rules in PRESETS.items()
                ),
                meaning,
            ]
            for field, meaning in MEANING.items()
        ]
        show(["field", *PRESETS, "meaning"], rows, note="* assumed: the preset's published text leaves this value out")
        return
    resolved = rules_of(preset or "standard", changes)
    if as_json:
        show_json(resolved.all_fields())
        return
    assumed = ASSUMED.get(preset or "standard", {})
    changed = changes_of(changes)
    rows = [
        [field, _rule_text(resolved.all_fields()[field], () if field in changed else assumed.get(field, ())), meaning]
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


@click.command()
@click.argument("name", required=False)
@agents_from_too
@json_too
def agents(name: str | None, agents_from: tuple[str, ...], as_json: bool) -> None:
    """List the agents with their parameters and defaults, or describe the one called NAME."""
    from mtrain.bots.level_file import SHIPPED, read_levels
    from mtrain.bots.registry import Registry, bundled, describe
    from mtrain.report.terminal import show, show_json

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
    levels = " ".join(f"level:{each}" for each in read_levels(bundled() / SHIPPED).levels)
    show(
        ["agent", "how", "parameters and defaults", "what it does"],
        [
            [a["name"], a["how"], " ".join(f"{p['name']}={p['default']}" for p in a["parameters"]), a["about"]]
            for a in listed
        ],
        note=f"Levels: {levels}; `mtrain levels show` says what each is worth.",
    )


@click.command("check-agent")
@click.argument("agent")
@agents_from_too
@allow_peeking_too
@bot_limits_too
@seed_given
@json_too
def check_agent(
    agent: str, agents_from: tuple[str, ...], allow_peeking: bool, seed: int, as_json: bool, **bot_limits: Any
) -> None:
    """Check that AGENT keeps the rules of being an agent, on every preset and number of players.

    Of a program (exec:COMMAND), every step of the protocol is checked, too.
    """
    from mtrain.arena.conformance import CHECKS, STEPS, check_agent, check_program
    from mtrain.bots.agent import EXEC
    from mtrain.bots.registry import Registry, refuse_peeking
    from mtrain.report.terminal import show, show_json

    spec = Registry(agents_from, limits_of(bot_limits)).parse(agent, meet=False)
    if not allow_peeking:
        refuse_peeking([spec])
    program = spec.name == EXEC
    verdicts = list((check_program if program else check_agent)(spec, seed=seed))
    if as_json:
        show_json([vars(verdict) for verdict in verdicts])
    else:
        rows = []
        for check, meaning in (STEPS if program else CHECKS).items():
            mine = [v for v in verdicts if v.check == check]
            failed = [v for v in mine if v.trouble]
            rows.append(
                [
                    check,
                    meaning,
                    f"{len(mine) - len(failed)} of {len(mine)}" if mine else "not reached",
                    f"{sum(v.decisions for v in mine):,}",
                    _first_trouble(failed[0]) if failed else "",
                ]
            )
        show(["check", "what is asked", "tables passed", "decisions", "first trouble"], rows)
    sys.exit(any(v.trouble for v in verdicts))


def _first_trouble(verdict: Any) -> str:
    where = f"{verdict.rules}, {verdict.players} players: " if verdict.rules else ""
    return f"{where}{verdict.trouble}"


@click.command()
@click.option("--reference", metavar="FILE.c", help="The C source of a reference program to run in turn.")
@click.option("--quick", is_flag=True, help="Small sizes: a look, not a measurement.")
@json_too
def bench(reference: str | None, quick: bool, as_json: bool) -> None:
    """Measure how fast everything is on this machine, as times and as ratios."""
    from mtrain.arena.bench import FULL, QUICK, bench
    from mtrain.report.terminal import show, show_json

    figures = []
    for figure in bench(QUICK if quick else FULL, reference):
        figures.append(figure)
        click.echo(f"mtrain: {figure.what}: {figure.value:,.4g} {figure.unit}", err=True)
    if as_json:
        show_json([vars(figure) for figure in figures])
    else:
        show(["what", "figure", "unit", "note"], [[f.what, f"{f.value:,.4g}", f.unit, f.note] for f in figures])
