# SPDX-License-Identifier: MIT
"""A path to statements whose equations degenerate where nothing is known yet:  F_ε → F as ε → 0.

    F_ε:  b^q → (b + ε)^q,   log b → log(b + ε),   |b| → √(b² + ε²),   and  + ε Σ_k ∂ₖ²u  with the sign of the diffusion,

for bases b of roots and of negative powers that hold unknowns. div(|∇u|^(p − 2) ∇u) becomes div(((|∇u|² + ε)^((p − 2)/2) + ε) ∇u), whose flux has a finite slope that is not zero
where ∇u vanishes, as that of a p-Laplacian has at u = 0 for no p but 2 (Barrett, Liu, Math. Comp. 61, 1993). The last statement of the path is the given one, to which its claim belongs.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lrfm.discretize.evolution import PLACES
from lrfm.discretize.line.collocation import _slopes
from lrfm.discretize.options import ROUNDING, Options
from lrfm.integrate.steady.plane import some_places
from lrfm.problem import Problem, Row
from lrfm.problem.algebra import Call, Expr, Power, Symbol, add, number, power, whole
from lrfm.problem.expression import absolute, log, rewritten, substituted
from lrfm.problem.jets import ContainsJets, Jet, jet_symbol

EPSILON = Symbol("<epsilon>")


def easier(problem: Problem) -> Iterator[Problem]:
    """Statements with ε = 1, 1/10, …; none where neither equations nor conditions degenerate at zero."""
    rows = {id(row): row for row in problem.all_rows}
    shapes = {key: _softened(row) for key, row in rows.items()}
    for row in problem.rows:
        shapes[id(row)] = shapes[id(row)] + EPSILON * _diffusion(problem, row)
    if all(shapes[key] == row.expression for key, row in rows.items()):
        return
    size = 1.0
    while size > ROUNDING.root:
        made = {key: _with(row, shapes[key], size) for key, row in rows.items()}
        changed = object.__new__(type(problem))
        changed.__dict__.update(problem.__dict__)
        changed.__dict__["rows"] = tuple(made[id(row)] for row in problem.rows)
        changed.__dict__["face_rows"] = {
            face: tuple(made[id(row)] for row in own) for face, own in problem.face_rows.items()
        }
        yield changed
        size *= Options.minor


def _with(row: Row, shape: Expr, size: float) -> Row:
    """A row with a number for ε."""
    return Row(substituted(shape, {EPSILON: number(size)}), row.coordinates, row.label)


def _softened(row: Row) -> Expr:
    """F with ε beside what roots, negative powers, logarithms and moduli are taken of, as far as unknowns are in it."""
    moving = ContainsJets(row.expression)

    def softened(node: Expr, args: tuple[Expr, ...]) -> Expr | None:
        if not args or not moving[node.args[0]]:
            return None
        if isinstance(node, Power) and _singular(node.exponent):
            return power(add(args[0], EPSILON), args[1])
        if isinstance(node, Call) and node.function is log:
            return log(add(args[0], EPSILON))
        if isinstance(node, Call) and node.function is absolute:
            return power(add(args[0] * args[0], EPSILON * EPSILON), number(0.5))
        return None

    return rewritten(row.expression, softened)


def _singular(exponent: Expr) -> bool:
    return not whole(exponent) or float(exponent) < 0  # type: ignore[arg-type]


def _diffusion(problem: Problem, row: Row) -> Expr:
    """±Σ_k ∂ₖ²u where the second derivatives of an equation have no or no finite coefficients at zero; zero elsewhere."""
    second = [jet for jet in row.jets if sum(jet.index[:-1]) == 2]
    if not second or row.linear or any(sum(jet.index[:-1]) > 2 for jet in row.jets):
        return number(0.0)
    places = some_places(problem)
    nothing = _slopes(row, places, {jet: np.zeros(PLACES) for jet in row.jets})
    total = np.sum([np.broadcast_to(np.abs(nothing[jet]), PLACES) for jet in second], axis=0)
    if np.all(np.isfinite(total)) and np.all(total > 0):
        return number(0.0)
    slopes = _slopes(row, places, {jet: np.ones(PLACES) for jet in row.jets})
    whole_field = second[0].whole
    own = [jet for jet in second if jet.whole == whole_field and max(jet.index[:-1]) == 2]
    sign = np.sign(sum(np.sum(np.broadcast_to(slopes[jet], PLACES)) for jet in own))
    axes = len(row.coordinates) - 1
    every = [Jet(second[0].field, tuple(2 * (k == axis) for k in range(axes + 1))) for axis in range(axes)]
    return number(float(sign)) * add(*(jet_symbol(jet) for jet in every))
