"""The tables: every column's name, type, unit and meaning, written once.

The arena writes `rounds` and `games` by these definitions and the rest of `study` reads them; nobody else spells out
a column. A table knows how to become a frame. It knows nothing of
dominoes beyond the words in its columns, and nothing of where results lie or what is estimated from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from mtrain.errors import UsageError

ENDS = ("out", "blocked")
"""How a round ends: a hand was emptied, or nobody could play."""

EFFECTS = ("seat", "starter offset")
"""What the `seats` table is about: the seat itself, or how far it sits after the round's starter."""

SIDES = ("after", "before")
"""Where a seat lies from an agent's: it has its turn right after it, or right before."""

MARKS = ("", "ahead", "behind")
"""What a pair's difference proves of the agent, when all pairs are judged together."""

HEAVY = 100
"""Pips from which a round is a heavy one."""

METHODS = ("counts", "proved", "weighed")
"""How sure an observer is of where tiles are: by hand sizes alone, by what is proved, by what others would do, too."""


_ARROW = {
    "bool": pa.bool_(),
    "int8": pa.int8(),
    "int16": pa.int16(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "float32": pa.float32(),
    "Float64": pa.float64(),
    "str": pa.string(),
    "category": pa.dictionary(pa.int16(), pa.string()),
}


SHARE, POSITIVE, REAL = (0.0, 1.0), (0.0, np.inf), (-np.inf, np.inf)
"""Scales: of a share, of what is never below 0, of any number."""

MASKED = (pd.arrays.IntegerArray, pd.arrays.FloatingArray, pd.arrays.BooleanArray)
"""Numbers of which some may be null."""


class ResultsError(UsageError):
    """Results are missing, damaged or contradict themselves; one sentence that names the thing."""


@dataclass(frozen=True)
class Column:
    """A column: its pandas dtype, what it means and the unit it is in.

    `Float64` is nullable: a number that can't be given is null, never 0, inf or nan. In a file from before there was a
    column, all of it is null. `scale`: between what ends a number lies. A `category` has the `choices` listed; those
    of the column `agent` are the labels of the run, in the order of its manifest. Two columns that follow one another
    and are the ends of an interval say which column it is the interval `of` (if that is none of the table,
    the interval stands by itself), and in `whole` what they mean together.
    """

    name: str
    dtype: str
    meaning: str
    unit: str = ""
    choices: tuple[str, ...] = ()
    of: str = ""
    whole: str = ""
    scale: tuple[float, float] = REAL


@dataclass(frozen=True)
class Table:
    """A table: its name, what one row is, the columns that tell rows apart and order them, and all columns in order."""

    name: str
    row: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in order."""
        return tuple(column.name for column in self.columns)

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(f"table {self.name!r} has no column {name!r}; it has {', '.join(self.names)}")

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema; each field carries its meaning and unit as metadata, so that a file explains itself."""
        about = [{"meaning": c.meaning} | ({"unit": c.unit} if c.unit else {}) for c in self.columns]
        return pa.schema(
            [pa.field(c.name, _ARROW[c.dtype], metadata=m) for c, m in zip(self.columns, about, strict=True)]
        )


def interval(
    name: str, meaning: str, unit: str, stem: str | None = None, scale: tuple[float, float] = REAL
) -> tuple[Column, Column, Column]:
    """Return the columns of a number and of its interval's ends, which begin with the number's name or with `stem`."""
    stem = f"{name}_" if stem is None else stem
    scale = SHARE if "share" in unit else scale
    return Column(name, "Float64", meaning, unit, scale=scale), *ends(stem, f"the 95 % interval of {name}", unit, name)


def ends(stem: str, whole: str, unit: str, of: str) -> tuple[Column, Column]:
    """Return the columns of the ends of an interval, which begin with `stem`."""
    return (
        Column(f"{stem}lo", "Float64", f"lower end of {whole}", unit, of=of, whole=whole),
        Column(f"{stem}hi", "Float64", f"upper end of {whole}", unit, of=of, whole=whole),
    )


_MATCH = Column("match", "int16", "line-up, from 0")
_DEAL = Column("deal", "int32", "deal; (match, deal) is a block: one deal in all its seatings")
_SEATING = Column("seating", "int16", "who sits where; (match, deal, seating) is one game")
_GAME = Column("game", "int32", "the game's number in the run")
_SEAT = Column("seat", "int8", "place at the table, from 0")
_AGENT = Column("agent", "category", "label of the agent in the seat")
_NOTE = Column("note", "str", "why a number or an interval is absent, else empty")
_VOID = Column("void", "bool", "a game of the block was spoilt by a fault, and the policy is to leave the block out")
_KIND = Column("kind", "str", "how the agent failed: raised, illegal, garbage, timeout, exited, closed, memory, flood")

ROUNDS = Table("rounds", "round × seat", ("match", "deal", "seating", "game", "round", "seat"), (
    _MATCH, _DEAL, _SEATING, _GAME,
    Column("round", "int8", "round of the game, from 1"),
    Column("engine", "int8", "number of the engine's double", "pips"),
    _SEAT,
    Column("starter", "int8", "seat that started this round"),
    _AGENT,
    Column("pips", "int16", "the round's score; lower is better", "pips"),
    Column("went_out", "bool", "this seat emptied its hand"),
    Column("end", "category", "how the round ended", choices=ENDS),
    Column("turns", "int16", "turns of this seat", "turns"),
    Column("decisions", "int16", "choices the agent was asked for (two or more actions)", "decisions"),
    Column("draws", "int16", "tiles drawn", "tiles"),
    Column("passes", "int16", "passes", "passes"),
    Column("plays", "int16", "tiles laid", "tiles"),
    Column("plays_own", "int16", "tiles laid on the seat's own train", "tiles"),
    _VOID,
))  # fmt: skip

GAMES = Table("games", "game × seat", ("match", "deal", "seating", "game", "seat"), (
    _MATCH, _DEAL, _SEATING, _GAME, _SEAT,
    Column("starter", "int8", "seat that started the game's first round"),
    _AGENT,
    Column("score", "int32", "sum of the rounds' pips; lower is better", "pips"),
    Column("rank", "int8", "competition rank (1, 1, 3, 4), after the rules' tie-break"),
    Column("win", "float32", "1 split among those ranked 1", "games"),
    Column("rounds_won", "float32", "rounds in which the seat had the lowest score, ties split", "rounds"),
    Column("rounds", "int8", "rounds in the game", "rounds"),
    Column("faults", "int16", "decisions in which the agent failed; a stand-in took its place", "faults"),
    _VOID,
))  # fmt: skip

FAULTS = Table("faults", "fault", ("match", "deal", "seating", "game", "round", "seat", "decision"), (
    _MATCH, _DEAL, _SEATING, _GAME,
    Column("round", "int8", "round of the game, from 1"),
    _SEAT, _AGENT,
    Column("decision", "int16", "which of the seat's choices in the round, from 1"),
    _KIND,
    Column("what", "str", "what was raised or answered, in one line"),
))  # fmt: skip

FAILURES = Table("failures", "agent × kind", ("agent", "kind"), (
    Column("agent", "str", "label of the agent"),
    _KIND,
    Column("faults", "int64", "how often it failed so", "faults"),
    Column("games", "int64", "games in which it did", "games"),
    Column("game", "int32", "the first of them, by its number: `mtrain again` plays it again"),
    Column("what", "str", "what was raised or answered there"),
))  # fmt: skip

# What has an interval here is the mean of the block number of its name: one more is a line here and one in `blocks`.
STANDINGS = Table("standings", "agent", ("agent",), (
    Column("agent", "str", "label of the agent"),
    Column("blocks", "int32", "blocks played", "blocks"),
    Column("games", "int32", "games played", "games"),
    *interval("diff", "own score minus the mean of the other agents' seats; lower is better", "pips/round"),
    *interval("win", "share of games won per seat, ties split", "win share"),
    *interval("rank_mean", "mean rank per seat, ties averaged", "rank", "rank_", (1.0, np.inf)),
    *interval("rating", "Plackett–Luce rating: mean 0 among agents that met, or from the anchor", "rating points"),
    *interval("round_wins", "share of rounds won (lowest score) per seat, ties split", "share of rounds"),
    *interval("pips", "mean score of a round per seat; lower is better", "pips/round", scale=POSITIVE),
    *interval("out", "share of rounds in which the seat went out; in a blocked one nobody does", "share of rounds"),
    *interval("score", "mean score of a game per seat; lower is better", "pips/game", scale=POSITIVE),
    *interval("zero", "share of rounds that cost the seat nothing", "share of rounds"),
    *interval("heavy", f"share of rounds that cost the seat {HEAVY} pips or more", "share of rounds"),
    Column("place_lo", "Float64", "best place by diff in its group that can be true: 1 + agents surely ahead", "place",
           of="place"),
    Column("place_hi", "Float64", "worst place that can be true; all ranges of a run hold together with 95 %", "place",
           of="place"),
    _NOTE,
))  # fmt: skip

PARTS = Table("parts", "part × agent", ("part", "agent"), (
    Column("part", "str", "name of the part: the same question at another table"),
    *STANDINGS.columns,
))  # fmt: skip

FAMILIES = Table("families", "parameter × family × setting", ("parameter", "family", "setting", "agent"), (
    Column("parameter", "str", "the number in which agents of a family differ"),
    Column("family", "str", "how its agents are written, … for that number"),
    Column("setting", "Float64", "the number"),
    Column("agent", "str", "label of the agent"),
    Column("blocks", "int32", "blocks played", "blocks"),
    *interval("diff", "own score minus the mean of the other agents' seats; lower is better", "pips/round"),
    _NOTE,
))  # fmt: skip

PAIRWISE = Table("pairwise", "agent × opponent", ("agent", "opponent"), (
    Column("agent", "str", "label of the agent"),
    Column("opponent", "str", "label of another agent"),
    Column("blocks", "int32", "blocks in which the two met", "blocks"),
    *interval("diff", "score of the agent minus score of the opponent; lower is better", "pips/round", ""),
    *interval("share", "share of games in which the agent ranks ahead of the opponent, ties half", "share of games"),
    Column("p", "Float64", "least level at which diff proves which is ahead, all pairs judged together", "probability"),
    Column("mark", "category", "which is ahead, if p is below 0.05", choices=MARKS),
    _NOTE,
))  # fmt: skip

SEATS = Table("seats", "effect × value", ("effect", "value"), (
    Column("effect", "category", "what is looked at", choices=EFFECTS),
    Column("value", "int8", "the seat, or its distance after the round's starter"),
    Column("blocks", "int32", "blocks behind the numbers", "blocks"),
    *interval("diff", "score of the seat minus the mean of the table; lower is better", "pips/round", ""),
    *interval("win", "share of games (seat) or of rounds (starter offset) won, ties split", "win share"),
    _NOTE,
))  # fmt: skip

NEIGHBOURS = Table("neighbours", "agent × side", ("agent", "side"), (
    Column("agent", "str", "label of the agent"),
    Column("side", "category", "where the seat lies from the agent's", choices=SIDES),
    Column("blocks", "int32", "blocks behind the number", "blocks"),
    *interval("diff", "score of others on that seat minus their score beside neither side of it", "pips/round", ""),
    _NOTE,
))  # fmt: skip

DESIGN = Table("design", "agent", ("agent",), (
    Column("agent", "str", "label of the agent"),
    Column("blocks", "int32", "blocks behind the numbers", "blocks"),
    Column("games", "int64", "games of those blocks", "games"),
    Column("diff", "Float64", "own score minus the mean of the other agents' seats; lower is better", "pips/round"),
    Column("se_block", "Float64", "standard error of diff over blocks: the true one", "pips/round"),
    Column("se_naive", "Float64", "standard error of diff if all games were independent: a wrong one", "pips/round"),
    Column("design_effect", "Float64", "variance of diff over blocks as a multiple of the naive one", "× variance"),
    Column("saved", "Float64", "share of that variance gone as all play the same deals", "share of variance"),
    _NOTE,
))  # fmt: skip

BOOTSTRAP = Table("bootstrap", "agent × quantity", ("agent", "quantity"), (
    Column("agent", "str", "label of the agent"),
    Column("quantity", "str", "column of the standings"),
    Column("unit", "str", "unit of its numbers"),
    Column("blocks", "int32", "blocks behind the numbers", "blocks"),
    *interval("value", "the estimate, as in the standings", "unit of the row", ""),
    *ends("boot_", "the 95 % bootstrap-t interval", "unit of the row", "boot"),
    _NOTE,
))  # fmt: skip

BY_ROUND = Table("by_round", "agent × round", ("agent", "round"), (
    Column("agent", "str", "label of the agent"),
    Column("round", "int8", "round of the game, from 1"),
    Column("blocks", "int32", "blocks behind the number", "blocks"),
    *interval("pips", "mean score of a round per seat; lower is better", "pips/round"),
    _NOTE,
))  # fmt: skip

SCORES = Table("scores", "agent × score", ("agent", "pips"), (
    Column("agent", "str", "label of the agent"),
    Column("pips", "int16", "score of a round", "pips"),
    Column("rounds", "int64", "seat-rounds that ended with this score", "rounds"),
    Column("share", "Float64", "the same as a share of the agent's seat-rounds", "share of rounds"),
))  # fmt: skip

RATINGS = Table("ratings", "agent", ("agent",), (
    Column("agent", "str", "label of the agent"),
    Column("group", "int16", "agents of one group met, if only through others; ratings compare within a group"),
    *interval(
        "rating", "Plackett–Luce rating: mean 0 in its group, or from the anchor; higher is better", "rating points"
    ),
    *ends("bootstrap_", "the bootstrap's 95 % interval of rating", "rating points", "bootstrap"),
    Column("first", "Float64", "share of bootstrap replicates in which it is rated first", "share of replicates"),
    _NOTE,
))  # fmt: skip

ALPHARANK = Table("alpharank", "agent", ("agent",), (
    Column("agent", "str", "label of the agent"),
    Column("group", "int16", "agents of one group met, if only through others"),
    Column("blocks", "int32", "blocks played", "blocks"),
    *interval("mass", "share of the time that a population of the fittest spends with the agent", "share of time"),
    Column("expected", "Float64", "mean of mass over bootstrap replicates", "share of time"),
    Column("basis", "str", "where a mutant's success was read off"),
    _NOTE,
))  # fmt: skip

STOPPING = Table("stopping", "agent", ("agent",), (
    Column("agent", "str", "label of the agent"),
    Column("blocks", "int32", "blocks behind the numbers", "blocks"),
    *interval("diff", "own score minus the mean of the other agents' seats, as if nobody had looked", "pips/round"),
    *interval("adjusted", "the same, its interval adjusted for stopping: it holds at every look", "pips/round"),
    _NOTE,
))  # fmt: skip

COMPARISON = Table("comparison", "test", ("agent", "opponent"), (
    Column("agent", "str", "label of the agent asked about"),
    Column("opponent", "str", "label of the agent that it is held against"),
    Column("better", "Float64", "the difference tested for, against none", "pips/round"),
    Column("alpha", "Float64", "probability of calling it better where it is not (one-sided)", "probability"),
    Column("beta", "Float64", "probability of calling it not better where it is, by that much", "probability"),
    Column("verdict", "str", "what the test says: better, not better, inconclusive, or not finished yet"),
    Column("blocks", "int32", "blocks in which the two met", "blocks"),
    Column("games", "int64", "games of those blocks", "games"),
    Column("llr", "Float64", "log likelihood ratio of the two hypotheses; higher speaks for better", "log likelihood"),
    Column("llr_lo", "Float64", "where the test ends: not better", "log likelihood", of="ends"),
    Column("llr_hi", "Float64", "where the test ends: better", "log likelihood", of="ends"),
    *interval("diff", "score of the agent minus score of the opponent, as if nobody had looked", "pips/round"),
    *interval("adjusted", "the same, adjusted for stopping: no bias of the median, valid at every look", "pips/round"),
    Column("fixed", "Float64", "blocks that a test of fixed size needs for these errors, by the spread seen", "blocks"),
    _NOTE,
))  # fmt: skip

PATH = Table("path", "agent × look", ("agent", "blocks"), (
    Column("agent", "str", "label of the agent, or the two of a test"),
    Column("blocks", "int32", "blocks seen", "blocks"),
    *interval("diff", "mean so far, its interval as if this were the only look; lower is better", "pips/round"),
    *ends("adjusted_", "the interval that holds at every look", "pips/round", "adjusted"),
    Column("llr", "Float64", "log likelihood ratio so far; null where there is no test", "log likelihood"),
))  # fmt: skip

COMPARED = Table("compared", "agent", ("first", "second"), (
    Column("first", "str", "label of the agent in the first results"),
    Column("second", "str", "its label in the second results"),
    Column("first_blocks", "int32", "its blocks in the first results", "blocks"),
    Column("second_blocks", "int32", "its blocks in the second results", "blocks"),
    Column("paired", "bool", "are the differences taken deal by deal, over the deals that both have?"),
    Column("first_diff", "Float64", "own score minus the others' in the first results; lower is better", "pips/round"),
    Column("second_diff", "Float64", "the same in the second results", "pips/round"),
    *interval("change", "second minus first: below 0 the second is better", "pips/round"),
    _NOTE,
))  # fmt: skip

POWER = Table("power", "test × truth", ("test", "truth"), (
    Column("test", "str", "a test of fixed size, or the sequential one"),
    Column("truth", "str", "what is supposed to be true"),
    *interval("blocks", "blocks needed, for the sequential test on average", "blocks"),
    Column("games", "Float64", "games of those blocks", "games"),
    Column("minutes", "Float64", "time they take at the pilot's rate", "minutes"),
    Column("found", "Float64", "probability that the test says better", "probability"),
    _NOTE,
))  # fmt: skip

TIMING = Table("timing", "agent", ("agent",), (
    Column("agent", "str", "label of the agent"),
    Column("decisions", "int64", "decisions timed", "decisions"),
    Column("us_per_decision", "Float64", "mean time of a decision", "µs"),
    Column("p95", "Float64", "95th percentile of that time", "µs"),
))  # fmt: skip

LOOKS = Table("looks", "look × method", ("deal", "look", "method"), (
    Column("deal", "int32", "deal, the block of these numbers"),
    Column("look", "int32", "the decision's number among those looked at"),
    Column("method", "category", "how the places of tiles were judged", choices=METHODS),
    Column("round", "int8", "round of the game, from 1"),
    Column("laid", "int16", "tiles on the table, without the engine", "tiles"),
    Column("tiles", "int16", "tiles that the seat on turn could not see", "tiles"),
    Column("worlds", "Float64", "effective number of worlds behind the judgement", "worlds"),
    Column("loss", "Float64", "mean of −ln(probability given to a tile's true place); lower is better", "nats/tile"),
))  # fmt: skip

BINS = Table("bins", "deal × method × bin", ("deal", "method", "low"), (
    Column("deal", "int32", "deal, the block of these numbers"),
    Column("method", "category", "how the places of tiles were judged", choices=METHODS),
    Column("low", "Float64", "least probability of the bin", "probability"),
    Column("high", "Float64", "greatest probability of the bin, left out but in the last", "probability"),
    Column("n", "int64", "pairs of a tile and a place that were given such a probability", "pairs"),
    Column("predicted", "Float64", "sum of those probabilities", "pairs"),
    Column("observed", "int64", "those where the tile lay there", "pairs"),
))  # fmt: skip

LOSSES = Table("losses", "method", ("method",), (
    Column("method", "category", "how the places of tiles were judged", choices=METHODS),
    Column("deals", "int32", "deals behind the number", "deals"),
    Column("looks", "int64", "decisions looked at", "decisions"),
    Column("tiles", "int64", "unseen tiles judged", "tiles"),
    *interval("loss", "mean of −ln(probability given to a tile's true place); lower is better", "nats/tile"),
    *interval("gain", "loss of `counts` minus this loss, over the same tiles; higher is better", "nats/tile"),
    Column("worlds", "Float64", "mean effective number of worlds", "worlds"),
    _NOTE,
))  # fmt: skip

CALIBRATION = Table("calibration", "method × bin", ("method", "low"), (
    Column("method", "category", "how the places of tiles were judged", choices=METHODS),
    Column("low", "Float64", "least probability of the bin", "probability"),
    Column("high", "Float64", "greatest probability of the bin, left out but in the last", "probability"),
    Column("deals", "int32", "deals with pairs in the bin", "deals"),
    Column("n", "int64", "pairs of a tile and a place that were given such a probability", "pairs"),
    Column("predicted", "Float64", "mean of those probabilities", "probability"),
    *interval("observed", "share of them where the tile lay there", "share of pairs"),
    _NOTE,
))  # fmt: skip


def frame(table: Table, data: Mapping[str, Any], labels: Sequence[str] | None = None) -> pd.DataFrame:
    """Make a frame of this table: its columns, in its order, with its dtypes.

    Parameters
    ----------
    table
        One of the tables of this module.
    data
        One array or series per column, all of one length. A category column may also be given as integer codes.
    labels
        The categories of `agent`, in order; by default those the column has, or its values sorted.

    Raises
    ------
    ResultsError
        A column is missing or not of this table, or a value doesn't fit its dtype.
    """
    missing, foreign = [n for n in table.names if n not in data], [n for n in data if n not in table.names]
    if missing or foreign:
        wrong = f"has no column {missing[0]!r}" if missing else f"has no place for a column {foreign[0]!r}"
        raise ResultsError(f"table {table.name!r} {wrong}; its columns are {', '.join(table.names)}")
    return pd.DataFrame({c.name: cast(table, c, data[c.name], labels) for c in table.columns}, copy=False)


def cast(table: Table, column: Column, values: Any, labels: Sequence[str] | None) -> Any:
    """Values of a column in its dtype."""
    where = f"column {column.name!r} of table {table.name!r}"
    if column.dtype == "category":
        return categorical(values, column.choices or labels, where)
    if column.dtype == "Float64":
        return nullable(values)
    if isinstance(values, pd.Series):
        values = values.array
    if isinstance(values, MASKED) and values.isna().any():
        return values
    if column.dtype == "str":
        return pd.array(np.asarray(values, dtype=object), dtype="str")
    array = np.asarray(values)
    wanted = np.dtype(column.dtype)
    if array.dtype == wanted:
        return array
    if wanted.kind == "i" and array.size:  # narrowing wraps silently
        info = np.iinfo(wanted)
        low, high = array.min(), array.max()
        if not (info.min <= low and high <= info.max):
            raise ResultsError(f"{where} holds {low} … {high}, which {column.dtype} can't")
    with np.errstate(invalid="ignore"):
        cast = array.astype(wanted)
    if wanted.kind == "i" and array.dtype.kind == "f" and not (cast == array).all():
        raise ResultsError(f"{where} holds {array[cast != array][0]}, which is no whole number")
    return cast


def nullable(values: Any) -> pd.arrays.FloatingArray:
    """Floats as a nullable array: what isn't finite is null."""
    if isinstance(values, pd.Series):
        values = values.array
    if isinstance(values, pd.arrays.FloatingArray):
        return values
    numbers = np.array(values, dtype=np.float64)
    return pd.arrays.FloatingArray(numbers, ~np.isfinite(numbers))


def categorical(values: Any, choices: Sequence[str] | None, where: str) -> pd.Categorical[str]:
    """A categorical with exactly these choices, from codes, strings or another categorical."""
    if isinstance(values, pd.Series):
        values = values.array
    if not isinstance(values, pd.Categorical) and np.asarray(values).dtype.kind in "iu":
        if choices is None:
            raise ResultsError(f"{where} is given as codes without the labels they stand for")
        codes = np.asarray(values)
        if codes.size and not (codes.min() >= 0 and codes.max() < len(choices)):
            raise ResultsError(f"{where} holds the code {codes.max()}, and there are {len(choices)} labels")
        return pd.Categorical.from_codes(codes, categories=pd.Index(list(choices), dtype="str"))
    given = values if isinstance(values, pd.Categorical) else pd.Categorical(values)
    if choices is None:
        return given
    places = pd.Index(list(choices), dtype="str").get_indexer(given.categories)
    codes = np.asarray(given.codes)
    used = np.bincount(codes[codes >= 0], minlength=len(places))[: len(places)] > 0
    if (unknown := used & (places < 0)).any():
        name = given.categories[int(np.argmax(unknown))]
        raise ResultsError(f"{where} holds {name!r}, which is none of {', '.join(choices)}")
    if len(places):
        codes = np.where(codes < 0, -1, places[codes])
    return pd.Categorical.from_codes(codes, categories=pd.Index(list(choices), dtype="str"))
