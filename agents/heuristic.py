"""Weighs what an action leaves behind by sixteen numbers, their weights tuned."""

from dataclasses import dataclass

from mtrain import compiled
from mtrain.think.survey import TUNED, linear_policy


@dataclass(frozen=True)
class Agent:
    """Takes the action after which the sum of these features is least, each times its weight; a pip weighs 1.

    Parameters
    ----------
    rest
        Tiles off the plan, the longest train that is left.
    rest_pips
        … and the pips on them.
    doubles
        … and how many are doubles.
    bare
        Doubles that no other tile of its hand could cover.
    plan_pips
        Pips on the plan.
    turns
        Turns that the plan takes.
    marked
        Its own train is marked.
    uncovered
        A double is left that it cannot cover.
    offers
        Tiles of the others that may fit the end which it leaves open to them.
    homes
        Tiles off the plan that fit an end open to it.
    dead
        Tiles with the plan's last number that it has seen.
    stuck
        Nothing to lay: no plan, no home.
    reach
        Unseen tiles that share a number with a tile off the plan, by twelfths.
    rest_risk
        Pips off the plan, over the tiles of the smallest other hand.
    plan_risk
        Pips on the plan, over the same.
    offer_risk
        `offers`, over the same.
    """

    rest: float = float(TUNED[0])
    rest_pips: float = float(TUNED[1])
    doubles: float = float(TUNED[2])
    bare: float = float(TUNED[3])
    plan_pips: float = float(TUNED[4])
    turns: float = float(TUNED[5])
    marked: float = float(TUNED[6])
    uncovered: float = float(TUNED[7])
    offers: float = float(TUNED[8])
    homes: float = float(TUNED[9])
    dead: float = float(TUNED[10])
    stuck: float = float(TUNED[11])
    reach: float = float(TUNED[12])
    rest_risk: float = float(TUNED[13])
    plan_risk: float = float(TUNED[14])
    offer_risk: float = float(TUNED[15])

    version = 1
    kernel = compiled(linear_policy)

    @property
    def effort(self) -> float:
        """Roughly how many µs a decision takes."""
        return 4.0
