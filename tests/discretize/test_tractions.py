# SPDX-License-Identifier: MIT
"""Elastic bodies on cells of the plane: polynomials satisfy the rows with tractions in any order, the matrix is that of an energy, rigid motions alone have none."""

import numpy as np
import pytest

import lrfm
from lrfm.discretize.options import PLANE
from lrfm.discretize.plane.constraint import PlaneSystem
from lrfm.discretize.plane.galerkin import PlaneGalerkin
from lrfm.discretize.plane.layout import PlaneLayout
from lrfm.spaces.cells.plane.mesh import PlaneMesh
from lrfm.spaces.cells.plane.outline import Outline
from lrfm.spaces.cells.plane.space import PlaneCells

PLATE = lrfm.Box(x=(-1, 1), y=(-1, 1), name="plate") - lrfm.Disk(radius=0.4, name="hole")
U, V = "x**2 + y*x", "x*y - 2*y**2"
# Stresses of U, V: σ_xx, σ_yy, σ_xy, and what they leave to a force.
EXX, EYY, EXY = "(2*x + y)", "(x - 4*y)", "0.5*(x + y)"
STRESS = [f"(lam*({EXX} + {EYY}) + 2*mu*{e})" for e in (EXX, EYY)] + [f"2*mu*{EXY}"]
FIXED = [f"u = {U}", f"v = {V}"]
SXX, SYY, SXY = "(lam*(u_x + v_y) + 2*mu*u_x)", "(lam*(u_x + v_y) + 2*mu*v_y)", "mu*(u_y + v_x)"
PULLED = [
    f"n_x*{SXX} + n_y*{SXY} = n_x*{STRESS[0]} + n_y*{STRESS[2]}",
    f"n_x*{SXY} + n_y*{SYY} = n_x*{STRESS[2]} + n_y*{STRESS[1]}",
]
FREE = {
    "plate.x": [f"{SXX} = {STRESS[0]}", f"{SXY} = {STRESS[2]}"],
    "plate.y": [f"{SXY} = {STRESS[2]}", f"{SYY} = {STRESS[1]}"],
    "hole": PULLED,
}
ENDS = {
    "held": {"*": FIXED},
    "pulled": FREE,
    "in another order": {"*": FIXED, "hole": PULLED[::-1], "plate.x+": FREE["plate.x"][::-1]},
    "symmetric": {"*": FIXED, "plate.x-": [FIXED[0], FREE["plate.x"][1]]},
}


def made(ends, degree=3, grid=(3, 3), lam=3.0):
    problem = lrfm.Problem(
        [
            "u_tt = (lam + mu)*(u_xx + v_xy) + mu*lap(u) - ((lam + mu)*3 + 2*mu)",
            "v_tt = (lam + mu)*(u_xy + v_yy) + mu*lap(v) + ((lam + mu)*3 + 4*mu)",
        ],
        domain=PLATE,
        time=(0, 1),
        initial={"u": U, "v": V, "u_t": "0", "v_t": "0"},
        boundary=ends,
        parameters={"lam": lam, "mu": 1.0},
    )
    system, found = PlaneSystem(problem), Outline(problem.domain.shape, PLANE)
    layout = PlaneLayout(system, found, degree)
    layout.check()
    return PlaneGalerkin(
        layout, PlaneCells(found, PlaneMesh.of(found.low - 0.11, found.high + 0.07, grid), degree)
    )


def state(discretization, u, v):
    zero = 0 * u(np.zeros(1), np.zeros(1))[0]
    values = {("u", 0): u, ("v", 0): v}
    components = discretization.system.components
    return discretization.mesh.project(
        lambda p: np.stack([values.get(c, lambda x, y: zero + 0 * x)(*p.T) + 0 * p[:, 0] for c in components])
    )


@pytest.mark.parametrize("ends", ENDS)
def test_a_polynomial_satisfies_all_rows_and_matrices_are_derivatives(ends):
    discretization = made(ENDS[ends], 5, (2, 2))
    y = state(discretization, lambda x, y: x**2 + y * x, lambda x, y: x * y - 2 * y**2)
    rows = discretization.at(np.zeros(1))._evaluated(y[None], 0 * y[None])
    size = np.abs(discretization.at(np.zeros(1))._evaluated(1.1 * y[None], 0 * y[None])).max()
    assert np.abs(rows).max() < 1e-6 * size
    # Linear rows are evaluated by their matrices: these agree with what terms say.
    other = state(discretization, lambda x, y: np.sin(x), lambda x, y: np.exp(y) * x)
    terms = discretization.at(np.zeros(1))._evaluated(other[None], other[None])
    assert (
        np.abs(discretization.residual(np.zeros(1), other[None], other[None]) - terms).max()
        < 1e-9 * np.abs(terms).max()
    )


@pytest.mark.parametrize(("ends", "free"), [("held", 0), ("pulled", 3)])
@pytest.mark.parametrize("lam", [0.5, 20.0])
def test_the_matrix_is_that_of_an_energy(ends, free, lam):
    """Symmetric and positive on every mesh; a body on which nothing but tractions is given moves freely in three ways."""
    discretization = made(ENDS[ends], 2, (3, 3), lam)
    matrix = discretization.fixed.matrices[-1].toarray()
    areas = np.empty(discretization.size + 1)
    areas[discretization.places] = discretization.mesh.areas[:, None, None]
    energy = areas[:-1, None] * matrix
    assert np.abs(energy - energy.T).max() < 1e-10 * np.abs(energy).max()
    values = np.linalg.eigvalsh((energy + energy.T) / np.sqrt(np.outer(areas[:-1], areas[:-1])))
    assert np.sum(np.abs(values) < 1e-9 * values[-1]) == free
    assert values[free] > 1e-5 * values[-1]
