"""Tournaments: from a spec to a directory of tables.

Chunks of games go over the workers; each comes back as a finished pair of Parquet parts and a digest of their
numbers. Nothing depends on how many workers there are or on which finishes first.
"""

import dataclasses
import difflib
import itertools
import json
import os
import platform
import shutil
import tempfile
import time
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd

from mtrain import __version__
from mtrain.arena.clock import summary
from mtrain.arena.play import END, ROW, Games, Played, play
from mtrain.arena.schedule import ALL, GAUNTLET, LISTED, Chunk, Schedule, combinations, gauntlet
from mtrain.errors import Mistake
from mtrain.game.jit import JIT
from mtrain.game.rules import PRESETS, RULES_VERSION, RulesError, RuleSet, override, preset
from mtrain.game.scoring import ranks, shares
from mtrain.study import results, tables
from mtrain.think.agent import KERNEL, PEEKS, AgentSpec, Registry, all_params, build, effort, refuse_peeking

MANIFEST = "mtrain-results/1"
MAX_SEED = 2**63 - 1


class TournamentError(Mistake):
    """A tournament that cannot be played; the sentence names the thing, the value and the choices."""


@dataclass(frozen=True)
class Tournament:
    """What is played: everything that the games depend on, and nothing else.

    Attributes
    ----------
    agents
        Told apart by their labels.
    deals
        Blocks for every line-up.
    lineups
        Who meets whom: sorted indices of agents, one a seat.
    kind
        Where the line-ups come from: `ALL`, `GAUNTLET` or `LISTED`.
    """

    agents: tuple[AgentSpec, ...]
    rules: RuleSet
    players: int
    deals: int
    seed: int
    lineups: tuple[tuple[int, ...], ...]
    kind: str = ALL
    title: str = ""

    @cached_property
    def schedule(self) -> Schedule:
        """All its games."""
        return Schedule(self.lineups, self.deals, self.seed)

    @property
    def n_rounds(self) -> int:
        """Rounds in all."""
        return self.schedule.n_games * self.rules.rounds

    def chunks(self) -> list[Chunk]:
        """The work in pieces, each a part of the tables."""
        return list(self.schedule.chunks(self.rules.rounds, [effort(agent) for agent in self.agents]))

    def sentence(self) -> str:
        """Say how much will be played."""
        s = self.schedule
        tables = "1 line-up" if len(s.lineups) == 1 else f"{len(s.lineups)} line-ups"
        least, most = min(s.all_seatings), max(s.all_seatings)
        seatings = f"{most}" if least == most else f"{least}–{most}"
        games = "1 game" if s.n_games == 1 else f"{s.n_games:,} games"
        rounds = "1 round" if self.rules.rounds == 1 else f"{self.rules.rounds} rounds"
        return f"{tables} × {s.deals} deals × {seatings} seatings = {games} of {rounds}, {self.players} seats"


def plan(
    agents: Sequence[str],
    rules: RuleSet | str = "standard",
    *,
    changes: Mapping[str, Any] | None = None,
    players: int = 4,
    focus: str | None = None,
    lineups: Sequence[Sequence[str]] | None = None,
    deals: int | None = None,
    games: int | None = None,
    seed: int = 0,
    title: str = "",
    agents_from: Iterable[str | Path] = (),
    allow_peeking: bool = False,
) -> Tournament:
    """Check everything about a tournament before any of it is played.

    Parameters
    ----------
    agents
        As on the command line: ``[label@]name[:param=value,…]``.
    rules, changes
        A RuleSet or a preset's name, and fields to change.
    players
        Seats at a table.
    focus
        One of the agents, by its label: a gauntlet, in which it meets each of the others alone, copies of which fill
        the rest of the table.
    lineups
        Who meets whom, each line-up as labels of agents, one a seat. With neither, the agents meet in every
        combination, or fill the seats in equal shares where they are fewer.
    deals
        Blocks for every line-up; 100 if neither `deals` nor `games` is given.
    games
        Instead of `deals`: as many whole blocks, the same for every line-up, as hold at least so many games.
    seed
        0 … 2**63 − 1.
    title
        What it is called in manifests and figures.
    agents_from
        Files and folders to look for agents in, besides those that come with mtrain.
    allow_peeking
        May agents play that are shown hidden tiles?

    Raises
    ------
    TournamentError, AgentError, RulesError
        With one sentence.
    """
    if isinstance(agents, str):
        raise TournamentError(f"agents is a list of agents, not the text {agents!r}")
    if not isinstance(rules, (str, RuleSet)):
        raise RulesError(f"rules is a RuleSet or the name of a preset, not {rules!r}")
    if seed is None:
        raise TournamentError("seed is a whole number, 0 or more, not None")
    resolved = override(preset(rules) if isinstance(rules, str) else rules, changes or {})
    if isinstance(players, bool) or not isinstance(players, int):
        raise RulesError(f"players is a whole number, not {players!r}")
    resolved.hand_for(players)
    for name, value, least in (("deals", deals, 1), ("games", games, 1), ("seed", seed, 0)):
        if value is not None and (
            isinstance(value, bool) or not isinstance(value, int) or not least <= value <= MAX_SEED
        ):
            raise TournamentError(f"{name} is a whole number, {least} or more, not {value!r}")
    if deals is not None and games is not None:
        raise TournamentError(f"deals={deals} and games={games} say the same thing twice; give one")
    if not agents:
        raise TournamentError("a tournament needs at least one agent; `mtrain agents` lists them")
    registry = Registry(agents_from)
    specs = [registry.parse(text) for text in agents]
    if not allow_peeking:
        refuse_peeking(specs)
    for one, other in itertools.combinations(specs, 2):
        if one.label == other.label:
            raise TournamentError(f"two agents are called {one.label!r}; give them labels: a@{one}, b@{other}")
    kind, tables_of = _pairing(dict(zip(agents, specs, strict=True)), players, focus, lineups)
    if games is not None:
        deals = -(-games // Schedule(tables_of, 1, seed).n_games)
    t = Tournament(tuple(specs), resolved, players, 100 if deals is None else deals, seed, tables_of, kind, title)
    if t.schedule.n_games > np.iinfo(np.int32).max:
        raise TournamentError(f"{t.schedule.n_games:,} games are more than the tables can number")
    if len(tables_of) > np.iinfo(np.int16).max:
        raise TournamentError(f"{len(tables_of):,} line-ups are more than the tables can number")
    return t


def _pairing(
    agents: Mapping[str, AgentSpec], players: int, focus: str | None, listed: Sequence[Sequence[str]] | None
) -> tuple[str, tuple[tuple[int, ...], ...]]:
    """Return the kind of a schedule and its line-ups. An agent is named by its label, or as it was written."""
    labels = [agent.label for agent in agents.values()]
    names = {text: k for k, text in enumerate(agents)}
    names |= {label.removesuffix(PEEKS): k for k, label in enumerate(labels)}
    names |= {label: k for k, label in enumerate(labels)}

    def index(name: Any, where: str) -> int:
        if not isinstance(name, str) or name not in names:
            near = difflib.get_close_matches(str(name), labels, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"the agents are {', '.join(labels)}"
            raise TournamentError(f"{where} names {name!r}, which is none of the agents; {hint}")
        return names[name]

    if focus is not None and listed is not None:
        raise TournamentError("a focus and line-ups are two ways to say who meets whom; give one")
    if focus is not None:
        if len(labels) < 2:
            raise TournamentError(f"the focus {focus!r} needs at least one other agent to meet")
        return GAUNTLET, tuple(gauntlet(len(labels), players, index(focus, "focus")))
    if listed is None:
        return ALL, tuple(combinations(len(labels), players))
    if not isinstance(listed, (list, tuple)) or not listed or not all(isinstance(x, (list, tuple)) for x in listed):
        raise TournamentError(f"lineups is a list of line-ups, each a list of agents, not {listed!r}")
    found: list[tuple[int, ...]] = []
    for lineup in listed:
        said = f"line-up {' '.join(map(str, lineup))!r}"
        seated = tuple(sorted(index(name, said) for name in lineup))
        if len(seated) != players:
            raise TournamentError(f"{said} seats {len(seated)} agents, and a table has {players} seats")
        if seated in found:
            raise TournamentError(f"{said} is given twice; every line-up is played in all its seatings anyway")
        found.append(seated)
    idle = [label for k, label in enumerate(labels) if not any(k in lineup for lineup in found)]
    if idle:
        raise TournamentError(f"agent {idle[0]!r} sits in no line-up; leave it out, or give it a seat")
    return LISTED, tuple(found)


# ── The work of one chunk ─────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Done:
    """What came back of a chunk."""

    chunk: Chunk
    n_games: int
    digest: results.Digest
    decisions: dict[int, int]
    times: dict[int, np.ndarray]


def _work(t: Tournament, chunk: Chunk, out: Path) -> Done:
    """Play a chunk and write its parts."""
    who = np.unique(chunk.lineup)
    games = t.schedule.games(chunk.match, chunk.blocks)
    seated = dataclasses.replace(games, who=np.searchsorted(who, games.who))
    played = play(t.rules, [build(t.agents[agent]) for agent in who], seated, t.seed)
    frames = _frames(t, chunk, games, played)
    for table, frame in frames.items():
        tables.write(table, frame, out / f"{table.name}.parquet" / f"part-{chunk.number:05d}.parquet")
    return Done(
        chunk,
        len(games),
        results.digest(frames[tables.GAMES], frames[tables.ROUNDS], t.players),
        dict(zip(who.tolist(), played.decisions.tolist(), strict=True)),
        dict(zip(who.tolist(), played.times, strict=True)),
    )


def _frames(t: Tournament, chunk: Chunk, games: Games, played: Played) -> dict[tables.Table, pd.DataFrame]:
    """Return the rows of `rounds` and `games` for a chunk."""
    n, n_rounds, seats = played.rows.shape[:3]
    labels = [agent.label for agent in t.agents]
    per_game: dict[str, Any] = {
        "match": np.full(n, chunk.match, np.int16),
        "deal": games.deal.astype(np.int32),
        "seating": games.seating.astype(np.int16),
    }
    per_game["game"] = (t.schedule.first_game(chunk.match, games.deal) + games.seating).astype(np.int32)
    agent = games.who.astype(np.int16)
    seat = np.arange(seats, dtype=np.int8)

    rounds: dict[str, Any] = {name: np.repeat(values, n_rounds * seats) for name, values in per_game.items()}
    rounds["round"] = np.tile(np.repeat(np.arange(1, n_rounds + 1, dtype=np.int8), seats), n)
    rounds["seat"] = np.tile(seat, n * n_rounds)
    rounds["agent"] = np.repeat(agent, n_rounds, axis=0).ravel()
    ends = {name: np.repeat(played.ends[:, :, k].ravel(), seats) for k, name in enumerate(END)}
    rounds |= {"engine": ends["engine"], "starter": ends["starter"], "end": ends["blocked"]}
    rounds |= {name: played.rows[..., k].ravel() for k, name in enumerate(ROW)}
    rounds["went_out"] = rounds["went_out"].astype(bool)

    pips = played.rows[..., ROW.index("pips")]
    rank = ranks(pips, t.rules.tie_break)
    won = pips == pips.min(-1, keepdims=True)
    per_seat: dict[str, Any] = {
        "seat": np.tile(seat, n),
        "starter": np.repeat(games.starter.astype(np.int8), seats),
        "agent": agent.ravel(),
        "score": pips.sum(1, dtype=np.int32).ravel(),
        "rank": rank.ravel(),
        "win": shares(rank).astype(np.float32).ravel(),
        "rounds_won": (won / won.sum(-1, keepdims=True)).sum(1).astype(np.float32).ravel(),
        "rounds": np.full(n * seats, n_rounds, np.int8),
        "faults": np.zeros(n * seats, np.int16),
    }
    per_seat |= {name: np.repeat(values, seats) for name, values in per_game.items()}
    return {
        tables.ROUNDS: tables.frame(tables.ROUNDS, rounds, labels),
        tables.GAMES: tables.frame(tables.GAMES, per_seat, labels),
    }


# ── The run ───────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Step:
    """How far a run is, for whoever watches it."""

    games: int
    n_games: int
    rounds: int
    seconds: float
    digests: list[results.Digest]

    def standings(self) -> pd.DataFrame:
        """Return the standings of what has been played so far."""
        return results.standings_so_far(self.digests)


def run(
    t: Tournament, out: Path | str, *, jobs: int | None = None, watch: Callable[[Step], None] | None = None
) -> results.Results:
    """Play a tournament into a directory.

    Parameters
    ----------
    t
        What to play.
    out
        A directory that is empty or not there yet.
    jobs
        Workers; None: one a core. Compiled line-ups run on threads, others in processes.
    watch
        Called after every chunk.

    Raises
    ------
    TournamentError
        If the directory holds something, or cannot be written.
    Fault
        If an agent fails; the chunks finished before are kept.
    """
    out = Path(out)
    if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1):
        raise TournamentError(f"jobs is a whole number, 1 or more, not {jobs!r}")
    for spec in t.agents:
        build(spec)  # one that cannot be compiled says so before anything is written
    ready(out)
    jobs = jobs or os.cpu_count() or 1
    started = time.time()
    manifest = _manifest(t, jobs, started)
    tables.put(out / "manifest.json", _json(manifest))

    digests: list[results.Digest] = []
    decisions = [0] * len(t.agents)
    times: list[Any] = [0] * len(t.agents)
    games = 0
    for done in _spread(t, out, jobs):
        digests.append(done.digest)
        games += done.n_games
        for agent, count in done.decisions.items():
            decisions[agent] += count
            times[agent] = times[agent] + done.times[agent]
        if watch:
            rounds = games * t.rules.rounds
            watch(Step(games, t.schedule.n_games, rounds, time.time() - started, digests))

    made = results.Results(out, manifest, ready=results.combine(digests))
    means = [summary(histogram) for histogram in times]
    timing = {
        "agent": [agent.label for agent in t.agents],
        "decisions": decisions,
        "us_per_decision": [mean for mean, _ in means],
        "p95": [p95 for _, p95 in means],
    }
    tables.write(tables.TIMING, tables.frame(tables.TIMING, timing), out / "timing.parquet")
    made.write_derived()
    manifest |= {"finished": True, "seconds": round(time.time() - started, 3), "warnings": made.warnings}
    tables.put(out / "manifest.json", _json(manifest))
    return made


def _spread(t: Tournament, out: Path, jobs: int) -> Iterable[Done]:
    """Yield the chunks' outcomes as they finish."""
    chunks = t.chunks()
    if jobs == 1:
        yield from (_work(t, chunk, out) for chunk in chunks)
        return
    compiled = JIT and all(build(agent).how == KERNEL for agent in t.agents)
    workers = joblib.Parallel(
        n_jobs=min(jobs, len(chunks)),
        backend="threading" if compiled else "loky",
        return_as="generator_unordered",
        batch_size=1,
        pre_dispatch="2 * n_jobs",
    )
    yield from workers(joblib.delayed(_work)(t, chunk, out) for chunk in chunks)


def ready(out: Path) -> None:
    """Make sure that results can be written to a directory.

    Raises
    ------
    TournamentError
        If there is something in it, or it cannot be made.
    """
    try:
        if out.is_dir() and any(out.iterdir()):
            raise TournamentError(f"{out} is not empty; name a new directory, or empty it first")
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        raise TournamentError(f"cannot write to {out}: {error.strerror or error}") from None


def _manifest(t: Tournament, jobs: int, started: float) -> dict[str, Any]:
    schedule = t.schedule
    return {
        "format": MANIFEST,
        "title": t.title,
        "agents": {agent.label: str(agent) for agent in t.agents},
        "parameters": {agent.label: all_params(agent) for agent in t.agents},
        "peeking": [agent.label for agent in t.agents if agent.peeks],
        "preset": next((name for name, rules in PRESETS.items() if rules == t.rules), "house"),
        "rules": t.rules.to_json(),
        "rules_version": RULES_VERSION,
        "players": t.players,
        "seed": t.seed,
        "deals": t.deals,
        "seatings": schedule.mode,
        "schedule": t.kind,
        "lineups": [[t.agents[agent].label for agent in lineup] for lineup in schedule.lineups],
        "blocks": schedule.n_blocks,
        "games": schedule.n_games,
        "rounds": t.rules.rounds,
        "versions": {"mtrain": __version__}
        | {name: version(name) for name in ("numba", "numpy", "pandas", "pyarrow", "joblib")},
        "machine": {"python": platform.python_version(), "system": platform.system(), "processor": platform.machine()},
        "jobs": jobs,
        "started": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "finished": False,
    }


def _json(manifest: Mapping[str, Any]) -> bytes:
    return (json.dumps(manifest, indent=2, ensure_ascii=False) + "\n").encode()


def tournament(
    agents: Sequence[str],
    rules: RuleSet | str = "standard",
    *,
    players: int = 4,
    focus: str | None = None,
    lineups: Sequence[Sequence[str]] | None = None,
    deals: int | None = None,
    games: int | None = None,
    seed: int = 0,
    jobs: int | None = None,
    out: str | Path | None = None,
    title: str = "",
    agents_from: Iterable[str | Path] = (),
    allow_peeking: bool = False,
    watch: Callable[[Step], None] | None = None,
    **changes: Any,
) -> results.Results:
    """Play a tournament and return its results.

    Parameters
    ----------
    agents
        As on the command line: ``["greedy", "mc:worlds=8", "cautious@double-holder:hand=3"]``.
    rules
        A RuleSet, or a preset's name.
    players
        Seats at a table.
    focus, lineups
        Who meets whom: one of the agents against each of the others (``focus="mc"``), or a list of line-ups
        (``lineups=[["mc", "greedy", "greedy", "greedy"]]``). With neither, the agents meet in every combination.
    deals, games
        How many blocks for every line-up (100 if nothing is said), or the least number of games.
    seed
        The same seed gives the same tables, whatever `jobs` is.
    jobs
        Workers; None: one a core.
    out
        A directory to keep the tables in. None: they live as long as the object returned.
    title
        What it is called in manifests and figures.
    agents_from
        Files and folders to look for agents in, besides those that come with mtrain.
    allow_peeking
        May agents play that are shown hidden tiles? Their labels say so.
    watch
        Called with a `Step` after every chunk.
    **changes
        Fields of the rules to change: ``rounds=5``.

    Returns
    -------
    Results
        Its `standings`, `pairwise`, `seats`, `games`, `rounds` and `timing` are pandas frames.

    Raises
    ------
    TournamentError, AgentError, RulesError
        Before anything is played, with one sentence.
    Fault
        If an agent fails.

    Examples
    --------
    >>> import mtrain
    >>> results = mtrain.tournament(["random", "greedy"], deals=2, seed=1, jobs=1)
    >>> list(results.standings["agent"])
    ['greedy', 'random']
    """
    t = plan(
        agents,
        rules,
        changes=changes,
        players=players,
        focus=focus,
        lineups=lineups,
        deals=deals,
        games=games,
        seed=seed,
        title=title,
        agents_from=agents_from,
        allow_peeking=allow_peeking,
    )
    if out is not None:
        return run(t, out, jobs=jobs, watch=watch)
    kept = Path(tempfile.mkdtemp(prefix="mtrain-"))
    try:
        made = run(t, kept, jobs=jobs, watch=watch)
    except BaseException:
        shutil.rmtree(kept, ignore_errors=True)
        raise
    weakref.finalize(made, shutil.rmtree, kept, ignore_errors=True)
    return made
