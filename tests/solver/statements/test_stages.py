# SPDX-License-Identifier: MIT
"""Factors of the matrices of a step: dense, and sparse where many unknowns meet few others."""

import numpy as np
import pytest

import lrfm


def blocks(count, size, rng):
    """Diagonal blocks, each coupled to the next: mostly zeros."""
    matrix = np.zeros((count * size, count * size))
    for i in range(count):
        here, there = (
            slice(i * size, (i + 1) * size),
            slice((i + 1) % count * size, ((i + 1) % count + 1) * size),
        )
        matrix[here, here] = rng.standard_normal((size, size)) + 4 * np.sqrt(size) * np.eye(size)
        matrix[here, there] = 0.1 * rng.standard_normal((size, size))
    return matrix


@pytest.mark.slow
def test_many_unknowns():
    """Forty species in a chain of decays: u_i' = D u_xx + u_{i+1} with one mode, a nilpotent matrix and its exponential."""
    count, D, end = 40, 0.1, 0.1
    names = [f"u{i}" for i in range(count)]
    equations = [f"{a}_t = {D}*{a}_xx + {b}" for a, b in zip(names, [*names[1:], "0"], strict=True)]
    problem = lrfm.Problem(
        equations, domain=lrfm.Box(x=(0, 1)), time=(0, end), initial=dict.fromkeys(names, "sin(pi*x)"),
        boundary=[f"{n} = 0" for n in names],
    )  # fmt: skip
    solution = lrfm.solve(problem, tol=1e-4)
    decay = np.exp(-D * np.pi**2 * end)
    assert solution["u39"](x=0.5, t=end) == pytest.approx(decay, rel=1e-4)
    assert solution["u0"](x=0.5, t=end) == pytest.approx(np.exp(end) * decay, rel=1e-4)
