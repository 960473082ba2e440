"""Says which share of the gap between worlds by counts and the true hands each kind of inference closes.

    mtrain run experiments/inference.toml
    python experiments/inference_gap.py

The parts play the same deals, so that gains are paired by deal; the interval of the share is Fieller's.

Source: Fieller, "Some problems in interval estimation", Journal of the Royal Statistical Society B 16 (1954).
"""

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from mtrain.stats.intervals import t_quantile
from mtrain.stats.results import read


def by_deal(directory: Path) -> pd.Series:
    """Return for each deal the pips of the searching agent less the mean of the planners'."""
    games = read(directory).games
    mine = games["agent"].astype(str) != "planner"
    scores = games["score"].astype(float)
    ours = scores[mine].groupby(games["deal"][mine]).mean()
    return ours - scores[~mine].groupby(games["deal"][~mine]).mean()


def share(gain: np.ndarray, gap: np.ndarray) -> tuple[float, float, float]:
    """Return the ratio of two means of paired numbers, and its 95 % interval; nan where it has no ends."""
    n = len(gain)
    t = float(t_quantile(n - 1))
    (vx, c), (_, vy) = np.cov(gain, gap) / n
    x, y = gain.mean(), gap.mean()
    a, b, d = y * y - t * t * vy, x * y - t * t * c, x * x - t * t * vx
    if a <= 0 or b * b < a * d:
        return x / y, np.nan, np.nan
    root = np.sqrt(b * b - a * d)
    return x / y, (b - root) / a, (b + root) / a


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", nargs="?", type=Path, default=Path("results/inference"))
    directory = parser.parse_args().directory
    diffs = {name: by_deal(directory / name) for name in ("counts", "proofs", "policy", "truth")}
    table = pd.DataFrame(diffs)
    gap = (table["counts"] - table["truth"]).to_numpy()
    rows = []
    for name in table:
        gain = (table["counts"] - table[name]).to_numpy()
        half = t_quantile(len(gain) - 1) * gain.std(ddof=1) / np.sqrt(len(gain))
        value, lo, hi = share(gain, gap) if name not in ("counts", "truth") else (np.nan, np.nan, np.nan)
        rows.append([name, table[name].mean(), gain.mean(), gain.mean() - half, gain.mean() + half, value, lo, hi])
    columns = ["worlds", "diff", "gain", "gain_lo", "gain_hi", "share", "share_lo", "share_hi"]
    frame = pd.DataFrame(rows, columns=columns)
    frame.to_csv(directory / "gap.csv", index=False, float_format="%.4f")
    print(frame.to_string(index=False, float_format=lambda value: f"{value:+.2f}", na_rep=""))


if __name__ == "__main__":
    main()
