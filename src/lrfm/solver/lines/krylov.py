# SPDX-License-Identifier: MIT
"""The linear systems of a step on a product of bases where more than its separable part counts: GMRES on the modes.

D(s) + Σ_p sᵖ Σ_j ⊗_k Sₖ⁻¹ Cₖᵀ P diag(w_jk) D^a Cₖ Sₖ:   D is the separable part, diagonal on the modes and the preconditioner; what a
coefficient is beyond it becomes a short sum of products of functions of one coordinate (truncated singular values, one axis after
the other). A product costs R Σ r_k per term. What is not a short sum is left to the iteration of Newton.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from lrfm.integrate.schemes import Scheme
from lrfm.linalg.clock import look
from lrfm.solver.lines.form import Form
from lrfm.solver.lines.separable import ProductStages, Separable, tests_of
from lrfm.solver.lines.stages import Stages
from lrfm.solver.lines.system import System
from lrfm.spaces.axes.product import along, apply

SMALL = 1e-3  # residual of a solution, relative: Newton repeats it
DEPTH = 150  # vectors of a Krylov space
LOOKED = 3  # products between looks at the residual
STIFF = 1000.0  # h |λ| of the separable part from which it is a better preconditioner than none
TERMS = 4  # products of functions of one coordinate for one coefficient
NEGLIGIBLE = 1e-8  # singular values of a coefficient, relative to the largest


class Term(NamedTuple):
    """A product of matrices on the modes of each axis, in the block of an equation and a field, with a power of hλ."""

    power: int
    equation: int
    field: int
    matrices: list[np.ndarray | None]  # None: the identity


class Coupled(Separable):
    """A separable part, and what the equations have beyond it as sums of products."""

    def __init__(self, system: System, time: float, y: np.ndarray, z: np.ndarray):
        super().__init__(system, time, y, z)
        self.terms = [*self._products(time, y, z), *self._beyond_reference()]
        mass = self.symbol(0.0)
        self._first = self.symbol(1.0) - mass
        if not any(np.iscomplexobj(v) for v in self.vectors):
            mass, self._first = np.real(mass), np.real(self._first)
        # Where rates are determined mode by mode, one Krylov space of M⁻¹L serves all stages.
        self.shared = (
            self.powers == 2
            and all(term.power == 1 for term in self.terms)
            and not self.form.algebraic
            and float(np.linalg.cond(mass).max()) < 1e8
        )
        self._mass = np.linalg.inv(mass) if self.shared else mass

    def stages(self, form: Form, scheme: Scheme, step: float) -> Stages:
        return KrylovStages(form, scheme, self, step)

    def _inner(self, k: int, matrix: np.ndarray) -> np.ndarray:
        """A matrix on the functions of axis k as one on its modes."""
        c = self.complements[k]
        inner = matrix if c is None else c.T @ matrix @ c
        return self.inverses[k] @ inner @ self.vectors[k]

    def _products(self, time: float, y: np.ndarray, z: np.ndarray) -> Iterator[Term]:
        for e, place in enumerate(self.equations):
            shape = [len(x) for x in place.grid.places]
            for entry, values in self.system.slopes(place.row, place.grid, time, y, z).items():
                rest = self.rest(entry, values, shape)
                if rest is None:
                    continue
                f, p = self.form.power(entry.component, entry.rate)
                for weights in _sums(rest, TERMS):
                    tables = (place.grid.tables[k][n] for k, n in enumerate(entry.index))
                    axes = self.system.basis.axes
                    parts = [(a.projection * w) @ t for a, w, t in zip(axes, weights, tables, strict=True)]
                    yield Term(p, e, f, [self._inner(k, m) for k, m in enumerate(parts)])

    def over_mass(self, x: np.ndarray) -> np.ndarray:
        """M⁻¹ x on the modes, flat."""
        return np.einsum("mef,fm->em", self._mass, x.reshape(len(self.beta[0]), -1)).ravel()

    def rate(self, x: np.ndarray) -> np.ndarray:
        """M⁻¹ L x on the modes, flat."""
        x = x.reshape(len(self.beta[0]), -1)
        return self.over_mass(np.einsum("mef,fm->em", self._first, x) + self.beyond(1.0, x))

    def beyond(self, s: complex, x: np.ndarray) -> np.ndarray:
        """What the equations have beyond the separable part, on modes (fields, modes)."""
        total = np.zeros_like(x)
        shape = tuple(len(w) for w in self.values)
        for term in self.terms:
            total[term.equation] += s**term.power * _apply(term.matrices, x[term.field], shape)
        return total

    def _beyond_reference(self) -> Iterator[Term]:
        """Blocks along one axis that are not multiples of the reference and the identity."""
        for (p, e, f, k), matrix in self.parts.items():
            scale, shift = self.closest[p, e, f, k]
            rest = matrix - scale * self.reference[k] - shift * np.eye(len(matrix))
            if np.linalg.norm(rest) > NEGLIGIBLE * np.linalg.norm(matrix):
                matrices: list[np.ndarray | None] = [None] * self.axes
                matrices[k] = self._inner(k, rest)
                yield Term(p, e, f, matrices)


class KrylovStages(ProductStages):
    """Solutions of A(hλ) x = r for all eigenvalues from Krylov spaces of M⁻¹L; by GMRES where these would be too large.

    The space of a vector does not depend on λ, and the residuals of the stages of a step are few vectors, often one.
    """

    def __init__(self, form: Form, scheme: Scheme, parts: Coupled, step: float):
        super().__init__(form, scheme, parts, step)
        self.coupled = parts
        self.largest = 0.0  # residual seen so far

    def solve(self, residual: np.ndarray) -> np.ndarray:
        if not self.coupled.shared:
            return super().solve(residual)
        parts, form, fields = self.coupled, self.form, len(self.form.last)
        inner = sum(p.size for p in parts.system.places[:fields])
        u, sizes, v = np.linalg.svd(residual[:, :inner], full_matrices=False)
        self.largest = max(self.largest, float(sizes[0]))
        shifts = self.step * self.scheme.eigenvalues
        small = (1e-8 if form.linear else SMALL) * self.largest
        found = np.zeros((len(shifts), v.shape[1]), complex)
        for j in np.flatnonzero(sizes > small):
            right = apply(parts.inverses, -sizes[j] * v[j].reshape(fields, -1)).ravel()
            part = shifted(parts.rate, parts.over_mass(right), shifts, small, DEPTH)
            if part is None and np.abs(parts.symbol(1.0)).max() * self.step < STIFF:
                return np.full(
                    (len(residual), fields, parts.system.basis.size), np.nan
                )  # a shorter step is cheaper
            if part is None:
                parts.shared = False
                return super().solve(residual)
            found += (self.scheme.inverse @ u[:, j])[:, None] * part
        tests = [
            tests_of(c, n).T @ v
            for c, n, v in zip(parts.complements, parts.system.basis.shape, parts.vectors, strict=True)
        ]
        inside = apply(tests, found.reshape(len(found), fields, -1))
        joined = self.scheme.join(inside.reshape(len(found), -1)).reshape(len(residual), fields, -1)
        rest = residual.copy()
        rest[:, :inner] = (u * np.where(sizes > small, 0.0, sizes)) @ v
        return joined + super().solve(rest)

    def _modes(self, k: int, right: np.ndarray) -> np.ndarray:
        first = super()._modes(k, right)
        if self.coupled.shared or not self.coupled.terms:
            return first
        s, symbol = self.step * self.scheme.eigenvalues[k], super()._modes

        def product(x: np.ndarray) -> np.ndarray:
            return x + symbol(k, self.coupled.beyond(s, x.reshape(first.shape))).ravel()

        return gmres(product, first.ravel(), SMALL, DEPTH).reshape(first.shape)


def _apply(matrices: list[np.ndarray | None], x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """⊗_k A_k x; real matrices meet the real and the imaginary part side by side, half the work of complex ones."""
    split = np.iscomplexobj(x) and not any(m is not None and np.iscomplexobj(m) for m in matrices)
    work = np.stack([np.real(x), np.imag(x)]) if split else x
    for k, matrix in enumerate(matrices):
        if matrix is not None:
            work = along(k, matrix, work, shape)
    return work[0] + 1j * work[1] if split else work


def _sums(values: np.ndarray, most: int) -> list[list[np.ndarray]]:
    """Functions w_jk of one coordinate with Σ_j Π_k w_jk ≈ values, largest first; one axis after the other."""
    if values.ndim == 1:
        return [[values]]
    u, s, v = np.linalg.svd(values.reshape(len(values), -1), full_matrices=False)
    kept = np.flatnonzero(s > NEGLIGIBLE * s[0])[:most]
    found = []
    for j in kept:
        for others in _sums(v[j].reshape(values.shape[1:]), most):
            found.append([s[j] * u[:, j], *others])
    return found


def gmres(
    product: Callable[[np.ndarray], np.ndarray], right: np.ndarray, small: float, most: int
) -> np.ndarray:
    """x with |product(x) − right| ≤ small |right| in a Krylov space of at most so many vectors.

    Orthogonalized against all vectors at once: in SciPy's solver a loop over vectors would take more than the products.
    """
    size = float(np.linalg.norm(right))
    if size == 0.0:
        return right
    vectors = np.empty((most + 1, len(right)), complex)
    hessenberg = np.zeros((most + 1, most), complex)
    vectors[0] = right / size
    goal = np.zeros(most + 1)
    goal[0] = size
    weights = np.zeros(0)
    for n in range(1, most + 1):
        look()
        new = product(vectors[n - 1])
        along = (vectors[:n] @ new.conj()).conj()
        new = new - along @ vectors[:n]
        length = float(np.linalg.norm(new))
        hessenberg[:n, n - 1], hessenberg[n, n - 1] = along, length
        done = length <= 1e-14 * size or n == most
        if done or n % LOOKED == 0:
            table = hessenberg[: n + 1, :n]
            weights = np.linalg.lstsq(table, goal[: n + 1], rcond=None)[0]
            if done or np.linalg.norm(table @ weights - goal[: n + 1]) <= small * size:
                break
        vectors[n] = new / length
    return weights @ vectors[: len(weights)]


def shifted(
    product: Callable[[np.ndarray], np.ndarray],
    right: np.ndarray,
    shifts: np.ndarray,
    small: float,
    most: int,
) -> np.ndarray | None:
    """x_j with x_j + s_j product(x_j) = right for all shifts s_j, to a residual `small`; None where the space gets too large.

    One Arnoldi basis V of the space of `right`, H = V* product(V):  x_j = V (I + s_j H)⁻¹ V* right.
    """
    size = float(np.linalg.norm(right))
    vectors = np.empty((most + 1, len(right)), right.dtype)
    table = np.zeros((most + 1, most), right.dtype)
    vectors[0] = right / size
    for n in range(1, most + 1):
        look()
        new = product(vectors[n - 1])
        along = (vectors[:n] @ new.conj()).conj()
        new = new - along @ vectors[:n]
        length = float(np.linalg.norm(new))
        table[:n, n - 1], table[n, n - 1] = along, length
        if n % LOOKED == 0 or length <= 1e-14 * size:
            eye, first = np.eye(n), size * np.eye(n)[0]
            weights = np.array([np.linalg.solve(eye + s * table[:n, :n], first) for s in shifts])
            if np.max(np.abs(shifts * weights[:, -1])) * length <= small:
                return weights @ vectors[:n]
        vectors[n] = new / max(length, 1e-300)
    return None
