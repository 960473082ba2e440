"""What is to be expected of a deal: the exact means of what can be controlled for.

Every hand is a uniformly random part of the set, less the engine's double where the rules set it aside, so no deal has
to be sampled: sums over a hand are those of drawing without replacement. This module knows tiles and rules, and
no results.
"""

from collections.abc import Sequence

import numpy as np

from mtrain.errors import Mistake, nearest
from mtrain.game.rules import RuleSet
from mtrain.game.tiles import HI, LO, PIPS, set_size
from mtrain.study.control import CONTROLS


def declared(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of control variates, in the order of `CONTROLS`.

    Raises
    ------
    Mistake
        If one is unknown (the nearest is offered) or said twice.
    """
    for name in names:
        if name not in CONTROLS:
            raise Mistake(f"unknown control {name!r}; {nearest(name, CONTROLS)}")
    if len(set(names)) < len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise Mistake(f"the control {twice!r} is given twice")
    return tuple(name for name in CONTROLS if name in names)


def expected(rules: RuleSet, players: int) -> dict[str, float]:
    """Return the expectation of each of `CONTROLS` over all deals, as a mean over the rounds of a game."""
    hand = rules.hand_for(players)
    tiles = np.arange(set_size(rules.max_pip))
    means = []
    for number in range(1, rules.rounds + 1):
        double = rules.max_pip + 1 - number
        dealt = tiles[(HI[tiles] != double) | (LO[tiles] != double)] if rules.engine == "countdown" else tiles
        pips, doubles = PIPS[dealt].astype(np.float64), HI[dealt] == LO[dealt]
        # Two hands of h tiles out of N: each varies by h s² (1 − h/N), and they vary together by −h² s²/N.
        means.append([hand * pips.mean(), hand * doubles.mean(), hand * pips.var(ddof=1)])
    return dict(zip(CONTROLS, np.mean(means, axis=0).tolist(), strict=True))
