# SPDX-License-Identifier: MIT
"""Vectors of components: every operator against the same statement by its parts."""

import numpy as np
import pytest

import lrfm

SQUARE = lrfm.Box(x=(0, 1), y=(0, 1))
CUBE = lrfm.Box(x=(0, 1), y=(0, 1), z=(0, 1))


def rows(equation, domain=SQUARE, **given):
    problem = lrfm.Problem(equation, domain=domain, **{"boundary": "u = 0", "verify": False, **given})
    return [str(row.expression) for row in problem.rows]


@pytest.mark.parametrize(
    ("vectors", "parts"),
    [
        ("div(grad(u)) = 1", "lap(u) = 1"),
        ("div((1 + u**2)*grad(u)) = x", "diff((1 + u**2)*u_x, x) + diff((1 + u**2)*u_y, y) = x"),
        ("lap(u) + dot((y, -x), grad(u)) = 1", "lap(u) + y*u_x + (-x)*u_y = 1"),
        ("lap(u) = dot(grad(u), grad(u))", "lap(u) = u_x*u_x + u_y*u_y"),
        ("lap(u) = curl((y*u, x**2))", "lap(u) = diff(x**2, x) - diff(y*u, y)"),
        ("div(grad(u) - (u, 2*u)/2) = 0", "diff(u_x - u/2, x) + diff(u_y - 2*u/2, y) = 0"),
        ("curl(curl(u)) = 1", "-lap(u) = 1"),
        ("lap(u) = abs(grad(u))", "lap(u) = sqrt(u_x**2 + u_y**2)"),
        ("div(x*u, -u_y) = 0", "diff(x*u, x) - u_yy = 0"),
    ],
)
def test_operators_are_their_parts(vectors, parts):
    assert rows(vectors) == rows(parts)


def test_an_equation_of_vectors_is_one_for_each_part():
    told = rows(
        ["dot((u, v), grad((u, v))) + grad(p) = nu*lap((u, v))", "div((u, v)) = 0"],
        boundary={"*": ["u = 0", "v = 0"]},
        parameters={"nu": 0.1},
    )
    plain = [
        "u*u_x + v*u_y + p_x = nu*lap(u)",
        "u*v_x + v*v_y + p_y = nu*lap(v)",
        "u_x + v_y = 0",
    ]
    assert told == rows(plain, boundary={"*": ["u = 0", "v = 0"]}, parameters={"nu": 0.1})


def test_curls_in_space():
    one = rows("lap(u) = dot(curl((y*z, x*u, u)), (1, 2, 3))", CUBE)
    assert one == rows(
        "lap(u) = (u_y - diff(x*u, z))*1 + (diff(y*z, z) - u_x)*2 + (diff(x*u, x) - diff(y*z, y))*3", CUBE
    )


@pytest.mark.parametrize(
    ("kind", "axes"),
    [
        ("spherical", {"r": (0.5, 1)}),
        ("cylindrical", {"r": (0.5, 1), "z": (0, 1)}),
        ("polar", {"r": (0.5, 1), "phi": (0, 1)}),
    ],
)
def test_in_coordinates_of_a_symmetry_div_grad_is_the_laplacian(kind, axes):
    domain = lrfm.Box(**axes, coordinates=kind)
    at = np.random.default_rng(0).random((5, len(axes) + 1)) + 0.5
    values = []
    for text in ("div(grad(u)) = 0", "lap(u) = 0"):
        row = lrfm.Problem(text, domain=domain, boundary="u = 0", verify=False).rows[0]
        jets = {jet: np.full(5, 0.3 + sum(k * (i + 2) for i, k in enumerate(jet.index))) for jet in row.jets}
        values.append(row.compared(at, jets)[0])
    ratio = values[0] / values[1]
    assert np.allclose(
        ratio, at[:, 0] ** np.round(np.log(ratio[0]) / np.log(at[0, 0]))
    )  # a power of r is divided out of both


def test_the_normal_is_a_vector_on_the_boundary():
    plain = lrfm.Problem("lap(u) = 1", domain=lrfm.Disk(), boundary="u + u_n = 0")
    told = lrfm.Problem("lap(u) = 1", domain=lrfm.Disk(), boundary="u + dot(n, grad(u)) = 0")
    part = next(iter(plain.face_rows))
    assert str(plain.face_rows[part][0].expression) == str(told.face_rows[part][0].expression)


def test_vectors_are_typeset():
    from lrfm.problem import latex, mathml

    assert latex.formula("div(k*grad(u)) + dot((u, v), grad(u))") == (
        r"\nabla \cdot (k\, \nabla u) + (u, v) \cdot (\nabla u)"
    )
    assert "<mo>∇</mo><mo>×</mo>" in mathml.formula("curl((u, v))")


def test_formulas_of_a_solution():
    solution = lrfm.steady(
        lrfm.Problem("div(grad(u)) = 4", domain=SQUARE, boundary="u = x**2 + y**2"), tol=1e-6
    )
    assert abs(solution["dot(grad(u), grad(u))"](x=0.5, y=0.25) - 1.25) < 1e-9
