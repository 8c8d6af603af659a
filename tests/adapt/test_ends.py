# SPDX-License-Identifier: MIT
"""Data of chains meet their conditions at the start, as far as they do not contradict them."""

import numpy as np
from on_cells import line

import lrfm
from lrfm.adapt.cells import CellAdapter
from lrfm.adapt.given import Given
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.line.layout import Layout, points_of
from lrfm.discretize.options import Options
from lrfm.spaces.cells.reference import table


def first(problem, tol=1e-6):
    system, options = EvolutionSystem(problem), Options(tol=tol)
    return CellAdapter(Layout(system, points_of(system, options)), Given(system), options).initial()


def derivative(mesh, y, order, upper):
    """At an end of the interval."""
    cell = -1 if upper else 0
    at = table(np.array([1.0 if upper else -1.0]), y.shape[-1], order)[0]
    return at @ y[cell] * (2 / mesh.widths[cell]) ** order


def test_a_free_end_has_no_force_at_the_start():
    """Coefficients to ten digits leave u_xxx = 1e-6 at the end of a cantilever; met, it is rounding."""
    mesh, y = first(lrfm.catalog.cantilever())
    assert abs(derivative(mesh, y[0], 2, True)) < 1e-12
    assert abs(derivative(mesh, y[0], 3, True)) < 1e-11
    assert abs(derivative(mesh, y[0], 0, False)) < 1e-14


def test_an_interface_is_met_from_both_sides():
    """2 u_x = u_x of the other side where data have slopes 1 and 2, up to what cells leave out."""
    layers = lrfm.Layers(left=lrfm.Box(x=(0, 0.5)), right=lrfm.Box(x=(0.5, 1)))
    shape = {"left": "sin(x)", "right": "sin(0.5) + sin(2*cos(0.5)*(x - 0.5))"}
    problem = lrfm.Problem(
        "u_tt = diff(k*u_x, x)", domain=layers, time=(0, 1), initial={"u": shape, "u_t": 0}, boundary={"left": "u = 0", "right": "u_n = 0"},
        parameters={"k": {"left": 2, "right": 1}}, check_corners=False,
    )  # fmt: skip
    mesh, y = first(problem)
    at = int(np.searchsorted(mesh.edges, 0.5))
    sides = [
        table(np.array([end]), y.shape[-1], 1)[0] @ y[0, cell] * 2 / mesh.widths[cell]
        for cell, end in ((at - 1, 1.0), (at, -1.0))
    ]
    assert abs(2 * sides[0] - sides[1]) < 1e-12


def test_data_that_contradict_a_condition_are_left_as_they_are():
    mesh, y = first(line("u_tt = u_xx", {"u": "1 + x", "u_t": "0"}, "u = 0", check_corners=False))
    assert abs(derivative(mesh, y[0], 0, False) - 1) < 1e-12
