# SPDX-License-Identifier: MIT
"""Formulas outside of the equations: constants such as 0.01/π, and a known solution u(x, t)."""

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Number

import numpy as np

from lrfm.problem import Box, ProblemError
from lrfm.problem.data import Datum
from lrfm.problem.expression import Value
from lrfm.problem.text import Alphabet, parse, translate


def constants(given: Mapping[str, object]) -> dict[str, object]:
    """Parameters as numbers; a text may use the parameters above it: ``nu = "0.01/pi"``."""
    numbers: dict[str, object] = {}
    for name, value in given.items():
        numbers[name] = _constant(name, value, numbers) if isinstance(value, str) else value
    return numbers


def _constant(name: str, text: str, known: Mapping[str, object]) -> float | complex:
    what = f"The parameter `{name}`"
    value = translate(parse(text, what), Alphabet((), _values(known)), what)
    if not value.constant:
        raise ProblemError(f"{what}, `{text}`, contains `t`; write it into the equation itself.")
    return float(value.re) if value.real else complex(float(value.re), float(value.im))


def _values(numbers: Mapping[str, object]) -> dict[str, Value]:
    """Numbers as formulas; what is no number is refused later, by the problem."""
    plain = {name: v for name, v in numbers.items() if isinstance(v, Number) and np.isfinite(complex(v))}
    return {name: translate(parse(repr(v), name), Alphabet(()), name) for name, v in plain.items()}


@dataclass(frozen=True)
class Formula:
    """f(x, …, t) from text: a NumPy function of the named coordinates, with broadcasting."""

    datum: Datum

    def __call__(self, **coordinates: float | np.ndarray) -> np.ndarray:
        arrays = np.broadcast_arrays(
            *(np.asarray(coordinates[c], dtype=float) for c in self.datum.coordinates)
        )
        return self.datum(np.column_stack([a.ravel() for a in arrays])).reshape(arrays[0].shape)


def reference(
    given: object, box: Box, parameters: Mapping[str, object]
) -> Formula | dict[str, Formula] | None:
    """The known solution: one text, or one per unknown."""
    if given is None:
        return None
    alphabet = Alphabet(box.names, _values(parameters))
    if isinstance(given, Mapping):
        return {
            name: Formula(Datum(text, alphabet, f"`reference` of `{name}`")) for name, text in given.items()
        }
    return Formula(Datum(given, alphabet, "`reference`"))
