# SPDX-License-Identifier: MIT
"""Sparse Householder QR of a matrix in blocks of columns, front by front.

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
from scipy.linalg import lapack, solve_triangular

from lrfm.linalg.base import Fit, column_norms
from lrfm.linalg.column_groups import ColumnBlocks
from lrfm.linalg.fronts import Front, Structure, analyze
from lrfm.linalg.threads import limited_to, pools

EPS = np.finfo(float).eps
STRIP = (
    512  # columns updated at once: the temporary stays small beside the front, and threads share the strips
)
KEPT_BYTES = 2**29  # reflections that may be kept for a later step
Panel = tuple[int, int, np.ndarray, np.ndarray]  # top, bottom, V, T


@dataclass
class _Reduced:
    """What a front leaves: R₁₁ and R₁₂ side by side with the right-hand sides, C for the parent, and its reflections."""

    top: np.ndarray
    rest: np.ndarray | None
    panels: list[Panel]


class BlockFactored:
    """A D = Q R kept for many right-hand sides; D makes columns of norm one, ρ√n I is the ridge below."""

    def __init__(self, core: _Elimination, fronts: list[_Reduced]):
        self._core, self._fronts = core, fronts

    def solve(self, b: np.ndarray) -> Fit:
        """argmin ‖A c − b‖."""
        return self._core.finish(self._core.forward(self._fronts, b), b)


def factor_blocks(A: ColumnBlocks, ridge: float) -> BlockFactored:
    """Factor once, for many right-hand sides."""
    core = _Elimination(A, ridge)
    return BlockFactored(core, core.run(None, keep=True))


def solve_blocks(A: ColumnBlocks, b: np.ndarray, ridge: float) -> Fit:
    """argmin ‖A c − b‖; Q is handed on with the answer where it is small enough to be kept."""
    core = _Elimination(A, ridge)
    keep = core.structure.kept_bytes <= KEPT_BYTES
    done = core.run(b, keep)
    fit = core.finish(done, b)
    return replace(fit, factored=BlockFactored(core, done)) if keep else fit


class _Elimination:
    def __init__(self, A: ColumnBlocks, ridge: float):
        self.A, self.ridge = A, ridge * np.sqrt(A.shape[1])
        self.structure: Structure = analyze(A, ridge > 0)
        self.scales = [column_norms(block.values) for block in A.blocks]

    def run(self, b: np.ndarray | None, keep: bool) -> list[_Reduced]:
        """Reduce all fronts, with the right-hand side as one more column if there is one."""
        done: list[_Reduced] = []
        # Threads share the strips of a front, and BLAS has one in each: its own wait for each other on products as narrow as a panel.
        count = max((int(pool["num_threads"]) for pool in pools()), default=1)
        with limited_to(1), ThreadPoolExecutor(count) as workers:
            for front in self.structure.fronts:
                reduced = _reduce(front, self._fill(front, done, b), keep, workers.map if count > 1 else map)
                for *_, child, _ in front.passed:
                    done[child].rest = None  # it has been used
                done.append(reduced)
        return done

    def _fill(self, front: Front, done: list[_Reduced], b: np.ndarray | None) -> np.ndarray:
        extra = 0 if b is None else 1
        F = np.zeros((front.height, front.width + extra), order="F")
        fronts, structure = self.structure.fronts, self.structure
        for first, last, group in front.rows:
            rows = structure.groups[group]
            for number in structure.sets[group]:
                block = self.A.blocks[number]
                here = np.searchsorted(block.rows, rows)
                F[first:last, front.columns[number]] = block.values[here] / self.scales[number]
            if extra:
                F[first:last, -1] = b[rows]
        for first, last, child, top in front.passed:
            below, rest = fronts[child], done[child].rest
            run = slice(top, top + last - first)
            for number, where in below.columns.items():
                if where.start >= below.own:
                    source = rest[run, where.start - below.own : where.stop - below.own]
                    F[first:last, front.columns[number]] = source
            if extra:
                F[first:last, -1] = rest[run, -1]
        for first, column, count in front.ridge:
            numbers = np.arange(count)
            F[first + numbers, column + numbers] = self.ridge
        return F

    def forward(self, fronts: list[_Reduced], b: np.ndarray) -> list[_Reduced]:
        """Qᵀb, front by front, beside the R of the factorization."""
        done: list[_Reduced] = []
        for front, kept in zip(self.structure.fronts, fronts, strict=True):
            z = np.zeros((front.height, 1))
            for first, last, group in front.rows:
                z[first:last, 0] = b[self.structure.groups[group]]
            for first, last, child, top in front.passed:
                z[first:last] = done[child].rest[top : top + last - first]
            for top, bottom, V, T in kept.panels:
                z[top:bottom] -= V @ (T.T @ (V.T @ z[top:bottom]))
            R = kept.top[:, : front.width]  # a right-hand side of then may stand beside it
            done.append(_Reduced(np.hstack([R, z[: front.own]]), z[front.own :], []))
        return done

    def finish(self, done: list[_Reduced], b: np.ndarray) -> Fit:
        """Back substitution from the last front to the first."""
        parts: dict[int, np.ndarray] = {}
        rank = 0
        for front, reduced in zip(reversed(self.structure.fronts), reversed(done), strict=True):
            own, R = front.own, reduced.top
            z = R[:, -1].copy()
            for number, where in front.columns.items():
                if where.start >= own:
                    z -= R[:, where] @ parts[number]
            rank += int(np.count_nonzero(np.abs(np.diag(R)) > self.A.shape[1] * EPS))
            y = _triangle(R[:, :own], z)
            parts |= {n: y[w] for n, w in front.columns.items() if w.stop <= own}
        c = np.empty(self.A.shape[1])
        for number, block in enumerate(self.A.blocks):
            c[block.columns] = parts[number] / self.scales[number]
        return Fit(c, float(np.linalg.norm(self.A @ c - b)), rank)


def _reduce(front: Front, F: np.ndarray, keep: bool, each: Callable = map) -> _Reduced:
    panels = []
    for a, b, top, bottom in front.panels:
        # LAPACK's recursive panel: level 3 throughout, and T comes with it.
        size = min(b - a, bottom - top)
        Q, T, _ = lapack.dgeqrt(size, F[top:bottom, a:b])
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
    rest = F[front.own : last, front.own :].copy(order="F") if front.left else None
    if len(F) < front.own:
        raise ValueError(SINGULAR)
    return _Reduced(F[: front.own].copy(order="F"), rest, panels)


SINGULAR = "The least-squares matrix is exactly singular; use a positive `ridge` or `TruncatedSVD()`."


def _triangle(R: np.ndarray, z: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        try:
            y = solve_triangular(R, z, check_finite=False)
        except np.linalg.LinAlgError:
            raise ValueError(SINGULAR) from None
    if not np.isfinite(y).all():
        raise ValueError(SINGULAR)
    return y
