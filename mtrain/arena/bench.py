"""The benchmark: how fast everything is, in one run on one machine, as times and as ratios.

What is compared is run in turn, several times, and the median counts. A C program of the same game can be run
along: its command line is ``reference SEATS ROUNDS SEED`` and it prints JSON with ``ns_per_action``.
"""

import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import joblib
import numpy as np

from mtrain.arena.play import Games, Played, nanoseconds, play, summary
from mtrain.arena.run import run
from mtrain.arena.spec import Tournament, plan
from mtrain.bots.agent import BATCH, KERNEL, SINGLE, AgentSpec, Bot, compiled
from mtrain.bots.process import Process
from mtrain.bots.registry import Registry, build, effort
from mtrain.errors import RunError, UsageError
from mtrain.game.jit import kernel
from mtrain.game.kernels import nth_action
from mtrain.game.moves import advance, apply, legal_actions, new_game
from mtrain.game.rng import WORLD, Stream, stream
from mtrain.game.rules import RuleSet, preset
from mtrain.game.state import AGENT_STATE, N_PARAMS, STATE
from mtrain.game.tiles import HI, LO, set_size
from mtrain.stats import files, results, tables
from mtrain.stats.results import chunk_statistics, combine
from mtrain.strategy.determinize import determinize
from mtrain.strategy.longest_train import DEEP, LONGEST, NODES, TRAIL, longest_train
from mtrain.strategy.rollouts import ROLL_RANDOM, roll_out

SEATS = (2, 3, 4, 8)
BATCHES = (1, 64, 1024)
FIELD = ("random", "greedy", "double-holder", "again@random")


@dataclass(frozen=True)
class Figure:
    """One figure: what was measured, how much, in which unit, and how far apart the tries were."""

    what: str
    value: float
    unit: str
    note: str = ""


@dataclass(frozen=True)
class Size:
    """How much is played for each figure."""

    tries: int
    rounds: int
    deals: int
    rollouts: int
    million: int
    cold: bool


FULL = Size(tries=5, rounds=100_000, deals=3_000, rollouts=20_000, million=1_000_000, cold=True)
QUICK = Size(tries=1, rounds=650, deals=20, rollouts=500, million=0, cold=False)


def bench(size: Size = FULL, reference: str | Path | None = None) -> Iterator[Figure]:
    """Measure everything, a figure at a time.

    Parameters
    ----------
    size
        `FULL`, or `QUICK` for a look.
    reference
        The C source of a reference program, compiled here and run in turn with random play.

    Raises
    ------
    UsageError
        If the reference is not there or cannot be compiled.
    """
    with tempfile.TemporaryDirectory(prefix="mtrain-bench-") as name:
        folder = Path(name)
        program = _compile(Path(reference), folder) if reference is not None else None
        yield from _random_play(size, program)
        yield from _decisions(size)
        yield from _rollouts(size)
        yield from _worlds(size)
        yield from _trains(size)
        yield from _python_agents(size)
        yield from _programs(size, folder)
        yield from _tournaments(size, folder)
        yield from _processes(size, folder)


def _in_turn(tries: int, **jobs: Callable[[], float]) -> dict[str, list[float]]:
    """Run jobs in turn, `tries` times over, after one run of each that does not count."""
    for job in jobs.values():
        job()
    found: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(tries):
        for name, job in jobs.items():
            found[name].append(job())
    return found


def _ratio(what: str, one: list[float], other: list[float], unit: str) -> Figure:
    """Return the median of the ratios of runs made next to each other, and their span."""
    ratios = [a / b for a, b in zip(one, other, strict=True)]
    return Figure(
        what, statistics.median(ratios), unit, f"{min(ratios):.2f} … {max(ratios):.2f} over {len(ratios)} pairs"
    )


def _median(what: str, values: list[float], unit: str, note: str = "") -> Figure:
    return Figure(what, statistics.median(values), unit, note)


def _bots(*agents: str) -> list[Bot]:
    registry = Registry()
    return [build(registry.parse(agent)) for agent in agents]


def _games(players: int, n_bots: int, n: int) -> Games:
    """Return `n` games in which the bots fill the seats in turn."""
    deal = np.arange(n)
    return Games(deal, np.zeros_like(deal), deal % players, (deal[:, None] + np.arange(players)) % n_bots)


def _timed(rules: RuleSet, bots: list[Bot], games: Games, seed: int = 1) -> tuple[Played, float]:
    """Play games; return what came of them and the seconds that this thread was at work."""
    start = time.thread_time()
    played = play(rules, bots, games, seed)
    return played, time.thread_time() - start


# ── The engine ────────────────────────────────────────────────────────────────────────────────────────────


def _compile(source: Path, folder: Path) -> Path:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if not source.is_file():
        raise UsageError(f"no reference at {source}: there is no such file")
    if compiler is None:
        raise UsageError("the reference needs a C compiler; there is no gcc or cc on this machine")
    program = folder / "reference"
    order = [compiler, "-O3", "-march=native", "-o", str(program), str(source)]
    made = subprocess.run(order, capture_output=True, text=True, check=False)
    if made.returncode:
        raise UsageError(f"{source} cannot be compiled: {(made.stderr or 'no reason given').strip().splitlines()[0]}")
    return program


def _random_play(size: Size, program: Path | None) -> Iterator[Figure]:
    rules, bots = preset("standard"), _bots("random")
    n_games = size.rounds // rules.rounds
    for players in SEATS:
        games = _games(players, 1, n_games)
        actions = play(rules, bots, games, 1).actions

        def ours(games: Games = games, actions: int = actions) -> float:
            return 1e9 * _timed(rules, bots, games)[1] / actions

        def theirs(players: int = players) -> float:
            order = [str(program), str(players), str(size.rounds), "1"]
            return float(json.loads(subprocess.run(order, capture_output=True, check=True).stdout)["ns_per_action"])

        found = _in_turn(size.tries, ours=ours, **({"theirs": theirs} if program else {}))
        name = f"random play, standard, {players} seats"
        yield _median(name, found["ours"], "ns/action", "one core")
        per_round = actions / (n_games * rules.rounds)
        yield _median(name, [1e9 / (ns * per_round) for ns in found["ours"]], "rounds/s", "one core")
        if program:
            yield _median(f"{name}: reference", found["theirs"], "ns/action", "one core")
            yield _ratio(f"{name}: mtrain / reference", found["ours"], found["theirs"], "× its time")


@kernel
def _roll(states, agent_state, n):
    """Deal the unseen tiles of an observation again and play the round out at random, `n` times."""
    for _ in range(n):
        determinize(states[1], states[0], np.int64(states[0].turn), agent_state[0])
        roll_out(states[1], states[2], ROLL_RANDOM, agent_state[0])


def _rollouts(size: Size) -> Iterator[Figure]:
    for when, actions in (("early", 8), ("late", 30)):
        position = new_game("standard", 4, seed=1)
        for _ in range(actions):
            advance(position)
            apply(position, legal_actions(position)[0])
        advance(position)
        states = np.zeros(3, STATE)
        states[:1] = position
        agent_state = np.zeros(1, AGENT_STATE)

        def rate(states: np.ndarray = states, agent_state: np.ndarray = agent_state) -> float:
            start = time.thread_time()
            _roll(states, agent_state, size.rollouts)
            return size.rollouts / (time.thread_time() - start)

        found = _in_turn(size.tries, rate=rate)
        yield _median(
            "determinize + random rollout", found["rate"], "rollouts/s", f"one core, 4 seats, {when} in a round"
        )


@kernel
def _deal_again(states, agent_state, times):
    """Time worlds of one observation, each from the beginning."""
    buffer = np.empty(2, np.int64)
    for k in range(len(times)):
        start = nanoseconds(buffer)
        determinize(states[1], states[0], np.int64(states[0].turn), agent_state[0])
        times[k] = nanoseconds(buffer) - start


def _worlds(size: Size) -> Iterator[Figure]:
    """Time the sampler late in rounds of `pinecone`, where most is proved."""
    means = []
    for seed in range(20):
        position = new_game("pinecone", 4, seed=seed)
        for _ in range(50):
            if advance(position):
                apply(position, legal_actions(position)[0])
        if not advance(position):
            continue
        states = np.zeros(2, STATE)
        states[:1] = position
        times = np.zeros(max(20, size.rollouts // 20), np.int64)
        _deal_again(states, np.zeros(1, AGENT_STATE), times)
        means.append(1e-3 * float(times.mean()))
    spread = f"{min(means):.1f} … {max(means):.1f} over {len(means)} positions"
    yield Figure("determinize, late in a round", statistics.median(means), "µs/world", f"pinecone, 4 seats; {spread}")


@kernel
def _solve(hands, each, per_pip, nodes, times):
    """Time the best trail of each hand from the number 12."""
    buffer = np.empty(2, np.int64)
    for k in range(len(hands)):
        start = nanoseconds(buffer)
        longest_train(hands[k], 12, each, per_pip, nodes, DEEP)
        times[k] = nanoseconds(buffer) - start


def _trains(size: Size) -> Iterator[Figure]:
    """Time the train solver on random hands of a double-12 set without the engine 12-12."""
    rng = Stream(int(stream(1, WORLD, 0, 0, 0)))
    for n, nodes in ((8, NODES), (10, NODES), (12, NODES), (15, NODES), (20, NODES), (25, 1000)):
        hands = np.zeros(size.rollouts // 4, TRAIL)
        for hand in hands:
            tiles = list(range(set_size(12) - 1))
            for k in range(n):
                j = k + rng.below(len(tiles) - k)
                tiles[k], tiles[j] = tiles[j], tiles[k]
                hi, lo = int(HI[tiles[k]]), int(LO[tiles[k]])
                hand["rows"][hi] |= 1 << lo
                hand["rows"][lo] |= 1 << hi
        times = np.zeros(len(hands), np.int64)
        _solve(hands, *LONGEST, nodes, times)
        error = hands["n"].std() / len(hands) ** 0.5
        found = f"mean longest {hands['n'].mean():.3f} ± {1.96 * error:.3f} tiles"
        note = f"{found}, {100 * hands['proved'].mean():.1f} % proved"
        yield Figure(f"longest train of {n} tiles, p99", 1e-3 * float(np.percentile(times, 99)), "µs", note)


# ── Agents ────────────────────────────────────────────────────────────────────────────────────────────────


def _decisions(size: Size) -> Iterator[Figure]:
    """Time every bundled agent in all seats, by the clock inside the kernels."""
    registry = Registry()
    for name in sorted(registry.origins):
        bots = _bots(name)
        games = max(1, int(size.rounds / 13 / (5 + effort(bots[0].spec) / 5)))
        mean, p95 = summary(play(preset("standard"), bots, _games(4, 1, games), 1).times[0])
        yield Figure(
            f"agent {bots[0].spec.label}", mean, "µs/decision", f"95th percentile {p95:.3g} µs; 4 seats, one core"
        )


def _first_of_each(obs: np.ndarray, actions: np.ndarray, streams: np.ndarray) -> np.ndarray:
    return actions[:, 0]


def _first_of_all(obs: np.record, actions: tuple[int, ...], rng: object) -> int:
    return actions[0]


def _first_kernel(obs, agent_state):  # type: ignore[no-untyped-def]
    return nth_action(obs, 0)


def _python_agents(size: Size) -> Iterator[Figure]:
    """Time what Python agents cost beyond a compiled one that chooses the same: the first legal action."""
    spec = AgentSpec("first", "first", (), "")
    none = np.zeros(N_PARAMS)
    inside = compiled(_first_kernel)
    in_kernel = [Bot(spec, KERNEL, inside, none)]
    rules = preset("standard")
    for how, call in ((BATCH, _first_of_each), (SINGLE, _first_of_all)):
        for batch in BATCHES:
            total = max(batch, min(size.rounds // 13, 200 if batch == 1 else 2 * batch))
            pieces = [_piece(total, first, batch) for first in range(0, total, batch)]
            decisions = sum(int(play(rules, in_kernel, piece, 1).decisions[0]) for piece in pieces)

            def seconds(bots: list[Bot], pieces: list[Games] = pieces) -> float:
                return sum(_timed(rules, bots, piece)[1] for piece in pieces)

            python = [Bot(spec, how, call, none)]
            found = _in_turn(size.tries, python=partial(seconds, python), inside=partial(seconds, in_kernel))
            extra = [1e6 * (a - b) / decisions for a, b in zip(found["python"], found["inside"], strict=True)]
            yield _median(
                f"Python agent, {how}, {batch} games at once", extra, "µs/decision", "beyond the same agent compiled"
            )


# The least that a program can do: it parses nothing, and takes the first action.
_FIRST_PROGRAM = """
import sys

for line in sys.stdin:
    if line.startswith('{"type":"act"'):
        sys.stdout.write('{"action":0}\\n')
        sys.stdout.flush()
    elif line.startswith('{"type":"hello"'):
        sys.stdout.write('{"type":"hello","protocol":1,"name":"first"}\\n')
        sys.stdout.flush()
"""


def _programs(size: Size, folder: Path) -> Iterator[Figure]:
    """Time a program that answers at once, its start included, beside a line that only goes there and back."""
    (folder / "first.py").write_text(_FIRST_PROGRAM, encoding="utf-8")
    bots = [build(Registry(folder=folder).parse(f"exec:{shlex.quote(sys.executable)} first.py"))]
    games = _games(4, 1, max(2, size.rounds // 13 // 200))

    def rate() -> float:
        start = time.perf_counter()
        played = play(preset("standard"), bots, games, 1)
        return float(played.decisions[0]) / (time.perf_counter() - start)

    def bare() -> float:
        mirror = Process(["cat"], str(folder), 1024)
        line = b"x" * 1000 + b"\n"
        start = time.perf_counter()
        for _ in range(1000):
            mirror.send(line)
            mirror.answer(60)
        seconds = time.perf_counter() - start
        mirror.stop(1)
        return 1000 / seconds

    found = _in_turn(size.tries, asked=rate, bare=bare)
    yield _median("process bot", found["asked"], "decisions/s", "a program that answers at once, 4 seats, one worker")
    yield _ratio("process bot / a line there and back", found["asked"], found["bare"], "× its rate")


def _piece(total: int, first: int, batch: int) -> Games:
    games = _games(4, 1, total)
    part = slice(first, first + batch)
    return Games(games.deal[part], games.seating[part], games.starter[part], games.who[part])


# ── Tournaments and processes ─────────────────────────────────────────────────────────────────────────────


def _tournaments(size: Size, folder: Path) -> Iterator[Figure]:
    """Compare a whole tournament with the bare engine, and two workers with one."""
    for field in (FIELD, ("a@random", "b@random", "c@random", "d@random")):
        t = plan(field, deals=size.deals, seed=1)
        found = _in_turn(
            min(size.tries, 3),
            bare=partial(_bare, t, 1),
            bare_two=partial(_bare, t, 2),
            one=partial(_whole, t, folder, 1),
            two=partial(_whole, t, folder, 2),
        )
        name = f"tournament of {', '.join(agent.name for agent in t.agents)}"
        yield _ratio(f"{name}, bare engine: two workers / one", found["bare_two"], found["bare"], "× its rounds/s")
        yield _median(f"{name}, one worker", found["one"], "rounds/s", "tables, files and intervals included")
        yield _ratio(f"{name} / bare engine", found["one"], found["bare"], "× its rounds/s")
        yield _median(f"{name}, two workers", found["two"], "rounds/s")
        yield _ratio(f"{name}: two workers / one", found["two"], found["one"], "× its rounds/s")
        spent = [_statistics(t, folder) for _ in range(min(size.tries, 3))]
        seconds, playing = ([pair[k] for pair in spent] for k in (0, 1))
        yield _ratio(
            f"{name}, {t.schedule.n_games:,} games: statistics / play", seconds, playing, "× its time, one core"
        )


def _bare(t: Tournament, jobs: int) -> float:
    """Play a tournament's games and keep nothing; return rounds/s."""
    bots = [build(agent) for agent in t.agents]
    pieces = [t.schedule.games(chunk.match, chunk.blocks) for chunk in t.chunks()]
    workers = joblib.Parallel(n_jobs=jobs, backend="threading")
    start = time.perf_counter()
    workers(joblib.delayed(play)(t.rules, bots, piece, t.seed) for piece in pieces)
    return t.n_rounds / (time.perf_counter() - start)


def _whole(t: Tournament, folder: Path, jobs: int) -> float:
    """Play a tournament with its tables and files; return rounds/s."""
    out = Path(tempfile.mkdtemp(dir=folder))
    start = time.perf_counter()
    run(t, out, jobs=jobs)
    seconds = time.perf_counter() - start
    shutil.rmtree(out)
    return t.n_rounds / seconds


def _statistics(t: Tournament, folder: Path) -> tuple[float, float]:
    """Return the seconds that a tournament's checks, block numbers and derived tables take, and those of its play."""
    bots = [build(agent) for agent in t.agents]
    pieces = [t.schedule.games(chunk.match, chunk.blocks) for chunk in t.chunks()]
    playing = sum(_timed(t.rules, bots, piece, t.seed)[1] for piece in pieces)
    out = Path(tempfile.mkdtemp(dir=folder))
    made = run(t, out, jobs=1)
    seconds, digests = 0.0, []
    for part in made.parts:
        games, rounds = (
            files.read(table, [out / f"{table.name}.parquet" / part], labels=made.labels)
            for table in (tables.GAMES, tables.ROUNDS)
        )
        start = time.thread_time()
        digests.append(chunk_statistics(games, rounds, t.players))
        seconds += time.thread_time() - start
    start = time.thread_time()
    results.Results(out, made.manifest, ready=combine(digests)).write_derived()
    seconds += time.thread_time() - start
    shutil.rmtree(out)
    return seconds, playing


def _process(arguments: list[str], folder: Path, cache: Path | None = None) -> tuple[float, float]:
    """Run mtrain in a process of its own; return its seconds, and its peak memory in MB where the system tells it."""
    environment = dict(os.environ) | ({"MTRAIN_CACHE_DIR": str(cache)} if cache else {})
    order = [sys.executable, "-m", "mtrain", *arguments]
    start = time.perf_counter()
    with open(folder / "printed", "wb") as printed:
        child = subprocess.Popen(order, stdout=printed, stderr=subprocess.STDOUT, env=environment)
        peak = 0.0
        while child.poll() is None:
            peak = max(peak, _peak_of(child.pid))
            time.sleep(0.005)
    seconds = time.perf_counter() - start
    if child.returncode:
        raise RunError(f"{' '.join(order)} failed: {(folder / 'printed').read_text(errors='replace')}")
    return seconds, peak


def _peak_of(pid: int) -> float:
    """Return the peak memory of a process so far in MB; 0 where the system does not tell it."""
    try:
        said = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    found = [line.split()[1] for line in said.splitlines() if line.startswith("VmHWM")]
    return int(found[0]) / 1024 if found else 0.0


def _processes(size: Size, folder: Path) -> Iterator[Figure]:
    """Time start-ups, cold and warm, and measure the memory of short and long tournaments."""

    def tournament(deals: int, jobs: int = 1) -> list[str]:
        out = str(Path(tempfile.mkdtemp(dir=folder)) / "out")
        return [
            "tournament",
            *FIELD,
            "--deals",
            str(deals),
            "--jobs",
            str(jobs),
            "--seed",
            "1",
            "--quiet",
            "--out",
            out,
        ]

    found = _in_turn(size.tries, help=lambda: _process(["--help"], folder)[0])
    yield _median("start-up: mtrain --help", found["help"], "s")
    found = _in_turn(size.tries, warm=lambda: _process(tournament(100), folder)[0])
    yield _median("start-up: a tournament of 100 deals, warm cache", found["warm"], "s", "2,400 games, one worker")
    if size.cold:
        cold, _ = _process(tournament(1), folder, cache=folder / "cache")
        yield Figure("start-up: the first run ever", cold, "s", "kernels compiled, 24 games")
    if size.million:
        blocks = -(-size.million // (24 * 13))
        for share in (10, 1):
            seconds, memory = _process(tournament(blocks // share, 2), folder)
            rounds = blocks // share * 24 * 13
            yield Figure(
                f"memory of a tournament of {rounds:,} rounds",
                memory,
                "MB",
                f"peak of the process, two workers, {seconds:.1f} s",
            )
