# SPDX-License-Identifier: MIT
"""Volumes of several widths: order where it is smooth, totals to rounding, a shock as on narrow cells alone."""

import numpy as np

import lrfm
from lrfm.discretize.laws.graded import GradedVolumes
from lrfm.discretize.laws.law import Law
from lrfm.discretize.laws.volumes import Volumes
from lrfm.integrate.schemes import ssp
from lrfm.problem.conservation import conservation_law
from lrfm.spaces.cells.dyadic import Dyadic


def graded(grid, sizes, kind=GradedVolumes):
    problem = lrfm.Problem(
        "u_t + u*u_x = 0", domain=lrfm.Box(x=(0, 1)), time=(0, 1), initial="1", boundary="periodic"
    )
    law, mesh = Law(conservation_law(problem), ("x", "t")), grid.mesh(sizes)
    more = (law, grid, mesh) if kind is GradedVolumes else (law, mesh)
    return kind(*more, [], np.full(1, 1e-3), problem)


def halves(count):
    """A grid with narrow cells on a quarter of it, and twice as wide ones elsewhere."""
    sizes = np.full(count // 2, 2)
    return np.concatenate([sizes[: count // 8], np.ones(count // 4, dtype=int), sizes[count // 4 :]])


def test_rates_converge_and_keep_the_total_where_widths_change():
    errors = []
    for count in (64, 128):
        grid = Dyadic(0.0, 1.0, count, 1, True)
        made = graded(grid, halves(count))
        e = made.mesh.edges
        u = 2 - np.diff(np.cos(2 * np.pi * e)) / (2 * np.pi * np.diff(e))
        exact = -np.diff((2 + np.sin(2 * np.pi * e)) ** 2 / 2) / np.diff(e)
        rates = made.rates(0.0, u[None])[0]
        assert abs(rates @ np.diff(e)) < 1e-13
        errors.append(np.abs(rates - exact) @ np.diff(e))
    assert np.log2(errors[0] / errors[1]) > 4.5


def test_cells_of_one_width_have_the_rates_of_equal_cells():
    grid, rng = Dyadic(0.0, 1.0, 64, 2, True), np.random.default_rng(0)
    sizes = np.ones(64, dtype=int)
    u = rng.normal(size=(1, 64))
    one, two = graded(grid, sizes), graded(grid, sizes, Volumes)
    np.testing.assert_array_equal(one.rates(0.0, u), two.rates(0.0, u))


def test_a_shock_runs_on_narrow_cells_as_if_all_were_narrow():
    count = 256
    grid = Dyadic(0.0, 1.0, count, 1, True)
    sizes = halves(count)
    e = grid.edges
    narrow = ((e[:-1] >= 64 / count) & (e[:-1] < 80 / count)) * 1.0
    made, fine = graded(grid, sizes), graded(grid, np.ones(count, dtype=int))
    q, f = grid.gathered(narrow[None], sizes), narrow[None]
    time, h = 0.0, 0.4 / count
    while time < 0.1:
        q = ssp.third(made.rates, time, q, h, made.rates(time, q))
        f = ssp.third(fine.rates, time, f, h, fine.rates(time, f))
        time += h
    assert abs(np.sum(q * sizes) - np.sum(narrow)) < 1e-11
    assert np.mean(np.abs(np.repeat(q, sizes, axis=1) - f)) < 2e-4


def test_a_dam_takes_a_quarter_of_the_cells():
    """Cells follow the shock and the ends of the fan; elsewhere they are wide."""
    water = ["h_t + diff(h*v, x) = 0", "diff(h*v, t) + diff(h*v**2 + h**2/2, x) = 0"]
    problem = lrfm.Problem(
        water, domain=lrfm.Box(x=(0, 1)), time=(0, 0.05), initial={"h": "where(x < 0.5, 2, 1)", "v": "0"}, boundary="v = 0"
    )  # fmt: skip
    solution = lrfm.solve(problem, tol=4e-3)
    piece = solution.pieces[0]
    widths = np.diff(piece.mesh(piece.steps - 1, 0.05))
    assert len(widths) < 0.25 / np.sort(widths)[2]  # two cells end at the shock
    x = np.linspace(0.01, 0.99, 50)
    assert np.max(np.abs(solution["h"](x=x[x > 0.8], t=0.05) - 1)) < 1e-12
