# SPDX-License-Identifier: MIT
"""Exponential Runge-Kutta for  y′ = L y + N(y, t),  L a small matrix per mode:  four stages of order four (Krogstad, J. Comput. Phys. 203, 2005),

    Y₂ = e^{z/2}y + h/2 φ₁(z/2) N₁                         Y₃ = e^{z/2}y + h (½φ₁ − φ₂)(z/2) N₁ + h φ₂(z/2) N₂
    Y₄ = e^z y + h (φ₁ − 2φ₂) N₁ + 2h φ₂ N₃                 y₁ = e^z y + h (φ₁ − 3φ₂ + 4φ₃) N₁ + h (2φ₂ − 4φ₃)(N₂ + N₃) + h (4φ₃ − φ₂) N₄,     z = hL,

twice over h/2. The error is the distance to  e^z y + h Σ_j j! φ_{j+1}(z) n_j  with the parabola through N at 0, ½ and 1, of order four as well, which is there for what is between the ends (`lrfm.integrate.schemes.exponential_output`)
and takes N at the end, which the next step begins with: eight evaluations of N. L is integrated exactly, so that without N any step is exact.
"""

from __future__ import annotations

import itertools
import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from lrfm.discretize.box.modewise import LinearPart, ModeMatrix, RealDiagonal, RealMatrix
from lrfm.discretize.box.spectral import SpectralDiscretization
from lrfm.discretize.options import SAFEGUARDS, SCANS, SERIES
from lrfm.integrate.schemes.exponential_output import Between, DenseOutput
from lrfm.integrate.schemes.radau import Iteration, StepResult, few
from lrfm.integrate.schemes.tableaus import PlainSteps
from lrfm.integrate.state import IntegratorState
from lrfm.linalg.phi import phi_numbers

Factor = ModeMatrix | RealDiagonal | RealMatrix


@dataclass(frozen=True)
class Coefficients:
    """The matrices of one step size."""

    half: Factor
    whole: Factor
    first: Factor
    second: tuple[Factor, Factor]
    third: tuple[Factor, Factor]
    end: tuple[Factor, Factor, Factor]

    @property
    def all(self) -> tuple[Factor, ...]:
        """In this order."""
        return (self.half, self.whole, self.first, *self.second, *self.third, *self.end)

    @property
    def size(self) -> int:
        """How many real numbers they are."""
        return sum(m.size for m in self.all)

    @cached_property
    def real(self) -> list[np.ndarray] | None:
        """All of them where they are real numbers for each mode: for real and imaginary parts side by side."""
        found = [m.numbers for m in self.all if isinstance(m, RealDiagonal)]
        return found if len(found) == len(self.all) else None

    @staticmethod
    def of(linear: LinearPart, h: float) -> Coefficients:
        """φ functions of hL and hL/2, combined."""
        half, whole = linear.phis(h / 2), linear.phis(h)
        one = lambda phis, f: linear.combined([phis], f)  # noqa: E731
        return Coefficients(
            one(half, lambda p: p[0]),
            one(whole, lambda p: p[0]),
            one(half, lambda p: h / 2 * p[1]),
            (one(half, lambda p: h * (p[1] / 2 - p[2])), one(half, lambda p: h * p[2])),
            (one(whole, lambda p: h * (p[1] - 2 * p[2])), one(whole, lambda p: 2 * h * p[2])),
            (
                one(whole, lambda p: h * (p[1] - 3 * p[2] + 4 * p[3])),
                one(whole, lambda p: h * (2 * p[2] - 4 * p[3])),
                one(whole, lambda p: h * (4 * p[3] - p[2])),
            ),
        )


def growth(d: np.ndarray, w: np.ndarray) -> np.ndarray:
    """|R|:  what a step makes of y′ = −d y + N,  N = iωy."""
    (half, *at_half), (whole, *at_end) = phi_numbers(-d / 2), phi_numbers(-d)
    n, (p1, p2, p3) = 1j * w, at_end
    two = half + at_half[0] / 2 * n
    three = half + (at_half[0] / 2 - at_half[1] + at_half[1] * two) * n
    four = whole + (p1 - 2 * p2 + 2 * p2 * three) * n
    ends = p1 - 3 * p2 + 4 * p3 + (2 * p2 - 4 * p3) * (two + three) + (4 * p3 - p2) * four
    return np.abs(whole + ends * n)


@lru_cache(maxsize=1)
def carried() -> tuple[float, float]:
    """s and γ of  hω ≤ s (1 + γ hd),  below which both halves of a step keep what is carried, |R| ≤ 1:  2√8, twice the limit of any four stages of order four, and the largest 1/n (1/17)."""
    s, d = math.sqrt(8), np.geomspace(1 / SCANS.coarse, SCANS.coarse, SCANS.coarse + 1)
    part = (np.arange(SCANS.coarse + 1) / SCANS.coarse)[:, None]
    for n in itertools.count(1):
        if np.max(growth(d, part * s * (1 + 2 * d / n))) <= 1:
            return 2 * s, 1 / n
    raise AssertionError


class ExponentialRungeKutta(PlainSteps):
    """Two steps of half the length, with the error that a parabola through N tells.

    `degree` is that of the polynomials that are kept of a step, even, so that ½ is among its points; rates are kept in single precision if that is enough: states are
    not made of them.
    """

    order = 4
    degree = order

    def __init__(self, duration: float, degree: int = degree, single: bool = False):
        self.duration, self.degree, self.kind = duration, degree, np.float32 if single else np.float64
        self._kept: OrderedDict[Any, Any] = OrderedDict()
        self._of: Any = None
        self._rest: tuple[np.ndarray, float, np.ndarray, np.ndarray] | None = None
        self._stable: tuple[np.ndarray, float] | None = None

    def beside(self, made: SpectralDiscretization, length: float, gain: float, stages: int) -> float:
        """Any where there is nothing but L."""
        return math.inf if made.form.exact else super().beside(made, length, gain, stages)

    def longest(self, made: SpectralDiscretization, state: IntegratorState) -> float:
        """That in which the stages of both halves keep what the rest carries, |R(z, iy)| ≤ 1."""
        if made.form.exact:
            return math.inf
        if self._stable is None or self._stable[0] is not state.y:
            found = made.longest(state.y, state.time, *carried())
            self._stable = state.y, found
        return self._stable[1]

    def quantized(self, length: float) -> float:
        """The next smaller step size 2^(j/n): matrices are made once for each."""
        return few(length, SERIES.lengths)

    def _cached(self, made: SpectralDiscretization, key: Any, make: Any) -> Any:
        """Matrices of some step sizes of one discretization; the oldest ones go."""
        if self._of is not made:
            self._of = made
            self._kept.clear()
        if key not in self._kept:
            self._kept[key] = make()
            most, held = SAFEGUARDS.numbers, sum(kept.size for kept in self._kept.values())
            while len(self._kept) > SAFEGUARDS.sets and held > most:
                held -= self._kept.popitem(last=False)[1].size
        self._kept.move_to_end(key)
        return self._kept[key]

    def _coefficients(self, made: SpectralDiscretization, h: float) -> Coefficients:
        return self._cached(made, h, lambda: Coefficients.of(made.linear, h))

    def _between(self, made: SpectralDiscretization, h: float) -> Between:
        linear, exact = made.linear, made.form.exact
        # Where there is nothing but L, states are made of them.
        kind = float if exact else self.kind
        make = lambda: Between.of(linear, exact, h, self.degree, kind)  # noqa: E731
        return self._cached(made, ("between", h), make)

    # One step -----------------------------------------------------------------------------------------------

    def step(
        self,
        made: SpectralDiscretization,
        pencil: Any,
        state: IntegratorState,
        length: float,
        iteration: Iteration,
    ) -> StepResult:
        """One attempt."""
        h, t, v = length, state.time, made.split(state.y)
        output, gap = DenseOutput(self.degree), np.zeros(v.shape, v.dtype)
        with np.errstate(all="ignore"):
            if made.form.exact:
                found = output.increments(made, self._between(made, h), [v], [])
                ends = [v, *(v + found[n].view(v.dtype) for n in (self.degree // 2 - 1, -1))]
                rests = [np.zeros((len(made.system.fields), *made.mesh.shape), dtype=v.dtype)] * 3
                evaluations = 1
            else:
                made.judge(v, t, state.steps, math.sqrt(h * self.duration))
                n0, f0 = self._known(made, state.y, v, t)
                middle = self._krogstad(made, v, f0, t, h / 2)
                n1 = made.rest(middle, t + h / 2)
                end = self._krogstad(made, middle, made.forced(n1), t + h / 2, h / 2)
                if not np.all(np.isfinite(end)):
                    if not made.in_double():
                        return StepResult.failed(1, np.inf)
                    self._rest = None
                    return self.step(made, pencil, state, length, iteration)
                ends, rests = [v, middle, end], [n0, n1, made.rest(end, t + h)]
            ends[2] = made.mesh.symmetric(ends[2])
            made.check_means(ends[2], rests[2])
            if not made.form.exact:
                found = output.increments(made, self._between(made, h), ends, rests)
                gap, evaluations = output.missed(found, ends), 2
            rates, last, inside = output(made, found, state.y, ends, rests, t, h)
            # Errors of steps add up over a run: each is measured as if it were all of its rate.
            error = made.joined(math.sqrt(self.duration / h) * gap, None)
            # Polynomials have an error of their own, which lasts for a part h/T of the time. What is no unknown of its own is as right as they are, and so is all where the ends of steps are exact.
            lasting = inside * math.sqrt(h / self.duration)
            others = made.norms(lasting) > made.norms(error)
            others[[*made.form.algebraic, *made.form.multipliers] if not made.form.exact else slice(None)] = (
                True
            )
            error[others] = lasting[others]
            # Numbers whose squares are none have no size.
            if not all(np.all(np.isfinite(made.norms(part))) for part in (rates, last, error, inside)):
                return StepResult.failed(1, np.inf)
            if not made.form.exact:
                self._rest = last, t + h, rests[2], made.forced(rests[2])
        return StepResult(True, rates, last, error, inside, evaluations, 0.0)

    def _known(
        self, made: SpectralDiscretization, y: np.ndarray, v: np.ndarray, t: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """The rest and its forcing at a state: those of the end of the step before, if it is that."""
        if self._rest is not None and self._rest[0] is y and self._rest[1] == t:
            return self._rest[2], self._rest[3]
        n = made.rest(v, t)
        self._rest = y, t, n, made.forced(n)
        return n, self._rest[3]

    def _krogstad(
        self, made: SpectralDiscretization, v: np.ndarray, f1: np.ndarray, t: float, h: float
    ) -> np.ndarray:
        op = self._coefficients(made, h)
        if op.real is not None:
            return self._in_reals(made, op.real, v, f1, t, h)
        force = lambda y, time: made.forced(made.rest(y, time))  # noqa: E731
        half, whole = op.half(v), op.whole(v)
        f2 = force(half + op.first(f1), t + h / 2)
        f3 = force(half + op.second[0](f1) + op.second[1](f2), t + h / 2)
        f4 = force(whole + op.third[0](f1) + op.third[1](f3), t + h)
        return whole + op.end[0](f1) + op.end[1](f2 + f3) + op.end[2](f4)

    def _in_reals(
        self,
        made: SpectralDiscretization,
        matrices: Sequence[np.ndarray],
        v: np.ndarray,
        f1: np.ndarray,
        t: float,
        h: float,
    ) -> np.ndarray:
        """The same with real numbers for each mode, on real and imaginary parts."""
        half, whole, first, second, third, fourth, fifth, *end = matrices
        kind = v.dtype
        f1 = np.ascontiguousarray(f1).view(float)
        v = np.ascontiguousarray(v).view(float)

        def force(y: np.ndarray, time: float) -> np.ndarray:
            return np.ascontiguousarray(made.forced(made.rest(y.view(kind), time))).view(float)

        at_half, at_end = half * v, whole * v
        f2 = force(at_half + first * f1, t + h / 2)
        f3 = force(at_half + second * f1 + third * f2, t + h / 2)
        f4 = force(at_end + fourth * f1 + fifth * f3, t + h)
        return (at_end + end[0] * f1 + end[1] * (f2 + f3) + end[2] * f4).view(kind)

    def kept(self, rates: np.ndarray) -> np.ndarray:
        """Rates as a step keeps them."""
        return rates.astype(self.kind, copy=False)


def spectral_start(
    made: SpectralDiscretization, time: float, y: np.ndarray, duration: float
) -> tuple[np.ndarray, np.ndarray]:
    """The state with algebraic unknowns by their equations, and the rates of all components."""
    v = made.split(y)
    if made.admissible is not None:
        v = made.admissible(v)
    v = made.mesh.symmetric(v)
    n = (
        made.rest(v, time)
        if not made.form.exact
        else np.zeros((len(made.system.fields), *made.mesh.shape), dtype=v.dtype)
    )
    made.check_means(v, n)
    algebraic = bool(made.form.algebraic or made.form.multipliers)
    others = made.others(v, n) if algebraic else None
    rates = ModeMatrix(made.linear.count, made.linear.entries)(v) + made.forced(n)
    return made.joined(v, others), made.joined(rates, None)
