# SPDX-License-Identifier: MIT
"""Picard's rule: which factor of a product of unknowns stays live (Paper, eq:picard-residual)."""

from __future__ import annotations

from lrfm.problem.algebra import ONE, Expr, Number, Power, Sum, Symbol, add, factors_of, mul, terms_of
from lrfm.problem.jets import ContainsJets, Jet, JetSymbol


def live_part(expression: Expr, own: frozenset[str], moving: ContainsJets) -> dict[Jet, Expr]:
    """Coefficients c_a(u_old) of a sum, N ≈ Σ c_a(u_old) D^a u + the rest frozen.

    In each product the live factor is the one with the highest derivative; among equals that of the row's own
    unknown (`own`: its time derivative stands in the row), then a plain factor before a power before a
    bracket: u u_x → u_old·u_x, u³ → u_old²·u, |ψ|²ψ → |ψ_old|²·ψ. A term without such a factor, as sin(u), is
    frozen as a whole and gives nothing here.
    """
    total: dict[Jet, list[Expr]] = {}
    for term in terms_of(expression):
        for jet, coefficient in _live_factor(term, own, moving).items():
            total.setdefault(jet, []).append(coefficient)
    return {jet: add(*parts) for jet, parts in total.items()}


def _live_factor(term: Expr, own: frozenset[str], moving: ContainsJets) -> dict[Jet, Expr]:
    """Split one product into (live jets) × (frozen rest)."""
    factors = factors_of(term)
    best: tuple[tuple, int, dict[Jet, Expr]] | None = None
    for position, factor in enumerate(factors):
        live = _as_live(factor, own, moving)
        if live:
            order = max(jet.order for jet in live)
            belongs = any(jet.unknown in own for jet in live)
            plain = 2 if isinstance(factor, Symbol) else 1 if isinstance(factor, Power) else 0
            rank = (order, belongs, plain, -position)
            if best is None or rank > best[0]:
                best = (rank, position, live)
    if best is None:
        return {}
    _, position, live = best
    rest = mul(*factors[:position], *factors[position + 1 :])
    return {jet: c * rest for jet, c in live.items()}


def _as_live(factor: Expr, own: frozenset[str], moving: ContainsJets) -> dict[Jet, Expr]:
    """Coefficients by which one factor is linear in jets, others frozen: u → 1, u³ → u², u_xx + u² → 1, u."""
    if isinstance(factor, JetSymbol):
        return {factor.jet: ONE}
    if isinstance(factor, Power) and isinstance(factor.base, JetSymbol) and _at_least_one(factor.exponent):
        return {factor.base.jet: factor.base ** (factor.exponent - 1)}
    return live_part(factor, own, moving) if isinstance(factor, Sum) and moving[factor] else {}


def _at_least_one(exponent: Expr) -> bool:
    return isinstance(exponent, Number) and exponent.value >= 1
