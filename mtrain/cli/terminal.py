"""What the terminal shows while work goes on, and what it shows of levels and of analyses. Nothing here is computed."""

import sys
import time
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

import pandas as pd
from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from mtrain.bots.level_file import Levels
from mtrain.errors import counted
from mtrain.game.rules import preset
from mtrain.report import format
from mtrain.report.format import PIPS, POINTS, SCORE, SHARE, Format, duration, in_unit, milliseconds
from mtrain.report.terminal import (
    STANDINGS,
    Picks,
    alone,
    beneath,
    count,
    estimate,
    interval,
    label,
    picked,
    records,
    show,
    show_picks,
    table,
)
from mtrain.tuning.ladder_tables import elsewhere_of, levels_of, steps_of
from mtrain.tuning.verify import rules_of

if TYPE_CHECKING:
    from mtrain.analysis.analyse import Analysis
    from mtrain.analysis.annotate import Annotation
    from mtrain.arena.run import Step
    from mtrain.arena.spec import Tournament
    from mtrain.tuning.matches import Progress as Measuring


# ── Progress of a tournament ──────────────────────────────────────────────────────────────────────────


EVERY = 15.0  # seconds between lines of progress where there is no terminal

_REDRAW = 2.0  # seconds between two looks at the standings where there is one

_SO_FAR = 5  # of them, while it is played


def games_bar(console: Console, said: str, transient: bool = False) -> Progress:
    """Return a bar of games played, with the field `said` of the task beside it and the time left."""
    return Progress(
        TextColumn("games"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(f"{{task.fields[{said}]}}"),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        transient=transient,
    )


class Watch:
    """Progress of a tournament on standard error: the rate, the time left, the standings so far.

    A live picture on a terminal; one line per interval elsewhere.
    """

    def __init__(self, t: "Tournament") -> None:
        self.rules = t.rules
        self.stream = sys.stderr
        self.console = Console(file=self.stream, highlight=False)
        self.bar = games_bar(self.console, "rate")
        self.task = self.bar.add_task("games", total=t.schedule.n_games, rate="")
        self.live = Live(self.bar, console=self.console, refresh_per_second=4, transient=True)
        self.last = time.monotonic()

    def __enter__(self) -> "Watch":
        if self.console.is_terminal:
            self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.console.is_terminal:
            self.live.stop()

    def __call__(self, step: "Step") -> None:
        played = step.games - step.kept
        rate = step.rounds * played / step.games / max(step.seconds, 1e-9)
        now = time.monotonic()
        if self.console.is_terminal:
            self.bar.update(self.task, completed=step.games, rate=f"{rate:,.0f} rounds/s")
            if now - self.last > _REDRAW:
                self.last = now
                self.live.update(Group(self.bar, self._standings(step)))
        elif now - self.last > EVERY and step.games < step.n_games:
            self.last = now
            left = step.seconds / played * (step.n_games - step.games)
            best = "; ".join(
                f"{row.agent} {format.PIPS.interval(row.diff, row.diff_lo, row.diff_hi)}"
                for row in step.standings().itertuples()
            )
            done = f"{step.games:,} of {step.n_games:,} games, {rate:,.0f} rounds/s, {format.duration(left)} left"
            print(f"{done}; pips/round vs others: {best}", file=self.stream, flush=True)

    def _standings(self, step: "Step") -> Table:
        picks = dict(islice(STANDINGS.items(), _SO_FAR))
        return table(list(picks), picked(step.standings(), picks.values()), "standings so far", self.stream)


# ── Levels as the terminal shows them ─────────────────────────────────────────────────────────────────
#
# Difficulty levels as the terminal shows them: what a file says, what of it holds, and how far a tuning is.
#
# Nothing here is computed.


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


# ── Analyses as the terminal shows them ───────────────────────────────────────────────────────────────
#
# Analyses as the terminal shows them: the actions of a position, the mistakes of a game, and what was luck.
#
# Nothing here is computed.


def show_analysis(found: "Analysis", top: int | None = None) -> None:
    """Print what there is to say of a position: its `top` actions, or all."""
    if not len(found.actions):
        show(["seat", "what is to be chosen"], [[found.seat, found.said]])
    else:
        unit = found.unit
        picks: Picks = {
            "action": "action",
            f"{unit}/round": lambda row: SCORE.sure(*estimate(row, "pips")),
            "more than the best": lambda row: "" if row["action"] == found.best else PIPS.sure(*estimate(row, "diff")),
            "goes out": interval(SHARE, "out"),
            "agents that would": "agents",
            "folly": _folly,
        }
        actions = found.actions[:top]
        left = len(found.actions) - len(actions)
        notes = [
            found.said,
            "95 % intervals, those of a column of pips all together: they hold for whichever action is picked."
            + (f" {counted(left, 'more action')} not shown." if left else ""),
            *(f"{row.agent}: {row.note!s}" for row in found.choices.itertuples() if row.note),
        ]
        show_picks(actions, picks, note="\n".join(notes))
    if found.locations is not None:
        show_locations(found.locations, title="where the tiles are that it cannot see")


def show_locations(locations: pd.DataFrame, title: str = "", note: str = "") -> None:
    """Print where tiles are likely to be, a line a tile."""
    tile, *places = locations.columns
    picks: Picks = {tile: tile}
    picks |= {place: alone(SHARE, place) for place in places}
    show_picks(locations, picks, title, note)


def show_annotation(found: "Annotation", top: int | None = None) -> None:
    """Print what there is to say of a game: its `top` mistakes, or all, and of what the scores are made up."""
    mistakes = found.mistakes[:top]
    left = len(found.mistakes) - len(mistakes)
    picks: Picks = {name: name for name in ("round", "action", "turn", "seat", "agent", "done", "best")}
    picks |= {"action": "event", f"regret, {found.unit}": interval(Format(".1f"), "regret"), "folly": _folly}
    note = f"{f'{left:,} more; ' if left else ''}--round and --action show what else there was to do"
    show_picks(mistakes, picks, "mistakes, the costliest first", note)
    whole = Format(".0f")
    picks = {
        "seat": "seat",
        "agent": "agent",
        found.unit: count("pips"),
        "par": interval(whole, "par"),
        "luck of the deal": interval(POINTS, "deal_luck"),
        "luck of draws\nand others": interval(POINTS, "draw_luck"),
        "skill": interval(POINTS, "skill"),
        "regret": interval(whole, "regret"),
        "decisions": count("decisions"),
    }
    note = (
        f"{found.unit} = par + luck of the deal + luck of draws and others + skill; below 0 is to the good.\n"
        "Par is what the reference scores there on average; skill is measured from its choices, regret from the best.\n"
        "95 % intervals of the sampling of worlds."
    )
    show_picks(found.summary, picks, "luck and skill", note)


def _folly(row: Mapping[Any, Any]) -> str:
    return str(row["folly"]).replace("_", " ")


def analysis_json(found: "Analysis", top: int | None = None) -> dict[str, Any]:
    """Return what there is to say of a position as JSON."""
    return {
        "said": found.said,
        "seat": found.seat,
        "worlds": found.worlds,
        "unit": found.unit,
        "actions": records(found.actions[:top]),
        "choices": records(found.choices),
        "locations": None if found.locations is None else records(found.locations),
    }


def annotation_json(found: "Annotation", top: int | None = None) -> dict[str, Any]:
    """Return what there is to say of a game as JSON."""
    tables: dict[str, pd.DataFrame] = {
        "mistakes": found.mistakes[:top],
        "summary": found.summary,
        "luck": found.parts,
        "decisions": found.decisions,
    }
    return {"unit": found.unit} | {name: records(table) for name, table in tables.items()}
