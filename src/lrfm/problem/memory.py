# SPDX-License-Identifier: MIT
"""Integrals that are fields:  ∫ₐˣ e dx  along an axis,  ∫ K(t − s) e(s) ds  over the past.

    w = ∫ₐˣ e dx:                          w_x = e,   w = 0 at x = a
    m = ∫ e^{λ(t − s)} g(s) ds from t₀ on:   m_t = λ m + g,   m = 0 at t₀

A kernel that is a sum of exponentials has one m for each. Such fields have no place among the unknowns; they are kept beside these as means are.
"""

from __future__ import annotations

from lrfm.problem.algebra import ONE, ZERO, Call, Expr, Number, Symbol, factors_of, terms_of
from lrfm.problem.antiderivatives import expanded
from lrfm.problem.errors import ProblemError
from lrfm.problem.expression import derivative


def by_rate(integrand: Expr, dummy: str, what: str, text: str) -> dict[float, Expr]:
    """λ and e^{λ(t − s)} g at s = t, for each exponential of an integrand; ProblemError where it is no sum of such terms."""
    from lrfm.problem.motion import substituted  # is about problems, which are made of these

    time, past = Symbol("t"), Symbol(dummy)
    found: dict[float, Expr] = {}
    for term in terms_of(expanded(integrand)):
        rate = 0.0
        for factor in factors_of(term):
            if time not in factor.symbols:
                continue
            if not (isinstance(factor, Call) and factor.function.name == "exp"):
                raise _no_kernel(what, text, dummy)
            slope = derivative(factor.args[0], {time: ONE})
            if not isinstance(slope, Number):
                raise _no_kernel(what, text, dummy)
            rate += slope.value
        found[rate] = found.get(rate, ZERO) + substituted(term, {past: time})
    return found


def _no_kernel(what: str, text: str, dummy: str) -> ProblemError:
    return ProblemError(
        f"{what}: the kernel of `{text}` is no sum of exponentials of t - {dummy}, such as exp(-(t - {dummy})/tau): others ask for all of the past at each time. "
        "Come near it by a sum of exponentials."
    )
