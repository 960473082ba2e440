"""A bot for mtrain as a program of its own: it lays the heaviest tile that fits. It needs nothing but Python 3.

mtrain writes one JSON object a line to the standard input; two kinds of message want an answer, one line each, and
nothing else may be printed there (what is for people goes to the standard error). A bot ends when its input does.
"""

import json
import sys


def pips(action):
    """Return the pips of the tile that an action lays: of 12-7@3 and of 12-7@mexican 19, of pass none."""
    tile, _, _ = action.partition("@")
    return sum(int(number) for number in tile.split("-")) if tile != "pass" else -1


def choose(message):
    """Return the number of an action: the heaviest tile; of several places for it, one by chance."""
    actions = message["actions"]
    most = max(pips(action) for action in actions)
    best = [number for number, action in enumerate(actions) if pips(action) == most]
    chance = message["chance"] / 2**53  # from 0 to below 1: the same game again brings the same number
    return best[int(chance * len(best))]


def say(**answer):
    """Answer, at once: a line that waits in a buffer is one that mtrain waits for."""
    print(json.dumps(answer), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say(type="hello", protocol=1, name="heaviest")
    elif message["type"] == "act":
        say(action=choose(message))
    # game, round, scores, end and bye are news: a bot that keeps no count of anything has no use for them
