"""Analysis: what every legal action of a position comes to, as far as the seat on turn can know.

Its observation is all that is read, so nothing said here hangs on a hidden tile. Each action is played out in the same
sampled worlds; agents are asked what they would do. Whole games are for `mtrain.analysis.annotate`. This module
plays no game and writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mtrain.bots.agent import EXEC, Bot
from mtrain.bots.ask import ask
from mtrain.bots.faults import KINDS, Unasked
from mtrain.bots.registry import Registry, build
from mtrain.errors import UsageError, counted
from mtrain.game import moves
from mtrain.game.kernels import CHOICE, DREW
from mtrain.game.moves import legal_actions, observe
from mtrain.game.notation import action_text
from mtrain.game.rng import WORLD, stream
from mtrain.stats.intervals import simultaneous, wilson
from mtrain.stats.tables import Column, Table, frame, interval
from mtrain.strategy.evaluate import look
from mtrain.strategy.locate import locate
from mtrain.strategy.weaken import BLUNDER_KINDS, SANE, STAYS, judge

# ── Tables of analysis ────────────────────────────────────────────────────────────────────────────────
#
# The tables of analysis: every column's name, type, unit and meaning, written once.
#
# What the actions of a position come to, what agents would do there, the decisions of a game and what they cost, and
# what of a score was luck. Nothing here knows how a number of theirs is found.


_ROUND = Column("round", "int8", "round of the game, from 1")
_SEAT = Column("seat", "int8", "place at the table, from 0")
_AGENT = Column("agent", "str", "the agent in the seat, as the record names it")
_FOLLY = Column(
    "folly", "str", "stays_in: another goes out; passes: a tile could be laid; leaves_marked: closing is free; or empty"
)
_DECISIONS = Column("decisions", "int32", "choices of the seat among two actions or more", "decisions")

ACTIONS = Table("actions", "legal action", ("action",), (
    Column("action", "str", "the action; rows go from the best to the worst"),
    *interval("pips", "mean score of the round over the worlds; lower is better, all intervals together", "pips/round"),
    Column("error", "Float64", "standard error of pips", "pips/round"),
    *interval("diff", "pips minus those of the best action, world by world, all intervals together", "pips/round"),
    Column("diff_error", "Float64", "standard error of diff", "pips/round"),
    *interval("out", "share of worlds in which the seat goes out", "share of worlds"),
    Column("worlds", "int32", "worlds in which it was tried", "worlds"),
    Column("agents", "str", "labels of the agents that would do it"),
    _FOLLY,
    Column("note", "str", "why an interval is absent, else empty"),
))  # fmt: skip

CHOICES = Table("choices", "agent", ("agent",), (
    Column("agent", "str", "label of the agent"),
    Column("action", "str", "what it would do; empty if it failed"),
    Column("diff", "Float64", "what that costs more than the best action", "pips/round"),
    Column("note", "str", "how it failed, else empty"),
))  # fmt: skip

DECISIONS = Table("decisions", "decision", ("round", "event"), (
    _ROUND,
    Column("event", "int16", "which of the round's events in the record, from 0"),
    Column("turn", "int16", "turn of the seat in the round, from 1"),
    _SEAT, _AGENT,
    Column("actions", "int16", "legal actions", "actions"),
    Column("done", "str", "the action done"),
    Column("best", "str", "the action that comes off best over all worlds"),
    *interval("regret", "what the action done costs more than the best, as halves of the worlds judge", "pips/round"),
    Column("error", "Float64", "standard error of regret", "pips/round"),
    *interval("skill", "what it costs more than the reference's own choice", "pips/round"),
    _FOLLY,
))  # fmt: skip

_PARTS = (
    Column("pips", "int32", "score; lower is better. It is the sum of par, deal_luck, draw_luck and skill", "pips"),
    *interval("par", "expected score of the seat before its tiles are dealt", "pips"),
    *interval("deal_luck", "what the hand dealt adds to that; below 0 it is a good one", "pips"),
    *interval("draw_luck", "what draws, the tiles of the others and their play add; below 0 is luck", "pips"),
    *interval("skill", "what its decisions add to what the reference's would; below 0 it played better", "pips"),
    *interval("regret", "what its decisions cost more than the best ones", "pips"),
    _DECISIONS,
)

PARTS = Table("luck", "round × seat", ("round", "seat"), (_ROUND, _SEAT, _AGENT, *_PARTS))

SUMMARY = Table("summary", "seat", ("seat",), (_SEAT, _AGENT, *_PARTS))


# ── Analysis ──────────────────────────────────────────────────────────────────────────────────────────


AGENTS = ("greedy", "double-holder", "planner", "heuristic", "mc", "ismcts")
"""Whom `analyse` asks what they would do, if nobody else is named."""

WORLDS = 400

# What the streams of an analysis are for, after (seed, WORLD).
LOOK, ASKED = 3, 4

_LOCATED = 1000  # worlds by which hidden tiles are located, at least


@dataclass(frozen=True)
class Analysis:
    """What there is to say of a position.

    Attributes
    ----------
    said
        The answer in a sentence.
    seat
        Who is on turn.
    worlds
        In how many worlds every action was tried.
    unit
        What a score counts: pips or tiles.
    actions, choices
        Tables of the same names in `mtrain.analysis.analyse`: the legal actions from the best on, and what
        agents would do. Without rows where nothing is to be chosen.
    locations
        Where unseen tiles are likely to be, as from `locate`; None if nobody asked.
    """

    said: str
    seat: int
    worlds: int
    unit: str
    actions: pd.DataFrame
    choices: pd.DataFrame
    locations: pd.DataFrame | None

    @property
    def best(self) -> str | None:
        """The best action, as text; None where nothing is to be chosen."""
        return str(self.actions["action"].iloc[0]) if len(self.actions) else None


def analyse(
    position: np.ndarray,
    *,
    worlds: int = WORLDS,
    seed: int = 0,
    agents: Sequence[str] = AGENTS,
    agents_from: Iterable[str | Path] = (),
    locate: bool = False,
) -> Analysis:
    """Say what every legal action of the seat on turn comes to.

    Parameters
    ----------
    position : STATE[1]
        A position, of which only what the seat on turn may know is read, or its observation.
    worlds
        In how many sampled worlds every action is tried: deals that agree with all that the seat has seen.
    seed
        What all chance is made from; the same position and seed give the same answer.
    agents
        Who is asked what they would do, as on the command line.
    agents_from
        Files and folders to look for agents in, besides.
    locate
        Say where the unseen tiles are likely to be, too.

    Returns
    -------
    Analysis
        A position in which nothing is to be chosen has a sentence and no rows, one with a single legal action a row.

    Raises
    ------
    UsageError
        If `worlds`, `seed` or an agent cannot be, or the position leaves tiles out.

    Notes
    -----
    After the action the round is played on in each world, by `heuristic` in the seat and by `planner` in the others; an
    action is worth the pips that this costs the seat on average. All actions meet the same worlds and the same chance,
    so that most of their luck cancels in `diff`.

    The best is picked by the worlds that it is judged in, which flatters it. So intervals are made to hold together,
    those of all `pips` and those of the differences of all pairs: then they hold for whichever is picked
    (`mtrain.stats.intervals`). They speak of the sampling of worlds alone, and not of how the others really play.
    """
    bots = ready(worlds, 2, seed, agents, agents_from)
    seen, why = choice_of(position)
    unit = "tiles" if position[0].count_tiles else "pips"
    seat = int(position[0].turn if seen is None else seen[0].turn)
    places = located(position if seen is None else seen, worlds, seed) if locate and not position[0].over else None
    if seen is None:
        nothing = frame(ACTIONS, dict.fromkeys(ACTIONS.names, ()))
        return Analysis(why, seat, worlds, unit, nothing, _choices([], [], []), places)
    legal = legal_actions(seen)
    texts = [action_text(action, int(seen[0].n_seats)) for action in legal]
    actions = np.array(legal, np.int64)
    costs, outs = look(seen, actions, worlds, int(stream(seed, WORLD, LOOK, 0, 0)))
    answers = _ask_all(bots, seen, actions, seed) if len(legal) > 1 else []
    labels = [bot.spec.label for bot in bots[: len(answers)]]
    would = [
        ", ".join(label for label, (k, _) in zip(labels, answers, strict=True) if k == at) for at in range(len(legal))
    ]
    table, best = _actions(texts, costs, outs, judge(seen, actions), would)
    more = costs.mean(axis=0) - costs[:, best].mean()
    choices = _choices(
        labels,
        ["" if k is None else texts[k] for k, _ in answers],
        [(np.nan if k is None else more[k], note) for k, note in answers],
    )
    return Analysis(_say(table, seat, worlds, unit), seat, worlds, unit, table, choices, places)


def ready(
    worlds: int, least: int, seed: int, agents: Sequence[str] = (), agents_from: Iterable[str | Path] = ()
) -> list[Bot]:
    """Check what an analysis is asked for, and return the agents, built.

    Raises
    ------
    UsageError
        If it cannot be.
    """
    if worlds < least:
        raise UsageError(f"worlds is a whole number, {least} or more, not {worlds}")
    if not 0 <= seed < 1 << 64:
        raise UsageError(f"seed is a number from 0 to 2**64 - 1, not {seed}")
    registry = Registry(agents_from)
    specs = [registry.parse(agent, meet=False) for agent in agents]
    labels = [spec.label for spec in specs]
    for spec in specs:
        if spec.peeks:
            raise UsageError(
                f"agent {str(spec)!r} peeks; an analysis shows agents what the seat on turn sees, and no more"
            )
        if spec.name == EXEC:
            raise UsageError(f"agent {spec.label!r} is a program; an analysis asks agents in Python only")
        if labels.count(spec.label) > 1:
            raise UsageError(f"two agents are called {spec.label!r}; write LABEL@{spec}")
    return [build(spec) for spec in specs]


def choice_of(position: np.ndarray) -> tuple[np.ndarray | None, str]:
    """Return what the seat on turn sees where it has something to choose; or None, and a sentence why nobody has.

    The position is left as it is. Turns that end of themselves are gone through; a tile that must be drawn is not.

    Raises
    ------
    UsageError
        If the position hides the hand of the seat on turn, or leaves tiles out.
    """
    here = position.copy()
    while True:
        s = here[0]
        seat = int(s.turn)
        if s.over:
            return None, "The round is over: nothing is to be chosen."
        if s.engine < 0:
            return None, "No engine has been placed: the hands say which it is, and nothing is to be chosen."
        seen = observe(here, seat)
        held = sum(int(row).bit_count() for row in seen[0].hand[seat]) + sum(
            int(row) >> v & 1 for v, row in enumerate(seen[0].hand[seat])
        )
        if held != 2 * int(s.count[seat]):
            raise UsageError(f"the position hides tiles of seat {seat}, which is on turn")
        locate(seen, seat, worlds=1)  # refuses a position that leaves tiles out
        did = moves.step(seen, 0)
        if did == CHOICE:
            return seen, ""
        if did == DREW:
            return None, f"Seat {seat} has nothing to lay and draws a tile: nothing is to be chosen before."
        moves.step(here, 0)


def located(position: np.ndarray, worlds: int, seed: int) -> pd.DataFrame:
    """Return where the tiles are likely to be that the seat on turn cannot see, best known first."""
    return locate(position, worlds=max(worlds, _LOCATED), seed=seed)


def choose(bot: Bot, seen: np.ndarray, actions: np.ndarray, chance: int) -> tuple[int | None, str]:
    """Return which of the legal actions an agent takes; None and a note if it fails."""
    failed: dict[int, Unasked] = {}
    answer = int(ask(bot, seen.copy(), actions[None].copy(), np.array([chance], np.uint64), failed)[0])
    found = np.flatnonzero(actions == answer)
    if failed:
        return None, KINDS[failed[0].kind]
    return (int(found[0]), "") if len(found) else (None, KINDS["illegal"])


def _ask_all(bots: Sequence[Bot], seen: np.ndarray, actions: np.ndarray, seed: int) -> list[tuple[int | None, str]]:
    return [choose(bot, seen, actions, int(stream(seed, WORLD, ASKED, 0, 0))) for bot in bots]


def _actions(
    texts: Sequence[str], costs: np.ndarray, outs: np.ndarray, wrong: np.ndarray, would: Sequence[str]
) -> tuple[pd.DataFrame, int]:
    """Return the table of actions from the best on, and which of the legal actions that is."""
    worlds, n = costs.shape
    judged = simultaneous(costs)
    order = np.lexsort((np.arange(n), wrong != SANE, judged.mean))
    best = int(order[0])
    diff, diff_error = judged.mean - judged.mean[best], judged.diff_error[best]
    half, diff_half = judged.quantile * judged.error, judged.diff_quantile * diff_error
    varies = judged.error > 0
    out_lo, out_hi = wilson(outs.sum(axis=0, dtype=np.int64), worlds)
    data = {
        "action": np.array(texts, object),
        "pips": judged.mean,
        "pips_lo": np.where(varies, judged.mean - half, np.nan),
        "pips_hi": np.where(varies, judged.mean + half, np.nan),
        "error": judged.error,
        "diff": diff,
        "diff_lo": diff - diff_half,
        "diff_hi": diff + diff_half,
        "diff_error": diff_error,
        "out": outs.mean(axis=0),
        "out_lo": out_lo,
        "out_hi": out_hi,
        "worlds": np.full(n, worlds),
        "agents": np.array(would, object),
        "folly": np.array(["", *BLUNDER_KINDS], object)[np.maximum(wrong - STAYS + 1, 0)],
        "note": np.where(varies, "", "the same in every world").astype(object),
    }
    return frame(ACTIONS, {name: column[order] for name, column in data.items()}), best


def _choices(labels: Sequence[str], actions: Sequence[str], more: Sequence[tuple[float, str]]) -> pd.DataFrame:
    columns: dict[str, Any] = {
        "agent": list(labels),
        "action": list(actions),
        "diff": [diff for diff, _ in more],
        "note": [note for _, note in more],
    }
    return frame(CHOICES, columns)


def _say(table: pd.DataFrame, seat: int, worlds: int, unit: str) -> str:
    """Return what the table of actions says, in a sentence."""
    best = table.iloc[0]
    spread = "" if best["note"] else f" [{best['pips_lo']:.1f}, {best['pips_hi']:.1f}]"
    worth = f"{best['pips']:.1f}{spread} {unit} on average over {counted(worlds, 'world')}"
    worth += f", and it goes out in {100 * best['out']:.0f} % of them"
    if len(table) == 1:
        return f"Seat {seat} has one legal action, {best['action']}: {worth}."
    rivals = int((table["diff_lo"].iloc[1:] <= 0).sum())
    doubt = f"; {counted(rivals, 'other')} may be as good" if rivals else "; it is surely the best of them"
    return f"Seat {seat} does best with {best['action']}: {worth}{doubt}.".replace("-0.0 ", "0.0 ")
