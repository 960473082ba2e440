"""The protocol: what bots that are programs are told, that it is no more than they may know, and that its page is true."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mtrain.arena.conformance import questions, redealt
from mtrain.arena.driver import record_game
from mtrain.arena.play import Games, play, see
from mtrain.bots import protocol
from mtrain.bots.agent import AgentError, Bot
from mtrain.bots.faults import Broken
from mtrain.bots.registry import Registry, build
from mtrain.game.journal import read_journal
from mtrain.game.moves import advance, apply, legal_actions, new_game, observe
from mtrain.game.record import replay
from mtrain.game.rng import Stream
from mtrain.game.rules import PRESETS, RuleSet, preset
from mtrain.game.state import HIDDEN
from mtrain.game.tiles import tile_text
from tests.helpers.program import HERE

PAGE = HERE / "docs" / "protocol.md"
HEAVIEST = HERE / "docs" / "bots" / "heaviest.py"
EXAMPLE = preset("standard", max_pip=6, hand_size=5, rounds=2)


def program(*words: object, label: str = "", folder: Path | None = None) -> Bot:
    """Return a program as a bot, run by this Python."""
    command = " ".join(map(str, words))
    return build(Registry(folder=folder).parse(f"{label}@exec:{command}" if label else f"exec:{command}"))


def overheard(folder: Path, name: str = "talk") -> Bot:
    """Return the example bot, with all that it is told written into a file for every process."""
    return program(f"sh -c 'tee {folder}/{name}-$$ | {sys.executable} {HEAVIEST}'")


def talks(folder: Path, name: str = "talk") -> list[list[dict[str, Any]]]:
    """Return what each process was told, apart from hello and bye alone: such was only introduced."""
    found = [path.read_text(encoding="utf-8").splitlines() for path in sorted(folder.glob(f"{name}-*"))]
    return [[json.loads(line) for line in lines] for lines in found if len(lines) > 2]


# ── The page ──────────────────────────────────────────────────────────────────────────────────────────────


def test_every_message_on_the_page_is_one_of_its_game(tmp_path: Path) -> None:
    random = build(Registry().parse("random"))
    record_game(EXAMPLE, [overheard(tmp_path), random], seed=8, game=0, starter=_starter(8, 2))
    told = {line for path in tmp_path.glob("talk-*") for line in path.read_text(encoding="utf-8").splitlines()}
    page = PAGE.read_text(encoding="utf-8")
    shown = re.findall(r"^\{\"type\":.*$", page, re.MULTILINE)
    assert [json.loads(line)["type"] for line in shown if line in told] == [
        *("hello", "game", "round", "act", "scores", "end", "bye")
    ]
    assert [line for line in shown if line not in told] == ['{"type": "hello", "protocol": 1, "name": "heaviest"}']
    assert {json.loads(line)["type"] for line in told} == {json.loads(line)["type"] for line in shown}


def _starter(seed: int, players: int) -> int:
    from mtrain.arena.schedule import first_starter

    return first_starter(seed, players, 0)


def test_the_page_explains_every_field_and_every_kind_of_fault(tmp_path: Path) -> None:
    from mtrain.bots.faults import KINDS, RAISED

    page = PAGE.read_text(encoding="utf-8")
    line = next(line for line in page.splitlines() if line.startswith('{"type":"act"'))
    for field in json.loads(line):
        assert field == "type" or re.search(rf"^\|.*`{field}`.* \|", page, re.MULTILINE), field
    for kind in set(KINDS) - {RAISED}:
        assert f"\n| `{kind}` |" in page, kind
    for word in protocol.OWED.values():
        assert f"`{word}`" in page, word


# ── What is told ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", list(PRESETS))
def test_an_act_says_what_the_observation_says(name: str) -> None:
    rules = preset(name, rounds=1)
    players = rules.dealable()[-1]
    states = questions(rules, players, build(Registry().parse("random")), 3, 40)
    obs, actions, _ = see(states, np.arange(len(states)), False)
    for i, s in enumerate(states):
        legal = [action for action in actions[i].tolist() if action]
        said = json.loads(protocol.act(obs, i, legal, 7, []))
        seat, n = int(s.turn), int(s.n_seats)
        held = [
            tile_text(hi * (hi + 1) // 2 + lo) for hi in range(19) for lo in range(hi + 1) if s.hand[seat, hi] >> lo & 1
        ]
        trains = [*map(str, range(n)), "mexican"]
        assert said["hand"] == held
        assert said["seat"] == seat
        assert said["ends"] == s.end[: n + 1].tolist()
        assert said["markers"] == [k for k in range(n) if s.marked >> k & 1]
        assert list(map(str, said["open_doubles"])) == [trains[t] for t in s.open_on[: s.n_open]]
        assert said["hand_sizes"] == s.count[:n].tolist()
        assert said["boneyard"] == int(s.n_tiles) - int(s.top)
        assert said["totals"] == s.score[:n].tolist()
        assert said["laid"] == [f"{tile_text(t)}@{trains[s.laid_on[t] - 1]}" for t in s.laid[: s.n_laid].tolist()]
        assert (said["drawn"], said["riding"]) == (bool(s.drawn), bool(s.in_first_train))
        assert said["actions"] == [protocol._action(action, n).strip('"') for action in legal]
        assert said["chance"] == 7


def test_H31_other_hidden_tiles_bring_the_same_bytes() -> None:
    rules = preset("pinecone", rounds=1)
    states = questions(rules, 4, build(Registry().parse("greedy")), 5, 80)
    worlds = redealt(states, 11)
    assert any((a.hand != b.hand).any() for a, b in zip(states, worlds, strict=True))
    lines = []
    for each in (states, worlds):
        obs, actions, _ = see(each, np.arange(len(each)), False)
        lines.append([protocol.act(obs, i, [a for a in actions[i].tolist() if a], 0, []) for i in range(len(each))])
    assert lines[0] == lines[1]


def test_H31_a_message_reads_nothing_hidden_of_a_whole_state() -> None:
    """Even were a State handed over by mistake, no hidden field of another seat, the deck or a stream would show."""
    position = new_game("standard", 4, seed=2)
    for _ in range(25):
        advance(position)
        apply(position, legal_actions(position)[0])
    advance(position)
    seat = int(position[0].turn)
    legal = [int(action) for action in legal_actions(position)]
    assert all(observe(position, seat)[0][name].any() != position[0][name].any() or name == "hand" for name in HIDDEN)
    assert protocol.act(position, 0, legal, 1, []) == protocol.act(observe(position, seat), 0, legal, 1, [])


@pytest.mark.parametrize(("name", "players"), [("standard", 4), ("cardinal", 3), ("trainyard", 2), ("pinecone", 4)])
def test_H31_no_seat_is_told_a_tile_that_it_may_not_know(tmp_path: Path, name: str, players: int) -> None:
    """Along a whole game: another's draw has no tile, and every tile named was in the seat's hand or on the table."""
    bot = overheard(tmp_path)
    games = Games(np.arange(1), np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros((1, players), np.int64))
    play(preset(name, rounds=1), [bot], games, 4)
    found = talks(tmp_path)
    assert len(found) == players
    for talk in found:
        seat = talk[1]["seat"]
        for message in talk:
            for event in message.get("events", ()):
                assert event[1] != "draw" or (len(event) == 3) == (event[0] == seat), event
        acts = [message for message in talk if message["type"] == "act"]
        assert acts
        for act in acts:
            public = {lay.partition("@")[0] for lay in act["laid"]} | {act["engine"]}
            named = set(re.findall(r'"(\d+-\d+)', json.dumps(act)))
            mine = {event[2] for event in act["events"] if event[1] == "draw" and event[0] == seat}
            assert named <= public | set(act["hand"]) | mine


@pytest.mark.parametrize(("name", "players"), [("standard", 3), ("cardinal", 4), ("trainyard", 5), ("pinecone", 2)])
def test_the_events_told_are_those_of_the_record(tmp_path: Path, name: str, players: int) -> None:
    """By a journal in a tournament, and one by one for the record: the same bytes; and all of the game's events."""
    rules = preset(name, **({"rounds": 2} if PRESETS[name].rounds > 1 else {}))
    greedy = build(Registry().parse("greedy"))
    bots = [overheard(tmp_path, "play"), greedy]
    who = np.array([[0] + [1] * (players - 1)])
    played = play(rules, bots, Games(np.array([3]), np.zeros(1, np.int64), np.array([1]), who), 4)
    seated = [overheard(tmp_path, "record"), *[greedy] * (players - 1)]
    record = record_game(rules, seated, seed=4, game=3, starter=1)
    one, other = talks(tmp_path, "play"), talks(tmp_path, "record")
    assert one == other
    assert len(one) == 1
    assert record["totals"] == played.rows[0, :, :, 0].sum(0).tolist()
    assert one[0][-2] == {"type": "end", "totals": record["totals"], "ranks": record["ranks"]}
    told = [event for message in one[0] for event in message.get("events", ()) if event[1] != "marker"]
    events = [event for round_ in record["rounds"] for event in round_["events"]]
    assert told == [event[:2] if event[1] == "draw" and event[0] != 0 else event for event in events]
    scores = [message for message in one[0] if message["type"] == "scores"]
    assert [(s["end"], s["scores"]) for s in scores] == [(r["end"], r["scores"]) for r in record["rounds"]]
    rounds = [message for message in one[0] if message["type"] == "round"]
    assert [(r["round"], r["starter"]) for r in rounds] == [(r["number"], r["starter"]) for r in record["rounds"]]
    if rules.engine == "countdown":
        assert [r["engine"] for r in rounds] == [r["engine"] for r in record["rounds"]]
    else:
        assert [r["engine"] for r in rounds] == [None]
    # markers: told when, and only when, one has changed
    marked = [event for message in one[0] for event in message.get("events", ()) if event[1] == "marker"]
    assert marked == _marker_events(record)


def _marker_events(record: dict[str, Any]) -> list[list[Any]]:
    before, found = 0, []
    for _, event, position, _ in replay(record):
        marked = 0 if event < 0 else int(position[0].marked)
        changed = before ^ marked if event >= 0 else 0
        found += [[k, "marker", "up" if marked >> k & 1 else "down"] for k in range(10) if changed >> k & 1]
        before = marked
    return found


def test_a_program_with_state_can_follow_the_game_by_its_events(tmp_path: Path) -> None:
    """Events alone keep the same books as `act` does: hands, boneyard, open ends, markers."""
    bot = overheard(tmp_path)
    games = Games(np.arange(2), np.zeros(2, np.int64), np.array([0, 1]), np.zeros((2, 3), np.int64))
    play(preset("pinecone", rounds=3), [bot], games, 9)
    for talk in talks(tmp_path):
        asked = 0
        for message in talk:
            if message["type"] == "round":
                number = int(message["engine"].partition("-")[0])
                ends, sizes, left, up = [number] * 4, [15] * 3, 90 - 45, set()
            for event in message.get("events", ()):
                seat, what = event[:2]
                if what == "play":
                    train = 3 if event[3] == "mexican" else event[3]
                    a, b = map(int, event[2].split("-"))
                    assert ends[train] in (a, b)
                    ends[train] = a + b - ends[train]
                    sizes[seat] -= 1
                elif what == "draw":
                    sizes[seat], left = sizes[seat] + 1, left - 1
                elif what == "marker":
                    (up.add if event[2] == "up" else up.remove)(seat)
            if message["type"] == "act":
                asked += 1
                assert (message["ends"], message["hand_sizes"], message["boneyard"]) == (ends, sizes, left)
                assert message["markers"] == sorted(up)
        assert asked > 20


def test_an_empty_journal_tells_nothing() -> None:
    from mtrain.game.journal import NONE, blank_journal

    assert read_journal(blank_journal(), 4) == []
    assert not NONE.any()


def test_chance_is_what_an_agent_in_python_draws(tmp_path: Path) -> None:
    """The example bot plays the same games, by the same chance, as its policy does in Python."""
    (tmp_path / "heavy.py").write_text(
        "def agent(obs, actions, rng):\n"
        "    chance = rng.random()\n"
        "    most = max(action.pips for action in actions)\n"
        "    best = [action for action in actions if action.pips == most]\n"
        "    return best[int(chance * len(best))]\n",
        encoding="utf-8",
    )
    inside = build(Registry([tmp_path / "heavy.py"]).parse("heavy"))
    outside = program(sys.executable, HEAVIEST)
    greedy = build(Registry().parse("greedy"))
    games = Games(np.arange(4), np.zeros(4, np.int64), np.arange(4) % 3, np.array([[0, 1, 0]] * 4))
    for name in PRESETS:
        rules = RuleSet.from_json(preset(name).to_json() | {"rounds": 1})
        one, other = (play(rules, [bot, greedy], games, 6) for bot in (inside, outside))
        assert one.rows.tobytes() == other.rows.tobytes()
        assert one.decisions.tolist() == other.decisions.tolist()
    assert int(Stream(5).random() * protocol.CHANCES) / protocol.CHANCES == Stream(5).random()


# ── What a bot says ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("line", "kind", "words"),
    [
        (b"hm", "garbage", "answered 'hm', which is not JSON"),
        (b"", "garbage", "answered '', which is not JSON"),
        (b"[0]", "garbage", "answered '[0]', which is not a JSON object"),
        (b"{}", "garbage", "answered '{}', which has no whole number 'action'"),
        (b'{"action": true}', "garbage", "has no whole number 'action'"),
        (b'{"action": 1.0}', "garbage", "has no whole number 'action'"),
        (b'{"action": "1"}', "garbage", "has no whole number 'action'"),
        (b'{"action": NaN}', "garbage", "has no whole number 'action'"),
        (b"\xff\xfe", "garbage", "which is not JSON"),
        (b"[" * 60000, "garbage", "which is not JSON"),
        (b'{"action": 3}', "illegal", "answered action 3, and the actions were numbered 0 to 2"),
        (b'{"action": -1}', "illegal", "answered action -1, and the actions were numbered 0 to 2"),
    ],
)
def test_an_answer_that_is_none_has_a_kind(line: bytes, kind: str, words: str) -> None:
    with pytest.raises(Broken) as broken:
        protocol.read_action(line, 3)
    assert broken.value.kind == kind
    assert words in broken.value.said


def test_an_answer_may_hold_more_than_is_asked() -> None:
    assert protocol.read_action(b'  {"thought": [1, 2], "action": 2}\r', 3) == 2


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b'{"action": 0}', "which is no hello"),
        (b'{"type": "hello", "protocol": 2, "name": "x"}', "speaks protocol 2, and mtrain speaks 1"),
        (b'{"type": "hello", "protocol": true, "name": "x"}', "speaks protocol True, and mtrain speaks 1"),
        (b'{"type": "hello", "name": "x"}', "speaks protocol None, and mtrain speaks 1"),
        (b'{"type": "hello", "protocol": 1}', "has no name in its hello"),
        (b'{"type": "hello", "protocol": 1, "name": "x", "uses_clock": 1}', "uses_clock is true or false in a hello"),
    ],
)
def test_a_hello_that_is_none_says_why(line: bytes, words: str) -> None:
    with pytest.raises(Broken, match=re.escape(words)):
        protocol.read_hello(line)


# ── How a program is named ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "label", "command"),
    [
        ("exec:node bot.js --deep=2,wide=3", "exec:node bot.js --deep=2,wide=3", "node bot.js --deep=2,wide=3"),
        ("js@exec:node @scope/bot.js", "js", "node @scope/bot.js"),
        ("exec:node a@exec:b", "exec:node a@exec:b", "node a@exec:b"),
        ("a b@exec: ./bot 'two words' ", "a b", "./bot 'two words'"),
    ],
)
def test_everything_after_exec_is_the_command_line(text: str, label: str, command: str) -> None:
    spec = Registry().parse(text, meet=False)
    assert (spec.label, dict(spec.params)["command"], str(spec)) == (label, command, f"exec:{command}")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("exec:", "'exec:' names no program; write exec:COMMAND, like exec:python3 bot.py"),
        ("x@exec:  ", "'x@exec:  ' names no program; write exec:COMMAND, like exec:python3 bot.py"),
        ("@exec:node", "an empty label in '@exec:node'; a program is written label@exec:COMMAND"),
        ("exec:node 'bot", 'the command line "node \'bot" cannot be read: no closing quotation'),
        ("exec:a\nb", "a command line is made of printable characters, not 'exec:a\\nb'"),
        ("x (peeks)@exec:a", "the label 'x (peeks)' says that 'exec:a' peeks, and it does not"),
    ],
)
def test_H23_a_command_that_cannot_be_read_is_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(AgentError) as said:
        Registry().parse(text)
    assert str(said.value) == sentence
