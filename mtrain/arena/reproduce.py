"""Reproduced: one game of a results directory, played once more from what its manifest says.

The same seed, deal and seating with the same agents give the same game, its faults included, so that a fault can be
looked at with its whole traceback. What has changed since is said. This module writes nothing.
"""

import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mtrain.arena.driver import record_game
from mtrain.arena.faults import FORFEIT, STOP, Failure, Fault, forfeit
from mtrain.arena.options import Options, options_of
from mtrain.arena.spec import Tournament, plan
from mtrain.bots.registry import all_params, build
from mtrain.errors import counted
from mtrain.game.rules import RULES_VERSION, RuleSet
from mtrain.stats.manifest import read_manifest
from mtrain.stats.results import Results
from mtrain.stats.tables import ResultsError


@dataclass(frozen=True)
class Reproduced:
    """A game that was played again.

    Attributes
    ----------
    record
        As `mtrain record` writes it; None where the tournament stops at a fault, and there was one.
    faults
        Each fault: a sentence, and the traceback of the exception behind it, or what a program that ended had written
        to its standard error; "" if there is none, or it was shown.
    changed
        What is other than when the tournament was played, a sentence each.
    trouble
        In what the game differs from the one in the tables; "" if in nothing, or if it is not there.
    """

    record: dict[str, Any] | None
    faults: list[tuple[str, str]]
    changed: list[str]
    trouble: str


def again(path: str | Path, number: int, agents_from: Iterable[str | Path] | None = None) -> Reproduced:
    """Play one game of a results directory again.

    Parameters
    ----------
    path
        The directory: of a finished run, or of one that ended early.
    number
        The game's, as in the column `game` of the tables.
    agents_from
        Where to look for agents besides; None: where the tournament did.

    Raises
    ------
    ResultsError
        If the directory holds no results, or there is no such game.
    TournamentError, AgentError, RulesError
        If its manifest cannot be played: an agent is gone, say.
    """
    results = Results(Path(path), read_manifest(path))
    t = tournament_of(results, agents_from)
    try:
        _, games = t.schedule.game(number)
    except IndexError as error:
        raise ResultsError(f"{results.path} has no game {number}: {error}") from None
    labels = [t.agents[agent].label for agent in games.who[0]]
    deal, seating = int(games.deal[0]), int(games.seating[0])
    failures: list[Failure] = []
    faults: list[tuple[str, str]] = []

    def see(failure: Failure, error: BaseException | None) -> None:
        new = all((f.seat, f.kind, f.what) != (failure.seat, failure.kind, failure.what) for f in failures)
        failures.append(failure)
        where = f"round {failure.round}, seat {failure.seat}, decision {failure.decision}"
        said = f"agent {labels[failure.seat]!r} failed ({where}), {failure.kind}: {failure.what}"
        processes = bots[failure.seat].processes
        words = processes.errors.get(failure.seat, b"").decode("utf-8", "replace") if processes else _traceback(error)
        faults.append((said, words if new else ""))

    bots = [build(t.agents[agent]) for agent in games.who[0]]
    record = None
    try:
        record = record_game(
            t.rules,
            bots,
            seed=t.seed,
            game=deal,
            seating=seating,
            starter=int(games.starter[0]),
            on_fault=t.on_fault,
            see=see,
        )
    except Fault as fault:
        faults.append((str(fault), _traceback(fault.__cause__)))
    trouble = ""
    if record is not None:
        pips = np.array([[round_["scores"] for round_ in record["rounds"]]], np.int16)
        if t.on_fault == FORFEIT:
            forfeit(pips, failures)
        trouble = _other(results, number, pips[0].sum(0, dtype=np.int64).tolist(), len(failures))
    return Reproduced(record, faults, changes(results, t), trouble)


def tournament_of(results: Results, agents_from: Iterable[str | Path] | None = None) -> Tournament:
    """Return the tournament that a manifest describes.

    Raises
    ------
    ResultsError
        If the manifest does not say enough.
    TournamentError, AgentError, RulesError
        If it cannot be played here.
    """
    said = results.manifest.to_json()
    for name in ("lineups", "deals", "parameters"):
        if name not in said:
            raise ResultsError(f"{results.path / 'manifest.json'} does not say {name!r}")
    derived = {name for name, each in options_of(Options).items() if each.metadata.get("derived")}
    kept = {
        name: said[name] for name in options_of(Options) if name in said and name not in {"until", "anchor", *derived}
    }
    given = {"on_fault": STOP} | kept | _limits(said["parameters"].values()) | {"allow_peeking": True}
    if agents_from is not None:
        given["agents_from"] = agents_from
    agents = [f"{label}@{text}" for label, text in said["agents"].items()]
    return plan(agents, RuleSet.from_json(said["rules"]), **given)


def _limits(parameters: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the programs among the agents may take, as `plan` wants it."""
    for said in parameters:
        if "command" in said and "memory" in said:
            return {"bot_time": said["seconds"], "bot_start": said["start"], "bot_memory": said["memory"]}
    return {}


def changes(results: Results, t: Tournament) -> list[str]:
    """Say which agents of a tournament, and whether the rules, are not what they were."""
    said = results.manifest
    version = RULES_VERSION if said.rules_version is None else said.rules_version
    found = [] if version == RULES_VERSION else [f"the rules were of version {version}, and are of {RULES_VERSION}"]
    for agent in t.agents:
        if (version := said.version_of(agent.label)) != agent.version:
            found.append(f"agent {agent.label!r} was of version {version}, and is of {agent.version}")
        before = said.sources.get(agent.label)
        if before and agent.source and before != agent.source:
            found.append(f"the source file of agent {agent.label!r} has changed since: {agent.origin}")
        if (known := said.parameters.get(agent.label)) not in (None, all_params(agent)):
            found.append(f"agent {agent.label!r} had the parameters {known}, and has {all_params(agent)}")
        if agent.uses_clock:
            found.append(f"agent {agent.label!r} uses the clock: the game may go another way")
    return found


def _other(results: Results, number: int, totals: Sequence[int], n_faults: int) -> str:
    """Return in what a game differs from the one in the tables."""
    rows = results.game(number)
    if rows.empty:
        return ""
    before = rows["score"].tolist()
    if before != list(totals):
        return f"game {number} went another way: totals {_listed(totals)}, and {_listed(before)} in {results.path}"
    if (there := int(rows["faults"].sum())) != n_faults:
        return f"game {number} had {counted(n_faults, 'fault')}, and {there:,} in {results.path}"
    return ""


def _listed(numbers: Sequence[int]) -> str:
    return " ".join(map(str, numbers))


def _traceback(error: BaseException | None) -> str:
    return "" if error is None else "".join(traceback.format_exception(error))
