# SPDX-License-Identifier: MIT
"""Solutions compute: formulas, integrals, extrema, curves, fluxes, sums; compared with closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import lrfm
from lrfm import Box, Problem

PI = np.pi


@pytest.fixture(scope="module")
def heat():
    problem = Problem(
        "u_t = D*u_xx",
        domain=Box(x=(0, 1)),
        time=(0, 0.2),
        initial="sin(pi*x)",
        boundary="u = 0",
        parameters={"D": 0.5},
    )
    return lrfm.solve(problem, tol=1e-9)


@pytest.fixture(scope="module")
def plane():
    problem = Problem(
        "u_t = lap(u)",
        domain=Box(x=(0, 1), y=(0, 2)),
        time=(0, 0.05),
        initial="sin(pi*x)*cos(pi*y)",
        boundary={"x": "u = 0", "y": "u_n = 0"},
    )
    return lrfm.solve(problem, tol=1e-7)


@pytest.fixture(scope="module")
def wave():
    problem = Problem(
        "1j*psi_t + 0.5*psi_xx = 0",
        domain=Box(x=(0, 2)),
        time=(0, 0.3),
        initial="exp(1j*pi*x)",
        boundary="periodic",
        unknowns={"psi": complex},
    )
    return lrfm.solve(problem, tol=1e-7)


def decay(t):
    return np.exp(-0.5 * PI**2 * t)


def test_formulas_are_those_of_the_exact_solution(heat, wave):
    x, t = np.linspace(0, 1, 7), np.linspace(0, 0.2, 5)[:, None]
    slope = PI * np.cos(PI * x) * decay(t)
    np.testing.assert_allclose(heat["u_x**2"](x=x, t=t), slope**2, atol=1e-6)
    np.testing.assert_allclose(heat["u_t - D*u_xx"](x=x, t=t), 0.0, atol=1e-5)
    np.testing.assert_allclose(
        heat["diff(u**2, x)"](x=x, t=t), 2 * np.sin(PI * x) * decay(t) * slope, atol=1e-6
    )
    np.testing.assert_allclose(heat["x*t"](x=x, t=t), x * t, atol=1e-15)
    np.testing.assert_allclose(wave["abs(psi)**2"](x=x, t=0.2), 1.0, atol=1e-6)
    np.testing.assert_allclose(wave["psi_x"](x=x, t=0.0), 1j * PI * np.exp(1j * PI * x), atol=1e-5)
    with pytest.raises(lrfm.ProblemError, match="the name `w` is not known"):
        heat["u*w"]


def test_integrals(heat, plane, wave):
    t = np.array([0.0, 0.1, 0.2])
    np.testing.assert_allclose(heat.integral("u**2", over="x")(t=t), 0.5 * decay(t) ** 2, rtol=1e-8)
    np.testing.assert_allclose(heat.integral()(t=t), 2 / PI * decay(t), rtol=1e-8)
    x = np.linspace(0, 1, 3)
    np.testing.assert_allclose(
        heat.integral(over="t")(x=x), np.sin(PI * x) * (1 - decay(0.2)) / (0.5 * PI**2), atol=1e-9
    )
    assert heat.integral("u", over=("x", "t")) == pytest.approx(
        2 / PI * (1 - decay(0.2)) / (0.5 * PI**2), rel=1e-8
    )
    assert plane.integral("u**2")(t=0.0) == pytest.approx(0.5, rel=1e-6)
    y = np.linspace(0, 2, 4)
    np.testing.assert_allclose(plane.integral("u", over="x")(y=y, t=0.0), 2 / PI * np.cos(PI * y), atol=1e-6)
    assert wave.integral("abs(psi)**2")(t=0.1) == pytest.approx(2.0, rel=1e-6)
    with pytest.raises(ValueError, match="`X` is no coordinate"):
        heat.integral("u", over="X")


def test_extrema(heat, plane, wave):
    highest = heat.maximum()
    assert highest.value == pytest.approx(1.0, abs=1e-8)
    assert highest.at["x"] == pytest.approx(0.5, abs=1e-4)
    assert highest.at["t"] == 0.0
    late = heat.maximum("u_x", t=0.2)
    assert (late.value, late.at["x"]) == (
        pytest.approx(PI * decay(0.2), rel=1e-6),
        pytest.approx(0.0, abs=1e-4),
    )
    assert heat.minimum("u - 2").value == pytest.approx(-2.0, abs=1e-8)
    low = plane.minimum(t=0.0)
    assert (low.value, low.at["x"], low.at["y"]) == (
        pytest.approx(-1, abs=1e-6),
        pytest.approx(0.5, abs=1e-3),
        pytest.approx(1.0, abs=1e-3),
    )
    with pytest.raises(ValueError, match=r"complex; take `abs\(psi\)`"):
        wave.maximum()


def test_a_front_is_a_curve(heat, plane):
    curves = heat.where("u = 0.5")
    assert curves
    for curve in curves:
        np.testing.assert_allclose(np.sin(PI * curve["x"]) * decay(curve["t"]), 0.5, atol=1e-8)
    for curve in plane.where("u = 0.1", t=0.03):
        exact = np.sin(PI * curve["x"]) * np.cos(PI * curve["y"]) * np.exp(-2 * PI**2 * 0.03)
        np.testing.assert_allclose(exact, 0.1, atol=1e-6)
    assert heat.where("u = 7") == []
    with pytest.raises(ValueError, match="two coordinates; here are `x`, `y`, `t`"):
        plane.where("u = 0")
    with pytest.raises(lrfm.ProblemError, match="has no `=`"):
        heat.where("u")


def test_fluxes(heat, plane):
    t = np.array([0.0, 0.1])
    np.testing.assert_allclose(heat.flux("x+")(t=t), -PI * decay(t), rtol=1e-7)
    np.testing.assert_allclose(heat.flux("x-")(t=t), -PI * decay(t), rtol=1e-7)
    np.testing.assert_allclose(heat.flux("x-", "-D*u_n")(t=t), 0.5 * PI * decay(t), rtol=1e-7)
    assert heat.flux("x+")(t=0.1) == pytest.approx(-PI * decay(0.1), rel=1e-7)
    assert heat.maximum("x + t").value == pytest.approx(1.2)  # a formula without the unknown
    assert plane.flux("x-", "u_n*cos(pi*y)")(t=0.0) == pytest.approx(-PI, rel=1e-5)
    # d/dt ∫u = D (flux through both ends)
    rate = heat.integral("u_t")(t=t)
    np.testing.assert_allclose(rate, 0.5 * (heat.flux("x-")(t=t) + heat.flux("x+")(t=t)), rtol=1e-6)
    with pytest.raises(ValueError, match="`left` is no face; there are `x-`, `x\\+`"):
        heat.flux("left")


def test_sums_and_differences(heat, plane):
    other = lrfm.solve(heat.problem.replace(initial="sin(2*pi*x)"), tol=1e-8)
    x, t = np.linspace(0, 1, 9)[:, None], np.linspace(0, 0.2, 4)
    both = 2 * heat - other / 4
    np.testing.assert_allclose(both(x=x, t=t), 2 * heat(x=x, t=t) - other(x=x, t=t) / 4, atol=1e-14)
    np.testing.assert_allclose(
        (-both + heat)["u_x"](x=x, t=t), -both["u_x"](x=x, t=t) + heat["u_x"](x=x, t=t), atol=1e-12
    )
    assert abs((heat - heat).maximum("abs(u)").value) == 0.0
    assert both.integral("u")(t=0.0) == pytest.approx(4 / PI, rel=1e-7)
    short = lrfm.solve(heat.problem.replace(time=(0, 0.1)), tol=1e-6)
    with pytest.raises(ValueError, match=r"t=0.2 lies outside of \[0, 0.1\]"):
        (heat - short)(x=0.5, t=0.2)
    with pytest.raises(ValueError, match="same names"):
        heat - plane
    with pytest.raises(TypeError):
        heat - 1
    assert both.plot(resolution=9).axes
