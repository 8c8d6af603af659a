# SPDX-License-Identifier: MIT
"""Walls of layers at rest, and their modes, against formulas."""

import numpy as np
import pytest

import lrfm

WALL = lrfm.Layers(brick=lrfm.Box(x=(0, 0.3)), foam=lrfm.Box(x=(0.3, 0.4)))
K = {"brick": 3, "foam": 1}


def test_resistances_in_series():
    ends = {"x-": "u = 0", "x+": "u = 1"}
    wall = lrfm.Problem("div(k*grad(u)) = 0", domain=WALL, boundary=ends, parameters={"k": K})
    state = lrfm.steady(wall, tol=1e-8)
    assert state.report.status is lrfm.Status.TOLERANCE_MET
    assert float(state.flux("x+")) == pytest.approx(1 / (0.3 / 3 + 0.1), rel=1e-10)
    assert float(state(x=0.3)) == pytest.approx(0.5, rel=1e-10)
    with pytest.raises(ValueError, match=r"several parts; add the fluxes through `brick.x-`"):
        state.flux("x")


def test_a_thin_resistance_between_them():
    contact = {"brick|foam": ["jump(k*u_n) = 0", "k.brick*u_n.brick = 20*(u.foam - u.brick)"]}
    wall = lrfm.Problem(
        "div(k*grad(u)) = 0",
        domain=WALL,
        boundary={"x-": "u = 0", "x+": "u = 1", **contact},
        parameters={"k": K},
    )
    state = lrfm.steady(wall, tol=1e-8)
    assert float(state.flux("x-")) * 3 == pytest.approx(-1 / (0.3 / 3 + 0.1 + 1 / 20), rel=1e-10)


def test_modes_of_two_layers():
    wall = lrfm.Problem("div(k*grad(u)) = -lam*u", domain=WALL, boundary="u = 0", parameters={"k": K})
    found = lrfm.modes(wall, k=4)
    for value in found.values:
        w = np.sqrt(float(value))
        # u = sin(w x/√3) and c sin(w (0.4 - x)), u and k u_x continuous at 0.3: multiplied by both sines
        a, b = 0.3 * w / np.sqrt(3), 0.1 * w
        assert abs(np.sqrt(3) * np.cos(a) * np.sin(b) + np.cos(b) * np.sin(a)) < 1e-6


def test_where_an_evolution_comes_to():
    wall = lrfm.Problem(
        "u_t = div(k*grad(u)) + 1",
        domain=WALL,
        time=(0, 1),
        initial="0",
        boundary={"x-": "u = 0", "x+": "k*u_n = -u"},
        parameters={"k": {"brick": 3, "foam": 0.1}},
    )
    state = lrfm.steady(wall, tol=1e-6)
    # k u_x = q - x with q from u(0.4) = 0.4 - q
    q = (0.4 + 0.045 / 3 + 0.035 / 0.1) / (1 + 0.1 + 1)
    assert float(state(x=0.1)) == pytest.approx((0.1 * q - 0.005) / 3, rel=1e-6)
