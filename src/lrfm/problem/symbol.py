# SPDX-License-Identifier: MIT
"""Whether short waves grow without bound: the symbol of the linearized equations.

Insert u = û exp(λt + ik·x) with frozen coefficients: Σ_a c_a λ^{a_t} (ik)^{a_x} û = 0. A well-posed problem has Re λ bounded
for all k; Re λ → ∞ as |k| → ∞ (diffusion with the wrong sign, an equation that is elliptic in time) is Hadamard's
instability, which no solver can follow and no residual shows.

What counts is the principal part: growth that is a fixed part of |λ| for waves along an axis or across several of them. Lower terms
with coefficients that vary, such as 2a′u_xxx in (a u_xx)_xx, let a wave grow here and decay there; what counts is their mean over an
axis around which the wave travels for ever, and nothing between two faces, where a change of the unknown removes them.

**How many conditions a face needs** follows from the same polynomial: one for each wave that travels into the domain. Insert u = û exp(st + κx) and a large s > 0: what decays away from a face,
Re κ < 0 at a lower one, comes from it and has to be given there; what grows has to be given on the other face (Kreiss).

    u_t + a u_x = 0     κ = −s/a:    one at the inflow, none at the outflow
    u_t = u_xx          κ = ±√s:     one on either face
    u_t + u_xxx = 0     κ³ = −s:     one on the lower face, two on the upper one

    w_x = u, u_t = u_xx − w     κ ≈ −1/s for w: none, since it vanishes for large s: an integral, which begins at whichever face gives it

Only what is certain counts: roots that neither decay nor grow, or vanish for large s, are left out, as are waves that travel along the face.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from lrfm.problem.equation import Row
from lrfm.problem.jets import Jet

WAVES = 1e4  # waves across the box at which the asymptotics are read off,
MORE = 100.0  # and how many times more they are the second time
RELATIVE = 1e-5  # part of λ that must be real growth
KEPT = 0.05  # of this part for shorter waves: 1/√MORE or more is principal, 1/MORE a lower term
UNSTABLE = 100.0  # growth is e to this power within the time span,
RISES = 2.0  # and at MORE waves so many times as fast: λ ~ k^(1/6) does; that of a reaction is the same for all k, and bounded
ANGLES, CLOSER = 24, 12  # directions in the plane of two axes, and how often the best is improved
DAMPED = 0.3  # part of |λ| that is damping where short waves are forgotten
CANCELS = 0.1  # mean over the mean of absolute values below which a coefficient changes sign and cancels

Coefficients = Sequence[Mapping[Jet, np.ndarray]]  # of each row, at some points


def linearized(
    rows: Sequence[Row], points: np.ndarray, jets: Mapping[Jet, np.ndarray] | None, fields: Sequence[str]
) -> Coefficients:
    """∂F/∂(D^a u) of every row at points; `jets` are the values of the derivatives in nonlinear terms, which are left out without them.

    Of some fields only: short waves have no mean.
    """
    found = []
    for row in rows:
        _, total = row.affine(points)
        total = {jet: np.broadcast_to(c, (len(points),)) for jet, c in total.items()}
        if jets is not None and not row.linear:
            for jet, c in row.nonlinear(points, {j: jets[j] for j in row.nonlinear_jets}, False)[1].items():
                total[jet] = total.get(jet, 0.0) + np.broadcast_to(c, (len(points),))
        found.append({jet: c for jet, c in total.items() if jet.field in fields})
    return found


def distinct(coefficients: Coefficients) -> np.ndarray:
    """Points at which coefficients differ: where all are constant, the first one."""
    table = np.array([values for row in coefficients for values in row.values()])
    if np.all(table == table[:, :1]):
        return np.zeros(1, dtype=int)
    columns = np.ascontiguousarray(table.T) + 0.0  # −0 and 0 are the same
    first: dict[bytes, int] = {}
    for number, column in enumerate(columns):
        first.setdefault(column.tobytes(), number)
    return np.array(list(first.values()))


def unstable_direction(
    coefficients: Coefficients, fields: Sequence[str], lengths: np.ndarray, duration: float
) -> np.ndarray | None:
    """A direction, in waves across the box along each axis, whose shortest waves grow by the principal part; None if there is none."""
    if len(lengths) == len(fields) == len(coefficients) == 1 and _calm(coefficients[0], lengths[0], duration):
        return None
    for point in distinct(coefficients):
        here = [{jet: complex(values[point]) for jet, values in row.items()} for row in coefficients]
        if not all(np.isfinite(c) for row in here for c in row.values()):
            continue
        for direction in _directions(here, fields, lengths):
            first, part = _growth(here, fields, direction * WAVES / lengths)
            shorter, later = _growth(here, fields, direction * MORE * WAVES / lengths)
            rises = first * duration > UNSTABLE and shorter > RISES * first
            if rises and later > max(RELATIVE, KEPT * part):
                return direction
    return None


def _calm(row: Mapping[Jet, np.ndarray], length: float, duration: float) -> bool:
    """The same for one field of first order along one axis, at all points at once: whether λ = −Σ c_a (ik)^{a_x} / Σ b_a (ik)^{a_x} grows at none; b_a stand at rates."""
    if max(jet.index[-1] for jet in row) != 1:
        return False
    growths = []
    for waves in (WAVES, MORE * WAVES):
        k = 2j * np.pi * waves / length
        with np.errstate(all="ignore"):  # slopes may be infinite at the start, as those of a root
            parts = [
                sum(c * k ** jet.index[0] for jet, c in row.items() if jet.index[-1] == level)
                for level in (0, 1)
            ]
            rates = -np.asarray(parts[0]) / np.asarray(parts[1])
        if not np.all(np.isfinite(rates)):
            return False
        growths.append(np.maximum(np.real(rates), 0.0))
        share = growths[-1] / np.maximum(np.abs(rates), np.finfo(float).tiny)
        growths.append(share)
    first, part, shorter, later = growths
    rises = (first * duration > UNSTABLE) & (shorter > RISES * first)
    return not np.any(rises & (later > np.maximum(RELATIVE, KEPT * part)))


def forgets(coefficients: Coefficients, fields: Sequence[str], lengths: np.ndarray, duration: float) -> bool:
    """Whether all short waves are damped by the principal part, −Re λ ≥ c|λ|: diffusion, not waves, and no field that stays where it is."""
    for point in distinct(coefficients):
        here = [{jet: complex(values[point]) for jet, values in row.items()} for row in coefficients]
        if not all(np.isfinite(c) for row in here for c in row.values()):
            return False
        for direction in _directions(here, fields, lengths):
            rates = _eigenvalues(_polynomial(here, fields, 2.0 * np.pi * direction * WAVES / lengths))
            damping = -np.real(rates)
            if (
                not rates.size
                or np.any(damping < DAMPED * np.abs(rates))
                or damping.min() * duration < UNSTABLE
            ):
                return False
    return True


def unstable_on_average(
    coefficients: Coefficients, fields: Sequence[str], axis: int, lengths: np.ndarray, duration: float
) -> bool:
    """Whether waves that travel around an axis grow: coefficients are replaced by their means, those that cancel by zero."""
    mean = []
    for row in coefficients:
        means = {jet: (np.mean(values), np.mean(np.abs(values))) for jet, values in row.items()}
        mean.append({jet: complex(m) if abs(m) > CANCELS * size else 0j for jet, (m, size) in means.items()})
    if not all(np.isfinite(c) for row in mean for c in row.values()):
        return False
    direction = np.eye(len(lengths))[axis]
    first, _ = _growth(mean, fields, direction * WAVES / lengths)
    later, part = _growth(mean, fields, direction * MORE * WAVES / lengths)
    return bool(first * duration > UNSTABLE and later > 0.05 * MORE * first and part > 1e-12)


def _directions(
    here: Sequence[Mapping[Jet, complex]], fields: Sequence[str], lengths: np.ndarray
) -> list[np.ndarray]:
    """The axes; where derivatives mix them, or fields do, the direction of most growth in the plane of any two as well."""
    found = list(np.eye(len(lengths)))
    mixed = any(sum(n > 0 for n in jet.index[:-1]) > 1 for row in here for jet in row)
    for i, j in combinations(range(len(lengths)), 2) if mixed or len(fields) > 1 else ():
        plane = found[i], found[j]

        def growth(angle: float, plane: tuple[np.ndarray, np.ndarray] = plane) -> float:
            return _growth(here, fields, _turned(*plane, angle) * WAVES / lengths)[0]

        angles = np.pi * (np.arange(ANGLES) + 0.5) / ANGLES
        values = [growth(angle) for angle in angles]
        best, most, step = float(angles[int(np.argmax(values))]), max(values), np.pi / ANGLES
        for _ in range(CLOSER):
            step *= 0.5
            for angle in (best - step, best + step):
                if (value := growth(angle)) > most:
                    best, most = angle, value
        found.append(_turned(*plane, best))
    return found


def _turned(first: np.ndarray, second: np.ndarray, angle: float) -> np.ndarray:
    return np.cos(angle) * first + np.sin(angle) * second


def _growth(
    here: Sequence[Mapping[Jet, complex]], fields: Sequence[str], waves: np.ndarray
) -> tuple[float, float]:
    """The largest Re λ of a wave with so many waves per unit of length, and its part of |λ|; zeros where nothing grows."""
    rates = _eigenvalues(_polynomial(here, fields, 2.0 * np.pi * waves))
    rates = rates[np.isfinite(rates)]
    if not rates.size or not np.max(np.real(rates)) > 0:
        return 0.0, 0.0
    worst = rates[int(np.argmax(np.real(rates)))]
    return float(np.real(worst)), float(np.real(worst) / np.abs(worst))


def _polynomial(
    here: Sequence[Mapping[Jet, complex]], fields: Sequence[str], k: np.ndarray
) -> list[np.ndarray]:
    """Matrices A_m of Σ_m A_m λᵐ for a wave vector."""
    order = max(jet.index[-1] for row in here for jet in row)
    matrices = [np.zeros((len(here), len(fields)), dtype=complex) for _ in range(order + 1)]
    for r, row in enumerate(here):
        for jet, value in row.items():
            factor = value
            for n, wave in zip(jet.index[:-1], k, strict=True):
                factor = factor * (1, 1j, -1, -1j)[n % 4] * wave**n
            matrices[jet.index[-1]][r, fields.index(jet.field)] += factor
    return matrices


def _eigenvalues(matrices: list[np.ndarray]) -> np.ndarray:
    """Roots λ of det Σ A_m λᵐ = 0; fields without a time derivative are eliminated first."""
    *lower, top = matrices
    n, order = top.shape[0], len(lower)
    if top.shape[0] != top.shape[1] or order == 0:
        return np.zeros(0, dtype=complex)
    if n == order == 1 and top[0, 0] != 0:
        return -lower[0][0] / top[0]
    A, B = np.eye(n * order, k=n, dtype=complex), np.eye(n * order, dtype=complex)
    A[n * (order - 1) :] = -np.concatenate(lower, axis=1)
    B[n * (order - 1) :, n * (order - 1) :] = top
    free, constraint = np.abs(B).sum(axis=0) > 0, np.abs(B).sum(axis=1) == 0
    try:
        if not constraint.any():
            return np.linalg.eigvals(np.linalg.solve(B, A))
        held, moved, mass = A[constraint], A[~constraint], B[np.ix_(~constraint, free)]
        if not np.any(held[:, ~free]):
            # The constraints of a pressure p do not hold it:  C x = 0,  B x′ = F x + G p,  is  M B N ξ′ = M F N ξ  with  C N = 0,  M G = 0.
            inside, across = _null_space(held[:, free]), _null_space(moved[:, ~free].T).T
            mass, reduced = across @ mass @ inside, across @ moved[:, free] @ inside
        else:
            eliminated = np.linalg.solve(held[:, ~free], held[:, free])
            reduced = moved[:, free] - moved[:, ~free] @ eliminated
        return np.linalg.eigvals(np.linalg.solve(mass, reduced))
    except np.linalg.LinAlgError:
        return np.zeros(0, dtype=complex)


def _null_space(matrix: np.ndarray) -> np.ndarray:
    """Orthonormal columns N with A N = 0."""
    _, sizes, right = np.linalg.svd(matrix)
    return right[int(np.sum(sizes > INFINITE * sizes.max(initial=0.0))) :].conj().T


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
