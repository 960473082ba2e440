"""A search of an agent's parameters: which values make it play best against others?

Candidates are tried one after the other on deals common to all. One that falls behind the best is given up before it
has played them all, and what is tried next follows from what has been found. What a search finds it has found by
selection, so its best has been lucky, too: it takes the incumbent's place only if it beats it on fresh deals.

Sources: Maron and Moore, "Hoeffding races: accelerating model selection search for classification and function
approximation", NIPS 6 (1994); Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1 (1945), for
who has fallen behind; Bergstra, Bardenet, Bengio and Kégl, "Algorithms for hyper-parameter optimization", NIPS 24
(2011), and Falkner, Klein and Hutter, "BOHB: robust and efficient hyperparameter optimization at scale", ICML (2018),
for what is tried next.
"""

import contextlib
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mtrain.arena.faults import STOP
from mtrain.arena.manifest import difference, manifest_of, spec
from mtrain.arena.options import MAX_SEED, taking
from mtrain.arena.run import Interrupted
from mtrain.arena.spec import Tournament, plan
from mtrain.arena.workdir import Kind
from mtrain.bots.agent import AgentSpec
from mtrain.bots.registry import Registry, build
from mtrain.errors import counted, nearest
from mtrain.game.rng import SEARCH, stream
from mtrain.game.rules import RuleSet
from mtrain.stats import files, tables
from mtrain.stats.intervals import CONSTANT, estimate
from mtrain.tuning.matches import Kept
from mtrain.tuning.options import Maximise
from mtrain.tuning.racing import CANDIDATE, COMPLETE, OBJECTIVES, OUTCOME, Hunt, Objective, trials_table
from mtrain.tuning.space import Candidates, SearchError, candidates_of

FORMAT = "mtrain-search/2"
"""What the spec of a search says of its format."""


def _unlike(said: Mapping[str, Any]) -> str:
    return "" if said.get("format") == FORMAT else f" of this mtrain: its format is not {FORMAT!r}"


SEARCH_KIND = Kind(
    "search.json",
    "search",
    "another search",
    "it holds a search; --resume (resume=True) goes on with it",
    SearchError,
    difference,
    _unlike,
)
"""A search in a directory."""


@dataclass(frozen=True)
class Search:
    """What a search has found.

    Attributes
    ----------
    objective
        What it was after.
    trials
        The `trials` table: a row a candidate, the parameters searched a column each; trial 0 is the incumbent.
    incumbent, best
        The agent that the search began with, and that of the best trial.
    gain, lo, hi
        By how much the best is better than the incumbent on fresh deals (above 0: better, whatever the objective), and
        the 95 % interval, paired by deal. nan if the incumbent is the best, or no interval can be given.
    blocks
        How many fresh deals that is; 0 if the incumbent is the best.
    winner
        The agent that is kept: the best if `lo` is above 0, else the incumbent.
    value
        The winner's mean of the objective over the fresh deals: never that of the trial that it won.
    """

    objective: Objective
    trials: pd.DataFrame
    incumbent: str
    best: str
    gain: float
    lo: float
    hi: float
    blocks: int
    winner: str
    value: float

    @property
    def kept(self) -> bool:
        """Does the incumbent stay?"""
        return self.winner == self.incumbent

    @property
    def sentence(self) -> str:
        """What came of it, in one line."""
        if not self.blocks:
            return f"{self.incumbent} stays: none of {counted(len(self.trials) - 1, 'other candidate')} did better"
        better = self.gain >= 0
        numbers = (self.gain, self.lo, self.hi) if better else (-self.gain, -self.hi, -self.lo)
        gain, lo, hi = map(self.objective.said, numbers)
        word = "better" if better else "worse"
        fresh = f"on {counted(self.blocks, 'fresh deal')}"
        if np.isnan(self.lo):
            by = f"{word} by {gain} {self.objective.unit}, and without an interval: {CONSTANT}"
        else:
            by = f"{word} by {gain} [{lo}, {hi}] {self.objective.unit}"
        if not self.kept:
            return f"{self.best} takes over from {self.incumbent}: {fresh} it is {by}"
        doubt = ", and the interval reaches 0" if self.lo <= 0 <= self.hi else ""
        return f"{self.incumbent} stays: {fresh} {self.best} is {by}{doubt}"


class SearchInterrupted(KeyboardInterrupt):
    """A search that was asked to end: what was in flight is finished, what has been measured is kept.

    Attributes
    ----------
    trials
        The `trials` table of the trials that have ended.
    """

    def __init__(self, trials: pd.DataFrame) -> None:
        super().__init__("interrupted")
        self.trials = trials


@taking(Maximise)
def maximise(
    agent: str,
    space: Mapping[str, Any] | Sequence[str],
    *,
    rules: RuleSet | str = "standard",
    changes: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    interrupt: threading.Event | None = None,
    **options: Any,
) -> Search:
    """Search the parameters of an agent for those with which it plays best. It needs the extra `tune`.

    Parameters
    ----------
    agent
        The incumbent, as on the command line: ``"planner:order=rest"``. What is searched begins at its values.
    space
        What to try of each parameter: ``{"pair": (0, 60), "weight": (0.1, 10, "log"), "order": ["rest", "plan"]}``, or
        texts: ``["pair=0..60", "weight=0.1..10:log", "order=rest|plan"]``. Numbers are tried to six digits.
    rules, changes
        A RuleSet or a preset's name, and fields to change.
    out
        A directory to keep what is measured in, and the tables `trials` and `outcome`. None: nothing is kept.
    resume
        If `out` holds a search like this one, go on with it: it ends as if it had never been broken off.
    interrupt
        Once it is set, what is in flight is finished and the search ends. Ctrl-C sets it, too.
    **options
        Those of `Maximise`.

    Returns
    -------
    Search
        Its `winner` is the agent to keep.

    Raises
    ------
    SearchError, TournamentError, AgentError, RulesError
        Before anything is played, with one sentence.
    Locked
        If another process writes to the directory.
    SearchInterrupted
        After Ctrl-C; a second one raises KeyboardInterrupt at once.
    Unwritten
        If the disk is full or fails.
    Fault
        If an agent fails.

    Notes
    -----
    A candidate is looked at after 10, 20, 40 … deals, and given up where a one-sided Wilcoxon test of its deals against
    the best one's is below 0.1 and its mean is behind, too. That looks often, and is no proof: it only saves time.
    What proves something is the paired difference on fresh deals, which no choice has been made by.

    A candidate whose parameters the agent itself refuses is a row without a value, and one that has been tried before
    is not played again.
    """
    optuna, asked = _optuna(), Maximise(**options)
    if asked.objective not in OBJECTIVES:
        raise SearchError(f"unknown objective {asked.objective!r}; {nearest(asked.objective, OBJECTIVES)}")
    for name, least in (("trials", 2), ("deals", 2), ("fresh", 2), ("jobs", 1)):
        value = getattr(asked, name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
            raise SearchError(f"{name} is a whole number, {least} or more, not {value!r}")
    if out is None and resume:
        raise SearchError("there is nothing to go on with without a directory; name it with out=…")
    agents_from = tuple(asked.agents_from)
    registry = Registry(agents_from)
    start = registry.parse(agent)
    candidates = candidates_of(start, space, registry)
    lineup = _seated(start, asked.against, asked.players)
    t = plan(
        list(dict.fromkeys(lineup)), rules, changes=changes, players=asked.players, lineups=[lineup], deals=asked.deals,
        seed=asked.seed, agents_from=agents_from, allow_peeking=asked.allow_peeking, on_fault=STOP,
    )  # fmt: skip
    for each in t.agents:
        build(each)  # one that cannot be compiled says so before anything is written
    fresh = 2 * asked.deals if asked.fresh is None else asked.fresh
    said = _spec(t, candidates, asked.objective, asked.trials, fresh, str(optuna.__version__))
    interrupt = interrupt or threading.Event()
    with contextlib.ExitStack() as stack:
        folder = Path(out or stack.enter_context(tempfile.TemporaryDirectory(prefix="mtrain-")))
        stack.enter_context(SEARCH_KIND.opened(folder, said, resume))
        kept = Kept(folder, asked.jobs, interrupt, derived=False)
        hunt = Hunt(kept, t, OBJECTIVES[asked.objective], candidates, registry, asked.trials, asked.watch)
        try:
            hunt.run(optuna)
            found = _confirmed(hunt, fresh)
        except Interrupted:
            raise SearchInterrupted(hunt.table()) from None
        except KeyboardInterrupt:
            if interrupt.is_set():
                raise
            raise SearchInterrupted(hunt.table()) from None
        _keep(folder, found, candidates)
    return found


def _optuna() -> Any:
    """Return the library that says what to try next."""
    try:
        import optuna
    except ImportError:
        raise SearchError('a search needs optuna, and it is not there: pip install "mtrain[tune]"') from None
    return optuna


def _seated(start: AgentSpec, against: Sequence[str], players: int) -> list[str]:
    """Return who sits at the one table of a search: the candidate, and others in the other seats, taking turns."""
    if isinstance(against, str) or not all(isinstance(each, str) for each in against):
        raise SearchError(f"against is a list of agents, not {against!r}")
    if not against:
        raise SearchError("against nobody there is nothing to measure; name at least one agent")
    if type(players) is not int:
        raise SearchError(f"players is a whole number, not {players!r}")
    if 1 < players <= len(against):
        raise SearchError(f"{counted(len(against), 'agent')} and the candidate need more than {players} seats")
    return [f"{CANDIDATE}@{start}", *(against[k % len(against)] for k in range(players - 1))]


def _confirmed(hunt: Hunt, deals: int) -> Search:
    """Hold the best against the incumbent on fresh deals."""
    objective, best, incumbent = hunt.objective, hunt.best()["agent"], hunt.candidates.incumbent
    if best == incumbent:
        return Search(objective, hunt.table(), incumbent, best, np.nan, np.nan, np.nan, 0, incumbent, np.nan)
    seed = int(stream(hunt.t.seed, SEARCH, 1, 0, 0)) & MAX_SEED
    t = replace(hunt.t, deals=deals, seed=seed)
    numbers = {}
    for name, agent in (("incumbent", incumbent), ("best", best)):
        numbers[agent] = np.array(hunt.measure(f"fresh-{name}", hunt.seat(agent, t)))
        row = {"trial": None, "agent": agent, "state": COMPLETE, "blocks": deals}
        hunt.tell(row | {"value": float(numbers[agent].mean())})
    e = estimate(objective.gain(numbers[incumbent], numbers[best]), np.zeros(deals, np.int64), 1)
    gain, lo, hi = (float(each[0]) for each in (e.mean, e.lo, e.hi))
    winner = best if lo > 0 else incumbent
    value = float(numbers[winner].mean())
    return Search(objective, hunt.table(), incumbent, best, gain, lo, hi, deals, winner, value)


# ── Its directory ─────────────────────────────────────────────────────────────────────────────────────────


def _spec(
    t: Tournament, candidates: Candidates, objective: str, trials: int, fresh: int, version: str
) -> dict[str, Any]:
    """Return what a search depends on."""
    return spec(manifest_of(t, 1, 0)) | {
        "format": FORMAT,
        "space": {name: str(span) for name, span in candidates.space.items()},
        "objective": objective,
        "trials": trials,
        "fresh": fresh,
        "optuna": version,
    }


def _keep(folder: Path, found: Search, candidates: Candidates) -> None:
    """Write the tables of a search that has ended."""
    row = {name: getattr(found, name) for name in OUTCOME.names if name not in ("objective", "note")}
    row |= {"objective": found.objective.name, "note": found.sentence}
    outcome = tables.frame(OUTCOME, {name: [row[name]] for name in OUTCOME.names})
    files.write(trials_table(candidates.kinds), found.trials, folder / "trials.parquet")
    files.write(OUTCOME, outcome, folder / "outcome.parquet")
