"""Difficulty levels as the terminal shows them: what a file says, what of it holds, and how far a tuning is.

Nothing here is computed.
"""

import sys
import time
from typing import TYPE_CHECKING, Any

import pandas as pd
from rich.console import Console

from mtrain.arena.verifying import rules_of
from mtrain.game.rules import preset
from mtrain.show.terminal import EVERY, beneath, broken, duration, games_bar, interval, show
from mtrain.study.sheets import in_unit
from mtrain.study.words import counted
from mtrain.study.written import elsewhere_of, levels_of, steps_of
from mtrain.think.levels import Levels

if TYPE_CHECKING:
    from mtrain.arena.plays import Progress as Step

_TOO_EARLY = 0.02  # of all games: before, what is left is anybody's guess

# What a target is of, in words and in its form.
_ASKED = {"win": "{:.1f} % of the games", "diff": "{:+.2f} pips/round", "taken": "loses {:.1f} %"}


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
    frame, steps = levels_of(levels.said), steps_of(levels.said).set_index("level")
    taken = {each["name"]: each.get("step", {}) for each in levels.said["level"]}
    rows = []
    for row in frame.to_dict("records"):
        name = row["level"]
        step = steps.loc[name] if name in steps.index else None
        rows.append(
            [
                name,
                _asked(row),
                beneath(row["win"], row["win_lo"], row["win_hi"], 1, percent=True),
                beneath(row["diff"], row["diff_lo"], row["diff_hi"], 2, sign=True),
                "" if step is None else beneath(step["gap"], step["gap_lo"], step["gap_hi"], 2),
                _share(taken[name], "rounds"),
                _share(taken[name], "games"),
                _regret(row),
                broken(row["agent"]),
            ]
        )
    headings = [
        "level", "asked for", "games\nwon", "pips/round\nvs others", "step,\npips/round", "rounds taken\nfrom below",
        "games taken\nfrom below", "regret, pips\na decision", "agent",
    ]  # fmt: skip
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
        slow = ", ".join(f"{each['level']}: {each['p95_us'] / 1000:.3g}" for each in verified["time"])
        notes.append(f"95 % of the decisions within, ms: {slow} ({verified['machine']}).")
    unit = rules_of(levels).scoring
    asked = [[name, in_unit(target, unit), *rest] for name, target, *rest in rows]
    headings = [in_unit(heading, unit) for heading in headings]
    show(headings, asked, in_unit(levels.said.get("title", ""), unit), in_unit("\n".join(notes), unit))


def show_elsewhere(frame: pd.DataFrame) -> None:
    """Print what levels are worth at other tables: a line a table, a column a level."""
    names = list(dict.fromkeys(frame["level"]))
    rows, notes = [], []
    for (rules, players), place in frame.groupby(["rules", "players"], sort=False):
        cells = {row["level"]: row for row in place.to_dict("records")}
        found = [beneath(cells[n]["diff"], cells[n]["diff_lo"], cells[n]["diff_hi"], 2, sign=True) for n in names]
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
    rows = []
    for row in claims.to_dict("records"):
        percent = "share" in row["claim"]
        found = beneath(row["found"], row["found_lo"], row["found_hi"], 1 if percent else 2, percent=percent)
        said = "" if pd.isna(row["said"]) else interval(row["said"], None, None, 1 if percent else 2, percent=percent)
        said = said.removesuffix(" [n/a]")
        found = found.removesuffix("\n[n/a]")
        rows.append(
            [row["level"], in_unit(row["claim"], unit), said, found, "yes" if row["holds"] else "NO", row["note"]]
        )
    note = "Claims of a kind are judged together: with 95 % no true one is called false."
    show(["level", "claim", "said", "found", "holds", ""], rows, note=note)
    show(
        ["level", "decisions", "mean, ms", "95 % within, ms"],
        [
            [row["agent"], f"{row['decisions']:,}", f"{row['us_per_decision'] / 1000:.3g}", f"{row['p95'] / 1000:.3g}"]
            for row in timing.to_dict("records")
        ],
        "time per decision here",
    )


def _asked(row: dict[Any, Any]) -> str:
    if not row["target_of"] or pd.isna(row["target"]):
        return "the end" if row["dial"] in (0.0, 1.0) or pd.isna(row["dial"]) else ""
    scale = 1 if row["target_of"] == "diff" else 100
    return _ASKED[row["target_of"]].format(scale * row["target"]).replace("-", "−")


def _regret(row: dict[Any, Any]) -> str:
    if pd.isna(row["regret"]):
        return ""
    return beneath(row["regret"], row["regret_lo"], row["regret_hi"], 2) + f"\n95 %: {row['regret_p95']:.1f}"


def _share(step: dict[str, Any], name: str) -> str:
    if name not in step:
        return ""
    ends = (step.get(f"{name}_lo"), step.get(f"{name}_hi"))
    return beneath(step[name], *ends, 1, percent=True)


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

    def __call__(self, step: "Step") -> None:
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
