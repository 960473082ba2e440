"""The bootstrap: whole blocks drawn again, within their match."""

import numpy as np
import pytest

from mtrain.stats.intervals import ENOUGH, MOST, resample


def lineups(*sizes):
    """Match and deal of so many blocks a match."""
    match = np.repeat(np.arange(len(sizes)), sizes)
    return match, np.arange(sum(sizes))


def test_every_match_keeps_its_weight():
    match, deal = lineups(3, 7, 20)
    weights = resample(match, deal, 50).of_blocks()
    for k, size in enumerate((3, 7, 20)):
        np.testing.assert_allclose(weights[:, match == k].sum(axis=1), size)


def test_the_order_of_rows_moves_nothing():
    match, deal = lineups(4, 1, 30, 1)
    shuffled = np.random.default_rng(1).permutation(len(match))
    one, other = resample(match, deal, 20), resample(match[shuffled], deal[shuffled], 20)
    np.testing.assert_array_equal(one.of_blocks()[:, shuffled], other.of_blocks())


def test_a_match_is_drawn_alike_whatever_else_was_played():
    match, deal = lineups(5, 9)
    whole, alone = resample(match, deal, 20), resample(match[match == 1], deal[match == 1], 20)
    np.testing.assert_array_equal(whole.of_blocks()[:, match == 1], alone.of_blocks())


@pytest.mark.parametrize("sizes", [(2, 2, 2, 2), (3, 40), (1, 1, 1, 1, 1, 1), (700,)])
def test_a_mean_has_the_variance_of_its_blocks(sizes):
    match, deal = lineups(*sizes)
    values = np.random.default_rng(3).normal(0, 1, len(match))
    means = resample(match, deal, 20_000).totals(values).ravel() / len(match)
    strata = [values] if max(sizes) == 1 else [values[match == k] for k in range(len(sizes))]
    variance = sum(len(s) * s.var(ddof=1) for s in strata) / len(match) ** 2
    assert means.mean() == pytest.approx(values.mean(), abs=4 * np.sqrt(variance / 20_000))
    assert means.var() == pytest.approx(variance, rel=0.05)


def test_many_blocks_are_drawn_in_groups():
    match, deal = lineups(30_000, 30)
    found = resample(match, deal, 10)
    assert found.counts.shape == (10, MOST // 2 + 30)
    assert set(np.bincount(found.unit[match == 0])) == {30_000 * 2 // MOST}
    values = np.random.default_rng(3).normal(0, 1, len(match))
    means = resample(match, deal, 1000).totals(values)[:, 0] / len(match)
    assert means.std() == pytest.approx(1 / np.sqrt(len(match)), rel=0.15)
    assert resample(*lineups(*[ENOUGH] * 100), repeats=2).counts.shape[1] == 100 * ENOUGH


def test_rows_of_a_block_share_its_weight():
    match, deal = lineups(4, 4)
    found = resample(match, deal, 5)
    twice = found.totals(np.ones(16), np.tile([0, 1], 8), 2, np.repeat(np.arange(8), 2))
    np.testing.assert_allclose(twice, np.repeat(found.totals(np.ones(8)), 2, axis=1))


def test_no_block_and_one_block():
    assert resample(np.zeros(0, int), np.zeros(0, int), 3).totals(np.zeros(0)).shape == (3, 1)
    np.testing.assert_array_equal(resample(np.array([4]), np.array([9]), 3).of_blocks(), np.ones((3, 1)))
