"""The engine for people: the kernels' storey above, which checks, allocates and explains.

A position is an array ``STATE[1]``; its record is ``position[0]``. What is refused is refused with its reason,
and leaves the position as it was, byte for byte.
"""

import numpy as np

from mtrain.game import kernels
from mtrain.game.jit import kernel
from mtrain.game.kernels import PASS
from mtrain.game.notation import Action, action_text, train_text
from mtrain.game.rules import RuleSet, preset
from mtrain.game.state import COVER, EXTRA, FIRST, RIDE, STATE, blank
from mtrain.game.tiles import tile_text


class IllegalAction(ValueError):
    """An action, or an event of a record, that the rules refuse; the position is untouched."""


# Entries for Python: a record costs microseconds to hand over, an array does not.


@kernel
def _first_round(states, i, seed, deal, seating, starter):
    kernels.first_round(states[i], seed, deal, seating, starter)


@kernel
def _next_round(states, i, seed, deal):
    kernels.next_round(states[i], seed, deal)


@kernel
def _deal_out(states, i):
    kernels.deal_out(states[i])


@kernel
def step(states, i):
    return kernels.step(states[i])


@kernel
def _advance(states, i):
    return kernels.advance(states[i])


@kernel
def _apply(states, i, action):
    kernels.apply(states[i], action)


@kernel
def _list_actions(states, i, out):
    return kernels.list_actions(states[i], out)


@kernel
def _observe(to, i, states, j, seat):
    kernels.observe(to[i], states[j], seat)


def new_game(
    rules: RuleSet | str = "standard",
    players: int = 4,
    *,
    seed: int,
    deal: int = 0,
    seating: int = 0,
    starter: int = 0,
) -> np.ndarray:
    """Deal the first round of a game.

    Parameters
    ----------
    rules
        A RuleSet, or the name of a preset.
    players
        How many seats.
    seed, deal
        What the permutation of every round is made from; nothing else moves it.
    seating
        With seed and deal, what the seats' own streams are made from.
    starter
        The seat that starts the first round.

    Returns
    -------
    STATE[1]
        The position before anything has happened: call `advance` next.

    Raises
    ------
    RulesError
        If these rules cannot be dealt to so many players.
    ValueError
        If the starter is no seat.
    """
    position = blank(preset(rules) if isinstance(rules, str) else rules, players)
    if not 0 <= starter < players:
        raise ValueError(f"starter is a seat from 0 to {players - 1}, not {starter}")
    if not 0 <= seed < 1 << 64:
        raise ValueError(f"seed is a number from 0 to 2**64 - 1, not {seed}")
    _first_round(position, 0, np.uint64(seed), deal, seating, starter)
    return position


def next_round(position: np.ndarray, *, seed: int, deal: int = 0) -> None:
    """Deal the next round of the same game, in place.

    Raises
    ------
    ValueError
        If the round is not over, or was the last.
    """
    s = position[0]
    if not s.over:
        raise ValueError(f"round {s.number} is not over")
    if s.number >= s.n_rounds:
        raise ValueError(f"round {s.number} was the last of the game")
    _next_round(position, 0, np.uint64(seed), deal)


def deal_hands(
    rules: RuleSet, hands: list[list[int]], boneyard: list[int], *, number: int = 1, starter: int = 0
) -> np.ndarray:
    """Begin a round from given hands and a given boneyard (tiles, in the order of drawing).

    Raises
    ------
    ValueError
        If the hands have the wrong sizes, or the tiles are not the whole set, each once.
    """
    position = blank(rules, len(hands))
    s = position[0]
    if not 0 <= starter < len(hands):
        raise ValueError(f"starter is a seat from 0 to {len(hands) - 1}, not {starter}")
    for seat, hand in enumerate(hands):
        if len(hand) != s.hand_size:
            raise ValueError(f"seat {seat} is dealt {s.hand_size} tiles, not {len(hand)}")
    engine = int(s.max_pip) + 1 - number if s.countdown else None
    whole = [tile for tile in range(int(s.n_tiles) + int(s.countdown))]
    if engine is not None:
        whole.remove(engine * (engine + 1) // 2 + engine)
    deck = [tile for hand in hands for tile in hand] + list(boneyard)
    if sorted(deck) != whole:
        twice = sorted(tile_text(tile) for tile in set(deck) if deck.count(tile) > 1)
        missing = sorted(tile_text(tile) for tile in set(whole) - set(deck))
        foreign = sorted(tile_text(tile) for tile in set(deck) - set(whole))
        raise ValueError(f"not the whole set: twice {twice}, missing {missing}, foreign {foreign}")
    s.number, s.starter = number, starter
    s.deck[: len(deck)] = deck
    _deal_out(position, 0)
    return position


def advance(position: np.ndarray) -> int:
    """Go on, in place, to the next choice; return the number of legal actions there, 0 when the round is over."""
    return int(_advance(position, 0))


def legal_actions(position: np.ndarray) -> tuple[Action, ...]:
    """Return the legal actions of the seat on turn, in their fixed order (call `advance` first)."""
    out = np.zeros(int(position[0].n_legal), np.int64)
    _list_actions(position, 0, out)
    return tuple(Action(action) for action in out.tolist())


def observe(position: np.ndarray, seat: int) -> np.ndarray:
    """Return what `seat` may know of a position: STATE[1], the hidden tiles masked."""
    if not 0 <= seat < position[0].n_seats:
        raise ValueError(f"seat goes from 0 to {position[0].n_seats - 1}, not {seat}")
    seen = np.zeros(1, STATE)
    _observe(seen, 0, position, 0, seat)
    return seen


def apply(position: np.ndarray, action: int, seat: int | None = None) -> None:
    """Do an action of the seat on turn, in place.

    Parameters
    ----------
    position : STATE[1]
        A position at a choice: `advance` returned a number above 0.
    action
        One of `legal_actions`.
    seat
        Who means to do it; None: whoever is on turn.

    Raises
    ------
    IllegalAction
        With the reason; the position is untouched.
    """
    reason = why_not(position, action, seat)
    if reason:
        raise IllegalAction(reason)
    _apply(position, 0, int(action))
    s = position[0]
    s.legal[:], s.n_legal, s.may_pass = 0, 0, 0  # what is legal now, `advance` will say


def why_not(position: np.ndarray, action: int, seat: int | None = None, as_you: bool = False) -> str | None:
    """Return why an action is refused, None if it is legal; `as_you`: in the words for the seat on turn."""
    s = position[0]
    if s.over:
        return "the round is over"
    if seat is not None and seat != s.turn:
        return f"it is seat {s.turn}'s turn, not seat {seat}'s"
    legal = legal_actions(position)
    if action in legal:
        return None
    if not legal:
        return "nothing is to be chosen here"
    if action == PASS:
        who, it = ("you", "you") if as_you else (f"seat {s.turn}", "it")
        return f"{who} may not pass: {it} can lay {action_text(legal[0], int(s.n_seats))}"
    act = Action(action)
    if not act.is_lay or act.lo > act.hi:
        return f"{int(action)} is not an action"
    seat, train = int(s.turn), act.train
    name = train_text(train, int(s.n_seats))
    if train > s.n_seats:
        return f"there is no train {train} at a table of {s.n_seats}"
    if act.hi > s.max_pip or not s.hand[seat, act.hi] >> act.lo & 1:
        return f"{'you do' if as_you else f'seat {seat} does'} not hold {act.hi}-{act.lo}"
    end = int(s.end[train])
    if end not in (act.hi, act.lo):
        return f"{act.hi}-{act.lo} does not fit train {name}, which is open at {end}"
    if s.owed == COVER:
        return f"the double on train {train_text(int(s.open_on[s.n_open - 1]), int(s.n_seats))} must be covered first"
    if s.owed == FIRST and s.n_open:
        return f"the open double on train {train_text(int(s.open_on[0]), int(s.n_seats))} comes first"
    if s.owed == RIDE or (s.in_first_train and s.owed != EXTRA):
        return f"in its first turn a seat lays on its own train, not on train {name}"
    return f"train {name} has no marker"
