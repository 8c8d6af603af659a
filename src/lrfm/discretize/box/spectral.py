# SPDX-License-Identifier: MIT
"""A statement on a box, split into what series solve and the rest:  y′ = L(k) y + B(k) n̂,   n = N(x, t, Dᵃy).

Every equation is  Σ c Dᵃ(y or y′) + Σ Dᵃ G_a(x, t, Dᵇy) = 0  with numbers c. The first sum is a small matrix per mode k; G is evaluated on a grid. With E of the
rates, A of the rest, algebraic unknowns a by their own equations, and multipliers q by constraints C y = 0 (a pressure by div u = 0),

    a = −A_aa⁻¹ (A_ad y + n_a),    q = −(C E⁻¹ A_q)⁻¹ C E⁻¹ (A y + n),    y′ = −Π E⁻¹ (A y + n),    Π = 1 − E⁻¹A_q (C E⁻¹A_q)⁻¹ C,

mode by mode: Π takes velocities to those without divergence. Where a matrix is zero, at k = 0, nothing is said about an unknown: its mean is zero.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lrfm.discretize.box.modewise import LinearPart, ModeMatrix, entries_of
from lrfm.discretize.box.on_grid import GridTerms
from lrfm.discretize.box.spectral_form import SpectralForm
from lrfm.discretize.box.transport import Transport
from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.options import ROUNDING, SINGLE, Options
from lrfm.linalg.room import reserve
from lrfm.spaces.series import Modes


class SpectralDiscretization:
    """The split statement with so many modes.

    `precision` is what a step may lose by rounding, relative to its unknowns: the rest is evaluated in single precision where that has it, and as long as it has.
    """

    def __init__(self, form: SpectralForm, mesh: Modes, precision: float = 0.0):
        self.form, self.mesh, self.system = form, mesh, form.system
        self.size = mesh.reals * len(form.system.components)
        self.lumped: list[int] = []
        self.auxiliary: list[int] = []
        self.filters = False
        self.shares = np.ones(mesh.size)
        self.precision, self.judged = precision, -Options.join_every
        self.terms = GridTerms(form, mesh, (*form.differential, *form.algebraic), precision > SINGLE)
        self._assemble()

    # Matrices per mode --------------------------------------------------------------------------------------

    def _matrix(self, rows: list[int], components: list[int], rate: bool) -> np.ndarray:
        """c Dᵃ of some components, or of their rates, in some equations: (modes, rows, components)."""
        mesh, form = self.mesh, self.form
        found = np.zeros((mesh.count, len(rows), len(components)), dtype=complex)
        for i, r in enumerate(rows):
            for c in form.constants[r]:
                if c.rate == rate and c.component in components:
                    factor = mesh.symbol(c.index, form.parities[c.component])[0]
                    whole = np.broadcast_to(c.factor * factor, mesh.shape)
                    found[:, i, components.index(c.component)] += whole.ravel()
        return found

    def _assemble(self) -> None:
        form, mesh, system = self.form, self.mesh, self.system
        d, a, q = form.differential, form.algebraic, form.multipliers
        # A dozen matrices per mode while they are made, complex.
        reserve(24 * mesh.count * len(system.components) ** 2)
        moving, own, bound = form.moving_rows, form.algebraic_rows, form.constraint_rows
        last = [system.last[i] for i in moving]
        inverse = _inverse(self._matrix(moving, last, True))
        to_d, to_a, to_q = (self._matrix(moving, c, False) for c in (d, a, q))
        solve_a = _inverse(self._matrix(own, a, False))
        a_of_d = -solve_a @ self._matrix(own, d, False)  # a = a_of_d y − solve_a n_a
        to_d = to_d + to_a @ a_of_d
        bound_d = self._matrix(bound, d, False) + self._matrix(bound, a, False) @ a_of_d
        lasts = [d.index(c) for c in last]
        c_last = bound_d[:, :, lasts]
        q_of = -_inverse(c_last @ inverse @ to_q) @ c_last @ inverse  # q = q_of (A y + n)
        projected = inverse + inverse @ to_q @ q_of
        rates = np.zeros((mesh.count, len(d), len(d)), dtype=complex)
        forcing = np.zeros((mesh.count, len(d), len(system.fields)), dtype=complex)
        for n, c in enumerate(d):
            if c in system.links:
                rates[:, n, d.index(c + 1)] = 1.0
        of_rest = np.zeros(
            (mesh.count, len(moving), len(system.fields)), dtype=complex
        )  # n of moving rows, a eliminated
        for i, r in enumerate(moving):
            of_rest[:, i, r] = 1.0
        of_rest[:, :, own] = -to_a @ solve_a
        rates[:, lasts] = -self._without_multipliers(inverse @ to_d, projected @ to_d, inverse, to_q, c_last)
        forcing[:, lasts] = -projected @ of_rest
        others = np.zeros((mesh.count, len(a) + len(q), len(d)), dtype=complex)
        of_n = np.zeros((mesh.count, len(a) + len(q), len(system.fields)), dtype=complex)
        others[:, : len(a)], of_n[:, : len(a), own] = a_of_d, -solve_a
        others[:, len(a) :], of_n[:, len(a) :] = q_of @ to_d, q_of @ of_rest
        # What no term is left of says nothing: others are not asked of it.
        of_n[:, :, [i for i in range(len(system.fields)) if all(f.row != i for f in form.fluxes)]] = 0.0
        shape, fields = mesh.shape, len(system.fields)
        self.linear = LinearPart(len(d), entries_of(rates, shape), shape, mesh.dtype)
        self.forcing = ModeMatrix.of(len(d), fields, entries_of(forcing, shape))
        self._others = ModeMatrix.of(len(a) + len(q), len(d), entries_of(others, shape))
        self._others_of_n = ModeMatrix.of(len(a) + len(q), fields, entries_of(of_n, shape))
        self._a_of_d = ModeMatrix.of(len(a), len(d), entries_of(a_of_d, shape))
        self._a_of_n = ModeMatrix.of(len(a), fields, entries_of(of_n[:, : len(a)], shape))
        if q:
            # The part of a state that meets the constraints: y − E⁻¹A_q (C E⁻¹A_q)⁻¹ C y.
            kept = np.eye(len(d)) - inverse @ to_q @ _inverse(c_last @ inverse @ to_q) @ c_last
            self.admissible = ModeMatrix.of(len(d), len(d), entries_of(kept, shape))
        else:
            self.admissible = None
        #  Where an algebraic unknown or a multiplier is not determined: its mean.
        blank = [not np.any(solve_a[0, n]) for n in range(len(a))] + [
            not np.any(q_of[0, n]) for n in range(len(q))
        ]
        self.undetermined = [c for c, missing in zip((*a, *q), blank, strict=True) if missing]

    @staticmethod
    def _without_multipliers(
        free: np.ndarray, projected: np.ndarray, inverse: np.ndarray, to_q: np.ndarray, bound: np.ndarray
    ) -> np.ndarray:
        """E⁻¹A where it keeps what meets the constraints, as a viscosity does, and ΠE⁻¹A elsewhere: the first one couples less."""
        if not to_q.shape[2]:
            return free
        meets = np.eye(free.shape[1]) - inverse @ to_q @ _inverse(bound @ inverse @ to_q) @ bound
        gap = np.abs(bound @ free @ meets)
        return (
            free
            if np.max(gap, initial=0.0) <= ROUNDING.sums * np.max(np.abs(bound)) * np.max(np.abs(free))
            else projected
        )

    # The rest -----------------------------------------------------------------------------------------------

    def rest(self, v: np.ndarray, time: float) -> np.ndarray:
        """n̂: coefficients of the rest of every equation, (fields, *shape)."""
        if self.terms.short is not None:
            return self.terms.short(v)
        form, terms, given = self.form, self.terms, self.terms.given(time)
        if form.algebraic:
            algebraic = self._a_of_d(v)
            if form.algebraic_fluxes:
                program, jets = form.first_program
                found = program({**given, **terms.jets(jets, v)})
                algebraic = algebraic + self._a_of_n(
                    terms.collected([form.fluxes[i] for i in form.algebraic_fluxes], found)
                )
            v = np.concatenate([v, algebraic])
        fluxes, program, which = form.together
        found = program({**given, **terms.jets(form.jets, v)})
        return terms.collected(fluxes, [found[n] for n in which])

    @cached_property
    def _transport(self) -> Transport:
        return Transport(self.form)

    def longest(self, state: np.ndarray, time: float, reach: float, implicit: float) -> float:
        """The longest step in which explicit stages keep what the rest carries (`lrfm.discretize.box.transport`)."""
        v = self.mesh.complexes(state[[*self.form.differential, *self.form.algebraic], 0])
        return self._transport.longest(self.terms, v, time, reach, implicit)

    def judge(self, v: np.ndarray, time: float, steps: int, reach: float) -> None:
        """‖B (n̂₃₂ − n̂₆₄)‖ r ≤ ε (‖y‖ + ‖B n̂₆₄‖ r),  r = √(hT):  whether single precision has what a step asks of it; else, from here on, double precision.

        Errors of steps count √(T/h) times, and an error of n̂ makes one of h times as much. What follows from n̂ itself, as a pressure does, is to have ε of its own size: where terms cancel it is next to nothing. Looked at once on these modes, and as often as fewer of them are tried: numbers too large for single precision are none at once.
        """
        if not self.terms.single or 0 <= steps - self.judged < Options.join_every:
            return
        self.judged = steps
        single = self.rest(v, time)
        self.terms.single = False
        double = self.rest(v, time)
        lost, size, own = (self._sizes(f) for f in (self.forced(single - double), self.forced(double), v))
        enough = bool(np.all(lost * reach <= self.precision * (own + size * reach)))
        if enough and self.others_of_rest:
            gap, whole = self._others_of_n(single - double), self.others(v, double)
            enough = bool(np.all(self._sizes(gap) <= self.precision * self._sizes(whole)))
        self.terms.single = enough

    def _sizes(self, v: np.ndarray) -> np.ndarray:
        """Root mean squares of functions with coefficients (count, *shape)."""
        return np.sqrt(np.sum((np.abs(v) ** 2 * self.mesh.weights).reshape(len(v), -1), axis=1))

    def in_double(self) -> bool:
        """Leave single precision; False where that has been done before."""
        before, self.terms.single = self.terms.single, False
        return before

    def forced(self, n: np.ndarray) -> np.ndarray:
        """B n̂: what the rest adds to the rates."""
        return self.forcing(n)

    @property
    def others_of_rest(self) -> bool:
        """Whether algebraic unknowns or multipliers depend on the rest of the equations."""
        return bool(self._others_of_n.entries)

    def others(self, v: np.ndarray, n: np.ndarray) -> np.ndarray:
        """Algebraic unknowns and multipliers, (count, *shape)."""
        return self._others(v) + self._others_of_n(n) if self.others_of_rest else self._others(v)

    def check_means(self, v: np.ndarray, n: np.ndarray) -> None:
        """Unsuited where an equation that leaves the mean of its unknown open asks for another mean to be zero, and that is not: it has no solution then."""
        form, origin = self.form, (0,) * self.mesh.dimension
        if not self.undetermined:
            return
        sizes = np.sqrt(np.sum(self.mesh.weights * np.abs(v) ** 2, axis=tuple(range(1, v.ndim))))
        for c, row in zip(form.algebraic, form.algebraic_rows, strict=True):
            if c not in self.undetermined:
                continue
            left, size = n[(row, *origin)], float(np.sqrt(np.sum(self.mesh.weights * np.abs(n[row]) ** 2)))
            for term in form.constants[row]:
                if term.component in form.differential and not any(term.index):
                    at = form.differential.index(term.component)
                    left, size = left + term.factor * v[(at, *origin)], size + abs(term.factor) * sizes[at]
            if abs(left) > max(ROUNDING.zero, SINGLE if self.precision > SINGLE else 0.0) * size:
                raise Unsuited(
                    "The mean of an equation without rates is not zero, where it says nothing else: there is no solution."
                )

    # States -------------------------------------------------------------------------------------------------

    def split(self, y: np.ndarray) -> np.ndarray:
        """Differential components of a state (components, 1, reals), complex: (count, *shape)."""
        return self.mesh.complexes(y[self.form.differential, 0])

    def joined(self, v: np.ndarray, others: np.ndarray | None) -> np.ndarray:
        """States (…, components, 1, reals) from their differential components (…, count, *shape) and the others."""
        form, flat = self.form, self.mesh.flat(v)
        if len(form.differential) == len(self.system.components):
            return flat[..., None, :]
        y = np.zeros((*flat.shape[:-2], len(self.system.components), 1, self.mesh.reals))
        y[..., form.differential, 0, :] = flat
        if others is not None:
            y[..., [*form.algebraic, *form.multipliers], 0, :] = self.mesh.flat(others)
        return y

    def norms(self, coefficients: np.ndarray) -> np.ndarray:
        """Root mean squares over the box of (…, 1, reals)."""
        # Squares of small numbers in single precision would be zero.
        return np.sqrt(np.square(coefficients, dtype=float) @ self.mesh.flat_weights)[..., 0]

    def linearize(self, time: float, y: np.ndarray, z: np.ndarray) -> None:
        """Nothing is linearized: the constant part is the same everywhere."""
        return None


def _inverse(matrices: np.ndarray) -> np.ndarray:
    """The inverse of each matrix; the pseudo-inverse of those that have none, zero of zero."""
    count, n, _ = matrices.shape
    if n == 0 or count == 0:
        return np.swapaxes(matrices, 1, 2)
    if n == 1:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(matrices != 0, 1 / matrices, 0.0)
    scale = np.max(np.abs(matrices), axis=(1, 2), keepdims=True)
    scaled = matrices / np.where(scale > 0, scale, 1.0)
    with np.errstate(all="ignore"):
        singular = ~(np.abs(np.linalg.det(scaled)) > ROUNDING.sums)
    result = np.zeros_like(matrices)
    if not singular.all():
        result[~singular] = np.linalg.inv(scaled[~singular])
    if singular.any():
        result[singular] = np.linalg.pinv(scaled[singular], rcond=ROUNDING.sums)
    return result / np.where(scale > 0, scale, 1.0)
