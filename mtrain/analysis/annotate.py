"""Annotation: every decision of a recorded game looked at again, and what of the scores was luck.

A record is played again; each decision is judged from what its seat saw, with sampled worlds. This module must not
look at what its seat could not see, and writes nothing.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from mtrain.analysis import analyse as tables
from mtrain.analysis.analyse import LOOK, WORLDS, choose, ready
from mtrain.bots.agent import Bot
from mtrain.errors import UsageError
from mtrain.game.kernels import PASS
from mtrain.game.moves import legal_actions, observe
from mtrain.game.notation import action_text, parse_action
from mtrain.game.record import forced_event, replay
from mtrain.game.rng import WORLD, stream
from mtrain.game.state import TURNS
from mtrain.stats.intervals import t_quantile
from mtrain.stats.tables import Table, frame
from mtrain.strategy.evaluate import before_deal, look, with_hand
from mtrain.strategy.weaken import BLUNDER_KINDS, STAYS, judge
from mtrain.tuning.measure import regret

REFERENCE = "heuristic"
"""Whose own choices `skill` is measured from: the policy by which the seat itself goes on in sampled worlds."""

DEALS = 1000

# What the streams of an annotation are for, after (seed, WORLD), besides `LOOK`.
_TIES, _HAND, _PAR = 5, 6, 7

_OF_LUCK = ("par", "deal_luck", "draw_luck", "skill", "regret")


@dataclass(frozen=True)
class Annotation:
    """What there is to say of a recorded game.

    Attributes
    ----------
    decisions, parts, summary
        The tables `decisions`, `luck` and `summary` of `mtrain.analysis.analyse`: every choice in the order of
        play; of what each seat's score of each round is made up; and of the whole game.
    unit
        What a score counts: pips or tiles.
    """

    decisions: pd.DataFrame
    parts: pd.DataFrame
    summary: pd.DataFrame
    unit: str

    @property
    def mistakes(self) -> pd.DataFrame:
        """The decisions that another action was better for, the costliest first.

        Of many numbers that are not sure, the largest are on the whole too large: read their intervals.
        """
        wrong = self.decisions[(self.decisions["done"] != self.decisions["best"]) & (self.decisions["regret"] > 0)]
        return wrong.sort_values("regret", ascending=False, kind="stable", ignore_index=True)


def annotate(
    record: Mapping[str, Any],
    *,
    worlds: int = WORLDS,
    deals: int = DEALS,
    seed: int = 0,
    seat: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Annotation:
    """Look at every decision of a recorded game again, and take its scores apart.

    Parameters
    ----------
    record
        A game as `mtrain record` writes it.
    worlds
        In how many sampled worlds the actions of each decision are tried.
    deals
        By how many a hand is judged before play, and a round before the deal.
    seed
        What all chance is made from; the same record and seed give the same answer.
    seat
        Whose decisions and scores; None: everybody's.
    progress
        Called with the rounds done and the rounds there are.

    Raises
    ------
    UsageError
        If `worlds`, `deals`, `seed` or `seat` cannot be.
    RecordError
        If the record breaks a rule.

    Notes
    -----
    Call the *reference* what plays rounds on in sampled worlds: `heuristic` in the seat that is looked at, `planner` in
    all others. A seat's score of a round is the sum of

    - ``par``: the reference's expected score in that seat before tiles are dealt;
    - ``deal_luck``: its expected score with the hand that was dealt, less par;
    - ``skill``: over the seat's decisions, what the action done is expected to cost (the reference plays on) less what
      the reference's own choice is; below 0 it chose better;
    - ``draw_luck``: all the rest, which nobody in the seat chose: what was drawn, what the others held and did.

    Where the others play by the reference, `draw_luck` is 0 on average whatever the seat does, since each expectation
    is taken over what the seat could not know; so par + skill estimates how well it plays with far less noise than
    its score does. This is the advantage sum of Zinkevich, Bowling, Bard, Kan & Billings (2006, "Optimal unbiased
    estimators for evaluating agent performance"), with roll-outs for their value function, where White & Bowling
    (2009, "Learning a value analysis tool for agent evaluation") learn one; AIVAT (Burch, Schmid, Moravčík, Morrill &
    Bowling 2018) takes the chance in the players' own choices out as well.

    ``regret`` is none of the parts: it measures from the best action that the worlds show, not from the reference's,
    and so is a sum of mistakes alone. Each half of the worlds judges what the other half calls best
    (`mtrain.tuning.measure.regret`).

    All intervals are those of the sampling of worlds, each for itself; they do not say how the others really play.
    """
    (reference,) = ready(worlds, 4, seed, [REFERENCE])
    if deals < 2:
        raise UsageError(f"deals is a whole number, 2 or more, not {deals}")
    players = record.get("players") if isinstance(record, Mapping) else None
    if seat is not None and isinstance(players, int) and not 0 <= seat < players:
        raise UsageError(f"seat goes from 0 to {players - 1}, not {seat}")
    for _ in replay(record):
        pass  # a record that breaks a rule is refused before any work
    decisions: list[dict[str, Any]] = []
    parts: dict[tuple[int, int], dict[str, Any]] = {}
    unit = "pips"
    for position, each in _walk(record):
        s = position[0]
        number, names = int(s.number), record["agents"]
        unit = "tiles" if s.count_tiles else "pips"
        who = range(int(s.n_seats)) if seat is None else [seat]
        if each is not None:
            if s.turn in who and len(each.legal) > 1:
                decisions.append(_judged(each, names, reference, worlds, seed))
        elif not s.over:
            before = before_deal(position, deals, int(stream(seed, WORLD, _PAR, number, 0)))
            for k in who:
                dealt = with_hand(observe(position, k), k, deals, int(stream(seed, WORLD, _HAND, number, k)))
                parts[number, k] = {"agent": names[k]} | _expected(before[:, k], dealt)
        else:
            for k in who:
                mine = [row for row in decisions if (row["round"], row["seat"]) == (number, k)]
                parts[number, k] |= _added_up(mine, int(s.pips[k]), parts[number, k])
            if progress is not None:
                progress(number, int(s.n_rounds))
    t = float(t_quantile(min(worlds - 2, deals - 1)))
    each_seat = [{"seat": k, "agent": names[k]} | _total([parts[at] for at in parts if at[1] == k]) for k in who]
    each_round = [{"round": number, "seat": k} | part for (number, k), part in parts.items()]
    return Annotation(
        _framed(tables.DECISIONS, decisions, t),
        _framed(tables.PARTS, each_round, t),
        _framed(tables.SUMMARY, each_seat, t),
        unit,
    )


def position_at(record: Mapping[str, Any], round: int, event: int) -> np.ndarray:
    """Return the position of a recorded game in which somebody chose: STATE[1].

    Parameters
    ----------
    record
        A game as `mtrain record` writes it.
    round
        From 1.
    event
        Which of the round's events it was that was chosen, from 0.

    Raises
    ------
    UsageError
        If there is no such round or event, or nobody chose it.
    RecordError
        If the record breaks a rule.
    """
    found = {(each.round, each.event): position for position, each in _walk(record) if each is not None}
    if (round, event) in found:
        return found[round, event]
    rounds = record["rounds"]
    if not 1 <= round <= len(rounds):
        raise UsageError(f"round goes from 1 to {len(rounds)}, not {round}")
    events = rounds[round - 1]["events"]
    if not 0 <= event < len(events):
        raise UsageError(f"action goes from 0 to {len(events) - 1} in round {round}, not {event}")
    near = min((at for number, at in found if number == round), key=lambda at: abs(at - event), default=None)
    seat, *what = events[event]
    hint = "" if near is None else f"; the nearest choice is {near}"
    raise UsageError(f"nobody chose number {event} of round {round}, seat {seat}: {' '.join(map(str, what))}{hint}")


def choices_in(record: Mapping[str, Any]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the positions of a recorded game in which somebody chose, and the legal actions there (int64[n])."""
    for position, each in _walk(record):
        if each is not None:
            yield position, each.legal


@dataclass(frozen=True)
class _Decision:
    """A choice in a recorded game: where it stands, the legal actions (int64[n]), and which of them was done."""

    round: int
    event: int
    position: np.ndarray
    legal: np.ndarray
    done: int


def _walk(record: Mapping[str, Any]) -> Iterator[tuple[np.ndarray, _Decision | None]]:
    """Yield the positions of a game: every round as dealt, each choice with what was chosen, and the round's end."""
    before = np.zeros(0)
    for number, event, position, what in replay(record):
        s = position[0]
        if what is None:
            yield position, None
        elif forced_event(before) is None and not before[0].over:
            legal = legal_actions(before)
            action = PASS if what[1] == "pass" else parse_action(f"{what[2]}@{what[3]}", int(s.n_seats))
            yield before, _Decision(number, event, before, np.array(legal, np.int64), legal.index(action))
        before = position.copy()
        if s.over:
            yield position, None


def _judged(each: _Decision, names: Sequence[str], reference: Bot, worlds: int, seed: int) -> dict[str, Any]:
    """Return a decision as its table says it, with the standard errors of `regret` and `skill`."""
    s = each.position[0]
    seen = observe(each.position, int(s.turn))
    at = (each.round, each.event)
    ours, why = choose(reference, seen, each.legal, int(stream(seed, WORLD, _TIES, *at)))
    if ours is None:
        raise UsageError(f"agent {REFERENCE!r}: {why}")
    costs, _ = look(seen, each.legal, worlds, int(stream(seed, WORLD, LOOK, *at)))
    more = costs[:, each.done] - costs[:, ours]
    cost, error = regret(costs, each.done)
    wrong = int(judge(seen, each.legal)[each.done])
    return {
        "round": each.round,
        "event": each.event,
        "turn": int(s.tally[s.turn, TURNS]) + 1,
        "seat": int(s.turn),
        "agent": names[s.turn],
        "actions": len(each.legal),
        "done": action_text(int(each.legal[each.done]), int(s.n_seats)),
        "best": action_text(int(each.legal[costs.mean(axis=0).argmin()]), int(s.n_seats)),
        "regret": cost,
        "error": error,
        "skill": float(more.mean()),
        "skill_error": float(more.std(ddof=1)) / worlds**0.5,
        "folly": "" if wrong < STAYS else BLUNDER_KINDS[wrong - STAYS],
    }


def _expected(before: np.ndarray, dealt: np.ndarray) -> dict[str, float]:
    """Return par and the luck of the deal, with their errors, and the error of their sum."""
    par_error, hand_error = (float(costs.std(ddof=1)) / len(costs) ** 0.5 for costs in (before, dealt))
    return {
        "par": float(before.mean()),
        "par_error": par_error,
        "deal_luck": float(dealt.mean() - before.mean()),
        "deal_luck_error": float(np.hypot(par_error, hand_error)),
        "hand_error": hand_error,
    }


def _added_up(mine: Sequence[Mapping[str, Any]], pips: int, expected: Mapping[str, float]) -> dict[str, Any]:
    """Return the other parts of a seat's score of a round, from its decisions."""
    skill = sum(row["skill"] for row in mine)
    skill_error = sum(row["skill_error"] ** 2 for row in mine) ** 0.5
    return {
        "pips": pips,
        "skill": skill,
        "skill_error": skill_error,
        "draw_luck": pips - expected["par"] - expected["deal_luck"] - skill,
        "draw_luck_error": float(np.hypot(expected["hand_error"], skill_error)),
        "regret": sum(row["regret"] for row in mine),
        "regret_error": sum(row["error"] ** 2 for row in mine) ** 0.5,
        "decisions": len(mine),
    }


def _total(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the sums over rounds; errors add up by their squares."""
    sums = {name: sum(part[name] for part in parts) for name in (*_OF_LUCK, "pips", "decisions")}
    return sums | {f"{name}_error": sum(part[f"{name}_error"] ** 2 for part in parts) ** 0.5 for name in _OF_LUCK}


def _framed(table: Table, rows: Sequence[Mapping[str, Any]], t: float) -> pd.DataFrame:
    """Return rows as a table; the intervals go `t` standard errors either way."""
    columns: dict[str, Any] = {name: [row.get(name) for row in rows] for name in table.names}
    for name in ("regret", *_OF_LUCK):
        if f"{name}_lo" in columns:
            error = np.array([row.get(f"{name}_error", row.get("error")) for row in rows], np.float64)
            value = np.array(columns[name], np.float64)
            columns[f"{name}_lo"], columns[f"{name}_hi"] = value - t * error, value + t * error
    return frame(table, columns)
