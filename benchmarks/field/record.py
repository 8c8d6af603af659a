# SPDX-License-Identifier: MIT
"""A statement, its reference, and the error of an answer against it.

‖u − u⋆‖² = Σ_j w_j mean_i |u(x_i, t_j) − u⋆(x_i, t_j)|²: points spread evenly over the box, times with the
weights of the trapezoidal rule. The points are the same for every answer and are no nodes of any method.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
from scipy.stats import qmc

from lrfm.error.sizes import by_vectors
from lrfm.problem import Problem

STORE = Path(__file__).resolve().parent / "references"
SEED = 20260611
POINTS = {1: 1000, 2: 4096, 3: 4096}  # by dimension; 4096 above
TIMES = {1: 33, 2: 17}  # 9 above


@dataclass(frozen=True)
class Goal:
    """What is wanted: a relative L² error over space and time, and CPU seconds of one core (infinite: not said)."""

    tol: float
    seconds: float = math.inf


@dataclass(frozen=True)
class Sample:
    """u⋆ of every unknown (times, points) at t_j and x_i; `trusted` is the last time at which it is known well."""

    times: np.ndarray
    points: np.ndarray  # (points, axes)
    values: Mapping[str, np.ndarray]
    agreement: float  # relative L² difference of two resolutions; rounding for formulas
    trusted: float = math.inf
    how: str = "formula"


class Reference(Protocol):
    """Where the truth comes from."""

    def sample(self, problem: Problem) -> Sample: ...


@dataclass(frozen=True)
class Formula:
    """u⋆(x, t) as NumPy functions of the coordinates by name, one for each unknown."""

    functions: Mapping[str, Callable[..., np.ndarray]]

    def sample(self, problem: Problem) -> Sample:
        dimension = problem.domain.dimension
        points = spread(problem.domain.lower, problem.domain.upper, POINTS.get(dimension, 4096))
        times = instants(*problem.time, TIMES.get(dimension, 9))
        where = {n: points[:, i] for i, n in enumerate(problem.domain.names)}
        values = {
            name: np.stack(
                [np.broadcast_to(f(**where, t=np.full(len(points), s)), len(points)) for s in times]
            )
            for name, f in self.functions.items()
        }
        return Sample(times, points, values, agreement=1e-15)


@dataclass(frozen=True)
class Stored:
    """Values computed once by `make_references.py`, kept in `references/NAME.npz`."""

    name: str

    @property
    def path(self) -> Path:
        return STORE / f"{self.name}.npz"

    def sample(self, problem: Problem) -> Sample:
        with np.load(self.path) as data:
            kept = {k[2:]: data[k] for k in data.files if k.startswith("v_")}
            return Sample(
                data["times"],
                data["points"],
                kept,
                float(data["agreement"]),
                float(data["trusted"]),
                str(data["how"]),
            )


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One row of the benchmark.

    after
        Errors count from this time on: data that contradict each other at the start have no value there.
    gauge
        Unknowns known up to a constant at each instant (a pressure): the mean difference is left out.
    """

    name: str
    group: str
    build: Callable[[], Problem]
    reference: Reference | None = None  # None: the problem's own
    wanted: tuple[Goal, ...] = (Goal(1e-6),)
    mark: str = ""
    after: float = -math.inf
    gauge: frozenset[str] = field(default_factory=frozenset)
    note: str = ""

    @functools.cached_property
    def whole(self) -> Problem:
        """The problem as it was built, perhaps with a formula."""
        return self.build()

    @functools.cached_property
    def problem(self) -> Problem:
        """What is handed to the solver: it does not get to see the truth."""
        return self.whole if self.whole.reference is None else self.whole.replace(reference=None)

    @functools.cached_property
    def sample(self) -> Sample:
        """The truth at points."""
        return self.truth.sample(self.problem)

    @property
    def truth(self) -> Reference:
        if self.reference is not None:
            return self.reference
        known = self.whole.reference
        if known is None:
            raise ValueError(f"{self.name} has no reference.")
        return Formula(known if isinstance(known, Mapping) else {next(iter(self.whole.unknowns)): known})


def goals(*pairs: float | tuple[float, float]) -> tuple[Goal, ...]:
    """goals(1e-6, (1e-9, 5)): tolerances, with seconds where they are said."""
    return tuple(Goal(*p) if isinstance(p, tuple) else Goal(p) for p in pairs)


def spread(lower: np.ndarray, upper: np.ndarray, count: int, seed: int = SEED) -> np.ndarray:
    """Points that fill a box evenly and lie on no grid: stratified on a line, a scrambled Sobol sequence above."""
    lower, upper = np.atleast_1d(lower).astype(float), np.atleast_1d(upper).astype(float)
    rng = np.random.default_rng(seed)
    if len(lower) == 1:
        unit = ((np.arange(count) + rng.random(count)) / count)[:, None]
    else:
        unit = qmc.Sobol(len(lower), seed=seed).random_base2(math.ceil(math.log2(count)))[:count]
    return lower + (upper - lower) * unit


def instants(start: float, end: float, count: int, seed: int = SEED) -> np.ndarray:
    """Both ends, and times between them that are no round numbers."""
    rng = np.random.default_rng(seed)
    inner = (np.arange(1, count - 1) + 0.8 * (rng.random(count - 2) - 0.5)) / (count - 1)
    return start + (end - start) * np.r_[0.0, inner, 1.0]


# Errors -----------------------------------------------------------------------------------------


def errors(statement: Statement, answer: Callable[..., Mapping[str, np.ndarray]]) -> dict[str, object]:
    """Relative L² over space and time by unknown, the worst; L² at the end; the largest error anywhere.

    `answer(t=..., x=...)` gives every unknown at points.
    """
    sample = statement.sample
    used = (sample.times >= statement.after) & (sample.times <= sample.trusted)
    if not used.any():
        raise ValueError(f"The reference of {statement.name} is trusted at none of its times.")
    rows = np.flatnonzero(used)
    names = statement.problem.domain.names
    where = {n: sample.points[:, i] for i, n in enumerate(names)}
    gaps: dict[str, list[np.ndarray]] = {name: [] for name in sample.values}
    for j in rows:
        found = answer(**where, t=np.full(len(sample.points), sample.times[j]))
        for name, exact in sample.values.items():
            gap = np.asarray(found[name]) - exact[j]
            gaps[name].append(gap - gap.mean() if name in statement.gauge else gap)
    return _judged(statement, sample, rows, {n: np.stack(g) for n, g in gaps.items()})


def _judged(statement: Statement, sample: Sample, rows: np.ndarray, gaps: Mapping[str, np.ndarray]) -> dict:
    weight = trapezoid_weights(sample.times[rows])
    # Squares of gaps and of what they are relative to: over the time, at the end, the largest.
    apart, sizes = ([{}, {}, {}] for _ in range(2))
    for name, gap in gaps.items():
        exact = sample.values[name][rows]
        if name in statement.gauge:
            exact = exact - exact.mean(axis=1, keepdims=True)
        for found, values in ((apart, gap), (sizes, exact)):
            means = np.mean(np.abs(values) ** 2, axis=1)
            squares = float(weight @ means), float(means[-1]), float(np.abs(values).max()) ** 2
            for own, square in zip(found, squares, strict=True):
                own[name] = square
    total, final, largest = (
        {name: math.sqrt(gap / (size[name] or 1.0)) for name, gap in own.items()}
        for own, size in zip(
            apart,
            (by_vectors(statement.problem, s, j) for s, j in zip(sizes, (sum, sum, max), strict=True)),
            strict=True,
        )
    )
    return {
        "error": worst(total),
        "final_error": worst(final),
        "max_error": worst(largest),
        "by_unknown": {n: float(f"{v:.3g}") for n, v in total.items()},
        "until": float(sample.times[rows[-1]]),
    }


def worst(values: Mapping[str, float]) -> float:
    """The largest; infinity where one is no number."""
    found = list(values.values())
    return max(found) if all(map(math.isfinite, found)) else math.inf


def trapezoid_weights(times: np.ndarray) -> np.ndarray:
    """Weights of the trapezoidal rule, with sum 1; a single time has weight 1."""
    if len(times) == 1:
        return np.ones(1)
    steps = np.diff(times)
    return (np.r_[steps, 0.0] + np.r_[0.0, steps]) / (2 * (times[-1] - times[0]))
