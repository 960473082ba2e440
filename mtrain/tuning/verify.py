"""Verifying: what a levels file claims, held against fresh deals, and what its levels are worth at other tables.

A claim holds unless it is refuted: claims of one kind are judged together, so that with 95 % no true one of them is
called false. Time is told, not claimed: it belongs to a machine.
"""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mtrain.bots.level_file import Levels, levels_text
from mtrain.bots.registry import Registry, all_params
from mtrain.bots.versions import change, made_of, rules_hash
from mtrain.game.rules import RuleSet, override, preset
from mtrain.stats import files, tables
from mtrain.stats.intervals import Estimate, t_quantile
from mtrain.stats.ranks import LEVEL, holm
from mtrain.strategy.weaken import BLUNDER_KINDS
from mtrain.tuning import ladder_tables
from mtrain.tuning.ladder_tables import elsewhere_said
from mtrain.tuning.matches import Kept, Matches, numbers
from mtrain.tuning.measure import Ladder, climb, mean, order
from mtrain.tuning.targets import TargetsError
from mtrain.tuning.tune import found_of, times_of, work

# ── Verifying ─────────────────────────────────────────────────────────────────────────────────────────


DEALS, PAIR_DEALS = 300, 100
"""Deals that each level plays alone, and against the next lower, where nothing else is said."""

VERIFYING = work("verifying.json")

_TARGETS = {"win": "target: share of games", "diff": "target: pips/round", "taken": "target: share of rounds"}
_MEASURED = {"win": "share of games", "diff": "pips/round"}


@dataclass(frozen=True)
class Verified:
    """What became of the claims.

    Attributes
    ----------
    claims
        The `claims` table.
    ladder
        What was measured.
    seed
        What the fresh deals were made from.
    timing
        The `timing` table of the levels, on this machine.
    changed
        What is other than when the file was made, a sentence each.
    """

    claims: pd.DataFrame
    ladder: Ladder
    seed: int
    timing: pd.DataFrame
    changed: list[str]

    @property
    def holds(self) -> bool:
        """Does every claim hold?"""
        return bool(self.claims["holds"].all())


@dataclass
class _Claims:
    """Claims, as they are judged."""

    rows: list[dict[str, Any]] = field(default_factory=list)

    def judge(
        self, claim: str, said: Mapping[str, float], found: Mapping[str, Estimate], doubt: Mapping[str, float]
    ) -> None:
        """Judge numbers of one kind together: each is refuted where it is further off than both errors explain."""
        names = list(said)
        error = np.array([np.hypot(found[name].error[0], doubt.get(name, 0.0)) for name in names])
        off = np.array([found[name].mean[0] - said[name] for name in names])
        levels = holm(off / error, np.array([found[name].n[0] - 1.0 for name in names]))
        for name, gap, level in zip(names, off, levels, strict=True):
            e = found[name]
            note = str(e.why[0]) or (f"off by {gap:+.3g}" if level < LEVEL else "")
            self.add(name, claim, said[name], (e.mean[0], e.lo[0], e.hi[0]), not level < LEVEL, note)

    def add(
        self, level: str, claim: str, said: float | None, found: Sequence[float], holds: bool, note: str = ""
    ) -> None:
        names = ("found", "found_lo", "found_hi")
        given = dict(zip(names, [*found, np.nan, np.nan][:3], strict=True))
        self.rows.append(
            {
                "level": level,
                "claim": claim,
                "said": np.nan if said is None else said,
                **given,
                "holds": holds,
                "note": note,
            }
        )

    def table(self) -> pd.DataFrame:
        """The `claims` table."""
        columns = {name: [row[name] for row in self.rows] for name in ladder_tables.CLAIMS.names}
        for name in ("said", "found", "found_lo", "found_hi"):
            columns[name] = np.array(columns[name], float)  # type: ignore[assignment]
        return tables.frame(ladder_tables.CLAIMS, columns)


def rules_of(levels: Levels) -> RuleSet:
    """Return the rules under which the levels of a file were measured."""
    said = levels.conditions
    return override(preset(said["rules"]), said.get("set", {}))


def changes(levels: Levels) -> list[str]:
    """Say what is other than when a file was made: its rules, or how its agents play."""
    now = rules_hash(rules_of(levels))
    said = levels.conditions.get("rules_hash")
    found = [] if said in (None, now) else [f"the rules are others than then (hash {said}, now {now})"]
    registry = Registry(levels.places)
    for level in levels.levels.values():
        if changed := change(level.said, registry.parse(level.agent)):
            found.append(f"level {level.name!r} was measured with {changed}")
    return found


def verify(
    levels: Levels,
    out: str | Path,
    *,
    deals: int = DEALS,
    pair_deals: int = PAIR_DEALS,
    seed: int | None = None,
    all_pairs: bool = False,
    resume: bool = False,
    **how: Any,
) -> Verified:
    """Measure the levels of a file again on fresh deals, and say which of its claims hold.

    Parameters
    ----------
    levels
        The file, by `read_levels`.
    out
        A directory for what is played.
    deals, pair_deals
        Deals that each level plays alone, and against the next lower.
    seed
        Another than the file's own; None: the next.
    all_pairs
        Does every level meet every other?
    resume, **how
        As for `tune`: `jobs`, `interrupt`, `watch`.

    Raises
    ------
    TargetsError
        If the deals would not be fresh, or are too few.
    """
    own = int(levels.said.get("tuning", {}).get("seed", -1))
    seed = own + 1 if seed is None else seed
    if seed == own:
        raise TargetsError(f"the deals of seed {seed} made the file; verify it with fresh ones: another seed")
    for name, n in (("deals", deals), ("pair_deals", pair_deals)):
        if n < 2:
            raise TargetsError(f"{name} is a whole number, 2 or more, not {n}")
    rules, players = rules_of(levels), int(levels.conditions["players"])
    agents = {level.name: level.agent for level in levels.levels.values()}
    registry = Registry(levels.places)
    out = Path(out)
    asked = {"deals": deals, "pair_deals": pair_deals, "seed": seed, "all_pairs": all_pairs}
    kept = Kept(out, **how)
    matches = Matches(kept, rules, players, levels.conditions["references"], seed, levels.places)
    n = len(agents)
    some = next(iter(agents.values()))
    kept.n_games = n * matches.alone(some, deals, 0).schedule.n_games
    n_pairs = 1 + (n * (n - 1) // 2 if all_pairs else n - 1)
    kept.n_games += n_pairs * matches.pair(some, some, pair_deals, 0).schedule.n_games
    with VERIFYING.opened(out, {"levels": agents, "conditions": levels.conditions, **asked}, resume):
        ladder = climb(matches, registry, agents, deals, pair_deals, 0, "verify", all_pairs)
    return Verified(_judged(levels, ladder), ladder, seed, times_of(ladder), changes(levels))


def _judged(levels: Levels, ladder: Ladder) -> pd.DataFrame:
    """Return what is claimed of levels, and what of it holds."""
    claims = _Claims()
    known = {name: level.said for name, level in levels.levels.items()}
    for quantity, claim in _TARGETS.items():
        said = {name: each["target"] for name, each in known.items() if each.get("target_of") == quantity}
        found = {name: found_of(ladder, name, quantity) for name in said}
        claims.judge(claim, said, found, {})
    for column, claim in _MEASURED.items():
        said = {name: each[column] for name, each in known.items() if column in each}
        found = {name: ladder.strength(ladder.names.index(name), column) for name in said}
        doubt = {name: _doubt(known[name], column) for name in said}
        claims.judge(claim, said, found, doubt)
    lost = {name: each["lost_to_random"] for name, each in known.items() if "lost_to_random" in each}
    claims.judge(
        "share lost to random", lost, dict.fromkeys(lost, ladder.lost),
        {name: _doubt(known[name], "lost_to_random") for name in lost},
    )  # fmt: skip
    most = levels.said.get("tuning", {}).get("max_step")
    for row in ladder.steps.to_dict("records"):
        level, gap = str(row["level"]), _found(row, "gap")
        step = known[level].get("step", {})
        if step.get("distinct"):
            holds = bool(row["distinct"]) and gap[0] > 0
            claims.add(level, "better than the next lower", step.get("gap"), gap, holds, str(row["note"]))
        if most is not None:
            claims.add(level, "a step of at most", most, gap, not gap[1] > most)
    even = [name for name, said in known.items() if said.get("step", {}).get("even")]
    offs = {name: ladder.off(ladder.names.index(name)) for name in even}
    claims.judge("a step as large as the mean", dict.fromkeys(even, 0.0), offs, {})
    for name, plain in zip(ladder.names, ladder.plausible, strict=True):
        said = known[name].get("plausibility", {})
        if all(folly in said for folly in BLUNDER_KINDS):
            rate = sum(done for done, _ in plain.blunders.values()) / plain.decisions
            before = sum(said[folly] for folly in BLUNDER_KINDS)
            claims.add(name, "share of follies", before, (rate,), rate == 0 or before > 0)
    return claims.table()


def _doubt(said: Mapping[str, Any], column: str) -> float:
    """Return the standard error that a file's number had, from its interval; 0 where it says none."""
    if f"{column}_lo" not in said:
        return 0.0
    return float((said[f"{column}_hi"] - said[f"{column}_lo"]) / 2 / t_quantile(said["blocks"] - 1))


def _found(row: Mapping[Any, Any], name: str) -> tuple[float, ...]:
    """Return a number of a row and the ends of its interval; nan where there is none."""
    values = (row[name], row[f"{name}_lo"], row[f"{name}_hi"])
    return tuple(np.nan if pd.isna(value) else float(value) for value in values)


def elsewhere(
    levels: Levels,
    places: Sequence[tuple[str, int]],
    out: str | Path,
    *,
    deals: int = PAIR_DEALS,
    seed: int = 0,
    resume: bool = False,
    **how: Any,
) -> pd.DataFrame:
    """Measure the levels of a file at other tables, among the same references: the `elsewhere` table.

    Parameters
    ----------
    levels
        The file.
    places
        Presets and numbers of seats.
    out
        A directory for what is played.
    deals
        Deals for every level and table.
    seed, resume, **how
        As for `tune`: `jobs`, `interrupt`, `watch`.
    """
    out = Path(out)
    for rules, players in places:
        preset(rules).hand_for(players)
    agents = {level.name: level.agent for level in levels.levels.values()}
    references = levels.conditions["references"]
    asked = {"levels": agents, "places": [list(place) for place in places], "deals": deals, "seed": seed}
    rows: dict[str, list[Any]] = {name: [] for name in ladder_tables.ELSEWHERE.names}
    with VERIFYING.opened(out, asked, resume):
        kept, some = Kept(out, **how), next(iter(agents.values()))
        at = [
            Matches(kept, preset(rules), players, references[: players - 1], seed, levels.places)
            for rules, players in places
        ]
        kept.n_games = sum(len(agents) * matches.alone(some, deals, 0).schedule.n_games for matches in at)
        for (rules, players), matches in zip(places, at, strict=True):
            made = {
                name: kept.results(f"{rules}-{players}-{name}", matches.alone(agent, deals, 0))
                for name, agent in agents.items()
            }
            values = {name: numbers(results, "diff") for name, results in made.items()}
            notes = dict(zip(*_exceptions(list(values), list(values.values()), matches.rules.scoring), strict=True))
            for name, results in made.items():
                rows["rules"].append(rules)
                rows["players"].append(players)
                rows["level"].append(name)
                rows["blocks"].append(len(values[name]))
                rows["note"].append(notes.get(name, ""))
                for column in ("win", "diff"):
                    e = mean(numbers(results, column), column)
                    for end, value in (("", e.mean), ("_lo", e.lo), ("_hi", e.hi)):
                        rows[column + end].append(float(value[0]))
    counts = {name: np.array(rows[name], int) for name in ("players", "blocks")}
    return tables.frame(ladder_tables.ELSEWHERE, rows | counts)


def _exceptions(names: list[str], values: list[Any], unit: str) -> tuple[list[str], list[str]]:
    """Return the levels that are weaker than the next lower, and a sentence about each."""
    found = [
        (name, order([below, name], [one, other], unit))
        for below, name, one, other in zip(names, names[1:], values, values[1:], strict=False)
    ]
    return [name for name, said in found if said], [said[0] for _, said in found if said]


def write_tables(found: Verified, out: str | Path) -> None:
    """Write the tables of a verification into its directory."""
    out = Path(out)
    files.write(ladder_tables.CLAIMS, found.claims, out / "claims.parquet")
    files.write(ladder_tables.STEPS, found.ladder.steps, out / "steps.parquet")
    files.write(ladder_tables.PAIRS, found.ladder.pairs_table, out / "pairs.parquet")
    files.write(tables.TIMING, found.timing, out / "timing.parquet")


# ── What is written of levels ─────────────────────────────────────────────────────────────────────────
#
# Exporting: levels for a game to load, and what is added to a levels file after it was made.
#
# A game wants to know who each level is, parameter by parameter, and what it is worth where; it reads JSON.


FORMAT = "mtrain-levels-export/1"


def exported(levels: Levels) -> dict[str, Any]:
    """Return the levels as JSON values."""
    registry = Registry(levels.places)
    listed = []
    for level in levels.levels.values():
        spec = registry.parse(level.agent)
        strength = {
            name: level.said[name]
            for name in ("win", "win_lo", "win_hi", "diff", "diff_lo", "diff_hi")
            if name in level.said
        }
        listed.append({"name": level.name, "agent": spec.name, "parameters": all_params(spec), "strength": strength})
    return {"format": FORMAT, "title": levels.said.get("title", ""), "conditions": levels.conditions, "levels": listed}


def write_verified(levels: Levels, found: Verified) -> None:
    """Write a verdict and the times of decisions into a file; where all holds, the versions of today's agents, too."""
    times = [
        {"level": str(row["agent"]), "decisions": int(row["decisions"]), "p95_us": round(float(row["p95"]), 1)}
        for row in found.timing.to_dict("records")
    ]
    machine = f"{platform.system()}, {platform.machine()}, Python {platform.python_version()}"
    verdict = {
        "holds": found.holds, "seed": found.seed, "blocks": found.ladder.alone[0].manifest.blocks,
        "failed": [f"{row['level']}: {row['claim']}" for row in found.claims.to_dict("records") if not row["holds"]],
        "machine": machine, "time": times,
    }  # fmt: skip
    said = levels.said | {"verified": verdict}
    if found.holds:
        registry = Registry(levels.places)
        said["level"] = [each | made_of(registry.parse(each["agent"])) for each in said["level"]]
    files.put(levels.path, levels_text(said).encode())


def write_elsewhere(levels: Levels, frame: pd.DataFrame, seed: int) -> None:
    """Write what levels are worth at other tables into a file, in place of what it said of the same tables."""
    new = elsewhere_said(frame, seed)
    places = {(each["rules"], each["players"]) for each in new}
    kept = [each for each in levels.said.get("elsewhere", ()) if (each["rules"], each["players"]) not in places]
    files.put(levels.path, levels_text(levels.said | {"elsewhere": kept + new}).encode())
