"""Tiles: their numbers, pips and text.

A tile is an integer that means the same in every set: hi·(hi+1)/2 + lo. The sets nest: the first 28 tiles are
the double-6 set, the first 91 the double-12 set.
"""

import re

import numpy as np

MAX_PIP = 18
N_NUMBERS = MAX_PIP + 1
SETS = (6, 9, 12, 15, 18)


def set_size(max_pip: int) -> int:
    """Return how many tiles the set with numbers 0 … max_pip holds."""
    return (max_pip + 1) * (max_pip + 2) // 2


MAX_TILES = set_size(MAX_PIP)

HI = np.array([hi for hi in range(N_NUMBERS) for _ in range(hi + 1)], np.int8)
LO = np.array([lo for hi in range(N_NUMBERS) for lo in range(hi + 1)], np.int8)
PIPS = (HI + LO).astype(np.int16)


def tile_of(a: int, b: int) -> int:
    """Return the tile with the numbers `a` and `b`, in either order."""
    hi, lo = max(a, b), min(a, b)
    return hi * (hi + 1) // 2 + lo


def tile_text(tile: int) -> str:
    """Return a tile as text, the larger number first: ``12-7``."""
    return f"{HI[tile]}-{LO[tile]}"


def parse_tile(text: str) -> int:
    """Return the tile that `tile_text` writes as `text`.

    Raises
    ------
    ValueError
        If `text` is not two numbers from 0 to 18, the larger first.
    """
    match = re.fullmatch(r"(0|[1-9][0-9]?)-(0|[1-9][0-9]?)", text)
    if match:
        hi, lo = int(match[1]), int(match[2])
        if lo <= hi <= MAX_PIP:
            return tile_of(hi, lo)
    raise ValueError(f"not a tile: {text!r}; a tile is written like 12-7, the larger number first")
