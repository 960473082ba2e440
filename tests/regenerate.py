"""The golden files: games and counts that only a change of the rules may change.

``python -m tests.regenerate`` writes them again; what then differs is to be read as a diff and explained.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from mtrain.game.engine import legal_actions, new_game
from mtrain.game.record import perft, play_game, to_line
from mtrain.game.rng import Stream
from mtrain.game.rules import override, preset

GOLDEN = Path(__file__).parent / "golden"
GAMES, PERFT = GOLDEN / "games.jsonl", GOLDEN / "perft.txt"

SEED = 7

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


def main() -> None:
    """Write the golden files."""
    for path, lines in ((GAMES, games()), (PERFT, counts())):
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
