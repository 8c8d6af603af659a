# SPDX-License-Identifier: MIT
"""Factors of the matrices of a step: dense, and sparse where many unknowns meet few others."""

import numpy as np
import pytest

import lrfm
from lrfm.solver.lines.stages import LU, MANY, condition, determined


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


@pytest.mark.parametrize("count", [5, 40], ids=["dense", "sparse"])
def test_factors_solve_real_and_complex_systems(count):
    rng = np.random.default_rng(count)
    real = blocks(count, 15, rng)
    for matrix in (real, real + 0.3j * np.diag(rng.random(len(real)))):
        factors = LU(matrix)
        assert (factors._sparse is not None) == (len(matrix) > MANY)
        for right in (rng.standard_normal(len(real)), rng.standard_normal((len(real), 3)) + 1j):
            assert np.allclose(matrix @ factors.solve(right), right, rtol=1e-11, atol=1e-11)
    right = rng.standard_normal((len(real), 2))
    assert np.allclose(real.T @ LU(real).adjoint(right), right, rtol=1e-11, atol=1e-11)


def test_the_condition_of_a_large_matrix_is_estimated():
    rng = np.random.default_rng(0)
    matrix = blocks(40, 15, rng)
    exact = np.linalg.cond(matrix, 1)
    assert 0.3 * exact <= condition(matrix) <= 1.01 * exact
    assert determined(matrix)
    matrix[:, 3] = matrix[:, 4]  # two columns say the same
    assert not determined(matrix)


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
