"""Calibration: games in which observers say where tiles are, held against where they are.

Agents play whole games; at some of their decisions the seat on turn judges the place of every tile that it cannot
see, by hand sizes alone, by what is proved, and by what the others would do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mtrain.arena.driver import Driver
from mtrain.arena.options import option, taking
from mtrain.arena.schedule import first_starter
from mtrain.bots.registry import Registry, build
from mtrain.errors import UsageError
from mtrain.game.moves import observe
from mtrain.game.record import dealt_rounds, play_events
from mtrain.game.rng import WORLD, Stream, stream
from mtrain.game.rules import RuleSet, override, preset
from mtrain.game.state import MAX_SEATS
from mtrain.game.tiles import MAX_TILES
from mtrain.report import plots
from mtrain.stats import files, tables
from mtrain.stats.intervals import CONSTANT, FEW, NOISE, estimate, t_quantile
from mtrain.stats.tables import METHODS
from mtrain.strategy.locate import Sampler, tally, unseen

# ── Calibration ───────────────────────────────────────────────────────────────────────────────────────
#
# Calibration: how good probabilities of places are, from the tables of looks and bins.
#
# Two answers: the log loss of each method, and how often tiles lay where they were given such a probability. Intervals
# are over deals, since what is judged in one deal hangs together. Nothing here knows a tile or a rule.


EDGES = (0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0)
"""Where the bins of predicted probabilities begin and end."""


def losses(looks: pd.DataFrame) -> pd.DataFrame:
    """Log loss of each method, and what it gains on `counts`, with intervals clustered by deal.

    Parameters
    ----------
    looks
        A `looks` table, in which every look has a row of the method `counts`.

    Returns
    -------
    DataFrame
        A `losses` table.
    """
    weight = looks["tiles"].to_numpy(np.float64)
    known = pd.DataFrame(
        {
            "deal": looks["deal"].to_numpy(),
            "method": looks["method"].to_numpy(object),
            "tiles": weight,
            "nats": looks["loss"].to_numpy(np.float64) * weight,
        }
    )
    sums = known.groupby(["deal", "method"], sort=True).sum()
    by_deal = (sums["nats"] / sums["tiles"]).unstack("method")
    methods = [method for method in METHODS if method in by_deal]
    values = by_deal[methods].to_numpy(np.float64).T
    who = np.repeat(np.arange(len(methods)), len(by_deal))
    loss = estimate(values.ravel(), who, len(methods), 0)
    gain = estimate((values[:1] - values).ravel(), who, len(methods))
    own = [looks[(looks["method"] == method).to_numpy()] for method in methods]
    not_itself = np.array([np.nan if method == METHODS[0] else 1.0 for method in methods])
    return tables.frame(
        tables.LOSSES,
        {
            "method": methods,
            "deals": loss.n,
            "looks": [len(rows) for rows in own],
            "tiles": [int(rows["tiles"].sum()) for rows in own],
            "loss": loss.mean,
            "loss_lo": loss.lo,
            "loss_hi": loss.hi,
            "gain": gain.mean * not_itself,
            "gain_lo": gain.lo * not_itself,
            "gain_hi": gain.hi * not_itself,
            "worlds": [rows["worlds"].to_numpy(np.float64, na_value=np.nan).mean() for rows in own],
            "note": loss.why,
        },
    )


def calibration(bins: pd.DataFrame) -> pd.DataFrame:
    """Predicted and observed shares by method and bin, with intervals clustered by deal.

    Parameters
    ----------
    bins
        A `bins` table.

    Returns
    -------
    DataFrame
        A `calibration` table; bins without a pair are left out.

    Notes
    -----
    The share is a ratio of sums over deals; its interval is that of the linearised ratio (Cochran 1977, section 6.4)
    with Student's t, and ends at 0 and 1.
    """
    bins = bins[(bins["n"] > 0).to_numpy()]
    rows: dict[str, list[object]] = {name: [] for name in tables.CALIBRATION.names}
    for method in METHODS:
        mine = bins[(bins["method"] == method).to_numpy()]
        for (low, high), own in mine.groupby(["low", "high"], sort=True):
            n, hits = own["n"].to_numpy(np.float64), own["observed"].to_numpy(np.float64)
            share, deals = hits.sum() / n.sum(), len(own)
            rest = hits - share * n
            error = np.sqrt((rest**2).sum() * deals / max(deals - 1, 1)) / n.sum()
            why = FEW if deals < 2 else CONSTANT if error <= NOISE else ""
            arm = np.nan if why else t_quantile(deals - 1) * error
            predicted = float(own["predicted"].to_numpy(np.float64).sum() / n.sum())
            lo, hi = max(share - arm, 0.0), min(share + arm, 1.0)
            found = (method, low, high, deals, int(n.sum()), predicted, share, lo, hi, why)
            if why:
                found = (*found[:7], np.nan, np.nan, why)
            for name, value in zip(rows, found, strict=True):
                rows[name].append(value)
    return tables.frame(tables.CALIBRATION, rows)


# ── Calibration ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Calibration:
    """What came of a calibration.

    Attributes
    ----------
    looks, bins
        Tables of the same names in `mtrain.stats.tables`.
    """

    looks: pd.DataFrame
    bins: pd.DataFrame

    @cached_property
    def losses(self) -> pd.DataFrame:
        """The `losses` table."""
        return losses(self.looks)

    @cached_property
    def calibration(self) -> pd.DataFrame:
        """The `calibration` table."""
        return calibration(self.bins)

    def save(self, folder: str | Path) -> list[Path]:
        """Write the four tables and the figure into a folder; return the files."""
        written = [
            files.write(table, rows, Path(folder) / f"{table.name}.parquet")
            for table, rows in (
                (tables.LOOKS, self.looks),
                (tables.BINS, self.bins),
                (tables.LOSSES, self.losses),
                (tables.CALIBRATION, self.calibration),
            )
        ]
        return written + plots.put_figure(plots.calibration(self.calibration), Path(folder), "calibration")


@dataclass(frozen=True, kw_only=True)
class Looking:
    """How many games a calibration looks into, and how."""

    players: int = option(4, "Seats at a table.")
    deals: int = option(20, "Games played.")
    seed: int = option(0, "What all chance is made from.")
    worlds: int = option(200, "Worlds sampled for each look and method.")
    weigh: str | None = option(
        None, "The policy that others are believed to choose by; None: the method `weighed` is left out."
    )
    every: int = option(40, "One decision in so many is looked at, by chance.")
    believed: Mapping[str, Any] | None = option(
        None, "What else is believed of them: keywords of `mtrain.strategy.opponent_model.belief`."
    )


@taking(Looking)
def calibrate(
    agents: Sequence[str],
    rules: RuleSet | str = "standard",
    *,
    changes: Mapping[str, Any] | None = None,
    agents_from: Iterable[str | Path] = (),
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> Calibration:
    """Play games, and hold what observers say of hidden tiles against the truth.

    Parameters
    ----------
    agents
        As on the command line; they fill the seats in turn, moved on by one seat each deal.
    rules, changes
        A RuleSet or a preset's name, and fields to change.
    agents_from
        Files and folders to look for agents in, besides.
    progress
        Called with the number of deals done.
    **options
        How many games are looked into, and how.

    Raises
    ------
    UsageError
        With one sentence, before anything is played.
    """
    said = Looking(**options)
    players, seed = said.players, said.seed
    resolved = override(preset(rules) if isinstance(rules, str) else rules, changes or {})
    resolved.hand_for(players)
    for name, least in (("deals", 1), ("worlds", 1), ("every", 1), ("seed", 0)):
        if (value := getattr(said, name)) < least:
            raise UsageError(f"{name} is a whole number, {least} or more, not {value}")
    if not agents:
        raise UsageError("a calibration needs at least one agent; `mtrain agents` lists them")
    if len(agents) > players:
        raise UsageError(f"{len(agents)} agents for {players} seats; name at most one a seat")
    samplers = {"proved": Sampler(said.worlds)}
    if said.weigh is not None:
        samplers["weighed"] = Sampler(said.worlds, said.weigh, **(said.believed or {}))
    registry = Registry(agents_from)
    bots = [build(registry.parse(agent)) for agent in agents]
    for bot in bots:
        if bot.processes is not None:
            raise UsageError(f"agent {bot.spec.label!r} is a program; a calibration asks agents in Python only")
    notes = _Notes(seed, samplers)
    for deal in range(said.deals):
        seated = [bots[(seat + deal) % len(bots)] for seat in range(players)]
        driver = Driver(seated, seed=seed, deal=deal)
        rng = Stream(int(stream(seed, WORLD, deal, 1, 0)))
        starter = first_starter(seed, players, deal)
        for position in dealt_rounds(resolved, players, seed=seed, deal=deal, starter=starter):
            for event in play_events(position, driver.choose):
                if event is None and rng.below(said.every) == 0:
                    notes.look(deal, position)
        if progress is not None:
            progress(deal + 1)
    if not notes.looks:
        more = max(said.every // 10, 1)
        raise UsageError(f"not one decision in {said.deals} deals was looked at; take more deals, or every={more}")
    return Calibration(notes.looks_table(), notes.bins_table())


class _Notes:
    """What observers said, and how it was."""

    def __init__(self, seed: int, samplers: Mapping[str, Sampler]) -> None:
        self.seed, self.samplers = seed, samplers
        self.n_looks = 0
        self.looks: list[tuple[Any, ...]] = []
        self.bins: dict[tuple[int, str], np.ndarray] = {}  # n, predicted, observed: a row each, a column a bin

    def look(self, deal: int, position: np.ndarray) -> None:
        """Let the seat on turn judge where every tile is that it cannot see."""
        s = position[0]
        seat, n_seats, left = int(s.turn), int(s.n_seats), int(s.n_tiles) - int(s.top)
        obs = observe(position, seat)
        tiles = np.array(unseen(obs, seat))
        if not len(tiles):
            return
        columns = np.array([*(other for other in range(n_seats) if other != seat), MAX_SEATS])
        sizes = np.array([*(float(s.count[other]) for other in columns[:-1]), float(left)])
        by_counts = np.broadcast_to(sizes / sizes.sum(), (len(tiles), len(columns)))
        where = _places(position)[tiles]
        true = np.searchsorted(columns, where)
        judged = {"counts": (by_counts, np.nan)}
        for method, sampler in self.samplers.items():
            places, n = sampler.places_of(obs, seat, int(stream(self.seed, WORLD, deal, 2, self.n_looks)))
            # One world's worth of what the counts say keeps a place that no world had from being impossible.
            judged[method] = (n * places[np.ix_(tiles, columns)] + by_counts) / (n + 1), n
        for method, (share, n) in judged.items():
            loss = -np.log(share[np.arange(len(tiles)), true]).mean()
            self.looks.append((deal, self.n_looks, method, int(s.number), int(s.n_laid), len(tiles), n, loss))
            self._count(deal, method, share, true)
        self.n_looks += 1

    def _count(self, deal: int, method: str, share: np.ndarray, true: np.ndarray) -> None:
        here = np.clip(np.searchsorted(EDGES, share.ravel(), side="right") - 1, 0, len(EDGES) - 2)
        lies = (true[:, None] == np.arange(share.shape[1])).ravel()
        kept = self.bins.setdefault((deal, method), np.zeros((3, len(EDGES) - 1)))
        for row, values in enumerate((None, share.ravel(), lies)):
            kept[row] += np.bincount(here, values, minlength=kept.shape[1])

    def looks_table(self) -> pd.DataFrame:
        names = tables.LOOKS.names
        return tables.frame(tables.LOOKS, dict(zip(names, map(list, zip(*self.looks, strict=True)), strict=True)))

    def bins_table(self) -> pd.DataFrame:
        n_bins = len(EDGES) - 1
        keys = sorted(self.bins, key=lambda key: (key[0], METHODS.index(key[1])))
        counts = np.concatenate([self.bins[key] for key in keys], axis=1)
        return tables.frame(
            tables.BINS,
            {
                "deal": np.repeat([deal for deal, _ in keys], n_bins),
                "method": np.repeat(np.array([method for _, method in keys], dtype=object), n_bins),
                "low": np.tile(EDGES[:-1], len(keys)),
                "high": np.tile(EDGES[1:], len(keys)),
                "n": counts[0].astype(np.int64),
                "predicted": counts[1],
                "observed": counts[2].astype(np.int64),
            },
        )


def _places(position: np.ndarray) -> np.ndarray:
    """Return where every hidden tile is: int64[190], a seat, or MAX_SEATS for the boneyard."""
    places = np.zeros((MAX_TILES, MAX_SEATS + 1))
    tally(position, np.ones(1), places)
    where: np.ndarray = places.argmax(axis=1)
    return where
