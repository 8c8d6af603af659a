# SPDX-License-Identifier: MIT
"""Parameters: names in the equations that stand for numbers or for given functions of the coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from lrfm.problem.algebra import Symbol
from lrfm.problem.data import Function, expected_data, number_value
from lrfm.problem.errors import ProblemError, short, shown
from lrfm.problem.expression import Value
from lrfm.problem.names import TAKEN, check_name, normal


def named_parameters(given: object) -> dict[str, object]:
    """The dictionary a user gave, with names as Python reads them."""
    if given is not None and not isinstance(given, Mapping):
        raise ProblemError(
            f"`parameters` was given as {shown(given)}; expected a dictionary such as {{'eps': 1e-4}}."
        )
    return {normal(name): value for name, value in (given or {}).items()}


def parameter_values(
    parameters: Mapping[str, object], coordinates: Sequence[str], sample: np.ndarray | None
) -> tuple[dict[str, Value], dict[Symbol, Callable]]:
    """Formulas of the parameters, and evaluators of the symbols in them.

    A function is called at the points `sample` to see whether it is finite and real; without points, at the origin
    and only for whether it is complex.
    """
    taken = {**TAKEN, **dict.fromkeys(coordinates[:-1], "a coordinate")}
    values: dict[str, Value] = {}
    data: dict[Symbol, Callable] = {}
    for name, given in parameters.items():
        check_name(name, "A parameter", "eps", taken)
        what = f"The parameter `{short(name)}`"
        value = number_value(given, what)
        if value is None and callable(given):
            parts = _evaluators(Function(given, coordinates, what), sample)
            symbols = [Symbol(f"{name}.{part}") for part in parts]
            data |= dict(zip(symbols, parts.values(), strict=True))
            value = Value(*symbols)
        if value is None:
            text = " Write a formula into the equation itself." if isinstance(given, str) else ""
            raise ProblemError(f"{what} {expected_data(given, coordinates, 'a number or')}{text}")
        values[name] = value
    return values, data


def _tried(function: Function) -> np.ndarray:
    """A value of a function that may be missing from a loaded file; a missing one counts as real."""
    try:
        return function(np.zeros((1, len(function.coordinates))))
    except ProblemError:
        return np.zeros(1)


def _evaluators(function: Function, sample: np.ndarray | None) -> dict[str, Callable]:
    values = _tried(function) if sample is None else function(sample)
    if sample is not None and not np.all(np.isfinite(values)):
        place = sample[np.argmin(np.isfinite(values))]
        where = ", ".join(f"{n}={v:g}" for n, v in zip(function.coordinates, place, strict=True))
        raise ProblemError(
            f"{function.what} is not finite at {where}; it must be finite in the whole domain."
        )
    if np.iscomplexobj(values) and np.any(values.imag != 0):
        return {"re": function.real, "im": function.imaginary}
    return {"re": function.only_real if sample is not None else function.real}
