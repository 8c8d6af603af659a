# SPDX-License-Identifier: MIT
"""Products of bases beyond what is separable, in two, three and five dimensions."""

import numpy as np
import pytest
from helpers import random_error

import lrfm


def turning(nu=1e-3, sigma=0.15):
    """A Gaussian carried around by a rotation: y u_x − x u_y has no separable part."""

    def exact(x, y, t):
        variance = sigma**2 + 2 * nu * t
        square = (x - 0.2 * np.cos(t)) ** 2 + (y + 0.2 * np.sin(t)) ** 2
        return sigma**2 / variance * np.exp(-square / (2 * variance))

    return lrfm.Problem(
        "u_t = nu*lap(u) - (y*u_x - x*u_y)",
        domain=lrfm.Box(x=(-1, 1), y=(-1, 1)),
        time=(0, 1),
        initial="exp(-((x - 0.2)**2 + y**2)/(2*sigma**2))",
        boundary="u = 0",
        parameters={"nu": nu, "sigma": sigma},
        check_corners=False,
        reference=exact,
    )


def waves(axes, T):
    """u_t = Δu with sines in every direction."""
    sines = "*".join(f"sin(pi*{a})" for a in axes)
    rate = len(axes) * np.pi**2

    def exact(t, **x):
        return np.prod([np.sin(np.pi * v) for v in x.values()], axis=0) * np.exp(-rate * t)

    return lrfm.Problem(
        "u_t = lap(u)",
        domain=lrfm.Box(**{a: (0, 1) for a in axes}),
        time=(0, T),
        initial=sines,
        boundary="u = 0",
        reference=exact,
    )


@pytest.mark.thorough
def test_a_rotation_of_a_gaussian():
    solution = lrfm.solve(turning(), tol=1e-4, method="lines")
    assert random_error(solution, 500) <= solution.report.error_estimate <= 1e-4


@pytest.mark.parametrize(("axes", "T", "tol"), [("xyz", 0.05, 1e-4), ("abcd", 0.01, 1e-2)])
def test_more_than_two_dimensions(axes, T, tol):
    solution = lrfm.solve(waves(axes, T), tol=tol, method="lines")
    assert random_error(solution, 300) <= solution.report.error_estimate <= tol
