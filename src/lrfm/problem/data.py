# SPDX-License-Identifier: MIT
"""Given data: a text, a number or a NumPy function of the named coordinates, seen as one thing."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from numbers import Number

import numpy as np
import sympy
from sympy import Symbol

from lrfm.problem.errors import ProblemError, listing
from lrfm.problem.expression import Program, Value
from lrfm.problem.text import Alphabet, parse, translate

Source = str | Number | Callable


class Function:
    """f(x, …, t), a user's NumPy function called by coordinate names.

    Coordinates are matched by the names of the arguments; a function without a readable signature (a NumPy ufunc)
    gets all spatial coordinates in order.
    """

    def __init__(self, function: Callable, coordinates: Sequence[str], what: str):
        self.function, self.coordinates, self.what = function, tuple(coordinates), what
        self.arguments = self._match()

    def _match(self) -> tuple[str, ...]:
        try:
            parameters = inspect.signature(self.function).parameters.values()
        except (TypeError, ValueError):
            return self.coordinates[: getattr(self.function, "nin", len(self.coordinates) - 1)]
        if any(p.kind is p.VAR_KEYWORD for p in parameters):
            return self.coordinates
        if any(p.kind is p.POSITIONAL_ONLY for p in parameters):
            return self.coordinates[: len(list(parameters))]
        wanted = [p.name for p in parameters if p.kind is not p.VAR_POSITIONAL and p.default is p.empty]
        bad = [name for name in wanted if name not in self.coordinates]
        if bad:
            raise ProblemError(
                f"{self.what} takes the argument `{bad[0]}`, which is no coordinate; "
                f"its arguments must be named after the coordinates {listing(self.coordinates)}."
            )
        return tuple(p.name for p in parameters if p.name in self.coordinates)

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """Values at points, checked for shape and finiteness by the caller's sentence."""
        columns = {name: points[:, i] for i, name in enumerate(self.coordinates)}
        try:
            with np.errstate(all="ignore"):
                if hasattr(self.function, "nin"):
                    value = self.function(*(columns[a] for a in self.arguments))
                else:
                    value = self._call(columns)
        except Exception as error:
            raise ProblemError(
                f"{self.what} raised {type(error).__name__} when called with NumPy arrays for "
                f"{listing(self.arguments)}: {error}"
            ) from error
        value = np.asarray(value)
        if value.dtype.kind not in "biufc":
            raise ProblemError(f"{self.what} returned {value.dtype} values; expected real or complex numbers.")
        try:
            return np.broadcast_to(value, (len(points),))
        except ValueError:
            raise ProblemError(
                f"{self.what} returned an array of shape {value.shape} for {len(points)} points; "
                "it must work element by element on NumPy arrays."
            ) from None

    def _call(self, columns: dict[str, np.ndarray]) -> np.ndarray:
        parameters = inspect.signature(self.function).parameters.values()
        if any(p.kind is p.POSITIONAL_ONLY for p in parameters):
            return self.function(*(columns[a] for a in self.arguments))
        return self.function(**{a: columns[a] for a in self.arguments})


class Datum:
    """d(x, t): values of given data at points; a pair of formulas too where it was given as text or number."""

    def __init__(self, source: Source, alphabet: Alphabet, what: str):
        self.source, self.what = source, what
        self.coordinates = alphabet.coordinates
        self._data = alphabet.data
        self.value: Value | None = None
        if isinstance(source, str):
            self.value = translate(parse(source, what), alphabet, what)
            self._program = Program(self.value)
        elif isinstance(source, Number) and not isinstance(source, bool):
            number = complex(source)
            if not np.isfinite(number):
                raise ProblemError(f"{what} is {source!r}; it must be finite.")
            self.value = Value(sympy.Float(number.real), sympy.Float(number.imag))
            self._program = Program(self.value)
        elif callable(source):
            self._function = Function(source, self.coordinates, what)
        else:
            raise ProblemError(
                f"{what} was given as {type(source).__name__}; expected text, a number or a NumPy function."
            )

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """Complex or real values at points."""
        if self.value is None:
            return self._function(points)
        columns = {Symbol(c): points[:, i] for i, c in enumerate(self.coordinates)}
        columns |= {s: f(points) for s, f in self._data.items() if s in self._program.symbols}
        re, im = self._program(columns)
        value = np.asarray(re) if self.value.real else np.asarray(re) + 1j * np.asarray(im)
        return np.broadcast_to(value, (len(points),))

    def part(self, points: np.ndarray, field: str) -> np.ndarray:
        """Real values for one real field of an unknown."""
        value = self(points)
        return np.asarray(value.imag if field.endswith(".im") else value.real, dtype=float)

    def derivative(self, orders: Sequence[int]) -> Datum | None:
        """∂^a of the data where they are a formula; None for a function, whose derivatives are not known."""
        if not any(orders):
            return self
        if self.value is None or self._program.symbols & self._data.keys():
            return None
        other = object.__new__(Datum)
        parts = list(self.value)
        for name, order in zip(self.coordinates, orders, strict=False):
            for _ in range(order):
                parts = [p.diff(Symbol(name)) for p in parts]
        other.source, other.what, other.coordinates = self.source, self.what, self.coordinates
        other._data = self._data
        other.value = Value(*parts)
        other._program = Program(other.value)
        return other
