# SPDX-License-Identifier: MIT
"""A(s) = Σ_p s^p B_p with sparse blocks. Where p ≤ 1, factors of A(σ) at σ = 16^k serve for all s, real or complex, with |s|/σ from 1/8 to 2:

    A(σ)⁻¹A(s) = (s/σ) I + (1 − s/σ) A(σ)⁻¹B₀,

whose eigenvalues lie between 1 and s/σ for a positive pencil, so that GMRES takes a dozen solutions with real factors (28 of which cost what the factors do). Three complex shifts of a step of Radau IIA cost one real factorization.
Where factors would cost more than iterations (`Multilevel`), GMRES is preconditioned by a cycle at the same σ instead.
What is solved so depends on s alone, not on what was solved before: an integration that goes on from a checkpoint takes the same steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lrfm.discretize.line.collocation import Pencil
from lrfm.discretize.options import PLANE, ROUNDING, SAFEGUARDS, Options
from lrfm.discretize.plane.blocks import in_blocks
from lrfm.linalg.alike import AlikeBlocks
from lrfm.linalg.banded import SingularError, Solve
from lrfm.linalg.chebyshev import spectral_range
from lrfm.linalg.deadline import check_deadline
from lrfm.linalg.multilevel import split
from lrfm.linalg.nearby import krylov, shared_krylov
from lrfm.linalg.sparse import factored

if TYPE_CHECKING:
    from lrfm.discretize.plane.galerkin import PlaneGalerkin


Residual = Callable[[Sequence[np.ndarray]], float]
Sides = Sequence[np.ndarray]


def by_columns(solve: Solve) -> Solve:
    """A solution of one right-hand side as one of several. (A function that calls itself is a cycle, and keeps its factors until cycles are looked for.)"""

    def columns(right: np.ndarray) -> np.ndarray:
        return solve(right) if right.ndim == 1 else np.column_stack([solve(column) for column in right.T])

    return columns


class SparsePencil(Pencil):
    """Linearized at one state."""

    _made: PlaneGalerkin  # pyright: ignore[reportIncompatibleVariableOverride]

    def __init__(self, discretization: PlaneGalerkin, values: Sequence[np.ndarray]):
        super().__init__(discretization, values)  # pyright: ignore[reportArgumentType]
        self._kept: dict[complex, Solve] = {}
        self._sparse: dict[int, Any] = {}
        self._cycled: dict[float, Solve] = {}
        self._own_step = 0.0  # the shift of the step that is being taken, where it has factors of its own

    @property
    def rate(self) -> float:
        """Where rows are linear and stay the same, that of GMRES: what it leaves in the norm of factors, with room for other norms."""
        system = self._made.system
        return PLANE.rate if system.linear and system.stationary else 1.0

    @property
    def _most(self) -> float:
        """All: those of a step are let go together."""
        return math.inf

    @property
    def matrices(self) -> list[Any]:
        """B_p for all p."""
        return [self.matrix(power) for power in range(len(self._values))]

    def matrix(self, power: int) -> Any:
        """B_p, without the zeros of the common pattern."""
        if power not in self._sparse:
            make = partial(self._without_zeros, power)
            self._sparse[power] = make() if power else self._made.inert_once("matrix", make)
        return self._sparse[power]

    def _without_zeros(self, power: int) -> Any:
        from scipy.sparse import csc_matrix

        made, values = self._made, self._values[power]
        if made.iterative:
            return made.multilevel.matrix(values)
        check_deadline()
        starts = np.searchsorted(made.columns, np.arange(made.size + 1))
        # Entries are by columns; those that are zero are left out, which is done in place.
        matrix = csc_matrix((values.copy(), made.rows.copy(), starts), shape=(made.size, made.size))
        matrix.eliminate_zeros()
        return matrix.tocsr()

    def apply(self, vector: np.ndarray, power: int) -> np.ndarray:
        """B_p v of the rows in which rates occur; zero in all others."""
        if power >= len(self._values):
            return np.zeros(self._made.size)
        return np.where(self._made.lowest == 0, self.matrix(power) @ vector, 0.0)

    def rates(self, right: np.ndarray) -> np.ndarray:
        """The limit s → 0: B₀ is block diagonal, the identity where fields have rates of their own."""
        return self._mass(right)

    @cached_property
    def _mass(self) -> Solve:
        return factored(self.matrix(0).tocsc())

    # Waves --------------------------------------------------------------------------------------------------

    @cached_property
    def _stiffness(self) -> AlikeBlocks:
        """G = B₀⁻¹B₂ in blocks, of fields of second order in time."""

        made = self._made
        block = made.fields * made.functions
        mass, stiff = (self.matrix(p).tobsr((block, block)) for p in (0, 2))
        cells = np.arange(made.mesh.size)
        own = np.zeros((len(cells), block, block))
        rows = np.repeat(cells, np.diff(mass.indptr))
        own[rows[rows == mass.indices]] = mass.data[rows == mass.indices]
        rows = np.repeat(cells, np.diff(stiff.indptr))
        found = np.matmul(np.linalg.inv(own)[rows], stiff.data)
        return AlikeBlocks(found, stiff.indptr, stiff.indices, ROUNDING.last)

    def turned(self, vectors: np.ndarray) -> np.ndarray:
        """Columns of coefficients in the coordinates in which G is applied: as they are, one column after the other."""
        return np.asfortranarray(vectors)

    def returned(self, vectors: np.ndarray) -> np.ndarray:
        """The other way round."""
        return vectors

    def acceleration(self, vectors: np.ndarray) -> np.ndarray:
        """G v."""
        check_deadline()  # polynomials of G are hundreds of products
        return self._stiffness @ vectors

    @cached_property
    def oscillations(self) -> tuple[float, float, float]:
        """The ends of the spectrum of G, and how far it is from real."""
        made = self._made
        shape = (made.fields, made.mesh.size, made.functions)
        return spectral_range(
            self.acceleration, made.gather(np.broadcast_to(made.shares[None, :, None], shape))
        )

    def explicit(self, products: float, shifts: int) -> bool:
        """Whether so many products of G with two columns take fewer operations than a step with factors of so many complex shifts, which serve no other: steps have any length."""
        made = self._made
        m, filled = made.fields * made.functions, made.filled.astype(float)
        direct = shifts * (8 * m**3 * np.sum(filled**2) + 16 * m**2 * np.sum(filled))
        return made.iterative or products * 4 * m**2 * len(made.block_rows) <= direct

    def at(self, shift: complex, kind: type = float) -> Solve:
        """The solution of A(s) z = r, by factors of a real shift nearby; by own ones where steps stay as they are."""
        return self._to(shift, ROUNDING.small)

    def roughly(self, shift: complex) -> Solve:
        """The same to two digits of what there was: by cycles, which need no factors, or by those of the step."""
        if self._own_step and 1 / PLANE.nearby <= np.real(shift) / self._own_step <= 2 * PLANE.nearby:
            return self._by(float(np.real(shift)), self._own_step, Options.minor**2)
        # The step itself has made its factors of own shifts by then.
        if not self._made.cycled or np.real(shift) <= 0 or shift in self._kept:
            return self._to(shift, Options.minor**2)
        near = abs(shift) if self._own(shift) else self._near(abs(shift))
        return self._iterated(shift, self._cycle(near), Options.minor**2)

    def together(self, shifts: Sequence[complex], needed: Callable[[np.ndarray], float]) -> Solve:
        """The solutions of A(s_k) z_k = r_k for several shifts, as a function of r (shifts, n); those with factors in common share iterations."""
        if any(self._own(shift) for shift in shifts):
            solves = [self.at(shift) for shift in shifts]
            return lambda right: np.stack(
                [
                    solve(r if np.imag(s) else np.ascontiguousarray(np.real(r)))
                    for s, solve, r in zip(shifts, solves, right, strict=True)
                ]
            )

        def residual(firsts: Sequence[np.ndarray]) -> float:
            """What factors, or a cycle, of another shift make of the right sides is of the size of the solutions."""
            wanted = Options.minor / PLANE.nearby * needed(np.stack(firsts))
            return min(max(ROUNDING.small, wanted), Options.minor**2)

        one = self._each if self._made.iterative else self._shared
        return lambda right: one(
            shifts, [r if np.imag(s) else np.real(r) for s, r in zip(shifts, right, strict=True)], residual
        )

    def _each(self, shifts: Sequence[complex], right: Sides, residual: Residual) -> np.ndarray:
        """One after the other, with cycles of the shift in their middle: the largest is less than twice the least."""
        lowest = self._made.lowest.astype(float)
        cycle = self._cycle(float(np.exp(np.mean(np.log(np.abs(shifts))))))
        firsts = [split(cycle, s**-lowest * r) for s, r in zip(shifts, right, strict=True)]
        solves = [self._iterated(shift, cycle, residual(firsts)) for shift in shifts]
        return np.stack([solve(r) for solve, r in zip(solves, right, strict=True)])

    def _shared(self, shifts: Sequence[complex], right: Sides, residual: Residual) -> np.ndarray:
        """All from one Krylov space, by factors of a shift nearby."""
        near = self._near(max(abs(shift) for shift in shifts))
        known, lowest = self._factored(near), self._made.lowest.astype(float)
        sides = [near**lowest * (s**-lowest * r) for s, r in zip(shifts, right, strict=True)]
        parts = [p for r in sides for p in ((r.real, r.imag) if np.iscomplexobj(r) else (r,))]
        columns = iter(known(np.column_stack(parts)).T)
        firsts = [next(columns) + 1j * next(columns) if np.iscomplexobj(r) else next(columns) for r in sides]
        back = (near**lowest)[:, None]
        found, done = shared_krylov(
            lambda v: known(back * self._rates_of(v)),
            firsts,
            [s / near for s in shifts],
            residual(firsts),
            SAFEGUARDS.krylov,
        )
        return np.stack(found if done else [self.at(s)(r) for s, r in zip(shifts, right, strict=True)])

    def _own(self, shift: complex) -> bool:
        """Whether a shift has factors of its own."""
        return self._made.system.undamped or len(self._values) > 2 or np.real(shift) <= 0

    @staticmethod
    def _near(size: float) -> float:
        """The real shift whose factors serve: larger ones do it better than smaller ones, s/σ from 2/16 to 2."""
        return float(PLANE.nearby ** np.ceil(np.log(size / 2) / np.log(PLANE.nearby)))

    def _to(self, shift: complex, residual: float) -> Solve:
        shift = complex(shift) if np.imag(shift) else float(np.real(shift))
        iterative = self._made.iterative
        if self._own(shift):
            return (
                self._iterated(shift, self._cycle(abs(shift)), residual)
                if iterative
                else self._factored(shift)
            )
        near = self._near(abs(shift))
        return (
            self._iterated(shift, self._cycle(near), residual)
            if iterative
            else self._by(shift, near, residual)
        )

    def factored(self, shift: float, kind: type = float) -> Solve:
        """The solution of A(σ) z = r by factors of this shift in some precision, or to rounding by iterations."""
        if not self._made.iterative:
            self._own_step = shift
            return self._factored(shift, kind)
        return self._iterated(shift, self._cycle(shift), ROUNDING.iterated)

    def _factored(self, shift: complex, kind: type = float) -> Solve:
        """Factors, of which a few are kept."""
        if shift not in self._kept:
            self._factors.clear()
            made = super().at(shift, kind)
            self._kept = dict([*self._kept.items()][1 - SAFEGUARDS.factors :]) | {shift: made}
        return self._kept[shift]

    def _rates_of(self, vector: np.ndarray) -> np.ndarray:
        """B₀ v."""
        return self.matrix(0) @ vector

    @cached_property
    def _blocks(self) -> list[np.ndarray]:
        """B_p as dense blocks between cells."""
        return [in_blocks(self._made, values) for values in self._values]

    def _cycle(self, near: float) -> Solve:
        """One cycle over degrees with A(σ), of which a few are kept."""
        if near not in self._cycled:
            total = np.zeros_like(self._blocks[0])
            for p, blocks in enumerate(self._blocks):
                check_deadline()
                total += near**p * blocks
            found = self._made.multilevel.cycle(total)
            self._cycled = dict([*self._cycled.items()][1 - SAFEGUARDS.factors :]) | {near: found}
        return self._cycled[near]

    def _by(self, shift: complex, near: float, residual: float) -> Solve:
        known = self._factored(near)
        lowest = self._made.lowest.astype(float)
        # The factors know the rows of their own shift.
        scale, back, ratio = shift**-lowest, near**lowest, shift / near
        nearby = lambda right: split(known, back * right)  # noqa: E731

        def solve(right: np.ndarray) -> np.ndarray:
            wanted = (scale * right).astype(type(shift))
            apply = lambda v: ratio * v + (1 - ratio) * nearby(self._rates_of(v))  # noqa: E731
            found, count = krylov(apply, nearby(wanted), residual, SAFEGUARDS.krylov)
            return found if count < SAFEGUARDS.krylov else self._factored(shift)(right)

        return by_columns(solve)

    def _iterated(self, shift: complex, cycle: Solve, residual: float) -> Solve:
        """The same without factors."""
        scale = shift ** -self._made.lowest.astype(float)

        def apply(vector: np.ndarray) -> np.ndarray:
            # A real matrix times a complex vector would be made complex each time.
            terms = [shift**p * split(lambda v, b=b: b @ v, vector) for p, b in enumerate(self.matrices)]
            return split(cycle, np.sum(terms, axis=0))

        def solve(right: np.ndarray) -> np.ndarray:
            first = split(cycle, (scale * right).astype(type(shift)))
            found, count = krylov(apply, first, residual, 2 * SAFEGUARDS.krylov)
            if count < 2 * SAFEGUARDS.krylov:
                return found
            if self._made.iterative:
                raise SingularError("Iterations with the sparse matrix do not converge.")
            return self._to(shift, residual)(right)

        return by_columns(solve)
