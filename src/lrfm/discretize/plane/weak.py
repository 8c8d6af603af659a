# SPDX-License-Identifier: MIT
"""Strong rows as weak ones:  F = G(x, t, u, ∇u, …) − Σ_g div(a_g ∇∂ₜ^τ u_g),   a : D²u = div(a ∇u) − (div a)·∇u.

F has to be linear in second derivatives, with coefficients of anything below: u, x, t, and ∇u (`_quasilinear`). Where a coefficient cannot be differentiated, because it jumps or is a function of the
user's, and is the same factor of all second derivatives, the row is divided by it instead: u_t = k lap u is u_t/k = lap u, with u and ∇u continuous where k jumps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.options import SCANS
from lrfm.problem import Jet, Row
from lrfm.problem.algebra import ONE, ZERO, Call, Expr, Number, Symbol, add, mul, postorder, symbols_in
from lrfm.problem.expression import (
    absolute,
    choice,
    delta,
    derivative,
    has_delta,
    is_zero,
    sign,
    substituted,
)
from lrfm.problem.jets import FieldSymbol, GivenSymbol, JetSymbol, jet_symbol


@dataclass(frozen=True)
class Diffusion:
    """div(a ∇∂ₜ^τ u): the jet of ∂ₜ^τ u, and a as rows, a[k][l]."""

    jet: Jet
    tensor: tuple[tuple[Row, ...], ...]


@dataclass(frozen=True)
class WeakEquation:
    """One equation: G, its diffusions, and the fluxes f_k = Σ_g Σ_l a_kl ∂_l∂ₜ^τ u_g, none where there is no diffusion."""

    source: Row
    diffusions: tuple[Diffusion, ...]
    fluxes: tuple[Row, ...]
    lower: Row | None = None  # F without second derivatives, where G has some

    @property
    def carrying(self) -> Row:
        """Whose slopes by ∇u are velocities."""
        return self.source if self.lower is None else self.lower

    @property
    def jets(self) -> list[Jet]:
        """All derivatives in it."""
        rows = [self.source, *self.fluxes]
        rows += [r for d in self.diffusions for line in d.tensor for r in line]
        return list(dict.fromkeys(jet for row in rows for jet in row.jets))


def at_rest(jet: Jet) -> Jet:
    """∂ₜ^τ u of a jet, without its derivatives in space."""
    return Jet(jet.field, (*(0 for _ in jet.index[:-1]), jet.index[-1]))


def weak(row: Row, turns: Mapping[str, float] | None = None) -> WeakEquation:
    """An equation with its second derivatives as divergences; `turns` are θ of the mixed derivatives of some fields of the plane (`tractions`)."""
    if any(sum(jet.index[:-1]) > 2 for jet in row.jets):
        raise Unsuited("Cells of the plane hold derivatives up to the second order in space.")
    tensors, rest = _split(row)
    if any(map(_by_slopes, (c for tensor in tensors.values() for c in tensor.values()))):
        return _quasilinear(row, tensors, rest)
    if has_delta(row.expression):
        rest = _conserved(row, tensors, rest)
    elif not all(_smooth(c, row) for tensor in tensors.values() for c in tensor.values()):
        tensors, rest = _divided(row, tensors, rest)
    for jet, tensor in tensors.items():
        theta = (turns or {}).get(jet.whole, 0.0)
        if theta and (0, 1) in tensor:
            tensor[0, 1], tensor[1, 0] = (1 + 2 * theta) * tensor[0, 1], (1 - 2 * theta) * tensor[1, 0]
    parts, diffusions = [rest], []
    axes = range(len(row.coordinates) - 1)
    fluxes: list[list[Expr]] = [[] for _ in axes]
    for jet, tensor in tensors.items():
        lines = []
        for k in axes:
            line = []
            for m in axes:
                a = tensor.get((k, m), ZERO)
                slope = jet_symbol(jet.raised(m))
                fluxes[k].append(a * slope)
                parts.append(_total(a, k, row) * slope)
                line.append(Row(a, row.coordinates, row.label))
            lines.append(tuple(line))
        diffusions.append(Diffusion(jet, tuple(lines)))
    made = tuple(Row(add(*f), row.coordinates, row.label) for f in fluxes) if diffusions else ()
    return WeakEquation(Row(add(*parts), row.coordinates, row.label), tuple(diffusions), made)


Tensor = dict[tuple[int, int], Expr]


def _split(row: Row) -> tuple[dict[Jet, Tensor], Expr]:
    """a of each ∂ₜ^τ u, and what is left of F."""
    second = [jet for jet in row.jets if sum(jet.index[:-1]) == 2]
    tensors: dict[Jet, Tensor] = {}
    nothing: dict[Expr, Expr] = {jet_symbol(jet): ZERO for jet in second}
    for jet in second:
        c = derivative(row.expression, {JetSymbol(jet): ONE})
        if any(isinstance(s, JetSymbol) and sum(s.jet.index[:-1]) == 2 for s in symbols_in(c)):
            raise Unsuited("An equation is not linear in its second derivatives.")
        tensor = tensors.setdefault(at_rest(jet), {})
        along = [axis for axis, n in enumerate(jet.index[:-1]) for _ in range(n)]
        i, j = along
        if i == j:
            tensor[i, i] = -c
        else:
            tensor[i, j] = tensor[j, i] = -0.5 * c
    return tensors, substituted(row.expression, nothing)


def _by_slopes(coefficient: Expr) -> bool:
    """Whether first derivatives occur in it."""
    return any(isinstance(s, JetSymbol) and sum(s.jet.index[:-1]) for s in symbols_in(coefficient))


def _quasilinear(row: Row, tensors: dict[Jet, Tensor], rest: Expr) -> WeakEquation:
    """Coefficients a(x, u, p) with p = ∇u:  F = G − div(b ∇u),   b = ∫₀¹ a(x, u, s p) ds.

    f = b p has ∂f/∂p = a where there is such a flux (Poincaré's lemma), so that faces weigh jumps of ∇u as the cells weigh D²u; the integral is by Gauss's rule.
    G is F + div(b ∇u) written out: whatever b is, the equation is F = 0, and the second derivatives that are left in G vanish where the rule is exact.
    """
    nodes, weights = np.polynomial.legendre.leggauss(SCANS.flux_nodes)
    axes = range(len(row.coordinates) - 1)
    parts, diffusions = [row.expression], []
    fluxes: list[list[Expr]] = [[] for _ in axes]
    for jet, tensor in tensors.items():
        if not all(_smooth(c, row) for c in tensor.values()):
            raise Unsuited(
                "A coefficient of second derivatives depends on first ones, and jumps or has a kink."
            )
        lines = []
        for k in axes:
            line = []
            for m in axes:
                a = tensor.get((k, m), ZERO)
                b = add(
                    *(
                        0.5 * w * substituted(a, _scaled(a, 0.5 * (1 + s)))
                        for s, w in zip(nodes, weights, strict=True)
                    )
                )
                flux = b * jet_symbol(jet.raised(m))
                fluxes[k].append(flux)
                parts.append(_total(flux, k, row))
                line.append(Row(a, row.coordinates, row.label))
            lines.append(tuple(line))
        diffusions.append(Diffusion(jet, tuple(lines)))
    made = tuple(Row(add(*f), row.coordinates, row.label) for f in fluxes)
    source, lower = (Row(e, row.coordinates, row.label) for e in (add(*parts), rest))
    return WeakEquation(source, tuple(diffusions), made, lower)


def _scaled(expression: Expr, s: float) -> dict[Expr, Expr]:
    """First derivatives times s."""
    slopes = (x for x in symbols_in(expression) if isinstance(x, JetSymbol) and sum(x.jet.index[:-1]))
    return {x: s * x for x in slopes}


def _smooth(coefficient: Expr, row: Row) -> bool:
    """Whether a coefficient may be differentiated in space."""
    for node in postorder(coefficient):
        if isinstance(node, Call) and node.function in (absolute, sign, choice):
            # What differs by layer is differentiated within each; conditions say what holds between them.
            if isinstance(g := node.args[0], Symbol) and g.by_layer:
                continue
            return False
        if isinstance(node, FieldSymbol) or not isinstance(node, GivenSymbol):
            continue
        if set(node.depends(row.coordinates)) & set(row.coordinates[:-1]):
            return False
    return True


def _conserved(row: Row, tensors: dict[Jet, Tensor], rest: Expr) -> Expr:
    """What is left of F where its second derivatives are div(a ∇u) with an a that jumps at lines g = 0: all of δ(g) [a ∇u]·∇g is in the divergence."""
    from lrfm.problem.jumps import jump_of, vanishes

    deltas = dict.fromkeys(n for n in postorder(rest) if isinstance(n, Call) and n.function is delta)
    named: dict[Expr, Expr] = {node: Symbol(f"delta {k}") for k, node in enumerate(deltas)}
    plain = substituted(rest, named)
    for node, symbol in named.items():
        g = node.args[0]
        parts = [derivative(plain, {symbol: ONE})] if isinstance(symbol, Symbol) else []
        for jet, tensor in tensors.items():
            for (k, m), a in tensor.items():
                along = derivative(g, {Symbol(row.coordinates[k]): ONE})
                parts.append(jump_of(a, g) * along * jet_symbol(jet.raised(m)))
        if not vanishes(substituted(add(*parts), dict.fromkeys(named.values(), ZERO))):
            raise Unsuited(
                "`diff` differentiates what jumps, and what it differentiates is not the flux of all second derivatives of the equation."
            )
    return substituted(plain, dict.fromkeys(named.values(), ZERO))


def _divided(row: Row, tensors: dict[Jet, Tensor], rest: Expr) -> tuple[dict[Jet, Tensor], Expr]:
    """The row divided by the one factor of all of its second derivatives."""
    found = [c for tensor in tensors.values() for c in tensor.values() if not is_zero(c)]
    scale = found[0]
    ratios = [c / scale for c in found]
    if len(tensors) > 1 or not all(isinstance(r, Number) for r in ratios):
        raise Unsuited(
            "A coefficient of second derivatives jumps, or is a function whose slope is not known, and is not the same for all of them."
        )
    made = {jet: {at: c / scale for at, c in tensor.items()} for jet, tensor in tensors.items()}
    return made, rest / scale


def _total(expression: Expr, axis: int, row: Row) -> Expr:
    """The derivative along an axis, through unknowns and given fields as well."""
    seed: dict[Symbol, Expr] = {}
    for symbol in symbols_in(expression):
        if isinstance(symbol, JetSymbol):
            seed[symbol] = jet_symbol(symbol.jet.raised(axis))
        elif isinstance(symbol, FieldSymbol):
            raised = symbol.raised(axis)
            seed[symbol] = ZERO if raised is None else raised
        elif not isinstance(symbol, GivenSymbol):
            seed[symbol] = ONE if symbol.name == row.coordinates[axis] else ZERO
    return mul(ONE, derivative(expression, seed))
