# SPDX-License-Identifier: MIT
"""`lrfm.solve` on cells of space: exact solutions on a ball, claims, files, fluxes, walls; steady states; what it refuses."""

import numpy as np
import pytest

import lrfm
from lrfm.problem.shapes.mesh import Mesh
from lrfm.rows.plane_steps import PlaneSteps

CELLS = lrfm.Lines(space="cells")


def mode(x, y, z):
    """sin(πr)/(πr): lap u = −π² u, zero on the unit sphere."""
    return np.sinc(np.sqrt(x * x + y * y + z * z))


def places(n=600, radius=1.0):
    rng = np.random.default_rng(3)
    direction = rng.normal(size=(3, n))
    return radius * rng.random(n) ** (1 / 3) * direction / np.linalg.norm(direction, axis=0)


@pytest.fixture(scope="module")
def heat():
    problem = lrfm.Problem("u_t = lap(u)", domain=lrfm.Ball(), time=(0, 0.1), initial=mode, boundary="u = 0")
    return lrfm.solve(problem, tol=1e-2)


def test_heat_in_a_ball(heat):
    x, y, z = places()
    times = np.linspace(0, 0.1, 5)
    found = np.array([heat(x=x, y=y, z=z, t=t) for t in times])
    exact = np.array([mode(x, y, z) * np.exp(-(np.pi**2) * t) for t in times])
    error = np.linalg.norm(found - exact) / np.linalg.norm(exact)
    assert heat.report.solved
    assert isinstance(heat.pieces[0], PlaneSteps)
    assert error < heat.report.error_estimate < 1e-2
    assert heat.cells(t=0.05).shape[1] == 6


def test_what_leaves_through_the_sphere_is_what_is_lost(heat):
    """∮ u_n = −4π e^(−π²t), and ∫ u = (4/π) e^(−π²t)."""
    decay = np.exp(-(np.pi**2) * 0.05)
    (name,) = heat.problem.domain.parts
    assert heat.flux(name)(t=0.05) == pytest.approx(-4 * np.pi * decay, rel=1e-2)
    assert heat.integral("u")(t=0.05) == pytest.approx(4 / np.pi * decay, rel=1e-3)


def test_cells_of_space_are_kept_in_files(heat, tmp_path):
    heat.save(tmp_path / "ball.lrfm")
    again = lrfm.load(tmp_path / "ball.lrfm")
    x, y, z = places(50)
    assert np.array_equal(again(x=x, y=y, z=z, t=0.03), heat(x=x, y=y, z=z, t=0.03))


@pytest.mark.thorough
@pytest.mark.slow
def test_a_steady_state_around_a_hole():
    """u = 1/r between spheres of radius 1/2 and 1: a harmonic function."""
    shell = lrfm.Ball(name="rim") - lrfm.Ball(radius=0.5, name="hole")
    found = lrfm.steady(
        lrfm.Problem("lap(u) = 0", domain=shell, boundary={"hole": "u = 2", "rim": "u_n = -1"}), tol=1e-2
    )
    x, y, z = places()
    r = np.sqrt(x * x + y * y + z * z)
    x, y, z, r = (v[r > 0.5] for v in (x, y, z, r))
    assert found.report.solved
    assert np.abs(found(x=x, y=y, z=z) - 1 / r).max() < 2e-2


def test_a_surface_of_triangles_is_no_level_set():
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    domain = Mesh(corners, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    problem = lrfm.Problem("u_t = lap(u)", domain=domain, time=(0, 0.1), initial="x", boundary="u_n = 0")
    with pytest.raises(lrfm.ProblemError, match="this domain is made of triangles"):
        lrfm.solve(problem, tol=1e-2, method=CELLS)
