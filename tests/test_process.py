"""Bots that are programs: held to their limits, failing alone and by kind, and gone when the work is done."""

import json
import os
import re
import shutil
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import mtrain as m
from mtrain.arena.conformance import STEPS, check_program
from mtrain.arena.faults import Fault
from mtrain.arena.play import Games, play
from mtrain.arena.run import run
from mtrain.arena.spec import plan
from mtrain.bots.agent import AgentError
from mtrain.bots.faults import Broken
from mtrain.bots.process import KEPT, Limits, Process
from mtrain.bots.registry import Registry, all_params, build
from mtrain.errors import UsageError
from mtrain.game.rules import preset
from tests.helpers.program import HERE, mtrain, start, wait_for

HEAVIEST = HERE / "docs" / "bots" / "heaviest.py"
PYTHON = f"{sys.executable} -S -E"

# A bot that takes the first action, but for what is put in; it writes down the process that it is.
BOT = """
import json, os, sys, time

def say(text):
    sys.stdout.write(text + "\\n")
    sys.stdout.flush()

with open("pids", "a") as file:
    file.write(f"{{os.getpid()}} {{os.getsid(0)}}\\n")
{begin}
asked = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        {hello}
    elif message["type"] == "game":
        asked, seat = 0, message["seat"]
    elif message["type"] == "act":
        asked += 1
        {act}
        say('{{"action": 0}}')
{end}
"""
HELLO = 'say(\'{"type": "hello", "protocol": 1, "name": "bot"}\')'


def bot(folder: Path, name: str, act: str = "pass", *, hello: str = HELLO, begin: str = "", end: str = "") -> str:
    """Write a bot into a folder; return how it is named as an agent."""
    indented = act.replace("\n", "\n        ")
    text = BOT.format(act=indented, hello=hello, begin=begin, end=end)
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return f"{name}@exec:{PYTHON} {name}.py"


def games_of(n: int, players: int, who: list[list[int]] | None = None) -> Games:
    deal = np.arange(n)
    return Games(deal, np.zeros_like(deal), deal % players, np.array(who or [[0] * players] * n))


def pids(folder: Path) -> list[int]:
    """Return the processes that bots of a folder have been."""
    return [int(line.split()[0]) for line in (folder / "pids").read_text().splitlines()]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not (stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z")


def gone(found: list[int], seconds: float = 10) -> bool:
    """Say whether processes are gone, or go soon."""
    end = time.monotonic() + seconds
    while any(map(alive, found)) and time.monotonic() < end:
        time.sleep(0.02)
    return not any(map(alive, found))


def tables(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every table but the one of times."""
    files = sorted(path for path in folder.rglob("*.parquet") if path.is_file() and path.name != "timing.parquet")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


# What a bot does when it is first asked in a game; the kind of fault that it is, and how it is told.
MISDEEDS = {
    "exits": ("sys.exit(3)", "exited", "ended with exit status 3"),
    "raises": ("raise KeyError('x')", "exited", "ended with exit status 1"),
    "dies": ("os.kill(os.getpid(), 9)", "exited", "ended with signal SIGKILL"),
    "rubbish": ("say('hm'); continue", "garbage", "answered 'hm', which is not JSON"),
    "array": ("say('[0]'); continue", "garbage", "answered '[0]', which is not a JSON object"),
    "yes": ("say('{\"action\": true}'); continue", "garbage", "has no whole number 'action'"),
    # Both answers in one write: apart, on a busy machine, the second may be taken for the next one.
    "twice": ("sys.stdout.write('{\"action\": 0}\\n')", "garbage", "wrote '{\"action\": 0}' without being asked"),
    "illegal": (
        "if asked == 1:\n    say('{\"action\": 99}')\n    continue",
        "illegal",
        "answered action 99, and the actions were numbered 0 to ",
    ),
    "hangs": ("time.sleep(60)", "timeout", "gave no answer in 1 s"),
    "shuts": ("os.close(1); time.sleep(60)", "closed", "closed its output, and went on running"),
    "floods": ("sys.stdout.write('x' * 1_000_000); sys.stdout.flush()", "flood", "wrote a line of more than 64 KiB"),
    "hoards": (
        "hoard = []\nwhile True:\n    hoard.append(b'x' * (8 << 20))\n    time.sleep(0.001)",
        "memory",
        "took more than 200 MB of memory",
    ),
}
LIMITS = {"bot_time": 1.0, "bot_memory": 200}


@pytest.fixture(scope="module")
def mischief(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament of greedy against each misdoer, greedy, random and a chatterbox, under `void`."""
    folder = tmp_path_factory.mktemp("mischief")
    agents = [bot(folder, name, act) for name, (act, _, _) in MISDEEDS.items()]
    agents += [bot(folder, "chatty", "sys.stderr.write('oh no! ' * 20_000)"), bot(folder, "silent")]
    for policy in ("void", "substitute"):
        t = plan(
            ["greedy", *agents, "random"],
            players=2,
            focus="greedy",
            deals=1,
            seed=3,
            changes={"rounds": 1},
            folder=folder,
            on_fault=policy,
            **LIMITS,
        )
        run(t, folder / policy, jobs=1)
    return folder


def test_H28_every_fault_is_counted_once_by_kind(mischief: Path) -> None:
    results = m.read(mischief / "void")
    faults = results.faults
    found = {(row.agent, row.kind): row.what for row in faults.itertuples()}
    assert {name: kind for name, kind in found} == {name: kind for name, (_, kind, _) in MISDEEDS.items()}
    for name, (_, kind, what) in MISDEEDS.items():
        assert what in found[name, kind]
    # two games each: the deal in its two seatings
    assert Counter(faults["agent"]) == {name: 2 for name in MISDEEDS}
    assert len(results.games) == 2 * 2 * (len(MISDEEDS) + 3)
    # An answer too many is seen when it has come, and memory when it is weighed; the rest fails at once.
    assert faults["decision"].min() == 1
    assert set(faults.loc[faults["decision"] > 1, "agent"]) <= {"twice", "hoards"}


def test_H28_healthy_agents_play_as_without_the_faulty(mischief: Path) -> None:
    """Under `void`, what is said of the healthy is what their own games say."""
    results = m.read(mischief / "void")
    healthy = {"greedy", "chatty", "silent", "random"}
    assert set(results.standings.loc[results.standings["diff"].notna(), "agent"]) == healthy
    others = plan(
        ["greedy", *(f"{name}@random" for name in MISDEEDS), "chatty@random", "silent@random", "random"],
        players=2,
        focus="greedy",
        deals=1,
        seed=3,
        changes={"rounds": 1},
    )
    run(others, mischief / "others", jobs=1)
    last = len(MISDEEDS) + 2  # greedy against random: the same match, the same deal
    games = [frame.games[frame.games["match"] == last] for frame in (results, m.read(mischief / "others"))]
    assert len(games[0]) == 4
    assert games[0]["score"].tolist() == games[1]["score"].tolist()


def test_a_chatterbox_is_no_fault_and_the_end_of_what_it_said_is_kept(mischief: Path) -> None:
    folder = mischief / "void" / "stderr"
    kept = {path.name for path in folder.iterdir()}
    chatty = [path for path in folder.iterdir() if path.name.startswith("chatty-")]
    assert len(chatty) == 2
    assert all(path.stat().st_size == KEPT and path.read_bytes().endswith(b"oh no! ") for path in chatty)
    raised = [path for path in folder.iterdir() if path.name.startswith("raises-")]
    assert all("KeyError: 'x'" in path.read_text() for path in raised)
    assert len(raised) == 2
    assert not any(name.startswith(("silent", "exits", "rubbish")) for name in kept)
    # the two agents do the same, one of them loudly
    games = m.read(mischief / "void").games
    silent, loud = (games[games["agent"] == name] for name in ("silent", "chatty"))
    assert silent["faults"].sum() == loud["faults"].sum() == 0


def test_H35_no_process_is_left(mischief: Path) -> None:
    found = pids(mischief)
    assert len(found) > 3 * len(MISDEEDS)
    assert gone(found)


def test_H01_programs_that_fail_do_not_depend_on_the_workers(tmp_path: Path) -> None:
    agents = [bot(tmp_path, name, MISDEEDS[name][0]) for name in ("exits", "rubbish", "illegal")]
    made = []
    for jobs in (1, 2):
        t = plan(
            [*agents, f"heavy@exec:{PYTHON} {HEAVIEST}", "random"],
            players=3,
            deals=2,
            seed=5,
            changes={"rounds": 1},
            folder=tmp_path,
        )
        run(t, tmp_path / str(jobs), jobs=jobs)
        made.append(tables(tmp_path / str(jobs)))
    assert made[0] == made[1]
    assert any(name.startswith("faults.parquet") for name in made[0])
    assert gone(pids(tmp_path))


def test_H29_ten_hangs_are_ten_timeouts_and_cost_their_limit_only(tmp_path: Path) -> None:
    spec = Registry(limits=Limits(seconds=0.5), folder=tmp_path).parse(
        bot(tmp_path, "hangs", "if seat == 0:\n    time.sleep(60)")
    )
    games = games_of(20, 2, [[0, 1], [1, 0]] * 10)
    before = time.monotonic()
    played = play(
        preset("standard", rounds=1), [build(spec), build(Registry().parse("random"))], games, 1, "substitute"
    )
    assert Counter(f.kind for f in played.failures) == {"timeout": 10}
    assert [f.game for f in played.failures] == list(range(0, 20, 2))
    assert len(played.rows) == 20
    assert (played.rows[:, 0, :, 0] >= 0).all()
    assert time.monotonic() - before < 40  # ten sleeps of a minute were cut short
    assert gone(pids(tmp_path))


def test_a_program_that_ended_is_out_for_the_game_and_starts_anew_for_the_next(tmp_path: Path) -> None:
    spec = Registry(folder=tmp_path).parse(bot(tmp_path, "fragile", "if asked == 3:\n    sys.exit(1)"))
    met = len(pids(tmp_path))
    played = play(preset("standard", rounds=2), [build(spec)], games_of(2, 2), 1, "substitute")
    assert [(f.game, f.seat, f.round, f.decision) for f in played.failures] == [
        (game, seat, 1, 3) for game in (0, 1) for seat in (0, 1)
    ]
    assert played.decisions[0] == 12  # three each, and then the stand-in chose
    assert len(pids(tmp_path)) - met == 4


def test_an_illegal_answer_leaves_it_in_the_game(tmp_path: Path) -> None:
    spec = Registry(folder=tmp_path).parse(bot(tmp_path, "odd", MISDEEDS["illegal"][0]))
    met = len(pids(tmp_path))
    played = play(preset("standard", rounds=1), [build(spec)], games_of(2, 2), 1, "substitute")
    assert [(f.game, f.seat, f.decision) for f in played.failures] == [(g, s, 1) for g in (0, 1) for s in (0, 1)]
    assert played.decisions[0] > 8
    assert len(pids(tmp_path)) - met == 2


def test_H22_every_seat_has_a_process_of_its_own(tmp_path: Path) -> None:
    spec = Registry(folder=tmp_path).parse(bot(tmp_path, "one"))
    (tmp_path / "pids").unlink()
    play(preset("standard", rounds=2), [build(spec)], games_of(3, 4), 1)
    lines = (tmp_path / "pids").read_text().split()
    assert len(set(lines[::2])) == 4  # for all three games
    assert lines[::2] == lines[1::2]  # each leads a session: Ctrl-C in the terminal is not for them
    assert gone(pids(tmp_path))


def test_under_stop_the_run_ends_with_a_sentence_and_no_process(tmp_path: Path) -> None:
    spec = Registry(folder=tmp_path).parse(bot(tmp_path, "dies", MISDEEDS["dies"][0]))
    words = r"agent 'dies' failed \(deal 0, .* seat 0, decision 1\): ended with signal SIGKILL"
    with pytest.raises(Fault, match=words):
        play(preset("standard"), [build(spec)], games_of(1, 3), 1)
    assert gone(pids(tmp_path))


def test_children_go_with_their_program(tmp_path: Path) -> None:
    begin = "import subprocess\nchild = subprocess.Popen(['sleep', '1000'])\n"
    begin += "with open('pids', 'a') as file:\n    file.write(f'{child.pid} 0\\n')"
    spec = Registry(folder=tmp_path).parse(bot(tmp_path, "parent", begin=begin))
    play(preset("standard", rounds=1), [build(spec)], games_of(1, 2), 1)
    assert len(pids(tmp_path)) == 6
    assert gone(pids(tmp_path))


def test_a_wrapper_is_weighed_with_what_it_starts(tmp_path: Path) -> None:
    if not Path("/proc/self/statm").exists():
        pytest.skip("memory is weighed where the system tells it")
    bot(tmp_path, "hoards", MISDEEDS["hoards"][0])
    registry = Registry(limits=Limits(memory=200), folder=tmp_path)
    spec = registry.parse(f"exec:sh -c '{PYTHON} hoards.py; true'")
    played = play(preset("standard", rounds=1), [build(spec)], games_of(1, 2), 1, "substitute")
    assert [f.kind for f in played.failures] == ["memory", "memory"]
    assert gone(pids(tmp_path))


# ── Refused ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (
            {"begin": "import nothing_like_it"},
            "ended with exit status 1; its last words: ModuleNotFoundError: No module",
        ),
        ({"hello": 'say(\'{"type": "hello", "protocol": 2, "name": "x"}\')'}, "speaks protocol 2, and mtrain speaks 1"),
        ({"hello": "pass"}, "gave no answer in 0.5 s"),
        ({"hello": "say('welcome')"}, "answered 'welcome', which is not JSON"),
        ({"begin": "os.close(1); time.sleep(60)"}, "closed its output, and went on running"),
    ],
)
def test_a_program_that_does_not_say_hello_is_refused_before_anything(
    tmp_path: Path, made: dict[str, str], words: str
) -> None:
    text = bot(tmp_path, "mute", **made)
    with pytest.raises(AgentError) as said:
        plan([text, "random"], folder=tmp_path, bot_start=0.5 if made == {"hello": "pass"} else 30)
    assert f"agent 'mute': '{PYTHON} mute.py' {words}" in str(said.value)
    assert "\n" not in str(said.value)
    assert gone(pids(tmp_path))


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("./nowhere", "agent 'exec:./nowhere': './nowhere' cannot be started: No such file or directory"),
        ("./plain.txt", "agent 'exec:./plain.txt': './plain.txt' cannot be started: Permission denied"),
    ],
)
def test_a_command_that_is_none_is_refused(tmp_path: Path, command: str, sentence: str) -> None:
    (tmp_path / "plain.txt").write_text("x", encoding="utf-8")
    ran = mtrain("tournament", f"exec:{command}", "random", "--out", "o", cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (2, f"mtrain: {sentence}\n")
    assert not (tmp_path / "o").exists()


def test_limits_are_checked_and_written_down(tmp_path: Path) -> None:
    for name, value, unit in (("bot_time", 0, "s"), ("bot_start", -1, "s"), ("bot_memory", 0, "MB")):
        with pytest.raises(UsageError, match=f"{name.replace('_', '-')} is a number of {unit} above 0, not {value}"):
            plan(["random"], **{name: value})
    text = bot(tmp_path, "first")
    results = m.tournament(
        [f"first@exec:{PYTHON} {tmp_path}/first.py", "random"], players=2, deals=1, rounds=1, jobs=1, bot_time=7
    )
    assert text.startswith("first@")
    assert results.manifest.parameters["first"] == {
        "command": f"{PYTHON} {tmp_path}/first.py",
        "seconds": 7,
        "start": 30.0,
        "memory": 1024,
    }
    assert results.manifest.reproducible is True


def test_a_bot_that_uses_the_clock_says_so_in_its_hello(tmp_path: Path) -> None:
    hello = 'say(\'{"type": "hello", "protocol": 1, "name": "x", "uses_clock": true}\')'
    t = plan(
        [bot(tmp_path, "clock", hello=hello), "random"], players=2, deals=1, folder=tmp_path, changes={"rounds": 1}
    )
    assert [agent.uses_clock for agent in t.agents] == [True, False]
    assert run(t, tmp_path / "o", jobs=1).manifest.reproducible is False


def test_an_experiment_runs_programs_in_its_own_folder(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    text = bot(tmp_path / "x", "first")
    (tmp_path / "x" / "x.toml").write_text(
        f'question = "x?"\nagents = [{text!r}, "random"]\nplayers = 2\ndeals = 1\nseed = 1\nbot_time = 5\n'
        "bot_memory = 512\n[set]\nrounds = 1\n",
        encoding="utf-8",
    )
    ran = mtrain("run", "x/x.toml", "--out", "o", "--quiet", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    manifest = json.loads((tmp_path / "o" / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["parameters"]["first"]["seconds"], manifest["parameters"]["first"]["memory"]) == (5, 512)
    game = mtrain("again", "o", "1", cwd=tmp_path)
    assert game.returncode == 0, game.stderr
    totals = json.loads(game.stdout)["totals"]
    assert totals == m.read(tmp_path / "o").game(1)["score"].tolist()


def test_a_calibration_asks_no_program(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"agent 'exec:.*' is a program; a calibration asks agents in Python only"):
        m.calibrate([f"exec:{PYTHON} {HEAVIEST}"], deals=1)


# ── Whatever befalls mtrain ───────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_H35_bots_end_with_mtrain(tmp_path: Path, how: signal.Signals) -> None:
    text = bot(tmp_path, "slow", "time.sleep(0.05)")
    call = ["tournament", text, "random", "--deals", "50", "--set", "rounds=1", "--jobs", "1", "--out", "o"]
    (tmp_path / "pids").touch()
    ran = start(call, tmp_path)
    wait_for(lambda: len(pids(tmp_path)) >= 3)
    ran.send_signal(how)
    ran.communicate(timeout=60)
    assert ran.returncode == (130 if how == signal.SIGINT else -9)
    assert gone(pids(tmp_path))


# ── The talk itself ───────────────────────────────────────────────────────────────────────────────────────


def test_a_process_answers_in_lines_however_they_come() -> None:
    process = Process([*PYTHON.split(), "-c", "import sys\nfor x in sys.stdin: sys.stdout.write(x + x)"], ".", 1024)
    process.send(b"a\n" * 3 + b"x" * 60000 + b"\n")
    process.hang_up()
    assert [process.answer(30) for _ in range(8)] == [b"a"] * 6 + [b"x" * 60000] * 2
    with pytest.raises(Broken, match="exit status 0"):
        process.answer(30)
    assert process.stop() is None or process.stop() is None


def test_more_than_a_pipe_holds_goes_both_ways() -> None:
    process = Process(["cat"], ".", 1024)
    lines = [bytes([65 + k % 26]) * 10_000 for k in range(100)]
    process.send(b"".join(line + b"\n" for line in lines))
    assert [process.answer(30) for _ in lines] == lines
    assert process.stop(30) == 0


def test_what_will_not_end_is_ended() -> None:
    code = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint(1, flush=True)\ntime.sleep(1000)"
    process = Process([*PYTHON.split(), "-c", code], ".", 1024)
    assert process.answer(30) == b"1"
    assert process.stop(0.1) is None
    assert not alive(process.pid)
    assert process.stop() is None


# ── mtrain check-agent ────────────────────────────────────────────────────────────────────────────────────


def troubles(text: str, folder: Path) -> dict[str, str]:
    """Return the first trouble of every step that a program fails."""
    spec = Registry(folder=folder).parse(text, meet=False)
    found: dict[str, str] = {}
    for verdict in check_program(spec, decisions=10, presets=["pinecone"]):
        if verdict.trouble:
            found.setdefault(verdict.check, verdict.trouble)
    return found


@pytest.mark.parametrize("kind", ["python", "node"])
def test_the_example_bots_pass(kind: str) -> None:
    if shutil.which(kind) is None and kind == "node":
        pytest.skip("no node here")
    command = f"{PYTHON} {HEAVIEST}" if kind == "python" else f"node {HEAVIEST.with_suffix('.js')}"
    spec = Registry().parse(f"exec:{command}", meet=False)
    verdicts = list(check_program(spec, games=2, decisions=10))
    assert [verdict for verdict in verdicts if verdict.trouble] == []
    assert {verdict.check for verdict in verdicts} == set(STEPS)
    assert len(verdicts) == 6 + 8 * 4


def test_the_example_bots_play_the_same_games(tmp_path: Path) -> None:
    if shutil.which("node") is None:
        pytest.skip("no node here")
    made = []
    for command in (f"{PYTHON} {HEAVIEST}", f"node {HEAVIEST.with_suffix('.js')}"):
        results = m.tournament([f"heavy@exec:{command}", "greedy"], players=3, deals=2, rounds=2, seed=1, jobs=1)
        assert not len(results.faults)
        made.append(results.rounds)
    assert made[0].equals(made[1])


STATE = "n = 0"
KEEPS = "n += 1\nsay(json.dumps({'action': n % len(message['actions'])}))\ncontinue"
CHANCE = "say(json.dumps({'action': os.urandom(1)[0] % len(message['actions'])}))\ncontinue"


@pytest.mark.parametrize(
    ("made", "step", "words"),
    [
        ({"begin": "sys.exit(4)"}, "hello", "ended with exit status 4"),
        ({"hello": "say('hi')"}, "hello", 'it was sent {"type":"hello","protocol":1'),
        ({"hello": "raise KeyError('k')"}, "hello", "the last line of its standard error: KeyError: 'k'"),
        ({"hello": HELLO + "; say('ready')"}, "quiet", "wrote 'ready"),
        ({"end": "time.sleep(60)"}, "ends", "2 s after its input was closed it was still running"),
        (
            {"act": "say('x'); continue"},
            "act",
            'answered \'x\', which is not JSON; it was sent {"type":"act","events":[',
        ),
        ({"act": "if message['round'] == 1 and n: sys.exit(0)", "begin": STATE, "end": "n"}, "", ""),
        ({"act": KEEPS, "begin": STATE}, "alone", "deal 1 went another way"),
        ({"act": CHANCE}, "repeatable", "went another way"),
    ],
)
def test_check_agent_names_the_step(tmp_path: Path, made: dict[str, str], step: str, words: str) -> None:
    found = troubles(bot(tmp_path, "odd", **made), tmp_path)
    if not step:
        assert found == {}
        return
    assert step in found
    assert words in found[step]
    assert gone(pids(tmp_path))


def test_check_agent_names_a_second_game(tmp_path: Path) -> None:
    text = bot(tmp_path, "tired", "if games > 1: sys.exit(5)", begin="games = 0")
    path = tmp_path / "tired.py"
    path.write_text(path.read_text().replace('asked, seat = 0, message["seat"]', "games += 1; asked = 0"))
    assert set(troubles(text, tmp_path)) == {"second game"}


def test_check_agent_from_the_shell(tmp_path: Path) -> None:
    ran = mtrain("check-agent", "exec:./nothing", "--json", cwd=tmp_path)
    assert ran.returncode == 1
    assert json.loads(ran.stdout) == [
        {
            "rules": "",
            "players": 0,
            "check": "start",
            "decisions": 0,
            "trouble": "'./nothing' cannot be started: No such file or directory",
        }
    ]
    bot(tmp_path, "rude", "say('no'); continue")
    ran = mtrain("check-agent", f"exec:{PYTHON} rude.py", cwd=tmp_path)
    assert ran.returncode == 1
    assert re.search(r"\n  act +it answers every question.* 0 of 1 ", ran.stdout)
    assert re.search(r"\n  second game .* not reached ", ran.stdout)
    assert "answered 'no'" in ran.stdout


def test_what_a_program_may_take_is_part_of_its_spec() -> None:
    spec = Registry(limits=Limits(1.5, 2, 64)).parse("x@exec:cat", meet=False)
    assert all_params(spec) == {"command": "cat", "seconds": 1.5, "start": 2, "memory": 64}


def test_a_program_that_is_gone_before_it_is_greeted_can_be_stopped(tmp_path: Path) -> None:
    """What could not be sent to it once was unregistered without having been registered."""
    process = Process(["true"], str(tmp_path), 1024)
    while process._child.poll() is None:
        time.sleep(0.01)
    with pytest.raises(Broken, match="exit"):
        process.send(b"{}\n")
    process.stop()
