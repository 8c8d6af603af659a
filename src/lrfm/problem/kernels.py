# SPDX-License-Identifier: MIT
"""Integrals over space with a kernel:  ∫ K(x, y) g(y) dy = Σ_k φ_k(x) ∫ ψ_k(y) g(y) dy.

A smooth kernel is a sum of few products to rounding: the singular value decomposition of its Chebyshev coefficients on the square has them, with φ_k and ψ_k
as series (Townsend, Trefethen, SIAM J. Sci. Comput. 35, 2013, C495). Each ∫ ψ_k g dy is an integral over the domain as any other. A kernel that is smooth on
either side of y = x alone, as exp(−|x − y|) and Green's functions are, is one such sum on each side, with integrals that run up to x and from it on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.polynomial import chebyshev

from lrfm.problem.algebra import (
    MINUS,
    ONE,
    ZERO,
    Call,
    Expr,
    Function,
    Power,
    Symbol,
    factors_of,
    mul,
    postorder,
    symbols_in,
    terms_of,
)
from lrfm.problem.errors import ProblemError
from lrfm.problem.expression import absolute, choice, expanded, rewritten, sign, substituted
from lrfm.problem.jets import JetSymbol
from lrfm.problem.program import Program

SAMPLES = (16, 32, 64, 128, 256)  # of a kernel along each axis, until its coefficients have decayed
LAST = 8  # part of the coefficients by which it is told whether they have
KEPT = float(np.finfo(float).eps)  # times samples: what is rounding beside a kernel's largest value
PLACES = 1000  # at which signs are read off and a sum of products is compared with its kernel
WRONG = 1e-11  # difference to the kernel there, of its largest value, that a sum of products may have

Pairs = list[tuple[Expr, Expr]]  # φ_k(x), ψ_k(x)


@dataclass(frozen=True)
class Kernel:
    """a(x) K(x, y) g(y): a, K (one where there is none), and g at y = x."""

    outside: Expr
    kernel: Expr
    inside: Expr


class Series(Function):
    """f(x) = Σ c_k T_k(2(x − a)/(b − a) − 1)."""

    def __init__(self, c: np.ndarray, low: float, high: float):
        told = sha256(np.array([low, high, *c]).tobytes()).hexdigest()
        self.name = f"series {told}"  # no function that texts can name
        self.slopes = (
            lambda x: Series(chebyshev.chebder(c) * 2 / (high - low), low, high)(x) if len(c) > 1 else ZERO,
        )
        self.numeric = lambda x: chebyshev.chebval(2 * (np.asarray(x) - low) / (high - low) - 1, c)


def separated(
    integrand: Expr, axis: str, dummy: str, reach: Callable[[Expr], frozenset[str]]
) -> list[Kernel] | None:
    """The terms of an integrand along an axis, in which jets are those at the dummy; None where one is no product of such factors."""
    place, other = Symbol(axis), Symbol(dummy)
    found: dict[tuple[Expr, Expr], Expr] = {}
    for term in terms_of(expanded(integrand)):
        outside, kernel, inside = [], [], []
        for factor in factors_of(term):
            symbols = symbols_in(factor)
            here = any(axis in reach(s) for s in symbols if not isinstance(s, JetSymbol))
            there = other in symbols or any(isinstance(s, JetSymbol) for s in symbols)
            (kernel if here and there else inside if there else outside).append(factor)
        mixed = mul(ONE, *kernel)
        if mixed.symbols - {place, other}:
            return None
        key = (mul(ONE, *outside), mixed)
        found[key] = found.get(key, ZERO) + substituted(mul(ONE, *inside), {other: place})
    return [Kernel(*key, now) for key, now in found.items()]


def joins(integrands: Sequence[Expr], dummy: str, axes: Sequence[str]) -> list[str]:
    """The axes whose coordinate stands in one function with the dummy, and without the time."""
    found: list[str] = []
    for node in postorder(*integrands):
        if not isinstance(node, Call | Power):
            continue
        names = {s.name for s in node.symbols if type(s) is Symbol}
        if dummy in names and "t" not in names:
            found += [axis for axis in axes if axis in names and axis not in found]
    return found


def products_of(
    kernel: Expr, axis: str, dummy: str, ends: tuple[float, float], side: int, most: int, what: str, text: str
) -> list[tuple[int, Pairs]]:
    """φ_k and ψ_k for all places, or for those on either side of x; ProblemError where there are none, or too many."""
    for sides in ((side,),) if side else ((0,), (1, -1)):
        found = [(at, products(kernel, axis, dummy, ends, at)) for at in sides]
        if all(pairs for _, pairs in found) and sum(len(pairs) for _, pairs in found) <= most:
            return found
    raise not_smooth(what, text, most)


def products(kernel: Expr, axis: str, dummy: str, ends: tuple[float, float], side: int) -> Pairs:
    """φ_k and ψ_k of a kernel on the square, or on its half with y < x (side 1) or y > x (side −1); none where it is not smooth there."""
    if kernel == ONE:
        return [(ONE, ONE)]
    x, y = Symbol(axis), Symbol(dummy)
    if side:
        kernel = _chosen(kernel, x, y, ends, side)
    coefficients = _coefficients(_values_of(kernel, x, y), ends)
    if coefficients is None:
        return []
    left, sizes, right = np.linalg.svd(coefficients)
    rank = int(np.sum(sizes > KEPT * max(coefficients.shape) * sizes[0]))
    found = [
        (
            Series(_cut(left[:, k] * sizes[k]), *ends)(x),
            Series(_cut(right[k]), *ends)(x),
        )
        for k in range(rank)
    ]
    return found if _same(found, kernel, x, y, ends, side) else []


def _values_of(kernel: Expr, x: Symbol, y: Symbol) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    program = Program([kernel])

    def values(at: np.ndarray, beside: np.ndarray) -> np.ndarray:
        here, there = (np.ravel(part) for part in np.broadcast_arrays(at, beside))
        (found,) = program({x: here, y: there})
        return np.broadcast_to(found, here.shape).reshape(np.broadcast_shapes(at.shape, beside.shape))

    return values


def _coefficients(values: Callable, ends: tuple[float, float]) -> np.ndarray | None:
    """c_ij of K = Σ c_ij T_i(x) T_j(y), as many as it takes; None where these do not decay."""
    low, high = ends
    for n in SAMPLES:
        # Numbers of different parity have no place in common: nothing is asked for on the diagonal, where K may be 0/0.
        grids = [chebyshev.chebpts1(size) for size in (n, n + 1)]
        at, beside = (low + (high - low) * (1 + grid) / 2 for grid in grids)
        found = values(at[:, None], beside[None, :])
        if not np.all(np.isfinite(found)):
            return None
        for grid in grids:
            found = np.linalg.solve(chebyshev.chebvander(grid, len(grid) - 1), found).T
        rounding = KEPT * n * float(np.max(np.abs(found)))
        tail = max(np.max(np.abs(found[-n // LAST :])), np.max(np.abs(found[:, -n // LAST :])))
        if tail <= rounding:
            return np.where(np.abs(found) > rounding / n, found, 0.0)
    return None


def _cut(c: np.ndarray) -> np.ndarray:
    """Without coefficients that are zero at the end."""
    last = np.flatnonzero(c)
    return c[: int(last[-1]) + 1] if len(last) else np.zeros(1)


def _scattered(ends: tuple[float, float], side: int) -> tuple[np.ndarray, np.ndarray]:
    """Places (x, y) of the square or of one half of it."""
    at, beside = ends[0] + (ends[1] - ends[0]) * np.random.default_rng(0).random((2, PLACES))
    if not side:
        return at, beside
    small, large = np.minimum(at, beside), np.maximum(at, beside)
    return (large, small) if side > 0 else (small, large)


def _chosen(kernel: Expr, x: Symbol, y: Symbol, ends: tuple[float, float], side: int) -> Expr:
    """The kernel with what `abs`, `sign`, `where`, `min` and `max` choose on one side of y = x, as far as that is the same everywhere on it."""
    at, beside = _scattered(ends, side)

    def chosen(node: Expr, args: tuple[Expr, ...]) -> Expr | None:
        if not isinstance(node, Call) or node.function not in (absolute, sign, choice):
            return None
        decided = np.sign(_values_of(args[0], x, y)(at, beside))
        if not (np.all(decided == 1) or np.all(decided == -1)):
            return None
        up = decided[0] > 0
        if node.function is choice:
            return args[1] if up else args[2]
        first = ONE if up else MINUS
        return first if node.function is sign else first * args[0]

    return rewritten(kernel, chosen)


def _same(pairs: Pairs, kernel: Expr, x: Symbol, y: Symbol, ends: tuple[float, float], side: int) -> bool:
    """Whether a sum of products has the values of its kernel at places that were not used for it."""
    at, beside = _scattered(ends, side)
    wanted = _values_of(kernel, x, y)(at, beside)
    left, right = Program([a for a, _ in pairs])({x: at}), Program([b for _, b in pairs])({x: beside})
    found = sum(np.asarray(a) * np.asarray(b) for a, b in zip(left, right, strict=True))
    return bool(np.max(np.abs(found - wanted)) <= WRONG * np.max(np.abs(wanted)))


def not_smooth(what: str, text: str, most: int) -> ProblemError:
    """The sentence on a kernel that is no sum of few products."""
    return ProblemError(
        f"{what}: the kernel of `{text}` is singular, or so narrow that it is no sum of {most} products of a function of either place. Kernels may have kinks and jumps at equal "
        "places, such as exp(-abs(x - y)); a narrow one of this kind is stated by a further unknown, `w - L**2*w_xx = u`."
    )


def not_separate(what: str, text: str, dummy: str, axis: str) -> ProblemError:
    """The sentence on an integrand that is no product."""
    return ProblemError(
        f"{what}: the integrand of `{text}` is no product of a kernel of {axis} and {dummy}, such as exp(-({axis} - {dummy})**2), of functions of {axis} and the time, and of a formula with "
        f"unknowns at {dummy}, such as u({dummy})**2. Multiply it out; what is given as a function can be no part of a kernel."
    )
