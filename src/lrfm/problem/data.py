# SPDX-License-Identifier: MIT
"""Given data: a text, a number or a NumPy function of the named coordinates, seen as one thing."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from numbers import Number
from typing import Protocol

import numpy as np

from lrfm.problem.algebra import ONE, Expr, Symbol, number, symbols_in
from lrfm.problem.alphabet import Alphabet
from lrfm.problem.errors import ProblemError, Spelled, listing, shown
from lrfm.problem.expression import Value, derivative
from lrfm.problem.jets import SIDE, GivenSymbol, coordinate_symbols
from lrfm.problem.materials import LayerSymbol, check_layers, differs
from lrfm.problem.program import Program
from lrfm.problem.syntax import parse
from lrfm.problem.tables import Table, TableSymbol, table_value
from lrfm.problem.text import translate

SEEN = 9  # places of a layer at which a function of the user is asked whether it is complex


def number_value(given: object, what: str) -> Value | None:
    """A number as a formula; None for what is not a number."""
    if not isinstance(given, Number) or isinstance(given, bool | np.bool_):
        return None
    try:
        pair = complex(given)  # pyright: ignore[reportCallIssue, reportArgumentType]  (what cannot be converted is caught)
    except (OverflowError, TypeError, ValueError):
        pair = complex(np.inf)
    if not np.isfinite(pair):
        raise ProblemError(f"{what} is {shown(given)}; it must be a finite number.")
    return Value(number(pair.real), number(pair.imag))


def not_data(what: str, given: object, coordinates: Sequence[str]) -> ProblemError:
    """The error for something that is neither text nor number nor function."""
    expected = Spelled(
        f"a text, a number or a NumPy function of the coordinates {listing(coordinates)}", "text or a number"
    )
    hint: str | Spelled = ""
    values = given[-1] if isinstance(given, tuple) and given else given
    if isinstance(values, np.ndarray) or (
        isinstance(values, list) and len(values) > 1 and all(isinstance(v, Number) for v in values)
    ):
        hint = Spelled(
            f" An array needs its places: `lrfm.Table(values, {coordinates[0]}=places)`.",
            ' Values at places are a table: `{ file = "values.csv" }`.',
        )
    return ProblemError(
        f"{what} was given as {shown(given)} of type {type(given).__name__}; expected ", expected, ".", hint
    )


class UserFunction:
    """f(x, …, t), a user's NumPy function called by coordinate names.

    Coordinates are matched by the names of the arguments; ufuncs and nameless arguments get them in order.
    """

    def __init__(self, function: Callable, coordinates: Sequence[str], what: str):
        self.function, self.coordinates, self.what = function, tuple(coordinates), what
        self.arguments, self._by_name = self._match()

    def _match(self) -> tuple[tuple[str, ...], bool]:
        if isinstance(self.function, np.ufunc):
            return self.coordinates[: self.function.nin], False
        try:
            # np.vectorize hides the arguments of what it wraps.
            inner = self.function.pyfunc if isinstance(self.function, np.vectorize) else self.function
            parameters = list(inspect.signature(inner).parameters.values())
        except (TypeError, ValueError, OverflowError):
            return self.coordinates[:-1], False
        if any(p.kind is p.VAR_KEYWORD for p in parameters):
            return self.coordinates, True
        nameless = [p for p in parameters if p.kind is p.POSITIONAL_ONLY and p.default is p.empty]
        if nameless:
            return self.coordinates[: len(nameless)], False
        required = [p.name for p in parameters if p.kind is not p.VAR_POSITIONAL and p.default is p.empty]
        bad = [name for name in required if name not in self.coordinates]
        if bad or any(p.kind is p.VAR_POSITIONAL for p in parameters):
            argument = f"`{bad[0]}`, which is not a coordinate" if bad else "`*` with any number of values"
            formula = " What depends on an unknown is written into the equation as a formula."
            raise ProblemError(
                f"{self.what} takes the argument {argument}; its arguments must be named after the "
                f"coordinates {listing(self.coordinates)}, or some of them."
                f"{formula if bad and self.what.startswith('The parameter') else ''}"
            )
        return tuple(p.name for p in parameters if p.name in self.coordinates), True

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """Values at points, one per point."""
        value = self._returned(points)
        if value.ndim == 0 and len(points) > 1 and self.arguments:
            # One number for all of them is a constant, or something like `len` or `max`.
            alone = [self._returned(some) for some in (points[:1], points[-1:])]
            if not all(np.array_equal(value, one.ravel()[0], equal_nan=True) for one in alone if one.size):
                raise ProblemError(
                    f"{self.what} returned one number for {len(points)} points, and another one for one of them; "
                    "it must return one value per point, working on NumPy arrays element by element."
                )
        try:
            return np.broadcast_to(value, (len(points),))
        except ValueError:
            raise ProblemError(
                f"{self.what} returned an array of shape {value.shape} for {len(points)} points; it must "
                "return one value per point, working on NumPy arrays element by element."
            ) from None

    def _returned(self, points: np.ndarray) -> np.ndarray:
        """What the function returns, as an array of numbers."""
        # Copies: a function that works in place must not move the points.
        columns = {a: points[:, self.coordinates.index(a)].copy() for a in self.arguments}
        try:
            with np.errstate(all="ignore"):
                value = self.function(**columns) if self._by_name else self.function(*columns.values())
            value = np.asarray(value)
        except Exception as error:
            raise ProblemError(
                f"{self.what} raised {type(error).__name__} when called with NumPy arrays for "
                f"{listing(self.arguments)}: {error}. It must work on whole arrays; {_numpy_way(error)}."
            ) from error
        if value.dtype.kind not in "biufc":
            raise ProblemError(
                f"{self.what} returned values of type {value.dtype}; expected real or complex numbers."
            )
        return value

    def real(self, points: np.ndarray) -> np.ndarray:
        """Real part of the values."""
        return np.asarray(np.real(self(points)), dtype=float)

    def imaginary(self, points: np.ndarray) -> np.ndarray:
        """Imaginary part of the values."""
        return np.asarray(np.imag(self(points)), dtype=float)

    def only_real(self, points: np.ndarray) -> np.ndarray:
        """The values, where complex ones have no place."""
        value = self(points)
        if is_complex(value):
            raise ProblemError(
                f"{self.what} has complex values where real ones are expected; return its real part, or "
                "declare the unknown as complex with `unknowns`."
            )
        return np.asarray(np.real(value), dtype=float)


def _numpy_way(error: Exception) -> str:
    """What to do in a function that was written for one number, or for columns of points."""
    if "truth value" in str(error):
        return "write `np.where(x < 0.5, 1, 0)` for a choice"
    if isinstance(error, IndexError):
        return "each coordinate comes as an array of its own: write `x`, not `x[:, 0]`"
    return "use NumPy's functions in it"


def is_complex(values: np.ndarray) -> bool:
    """Whether some values have an imaginary part."""
    return bool(np.iscomplexobj(values) and np.any(np.imag(values) != 0))


class Carries(Protocol):
    """What takes coordinates of a reference to others."""

    def formula(self, expression: Expr) -> Expr:
        """A formula of the others as one of the reference."""
        ...

    def forth(self, points: np.ndarray) -> np.ndarray:
        """Points with time, (n, axes + 1)."""
        ...


class Datum:
    """d(x, t): given data at points; where they are a text or a number, a pair of formulas too."""

    def __init__(self, source: object, alphabet: Alphabet, what: str):
        self.what = what
        self.coordinates = alphabet.coordinates
        self.sides: dict[str, Datum] = {}  # the data in each layer, where they differ
        value = number_value(source, what)
        if isinstance(source, Table):
            value = table_value(source, what, alphabet.coordinates)
        elif isinstance(source, str):
            value = translate(parse(source, what), alphabet, what)
            if differs(value):
                self._by_layer(dict.fromkeys(alphabet.materials.domain.layers, source), alphabet)  # type: ignore[union-attr]
        elif isinstance(source, Mapping) and alphabet.materials:
            check_layers(source, alphabet.materials.domain, what)
            value = self._by_layer(source, alphabet)
        elif value is None and callable(source):
            self._function = UserFunction(source, self.coordinates, what)
        elif value is None:
            raise not_data(what, source, alphabet.axes)
        self._hold(value)

    def _by_layer(self, source: Mapping[str, object], alphabet: Alphabet) -> Value:
        """Read the data of every layer, and join them."""
        assert alphabet.materials is not None
        layers = alphabet.materials.domain.layers
        self.sides = {p: Datum(source[p], alphabet.of(p), f"{self.what} in `{p}`") for p in layers}
        places = {layer: domain.quadrature(SEEN).points for layer, domain in layers.items()}
        return alphabet.materials.chosen({p: datum._formula(places[p]) for p, datum in self.sides.items()})

    def _formula(self, places: np.ndarray) -> Value:
        """The data in formulas: a function is a symbol there, or two where it is complex at some places."""
        if self.value is not None:
            return self.value
        function = self._function
        if not is_complex(function(np.column_stack([places, np.zeros(len(places))]))):
            return Value(GivenSymbol(self.what, "re", function.only_real))
        return Value(
            GivenSymbol(self.what, "re", function.real), GivenSymbol(self.what, "im", function.imaginary)
        )

    def _hold(self, value: Value | None) -> None:
        self.value = value
        self._program = Program(value or ())
        self._given = [s for s in self._program.symbols if isinstance(s, GivenSymbol)]
        self._derived: dict[tuple[int, ...], Datum] = {}

    def __call__(self, points: np.ndarray) -> np.ndarray:
        """Complex or real values at points; limits where a formula is 0/0."""
        if self.value is None:
            return self._function(points)
        value = self._evaluated(points)
        if np.isnan(value).any():
            value = self._with_limits(points, value)
            value.flags.writeable = False
        return value

    def _with_limits(self, points: np.ndarray, value: np.ndarray) -> np.ndarray:
        """2 d(x ± h) − d(x ± 2h) for what is no number at x, h³ the rounding of the points, where both differ by little: sin(x)/x has a limit at zero, sin(x)/x² has none."""
        unknown, value = np.isnan(value), value.copy()
        gap = np.cbrt(np.finfo(float).eps)
        most = np.max(np.abs(points), axis=0)
        step = gap * np.where(most > 0, most, 1.0)
        size = np.max(np.abs(value[~unknown]), initial=0.0)
        sides = []
        with np.errstate(invalid="ignore"):
            for side in (step, -step):
                near, far = (self._evaluated(points[unknown] + k * side) for k in (1, 2))
                settled = np.abs(near - far) <= np.sqrt(gap) * np.maximum(np.abs(near), size)
                sides.append(np.where(settled, 2 * near - far, np.nan))
            above, below = sides
            apart = np.abs(above - below) > np.sqrt(gap) * np.maximum(np.abs(above), size)  # a jump
        value[unknown] = np.where(apart, np.nan, np.where(np.isnan(above), below, above))
        return value

    def _evaluated(self, points: np.ndarray) -> np.ndarray:
        """The formula at points."""
        assert self.value is not None
        columns: dict[Symbol, np.ndarray] = dict(
            zip(coordinate_symbols(tuple(self.coordinates)), points.T, strict=False)
        )
        columns |= {symbol: symbol.function(points) for symbol in self._given}
        re, im = self._program(columns)
        value = np.asarray(re) if self.value.real else np.asarray(re) + 1j * np.asarray(im)
        if value.shape != (len(points),):
            return np.broadcast_to(value, (len(points),))
        value = value.view()
        value.flags.writeable = False  # it may be a column of the points
        return value

    def part(self, points: np.ndarray, field: str) -> np.ndarray:
        """Real values for one real field of an unknown."""
        field, _, side = field.partition(SIDE)
        value = self.sides[side](points) if side in self.sides else self(points)
        return np.asarray(np.imag(value) if field.endswith(".im") else np.real(value), dtype=float)

    def derivative(self, orders: Sequence[int]) -> Datum | None:
        """∂^a of the data where they are a formula; None for a function, whose derivatives are not known."""
        if not any(orders):
            return self
        known = TableSymbol | LayerSymbol
        if self.value is None or not all(isinstance(symbol, known) for symbol in self._given):
            return None
        if tuple(orders) in self._derived:
            return self._derived[tuple(orders)]
        parts = list(self.value)
        for position, order in enumerate(orders):
            for _ in range(order):
                tables = {s: s.raised(position) for s in symbols_in(*parts) if isinstance(s, TableSymbol)}
                seed = {Symbol(self.coordinates[position]): ONE, **tables}
                parts = [derivative(p, seed) for p in parts]
        found = self.holding(Value(*parts))
        sides = {layer: datum.derivative(orders) for layer, datum in self.sides.items()}
        found.sides = {layer: datum for layer, datum in sides.items() if datum is not None}
        return self._derived.setdefault(tuple(orders), found)

    def carried(self, motion: Carries) -> Datum:
        """The same data as a function of the coordinates of a reference that a motion takes to these."""
        if self.value is not None and not self._given:
            return self.holding(Value(*(motion.formula(part) for part in self.value)))
        other = object.__new__(Datum)
        other.what, other.coordinates, other.sides = self.what, self.coordinates, {}
        other._function = lambda points: self(motion.forth(points))  # type: ignore[assignment]
        other._hold(None)
        return other

    def holding(self, value: Value) -> Datum:
        """The same data with another formula."""
        other = object.__new__(Datum)
        other.what, other.coordinates, other.sides = self.what, self.coordinates, {}
        other._hold(value)
        return other
