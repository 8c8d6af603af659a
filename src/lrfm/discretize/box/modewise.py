# SPDX-License-Identifier: MIT
"""Matrices per mode:  (A v)_i(k) = Σ_j A_ij(k) v_j(k),  kept as the entries that are not zero; and functions of them.

Components that L does not couple are blocks of their own. A function of L is one of each block: of numbers where a block is one component.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.discretize.options import SERIES
from lrfm.linalg.phi import ORDERS, phi_matrices, phi_numbers

Entries = Mapping[tuple[int, int], np.ndarray]
Phis = list[np.ndarray]


def entries_of(matrices: np.ndarray, shape: Sequence[int]) -> dict[tuple[int, int], np.ndarray]:
    """The entries that are not zero of matrices (modes, rows, columns), real where they are."""
    found = {}
    for i in range(matrices.shape[1]):
        for j in range(matrices.shape[2]):
            own = matrices[:, i, j]
            if np.any(own):
                own = np.real(own) if not np.any(np.imag(own)) else own
                found[i, j] = np.ascontiguousarray(own).reshape(shape)
    return found


@dataclass(frozen=True)
class ModeMatrix:
    """A matrix per mode, by its entries; `diagonal` where these are all there is, (rows, *shape)."""

    rows: int
    entries: Entries
    diagonal: np.ndarray | None = None

    def __call__(self, v: np.ndarray) -> np.ndarray:
        """A v of coefficients (columns, *shape)."""
        if self.diagonal is not None:
            if self.doubled is not None and v.dtype == complex:
                # Real numbers times real and imaginary parts: half of the products, and nothing is converted.
                return (self.doubled * np.ascontiguousarray(v).view(float)).view(complex)
            return self.diagonal * v
        result = np.zeros((self.rows, *v.shape[1:]), dtype=v.dtype)
        for (i, j), entry in self.entries.items():
            result[i] += entry * v[j]
        return result

    @cached_property
    def doubled(self) -> np.ndarray | None:
        """A real diagonal, each number twice."""
        if self.diagonal is None or np.iscomplexobj(self.diagonal):
            return None
        return np.repeat(self.diagonal, 2, axis=-1)

    @property
    def size(self) -> int:
        """How many real numbers it is."""
        return sum(e.nbytes // 8 for e in self.entries.values())

    @staticmethod
    def of(rows: int, columns: int, entries: Entries) -> ModeMatrix:
        """Diagonal where it is square, and every row holds its own entry alone."""
        own = [entries.get((i, i)) for i in range(rows)]
        if rows == columns and len(entries) == rows and all(e is not None for e in own):
            return ModeMatrix(rows, entries, np.stack([e for e in own if e is not None]))
        return ModeMatrix(rows, entries)


@dataclass(frozen=True)
class RealDiagonal:
    """A real number for each mode and component, where coefficients are complex each twice: for real and imaginary parts side by side, which takes half of the products of complex numbers, and nothing is converted."""

    numbers: np.ndarray

    def __call__(self, v: np.ndarray) -> np.ndarray:
        """A v of coefficients."""
        return (self.numbers * np.ascontiguousarray(v).view(float)).view(v.dtype)

    @property
    def size(self) -> int:
        """How many real numbers are kept."""
        return self.numbers.nbytes // 8

    def astype(self, kind: type) -> RealDiagonal:
        """The same in other numbers."""
        return RealDiagonal(self.numbers.astype(kind, copy=False))


@dataclass(frozen=True)
class RealMatrix:
    """Real entries of a matrix for each mode, where coefficients are complex each number twice: as `RealDiagonal`, where components are coupled."""

    rows: int
    entries: Entries

    def __call__(self, v: np.ndarray) -> np.ndarray:
        """A v of coefficients."""
        return self.times(np.ascontiguousarray(v).view(float)).view(v.dtype)

    def times(self, reals: np.ndarray) -> np.ndarray:
        """The same of real and imaginary parts side by side."""
        result, begun = np.zeros((self.rows, *reals.shape[1:]), dtype=reals.dtype), set()
        for (i, j), entry in self.entries.items():
            if i in begun:
                result[i] += entry * reals[j]
            else:
                np.multiply(entry, reals[j], out=result[i])
                begun.add(i)
        return result

    @property
    def size(self) -> int:
        """How many real numbers are kept."""
        return sum(e.nbytes // 8 for e in self.entries.values())

    def astype(self, kind: type) -> RealMatrix:
        """The same in other numbers."""
        return RealMatrix(self.rows, {at: e.astype(kind, copy=False) for at, e in self.entries.items()})


def blocks_of(count: int, entries: Entries) -> list[list[int]]:
    """Components that are coupled by entries, in groups."""
    group = list(range(count))
    for i, j in entries:
        a, b = group[i], group[j]
        group = [a if g == b else g for g in group]
    return [[c for c in range(count) if group[c] == g] for g in dict.fromkeys(group)]


class Coupled:
    """Matrices (modes, m, m) of one block: by their eigenvectors where these are far enough from each other, else as they are."""

    def __init__(self, matrices: np.ndarray):
        self.matrices = matrices
        values, vectors = np.linalg.eig(matrices)
        self.plain = np.linalg.cond(vectors) < SERIES.apart
        self.values, self.vectors = values[self.plain], vectors[self.plain]
        self.inverses = np.linalg.inv(self.vectors)

    def phis(self, length: float, orders: int) -> Phis:
        """φ₀, φ₁, … of hL."""
        kind = self.matrices.dtype
        found = [np.empty(self.matrices.shape, dtype=kind) for _ in range(orders)]
        for f, own in zip(found, phi_numbers(length * self.values, orders), strict=True):
            whole = (self.vectors * own[:, None, :]) @ self.inverses
            f[self.plain] = whole if np.issubdtype(kind, np.complexfloating) else np.real(whole)
        rest = ~self.plain
        if rest.any():
            for f, own in zip(found, phi_matrices(length * self.matrices[rest]), strict=False):
                f[rest] = own
        return found


class LinearPart:
    """L of y′ = L y + N, and functions of hL."""

    def __init__(self, count: int, entries: Entries, shape: tuple[int, ...], kind: type = complex):
        self.count, self.entries, self.shape, self.kind = count, entries, shape, kind
        blocks = blocks_of(count, entries)
        self.alone = [b[0] for b in blocks if len(b) == 1]
        self.coupled = [b for b in blocks if len(b) > 1]
        zero = np.zeros(shape)
        numbers = [np.broadcast_to(entries.get((i, i), zero), shape) for i in self.alone]
        self.numbers = np.stack(numbers) if numbers else np.zeros((0, *shape))
        self.matrices = [Coupled(self._matrices(b)) for b in self.coupled]

    def _matrices(self, block: list[int]) -> np.ndarray:
        own = {key: e for key, e in self.entries.items() if key[0] in block}
        kind = complex if any(np.iscomplexobj(e) for e in own.values()) else float
        found = np.zeros((int(np.prod(self.shape)), len(block), len(block)), dtype=kind)
        for (i, j), e in own.items():
            found[:, block.index(i), block.index(j)] = np.broadcast_to(e, self.shape).ravel()
        return found

    def phis(self, length: float, orders: int = ORDERS) -> list[Phis]:
        """φ₀, φ₁, … of hL by block: numbers first, then matrices."""
        return [phi_numbers(length * self.numbers, orders), *(m.phis(length, orders) for m in self.matrices)]

    def combined(
        self, phis: Sequence[list[Phis]], formula: Callable[..., np.ndarray], less_one: bool = False
    ) -> ModeMatrix | RealDiagonal | RealMatrix:
        """A sum of φ functions, of one or of several lengths, as a matrix per mode, or this minus one."""
        parts = [formula(*own) for own in zip(*phis, strict=True)]
        if less_one:
            parts = [parts[0] - 1, *(part - np.eye(part.shape[-1]) for part in parts[1:])]
        if not self.coupled:
            if not np.iscomplexobj(parts[0]):
                return RealDiagonal(np.repeat(parts[0], 2, axis=-1) if self.kind is complex else parts[0])
            return ModeMatrix(self.count, {(c, c): parts[0][c] for c in range(self.count)}, parts[0])
        entries = {(c, c): parts[0][n] for n, c in enumerate(self.alone)}
        for block, part in zip(self.coupled, parts[1:], strict=True):
            own = entries_of(part, self.shape)
            entries |= {(block[i], block[j]): e for (i, j), e in own.items()}
        if not any(np.iscomplexobj(e) for e in entries.values()):
            twice = 2 if self.kind is complex else 1
            return RealMatrix(self.count, {at: np.repeat(e, twice, axis=-1) for at, e in entries.items()})
        return ModeMatrix(self.count, entries)
