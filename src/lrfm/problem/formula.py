# SPDX-License-Identifier: MIT
"""A text as a NumPy function of the named coordinates: reference solutions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from lrfm.problem.alphabet import Alphabet
from lrfm.problem.constants import number_formulas
from lrfm.problem.data import Datum
from lrfm.problem.errors import ProblemError, Spelled, listing, shown


class Formula:
    """f(x, …, t) from text, with broadcasting.

    >>> wave = Formula("sin(k*x - t)", ("x",), {"k": 2.0})
    >>> round(float(wave(x=0.5, t=1.0)), 6)
    0.0
    """

    def __init__(
        self, text: object, axes: tuple[str, ...], numbers: Mapping[str, object], what: str = "`reference`"
    ):
        self.text, self.axes, self.numbers, self.what = text, tuple(axes), dict(numbers), what
        self.datum  # noqa: B018  (what is wrong with it is said now)

    @cached_property
    def datum(self) -> Datum:
        return Datum(self.text, Alphabet(self.axes, number_formulas(self.numbers)), self.what)

    def __call__(self, **coordinates: float | np.ndarray) -> np.ndarray:
        arrays = np.broadcast_arrays(
            *(np.asarray(coordinates.get(c, 0.0), dtype=float) for c in self.datum.coordinates)
        )
        return self.datum(np.column_stack([a.ravel() for a in arrays])).reshape(arrays[0].shape)

    def __reduce__(self) -> tuple:
        return Formula, (self.text, self.axes, self.numbers, self.what)


def read_reference(given: Any, axes: tuple[str, ...], parameters: Mapping[str, object]) -> Any:
    """A known solution with texts and numbers as functions."""
    if isinstance(given, Mapping):
        return {
            name: _read(value, axes, parameters, f"`reference` of `{name}`") for name, value in given.items()
        }
    return _read(given, axes, parameters, "`reference`")


def _read(given: Any, axes: tuple[str, ...], parameters: Mapping[str, object], what: str) -> Any:
    # A statement with other parameters has its formula read again with them.
    given = given.text if isinstance(given, Formula) else given
    known = isinstance(given, str | int | float) and not isinstance(given, bool)
    return Formula(given, axes, parameters, what) if known else given


def check_reference(reference: object, unknowns: Mapping[str, object], coordinates: tuple[str, ...]) -> None:
    """A known solution is a function of all coordinates by name, one for each unknown."""
    if reference is None:
        return
    several = reference if isinstance(reference, Mapping) else {next(iter(unknowns)): reference}
    for name, function in several.items():
        if name not in unknowns:
            raise ProblemError(
                f"`reference` has an entry {shown(name)}, which is not an unknown; expected {listing(unknowns)}."
            )
        if not callable(function):
            raise ProblemError(
                f"`reference` was given as {shown(reference)}; expected a NumPy function of the coordinates by "
                "name, or a dictionary with one per unknown."
            )
    if len(unknowns) > 1 and several is not reference:
        raise ProblemError(
            f"`reference` is a single function, but there are the unknowns {listing(unknowns)}; give ",
            Spelled("a dictionary with one function per unknown", "a table with one per unknown"),
            ".",
        )
    for function in filter(callable, several.values()):
        _check_arguments(function, coordinates)


def _check_arguments(function: Callable, coordinates: tuple[str, ...]) -> None:
    """A reference is called with all coordinates by name."""
    found = "takes its arguments without names"
    try:
        # A ufunc has a signature, too, but takes no names.
        signature = None if isinstance(function, np.ufunc) else inspect.signature(function)
        if signature is not None:
            found = f"takes the arguments ({', '.join(signature.parameters)})"
            signature.bind(**dict.fromkeys(coordinates))
            return
    except (TypeError, ValueError, OverflowError):
        pass
    raise ProblemError(
        f"`reference` {found}; it is called with all coordinates by name, so give a function of "
        f"{listing(coordinates)}, such as `lambda {', '.join(coordinates)}: ...`."
    )
