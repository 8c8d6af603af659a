# SPDX-License-Identifier: MIT
"""Sparse Householder QR of a matrix in column groups, front by front.

    front = Q [R₁₁ R₁₂; 0 C],   R₁₁ c_own + R₁₂ c_border = z,   C goes to the parent

Every front is a dense matrix reduced panel by panel in compact WY form, Q = I − V T Vᵀ (Schreiber and Van Loan 1989), each
panel on the rows that have begun by then. The whole is a product of Householder reflections, as backward stable as a dense QR, and
no matrix larger than the largest front is formed.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from lrfm.linalg.deadline import check_deadline
from lrfm.linalg.lapack import dgeqrt
from lrfm.linalg.threads import allowed, limited_to
from lrfm.spacetime.least_squares.base import Fit, column_norms
from lrfm.spacetime.least_squares.column_groups import GroupedMatrix
from lrfm.spacetime.least_squares.fronts import Front, Structure, analyze

EPS = np.finfo(float).eps
STRIP = (
    512  # columns updated at once: the temporary stays small beside the front, and threads share the strips
)
KEPT_BYTES = 2**29  # reflections that may be kept for a later step
NOTHING = np.zeros((0, 0))
Panel = tuple[int, int, np.ndarray, np.ndarray]  # top, bottom, V, T


@dataclass
class _Reduced:
    """What a front leaves: R₁₁ and R₁₂ side by side, z = Qᵀb beside them, C for the parent, and its reflections."""

    R: np.ndarray
    z: np.ndarray
    rest: np.ndarray
    panels: list[Panel]


class FrontalFactorization:
    """A D = Q R kept for many right-hand sides; D makes columns of norm one, ρ√n I is the ridge below."""

    def __init__(self, core: _Elimination, fronts: list[_Reduced]):
        self._core, self._fronts = core, fronts

    def solve(self, b: np.ndarray) -> Fit:
        """argmin ‖A c − b‖, for b of shape (m,) or (m, k)."""
        return self._core.finish(self._fronts, self._core.forward(self._fronts, b), b)


def factor_grouped(A: GroupedMatrix, ridge: float) -> FrontalFactorization:
    """Factor once, for many right-hand sides."""
    core = _Elimination(A, ridge)
    return FrontalFactorization(core, core.run(None, keep=True))


def solve_grouped(A: GroupedMatrix, b: np.ndarray, ridge: float) -> Fit:
    """argmin ‖A c − b‖; Q is handed on with the answer where it is small enough to be kept."""
    core = _Elimination(A, ridge)
    keep = core.structure.kept_bytes <= KEPT_BYTES
    done = core.run(b, keep)
    fit = core.finish(done, [reduced.z for reduced in done], b)
    return replace(fit, factored=FrontalFactorization(core, done)) if keep else fit


class _Elimination:
    def __init__(self, A: GroupedMatrix, ridge: float):
        self.A, self.ridge = A, ridge * np.sqrt(A.shape[1])
        self.structure: Structure = analyze(A, ridge > 0)
        self.scales = [column_norms(group.values) for group in A.groups]

    def run(self, b: np.ndarray | None, keep: bool) -> list[_Reduced]:
        """Reduce all fronts, with the right-hand side as one more column if there is one."""
        done: list[_Reduced] = []
        # Threads share the strips of a front, and BLAS has one in each: its own wait for each other on products as narrow as a panel.
        count = allowed()
        with limited_to(1), ThreadPoolExecutor(count) as workers:
            for front in self.structure.fronts:
                check_deadline()
                reduced = _reduce(front, self._fill(front, done, b), keep, workers.map if count > 1 else map)
                for *_, child, _ in front.passed:
                    done[child].rest = NOTHING  # it has been used
                done.append(reduced)
        return done

    def _fill(self, front: Front, done: list[_Reduced], b: np.ndarray | None) -> np.ndarray:
        F = np.zeros((front.height, front.width + (b is not None)), order="F")
        fronts, structure = self.structure.fronts, self.structure
        for first, last, bundle in front.rows:
            rows = structure.bundles[bundle]
            for number in structure.sets[bundle]:
                group = self.A.groups[number]
                here = np.searchsorted(np.asarray(group.rows), rows)
                F[first:last, front.columns[number]] = group.values[here] / self.scales[number]
            if b is not None:
                F[first:last, -1] = b[rows]
        for first, last, child, top in front.passed:
            below, rest = fronts[child], done[child].rest
            run = slice(top, top + last - first)
            for number, where in below.columns.items():
                if where.start >= below.own:
                    source = rest[run, where.start - below.own : where.stop - below.own]
                    F[first:last, front.columns[number]] = source
            if b is not None:
                F[first:last, -1] = rest[run, -1]
        for first, last, column in front.ridge:
            numbers = np.arange(last - first)
            F[first + numbers, column + numbers] = self.ridge
        return F

    def forward(self, fronts: list[_Reduced], b: np.ndarray) -> list[np.ndarray]:
        """Qᵀb, front by front; b may have several columns."""
        done, rests = [], []
        for front, kept in zip(self.structure.fronts, fronts, strict=True):
            z = np.zeros((front.height, *b.shape[1:]))
            for first, last, bundle in front.rows:
                z[first:last] = b[self.structure.bundles[bundle]]
            for first, last, child, top in front.passed:
                z[first:last] = rests[child][top : top + last - first]
            for top, bottom, V, T in kept.panels:
                z[top:bottom] -= V @ (T.T @ (V.T @ z[top:bottom]))
            done.append(z[: front.own])
            rests.append(z[front.own :])
        return done

    def finish(self, fronts: list[_Reduced], sides: list[np.ndarray], b: np.ndarray) -> Fit:
        """Back substitution from the last front to the first."""
        parts: dict[int, np.ndarray] = {}
        rank, n = 0, self.A.shape[1]
        for number in reversed(range(len(fronts))):
            front, R, z = self.structure.fronts[number], fronts[number].R, sides[number].copy()
            for group, where in front.columns.items():
                if where.start >= front.own:
                    z -= R[:, where] @ parts[group]
            rank += int(np.count_nonzero(np.abs(np.diag(R)) > n * EPS))
            y = _triangle(R[:, : front.own], z)
            parts |= {group: y[where] for group, where in front.columns.items() if where.stop <= front.own}
        c = np.empty((n, *b.shape[1:]))
        for number, group in enumerate(self.A.groups):
            c[group.columns] = (parts[number].T / self.scales[number]).T
        return Fit(c, np.linalg.norm(self.A @ c - b, axis=0), rank)


def _reduce(front: Front, F: np.ndarray, keep: bool, each: Callable = map) -> _Reduced:
    panels = []
    for a, b, top, bottom in front.panels:
        # LAPACK's recursive panel: level 3 throughout, and T comes with it.
        size = min(b - a, bottom - top)
        Q, T, _ = dgeqrt(size, F[top:bottom, a:b])
        V = np.tril(Q[:, :size], -1)
        V[np.arange(size), np.arange(size)] = 1.0
        F[top : top + size, a:b] = np.triu(Q[:size])
        F[top + size : bottom, a:b] = 0.0
        T = np.triu(T[:, :size])

        def update(first: int, V=V, T=T, rows=slice(top, bottom)) -> None:
            strip = F[rows, first : first + STRIP]
            strip -= V @ (T.T @ (V.T @ strip))

        strips = range(b, F.shape[1], STRIP)
        list((each if len(strips) > 1 else map)(update, strips))
        if keep:
            panels.append((top, bottom, V, T))
    last = front.left[-1][2] + front.own if front.left else front.own
    rest = F[front.own : last, front.own :].copy(order="F") if front.left else NOTHING
    if len(F) < front.own:
        raise ValueError(SINGULAR)
    top = F[: front.own].copy(order="F")
    return _Reduced(top[:, : front.width], top[:, -1], rest, panels)


SINGULAR = "The least-squares matrix is exactly singular; use a positive `ridge` or `TruncatedSVD()`."


def _triangle(R: np.ndarray, z: np.ndarray) -> np.ndarray:
    from scipy.linalg import solve_triangular  # takes 0.2 s, and few solves need it

    with np.errstate(all="ignore"):
        try:
            y = solve_triangular(R, z, check_finite=False)
        except np.linalg.LinAlgError:
            raise ValueError(SINGULAR) from None
    if not np.isfinite(y).all():
        raise ValueError(SINGULAR)
    return y
