# SPDX-License-Identifier: MIT
"""Each part of the integrator can be replaced by an own one that is written here from its protocol alone."""

import inspect
import math
from dataclasses import replace

import numpy as np
import pytest
from on_cells import Run, line

from lrfm.adapt.cells import CellAdapter
from lrfm.adapt.given import Given
from lrfm.adapt.plane import PlaneAdapter
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.line.collocation import CellCollocation, Instants, Layout, Pencil
from lrfm.discretize.options import Options
from lrfm.discretize.plane.galerkin import PlaneGalerkin, PlaneInstants
from lrfm.discretize.plane.pencil import SparsePencil
from lrfm.integrate import protocols
from lrfm.integrate.controller import Accept, Adapt, Errors, Retry, decide
from lrfm.integrate.estimator import Estimator
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.prepare import integrator_for
from lrfm.integrate.schemes.radau import Radau, StepResult, complete
from lrfm.integrate.state import IntegratorState
from lrfm.linalg.banded import Banded, Bordered, PatternSolver, SingularError
from lrfm.linalg.sparse import Sparse
from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.plane.space import PlaneCells

PROBLEM = line("u_t = u_xx - u**2", "1 + cos(pi*x)", "u_n = 0", time=(0, 0.2))
TOL = 1e-4


def parts(problem=PROBLEM, tol=TOL):
    """The usual integrator, whose parts are exchanged one at a time."""
    return integrator_for(EvolutionSystem(problem), Options(tol=tol))


def exact(x, t, runs={}):  # noqa: B006
    """The same statement at a much stricter tolerance."""
    if not runs:
        runs["fine"] = Run(PROBLEM, 1e-10)
    return runs["fine"].values(x, t)


# Own parts --------------------------------------------------------------------------------------------------


class ImplicitEuler:
    """One stage, with the difference from two steps of half the length (Richardson) as its error."""

    def step(self, made, pencil, state, length, iteration):
        one = self._solved(made, state.time, state.y, length, iteration)
        half = self._solved(made, state.time, state.y, 0.5 * length, iteration)
        if one is None or half is None:
            return StepResult.failed(iteration.most, 1.0)
        other = self._solved(made, state.time + 0.5 * length, half[0], 0.5 * length, iteration)
        if other is None:
            return StepResult.failed(iteration.most, 1.0)
        error = 2 * (other[0] - one[0])
        return StepResult(True, one[1][None], one[0], error, error, 1, 0.1)

    def beside(self, made, length, gain, stages):
        return length * gain ** (-1 / (stages + 1))

    def longest(self, made, state):
        return math.inf

    def quantized(self, length):
        return length

    def kept(self, rates):
        return rates

    def middle(self, state, length):
        return state.time + length, state.y, state.z

    def begun(self, made, start, rates, length):
        return start, rates

    def _solved(self, made, time, start, length, iteration):
        rates, here = np.zeros((1, len(made.system.last), *start.shape[1:])), np.array([time + length])
        for _ in range(4 * iteration.most):
            y, z = complete(made, start, rates, length * np.ones((1, 1)))
            r = made.residual(here, y, z)[0]
            change = made.scatter(made.linearize(here[0], y[0], z[0]).at(length)(-r))
            rates = rates + change
            if iteration.norm(length * change) <= iteration.goal:
                y, z = complete(made, start, rates, length * np.ones((1, 1)))
                return y[0], z[0]
        return None


class Dense:
    """Gaussian elimination of full matrices."""

    used = 0

    def __init__(self, rows, columns, size):
        self.rows, self.columns, self.size = rows, columns, size

    def factor(self, values):
        Dense.used += 1
        matrix = np.zeros((self.size, self.size), dtype=values.dtype)
        np.add.at(matrix, (self.rows, self.columns), values)
        if np.linalg.matrix_rank(matrix) < self.size:
            raise SingularError("The matrix is singular.")
        inverse = np.linalg.inv(matrix)
        return lambda b: inverse @ b


def fixed(errors, length, options, splittable=True):
    """Equal steps, whatever the errors are."""
    return Accept(length) if errors.converged else Retry(0.5 * length)


class Plain:
    """Errors as they are, relative to the present size; no cell is ever rough."""

    def __init__(self, tol):
        self.tol, self.asked = tol, 0

    def sizes(self, made, state, y, z):
        return np.maximum(made.norms(y), 1e-3)

    def contributions(self, made, pencil, state, result, length):
        self.asked += 1
        nothing = np.zeros(made.mesh.size)
        if not result.converged:
            return Errors(0.0, self.tol, 0.0, self.tol, False, result.rate), nothing
        sizes = self.sizes(made, state, result.end, result.rates[-1])
        return Errors(float(np.max(made.norms(result.error) / sizes)), self.tol, 0.0, self.tol), nothing


class Unchanging:
    """Equal cells that stay as they are; refuses to move anything to others."""

    def __init__(self, layout, given, cells):
        self.layout, self.given, self.cells = layout, given, cells

    def initial(self):
        box = self.layout.system.problem.domain
        mesh = Mesh.of(np.linspace(float(box.lower[0]), float(box.upper[0]), self.cells + 1))
        return mesh, CellAdapter(self.layout, self.given, Options(tol=TOL)).connected(mesh, np.zeros(0))

    def discretize(self, mesh):
        return CellCollocation(self.layout, mesh)

    def refinement(self, mesh, tails, y=None):
        return None

    def following(self, made, state, sizes, refinement):
        return None

    def changed(self, mesh, change):
        raise AssertionError("no cells were to be changed")


# Conformance ------------------------------------------------------------------------------------------------

CONFORMING = [
    (protocols.Space, Mesh),
    (protocols.Discretization, CellCollocation),
    (protocols.TimeScheme, Radau),
    (protocols.TimeScheme, ImplicitEuler),
    (protocols.ErrorEstimator, Estimator),
    (protocols.ErrorEstimator, Plain),
    (protocols.LinearOperator, Pencil),
    (protocols.Rows, Instants),
    (protocols.GivenInTime, Given),
    (protocols.SpaceErrors, CellAdapter),
    (protocols.SpaceAdapter, CellAdapter),
    (protocols.SpaceAdapter, Unchanging),
    (PatternSolver, Banded),
    (PatternSolver, Bordered),
    (PatternSolver, Dense),
    (protocols.Space, PlaneCells),
    (protocols.Discretization, PlaneGalerkin),
    (protocols.LinearOperator, SparsePencil),
    (protocols.Rows, PlaneInstants),
    (protocols.SpaceErrors, PlaneAdapter),
    (protocols.SpaceAdapter, PlaneAdapter),
    (PatternSolver, Sparse),
]


@pytest.mark.parametrize(("protocol", "part"), CONFORMING)
def test_parts_have_what_their_protocol_names(protocol, part):
    """Every member, and methods with the same arguments in the same order, up to further optional ones."""
    members = [name for name in vars(protocol) if not name.startswith("_")]
    assert members
    for name in members:
        wanted = inspect.getattr_static(protocol, name)
        if isinstance(wanted, property):
            made = (
                name in vars(part)
                or name in part.__init__.__code__.co_names
                or any(name in code.co_names for code in _codes(part))
            )
            assert made, name
            continue
        arguments = list(inspect.signature(wanted).parameters.values())
        own = list(inspect.signature(getattr(part, name)).parameters.values())
        assert [a.name for a in own[: len(arguments)]] == [a.name for a in arguments], name
        assert all(a.default is not a.empty for a in own[len(arguments) :]), name


def _codes(part):
    return [f.__code__ for f in vars(part).values() if inspect.isfunction(f)]


@pytest.mark.parametrize("controller", [decide, fixed])
def test_controllers_are_functions_of_four_arguments(controller):
    errors = Errors(1e-5, 1e-4, 0.0, 1e-4)
    assert isinstance(controller(errors, 0.1, Options(tol=TOL), True), Accept | Retry | Adapt)


@pytest.mark.parametrize("kind", [Banded, Bordered, Dense])
@pytest.mark.parametrize("shift", [1.0, 1.0 + 2.0j])
def test_linear_solvers_solve(kind, shift):
    """The same small matrix, real and complex; one right side and several; a singular one is refused."""
    rows, columns = np.array([0, 0, 1, 1, 2, 1]), np.array([0, 1, 1, 0, 2, 2])
    values = shift * np.array([2.0, 1.0, 3.0, -1.0, 4.0, 0.5])
    matrix = np.zeros((3, 3), dtype=values.dtype)
    matrix[rows, columns] = values
    right = np.arange(6.0).reshape(3, 2).astype(values.dtype)
    solve = kind(rows, columns, 3).factor(values)
    np.testing.assert_allclose(matrix @ solve(right), right, atol=1e-14)
    np.testing.assert_allclose(matrix @ solve(right[:, 1]), right[:, 1], atol=1e-14)
    with pytest.raises(SingularError):
        kind(rows, columns, 3).factor(np.where(rows == 2, 0.0, values))


# The loop with own parts ------------------------------------------------------------------------------------


def error_of(run):
    x, t = np.linspace(0, 1, 41)[None, :], np.linspace(0.01, 0.2, 7)[:, None]
    true = exact(x, t)
    return float(np.linalg.norm(run.values(x, t) - true) / np.linalg.norm(true))


def test_with_an_own_time_scheme():
    """Implicit Euler takes more steps than Radau IIA does, and is more exact with a stricter tolerance."""
    errors = []
    for tol in (1e-2, 1e-3):
        made = parts(tol=tol)
        own = Run(
            PROBLEM, tol, replace(made, scheme=ImplicitEuler(), options=replace(made.options, stages=1))
        )
        assert len(own.steps) > len(Run(PROBLEM, tol).steps)
        assert all(len(step.rates) == 1 for step in own.steps)
        errors.append(error_of(own))
    assert errors[1] < errors[0] / 10**0.5 < 1e-2  # h ~ √tol, and the error is of order one


def test_with_an_own_linear_solver(monkeypatch):
    """The same steps as with the band, and the same numbers to rounding."""
    usual = Run(PROBLEM, TOL)
    before = Dense.used
    monkeypatch.setattr("lrfm.discretize.line.numbering.Banded", Dense)
    own = Run(PROBLEM, TOL)
    assert Dense.used > before
    assert len(own.steps) == len(usual.steps)
    np.testing.assert_allclose(own.steps[-1].start, usual.steps[-1].start, atol=1e-9)


def test_with_an_own_controller():
    made = replace(parts(), controller=fixed)
    state = made.begin()
    steps = [step for _, step in made.run(replace(state, length=0.02))]
    np.testing.assert_allclose([step.length for step in steps], 0.02, rtol=1e-9)
    assert len(steps) == 10


def test_with_an_own_estimator():
    estimator = Plain(1e-5)
    run = Run(PROBLEM, TOL, replace(parts(), estimator=estimator))
    assert estimator.asked == len(run.steps) + run.states[-1].rejected
    assert error_of(run) <= 1e-3


def test_with_an_own_adapter():
    """Cells are those of the adapter, from the first step to the last; more of them are more exact."""
    errors = []
    for cells in (2, 5):
        made = parts()
        run = Run(PROBLEM, TOL, replace(made, adapter=Unchanging(made.adapter.layout, made.given, cells)))
        assert {step.mesh.size for step in run.steps} == {cells}
        assert run.states[-1].regrids == 0
        errors.append(error_of(run))
    assert errors[1] <= TOL


def test_all_parts_of_the_loop_are_own_ones():
    """Nothing but the discretization is the engine's."""
    system = EvolutionSystem(PROBLEM)
    layout, given = Layout(system, 6), Given(system)
    adapter = Unchanging(layout, given, 4)
    options = Options(tol=1e-2, stages=1, first_step=0.005)
    made = Integrator(system, options, given, ImplicitEuler(), adapter, Plain(1e-2), fixed)
    run = Run(PROBLEM, 1e-2, made)
    assert isinstance(run.states[-1], IntegratorState)
    assert error_of(run) <= 2e-2


def test_a_pencil_belongs_to_its_discretization():
    made = parts()
    mesh, y = made.adapter.initial()
    discretization = made.adapter.discretize(mesh)
    pencil = discretization.linearize(0.0, y, np.zeros_like(y))
    assert isinstance(pencil, Pencil)
    assert pencil.at(0.1)(np.ones(discretization.size)).shape == (discretization.size,)
