"""Hands as people hold them: lined up when they are dealt, and then in that order until they are lined up again."""

from typing import Literal

import numpy as np

from mtrain.errors import counted
from mtrain.game.tiles import tile_text
from mtrain.show.sight import held
from mtrain.think.trail import Train, best_train


class Hands:
    """The orders in which people hold their hands: the tiles of a train, then the rest, then what was drawn since."""

    def __init__(self) -> None:
        self._trains: dict[tuple[int, int], Train] = {}

    def text(self, seen: np.ndarray, seat: int) -> str:
        """Return the hand of a seat in its order."""
        at = (int(seen[0].number), seat)
        if at not in self._trains:
            self.line_up(seen, seat)
        train = self._trains[at]
        tiles = held(seen[0], seat)
        first = " ".join(tile_text(tile) for tile in train.tiles if tile in tiles)
        order = [*(tile for tile in train.rest if tile in tiles)]
        order += [tile for tile in tiles if tile not in train.tiles and tile not in train.rest]
        return " | ".join(filter(None, [first, " ".join(map(tile_text, order))]))

    def line_up(self, seen: np.ndarray, seat: int, by: Literal["tiles", "pips"] = "tiles") -> str:
        """Put a hand in the order of the best train from its own open end; return that train and the rest in words."""
        start = int(seen[0].end[seat])
        train = best_train(held(seen[0], seat), start, by)
        self._trains[int(seen[0].number), seat] = train
        rest = " ".join(map(tile_text, train.rest)) or "nothing"
        if not train.tiles:
            return f"nothing fits {start}; the rest: {rest}"
        proof = "" if train.proved else ", not proved the best"
        what = f"{counted(len(train.tiles), 'tile')}, {counted(train.pips, 'pip')}{proof}"
        return f"train from {start}: {train} ({what}); the rest: {rest}"
