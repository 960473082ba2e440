"""The golden files: games and counts that only a change of the rules may change, and what agents do.

An agent that does otherwise needs another `version`, or what was measured of it would be taken for what it now is:
its decisions are not written again before it has one.

``python -m tests.regenerate`` writes them again; what then differs is to be read as a diff and explained.
"""

import itertools
import string
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from mtrain.bots.ask import ask
from mtrain.bots.registry import Registry, build
from mtrain.game.moves import legal_actions, new_game, observe
from mtrain.game.record import perft, play_game, to_line
from mtrain.game.rng import Stream
from mtrain.game.rules import RULES_VERSION, override, preset

GOLDEN = Path(__file__).parent / "golden"
GAMES, PERFT, DECISIONS = GOLDEN / "games.jsonl", GOLDEN / "perft.txt", GOLDEN / "decisions.txt"

SEED = 7

LETTERS = string.digits + string.ascii_letters  # the first legal action, the second …

# Preset, changed fields, number of players.
TABLES = [
    ("standard", "rounds=2", 2),
    ("standard", "rounds=1", 5),
    ("standard", "rounds=1", 8),
    ("pinecone", "rounds=2", 3),
    ("pinecone", "max_pip=6 hand_size=5 rounds=4", 4),
    ("cardinal", "", 2),
    ("cardinal", "", 6),
    ("cardinal", "max_pip=9 hand_size=8 rounds=3 engine=countdown first_turn_doubles=count exhausted_double=closed", 4),
    ("trainyard", "", 4),
    ("trainyard", "", 10),
    ("trainyard", "max_pip=6 hand_size=3 rounds=3 double_blank=50 drawn_tile=may", 7),
    ("trainyard", "max_pip=18 hand_size=5", 9),
]

# Preset, changed fields, number of players, seed, depth.
COUNTS = [
    ("standard", "", 2, 1, 7),
    ("standard", "", 4, 2, 7),
    ("standard", "", 8, 3, 6),
    ("standard", "first_turn=train", 3, 4, 10),
    ("standard", "max_pip=6 hand_size=2 rounds=1 players=2-10", 10, 16, 7),
    ("pinecone", "", 2, 5, 11),
    ("pinecone", "", 4, 6, 7),
    ("pinecone", "max_pip=6 hand_size=4 rounds=1", 3, 7, 11),
    ("cardinal", "", 2, 8, 7),
    ("cardinal", "", 5, 9, 10),
    ("cardinal", "max_pip=6 hand_size=5 first_turn_doubles=count drawn_tile=may", 4, 11, 13),
    ("trainyard", "", 3, 12, 8),
    ("trainyard", "", 10, 13, 13),
    ("trainyard", "max_pip=6 hand_size=2", 9, 14, 12),
    ("trainyard", "max_pip=18 hand_size=12 drawn_tile=may", 6, 15, 13),
]

# Every agent that comes with mtrain, each parameter and choice at least once, and the shipped levels.
AGENTS = [
    "random",
    "greedy",
    "greedy:own=7.5,ties=follow",
    "double-holder",
    "double-holder:hand=3",
    "double-holder:rival=3,covered=true",
    "planner",
    "planner:pair=5,order=plan",
    "heuristic",
    "heuristic:rest=3,rest_pips=0.5,doubles=2,bare=1,plan_pips=0.2,turns=1,marked=3,uncovered=4",
    "heuristic:offers=2,homes=-1,dead=1,stuck=9,reach=-2,rest_risk=0.5,plan_risk=0.5,offer_risk=1",
    "mc",
    "mc:worlds=8,rollout=random,base=none,gate=0",
    "mc:worlds=8,rollout=greedy,objective=lead,worlds_from=counts",
    "mc:worlds=8,rollout=double-holder,objective=out,base=planner",
    "mc:worlds=4,objective=game,worlds_from=policy",
    "ismcts",
    "ismcts:iterations=16,explore=2,grow=2,objective=lead",
    "ismcts:iterations=16,objective=out,base=planner,gate=1,ways=1",
    "ismcts:iterations=16,objective=game,base=none",
    "ismcts:iterations=16,paired=false",
    "levelled",
    "levelled:base=planner,temperature=5",
    "levelled:base=mc,worlds=8,temperature=3,memory=0.5,counting=0.5",
    "levelled:blunders=0.3,depth=3,hoard=20,sense=false",
    *(f"level:{level}" for level in range(1, 9)),
]


def rules_of(name: str, changes: str):
    """Return a preset with some fields changed: ``rounds=2 hand_size=5``."""
    return override(preset(name), dict(word.split("=", 1) for word in changes.split()))


def choose(position: np.ndarray) -> int:
    """Choose a legal action at random, from the stream of the seat on turn: the agent `random`, in plain Python."""
    s = position[0]
    rng = Stream(int(s.stream[s.turn]))
    action = rng.choice(legal_actions(position))
    s.stream[s.turn] = rng.state
    return action


def games() -> Iterator[str]:
    """Yield the golden games, a line each."""
    for k, (name, changes, players) in enumerate(TABLES):
        agents = ["random"] * players
        yield to_line(play_game(rules_of(name, changes), agents, choose, seed=SEED, game=k, starter=k % players))


def counts() -> Iterator[str]:
    """Yield the golden counts, a line each: rules, players and seed of the deal, then the sequences by their length."""
    for name, changes, players, seed, depth in COUNTS:
        position = new_game(rules_of(name, changes), players, seed=seed)
        table = " ".join([name, *changes.split(), str(players), str(seed)])
        yield f"{table}: {' '.join(map(str, perft(position, depth)))}"


def positions(every: int = 4) -> Iterator[list[tuple[np.ndarray, tuple[int, ...], int]]]:
    """Yield, for each of `TABLES`, what seats see at every so many choices, their legal actions and their streams."""
    for k, (name, changes, players) in enumerate(TABLES):
        found = []
        asked = itertools.count(1)

        def look(position: np.ndarray, found=found, asked=asked) -> int:
            if next(asked) % every == 0:
                s = position[0]
                found.append((observe(position, int(s.turn)), legal_actions(position), int(s.stream[s.turn])))
            return choose(position)

        play_game(rules_of(name, changes), ["random"] * players, look, seed=SEED, game=k, starter=k % players)
        yield found


def decisions() -> Iterator[str]:
    """Yield the version of the rules, and a line an agent: its name and version, and which legal actions it chooses."""
    yield f"rules {RULES_VERSION}"
    tables = list(positions())
    for text in AGENTS:
        spec = Registry().parse(text)
        bot = build(spec)
        chosen = []
        for table in tables:
            seen = np.concatenate([obs for obs, _, _ in table])
            legal = np.zeros((len(table), max(len(actions) for _, actions, _ in table)), np.int64)
            for row, (_, actions, _) in zip(legal, table, strict=True):
                row[: len(actions)] = actions
            answers = ask(bot, seen, legal, np.array([stream for _, _, stream in table], np.uint64))
            chosen.append(
                "".join(LETTERS[row.tolist().index(answer)] for row, answer in zip(legal, answers, strict=True))
            )
        yield f"{spec.name} {spec.version} {text}: {' '.join(chosen)}"


def unsaid(before: Sequence[str], now: Sequence[str]) -> list[str]:
    """Return the agents that choose otherwise than before though neither their version nor that of the rules says so."""
    if before[:1] != now[:1]:
        return []
    known = dict(line.split(": ") for line in before[1:])
    fresh = dict(line.split(": ") for line in now[1:])
    return list(dict.fromkeys(who.split()[0] for who, chosen in fresh.items() if known.get(who, chosen) != chosen))


def main() -> None:
    """Write the golden files."""
    now = list(decisions())
    if others := unsaid(DECISIONS.read_text(encoding="utf-8").splitlines(), now):
        sys.exit(f"{', '.join(others)}: it plays otherwise; give it another `version` in agents/ first")
    for path, lines in ((GAMES, games()), (PERFT, counts()), (DECISIONS, now)):
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
