# SPDX-License-Identifier: MIT
"""A(s) = Σ_p s^p B_p,  one dense matrix per mode of the axes without polynomials, all unknowns in it:  pencils as in Burns et al., Phys. Rev. Research 2 (2020).

A state holds real and imaginary parts a, b of its coefficients. With i^a u in the place of unknowns, and i^b F in that of rows, matrices are real where waves are even or odd in every unknown, as in convection:  u_x, v, p and T have one phase, u has the other.
Else, where s is complex, and so are the matrices M_k(s), a + ib is solved for by M_k(s), and a − ib by M_{−k}(s), the conjugate of M_k(s̄).
"""

from __future__ import annotations

from collections import OrderedDict
from functools import cached_property

import numpy as np

from lrfm.discretize.box.wall_rows import WallRows
from lrfm.discretize.options import SAFEGUARDS
from lrfm.linalg.banded import Solve
from lrfm.linalg.many import ManyMatrices
from lrfm.linalg.room import reserve


class WallPencil:
    """The matrices of the linear terms; powers of s that all entries of a row have are taken out of it."""

    rate = 1.0  # of Newton's method: not known beforehand, since a rest is left out

    def __init__(self, rows: WallRows):
        self.rows, mesh = rows, rows.mesh
        self.axis, self.fields, self.functions = rows.axis, len(rows.tests), rows.functions
        self.others = [n for a, n in enumerate(mesh.shape) if a != self.axis]
        self.modes, self.size = int(np.prod(self.others)), self.fields * self.functions
        turns = _phases(rows)
        self.real = turns is not None
        self._row_turns, self._turns = (
            np.repeat(t, self.functions) for t in turns or (np.zeros(self.fields, bool),) * 2
        )
        self._scale = rows.lowest.reshape(-1)
        self.matrices = self._assembled()
        self._factors: OrderedDict[complex, ManyMatrices] = OrderedDict()

    def _assembled(self) -> list[np.ndarray]:
        """B_p by power, (modes, n, n), the lowest power of every row taken out."""
        rows, system, n = self.rows, self.rows.system, self.functions
        kind = float if self.real else complex
        highest = 1 + max(system.power(t.component, t.rate)[1] for t in rows.terms)
        reserve((highest + 2) * self.modes * self.size**2 * (1 if self.real else 2))
        found = [np.zeros((self.modes, self.size, self.size), dtype=kind) for _ in range(highest)]
        for t in rows.terms:
            field, power = system.power(t.component, t.rate)
            factor = np.squeeze(t.factor, self.axis).reshape(-1, 1, 1)
            if self.real and np.iscomplexobj(factor):
                turn = int(self._turns[field * n]) - int(self._row_turns[t.row * n])
                factor = np.real(factor * 1j**turn)
            for level in np.unique(rows.lowest[t.row]):
                here = np.flatnonzero((rows.lowest[t.row] == level) & np.any(t.table != 0, axis=1))
                if len(here):
                    own = found[power - level][:, t.row * n : (t.row + 1) * n, field * n : (field + 1) * n]
                    own[:, here] += factor * t.table[here]
        for i, modes in self._replaced():
            for m in found:
                m[modes, i] = 0.0
            found[0][modes, i, i] = 1.0
        while len(found) > 1 and not np.any(found[-1]):
            found.pop()
        return found

    def _replaced(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Rows and modes that are replaced by c = 0: means that nothing determines, and mode zero of sines."""
        numbers = np.arange(self.modes).reshape(self.others)
        found = [(np.array([i * self.functions]), np.array([0])) for i in self.rows.pinned]
        axes = [a for a in range(self.rows.mesh.dimension) if a != self.axis]
        for i, a in self.rows.absent:
            rows = np.arange(i * self.functions, (i + 1) * self.functions)
            found.append((rows, np.take(numbers, 0, axis=axes.index(a)).ravel()))
        return [(np.tile(i, len(m)), np.repeat(m, len(i))) for i, m in found]

    # Solutions ----------------------------------------------------------------------------------------------

    def _inverse(self, shift: complex) -> ManyMatrices:
        """A(s)⁻¹ of every mode; the oldest ones go."""
        if shift not in self._factors:
            total = self.matrices[0].astype(np.result_type(self.matrices[0], type(shift)))
            for power, matrix in enumerate(self.matrices[1:], start=1):
                total += shift**power * matrix
            found = ManyMatrices(total)
            most = max(SAFEGUARDS.factors, int(SAFEGUARDS.numbers // found.size))
            while len(self._factors) >= most:
                self._factors.popitem(last=False)
            self._factors[shift] = found
        self._factors.move_to_end(shift)
        return self._factors[shift]

    def columns(self, vector: np.ndarray, rows: bool = True) -> np.ndarray:
        """A vector (n,) of rows, or of unknowns, as columns of every mode: (modes, unknowns, parts), real and imaginary parts apart."""
        whole = vector.reshape(self.fields, *self.rows.mesh.shape, -1)
        whole = np.moveaxis(whole, 1 + self.axis, -2)
        whole = whole.reshape(self.fields, self.modes, self.functions, -1)
        found = whole.swapaxes(0, 1).reshape(self.modes, self.size, -1)
        return _turned(found, self._row_turns if rows else self._turns, -1.0)

    def vector(self, columns: np.ndarray, rows: bool = False) -> np.ndarray:
        """The other way round."""
        parts = columns.shape[-1]
        columns = _turned(columns, self._row_turns if rows else self._turns, 1.0)
        whole = columns.reshape(self.modes, self.fields, self.functions, parts).swapaxes(0, 1)
        whole = whole.reshape(self.fields, *self.others, self.functions, parts)
        return np.moveaxis(whole, -2, 1 + self.axis).reshape(-1)

    def at(self, shift: complex) -> Solve:
        """The solution of A(s) z = r; each shift is factored once."""
        shift = complex(shift) if np.imag(shift) else float(np.real(shift))
        inverse = self._inverse(shift)
        scale = (shift ** (-self._scale.astype(float)))[:, None]
        if self.real:
            return lambda r: self.vector(inverse(scale * self.columns(r)))
        if isinstance(shift, float):
            return lambda r: self.vector(_parts(inverse(scale * _joined(self.columns(r)))))
        other = self._inverse(np.conj(shift))

        def solve(r: np.ndarray) -> np.ndarray:
            own = self.columns(r)
            a, b = own[..., :1], own[..., 1:]
            plus = inverse(scale * (a + 1j * b))
            minus = np.conj(other(np.conj(scale) * np.conj(a - 1j * b)))
            return self.vector(np.concatenate([(plus + minus) / 2, (plus - minus) / 2j], axis=-1))

        return solve

    roughly = at  # nothing is saved by fewer digits

    def rates(self, right: np.ndarray) -> np.ndarray:
        """The limit s → 0: rates with given right sides, those of rows without rates differentiated in time."""
        inverse, own = self._inverse(0.0), self.columns(right)
        return self.vector(inverse(own) if self.real else _parts(inverse(_joined(own))))

    @cached_property
    def _projection(self) -> ManyMatrices:
        """The inverse of E with its constraints and multipliers: rates, and the multipliers that keep them on the constraints."""
        matrix, system, n = self.matrices[0].copy(), self.rows.system, self.functions
        for c in system.multipliers:
            field = system.last.index(c)
            own = slice(field * n, (field + 1) * n)
            with_rates = self._scale == 0
            matrix[:, with_rates, own] = self.matrices[1][:, with_rates, own]
        return ManyMatrices(matrix)

    def projected(self, right: np.ndarray) -> np.ndarray:
        """z and q of  E z + A_q q = r  with rows without rates for z in the place of y."""
        own = self.columns(right)
        return self.vector(self._projection(own) if self.real else _parts(self._projection(_joined(own))))

    def apply(self, vector: np.ndarray, power: int) -> np.ndarray:
        """B_p v of the rows in which rates occur; zero in all others."""
        if power >= len(self.matrices):
            return np.zeros_like(vector)
        matrix, own = self.matrices[power], self.columns(vector, rows=False)
        found = matrix @ own if self.real else _parts(matrix @ _joined(own))
        return self.vector(np.where((self._scale == 0)[:, None], found, 0.0), rows=True)


def _joined(parts: np.ndarray) -> np.ndarray:
    """a + ib of two columns."""
    return parts[..., :1] + 1j * parts[..., 1:]


def _parts(numbers: np.ndarray) -> np.ndarray:
    """a and b as two columns."""
    return np.concatenate([np.real(numbers), np.imag(numbers)], axis=-1)


def _turned(columns: np.ndarray, which: np.ndarray, sign: float) -> np.ndarray:
    """±i times some of the numbers a + ib that columns hold."""
    if not which.any():
        return columns
    found = columns.copy()
    found[:, which, 0], found[:, which, 1] = -sign * columns[:, which, 1], sign * columns[:, which, 0]
    return found


def _phases(rows: WallRows) -> tuple[np.ndarray, np.ndarray] | None:
    """Which rows b and unknowns a are multiplied by i, so that i^(a − b) f is real for all terms f; None where there are no such ones."""
    links: dict[int, list[tuple[int, bool]]] = {}
    for t in rows.terms:
        imaginary = bool(np.any(np.imag(t.factor)))
        if imaginary and np.any(np.real(t.factor)):
            return None
        field = -1 - rows.system.power(t.component, t.rate)[0]
        links.setdefault(t.row, []).append((field, imaginary))
        links.setdefault(field, []).append((t.row, imaginary))
    found: dict[int, bool] = {}
    for first in links:
        found.setdefault(first, False)
        left = [first]
        while left:
            here = left.pop()
            for other, turned in links[here]:
                if other not in found:
                    found[other] = found[here] ^ turned
                    left.append(other)
                elif found[other] != found[here] ^ turned:
                    return None
    count = range(len(rows.tests))
    return np.array([found.get(r, False) for r in count]), np.array([found.get(-1 - f, False) for f in count])
