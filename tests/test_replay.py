"""The page of a recorded game: what it shows at every step is what the rules say lies on the table."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import mtrain
from mtrain.cli import main
from mtrain.errors import UsageError
from mtrain.game.moves import legal_actions
from mtrain.game.record import RecordError, play_game, replay, to_line
from mtrain.game.rules import preset
from mtrain.game.tiles import tile_text
from mtrain.table.picture import Piece, Plan, lanes_needed, place
from mtrain.table.replay_page import _steps, laid_out
from tests.helpers.browser import dumped


def game(rules: str = "pinecone", players: int = 3, rounds: int = 2, number: int = 0, **changes: object) -> dict:
    """Play a game in which everybody lays the heaviest tile."""

    def heaviest(position: np.ndarray) -> int:
        return max(legal_actions(position), key=lambda action: action.pips)

    agents = [f"agent-{seat}" for seat in range(players)]
    chosen = preset(rules, rounds=rounds, **changes)
    return play_game(chosen, agents, heaviest, seed=4, game=number, starter=1)


@pytest.fixture(scope="module")
def played() -> dict:
    return game(max_pip=9)


def command(*arguments: str) -> Result:
    return CliRunner().invoke(main.mtrain, arguments)


def on_table(record: dict) -> list[list[str]]:
    """Return for every step of a game the tiles on trains and in hands, as the page names them, by the engine."""
    found = []
    for _, _, position, _ in replay(record):
        s = position[0]
        n = int(s.n_seats)
        trains = [*map(str, range(n)), "mexican"]
        tiles = [f"{tile_text(tile)}@{trains[int(s.laid_on[tile]) - 1]}" for tile in s.laid[: int(s.n_laid)].tolist()]
        for seat in range(n):
            for hi in range(int(s.max_pip) + 1):
                tiles += [f"{hi}-{lo}#{seat}" for lo in range(hi + 1) if s.hand[seat, hi] >> lo & 1]
        found.append(sorted(tiles))
    return found


@pytest.mark.parametrize("asked", [{}, {"rules": "cardinal", "players": 2, "max_pip": 15}, {"rules": "trainyard"}])
def test_the_pieces_shown_at_a_step_are_those_of_its_position(asked: dict) -> None:
    record = game(**asked)
    for steps in _steps(record):
        shown = laid_out(steps, record["agents"])
        plan = Plan(
            tuple(map(lanes_needed, steps[-1].sight.trains)),
            tuple(max(len(step.held[seat]) for step in steps) for seat in range(record["players"])),
        )
        for k, step in enumerate(steps):
            there = [each.piece for each in shown if each.first <= k < each.until]
            assert len(there) == len(set(there))
            assert set(there) == set(place(step.sight, plan, step.last, record["agents"], step.held))


def test_nothing_moves_in_a_round(played: dict) -> None:
    for steps in _steps(played):
        seen: dict[str, Piece] = {}
        for each in laid_out(steps, played["agents"]):
            if each.piece.what == "tile" and each.piece.text:
                assert each.until == len(steps), "a tile that is laid stays"
                assert each.piece.text not in seen
                seen[each.piece.text] = each.piece


def test_scores_go_on_from_round_to_round(played: dict) -> None:
    _, second = _steps(played)
    assert second[0].sight.scores == tuple(played["rounds"][0]["scores"])
    assert second[-1].sight.scores == tuple(played["totals"])


def test_a_drawn_tile_is_nobody_elses_business(played: dict) -> None:
    draws = [step for steps in _steps(played) for step in steps if step.last and step.last.what == "draw"]
    assert draws
    for step in draws:
        assert step.last is not None
        assert step.words.startswith(f"seat {step.seat} draws {step.last.tile}")
        assert step.closed.startswith(f"seat {step.seat} draws a tile")


def test_the_page_needs_nothing_else_and_is_the_same_bytes(played: dict) -> None:
    page = mtrain.replay(played).html()
    assert page == mtrain.replay(json.loads(to_line(played))).html()
    assert set(re.findall(r"https?://[^\"'\s]*", page)) == {"http://www.w3.org/2000/svg"}
    assert not re.findall(r"<(?:link|img|iframe|script src|object)\b", page)
    assert "<title>Mexican Train, game 0 (seed 4): agent-0, agent-1, agent-2</title>" in page


def test_a_long_game_of_four_stays_below_3_mb() -> None:
    assert len(mtrain.replay(game("standard", 4, 13)).html().encode()) < 3_000_000


def test_names_are_text_and_never_markup(played: dict) -> None:
    bad = "</script><script>alert(1)</script>"
    page = mtrain.replay({**played, "agents": [bad, "b", "c"]}).html()
    assert "<script>alert" not in page


def test_in_a_notebook_it_is_a_frame(played: dict) -> None:
    shown = mtrain.replay(played, seat=1)._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    assert shown.endswith("</iframe>")
    assert "view = 1," in shown


def test_a_wrong_seat_and_a_wrong_record_are_refused(played: dict) -> None:
    with pytest.raises(UsageError, match="the viewer is a seat from 0 to 2, not 3"):
        mtrain.replay(played, seat=3)
    with pytest.raises(RecordError, match="totals"):
        mtrain.replay({**played, "totals": [0, 0, 1]})


def test_the_page_in_a_browser(played: dict, tmp_path: Path) -> None:
    """The page steps through all of itself, forth and back, and by its keys."""
    file = tmp_path / "game.html"
    file.write_text(mtrain.replay(played).html(), encoding="utf-8")
    found = re.search(r'id="selftest">(.*?)</script>', dumped(file, "?selftest"), re.DOTALL)
    assert found
    told = json.loads(found[1])
    assert told["same"], "another picture on the way back"
    steps = [step for steps in _steps(played) for step in steps]
    assert [state.split("|")[2].split() for state in told["forth"]] == on_table(played)
    assert [state.split("|")[4] for state in told["forth"]] == [step.words for step in steps]
    assert [int(state.split("|")[3]) for state in told["forth"]] == [sum(step.sight.counts) for step in steps]

    first, _ = _steps(played)
    turns = [k for k, step in enumerate(first) if k + 1 == len(first) or first[k + 1].seat != step.seat]  # their ends
    end = len(first) - 1
    right, left = [[0, 1], [0, 2]], [[0, 1]]
    assert told["keys"][:3] == right + left  # → → ←
    now = 1
    for _ in range(2):  # Page Down
        now = min(k for k in turns if k > now)
    back = max(k for k in turns if k < now)
    assert told["keys"][4:6] == [[0, now], [0, back]]
    assert told["keys"][6:9] == [[0, end], [1, 0], [0, end]]  # End → ←
    assert told["keys"][9:] == [[0, 0], [0, 0], [1, 0], [0, 0]]  # Home, R with and without shift, 1
    hand = len(played["rounds"][0]["hands"][0])
    assert int(told["one"].split("|")[3]) == hand  # the faces that one seat sees
    assert told["fits"], "wider than the window"


def test_the_command_writes_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, played: dict) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.jsonl").write_text(to_line(played) + "\n", encoding="utf-8")
    ran = command("replay", "one.jsonl", "--html", "page.html", "--seat", "2")
    assert (ran.exit_code, ran.stderr) == (0, "mtrain: game 0 in page.html\n")
    assert Path("page.html").read_text(encoding="utf-8") == mtrain.replay(played, seat=2).html()
    again = command("replay", "one.jsonl", "--html", "page.html")
    assert again.exit_code == 2
    assert "page.html is there already; name a new file" in again.stderr
    assert "name the page with --html" in command("replay", "one.jsonl", "--seat", "2").stderr


def test_a_page_shows_one_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, played: dict) -> None:
    monkeypatch.chdir(tmp_path)
    Path("two.jsonl").write_text(f"{to_line(played)}\n{to_line(game(number=1))}\n", encoding="utf-8")
    ran = command("replay", "two.jsonl", "--html", "page.html")
    assert ran.exit_code == 2
    assert ran.stderr == "mtrain: two.jsonl holds more than one game; a page shows one: choose it with --game\n"
    assert not Path("page.html").exists()
    assert command("replay", "two.jsonl", "--html", "page.html", "--game", "1").exit_code == 0
