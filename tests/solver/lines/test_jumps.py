# SPDX-License-Identifier: MIT
"""Steps and hats that diffuse: a jump is gone a moment later, and few functions are enough to begin with."""

import numpy as np
import pytest

import lrfm


@pytest.mark.parametrize("tol", [1e-2, 1e-3])
def test_a_step_under_diffusion_takes_few_functions(tol):
    """u_t = u_xx with insulated ends, from one on the left half: an even step of period two."""
    problem = lrfm.Problem(
        "u_t = u_xx",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 0.1),
        initial="where(x < 0.5, 1, 0)",
        boundary="u_n = 0",
    )
    solution = lrfm.solve(problem, tol=tol)
    assert solution.report.rank < 200
    x, t = np.meshgrid(np.linspace(0, 1, 201), np.geomspace(1e-4, 0.1, 40))
    k = np.arange(1, 400, 2)[:, None, None]
    waves = 2 / (k * np.pi) * np.sin(k * np.pi / 2) * np.cos(k * np.pi * x) * np.exp(-((k * np.pi) ** 2) * t)
    exact = 0.5 + waves.sum(axis=0)
    weights = np.gradient(t[:, 0])[:, None]
    gap = np.sqrt(np.sum(weights * (solution(x=x, t=t) - exact) ** 2) / np.sum(weights * exact**2))
    assert gap < tol


def test_a_saw_closes_on_its_circle():
    """u₀ = x on a circle jumps where it closes: Σ −(1/πk) sin(2πkx) e^{−(2πk)²t} around ½."""
    problem = lrfm.Problem(
        "u_t = u_xx",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 0.1),
        initial="x",
        boundary="periodic",
        check_corners=False,
    )
    solution = lrfm.solve(problem, tol=1e-3)
    assert solution.report.rank < 250
    x = np.linspace(0, 1, 201)
    k = np.arange(1, 200)[:, None]
    for t in (0.001, 0.01, 0.1):
        exact = 0.5 - np.sum(
            np.sin(2 * np.pi * k * x) / (np.pi * k) * np.exp(-((2 * np.pi * k) ** 2) * t), axis=0
        )
        assert np.linalg.norm(solution(x=x, t=t) - exact) < 1e-3 * np.linalg.norm(exact)
