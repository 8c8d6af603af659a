# SPDX-License-Identifier: MIT
"""How many functions a chart needs, before anything is solved: the modes of given functions in ξ.

tail(n) = ‖coefficients of order ≥ n‖ / ‖all‖   of the Chebyshev (interval) or Fourier (circle) series of v(x(ξ)),
modes = the first n with tail(n) below the tolerance;   score = Σ_n log(max(tail, tol)/tol) / log(1/tol), which ranks charts.
The highest derivative in the equations has coefficients of about kᵖ c_k; it is counted too, with less asked of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from lrfm.linalg.clock import look
from lrfm.spaces.axes.chart import Axis, Chart

SAMPLES = 512
MOST_SAMPLES = 2048
KERNELS = 12
ROUNDING = 1e-14  # of coefficients, relative to the function
MORE_FOR_DERIVATIVES = 1.3
DERIVATIVE = 30.0  # how much less is asked of the highest derivative
KINKED = 100  # modes from which on a kink is looked for
SHARPENINGS = (10.0, 1e2, 1e3, 1e4, 1e5)  # how much narrower a kernel may become at once
ZOOMS = 8  # by a factor of five each
ROUGH = 0.6  # modes at ten times the tolerance, relative to those at it, below which a series converges no faster than for a kink
CLOSER = 5  # how often the functions are looked at through the chart found before
NARROWER = 0.4  # widths that are tried beside those found
PLACES = 1001  # at which functions are looked at through a chart
WORTH = 0.97  # score of a chart, relative to that of none, up to which it is taken
BETTER = 0.92  # the same for one chart after another
EQUAL = 1e-6  # part of a step by which steps may differ and are equal
TOGETHER = 64  # neighbors of a scan of which the steepest speaks for all
APART = 5  # places across a width from which on a closer look shows nothing new


@dataclass(frozen=True)
class Count:
    """Modes and score of some functions in a chart."""

    modes: float
    score: float
    rough: bool = False  # whether the series converges slowly, as for a kink


Family = Callable[[np.ndarray], np.ndarray]  # values (places, functions)
Details = tuple[np.ndarray, np.ndarray]  # places and widths


def count_modes(
    chart: Chart,
    family: Family,
    sizes: np.ndarray,
    tol: float,
    order: int,
    beat: float = np.inf,
    samples: int = SAMPLES,
    details: Details | None = None,
) -> Count:
    """The worst of the functions; tails are relative to `sizes`, one per function.

    More samples are taken where they do not suffice, unless the score is above the one to `beat` already. A chart in which
    `details`, places and widths found by a scan, fall between the samples has no count.
    """
    if details is not None and not _seen(chart, details, samples):
        if samples < MOST_SAMPLES:
            return count_modes(chart, family, sizes, tol, order, beat, 4 * samples, details)
        return Count(np.inf, np.inf)
    c = _spectrum(chart, family, samples)
    level = np.maximum(np.linalg.norm(c[1:], axis=0), sizes)
    # What lies below rounding is no part of the function, however much a derivative would make of it.
    c = np.where(c > ROUNDING * level, c, 0.0)
    tail = np.sqrt(np.cumsum(c[::-1] ** 2, axis=0))[::-1] / level
    high = np.arange(len(c))[:, None] ** float(order) * c
    high_tail = np.sqrt(np.cumsum(high[::-1] ** 2, axis=0))[::-1]
    high_level = np.where(np.isfinite(level), np.maximum(high_tail[0], 1e-300), np.inf)
    plain, steep = tail.max(axis=1), (high_tail / high_level).max(axis=1) / DERIVATIVE
    first = _first_below(plain, tol)
    double = 2 if chart.axis.periodic else 1
    score = double * float(np.sum(np.log(np.maximum(np.minimum(plain, 1.0), tol) / tol)) / np.log(1 / tol))
    if first > 0.7 * len(plain) and samples < MOST_SAMPLES and score < beat:
        return count_modes(chart, family, sizes, tol, order, beat, 4 * samples, details)
    # A solution that is not resolved rings; its derivatives would ask for any number of modes.
    modes = min(max(first, _first_below(steep, tol)), MORE_FOR_DERIVATIVES * first)
    earlier = _first_below(plain, 10 * tol)
    rough = double * first > KINKED and not ROUGH * first <= earlier < 0.7 * len(plain)
    return Count(double * modes, score, rough)


def _seen(chart: Chart, details: Details, samples: int) -> bool:
    """Whether the samples of a chart are closer than the widths of what is to be seen."""
    centers, widths = details
    return bool(np.all(np.pi / (samples * chart.slopes(centers, 1)[0]) < widths))


def _first_below(values: np.ndarray, tol: float) -> int:
    small = np.flatnonzero(values < tol)
    return int(small[0]) if len(small) else len(values)


def _spectrum(chart: Chart, family: Family, samples: int) -> np.ndarray:
    """Absolute values of the coefficients, (modes, functions)."""
    if chart.axis.periodic:
        v = family(chart.places(-1 + 2 * np.arange(samples) / samples))
        return np.abs(np.fft.rfft(v, axis=0)) * (2 / samples)
    angle = np.pi * (np.arange(samples) + 0.5) / samples
    v = family(chart.places(-np.cos(angle)))
    return np.abs(np.fft.rfft(np.concatenate([v, v[::-1]]), axis=0)[:samples]) / samples


def steepness(axis: Axis, x: np.ndarray, v: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """s(x) = max over functions of max(|v'|/R, √(|v''|/R)) by differences, R = `sizes`: an inverse length."""
    v = np.ascontiguousarray(v.T)
    if axis.periodic:
        x = np.concatenate([x[-3:-1] - axis.length, x, x[1:3] + axis.length])
        v = np.concatenate([v[:, -3:-1], v, v[:, 1:3]], axis=1)
    steps = np.diff(x)
    # Equal steps, those of a scan without a chart, take a quarter of the time.
    spacing = steps.mean() if np.ptp(steps) < EQUAL * steps[0] else x
    steepest = None
    for row, size in zip(v, sizes, strict=True):
        first = np.gradient(row, spacing)
        second = np.gradient(first, spacing)
        if axis.periodic:
            first, second = first[2:-2], second[2:-2]
        else:
            second[:2], second[-2:] = second[2], second[-3]
        s = np.abs(first, out=first)
        s /= size
        np.maximum(s, np.sqrt(np.abs(second, out=second) / size), out=s)
        steepest = s if steepest is None else np.maximum(steepest, s, out=steepest)
    assert steepest is not None
    return steepest


def steepest(x: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places and steepness of a scan, one of TOGETHER neighbors: the steepest of them. Few places as they are."""
    whole = len(x) // TOGETHER * TOGETHER
    if len(x) < TOGETHER * PLACES:
        return x, s
    chosen = np.argmax(s[:whole].reshape(-1, TOGETHER), axis=1) + np.arange(0, whole, TOGETHER)
    if whole < len(x):
        chosen = np.append(chosen, whole + np.argmax(s[whole:]))
    return x[chosen], s[chosen]


def kernels_for(axis: Axis, x: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Centers and widths 1/s of kernels that cover s(x) to within a factor of two, the most needed first."""
    cover = np.full(len(x), 2.0 / axis.length)
    centers, widths = [], []
    for _ in range(KERNELS):
        worst = int(np.argmax(s / cover))
        if s[worst] < 2 * cover[worst]:
            break
        centers.append(x[worst])
        widths.append(1.0 / s[worst])
        away = np.abs(x - centers[-1])
        if axis.periodic:
            away = np.minimum(away, axis.length - away)
        cover = np.maximum(cover, 1.0 / np.hypot(away, widths[-1]))
    return np.array(centers), np.array(widths)


def _candidates(
    axis: Axis, centers: np.ndarray, widths: np.ndarray, factors: tuple[float, ...] = (1.0, NARROWER)
) -> list[Chart]:
    found = []
    numbers = {n for n in (1, 2, 4, len(centers)) if 0 < n <= len(centers)}
    for n in sorted(numbers):
        for strength in (1.0, 4.0):
            for factor in factors:
                w = np.full(n, strength / np.sqrt(n))
                found.append(Chart(axis, centers[:n], factor * widths[:n], w))
    return found


def choose_chart(
    axis: Axis,
    family: Family,
    sizes: np.ndarray,
    tol: float,
    order: int,
    before: Chart | None = None,
    places: int = PLACES,
) -> tuple[Chart, Count]:
    """The chart with the best score among none, the one before, and kernels where the functions are steep.

    Kernels have to lower the score of none to the part WORTH of it.

    With a chart `before`, that of the basis on which the functions are known, half as many are tried, and once where its places were close enough.
    """
    x = (before or Chart(axis)).places(np.linspace(-1, 1, places))
    details = kernels_for(axis, *steepest(x, steepness(axis, x, family(x), sizes)))
    seen = details if len(details[0]) else None
    best, count = Chart(axis), Count(np.inf, np.inf)

    def consider(charts: list[Chart], gain: float = BETTER) -> bool:
        nonlocal best, count
        improved = False
        for chart in charts:
            look()
            least = (gain if len(best.centers) else min(gain, WORTH)) * count.score
            other = count_modes(chart, family, sizes, tol, order, least, details=seen)
            if other.score < least:
                best, count, improved = chart, other, True
        return improved

    consider([before] if before is not None and len(before.centers) else [], 1.0)
    # No chart at all is preferred to one that gains little.
    plain = count_modes(Chart(axis), family, sizes, tol, order, count.score / WORTH, details=seen)
    if plain.score < count.score / WORTH:
        best, count = Chart(axis), plain
    for attempt in range(CLOSER):
        if count.modes < 24 or (attempt and before is not None and _close_enough(x, details)):
            break
        if attempt:
            x = best.places(np.linspace(-1, 1, PLACES))
            details = kernels_for(axis, x, steepness(axis, x, family(x), sizes))
        if before is None:
            improved = consider(_candidates(axis, *details))
        else:
            improved = consider(_candidates(axis, *details, factors=(1.0,)))
            consider([replace(best, widths=NARROWER * best.widths)] if improved else [])
        if not improved:
            break
    for _ in range(CLOSER):
        if not count.rough or not consider(_narrower(best, family, sizes)):
            break
    if not np.isfinite(count.score) and len(details[0]):
        return _candidates(axis, *details)[-1], Count(np.inf, np.inf)
    return best, count


def _close_enough(x: np.ndarray, details: Details) -> bool:
    """Whether the places at which functions were looked at are close enough to have shown their true widths."""
    centers, widths = details
    at = np.clip(np.searchsorted(x, centers), 1, len(x) - 1)
    return bool(np.all(APART * (x[at] - x[at - 1]) < widths))


def _narrower(chart: Chart, family: Family, sizes: np.ndarray) -> list[Chart]:
    """The chart with a much narrower kernel where the functions are roughest in it: a kink asks for one as narrow as the tolerance."""
    axis, place = chart.axis, _roughest(chart, family, sizes)
    away = np.abs(chart.centers - place)
    away = np.minimum(away, axis.length - away) if axis.periodic else away
    others = away > 2 * chart.widths
    width = chart.widths[~others].min(initial=1 / chart.slopes(np.array([place]), 1)[0][0])
    centers, widths = np.append(chart.centers[others], place), chart.widths[others]
    found = []
    for narrower in SHARPENINGS:
        for weaker in (1.0, 0.25):
            strengths = np.append(chart.strengths[others], weaker * chart.strengths.max(initial=1.0))
            found.append(Chart(axis, centers, np.append(widths, width / narrower), strengths))
    return found


def _roughest(chart: Chart, family: Family, sizes: np.ndarray) -> float:
    """The place of the largest sixth difference in a chart, looked at more and more closely.

    What is smooth has small ones, a kink has not; and a kernel has to be right on it.
    """
    axis, x = chart.axis, chart.places(np.linspace(-1, 1, PLACES))
    v = family(x)
    if axis.periodic:
        x, v = np.append(x, x[1:7] + axis.length), np.concatenate([v, v[1:7]])
    place = 0.5 * (axis.lower + axis.upper)
    for _ in range(ZOOMS):
        at = int(np.argmax(np.abs(np.diff(v, 6, axis=0) / sizes).max(axis=1))) + 3
        place, reach = float(x[at]), 2 * float(x[at + 1] - x[at - 1])
        x = place + reach * np.linspace(-1, 1, 41)
        x = x if axis.periodic else np.clip(x, axis.lower, axis.upper)
        v = family(axis.lower + (x - axis.lower) % axis.length if axis.periodic else x)
    return axis.lower + (place - axis.lower) % axis.length if axis.periodic else place


def sharpened(chart: Chart, place: float) -> Chart:
    """The chart with three times the resolution at a place: its kernel there narrower, or a new one."""
    axis, away = chart.axis, np.abs(chart.centers - place)
    if axis.periodic:
        away = np.minimum(away, axis.length - away)
    near = np.flatnonzero(away < 2 * chart.widths)
    widths = chart.widths.copy()
    if len(near):
        widths[near[np.argmin(widths[near])]] /= 3
        return replace(chart, widths=widths)
    slope = chart.slopes(np.array([place]), 1)[0][0]
    return Chart(
        axis,
        np.append(chart.centers, place),
        np.append(widths, 1 / (3 * slope)),
        np.append(chart.strengths, chart.strengths.max(initial=1.0)),
    )
