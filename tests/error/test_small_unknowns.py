# SPDX-License-Identifier: MIT
"""An unknown that starts from nothing and stays small is measured by its own size, or a warning names it."""

import numpy as np
import pytest
from helpers import thinned

import lrfm
from lrfm import Box, Problem
from lrfm.error.sizes import measured, unjudged

UNIT = Box(x=(0, 1))


def fed(rate):
    """v is made from u at a small rate: v = rate·sin πx (e^{−π²t} − e^{−2π²t})/π²."""
    return Problem(
        ["u_t = u_xx", f"v_t = 2*v_xx + {rate}*u"],
        domain=UNIT,
        time=(0, 0.5),
        initial={"u": "sin(pi*x)", "v": "0"},
        boundary=["u = 0", "v = 0"],
    )


def error(solution, name, exact, end):
    x, t = (a.ravel() for a in np.meshgrid(np.linspace(0, 1, 41), np.linspace(0, end, 31)[1:]))
    true = exact(x, t)
    return np.linalg.norm(solution.derivative(name)(x=x, t=t) - true) / np.linalg.norm(true)


@pytest.mark.parametrize("rate", thinned([1e-11, 1e-8, 1e-13], 3))
@pytest.mark.parametrize("tol", [1e-3, 1e-9])
def test_a_product_far_below_its_parent(rate, tol):
    """Claimed with 4e-14 while v was off by 1.2e-2: rounding of u, of which 1e-16 are 1e-2 of v."""
    solution = lrfm.solve(fed(rate), tol=tol, strict=False)
    a = np.pi**2
    exact = lambda x, t: rate * np.sin(np.pi * x) * (np.exp(-a * t) - np.exp(-2 * a * t)) / a  # noqa: E731
    assert error(solution, "v", exact, 0.5) <= solution.report.error_estimate
    assert solution.report.worst == "v"


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_a_concentration_beside_a_temperature(tol):
    """T ≈ 300, c = 1e-7 sin 20t cos πx."""
    source = "1e-7*(20*cos(20*t) + 0.1*pi**2*sin(20*t))*cos(pi*x)"
    problem = Problem(
        ["T_t = T_xx", "c_t = 0.1*c_xx + s"],
        domain=UNIT,
        time=(0, 1),
        initial={"T": "300 + 10*cos(pi*x)", "c": "0"},
        boundary=["T_n = 0", "c_n = 0"],
        parameters={"s": source},
    )
    solution = lrfm.solve(problem, tol=tol, strict=False)
    found = error(solution, "c", lambda x, t: 1e-7 * np.sin(20 * t) * np.cos(np.pi * x), 1)
    assert found <= solution.report.error_estimate


def test_what_is_zero_is_named():
    """v is zero because two fields are the same; what is left of it is rounding, and no claim about v is made."""
    problem = Problem(
        ["u_t = u_xx", "w_t = w_xx", "v_t = v_xx + 100*(u - w)"],
        domain=UNIT,
        time=(0, 0.5),
        initial={"u": "sin(pi*x)", "w": "sin(pi*x)", "v": "0"},
        boundary=["u = 0", "v = 0", "w = 0"],
    )
    report = lrfm.solve(problem, tol=1e-6).report
    (warning,) = report.warnings
    assert warning.startswith("The estimate says nothing of the error of `v` relative to its own size")


def test_draws_tell_rounding_from_what_is_small():
    problem, squares = fed(1), {"u": 1.0, "v": 1e-24}
    assert measured(problem, squares, {"u": 0.0, "v": 1e-27})["v"] == 1e-24  # they agree to 3 %
    assert measured(problem, squares, {"u": 0.0, "v": 2e-24})["v"] == 1.0
    assert unjudged(problem, squares, {"u": 0.0, "v": 2e-24}) == ("v",)
    assert unjudged(problem, squares, {"u": 0.0, "v": 2e-24}, nothing=1e-13) == ()  # too large for rounding
