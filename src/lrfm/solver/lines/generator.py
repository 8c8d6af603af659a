# SPDX-License-Identifier: MIT
"""Linear equations that stay the same in time, as one matrix: y = D(ȳ + N q),  q' = G q + f.

Rows without rates, C y + g = 0, conditions and equations alike, are solved once and for all: ȳ = −C⁺ g, N spans the null space of C.
What is left, equations, conditions with rates and the links y_c' = y_{c+1}, reads E y' + A y + s = 0, and
G = −(E N)⁺ A N,  f = −(E N)⁺ (A ȳ + s).
D gives all components of a chain u, u_t, … the same size: their eigenvectors are as far from each other as they can be.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lrfm.linalg.clock import SVD, look_before
from lrfm.linalg.graded import graded_null_space
from lrfm.linalg.room import reserve
from lrfm.solver.lines.flat import flattened
from lrfm.solver.lines.stages import DenseParts
from lrfm.solver.lines.system import System

CONSISTENT = 1e-7  # what the rows may leave over, relative to their terms
SINGULAR = 1e-10  # of singular values, relative to the largest
MANY = 32  # rows from which on, as in products, functions have no order from smooth to rough
SMOOTH = 4  # power of their number by which rough functions count less in what meets the conditions


@dataclass(frozen=True)
class Generator:
    """G, f, N, ȳ and D; a state is (components, R)."""

    matrix: np.ndarray
    source: np.ndarray
    free: np.ndarray  # N
    fixed: np.ndarray  # ȳ
    sizes: np.ndarray  # D, (components, 1)

    def inside(self, y: np.ndarray) -> np.ndarray:
        """q of a state (components, R)."""
        return self.free.T @ ((y / self.sizes).ravel() - self.fixed)

    def state(self, q: np.ndarray) -> np.ndarray:
        """y (…, components, R) of q (…, n)."""
        return self.sizes * (q @ self.free.T + self.fixed).reshape(*q.shape[:-1], *self._shape)

    def rate(self, rates: np.ndarray) -> np.ndarray:
        """y' (…, components, R) of q' (…, n)."""
        return self.sizes * (rates @ self.free.T).reshape(*rates.shape[:-1], *self._shape)

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.sizes), len(self.free) // len(self.sizes)


def generator(system: System, parts: DenseParts, time: float, sizes: np.ndarray) -> Generator | None:
    """The matrix of a stationary, autonomous form; None where the rates do not follow from the state."""
    none = np.zeros((1, *system.shape))
    weights = np.broadcast_to(sizes[:, None], system.shape).ravel()
    reserve(6.0 * len(parts.powers[0]) * len(weights))
    e, a = rows_of(system, parts)
    e, a = e * weights, a * weights
    s = np.zeros(len(e))
    own = system.residual(np.array([time]), none, none)[0]
    s[: len(own)] = own
    moving = np.any(e != 0, axis=1)
    extra, gaps = _chained(system, time, none[0])
    rows = np.concatenate([a[~moving], extra * weights])
    fixed, free = _constrained(rows, np.concatenate([s[~moving], gaps]), system.shape[1])
    en, an, sn = e[moving] @ free, a[moving] @ free, s[moving] + a[moving] @ fixed
    # Rows speak of quantities of any size.
    scale = 1.0 / np.maximum(np.abs(en).max(axis=1), 1e-300)
    en, right = en * scale[:, None], np.column_stack([an, sn]) * scale[:, None]
    look_before(SVD * len(en) * free.shape[1] ** 2)
    u, sigma, vt = np.linalg.svd(en, full_matrices=False)
    if len(en) < free.shape[1] or sigma[-1] <= SINGULAR * sigma[0]:
        return None
    square = len(en) == free.shape[1]
    found = -np.linalg.solve(en, right) if square else -(vt.T @ ((u.T @ right) / sigma[:, None]))
    left_over = np.linalg.norm(en @ found + right, axis=0)
    if not np.all(left_over <= CONSISTENT * max(float(np.linalg.norm(right)), 1e-300)):
        return None
    return Generator(found[:, :-1], found[:, -1], free, fixed, sizes[:, None])


def rows_of(system: System, parts: DenseParts) -> tuple[np.ndarray, np.ndarray]:
    """E and A of all rows of the system and of the links: (rows, components · R)."""
    form, (count, size) = system.form, system.shape
    total = len(parts.powers[0])
    e, a = (np.zeros((total + len(form.links) * size, count, size)) for _ in range(2))
    for c in range(count):
        field, power = form.power(c, False)
        columns = slice(field * size, (field + 1) * size)
        a[:total, c] = parts.powers[power][:, columns]
        if c in form.last and c not in form.algebraic:
            e[:total, c] = parts.powers[0][:, columns]
    for i, c in enumerate(form.links):
        rows = slice(total + i * size, total + (i + 1) * size)
        e[rows, c], a[rows, c + 1] = np.eye(size), -np.eye(size)
    return e.reshape(len(e), -1), a.reshape(len(a), -1)


def _chained(system: System, time: float, none: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Conditions on the lower components of chains: rows and values on zero, in one dimension.

    In boxes they are left out: they hold at the start, and what is imposed is their derivative.
    """
    rows: list[np.ndarray] = []
    gaps: list[float] = []
    if len(system.basis.axes) == 1 and system.form.links:
        for c in system.form.constraints:
            face = system.faces[c.axis, c.upper]
            jets = system.jets(c.row.jets, face, none[None], none[None], {})
            rows.append(system.linear_row(c, time, none).ravel())
            gaps.append(float(c.row.residual(system.at_times(face, np.array([time])), jets)[0]))
    flat = np.zeros((0, none.size))
    if system.form.flat:
        # Components on fewer functions: (1 − Q Qᵀ) y = 0.
        whole = np.eye(none.size).reshape(none.size, *none.shape)
        flat = (whole - flattened(system, whole)).reshape(none.size, -1)
        flat = flat[np.any(flat, axis=1)]
    return np.concatenate([np.array(rows).reshape(-1, none.size), flat]), np.append(gaps, np.zeros(len(flat)))


def _constrained(rows: np.ndarray, gaps: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """ȳ and N with  C (ȳ + N q) + g = 0  for all q; columns of C are `size` functions of each component.

    ȳ is made of smooth functions, N goes from rough ones to smooth ones: eigenvalues of any size are found to their own digits then.
    """
    count = rows.shape[1]
    order = np.arange(count).reshape(-1, size).T.ravel()  # all components of one function side by side
    scale = 1.0 / np.maximum(np.linalg.norm(rows, axis=1), 1e-300)
    rows, gaps = rows[:, order] * scale[:, None], gaps * scale
    smooth = (1.0 + np.arange(count) // (count // size)) ** -SMOOTH
    fixed = np.empty(count)
    lift = -np.linalg.lstsq(rows * smooth, gaps, rcond=SINGULAR)[0] if len(rows) else np.zeros(count)
    found = graded_null_space(rows, SINGULAR) if len(rows) <= MANY else _complement(rows)
    free = np.empty_like(found)
    fixed[order], free[order] = smooth * lift, found[:, ::-1]
    return fixed, free


def _complement(rows: np.ndarray) -> np.ndarray:
    """An orthonormal null space of many rows, by singular values."""
    _, sigma, vt = np.linalg.svd(rows, full_matrices=True)
    return vt[int(np.sum(sigma > SINGULAR * sigma[0])) :].T
