# SPDX-License-Identifier: MIT
"""Series on a box:  u(x) = Σ_k c_k Π_a b_{k_a}(x_a).

    along a circle               b_k = e^{iκkξ},                κ = 2π/L,  |k| ≤ K
    between walls, even (u_n=0)  b_k = cos κkξ,                 κ = π/L,   0 ≤ k ≤ K
    between walls, odd (u = 0)   b_k = sin κkξ,                 κ = π/L,   1 ≤ k ≤ K        ξ = x − lower
    between other walls          b_k = √(2k + 1) P_k(2ξ/L − 1),            0 ≤ k ≤ K        (`lrfm.spaces.series.polynomials`)

Values of a real function belong to the grid ξ_j = (j + s)L/M of each axis, s = 0 on circles and ½ between walls, with M ≥ 3K + 1 points on a circle (3K/2 between walls): products of
two functions are then free of aliasing (Orszag, J. Atmos. Sci. 28, 1971). Of the last periodic axis only k ≥ 0 are kept; the others are their conjugates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from types import ModuleType

import numpy as np

from lrfm.spaces.series import polynomials
from lrfm.spaces.series.powers import powers

EVEN, ODD, NEITHER = 0, 1, 2
Parity = tuple[
    int, ...
]  # of a function along each axis; EVEN along circles, NEITHER where it is a sum of polynomials

Work = dict[tuple, np.ndarray]  # arrays that transforms write into, by their shapes and kinds


def turned(parity: int, order: int) -> int:
    """The parity of a derivative."""
    return parity if parity == NEITHER else (parity + order) % 2


@cache
def _transforms() -> ModuleType:
    """SciPy's transforms, which load its special functions, too: only where a series is made."""
    import scipy.fft

    return scipy.fft


def _kind(dtype: type, single: bool) -> type:
    """Of the numbers that are transformed."""
    if not single:
        return dtype
    return np.complex64 if dtype is complex else np.float32


@dataclass(frozen=True)
class Modes:
    """Which modes a series has: K along each axis of a box.

    Parameters
    ----------
    lower, upper
        Corners of the box.
    periodic
        Which axes are circles.
    counts
        The highest mode K of each axis.
    polynomial
        The axes along which functions are polynomials; none where it is left out.
    """

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    periodic: tuple[bool, ...]
    counts: tuple[int, ...]
    polynomial: tuple[int, ...] = ()

    # Shapes -------------------------------------------------------------------------------------------------

    @property
    def moves(self) -> bool:
        """They stay where they are within a step."""
        return False

    @property
    def dimension(self) -> int:
        return len(self.counts)

    @cached_property
    def circles(self) -> tuple[int, ...]:
        """Numbers of the periodic axes."""
        return tuple(a for a, p in enumerate(self.periodic) if p)

    @cached_property
    def ring(self) -> bool:
        """Whether the box is one circle."""
        return self.periodic == (True,)

    @cached_property
    def halved(self) -> int:
        """The axis of which only k ≥ 0 are kept; −1 where no axis is periodic, and coefficients are real."""
        return self.circles[-1] if self.circles else -1

    @cached_property
    def lengths(self) -> tuple[float, ...]:
        return tuple(b - a for a, b in zip(self.lower, self.upper, strict=True))

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Of the coefficients of one function."""
        return tuple(
            2 * k + 1 if p and a != self.halved else k + 1
            for a, (k, p) in enumerate(zip(self.counts, self.periodic, strict=True))
        )

    @cached_property
    def count(self) -> int:
        """How many coefficients one function has."""
        return int(np.prod(self.shape))

    @property
    def size(self) -> int:
        """How many cells there are: a series is one."""
        return 1

    @property
    def dtype(self) -> type:
        return complex if self.circles else float

    @cached_property
    def reals(self) -> int:
        """How many real numbers they are."""
        return self.count * (2 if self.circles else 1)

    @cached_property
    def grid(self) -> tuple[int, ...]:
        """Points M along each axis."""
        least = [
            3 * k + 1 if p else (3 * k + 3) // 2 for k, p in zip(self.counts, self.periodic, strict=True)
        ]
        return tuple(_transforms().next_fast_len(n, real=True) for n in least)

    # Real and complex numbers -------------------------------------------------------------------------------

    def complexes(self, reals: np.ndarray) -> np.ndarray:
        """Coefficients (…, *shape) of arrays (…, reals)."""
        return (
            np.ascontiguousarray(reals, dtype=float).view(self.dtype).reshape(*reals.shape[:-1], *self.shape)
        )

    def flat(self, coefficients: np.ndarray) -> np.ndarray:
        """Arrays (…, reals) of coefficients (…, *shape)."""
        lead = coefficients.shape[: coefficients.ndim - self.dimension]
        whole = np.ascontiguousarray(coefficients, dtype=self.dtype).reshape(*lead, self.count)
        return whole.view(float)

    # Wave numbers -------------------------------------------------------------------------------------------

    def numbers(self, axis: int) -> np.ndarray:
        """k of each coefficient along an axis, in the order of transforms: 0 … K, −K … −1."""
        k = self.counts[axis]
        if self.periodic[axis] and axis != self.halved:
            return np.concatenate([np.arange(k + 1), np.arange(-k, 0)])
        return np.arange(k + 1)

    @cached_property
    def _waves(self) -> tuple[np.ndarray, ...]:
        return tuple(
            (2 if p else 1) * np.pi / length * self.numbers(a)
            for a, (p, length) in enumerate(zip(self.periodic, self.lengths, strict=True))
        )

    def along(self, axis: int, values: np.ndarray) -> np.ndarray:
        """An array along one axis, to be multiplied with coefficients."""
        return values.reshape([-1 if a == axis else 1 for a in range(self.dimension)])

    def symbol(self, index: Sequence[int], parity: Parity) -> tuple[np.ndarray, Parity]:
        """The factor of D^index on coefficients of a parity, and the parity of what comes out; real where it is.

        Along polynomial axes a derivative is a matrix (`slope`), and its order does not count here.
        """
        factor, new = np.ones([1] * self.dimension), list(parity)
        for a, order in enumerate(index):
            if not order or a in self.polynomial:
                continue
            wave = self._waves[a] ** order
            if self.periodic[a]:
                wave = (1, 1j, -1, -1j)[order % 4] * wave
            else:
                sign = (1, 1, -1, -1) if parity[a] == ODD else (1, -1, -1, 1)
                wave, new[a] = sign[order % 4] * wave, (parity[a] + order) % 2
            factor = factor * self.along(a, wave)
        return factor, tuple(new)

    def slope(self, axis: int, order: int) -> np.ndarray:
        """∂^order along a polynomial axis as a matrix on coefficients."""
        return (2 / self.lengths[axis]) ** order * polynomials.derivative(self.counts[axis], order)

    @cached_property
    def weights(self) -> np.ndarray:
        """Mean square of u = Σ w_k |c_k|²: of shape `shape`."""
        found = np.ones(self.shape)
        for a in range(self.dimension):
            k = self.numbers(a)
            if a == self.halved:
                found = found * self.along(a, np.where(k > 0, 2.0, 1.0))
            elif not self.periodic[a] and a not in self.polynomial:
                found = found * self.along(a, np.where(k > 0, 0.5, 1.0))
        return found

    @cached_property
    def flat_weights(self) -> np.ndarray:
        """The same for the real numbers of one function."""
        return np.repeat(self.weights.ravel(), 2 if self.circles else 1)

    # Transforms ---------------------------------------------------------------------------------------------

    def places(self, axis: int) -> np.ndarray:
        """The grid of an axis."""
        if axis in self.polynomial:
            middle = (self.lower[axis] + self.upper[axis]) / 2
            return middle + self.lengths[axis] / 2 * polynomials.nodes(self.grid[axis])[0]
        count, shift = self.grid[axis], 0.0 if self.periodic[axis] else 0.5
        return self.lower[axis] + self.lengths[axis] * (np.arange(count) + shift) / count

    def points(self) -> np.ndarray:
        """All points of the grid, (points, axes), in the order of values."""
        grids = np.meshgrid(*(self.places(a) for a in range(self.dimension)), indexing="ij")
        return np.column_stack([g.ravel() for g in grids])

    def values(
        self, coefficients: np.ndarray, parity: Parity, work: Work | None = None, single: bool = False
    ) -> np.ndarray:
        """Values (…, *grid) of functions with coefficients (…, *shape), all of one parity; `work` holds what is needed again by who asks often. `single`: transformed in single precision."""
        if self.ring:
            # Of short rows NumPy's transforms take half the time of SciPy's, which copy what they extend.
            return np.fft.irfft(coefficients, n=self.grid[0], norm="forward")
        lead = coefficients.ndim - self.dimension
        found, kind = coefficients, _kind(self.dtype, single)
        others = [lead + a for a in self.circles if a != self.halved]
        if others:
            found = self._padded(found, lead, {} if work is None else work, kind)
        elif single:
            found = found.astype(kind)
        if self.circles:
            if others:
                within = found[
                    (*[slice(None)] * (lead + self.halved), slice(0, self.counts[self.halved] + 1))
                ]
                _transforms().ifftn(within, axes=others, norm="forward", overwrite_x=True)
            found = _transforms().irfft(
                found, n=self.grid[self.halved], axis=lead + self.halved, norm="forward"
            )
        for a in range(self.dimension):
            if not self.periodic[a]:
                found = self._wall_values(found, a, lead + a, parity[a])
        return found

    def _padded(self, coefficients: np.ndarray, lead: int, work: Work, kind: type) -> np.ndarray:
        """Zeros after k = K, along periodic axes but the halved one between k = K and k = −K.

        Large arrays that are new each time cost as much as their transforms: pages are given out by the system when they are first touched.
        """
        others = [a for a in self.circles if a != self.halved]
        shape = list(coefficients.shape)
        for a in others:
            shape[lead + a] = self.grid[a]
        shape[lead + self.halved] = self.grid[self.halved] // 2 + 1
        if (kind, *shape) not in work:
            work[(kind, *shape)] = np.zeros(shape, dtype=kind)
        result, kept = work[(kind, *shape)], slice(0, self.counts[self.halved] + 1)
        for a in others:  # what the transform before has left there
            k, here = self.counts[a], [slice(None)] * len(shape)
            here[lead + self.halved], here[lead + a] = kept, slice(k + 1, self.grid[a] - k)
            result[tuple(here)] = 0.0
        for source, target in self._blocks(others, lead):
            inside = list(target[1:])
            inside[self.halved] = kept
            result[(..., *inside)] = coefficients[source]
        return result

    def _blocks(self, axes: Sequence[int], lead: int) -> list[tuple[tuple, tuple]]:
        """Corresponding blocks of few and of many modes: k ≥ 0 and k < 0 along each of some axes."""
        found: list[tuple[list, list]] = [([], [])]
        for a in range(self.dimension):
            if a in axes:
                k = self.counts[a]
                parts = [slice(0, k + 1), slice(-k, None)] if k else [slice(0, 1)]
            else:
                parts = [slice(None)]
            found = [([*s, p], [*t, p]) for s, t in found for p in parts]
        return [((..., *s), (..., *t)) for s, t in found]

    def _wall_values(self, coefficients: np.ndarray, axis: int, at: int, parity: int) -> np.ndarray:
        """Along one axis between walls: Σ_k c_k cos or sin of κkξ at the midpoints, or polynomials at Gauss points."""
        if parity == NEITHER:
            table = polynomials.to_values(self.counts[axis], self.grid[axis])
            return polynomials.along(table, coefficients, at)
        if parity == EVEN:
            scaled = coefficients * self._column(
                at, coefficients, np.append(1.0, np.full(self.counts[axis], 0.5))
            )
            return _transforms().dct(scaled, type=3, n=self.grid[axis], axis=at)
        inner = np.take(coefficients, np.arange(1, self.counts[axis] + 1), axis=at) * 0.5
        return _transforms().dst(inner, type=3, n=self.grid[axis], axis=at)

    @staticmethod
    def _column(at: int, beside: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Numbers along one axis of an array, as precise as it is."""
        own = values.astype(np.real(beside).dtype, copy=False)
        return own.reshape([-1 if a == at else 1 for a in range(beside.ndim)])

    def coefficients(self, values: np.ndarray, parity: Parity) -> np.ndarray:
        """Coefficients (…, *shape) of values (…, *grid): the other way round, cut at K; values of single precision are transformed in it."""
        if self.ring:
            return np.fft.rfft(values, norm="forward")[..., : self.counts[0] + 1].copy()
        lead = values.ndim - self.dimension
        found = values
        for a in range(self.dimension):
            if not self.periodic[a]:
                found = self._wall_coefficients(found, a, lead + a, parity[a])
        if not self.circles:
            return found.astype(self.dtype, copy=False)
        # Cut after the transform of each axis: what is left for the next one is less.
        halved = self.halved
        found = _transforms().rfft(found, axis=lead + halved, norm="forward")
        found = found[(*[slice(None)] * (lead + halved), slice(0, self.counts[halved] + 1))]
        others = [a for a in self.circles if a != halved]
        if others:
            found = _transforms().fftn(
                found, axes=[lead + a for a in others], norm="forward", overwrite_x=True
            )
            result = np.empty((*values.shape[:lead], *self.shape), dtype=complex)
            for target, source in self._blocks(others, lead):
                result[target] = found[source]
            return result
        return np.ascontiguousarray(found, dtype=self.dtype)

    def _wall_coefficients(self, values: np.ndarray, axis: int, at: int, parity: int) -> np.ndarray:
        kept = self.counts[axis]
        if parity == NEITHER:
            return polynomials.along(polynomials.to_coefficients(kept, self.grid[axis]), values, at)
        here = [slice(None)] * values.ndim
        here[at] = slice(0, kept + 1 if parity == EVEN else kept)
        if parity == EVEN:
            found = _transforms().dct(values, type=2, axis=at)[tuple(here)] / self.grid[axis]
            return found * self._column(at, found, np.append(0.5, np.ones(kept)))
        found = _transforms().dst(values, type=2, axis=at)[tuple(here)] / self.grid[axis]
        shape = list(found.shape)
        shape[at] = kept + 1
        result = np.zeros(shape, dtype=found.dtype)
        here[at] = slice(1, None)
        result[tuple(here)] = found
        return result

    def symmetric(self, coefficients: np.ndarray) -> np.ndarray:
        """c_{−k} = c̄_k in the plane k = 0 of the halved axis: the only place where rounding may break it, and no transform would see that."""
        if not self.circles:
            return coefficients
        lead = coefficients.ndim - self.dimension
        at = lead + self.halved
        here = (*[slice(None)] * at, slice(0, 1))
        plane = coefficients[here]
        mirrored = plane.conj()
        for a in self.circles:
            if a != self.halved:
                mirrored = np.roll(np.flip(mirrored, axis=lead + a), 1, axis=lead + a)
        coefficients[here] = (plane + mirrored) / 2
        return coefficients

    # Anywhere -----------------------------------------------------------------------------------------------

    def functions(self, axis: int, places: np.ndarray, order: int, parity: int) -> np.ndarray:
        """d^order b_k/dx^order of one axis at places: (places, k)."""
        if parity == NEITHER:
            scaled = 2 * (np.asarray(places, dtype=float) - self.lower[axis]) / self.lengths[axis] - 1
            found = polynomials.polynomials(scaled, self.counts[axis], order)
            return found * (2 / self.lengths[axis]) ** order
        turn = (2 if self.periodic[axis] else 1) * np.pi / self.lengths[axis]
        found = powers(
            np.exp(1j * turn * (np.asarray(places, dtype=float) - self.lower[axis])), self.counts[axis]
        )
        wave = self._waves[axis] ** order
        if self.periodic[axis]:
            if axis != self.halved:
                found = np.hstack([found, found[:, :0:-1].conj()])
            return found if not order else found * ((1, 1j, -1, -1j)[order % 4] * wave)
        # cos and sin, moved on by a quarter with each derivative
        quarter = (order + (3 if parity == ODD else 0)) % 4
        turned = np.imag(found) if quarter % 2 else np.real(found)
        return turned * (wave if quarter in (0, 3) else -wave)

    def summed(self, coefficients: np.ndarray, functions: Sequence[np.ndarray]) -> np.ndarray:
        """Values (…, places) of series (…, *shape) at places, with the functions of each axis there."""
        twice = coefficients * self.twice
        found = twice.reshape(-1, self.shape[-1]) @ functions[-1].T
        found = found.reshape(*twice.shape[:-1], -1)
        for a in reversed(range(self.dimension - 1)):
            found = np.einsum("...kn,nk->...n", found, functions[a])
        return np.real(found)

    @cached_property
    def twice(self) -> np.ndarray:
        """Two for modes that stand for their conjugates, too."""
        if self.halved < 0:
            return np.ones([1] * self.dimension)
        return self.along(self.halved, np.where(self.numbers(self.halved) > 0, 2.0, 1.0))

    def on_grid(self, coefficients: np.ndarray, functions: Sequence[np.ndarray]) -> np.ndarray:
        """Values (…, n₁, …, n_d) of series (…, *shape) on a grid of places, with the functions of each axis there."""
        found = (coefficients * self.twice) @ functions[-1].T
        for a in reversed(range(self.dimension - 1)):
            shape = (
                *found.shape[: found.ndim - self.dimension + a],
                len(functions[a]),
                *found.shape[found.ndim - self.dimension + a + 1 :],
            )
            own = found.reshape(*found.shape[: found.ndim - self.dimension + a + 1], -1)
            if a == 0 and np.iscomplexobj(own):  # the last product: its real part
                table = functions[a]
                found = np.real(table) @ np.real(own)
                if np.iscomplexobj(table):
                    found = found - np.imag(table) @ np.imag(own)
                found = found.reshape(shape)
            else:
                found = (functions[a] @ own).reshape(shape)
        return np.real(found)

    def moved(self, coefficients: np.ndarray, to: Modes) -> np.ndarray:
        """The same functions with other numbers of modes: cut, or extended by zeros."""
        lead = coefficients.ndim - self.dimension
        result = np.zeros((*coefficients.shape[:lead], *to.shape), dtype=self.dtype)
        found: list[tuple[list, list]] = [([], [])]
        for a in range(self.dimension):
            k = min(self.counts[a], to.counts[a])
            parts = [slice(0, k + 1)]
            if self.periodic[a] and a != self.halved and k:
                parts.append(slice(-k, None))
            found = [([*s, p], [*t, p]) for s, t in found for p in parts]
        for source, target in found:
            result[(..., *target)] = coefficients[(..., *source)]
        return result
