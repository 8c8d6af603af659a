# SPDX-License-Identifier: MIT
"""‖u − u⋆‖/‖u⋆‖: a known solution u⋆, places to compare at, and relative errors. The one home of such norms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lrfm.problem import Problem

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


def reference_values(problem: Problem, coordinates: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """The known solution at points, by unknown."""
    if problem.reference is None:
        raise ValueError(
            "This problem has no known solution; give one with `Problem(..., reference=function)`."
        )
    if isinstance(problem.reference, Mapping):
        return {name: np.asarray(f(**coordinates)) for name, f in problem.reference.items()}
    return {next(iter(problem.unknowns)): np.asarray(problem.reference(**coordinates))}


def true_error(
    solution: Any, at: Coordinates, norm: Callable[[np.ndarray, np.ndarray], float] = relative_l2
) -> float:
    """Relative error against the known solution at points, the worst of the unknowns that it names."""
    exact = reference_values(solution.problem, at)
    return float(np.max([norm(solution[name](**at), value) for name, value in exact.items()]))


def grid_points(problem: Problem, count: int, times: int) -> Coordinates:
    """A tensor grid of `count` points per axis and `times`, ends included, as far as it is in the domain: one array per coordinate."""
    axes = {name: np.linspace(*ends, count) for name, ends in problem.domain.axes.items()}
    axes["t"] = np.linspace(*problem.time, times)
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
    return inside(
        problem, {name: low + (high - low) * rng.random(count) for name, (low, high) in spans.items()}
    )
