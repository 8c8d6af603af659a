# SPDX-License-Identifier: MIT
"""How many conditions a face needs: one for each wave that travels into the domain.

Insert u = û exp(st + κx) with frozen coefficients and a large s > 0: det Σ_a c_a s^{a_t} κ^{a_x} = 0. What decays away from a face,
Re κ < 0 at a lower one, comes from it and has to be given there; what grows has to be given on the other face (Kreiss).

    u_t + a u_x = 0     κ = −s/a:    one at the inflow, none at the outflow
    u_t = u_xx          κ = ±√s:     one on either face
    u_t + u_xxx = 0     κ³ = −s:     one on the lower face, two on the upper one

    w_x = u, u_t = u_xx − w     κ ≈ −1/s for w: none, since it vanishes for large s: an integral, which begins at whichever face gives it

Only what is certain counts: roots that neither decay nor grow, or vanish for large s, are left out, as are waves that travel along the face.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrfm.problem.symbol import Coefficients, distinct

FAST = 1e3  # s times the time span
FASTER, VANISHES = (
    100.0,
    0.1,
)  # a larger s, and what is left of a root there that vanishes: others grow, or stay
SCALE = 30.0  # κ times the length of the axis is of this size
DECAYS = 1e-6  # part of |κ| that must be real
SHIFT = 0.37 + 0.61j  # no root of any equation but by chance
INFINITE, ZERO = 1e-12, 1e-9  # 1/κ and κ that are rounding
WEAK = 1e-6  # part of its largest value below which a coefficient is taken for zero


def needed_at(
    rows: Coefficients, fields: Sequence[str], axis: int, length: float, duration: float, count: int
) -> list[tuple[int, int]]:
    """Conditions needed on the lower and the upper face for coefficients at the first so many of several points; equal ones are counted once.

    Points inside are to be among the others: what is small compared with the coefficients there is zero on a face, not an inflow.
    """
    at = distinct([{jet: c[:count] for jet, c in row.items()} for row in rows])
    weak = [{jet: np.abs(c) > WEAK * np.abs(c).max() for jet, c in row.items()} for row in rows]
    here = [
        {jet: np.where(large[jet], c, 0.0)[at] for jet, c in row.items()}
        for row, large in zip(rows, weak, strict=True)
    ]
    found = _needed(here, fields, axis, length, duration, len(at))
    if len(at) == 1:
        return found * count
    table = np.stack([c[:count] for row in rows for c in row.values()], axis=1) + 0.0
    known = {table[i].tobytes(): pair for i, pair in zip(at, found, strict=True)}
    return [known[own.tobytes()] for own in table]


def _needed(
    here: Coefficients, fields: Sequence[str], axis: int, length: float, duration: float, count: int
) -> list[tuple[int, int]]:
    """The same at so many points, all of which count; matrices of all of them at once."""
    degree = max((jet.index[axis] for row in here for jet in row), default=0)
    if degree == 0 or len(here) != len(fields):
        return [(0, 0)] * count
    fine, found = np.ones(count, dtype=bool), []
    for s in (FAST / duration, FASTER * FAST / duration):
        matrices = _matrices(here, fields, axis, degree, s, SCALE / length, count)
        scale = np.abs(matrices).max(axis=(1, 3), keepdims=True)
        fine &= np.all(np.isfinite(matrices), axis=(1, 2, 3)) & np.all(scale > 0, axis=(1, 2, 3))
        with np.errstate(all="ignore"):
            scaled = matrices / scale
        scaled[~fine] = np.eye(len(fields))
        found.append(_roots(scaled))
    return _counted(found[0], found[1], fine)


def _counted(roots: np.ndarray, faster: np.ndarray, fine: np.ndarray) -> list[tuple[int, int]]:
    """How many roots (points, at most so many, zero for those that are none) decay, and how many grow, away from a lower face; `faster` are those of a larger s."""
    order = np.argsort(np.abs(roots), axis=1)
    roots, faster = np.take_along_axis(roots, order, axis=1), np.sort(np.abs(faster), axis=1)
    size = np.abs(roots)
    # Those that are missing for the larger s have become zero.
    fewer = np.sum(faster > 0, axis=1) <= np.sum(size > 0, axis=1)
    stays = (size > 0) & ((faster > VANISHES * size) | ~fewer[:, None])
    real = np.real(roots)
    certain = stays & (np.abs(real) > DECAYS * size) & fine[:, None]
    decay, grow = (np.sum(certain & sign, axis=1).tolist() for sign in (real < 0, real > 0))
    return list(zip(decay, grow, strict=True))


def _matrices(
    here: Coefficients, fields: Sequence[str], axis: int, degree: int, s: float, k: float, count: int
) -> np.ndarray:
    """A_n of Σ_n κⁿ A_n, κ in units of k: (points, degree + 1, rows, fields)."""
    matrices = np.zeros((count, degree + 1, len(fields), len(fields)))
    for r, row in enumerate(here):
        for jet, value in row.items():
            n = jet.index[axis]
            if sum(jet.index[:-1]) == n:
                matrices[:, n, r, fields.index(jet.field)] += value * s ** jet.index[-1] * k**n
    return matrices


def _roots(matrices: np.ndarray) -> np.ndarray:
    """Finite roots κ ≠ 0 of det Σ_n κⁿ A_n = 0, of each of several points; zero in the place of others."""
    count, degree, size = len(matrices), matrices.shape[1] - 1, matrices.shape[2]
    left = np.zeros((count, degree * size, degree * size))
    right = np.broadcast_to(np.eye(degree * size), left.shape).copy()
    left[:, : (degree - 1) * size, size:] = np.eye((degree - 1) * size)
    left[:, (degree - 1) * size :] = -np.concatenate([matrices[:, n] for n in range(degree)], axis=2)
    right[:, (degree - 1) * size :, (degree - 1) * size :] = matrices[:, -1]
    try:
        # κ = SHIFT + 1/μ: what is infinite becomes zero.
        inverse = np.linalg.eigvals(np.linalg.solve(left - SHIFT * right, right + 0j))
    except np.linalg.LinAlgError:
        if count > 1:
            return np.concatenate([_roots(one[None]) for one in matrices])
        return np.zeros(
            (1, degree * size), dtype=complex
        )  # the equations do not determine all fields at a point
    finite = np.abs(inverse) > INFINITE
    roots = np.where(finite, SHIFT + 1.0 / np.where(finite, inverse, 1.0), 0.0)
    return np.where(np.abs(roots) > ZERO, roots, 0.0)
