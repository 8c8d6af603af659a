# SPDX-License-Identifier: MIT
"""Discontinuous Galerkin on cells of space: polynomials satisfy the weak rows, matrices are symmetric and derivatives of residuals, nothing is lost."""

import numpy as np
import pytest

import lrfm
from lrfm.discretize.options import PLANE
from lrfm.discretize.plane.galerkin import PlaneGalerkin
from lrfm.discretize.plane.layout import PlaneLayout
from lrfm.solver.formulations.plane import PlaneSystem
from lrfm.spaces.cells.plane.mesh import PlaneMesh
from lrfm.spaces.cells.plane.solid import Solid
from lrfm.spaces.cells.plane.space import PlaneCells

U = "(x**2 - x*y + 2*y*z + t)"
SLOPES = "(x*(2*x - y) + y*(2*z - x) + 2*y*z)"  # r ∂u/∂r
# u = x² − xy + 2yz + t in all of them: a polynomial that cells hold exactly.
STATED = {
    "heat": ("u_t = lap(u) - 1", f"u = {U}"),
    "flux": ("u_t = lap(u) - 1", f"u_n = 3*u - 3*{U} + {SLOPES}"),
    "carried": (f"u_t + (1 + y)*u_x - z*u_z = 0.1*lap(u) + 1 + (1 + y)*(2*x - y) - 2*y*z - 0.2 + u - {U}", f"u = {U}"),
    "mixed": (f"u_t = 2*u_xx + u_xy + u_yz + u_yy + u_zz + u**2 - {U}**2 - 4", f"u = {U}"),
}  # fmt: skip


def made(equation, boundary, degree=3, grid=4):
    problem = lrfm.Problem(
        equation, domain=lrfm.Ball(), time=(0, 1), initial="x**2 - x*y + 2*y*z", boundary=boundary
    )
    found = Solid(problem.domain.shape, PLANE)
    layout = PlaneLayout(PlaneSystem(problem), found, degree)
    layout.check()
    mesh = PlaneMesh.of(found.low - 0.11, found.high + 0.07, (grid,) * 3)
    return PlaneGalerkin(layout, PlaneCells(found, mesh, degree))


def exact(p, t=0.3):
    x, y, z = p.T
    return np.stack([x**2 - x * y + 2 * y * z + t])


@pytest.mark.parametrize("name", STATED)
def test_a_polynomial_solution_satisfies_all_rows(name):
    discretization = made(*STATED[name])
    y, z = discretization.mesh.project(exact), discretization.mesh.project(lambda p: np.ones((1, len(p))))
    times = np.array([0.3])
    residual = discretization.residual(times, y[None], z[None])
    size = np.abs(discretization.residual(times, 1.1 * y[None], z[None])).max()
    # Up to the error of five Gauss points on a sphere, where its normal is along no axis.
    assert np.abs(residual).max() < 2e-4 * size
    pencil = discretization.linearize(0.3, y, z)
    change = np.random.default_rng(0).normal(size=y.shape) * 1e-6
    moved = discretization.residual(times, (y + change)[None], z[None]) - residual
    powers = [matrix @ discretization.gather(change) for matrix in pencil.matrices]
    assert np.abs(powers[1] - moved[0]).max() < 2e-5 * np.abs(moved).max()


def test_diffusion_is_symmetric_and_positive():
    discretization = made("u_t = lap(u)", "u = 0", degree=2)
    areas = np.empty(discretization.size + 1)
    areas[discretization.places] = discretization.mesh.areas[:, None, None]
    rates, stiff = (m.toarray() for m in discretization.fixed.matrices)
    assert np.abs(rates - np.eye(len(rates))).max() < 1e-12
    weighted = areas[:-1, None] * stiff
    assert np.abs(weighted - weighted.T).max() < 1e-9 * np.abs(weighted).max()
    values = np.linalg.eigvalsh(0.5 * (weighted + weighted.T))
    assert values[0] > 0


def test_nothing_is_lost_through_walls():
    """d/dt ∫ u = 0 for u_n = 0, to rounding, whatever u is."""
    discretization = made("u_t = diff((2 + x)*u_x, x) + diff((2 + x)*u_y, y) + diff((2 + x)*u_z, z)", "u_n = 0", degree=2)  # fmt: skip
    stiff = discretization.fixed.matrices[1]
    one = np.zeros(discretization.size + 1)
    one[discretization.places[:, 0, 0]] = discretization.mesh.areas
    assert np.abs(one[:-1] @ stiff).max() < 1e-10 * np.abs(stiff).max()
