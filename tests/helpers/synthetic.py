"""Tables of synthetic games: what agents scored is said, not played."""

import json
from itertools import permutations

import numpy as np
import pandas as pd

from mtrain.stats import files, tables
from mtrain.stats.manifest import FORMAT


def seatings(lineup, kind="permute"):
    """Every different order of the line-up, or its rotations."""
    n = len(lineup)
    if kind == "rotate":
        return [tuple(lineup[(seat - turn) % n] for seat in range(n)) for turn in range(n)]
    return sorted(set(permutations(lineup)))


def tournament(
    lineups, deals=10, n_rounds=3, seed=0, skill=None, seat_effect=None, deal_sd=5.0, taste_sd=2.0, noise=15.0,
    base=60.0, out=0.9, kind="permute", labels=None, score=None,
):  # fmt: skip
    """Synthetic `games` and `rounds` of line-ups, a match each: every deal in all its seatings.

    A seat's pips in a round are base + skill of the agent + effect of the seat + luck of the deal + the agent's taste
    for the deal + noise; in a share `out` of the rounds the lowest goes out with 0. `score(match, deal, seating,
    agents)` may give the pips instead.
    """
    rng = np.random.default_rng(seed)
    labels = labels or list(dict.fromkeys(label for lineup in lineups for label in lineup))
    code = {label: i for i, label in enumerate(labels)}
    n = len(lineups[0])
    parts, game = [], 0
    for match, lineup in enumerate(lineups):
        orders = np.array([[code[label] for label in order] for order in seatings(lineup, kind)])
        d, s = (a.ravel() for a in np.meshgrid(np.arange(deals), np.arange(len(orders)), indexing="ij"))
        worth = np.array([(skill or {}).get(label, 0.0) for label in labels])
        luck, taste = rng.normal(0, deal_sd, deals), rng.normal(0, taste_sd, (deals, len(labels)))
        agents = orders[s]
        mean = base + worth[agents] + luck[d][:, None] + taste[d[:, None], agents] + np.array(seat_effect or [0] * n)
        pips = np.maximum(np.rint(mean[:, None] + rng.normal(0, noise, (len(d), n_rounds, n))), 1).astype(int)
        if score:
            pips = np.array([[score(match, a, b, list(orders[b]))] * n_rounds for a, b in zip(d, s, strict=True)])
        went_out = np.zeros(pips.shape, bool)
        ends = rng.random((len(d), n_rounds)) < out
        np.put_along_axis(went_out, pips.argmin(axis=2)[:, :, None], ends[:, :, None], axis=2)
        parts.append((match, d, s, game + np.arange(len(d)), agents, np.where(went_out, 0, pips), went_out))
        game += len(d)
    games, rounds = [], []
    for match, d, s, number, agents, pips, went_out in parts:
        total = pips.sum(axis=1)
        rank = 1 + (total[:, None, :] < total[:, :, None]).sum(axis=2)
        best = pips == pips.min(axis=2, keepdims=True)
        first = d % n
        seat = np.broadcast_to(np.arange(n), agents.shape)
        of_game = {"match": np.full(len(d), match), "deal": d, "seating": s, "game": number}
        games.append(
            {k: np.repeat(v, n) for k, v in (of_game | {"starter": first, "rounds": np.full(len(d), n_rounds)}).items()}
            | {"seat": seat, "agent": agents, "score": total, "rank": rank}
            | {"win": (rank == 1) / (rank == 1).sum(axis=1, keepdims=True), "faults": np.zeros(agents.shape, int)}
            | {"rounds_won": (best / best.sum(axis=2, keepdims=True)).sum(axis=1), "void": np.zeros(agents.shape, bool)}
        )
        k = np.broadcast_to(np.arange(n_rounds)[:, None], pips.shape[1:])
        plays = rng.integers(4, 12, pips.shape)
        rounds.append(
            {name: np.repeat(v, n * n_rounds) for name, v in of_game.items()}
            | {"round": np.broadcast_to(k + 1, pips.shape), "engine": np.broadcast_to(12 - k, pips.shape)}
            | {"seat": np.broadcast_to(np.arange(n), pips.shape), "starter": (first[:, None, None] + k) % n}
            | {"agent": np.repeat(agents, n_rounds, axis=0), "pips": pips, "went_out": went_out}
            | {"end": np.broadcast_to(~went_out.any(axis=2, keepdims=True), pips.shape), "plays": plays}
            | {"turns": plays + 2, "decisions": plays - 3, "draws": rng.integers(0, 6, pips.shape)}
            | {"passes": rng.integers(0, 3, pips.shape), "plays_own": rng.integers(0, plays + 1)}
            | {"void": np.zeros(pips.shape, bool)}
        )

    def whole(table, dicts):
        columns = {name: np.concatenate([np.asarray(part[name]).ravel() for part in dicts]) for name in table.names}
        return tables.frame(
            table, {k: v.astype(int) if v.dtype == bool and k == "end" else v for k, v in columns.items()}, labels
        )

    return whole(tables.GAMES, games), whole(tables.ROUNDS, rounds)


def one_game(*scores, rounds=1, deal=0, ranks=None, agents="abcdefghij"):
    """Rows of one game with these scores by seat."""
    score = np.array(scores)
    rank = np.array(ranks or 1 + (score < score[:, None]).sum(axis=1))
    n = len(score)
    return pd.DataFrame(
        {"match": np.int16(0), "deal": np.int32(deal), "seating": np.int16(0), "game": np.int32(deal)}
        | {"seat": np.arange(n, dtype=np.int8), "starter": np.int8(0), "agent": list(agents[:n])}
        | {"score": score, "rank": rank, "win": (rank == 1) / (rank == 1).sum(), "rounds": np.int8(rounds)}
        | {"rounds_won": (score == score.min()) / (score == score.min()).sum() * rounds, "faults": np.int16(0)}
    )


def numbers(frame, column):
    return frame[column].to_numpy(float, na_value=np.nan)


def store(folder, games, rounds, parts=2, **manifest):
    """Write a results directory, as a tournament does."""
    folder.mkdir(parents=True, exist_ok=True)
    labels = list(games["agent"].cat.categories)
    facts = {
        "format": FORMAT,
        "agents": {label: label for label in labels},
        "players": int(games["seat"].max()) + 1,
        "seed": 7,
        "rules": {},
    }
    (folder / "manifest.json").write_text(json.dumps(facts | manifest))
    for part in range(parts):
        for table, rows in ((tables.GAMES, games), (tables.ROUNDS, rounds)):
            mine = rows[(rows["deal"] % parts == part).to_numpy()]
            files.write(table, mine, folder / f"{table.name}.parquet" / f"part-{part:05d}.parquet")
    return folder
