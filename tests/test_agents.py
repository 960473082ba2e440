"""Agents: how they are written, found and built, and what the conformance suite catches."""

from pathlib import Path

import numpy as np
import pytest

from mtrain.arena.conformance import CHECKS, check_agent
from mtrain.arena.faults import Fault
from mtrain.arena.play import Games, play
from mtrain.bots.agent import BATCH, KERNEL, SINGLE, AgentError
from mtrain.bots.registry import Registry, all_params, build
from mtrain.game.rules import preset
from mtrain.stats import estimates
from tests.helpers.program import mtrain

BUNDLED = ("double-holder", "greedy", "heuristic", "ismcts", "levelled", "mc", "planner", "random")
SEARCHES = ("ismcts", "mc")


def bot_file(folder: Path, name: str, body: str) -> str:
    """Write a bot and return its path."""
    path = folder / f"{name}.py"
    path.write_text(body, encoding="utf-8")
    return str(path)


def troubles(path: str, name: str) -> set[str]:
    """Return the checks that a bot fails somewhere."""
    spec = Registry([path]).parse(name)
    return {verdict.check for verdict in check_agent(spec, games=2, decisions=20) if verdict.trouble}


# ── The bundled ones ──────────────────────────────────────────────────────────────────────────────────────


def test_the_bundled_agents_are_the_files() -> None:
    assert tuple(sorted(Registry().origins)) == BUNDLED


@pytest.mark.parametrize(
    "text",
    [
        *(name for name in BUNDLED if name not in SEARCHES),
        "mc:worlds=2",
        "mc:worlds=8,base=none,rollout=greedy",
        "ismcts:iterations=2",
        "ismcts:iterations=6,base=none,grow=1,ways=3",
        "greedy:own=3,ties=follow",
        "levelled:temperature=2,depth=2.5,memory=0.5,counting=0.5,hoard=2,blunders=0.1",
        "levelled:base=mc,worlds=2,temperature=2,memory=0.5,counting=0.5",
    ],
)
def test_bundled_agents_conform_on_every_preset_and_table_size(text: str) -> None:
    verdicts = list(check_agent(Registry().parse(text), games=2, decisions=25))
    assert len(verdicts) == len(CHECKS) * 26  # 7 + 3 + 7 + 9 tables
    assert [verdict for verdict in verdicts if verdict.trouble] == []


@pytest.mark.parametrize(
    "text",
    [
        *(name for name in BUNDLED if name not in SEARCHES),
        "mc:worlds=1",
        "mc:worlds=1,base=none,rollout=random",
        "ismcts:iterations=1,base=none",
        "greedy:ties=follow",
        "levelled:temperature=2",
    ],
)
def test_no_seat_is_favoured_by_its_number(text: str) -> None:
    """A tie broken by a train's number once gave low seats three pips a round."""
    n = 1500 if text.startswith(SEARCHES) else 6000
    deal = np.arange(n)
    games = Games(deal, np.zeros(n, np.int64), deal % 4, np.zeros((n, 4), np.int64))
    rules = preset("standard", rounds=1)
    pips = play(rules, [build(Registry().parse(text))], games, 5).rows[:, 0, :, 0].astype(float)
    off = pips - pips.mean(1, keepdims=True)
    assert (np.abs(off.mean(0)) < 4.5 * off.std(0) / np.sqrt(n)).all()


def test_agents_differ_in_strength_as_they_should() -> None:
    import mtrain as m

    made = m.tournament(["random", "greedy", "double-holder", "mc:worlds=8"], deals=8, seed=11, jobs=1)
    assert list(made.standings["agent"])[:2] == ["mc:worlds=8", "greedy"]
    assert made.standings["diff_hi"].iloc[0] < 0 < made.standings["diff_lo"].iloc[-1]


@pytest.mark.parametrize("objective", ["pips", "lead", "out", "game"])
@pytest.mark.parametrize("rollout", ["random", "greedy", "double-holder", "planner"])
def test_every_kind_of_search_plays(objective: str, rollout: str) -> None:
    n = 4
    games = Games(np.arange(n), np.zeros(n, np.int64), np.arange(n) % 3, np.zeros((n, 3), np.int64))
    spec = Registry().parse(f"mc:worlds=2,rollout={rollout},objective={objective}")
    assert play(preset("trainyard"), [build(spec)], games, 1).decisions[0] > 50


def test_a_double_holder_lets_go_by_its_parameters() -> None:
    """With doubles always free it is the greedy one, choice for choice."""
    n = 50
    games = Games(np.arange(n), np.zeros(n, np.int64), np.arange(n) % 4, np.zeros((n, 4), np.int64))
    rows = [
        play(preset("standard"), [build(Registry().parse(text))], games, 3).rows
        for text in (
            "greedy",
            "double-holder:hand=90",
            "double-holder:rival=90",
            "double-holder",
            "double-holder:covered=yes",
        )
    ]
    assert rows[0].tobytes() == rows[1].tobytes() == rows[2].tobytes()
    assert rows[0].tobytes() != rows[3].tobytes() != rows[4].tobytes()


# ── Writing, finding and building ─────────────────────────────────────────────────────────────────────────

PLAIN = "def agent(obs, actions, rng):\n    return rng.choice(actions)\n"
BATCHED = (
    "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Agent:\n"
    "    def act_batch(self, obs, actions, streams):\n        return actions[:, 0]\n"
)
COMPILED = (
    "from mtrain import compiled, nth_action\ndef first(obs, own):\n    return nth_action(obs, 0)\n"
    "agent = compiled(first)\n"
)


@pytest.mark.parametrize(("body", "how"), [(PLAIN, SINGLE), (BATCHED, BATCH), (COMPILED, KERNEL)])
def test_the_three_ways_of_writing_one(tmp_path: Path, body: str, how: str) -> None:
    path = bot_file(tmp_path, "my_bot", body)
    spec = Registry([path]).parse("mine@my-bot")
    assert (spec.label, spec.name, build(spec).how) == ("mine", "my-bot", how)
    assert troubles(path, "my-bot") == set()


def test_the_three_ways_play_the_same_game(tmp_path: Path) -> None:
    single = bot_file(tmp_path, "one", "def agent(obs, actions, rng):\n    return actions[0]\n")
    paths = [single, bot_file(tmp_path, "many", BATCHED), bot_file(tmp_path, "fast", COMPILED)]
    games = Games(np.arange(6), np.zeros(6, np.int64), np.arange(6) % 4, np.zeros((6, 4), np.int64))
    rows = [
        play(preset("cardinal"), [build(Registry(paths).parse(name))], games, 2).rows.tobytes()
        for name in ("one", "many", "fast")
    ]
    assert rows[0] == rows[1] == rows[2]


def test_a_folder_of_bots(tmp_path: Path) -> None:
    bot_file(tmp_path, "left", PLAIN)
    bot_file(tmp_path, "right_hand", PLAIN)
    bot_file(tmp_path, "_helper", "raise RuntimeError")
    assert set(Registry([tmp_path]).origins) == {*BUNDLED, "left", "right-hand"}


def test_a_bot_of_another_distribution(tmp_path: Path) -> None:
    (tmp_path / "far_bots.py").write_text(PLAIN, encoding="utf-8")
    info = tmp_path / "far_bots-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: far-bots\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[mtrain.agents]\nfar = far_bots:agent\n", encoding="utf-8")
    where = f"{tmp_path}:{Path(__file__).parents[1]}"
    listed = mtrain("agents", PYTHONPATH=where)
    assert "far" in listed.stdout.split()
    played = mtrain(
        "tournament", "far", "random", "--players", "2", "--deals", "1", "--out", str(tmp_path / "o"), PYTHONPATH=where
    )
    assert played.returncode == 0, played.stderr


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("greddy", "unknown agent 'greddy'; did you mean 'greedy'?"),
        (
            "zzz",
            "unknown agent 'zzz'; choose from double-holder, greedy, heuristic, ismcts, levelled, mc, planner, random",
        ),
        ("mc:world=3", "agent 'mc' has no parameter 'world'; did you mean 'worlds'?"),
        ("random:x=1", "agent 'random' has no parameter 'x'; it has none"),
        ("mc:worlds=many", "worlds of agent 'mc' is a whole number, not 'many'"),
        ("mc:worlds=1.5", "worlds of agent 'mc' is a whole number, not '1.5'"),
        ("mc:worlds=0", "agent 'mc': worlds is a number of worlds from 1 to 1000000, not 0"),
        ("mc:objective=win", "objective of agent 'mc' is one of pips, lead, out, game, not 'win'"),
        ("ismcts:iterations=0", "agent 'ismcts': iterations is a number from 1 to 1000000, not 0"),
        ("ismcts:grow=0", "agent 'ismcts': grow is a number of visits, 1 or more, not 0"),
        ("ismcts:ways=0", "agent 'ismcts': ways is a number of walks, 1 or more, not 0"),
        ("ismcts:explore=-1", "agent 'ismcts': explore is a number of spreads, 0 or more, not -1"),
        ("ismcts:paired=perhaps", "paired of agent 'ismcts' is true or false, not 'perhaps'"),
        ("greedy:own=nan", "own of agent 'greedy' is a number, not 'nan'"),
        ("double-holder:covered=perhaps", "covered of agent 'double-holder' is true or false, not 'perhaps'"),
        ("greedy:own", "'own' in 'greedy:own' is no parameter; write greedy:param=value,param=value"),
        ("greedy:own=1,own=2", "parameter 'own' is given twice in 'greedy:own=1,own=2'"),
        ("@greedy", "an empty label in '@greedy'; an agent is written label@name:param=value"),
    ],
)
def test_H23_a_wrong_agent_is_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(AgentError) as said:
        Registry().parse(text)
    assert str(said.value) == sentence


@pytest.mark.parametrize(
    ("word", "value"), [("false", False), ("False", False), ("no", False), ("0", False), ("yes", True)]
)
def test_H23_false_is_false(word: str, value: bool) -> None:
    spec = Registry().parse(f"double-holder:covered={word}")
    assert all_params(spec) == {"hand": 0, "rival": 0, "covered": value}
    assert build(spec).params[2] == value


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("import nothing_like_it\n", "cannot be imported: ModuleNotFoundError"),
        ("x = 1\n", "defines neither a function `agent` nor a class `Agent`"),
        (
            "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Agent:\n    x: int = 1\n",
            "has neither act",
        ),
        ("from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Agent:\n    x: int\n", "has no default"),
        (
            "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Agent:\n    x: list = ()\n",
            "use bool, int",
        ),
    ],
)
def test_a_broken_bot_is_one_sentence(tmp_path: Path, body: str, words: str) -> None:
    path = bot_file(tmp_path, "broken", body)
    with pytest.raises(AgentError, match=words.replace("(", r"\(")):
        build(Registry([path]).parse("broken:x=1" if "x: " in body else "broken"))


def test_a_kernel_that_does_not_compile_is_one_sentence(tmp_path: Path) -> None:
    body = "from mtrain import compiled\ndef choose(obs, own):\n    return obs.nothing\nagent = compiled(choose)\n"
    with pytest.raises(AgentError, match="agent 'odd' cannot be compiled"):
        build(Registry([bot_file(tmp_path, "odd", body)]).parse("odd"))


def test_two_bots_of_one_name(tmp_path: Path) -> None:
    with pytest.raises(AgentError, match="two agents are called 'greedy'"):
        Registry([bot_file(tmp_path, "greedy", PLAIN)])


@pytest.mark.parametrize("place", ["nowhere.py", "."])
def test_a_place_without_bots(tmp_path: Path, place: str) -> None:
    with pytest.raises(AgentError, match="no agents"):
        Registry([tmp_path / place])


# ── What the suite catches ────────────────────────────────────────────────────────────────────────────────

COUNTS = "n = 0\ndef agent(obs, actions, rng):\n    global n\n    n += 1\n    return actions[n % len(actions)]\n"
CHANCE = "import random\ndef agent(obs, actions, rng):\n    return random.choice(actions)\n"
WRITES = "def agent(obs, actions, rng):\n    obs.table[0] = 1\n    return actions[0]\n"
ONCE = (
    "seen = set()\ndef agent(obs, actions, rng):\n    assert obs.tobytes() not in seen, 'again?'\n"
    "    seen.add(obs.tobytes())\n    return actions[0]\n"
)
PEEKS = """
import sys
import numpy as np

def agent(obs, actions, rng):
    hidden, frame = 0, sys._getframe()
    while frame:
        for value in frame.f_locals.values():
            if isinstance(value, np.ndarray) and value.dtype == obs.dtype and value["deck"].any():
                hidden += int(value["hand"].astype(np.int64).sum())
        frame = frame.f_back
    return actions[hidden % len(actions)]
"""


@pytest.mark.parametrize(
    ("body", "check"),
    [
        ("def agent(obs, actions, rng):\n    return 7\n", "legal"),
        ("def agent(obs, actions, rng):\n    return None\n", "legal"),
        ("def agent(obs, actions, rng):\n    return True\n", "legal"),
        ("def agent(obs, actions, rng):\n    return 1 / 0\n", "legal"),
        ("def agent(obs, actions, rng):\n    return actions[0] + (1 << 20)\n", "legal"),
        (CHANCE, "repeatable"),
        (ONCE, "repeatable"),
        (COUNTS, "stateless"),
        (WRITES, "untouched"),
        (PEEKS, "blind"),
    ],
)
def test_H22_bad_bots_are_caught(tmp_path: Path, body: str, check: str) -> None:
    assert check in troubles(bot_file(tmp_path, "bad", body), "bad")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("def agent(obs, actions, rng):\n    return 7\n", "answered 7"),
        ("def agent(obs, actions, rng):\n    return 1\n", "answered pass"),
        ("def agent(obs, actions, rng):\n    raise KeyError('x')\n", "failed .*KeyError"),
        ("def agent(obs, actions, rng):\n    return 'pass'\n", "failed .*an action is one of the whole numbers"),
        (BATCHED.replace("[:, 0]", "[:1, 0]"), "failed .*whole numbers were asked for"),
        (BATCHED.replace("[:, 0]", "[:, 0] * 0.5"), "failed .*whole numbers were asked for, not float64"),
        (COMPILED.replace("nth_action(obs, 0)", "0"), "answered 0"),
        (
            COMPILED.replace("return nth", "if obs.n_legal > 1:\n        raise ValueError\n    return nth"),
            "failed .*ValueError",
        ),
    ],
)
def test_a_fault_names_the_agent_the_deal_and_the_seat(tmp_path: Path, body: str, words: str) -> None:
    spec = Registry([bot_file(tmp_path, "faulty", body)]).parse("f@faulty")
    games = Games(np.array([4, 5]), np.zeros(2, np.int64), np.zeros(2, np.int64), np.zeros((2, 3), np.int64))
    with pytest.raises(
        Fault, match=rf"agent 'f' {words}.*deal [45], seating 0, round \d+, seat \d|agent 'f' {words}"
    ) as said:
        play(preset("standard"), [build(spec)], games, 1)
    assert "deal " in str(said.value)
    assert "seat " in str(said.value)


def test_an_agents_interval_needs_blocks() -> None:
    """The estimates of one block say that they need two, whatever the agents."""
    import mtrain as m

    made = m.tournament(["random", "greedy"], players=2, deals=1, seed=1, jobs=1)
    assert made.standings["diff_lo"].isna().all()
    assert made.standings["note"].str.contains("2 blocks").all()
    assert estimates.standings(made.games, made.rounds).equals(made.standings)
