"""Time inside kernels: measured to be reported, never used to decide.

One decision in `SAMPLE` is timed, so that the clock costs less than a nanosecond a decision. Times go into a
histogram of eight bins an octave, from which the mean and the 95th percentile are read.
"""

import os
import sys

import numpy as np

from mtrain.game.jit import JIT, kernel

SAMPLE = 64
BINS = 320  # up to 2**40 ns

if JIT and os.name == "posix":
    from numba import types

    _MONOTONIC = 6 if sys.platform == "darwin" else 1
    _clock_gettime = types.ExternalFunction("clock_gettime", types.int32(types.int32, types.voidptr))

    @kernel
    def nanoseconds(buffer):
        """Return the monotonic clock in ns; ``buffer: int64[2]`` is scratch."""
        _clock_gettime(np.int32(_MONOTONIC), buffer.ctypes)
        return buffer[0] * 1_000_000_000 + buffer[1]

else:

    @kernel
    def nanoseconds(buffer):
        """Return 0: on this system kernels cannot read a clock, and their times are not given."""
        return 0


@kernel
def note(times, elapsed):
    """Add `elapsed` ns to a histogram ``times: float64[BINS + 2]`` (the last two: how many, and their sum)."""
    if elapsed > 0:
        times[min(BINS - 1, int(8 * np.log2(elapsed)))] += 1
        times[BINS] += 1
        times[BINS + 1] += elapsed


def summary(times: np.ndarray) -> tuple[float, float]:
    """Return the mean and the 95th percentile of a histogram in µs; nan where nothing was timed."""
    if not times[BINS]:
        return float("nan"), float("nan")
    slot = int(np.searchsorted(times[:BINS].cumsum(), 0.95 * times[BINS]))
    return times[BINS + 1] / times[BINS] / 1e3, 2 ** ((slot + 0.5) / 8) / 1e3
