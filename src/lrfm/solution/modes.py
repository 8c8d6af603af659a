# SPDX-License-Identifier: MIT
"""Eigenvalues with their errors, and their functions:  L φ = λ φ,  ‖φ‖ = 1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from lrfm.problem import Problem
from lrfm.problem.calls import naming
from lrfm.solution.engines import aligned
from lrfm.solution.solution import Solution

SIDES = "These are nearest to zero, and there are others on both sides of it; `near=` says where they are looked for, such as a number below all of them."


@dataclass(frozen=True)
class Mode:
    """One eigenvalue `value`, its estimated absolute `error`, and its function: ``mode(x=0.3)``.

    `error` is infinite where no comparison found the eigenvalue again. Functions have norm one over the domain; real ones are positive where
    they are largest.
    """

    value: complex | float
    error: float
    real: Solution = field(repr=False)
    imaginary: Solution | None = field(default=None, repr=False)

    def __call__(self, **coordinates: Any) -> Any:
        """The function at points; for several unknowns a dictionary by name."""
        values = {name: self[name](**coordinates) for name in self.real.unknowns}
        return values[self.real.unknowns[0]] if len(values) == 1 else values

    def __getitem__(self, name: str) -> Any:
        """An unknown or a derivative (``"u_x"``) as a function."""
        if self.imaginary is None:
            return self.real[name]
        real, imaginary = self.real[name], self.imaginary[name]
        return lambda **at: real(**at) + 1j * imaginary(**at)


@naming
class Modes(Sequence[Mode]):
    """Eigenvalues in the order in which they were asked for; prints as a table. `inside` are those nearest to zero where others lie on both sides of it;
    `spacing` is the usual distance of two."""

    def __init__(
        self,
        problem: Problem,
        modes: Sequence[Mode],
        tolerance: float,
        sizes: str = "",
        inside: bool = False,
        spacing: float = 1.0,
    ):
        self.problem, self._modes, self.tolerance, self.sizes = problem, tuple(modes), tolerance, sizes
        self.inside, self.spacing = inside, spacing

    @property
    def values(self) -> np.ndarray:
        """The eigenvalues: real where all of them are."""
        found = np.array([mode.value for mode in self._modes])
        return found if np.any(np.imag(found)) else np.real(found)

    @property
    def errors(self) -> np.ndarray:
        """Estimated absolute errors."""
        return np.array([mode.error for mode in self._modes])

    @property
    def met(self) -> bool:
        """Whether every error is at most the tolerance, relative to its eigenvalue, or to the usual distance of two where it is near zero."""
        return not self.late

    @property
    def late(self) -> list[Mode]:
        """Those whose errors are above the tolerance."""
        return [m for m in self._modes if not m.error <= self.tolerance * max(abs(m.value), self.spacing)]

    def __len__(self) -> int:
        return len(self._modes)

    def __getitem__(self, number: Any) -> Any:
        return self._modes[number]

    def __iter__(self) -> Iterator[Mode]:
        return iter(self._modes)

    def plot(self, path: str | Path | None = None) -> Any:
        """The functions, one panel each, and write them to `path` (png, pdf or svg)."""
        from lrfm.solution.plot.modes import modes_figure

        return modes_figure(self, path)

    def _rows(self) -> list[tuple[str, str]]:
        rows = [(f"{i}", f"{_number(m.value)}  ± {m.error:.1e}") for i, m in enumerate(self._modes)]
        return [("", "eigenvalue"), *rows]

    def __str__(self) -> str:
        return "\n".join([aligned(self._rows()), *([SIDES] if self.inside else [])])

    def _repr_html_(self) -> str:
        from lrfm.problem.typeset import statement_html, table_html

        words = f"<div>{SIDES}</div>" if self.inside else ""
        return f"<div>{statement_html(self.problem, folded=True)}{table_html(self._rows())}{words}</div>"

    def __repr__(self) -> str:
        return (
            f"<{len(self)} modes of {self.problem!r}: {', '.join(_number(m.value, 8) for m in self._modes)}>"
        )


def _number(value: complex | float, digits: int = 15) -> str:
    if np.imag(value) == 0:
        return f"{np.real(value):.{digits}g}"
    sign = "-" if np.imag(value) < 0 else "+"
    return f"{np.real(value):.{digits}g} {sign} {abs(np.imag(value)):.{digits}g}i"
