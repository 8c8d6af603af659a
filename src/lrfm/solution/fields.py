# SPDX-License-Identifier: MIT
"""u(x, t) as a function: called by coordinates, differentiated, put into formulas, combined with others of its kind.

What a solution and a combination of solutions have in common is that Dᵃ of their fields is known anywhere.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from lrfm.linalg.threads import one_thread
from lrfm.problem import Jet, Problem
from lrfm.problem.calls import naming
from lrfm.problem.equation import Row
from lrfm.problem.errors import listing, suggest
from lrfm.problem.expression import Value
from lrfm.problem.jets import JetSymbol
from lrfm.problem.syntax import parse
from lrfm.problem.text import split_subscript, total_derivative, translate
from lrfm.solution.places import Places, check_contained, check_inside, read_places, refuse_positions

if TYPE_CHECKING:
    from lrfm.solution.calculus import ComplexQuantity, Curve, Extremum, Integral, Quantity
    from lrfm.solution.region_calculus import RegionIntegral


class Field:
    """F(x, t, {Dᵃu}): an unknown, one of its derivatives or a formula of them, as a function of the named coordinates."""

    def __init__(self, fields: Fields, value: Value, label: str):
        self._fields, self._value, self.label = fields, value, label
        coordinates = fields._columns
        parts = value[:1] if value.real else value
        self._rows = [Row(part, coordinates, f"`{label}`") for part in parts]
        plain = [row.expression.jet for row in self._rows if isinstance(row.expression, JetSymbol)]
        self._jets = plain if len(plain) == len(self._rows) else []  # where it is nothing but these

    @property
    def complex(self) -> bool:
        return len(self._rows) > 1

    def __call__(self, *positions: object, outside: bool = False, **coordinates: Any) -> Any:
        """Evaluate; `outside=True` allows points outside of the domain or the time window (extrapolation).

        Coordinates are numbers or arrays, broadcast as NumPy does it; `xarray.DataArray` by the names of their dimensions, and the
        answer is one, too.
        """
        if not positions and self._jets:
            parts = [self._fields._number(jet, coordinates) for jet in self._jets]
            found = [part for part in parts if part is not None]
            if found:
                return np.float64(found[0]) if len(found) == 1 else np.complex128(complex(*found))
        refuse_positions(positions, self._fields.coordinates)
        return self._evaluated(coordinates, outside)

    @one_thread
    def _evaluated(self, coordinates: Mapping[str, Any], outside: bool) -> Any:
        places = self._fields._places({**self._elsewhere(coordinates), **coordinates}, outside)
        return places.wrap(self.at(places), self.label)

    def _elsewhere(self, given: Mapping[str, Any]) -> dict[str, float]:
        """Any place along the axes on which this does not depend, for those that were not given."""
        problem = self._fields.problem
        if problem.local or not {"t"} <= {*given, *problem.absent}:
            return {}
        reach = frozenset().union(*(problem.alphabet.reach(part) for part in self._value))
        ends = problem.domain.axes
        return {name: ends[name][0] for name in ends if name not in reach and problem.domain.is_box}

    @one_thread
    def at(self, places: Places) -> np.ndarray:
        """Values in the shape of the places."""
        jets = list(dict.fromkeys(jet for row in self._rows for jet in row.jets))
        values = dict(zip(jets, self._fields._jets_at(jets, places), strict=True))
        re, *im = (self._part(row, values, places) for row in self._rows)
        return re + 1j * im[0] if im else re

    def _part(self, row: Row, values: Mapping[Jet, np.ndarray], places: Places) -> np.ndarray:
        if isinstance(row.expression, JetSymbol):  # the unknown or a derivative of it: nothing to compute
            return values[row.expression.jet]
        flat = {jet: values[jet].ravel() for jet in row.jets}
        return row.residual(places.points, flat).reshape(places.shape)

    def derivative(self, letter: str) -> Field:
        """The exact derivative by one coordinate."""
        alphabet = self._fields.problem._alphabet
        parts = [total_derivative(part, letter, alphabet, f"`{self.label}`") for part in self._value]
        return Field(self._fields, Value(*parts), f"d({self.label})/d{letter}")

    def __repr__(self) -> str:
        return f"<{self.label}, a function of {', '.join(self._fields.coordinates)}>"


@naming
class Fields(ABC):
    """Unknowns of a problem as functions. What is not listed here a subclass has: `_jets_at`, `_bounds`."""

    problem: Problem

    @property
    def unknowns(self) -> tuple[str, ...]:
        return tuple(self.problem.unknowns)

    @property
    def coordinates(self) -> tuple[str, ...]:
        return self.problem.coordinates

    @property
    def _columns(self) -> tuple[str, ...]:
        """Coordinates of points, time last; among them what the statement does not have."""
        return (*self.problem.domain.names, "t")

    @property
    def _ends(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Lower and upper ends of the coordinates."""
        kept = [k for k, name in enumerate(self._columns) if name in self.coordinates]
        lower, upper = self._bounds
        return tuple(lower[k] for k in kept), tuple(upper[k] for k in kept)

    @property
    @abstractmethod
    def _bounds(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Lower and upper ends of the columns of points, time last."""

    @abstractmethod
    def _jets_at(self, jets: Sequence[Jet], places: Places) -> list[np.ndarray]:
        """Dᵃ of real fields at places, each in their shape."""

    def _number(self, jet: Jet, coordinates: Mapping[str, Any]) -> float | None:
        """Dᵃ of a real field at one point given as plain numbers; None where it is no such point, or there is no shorter way."""
        return None

    def _breaks(self, time: float) -> np.ndarray:
        """Places between which the fields are smooth at a time, where they are made of parts along one axis."""
        return np.zeros(0)

    def _places(self, coordinates: Mapping[str, Any], outside: bool) -> Places:
        places = read_places(coordinates, self.coordinates)
        if not outside:
            check_inside(places, self.coordinates, *self._ends)
        places = places.completed(self._columns, self.coordinates, self.problem.absent)
        if not outside and not self.problem.domain.is_box:
            said = ["" if name in self.problem.absent else name for name in self._columns]
            check_contained(places, said, self.problem.domain)
        return places

    def __call__(self, *positions: object, outside: bool = False, **coordinates: Any) -> Any:
        """u at points; for several unknowns a dictionary by name."""
        refuse_positions(positions, self.coordinates)
        values = {name: self[name](outside=outside, **coordinates) for name in self.unknowns}
        return values[self.unknowns[0]] if len(values) == 1 else values

    def __getitem__(self, name: str) -> Field:
        """An unknown by its name, a derivative (``"u_x"``), or a formula of them (``"u_x**2 + u*v"``)."""
        known: dict[str, Field] = vars(self).setdefault("_made", {})
        if name not in known:
            if len(known) > 64:
                known.clear()
            known[name] = self._make(name)
        return known[name]

    def __getattr__(self, name: str) -> Any:
        """An unknown, ``solution.u``, where no method has its name; a sentence for ``solution.u_x``."""
        problem = self.__dict__.get("problem")
        if problem is not None and name in problem.unknowns:
            return self[name]
        if problem is None or name.startswith("_") or name.partition("_")[0] not in problem.unknowns:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        call = ", ".join(f"{c}=..." for c in self.coordinates)
        raise AttributeError(
            f"Unknowns and derivatives are taken by square brackets: write `[{name!r}]({call})`."
        )

    def _make(self, name: str) -> Field:
        if name in self.problem.unknowns:
            return Field(self, self.problem._alphabet.unknown(name), name)
        if not isinstance(name, str) or name.isidentifier():
            split = split_subscript(name, self.coordinates) if isinstance(name, str) else None
            if split and split[0] in self.problem.unknowns:
                return self.derivative(name)
            raise KeyError(
                f"`{name}` is no unknown; there are {listing(self.unknowns)}.{suggest(str(name), self.unknowns)}"
            )
        what = "The formula"
        return Field(self, translate(parse(name, what), self.problem._alphabet, what), name)

    def derivative(self, name: str) -> Field:
        """The exact derivative of the computed solution: ``"u_xx"``, ``"u_xt"``, of any order.

        It is the derivative of the approximation, not an approximation of the derivative: accurate where u is
        smooth, with a few digits less than u itself.
        """
        if name in self.problem.unknowns:
            return self[name]
        split = split_subscript(name, self.coordinates)
        if split is None or split[0] not in self.problem.unknowns:
            raise KeyError(
                f"`{name}` is no derivative of an unknown; write an unknown ({listing(self.unknowns)}) and "
                f"coordinates ({listing(self.coordinates)}), such as "
                f"`{self.unknowns[0]}_{''.join(dict.fromkeys((self.coordinates[0], self.coordinates[-1])))}`."
            )
        return Field(self, self.problem._alphabet.unknown(*split), name)

    def __getstate__(self) -> dict[str, Any]:
        """What is sent to another process: not what has been made from it."""
        return {
            name: value
            for name, value in self.__dict__.items()
            if name not in ("_made", "_bounds", "_on_grids", "_one_by_one")
        }

    # Numbers from functions ----------------------------------------------------------------------------------

    @one_thread
    def integral(
        self, formula: str | None = None, *, over: str | Iterable[str] | None = None
    ) -> Integral | RegionIntegral | Quantity | ComplexQuantity:
        """∫ F(u) over some coordinates: a function of the others, or a number where none is left.

        Parameters
        ----------
        formula
            An unknown, a derivative or a formula; the unknown if there is one only.
        over
            Names of coordinates, such as ``"x"`` or ``("x", "t")``; all axes of space by default.

        Examples
        --------
        >>> import lrfm
        >>> heat = lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-6)
        >>> round(float(heat.integral("u**2", over="x")(t=0.0)), 6)
        1.0
        """
        from lrfm.solution.calculus import integral

        return integral(self, self._one(formula), over)

    @one_thread
    def flux(
        self, face: str, formula: str | None = None
    ) -> Integral | RegionIntegral | Quantity | ComplexQuantity:
        """∫ ∂u/∂n over a face as a function of time, of a steady solution a number; `formula` may be another one with the outward ``u_n`` in it: ``"-k*u_n"``."""
        from lrfm.solution.calculus import flux

        return flux(self, face, formula or f"{self._one(None)}_n")

    @one_thread
    def maximum(self, formula: str | None = None, **fixed: float) -> Extremum:
        """The largest value of a real formula and where it is; coordinates may be fixed: ``maximum("u", t=0.1)``."""
        from lrfm.solution.calculus import extremum

        return extremum(self, self._one(formula), fixed, sign=1.0)

    @one_thread
    def minimum(self, formula: str | None = None, **fixed: float) -> Extremum:
        """The smallest value of a real formula and where it is."""
        from lrfm.solution.calculus import extremum

        return extremum(self, self._one(formula), fixed, sign=-1.0)

    @one_thread
    def where(self, equation: str, *, resolution: int = 201, **fixed: float) -> list[Curve]:
        """The curves on which an equation such as ``"u = 0.5"`` holds, in two coordinates; others are fixed: ``where("u = 0", t=1)``."""
        from lrfm.solution.calculus import curves

        return curves(self, equation, fixed, resolution)

    def _one(self, formula: str | None) -> str:
        if formula is None and len(self.unknowns) > 1:
            raise ValueError(
                f"There are the unknowns {listing(self.unknowns)}; say which one, or give a formula."
            )
        return next(iter(self.unknowns)) if formula is None else formula

    # Pictures -----------------------------------------------------------------------------------------------

    @one_thread
    def plot(self, what: Any = None, path: str | Path | None = None, **options: Any) -> Any:
        """Draw an unknown, a derivative or a formula, all unknowns by default; see `lrfm.solution.plot.figure.plot`.

        A first argument that ends in png, pdf or svg is the path: ``solution.plot("field.png")``.
        """
        from lrfm.solution.plot.figure import plot

        return plot(cast(Any, self), what, path, **options)

    @one_thread
    def animate(self, path: str | Path | None = None, **options: Any) -> Any:
        """Write a movie (gif, or mp4 where ffmpeg is present); without a path, one to be shown in a notebook."""
        from lrfm.solution.plot.movie import animate

        return animate(cast(Any, self), path, **options)

    def explore(self, what: str | None = None) -> Any:
        """In a notebook: u(·, t) with a slider for the time (needs ``lrfm[notebook]``)."""
        from lrfm.solution.plot.widgets import Explorer

        return Explorer(lambda: cast(Any, self), {}, what).box

    # Arithmetic ---------------------------------------------------------------------------------------------

    def _terms(self) -> list[tuple[float, Fields]]:
        return [(1.0, self)]

    def __add__(self, other: Any) -> Combination:
        return _combined(self, other, 1.0)

    def __sub__(self, other: Any) -> Combination:
        return _combined(self, other, -1.0)

    def __mul__(self, factor: Any) -> Combination:
        return Combination([(factor * c, f) for c, f in self._terms()]) if _number(factor) else NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Combination:
        return self * (1.0 / divisor) if _number(divisor) else NotImplemented

    def __neg__(self) -> Combination:
        return self * -1.0


class Combination(Fields):
    """Σ_i c_i u_i of solutions with the same unknowns and coordinates, where all of them are known.

    Examples
    --------
    >>> import lrfm
    >>> coarse, fine = (lrfm.solve(lrfm.catalog.heat_1d(), tol=tol) for tol in (1e-4, 1e-8))
    >>> abs((fine - coarse).maximum().value) < 1e-4
    True
    """

    def __init__(self, terms: Sequence[tuple[float, Fields]]):
        first = terms[0][1]
        for _, other in terms[1:]:
            if (other.unknowns, other.coordinates) != (first.unknowns, first.coordinates):
                raise ValueError(
                    f"A function of {listing(other.coordinates)} with the unknowns {listing(other.unknowns)} was combined with one "
                    f"of {listing(first.coordinates)} with {listing(first.unknowns)}; both must have the same names."
                )
        self.problem, self._parts = first.problem, list(terms)
        if any(low >= high for low, high in zip(*self._bounds, strict=True)):
            raise ValueError("The two solutions have no part of space and time in common.")

    @property
    def _bounds(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        ends = [f._bounds for _, f in self._parts]
        return tuple(map(max, zip(*(e[0] for e in ends), strict=True))), tuple(
            map(min, zip(*(e[1] for e in ends), strict=True))
        )

    def _jets_at(self, jets: Sequence[Jet], places: Places) -> list[np.ndarray]:
        total = [np.zeros(places.shape) for _ in jets]
        for factor, fields in self._parts:
            for sums, values in zip(total, fields._jets_at(jets, places), strict=True):
                sums += factor * values
        return total

    def _terms(self) -> list[tuple[float, Fields]]:
        return self._parts

    def __repr__(self) -> str:
        return " + ".join(f"{c:g}*{f!r}" for c, f in self._parts)


def _number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _combined(one: Fields, other: Any, sign: float) -> Combination:
    if not isinstance(other, Fields):
        return NotImplemented
    return Combination([*one._terms(), *((sign * c, f) for c, f in other._terms())])
