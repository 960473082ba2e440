"""What the terminal shows while work goes on, and what it shows of levels and of analyses. Nothing here is computed."""

import sys
import time
from itertools import islice
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from mtrain.show.terminal import STANDINGS, picked, table
from mtrain.study import format

if TYPE_CHECKING:
    from mtrain.arena.run import Step
    from mtrain.arena.tournament import Tournament

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
