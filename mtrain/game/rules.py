"""Which game is played: the fields of a RuleSet, what each may be, and the four presets.

A RuleSet is a frozen, validated value; a house rule is a field changed, never a branch of the code. This
module knows what can be dealt, and nothing of how a round goes.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from mtrain.errors import UsageError, nearest
from mtrain.game.tiles import SETS, set_size

# ── Which game is played ──────────────────────────────────────────────────────────────────────────────


# Moves on only when a record made under the older number would no longer replay.
RULES_VERSION = 1

MIN_PLAYERS, MAX_PLAYERS = 2, 10
MAX_ROUNDS = 100


class RulesError(UsageError):
    """A rule, or a combination of rules, that no game can be played by."""


CHOICES: dict[str, tuple[str, ...]] = {
    "engine": ("countdown", "first-double", "highest-double"),
    "first_turn": ("single", "train"),
    "first_turn_doubles": ("count", "ignored"),
    "drawn_tile": ("may", "must"),
    "after_double": ("cover", "extra"),
    "exhausted_double": ("open", "closed"),
    "scoring": ("pips", "tiles"),
    "tie_break": ("shared", "zero-rounds"),
}

MEANING: dict[str, str] = {
    "max_pip": "the set holds every pair of 0 … max_pip",
    "players": "least and most seats",
    "hand_size": "tiles dealt, by number of players",
    "rounds": "rounds in a game",
    "engine": "where the engine comes from",
    "first_turn": "one tile, or a whole train of one's own",
    "first_turn_doubles": "do doubles in a first-turn train need covering",
    "drawn_tile": "a drawn tile that fits may, or must, be played",
    "after_double": "cover that double, or lay one more tile anywhere",
    "draw_to_cover": "may the seat draw for the tile it owes",
    "mark_uncovered": "does failing to lay the owed tile raise a marker",
    "exhausted_double": "a double that nothing can cover stays open, or closes",
    "scoring": "a tile left in hand costs its pips, or 1",
    "double_blank": "extra pips for holding 0-0",
    "tie_break": "equal totals share a rank, or rounds at 0 decide",
}

# Fields that came after the first kept files: {field: the version of mtrain that brought it}. Files without one were
# made when its default was the only way to play, so it is read as that; and the default is not written, so that what
# is played as before is written, and hashed, as before.
SINCE: dict[str, str] = {}

# Values that a preset's published text leaves out and that are read into it: {preset: {field: keys}}.
ASSUMED: dict[str, dict[str, tuple[int, ...]]] = {"standard": {"hand_size": (3, 5, 6, 7)}}


def _whole(field: str, value: Any, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise RulesError(f"{field} is a whole number from {least} to {most}, not {value!r}")
    if not least <= value <= most:
        raise RulesError(f"{field} goes from {least} to {most}, not {value}")
    return value


def _players_key(key: Any) -> int:
    """Return the number of players that a key of `hand_size` stands for, as a number or (in JSON) as a text."""
    known = [key] if isinstance(key, int) and not isinstance(key, bool) else []
    if isinstance(key, str) and key in map(str, range(MIN_PLAYERS, MAX_PLAYERS + 1)):
        known = [int(key)]
    if not known or not MIN_PLAYERS <= known[0] <= MAX_PLAYERS:
        raise RulesError(f"hand_size is given by number of players (2 to 10), not by {key!r}")
    return known[0]


@dataclass(frozen=True)
class RuleSet:
    """The rules of one game; see `MEANING` for the fields and `CHOICES` for their values.

    Raises
    ------
    RulesError
        If a value is none of its choices, or no number of players can be dealt by these rules.
    """

    max_pip: int = 12
    players: tuple[int, int] = (2, 8)
    hand_size: int | Mapping[int, int] = 10
    rounds: int = 13
    engine: str = "countdown"
    first_turn: str = "single"
    first_turn_doubles: str = "count"
    drawn_tile: str = "may"
    after_double: str = "cover"
    draw_to_cover: bool = False
    mark_uncovered: bool = False
    exhausted_double: str = "open"
    scoring: str = "pips"
    double_blank: int = 0
    tie_break: str = "shared"

    def __post_init__(self) -> None:
        if self.max_pip not in SETS or not isinstance(self.max_pip, int):
            raise RulesError(f"max_pip is one of {', '.join(map(str, SETS))}, not {self.max_pip!r}")
        for field, choices in CHOICES.items():
            value = getattr(self, field)
            if value not in choices:
                raise RulesError(f"{field} is one of {', '.join(choices)}, not {value!r}")
        for field in ("draw_to_cover", "mark_uncovered"):
            if not isinstance(getattr(self, field), bool):
                raise RulesError(f"{field} is true or false, not {getattr(self, field)!r}")
        if not isinstance(self.players, (tuple, list)) or len(self.players) != 2:
            raise RulesError(f"players is the least and the most, like [2, 8], not {self.players!r}")
        least, most = (_whole("players", n, MIN_PLAYERS, MAX_PLAYERS) for n in self.players)
        if least > most:
            raise RulesError(f"players is the least and the most, not [{least}, {most}]")
        object.__setattr__(self, "players", (least, most))
        if isinstance(self.hand_size, Mapping):
            sizes = {_players_key(n): size for n, size in self.hand_size.items()}
            sizes = {n: _whole("hand_size", size, 1, 50) for n, size in sorted(sizes.items())}
            object.__setattr__(self, "hand_size", sizes)
        else:
            _whole("hand_size", self.hand_size, 1, 50)
        most_rounds = self.max_pip + 1 if self.engine == "countdown" else MAX_ROUNDS
        if not isinstance(self.rounds, bool) and isinstance(self.rounds, int) and self.rounds > most_rounds:
            why = f" (engine=countdown on a double-{self.max_pip} set)" if self.engine == "countdown" else ""
            raise RulesError(f"rounds is {self.rounds}, but at most {most_rounds} can be played{why}")
        _whole("rounds", self.rounds, 1, most_rounds)
        _whole("double_blank", self.double_blank, 0, 1000)
        if not self.dealable():
            self.hand_for(least)  # says what is wrong with the fewest players

    def hand_for(self, players: int) -> int:
        """Return how many tiles each of `players` seats is dealt.

        Raises
        ------
        RulesError
            If these rules do not allow, or the set cannot serve, that many players.
        """
        least, most = self.players
        if not least <= players <= most:
            raise RulesError(f"players goes from {least} to {most} in these rules, not {players}")
        if isinstance(self.hand_size, Mapping):
            if players not in self.hand_size:
                known = ", ".join(map(str, self.hand_size))
                raise RulesError(f"hand_size says nothing for {players} players (it does for {known})")
            size = self.hand_size[players]
        else:
            size = self.hand_size
        spare = 1 if self.engine == "countdown" else 0
        there = set_size(self.max_pip) - spare
        if players * size > there:
            besides = " besides the engine" if spare else ""
            raise RulesError(
                f"hand_size cannot be dealt: {players} players × {size} tiles need {players * size}, "
                f"but the double-{self.max_pip} set (max_pip={self.max_pip}) has {there}{besides}"
            )
        return size

    def dealable(self) -> list[int]:
        """Return the numbers of players for which these rules can be dealt."""
        able = []
        for players in range(self.players[0], self.players[1] + 1):
            try:
                self.hand_for(players)
            except RulesError:
                continue
            able.append(players)
        return able

    def to_json(self) -> dict[str, Any]:
        """Return the fields as they are kept, `SINCE` with their defaults left out; `from_json` is the inverse."""
        usual = {field.name: field.default for field in fields(self) if field.name in SINCE}
        return {field: value for field, value in self.all_fields().items() if usual.get(field, ...) != value}

    def all_fields(self) -> dict[str, Any]:
        """Return every field as JSON values, in the order of the fields."""
        values = asdict(self)
        values["players"] = list(self.players)
        if isinstance(self.hand_size, Mapping):
            values["hand_size"] = {str(n): size for n, size in self.hand_size.items()}
        return values

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "RuleSet":
        """Return the RuleSet that `to_json` writes as `values`: all fields, but for those of `SINCE`; nothing else."""
        missing = [field.name for field in fields(cls) if field.name not in values and field.name not in SINCE]
        if missing:
            raise RulesError(f"the rules lack {', '.join(missing)}")
        return _changed(cls(), values)


def _parse(field: str, text: str) -> Any:
    """Return the value that a person means by `text` for `field`: JSON, or the short forms of the command line."""
    text = text.strip()
    if field in CHOICES:
        return text
    if field in ("draw_to_cover", "mark_uncovered"):
        said = text.lower()
        return True if said in ("true", "yes", "1") else False if said in ("false", "no", "0") else text
    if field == "players" and "[" not in text:
        return [_number(part) for part in text.replace("–", "-").replace(",", "-").split("-")]
    if field == "hand_size" and ":" in text and "{" not in text:
        pairs = [pair.partition(":") for pair in text.split(",")]
        named = [players.strip() for players, _, _ in pairs]
        if twice := [players for players in named if named.count(players) > 1]:
            raise RulesError(f"hand_size is given twice for {twice[0]} players")
        return {players: _number(size) for players, (_, _, size) in zip(named, pairs, strict=True)}
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def _number(text: str) -> int | str:
    return int(text) if text.strip().isascii() and text.strip().isdigit() else text


def override(rules: RuleSet, values: Mapping[str, Any]) -> RuleSet:
    """Return `rules` with some fields changed.

    Parameters
    ----------
    rules
        What to start from.
    values
        Field names and their new values; a string is read as on the command line (``"yes"``, ``"2:15,3:12"``).

    Raises
    ------
    RulesError
        If a field is unknown (the nearest name is offered) or a value is none of its choices.
    """
    return _changed(rules, {f: _parse(f, value) if isinstance(value, str) else value for f, value in values.items()})


def _changed(rules: RuleSet, values: Mapping[str, Any]) -> RuleSet:
    for field in values:
        if field not in MEANING:
            raise RulesError(f"unknown rule {field!r}; {nearest(field, MEANING)}")
    changes: dict[str, Any] = dict(values)
    if isinstance(changes.get("players"), list):
        changes["players"] = tuple(changes["players"])
    return replace(rules, **changes)


PRESETS: dict[str, RuleSet] = {
    "standard": RuleSet(hand_size={2: 15, 3: 12, 4: 10, 5: 9, 6: 8, 7: 7, 8: 6}),
    "pinecone": RuleSet(
        players=(2, 4),
        hand_size=15,
        drawn_tile="must",
        draw_to_cover=True,
        mark_uncovered=True,
        exhausted_double="closed",
        tie_break="zero-rounds",
    ),
    "cardinal": RuleSet(
        hand_size={2: 15, 3: 15, 4: 15, 5: 12, 6: 12, 7: 11, 8: 11},
        rounds=1,
        engine="first-double",
        first_turn="train",
        first_turn_doubles="ignored",
        drawn_tile="must",
        after_double="extra",
        draw_to_cover=True,
        mark_uncovered=True,
        scoring="tiles",
    ),
    "trainyard": RuleSet(
        players=(2, 10),
        hand_size={2: 15, 3: 15, 4: 15, 5: 12, 6: 12, 7: 10, 8: 10, 9: 8, 10: 8},
        rounds=1,
        engine="highest-double",
        first_turn="train",
        drawn_tile="must",
        draw_to_cover=True,
        mark_uncovered=True,
    ),
}


def preset(name: str, **changes: Any) -> RuleSet:
    """Return the preset called `name`, with some fields changed.

    Raises
    ------
    RulesError
        If there is no such preset or field, or the result cannot be dealt.
    """
    if name not in PRESETS:
        raise RulesError(f"unknown rules {name!r}; {nearest(name, PRESETS)}")
    return override(PRESETS[name], changes)


# ── Who won a game ────────────────────────────────────────────────────────────────────────────────────
#
# Who won a game: ranks from the scores of its rounds. Lower is better, here and only here.
#
# Works on whole arrays of games at once; knows nothing of how the scores came about.


def ranks(pips: np.ndarray, tie_break: str) -> np.ndarray:
    """Return the competition ranks (1, 1, 3, 4) of games.

    Parameters
    ----------
    pips : int[..., rounds, seats]
        The score of every round.
    tie_break
        ``shared``: equal totals share a rank. ``zero-rounds``: more rounds at 0 first, then the lowest round score
        above 0; still equal: shared.

    Returns
    -------
    int8[..., seats]
    """
    pips = np.asarray(pips, np.int64)
    key = pips.sum(-2)
    if tie_break == "zero-rounds":
        n_rounds, most = pips.shape[-2], int(pips.max(initial=0)) + 1
        zeros = (pips == 0).sum(-2)
        lowest = np.where(pips > 0, pips, most).min(-2)
        key = (key * (n_rounds + 1) + n_rounds - zeros) * (most + 1) + lowest
    rank: np.ndarray = 1 + (key[..., None, :] < key[..., :, None]).sum(-1)
    return rank.astype(np.int8)


def shares(rank: np.ndarray) -> np.ndarray:
    """Return each seat's share of the win: 1, split evenly among those ranked 1: float64[..., seats]."""
    first = np.asarray(rank) == 1
    share: np.ndarray = first / first.sum(-1, keepdims=True)
    return share
