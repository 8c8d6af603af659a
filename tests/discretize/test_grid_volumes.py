# SPDX-License-Identifier: MIT
"""Finite volumes in a box: along one axis they are those of an interval, totals are kept, and axes can be exchanged."""

from functools import partial

import numpy as np
import pytest

from lrfm import Box, Problem
from lrfm.adapt.given_box import GivenOnBox
from lrfm.adapt.grid_volumes import GridAdapter
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.laws.grid_volumes import GridVolumes
from lrfm.discretize.laws.law import Law
from lrfm.discretize.laws.volumes import Volumes
from lrfm.discretize.options import PAIRS, SHOCKS, Options
from lrfm.integrate.schemes import ssp
from lrfm.problem.conservation import ConservationLaw, NotConserved, conservation_law
from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.tree import Tree
from tests import riemann

WATER = [
    "diff(h, t) + diff(h*u, x) + diff(h*v, y) = 0",
    "diff(h*u, t) + diff(h*u**2 + h**2/2, x) + diff(h*u*v, y) = 0",
    "diff(h*v, t) + diff(h*u*v, x) + diff(h*v**2 + h**2/2, y) = 0",
]


def statement(equation, initial, boundary="periodic", **more) -> Problem:
    box = Box(x=(0, 1), y=(0, 1))
    return Problem(equation, domain=box, time=(0, 0.1), initial=initial, boundary=boundary, **more)


def law_of(problem: Problem) -> ConservationLaw:
    law = conservation_law(problem)
    assert isinstance(law, ConservationLaw)
    return law


def adapter_of(problem: Problem, tol: float = 0.05) -> GridAdapter:
    system = EvolutionSystem(problem)
    return GridAdapter(system, law_of(problem), GivenOnBox(system), Options(tol=tol, stages=1))


def volumes(problem: Problem, counts=(16, 8)) -> GridVolumes:
    adapter = adapter_of(problem)
    periodic = tuple(name in problem.periodic for name in ("x", "y"))
    return adapter.discretize(Tree.equal((0.0, 0.0), (1.0, 1.0), counts, periodic))


def water(boundary="periodic") -> Problem:
    return statement(WATER, {"h": "1 + 0.3*sin(2*pi*x)*cos(2*pi*y)", "u": "0.1", "v": "0"}, boundary)


def state(rng, cells=128) -> np.ndarray:
    """Depth and momenta that are far from dry."""
    return np.stack([1 + rng.random(cells), rng.normal(size=cells) / 5, rng.normal(size=cells) / 5])


def test_fluxes_along_both_axes_are_read_off_the_rows():
    law = law_of(water())
    h, hu, hv = 1.5, 0.3, -0.2
    q, x = np.array([[h], [hu], [hv]]), np.array([[0.2], [0.7]])
    along = [Law(law.along(axis), ("x", "y", "t")).flux(q, x, 0.0)[:, 0] for axis in (0, 1)]
    assert along[0] == pytest.approx([hu, hu**2 / h + h**2 / 2, hu * hv / h], rel=1e-14)
    assert along[1] == pytest.approx([hv, hu * hv / h, hv**2 / h + h**2 / 2], rel=1e-14)


def test_a_product_that_is_no_derivative_is_none():
    law = conservation_law(statement("u_t + u*u_x + x*y*u_y = 0", "x"))
    assert isinstance(law, ConservationLaw)  # x y u_y = (x y u)_y − x u
    source = Law(law.along(0), ("x", "y", "t")).source
    assert source is not None
    assert source(np.array([[3.0]]), np.array([[0.5], [0.2]]), 0.0)[0, 0] == pytest.approx(1.5)
    both = statement(["u_t + v*u_x = 0", "v_t + u*v_y = 0"], {"u": "x", "v": "y"})
    assert isinstance(conservation_law(both), NotConserved)


def test_without_change_along_y_it_is_the_scheme_of_an_interval():
    rng = np.random.default_rng(1)
    means = 1 + rng.random((1, 16))
    flat = Problem("u_t + u*u_x = 0", domain=Box(x=(0, 1)), time=(0, 1), initial="1 + x", boundary="periodic")
    line = Volumes(
        Law(law_of(flat), ("x", "t")),
        Mesh.of(np.linspace(0, 1, 17), True),
        (),
        np.full(1, 0.1),
        EvolutionSystem(flat),
    )
    made = volumes(statement("u_t + u*u_x + 0*u_y = 0", "1 + x"), (16, 8))
    along = (made.mesh.centers[0] * 16).astype(int)
    found = made.rates(0.0, means[:, along])
    assert np.allclose(found, line.rates(0.0, means)[:, along], rtol=1e-12, atol=1e-12)


def graded(boundary, seed: int) -> GridVolumes:
    """The same law on cells of three widths, whose places chance chooses."""
    coarse = volumes(water(boundary), (24, 24))
    rng = np.random.default_rng(seed)
    needed = [rng.random((3 << k, 3 << k)) < 0.2 for k in range(3)]
    return adapter_of(water(boundary)).discretize(coarse.mesh.with_blocks(needed))


@pytest.mark.parametrize("boundary", ["periodic", {"x": "u = 0", "y": "v = 0"}])
def test_totals_are_kept_where_widths_change(boundary):
    made = graded(boundary, 5)
    assert made.mesh.depth == 2
    rates = made.rates(0.0, state(np.random.default_rng(2), made.mesh.size))
    assert abs(rates[0] @ made.shares) <= 1e-12 * (np.abs(rates[0]) @ made.shares)


def test_rates_of_a_smooth_state_are_those_of_its_fluxes_where_widths_change():
    """On cells half as wide errors are an eighth: at faces between two widths predictions are of order three, and rates of order two."""
    errors = []
    for halved in (0, 1, 2):
        made = graded("periodic", 5)
        tree = made.mesh
        for _ in range(halved):
            roots = tuple(2 * n for n in tree.roots)
            masks = tuple(np.kron(mask, np.ones((2, 2))).astype(bool) for mask in tree.refined)
            tree = Tree(tree.lower, tree.upper, roots, tree.periodic, masks)
        made = adapter_of(water()).discretize(tree)
        x, y = tree.centers
        w, z = tree.cell_widths * np.pi
        part = np.sinc(w / np.pi) * np.sinc(z / np.pi)  # means of waves
        h = 2 + 0.1 * part * np.sin(2 * np.pi * x) * np.sin(2 * np.pi * y)
        found = made.rates(0.0, np.stack([h, 0.5 * h, 0.25 * h]))[0]
        c, s = np.cos, np.sin
        exact = (
            -0.2
            * np.pi
            * part
            * (0.5 * c(2 * np.pi * x) * s(2 * np.pi * y) + 0.25 * s(2 * np.pi * x) * c(2 * np.pi * y))
        )
        errors.append(np.abs(found - exact) @ tree.shares)
    assert errors[1] < errors[0] / 4
    assert errors[2] < errors[1] / 4


def test_totals_are_kept_and_walls_let_nothing_through():
    rng = np.random.default_rng(2)
    for boundary in ("periodic", {"x": "u = 0", "y": "v = 0"}):
        rates = volumes(water(boundary)).rates(0.0, state(rng))
        assert abs(rates[0].sum()) <= 1e-12 * np.abs(rates[0]).sum()


def test_axes_can_be_exchanged():
    made, q = (
        volumes(water({"x": "u = 0", "y": "v = 0"}), (16, 16)),
        state(np.random.default_rng(3), 256),
    )
    order = made.mesh.locate(made.mesh.centers[::-1].T)[0]

    def turned(state):
        return state[[0, 2, 1]][:, order]

    assert np.allclose(turned(made.rates(0.0, q)), made.rates(0.0, turned(q)), rtol=1e-12, atol=1e-12)


def test_a_quarter_turn_of_the_plane_is_one_of_the_rates():
    made, q = (
        volumes(water({"x": "u = 0", "y": "v = 0"}), (16, 16)),
        state(np.random.default_rng(4), 256),
    )
    x, y = made.mesh.centers
    order = made.mesh.locate(np.column_stack([y, 1 - x]))[0]

    def turned(state):  # (x, y) to (−y, x), and so (u, v)
        h, hu, hv = state[:, order]
        return np.stack([h, -hv, hu])

    assert np.allclose(turned(made.rates(0.0, q)), made.rates(0.0, turned(q)), rtol=1e-12, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("axis", [0, 1])
def test_a_dam_across_the_box_breaks_as_the_exact_one_does(axis):
    name = "xy"[axis]
    dam = {"h": f"where({name} < 0.5, 2, 1)", "u": "0", "v": "0"}
    counts = (104, 16) if axis == 0 else (16, 104)
    adapter = adapter_of(statement(WATER, dam, {"x": "u = 0", "y": "v = 0"}))
    made = adapter.discretize(Tree.equal((0.0, 0.0), (1.0, 1.0), counts, (False, False)))
    at = made.mesh.centers[axis]
    before = q = np.stack([np.where(at < 0.5, 2.0, 1.0), 0 * at, 0 * at])
    time, end = 0.0, 0.2
    while time < end:
        bounds = made.bounds(time, q)
        step = min(SHOCKS.volume_courant * bounds.crossing, end - time)
        rates = partial(made.rates, bounds=bounds)
        q = ssp.third(rates, time, q, step, rates(time, q))
        time += step
    h, v = riemann.shallow_water((2.0, 0.0), (1.0, 0.0))((at - 0.5) / end)
    # Two waves of jumps near one, each of them caught in about a cell.
    assert np.mean(np.abs(q[0] - h)) <= 1 / 100
    assert np.mean(np.abs(q[1 + axis] / q[0] - v)) <= 1 / 100
    assert np.max(np.abs(q[2 - axis])) <= 1e-12
    assert np.mean(q[0]) == pytest.approx(np.mean(before[0]), rel=1e-13)


def test_where_nothing_varies_nothing_moves():
    still = np.stack([np.full(128, 2.0), np.full(128, 0.6), np.full(128, -0.4)])
    assert np.max(np.abs(volumes(water()).rates(0.0, still))) <= 1e-13


def test_means_of_data_that_jump_along_a_circle():
    adapter = adapter_of(
        statement("u_t + u*u_x + u*u_y = 0", "where((x - 0.4)**2 + (y - 0.5)**2 < 0.09, 1, 0)")
    )
    assert adapter.jumps
    grid, y = adapter.initial()
    assert y[0, :, 0] @ grid.shares == pytest.approx(0.09 * np.pi, rel=2e-3)
    assert grid.roots[0] == grid.roots[1]


def test_a_narrow_top_of_the_data_is_integrated():
    width = 2e-3
    top = f"exp(-((x - 0.4137)**2 + (y - 0.6671)**2)/{width}**2)"
    problem = statement("u_t + u*u_x + u*u_y = 0", top)
    tol = adapter_of(problem).variation / 50  # so many cells along an axis: each is ten widths
    tree, y = adapter_of(problem, tol).initial()
    assert y[0, :, 0] @ tree.shares == pytest.approx(np.pi * width**2, rel=1e-3)


def test_smooth_data_do_not_jump():
    assert not adapter_of(water()).jumps
    assert not adapter_of(statement("u_t + u*u_x + u*u_y = 0", "tanh((x - 0.5)/1e-3)")).jumps


def test_widths_of_a_comparison_are_those_of_no_first_solve():
    problem = water()
    system = EvolutionSystem(problem)
    for tol in (0.05, 0.01, 0.004):
        first = Options(tol=tol, stages=1)
        one, two = (
            GridAdapter(system, law_of(problem), GivenOnBox(system), options)
            for options in (first, first.compared_by(1 / PAIRS.apart))
        )
        assert one.depth == two.depth
        assert one.coarsest.counts(0)[0] >= 1.7 * two.coarsest.counts(0)[0]
