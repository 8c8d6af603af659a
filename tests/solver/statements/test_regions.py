# SPDX-License-Identifier: MIT
"""Lines on domains that are no boxes, against exact solutions: claims are made, and true."""

import numpy as np
import pytest
from scipy.special import jn_zeros, jv

import lrfm

Z0, Z2 = jn_zeros(0, 1)[0], jn_zeros(2, 1)[0]
DISK = lrfm.Disk(center=(0, 0), radius=1)
CORNER = lrfm.Polygon([(0, 0), (0, -1), (-1, -1), (-1, 1), (1, 1), (1, 0)])
FLOWER = "(x**2+y**2)**3 < (x**2+y**2)**2.5 + 0.3*(x**5 - 10*x**3*y**2 + 5*x*y**4)"


def error_of(solution, exact, name="u"):
    """Relative L² error over the domain at some times."""
    problem = solution.problem
    points, weights = problem.domain.quadrature(500)
    gaps = sizes = 0.0
    for t in np.linspace(*problem.time, 5)[1:]:
        at = dict(zip(problem.domain.names, points.T, strict=True))
        u = exact(**at, t=t)
        gaps += weights @ (solution[name](**at, t=np.full(len(points), t)) - u) ** 2
        sizes += weights @ u**2
    return np.sqrt(gaps / sizes)


def solved(problem, exact, tol):
    solution = lrfm.solve(problem, tol=tol, max_seconds=None)
    assert solution.report.method == "lines"
    assert solution.report.error_estimate <= tol
    assert error_of(solution, exact) <= solution.report.error_estimate
    return solution


def bessel(x, y, t):
    r, angle = np.hypot(x, y), np.arctan2(y, x)
    return jv(0, Z0 * r) * np.exp(-Z0 * Z0 * t) + jv(2, Z2 * r) * np.cos(2 * angle) * np.exp(-Z2 * Z2 * t)


# Solves -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("domain", "field", "condition"),
    [
        (DISK, "x", "u = x"),
        (DISK, "1", "u_n = 0"),
        (lrfm.Annulus(radii=(0.4, 1)), "x*y", "u = x*y"),
        (lrfm.Box(x=(0, 1), y=(0, 2)), "x", "u = x"),
        (lrfm.Box(x=(0, 1), y=(0, 2)), "1", "u_n = 0"),
    ],
)
def test_what_rests_is_resolved(domain, field, condition):
    """All terms of its equation are rounding: a share of them says nothing."""
    problem = lrfm.Problem("u_t = lap(u)", domain=domain, time=(0, 1), initial=field, boundary=condition)
    solution = lrfm.solve(problem, tol=1e-6, method="lines")
    x, y = np.array([0.6, 0.3, 0.5]), np.array([0.2, 0.5, 0.6])
    np.testing.assert_allclose(solution(x=x, y=y, t=1.0), eval(field) + 0 * x, rtol=0, atol=1e-7)
    assert solution.report.error_estimate <= 1e-6


def test_heat_in_a_disc_and_back_from_a_file(tmp_path):
    problem = lrfm.Problem(
        "u_t = u_xx + u_yy",
        domain=DISK,
        time=(0, 0.1),
        initial=lambda x, y: bessel(x, y, 0.0),
        boundary={"*": "u = 0"},
    )
    solution = solved(problem, bessel, 1e-5)
    solution.save(tmp_path / "disc.lrfm")
    again = lrfm.load(tmp_path / "disc.lrfm")
    at = {"x": np.array([0.1, -0.5]), "y": np.array([0.2, 0.3]), "t": np.array([0.05, 0.1])}
    np.testing.assert_array_equal(solution["u"](**at), again["u"](**at))


@pytest.mark.thorough
def test_corner_with_its_singularity():
    def exact(x, y, t):
        # From the line that halves the domain, so that the cut is far outside.
        z = (x + 1j * y) * np.exp(-0.75j * np.pi)
        return np.exp(-t) * np.real(z ** (2 / 3))

    problem = lrfm.Problem(
        "u_t = u_xx + u_yy - u",
        domain=CORNER,
        time=(0, 0.5),
        initial=lambda x, y: exact(x, y, 0.0),
        boundary={"*": {"u": exact}},
    )
    solved(problem, exact, 1e-6)


def test_robin_data_in_an_ellipse_that_change_in_time():
    def exact(x, y, t):
        return np.exp(-t) * np.sin(x + 2 * y)

    problem = lrfm.Problem(
        "u_t + u_x = 0.2*(u_xx + u_yy) + exp(-t)*cos(x + 2*y)",
        domain=lrfm.Ellipse(center=(0, 0), radii=(1, 0.6)),
        time=(0, 0.5),
        initial="sin(x + 2*y)",
        boundary={"*": {"u_n + (1 + t)*u": lambda x, y, t: _flux(x, y, t)}},
    )
    solved(problem, exact, 1e-3)


def _flux(x, y, t):
    nx, ny = x, y / 0.36
    wave = x + 2 * y
    return np.exp(-t) * ((nx + 2 * ny) / np.hypot(nx, ny) * np.cos(wave) + (1 + t) * np.sin(wave))


def test_two_fields_with_conditions_of_different_kinds():
    def exact(x, y, t):
        return jv(0, Z0 * np.hypot(x, y)) * np.exp(-Z0 * Z0 * t)

    rim = jn_zeros(1, 1)[0]

    def other(x, y, t):
        return jv(0, rim * np.hypot(x, y)) * np.exp(-rim * rim * t)

    problem = lrfm.Problem(
        ["u_t = u_xx + u_yy", "v_t = v_xx + v_yy"],
        domain=DISK,
        time=(0, 0.1),
        initial={"u": lambda x, y: exact(x, y, 0.0), "v": lambda x, y: other(x, y, 0.0)},
        boundary={"*": ["u = 0", "v_n = 0"]},
    )
    solution = solved(problem, exact, 1e-5)
    assert error_of(solution, other, "v") <= 1e-5


@pytest.mark.slow
def test_a_wave_in_a_disc():
    def exact(x, y, t):
        r = np.hypot(x, y)
        return jv(0, Z0 * r) * np.cos(Z0 * t) + jv(2, Z2 * r) * np.cos(2 * np.arctan2(y, x)) * np.cos(Z2 * t)

    problem = lrfm.Problem(
        "u_tt = u_xx + u_yy",
        domain=DISK,
        time=(0, 1),
        initial={"u": lambda x, y: exact(x, y, 0.0), "u_t": 0},
        boundary={"*": "u = 0"},
    )
    solved(problem, exact, 1e-4)


# Parts ------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
@pytest.mark.slow
def test_a_bean_with_data_that_do_not_continue():
    """u = 0 on r = 1 + 0.35 cos 2θ + 0.15 sin 3θ, heated: no exact solution; claims of two seeds agree."""
    text = "(x**2+y**2)**2 < (x**2+y**2)**1.5 + 0.35*(x**2-y**2)*(x**2+y**2)**0.5 + 0.15*(3*x**2*y - y**3)"
    bean = lrfm.Region(text, x=(-1.6, 1.6), y=(-1.6, 1.6), names=["rim"])
    problem = lrfm.Problem(
        "u_t = lap(u) + t*(1 + x)", domain=bean, time=(0, 0.2), initial="0", boundary="u = 0"
    )
    first, second = (lrfm.solve(problem, tol=1e-4, seed=seed, max_seconds=None) for seed in (0, 5))
    assert max(s.report.error_estimate for s in (first, second)) <= 1e-4
    assert error_of(first, lambda x, y, t: second["u"](x=x, y=y, t=np.full(len(x), t))) <= 2e-4
