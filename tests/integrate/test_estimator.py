# SPDX-License-Identifier: MIT
"""What is left of an error: sums over later times, and the bound at which they are not looked at any more."""

import numpy as np

import lrfm
from lrfm.adapt.plane import PlaneAdapter
from lrfm.adapt.plane_given import PlaneGiven
from lrfm.discretize.options import Options
from lrfm.discretize.plane.constraint import PlaneSystem
from lrfm.discretize.plane.galerkin import PlaneGalerkin
from lrfm.integrate.estimator import Estimator
from lrfm.integrate.schemes.radau import Iteration
from lrfm.integrate.state import IntegratorState
from lrfm.solver.formulations.plane import PlaneFormulation


def test_a_sum_that_is_not_finished_is_a_bound():
    problem = lrfm.Problem("u_t = lap(u)", domain=lrfm.Disk(), time=(0, 1), initial="1", boundary="u = 0")
    form, options = PlaneFormulation(PlaneSystem(problem)), Options(tol=1e-1)
    adapter = PlaneAdapter(form.layout(options), PlaneGiven(form.system), options)
    space, y = adapter.initial()
    made = PlaneGalerkin(adapter.layout, space)
    pencil, estimator = made.linearize(0.0, y, y), Estimator(adapter, options, (0.0, 1.0))
    rough = np.random.default_rng(0).standard_normal(y.shape)
    whole = np.sum(estimator._left(made, pencil, rough, 1e-4, 0.0))
    asked, bounds = [], []
    for enough in (1, 2, 3):

        def within(left: np.ndarray, enough: int = enough) -> bool:
            asked.append(enough)
            return asked.count(enough) == enough

        found = np.sum(estimator._left(made, pencil, rough, 1e-4, 0.0, within))
        assert asked.count(enough) == enough  # later times are not looked at
        assert whole * (1 - 1e-2) <= found
        bounds.append(found)
    assert bounds[0] > bounds[1] > bounds[2]


def test_what_cells_leave_out_counts_alike_after_a_change_of_cells():
    """It is there at the end of a step, whatever was before it, and lasts as long as its source does: √((t + h)/T) of it, not √(h/T)."""
    problem = lrfm.Problem(
        "u_t = lap(u) + sin(9*x)*cos(8*y)", domain=lrfm.Disk(), time=(0, 1), initial="0", boundary="u = 0"
    )
    form = PlaneFormulation(PlaneSystem(problem))
    made = form.integrator(Options(tol=1e-4, stages=5), np.ones(1))
    space = form.layout(Options(tol=1e-1))
    adapter = PlaneAdapter(space, made.given, Options(tol=1e-1))  # cells for a tenth, judged by 1e-4
    galerkin = PlaneGalerkin(space, adapter.initial()[0])
    nothing = np.zeros((1, galerkin.mesh.size, galerkin.functions))
    state = IntegratorState(0.5, galerkin.mesh, nothing, nothing, 0.1, 0.0, np.zeros(1), np.zeros(1), steps=3)
    pencil = galerkin.linearize(0.5, nothing, nothing)
    step = made.scheme.step(
        galerkin, pencil, state, 0.1, Iteration(lambda c: float(np.max(galerkin.norms(c))), 1e-8, 5)
    )
    estimator = Estimator(adapter, made.options, (0.0, 1.0), np.full(1, 1e-2))
    found = [
        estimator.contributions(galerkin, pencil, state.with_(regridded=time), step, 0.1)[0]
        for time in (0.5, 0.2)
    ]
    assert found[0].space > found[0].space_budget
    assert found[0].space == found[1].space


def test_what_all_cells_leave_out_is_looked_at_first():
    """Where that is within the budget nothing depends on what is left of it later, though a single cell has more than its share: no system is solved."""
    problem = lrfm.Problem(
        "u_t = lap(u) + sin(9*x)*cos(8*y)", domain=lrfm.Disk(), time=(0, 1), initial="0", boundary="u = 0"
    )
    form = PlaneFormulation(PlaneSystem(problem))
    made = form.integrator(Options(tol=1e-1, stages=5), np.ones(1))
    galerkin = PlaneGalerkin(form.layout(made.options), made.adapter.initial()[0])
    nothing = np.zeros((1, galerkin.mesh.size, galerkin.functions))
    state = IntegratorState(0.5, galerkin.mesh, nothing, nothing, 0.1, 0.0, np.zeros(1), np.zeros(1), steps=3)
    pencil = galerkin.linearize(0.5, nothing, nothing)
    norm = lambda c: float(np.max(galerkin.norms(c)))  # noqa: E731
    step = made.scheme.step(galerkin, pencil, state, 0.1, Iteration(norm, 1e-8, 5))
    tails = made.adapter.tails(galerkin, step.end, np.ones(1))[0]
    budget, total = made.options.space_share * made.options.tol, np.sqrt(np.mean(tails**2))
    judge = Estimator(made.adapter, made.options, (0.0, 1.0), np.full(1, total / (0.9 * budget)))
    assert np.max(tails) / judge.known[0] > budget
    errors, _ = judge.contributions(galerkin, None, state, step, 0.1)
    np.testing.assert_allclose(errors.space, 0.9 * budget)


def test_growth_is_not_told_from_rounding():
    """A step that is halved at the end has an error of rounding: (h₀/h)^(K + ½) of it would say that errors explode, and halve the next steps, too."""
    estimator = Estimator(None, Options(tol=1e-7, stages=40), (0.0, 1.0))
    state = IntegratorState(0.5, None, np.zeros(1), np.zeros(1), 0.1, 0.0, np.zeros(1), np.zeros(1))
    state = state.with_(before=(0.2, np.zeros(1)), missed=1e-9)
    assert estimator._grown(state, 1e-16, 1e-8, 0.1) == 1.0
    assert estimator._grown(state.with_(missed=0.0), 1e-9, 1e-8, 0.1) == 1.0
    np.testing.assert_allclose(estimator._grown(state, 1e-9, 1e-8, 0.1), 2**40.5)
