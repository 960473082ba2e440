"""Curves: how strong an agent is along a dial that weakens it, and where on the dial a wanted strength lies.

A monotone curve through a few measurements ("probes"), what is known of it, and its inverse. This module takes numbers
of blocks and doesn't know what they count, which agent they are of, or what the dial turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from mtrain.errors import counted
from mtrain.stats import tables
from mtrain.stats.blocks import Floats, Ints
from mtrain.stats.intervals import CONSTANT, FEW, NOISE, estimate, estimate_share, resample, t_quantile
from mtrain.stats.tables import ResultsError
from mtrain.tuning import ladder_tables

REPEATS = 400
"""Replicates: they give a standard error, not a tail, and know it to 4 % then."""

KNOTS = 9
"""Knots of a curve, at most."""

STRAY = 4.0
"""How far the slope strays over the whole dial, in mean slopes."""

ONE = "needs probes at 2 positions of the dial"

_KEY = 0x6375727665
_LEAST = 1e-3  # of the usual variance is a probe's own, at least: none is followed blindly
_FINE = 1001  # positions at which a curve is searched


@dataclass(frozen=True)
class Probe:
    """A measurement at one position of the dial.

    ======= ================= ==============================================================================
    field   shape             meaning
    ======= ================= ==============================================================================
    at                        position of the dial, from 0 to 1
    deals                     set of deals, from 0: probes of one set have the same deals in the same order
    values  float64[blocks]   one number a block
    ======= ================= ==============================================================================
    """

    at: float
    deals: int
    values: Floats


@dataclass(frozen=True)
class Point:
    """What a curve has at a position, with its 95 % interval: nan where there is none, and `Curve.why` says why."""

    at: float
    value: float
    lo: float
    hi: float


@dataclass(frozen=True)
class Found:
    """Where on the dial a target lies.

    ======= ==================================================================================================
    field   meaning
    ======= ==================================================================================================
    target  the value looked for
    at      position of the dial; nan where no position reaches the target
    lo, hi  95 % interval of the position; nan where there is none
    value   what the curve has there: the target, or the end of the curve where the target lies beyond it by
            no more than the end's own interval
    why     why there is no position, or no interval of it; else empty
    ======= ==================================================================================================
    """

    target: float
    at: float
    lo: float
    hi: float
    value: float
    why: str


@dataclass(frozen=True)
class Curve:
    """A monotone curve along the dial.

    ======= ========================== =========================================================================
    field   shape                      meaning
    ======= ========================== =========================================================================
    rises                              does it rise along the dial, or fall?
    knots   float64[knots]             from the first probe's position to the last one's
    slopes  float64[knots]             how steep it is at each knot, between which it steepens evenly; never < 0
    level                              its value at the first knot
    cover   float64[1+knots, 1+knots]  covariance of level and slopes
    df                                 degrees of freedom of its intervals
    least                              lower end of the scale
    most                               upper end of the scale
    why                                why it has no intervals, else empty
    ======= ========================== =========================================================================

    Beyond the outermost probes nothing is known: there it stays as it is at the last of them.
    """

    rises: bool
    knots: Floats
    slopes: Floats
    level: float
    cover: Floats
    df: float
    least: float
    most: float
    why: str

    def at(self, x: float | Floats) -> Floats:
        """float64[x]: its value at some positions."""
        sign = 1.0 if self.rises else -1.0
        # Row by row: a product of matrices rounds a row by how many stand beside it, and by the processor.
        risen = (_rises(_positions(x), self.knots) * self.slopes).sum(axis=1)
        values: Floats = np.clip(self.level + sign * risen, *self._scale)
        return values

    def band(self, x: float | Floats) -> tuple[Floats, Floats]:
        """float64[x], twice: lower and upper end of the 95 % interval of the value at each position, by itself.

        nan where there is none: everywhere if `why` says so, and where the numbers of all blocks are alike.
        """
        middle, half = self.at(x), self._half(_positions(x))
        return np.maximum(middle - half, self.least), np.minimum(middle + half, self.most)

    @property
    def reach(self) -> tuple[Point, Point]:
        """What it has at 1 and at 0; where no probe went so far, at the outermost of them."""
        ends = self.knots[[-1, 0]]
        value, (lo, hi) = self.at(ends), self.band(ends)
        one, zero = (
            Point(float(a), float(v), float(b), float(c)) for a, v, b, c in zip(ends, value, lo, hi, strict=True)
        )
        return one, zero

    def find(self, target: float) -> Found:
        """Find where on the dial a target lies.

        Of a flat stretch at the target's height it is the middle. The interval is of those positions whose own interval
        of the value holds the target, so that it holds the true position as often as the band holds the true value
        there; it ends where the probes do.
        """
        if not np.isfinite(target):
            raise ResultsError(f"a target is a number, not {target}")
        nan = np.nan
        if len(self.knots) < 2:
            return Found(target, nan, nan, nan, nan, f"no position: {self.why}")
        sign = 1.0 if self.rises else -1.0
        x, height = self._fine
        wanted, allowed = sign * target, np.nan_to_num(self._half(self.knots[[0, -1]]))
        if not height[0] - allowed[0] - NOISE <= wanted <= height[-1] + allowed[1] + NOISE:
            return Found(target, nan, nan, nan, nan, f"no position reaches {target:.4g}: {self._told_reach()}")
        at = _middle(x, height, min(max(wanted, height[0]), height[-1]))
        value = float(self.at(at)[0])
        x = np.insert(x, np.searchsorted(x, at), at)
        half = self._half(x)
        if self.why or np.isnan(self._half(np.array([at]))[0]):
            return Found(target, at, nan, nan, value, f"no interval: {self.why or CONSTANT}")
        lo, hi = _span(x, half - np.abs(sign * self.at(x) - wanted))
        return Found(target, at, min(lo, at), max(hi, at), value, "")

    @property
    def _scale(self) -> tuple[float, float]:
        return self.least, self.most

    @cached_property
    def _fine(self) -> tuple[Floats, Floats]:
        """Positions close to one another, and the curve's height there as if it rose."""
        x = np.unique(np.concatenate([np.linspace(self.knots[0], self.knots[-1], _FINE), self.knots]))
        return x, np.maximum.accumulate(self.at(x) if self.rises else -self.at(x))

    def _half(self, x: Floats) -> Floats:
        """Half of the interval at each position, nan where there is none."""
        if self.why:
            return np.full(len(x), np.nan)
        sign = 1.0 if self.rises else -1.0
        pull = np.hstack([np.ones((len(x), 1)), sign * _rises(x, self.knots)])
        error = np.sqrt(np.maximum(((pull @ self.cover) * pull).sum(axis=1), 0))
        half: Floats = np.where(error > NOISE, float(t_quantile(self.df)) * error, np.nan)
        return half

    def _told_reach(self) -> str:
        """Say in numbers what can be reached."""
        ends = []
        for point in reversed(self.reach):
            interval = "" if np.isnan(point.lo) else f" ({point.lo:.4g} … {point.hi:.4g})"
            ends.append(f"{point.value:.4g}{interval} at {point.at:g}")
        return f"the dial goes from {ends[0]} to {ends[1]}"


def fit(
    probes: Sequence[Probe], rises: bool, *, repeats: int = REPEATS, least: float = -np.inf, most: float = np.inf
) -> Curve:
    """Draw a monotone curve through probes.

    Parameters
    ----------
    probes
        In any order. Probes of one set of deals are paired; the sets are independent.
    rises
        Does the number rise along the dial? Pips do, the share of games won falls.
    repeats
        Bootstrap replicates behind its intervals, 2 or more.
    least, most
        Bounds of the quantity; the curve and its intervals end there.

    Raises
    ------
    ResultsError
        There is no probe, one lies outside the dial or lacks numbers, or those of one set of deals differ in length.

    Notes
    -----
    The curve is a sum of quadratic I-splines with coefficients of 0 or more (Ramsay 1988, "Monotone regression splines
    in action"), fitted to the means of the probes by least squares (Lawson & Hanson's NNLS), weighted by the inverse of
    their covariance: a mean's own variance and, in common with the other probes of its set, that of what deals are
    worth to everybody, which moves a set up or down and bends nothing. Own variances count half as measured and half as
    on average: small samples of skewed numbers otherwise weigh most where they happen to be low.

    Knots lie at the positions of the grid: of the set of deals that spans most of the dial, so that a cluster of probes
    near a target draws no knots to itself and shares the one parabola of its stretch. Between knots the slope is
    expected to stray as a random walk does, over the whole dial by some four times the mean slope (`STRAY`): each
    difference of neighbouring slopes counts as one more observation, of 0 with that spread. Where probes say much they
    are followed round every bend; where they say little the curve doesn't wiggle after them.

    Intervals are the curve's value ± Student's t (with the blocks of the smallest set less one as degrees of freedom)
    times the standard error over replicates: blocks are drawn again, jointly within each set of deals, what is expected
    of the slopes is drawn again too, so that the stiffness is paid for (Wahba 1983, "Bayesian confidence intervals for
    the cross-validated smoothing spline"), and the curve is fitted anew.

    All this was chosen by simulation: a grid of nine, then three clusters placed where it shows the targets, with
    saturating, S-shaped and straight truths; `tests/test_curve.py` holds the intervals to 95 of 100 runs. Without the
    random walk they cover less, as clusters go astray just where the grid's noise bends the curve; so do a few stiff
    knots in its stead, with an S-shaped truth, and percentiles of the replicates, plain or reflected, since what
    monotony shifts they count twice or turned round.
    """
    _check(probes, repeats)
    order = sorted(range(len(probes)), key=lambda n: (probes[n].deals, probes[n].at))  # no order of probes matters
    probes = [probes[n] for n in order]
    at = np.array([probe.at for probe in probes])
    mean = np.array([probe.values.mean() for probe in probes])
    n = np.array([len(probe.values) for probe in probes])
    sign = 1.0 if rises else -1.0
    knots = _knots(probes)
    solve = _Squares(sign * _rises(at, knots), _covariance(probes), knots, mean)
    found = solve(mean[None])[0]
    why = ONE if len(knots) < 2 else FEW if n.min() < 2 else "" if _varies(probes) else CONSTANT
    cover = np.zeros((1 + len(knots), 1 + len(knots)))
    if not why:
        stray = np.random.Generator(np.random.PCG64(_KEY)).standard_normal((repeats, len(knots) - 1))
        cover = np.cov(solve(_again(probes, repeats), stray), rowvar=False)
    return Curve(rises, knots, found[1:], float(found[0]), cover, float(n.min() - 1), least, most, why)


def table(curve: Curve, points: int = 101) -> pd.DataFrame:
    """The `curve` table: the curve and its interval at some positions, evenly from 0 to 1."""
    at = np.linspace(0, 1, points)
    lo, hi = curve.band(at)
    return tables.frame(ladder_tables.CURVE, {"at": at, "value": curve.at(at), "lo": lo, "hi": hi})


def probes_table(probes: Sequence[Probe], agents: Sequence[str], *, share: bool = False) -> pd.DataFrame:
    """The `probes` table: what each probe says by itself.

    Parameters
    ----------
    probes
        A row each, in this order.
    agents
        Label of the agent that each has measured.
    share
        Are the numbers shares, which lie between 0 and 1?
    """
    if len(agents) != len(probes):
        raise ResultsError(f"there are {len(probes)} probes and {len(agents)} agents: name one for each probe")
    sizes = [len(probe.values) for probe in probes]
    who = np.repeat(np.arange(len(probes)), sizes)
    values = np.concatenate([np.zeros(0), *(np.asarray(probe.values, np.float64) for probe in probes)])
    e = (estimate_share if share else estimate)(values, who, len(probes))
    return tables.frame(
        ladder_tables.PROBES,
        {
            "at": np.array([probe.at for probe in probes]),
            "agent": list(agents),
            "deals": np.array([probe.deals for probe in probes], np.int64),
            "blocks": np.array(sizes, np.int64),
            "value": e.mean,
            "lo": e.lo,
            "hi": e.hi,
            "note": e.why,
        },
    )


class _Squares:
    """Weighted least squares of a level and of slopes that are 0 or more; only the data change from call to call."""

    def __init__(self, pull: Floats, covariance: Floats, knots: Floats, mean: Floats) -> None:
        precision = np.linalg.inv(covariance)
        self.share, self.root = precision.sum(axis=0) / precision.sum(), np.linalg.cholesky(precision)
        self.center = self.share @ pull
        pull = self.root.T @ (pull - self.center)
        stiff = np.zeros((0, len(knots)))
        if len(knots) > 1:
            line = pull.sum(axis=1)  # what a slope of 1 everywhere would give
            heft = float(line @ line)
            steep = float(line @ ((mean - self.share @ mean) @ self.root)) / heft
            spread = STRAY * np.sqrt(np.diff(knots) / np.ptp(knots)) * np.sqrt(steep**2 + 1 / heft)
            stiff = np.diff(np.eye(len(knots)), axis=0) / spread[:, None]
        q, self.r = np.linalg.qr(np.vstack([pull, stiff]))
        self.of_means, self.of_stray = q[: len(pull)], q[len(pull) :]

    def __call__(self, means: Floats, stray: Floats | None = None) -> Floats:
        """float64[n, 1 + slopes]: level and slopes for each of float64[n, probes], and float64[n, slopes - 1] or 0."""
        from scipy.optimize import nnls  # slow to import, and most commands draw no curve

        middle = means @ self.share
        wanted = (means - middle[:, None]) @ self.root @ self.of_means
        if stray is not None:
            wanted = wanted + stray @ self.of_stray
        slopes = np.array([nnls(self.r, row)[0] for row in wanted])
        return np.hstack([(middle - slopes @ self.center)[:, None], slopes])


def _check(probes: Sequence[Probe], repeats: int) -> None:
    if not probes:
        raise ResultsError("a curve needs probes, and there are none")
    if repeats < 2:
        raise ResultsError(f"repeats is a number from 2, not {repeats}")
    sizes: dict[int, int] = {}
    for probe in probes:
        if not 0 <= probe.at <= 1:
            raise ResultsError(f"a probe is at {probe.at}; the dial goes from 0 to 1")
        if probe.deals < 0:
            raise ResultsError(f"the probe at {probe.at} is of the set of deals {probe.deals}; sets count from 0")
        if not len(probe.values) or not np.isfinite(probe.values).all():
            what = "no blocks" if not len(probe.values) else "blocks without a number"
            raise ResultsError(f"the probe at {probe.at} of the set of deals {probe.deals} has {what}")
        known = sizes.setdefault(probe.deals, len(probe.values))
        if known != len(probe.values):
            raise ResultsError(
                f"the probe at {probe.at} has {counted(len(probe.values), 'block')}, another of its set of deals has "
                f"{known}: probes of a set share its deals"
            )


def _positions(x: float | Floats) -> Floats:
    """float64[x]: positions of the dial."""
    x = np.atleast_1d(np.asarray(x, np.float64))
    if not ((x >= 0) & (x <= 1)).all():
        raise ResultsError(f"the dial goes from 0 to 1; {x[~((x >= 0) & (x <= 1))][0]} is no position of it")
    return x


def _knots(probes: Sequence[Probe]) -> Floats:
    """float64[knots]: the ends of what was probed, and positions of the grid between them."""
    sets = {probe.deals: np.unique([p.at for p in probes if p.deals == probe.deals]) for probe in probes}
    grid = max(sets.values(), key=lambda at: (at[-1] - at[0], len(at)))
    everywhere = np.unique([probe.at for probe in probes])
    n = max(min(len(grid), KNOTS), 2)
    inner = np.quantile(grid, np.linspace(0, 1, n))[1:-1]
    return np.unique(np.concatenate([everywhere[[0, -1]], inner]))


def _rises(x: Floats, knots: Floats) -> Floats:
    """float64[x, knots]: how far each I-spline has risen; its slope is 1 at its knot and 0 at those beside it."""
    risen = np.zeros((len(x), len(knots)))
    for left, width in enumerate(np.diff(knots)):
        part = np.clip((x - knots[left]) / width, 0, 1)
        risen[:, left] += width * (part - part**2 / 2)
        risen[:, left + 1] += width * part**2 / 2
    return risen


def _covariance(probes: Sequence[Probe]) -> Floats:
    """float64[probes, probes]: of their means; of two in a set of deals it is what deals are worth to everybody."""
    spread = np.array([probe.values.var(ddof=1) if len(probe.values) > 1 else np.nan for probe in probes])
    if np.isnan(spread).all() or not np.nanmean(spread) > NOISE**2:
        spread = np.ones(len(probes))
    usual = float(np.nanmean(spread))
    own, common = np.where(np.isnan(spread), usual, spread), np.zeros((len(probes), len(probes)))
    deals = np.array([probe.deals for probe in probes])
    for number in np.unique(deals):
        mine = np.flatnonzero(deals == number)
        together = np.array([probes[n].values for n in mine.tolist()])
        if min(together.shape) > 1:
            pairs = np.cov(together)[np.triu_indices(len(mine), 1)]
            shared = max(float(pairs.mean()), 0.0)
            own[mine] -= shared
            common[np.ix_(mine, mine)] = shared
    own = np.maximum((own + own.mean()) / 2, _LEAST * usual)
    n = np.array([len(probe.values) for probe in probes])
    covariance: Floats = (common + np.diag(own)) / n
    return covariance


def _varies(probes: Sequence[Probe]) -> bool:
    return any(np.ptp(probe.values) > NOISE for probe in probes)


def _again(probes: Sequence[Probe], repeats: int) -> Floats:
    """float64[repeats, probes]: means over blocks drawn again; probes of one set of deals have the same draws."""
    sizes = {probe.deals: len(probe.values) for probe in probes}
    first = dict(zip(sizes, np.cumsum([0, *sizes.values()]), strict=False))
    drawn = resample(
        np.repeat(list(sizes), list(sizes.values())), np.concatenate([np.arange(n) for n in sizes.values()]), repeats
    )
    block: Ints = np.concatenate([first[probe.deals] + np.arange(len(probe.values)) for probe in probes])
    who = np.repeat(np.arange(len(probes)), [len(probe.values) for probe in probes])
    values = np.concatenate([probe.values for probe in probes])
    total = drawn.totals(values, who, len(probes), block)
    means: Floats = total / drawn.totals(np.ones(len(values)), who, len(probes), block)
    return means


def _middle(x: Floats, height: Floats, wanted: float) -> float:
    """Where a height lies on a rising curve: in the middle, if that is a stretch."""
    first = int(np.searchsorted(height, wanted - NOISE, side="left"))
    last = int(np.searchsorted(height, wanted + NOISE, side="right")) - 1
    if first <= last:
        return float(x[first] + x[last]) / 2
    return float(np.interp(wanted, height[last : first + 1], x[last : first + 1]))


def _span(x: Floats, slack: Floats) -> tuple[float, float]:
    """From the first position to the last at which there is slack, between positions by a straight line."""
    inside = np.flatnonzero(slack >= 0)
    if not len(inside):
        return np.inf, -np.inf
    ends = []
    for end, beyond in ((inside[0], inside[0] - 1), (inside[-1], inside[-1] + 1)):
        if 0 <= beyond < len(x) and np.isfinite(slack[beyond]):
            ends.append(float(x[end] + (x[beyond] - x[end]) * slack[end] / (slack[end] - slack[beyond])))
        else:
            ends.append(float(x[end]))
    return ends[0], ends[1]
