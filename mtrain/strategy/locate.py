"""Locations: where each tile that a seat cannot see is likely to be, as a table.

One row a tile, one column a place; the shares come from sampled worlds, weighed or not. This module must not know
who plays, or how the table is shown.
"""

from typing import Any

import numpy as np
import pandas as pd

from mtrain.errors import UsageError
from mtrain.game.jit import kernel
from mtrain.game.moves import observe
from mtrain.game.rng import WORLD, stream
from mtrain.game.state import AGENT_STATE, MAX_SEATS, STATE
from mtrain.game.tiles import HI, LO, MAX_TILES, tile_text
from mtrain.strategy.constraints import DEAL, count_deals, study
from mtrain.strategy.determinize import deal_again, write_world
from mtrain.strategy.opponent_model import belief, likely_worlds

BONEYARD = "boneyard"


@kernel
def tally(worlds, weights, places):
    """Add the weights of worlds up by where each tile is.

    ``places: float64[190, 11]``, overwritten: a seat's hand, and last the boneyard.
    """
    places[:] = 0.0
    for k in range(len(worlds)):
        w = worlds[k]
        for seat in range(np.int64(w.n_seats)):
            for hi in range(np.int64(w.max_pip) + 1):
                row = np.int64(w.hand[seat, hi])
                for lo in range(hi + 1):
                    if row >> lo & 1:
                        places[hi * (hi + 1) // 2 + lo, seat] += weights[k]
        for at in range(np.int64(w.top), np.int64(w.n_tiles)):
            places[w.deck[at], MAX_SEATS] += weights[k]


@kernel
def _likely(worlds, weights, seen, seat, believed, agent_state):
    weights[:] = 1.0 / len(worlds)
    return likely_worlds(worlds, seen[0], seat, believed[0], agent_state[0])


@kernel
def _uniform(worlds, weights, seen, seat, agent_state, deals):
    """Write worlds that count alike; ``deals: DEAL[1]`` is scratch."""
    weights[:] = 1.0 / len(worlds)
    d = deals[0]
    study(d, seen[0], seat)
    count_deals(d, seat)
    for k in range(len(worlds)):
        deal_again(d, agent_state[0])
        write_world(worlds[k], d, seen[0], seat, agent_state[0])
    return float(len(worlds))


def unseen(obs: np.ndarray, seat: int) -> list[int]:
    """Return the tiles that a seat sees neither on the table nor in its hand."""
    s = obs[0]
    n = (int(s.max_pip) + 1) * (int(s.max_pip) + 2) // 2
    return [tile for tile in range(n) if not s.laid_on[tile] and not s.hand[seat, HI[tile]] >> int(LO[tile]) & 1]


class Sampler:
    """Where tiles are in many worlds, observation by observation, in the same memory.

    Parameters
    ----------
    worlds
        How many worlds are sampled for an observation.
    weigh
        The policy that others are believed to choose by (`opponent_model.POLICIES`); None: worlds count alike.
    believed
        What else is believed of them: keywords of `opponent_model.belief`.
    """

    def __init__(self, worlds: int, weigh: str | None = None, **believed: Any) -> None:
        try:
            self.believed = belief(weigh or "random", **believed)
        except ValueError as error:
            raise UsageError(str(error)) from None
        self.weigh = weigh
        self.worlds = np.zeros(worlds, STATE)
        self.weights = np.zeros(worlds)
        self.deals = np.zeros(1, DEAL)
        self.places = np.zeros((MAX_TILES, MAX_SEATS + 1))

    def places_of(self, obs: np.ndarray, seat: int, chance: int) -> tuple[np.ndarray, float]:
        """Return float64[190, 11], the share of worlds in which a tile is in a seat's hand or (last) the boneyard.

        The second is the effective sample size. The array is written anew at every call.
        """
        agent_state = np.zeros(1, AGENT_STATE)
        agent_state[0].rng = np.uint64(chance)
        if self.weigh is None:
            size = _uniform(self.worlds, self.weights, obs, seat, agent_state, self.deals)
        else:
            size = _likely(self.worlds, self.weights, obs, seat, self.believed, agent_state)
        tally(self.worlds, self.weights, self.places)
        return self.places, float(size)


def locate(
    position: np.ndarray, seat: int | None = None, *, worlds: int = 1000, seed: int = 0, weigh: str | None = None
) -> pd.DataFrame:
    """Say where each tile that a seat cannot see is likely to be.

    Parameters
    ----------
    position : STATE[1]
        A position, of which only what `seat` may know is read, or an observation.
    seat
        Who is looking; None: the seat on turn.
    worlds
        How many worlds are sampled.
    seed
        What all chance is made from.
    weigh
        The policy that the others are believed to choose by, one of `opponent_model.POLICIES`. None: every
        deal that agrees with what was seen counts alike.

    Returns
    -------
    DataFrame
        One row a tile, from the heaviest number down: ``tile``, then the share of worlds (from 0 to 1) in which it is
        in each other seat's hand (``seat 0`` …) and in the ``boneyard``. ``attrs["effective_worlds"]`` is the
        effective sample size.

    Raises
    ------
    UsageError
        If the seat, the number of worlds or the policy cannot be, the round is over, or the position leaves tiles out.
    """
    s = position[0]
    n_seats = int(s.n_seats)
    seat = int(s.turn) if seat is None else seat
    if not 0 <= seat < n_seats:
        raise UsageError(f"seat goes from 0 to {n_seats - 1}, not {seat}")
    if worlds < 1:
        raise UsageError(f"worlds is a number from 1 up, not {worlds}")
    if not 0 <= seed < 1 << 64:
        raise UsageError(f"seed is a number from 0 to 2**64 - 1, not {seed}")
    if s.over:
        raise UsageError("the round is over: nothing is left to locate")
    obs = observe(position, seat)
    tiles = unseen(obs, seat)
    others = [other for other in range(n_seats) if other != seat]
    hidden = sum(int(s.count[other]) for other in others) + int(s.n_tiles) - int(s.top)
    engine_out = s.countdown and s.engine < 0
    if hidden != len(tiles) - engine_out:
        raise UsageError(
            f"seat {seat} cannot see {len(tiles)} tiles, but the position hides {hidden}: write hidden tiles as ?N"
        )
    places, size = Sampler(worlds, weigh).places_of(obs, seat, int(stream(seed, WORLD, 0, 0, 0)))
    tiles = sorted(tiles, key=lambda tile: (-int(HI[tile]), -int(LO[tile])))
    columns: dict[str, Any] = {"tile": [tile_text(tile) for tile in tiles]}
    columns |= {f"seat {other}": places[tiles, other] for other in others}
    frame = pd.DataFrame(columns | {BONEYARD: places[tiles, MAX_SEATS]})
    frame.attrs["effective_worlds"] = size
    return frame
