"""Control variates: what is expected of a deal, declared before the run."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from test_estimates import numbers
from test_estimates import tournament as synthetic

import mtrain
from mtrain.arena.controls import expected
from mtrain.errors import Mistake
from mtrain.game.tiles import HI, LO
from mtrain.study.blocks import block_numbers
from mtrain.study.control import CONTROLS, controlled, deal_numbers
from mtrain.study.tables import ResultsError
from tests.conftest import mtrain as command


@pytest.mark.parametrize(("rules", "players"), [("standard", 4), ("pinecone", 2), ("cardinal", 3)])
def test_deals_are_what_is_expected_of_them(rules: str, players: int) -> None:
    """Over random deals each mean lies within four standard errors of the exact one."""
    changed = mtrain.preset(rules, rounds=2)
    deals = deal_numbers(mtrain.tournament(["random"], changed, players=players, deals=1500, seed=5).rounds)
    assert len(deals) == 1500
    for name, mean in expected(changed, players).items():
        values = deals[name].to_numpy()
        assert abs(values.mean() - mean) < 4 * values.std(ddof=1) / np.sqrt(len(values)), name


def test_what_is_written_down_is_what_was_dealt() -> None:
    rounds = mtrain.tournament(["random", "greedy"], players=2, deals=3, rounds=2, seed=8).rounds
    for row in rounds.itertuples():
        position = mtrain.new_game(mtrain.preset("standard", rounds=2), 2, seed=8, deal=row.deal)
        if row.round == 2:
            while mtrain.advance(position):
                mtrain.apply(position, mtrain.legal_actions(position)[0])
            mtrain.next_round(position, seed=8, deal=row.deal)
        n = int(position[0].hand_size)
        hand = position[0].deck[row.seat * n : (row.seat + 1) * n].astype(int)
        assert (row.dealt, row.doubles) == ((HI[hand] + LO[hand]).sum(), (HI[hand] == LO[hand]).sum())


def test_all_seatings_of_a_block_are_dealt_the_same() -> None:
    rounds = mtrain.tournament(["random", "greedy", "double-holder"], players=3, deals=4, rounds=3, seed=1).rounds
    for name in ("dealt", "doubles"):
        assert (rounds.groupby(["match", "deal", "round", "seat"], observed=True)[name].nunique() == 1).all()


def test_the_declaration_stands_in_the_manifest_and_the_table_follows_it(tmp_path: Path) -> None:
    out = tmp_path / "run"
    results = mtrain.tournament(
        ["random", "greedy"], players=2, deals=30, rounds=2, seed=3, out=out, control=["dealt_spread", "dealt_pips"]
    )
    assert list(results.manifest["control"]) == ["dealt_pips", "dealt_spread"]
    table = mtrain.read(out).controlled
    pd.testing.assert_frame_equal(table, results.controlled)
    assert numbers(table, "diff") == pytest.approx(
        numbers(results.standings.sort_values("agent", key=lambda a: a != "random"), "diff")
    )
    assert (table["adjusted_lo"] < table["adjusted"]).all()
    assert (out / "controlled.parquet").is_file()


def test_what_was_not_declared_is_not_controlled_for(tmp_path: Path) -> None:
    out = tmp_path / "run"
    results = mtrain.tournament(["random", "greedy"], players=2, deals=5, rounds=1, seed=3, out=out)
    assert len(results.controlled) == 0
    assert not (out / "controlled.parquet").exists()
    ran = command("report", str(out), "--table", "controlled")
    assert ran.returncode == 2
    assert "nothing was declared to control for" in ran.stderr


@pytest.mark.parametrize(
    ("control", "sentence"),
    [
        (["dealt_pip"], "unknown control 'dealt_pip'; did you mean 'dealt_pips'?"),
        (["dealt_pips", "dealt_pips"], "the control 'dealt_pips' is given twice"),
        ([""], "unknown control ''; choose from dealt_pips, dealt_doubles, dealt_spread"),
        ("dealt_pips", "control is a list of names, not the text 'dealt_pips'"),
    ],
)
def test_a_wrong_declaration_is_one_sentence(control: list[str], sentence: str) -> None:
    with pytest.raises(Mistake) as wrong:
        mtrain.tournament(["random"], control=control)
    assert str(wrong.value) == sentence


def test_an_experiment_declares_it(tmp_path: Path) -> None:
    from mtrain.arena.experiment import read_experiment

    text = 'question = "?"\nagents = ["random", "greedy"]\nseed = 1\ncontrol = ["dealt_doubles"]\n'
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    assert read_experiment(tmp_path / "a.toml").parts[""].control == ("dealt_doubles",)


def test_H12_what_cannot_be_adjusted_says_why() -> None:
    def table(deals: int, **changes: float) -> pd.DataFrame:
        games, rounds = synthetic([("a", "b")], deals=deals)
        found = deal_numbers(rounds).assign(**changes)
        return controlled(block_numbers(games), found, dict.fromkeys(CONTROLS, 100.0))

    assert set(table(1)["note"]) == {"needs 2 blocks"}
    few = table(5)
    assert set(few["note"]) == {"adjusted: needs 6 blocks"}
    assert few["diff_lo"].notna().all()
    assert few[["adjusted", "adjusted_lo", "saved"]].isna().all(axis=None)
    assert set(table(20, dealt_doubles=3.0)["note"]) == {
        "adjusted: what was declared doesn't vary by itself between blocks"
    }
    assert set(table(20)["note"]) == {""}


def test_hands_of_other_blocks_are_refused() -> None:
    games, rounds = synthetic([("a", "b")], deals=5)
    with pytest.raises(ResultsError, match=r"the hands of block \(match 0, deal 4\) aren't known"):
        controlled(block_numbers(games), deal_numbers(rounds[rounds["deal"] < 4]), {"dealt_pips": 1.0})
