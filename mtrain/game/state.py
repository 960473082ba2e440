"""The State: one round, and the game around it, as one fixed-size NumPy record.

An observation is a State with the hidden tiles masked: the same dtype, read by the same kernels. The fields
down to `over` are public (or the watching seat's own); the last three are what a table hides.

==================  =========  ==================================================================================
field               shape      meaning
==================  =========  ==================================================================================
table               [19] rows  bit x of row v: the tile v-x lies on the table (the engine included)
legal               [11] rows  bit x of row t: the seat on turn may lay the tile end[t]-x on train t
score               [10]       totals of the game so far, by seat; lower is better
tally               [10, 6]    what each seat did this round: the columns are `TURNS` … `PLAYS_OWN`
pips                [10]       the round's score by seat, once it is over
count               [10]       hand sizes
top, n_tiles        –          the next tile to draw, and where the boneyard ends
n_legal             –          legal actions of the seat on turn, the pass included
double_blank        –          as in the rules
unseen_draws        [10]       tiles drawn by that seat and not yet seen on the table
void                [10, 19]   `unseen_draws` when that seat was last seen unable to play number v (`NEVER`: it was
                               not), less what it has laid of that number since; read it through `kernels.at_most`
laid                [190]      the tiles laid this round, oldest first, without the engine; n_laid of them
laid_on             [190]      where a tile lies: train + 1, `STATION` for the engine, 0: not on the table
since               [190]      turns that ended between a tile of `laid` and the one before it, plus `AT_ONCE` if it was
                               the tile just drawn; entry n_laid: turns ended since the last one. From `UNTOLD` on
                               nobody counts: the round's history is lost
engine_draws        –          tiles drawn to find an engine
stopped             –          bit per seat: ended its first-turn train though it could have gone on
end                 [11]       the open end of each train; the Mexican train has the index n_seats
open_on             [11]       the trains that carry an open double, oldest first; n_open of them
max_pip … closes    –          the rules, as small integers
number              –          of the round, from 1
engine              –          the number of the engine; −1 while none has been found
starter, turn       –          seats
owed                –          what the turn is about: `FIRST` … `RIDE`
drawn               –          1: the seat has just drawn a tile and not yet laid it or passed
in_first_train      –          1: the seat is in its first-turn train
acted, marked       –          bit per seat: has had its first turn; has a marker on its train
idle_turns          –          turns in a row in which nothing changed
may_pass            –          1: passing is legal
over                –          0, `OUT` or `BLOCKED`
stream              [10]       one random stream a seat
hand                [10, 19]   bit x of row [seat, v]: the seat holds v-x
deck                [190]      the round's permutation of the set; tiles from `top` on are the boneyard
==================  =========  ==================================================================================
"""

from typing import Any

import numpy as np

from mtrain.game.rules import MAX_PLAYERS, RuleSet
from mtrain.game.tiles import MAX_TILES, N_NUMBERS, set_size

MAX_SEATS = MAX_PLAYERS
MAX_TRAINS = MAX_SEATS + 1
STATION = MAX_TRAINS + 1
MAX_ACTIONS = 512  # more than can be legal at once

# `owed`: what the seat on turn has to lay next.
FIRST = 0  # the turn's first tile
COVER = 1  # a tile on the double it has just laid
EXTRA = 2  # one more tile, on any train it may use
RIDE = 3  # nothing: its first-turn train may go on

# `void`: nothing is known.
NEVER = 255

# `since`: the count that means "so many or more", and the bit of a tile laid as soon as it was drawn.
UNTOLD = 127
AT_ONCE = 128

# `over`: how a round ended.
OUT, BLOCKED = 1, 2

# Columns of `tally`.
TURNS, DRAWS, PASSES, PLAYS, PLAYS_OWN = range(5)
N_TALLIES = 5

HIDDEN = ("hand", "deck", "stream")

_FIELDS: list[Any] = [
    ("table", "i4", (N_NUMBERS,)),
    ("legal", "i4", (MAX_TRAINS,)),
    ("score", "i4", (MAX_SEATS,)),
    ("tally", "i2", (MAX_SEATS, N_TALLIES)),
    ("pips", "i2", (MAX_SEATS,)),
    ("count", "i2", (MAX_SEATS,)),
    ("n_legal", "i2"),
    ("top", "i2"),
    ("n_tiles", "i2"),
    ("n_laid", "i2"),
    ("double_blank", "i2"),
    ("marked", "i2"),
    ("acted", "i2"),
    ("stopped", "i2"),
    ("unseen_draws", "u1", (MAX_SEATS,)),
    ("void", "u1", (MAX_SEATS, N_NUMBERS)),
    ("laid", "u1", (MAX_TILES,)),
    ("laid_on", "u1", (MAX_TILES,)),
    ("since", "u1", (MAX_TILES,)),
    ("end", "u1", (MAX_TRAINS,)),
    ("open_on", "u1", (MAX_TRAINS,)),
    ("n_open", "u1"),
    ("engine_draws", "u1"),
    # the rules
    ("max_pip", "u1"),
    ("n_seats", "u1"),
    ("hand_size", "u1"),
    ("n_rounds", "u1"),
    ("countdown", "u1"),
    ("highest", "u1"),
    ("train_first", "u1"),
    ("doubles_count", "u1"),
    ("must_play", "u1"),
    ("extra", "u1"),
    ("draw_to_cover", "u1"),
    ("mark_uncovered", "u1"),
    ("closes", "u1"),
    ("count_tiles", "u1"),
    # where the game is
    ("number", "u1"),
    ("engine", "i1"),
    ("starter", "u1"),
    ("turn", "u1"),
    ("owed", "u1"),
    ("drawn", "u1"),
    ("in_first_train", "u1"),
    ("idle_turns", "u1"),
    ("may_pass", "u1"),
    ("over", "u1"),
    # hidden
    ("stream", "u8", (MAX_SEATS,)),
    ("hand", "i4", (MAX_SEATS, N_NUMBERS)),
    ("deck", "u1", (MAX_TILES,)),
]


def _padded() -> list[Any]:
    """Return the fields with every gap named, so that equal States are equal byte for byte."""
    filled: list[Any] = []
    size = 0
    for field in [*_FIELDS, ("", "u8")]:
        gap = -size % np.dtype(field[1]).itemsize
        if gap:
            filled.append((f"pad{size}", "u1", (gap,)))
        filled.append(field)
        size += gap + np.dtype([field]).itemsize
    return filled[:-1]


STATE = np.dtype((np.record, np.dtype(_padded(), align=True)))

# What a compiled agent brings along: its stream, and its parameters as numbers. A record, since handing over an
# array costs kernels two locked counts.
N_PARAMS = 16
AGENT_STATE = np.dtype((np.record, np.dtype([("rng", "u8"), ("params", "f8", (N_PARAMS,))], align=True)))

PUBLIC = tuple(name for name in STATE.names or () if name not in HIDDEN)

# How many bytes of a State come before its hidden fields.
PUBLIC_BYTES = min(STATE.fields[name][1] for name in HIDDEN) if STATE.fields else 0


def blank(rules: RuleSet, players: int) -> np.ndarray:
    """Return a State with the rules filled in and nothing dealt: STATE[1].

    Raises
    ------
    RulesError
        If these rules cannot be dealt to so many players.
    """
    hand_size = rules.hand_for(players)
    state = np.zeros(1, STATE)
    s = state[0]
    s.max_pip, s.n_seats, s.hand_size, s.n_rounds = rules.max_pip, players, hand_size, rules.rounds
    s.countdown = rules.engine == "countdown"
    s.highest = rules.engine == "highest-double"
    s.n_tiles = set_size(rules.max_pip) - s.countdown
    s.train_first = rules.first_turn == "train"
    s.doubles_count = rules.first_turn_doubles == "count"
    s.must_play = rules.drawn_tile == "must"
    s.extra = rules.after_double == "extra"
    s.draw_to_cover, s.mark_uncovered = rules.draw_to_cover, rules.mark_uncovered
    s.closes = rules.exhausted_double == "closed"
    s.count_tiles = rules.scoring == "tiles"
    s.double_blank = rules.double_blank
    return state
