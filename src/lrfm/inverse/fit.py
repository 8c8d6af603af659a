# SPDX-License-Identifier: MIT
"""The answer of a fit: numbers and fields with intervals, the solution they belong to, and what is to be said about them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lrfm.inverse.design import Design, where_next
from lrfm.inverse.model import Model, Point
from lrfm.inverse.observe import Lens, Observed
from lrfm.inverse.profile import Profile, profile
from lrfm.inverse.search import Task
from lrfm.inverse.spread import Spread
from lrfm.inverse.statistics import LEVEL
from lrfm.inverse.vector import Vector
from lrfm.linalg.threads import one_thread
from lrfm.problem.calls import naming
from lrfm.problem.errors import Brief, listing, suggest
from lrfm.rows.pieces import Piece
from lrfm.solution.solution import Solution

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class FitError(Brief, RuntimeError):
    """The data do not answer the question; `fit` is what was found nevertheless."""

    def __init__(self, message: str, fit: Fit | None = None):
        super().__init__(message)
        self.fit = fit


@dataclass(frozen=True)
class Estimate:
    """A number that was found: its value, its standard error, and its interval at 95 %.

    `forward` is the part of the interval that is due to the error of the forward solve.
    """

    value: float
    std: float
    half: float
    forward: float = 0.0

    @property
    def lower(self) -> float:
        return self.value - self.half

    @property
    def upper(self) -> float:
        return self.value + self.half

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        if not math.isfinite(self.half):
            return "not identified"
        digits = 1 - math.floor(math.log10(self.half)) if self.half > 0 else 12
        if abs(self.value) >= 1e5 or 0 < abs(self.value) < 1e-3 or digits > 12:
            shift = math.floor(math.log10(abs(self.value))) if self.value else 0
            return f"{self.value:.{min(max(digits + shift, 0), 15)}e} ± {self.half:.1e} ({100 * LEVEL:.0f} %)"
        return f"{self.value:.{max(digits, 0)}f} ± {self.half:.{max(digits, 0)}f} ({100 * LEVEL:.0f} %)"

    __repr__ = __str__


class Prediction(NamedTuple):
    """Values with a band: what the data leave open at 95 %, the error of the forward solve included."""

    value: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    std: np.ndarray


class FitStatus(StrEnum):
    """How a fit ended; equal to its words."""

    FITTED = "fitted"
    NOT_IDENTIFIABLE = "not identifiable"
    NOT_CONVERGED = "not converged"
    NOT_DESCRIBED = "the model does not describe the data"


@dataclass(frozen=True)
class Judgement:
    """What is known of a fit beyond its numbers."""

    status: FitStatus
    chi_square: float
    freedom: int
    p_value: float
    sigma: dict[str, float]  # what was found or the mean of what was given, by column
    sigma_known: bool
    unseen: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    iterations: int = 0
    solves: int = 0
    seconds: float = 0.0
    lengths: dict[str, float] = field(
        default_factory=dict
    )  # over which fields are smooth, in parts of their axes · π
    reason: str = ""  # why a search did not converge, for people

    @property
    def words(self) -> str:
        """The status, and why."""
        return f"{self.status}: {self.reason}" if self.reason else str(self.status)


@dataclass(frozen=True)
class FieldEstimate:
    """A field that was found: a function of its coordinates by name, with a band."""

    name: str
    fit: Fit = field(repr=False)

    @one_thread
    def __call__(self, **coordinates: float | np.ndarray) -> Prediction:
        own = self.fit.vector.fields[self.name]
        if set(coordinates) != set(own.coordinates):
            raise TypeError(
                f"`{self.name}` depends on {listing(own.coordinates)}; evaluate it with these by name."
            )
        arrays = np.broadcast_arrays(*(np.asarray(coordinates[c], dtype=float) for c in own.coordinates))
        points = np.zeros((arrays[0].size, len(own.names)))
        for place, array in zip(own.places, arrays, strict=True):
            points[:, place] = array.ravel()
        at = self.fit.vector.slice(self.name)
        table = own.functions(points)
        value = own.moved(self.fit.values[at]).derivative(points, (0,) * len(own.names))
        full = np.zeros((len(table), self.fit.vector.size))
        full[:, at] = table
        below, above, std = self.fit.spread.band(full)
        shift = np.abs(table @ self.fit.shift[at])
        parts = (value, value - below - shift, value + above + shift, std)
        return Prediction(*(p.reshape(arrays[0].shape)[()] for p in parts))


@naming
class Fit:
    """What was unknown, found from data; made by `lrfm.fit`.

    Attributes
    ----------
    parameters : dict of str to Estimate
        Unknown numbers: value, standard error, interval.
    fields : dict of str to FieldEstimate
        Unknown fields, functions of their coordinates with a band.
    covariance, correlation : numpy.ndarray
        Of the unknown numbers, in the order of `parameters`.
    residuals : numpy.ndarray
        Data minus model, all sets one after the other; `whitened` divides them by σ.
    solution : Solution
        The solution of the problem with what was found, with its error estimate.
    judgement : Judgement
        Status, test of the model, warnings.
    """

    def __init__(
        self, model: Model, task: Task, point: Point, solution: Solution, tangents: Sequence[Sequence[Piece]],
        full_covariance: np.ndarray, spread: Spread, shift: np.ndarray, factor: float, judgement: Judgement, blind: Sequence[str] = (),
        tol: float = 1e-6,
    ):  # fmt: skip
        self.model, self.task, self.point, self.solution = model, task, point, solution
        self.values = point.values
        self.tangents, self.full_covariance, self.spread = tangents, full_covariance, spread
        self.shift, self.factor = shift, factor
        self.judgement, self.blind, self.tol = judgement, tuple(blind), tol
        self.vector: Vector = model.vector
        self.observed: list[Observed] = model.observed
        self._lens = Lens(solution.problem, self.observed, ())
        self.model_values = self._lens.values(solution.pieces)

    # What was found -----------------------------------------------------------------------------------------

    @property
    def parameters(self) -> dict[str, Estimate]:
        found = {}
        below, above, stds = self.spread.band(np.eye(len(self.vector.numbers), self.vector.size))
        for i, name in enumerate(self.vector.numbers):
            half, shift = float(max(below[i], above[i])), abs(float(self.shift[i]))
            if name in self.blind:
                found[name] = Estimate(math.nan, math.inf, math.inf)
            else:
                found[name] = Estimate(float(self.values[i]), float(stds[i]), half + shift, shift)
        return found

    @property
    def fields(self) -> dict[str, FieldEstimate]:
        return {name: FieldEstimate(name, self) for name in self.vector.fields}

    @property
    def covariance(self) -> np.ndarray:
        n = len(self.vector.numbers)
        return self.full_covariance[:n, :n]

    @property
    def correlation(self) -> np.ndarray:
        std = np.sqrt(np.maximum(np.diag(self.covariance), 1e-300))
        return self.covariance / np.outer(std, std)

    @property
    def residuals(self) -> np.ndarray:
        return self.task.data - self.model_values

    @property
    def whitened(self) -> np.ndarray:
        return self.residuals / self.task.sigma

    @property
    def identified(self) -> bool:
        """Whether the data determine everything that was asked for."""
        return not self.judgement.unseen

    # What follows from it -----------------------------------------------------------------------------------

    @one_thread
    def predict(self, *, of: str | None = None, **coordinates: float | np.ndarray) -> Prediction:
        """u, a derivative or a formula `of` the unknowns at points, with a band at 95 %."""
        column = of or self.solution.unknowns[0]
        places = self.solution._places(coordinates, outside=False)
        points, shape = places.points, places.shape
        value, slopes = self.seen(column, points)
        below, above, std = self.spread.band(slopes)
        estimate = self.solution.report.error_estimate
        forward = np.nan_to_num(estimate, posinf=0.0) * np.sqrt(np.mean(value**2))
        more = np.abs(slopes @ self.shift) + forward
        parts = (value, value - below - more, value + above + more, std)
        return Prediction(*(p.reshape(shape)[()] for p in parts))

    @one_thread
    def seen(self, column: str, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A formula at points, and its slopes by all unknowns (points, unknowns)."""
        wanted = [Observed(column, "re", points, np.zeros(len(points)), None)]
        lens = Lens(self.solution.problem, wanted, self.model.directions)
        return lens.values(self.solution.pieces), lens.slopes(self.solution.pieces, self.tangents)

    @one_thread
    def where_next(
        self, n: int = 1, *, of: str | None = None, sigma: float | None = None, candidates: int = 1000
    ) -> Design:
        """The n places and times whose measurement would shrink the intervals most; see `lrfm.inverse.design`."""
        return where_next(self, n, of or self.solution.unknowns[0], sigma, candidates)

    @one_thread
    def profile(self, name: str, points: int = 9) -> Profile:
        """The rise of the misfit with one number held fixed and all others fitted again; see `lrfm.inverse.profile`."""
        if name not in self.vector.numbers:
            raise KeyError(
                f"`{name}` is no unknown number; there are {listing(self.vector.numbers) or 'none'}."
                f"{suggest(name, list(self.vector.numbers))}"
            )
        return profile(self, name, points)

    @one_thread
    def plot(self, path: str | Path | None = None, *, profiles: bool = True) -> Figure:
        """Data and field, residuals, intervals or fields with their bands, and profiles; written to `path` if given."""
        from lrfm.inverse.picture import plot

        return plot(self, path, profiles)

    # In words -----------------------------------------------------------------------------------------------

    def lines(self) -> list[tuple[str, str]]:
        """Name and value of every entry of the report, formatted."""
        j = self.judgement
        entries = [("status", j.words)]
        entries += [(name, str(estimate)) for name, estimate in self.parameters.items()]
        entries += [(name, self._field_words(name)) for name in self.fields]
        names = list(self.parameters)
        high = [
            f"{names[a]}, {names[b]}: {self.correlation[a, b]:+.3f}"
            for a in range(len(names)) for b in range(a) if abs(self.correlation[a, b]) > 0.9 and not self.blind
        ]  # fmt: skip
        known = "given" if j.sigma_known else "found from the misfit"
        entries += [("correlated", "; ".join(high))]
        entries += [(f"sigma of {column}", f"{value:.3g} ({known})") for column, value in j.sigma.items()]
        test = f"{j.chi_square:.4g} for {j.freedom} degrees of freedom"
        entries += [
            (
                "chi-square",
                test + (f", p = {j.p_value:.2g}" if j.sigma_known else " (no test: sigma was found from it)"),
            )
        ]
        entries += [("error of u", f"{self.solution.report.error_estimate:.1e} (estimate, relative L2)")]
        entries += [("work", f"{j.iterations} iterations, {j.solves} forward solves, {j.seconds:.1f} s")]
        entries += [("not seen", text) for text in j.unseen]
        entries += [("warning", text) for text in j.warnings]
        return [(name, value) for name, value in entries if value]

    def _field_words(self, name: str) -> str:
        own = self.vector.fields[name]
        length = self.judgement.lengths.get(name, math.nan) / math.pi
        return f"a field of {', '.join(own.coordinates)}, {own.size} functions, smooth over about {length:.2g} of its axes"

    @property
    def report(self) -> str:
        """All of it as a table."""
        entries = self.lines()
        width = max(len(name) for name, _ in entries)
        return "\n".join(f"{name:<{width}}  {value}" for name, value in entries)

    def _repr_latex_(self) -> str:
        from lrfm.problem.typeset import table_latex

        return self.vector.problem._repr_latex_() + table_latex(self.lines())

    def _repr_html_(self) -> str:
        from lrfm.problem.typeset import table_html

        good = self.judgement.status is FitStatus.FITTED
        color = "#1a7f37" if good else "#cf222e"
        large = "<br>".join(f"{escape(name)} = {escape(str(e))}" for name, e in self.parameters.items())
        head = (
            f'<div><span style="font-size: 1.4em; font-weight: 600">{large}</span> '
            f'<b style="color: {color}">{escape(self.judgement.words)}</b></div>'
        )
        rest = [entry for entry in self.lines() if entry[0] != "status" and entry[0] not in self.parameters]
        return f"<div>{self.vector.problem._repr_html_()}{table_html(rest, head)}</div>"

    def as_dict(self) -> Mapping[str, Any]:
        """All of it as plain data."""
        j = self.judgement
        found = {
            name: {"value": e.value, "std": e.std, "lower": e.lower, "upper": e.upper} for name, e in self.parameters.items()
        }  # fmt: skip
        return {
            "status": j.words, "parameters": found, "covariance": self.covariance.tolist(), "chi_square": j.chi_square,
            "freedom": j.freedom, "p_value": j.p_value if j.sigma_known else None, "sigma": j.sigma, "sigma_known": j.sigma_known,
            "unseen": list(j.unseen), "warnings": list(j.warnings), "iterations": j.iterations, "solves": j.solves,
            "seconds": j.seconds, "error_estimate": self.solution.report.error_estimate,
        }  # fmt: skip

    def __repr__(self) -> str:
        found = ", ".join(f"{name} = {estimate}" for name, estimate in self.parameters.items())
        return f"<Fit: {self.judgement.words}; {', '.join(filter(None, [found, *self.fields]))}>"
