# SPDX-License-Identifier: MIT
"""u(x, t, p): solutions at nodes p_j, and between them the polynomial in p (or log p) through all of them.

u(x, t, p) = Σ_j ℓ_j(s) u_j(x, t),   s the coordinate of p on one of some intervals, ℓ_j the Lagrange polynomials of its nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from lrfm.linalg.threads import one_thread
from lrfm.problem import Problem
from lrfm.problem.calls import naming
from lrfm.problem.errors import listing
from lrfm.problem.spans import Range
from lrfm.solution.io import families
from lrfm.solution.solution import Linearized, Solution


@dataclass(frozen=True)
class Interval:
    """Solutions at some nodes of one interval of the coordinate of p."""

    low: float
    high: float
    coordinates: Sequence[float]
    solutions: Sequence[Solution]

    @staticmethod
    def of(low: float, high: float, solutions: Sequence[Solution], name: str, span: Range) -> Interval:
        """The nodes are where the solutions say that they were solved."""
        return Interval(low, high, [span.coordinate(_number(s, name)) for s in solutions], solutions)

    def scaled(self, coordinate: np.ndarray) -> np.ndarray:
        """From −1 to 1 along the interval."""
        return 2 * (np.asarray(coordinate) - self.low) / (self.high - self.low) - 1

    def weights(self, coordinate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """ℓ_j and dℓ_j/ds at coordinates: (many, nodes) each."""
        s, count = self.scaled(coordinate), len(self.solutions)
        series = np.linalg.inv(chebyshev.chebvander(self.scaled(np.array(self.coordinates)), count - 1))
        table = chebyshev.chebvander(s, count - 1)
        slope = chebyshev.chebder(series, axis=0) * 2 / (self.high - self.low)
        return table @ series, table[:, : count - 1] @ slope


@naming
class Family:
    """The solutions of a problem for all values of one parameter; made by `lrfm.solve` where a parameter is a `lrfm.Range`.

    Call it with the coordinates and the parameter by name; ``derivative("u_eps")`` is the derivative by the parameter.

    Attributes
    ----------
    error_estimate : float
        Relative L² error anywhere in the range: of the solutions at the nodes, and of interpolation, measured at nodes before they joined.
    """

    def __init__(
        self,
        problem: Problem,
        name: str,
        span: Range,
        intervals: Sequence[Interval],
        errors: Mapping[str, float],
    ):
        self.problem, self.name, self.range = problem, name, span
        self.intervals, self.errors = tuple(intervals), dict(errors)

    @property
    def error_estimate(self) -> float:
        return sum(self.errors.values())

    @property
    def solves(self) -> int:
        """How many solutions it is made of."""
        return sum(len(i.solutions) for i in self.intervals)

    @property
    def unknowns(self) -> tuple[str, ...]:
        return tuple(self.problem.unknowns)

    def __call__(self, **coordinates: Any) -> Any:
        """u at points and values of the parameter, broadcast; for several unknowns a dictionary by name."""
        values = {name: self.derivative(name)(**coordinates) for name in self.unknowns}
        return values[self.unknowns[0]] if len(values) == 1 else values

    def derivative(self, name: str) -> Any:
        """``"u_x"`` as of a solution; ``"u_eps"`` by the parameter, once."""
        unknown, _, letters = name.partition("_")
        by = letters == self.name
        return lambda **coordinates: self._evaluate(unknown if by else name, by, coordinates)

    @one_thread
    def at(self, value: float) -> Solution:
        """The nearest solution that was computed."""
        found = [s for i in self.intervals for s in i.solutions]
        here = self.range.coordinate(value)
        return min(found, key=lambda s: abs(self.range.coordinate(_number(s, self.name)) - here))

    @one_thread
    def _evaluate(self, name: str, by: bool, coordinates: dict[str, Any]) -> np.ndarray:
        if self.name not in coordinates:
            raise TypeError(
                f"`{self.name}` is missing; evaluate with all of {listing((*self.problem.domain.names, 't', self.name))} by name."
            )
        p = np.asarray(coordinates.pop(self.name), dtype=float)
        slack = 1e-12 * abs(self.range.upper)
        if np.any(p < self.range.lower - slack) or np.any(p > self.range.upper + slack):
            raise ValueError(
                f"`{self.name}` lies outside of its range [{self.range.lower:g}, {self.range.upper:g}]."
            )
        arrays = np.broadcast_arrays(p, *(np.asarray(v, dtype=float) for v in coordinates.values()))
        p, shape = np.clip(arrays[0].ravel(), self.range.lower, self.range.upper), arrays[0].shape
        at = {key: a.ravel() for key, a in zip(coordinates, arrays[1:], strict=True)}
        s = np.log(p) if self.range.log else p
        owner = np.searchsorted([i.high for i in self.intervals[:-1]], s, side="right")
        kind = complex if complex in self.problem.unknowns.values() else float
        result = np.zeros(len(p), dtype=kind)
        for number, interval in enumerate(self.intervals):
            here = owner == number
            if np.any(here):
                result[here] = self._inside(
                    interval, name, by, {k: v[here] for k, v in at.items()}, s[here], p[here]
                )
        return result.reshape(shape)[()]

    def _inside(
        self, interval: Interval, name: str, by: bool, at: dict[str, np.ndarray], s: np.ndarray, p: np.ndarray
    ) -> np.ndarray:
        plain, slope = interval.weights(s)
        weights = slope / (p[:, None] if self.range.log else 1.0) if by else plain
        values = [solution.derivative(name)(outside=False, **at) for solution in interval.solutions]
        return np.sum(weights.T * np.array(values), axis=0)

    # Life after the solve -----------------------------------------------------------------------------------

    def save(self, path: str | Path) -> Path:
        """Write all solutions into one file, which `lrfm.load` reads."""
        parts = [
            (i.low, i.high, [(s.problem, list(s.pieces), s.report) for s in i.solutions])
            for i in self.intervals
        ]
        families.write(path, self.problem, self.name, self.range, parts, self.errors)
        return Path(path)

    @one_thread
    def plot(
        self,
        path: str | Path | None = None,
        *,
        unknown: str | None = None,
        values: int = 7,
        t: float | None = None,
    ) -> Any:
        """Curves for some values of the parameter, and u by the parameter; with a name that ends in ``.html`` a page with a slider.

        Curves run along the first axis at time `t`, the end if left out, the other axes at their middle. Returns the figure, or the path
        of the page.
        """
        from lrfm.solution.plot.family import figure, page

        if path is not None and str(path).endswith(".html"):
            return page(self, Path(path), unknown, t)
        return figure(self, path, unknown, values, t)

    def lines(self) -> list[tuple[str, str]]:
        """Name and value of every entry of the report."""
        kind = "log " if self.range.log else ""
        return [
            ("parameter", f"{self.name} from {self.range.lower:g} to {self.range.upper:g}"),
            ("error estimate", f"{self.error_estimate:.1e} (relative, for every value)"),
            *((f"of it by {name}", f"{value:.1e}") for name, value in self.errors.items()),
            (
                "made of",
                f"{self.solves} solutions, polynomials in {kind}{self.name} on {len(self.intervals)} interval(s)",
            ),
        ]

    def _repr_html_(self) -> str:
        from lrfm.problem.typeset import table_html
        from lrfm.solution.plot.family import slider

        return table_html(self.lines(), "") + slider(self, self.unknowns[0], None)

    def __repr__(self) -> str:
        return f"<Family of {self.problem!r} over {self.name} in [{self.range.lower:g}, {self.range.upper:g}], {self.solves} solutions>"


def _number(solution: Solution, name: str) -> float:
    value: Any = solution.problem.parameters[name]
    return float(value)


def load_family(
    path: str | Path,
    functions: Mapping[str, Callable[..., Any]] | None = None,
    linearize: Callable[[Solution], Linearized] | None = None,
) -> Family | None:
    """Read a family written by `Family.save`; None where the file holds none."""
    found = families.read(path, functions or {})
    if found is None:
        return None
    problem, name, span, parts, errors = found
    intervals = [
        Interval.of(low, high, [Solution(*one, linearize=linearize) for one in solved], name, span)
        for low, high, solved in parts
    ]
    return Family(problem, name, span, intervals, errors)
