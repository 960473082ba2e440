"""People at a terminal: what their words mean, wrong calls, and whole rounds at a real terminal."""

import json
import random
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from mtrain.bots.registry import Registry
from mtrain.cli.main import mtrain
from mtrain.game.rules import PRESETS, preset
from mtrain.game.tiles import tile_text
from mtrain.table import saved
from mtrain.table.people import EntryError, listed, people_named, read_action, seated
from mtrain.table.session import Player, Session, SessionError
from mtrain.table.view import held
from tests.helpers.sessions import played, table
from tests.helpers.terminal import Terminal

ANN = "Ann> "
PROMPTS = (ANN, "Bob> ", "press Enter ", "Enter ends the game> ", *(f"Enter deals round {k}> " for k in range(2, 14)))


# ── Words ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_actions_are_named_in_many_ways() -> None:
    session = played(table("greedy", "heuristic"), 3)
    legal, names = session.legal(), session.names
    for number, action in enumerate(legal, 1):
        if action.is_lay:
            where = ["0", "1", "2", "mexican"][action.train]
            for text in (f"{number}", f"{action.lo}-{action.hi}@{where}", f"{action.hi}-{action.lo} on {where}"):
                assert read_action(text, legal, 0, names) == action
    assert read_action("9-3@GREEDY", (), 0, names).train == 1
    assert read_action("9-3 on my own train", (), 0, names).train == 0
    for text in ("0", "99", "9" * 5000, "²", "9-3@9", "9-3@nobody", "19-1@own", "9", "-", "@", "9-3@", "x"):
        with pytest.raises(EntryError):
            read_action(text, legal[:5], 0, names)
    assert len(listed(legal, 0, names, 40).splitlines()) >= len(listed(legal, 0, names, 110).splitlines())


def test_names_are_checked_and_told_apart() -> None:
    assert people_named(["Ann"], 2) == ["Ann", "person 2"]
    assert people_named([], None) == ["you"]
    for names in (["Ann", "Bob"], ["mexican"], ["7"], [""], ["x" * 31], ["a\x1bb"]):
        with pytest.raises(SessionError):
            people_named(names, 1)
    players = seated(["greedy"], ["greedy", "random", "greedy"], Registry(), False)
    assert len({player.name for player in players}) == 4
    with pytest.raises(SessionError, match="no person plays"):
        Session(preset("standard"), players[1:], seed=1)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "name the agents to play against"),
        (["greddy"], "did you mean 'greedy'?"),
        (["greedy", "--players", "4"], "1 agent and 1 person for 4 seats"),
        (["greedy", "--me", "Ann", "--me", "ann"], "two players are called"),
        (["greedy", "--rules", "pinecone", "--people", "6"], "players goes from 2 to 4"),
        (["greedy", "--rounds", "99"], "rounds is 99"),
        (["greedy", "--save", "no/such/folder/game.jsonl"], "there is no folder"),
        (["--resume", "nothing.jsonl"], "nothing.jsonl cannot be read"),
        (["--resume", "nothing.jsonl", "--seed", "3"], "leave out --seed"),
    ],
)
def test_a_wrong_call_is_one_sentence_before_anything_starts(arguments: list[str], sentence: str) -> None:
    ran = CliRunner().invoke(mtrain, ["play", *arguments])
    assert (ran.exit_code, ran.stdout) == (2, "")
    assert sentence in ran.stderr.splitlines()[-1]


# ── At a terminal ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("rules", PRESETS)
def test_a_round_of_each_preset_at_a_terminal(rules: str, tmp_path: Path) -> None:
    call = (
        "play",
        "heuristic",
        "greedy",
        "--rules",
        rules,
        "--rounds",
        "1",
        "--seed",
        "6",
        "--me",
        "Ann",
        "--save",
        "g",
    )
    terminal = Terminal(*call, cwd=tmp_path)
    entries = ["help", "hint", "line up", "score", "why not 12-12@1", "1", "undo", "board", "1", "1", "1", "quit"]
    said = terminal.answers(entries, *PROMPTS)
    assert "your hand:" in said[0]
    assert "what each action comes to" in said[1]
    assert "the best" in said[2]
    assert "; the rest: " in said[3]
    assert "no round is over yet" in said[4]
    assert "back to your last choice" in said[7]
    status, last = terminal.end()
    assert status == 0
    assert "mtrain play --resume g" in last

    session = table("heuristic", "greedy", rules=rules, seed=6, rounds=1)
    played(session, 3)
    assert saved.read(tmp_path / "g") == saved.saved(session)

    terminal = Terminal("play", "--resume", "g", cwd=tmp_path)
    while (said_ := terminal.until(*PROMPTS)).endswith(ANN):
        terminal.type("1")
    assert "the game is over" in said_
    terminal.type("")
    assert terminal.end()[0] == 0
    assert json.loads((tmp_path / "g").read_text()) == played(session).record()
    ran = CliRunner().invoke(mtrain, ["replay", str(tmp_path / "g"), "--json"])
    assert ran.exit_code == 0
    assert json.loads(ran.stdout)["same_bytes"] == 1


def _noise(chance: random.Random) -> bytes:
    """Return something that nobody should type. Ctrl-C, -D, -Z, -S, -Q and -\\ act at once, and are for other tests."""
    words = [
        *[
            "hint",
            "undo",
            "score",
            "board",
            "line",
            "up",
            "pips",
            "why",
            "not",
            "save",
            "help",
            "pass",
            "12-7@3",
            "1",
            "own",
            "mexican",
            "-1",
            "@",
            "on",
            "²",
            "½",
            "١",
        ],
        "",
    ]
    kind = chance.randrange(6)
    if kind == 0:
        return " ".join(chance.choices(words, k=chance.randrange(4))).encode().replace(b"save", b"sav")
    if kind == 1:
        return chance.choice(["hint", "board", "why not 12-12@mexican", "score"])[: chance.randrange(6)].encode()
    if kind == 2:
        return "".join(chr(chance.randrange(0xA0, 0x2FA0)) for _ in range(chance.randrange(30))).encode()
    if kind == 3:
        return bytes(chance.choice(b"9-@x ") for _ in range(chance.randrange(3000)))
    if kind == 4:
        return bytes(chance.choice([0, 1, 2, 5, 6, 7, 8, 9, 11, 12, 14, 16, 27, 29, 30, 31]) for _ in range(20))
    return bytes(chance.randrange(128, 256) for _ in range(chance.randrange(40)))


def test_two_hundred_senseless_entries_do_no_harm(tmp_path: Path) -> None:
    chance = random.Random(5)
    terminal = Terminal("play", "greedy", "heuristic", "--seed", "1", "--me", "Ann", cwd=tmp_path)
    for _ in range(200):
        terminal.until(*PROMPTS)
        terminal.type(_noise(chance))
    terminal.until(*PROMPTS)
    terminal.type("quit")
    status, _ = terminal.end()
    assert status == 0
    assert "Traceback" not in terminal.screen
    assert not list(tmp_path.iterdir())


def test_ctrl_c_and_the_end_of_the_input_keep_the_game(tmp_path: Path) -> None:
    terminal = Terminal("play", "greedy", "--seed", "1", "--me", "Ann", "--save", "g", cwd=tmp_path)
    terminal.answers(["1"], ANN)
    terminal.until(ANN)
    terminal.press(b"\x03")
    status, said = terminal.end()
    assert status == 130
    assert "`mtrain play --resume g` goes on with it" in said
    before = saved.read(tmp_path / "g")
    assert len(before["choices"]) == 1
    terminal = Terminal("play", "--resume", "g", cwd=tmp_path)
    terminal.until(ANN)
    terminal.press(b"\x04")
    status, said = terminal.end()
    assert status == 0
    assert "`mtrain play --resume g` goes on with it" in said
    assert saved.read(tmp_path / "g") == before


def test_two_people_never_see_each_others_hands(tmp_path: Path) -> None:
    call = ("play", "greedy", "--people", "2", "--me", "Ann", "--me", "Bob", "--seed", "4", "--rounds", "1")
    terminal = Terminal(*call, cwd=tmp_path)
    session = table("greedy", people=2, seed=4, rounds=1)
    session.go_on()
    screens = 0
    said = terminal.until(*PROMPTS)
    while not said.endswith("Enter ends the game> "):
        viewer = session.now.seat
        if said.endswith("press Enter "):
            assert f"pass the keyboard to {session.names[viewer]}" in said
            terminal.type("")
            said = terminal.until(*PROMPTS)
            assert "\x1b[3J" in said
        screens += 1
        table_ = {tile_text(int(tile)) for tile in session.now.position[0].laid[: int(session.now.position[0].n_laid)]}
        words = set(re.findall(r"\d+-\d+", said)) | {"-".join(w.split("-")[::-1]) for w in re.findall(r"\d+-\d+", said)}
        other = {tile_text(tile) for tile in held(session.now.position[0], 1 - viewer)} - table_
        mine = {tile_text(tile) for tile in held(session.now.position[0], viewer)}
        assert mine <= words
        assert not other & words, other & words
        assert not {tile_text(tile) for tile in held(session.now.position[0], 2)} & words - mine
        terminal.type("1")
        session.choose(session.legal()[0])
        session.go_on()
        said = terminal.until(*PROMPTS)
    terminal.type("")
    assert terminal.end()[0] == 0
    assert session.over
    assert screens > 8


def test_undo_takes_back_what_another_person_chose_since_and_says_so(tmp_path: Path) -> None:
    call = ("play", "greedy", "--people", "2", "--me", "Ann", "--me", "[b]Bob[/b]", "--seed", "4", "--rounds", "2")
    terminal = Terminal(*call, "--save", "g", cwd=tmp_path)
    said = ""
    for _ in range(12):
        said = terminal.until(*PROMPTS, "[b]Bob[/b]> ")
        if said.count("> ") and "press Enter" not in said.splitlines()[-1] and len(_choosers(tmp_path)) == 2:
            break
        terminal.type("" if said.endswith("press Enter ") else "1")
    terminal.type("undo")
    assert "will have to choose again" in terminal.until(*PROMPTS, "[b]Bob[/b]> ")
    terminal.type("quit")
    assert terminal.end()[0] == 0


def _choosers(folder: Path) -> set[int]:
    """Return the seats of people who have chosen something in a saved game."""
    if not (folder / "g").exists():
        return set()
    said = saved.read(folder / "g")
    session = saved.resumed(said, [Player(name) for name in said["names"]])
    return {past.seat for past in session.past}


def test_ascii_and_no_colour_are_enough(tmp_path: Path) -> None:
    said = CliRunner(charset="ascii").invoke(
        mtrain, ["play", "greedy", "--me", "Zoë", "--seed", "1"], input="hint\nline up\n1\nundo\nsave g\nquit\n"
    )
    assert said.exit_code == 0
    assert said.stdout.isascii()
    assert "\x1b" not in said.stdout
