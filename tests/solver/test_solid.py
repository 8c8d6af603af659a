# SPDX-License-Identifier: MIT
"""`lrfm.solve` on cells of space: exact solutions on a ball, claims, files, fluxes, walls; steady states; what it refuses."""

import numpy as np
import pytest
from scipy.optimize import brentq

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


def test_a_conductivity_that_jumps_at_a_plane():
    """u = e^(−λt) φ(x) cos πy with φ = sin ωx below 1/2, where k = 1, and b sinh κ(1 − x) above, where k = 5: ω² + π² = 5(π² − κ²) = λ."""
    kappa = lambda w: np.sqrt(np.pi**2 - (w**2 + np.pi**2) / 5)  # noqa: E731
    flux = lambda w: w * np.cos(w / 2) * np.sinh(kappa(w) / 2) + 5 * kappa(w) * np.cosh(kappa(w) / 2) * np.sin(w / 2)  # noqa: E731  # fmt: skip
    w = brentq(flux, 4, 6)
    k, b = float(kappa(w)), float(np.sin(w / 2) / np.sinh(kappa(w) / 2))
    problem = lrfm.Problem(
        "u_t = diff(k*u_x, x) + diff(k*u_y, y) + diff(k*u_z, z)",
        domain=lrfm.Box(x=(0, 1), y=(0, 1), z=(0, 1)),
        time=(0, 0.1),
        initial=f"where(x < 0.5, sin({w!r}*x), {b!r}*sinh({k!r}*(1 - x)))*cos(pi*y)",
        boundary={"x": "u = 0", "*": "u_n = 0"},
        parameters={"k": "where(x < 0.5, 1, 5)"},
    )
    solution = lrfm.solve(problem, tol=1e-2)
    x, y, z = np.random.default_rng(0).random((3, 500))
    shape = np.where(x < 0.5, np.sin(w * x), b * np.sinh(k * (1 - x))) * np.cos(np.pi * y)
    exact = np.exp(-(w**2 + np.pi**2) * 0.1) * shape
    found = solution(x=x, y=y, z=z, t=0.1)
    assert np.linalg.norm(found - exact) / np.linalg.norm(exact) < 1e-2
    assert solution.report.solved
    assert not solution.report.warnings  # parts of the data meet, and cells end at the plane
