"""The referee: Mexican Train played a second time, slowly, straight from the text of the rules and of the records.

It holds the presets, one round as a plain dict that changes event by event, the ranks of a game, and a check of whole
game records. Tiles are texts ("12-7"), trains are lists of tiles in the order laid, nothing is cached that can be read
off the table. It must not know the engine it is there to check: it imports nothing but the standard library.

A round in play is a dict; beside the table itself it keeps four facts about the turn that is on:

    due       what the seat must lay next, or None once the round is over
              "engine": the engine still has to be found and placed     "first": the first tile of an ordinary turn
              "cover":  a tile on the double just laid                  "extra": one more tile on any train it may use
              "train":  nothing, but it may go on with its first-turn train
    drew      has the seat drawn for what is due?
    on_train  is this turn a first-turn train that the seat has not left?
    changed   was a tile drawn or laid in this turn, or a new marker put up?
"""

import random
from copy import deepcopy
from itertools import chain

MEXICAN = "mexican"
FORMAT = "mtrain-record/1"

CHOICES = {
    "engine": ("countdown", "highest-double", "first-double"),
    "first_turn": ("single", "train"),
    "first_turn_doubles": ("count", "ignored"),
    "drawn_tile": ("may", "must"),
    "after_double": ("cover", "extra"),
    "draw_to_cover": (False, True),
    "mark_uncovered": (False, True),
    "exhausted_double": ("open", "closed"),
    "scoring": ("pips", "tiles"),
    "tie_break": ("shared", "zero-rounds"),
}

PRESETS: dict[str, dict] = {
    "standard": {
        "max_pip": 12,
        "players": [2, 8],
        "hand_size": {"2": 15, "3": 12, "4": 10, "5": 9, "6": 8, "7": 7, "8": 6},
        "rounds": 13,
        "engine": "countdown",
        "first_turn": "single",
        "first_turn_doubles": "count",
        "drawn_tile": "may",
        "after_double": "cover",
        "draw_to_cover": False,
        "mark_uncovered": False,
        "exhausted_double": "open",
        "scoring": "pips",
        "double_blank": 0,
        "tie_break": "shared",
    },
    "pinecone": {
        "max_pip": 12,
        "players": [2, 4],
        "hand_size": 15,
        "rounds": 13,
        "engine": "countdown",
        "first_turn": "single",
        "first_turn_doubles": "count",
        "drawn_tile": "must",
        "after_double": "cover",
        "draw_to_cover": True,
        "mark_uncovered": True,
        "exhausted_double": "closed",
        "scoring": "pips",
        "double_blank": 0,
        "tie_break": "zero-rounds",
    },
    "cardinal": {
        "max_pip": 12,
        "players": [2, 8],
        "hand_size": {"2": 15, "3": 15, "4": 15, "5": 12, "6": 12, "7": 11, "8": 11},
        "rounds": 1,
        "engine": "first-double",
        "first_turn": "train",
        "first_turn_doubles": "ignored",
        "drawn_tile": "must",
        "after_double": "extra",
        "draw_to_cover": True,
        "mark_uncovered": True,
        "exhausted_double": "open",
        "scoring": "tiles",
        "double_blank": 0,
        "tie_break": "shared",
    },
    "trainyard": {
        "max_pip": 12,
        "players": [2, 10],
        "hand_size": {"2": 15, "3": 15, "4": 15, "5": 12, "6": 12, "7": 10, "8": 10, "9": 8, "10": 8},
        "rounds": 1,
        "engine": "highest-double",
        "first_turn": "train",
        "first_turn_doubles": "count",
        "drawn_tile": "must",
        "after_double": "cover",
        "draw_to_cover": True,
        "mark_uncovered": True,
        "exhausted_double": "open",
        "scoring": "pips",
        "double_blank": 0,
        "tie_break": "shared",
    },
}


class Breach(Exception):
    """A rule is broken; the message is a sentence that says which and where."""


def require(claim: bool, sentence: str) -> None:
    """Raise the sentence as a Breach unless the claim holds."""
    if not claim:
        raise Breach(sentence)


# Tiles and rules


def full_set(max_pip: int) -> list[str]:
    """Every pair of 0…max_pip once, larger number first."""
    return [f"{high}-{low}" for high in range(max_pip + 1) for low in range(high + 1)]


def numbers(tile: str) -> tuple[int, int]:
    """The two numbers of a tile, larger first."""
    high, low = tile.split("-")
    return int(high), int(low)


def is_double(tile: str) -> bool:
    """Has the tile the same number twice?"""
    high, low = numbers(tile)
    return high == low


def tiles_dealt(rules: dict, players: int) -> int:
    """The tiles dealt to each seat: one number for all, or one by number of players."""
    size = rules["hand_size"]
    if isinstance(size, dict):
        require(str(players) in size, f"hand_size says nothing for {players} players")
        size = size[str(players)]
    require(type(size) is int and size > 0, f"hand_size must be a positive number of tiles, not {size!r}")
    return size


def check_rules(rules: dict, players: int) -> None:
    """Refuse fields and values that the rules do not know, and a table that cannot be dealt."""
    fields = set(PRESETS["standard"])
    require(isinstance(rules, dict), "the rules are not an object")
    require(set(rules) == fields, f"rules with missing or unknown fields: {sorted(set(rules) ^ fields)}")
    for field, choices in CHOICES.items():
        known = any(rules[field] == choice and type(rules[field]) is type(choice) for choice in choices)
        require(known, f"{field} must be one of {choices}, not {rules[field]!r}")
    for field, least in (("max_pip", 1), ("rounds", 1), ("double_blank", 0)):
        value = rules[field]
        require(type(value) is int and value >= least, f"{field} must be a number from {least} up, not {value!r}")
    span = rules["players"]
    sane = isinstance(span, list) and len(span) == 2 and all(type(count) is int for count in span)
    require(sane and 2 <= span[0] <= span[1], f"players must be [least, most], not {span!r}")
    require(type(players) is int and span[0] <= players <= span[1], f"players: {players!r} is not within {span}")
    countdown = rules["engine"] == "countdown"
    needed, n_tiles = players * tiles_dealt(rules, players) + countdown, len(full_set(rules["max_pip"]))
    require(needed <= n_tiles, f"hand_size: {players} players need {needed} tiles, the set has {n_tiles}")
    # The countdown has one engine for every number of the set.
    require(not countdown or rules["rounds"] <= rules["max_pip"] + 1, "rounds: countdown has only max_pip + 1 of them")


def countdown_engine(rules: dict, number: int) -> str:
    """Round k uses the double (max_pip + 1 − k)."""
    pip = rules["max_pip"] + 1 - number
    return f"{pip}-{pip}"


# The table


def open_end(state: dict, train: int | str) -> int:
    """The number at the end of a train; an empty train's open end is the engine's number."""
    end = numbers(state["engine"])[0]
    for tile in state["trains"][train]:
        high, low = numbers(tile)
        end = low if end == high else high
    return end


def usable(state: dict) -> list[int | str]:
    """The trains a seat may use: its own, the marked ones, the Mexican train."""
    return [*sorted({state["turn"], *state["marked"]}), MEXICAN]


def targets(state: dict) -> list[int | str]:
    """The trains on which the tile that is due, or allowed, may go."""
    if state["due"] == "first" and state["open_doubles"]:
        return state["open_doubles"][:1]  # Rule 1: the oldest open double, wherever it lies, marked or not.
    if state["due"] == "cover":
        return state["open_doubles"][-1:]  # The double just laid is the youngest.
    if state["due"] == "train" or (state["due"] == "first" and state["on_train"]):
        return [state["turn"]]  # A first-turn train is laid on its own train only.
    return usable(state)


def fitting(state: dict) -> list[list]:
    """Every play of a tile in hand on a target that it fits."""
    seat = state["turn"]
    ends = {train: open_end(state, train) for train in targets(state)}
    return [
        [seat, "play", tile, train]
        for tile in state["hands"][seat]
        for train, end in ends.items()
        if end in numbers(tile)
    ]


def is_exhausted(state: dict, train: int | str) -> bool:
    """Do all other tiles with the number of the double at the end of this train lie on the table?"""
    pip = open_end(state, train)
    table = {state["engine"], *chain.from_iterable(state["trains"].values())}
    return all(tile in table for tile in full_set(state["rules"]["max_pip"]) if pip in numbers(tile))


def engine_in_hand(state: dict) -> tuple[int, str] | None:
    """The seat that has to place an engine and its double, or None while nobody holds a double."""
    hands, n_seats = state["hands"], len(state["hands"])
    seats = [(state["starter"] + step) % n_seats for step in range(n_seats)]
    found = [(seat, tile) for seat in seats for tile in hands[seat] if is_double(tile)]
    if state["rules"]["engine"] == "first-double":  # The first seat from the starter on that has a double.
        found = [(seat, tile) for seat, tile in found if seat == found[0][0]]
    return max(found, key=lambda holding: numbers(holding[1]), default=None)


# A round


def new_round(
    rules: dict, players: int, number: int, starter: int, engine: str | None, hands: list, boneyard: list
) -> dict:
    """A round as dealt, before any event. `engine` is None unless it is taken out before the shuffle (countdown)."""
    countdown = rules["engine"] == "countdown"
    require((engine is not None) == countdown, "an engine is given under countdown, and only then")
    require(type(starter) is int and starter in range(players), f"there is no seat {starter!r} to start")
    size, held = tiles_dealt(rules, players), [len(hand) for hand in hands]
    require(held == [size] * players, f"{players} hands of {size} tiles are to be dealt, not {held}")
    tiles = [*chain.from_iterable(hands), *boneyard, *([engine] if countdown else [])]
    require(sorted(map(str, tiles)) == sorted(full_set(rules["max_pip"])), "the deal is not the whole set exactly once")
    require(not countdown or is_double(engine), f"the engine {engine} is not a double")
    state = {
        "rules": rules, "number": number, "starter": starter, "engine": engine,
        "hands": [list(hand) for hand in hands], "boneyard": list(boneyard),
        "trains": {train: [] for train in [*range(players), MEXICAN]},
        "marked": [], "open_doubles": [],
        "turn": starter, "due": "engine", "drew": False, "on_train": False, "changed": False,
        "had_turn": [],  # The seats whose first turn has begun.
        "idle_turns": 0,  # Turns in a row in which nothing changed.
        "end": None, "scores": None,
    }  # fmt: skip
    if countdown:
        begin_turn(state, starter)
    else:
        seek_engine(state, starter)
    return state


def seek_engine(state: dict, drawer: int) -> None:
    """Give the turn to the seat that can place an engine; while nobody can, to the next that draws for one."""
    holding = engine_in_hand(state)
    state["turn"] = holding[0] if holding else drawer


def begin_turn(state: dict, seat: int) -> None:
    """A seat is on. Its first turn of the round may be a train."""
    first_turn = seat not in state["had_turn"]
    if first_turn:
        state["had_turn"].append(seat)
    state["on_train"] = first_turn and state["rules"]["first_turn"] == "train"
    state["turn"], state["due"], state["drew"], state["changed"] = seat, "first", False, False


def end_turn(state: dict) -> None:
    """The next seat is on, or the round is blocked: a whole lap of turns that changed nothing, the boneyard empty."""
    n_seats = len(state["hands"])
    state["idle_turns"] = 0 if state["changed"] else state["idle_turns"] + 1
    if state["idle_turns"] >= n_seats and not state["boneyard"]:
        end_round(state, "blocked")
    else:
        begin_turn(state, (state["turn"] + 1) % n_seats)


def end_round(state: dict, end: str) -> None:
    """Every seat scores what is left in its hand."""
    state["end"], state["due"] = end, None
    state["scores"] = [hand_score(state["rules"], hand) for hand in state["hands"]]


def hand_score(rules: dict, hand: list[str]) -> int:
    """Each tile costs its pips, or 1; holding 0-0 costs `double_blank` more."""
    cost = len(hand) if rules["scoring"] == "tiles" else sum(sum(numbers(tile)) for tile in hand)
    return cost + (rules["double_blank"] if "0-0" in hand else 0)


def legal_events(state: dict) -> list[list]:
    """Every event that may come next; none exactly when the round is over."""
    seat, due, rules = state["turn"], state["due"], state["rules"]
    if due is None:
        return []
    draw = [[seat, "draw", tile] for tile in state["boneyard"][:1]]
    if due == "engine":
        holding = engine_in_hand(state)
        return [[seat, "engine", holding[1]]] if holding else draw
    plays, to_pass = fitting(state), [[seat, "pass"]]
    if due == "train":
        return plays + to_pass  # As many more tiles as it likes.
    if plays:
        return plays + (to_pass if state["drew"] and rules["drawn_tile"] == "may" else [])
    may_draw = not state["drew"] and (due == "first" or rules["draw_to_cover"])
    return draw if may_draw and draw else to_pass


def apply(state: dict, event: list) -> None:
    """Let an event happen, and the end of the turn or round that it brings; a Breach leaves the state untouched."""
    legal = legal_events(state)
    if event not in legal or not set(map(type, event)) <= {int, str}:  # Python takes true for 1, a record does not.
        raise Breach(refusal(state, event, legal))
    seat, what, *rest = event
    if what == "engine":
        place_engine(state, *rest)
    elif what == "draw":
        state["hands"][seat].append(state["boneyard"].pop(0))
        if state["due"] == "engine":
            seek_engine(state, (seat + 1) % len(state["hands"]))
        else:
            state["drew"] = state["changed"] = True
    elif what == "play":
        lay(state, *rest)
    else:
        fail_or_stop(state)


def place_engine(state: dict, tile: str) -> None:
    """The engine leaves its holder's hand; the holder goes on with its first turn, unless that was its last tile."""
    hand = state["hands"][state["turn"]]
    hand.remove(tile)
    state["engine"] = tile
    if hand:
        begin_turn(state, state["turn"])
    else:
        end_round(state, "out")


def lay(state: dict, tile: str, train: int | str) -> None:
    """Lay a tile of the seat that is on, and find what it owes or may do after it."""
    rules, seat, open_doubles = state["rules"], state["turn"], state["open_doubles"]
    state["hands"][seat].remove(tile)
    state["trains"][train].append(tile)
    state["drew"], state["changed"] = False, True
    if train == seat and seat in state["marked"]:
        state["marked"].remove(seat)  # Playing on one's own train takes one's marker away.
    if train in open_doubles:
        open_doubles.remove(train)  # A double is open until a tile is laid on it.
    if is_double(tile) and not (state["on_train"] and rules["first_turn_doubles"] == "ignored"):
        open_doubles.append(train)
    if rules["exhausted_double"] == "closed":
        open_doubles[:] = [spot for spot in open_doubles if not is_exhausted(state, spot)]
    if state["due"] == "extra" and train != seat:
        state["on_train"] = False  # The owed tile was laid elsewhere: the seat has left its train.

    if not state["hands"][seat]:
        end_round(state, "out")  # Also with a double: nothing is owed after the last tile.
    elif is_double(tile) and train in open_doubles:
        state["due"] = rules["after_double"]
    elif state["on_train"]:
        state["due"] = "train"
        if not fitting(state):
            end_turn(state)
    else:
        end_turn(state)


def fail_or_stop(state: dict) -> None:
    """A pass. Stopping a first-turn train is no failure; leaving a double uncovered is one only by `mark_uncovered`."""
    seat, due = state["turn"], state["due"]
    failed = due == "first" or (due in ("cover", "extra") and state["rules"]["mark_uncovered"])
    if failed and seat not in state["marked"]:
        state["marked"] = sorted([*state["marked"], seat])
        state["changed"] = True
    end_turn(state)


def refusal(state: dict, event: list, legal: list[list]) -> str:
    """The sentence that says why an event that is not legal cannot come now."""
    seat, lengths = state["turn"], {"play": 4, "draw": 3, "engine": 3, "pass": 2}
    shaped = isinstance(event, list) and len(event) > 1 and lengths.get(str(event[1])) == len(event)
    if not shaped or not set(map(type, event)) <= {int, str}:
        return f"{event!r} is not an event"
    if not legal:
        return f"the round is over, {event} cannot follow"
    if event[0] != seat:
        return f"seat {seat} is on, not seat {event[0]}"
    if event[1] == "play" and state["due"] != "engine":
        tile, train = event[2:]
        if tile not in state["hands"][seat]:
            return f"seat {seat} does not hold {tile}"
        if train not in targets(state):
            return f"seat {seat} may now lay a tile only on {targets(state)}, not on {train!r}"
        return f"{tile} does not fit the open end {open_end(state, train)} of train {train}"
    choices = {"lay a tile that fits" if option[1] == "play" else " ".join(option[1:]) for option in legal}
    return f"seat {seat} must {' or '.join(sorted(choices))}, not {' '.join(map(str, event[1:]))}"


# A game


def ranks(rules: dict, score_table: list[list[int]]) -> list[int]:
    """Competition ranks (1, 1, 3, 4) by seat; the lowest total wins, `tie_break` orders equal totals."""
    keys = []
    for scores in zip(*score_table, strict=False):
        total, zeros = sum(scores), scores.count(0)
        lowest = min((score for score in scores if score > 0), default=0)
        # zero-rounds: more rounds at 0 first, then the lowest round score above 0.
        keys.append((total, -zeros, lowest) if rules["tie_break"] == "zero-rounds" else (total,))
    return [1 + sum(other < key for other in keys) for key in keys]


def check_record(record: dict) -> None:
    """Play a whole game record again by the rules; the first thing that breaks one raises a Breach."""
    require_fields(record, "format", "rules", "players", "agents", "seed", "game", "rounds", "totals", "ranks")
    rules, players, rounds = record["rules"], record["players"], record["rounds"]
    require(record["format"] == FORMAT, f"the format is {record['format']!r}, not {FORMAT!r}")
    check_rules(rules, players)
    agents = record["agents"]
    named = isinstance(agents, list) and all(isinstance(agent, str) for agent in agents)
    require(named and len(agents) == players, f"agents must be one name a seat, not {agents!r}")
    require(isinstance(rounds, list) and len(rounds) == rules["rounds"], f"the game has {rules['rounds']} rounds")
    starter = None
    for number, entry in enumerate(rounds, start=1):
        try:
            check_round(rules, players, number, starter, entry)
        except Breach as breach:
            raise Breach(f"round {number}, {breach}") from None
        starter = (entry["starter"] + 1) % players  # It moves one seat each round, whoever placed the engine.
    score_table = [entry["scores"] for entry in rounds]
    totals = [sum(scores) for scores in zip(*score_table, strict=False)]
    require(record["totals"] == totals, f"the totals are {totals}, not {record['totals']}")
    placed = ranks(rules, score_table)
    require(record["ranks"] == placed, f"the ranks are {placed}, not {record['ranks']}")


def check_round(rules: dict, players: int, number: int, starter: int | None, entry: dict) -> None:
    """Play one round of a record again. `starter` is None in the first round: there it belongs to the deal."""
    deal, last = "the deal: ", "after the last event: "
    try:
        require_fields(entry, "number", "engine", "starter", "hands", "boneyard", "events", "scores", "end")
        require(entry["number"] == number, f"its number is {entry['number']!r}")
        require(starter in (None, entry["starter"]), f"seat {starter} starts, not {entry['starter']}")
        engine = countdown_engine(rules, number) if rules["engine"] == "countdown" else None
        require(engine in (None, entry["engine"]), f"the engine is {engine}, not {entry['engine']}")
        require(all(isinstance(entry[key], list) for key in ("hands", "boneyard", "events")), "a list is missing")
        require(all(isinstance(hand, list) for hand in entry["hands"]), "a hand is not a list")
        state = new_round(rules, players, number, entry["starter"], engine, entry["hands"], entry["boneyard"])
    except Breach as breach:
        raise Breach(f"{deal}{breach}") from None
    for index, event in enumerate(entry["events"]):
        try:
            apply(state, event)
        except Breach as breach:
            raise Breach(f"event {index}: {breach}") from None
    require(not legal_events(state), f"{last}the round is not over, seat {state['turn']} is on")
    for key in ("engine", "end", "scores"):
        require(entry[key] == state[key], f"{last}{key} is {state[key]}, not {entry[key]}")


def require_fields(value: dict, *fields: str) -> None:
    """Refuse a value that is not an object with these fields."""
    missing = [field for field in fields if not isinstance(value, dict) or field not in value]
    require(not missing, f"it lacks {', '.join(missing)}")


def random_game(rules: dict, players: int, seed: int) -> dict:
    """The record of a game in which every seat picks among its legal events with equal chances."""
    check_rules(rules, players)
    rng = random.Random(seed)
    starter, size, rounds = rng.randrange(players), tiles_dealt(rules, players), []
    for number in range(1, rules["rounds"] + 1):
        engine = countdown_engine(rules, number) if rules["engine"] == "countdown" else None
        tiles = [tile for tile in full_set(rules["max_pip"]) if tile != engine]
        rng.shuffle(tiles)
        hands = [tiles[seat * size : (seat + 1) * size] for seat in range(players)]
        boneyard = tiles[players * size :]
        state, events = new_round(rules, players, number, starter, engine, hands, boneyard), []
        while legal := legal_events(state):
            events.append(rng.choice(legal))
            apply(state, events[-1])
        rounds.append({
            "number": number, "engine": state["engine"], "starter": starter, "hands": hands, "boneyard": boneyard,
            "events": events, "scores": state["scores"], "end": state["end"],
        })  # fmt: skip
        starter = (starter + 1) % players
    score_table = [entry["scores"] for entry in rounds]
    return {
        "format": FORMAT, "rules": deepcopy(rules), "players": players, "agents": ["random"] * players,
        "seed": seed, "game": 0,
        "rounds": rounds, "totals": [sum(scores) for scores in zip(*score_table, strict=False)], "ranks": ranks(rules, score_table),
    }  # fmt: skip
