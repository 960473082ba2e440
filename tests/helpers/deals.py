"""Any rules, any deal, any play: what properties of the game are tried on."""

import random
from collections.abc import Iterator

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from mtrain.arena.play import Games
from mtrain.game.moves import advance, apply, deal_hands, legal_actions
from mtrain.game.notation import Action
from mtrain.game.rules import RuleSet
from mtrain.game.tiles import SETS, parse_tile, set_size
from tests import reference

SEEDS = st.integers(0, 2**32)


SLOW = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def rule_sets(draw, most_rounds: int = 1) -> tuple[dict, int]:
    """Draw the rules of a game, as a record holds them, and a number of players that they can be dealt to."""
    rules = {field: draw(st.sampled_from(choices)) for field, choices in reference.CHOICES.items()}
    rules["max_pip"] = max_pip = draw(st.sampled_from(SETS))
    players = draw(st.integers(2, min(10, set_size(max_pip) // 2)))
    rules["players"] = [draw(st.integers(2, players)), draw(st.integers(players, 10))]
    most = min(50, (set_size(max_pip) - (rules["engine"] == "countdown")) // players)
    # Small hands make short rounds, whole sets dealt out make blocked ones.
    size = draw(st.one_of(st.integers(1, min(most, 4)), st.integers(1, most), st.just(most)))
    rules["hand_size"] = draw(st.sampled_from([size, {str(players): size}]))
    rules["rounds"] = draw(st.integers(1, most_rounds))
    rules["double_blank"] = draw(st.sampled_from([0, 50]))
    return {field: rules[field] for field in reference.PRESETS["standard"]}, players


def deal_by_chance(rules: dict, players: int, seed: int) -> np.ndarray:
    """Return a round dealt at random: any of its numbers, any starter."""
    rng = random.Random(seed)
    number = rng.randint(1, rules["max_pip"] + 1) if rules["engine"] == "countdown" else 1
    aside = reference.countdown_engine(rules, number) if rules["engine"] == "countdown" else None
    tiles = [parse_tile(tile) for tile in reference.full_set(rules["max_pip"]) if tile != aside]
    rng.shuffle(tiles)
    size = reference.tiles_dealt(rules, players)
    hands = [tiles[seat * size : (seat + 1) * size] for seat in range(players)]
    starter = rng.randrange(players)
    return deal_hands(RuleSet.from_json(rules), hands, tiles[players * size :], number=number, starter=starter)


def plays_of(position: np.ndarray) -> list[Action]:
    """Return the legal actions that lay a tile."""
    return [action for action in legal_actions(position) if action.is_lay]


def walk(position: np.ndarray, seed: int) -> Iterator[np.ndarray]:
    """Play a dealt round at random: yield the position, one array changed in place, at every choice."""
    rng = random.Random(seed)
    while advance(position):
        yield position
        apply(position, rng.choice(legal_actions(position)))


def heavy_first(rng: random.Random, position: np.ndarray) -> int:
    """Choose like a greedy player in one round of two, at random in the others; hold back now and then."""
    legal = legal_actions(position)
    return max(legal, key=lambda a: (a.pips, rng.random())) if rng.random() < 0.5 else rng.choice(legal)


def games_with(who: tuple[int, ...], n: int) -> Games:
    """Return `n` games, a deal each, all in one seating; the seats start in turn."""
    deals = np.arange(n)
    return Games(deals, np.zeros(n, np.int64), deals % len(who), np.tile(np.array(who), (n, 1)))
