"""Sense: what nobody who knows the game would do, however weak.

A bot that is weakened by chance would now and then throw the round away where everybody sees it. `folly` tells such
acts apart, so that a weak bot can leave them out and a stranger's can be counted. This module reads observations and
must not know who plays.
"""

import numpy as np

from mtrain.game.intrinsics import lowest
from mtrain.game.jit import kernel
from mtrain.game.kernels import PASS, apply, is_legal, lay, open_to
from mtrain.game.state import OWN
from mtrain.think.base import set_params
from mtrain.think.survey import SURVEY, TUNED, weigh

# What is wrong with an action: nothing; another would have gone out; it passes, and could lay a tile; it lays elsewhere
# a tile that would have closed its own marked train, and been laid as well there.
SANE, STAYS, IDLE, OPEN = range(4)
FOLLIES = ("stays_in", "passes", "leaves_marked")
"""What the follies are called where they are counted, from `STAYS` on."""


@kernel
def _goes_out(w, obs, action):
    """Say whether an action empties the hand, or leaves one tile that the same turn can lay; `w` is scratch."""
    if action == PASS:
        return False
    seat = np.int64(obs.turn)
    w.after = obs
    s = w.after
    apply(s, action)
    if s.over or s.turn != seat or s.count[seat] != 1:
        return s.over != 0 and s.count[seat] == 0
    trains = open_to(s)
    while trains:
        if s.hand[seat, s.end[lowest(trains)]]:
            return True
        trains &= trains - 1
    return False


@kernel
def folly(obs, actions, n, found):
    """Write into ``found: int64[≥ n]`` what is wrong with each of the `n` legal actions; return how many are sane.

    Whether a tile is laid as well on one's own train, the weights of `heuristic` say.
    """
    return _folly(obs, actions, n, found, np.empty(1, SURVEY), np.empty(1, OWN))


@kernel
def _folly(obs, actions, n, found, scratch, owns):
    seat = np.int64(obs.turn)
    w, weights = scratch[0], owns[0]
    w.depth = 0
    set_params(weights, TUNED)
    n_sane = 0
    for k in range(n):
        found[k] = SANE if _goes_out(w, obs, actions[k]) else STAYS
        n_sane += found[k] == SANE
    if n_sane:
        return n_sane
    marked = np.int64(obs.marked) >> seat & 1
    for k in range(n):
        found[k] = IDLE if actions[k] == PASS and n > 1 else SANE
        if marked and found[k] == SANE and actions[k] >> 10 & 15 != seat:
            home = lay(seat, actions[k] >> 5 & 31, actions[k] & 31)
            if is_legal(obs, home):
                here = weigh(w, obs, actions[k], weights)
                if weigh(w, obs, home, weights) <= here:
                    found[k] = OPEN
        n_sane += found[k] == SANE
    return n_sane


@kernel
def _judge(obs, actions, found):
    return folly(obs[0], actions, len(actions), found)


def judge(obs: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """Return what is wrong with each legal action of the seat on turn: int64[n] of `SANE`, `STAYS`, `IDLE`, `OPEN`.

    Parameters
    ----------
    obs : STATE[1]
        What it sees.
    actions : int64[n]
        All its legal actions.
    """
    found = np.zeros(len(actions), np.int64)
    _judge(obs, actions, found)
    return found
