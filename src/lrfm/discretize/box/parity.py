# SPDX-License-Identifier: MIT
"""Even or odd between walls:  u_n = 0 at both ends of an axis makes u even (cosines),  u = 0 odd (sines); a derivative along the axis changes one into the other.

A term Π Dᵃu is the sum of its factors modulo two; an odd function of an odd one is odd, any function of even ones is even. What depends on coordinates alone may be
expanded in either, and the decay of its coefficients says how well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.problem import Jet, Row
from lrfm.problem.algebra import Call, Expr, Number, Power, Product, Sum, Symbol, postorder
from lrfm.problem.expression import is_zero
from lrfm.problem.jets import JetSymbol
from lrfm.spaces.series import EVEN, NEITHER, ODD, Parity

ODD_FUNCTIONS = frozenset({"sin", "tan", "sinh", "tanh", "asin", "atan", "asinh", "atanh", "erf", "sign"})
EVEN_FUNCTIONS = frozenset({"cos", "cosh", "sech", "absolute"})


def parities_of(
    system: EvolutionSystem,
    constants: Sequence[Sequence],
    periodic: tuple[bool, ...],
    polynomial: tuple[int, ...] = (),
) -> list[Parity]:
    """Of every component along every axis; EVEN along circles, NEITHER along polynomial axes."""
    axes, count = range(len(periodic)), len(system.components)
    told = {a: EVEN for a in axes if periodic[a]} | dict.fromkeys(polynomial, NEITHER)
    known: list[dict[int, int]] = [dict(told) for _ in range(count)]
    for axis in (a for a in axes if a not in told):
        for field, parity in _by_conditions(system, axis).items():
            first = system.first[field]
            for c in range(first, first + max(1, system.orders[field])):
                known[c][axis] = parity
        _spread(known, constants, axis)
        if any(axis not in own for own in known):
            raise Unsuited("Conditions do not say whether an unknown is even or odd between the walls.")
    return [tuple(own[a] for a in axes) for own in known]


def _by_conditions(system: EvolutionSystem, axis: int) -> dict[str, int]:
    """Parities that both faces of an axis give to fields."""
    box, found = system.problem.domain, {}
    sides = []
    for upper in (False, True):
        own: dict[str, set[int]] = {}
        for face, rows in system.problem.face_rows.items():
            if box.face(face) == (axis, upper):  # type: ignore[attr-defined]
                for row in rows:
                    field, parity = _homogeneous(row, axis)
                    own.setdefault(field, set()).add(parity)
        sides.append(own)
    if sides[0] != sides[1]:
        raise Unsuited("Two opposite walls have different conditions.")
    for field, parities in sides[0].items():
        if len(parities) != 1:
            raise Unsuited("The conditions at a wall make an unknown neither even nor odd.")
        found[field] = parities.pop()
    return found


def _homogeneous(row: Row, axis: int) -> tuple[str, int]:
    """The field of a condition ∂ₙʲu = 0, and its parity."""
    jets = list(row.linear_part)
    if not row.linear or not is_zero(row.source_part) or len(jets) != 1:
        raise Unsuited("A condition at a wall is not of the form u = 0 or u_n = 0.")
    (jet,) = jets
    if any(n for a, n in enumerate(jet.index) if a != axis) or row.linear_part[jet].symbols:
        raise Unsuited("A condition at a wall is not of the form u = 0 or u_n = 0.")
    return jet.whole, ODD if jet.index[axis] % 2 == 0 else EVEN


def _spread(known: list[dict[int, int]], constants: Sequence[Sequence], axis: int) -> None:
    """Fields without conditions, such as a pressure, are what makes the terms of an equation agree."""
    changed = True
    while changed:
        changed = False
        for row in constants:
            told = {(known[c.component][axis] + c.index[axis]) % 2 for c in row if axis in known[c.component]}
            if len(told) != 1:
                continue
            (whole,) = told
            for c in row:
                if axis not in known[c.component]:
                    known[c.component][axis] = (whole + c.index[axis]) % 2
                    changed = True


def parity_of(
    formula: Expr, of_jet: Callable[[Jet], Parity], dimension: int, periodic: tuple[bool, ...]
) -> tuple[int | None, ...]:
    """Of a formula along each axis: EVEN, ODD, or None where it is neither."""
    result: list[int | None] = []
    for axis in range(dimension):
        found: dict[Expr, int | None] = {}
        if periodic[axis]:
            result.append(EVEN)
            continue
        for node in postorder(formula):
            found[node] = _node(node, [found[a] for a in node.args], of_jet, axis)
        result.append(found[formula])
    return tuple(result)


def _node(node: Expr, args: list[int | None], of_jet: Callable[[Jet], Parity], axis: int) -> int | None:
    if isinstance(node, JetSymbol):
        return of_jet(node.jet)[axis]
    if isinstance(node, Symbol | Number):
        return EVEN
    if None in args:
        return None
    known = [a for a in args if a is not None]
    if isinstance(node, Sum):
        # A number, or what is given, beside odd terms is expanded with them.
        moving = {
            a
            for a, part in zip(known, node.args, strict=True)
            if any(isinstance(s, JetSymbol) for s in part.symbols)
        }
        return EVEN if not moving else moving.pop() if len(moving) == 1 else None
    if isinstance(node, Product):
        return sum(known) % 2
    if isinstance(node, Power):
        exponent = node.args[1]
        if known[0] == EVEN and known[1] == EVEN:
            return EVEN
        whole = isinstance(exponent, Number) and exponent.value == round(exponent.value)
        return int(exponent.value) % 2 if whole and isinstance(exponent, Number) else None
    assert isinstance(node, Call)
    if ODD not in known:
        return EVEN
    if len(known) == 1 and node.function.name in ODD_FUNCTIONS:
        return ODD
    return EVEN if len(known) == 1 and node.function.name in EVEN_FUNCTIONS else None
