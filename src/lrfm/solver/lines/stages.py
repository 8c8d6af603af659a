# SPDX-License-Identifier: MIT
"""The linear systems of one step: A(hλ) x = r for each eigenvalue λ of the scheme, A(s) = Σ_p sᵖ A_p.

Simplified Newton solves with these matrices again and again; they are factorized once per step length.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.linalg import lu_factor, lu_solve

from lrfm.linalg.clock import look
from lrfm.solver.lines.form import Form
from lrfm.solver.lines.schemes import Scheme
from lrfm.solver.lines.system import System

SINGULAR = 1e12  # condition from which a matrix does not determine its solution


class Stages(Protocol):
    """What Newton and the control of steps ask of the linear systems of a step."""

    scheme: Scheme
    step: float

    @property
    def regular(self) -> bool: ...

    def solve(self, residual: np.ndarray) -> np.ndarray: ...

    def smooth(self, rates: np.ndarray) -> np.ndarray: ...


class DenseParts:
    """A₀, A₁, … of all rows, as they are at one state."""

    def __init__(self, system: System, time: float, y: np.ndarray, z: np.ndarray):
        self.powers = system.linearize(time, y, z)

    def stages(self, form: Form, scheme: Scheme, step: float) -> Stages:
        return DenseStages(form, scheme, self, step)


class DenseStages:
    """LU factors of A(hλ), rows scaled by their largest entry; one real and (K − 1)/2 complex ones for Radau."""

    def __init__(self, form: Form, scheme: Scheme, parts: DenseParts, step: float):
        self.form, self.scheme, self.powers, self.step = form, scheme, parts.powers, step
        self._factors = [self._factor(step * value) for value in scheme.eigenvalues]

    def _factor(self, s: complex) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
        look()
        number = s.real if s.imag == 0 else s
        matrix = self.powers[0] + number * self.powers[1]
        for p, power in enumerate(self.powers[2:], start=2):
            matrix = matrix + number**p * power
        scale = 1.0 / np.maximum(np.abs(matrix).max(axis=1), 1e-300)
        return scale, lu_factor(matrix * scale[:, None], overwrite_a=True, check_finite=False)

    @property
    def regular(self) -> bool:
        """Whether the first matrix determines its solution: its reciprocal condition is above rounding."""
        matrix = self.powers[0] + abs(self.step * self.scheme.eigenvalues[0]) * sum(self.powers[1:])
        matrix = matrix / np.maximum(np.abs(matrix).max(axis=1, keepdims=True), 1e-300)
        matrix = matrix / np.maximum(np.abs(matrix).max(axis=0), 1e-300)
        return bool(np.all(np.isfinite(matrix)) and np.linalg.cond(matrix) < SINGULAR)

    def solve(self, residual: np.ndarray) -> np.ndarray:
        """The change of the rates (stages, fields, R) for a residual (stages, rows)."""
        split = self.scheme.split(residual)
        parts = np.empty_like(split)
        for k, (scale, factors) in enumerate(self._factors):
            part = split[k] if np.iscomplexobj(factors[0]) else split[k].real
            parts[k] = lu_solve(factors, -scale * part, check_finite=False)
            if not np.iscomplexobj(factors[0]) and np.any(split[k].imag):
                # A real eigenvalue may come with a complex multiple of its real vector.
                parts[k] = parts[k] + 1j * lu_solve(factors, -scale * split[k].imag, check_finite=False)
        return self.scheme.join(parts).reshape(len(residual), len(self.form.last), -1)

    def smooth(self, rates: np.ndarray) -> np.ndarray:
        """(M + hλ₀ L)⁻¹ M v for v (many, components, R): what is fast is damped as the scheme damps it.

        λ₀ is the real eigenvalue, or the modulus of one where there is none. Returned for the first component of each field.
        """
        real = [k for k, value in enumerate(self.scheme.eigenvalues) if value.imag == 0]
        if not real:
            return rates[:, [self.form.first[f] for f in self.form.problem.fields]]
        s = self.step * self.scheme.eigenvalues[real[0]].real
        scale, factors = self._factors[real[0]]
        form, many, size = self.form, len(rates), rates.shape[2]
        right = rates[:, form.last].reshape(many, -1) @ self.powers[0].T
        partial = {}
        for i, field in enumerate(form.problem.fields):
            sums = np.zeros((many, size))
            for c in reversed(range(form.first[field], form.last[i])):
                sums = rates[:, c] + s * sums
                power = self.powers[form.power(c, False)[1]][:, i * size : (i + 1) * size]
                right -= s * sums @ power.T
            partial[i] = sums
        last = lu_solve(factors, scale[:, None] * right.T, check_finite=False).T
        found = last.reshape(many, len(form.last), size).copy()
        for i, field in enumerate(form.problem.fields):
            found[:, i] = partial[i] + s ** (form.last[i] - form.first[field]) * found[:, i]
        return found
