# SPDX-License-Identifier: MIT
"""Data that contradict a condition through an unknown without initial data: named, with what to do, and solved when it is done."""

import numpy as np
import pytest

import lrfm
from lrfm.problem import Box, Problem

SWITCH = "1 - exp(-(t/0.002)**2)"


def electrolyte(voltage, time=0.2):
    """Poisson, Nernst and Planck between two electrodes that no ion passes."""
    walls = ["p_x + p*phi_x = 0", "n_x - n*phi_x = 0"]
    return Problem(
        ["p_t = diff(p_x + p*phi_x, x)", "n_t = diff(n_x - n*phi_x, x)", "0.01*phi_xx = n - p"],
        domain=Box(x=(-1, 1)),
        time=(0, time),
        initial={"p": "1", "n": "1"},
        boundary={"x-": [*walls, f"phi = -({voltage})"], "x+": [*walls, f"phi = {voltage}"]},
    )


def test_a_voltage_step_contradicts_ions_at_rest():
    solution = lrfm.solve(electrolyte("1", time=0.2), tol=1e-2, strict=False, max_seconds=20)
    (warning,) = (text for text in solution.report.warnings if "through" in text)
    assert "and `initial` contradict each other at x=" in warning
    assert "by 1 times their size, through `phi`" in warning
    assert f"multiply it by `{SWITCH}`" in warning


@pytest.mark.slow
def test_what_the_warning_proposes_is_solved():
    """It was out of time at t = 0.02; the charge of the electrolyte stays zero, and p(−x) = n(x)."""
    solution = lrfm.solve(electrolyte(SWITCH, time=0.05), tol=1e-3)
    x, w = np.polynomial.legendre.leggauss(200)
    p, n = solution["p"](x=x, t=0.05), solution["n"](x=x, t=0.05)
    assert w @ p == pytest.approx(2.0, abs=2e-3)
    assert p[::-1] == pytest.approx(n, abs=5e-3)
    assert solution.report.warnings == ()  # nor is anything undetermined
