# SPDX-License-Identifier: MIT
"""Fluxes on cells: what is conserved is conserved, constants stay, smooth solutions converge, a state that is none is refused."""

import numpy as np
import pytest

import lrfm
from lrfm.discretize.laws.boundary_flux import BoundaryFlux
from lrfm.discretize.laws.flux_cells import FluxCells, NotAdmissible
from lrfm.discretize.laws.law import Law
from lrfm.integrate.schemes import ssp
from lrfm.problem.conservation import ConservationLaw, conservation_law
from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.lobatto import lobatto

WATER = ["h_t + q_x = 0", "q_t + diff(q**2/h + h**2/2, x) = 0"]
rng = np.random.default_rng(0)


def cells(equation, initial, boundary="periodic", count=4, number=12):
    problem = lrfm.Problem(
        equation, domain=lrfm.Box(x=(0, 1)), time=(0, 1), initial=initial, boundary=boundary
    )
    form = conservation_law(problem)
    assert isinstance(form, ConservationLaw)
    law = Law(form, ("x", "t"))
    edges = np.linspace(0, 1, number + 1)
    edges[1:-1] += 0.3 / number * np.sin(5 * np.arange(1, number))
    mesh = Mesh.of(edges, bool(problem.periodic))
    faces = (("x-", 0.0, -1), ("x+", 1.0, 1))
    ends = [BoundaryFlux(law, problem.face_rows.get(f, ()), at, side) for f, at, side in faces]
    return FluxCells(law, mesh, count, ends)


def total(made, v):
    """∫ q dx."""
    return (v @ (0.5 * made.points.weights)) @ made.mesh.widths


@pytest.mark.parametrize("count", [3, 4, 6, 8])
def test_points_integrate_and_differentiate(count):
    """Gauss-Lobatto: exact to degree 2n − 3; the weak derivative is that of integration by parts."""
    points = lobatto(count)
    for degree in range(2 * count - 2):
        exact = 2 / (degree + 1) if degree % 2 == 0 else 0.0
        assert points.weights @ points.points**degree == pytest.approx(exact, abs=1e-13)
    f, g = points.points**2, points.points ** (count - 1)
    slope = (count - 1) * points.points ** (count - 2)
    assert (f @ points.weak) @ (points.weights * g) == pytest.approx(points.weights @ (f * slope), abs=1e-12)


def test_totals_are_conserved():
    made = cells(WATER, {"h": "1", "q": "0"})
    v = np.stack([1 + rng.random(made.x.shape), rng.random(made.x.shape)])
    assert total(made, made.rates(0.0, v)) == pytest.approx(0, abs=1e-13)


def test_a_wall_lets_nothing_through():
    """h_t + q_x = 0 with q = 0 at the ends: the mass of water stays, whatever hits the wall."""
    made = cells(WATER, {"h": "1", "q": "0"}, boundary="q = 0")
    v = np.stack([1 + rng.random(made.x.shape), 0.3 * rng.random(made.x.shape)])
    assert total(made, made.rates(0.0, v))[0] == pytest.approx(0, abs=1e-13)


def test_constants_stay():
    made = cells(WATER, {"h": "1", "q": "0"}, boundary={"x-": ["h = 2", "q = 3"], "x+": None})
    v = np.stack([np.full(made.x.shape, 2.0), np.full(made.x.shape, 3.0)])
    assert made.rates(0.0, v) == pytest.approx(0, abs=1e-11)


def test_what_leaves_is_not_touched_by_a_condition_and_what_enters_is():
    """Burgers with u = 0 at an end that u = 1 leaves through, and at one through which it would enter."""
    law = cells("u_t + u*u_x = 0", "1").law
    problem = lrfm.Problem(
        "u_t + u*u_x = 0",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 1),
        initial="1",
        boundary={"x-": "u = 2", "x+": "u = 1"},
    )
    left = BoundaryFlux(law, problem.face_rows["x-"], 0.0, -1)
    right = BoundaryFlux(law, problem.face_rows["x+"], 1.0, 1)
    inside, flux = np.array([2.0]), np.array([2.0])
    assert left(inside, flux, 2.0, 0.0) == pytest.approx([2.0])  # u²/2 at u = 2
    assert right(np.array([1.0]), np.array([0.5]), 1.0, 0.0) == pytest.approx([0.5])


@pytest.mark.slow
@pytest.mark.parametrize("count", [4, 6])
def test_smooth_solutions_converge_with_the_order_of_the_polynomials(count):
    """u_t + u_x = 0 once around: error O(h^(k − ½)) at the least."""
    errors = []
    for number in (6, 12):
        made = cells("u_t + u_x = 0", "1", count=count, number=number)
        v, time = np.sin(2 * np.pi * made.x)[None], 0.0
        length = ssp.EULER / 6 * made.longest(0.0, v)[0]  # short: the error in space is looked at
        steps = int(np.ceil(0.5 / length))
        for _ in range(steps):
            v, _, _ = ssp.step(made.rates, time, v, 0.5 / steps)
            time += 0.5 / steps
        gap = v[0] - np.sin(2 * np.pi * (made.x - 0.5))
        errors.append(np.sqrt(np.mean(gap**2)))
    assert np.log2(errors[0] / errors[1]) > count - 1.0


def test_a_depth_below_zero_is_none():
    made = cells(WATER, {"h": "1", "q": "0"})
    v = np.stack([np.full(made.x.shape, 0.1), np.zeros(made.x.shape)])
    v[0, 3] = [-0.05, 0.1, 0.2, 0.1]
    with np.errstate(all="ignore"), pytest.raises(NotAdmissible):
        made.rates(0.0, v)
