# SPDX-License-Identifier: MIT
"""Whether a formula that is differentiated jumps:  F(p₊) − F(p₋) does not vanish as p₊ − p₋ → 0, on the two sides of g = 0.

The chain rule gives the derivative of a jump as zero, where it is a multiple of Dirac's δ(g) and no function. What decides, g, stands
in ``sign(g)``, ``abs(g)`` and in ``where``, ``heaviside``, ``min`` and ``max``. F is asked for values: ``u*sign(u)`` does not jump, though a part of
it does. Jets are taken for variables of their own, as they are in the chain rule. Not found is a jump whose g has one sign at all
places that are tried, and one of functions such as ``atan(1/x)``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set

import numpy as np

from lrfm.problem.algebra import (
    ONE,
    ZERO,
    Call,
    Expr,
    Number,
    Power,
    Symbol,
    add,
    postorder,
    symbols_in,
    terms_of,
    whole,
)
from lrfm.problem.errors import ProblemError
from lrfm.problem.expression import (
    absolute,
    choice,
    delta,
    derivative,
    has_delta,
    is_zero,
    rewritten,
    sign,
)
from lrfm.problem.jets import JetSymbol
from lrfm.problem.program import Program

PLACES = 600  # at which the signs of g are looked for
PAIRS = 24  # places of different sign between which g = 0 is searched
WIDE, NARROW = (
    20,
    44,
)  # halvings after which the two sides are compared; g = 0 itself is not reached, where F may be 0/0
ROUNDING = 1e-9  # a difference that is none, relative to the terms of F
LEFT = 0.3  # part of the difference at WIDE that a jump still has at NARROW
STARTS = 16  # places from which the other sign is searched where all have one,
SEARCH = 200  # and steps that are tried from each


def refused(what: str, name: str, letter: str) -> ProblemError:
    """The sentence on a derivative of a jump."""
    return ProblemError(
        f"{what}: `{name}` differentiates by `{letter}` what jumps along `{letter}`, in the formula itself or through a parameter: "
        "`where`, `heaviside` and `sign` jump, and so do the slopes of `abs`, `min` and `max`. The derivative of a jump is no function, "
        "and what is left of it between the jumps states another problem. Give two materials as the layers of a domain, "
        "`lrfm.Layers(...)`, with the coefficient by layer; or write a smooth step of width w in its place: "
        f"`0.5*(1 + tanh(({letter} - 0.5)/w))`."
    )


def jump_of(expression: Expr, g: Expr) -> Expr:
    """[F] = F(g > 0) − F(g < 0), with what `where` and `sign` of g choose on either side."""

    def beside(upper: bool) -> Expr:
        def chosen(node: Expr, args: tuple[Expr, ...]) -> Expr | None:
            if not isinstance(node, Call) or node.function not in (choice, sign) or node.args[0] != g:
                return None
            above, below = args[1:] if node.function is choice else (ONE, -ONE)
            return above if upper else below

        return rewritten(expression, chosen)

    return beside(True) - beside(False)


def jump_terms(expression: Expr, axes: Sequence[str], letter: str) -> Expr | None:
    """Σ_g δ(g) [F] ∂g/∂x for a flux F that vanishes with the slopes of the unknowns and places, lines or surfaces g = 0; None for anything else."""
    orders = {s: sum(s.jet.index[:-1]) for s in symbols_in(expression) if isinstance(s, JetSymbol)}
    slopes: dict[Symbol, Expr] = {s: ZERO for s, order in orders.items() if order == 1}
    if not slopes or has_delta(expression):
        return None
    if any(order > 1 or (order == 0 and len(axes) > 1) for order in orders.values()):
        return None  # weak forms have coefficients of the place alone there
    found, space = [], {Symbol(a) for a in axes}
    if any(not symbols_in(g) <= space for g in _deciding(expression)):
        return None
    switches = [n for n in postorder(expression) if isinstance(n, Call) and n.function in (choice, sign)]
    for g in dict.fromkeys(n.args[0] for n in switches):
        gap = jump_of(expression, g)
        # Linear in the slopes: Σ ∂[F]/∂u_x u_x is [F] itself.
        linear = add(*(derivative(gap, {s: ONE}, slopes) * s for s in slopes))
        if not vanishes(gap - linear):
            return None
        found.append(delta(g) * gap * derivative(g, {Symbol(letter): ONE}))
    return add(*found)


def vanishes(expression: Expr) -> bool:
    """Whether a formula is zero whatever its symbols are: at random values of them, up to rounding."""
    if is_zero(expression):
        return True
    symbols = sorted(symbols_in(expression), key=lambda s: s.name)
    rng = np.random.default_rng(0)
    places = _places(symbols, [], rng)
    terms = Program(terms_of(expression))(dict(zip(symbols, places.T, strict=True)))
    values = np.stack([np.broadcast_to(np.asarray(v, dtype=float), len(places)) for v in terms])
    good = np.all(np.isfinite(values), axis=0)
    values = values[:, good]
    return bool(np.all(np.abs(values.sum(axis=0)) <= ROUNDING * np.abs(values).sum(axis=0)))


def jumps_along(expression: Expr, moving: Set[Symbol]) -> bool:
    """Whether F jumps where the symbols `moving` vary; it does not where only others decide."""
    deciding = [g for g in _deciding(expression) if symbols_in(g) & moving]
    if not deciding:
        return False
    symbols = sorted(symbols_in(expression), key=lambda s: s.name)
    terms = Program(terms_of(expression))
    rng = np.random.default_rng(0)
    places = _places(symbols, [n.value for n in postorder(expression) if isinstance(n, Number)], rng)

    def parts(p: np.ndarray) -> np.ndarray:
        values = terms(dict(zip(symbols, p.T, strict=True)))
        return np.stack([np.broadcast_to(np.asarray(v, dtype=float), len(p)) for v in values])

    places = places[np.all(np.isfinite(parts(places)), axis=0)]  # F may exist for positive values only
    return any(_jumps_at(g, parts, symbols, places, rng) for g in dict.fromkeys(deciding))


def _deciding(expression: Expr) -> list[Expr]:
    """Every g at whose zeros a part of a formula may jump; √(g²) is |g|, with a slope that jumps."""
    found: list[Expr] = []
    for node in postorder(expression):
        if isinstance(node, Call) and node.function in (absolute, sign, choice):
            found.append(node.args[0])
        elif isinstance(node, Power) and isinstance(node.base, Power) and not whole(node.exponent):
            found.append(node.base.base)
    return [g for g in found if not (isinstance(g, Symbol) and g.by_layer)]


def _places(symbols: Sequence[Symbol], numbers: Sequence[float], rng: np.random.Generator) -> np.ndarray:
    """Values of all sizes and of both signs, and such as are near numbers in the formula; a third of them positive."""
    shape = (PLACES, len(symbols))
    values = rng.choice([-1.0, 1.0], shape) * 10.0 ** rng.uniform(-2, 2, shape)
    near = rng.choice([0.0, *(v for v in numbers if np.isfinite(v))], shape)
    near = near * rng.choice([-1.0, 1.0], shape) + 10.0 ** rng.uniform(-6, 0, shape) * rng.normal(size=shape)
    values = np.where(rng.random(shape) < 0.5, values, near)
    values[: PLACES // 3] = np.abs(values[: PLACES // 3])
    layers = np.array([s.by_layer for s in symbols])
    return np.where(layers, values > 0, values)


def _jumps_at(
    g: Expr,
    parts: Callable[[np.ndarray], np.ndarray],
    symbols: Sequence[Symbol],
    places: np.ndarray,
    rng: np.random.Generator,
) -> bool:
    """Whether F differs on the two sides of g = 0, however near these are."""
    program = Program([g])

    def decides(p: np.ndarray) -> np.ndarray:
        value = np.asarray(program(dict(zip(symbols, p.T, strict=True)))[0], dtype=float)
        return np.broadcast_to(value, len(p))

    free = np.array([s in symbols_in(g) and not s.by_layer for s in symbols])
    above, below = _sides(decides, places, free, rng)
    if not len(above):
        return False
    gaps = []
    for halving in range(NARROW + 1):
        if halving in (WIDE, NARROW):
            high, low = parts(above), parts(below)
            size = np.maximum(np.abs(high), np.abs(low)).sum(axis=0)
            gaps.append((np.abs((high - low).sum(axis=0)), size))
        middle = 0.5 * (above + below)
        up = (decides(middle) > 0)[:, None]
        above, below = np.where(up, middle, above), np.where(up, below, middle)
    (wide, _), (narrow, size) = gaps
    with np.errstate(invalid="ignore"):
        return bool(np.any((narrow > ROUNDING * size) & (narrow > LEFT * wide) & np.isfinite(size)))


def _sides(
    decides: Callable[[np.ndarray], np.ndarray],
    places: np.ndarray,
    free: np.ndarray,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of places with g > 0 and g ≤ 0 that differ in the symbols of g alone; none where one sign is all there is."""
    g = decides(places)
    places, g = places[np.isfinite(g)], g[np.isfinite(g)]
    if len(g) and (np.all(g > 0) or np.all(g <= 0)):
        sense = 1.0 if g[0] > 0 else -1.0
        best = places[np.argsort(sense * g, kind="stable")[:STARTS]]
        places = np.vstack([places, _descended(lambda p: sense * decides(p), best, free, rng)])
        g = decides(places)
    high, low = places[g > 0], places[g <= 0]
    if not (len(high) and len(low)):
        return high[:0], low[:0]
    above, below = (side[rng.integers(len(side), size=PAIRS)] for side in (high, low))
    below = np.where(free, below, above)
    return above, below


def _descended(
    cost: Callable[[np.ndarray], np.ndarray], best: np.ndarray, free: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Places with a lower cost, by random steps of all lengths: the inside of a small disc is found so."""
    least = cost(best)
    for _ in range(SEARCH):
        length = 10.0 ** rng.uniform(-4, 1, (len(best), 1))
        tried = best + np.where(free, length * rng.normal(size=best.shape), 0.0)
        found = cost(tried)
        better = found < least
        best, least = np.where(better[:, None], tried, best), np.where(better, found, least)
    return best
