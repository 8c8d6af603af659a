# SPDX-License-Identifier: MIT
"""What is between the ends of an exponential step:  y(τh) − y₀ = (e^{τz} − 1)y₀ + h Σ_j j! τ^{j+1} φ_{j+1}(τz) n_j,   N = Σ n_j τʲ through N at 0, ½ and 1,

moved by τ²(1 − τ)² and τ²(3 − 2τ) so that it meets y at ½ and 1; a polynomial of degree K takes its values at Lobatto points, and is kept by its rates, as the steps of other schemes are. Increments are what is computed: in single precision
they have all digits of it, however small they are beside y₀.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.polynomial import legendre

from lrfm.discretize.box.modewise import LinearPart, ModeMatrix, RealDiagonal, RealMatrix
from lrfm.discretize.box.spectral import SpectralDiscretization
from lrfm.discretize.options import COSTS
from lrfm.integrate.schemes.tableaus import radau
from lrfm.linalg.phi import ORDERS


@lru_cache(maxsize=16)
def lobatto(degree: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lobatto points of [0, 1], what takes values there to rates at Radau points, and to the last two Legendre coefficients."""
    inner = np.zeros(degree + 1)
    inner[degree] = 1.0
    places = np.concatenate([[-1.0], np.sort(legendre.legroots(legendre.legder(inner)).real), [1.0]])
    places[degree // 2] = 0.0
    to_legendre = np.linalg.inv(legendre.legvander(places, degree))
    nodes = radau(degree).nodes
    slopes = 2 * legendre.legvander(2 * nodes - 1, degree - 1) @ legendre.legder(to_legendre, axis=0)
    return (1 + places) / 2, slopes, to_legendre[-2:]


@dataclass(frozen=True)
class Between:
    """The matrices of one step size at the Lobatto points after 0: of y₀, and of n₀, n₁, n₂ where there is a rest.

    `whole` are they where each is real numbers for real and imaginary parts, (places, components, …), by vector; `real` by place where components are coupled by real numbers, `parts` where they are not.
    """

    whole: list[np.ndarray]
    parts: list[list[ModeMatrix | RealDiagonal | RealMatrix]]
    real: list[list[RealMatrix]]

    @property
    def size(self) -> int:
        """How many real numbers they are."""
        matrices = itertools.chain(*self.parts, *self.real)
        return sum(w.nbytes // 8 for w in self.whole) + sum(m.size for m in matrices)

    @staticmethod
    def of(linear: LinearPart, exact: bool, h: float, degree: int, kind: type) -> Between:
        found = []
        for tau in lobatto(degree)[0][1:]:
            phis = linear.phis(tau * h, 1 if exact else ORDERS)
            own = [linear.combined([phis], lambda p: p[0], less_one=True)]
            for j in range(0 if exact else 3):
                factor = h * math.factorial(j) * tau ** (j + 1)
                own.append(linear.combined([phis], lambda p, j=j, c=factor: c * p[j + 1]))
            found.append([m if isinstance(m, ModeMatrix) else m.astype(kind) for m in own])
        if all(isinstance(m, RealDiagonal) for own in found for m in own):
            numbers = [np.stack([m.numbers for m in column]) for column in zip(*found, strict=True)]
            return Between(numbers, [], [])
        real = [[m for m in own if isinstance(m, RealMatrix)] for own in found]
        return (
            Between([], [], real) if list(map(len, real)) == list(map(len, found)) else Between([], found, [])
        )

    def increments(self, vectors: list[np.ndarray]) -> np.ndarray:
        """Sums of these matrices times vectors at all places, as complex numbers or as their real and imaginary parts."""
        if self.real:
            return self._in_reals(vectors)
        if self.parts:
            found = np.empty((len(self.parts), *vectors[0].shape), dtype=vectors[0].dtype)
            for out, own in zip(found, self.parts, strict=True):
                out[...] = own[0](vectors[0])
                for matrix, v in zip(own[1:], vectors[1:], strict=True):
                    out += matrix(v)
            return found
        first, kind = self.whole[0], self.whole[0].dtype
        reals = [np.ascontiguousarray(v).view(float).astype(kind, copy=False) for v in vectors]
        if first[0].size <= COSTS.short:
            found = first * reals[0]
            for own, v in zip(self.whole[1:], reals[1:], strict=True):
                found += own * v
            return found
        found, more = np.empty_like(first), np.empty_like(first[0])
        for place, out in enumerate(found):
            np.multiply(first[place], reals[0], out=out)
            for own, v in zip(self.whole[1:], reals[1:], strict=True):
                out += np.multiply(own[place], v, out=more)
        return found

    def _in_reals(self, vectors: list[np.ndarray]) -> np.ndarray:
        """The same of matrices of real numbers, on real and imaginary parts."""
        kind = next(iter(self.real[0][0].entries.values())).dtype
        reals = [np.ascontiguousarray(v).view(float).astype(kind, copy=False) for v in vectors]
        found = np.empty((len(self.real), *reals[0].shape), dtype=kind)
        for out, own in zip(found, self.real, strict=True):
            out[...] = own[0].times(reals[0])
            for matrix, v in zip(own[1:], reals[1:], strict=True):
                out += matrix.times(v)
        return found


@dataclass(frozen=True)
class DenseOutput:
    """Polynomials of a degree, even, so that ½ is among its points."""

    degree: int

    def increments(
        self, made: SpectralDiscretization, between: Between, ends: list[np.ndarray], rests: list[np.ndarray]
    ) -> np.ndarray:
        """y(τh) − y₀ by the formula alone."""
        forces = [made.forced(n) for n in _quadratic(rests)] if rests else []
        return between.increments([ends[0], *forces])

    @staticmethod
    def missed(found: np.ndarray, ends: list[np.ndarray]) -> np.ndarray:
        """y₁ less what the formula alone makes of it, as states are."""
        own = found[-1]
        if np.iscomplexobj(ends[0]) and not np.iscomplexobj(own):
            own = own.astype(float).view(ends[0].dtype)
        return ends[2] - ends[0] - own

    def __call__(
        self,
        made: SpectralDiscretization,
        found: np.ndarray,
        start: np.ndarray,
        ends: list[np.ndarray],
        rests: list[np.ndarray],
        time: float,
        h: float,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rates at Radau points, the state at the end, and what the polynomial misses; `found` are the increments, which are changed."""
        places, to_rates, to_last = lobatto(self.degree)
        self._meet(found, ends, places)
        stacked, end = self._joined(made, found, start, ends, rests, time, h)
        kind = stacked.dtype
        rates = np.tensordot((to_rates[:, 1:] / h).astype(kind), stacked, axes=1)
        before, final = np.tensordot(to_last[:, 1:].astype(kind), stacked, axes=1)
        # The next coefficient, if they go on to decay as the last two did.
        ratio = made.norms(final) / np.maximum(made.norms(before), np.finfo(float).tiny)
        inside = final * np.minimum(1.0, ratio).astype(kind)[:, None, None]
        return rates, end, inside

    def _meet(self, found: np.ndarray, ends: list[np.ndarray], places: np.ndarray) -> None:
        """N is met at 0, ½ and 1, so that the error begins with τ²(1 − τ)²: this and what rises from 0 to 1 take it away at ½ and 1."""
        middle = self.degree // 2 - 1
        half, whole = (self._alike(found, e - ends[0]) for e in ends[1:])
        last = whole - found[-1]
        hump = half - found[middle] - last / 2
        for n, tau in enumerate(places[1:].tolist()):
            if n not in (middle, self.degree - 1):
                found[n] += 16 * tau**2 * (1 - tau) ** 2 * hump
                found[n] += tau**2 * (3 - 2 * tau) * last
        found[middle], found[-1] = half, whole

    @staticmethod
    def _alike(found: np.ndarray, vector: np.ndarray) -> np.ndarray:
        """A complex vector as increments are."""
        if np.iscomplexobj(found) or not np.iscomplexobj(vector):
            return vector
        return vector.view(float).astype(found.dtype, copy=False)

    def _joined(
        self,
        made: SpectralDiscretization,
        found: np.ndarray,
        start: np.ndarray,
        ends: list[np.ndarray],
        rests: list[np.ndarray],
        time: float,
        h: float,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Increments of all components, (places, components, 1, reals), and the state at the end."""
        form, mesh = made.form, made.mesh
        flat = found.reshape(*found.shape[:2], -1)
        flat = flat.view(float) if np.iscomplexobj(flat) else flat
        if len(form.differential) == len(made.system.components):
            return flat[:, :, None], made.joined(ends[2], None)
        stacked = np.zeros((len(flat), len(made.system.components), 1, mesh.reals), dtype=flat.dtype)
        stacked[:, form.differential, 0] = flat
        among = [*form.algebraic, *form.multipliers]
        if not among:
            return stacked, made.joined(ends[2], None)
        known = {self.degree // 2 - 1: (ends[1], rests[1]), self.degree - 1: (ends[2], rests[2])}
        others = ends[2]
        for n, tau in enumerate(lobatto(self.degree)[0][1:].tolist()):
            v, rest = known.get(n) or (ends[0] + mesh.complexes(flat[n]), rests[0])
            if made.others_of_rest and n not in known and not form.exact:
                # As a pressure does, they depend on the rest: it is evaluated there.
                rest = made.rest(v, time + tau * h)
            others = made.others(v, rest)
            stacked[n, among, 0] = mesh.flat(others) - start[among, 0]
        return stacked, made.joined(ends[2], others)


def _quadratic(values: list[np.ndarray]) -> list[np.ndarray]:
    """Coefficients of 1, τ, τ² of the parabola through values at 0, ½, 1."""
    a, b, c = values
    return [a, 4 * b - 3 * a - c, 2 * (a - 2 * b + c)]
