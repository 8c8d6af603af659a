# SPDX-License-Identifier: MIT
"""What a statement may be differentiated by: a number in it as a symbol, an unknown number, an unknown field.

dF = Σ_s ∂F/∂s · seed(s):  a *direction* gives every symbol s that moves its seed, 1 for a number p, D^a φ for D^a k of a field k.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from lrfm.problem.algebra import Expr, Symbol, number
from lrfm.problem.calls import is_real, naming
from lrfm.problem.equation import Jets, Row, full, inputs
from lrfm.problem.errors import ProblemError, listing, shown, suggest
from lrfm.problem.expression import derivative, is_zero
from lrfm.problem.jets import FieldSymbol, GivenSymbol, Jet, jets_among
from lrfm.problem.jumps import jumps_along
from lrfm.problem.program import Program

if TYPE_CHECKING:
    from lrfm.problem.problem import Problem

Seed = Mapping[Symbol, Expr]


class FreeSymbol(Symbol):
    """A parameter that stays a symbol; its name contains ``<``, which no user text can produce."""

    __slots__ = ("parameter", "value")

    def __init__(self, parameter: str, value: float):
        self.parameter, self.value = parameter, value
        super().__init__(f"{parameter}<free>")

    def __reduce__(self) -> tuple:
        return FreeSymbol, (self.parameter, self.value)


@dataclass(frozen=True)
class Free:
    """A number in a statement that is to be differentiated by it."""

    value: float


@naming
@dataclass(frozen=True)
class Unknown:
    """A number in `parameters` that is to be found from data (`lrfm.fit`).

    Parameters
    ----------
    start
        Where the search begins.
    lower, upper
        What it cannot leave.

    Examples
    --------
    >>> import lrfm
    >>> lrfm.Unknown(2.0, lower=0)
    Unknown(start=2.0, lower=0, upper=inf)
    """

    start: float
    _: KW_ONLY
    lower: float = -math.inf
    upper: float = math.inf

    @property
    def unknown(self) -> bool:
        """Whether a value is still to be found."""
        return True

    def __post_init__(self) -> None:
        for role in ("start", "lower", "upper"):
            value = getattr(self, role)
            if not is_real(value):
                raise ProblemError(
                    f"`{role}` of an unknown number was given as {shown(value)}; expected a real number below 1e308."
                )
        if (
            not math.isfinite(self.start)
            or not self.lower <= self.start <= self.upper
            or self.lower == self.upper
        ):
            raise ProblemError(
                f"The unknown number starts at {self.start:g}, which must be finite and lie between its bounds "
                f"{self.lower:g} and {self.upper:g}."
            )


def freed(problem: Problem, names: Sequence[str]) -> Problem:
    """The same statement with some of its numbers as symbols; it is not checked again, nor can it be evaluated."""
    parameters = dict(problem.parameters)
    for name in names:
        if name not in parameters:
            raise ProblemError(
                f"`{name}` is no parameter of this problem; there are {listing(parameters) or 'none'}."
                f"{suggest(name, list(parameters))} Put the number into `parameters` under this name."
            )
        value = getattr(parameters[name], "start", parameters[name])
        if not isinstance(value, Real) or isinstance(value, bool):
            raise ProblemError(
                f"The parameter `{name}` is {shown(parameters[name])}, not a real number; only by these can be differentiated."
            )
        parameters[name] = Free(float(value))
    return problem.replace(parameters=parameters, reference=None, verify=False)


def seed_of(name: str, change: float = 1.0) -> Callable[[Symbol], Expr | None]:
    """The direction of a number: 1, or another change, for its symbol."""
    seed = number(change)
    return lambda symbol: seed if isinstance(symbol, FreeSymbol) and symbol.parameter == name else None


def seed_of_field(
    name: str, function: Callable[[np.ndarray, tuple[int, ...]], np.ndarray], label: str
) -> Callable[[Symbol], Expr | None]:
    """The direction φ of a field: D^a φ for each of its derivatives; `function(points, a)` evaluates them."""

    def seed(symbol: Symbol) -> Expr | None:
        if not isinstance(symbol, FieldSymbol) or symbol.owner != name:
            return None
        return FieldSymbol(label, function, symbol.index, symbol.moving)

    return seed


def slope(expression: Expr, seed: Callable[[Symbol], Expr | None]) -> Expr:
    """The derivative of a formula along a direction, free parameters as their numbers; one that jumps along it has none."""
    symbols = expression.symbols
    seeds = {s: found for s in symbols if (found := seed(s)) is not None}
    if jumps_along(expression, set(seeds)):
        names = sorted(getattr(s, "parameter", getattr(s, "owner", s.name)) for s in seeds)
        raise ProblemError(
            f"A derivative by {listing(dict.fromkeys(names))} was asked for, which decides where a formula jumps (`where`, `heaviside` or "
            "`sign`); the derivative of a jump is no function. Write a smooth step such as `0.5*(1 + tanh((x - a)/w))` in its place."
        )
    numbers: dict[Symbol, Expr] = {s: number(s.value) for s in symbols if isinstance(s, FreeSymbol)}
    return derivative(expression, seeds, numbers) if seeds else number(0.0)


class Slope:
    """dF of a row along a direction: it is evaluated as a row is, and never differentiated."""

    def __init__(self, expression: Expr, coordinates: tuple[str, ...]):
        self.coordinates, self._program = coordinates, Program([expression])
        symbols = self._program.symbols
        self.functions = tuple(symbol for symbol in symbols if isinstance(symbol, GivenSymbol))
        self.jets: tuple[Jet, ...] = jets_among(symbols)

    def residual(self, points: np.ndarray, jets: Jets) -> np.ndarray:
        """dF at points, from the values of its jets there."""
        (value,) = self._program(inputs(self.coordinates, self.functions, points, jets))
        return full(value, points)


def slope_row(row: Row, seed: Callable[[Symbol], Expr | None]) -> Slope | None:
    """dF along a direction; None where F does not depend on it."""
    found = slope(row.expression, seed)
    return None if is_zero(found) else Slope(found, row.coordinates)
