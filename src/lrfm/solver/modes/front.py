# SPDX-License-Identifier: MIT
"""What happens in `modes`: matrices by the power of the eigenvalue → the eigenvalues asked for → cells split until their functions are resolved
→ the same on other cells with other degrees → errors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.options import ROUNDING, SAFEGUARDS, SCAN, SCANS, STEADY, Options
from lrfm.error.indicators import CELLS
from lrfm.integrate.steady.spectrum import Eigenpairs, balance, by_number, by_time, eigenpairs
from lrfm.integrate.steady.stationary import SpaceEquations
from lrfm.linalg.banded import SingularError
from lrfm.linalg.deadline import check_deadline, deadline
from lrfm.problem import Jet, Problem, ProblemError
from lrfm.problem.errors import counted, shown
from lrfm.problem.symmetry import weighted
from lrfm.rows.placing import fill
from lrfm.solution.modes import Mode, Modes
from lrfm.solution.report import Report, WindowReport
from lrfm.solution.solution import Solution
from lrfm.solver.arguments import check_budget
from lrfm.solver.budget import Budget, OutOfTime
from lrfm.solver.entry import entry
from lrfm.solver.methods import MAX_FEATURES
from lrfm.solver.modes.lowest import end
from lrfm.solver.run import ConvergenceError
from lrfm.solver.steady.solves import PieceDatum, space_of

DEFAULT_TOL = 1e-9
# Of the number, in a unit of its own: a polynomial of degree two in it, and a fourth to check that. None is zero or one, at which terms vanish or join.
SAMPLES = (0.6180339887, -1.4142135624, 1.7320508076, 2.2360679775)


@entry()
def modes(
    problem: Problem,
    *,
    k: int = 6,
    near: complex | None = None,
    tol: float | None = None,
    eigenvalue: str = "lam",
    about: Solution | None = None,
    strict: bool = True,
    max_seconds: float | None = 120.0,
) -> Modes:
    """Eigenvalues and functions of a linear statement, each eigenvalue with its own error.

    Parameters
    ----------
    problem
        A steady statement that is linear in its unknowns and has a number ``lam`` in it that is not given, ``"u_xx = -lam*u"``: then λ are the
        numbers for which it has solutions that are not zero. Or an evolution: then λ are growth rates, e^{λt} φ(x) solves it near a steady state.
    k
        How many.
    near
        Those nearest to a number; without it those nearest to zero for a steady statement, or the lowest where some may lie below zero, as bound states of a well
        do (the highest of `lap(u) + c*u = lam*u`), and for an evolution those with the largest real parts: what grows fastest.
    tol
        Error of each eigenvalue, relative to its size, that is asked for; 1e-9 without it.
    eigenvalue
        The name of the number, if it is another parameter.
    about
        The steady solution about which an evolution is linearized; zero without it.
    strict, max_seconds
        As in `lrfm.solve`.

    Examples
    --------
    >>> import lrfm
    >>> drum = lrfm.Problem("u_xx = -lam*u", domain=lrfm.Box(x=(0, "pi")), boundary="u = 0")
    >>> found = lrfm.modes(drum, k=3)
    >>> [round(float(value), 9) for value in found.values]
    [1.0, 4.0, 9.0]
    >>> bool(found.errors.max() < 1e-8)
    True
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"`modes` was given a {type(problem).__name__}; expected a `lrfm.Problem`.")
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= SAFEGUARDS.dense // 4:
        raise ValueError(f"`k={shown(k)}` must be a whole number from 1 to {SAFEGUARDS.dense // 4}.")
    if near is not None and (
        isinstance(near, bool) or not isinstance(near, int | float | complex | np.number)
    ):
        raise ValueError(f"`near={shown(near)}` must be a number.")
    check_budget(MAX_FEATURES, max_seconds, None, True)
    wanted = DEFAULT_TOL if tol is None else tol
    if not 0 < wanted < 1:
        raise ValueError(f"`tol={shown(tol)}` must lie between 0 and 1; it is a relative error.")
    budget = Budget(MAX_FEATURES, math.inf if max_seconds is None else max_seconds)
    try:
        with deadline(budget.stop, lambda: budget.left):
            spectrum = _spectrum(problem, eigenvalue, about)
            if near is None and problem.steady:
                found = _last(spectrum, int(k), wanted)
            else:
                found = _found(spectrum, int(k), None if near is None else complex(near), wanted)
                found.inside = False
    except Unsuited as error:
        raise ProblemError(f"No modes can be computed: {error}") from error
    except SingularError as error:
        raise ProblemError(
            "No modes can be computed: the equations are singular whatever the number is; a condition or an equation is missing, or says what another one says."
        ) from error
    except OutOfTime:
        raise ConvergenceError(
            f"`{budget.spell('max_seconds')}` passed before the modes were found. Allow more."
        ) from None
    if strict and not found.met:
        late = found.late[0]
        raise ConvergenceError(
            f"The eigenvalue {late.value:.6g} has an estimated error of {late.error:.1e}, above tol={wanted:.0e}. Ask for fewer (`k`), or for "
            "less (`tol`); `strict=False` returns them as they are."
        )
    return found


def _last(spectrum: Spectrum, k: int, tol: float) -> Modes:
    """Those at the end of the spectrum; those nearest to zero where it has none. From a number beyond the end the last ones are the nearest."""
    side, near = spectrum.end()
    found = _found(spectrum, k, near, tol)
    while side and (np.any(side * np.real(found.values) < side * near) if near else found.inside):
        # Conditions have brought what no equation does.
        near = 2 * near if near else -4 * side * float(np.max(np.abs(found.values)))
        found = _found(spectrum, k, near, tol)
    found.inside = found.inside and not near
    return found


@dataclass(frozen=True)
class Spectrum:
    """A statement and how its matrices come about."""

    problem: Problem
    systems: tuple[EvolutionSystem, ...]  # at several values of the number; or one of an evolution
    numbers: tuple[float, ...]  # the values of the number in the systems
    complex_number: bool  # whether unknowns are complex and the number is, too

    def end(self) -> tuple[float, float]:
        """On which side of zero all that is far away lies, and a number beyond the end on the other side."""
        options = Options(tol=STEADY.rough)
        space = space_of(self.problem)
        adapter = space.adapter_of(self.systems[0], options)
        first = space(adapter, adapter.initial()[0], options)
        if len(self.numbers) > 2:
            return 0.0, 0.0
        return end([system.problem.rows for system in self.systems], self.numbers, first.rule(first)[0])

    def at(
        self, options: Options, tol: float, k: int, near: complex | None, beside: complex | None = None
    ) -> tuple[Eigenpairs, SpaceEquations]:
        """The pairs on cells that resolve all of them; `tol` is that of eigenvalues, `beside` the first of them on other cells."""
        space = space_of(self.problem)
        adapters = [space.adapter_of(system, options) for system in self.systems]
        mesh, y = adapters[0].initial()
        first = space(adapters[0], mesh, options)
        # At corners eigenvalues are as wrong as functions, elsewhere by the square of that. A comparison has a part of the tolerance there, too, as far
        # as its boxes may be halved: oftener than those of a first solve.
        budget = tol / (Options.closer if options.comparison else 1.0)
        while (change := first.singular(budget)) is not None:
            first = first.on(change)
            y = first.taken(y)
        if first.blunt(tol):
            raise Unsuited(
                f"Corners of the domain ask for smaller cells than there are, at tol={tol:.0e}. Ask for less."
            )
        reach = math.inf
        fewer = -1  # as many as there are on all cells halved are all that there are
        for _ in range(SAFEGUARDS.iterations):
            check_deadline()
            equations = [first, *(space(adapter, first.mesh, options) for adapter in adapters[1:])]
            if len(equations) == 1:
                entries = by_time(first, y)
            else:
                entries = by_number(equations, self.numbers, np.zeros(first.size))
            found = eigenpairs(first, entries, 2 * k, near, beside, reach)
            reach = found.reach
            pairs = self._kept(found, first, k)
            beside = pairs.values[0] if len(pairs.values) else beside
            tails = np.zeros(first.mesh.size)
            for function in pairs.functions:
                for part in (np.real(function), np.imag(function)):
                    if np.any(part):
                        own = first.tails(first.made.gather(_grown(part, function)), 0.0)
                        tails = np.maximum(tails, own)
            change = first.adapter.refinement(first.mesh, tails)
            if len(pairs.values) in (k, fewer) and change is None:
                if np.max(tails) > options.overshoot:
                    break
                return pairs, first
            if first.made.size > SAFEGUARDS.unknowns:
                break
            fewer = len(pairs.values) if change is None else -1
            change = first.everywhere() if change is None else change
            first = first.on(change)
            y = first.taken(y)
        raise Unsuited(f"{first.mesh.size} cells do not hold the functions of {k} eigenvalues.")

    def _kept(self, pairs: Eigenpairs, equations: SpaceEquations, k: int) -> Eigenpairs:
        """The first k, without what only the cells make, and one of each pair of a complex statement."""
        kept, functions = [], []
        for value, function in zip(pairs.values, pairs.functions, strict=True):
            if self.complex_number:
                function = _joined(equations, function)
                near = [
                    f
                    for v, f in zip(kept, functions, strict=True)
                    if abs(v - value) <= ROUNDING.stagnant * abs(value)
                ]
                if function is None or _among(function, near):
                    continue
            kept.append(value)
            functions.append(function)
            if len(kept) == k:
                break
        shape = pairs.functions.shape[1:]
        return Eigenpairs(np.array(kept, dtype=complex), np.array(functions).reshape(-1, *shape), pairs.reach)


def _grown(part: np.ndarray, function: np.ndarray) -> np.ndarray:
    """A part that is small beside the whole counts by the whole."""
    size = np.max(np.abs(function))
    return part if np.max(np.abs(part)) > ROUNDING.stagnant * size else np.zeros_like(part)


def _joined(equations: SpaceEquations, function: np.ndarray) -> np.ndarray | None:
    """(x, y) with x + iy the function of a complex statement; None where it belongs to the conjugate one."""
    fields = equations.made.system.fields
    result = function.copy()
    whole, other = 0.0, 0.0
    for i, name in enumerate(fields):
        if name.endswith(".re"):
            j = fields.index(name[: -len("re")] + "im")
            value, gone = function[i] + 1j * function[j], function[i] - 1j * function[j]
            whole, other = whole + float(np.sum(np.abs(value) ** 2)), other + float(np.sum(np.abs(gone) ** 2))
            result[i], result[j] = value.real, value.imag
    return result if whole > other * ROUNDING.solved else None


def _among(function: np.ndarray, others: list[np.ndarray]) -> bool:
    """Whether a function is a combination of others of the same eigenvalue, as both copies of a statement with real coefficients are."""
    if not others:
        return False
    table = np.stack([_whole(f) for f in others], axis=1)
    own = _whole(function)
    left = own - table @ np.linalg.lstsq(table, own, rcond=None)[0]
    return bool(np.linalg.norm(left) < STEADY.rough * np.linalg.norm(own))


def _whole(function: np.ndarray) -> np.ndarray:
    """Complex coefficients from those of real and imaginary parts, which follow each other."""
    return (np.real(function[0::2]) + 1j * np.real(function[1::2])).ravel()


def _spectrum(problem: Problem, eigenvalue: str, about: Solution | None) -> Spectrum:
    """What is to be solved, or a sentence."""
    space = space_of(problem)
    if not problem.steady:
        linearized = _linearized(problem, about)
        return Spectrum(linearized, (space.system_of(linearized),), (), False)
    if about is not None:
        raise ProblemError(
            "`about` belongs to an evolution; a steady statement with an eigenvalue in it is linear by itself."
        )
    name = problem.eigenvalue or eigenvalue
    if name not in problem.parameters:
        raise ProblemError(
            f"There is no number `{name}` in the statement; write the eigenvalue into it, such as `u_xx = -lam*u`, or name the parameter that it "
            "is with `eigenvalue=`."
        )
    scale, systems = 1.0, _at(problem, name, 1.0)
    if not all(system.linear for system in systems):
        raise ProblemError(
            "The statement is not linear in its unknowns; linearize it about a steady solution, as an evolution with `about=`."
        )
    rows = systems[0].problem.all_rows
    if max(np.max(np.abs(row.affine(_points(problem))[0])) for row in rows) > 0:
        raise ProblemError(
            "Something is given that is not zero: a source, or data at the boundary. An eigenvalue problem has none; leave it out."
        )
    # In a unit s in which λ is as large in the matrices as what is without it, it is not lost in rounding, which then leaves s of the λ that are smaller, and s² of their squares; halfway to these is the best of both.
    rows, matrices, parts = _by_power(space, systems)
    for _ in range(SAFEGUARDS.pairs):
        following = scale * 2.0 ** round(math.log2(math.sqrt(STEADY.beside) * balance(rows, list(parts))))
        if 0.5 <= following / scale <= 2:
            break
        scale, systems = following, _at(problem, name, following)
        rows, matrices, parts = _by_power(space, systems)
    count = _degree(matrices, parts) + 1
    numbers = tuple(scale * value for value in SAMPLES[:count])
    return Spectrum(
        problem, systems[:count], numbers, any(kind is complex for kind in problem.unknowns.values())
    )


def _at(problem: Problem, name: str, scale: float) -> tuple[EvolutionSystem, ...]:
    """The statement at several values of the number."""
    space = space_of(problem)
    return tuple(
        space.system_of(problem.replace(parameters={**problem.parameters, name: scale * value}))
        for value in SAMPLES
    )


def _points(problem: Problem) -> np.ndarray:
    rng = np.random.default_rng(0)
    unit = rng.random((SCANS.points, problem.domain.dimension))
    return np.column_stack([fill(problem.domain, unit, 0.0, rng), np.zeros(SCANS.points)])


def _by_power(
    space: type[SpaceEquations], systems: tuple[EvolutionSystem, ...]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows and entries of matrices on few cells, (samples, entries), relative to the largest of their rows, and those of the quadratic polynomial in the number that they are; anything else is refused."""
    found, rows = [], np.zeros(0, dtype=int)
    for system in systems:
        equations = space.coarse(system, Options(tol=ROUNDING.stagnant))
        rows, _, values = equations.matrix(np.zeros(equations.size))
        found.append(values)
    scale = np.zeros(1 + int(np.max(rows)))
    np.maximum.at(scale, rows, np.max(np.abs(found), axis=0))
    matrices = np.stack(found) / np.where(scale > 0, scale, 1.0)[rows]
    powers = np.array(SAMPLES[:3])[:, None] ** np.arange(3)
    parts, size = np.linalg.solve(powers, matrices[:3]), float(np.max(np.abs(matrices)))
    if np.max(np.abs(SAMPLES[3] ** np.arange(3) @ parts - matrices[3])) > ROUNDING.stagnant * size:
        raise ProblemError(
            "The eigenvalue occurs in another way than as a polynomial of degree two at most; introduce another number for its function."
        )
    return rows, matrices, parts


def _degree(matrices: np.ndarray, parts: np.ndarray) -> int:
    """Of the polynomial in the number that the statement is: one or two; none is refused."""
    size = float(np.max(np.abs(matrices)))
    if np.max(np.abs(parts[1:])) <= ROUNDING.solved * size:
        raise ProblemError(
            "The number that should be the eigenvalue changes nothing in the equations; check its name."
        )
    return 1 if np.max(np.abs(parts[2])) <= ROUNDING.solved * size else 2


def _linearized(problem: Problem, about: Solution | None) -> Problem:
    """The evolution with the place about which it is linearized as its start."""
    problem.at_rest()  # refuses what changes in time
    if about is None:
        return problem.with_initial(dict.fromkeys(_keys(problem), 0) if len(_keys(problem)) > 1 else 0)
    if (
        not isinstance(about, Solution)
        or about.unknowns != tuple(problem.unknowns)
        or not about.problem.steady
    ):
        raise ProblemError(
            "`about` must be a steady solution of the same unknowns, as `lrfm.steady(problem)` gives it."
        )
    made = problem.with_initial(dict.fromkeys(_keys(problem), 0) if len(_keys(problem)) > 1 else 0)
    data = {key: datum for key, datum in made.initial_data.items() if key[1] > 0}
    piece = PieceDatum(about.pieces[0])
    changed = object.__new__(Problem)
    changed.__dict__.update(
        {**made.__dict__, "initial_data": {**data, **{(n, 0): piece for n in problem.unknowns if (n, 0) in made.initial_data}},
         "guesses": {(n, 0): piece for n in problem.unknowns if (n, 0) not in made.initial_data}}
    )  # fmt: skip
    return changed


def _keys(problem: Problem) -> list[str]:
    return [
        "_".join(filter(None, (n, "t" * level)))
        for n, order in problem.time_orders.items()
        for level in range(order)
    ]


def _found(spectrum: Spectrum, k: int, near: complex | None, tol: float) -> Modes:
    """Pairs of solves, stricter until every eigenvalue has its error."""
    inner, best, beside = min(math.sqrt(tol), STEADY.rough), None, None
    for _ in range(SAFEGUARDS.pairs):
        options = Options(tol=max(inner, ROUNDING.last))
        pairs, equations = spectrum.at(options, tol, k, near, beside)
        if len(pairs.values) < k:
            raise ProblemError(
                f"The statement has {counted(len(pairs.values), 'eigenvalue')}, and not k={k}: ordinary equations have one for each derivative in time, and where the number stands in conditions alone there are as many as these hold."
            )
        beside = pairs.values[0]
        others, _ = spectrum.at(options.compared(), tol, k + 2, near, beside)
        errors = _errors(pairs.values, others.values, near)
        made = [
            _mode(spectrum.problem, equations, v, f, e)
            for v, f, e in zip(pairs.values, pairs.functions, errors, strict=True)
        ]
        sizes = f"{equations.mesh.size} cells, degree {equations.degree}"
        # Two more are compared: also one eigenvalue shows that it has neighbors on the other side of zero.
        around = np.concatenate((pairs.values, others.values))
        around = np.real(around[np.abs(np.imag(around)) <= ROUNDING.stagnant * np.abs(around)])
        zero = ROUNDING.stagnant * float(np.max(np.abs(around), initial=0.0))
        inside = bool(np.any(around < -zero) and np.any(around > zero))
        spacing = float(np.max(np.abs(others.values), initial=0.0)) / max(len(others.values), 1)
        found = Modes(spectrum.problem, made, tol, sizes, inside, spacing)
        if best is None or max(errors) < float(np.max(best.errors)):
            best = found
        if found.met:
            return found
        inner = max(ROUNDING.last, inner * STEADY.rough)
    assert best is not None
    return best


def _errors(values: np.ndarray, others: np.ndarray, near: complex | None) -> list[float]:
    """Twice the distance of each eigenvalue to its own of the comparison; infinite where it has none, or where the comparison has more."""
    left, found, top = list(others), [], float(np.max(np.abs(values), initial=0.0))
    large = float(np.max(np.abs(others), initial=top))
    for value in values:
        place = int(np.argmin([abs(other - value) for other in left])) if left else -1
        gap = abs(left.pop(place) - value) if left else math.inf
        close = gap <= SCAN.same * max(abs(value), SCAN.same * large)
        found.append(
            CELLS.safety * max(float(gap), ROUNDING.solved * top, ROUNDING.sums * large)
            if close
            else math.inf
        )
    if near is not None and math.isfinite(max(found)):
        # One that only the comparison has, nearer than the last: something was missed.
        reach = max(abs(value - near) for value in values)
        if any(abs(other - near) < reach - 2 * max(found) - ROUNDING.stagnant * reach for other in left):
            found[-1] = math.inf
    return found


def _mode(
    problem: Problem, equations: SpaceEquations, value: complex, function: np.ndarray, error: float
) -> Mode:
    """A mode with a function of norm one; real where its eigenvalue and function are."""
    first = [equations.made.system.first[f] for f in equations.made.system.fields]
    total = _norm(equations, function)
    peak = function.ravel()[int(np.argmax(np.abs(function)))]
    function = function / total * (abs(peak) / peak)
    is_complex = np.max(np.abs(np.imag(function))) > ROUNDING.stagnant * np.max(np.abs(np.real(function)))
    pure = abs(value.imag) <= max(error if math.isfinite(error) else 0.0, ROUNDING.stagnant * abs(value))
    still = problem.at_rest()

    def part(y: np.ndarray) -> Solution:
        piece = equations.piece(equations.gathered(y))
        size = len(first)
        window = WindowReport(piece.window, size, size, size, None, 0.0, 0.0)
        report = Report.of(
            [window], seed=0, method="steady", time=piece.window, parts={"cells": f"{equations.mesh.size}"}
        )
        return Solution(still, [piece], report)

    real = part(_signed(np.real(function), equations) if not is_complex else np.real(function))
    return Mode(
        float(value.real) if pure else complex(value),
        error,
        real,
        part(np.imag(function)) if is_complex else None,
    )


def _norm(equations: SpaceEquations, function: np.ndarray) -> float:
    """‖φ‖ over the domain."""
    points, weights = equations.rule(equations)
    weights = weights * weighted(points, getattr(equations.made.system.problem.domain, "symmetry", None))
    total = 0.0
    for part in (np.real(function), np.imag(function)):
        piece = equations.piece(equations.gathered(part))
        # Without those that stand for derivatives, as lap u of a plate does.
        jets = [Jet(f, (0,) * points.shape[1]) for f in piece.fields]
        values = piece.values(jets, points)
        total += sum(float(weights @ values[jet] ** 2) for jet in jets)
    return math.sqrt(total)


def _signed(y: np.ndarray, equations: SpaceEquations) -> np.ndarray:
    """Positive where it is largest."""
    values = equations.values(y)
    return y * (1.0 if values.ravel()[int(np.argmax(np.abs(values)))] >= 0 else -1.0)
