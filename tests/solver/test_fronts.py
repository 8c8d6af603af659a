# SPDX-License-Identifier: MIT
"""Diffusion that vanishes: fronts of finite speed against Barenblatt's solution, with totals and signs kept."""

import numpy as np
import pytest

import lrfm

C = 0.25


def barenblatt(m):
    """u = t^(−a) (C − k x²/t^(2a))₊^(1/(m−1)), a = 1/(m + 1), of u_t = (u^m)_xx."""
    a = 1 / (m + 1)
    k = (m - 1) * a / (2 * m)
    return lambda x, t: t**-a * np.maximum(C - k * (x / t**a) ** 2, 0) ** (1 / (m - 1)), k


def statement(equation, m, interval=(-4, 4), boundary="u = 0"):
    k = barenblatt(m)[1]
    return lrfm.Problem(
        equation,
        domain=lrfm.Box(x=interval),
        time=(1, 3),
        initial=f"max({C} - {k}*x**2, 0)**(1/({m} - 1))",
        boundary=boundary,
    )


def error(solution, exact):
    """Relative error in L¹ over space and time."""
    (low, high), (start, end) = solution.problem.domain.axes["x"], solution.problem.time
    x = low + (high - low) * (np.arange(2000) + 0.5) / 2000
    gap, size = 0.0, 0.0
    for t in start + (end - start) * (np.arange(21) + 0.5) / 21:
        gap += np.mean(np.abs(solution["u"](x=x, t=np.full(len(x), t)) - exact(x, t)))
        size += np.mean(exact(x, t))
    return gap / size


@pytest.mark.parametrize(
    ("equation", "m", "tol"),
    [
        ("u_t = diff(u**2, x, x)", 2, 1e-3),
        ("u_t = diff(2*u*u_x, x)", 2, 1e-2),
        ("u_t = 3*u**2*u_xx + 6*u*u_x**2", 3, 1e-2),
        ("u_t = diff(u**1.5, x, x)", 1.5, 1e-2),
    ],
)
def test_barenblatt(equation, m, tol):
    solution = lrfm.solve(statement(equation, m), tol=tol)
    report = solution.report
    assert report.norm == 1
    assert "diffused" in report.parts
    assert error(solution, barenblatt(m)[0]) <= report.error_estimate <= tol


def test_totals_and_signs_are_kept_between_closed_ends():
    """The front meets the ends, at which nothing goes through."""
    solution = lrfm.solve(statement("u_t = diff(u**2, x, x)", 2, (-2, 2), "u_x = 0"), estimate=False)
    piece, jet = solution.pieces[0], solution.problem.value_jets[0]
    totals = []
    for t in piece.edges:
        edges = piece.cells_at(t)
        means = piece.on_grid([jet], [0.5 * (edges[1:] + edges[:-1])], np.array([t]))[jet][0]
        assert means.min() > -1e-12
        totals.append(means @ np.diff(edges))
    assert np.ptp(totals) < 1e-12


@pytest.mark.thorough
def test_a_front_that_is_carried_along():
    """u_t + u_x = (u²)_xx: Barenblatt's solution at x − t."""
    exact, k = barenblatt(2)
    carried = lrfm.Problem(
        "u_t + u_x = diff(u**2, x, x)",
        domain=lrfm.Box(x=(-3, 5)),
        time=(1, 2),
        initial=f"max({C} - {k}*x**2, 0)",
        boundary="u = 0",
    )
    solution = lrfm.solve(carried, tol=2e-2)
    assert error(solution, lambda x, t: exact(x - (t - 1), t)) <= solution.report.error_estimate <= 2e-2


def test_a_front_that_comes_in_through_an_end():
    """u = (c/2) (ct − x)₊ of u_t = (u²)_xx: from nothing, by what is given at x = 0."""
    flow = lrfm.Problem(
        "u_t = diff(u**2, x, x)",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 0.4),
        initial="0",
        boundary={"x-": "u = 2*t", "x+": "u = 0"},
    )
    solution = lrfm.solve(flow, tol=1e-2)
    assert error(solution, lambda x, t: np.maximum(2 * t - x, 0)) <= solution.report.error_estimate <= 1e-2


def test_what_diffuses_everywhere_is_left_to_other_cells():
    report = lrfm.solve(
        lrfm.Problem(
            "u_t = diff((1 + u**2)*u_x, x)",
            domain=lrfm.Box(x=(0, 1)),
            time=(0, 0.1),
            initial="sin(pi*x)",
            boundary="u = 0",
        ),
        tol=1e-3,
    ).report
    assert report.norm == 2
    assert "diffused" not in report.parts
