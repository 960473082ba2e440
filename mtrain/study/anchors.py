"""Anchors: the agent whose rating is fixed, so that ratings of several runs can be read on one scale.

An anchor is written as the agent's label, or ``LABEL=1500``. This module reads that, and knows no rating.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mtrain.errors import nearest
from mtrain.study.tables import ResultsError

BY_DEFINITION = "the anchor, by definition"
"""Why its rating has no interval."""


@dataclass(frozen=True)
class Anchor:
    """An agent, by its label, and the rating it is given."""

    agent: str
    rating: float = 0.0

    def __str__(self) -> str:
        return f"{self.agent}={self.rating:g}" if self.rating else self.agent

    def to_json(self) -> dict[str, Any]:
        """As it stands in a manifest; `anchor_in` is the inverse."""
        return {"agent": self.agent, "rating": self.rating}


def parse_anchor(text: str, labels: Sequence[str]) -> Anchor:
    """Read ``LABEL`` or ``LABEL=RATING``.

    Parameters
    ----------
    text
        As on the command line. A label may itself hold an equals sign.
    labels
        Of the agents that there are.

    Raises
    ------
    ResultsError
        There is no such agent (the nearest is offered), or its rating is no number.
    """
    if not isinstance(text, str):
        raise ResultsError(f"anchor is the label of an agent, not {text!r}")
    if text in labels:
        return Anchor(text)
    label, _, number = text.rpartition("=")
    if label in labels:
        try:
            rating = float(number)
        except ValueError:
            rating = math.nan
        if not math.isfinite(rating):
            raise ResultsError(f"the anchor {label!r} is given a rating, like {label}=1500, not {number!r}")
        return Anchor(label, rating + 0.0)
    near = nearest(text, labels, nearest(label, labels, f"the agents are {', '.join(labels)}"))
    raise ResultsError(f"anchor names {text!r}, which is none of the agents; {near}")


def anchor_in(said: Mapping[str, Any] | None) -> Anchor | None:
    """The anchor that a manifest names, if any."""
    return None if said is None else Anchor(str(said["agent"]), float(said["rating"]))
