"""Random streams: splitmix64, keyed by what each stream is for.

A stream is one 64-bit number. Where it starts is a hash of (seed, purpose, …), never of a worker or of the
order in which things happen, so the same seed gives the same bytes everywhere, and no agent's appetite for
random numbers moves a deal.

Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
"""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from mtrain.game.jit import kernel

T = TypeVar("T")

# What a stream is for: the second word of every key.
DEAL = 1  # (seed, deal, round): the permutation of one round
SEAT = 2  # (seed, deal, seating, seat): an agent's own choices
SEATING = 3  # (seed, deal): who sits next to whom where not all orders are played
STARTER = 4  # (seed): the seat that starts the first deal
WORLD = 5  # (seed, …): worlds sampled outside a game
STAND_IN = 6  # (seed, deal, seating, seat and decision): what takes the place of an answer that an agent failed to give
LEVELS = 8  # (seed, set): the seed of a set of deals by which levels are tuned or verified
SEARCH = 7  # (seed, 0): what a search of parameters tries next; (seed, 1): the deals that confirm what it found

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_M1 = np.uint64(0xBF58476D1CE4E5B9)
_M2 = np.uint64(0x94D049BB133111EB)
_S27 = np.uint64(27)
_S30 = np.uint64(30)
_S31 = np.uint64(31)
_S32 = np.uint64(32)
_S11 = np.uint64(11)


@kernel
def mix(x):
    """Return the splitmix64 hash of one uint64."""
    z = (x ^ (x >> _S30)) * _M1
    z = (z ^ (z >> _S27)) * _M2
    return z ^ (z >> _S31)


@kernel
def stream(seed, purpose, a, b, c):
    """Return where the stream for (seed, purpose, a, b, c) starts: a uint64."""
    h = mix(np.uint64(seed) + _GAMMA)
    h = mix(h ^ (np.uint64(purpose) + _GAMMA))
    h = mix(h ^ (np.uint64(a) + _GAMMA))
    h = mix(h ^ (np.uint64(b) + _GAMMA))
    return mix(h ^ (np.uint64(c) + _GAMMA))


@kernel
def at(start, k):
    """Return number `k` (from 0) of the stream that starts at `start`."""
    return mix(start + np.uint64(k + 1) * _GAMMA)


@kernel
def scaled(bits, n):
    """Return a uniform integer in 0 … n-1 from 64 random bits."""
    return np.int64(((bits >> _S32) * np.uint64(n)) >> _S32)


@kernel
def below(agent_state, n):
    """Draw a uniform integer in 0 … n-1 from the stream ``agent_state.rng``, which moves on."""
    agent_state.rng += _GAMMA
    return scaled(mix(agent_state.rng), n)


@kernel
def uniform(agent_state):
    """Draw a float in [0, 1) from the stream ``agent_state.rng``, which moves on."""
    agent_state.rng += _GAMMA
    return np.float64(mix(agent_state.rng) >> _S11) * (1.0 / 9007199254740992.0)


_MASK = (1 << 64) - 1


class Stream:
    """A random stream for plain Python: the same numbers as the kernels draw from the same start.

    Parameters
    ----------
    state
        Where the stream stands: an unsigned 64-bit integer.
    """

    __slots__ = ("state",)

    def __init__(self, state: int) -> None:
        self.state = state

    def _next(self) -> int:
        self.state = z = (self.state + 0x9E3779B97F4A7C15) & _MASK
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """Draw a uniform integer in 0 … n-1."""
        return ((self._next() >> 32) * n) >> 32

    def random(self) -> float:
        """Draw a float in [0, 1)."""
        return (self._next() >> 11) / (1 << 53)

    def choice(self, things: Sequence[T]) -> T:
        """Draw one of some things, uniformly."""
        return things[self.below(len(things))]
