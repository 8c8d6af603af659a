# SPDX-License-Identifier: MIT
"""The linear systems of one step: A(hλ) x = r for each eigenvalue λ of the scheme, A(s) = Σ_p sᵖ A_p.

Simplified Newton solves with these matrices again and again; they are factorized once per step length.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Protocol

import numpy as np

from lrfm.integrate.schemes import Scheme
from lrfm.linalg import clock
from lrfm.linalg.clock import COMPLEX_LU, look_before
from lrfm.linalg.lapack import lu_factor, lu_solve
from lrfm.linalg.room import reserve
from lrfm.solver.lines.form import Form
from lrfm.solver.lines.gauge import fixed
from lrfm.solver.lines.projected import ProjectedRows

SINGULAR = 1e12  # condition from which a matrix does not determine its solution
MANY = 500  # rows from which on zeros are looked for, and conditions estimated,
SPARSE = 0.1  # and the part of entries that differ from zero up to which they are made use of


class Stages(Protocol):
    """What Newton and the control of steps ask of the linear systems of a step."""

    scheme: Scheme
    step: float

    @property
    def regular(self) -> bool: ...

    def solve(self, residual: np.ndarray) -> np.ndarray: ...

    def smooth(self, rates: np.ndarray) -> np.ndarray: ...


class Factor(Protocol):
    """A(s) for one s, ready to be solved with."""

    real: bool

    def solve(self, right: np.ndarray) -> np.ndarray:
        """x (fields · R, …) with A(s) x = right (rows, …)."""
        ...


class Parts(Protocol):
    """A₀, A₁, … of all rows at one state, and factors of their sums."""

    def factor(self, s: complex) -> Factor: ...

    def product(self, power: int, rates: np.ndarray) -> np.ndarray:
        """A_p v for rates v (many, fields, R): (many, rows)."""
        ...

    def regular(self, s: float) -> bool: ...


def at(powers: list[np.ndarray], s: complex) -> np.ndarray:
    """A(s) = Σ_p sᵖ A_p, real for a real s."""
    number = s.real if s.imag == 0 else s
    matrix = powers[0] + number * powers[1]
    for p, power in enumerate(powers[2:], start=2):
        matrix = matrix + number**p * power
    return matrix


class LU:
    """LU factors of a square matrix, its rows scaled by their largest entry.

    Many unknowns that meet few others each leave most of it empty; it is then factorized as a sparse one.
    """

    def __init__(self, matrix: np.ndarray):
        self.real = not np.iscomplexobj(matrix)
        self._scale = 1.0 / np.maximum(np.abs(matrix).max(axis=1, initial=0.0), 1e-300)
        matrix = matrix * self._scale[:, None]
        self._sparse = None
        if len(matrix) > MANY and np.count_nonzero(matrix) < SPARSE * matrix.size:
            from scipy.sparse import csc_array  # which takes long to import, and few need
            from scipy.sparse.linalg import splu

            # Singular to the last digit: LAPACK goes on, and `determined` says so.
            with suppress(RuntimeError):
                self._sparse = splu(csc_array(matrix))
        if self._sparse is None:
            self._factors = lu_factor(matrix)

    def solve(self, right: np.ndarray) -> np.ndarray:
        scaled = right * (self._scale if right.ndim == 1 else self._scale[:, None])
        if self._sparse is None:
            return lu_solve(self._factors, scaled)
        if self.real and np.iscomplexobj(scaled):
            return self._sparse.solve(np.ascontiguousarray(scaled.real)) + 1j * self._sparse.solve(
                np.ascontiguousarray(scaled.imag)
            )
        return self._sparse.solve(np.ascontiguousarray(scaled if self.real else scaled.astype(complex)))

    def adjoint(self, right: np.ndarray) -> np.ndarray:
        """x with Aᴴ x = right, for a real matrix."""
        if self._sparse is None:
            found = lu_solve(self._factors, right, trans=1)
        else:
            found = self._sparse.solve(np.ascontiguousarray(right), trans="T")
        return found * (self._scale if right.ndim == 1 else self._scale[:, None])


class Spread:
    """A factor whose unknowns x are on the functions of each field: all coefficients are E x."""

    def __init__(self, inner: LU, columns: np.ndarray):
        self.inner, self.columns, self.real = inner, columns, inner.real

    def solve(self, right: np.ndarray) -> np.ndarray:
        return self.columns @ self.inner.solve(right)


class DenseParts:
    """A₀, A₁, … of all rows, as they are at one state."""

    def __init__(self, system: ProjectedRows, time: float, y: np.ndarray, z: np.ndarray):
        self.powers = fixed(system, system.linearize(time, y, z), (time, y, z))
        self.columns = system.columns
        self.square = self.powers if self.columns is None else [p @ self.columns for p in self.powers]
        self.leapt: Any = None  # what a leap from a state has made of them, kept by `leap`

    def product(self, power: int, rates: np.ndarray) -> np.ndarray:
        return rates.reshape(len(rates), -1) @ self.powers[power].T

    def factor(self, s: complex) -> Factor:
        size = len(self.square[0])
        look_before((COMPLEX_LU if s.imag else clock.LU) * size**3)
        reserve((6.0 if s.imag else 3.0) * size**2)
        inner = LU(at(self.square, s))
        return inner if self.columns is None else Spread(inner, self.columns)

    def stages(self, form: Form, scheme: Scheme, step: float) -> Stages:
        return DenseStages(form, scheme, self, step)

    def regular(self, s: float) -> bool:
        """Whether A(s) determines its solution: its reciprocal condition is above rounding."""
        matrix = self.square[0] + s * sum(self.square[1:])
        return matrix.shape[0] == matrix.shape[1] and determined(matrix)


def determined(matrix: np.ndarray) -> bool:
    """Whether a square matrix, rows and columns scaled, has a condition far below the inverse of rounding."""
    matrix = matrix / np.maximum(np.abs(matrix).max(axis=1, keepdims=True), 1e-300)
    matrix = matrix / np.maximum(np.abs(matrix).max(axis=0), 1e-300)
    return bool(np.all(np.isfinite(matrix)) and condition(matrix) < SINGULAR)


def condition(matrix: np.ndarray) -> float:
    """‖A‖ ‖A⁻¹‖ of a real matrix: exact in the 2-norm, and for a large one an estimate in the 1-norm from a few solves."""
    if len(matrix) <= MANY:
        return float(np.linalg.cond(matrix))
    from scipy.sparse.linalg import LinearOperator, onenormest

    look_before(clock.LU * len(matrix) ** 3)
    factors = LU(matrix)
    products = factors.solve, factors.adjoint, factors.solve, matrix.dtype, factors.adjoint
    inverse = LinearOperator(matrix.shape, *products)  # pyright: ignore[reportCallIssue]  (it does not read `__new__`)
    with np.errstate(all="ignore"):
        found = float(np.abs(matrix).sum(axis=0).max() * onenormest(inverse))
    return found if np.isfinite(found) else np.inf


class DenseStages:
    """Factors of A(hλ); one real and (K − 1)/2 complex ones for Radau."""

    def __init__(self, form: Form, scheme: Scheme, parts: Parts, step: float):
        self.form, self.scheme, self.parts, self.step = form, scheme, parts, step
        self._factors = [parts.factor(step * value) for value in scheme.eigenvalues]

    @property
    def regular(self) -> bool:
        """Whether the first matrix determines its solution."""
        return self.parts.regular(abs(self.step * self.scheme.eigenvalues[0]))

    def solve(self, residual: np.ndarray) -> np.ndarray:
        """The change of the rates (stages, fields, R) for a residual (stages, rows)."""
        split = self.scheme.split(residual)
        found = []
        for part, factor in zip(-split, self._factors, strict=True):
            x = factor.solve(part.real if factor.real else part)
            if factor.real and np.any(part.imag):
                # A real eigenvalue may come with a complex multiple of its real vector.
                x = x + 1j * factor.solve(part.imag)
            found.append(x)
        return self.scheme.join(np.array(found)).reshape(len(residual), len(self.form.last), -1)

    def smooth(self, rates: np.ndarray) -> np.ndarray:
        """(M + hλ₀ L)⁻¹ M v for v (many, components, R): what is fast is damped as the scheme damps it.

        λ₀ is the real eigenvalue, or the modulus of one where there is none. Returned for the first component of each field.
        """
        real = [k for k, value in enumerate(self.scheme.eigenvalues) if value.imag == 0]
        if not real:
            return rates[:, [self.form.first[f] for f in self.form.fields]]
        s = self.step * self.scheme.eigenvalues[real[0]].real
        form, many, size = self.form, len(rates), rates.shape[2]
        right = self.parts.product(0, rates[:, form.last])
        partial = {}
        for i, field in enumerate(form.fields):
            sums = np.zeros((many, size))
            for c in reversed(range(form.first[field], form.last[i])):
                sums = rates[:, c] + s * sums
                alone = np.zeros((many, len(form.last), size))
                alone[:, i] = s * sums
                right -= self.parts.product(form.power(c, False)[1], alone)
            partial[i] = sums
        last = self._factors[real[0]].solve(right.T).T
        found = last.reshape(many, len(form.last), size).copy()
        for i, field in enumerate(form.fields):
            found[:, i] = partial[i] + s ** (form.last[i] - form.first[field]) * found[:, i]
        return found
