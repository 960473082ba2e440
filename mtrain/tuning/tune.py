"""Levels: a tuning from its plan to the file, tables and all.

The file says of every level who it is, what it was to be worth and what it was found to be worth, how it stands to
the next lower one, how plausible it plays, and what made it. The time that anything took is in a table beside it: it
is the one thing that differs from run to run.
"""

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mtrain.arena.options import parted, taking
from mtrain.arena.spec import TournamentError, house_rules
from mtrain.arena.workdir import Kind
from mtrain.bots.level_file import FORMAT, Levels, levels_text, read_levels
from mtrain.bots.registry import Registry
from mtrain.bots.versions import made_of, rules_hash
from mtrain.game.rules import RULES_VERSION, RuleSet, override, preset
from mtrain.stats import files, tables
from mtrain.stats.intervals import Estimate
from mtrain.stats.ranks import LEVEL, holm
from mtrain.tuning import ladder_tables
from mtrain.tuning.curve import Probe, probes_table
from mtrain.tuning.curve import table as curve_table
from mtrain.tuning.matches import AGENT, Progress
from mtrain.tuning.measure import Ladder, climb, missing, order
from mtrain.tuning.options import Like, Tune
from mtrain.tuning.placing import CONFIRM, STRONG, WEAK, Placed, Search, Tuning, plan_tuning, search
from mtrain.tuning.targets import Steps, wanted
from mtrain.version import __version__

FILE = "levels.toml"


def _apart(spec: Mapping[str, Any], before: Mapping[str, Any], where: str) -> str:
    differ = (key for key, value in spec.items() if before.get(key) != value)
    return next((f"its {key} is {before.get(key)!r}, not {spec[key]!r}" for key in differ), "")


def work(file: str) -> Kind:
    """Return the kind of work on levels that says in a file what it is."""
    begun = "--resume (resume=True) goes on with what it holds"
    return Kind(file, "work", "other work", begun, TournamentError, _apart)


TUNING = work("tuning.json")


@dataclass(frozen=True)
class Tuned:
    """What came of a tuning.

    Attributes
    ----------
    levels
        The file that was written.
    steps
        The `steps` table.
    troubles
        What is not as it was asked for, a sentence each.
    """

    levels: Levels
    steps: pd.DataFrame
    troubles: list[str]


def run_tuning(
    tuning: Tuning,
    out: str | Path,
    *,
    resume: bool = False,
    **how: Any,
) -> Tuned:
    """Find levels, confirm them on fresh deals and write their file.

    Parameters
    ----------
    tuning
        What is wanted, by `plan_tuning`.
    out
        A directory that is empty or not there yet: it takes the file, its tables, and all that was played.
    resume
        If the directory holds the same tuning, go on with it.
    **how
        `jobs` (the file has the same bytes whatever their number), `interrupt` and `watch` of `Kept`.

    Raises
    ------
    TournamentError
        If the directory holds something else.
    Unreached
        If no position of the dial reaches a target; what was played is kept.
    Interrupted, Unwritten, Lost, Fault
        As from `run`.
    """
    out = Path(out)
    registry = Registry(tuning.agents_from)
    sizes = tuning.sizes
    with TUNING.opened(out, spec_of(tuning), resume):
        matches = tuning.matches(out, **how)
        placed, found = search(tuning, matches)
        agents = {each.name: each.agent for each in placed}
        ladder = climb(matches, registry, agents, sizes.confirm, sizes.pairs, CONFIRM, "confirm")
        troubles = _troubles(tuning, placed, ladder)
        _write_tables(found, ladder, out)
        files.put(out / FILE, levels_text(_file(tuning, placed, ladder, registry, out, troubles)).encode())
    return Tuned(read_levels(out / FILE), ladder.steps, troubles)


def spec_of(tuning: Tuning) -> dict[str, Any]:
    """Return what the games of a tuning depend on, as JSON values."""
    base, changes = house_rules(tuning.rules)
    return {
        "strong": tuning.skill_axis.at(0.0),
        "weak": tuning.skill_axis.at(1.0),
        "top": str(tuning.top) if tuning.top else None,
        "wanted": str(tuning.wanted),
        "names": list(tuning.names),
        "references": [str(each) for each in tuning.references],
        "rules": base,
        "set": changes,
        "players": tuning.players,
        "games": tuning.games,
        "seed": tuning.seed,
        "max_step": tuning.max_step,
        "agents_from": list(tuning.agents_from),
    }


def _troubles(tuning: Tuning, placed: list[Placed], ladder: Ladder) -> list[str]:
    """Say what is not as it was asked for."""
    targets = {each.name: (each.quantity, each.target) for each in placed if each.target is not None}
    said = [
        f"level {name!r} misses its target: {targets[name][1]:.4g} was asked for, and {_words(e)} found"
        for name, e in off_target(ladder, targets).items()
    ]
    unit = tuning.rules.scoring
    said += order(ladder.names, ladder.values("diff"), unit)
    if isinstance(tuning.wanted, Steps):
        said += [
            f"the step up to level {name!r} is off the mean step by {_words(e)} {unit}/round"
            for name, e in uneven(ladder).items()
        ]
    if tuning.max_step is not None:
        said += [
            f"a level is missing between {below!r} and {level!r}: they are {gap:.2f} {unit}/round apart, and "
            f"{tuning.max_step:g} is the most"
            for below, level, gap in missing(ladder.steps, tuning.max_step)
        ]
    return said


def _words(e: Estimate) -> str:
    return f"{e.mean[0]:.4g} [{e.lo[0]:.4g}, {e.hi[0]:.4g}]"


def found_of(ladder: Ladder, name: str, quantity: str) -> Estimate:
    """Return what a level of a ladder is worth in the quantity of its target."""
    k = ladder.names.index(name)
    # What is taken is told of the pair by its upper level; a target of it belongs to the lower.
    return ladder.taken(k + 1, "round_wins") if quantity == "taken" else ladder.strength(k, quantity)


def uneven(ladder: Ladder) -> dict[str, Estimate]:
    """Return by how much steps are off the mean step, those for which that is proved, by the upper level."""
    return _refuted({name: (ladder.off(k), 0.0) for k, name in enumerate(ladder.names) if k})


def off_target(ladder: Ladder, targets: Mapping[str, tuple[str, float]]) -> dict[str, Estimate]:
    """Return what levels are worth whose targets are refuted by it."""
    return _refuted({name: (found_of(ladder, name, what), target) for name, (what, target) in targets.items()})


def _refuted(found: Mapping[str, tuple[Estimate, float]]) -> dict[str, Estimate]:
    """Return the estimates that refute what each was to be, all judged together at 5 % (Holm)."""
    t = np.array([(e.mean[0] - said) / e.error[0] for e, said in found.values()])
    levels = holm(t, np.array([e.n[0] - 1.0 for e, _ in found.values()]))
    return {name: e for (name, (e, _)), level in zip(found.items(), levels, strict=True) if level < LEVEL}


def _file(
    tuning: Tuning, placed: list[Placed], ladder: Ladder, registry: Registry, out: Path, troubles: list[str]
) -> dict[str, Any]:
    spec = spec_of(tuning)
    sizes = tuning.sizes
    conditions = {
        "rules": spec["rules"], "set": spec["set"], "players": tuning.players,
        "references": spec["references"], "rules_hash": rules_hash(tuning.rules), "rules_version": RULES_VERSION,
    }  # fmt: skip
    how = {key: spec[key] for key in ("strong", "weak", "top", "wanted", "games", "seed", "max_step")}
    how |= {"deals_grid": sizes.grid, "deals_closer": sizes.refine}
    said: dict[str, Any] = {
        "format": FORMAT,
        "title": f"{tuning.wanted}; {tuning.players} seats, {' '.join(spec['references'])}",
        "mtrain": __version__,
        "agents_from": [_relative(place, out) for place in tuning.agents_from],
        "conditions": conditions,
        "tuning": {key: value for key, value in how.items() if value is not None},
        "troubles": troubles,
        "level": [],
    }
    for k, each in enumerate(placed):
        said["level"].append(_level(each, ladder, k, registry))
    return said


def _relative(place: str, out: Path) -> str:
    return Path(os.path.relpath(place, out)).as_posix()


def _level(placed: Placed, ladder: Ladder, k: int, registry: Registry) -> dict[str, Any]:
    """Return what the file says of a level."""
    spec = registry.parse(placed.agent)
    standing = ladder.alone[k].standings
    games = int(standing.loc[standing["agent"] == AGENT, "games"].iloc[0])
    said: dict[str, Any] = {"name": placed.name, "agent": placed.agent} | made_of(spec)
    if placed.found is not None:
        said |= _numbers({"dial": placed.found.at, "dial_lo": placed.found.lo, "dial_hi": placed.found.hi})
    if placed.target is not None:
        said |= {"target": round(placed.target, 4), "target_of": placed.quantity}
    said |= {"blocks": int(ladder.strength(k, "diff").n[0]), "games": games, "seed": ladder.alone[k].manifest.seed}
    for column in ("win", "diff", "round_wins"):
        said |= estimated(column, ladder.strength(k, column))
    if k == 0:
        said |= estimated("lost_to_random", ladder.lost)
    plain = ladder.plausible[k]
    said["plausibility"] = {
        "decisions": plain.decisions, "looks": plain.looks,
        **_numbers({"regret": plain.regret, "regret_lo": plain.regret_lo, "regret_hi": plain.regret_hi,
                    "regret_p95": plain.regret_p95}),
        **{name: done / plain.decisions for name, (done, _) in plain.blunders.items()},
    }  # fmt: skip
    if k:
        row = ladder.steps.iloc[k - 1]
        step = _numbers(
            {name: row[name] for name in ("gap", "gap_lo", "gap_hi", "p", "needed", "off", "off_lo", "off_hi")}
        )
        step |= {"below": row["below"], "distinct": bool(row["distinct"]), "even": bool(row["even"])}
        step |= estimated("rounds", ladder.taken(k, "round_wins")) | estimated("games", ladder.taken(k, "win"))
        step |= {"pair_blocks": int(ladder.taken(k, "win").n[0])}
        said["step"] = step | ({"note": str(row["note"])} if row["note"] else {})
    return said


def estimated(name: str, e: Estimate) -> dict[str, float]:
    """Return an estimate and its interval as a file says them; what cannot be had is left out."""
    return _numbers({name: e.mean[0], f"{name}_lo": e.lo[0], f"{name}_hi": e.hi[0]})


def _numbers(values: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers that there are, with the digits that they are worth."""
    return {
        name: round(float(value), 4)
        for name, value in values.items()
        if not pd.isna(value) and math.isfinite(float(value))
    }


def _write_tables(found: Search, ladder: Ladder, out: Path) -> None:
    """Write the tables of a tuning beside its file."""
    columns = dict.fromkeys(name for _, _, values in found.probes for name in values)
    for column in columns:
        probes = [Probe(x, deal_set, values[column]) for x, deal_set, values in found.probes]
        agents = [found.tuning.skill_axis.at(x) for x, _, _ in found.probes]
        frame = probes_table(probes, agents, share=column != "diff")
        files.write(ladder_tables.PROBES, frame, out / f"probes-{column}.parquet")
        if column != "taken":
            files.write(ladder_tables.CURVE, curve_table(found.curve(column)), out / f"curve-{column}.parquet")
    files.write(ladder_tables.STEPS, ladder.steps, out / "steps.parquet")
    files.write(ladder_tables.PAIRS, ladder.pairs_table, out / "pairs.parquet")
    files.write(tables.TIMING, times_of(ladder), out / "timing.parquet")


def times_of(ladder: Ladder) -> pd.DataFrame:
    """Return the `timing` table of the levels: the one that differs from run to run."""
    rows = []
    for name, results in zip(ladder.names, ladder.alone, strict=True):
        timing = results.timing
        row = timing[timing["agent"].astype(str) == AGENT].iloc[0]
        rows.append([name, row["decisions"], row["us_per_decision"], row["p95"]])
    return tables.frame(tables.TIMING, dict(zip(tables.TIMING.names, map(list, zip(*rows, strict=True)), strict=True)))


@taking(Like, Tune)
def tune(
    strong: str = STRONG,
    weak: str = WEAK,
    *,
    out: str | Path,
    rules: RuleSet | str = "standard",
    jobs: int | None = None,
    watch: Callable[[Progress], None] | None = None,
    resume: bool = False,
    **changes: Any,
) -> Tuned:
    """Tune an agent into difficulty levels, confirm them on fresh deals and write their file.

    Parameters
    ----------
    strong, weak
        The ends of the dial: an agent, and the same with other numbers.
    out
        A directory for the file, its tables, and all that is played.
    rules
        A RuleSet or a preset's name.
    jobs, watch, resume
        As for `tournament`; `watch` is called with a `Progress`.
    **options
        Those of `Like` and `Tune`.
    **changes
        Fields of the rules to change: ``rounds=5``.

    Returns
    -------
    Tuned
        Its `levels` are the file, its `steps` a pandas frame, its `troubles` what is not as it was asked for.

    Raises
    ------
    TargetsError, AgentError, RulesError, TournamentError
        Before anything is played, with one sentence.
    Unreached
        If no position of the dial reaches a target.
    """
    like, options, changes = parted(changes, Like, Tune)
    resolved = override(preset(rules) if isinstance(rules, str) else rules, changes)
    plan_ = plan_tuning(strong, weak, wanted(**like), resolved, **options)
    return run_tuning(plan_, out, jobs=jobs, resume=resume, watch=watch)
