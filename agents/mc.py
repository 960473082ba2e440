"""Monte Carlo determinization: tries the legal actions in the same sampled worlds."""

from dataclasses import dataclass
from typing import Literal

from mtrain import compiled
from mtrain.strategy.montecarlo import monte_carlo


@dataclass(frozen=True)
class Agent:
    """Deals the tiles it cannot see again, many times, and plays the legal actions out in each of those worlds.

    It leaves a base policy's choice only for one that is surely better.

    Parameters
    ----------
    worlds
        Its budget: a decision costs as many roll-outs as if every legal action were tried in so many worlds.
    rollout
        The policy of all seats after the candidate; each sees only its own hand.
    objective
        What counts: its own `pips`, its `lead` (own pips less the mean of the others'), whether it goes `out`, or its
        chance to win the `game`, by the totals and the rounds to come.
    base
        Whose choice it leaves for a better one only; `none`: the best mean wins.
    gate
        Standard errors by which the paired gain must exceed 0; from few worlds, more of them.
    worlds_from
        What worlds are made from: the sizes of the hands alone (`counts`); what draws and passes prove, too (`proofs`);
        what a planner would have laid, besides (`policy`: far slower).
    """

    worlds: int = 64
    rollout: Literal["random", "greedy", "double-holder", "planner"] = "planner"
    objective: Literal["pips", "lead", "out", "game"] = "pips"
    base: Literal["none", "planner", "heuristic"] = "heuristic"
    gate: float = 1.2
    worlds_from: Literal["counts", "proofs", "policy"] = "proofs"

    version = 1
    kernel = compiled(monte_carlo)

    @property
    def effort(self) -> float:
        """Roughly how many µs a decision takes."""
        return 60.0 * self.worlds

    def __post_init__(self) -> None:
        if not 1 <= self.worlds <= 1_000_000:
            raise ValueError(f"worlds is a number of worlds from 1 to 1000000, not {self.worlds}")
        if self.gate < 0:
            raise ValueError(f"gate is a number of standard errors, 0 or more, not {self.gate:g}")
