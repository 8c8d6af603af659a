# SPDX-License-Identifier: MIT
"""Conditions on slopes that the equation imposes by itself, where data contradict them: what they are, and claims that are true."""

import importlib
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import jn_zeros, jv

import lrfm
from lrfm.solver.lines.choosers import rules_of
from lrfm.solver.lines.form import Form
from lrfm.solver.lines.regions.choice import RegionChooser
from lrfm.solver.lines.regions.features import Draught, Extras
from lrfm.solver.lines.regions.natural import natural_conditions
from lrfm.solver.lines.regions.points import Points

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


def form(equations="u_t = lap(u)", boundary="u_n = 1 - u", domain=None, initial="0"):
    return Form(
        lrfm.Problem(equations, domain=domain or lrfm.Disk(), time=(0, 1), initial=initial, boundary=boundary)
    )


# Which conditions -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("equations", "boundary", "count"),
    [
        ("u_t = lap(u)", "u_n = 1 - u", 1),
        ("u_t = 2*lap(u) - u_x + u - u**3", "3*u_n = sin(t)*u**2", 1),
        ("u_t = lap(u)", "u = 1", 0),
        ("u_t = lap(u)", "u_n + u_s = 1", 0),
        ("u_t = u_xx + 2*u_yy", "u_n = 1 - u", 0),
        ("u_t = (1 + x**2)*lap(u)", "u_n = 1 - u", 0),
        ("u_t = lap(u)", "u_t + u_n = 1", 0),
    ],
)
def test_slopes_along_the_normal_are_natural_where_the_equation_ends_in_a_laplacian(
    equations, boundary, count
):
    assert len(natural_conditions(form(equations, boundary))) == count


def test_values_on_one_part_go_with_slopes_on_another():
    found = natural_conditions(
        form(boundary={"inner": "u_n = 1", "outer": "u = 0"}, domain=lrfm.Annulus(radii=(0.4, 1)))
    )
    assert [n.factor for n in found.values()] == [-1.0]


def test_only_data_that_contradict_slopes_change_how_these_are_imposed():
    def chooser(initial):
        of = form(initial=initial)
        return RegionChooser(of, rules_of(of, 1e-4), np.random.default_rng(0))

    assert not chooser("1").naturals
    contradicted = chooser("0")
    assert contradicted.naturals
    assert not contradicted.kinds
    assert [w.radius for w in contradicted.walls] == [-1.0]


# The rows ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("condition", ["u_n = 3 - u", "u_n = 2 + (1 + t)*(1 - u**2)"])
def test_a_solution_is_where_newton_stays_and_slopes_are_differences(condition):
    """u = r² has Δu = 4 and u_n = 2 on the unit disc."""
    of = form("u_t = lap(u) - 4", condition)
    chooser = RegionChooser(of, rules_of(of, 1e-4), np.random.default_rng(0))
    system = chooser.system(basis := chooser._draw(Draught.of(120, 1.0, Extras())))
    y, at = basis.project(np.sum(basis.points**2, axis=1)[None]), np.array([0.5])
    rest = np.zeros((1, *y.shape))
    slopes = system.linearize(at[0], y, rest[0])[1]
    step = np.linalg.solve(slopes, system.residual(at, y[None], rest)[0])
    assert np.linalg.norm(step) < 1e-6 * np.linalg.norm(y)
    change = 1e-5 * np.random.default_rng(1).normal(size=y.shape)
    ahead, back = (system.residual(at, (y + s * change)[None], rest)[0] for s in (1, -1))
    np.testing.assert_allclose(slopes @ change[0], 0.5 * (ahead - back), atol=1e-7)


# Solves -----------------------------------------------------------------------------------------------------


def test_points_towards_the_boundary_integrate_thin_layers():
    """∫ e^{−κ(1 − r)} over the disc is 2π(1/κ − (1 − e^{−κ})/κ²)."""
    disc, rate = lrfm.Disk(), 1000.0
    exact = 2 * np.pi * (1 / rate - (1 - np.exp(-rate)) / rate**2)
    gaps = []
    for graded in (False, True):
        points, weights = Points(disc, graded)(1500)
        assert abs(weights.sum() - np.pi) < 1e-10
        gaps.append(abs(weights @ np.exp(-rate * (1 - np.hypot(*points.T))) / exact - 1))
    assert gaps[1] < 0.01 < 0.5 < gaps[0]


@pytest.mark.parametrize("tol", [1e-4, pytest.param(1e-6, marks=pytest.mark.slow)])
def test_a_disc_that_is_heated_through_its_rim(tol):
    """u = 1 − Σ 2/((β² + 1) J₀(β)) J₀(βr) e^{−β²t},   β J₁(β) = J₀(β)."""
    ends = np.r_[0.0, jn_zeros(1, 200)]
    roots = np.array([brentq(lambda b: b * jv(1, b) - jv(0, b), *pair) for pair in pairwise(ends)])
    shares = 2 / ((roots**2 + 1) * jv(0, roots))
    solution = lrfm.solve(form().problem, tol=tol, max_seconds=None)
    assert solution.report.method == "lines"
    radii = np.linspace(0, 1, 21)
    for t in (0.02, 0.1, 1.0):
        exact = 1 - jv(0, np.outer(radii, roots)) @ (shares * np.exp(-(roots**2) * t))
        found = solution(x=radii * np.cos(0.3), y=radii * np.sin(0.3), t=np.full(21, t))
        np.testing.assert_allclose(found, exact, atol=5 * tol if t < 0.1 else tol)


@pytest.mark.slow
def test_a_plate_with_two_holes_by_finite_elements_and_back_from_a_file(tmp_path):
    pytest.importorskip("skfem")
    sys.path.insert(0, str(BENCHMARKS))
    try:
        plate = importlib.import_module("plate")
    finally:
        sys.path.remove(str(BENCHMARKS))
    size, hole = (2.5, 1.5), plate.Hole((1.2, 0.0), 0.5, 2.0)
    times = (0.1, 0.5, 1.0)
    places, values = plate.solve(size, [hole], 0.1, times, 3)
    domain = lrfm.Box(x=(-2.5, 2.5), y=(-1.5, 1.5), name="plate")
    for name, x in (("left", -1.2), ("right", 1.2)):
        domain = domain - lrfm.Disk(center=(x, 0), radius=0.5, name=name)
    holes = dict.fromkeys(("left", "right"), "u_n = 2 - u")
    problem = form(boundary={"plate": "u_n = 0.1 - u", **holes}, domain=domain).problem
    solution = lrfm.solve(problem, tol=1e-3, max_seconds=None)
    every = max(1, len(places) // 200)
    chosen = places[::every]
    solution.save(tmp_path / "plate.lrfm")
    again = lrfm.load(tmp_path / "plate.lrfm")
    for t, exact in zip(times, values[:, ::every], strict=True):
        at = {"x": -chosen[:, 0], "y": chosen[:, 1], "t": np.full(len(chosen), t)}
        assert np.linalg.norm(solution(**at) - exact) <= 1e-3 * np.linalg.norm(values[-1, ::every])
        np.testing.assert_array_equal(solution(**at), again(**at))
