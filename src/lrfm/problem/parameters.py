# SPDX-License-Identifier: MIT
"""Parameters: names in the equations that stand for numbers or for given functions of the coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from lrfm.problem.algebra import symbols_in
from lrfm.problem.alphabet import Alphabet
from lrfm.problem.constants import in_order_of_need
from lrfm.problem.data import UserFunction, is_complex, not_data, number_value
from lrfm.problem.errors import ProblemError, short, shown
from lrfm.problem.expression import Value
from lrfm.problem.field import UnknownField
from lrfm.problem.free import Free, FreeSymbol, Unknown
from lrfm.problem.jets import GivenSymbol
from lrfm.problem.names import TAKEN, check_name, normal
from lrfm.problem.spans import Range
from lrfm.problem.syntax import parse
from lrfm.problem.tables import Table, table_value
from lrfm.problem.text import translate


def named_parameters(given: object) -> dict[str, object]:
    """The dictionary a user gave, with names as Python reads them."""
    if given is not None and not isinstance(given, Mapping):
        raise ProblemError(
            f"`parameters` was given as {shown(given)}; expected a dictionary such as {{'eps': 1e-4}}."
        )
    return {normal(name): value for name, value in (given or {}).items()}


def parameter_values(
    parameters: Mapping[str, object], coordinates: Sequence[str], sample: np.ndarray | None
) -> dict[str, Value]:
    """Formulas of the parameters; a text may use the coordinates and other parameters.

    A function is called at the points `sample` to see whether it is finite and real; without points, at the origin
    and only for whether it is complex.
    """
    taken = {**TAKEN, **dict.fromkeys(coordinates[:-1], "a coordinate")}
    values: dict[str, Value] = {}
    for name in parameters:
        check_name(name, "A parameter", "eps", taken)
        taken[name] = "another parameter"
    for name in in_order_of_need(parameters):
        given = parameters[name]
        what = f"The parameter `{short(name)}`"
        if isinstance(given, Free):
            values[name] = Value(FreeSymbol(name, given.value))
            continue
        if isinstance(given, UnknownField):
            values[name] = Value(given.symbol(name))
            continue
        if isinstance(given, str):
            values[name] = _formula(given, what, Alphabet(tuple(coordinates[:-1]), values))
            continue
        value = number_value(given.start if isinstance(given, Unknown | Range) else given, what)
        if isinstance(given, Table):
            value = table_value(given, what, coordinates)
            _try_table(value, sample)
        if value is None and callable(given):
            value = _symbols(name, UserFunction(given, coordinates, what), sample)
        if value is None:
            raise not_data(what, given, coordinates)
        values[name] = value
    return {name: values[name] for name in parameters}


def _formula(text: str, what: str, alphabet: Alphabet) -> Value:
    """A text as a formula of the coordinates; of unknowns there are none yet."""
    try:
        return translate(parse(text, what), alphabet, what)
    except ProblemError as error:
        if "is not known." not in str(error):
            raise
        other = ProblemError(
            *error.parts, " What depends on an unknown is written into the equation as a formula."
        )
        other.place = error.place
        raise other from None


def _symbols(name: str, function: UserFunction, sample: np.ndarray | None) -> Value:
    """A given function in formulas: one symbol, or two where it is complex."""
    values = _try(function) if sample is None else function(sample)
    if sample is not None and not np.all(np.isfinite(values)):
        place = sample[np.argmin(np.isfinite(values))]
        where = ", ".join(f"{n}={v:g}" for n, v in zip(function.coordinates, place, strict=True))
        raise ProblemError(
            f"{function.what} is not finite at {where}; it must be finite in the whole domain."
        )
    if is_complex(values):
        return Value(GivenSymbol(name, "re", function.real), GivenSymbol(name, "im", function.imaginary))
    return Value(GivenSymbol(name, "re", function.real if sample is None else function.only_real))


def _try_table(value: Value, sample: np.ndarray | None) -> None:
    """A table that does not cover the domain is refused before anything is solved."""
    for symbol in symbols_in(*value):
        if isinstance(symbol, GivenSymbol) and sample is not None:
            symbol.function(sample)


def _try(function: UserFunction) -> np.ndarray:
    """A value of a function that may be missing from a loaded file; a missing one counts as real."""
    try:
        return function(np.zeros((1, len(function.coordinates))))
    except ProblemError:
        return np.zeros(1)
