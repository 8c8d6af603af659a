# SPDX-License-Identifier: MIT
"""The linear systems of a step on a product of bases, by diagonalization along each axis.

What is separable of the equations,  Σ_p sᵖ (β_p + Σ_k α_pk G_k)  for each pair of equation and field, G_k a matrix on the functions of
axis k, is diagonal after G_k → Sₖ⁻¹ (Cₖᵀ G_k Cₖ) Sₖ: one small matrix, fields × fields, for each combination of eigenvalues. Coefficients
that vary are split into parts that vary along one axis; what is left, mixed derivatives, products of coordinates, is left to the
iteration. Work grows as R Σ r_k instead of R³.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from lrfm.integrate.schemes import Scheme
from lrfm.solver.lines.form import Entry, Form
from lrfm.solver.lines.projected import Place, ProjectedRows
from lrfm.solver.lines.stages import Stages
from lrfm.solver.lines.system import System
from lrfm.spaces.axes.product import Grid, apply

SYMMETRIC = 1e-9  # relative asymmetry of a matrix that is symmetric but for its quadrature; the iteration makes up for it


class Separable:
    """Reference matrices G_k, their eigenvectors between complements, and the factors α, β of every block and power."""

    def __init__(self, system: System, time: float, y: np.ndarray, z: np.ndarray):
        self.system, self.form = system, system.form
        count, self.axes = len(self.form.last), len(system.basis.axes)
        self.equations = system.places[:count]
        self.complements = self._common()
        self.powers = self.form.top_power + 1
        self.beta = np.zeros((self.powers, count, count))
        self.alpha = np.zeros((self.powers, self.axes, count, count))
        self.parts = self._parts(time, y, z)
        self.reference = [self._largest(k, self.parts) for k in range(self.axes)]
        # A block that is no multiple of the reference is met as well as a multiple and a constant can.
        self.closest = {key: _closest(matrix, self.reference[key[3]]) for key, matrix in self.parts.items()}
        for (p, e, f, k), (scale, shift) in self.closest.items():
            self.alpha[p, k, e, f] += scale
            self.beta[p, e, f] += shift
        inner = [_between(c, g) for c, g in zip(self.complements, self.reference, strict=True)]
        decomposed = [_decomposed(g) for g in inner]
        self.values = [w for w, _ in decomposed]
        self.vectors = [v for _, v in decomposed]
        self.inverses = [np.linalg.inv(v) for v in self.vectors]

    def _common(self) -> list[np.ndarray | None]:
        """The complements of all fields, where they are the same; another kind of condition per field is not separable."""
        first = self.equations[0].complements
        for place in self.equations[1:]:
            for a, b in zip(first, place.complements, strict=True):
                same = a is b if a is None or b is None else a.shape == b.shape and _same_space(a, b)
                if not same:
                    raise np.linalg.LinAlgError("fields with different kinds of conditions")
        return first

    def _parts(
        self, time: float, y: np.ndarray, z: np.ndarray
    ) -> dict[tuple[int, int, int, int], np.ndarray]:
        """Matrices along single axes by (power, equation, field, axis); constants go into β at once."""
        found: dict[tuple[int, int, int, int], np.ndarray] = {}
        for e, place in enumerate(self.equations):
            for entry, values in self.system.slopes(place.row, place.grid, time, y, z).items():
                f, p = self.form.power(entry.component, entry.rate)
                self._split(found, (p, e, f), entry, values, place)
        return found

    def _split(
        self, found: dict, key: tuple[int, int, int], entry: Entry, values: np.ndarray, place: Place[Grid]
    ) -> None:
        shape = [len(x) for x in place.grid.places]
        if not any(entry.index):
            self.beta[key] += float(np.mean(values))
        for k, weights in self._profiles(entry, values, shape).items():
            table = place.grid.tables[k][entry.index[k]]
            matrix = (self.system.basis.axes[k].projection * weights) @ table
            found[*key, k] = found.get((*key, k), 0.0) + matrix

    def _profiles(self, entry: Entry, values: np.ndarray, shape: list[int]) -> dict[int, np.ndarray]:
        """What a coefficient is along single axes: its mean over the others, without the constant where this is in β."""
        moving = [k for k, n in enumerate(entry.index) if n]
        mean = float(np.mean(values))
        if len(moving) > 1 or (not moving and not np.ndim(values)):
            return {}
        found = {}
        for k in moving or range(self.axes):
            found[k] = np.full(shape[k], mean)
            if np.ndim(values):
                others = tuple(j for j in range(self.axes) if j != k)
                found[k] = values.reshape(shape).mean(axis=others) - (0.0 if moving else mean)
        return found

    def rest(self, entry: Entry, values: np.ndarray, shape: list[int]) -> np.ndarray | None:
        """What a coefficient is on the grid beyond its separable part; None for nothing."""
        whole = np.broadcast_to(values if np.ndim(values) == 0 else values.reshape(shape), shape)
        left = np.array(whole)
        if not any(entry.index):
            left -= np.mean(values)
        for k, weights in self._profiles(entry, values, shape).items():
            left -= weights.reshape([-1 if j == k else 1 for j in range(self.axes)])
        return left if np.linalg.norm(left) > 1e-10 * np.linalg.norm(whole) else None

    def _largest(self, k: int, parts: dict[tuple[int, int, int, int], np.ndarray]) -> np.ndarray:
        mine = [m for (_, _, _, axis), m in parts.items() if axis == k]
        size = self.system.basis.shape[k]
        return max(mine, key=np.linalg.norm) if mine else np.zeros((size, size))

    def stages(self, form: Form, scheme: Scheme, step: float) -> Stages:
        return ProductStages(form, scheme, self, step)

    def multiply(self, s: complex, x: np.ndarray) -> np.ndarray:
        """The separable part on rates (fields, R), tested: (fields, Π inner ranks)."""
        shape = self.system.basis.shape
        beta, alpha = _at(self.beta, s), _at(self.alpha, s)
        total = np.tensordot(beta, x, axes=1)
        for k, g in enumerate(self.reference):
            eyes = [np.eye(n) for n in shape]
            eyes[k] = g
            total = total + np.tensordot(alpha[k], apply(eyes, x), axes=1)
        return apply([tests_of(c, n) for c, n in zip(self.complements, shape, strict=True)], total)

    def symbol(self, s: complex) -> np.ndarray:
        """The small matrices (modes, fields, fields)."""
        total = np.broadcast_to(
            _at(self.beta, s), (*(len(w) for w in self.values), *self.beta.shape[1:])
        ).astype(complex)
        alpha = _at(self.alpha, s)
        for k, w in enumerate(self.values):
            along = w.reshape([-1 if j == k else 1 for j in range(self.axes)])
            total = total + along[..., None, None] * alpha[k]
        return total.reshape(-1, *self.beta.shape[1:])


class ProductStages:
    """Approximate solutions of A(hλ) x = r for each eigenvalue, by conditions first and diagonalization inside."""

    regular = True

    def __init__(self, form: Form, scheme: Scheme, parts: Separable, step: float):
        self.form, self.scheme, self.parts, self.step = form, scheme, parts, step
        self._inverse = [np.linalg.inv(parts.symbol(step * value)) for value in scheme.eigenvalues]

    def solve(self, residual: np.ndarray) -> np.ndarray:
        """The change of the rates (stages, fields, R) for a residual (stages, rows)."""
        split = self.scheme.split(residual)
        found = np.stack([self._solve(k, -split[k]) for k in range(len(split))])
        joined = self.scheme.join(found.reshape(len(found), -1))
        return joined.reshape(len(residual), len(self.form.last), -1)

    def _solve(self, k: int, right: np.ndarray) -> np.ndarray:
        """x (fields, R) for one eigenvalue and rows of the system."""
        s, parts = self.step * self.scheme.eigenvalues[k], self.parts
        places, fields = parts.system.places, len(self.form.last)
        cuts = np.cumsum([p.size for p in places])[:-1]
        pieces = np.split(right, cuts)
        inside = np.stack(pieces[:fields])
        x = self._lift(s, pieces[fields:])
        if np.any(x):
            inside = inside - parts.multiply(s, x)
        modal = self._modes(k, apply(parts.inverses, inside))
        tests = [tests_of(c, n).T for c, n in zip(parts.complements, parts.system.basis.shape, strict=True)]
        return x + apply([t @ v for t, v in zip(tests, parts.vectors, strict=True)], modal)

    @property
    def modes(self) -> tuple[int, ...]:
        """How many modes each axis has."""
        return tuple(len(w) for w in self.parts.values)

    def _modes(self, k: int, right: np.ndarray) -> np.ndarray:
        """The solution on the modes, (fields, modes), for one eigenvalue."""
        return np.einsum("mef,fm->em", self._inverse[k], right)

    def _lift(self, s: complex, gaps: Sequence[np.ndarray]) -> np.ndarray:
        """Rates that meet the conditions to first order and lie outside of the complements."""
        system, form = self.parts.system, self.form
        x = np.zeros((len(form.last), system.basis.size), complex)
        if not gaps or not any(np.any(g) for g in gaps):
            return x
        for k in range(self.parts.axes):
            for i, own in enumerate(form.last):
                mine = [
                    (c, g) for c, g in zip(form.conditions, gaps, strict=True) if c.axis == k and c.own == own
                ]
                if mine:
                    rows = np.array([system.end_row_at(c, s) for c, _ in mine])
                    pinned = np.linalg.pinv(rows)  # (r_k, conditions)
                    x[i] += self._spread(k, pinned, np.stack([g for _, g in mine]))
        return x

    def _spread(self, k: int, pinned: np.ndarray, gaps: np.ndarray) -> np.ndarray:
        """Gaps (conditions, tests of the other axes) as coefficients: pinned along axis k, complements before it."""
        basis, axes = self.parts.system.basis, self.parts.axes
        back = [
            tests_of(self.parts.complements[j] if j < k else None, basis.shape[j]).T
            for j in range(axes)
            if j != k
        ]
        others = apply(back, gaps) if back else gaps
        work = (pinned @ others).reshape(basis.shape[k], *(n for j, n in enumerate(basis.shape) if j != k))
        return np.moveaxis(work, 0, k).reshape(-1)

    def smooth(self, rates: np.ndarray) -> np.ndarray:
        """(M + hλ₀ L)⁻¹ M v on the modes, for the first component of each field; see `DenseStages.smooth`."""
        real = [k for k, value in enumerate(self.scheme.eigenvalues) if value.imag == 0]
        firsts = [self.form.first[f] for f in self.form.fields]
        if not real or self.form.links:
            return rates[:, firsts]
        found = []
        for v in rates[:, self.form.last]:
            right = self.parts.multiply(0.0, v)
            rows = np.concatenate(
                [right.ravel(), *(np.zeros(p.size) for p in self.parts.system.places[len(v) :])]
            )
            found.append(np.real(self._solve(real[0], rows)))
        return np.stack(found)


def _at(powers: np.ndarray, s: complex) -> np.ndarray:
    """Σ_p sᵖ a_p along the first axis."""
    return np.tensordot(np.array([s**p for p in range(len(powers))]), powers, axes=1)


def tests_of(complement: np.ndarray | None, size: int) -> np.ndarray:
    return np.eye(size) if complement is None else complement.T


def _between(complement: np.ndarray | None, matrix: np.ndarray) -> np.ndarray:
    return matrix if complement is None else complement.T @ matrix @ complement


def _decomposed(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors; real ones where only rounding keeps the matrix from being symmetric."""
    turned = 0.5 * (matrix + matrix.T)
    if np.linalg.norm(matrix - turned) <= SYMMETRIC * np.linalg.norm(matrix):
        return np.linalg.eigh(turned)
    values, vectors = np.linalg.eig(matrix)
    return values, vectors


def _closest(matrix: np.ndarray, reference: np.ndarray) -> tuple[float, float]:
    """a, b with a·reference + b·I nearest to a matrix."""
    size = len(matrix)
    gram = np.array([[np.sum(reference**2), np.trace(reference)], [np.trace(reference), size]])
    right = np.array([np.sum(reference * matrix), np.trace(matrix)])
    scale, shift = np.linalg.lstsq(gram, right, rcond=1e-12)[0]
    return float(scale), float(shift)


def _same_space(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.allclose(a @ (a.T @ b), b, atol=1e-8))


def total_size(system: ProjectedRows) -> int:
    """How many rates a stage has."""
    return len(system.form.last) * prod(system.basis.shape)
