"""Game records: writing a game down, and playing one again, event by event, by the rules.

A record is a JSON object (format ``mtrain-record/1``); a file of them is JSON Lines. Replaying checks everything
a record says: the deal, each event against what the rules allow there, the scores, the totals and the ranks.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from mtrain.errors import Trouble
from mtrain.game import engine
from mtrain.game.engine import IllegalAction, advance, apply, deal_hands, legal_actions, new_game, next_round, why_not
from mtrain.game.kernels import CHOICE, DREW, FOUND_ENGINE, PASS, PASSED, ROUND_OVER
from mtrain.game.notation import action_text, parse_action, train_text
from mtrain.game.rules import RulesError, RuleSet
from mtrain.game.scoring import ranks
from mtrain.game.state import OUT
from mtrain.game.tiles import parse_tile, tile_of, tile_text

FORMAT = "mtrain-record/1"

Event = list[Any]
Chooser = Callable[[np.ndarray], int]


class RecordError(Trouble):
    """A record that cannot be read, or that breaks a rule: the sentence names the round and the event."""


def forced_event(position: np.ndarray) -> Event | None:
    """Do the next thing that nobody chooses, in place; return its event, None at a choice or at the round's end."""
    s = position[0]
    while True:
        seat = int(s.turn)
        did = int(engine._step(position, 0))
        if did == DREW:
            return [seat, "draw", tile_text(int(s.deck[int(s.top) - 1]))]
        if did == PASSED:
            return [seat, "pass"]
        if did == FOUND_ENGINE:
            return [int(s.turn), "engine", tile_text(tile_of(int(s.engine), int(s.engine)))]
        if did in (CHOICE, ROUND_OVER):
            return None


def _event_of(position: np.ndarray, action: int) -> Event:
    """Return the event that an action of the seat on turn is."""
    s = position[0]
    if action == PASS:
        return [int(s.turn), "pass"]
    tile, _, train = action_text(action, int(s.n_seats)).partition("@")
    return [int(s.turn), "play", tile, int(train) if train.isdigit() else train]


def _hands(position: np.ndarray) -> dict[str, Any]:
    s = position[0]
    size, n = int(s.hand_size), int(s.n_seats)
    deck = [tile_text(int(tile)) for tile in s.deck[: int(s.n_tiles)]]
    return {"hands": [deck[seat * size : (seat + 1) * size] for seat in range(n)], "boneyard": deck[n * size :]}


def play_round(position: np.ndarray, choose: Chooser) -> dict[str, Any]:
    """Play a dealt round to its end, in place; return it as a record's round.

    Parameters
    ----------
    position : STATE[1]
        A round just dealt.
    choose
        Called with the position where there are two or more legal actions; returns one of them.
    """
    s = position[0]
    dealt, events = _hands(position), []
    while not s.over:
        event = forced_event(position)
        if event:
            events.append(event)
        elif not s.over:
            legal = legal_actions(position)
            action = legal[0] if len(legal) == 1 else choose(position)
            why = why_not(position, action)
            if why:
                raise IllegalAction(why)
            events.append(_event_of(position, action))
            apply(position, action)
    n = int(s.n_seats)
    return {
        "number": int(s.number),
        "engine": tile_text(tile_of(int(s.engine), int(s.engine))),
        "starter": int(s.starter),
        **dealt,
        "events": events,
        "scores": [int(pips) for pips in s.pips[:n]],
        "end": "out" if s.over == OUT else "blocked",
    }


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
    """
    position = new_game(rules, len(agents), seed=seed, deal=game, seating=seating, starter=starter)
    rounds = [play_round(position, choose)]
    while len(rounds) < rules.rounds:
        next_round(position, seed=seed, deal=game)
        rounds.append(play_round(position, choose))
    return {
        "format": FORMAT,
        "rules": rules.to_json(),
        "players": len(agents),
        "agents": agents,
        "seed": seed,
        "game": game,
        "rounds": rounds,
        **_standing(rules, rounds),
    }


def to_line(record: Mapping[str, Any]) -> str:
    """Return a record as its one line of JSON, without the line's end."""
    return json.dumps(record, ensure_ascii=False)


def _refuse_event(position: np.ndarray, event: Event, expected: Event | None) -> str:
    """Return why `event` cannot come next; `expected` is what must, if that is no choice."""
    s = position[0]
    if not isinstance(event, list) or len(event) < 2 or not isinstance(event[0], int) or isinstance(event[0], bool):
        return f"{event!r} is not an event"
    seat, what = event[0], event[1]
    if s.over and expected is None:
        return "the round is over"
    if expected is not None:
        if seat == expected[0] and what == "draw" == expected[1]:
            return f"the next tile of the boneyard is {expected[2]}, not {event[2] if len(event) > 2 else None}"
        return f"{_say(event)}, but {_say(expected)} must come next"
    if what == "draw":
        if seat != s.turn:
            return f"it is seat {s.turn}'s turn, not seat {seat}'s"
        return f"seat {seat} may not draw: it can lay {action_text(legal_actions(position)[0], int(s.n_seats))}"
    if what == "engine":
        return f"an engine is placed already: {tile_text(tile_of(int(s.engine), int(s.engine)))}"
    return f"{_say(event)} is not an event"


def _say(event: Event) -> str:
    return f"seat {event[0]}: {' '.join(map(str, event[1:]))}"


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
        if event != expected:
            raise IllegalAction(_refuse_event(position, event, expected))
        position[:] = ahead
        return
    n = int(ahead[0].n_seats)
    named = len(event) > 1 and event[1] if isinstance(event, list) else None
    if not ahead[0].over and isinstance(event, list) and type(event[0]) is int:
        if named == "pass" and len(event) == 2:
            action: int = PASS
        elif (
            named == "play" and len(event) == 4 and isinstance(event[3], (int, str)) and not isinstance(event[3], bool)
        ):
            try:
                action = parse_action(f"{event[2]}@{event[3]}", n)
            except ValueError as error:
                raise IllegalAction(str(error)) from None
            if event[3] != (train_text(action.train, n) if action.train == n else action.train):
                raise IllegalAction(f"not a train: {event[3]!r}; a train is a seat's number, or mexican")
        else:
            raise IllegalAction(_refuse_event(ahead, event, None))
        apply(ahead, action, event[0])
        position[:] = ahead
        return
    raise IllegalAction(_refuse_event(ahead, event, None))


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
    try:
        if record["format"] != FORMAT:
            raise RecordError(f"format is {record['format']!r}, not {FORMAT!r}")
        rules = RuleSet.from_json(record["rules"])
        players, rounds = record["players"], record["rounds"]
        rules.hand_for(players)
        if len(record["agents"]) != players:
            raise RecordError(f"{len(record['agents'])} agents for {players} players")
        if len(rounds) != rules.rounds:
            raise RecordError(f"{len(rounds)} rounds, where the rules say {rules.rounds}")
        for k, round_ in enumerate(rounds):
            starter = (rounds[0]["starter"] + k) % players
            for field, right in (("number", k + 1), ("starter", starter)):
                if round_[field] != right or isinstance(round_[field], bool):
                    raise RecordError(f"round {k + 1}: {field} is {round_[field]!r}, not {right}")
            yield from _replay_round(rules, round_)
        standing = _standing(rules, rounds)
        for field in ("totals", "ranks"):
            if record[field] != standing[field]:
                raise RecordError(f"{field} are {record[field]}, not {standing[field]}")
    except RulesError as error:
        raise RecordError(str(error)) from None
    except (KeyError, TypeError, IndexError, AttributeError) as error:
        raise RecordError(f"not a game record: {type(error).__name__} {error}") from None


def _replay_round(rules: RuleSet, round_: Mapping[str, Any]) -> Iterator[tuple[int, int, np.ndarray, Event | None]]:
    number = round_["number"]
    try:
        hands = [[parse_tile(tile) for tile in hand] for hand in round_["hands"]]
        boneyard = [parse_tile(tile) for tile in round_["boneyard"]]
        position = deal_hands(rules, hands, boneyard, number=number, starter=round_["starter"])
    except ValueError as error:
        raise RecordError(f"round {number}, the deal: {error}") from None
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
    told = {
        "engine": tile_text(tile_of(int(s.engine), int(s.engine))),
        "scores": [int(pips) for pips in s.pips[: int(s.n_seats)]],
        "end": "out" if s.over == OUT else "blocked",
    }
    for field, right in told.items():
        if round_[field] != right:
            raise RecordError(f"round {number}: {field} is {round_[field]!r}, not {right!r}")


def replayed(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record that playing `record` again gives: the same, or a RecordError says what is wrong."""
    rounds: list[dict[str, Any]] = []
    for _, event, position, what in replay(record):
        s = position[0]
        if event < 0:
            rounds.append({"number": int(s.number), "engine": "", "starter": int(s.starter), **_hands(position)})
            rounds[-1]["events"] = []
        else:
            rounds[-1]["events"].append(what)
        if s.over:
            rounds[-1]["engine"] = tile_text(tile_of(int(s.engine), int(s.engine)))
            rounds[-1]["scores"] = [int(pips) for pips in s.pips[: int(s.n_seats)]]
            rounds[-1]["end"] = "out" if s.over == OUT else "blocked"
    rules = RuleSet.from_json(record["rules"])
    made = {field: record[field] for field in ("players", "agents", "seed", "game")}
    return {"format": FORMAT, "rules": rules.to_json(), **made, "rounds": rounds, **_standing(rules, rounds)}


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
