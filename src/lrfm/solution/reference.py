# SPDX-License-Identifier: MIT
"""‖u − u⋆‖/‖u⋆‖: a known solution u⋆, places to compare at, and relative errors. The one home of such norms."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from lrfm.error.indicators import UNRESOLVED
from lrfm.linalg.deadline import check_deadline
from lrfm.problem import Problem
from lrfm.rows.placing import fill

COMPARED = 200  # points at which a reference is looked at
FAR = 10.0  # true error over estimate from which a warning is given,
FINEST = 1e-11  # and the least estimate that a reference is measured by
MEANS = 16  # points along an axis for the mean of a known solution
Coordinates = dict[str, Any]  # arrays by name; Any, so that they can be given as keywords


def relative_l2(found: np.ndarray, exact: np.ndarray) -> float:
    """‖found − exact‖₂/‖exact‖₂ over all entries, real or complex; the norm of `found` itself where `exact` vanishes.

    >>> relative_l2(np.array([3.0, 4.4]), np.array([3.0, 4.0]))
    0.08000000000000007
    """
    gap, size = np.linalg.norm(np.ravel(np.subtract(found, exact))), np.linalg.norm(np.ravel(exact))
    return float(gap / size if size > 0 else gap)


def relative_linf(found: np.ndarray, exact: np.ndarray) -> float:
    """‖found − exact‖_∞/‖exact‖_∞, in the same way."""
    gap, size = np.abs(np.subtract(found, exact)).max(), np.abs(exact).max()
    return float(gap / size if size > 0 else gap)


def reference_values(
    problem: Problem, coordinates: Mapping[str, Any], undetermined: Collection[str] = ()
) -> dict[str, np.ndarray]:
    """The known solution at points, by unknown; without its mean over the domain where only that much is determined."""
    if problem.reference is None:
        raise ValueError(
            "This problem has no known solution; give one with `Problem(..., reference=function)`."
        )
    known = problem.reference
    if not isinstance(known, Mapping):
        known = {next(iter(problem.unknowns)): known}
    found = {name: np.asarray(f(**coordinates)) for name, f in known.items()}
    for name in undetermined:
        if name in found:
            found[name] = found[name] - _means(problem, known[name], np.asarray(coordinates.get("t", 0.0)))
    return found


def _means(problem: Problem, function: Callable[..., Any], t: np.ndarray) -> np.ndarray:
    """∫ f(x, t) dx / ∫ dx at given times, by Gauss' rule along every axis."""
    nodes, weights = np.polynomial.legendre.leggauss(MEANS)
    axes = [0.5 * (a + b) + 0.5 * (b - a) * nodes for a, b in problem.domain.axes.values()]
    grid = [g.ravel() for g in np.meshgrid(*axes, indexing="ij")]
    share = np.ones(1)
    for _ in axes:
        share = np.kron(share, weights / 2)
    times, place = np.unique(t, return_inverse=True)
    where = dict(zip(problem.domain.names, grid, strict=True))
    still = "t" in problem.absent
    means = np.zeros(len(times))
    for k, s in enumerate(times):
        check_deadline()  # a function of the user, which may be slow
        values = function(**where, **({} if still else {"t": np.full(len(share), s)}))
        means[k] = share @ np.broadcast_to(values, len(share))
    return means[place].reshape(t.shape)


def true_error(
    solution: Any, at: Coordinates, norm: Callable[[np.ndarray, np.ndarray], float] = relative_l2
) -> float:
    """Relative error against the known solution at points, the worst of the unknowns that it names."""
    problem = solution.problem
    exact = reference_values(problem, at, solution.report.undetermined)

    def error(name: str) -> float:
        # Beside the other components of a velocity, which are as they should be: relative to the vector.
        others = [exact[n] for n in problem.vectors.get(name, ()) if n != name and n in exact]
        found, known = solution[name](**at), exact[name]
        return norm(np.stack([found, *others]), np.stack([known, *others])) if others else norm(found, known)

    return float(np.max([error(name) for name in exact]))


def grid_points(problem: Problem, count: int, times: int) -> Coordinates:
    """A tensor grid of `count` points per axis and `times`, ends included, as far as it is in the domain: one array per coordinate."""
    axes = {name: np.linspace(*ends, count) for name, ends in problem.domain.axes.items()}
    axes["t"] = np.linspace(*problem.time, times)
    if problem.absent:
        axes = {name: axes[name] for name in problem.coordinates}
    return inside(problem, dict(zip(axes, np.meshgrid(*axes.values(), indexing="ij"), strict=True)))


def inside(problem: Problem, at: Coordinates) -> Coordinates:
    """Those points that lie in the domain, one after another; all of them, as they are, in a box."""
    if problem.domain.is_box:
        return at
    columns = [a.ravel() for a in at.values()]
    keep = problem.domain.contains(np.column_stack(columns[:-1]), columns[-1])
    return {name: column[keep] for name, column in zip(at, columns, strict=True)}


def random_points(problem: Problem, count: int, rng: np.random.Generator) -> Coordinates:
    """Points of the domain and the time span, uniformly at random."""
    spans = {**problem.domain.axes, "t": problem.time}
    spans = {name: spans[name] for name in problem.coordinates}
    return inside(
        problem, {name: low + (high - low) * rng.random(count) for name, (low, high) in spans.items()}
    )


def doubted(solution: Any) -> tuple[str, ...]:
    """A warning where a given reference is far from the solution although the estimate is small."""
    problem, claimed = solution.problem, solution.report.error_estimate
    if problem.reference is None or not claimed < UNRESOLVED or solution.block_edges[-1] < problem.time[1]:
        return ()
    rng = np.random.default_rng(0)
    unit = rng.random((COMPARED, len(solution._columns)))
    times = problem.time[0] + (problem.time[1] - problem.time[0]) * unit[:, -1]
    places = fill(problem.domain, unit[:, :-1], times, rng)
    everywhere = zip(solution._columns, (*places.T, times), strict=True)
    at: dict[str, Any] = {c: a for c, a in everywhere if c in solution.coordinates}
    error = 0.0
    for name, exact in reference_values(problem, at, solution.report.undetermined).items():
        gap, size = np.linalg.norm(solution[name](**at) - exact), np.linalg.norm(exact)
        error = max(error, float(gap / size) if size > 0 else 0.0)
    if error <= FAR * max(claimed, FINEST):
        return ()
    return (
        f"Compared with `reference` the relative error is {error:.1e}, far above the estimate {claimed:.1e}: the reference "
        "does not solve this statement, or is not accurate, or the estimate is wrong. Check the statement first.",
    )
