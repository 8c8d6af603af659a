# SPDX-License-Identifier: MIT
"""Several materials on a line, against exact solutions: claims are made, and true."""

import sys
from pathlib import Path

import numpy as np
import pytest
from helpers import thinned

import lrfm
from lrfm.solution.reference import grid_points, true_error

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from layered import WIDTH, slabs

SLABS = lrfm.Layers(left=lrfm.Box(x=(0, 0.4)), right=lrfm.Box(x=(0.4, 1)))


def solved(problem, tol, grid):
    solution = lrfm.solve(problem, tol=tol, max_seconds=None)
    assert "cells" in solution.report.parts
    assert solution.report.error_estimate <= tol
    assert true_error(solution, grid_points(problem, *grid)) <= tol
    return solution


def test_two_slabs():
    """Conductivities 100 : 1 to 1e-8; the slope jumps by that, and a file holds all of it."""
    solution = solved(slabs(), 1e-8, (81, 11))
    beside = WIDTH + np.array([-1e-6, 1e-6])
    one, other = solution.derivative("u_x")(x=beside, t=0.02)
    assert other == pytest.approx(100 * one, rel=1e-3)
    assert np.max(np.abs(solution.residual(x=np.array([0.1, 0.9]), t=0.03))) < 1e-5


def test_a_saved_solution_knows_its_layers(tmp_path):
    problem = lrfm.Problem(
        "u_t = k*u_xx", domain=SLABS, time=(0, 0.05), initial="sin(pi*x)", boundary="u = 0",
        parameters={"k": {"left": 2, "right": 1}},
    )  # fmt: skip
    solution = lrfm.solve(problem, tol=1e-3, max_seconds=None)
    solution.save(tmp_path / "slabs.lrfm")
    again = lrfm.load(tmp_path / "slabs.lrfm")
    x = np.linspace(0, 1, 21)
    assert again.problem.domain == SLABS
    assert np.array_equal(again(x=x, t=0.03), solution(x=x, t=0.03))
    solution.plot(tmp_path / "slabs.png")


def test_hot_beside_cold():
    """A jump at the start, against modes of a fine grid of cells with the mean of 1/k between them."""
    problem = lrfm.Problem(
        "u_t = k*u_xx", domain=SLABS, time=(0, 0.1), initial={"left": 1, "right": 0}, boundary="u_n = 0",
        parameters={"k": {"left": 10, "right": 1}},
    )  # fmt: skip
    solution = lrfm.solve(problem, tol=1e-3, max_seconds=None)
    assert solution.report.error_estimate <= 1e-3
    found = [_cells(n, 0.1) for n in (500, 1000)]
    exact = found[1] + (found[1] - found[0]) / 3  # the cells are of second order
    assert np.max(np.abs(solution(x=np.array([0.1, 0.3, 0.6, 0.9]), t=0.1) - exact)) < 1e-4


def _cells(count, time):
    from scipy.linalg import eigh_tridiagonal

    x = (np.arange(count) + 0.5) / count
    k = np.where(x < 0.4, 10.0, 1.0)
    between = 2 * k[1:] * k[:-1] / (k[1:] + k[:-1]) * count**2
    rates, modes = eigh_tridiagonal(-np.append(between, 0) - np.append(0, between), between)
    u = modes @ (np.exp(rates * time) * (modes.T @ np.where(x < 0.4, 1.0, 0.0)))
    return np.interp([0.1, 0.3, 0.6, 0.9], x, u)


@pytest.mark.parametrize("seed", thinned([3, 4], 2))
def test_a_resistance_between_layers_manufactured(seed):
    """u = (a + b x + c x²) e⁻ᵗ and (d + e sin 3x) e⁻ᵗ with random numbers: sources, jump and flux follow from them."""
    rng = np.random.default_rng(seed)
    a, b, c, d, e = (float(v) for v in rng.uniform(-1, 1, 5))
    k, at = {"left": float(rng.uniform(1, 9)), "right": float(rng.uniform(0.2, 1))}, 0.4
    left, right = f"({a!r} + {b!r}*x + {c!r}*x**2)", f"({d!r} + {e!r}*sin(3*x))"
    jump = d + e * np.sin(3 * at) - (a + b * at + c * at**2)
    slopes = k["left"] * (b + 2 * c * at), k["right"] * 3 * e * np.cos(3 * at)
    problem = lrfm.Problem(
        "u_t = k*u_xx + f", domain=SLABS, time=(0, 1), initial={"left": left, "right": right},
        boundary={
            "x-": f"u = {a!r}*exp(-t)",
            "x+": f"u_n = {3 * e * float(np.cos(3.0))!r}*exp(-t)",
            "left|right": [
                f"k.left*u_n.left - h*(u.right - u.left) = {float(slopes[0] - 2 * jump)!r}*exp(-t)",
                f"jump(k*u_n) = {float(slopes[0] - slopes[1])!r}*exp(-t)",
            ],
        },
        parameters={
            "h": 2, "k": k,
            "f": {"left": f"-({left} + {2 * c * k['left']!r})*exp(-t)", "right": f"({9 * e * k['right']!r}*sin(3*x) - {right})*exp(-t)"},
        },
        reference=lambda x, t: np.where(x <= at, a + b * x + c * x**2, d + e * np.sin(3 * x)) * np.exp(-t),
    )  # fmt: skip
    solved(problem, 1e-6, (80, 11))


def test_a_wave_crosses_an_interface():
    """d'Alembert: a pulse from the left is transmitted by 2Z₁/(Z₁ + Z₂) with impedances Z = √(ρμ)."""
    mu, rho = (1.0, 4.0), (1.0, 1.0)
    speed = [float(np.sqrt(m / r)) for m, r in zip(mu, rho, strict=True)]
    pulse = "exp(-60*(x - 0.4)**2)"
    layers = lrfm.Layers(left=lrfm.Box(x=(-0.6, 1)), right=lrfm.Box(x=(1, 2.6)))
    problem = lrfm.Problem(
        "u_tt = diff(mu*u_x, x)", domain=layers, time=(0, 0.9), boundary="u = 0",
        initial={"u": pulse, "u_t": f"120*(x - 0.4)*{pulse}"}, parameters={"mu": {"left": mu[0], "right": mu[1]}},
    )  # fmt: skip
    solution = lrfm.solve(problem, tol=1e-4, max_seconds=None)
    through = 2 * speed[0] / (speed[0] + speed[1])
    x = np.linspace(1.1, 2.2, 12)
    exact = through * np.exp(-60 * ((x - 1) / speed[1] - 0.9 + 0.6) ** 2)
    assert np.max(np.abs(solution(x=x, t=0.9) - exact)) < 1e-3


def test_layers_in_any_order_of_their_names():
    """u = x e⁻ᵗ, x/2 + 1/4, … with slopes 1 : 1/2 : 2 where conductivities are 1 : 2 : 1/2; the middle layer is named first."""
    layers = lrfm.Layers(middle=lrfm.Box(x=(0.5, 1)), upper=lrfm.Box(x=(1, 1.5)), lower=lrfm.Box(x=(0, 0.5)))
    shape = {"lower": "x", "middle": "(0.25 + x/2)", "upper": "(2*x - 1.25)"}
    problem = lrfm.Problem(
        "u_t = diff(k*u_x, x) + f", domain=layers, time=(0, 1), initial=shape,
        boundary={"lower": "u = 0", "upper": "u = 1.75*exp(-t)"},
        parameters={
            "k": {"lower": 1, "middle": 2, "upper": 0.5},
            "f": {name: f"-{text}*exp(-t)" for name, text in shape.items()},
        },
    )  # fmt: skip
    solution = lrfm.solve(problem, tol=1e-8)
    assert "cells" in solution.report.parts
    x = np.linspace(0, 1.5, 61)
    exact = np.interp(x, [0, 0.5, 1, 1.5], [0, 0.5, 0.75, 1.75])
    np.testing.assert_allclose(solution(x=x, t=0.7), exact * np.exp(-0.7), rtol=0, atol=1e-8)


def test_what_is_transported_across_an_interface():
    """u_t + c u_x = 0 with 1 : 2 and a continuous flux c u: a pulse is half as high and twice as long behind the interface."""
    layers = lrfm.Layers(slow=lrfm.Box(x=(0, 1)), fast=lrfm.Box(x=(1, 3)))
    problem = lrfm.Problem(
        "u_t + c*u_x = 0", domain=layers, time=(0, 1.0), initial="exp(-80*(x - 0.5)**2)",
        boundary={"slow": "u = exp(-80*(t + 0.5)**2)", "fast": None, "slow|fast": "c*u"}, parameters={"c": {"slow": 1, "fast": 2}},
    )  # fmt: skip
    solution = lrfm.solve(problem, tol=1e-4, method=lrfm.Lines(space="cells"))
    x = np.linspace(1.1, 2.9, 41)
    np.testing.assert_allclose(
        solution(x=x, t=1.0), 0.5 * np.exp(-80 * ((x - 2) / 2) ** 2), rtol=0, atol=1e-4
    )


def test_a_region_on_a_line():
    """x² < 1 has one part with two ends."""
    problem = lrfm.Problem(
        "u_t = u_xx", domain=lrfm.Region("x**2 < 1", x=(-2, 2)), time=(0, 0.3), initial="cos(pi*x/2)", boundary="u = 0"
    )  # fmt: skip
    solution = lrfm.solve(problem, tol=1e-6)
    assert "cells" in solution.report.parts
    x = np.linspace(-1, 1, 21)
    exact = np.cos(np.pi * x / 2) * np.exp(-0.3 * np.pi**2 / 4)
    np.testing.assert_allclose(solution(x=x, t=0.3), exact, rtol=0, atol=1e-6)


def test_the_matrix_on_layers_is_the_derivative_of_the_rows():
    """A resistance between two layers: jets of both sides, by differences."""
    from on_cells import dense, discretized, jacobian

    problem = lrfm.Problem(
        "u_t = diff(k*(1 + u**2)*u_x, x)", domain=SLABS, time=(0, 1), initial="x",
        boundary={"x-": "u = 0", "x+": "u_n + u**2 = 0", "left|right": ["k.left*u_n.left = 3*(u.right**3 - u.left)", "jump(k*(1 + u**2)*u_n) = t"]},
        parameters={"k": {"left": 2, "right": 1}},
    )  # fmt: skip
    made = discretized(problem, 4, (0.0, 0.15, 0.4, 0.6, 1.0))
    rng = np.random.default_rng(0)
    start, rates = (made.scatter(rng.normal(size=made.size)) for _ in range(2))
    found, y, z = jacobian(made, 0.3, start, rates, 0.1)
    exact = dense(made, made.linearize(0.3, y, z), 0.1)
    np.testing.assert_allclose(exact, found, rtol=1e-6, atol=1e-6 * np.abs(found).max())


def test_the_other_method_has_no_layers():
    problem = slabs()
    with pytest.raises(lrfm.ProblemError, match="no functions for layers"):
        lrfm.solve(problem, method="space-time")
    with pytest.raises(lrfm.ProblemError, match="no functions for layers"):
        lrfm.operator(problem)
