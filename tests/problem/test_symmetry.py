# SPDX-License-Identifier: MIT
"""Radii: the Laplacian, measures and the middle of a body against Bessel functions and polynomials."""

import numpy as np
import pytest
from scipy.special import j0, j1, jn_zeros

import lrfm

Z = jn_zeros(0, 40)


def solve(equation, kind, tol=1e-6, **given):
    ends = given.pop("ends", (0, 1))
    domain = lrfm.Box(r=ends, coordinates=kind)
    problem = lrfm.Problem(equation, **{"domain": domain, "time": (0, 0.2), "boundary": "u = 0", **given})
    return lrfm.solve(problem, tol=tol)


def test_equations_have_no_pole_and_the_middle_no_condition():
    domain = lrfm.Box(r=(0, 1), coordinates="cylindrical")
    problem = lrfm.Problem(
        "u_t = D*lap(u)", domain=domain, time=(0, 1), initial="1", boundary="u_n = 0", parameters={"D": 2}
    )
    assert "r**(-" not in str(problem.rows[0])
    assert [row.jets for row in problem.face_rows["r-"]] == [problem.face_rows["r+"][0].jets]


def test_a_statement_comes_back_from_its_file(tmp_path):
    domain = lrfm.Box(r=(0.5, 2), coordinates="spherical")
    problem = lrfm.Problem("u_t = lap(u)", domain=domain, time=(0, 1), initial="r", boundary="u_n = 0")
    path = tmp_path / "ball.toml"
    path.write_text(problem.to_toml())
    assert lrfm.read(path).domain == domain
    assert repr(domain) == "Box(r=(0.5, 2), coordinates='spherical')"


def test_a_cooling_cylinder(tmp_path):
    """u(r, 0) = 1 − r², u = 0 at r = 1:  Σ 8/(z³ J₁(z)) J₀(z r) e^{−z² t}."""
    solution = solve("u_t = lap(u)", "cylindrical", initial="1 - r**2")
    r, t = np.linspace(0, 1, 21), 0.2
    exact = sum(8 / (z**3 * j1(z)) * j0(z * r) * np.exp(-(z**2) * t) for z in Z)
    assert np.max(np.abs(solution(r=r, t=t) - exact)) < 1e-6 * np.max(np.abs(exact)) * 10
    heat = sum(8 / (z**3 * j1(z)) * 2 * np.pi * j1(z) / z * np.exp(-(z**2) * t) for z in Z)
    assert np.isclose(solution.integral("u")(t=t), heat, rtol=1e-5)
    again = lrfm.load(solution.save(tmp_path / "u.lrfm"))
    assert again.problem.domain == solution.problem.domain
    assert again.integral("u")(t=t) == solution.integral("u")(t=t)


def test_a_particle_that_is_charged():
    """c_t = lap c, c_r = 1 at r = 1, from zero: 3t + r²/2 − 3/10 − 2 Σ sin(l r)/(r l² sin l) e^{−l² t}, tan l = l (Carslaw, Jaeger, 9.3)."""
    from scipy.optimize import brentq

    roots = [
        brentq(lambda s: np.sin(s) - s * np.cos(s), (k + 0.5) * np.pi - 0.5, (k + 0.5) * np.pi)
        for k in range(1, 30)
    ]
    solution = solve("u_t = lap(u)", "spherical", initial="0", boundary="u_n = 1", time=(0, 0.3))
    r, t = np.linspace(0.05, 1, 20), 0.3
    series = sum(np.sin(s * r) / (r * s**2 * np.sin(s)) * np.exp(-(s**2) * t) for s in roots)
    assert np.max(np.abs(solution(r=r, t=t) - (3 * t + r**2 / 2 - 0.3 - 2 * series))) < 1e-5
    assert np.isclose(solution.integral("u")(t=t), 4 * np.pi * t, rtol=1e-5)
    assert np.isclose(solution.flux("r+")(t=t), 4 * np.pi, rtol=1e-5)


def test_means_in_equations_are_over_the_body():
    """u_t = mean(u) in a ball keeps the shape and grows by t mean(u)."""
    solution = solve("u_t = lap(u) - u + mean(u)", "spherical", initial="1 + 0*r", boundary="u_n = 0")
    assert np.allclose(solution(r=np.linspace(0, 1, 5), t=0.2), 1, rtol=1e-6)
    assert np.isclose(solution.integral("1")(t=0.1), 4 * np.pi / 3)


def test_a_wall_of_a_pipe_at_rest():
    pipe = lrfm.Problem(
        "lap(u) = 0", domain=lrfm.Box(r=(1, 2), coordinates="polar"), boundary={"r-": "u = 0", "r+": "u = 1"}
    )
    r = np.linspace(1, 2, 11)
    assert np.allclose(lrfm.steady(pipe, tol=1e-8)(r=r), np.log(r) / np.log(2), rtol=1e-8, atol=1e-10)


def test_modes_of_a_drum_and_a_ball():
    drum = lrfm.Problem("lap(u) = -lam*u", domain=lrfm.Box(r=(0, 1), coordinates="polar"), boundary="u = 0")
    found = lrfm.modes(drum, k=3)
    assert np.all(np.abs(found.values - Z[:3] ** 2) <= found.errors)
    assert np.isclose(found[0].real.integral("u**2"), 1)
    ball = drum.replace(domain=lrfm.Box(r=(0, 1), coordinates="spherical"))
    assert np.allclose(lrfm.modes(ball, k=3).values, (np.pi * np.arange(1, 4)) ** 2, rtol=1e-8)


def test_what_does_not_balance_in_a_ball_is_refused_with_its_integral():
    ball = lrfm.Problem("lap(u) = 1", domain=lrfm.Box(r=(0, 1), coordinates="spherical"), boundary="u_n = 0")
    with pytest.raises(lrfm.ProblemError, match=r"is -4\.18879 instead of zero"):
        lrfm.steady(ball)
    good = lrfm.steady(ball.replace(boundary="u_n = 1/3"), tol=1e-8)
    assert np.isclose(good(r=1.0) - good(r=0.0), 1 / 6)


def test_a_short_cylinder_at_rest():
    """r² − 2 z² has no Laplacian."""
    domain = lrfm.Box(r=(0, 1), z=(0, 1), coordinates="cylindrical")
    short = lrfm.Problem("lap(u) = 0", domain=domain, boundary="u = r**2 - 2*z**2")
    solution = lrfm.steady(short, tol=1e-4)
    r, z = np.linspace(0, 1, 7)[:, None], np.linspace(0, 1, 5)
    assert np.allclose(solution(r=r, z=z), r**2 - 2 * z**2, atol=1e-8)
    assert np.isclose(domain.measure(), np.pi)


def test_a_radius_is_not_combined_with_shapes():
    with pytest.raises(lrfm.ProblemError, match="is not combined with other shapes"):
        lrfm.Box(r=(0, 1), coordinates="polar") - lrfm.Box(r=(0, 0.5))
