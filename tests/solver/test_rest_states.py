# SPDX-License-Identifier: MIT
"""Rest states, growth rates and branches of ordinary equations: a field on one cell that is constant there."""

import numpy as np
import pytest

import lrfm

RHO, S, B = 20.0, 10.0, 8 / 3
LORENZ = lrfm.Problem(
    ["x_t = s*(y - x)", "y_t = x*(rho - z) - y", "z_t = x*y - b*z"],
    time=(0, 1),
    initial={"x": 1, "y": 1, "z": 1},
    parameters={"s": S, "rho": RHO, "b": B},
)


def test_a_rest_state_of_three_equations_its_growth_rates_and_its_derivative():
    """x = y = √(b(ρ − 1)), z = ρ − 1; rates are those of the matrix of derivatives there; ∂z/∂ρ = 1."""
    rest = lrfm.steady(LORENZ, tol=1e-10, guess={"x": 8, "y": 8, "z": 20})
    x, z = np.sqrt(B * (RHO - 1)), RHO - 1
    assert np.allclose([rest.x(), rest.y(), rest.z()], [x, x, z], rtol=1e-12)
    matrix = np.array([[-S, S, 0], [RHO - z, -1, -x], [x, x, -B]])
    exact = np.linalg.eigvals(matrix)
    found = lrfm.modes(LORENZ, k=3, about=rest)
    assert all(np.min(np.abs(v - exact)) <= e for v, e in zip(found.values, found.errors, strict=True))
    assert found.values[0].real == pytest.approx(np.max(exact.real), rel=1e-9)
    assert float(rest.sensitivity("rho").z()) == pytest.approx(1, rel=1e-10)


def test_no_rate_is_counted_twice():
    """x″ = −sin x − x′/2 has two at rest, −1/4 ± i√15/4."""
    swing = lrfm.Problem("x_tt = -sin(x) - 0.5*x_t", time=(0, 1), initial={"x": 2, "x_t": 0})
    found = lrfm.modes(swing, k=2)
    assert np.allclose(np.sort_complex(found.values), [-0.25 - 0.25j * 15**0.5, -0.25 + 0.25j * 15**0.5])
    with pytest.raises(lrfm.ProblemError, match="has 2 eigenvalues, and not k=3"):
        lrfm.modes(swing, k=3)


def test_branches_of_ordinary_equations():
    """u − u³ + λ = 0 turns around at λ = ±2/√27, and the rest state zero of Lorenz' equations is crossed at ρ = 1, where its matrix is singular."""
    cusp = lrfm.Problem("u_t = u - u**3 + lam", time=(0, 1), initial=0, parameters={"lam": 0})
    folds = lrfm.branch(cusp, "lam", (-1, 1), guess=-1.3).folds
    assert all(abs(abs(fold.value) - 2 / 27**0.5) <= fold.error for fold in folds)
    assert len(folds) == 2
    (crossed,) = lrfm.branch(LORENZ, "rho", (0, 5)).bifurcations
    assert abs(crossed.value - 1) <= crossed.error < 1e-8


DECAYS = [
    ("a number", dict(equation="u_t = -u - u**3", initial=1), {}),
    ("a pendulum in air", dict(equation="u_tt = -sin(u) - 0.5*u_t", initial={"u": 2, "u_t": 0}), {}),
    (
        "a field",
        dict(equation="u_t = u_xx - sin(u)", domain=lrfm.Box(x=(0, 1)), boundary="u = 0", initial="sin(pi*x)"),
        {"x": 0.3},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("given", "place"), [pytest.param(*rest, id=name) for name, *rest in DECAYS])
def test_what_decays_to_nothing_rests_there(given, place):
    """‖u′‖ is never small beside ‖u‖ where both decay alike; beside what there was it is."""
    assert abs(float(lrfm.steady(lrfm.Problem(time=(0, 1), **given), tol=1e-8)(**place))) < 1e-12


def test_a_delay_does_not_matter_to_what_rests():
    eaten = lrfm.Problem("n_t = n*(1 - n(t - 1)) - n/4", time=(0, 1), initial=0.6)
    assert float(lrfm.steady(eaten).n()) == pytest.approx(0.75, rel=1e-10)
    with pytest.raises(lrfm.ProblemError, match="do not know their past"):
        lrfm.modes(eaten, k=1)


def test_a_rest_state_of_numbers_is_not_drawn():
    rest = lrfm.steady(lrfm.Problem("u_t = 1 - u", time=(0, 1), initial=0))
    with pytest.raises(ValueError, match="with nothing to draw it over"):
        rest.plot()


def test_a_state_of_ordinary_equations_at_rest_is_nowhere():
    """Its report speaks neither of space nor of time."""
    problem = lrfm.Problem(["x_t = y - x", "y_t = 1 - y"], time=(0, 1), initial={"x": 0, "y": 0})
    words = dict(lrfm.steady(problem, tol=1e-6).report.lines())
    assert "over" not in words["error"]
    assert "time" not in words
