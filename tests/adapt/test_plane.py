# SPDX-License-Identifier: MIT
"""Cells of the plane: what is seen at places counts as a mean over its cell, as the last coefficients do; when a higher degree serves instead of smaller cells."""

import numpy as np

import lrfm
from lrfm.adapt.plane import PlaneAdapter
from lrfm.discretize.options import Options
from lrfm.discretize.plane.constraint import PlaneSystem
from lrfm.integrate.state import Step
from lrfm.problem import Jet
from lrfm.solver.formulations.plane import PlaneFormulation


def _pulse(tol: float) -> PlaneAdapter:
    start = {"u": "exp(-((x - 0.3)**2 + y**2)/0.2**2)", "u_t": "0"}
    problem = lrfm.Problem("u_tt = lap(u)", domain=lrfm.Disk(), time=(0, 1), initial=start, boundary="u = 0")
    return PlaneFormulation(PlaneSystem(problem)).adapter(Options(tol=tol))


def test_what_is_left_out_is_largest_at_few_places():
    """A pulse is missed by less than the budget, which is a mean, although by more of it at its worst place; four times the cells left a tenth of it."""
    adapter = _pulse(1e-2)
    space, y = adapter.initial()
    exact = lambda x: np.exp(-((x[:, 0] - 0.3) ** 2 + x[:, 1] ** 2) / 0.2**2)  # noqa: E731
    size, missed, worst = float(np.sqrt(np.einsum("cs,c->", y[0] ** 2, space.shares))), 0.0, 0.0
    for batch in space.batches:
        points = batch.points.reshape(-1, 2)
        gap = (space.values(y[0], points) - exact(points)).reshape(batch.weights.shape)
        missed += float(np.sum(gap**2 * batch.weights * space.shares[batch.cells, None]))
        worst = max(worst, float(np.max(np.abs(gap))))
    budget = adapter.options.tol * adapter.options.space_share
    assert worst > budget * size > np.sqrt(missed)
    assert space.size * space.functions < 1000


def test_no_polynomial_of_the_last_degrees_is_larger_than_its_bound():
    """|Σ a_i φ_i(x)| ≤ √(Σ a_i²) √(Σ φ_i(x)²), and equal at a place x for a_i = φ_i(x)."""
    adapter = _pulse(1e-2)
    space, places = adapter.initial()[0], adapter.given.places
    cell = space.frame.locate(places)
    bound, last = adapter._tops(space, cell), space.degrees >= space.degree - 1
    random = np.random.default_rng(0).standard_normal((space.size, space.functions)) * last
    roots = np.sqrt(np.sum(random**2, axis=1))
    assert np.all(np.abs(space.values(random, places)) <= roots[cell] * bound * (1 + 1e-12))
    place = int(np.argmax(bound))
    top = np.zeros((space.functions, space.size, space.functions))
    k = np.flatnonzero(last)
    top[k, :, k] = 1.0
    own = space.values(top, places[place : place + 1])[:, 0]
    np.testing.assert_allclose(np.sqrt(np.sum(own**2)), bound[place], rtol=1e-12)


def _state(adapter: PlaneAdapter, space, function) -> np.ndarray:
    return space.project(lambda x: np.array([function(x), 0 * x[:, 0]]))


def test_waves_get_a_higher_degree_where_that_is_enough():
    """What decays with the degree asks for one or two more of all cells, and these are enough; what does not, as a jump, asks for smaller cells where it is."""
    adapter = _pulse(1e-2)
    space, _ = adapter.initial()
    pulse = _state(adapter, space, lambda x: np.exp(-np.sum((x - 0.1) ** 2, axis=1) / 0.16**2))
    jump = _state(adapter, space, lambda x: np.sign(x[:, 0] - 0.1))
    tails = np.where(np.arange(space.size) == 3, 1.6, 0.1)
    change = adapter.refinement(space, tails, pulse)
    assert change is not None
    assert 0 < change.raised < 4
    assert not change.split.any()
    other, move = adapter.changed(space, change)
    assert other.degree == space.degree + change.raised
    size = lambda s, y: float(np.linalg.norm(adapter._ends(s, y)[0] * np.sqrt(s.shares)))  # noqa: E731
    found = _state(adapter, other, lambda x: np.exp(-np.sum((x - 0.1) ** 2, axis=1) / 0.16**2))
    assert size(other, found) < 0.6 / 1.6 * size(space, pulse)
    local = adapter.refinement(space, tails, jump)
    assert local is not None
    assert not local.raised
    assert 0 < np.sum(np.any(local.split, axis=1)) < space.mesh.leaves
    # Nothing is lost on the way, on cut cells neither.
    places = np.random.default_rng(0).uniform(-0.7, 0.7, (200, 2))
    np.testing.assert_allclose(other.values(move(pulse), places), space.values(pulse, places), atol=1e-9)
    assert other.degree == adapter.discretize(other).layout.degree


def test_steps_of_several_degrees_are_one_piece():
    """A step on polynomials of one degree, and one on those of the next: each as it was."""
    start = {"u": "1 - x**2 - y**2", "u_t": "0"}
    problem = lrfm.Problem("u_tt = lap(u)", domain=lrfm.Disk(), time=(0, 1), initial=start, boundary="u = 0")
    form = PlaneFormulation(PlaneSystem(problem))
    adapter = form.adapter(Options(tol=1e-1))
    space, _ = adapter.initial()
    higher = adapter.space(space.mesh, space.degree + 1)
    rng, steps = np.random.default_rng(0), []
    for k, mesh in enumerate((space, higher)):
        own = rng.standard_normal((2, mesh.size, mesh.functions))
        steps.append(Step(mesh, 0.5 * k, 0.5, own, np.zeros((3, *own.shape))))
    piece, jet = form.piece(steps), Jet("u", (0, 0, 0))
    places = rng.uniform(-0.6, 0.6, (50, 2))
    for step in steps:
        points = np.column_stack([places, np.full(len(places), step.time + 0.2)])
        np.testing.assert_allclose(
            piece.values([jet], points)[jet], step.mesh.values(step.start[0], places), atol=1e-12
        )
    assert form.words(steps)["degree"] == f"{space.degree} to {space.degree + 1}"
