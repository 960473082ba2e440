"""Weighs what an action leaves behind by sixteen numbers, their weights tuned."""

from dataclasses import dataclass

from mtrain import compiled
from mtrain.strategy.features import WEIGHT_OF, linear_policy


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

    rest: float = WEIGHT_OF["rest"]
    rest_pips: float = WEIGHT_OF["rest_pips"]
    doubles: float = WEIGHT_OF["doubles"]
    bare: float = WEIGHT_OF["bare"]
    plan_pips: float = WEIGHT_OF["plan_pips"]
    turns: float = WEIGHT_OF["turns"]
    marked: float = WEIGHT_OF["marked"]
    uncovered: float = WEIGHT_OF["uncovered"]
    offers: float = WEIGHT_OF["offers"]
    homes: float = WEIGHT_OF["homes"]
    dead: float = WEIGHT_OF["dead"]
    stuck: float = WEIGHT_OF["stuck"]
    reach: float = WEIGHT_OF["reach"]
    rest_risk: float = WEIGHT_OF["rest_risk"]
    plan_risk: float = WEIGHT_OF["plan_risk"]
    offer_risk: float = WEIGHT_OF["offer_risk"]

    version = 1
    kernel = compiled(linear_policy)

    @property
    def effort(self) -> float:
        """Roughly how many µs a decision takes."""
        return 4.0
