"""Game records: writing a game down, and playing one again, event by event, by the rules.

A record is a JSON object (format ``mtrain-record/1``); a file of them is JSON Lines. Replaying checks everything
a record says: the deal, each event against what the rules allow there, the scores, the totals and the ranks.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mtrain.errors import RunError
from mtrain.game import moves
from mtrain.game.kernels import CHOICE, DREW, FOUND_ENGINE, PASS, PASSED, ROUND_OVER
from mtrain.game.moves import IllegalAction, advance, apply, deal_hands, legal_actions, new_game, next_round
from mtrain.game.notation import MEXICAN, action_text, parse_action
from mtrain.game.rules import RulesError, RuleSet, ranks
from mtrain.game.state import OUT
from mtrain.game.tiles import parse_tile, tile_of, tile_text

FORMAT = "mtrain-record/1"

# The fields of a game and of a round, in the order in which they are written.
GAME_FIELDS = ("format", "rules", "players", "agents", "seed", "game", "rounds", "totals", "ranks")
ROUND_FIELDS = ("number", "engine", "starter", "hands", "boneyard", "events", "scores", "end")
MADE_FROM = ("players", "agents", "seed", "game")

Event = list[Any]
Chooser = Callable[[np.ndarray], int]

# Hears of every event with the position after it; of a round just dealt with None.
Teller = Callable[[np.ndarray, Event | None], None]


class RecordError(RunError):
    """A record that cannot be read, or that breaks a rule: the sentence names the round and the event."""


def forced_event(position: np.ndarray) -> Event | None:
    """Do the next thing that nobody chooses, in place; return its event, None at a choice or at the round's end."""
    s = position[0]
    while True:
        seat = int(s.turn)
        did = int(moves.step(position, 0))
        if did == DREW:
            return [seat, "draw", tile_text(int(s.deck[int(s.top) - 1]))]
        if did == PASSED:
            return [seat, "pass"]
        if did == FOUND_ENGINE:
            return [int(s.turn), "engine", tile_text(tile_of(int(s.engine), int(s.engine)))]
        if did in (CHOICE, ROUND_OVER):
            return None


def chosen_event(position: np.ndarray, action: int) -> Event:
    """Do an action of the seat on turn, in place; return the event that it is.

    Raises
    ------
    IllegalAction
        With the reason; the position is untouched.
    """
    seat = int(position[0].turn)
    apply(position, action)
    if action == PASS:
        return [seat, "pass"]
    tile, _, train = action_text(action, int(position[0].n_seats)).partition("@")
    return [seat, "play", tile, int(train) if train.isdigit() else train]


def unchosen_event(position: np.ndarray) -> Event | None:
    """Do the next thing that leaves no choice, in place; return its event, None at a choice or at the round's end."""
    event = forced_event(position)
    legal = legal_actions(position) if event is None else ()
    return chosen_event(position, legal[0]) if len(legal) == 1 else event


def play_events(position: np.ndarray, choose: Chooser) -> Iterator[Event | None]:
    """Play a dealt round on to its end, in place: what every game goes by that is played from Python.

    Parameters
    ----------
    position : STATE[1]
        A round from anywhere on.
    choose
        Called with the position where there are two or more legal actions; returns one of them.

    Yields
    ------
    event or None
        Every event, once it has been done; None at every choice, before `choose` is called.

    Raises
    ------
    IllegalAction
        If what is chosen is not legal.
    """
    while not position[0].over:
        event = unchosen_event(position)
        if event is None:
            yield None
            event = chosen_event(position, choose(position))
        yield event


def dealt_rounds(
    rules: RuleSet, players: int, *, seed: int, deal: int, starter: int, seating: int = 0
) -> Iterator[np.ndarray]:
    """Yield the position of a game at every deal: one array, whose round must be played before the next is dealt."""
    position = new_game(rules, players, seed=seed, deal=deal, seating=seating, starter=starter)
    yield position
    while position[0].number < rules.rounds:
        next_round(position, seed=seed, deal=deal)
        yield position


def dealt_of(position: np.ndarray) -> dict[str, Any]:
    s = position[0]
    size, n = int(s.hand_size), int(s.n_seats)
    deck = [tile_text(int(tile)) for tile in s.deck[: int(s.n_tiles)]]
    return {"hands": [deck[seat * size : (seat + 1) * size] for seat in range(n)], "boneyard": deck[n * size :]}


def play_round(position: np.ndarray, choose: Chooser, tell: Teller | None = None) -> dict[str, Any]:
    """Play a dealt round to its end, in place; return it as a record's round.

    Parameters
    ----------
    position : STATE[1]
        A round just dealt.
    choose
        Called with the position where there are two or more legal actions; returns one of them.
    tell
        Called with the position when the round is dealt, and after every event.
    """
    dealt, done = dealt_of(position), []
    if tell:
        tell(position, None)
    for event in filter(None, play_events(position, choose)):
        done.append(event)
        if tell:
            tell(position, event)
    return round_of(position, dealt, done)


def round_of(position: np.ndarray, dealt: Mapping[str, Any], events: list[Event]) -> dict[str, Any]:
    """Return a finished round as a record holds it."""
    found = {"number": int(position[0].number), "starter": int(position[0].starter), "events": events}
    found |= {**dealt, **_outcome(position)}
    return {field: found[field] for field in ROUND_FIELDS}


def game_of(rules: RuleSet, rounds: list[dict[str, Any]], **made_from: Any) -> dict[str, Any]:
    """Return a finished game as a record holds it."""
    found = {"format": FORMAT, "rules": rules.to_json(), "rounds": rounds, **made_from, **_standing(rules, rounds)}
    return {field: found[field] for field in GAME_FIELDS}


def _standing(rules: RuleSet, rounds: list[dict[str, Any]]) -> dict[str, Any]:
    """Return totals and ranks of the rounds played."""
    pips = np.array([round_["scores"] for round_ in rounds])
    return {"totals": pips.sum(0).tolist(), "ranks": ranks(pips, rules.tie_break).tolist()}


def play_game(
    rules: RuleSet,
    agents: list[str],
    choose: Chooser,
    *,
    seed: int,
    game: int,
    starter: int,
    seating: int = 0,
    tell: Teller | None = None,
) -> dict[str, Any]:
    """Play one game and return its record.

    Parameters
    ----------
    rules
        What is played.
    agents
        What sits where, as the record will say it; their number is the number of players.
    choose
        As for `play_round`.
    seed, game
        What the deal is made from: `game` is the deal's number.
    starter
        The seat that starts the first round.
    seating
        What the seats' own streams are made from, besides seed and game.
    tell
        As for `play_round`.
    """
    dealt = dealt_rounds(rules, len(agents), seed=seed, deal=game, seating=seating, starter=starter)
    rounds = [play_round(position, choose, tell) for position in dealt]
    return game_of(rules, rounds, players=len(agents), agents=agents, seed=seed, game=game)


def to_line(record: Mapping[str, Any]) -> str:
    """Return a record as its one line of JSON, without the line's end."""
    return json.dumps(record, ensure_ascii=False)


def _is_whole(value: Any) -> bool:
    """Say whether a value is a whole number; to Python, true and 1.0 are 1 as well."""
    return isinstance(value, int) and not isinstance(value, bool)


def _same(value: Any, right: Any) -> bool:
    """Say whether two JSON values are the same, types included."""
    try:
        return json.dumps(value) == json.dumps(right)
    except (TypeError, ValueError):
        return False


def _refuse_event(position: np.ndarray, event: Event, expected: Event | None) -> str:
    """Return why `event` cannot come next; `expected` is what must, if that is no choice."""
    s = position[0]
    if s.over and expected is None:
        return "the round is over"
    if not isinstance(event, list) or len(event) < 2 or not _is_whole(event[0]):
        return f"{event!r} is not an event"
    seat, what = event[0], event[1]
    if expected is not None:
        if [seat, what] == expected[:2] == [seat, "draw"]:
            return f"the next tile of the boneyard is {expected[2]}, not {event[2] if len(event) > 2 else None}"
        return f"{_say(event)}, but {_say(expected)} must come next"
    if seat != s.turn:
        return f"it is seat {s.turn}'s turn, not seat {seat}'s"
    if what == "draw":
        return f"seat {seat} may not draw: it can lay {action_text(legal_actions(position)[0], int(s.n_seats))}"
    if what == "engine":
        return f"an engine is placed already: {tile_text(tile_of(int(s.engine), int(s.engine)))}"
    return f"{_say(event)} is not an event"


def _say(event: Event) -> str:
    return f"seat {event[0]}: {' '.join(map(str, event[1:]))}"


def _action_of(event: Event, n_seats: int) -> int | None:
    """Return the action that an event of a choice is; None if it is none."""
    if not isinstance(event, list) or len(event) not in (2, 4) or not _is_whole(event[0]):
        return None
    if len(event) == 2:
        return PASS if event[1] == "pass" else None
    train = event[3]
    if event[1] != "play" or not isinstance(event[2], str) or not (_is_whole(train) or train == MEXICAN):
        return None
    return parse_action(f"{event[2]}@{train}", n_seats)


def follow(position: np.ndarray, event: Event) -> None:
    """Do one event of a record, in place.

    Raises
    ------
    IllegalAction
        With the reason why the event cannot come next; the position is untouched.
    """
    ahead = position.copy()
    expected = forced_event(ahead)
    if expected is not None:
        if not _same(event, expected):
            raise IllegalAction(_refuse_event(position, event, expected))
    else:
        try:
            action = None if ahead[0].over else _action_of(event, int(ahead[0].n_seats))
        except ValueError as error:
            raise IllegalAction(str(error)) from None
        if action is None:
            raise IllegalAction(_refuse_event(ahead, event, None))
        apply(ahead, action, event[0])
    position[:] = ahead


def replay(record: Mapping[str, Any]) -> Iterator[tuple[int, int, np.ndarray, Event | None]]:
    """Play a record again, checking all it says.

    Yields
    ------
    round, event, position, what
        For every round first its deal (event -1, `what` None), then each event with the position after it. The
        position is one array, changed in place: copy it to keep it.

    Raises
    ------
    RecordError
        Where the record breaks a rule or contradicts itself, with the round (from 1), event (from 0) and reason.
    """
    if not isinstance(record, Mapping):
        raise RecordError(f"not a game record, but a {type(record).__name__}")
    _hold_fields(record, GAME_FIELDS, "the game")
    if record["format"] != FORMAT:
        raise RecordError(f"format is {record['format']!r}, not {FORMAT!r}")
    players, rounds, agents = record["players"], record["rounds"], record["agents"]
    try:
        rules = RuleSet.from_json(record["rules"])
        if not _is_whole(players):
            raise RecordError(f"players is a whole number, not {players!r}")
        rules.hand_for(players)
    except RulesError as error:
        raise RecordError(str(error)) from None
    if not isinstance(agents, list) or not all(isinstance(agent, str) for agent in agents):
        raise RecordError(f"agents is a list of names, not {agents!r}")
    if len(agents) != players:
        raise RecordError(f"{len(agents)} agents for {players} players")
    if not isinstance(rounds, list) or len(rounds) != rules.rounds:
        found = len(rounds) if isinstance(rounds, list) else repr(rounds)
        raise RecordError(f"{found} rounds, where the rules say {rules.rounds}")
    for k, round_ in enumerate(rounds):
        _hold_fields(round_, ROUND_FIELDS, f"round {k + 1}")
        if k == 0 and not (_is_whole(round_["starter"]) and 0 <= round_["starter"] < players):
            raise RecordError(f"round 1: starter is a seat from 0 to {players - 1}, not {round_['starter']!r}")
        starter = (rounds[0]["starter"] + k) % players
        _hold_values(round_, {"number": k + 1, "starter": starter}, f"round {k + 1}: ", "is")
        yield from _replay_round(rules, players, round_)
    _hold_values(record, _standing(rules, rounds), "", "are")


def _hold_fields(value: Any, fields: Sequence[str], where: str) -> None:
    """Refuse what is no object with exactly these fields."""
    if not isinstance(value, Mapping):
        raise RecordError(f"{where} is an object, not {value!r}")
    for field in fields:
        if field not in value:
            raise RecordError(f"{where} lacks the field {field!r}")
    for field in value:
        if field not in fields:
            raise RecordError(f"{where} has a field {field!r} that the format does not know")


def _hold_values(value: Mapping[str, Any], told: Mapping[str, Any], where: str, verb: str) -> None:
    """Refuse fields that say something else than what was found."""
    for field, right in told.items():
        if not _same(value[field], right):
            raise RecordError(f"{where}{field} {verb} {value[field]!r}, not {right!r}")


def _tiles(texts: Any) -> list[int]:
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"tiles are a list of texts, not {texts!r}")
    return [parse_tile(text) for text in texts]


def _replay_round(
    rules: RuleSet, players: int, round_: Mapping[str, Any]
) -> Iterator[tuple[int, int, np.ndarray, Event | None]]:
    number = round_["number"]
    try:
        if not isinstance(round_["hands"], list) or len(round_["hands"]) != players:
            raise ValueError(f"hands are a list of {players} hands")
        hands = [_tiles(hand) for hand in round_["hands"]]
        boneyard = _tiles(round_["boneyard"])
        position = deal_hands(rules, hands, boneyard, number=number, starter=round_["starter"])
    except ValueError as error:
        raise RecordError(f"round {number}, the deal: {error}") from None
    if not isinstance(round_["events"], list):
        raise RecordError(f"round {number}: events are a list, not {round_['events']!r}")
    s = position[0]
    yield number, -1, position, None
    for k, event in enumerate(round_["events"]):
        try:
            follow(position, event)
        except IllegalAction as error:
            raise RecordError(f"round {number}, event {k}: {error}") from None
        yield number, k, position, event
    if not s.over:
        expected = forced_event(position)
        more = _say(expected) if expected else f"seat {s.turn} has a choice"
        raise RecordError(f"round {number}, event {len(round_['events'])}: the round is not over: {more}")
    _hold_values(round_, _outcome(position), f"round {number}: ", "is")


def _outcome(position: np.ndarray) -> dict[str, Any]:
    """Return what a record says of a finished round."""
    s = position[0]
    return {
        "engine": tile_text(tile_of(int(s.engine), int(s.engine))),
        "scores": [int(pips) for pips in s.pips[: int(s.n_seats)]],
        "end": "out" if s.over == OUT else "blocked",
    }


def replayed(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record that playing `record` again gives: the same, or a RecordError says what is wrong."""
    rounds: list[dict[str, Any]] = []
    for _, event, position, what in replay(record):
        if event < 0:
            dealt, events = dealt_of(position), []
        elif what:
            events.append(what)
        if position[0].over:
            rounds.append(round_of(position, dealt, events))
    return game_of(RuleSet.from_json(record["rules"]), rounds, **{field: record[field] for field in MADE_FROM})


def read_records(lines: Iterator[str]) -> Iterator[tuple[int, dict[str, Any], str]]:
    """Read a file of records: yield the line's number (from 1), the record, and the line itself.

    Raises
    ------
    RecordError
        If a line is not one JSON object.
    """
    for number, line in enumerate(lines, 1):
        text = line.rstrip("\n")
        try:
            record = json.loads(text)
        except json.JSONDecodeError as error:
            raise RecordError(f"line {number}: not JSON: {error}") from None
        if not isinstance(record, dict):
            raise RecordError(f"line {number}: not a game record, but a {type(record).__name__}")
        yield number, record, text


def perft(position: np.ndarray, depth: int) -> list[int]:
    """Count the sequences of actions of a fixed deal, by length.

    Parameters
    ----------
    position : STATE[1]
        Where to start; left as it is.
    depth
        The longest sequence counted.

    Returns
    -------
    list of int
        Entry d: how many sequences of d + 1 actions there are. Forced single plays count as actions; draws, passes
        for want of a tile, and other things that nobody chooses do not.
    """
    counts = [0] * depth
    _count(position.copy(), depth, counts, 0)
    return counts


def _count(position: np.ndarray, depth: int, counts: list[int], done: int) -> None:
    if done == depth or not advance(position):
        return
    for action in legal_actions(position):
        counts[done] += 1
        after = position.copy()
        apply(after, action)
        _count(after, depth, counts, done + 1)
