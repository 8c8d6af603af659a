# SPDX-License-Identifier: MIT
"""û_k' = λ_k û_k + N̂_k(û): Fourier series in space, exponential Chebyshev collocation in time.

On one panel [t₀, t₀ + h] the variation-of-constants formula

    û(t) = e^{λ(t-t₀)} û(t₀) + ∫ e^{λ(t-s)} N̂(û(s)) ds

is applied with N̂ replaced by its interpolant at Chebyshev points; the linear part is exact, so stiffness is
free. Values at these points give the solution at any time. Modes and panels are doubled until the tails of
both expansions are at rounding level. Zero Neumann (Dirichlet) data are even (odd) periodic data on the
doubled box, so the same machinery serves them.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lrfm.catalog.series import NODES, Series, chebyshev, lagrange
from lrfm.linalg.deadline import check_deadline

SPACE_TAIL = 1e-13  # largest admitted relative size of the last modes before the two-thirds filter
TIME_TAIL = 1e-13  # largest admitted relative size of the last Chebyshev coefficients in time
MAX_MODES = 2**14
MAX_PANELS = 2**10
MAX_QUADRATURE = 1000


class Unresolved(RuntimeError):
    """A reference solution was not resolved to rounding level."""


@dataclass(frozen=True)
class PeriodicGrid:
    """Equispaced points of a periodic box, its wave numbers and the filtered transforms between the two."""

    lower: tuple[float, ...]
    lengths: tuple[float, ...]
    modes: int
    k: tuple[NDArray, ...] = field(init=False, repr=False)
    mask: NDArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        integers = np.fft.fftfreq(self.modes, 1 / self.modes)
        dimension = len(self.lengths)
        shapes = [tuple(-1 if i == j else 1 for j in range(dimension)) for i in range(dimension)]
        k = tuple(
            (2 * np.pi / length * integers).reshape(s) for length, s in zip(self.lengths, shapes, strict=True)
        )
        # Two-thirds rule: quadratic products of kept modes do not alias into kept modes.
        kept = [(np.abs(integers) < self.modes / 3).reshape(s) for s in shapes]
        object.__setattr__(self, "k", k)
        object.__setattr__(self, "mask", functools.reduce(np.logical_and, kept))

    @property
    def axes(self) -> tuple[int, ...]:
        return tuple(range(-len(self.lengths), 0))

    def points(self) -> tuple[NDArray, ...]:
        steps = np.arange(self.modes) / self.modes
        ends = zip(self.lower, self.lengths, strict=True)
        return np.meshgrid(*(low + length * steps for low, length in ends), indexing="ij")

    def values(self, hat: NDArray) -> NDArray:
        return np.fft.ifftn(hat, axes=self.axes)

    def hat(self, values: NDArray) -> NDArray:
        return np.fft.fftn(values, axes=self.axes) * self.mask


def panel_weights(z: NDArray) -> tuple[NDArray, NDArray]:
    """e^{z c_j} and ∫₀^{c_j} e^{z(c_j - s)} ℓ_m(s) ds for every mode z = λh, by Gauss-Legendre quadrature.

    Quadrature has no cancellation at small z, unlike the recurrences of the φ functions. The substitution
    c - s = c g² gathers points at s = c, where e^{z(c - s)} has a layer when z is large and negative.
    """
    points, _ = chebyshev()
    flat = z.reshape(-1)
    size = int(np.abs(np.imag(flat)).max() + 12 * np.abs(flat).max() ** 0.25) + 40
    if size > MAX_QUADRATURE:
        raise Unresolved("the linear part turns too often within one time panel; use more panels")
    gauss, weight = np.polynomial.legendre.leggauss(size)
    gauss = 0.5 + 0.5 * gauss
    past, weight = gauss**2, weight * gauss
    table = np.zeros((NODES, NODES, flat.size), dtype=complex)
    for j, c in enumerate(points[1:], start=1):
        decay = np.exp(np.outer(c * past, flat))
        table[j] = (lagrange(c * (1 - past)) * (c * weight)[:, None]).T @ decay
    shape = (NODES,) + (1,) * z.ndim
    return np.exp(points.reshape(shape) * z), table.reshape(NODES, NODES, *z.shape)


def _march(rate: NDArray, nonlinear: Callable, start: NDArray, h: float, panels: int) -> NDArray:
    """All panels one after the other: (panels, nodes, unknowns, K, ..., K)."""
    decay, weights = panel_weights(rate * h)
    history = np.empty((panels, *decay.shape), dtype=complex)

    def integral(now: NDArray) -> NDArray:
        return h * np.einsum("jm...,m...->j...", weights, nonlinear(now))

    # A panel that is too long may overflow before it is given up.
    with np.errstate(over="ignore", invalid="ignore"):
        for panel in history:
            check_deadline()
            panel[:] = _fixed_point(decay * start, integral)
            start = panel[-1]
    return history


def _fixed_point(free: NDArray, integral: Callable) -> NDArray:
    """û = free + integral(û) by iteration until rounding stops the decrease."""
    now, scale, last = free, np.abs(free).max(), np.inf
    for _ in range(80):
        new = free + integral(now)
        change = np.abs(new - now).max() / scale
        now = new
        if not np.isfinite(change) or change > 1e6:
            break
        if change < 1e-15 or (change < 1e-13 and change >= last):
            return now
        last = change
    raise Unresolved("the fixed point of one time panel was not reached; use more panels")


def _tails(grid: PeriodicGrid, history: NDArray) -> tuple[float, float]:
    """Relative size of what the expansions leave out: the outer modes, the last Chebyshev coefficients."""
    axes = grid.axes
    peak = np.abs(history).max(axis=(0, 1, *axes))
    outer = functools.reduce(np.logical_or, (np.abs(k) > 0.9 * np.abs(k * grid.mask).max() for k in grid.k))
    space = (np.abs(history * (outer & grid.mask)).max(axis=(0, 1, *axes)) / peak).max()
    points, weights = chebyshev()
    # Highest coefficients of the interpolant: T_n and T_{n-1} tested on the Lobatto points.
    n = NODES - 1
    rows = np.array([np.cos(d * np.arccos(1 - 2 * points)) * np.abs(weights) / n for d in (n, n - 1)])
    time = (np.abs(np.einsum("dm,pm...->dp...", rows, history)).max(axis=(0, 1, *axes)) / peak).max()
    return float(space), float(time)


def evolve(
    *,
    box: Sequence[tuple[float, float]],
    T: float,
    initial: Callable[..., tuple],
    rates: Callable[..., tuple],
    nonlinear: Callable[[PeriodicGrid, NDArray], list],
    real: bool = True,
    modes: int = 64,
    panels: int = 4,
) -> tuple[Series, ...]:
    """Solve û' = λ(k) û + N̂(û) on a periodic box and [0, T]; one callable `Series` per unknown.

    initial(x, ...)      the unknowns at the start, a tuple of arrays
    rates(k_x, ...)      λ of each unknown, a tuple
    nonlinear(grid, û)   N̂ of each unknown, a list; û has shape (nodes, unknowns, K, ..., K)
    modes, panels        where the doubling starts
    """
    lower, lengths = tuple(a for a, _ in box), tuple(b - a for a, b in box)
    while modes <= MAX_MODES and panels <= MAX_PANELS:
        grid = PeriodicGrid(lower, lengths, modes)
        start = grid.hat(np.stack([v + 0 * grid.points()[0] for v in initial(*grid.points())]))
        rate = np.stack([np.broadcast_to(r, grid.mask.shape) for r in rates(*grid.k)]).astype(complex)
        try:
            history = _march(
                rate * grid.mask,
                lambda hat: np.stack(nonlinear(grid, hat), axis=1) * grid.mask,  # noqa: B023
                start,
                T / panels,
                panels,
            )
        except Unresolved:
            panels *= 2
            continue
        tails = _tails(grid, history)
        if tails[0] <= SPACE_TAIL and tails[1] <= TIME_TAIL:
            return _series(grid, history, T, real, tails)
        modes *= 2 if tails[0] > SPACE_TAIL else 1
        panels *= 2 if tails[1] > TIME_TAIL else 1
    raise Unresolved(
        f"The reference is not resolved with {modes} modes and {panels} time panels. "
        "Choose a shorter time or smoother data."
    )


def _series(grid: PeriodicGrid, history: NDArray, T: float, real: bool, tails: tuple) -> tuple[Series, ...]:
    """Keep the unmasked modes only, scaled to Fourier coefficients."""
    integers = np.fft.fftfreq(grid.modes, 1 / grid.modes)
    kept = np.flatnonzero(np.abs(integers) < grid.modes / 3)
    for axis in grid.axes:
        history = np.take(history, kept, axis=axis)
    history = history / grid.modes ** len(grid.lengths)
    history.flags.writeable = False
    common = (grid.lower, grid.lengths, T, integers[kept])
    return tuple(Series(*common, history[:, :, i], real, tails) for i in range(history.shape[2]))
