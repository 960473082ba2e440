"""Who won a game: ranks from the scores of its rounds. Lower is better, here and only here.

Works on whole arrays of games at once; knows nothing of how the scores came about.
"""

import numpy as np


def ranks(pips: np.ndarray, tie_break: str) -> np.ndarray:
    """Return the competition ranks (1, 1, 3, 4) of games.

    Parameters
    ----------
    pips : int[..., rounds, seats]
        The score of every round.
    tie_break
        ``shared``: equal totals share a rank. ``zero-rounds``: more rounds at 0 first, then the lowest round score
        above 0; still equal: shared.

    Returns
    -------
    int8[..., seats]
    """
    pips = np.asarray(pips, np.int64)
    key = pips.sum(-2)
    if tie_break == "zero-rounds":
        n_rounds, most = pips.shape[-2], int(pips.max(initial=0)) + 1
        zeros = (pips == 0).sum(-2)
        lowest = np.where(pips > 0, pips, most).min(-2)
        key = (key * (n_rounds + 1) + n_rounds - zeros) * (most + 1) + lowest
    rank: np.ndarray = 1 + (key[..., None, :] < key[..., :, None]).sum(-1)
    return rank.astype(np.int8)


def shares(rank: np.ndarray) -> np.ndarray:
    """Return each seat's share of the win: 1, split evenly among those ranked 1: float64[..., seats]."""
    first = np.asarray(rank) == 1
    share: np.ndarray = first / first.sum(-1, keepdims=True)
    return share
