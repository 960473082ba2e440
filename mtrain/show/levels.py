"""Difficulty levels as the terminal shows them: what a file says, what of it holds, and how far a tuning is.

Nothing here is computed.
"""

import sys
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd
from rich.console import Console

from mtrain.arena.verifying import rules_of
from mtrain.errors import counted
from mtrain.game.rules import preset
from mtrain.show.progress import EVERY, games_bar
from mtrain.show.terminal import Picks, alone, beneath, count, estimate, label, show, show_picks
from mtrain.study.format import PIPS, SCORE, SHARE, Format, duration, in_unit, milliseconds
from mtrain.study.written import elsewhere_of, levels_of, steps_of
from mtrain.think.levels import Levels

if TYPE_CHECKING:
    from mtrain.arena.plays import Progress as Measuring

_TOO_EARLY = 0.02  # of all games: before, what is left is anybody's guess

# How a target is said, by what it is of.
_ASKED = {
    "win": lambda value: f"{SHARE(value)} of the games",
    "diff": lambda value: f"{PIPS(value)} pips/round",
    "taken": lambda value: f"loses {SHARE(value)}",
}


def conditions(levels: Levels) -> str:
    """Return under which conditions the numbers of a file hold, as a sentence."""
    said = levels.conditions
    house = " with changes" if said.get("set") else ""
    blocks = levels_of(levels.said)["blocks"].min()
    against = ", ".join(said["references"])
    return (
        f"measured at {counted(int(said['players']), 'seat')} by {said['rules']} rules{house}, {against} in the other "
        f"seats, on {counted(int(blocks), 'block')} each"
    )


def show_levels(levels: Levels) -> None:
    """Print what a levels file says."""
    steps = steps_of(levels.said).set_index("level")
    taken = {each["name"]: each.get("step", {}) for each in levels.said["level"]}
    gaps = steps.to_dict("index")
    picks: Picks = {
        "level": "level",
        "asked for": _asked,
        "games\nwon": beneath(SHARE, "win"),
        "pips/round\nvs others": beneath(PIPS, "diff"),
        "step,\npips/round": lambda row: _share(gaps.get(row["level"], {}), "gap", SCORE),
        "rounds taken\nfrom below": lambda row: _share(taken[row["level"]], "rounds"),
        "games taken\nfrom below": lambda row: _share(taken[row["level"]], "games"),
        "regret, pips\na decision": _regret,
        "agent": label("agent"),
    }
    notes = [
        f"{conditions(levels)}; 95 % intervals below each figure.",
        "Regret: what a decision costs more than the best in sampled worlds; 95 %: nineteen of twenty cost no more.",
    ]
    for each in levels.said["level"]:
        if "lost_to_random" in each:
            lost = _share(each, "lost_to_random").replace("\n", " ")
            notes.append(f"Level {each['name']} loses {lost} of the games to random where the two share the seats.")
    notes += [f"level {name}: {note}" for name, note in steps["note"].items() if note]
    notes += [f"trouble: {sentence}" for sentence in levels.said.get("troubles", ())]
    if verified := levels.said.get("verified"):
        holds = "all claims hold" if verified["holds"] else "not all claims hold"
        notes.append(
            f"Verified on {counted(int(verified['blocks']), 'fresh block')} (seed {verified['seed']}): {holds}."
        )
        slow = ", ".join(f"{each['level']}: {milliseconds(each['p95_us'])}" for each in verified["time"])
        notes.append(f"95 % of the decisions within, ms: {slow} ({verified['machine']}).")
    unit = rules_of(levels).scoring
    picks["asked for"] = lambda row: in_unit(_asked(row), unit)
    picks = {in_unit(heading, unit): pick for heading, pick in picks.items()}
    title, note = (in_unit(text, unit) for text in (levels.said.get("title", ""), "\n".join(notes)))
    show_picks(levels_of(levels.said), picks, title, note)


def show_elsewhere(frame: pd.DataFrame) -> None:
    """Print what levels are worth at other tables: a line a table, a column a level."""
    names = list(dict.fromkeys(frame["level"]))
    rows, notes = [], []
    for (rules, players), place in frame.groupby(["rules", "players"], sort=False):
        cells = {row["level"]: row for row in place.to_dict("records")}
        found = [PIPS.beneath(*estimate(cells[name], "diff")) for name in names]
        rows.append([str(rules), str(players), f"{place['blocks'].iloc[0]:,}", *found])
        notes += [f"{rules}, {players} seats: {note}" for note in place["note"] if note]
    kept = "Every level is at least as good as the next lower at each of these tables." if not notes else ""
    tiles = [name for name in dict.fromkeys(frame["rules"]) if preset(name).scoring != "pips"]
    units = f"Pips/round ({', '.join(tiles)}: tiles/round)" if tiles else "Pips/round"
    note = f"{units} vs the references, lower is better; 95 % intervals below."
    show(
        ["rules", "seats", "blocks", *names],
        rows,
        "levels at other tables",
        "\n".join(filter(None, [note, kept, *notes])),
    )


def show_written_elsewhere(levels: Levels) -> None:
    """Print what a file says of other tables, if anything."""
    frame = elsewhere_of(levels.said)
    if len(frame):
        show_elsewhere(frame)


def show_claims(claims: pd.DataFrame, timing: pd.DataFrame, unit: str = "pips") -> None:
    """Print which claims hold, and how long decisions took; `unit` is what a score counts."""
    claimed: Picks = {
        "level": "level",
        "claim": lambda row: in_unit(row["claim"], unit),
        "said": lambda row: "" if pd.isna(row["said"]) else _form(row)(row["said"]),
        "found": _found,
        "holds": lambda row: "yes" if row["holds"] else "NO",
        "": "note",
    }
    note = "Claims of a kind are judged together: with 95 % no true one is called false."
    show_picks(claims, claimed, note=note)
    timed: Picks = {
        "level": "agent",
        "decisions": count("decisions"),
        "mean, ms": alone(milliseconds, "us_per_decision"),
        "95 % within, ms": alone(milliseconds, "p95"),
    }
    show_picks(timing, timed, "time per decision here")


def _form(row: Mapping[Any, Any]) -> Format:
    return SHARE if "share" in row["claim"] else SCORE


def _found(row: Mapping[Any, Any]) -> str:
    form = _form(row)
    return form(row["found"]) if pd.isna(row["found_lo"]) else form.beneath(*estimate(row, "found"))


def _asked(row: Mapping[Any, Any]) -> str:
    if not row["target_of"] or pd.isna(row["target"]):
        return "the end" if row["dial"] in (0.0, 1.0) or pd.isna(row["dial"]) else ""
    return _ASKED[row["target_of"]](row["target"])


def _regret(row: Mapping[Any, Any]) -> str:
    if pd.isna(row["regret"]):
        return ""
    return f"{SCORE.beneath(*estimate(row, 'regret'))}\n95 %: {row['regret_p95']:.1f}"


def _share(step: Mapping[Any, Any], name: str, form: Format = SHARE) -> str:
    return form.beneath(step[name], step.get(f"{name}_lo"), step.get(f"{name}_hi")) if name in step else ""


class LevelsWatch:
    """Progress of a tuning or a verification on standard error: what is played, how much of all, the time left."""

    def __init__(self) -> None:
        self.stream = sys.stderr
        self.console = Console(file=self.stream, highlight=False)
        self.bar = games_bar(self.console, "what", transient=True)
        self.task = self.bar.add_task("games", total=None, what="")
        self.last = time.monotonic()

    def __enter__(self) -> "LevelsWatch":
        if self.console.is_terminal:
            self.bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.console.is_terminal:
            self.bar.stop()

    def __call__(self, step: "Measuring") -> None:
        now = time.monotonic()
        if self.console.is_terminal:
            self.bar.update(self.task, completed=step.games, total=step.n_games, what=step.what)
        elif now - self.last > EVERY and 0 < step.games < step.n_games:
            self.last = now
            done = f"{step.games:,} of {step.n_games:,} games"
            if step.games > _TOO_EARLY * step.n_games:
                done += f", {duration(step.seconds / step.games * (step.n_games - step.games))} left"
            print(f"{done}; playing {step.what}", file=self.stream, flush=True)


def tell_trial(step: Any) -> None:
    """Print a line about a candidate of a search on standard error."""
    what = "confirming" if step.trial is None else f"trial {step.trial} of {step.n_trials}"
    value = "" if step.value is None or pd.isna(step.value) else f": {step.value:.4g} on {counted(step.blocks, 'deal')}"
    print(f"{what}, {step.agent} ({step.state}){value}", file=sys.stderr, flush=True)


def show_search(found: Any) -> None:
    """Print what came of a search: the best trials, and the sentence."""
    frame = found.trials
    played = frame[frame["value"].notna() & (frame["state"].astype(str) == "complete")]
    best = played.sort_values("value", ascending=found.objective.lower).head(10)
    names = [name for name in best.columns if name not in ("pruned",)]
    rows = [["" if pd.isna(row[name]) else _word(row[name]) for name in names] for row in best.to_dict("records")]
    ended = frame["state"].astype(str).value_counts()
    note = f"{counted(len(frame), 'trial')}: " + ", ".join(f"{n} {state}" for state, n in ended.items())
    show(names, rows, f"best by {found.objective.name} ({found.objective.unit})", f"{note}\n{found.sentence}")


def _word(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
