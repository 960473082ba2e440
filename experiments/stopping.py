"""Simulates both stopping rules under continuous looking: errors, coverage after the stop, and how long they take.

    python experiments/stopping.py

Numbers of blocks are drawn with a known mean and a standard deviation of 1, from normal, skewed and heavy-tailed
distributions; blocks of real tournaments have a skewness between −0.4 and 0.4. The rules are those of `mtrain`.
"""

import argparse
from collections.abc import Callable

import numpy as np
import pandas as pd

from mtrain.stats.intervals import t_quantile
from mtrain.stats.sequential import EVERY, FIRST, MOST, SequentialTest, bounds, first_look, fixed_size, radius
from mtrain.stats.stopping import Better

Draw = Callable[[np.random.Generator, tuple[int, int]], np.ndarray]


def gamma(shape: float, sign: int) -> Draw:
    """Return draws with a skewness of 2/√shape, to the right or to the left."""
    return lambda rng, size: sign * (rng.gamma(shape, size=size) - shape) / np.sqrt(shape)


NOISES: dict[str, Draw] = {
    "normal": lambda rng, size: rng.standard_normal(size),
    "skewness 0.5": gamma(16, 1),
    "skewness −0.5": gamma(16, -1),
    "skewness 1": gamma(4, 1),
    "skewness −1": gamma(4, -1),
    "heavy tails": lambda rng, size: rng.standard_t(5, size) / np.sqrt(5 / 3),
}
"""Tails of Student's t with 5 degrees of freedom; all with mean 0 and standard deviation 1."""


def looks(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return means and standard errors of the first 1, 2, … numbers of each run."""
    n = np.arange(1, values.shape[1] + 1)
    mean = np.cumsum(values, axis=1) / n
    square = np.maximum(np.cumsum(values**2, axis=1) / n - mean**2, 0)
    return mean, np.sqrt(square / np.maximum(n - 1, 1))


def sequence(noise: str, runs: int, seed: int, most: int = 2000) -> dict[str, object]:
    """Look at a mean of 0 after every block, from the first look on: how often is it ever outside its interval?"""
    mean, error = looks(NOISES[noise](np.random.default_rng(seed), (runs, most)))
    n = np.arange(FIRST, most + 1)
    away = np.abs(mean / np.maximum(error, 1e-300))[:, FIRST - 1 :]
    return {
        "noise": noise,
        "runs": runs,
        "ever_outside": (away > radius(n)).any(axis=1).mean(),
        "ever_outside_raw": (away > t_quantile(n - 1)).any(axis=1).mean(),
    }


def width(noise: str, below: float, runs: int, seed: int, most: int = 2000) -> dict[str, object]:
    """Stop once the interval is narrow enough: what do it and the raw one cover then?"""
    mean, error = looks(NOISES[noise](np.random.default_rng(seed), (runs, most)))
    n = np.arange(1, most + 1)
    half = radius(n) * error
    at = np.where(half < below / 2, n, most).min(axis=1) - 1
    picked = np.arange(runs), at
    away, raw = np.abs(mean[picked]), t_quantile(at) * error[picked]
    return {
        "noise": noise,
        "runs": runs,
        "blocks": (at + 1).mean(),
        "covered": (away <= half[picked]).mean(),
        "covered_raw": (away <= raw).mean(),
        "mean_error": mean[picked].mean(),
    }


def told(noise: str, by: float, truth: float, runs: int, seed: int, estimates: int) -> dict[str, object]:
    """Run the sequential test of 0 against `by`, looking after every ten blocks, on numbers with this mean.

    The first `estimates` runs also say how often an estimate after the stop is too large.
    """
    rule, rng = Better("a", "b", by), np.random.default_rng(seed)
    first = first_look(EVERY, MOST)
    better, blocks, raw, covered, large, large_raw = 0, 0, 0, 0, 0, 0
    for k in range(runs):
        values, decided = np.zeros(0), ""
        while not decided:
            size = first if not len(values) else EVERY
            values = np.concatenate([values, truth + NOISES[noise](rng, (1, size))[0]])
            decided = rule.decided(rule.ratio(-values))
        n, mean, sd = len(values), values.mean(), values.std(ddof=1)
        away = abs(mean - truth) / (sd / np.sqrt(n))
        better += "not" not in decided
        blocks += n
        raw += away <= t_quantile(n - 1)
        covered += away <= radius(n)
        if k < estimates:
            walk = SequentialTest(by, sd, first, EVERY, MOST, bounds(rule.alpha, rule.beta))
            large += walk.law(truth, mean).above < 0.5  # so the estimate without a bias of the median is larger
            large_raw += mean > truth
    return {
        "noise": noise,
        "by": by,
        "truth": truth,
        "runs": runs,
        "says_better": better / runs,
        "blocks": blocks / runs,
        "fixed": fixed_size(1, by, rule.alpha, rule.beta),
        "covered": covered / runs,
        "covered_raw": raw / runs,
        "too_large": large / estimates,
        "too_large_raw": large_raw / estimates,
    }


def show(title: str, rows: list[dict[str, object]]) -> None:
    print(title)
    print(pd.DataFrame(rows).to_string(index=False, float_format=lambda value: f"{value:.3f}", na_rep=""))
    print()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    runs, seed = given.runs, given.seed
    print(f"{runs} runs each; shares near 0.05 have a standard error of {np.sqrt(0.05 * 0.95 / runs):.4f}\n")
    every_block = f"A mean of 0 looked at after every block from {FIRST} to 2,000"
    show(f"{every_block}: how often it is ever outside", [sequence(noise, runs, seed) for noise in NOISES])
    show("Stopped by width<0.5 (of a block's standard deviation)", [width(noise, 0.5, runs, seed) for noise in NOISES])
    tests = [
        told(noise, by, truth, runs, seed, min(runs, 500)) for by in (0.2, 0.5) for noise in NOISES for truth in (0, by)
    ]
    show("A sequential test of 0 against `by` (in standard deviations of a block), errors 0.05 and 0.05", tests)


if __name__ == "__main__":
    main()
