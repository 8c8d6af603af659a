# SPDX-License-Identifier: MIT
"""The energy estimate of a linear statement on an interval:  ∂ₜ‖v‖ ≤ μ‖v‖ + ‖ρ‖  for  v_t = A v_xx + B v_x + C v + ρ,  conditions without data.

With M = B − A_x = S + K, S symmetric and K not, integration by parts gives

    ½ ∂ₜ‖v‖² = [v·A v_x + ½ v·S v] − ∫ v_x·A v_x + ∫ v·K v_x + ∫ v·(C − ½ S_x) v + ∫ v·ρ.

Let a be the least eigenvalue of the symmetric part of A. What diffusion takes away is shared: a/n each for Poincaré's inequality (λ‖v‖² ≤ ‖v_x‖², λ = (π/L)² where v
vanishes at both ends, a quarter of it at one), for K (‖K‖²/(4a/n)), for an end at which the boundary form is at most β|v|² with β > 0 (|v|² ≤ (1/L + 1/η)‖v‖² + η‖v_x‖²),
and for ρ = ρ₀ + R_x with R = 0 at edges of cells, which adds ‖R‖²/(2a/n) to ∂ₜ‖v‖² (the equilibrated flux of one dimension; Ern, Smears, Vohralík,
SIAM J. Numer. Anal. 55, 2017). A = 0 is transport, A without a symmetric part Schrödinger's equation: n = 0, and all of ρ counts by its norm.

Nonlinear terms of one unknown are coefficients at the computed solution, and a quotient beside C (`error.bounds.quotients`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from lrfm.error.bounds.quotients import Quotients
from lrfm.problem import Jet, Problem, ProblemError
from lrfm.problem.algebra import ONE, Expr, Number, Symbol, add
from lrfm.problem.equation import Row, full, inputs
from lrfm.problem.expression import derivative, has_delta, jumps
from lrfm.problem.jets import GivenSymbol, JetSymbol
from lrfm.problem.program import Program

ROUNDING = 1e-12  # of a boundary form, relative to its coefficients: below it is zero

HOLDS = (
    "Bounds (`certify=True`) are known on an interval for u_t = a*u_xx + b*u_x + c*u + f and systems of these, one unknown with u*u_x "
    "or powers of u beside that, and u_tt = a*u_xx + b*u_x + c*u - d*u_t + f, periodic or with linear conditions that have numbers as coefficients. Leave out `certify`: the error is estimated."
)


def refused(why: str) -> ProblemError:
    return ProblemError(f"No bound: {why} {HOLDS}")


@dataclass(frozen=True)
class Coefficients:
    """A, B, C at points (n, m, m), with A_x, A_xx and B_x."""

    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    a_x: np.ndarray
    s_x: np.ndarray


class Energy:
    """The coefficients of a statement in the form above, its conditions, and μ."""

    order = 1  # in time

    def __init__(self, problem: Problem):
        self.problem, self.fields = problem, tuple(problem.fields)
        self._check()
        self.axis = next(iter(problem.domain.axes))
        self.low, self.high = problem.domain.axes[self.axis]
        jets = [jet for row in problem.rows for jet in row.linear_part]
        if any(
            jet.index[-1] > self.order or jet.index[0] > 2 or (jet.index[-1] and jet.index[0]) for jet in jets
        ):
            raise refused("derivatives of other orders occur.")
        self.solved = np.linalg.inv(self._rates())
        exprs = {k: self._matrix(problem.rows, (k, 0)) for k in range(3)}
        along = {Symbol(self.axis): ONE}
        slopes = {
            1: [derivative(e, along) for e in exprs[1]],
            2: [derivative(e, along) for e in exprs[2]],
            3: [derivative(derivative(e, along), along) for e in exprs[2]],
        }
        found = [*exprs[2], *exprs[1], *exprs[0], *slopes[2], *slopes[1], *slopes[3]]
        _check_smooth([*exprs[2], *exprs[1]], [e for k in slopes for e in slopes[k]])
        self._program = Program(found)
        self._functions = [s for s in self._program.symbols if isinstance(s, GivenSymbol)]
        self.ends = self._ends()
        self.between = -math.inf, math.inf  # values that u does not pass
        self.nonlinear = self._nonlinear()

    def _check(self) -> None:
        problem = self.problem
        if problem.steady or not problem.local or problem.delays or not problem.forward:
            raise refused(
                "the statement has no time, or something that is no function of one place and time."
            )
        if (
            problem.domain.dimension != 1
            or not problem.domain.is_box
            or getattr(problem.domain, "layers", ())
        ):
            raise refused("the domain is no interval.")
        conditions = [row for rows in problem.face_rows.values() for row in rows]
        single = len(self.fields) == 1
        if problem.functionals or any(
            not row.linear for row in (*conditions, *(() if single else problem.rows))
        ):
            raise refused("a condition, or one of several equations, is not linear.")
        orders = {problem.time_orders[name] for name in problem.unknowns}
        if orders != {self.order} or len(problem.rows) != len(self.fields):
            raise refused("the equations are not all of first order, or one of second order, in time.")

    def _nonlinear(self) -> Quotients | None:
        row = self.problem.rows[0]
        if row.linear:
            return None
        found = Quotients(row, self.fields[0], self.axis, 1 / float(self.solved[0, 0]))
        if found.steep and not all(end.held for end in self.ends):
            raise refused("u*u_x has an energy where u is given at both ends alone.")
        return found

    def _rates(self) -> np.ndarray:
        """The matrix before the highest rates, of numbers."""
        found = self._matrix(self.problem.rows, (0, self.order))
        if not all(isinstance(e, Number) for e in found):
            raise refused("a time derivative has a coefficient that is no number.")
        size = len(self.fields)
        rates = np.array([e.value for e in found if isinstance(e, Number)], dtype=float).reshape(size, size)
        if np.linalg.matrix_rank(rates) < size:
            raise refused("an unknown has no time derivative.")
        return rates

    def _matrix(self, rows: Sequence[Row], index: tuple[int, int]) -> list[Expr]:
        """Coefficients of one derivative, row by row."""
        zero = add()
        return [row.linear_part.get(Jet(f, index), zero) for row in rows for f in self.fields]

    def at(self, points: np.ndarray, known: Mapping[Jet, np.ndarray] | None = None) -> Coefficients:
        """A, B, C and what else is asked for at points, of the equations solved for u_t; those of nonlinear terms at known u and u_x, zero by default."""
        size = len(self.fields)
        values = self._program(inputs(self.problem.coordinates, self._functions, points, {}))
        parts = np.array([full(v, points) for v in values]).reshape(6, size, size, len(points))
        a, b, c, a_x, b_x, a_xx = (-np.einsum("ij,jkn->nik", self.solved, part) for part in parts)
        if self.nonlinear is not None:
            nothing = np.zeros(len(points))
            w, w_x = (nothing if known is None else known[Jet(self.fields[0], (k, 0))] for k in (0, 1))
            more = self.nonlinear.at(points, w, w_x)
            b, b_x = b + more.along[:, None, None], b_x + more.slope[:, None, None]
            if known is not None:
                quotient = self.nonlinear.largest(points, w, self.between)
                c = c + (more.drift + quotient)[:, None, None]
        return Coefficients(a, b, c, a_x, _symmetric(b_x - a_xx))

    def defect(self, points: np.ndarray, jets: Mapping[Jet, np.ndarray]) -> np.ndarray:
        """u_t − A u_xx − B u_x − C u − f of a function, (n, m)."""
        found = np.array([row.residual(points, jets) for row in self.problem.rows])
        return (self.solved @ found).T

    # Ends ---------------------------------------------------------------------------------------------------

    def _ends(self) -> list[End]:
        if self.axis in self.problem.periodic:
            return []
        found = []
        for sign, place in ((-1.0, self.low), (1.0, self.high)):
            face = f"{self.axis}{'-' if sign < 0 else '+'}"
            found.append(
                End(sign, place, tuple(self.problem.face_rows.get(face, ())), self.fields, self.order)
            )
        return found

    def rate(self, points: np.ndarray, known: Mapping[Jet, np.ndarray]) -> Rate:
        """What μ is made of, over points and both ends, at what is computed there."""
        found = self.at(points, known)
        drift = _symmetric(found.c) - 0.5 * found.s_x
        mixed = found.b - found.a_x
        twist = float(np.max(np.linalg.norm(mixed - _symmetric(mixed), ord=2, axis=(1, 2))))
        least = float(np.min(np.linalg.eigvalsh(_symmetric(found.a))))
        size = float(np.max(np.abs(found.a)))
        if least < -ROUNDING * size:
            raise refused("diffusion is negative somewhere.")
        least = least if least > ROUNDING * size else 0.0
        pushes = [end.push(self, points[:, -1]) for end in self.ends]
        held = sum(end.held for end in self.ends)
        if (twist > 0 or any(p > 0 for p in pushes)) and not least:
            raise refused("what comes in at an end, or couples derivatives, is not held by diffusion.")
        drawn = (0.0, math.pi / (2 * (self.high - self.low)), math.pi / (self.high - self.low))[held] ** 2
        mu = float(np.max(np.linalg.eigvalsh(drift)))
        return Rate(mu, least, twist, tuple(p for p in pushes if p > 0), drawn, self.high - self.low)


@dataclass(frozen=True)
class Rate:
    """The growth of v without diffusion, a, ‖K‖, the β > 0 of ends, λ of Poincaré's inequality, and the length L."""

    drift: float
    least: float
    twist: float
    pushes: tuple[float, ...]
    drawn: float
    length: float

    def shared(self, part: float) -> tuple[float, float]:
        """μ, and what is left of a for R: the given part of it."""
        if not self.least:
            return self.drift, 0.0
        needs = (self.twist > 0) + len(self.pushes) + (self.drawn > 0)
        share = self.least * (1 - part) / max(needs, 1)
        mu = self.drift + self.twist**2 / (4 * share) - share * self.drawn
        return mu + sum(p * (1 / self.length + p / share) for p in self.pushes), part * self.least


@dataclass(frozen=True)
class End:
    """P v + Q v_x = data at one end, and derivatives of these rows in time; `sign` is the outward direction."""

    sign: float
    place: float
    rows: tuple[Row, ...]
    fields: tuple[str, ...]
    order: int
    in_time: tuple[tuple[Row, ...], ...] = field(init=False)  # of each row: itself, ∂ₜ, …

    def __post_init__(self) -> None:
        for row in self.rows:
            known = all(isinstance(c, Number) for c in row.linear_part.values())
            if not known or any(jet.index[0] > 1 or jet.index[-1] for jet in row.linear_part):
                raise refused("a condition has coefficients that are no numbers, or other derivatives.")
        object.__setattr__(self, "in_time", tuple(_in_time(row, self.order) for row in self.rows))

    @property
    def matrix(self) -> np.ndarray:
        """[P Q], (rows, 2m)."""
        found = np.zeros((len(self.rows), 2 * len(self.fields)))
        for i, row in enumerate(self.rows):
            for jet, number in row.linear_part.items():
                assert isinstance(number, Number)
                found[i, jet.index[0] * len(self.fields) + self.fields.index(jet.field)] = number.value
        return found

    @property
    def held(self) -> bool:
        """Whether all of v vanishes here."""
        size = len(self.fields)
        return not np.any(self.matrix[:, size:]) and len(self.rows) == size

    def values(self, times: np.ndarray) -> tuple[float, float] | None:
        """The least and the largest value towards which one unknown is drawn here; none where it may be drawn anywhere."""
        if len(self.rows) != 1 or len(self.fields) != 1:
            return None if self.rows else (math.inf, -math.inf)
        (p, q), moments = self.matrix[0], np.unique(times)
        given = self.rows[0].residual(
            np.column_stack([np.full(len(moments), self.place), moments]),
            {jet: np.zeros(len(moments)) for jet in self.rows[0].jets},
        )
        if not p:
            return None if np.any(given) else (math.inf, -math.inf)
        return None if q * self.sign / p < 0 else (float(np.min(-given / p)), float(np.max(-given / p)))

    def push(self, energy: Energy, times: np.ndarray) -> float:
        """β with  sign (v·A v_x + ½ v·S v) ≤ β|v|²  for all v, v_x that meet the conditions."""
        size = len(self.fields)
        moments = np.unique(times)
        found = energy.at(np.column_stack([np.full(len(moments), self.place), moments]))
        _, values, right = np.linalg.svd(self.matrix) if self.rows else (0, np.zeros(0), np.eye(2 * size))
        free = right[int(np.sum(values > ROUNDING * np.max(values, initial=1.0))) :].T
        v, v_x = free[:size], free[size:]
        most = 0.0
        for a, s in zip(found.a, _symmetric(found.b - found.a_x), strict=True):
            form = self.sign * _symmetric((v.T @ a @ v_x + 0.5 * v.T @ s @ v)[None])[0]
            scale = max(float(np.max(np.abs(a))), float(np.max(np.abs(s))), 1e-300)
            _, sizes, basis = np.linalg.svd(v, full_matrices=True)
            count = int(np.sum(sizes > ROUNDING))
            inside, outside = basis[:count].T, basis[count:].T
            if np.any(np.abs(form @ outside) > ROUNDING * scale):
                raise refused(
                    f"the conditions at {energy.axis} = {self.place:g} do not hold what flows there."
                )
            if count:
                whole = (inside / sizes[:count]).T @ form @ (inside / sizes[:count])
                most = max(most, float(np.max(np.linalg.eigvalsh(_symmetric(whole[None])[0]))))
        return most if most > ROUNDING else 0.0


def _symmetric(matrices: np.ndarray) -> np.ndarray:
    return 0.5 * (matrices + np.swapaxes(matrices, -1, -2))


def _check_smooth(found: Sequence[Expr], slopes: Sequence[Expr]) -> None:
    if any(map(jumps, found)) or any(map(has_delta, slopes)):
        raise refused("a coefficient of a derivative has a jump or a kink.")
    if any(isinstance(s, GivenSymbol) for s in Program(list(found)).symbols):
        raise refused(
            "a coefficient of a derivative is a Python function or a table, whose slope is not known."
        )


def _in_time(row: Row, order: int) -> tuple[Row, ...]:
    """A linear condition with numbers as coefficients, and its derivatives in time up to an order."""
    if any(isinstance(s, GivenSymbol) for s in row.functions):
        raise refused("data at an end are a Python function or a table, whose rate is not known.")
    found, given = [row], row.source_part
    for n in range(1, order + 1):
        slope = derivative(given, {Symbol(row.coordinates[-1]): ONE})
        if jumps(given) or has_delta(slope):
            raise refused("data at an end jump in time.")
        given = slope
        for jet, number in row.linear_part.items():
            slope = slope + number * JetSymbol(Jet(jet.field, (jet.index[0], n)))
        found.append(Row(slope, row.coordinates, row.label))
    return tuple(found)
