"""Formats: how numbers are written, wherever people read them.

A format is a small callable, a number in and its text out; it writes intervals, too. A minus sign is a true one, and
what is absent is n/a. Nothing here knows a table, a page, a figure or a terminal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

ABSENT = "n/a"
_EVEN = 0.1  # an interval is about even if its sides differ by no more than this share of it


@dataclass(frozen=True)
class Format:
    """How numbers of a kind are written.

    Attributes
    ----------
    spec
        A format of Python's.
    percent
        Is it a share, written in percent?
    zero_sign
        Does what rounds to 0 keep its sign?
    """

    spec: str
    percent: bool = False
    zero_sign: bool = True

    def __call__(self, value: Any) -> str:
        """Return a number as text."""
        text = self._bare(value)
        return f"{text} %" if self.percent and text != ABSENT else text

    def _bare(self, value: Any) -> str:
        """A number without its sign of percent."""
        if pd.isna(value):
            return ABSENT
        text = format(100 * value if self.percent else value, self.spec)
        if not self.zero_sign and not float(text.replace(",", "")):
            text = text.lstrip("+-")
        return text.replace("-", "−")

    def ends(self, lo: Any, hi: Any) -> str:
        """Return an interval: "[0.50, 1.50]"."""
        return f"[{ABSENT}]" if pd.isna(lo) or pd.isna(hi) else f"[{self._bare(lo)}, {self._bare(hi)}]"

    def interval(self, value: Any, lo: Any, hi: Any) -> str:
        """Return an estimate with its interval, or what there is of it: "1.00 [0.50, 1.50]"."""
        return ABSENT if pd.isna(value) else f"{self(value)} {self.ends(lo, hi)}"

    def sure(self, value: Any, lo: Any, hi: Any) -> str:
        """Return the same; without an interval the number alone."""
        return self(value) if pd.isna(lo) or pd.isna(hi) else self.interval(value, lo, hi)

    def beneath(self, value: Any, lo: Any, hi: Any) -> str:
        """Return an estimate and, below it, its interval: as ± its longer side where it is about even, else its ends.

        What is absent is said as `interval` says it.
        """
        if pd.isna(value) or pd.isna(lo) or pd.isna(hi):
            return self.interval(value, lo, hi).replace(" [", "\n[")
        down, up = value - lo, hi - value
        if abs(up - down) > _EVEN * (up + down):
            ends = self.ends(lo, hi).replace(", ", ",\n")
            return f"{self(value)}\n{ends}"
        return f"{self(value)}\n{self.half(max(up, down))}"

    def half(self, value: Any) -> str:
        """Return the half of an interval: "±0.50"."""
        return f"±{format(100 * value if self.percent else value, self.spec.lstrip('+'))}"


SCORE = Format(".2f")
PIPS = Format("+,.2f")
SHARE = Format(".1f", percent=True)
POINTS = Format("+.0f")
WHOLE = Format(",.0f")
NATS = Format(".3f")

# How numbers of a unit are written where a unit is all that is known; of any other, with four digits.
_SPECS = {
    "pips/round": ".2f",
    "pips/game": ".1f",
    "rank": ".2f",
    "× variance": ".2f",
    "place": ".0f",
    "probability": ".3f",
    "rating points": ".0f",
    "nats/tile": ".3f",
    "µs": ".3g",
}


def of_unit(unit: str, signed: bool = False) -> Format:
    """Return how numbers of a unit are written; `signed`: + or − tells on which side of something else they lie."""
    if "share" in unit:
        return Format(".1f", percent=True, zero_sign=False)
    return Format(f"{'+' if signed else ''}{_SPECS.get(unit, '.4g')}", zero_sign=False)


def p_value(value: Any) -> str:
    """Return a probability; a small one is never 0."""
    return "<0.001" if not pd.isna(value) and value < 0.001 else of_unit("probability")(value)


def count(n: Any) -> str:
    """Return a whole number: "1,000"."""
    return ABSENT if pd.isna(n) else f"{n:,}".replace("-", "−")


def span(numbers: Iterable[int]) -> str:
    """Return from where to where whole numbers go: "20–24", or "20"; of none "0"."""
    low, high = min(numbers, default=0), max(numbers, default=0)
    return count(low) if low == high else f"{count(low)}–{count(high)}"


def places(lo: Any, hi: Any) -> str:
    """Return a range of places: "2–3", or "2" where there is no doubt."""
    if pd.isna(lo) or pd.isna(hi):
        return ABSENT
    return f"{lo:.0f}" if lo == hi else f"{lo:.0f}–{hi:.0f}"


def word(value: Any) -> str:
    """Return a word of a table."""
    return ABSENT if pd.isna(value) else str(value)


def yes_no(value: Any) -> str:
    """Return a claim of a table: yes or no."""
    return ABSENT if pd.isna(value) else "yes" if value else "no"


def milliseconds(us: float) -> str:
    """Return a time given in µs as milliseconds, without their unit."""
    return f"{us / 1000:.3g}"


def brief(us: float) -> str:
    """Return a time given in µs in the unit that suits it: "1.5 ms"."""
    for unit, name in ((1e6, "s"), (1e3, "ms"), (1.0, "µs")):
        if us >= 0.9995 * unit:
            return f"{us / unit:.3g} {name}"
    return f"{1e3 * us:.3g} ns"


def duration(seconds: float) -> str:
    """Return a time in words short enough for a line of progress: "1:05" or "2:03:04"."""
    minutes, rest = divmod(int(seconds + 0.5), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}" if minutes >= 60 else f"{minutes}:{rest:02d}"


def in_unit(text: str, unit: str) -> str:
    """Return words in which what a score counts stands where they say pips."""
    return text.replace("pips", unit).replace("Pips", unit.capitalize())
