# SPDX-License-Identifier: MIT
"""Integrals that are fields:  ∫ₐˣ e dx  along an axis,  ∫ K(t − s) e(s) ds  over the past.

    w = ∫ₐˣ e dx:                              w_x = e,   w = 0 at x = a
    m = ∫ e^{λ(t − s)} g(s) ds from t₀ on:       m_t = λ m + g,   m = 0 at t₀
    m_k = ∫ e^{λ(t − s)} T_k(x) g(s) ds:         (m_k)_t = λ m_k + T_k(−1) g + (2/T) Σ_j D_kj m_j,   x = 2(t − s)/T − 1

A kernel that is a sum of exponentials has one m for each. Any other smooth one on a time span T is a sum of Chebyshev polynomials to rounding, Σ c_k T_k(x), with
T_k′ = Σ_j D_kj T_j, so that the m_k are closed: what all of the past adds is known from as many fields, without quadrature over it. Such fields have no place among
the unknowns; they are kept beside these as means are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import chebyshev

from lrfm.problem.algebra import ONE, ZERO, Call, Expr, Number, Symbol, factors_of, mul, number, terms_of
from lrfm.problem.errors import ProblemError, listing
from lrfm.problem.expression import derivative, expanded, substituted
from lrfm.problem.free import FreeSymbol

SAMPLES = 65  # of a kernel on the time span
MOST_DEGREE = 32  # of a kernel: as many fields are carried along
KEPT = float(
    np.finfo(float).eps
)  # times samples: part of a kernel's largest value below which its coefficients are rounding
ALIKE = 1e-12  # values of a kernel that are the same
ASIDE = (0.37, 0.71)  # places at which it is looked at whether a kernel is one of t − s


@dataclass(frozen=True)
class Remembered:
    """a(t) e^{λ(t − s)} K(t − s) g(s): a, λ, K (none for one), and g at s = t.

    λ may hold numbers that a statement is differentiated by; its value is `told` with them in place.
    """

    outside: Expr
    rate: Expr
    kernel: Expr | None
    now: Expr

    @property
    def told(self) -> float:
        """λ as a number."""
        values = {s: number(s.value) for s in self.rate.symbols if isinstance(s, FreeSymbol)}
        found = substituted(self.rate, values) if values else self.rate
        assert isinstance(found, Number)
        return found.value


def remembered(integrand: Expr, dummy: str, what: str, text: str) -> list[Remembered]:
    """The terms of an integrand; ProblemError where one is no product of such factors."""
    time, past = Symbol("t"), Symbol(dummy)
    found: dict[tuple[Expr, Expr, Expr | None], Expr] = {}
    for term in terms_of(expanded(integrand)):
        rate, outside, kernel, inside = ZERO, [], [], []
        for factor in factors_of(term):
            slope = _rate(factor, time)
            if time not in factor.symbols:
                inside.append(factor)
            elif slope is not None:
                rate = rate + slope
                inside.append(factor)
            elif past not in factor.symbols:
                outside.append(factor)
            else:
                kernel.append(factor)
        mixed = mul(ONE, *kernel) if kernel else None
        if mixed is not None and _free(mixed):
            raise _not_by(what, text, _free(mixed))
        if mixed is not None and not _of_difference(mixed, time, past):
            raise _no_kernel(what, text, dummy)
        key = (mul(ONE, *outside), rate, mixed)
        found[key] = found.get(key, ZERO) + substituted(mul(ONE, *inside), {past: time})
    return [Remembered(*key, now) for key, now in found.items()]


def _rate(factor: Expr, time: Symbol) -> Expr | None:
    """λ of e^{λ t + …}; None for what is none."""
    if not (isinstance(factor, Call) and factor.function.name == "exp"):
        return None
    slope = derivative(factor.args[0], {time: ONE})
    return slope if all(isinstance(s, FreeSymbol) for s in slope.symbols) else None


def _free(e: Expr) -> list[str]:
    """Numbers in a formula that a statement is differentiated by."""
    return sorted(s.parameter for s in e.symbols if isinstance(s, FreeSymbol))


def _of_difference(kernel: Expr, time: Symbol, past: Symbol) -> bool:
    """Whether K(t, s) is the same after both times moved; without anything else in it."""
    if kernel.symbols - {time, past}:
        return False
    values = []
    for moved in (0.0, *ASIDE):
        at = {time: number(moved + ASIDE[1]), past: number(moved + ASIDE[0] / 2)}
        values.append(substituted(kernel, at))
    if not all(isinstance(v, Number) for v in values):
        return False
    first, *others = (v.value for v in values if isinstance(v, Number))
    return all(abs(v - first) <= ALIKE * max(1.0, abs(first)) for v in others)


def coefficients(kernel: Expr, dummy: str, span: float, what: str, text: str) -> np.ndarray:
    """c_k of K on (0, T), as many as are no rounding; ProblemError where these are too many."""
    x = chebyshev.chebpts1(SAMPLES)
    made = (substituted(kernel, {Symbol("t"): number(span * (1 + e) / 2), Symbol(dummy): ZERO}) for e in x)
    values = np.array([v.value if isinstance(v, Number) else np.nan for v in made])
    if not np.all(np.isfinite(values)):
        raise _not_smooth(what, text, span)
    found = chebyshev.chebfit(x, values, SAMPLES - 1)
    kept = np.flatnonzero(np.abs(found) > KEPT * SAMPLES * np.max(np.abs(values), initial=0.0))
    degree = int(kept[-1]) if len(kept) else 0
    if degree > MOST_DEGREE:
        raise _not_smooth(what, text, span)
    return found[: degree + 1]


def slopes(degree: int) -> np.ndarray:
    """D_kj of T_k′ = Σ_j D_kj T_j."""
    return np.array([np.pad(chebyshev.chebder(row), (0, 1))[: degree + 1] for row in np.eye(degree + 1)])


def _not_by(what: str, text: str, names: list[str]) -> ProblemError:
    return ProblemError(
        f"{what}: the kernel of `{text}` is carried along as a sum of polynomials, which are not differentiated by {listing(names)}; kernels that are exponentials of the time gone by are."
    )


def _no_kernel(what: str, text: str, dummy: str) -> ProblemError:
    return ProblemError(
        f"{what}: the kernel of `{text}` is no function of t - {dummy}, such as exp(-(t - {dummy})/tau) or 1/(1 + t - {dummy}), and no product of functions of t and of {dummy}."
    )


def _not_smooth(what: str, text: str, span: float) -> ProblemError:
    return ProblemError(
        f"{what}: the kernel of `{text}` is singular, or varies too much on the time span of {span:g} to be carried along as {MOST_DEGREE} fields. Solve on a shorter one, or "
        "come near it by a sum of exponentials."
    )
