# SPDX-License-Identifier: MIT
"""Total derivatives, the parts of a row, and Picard's live factor."""

import numpy as np
import pytest
import sympy

from lrfm import Box, Problem
from lrfm.problem import Jet
from lrfm.problem.algebra import Symbol
from lrfm.problem.expression import derivative, extent
from lrfm.problem.jets import JetSymbol

X, Y, T = sympy.symbols("x y t")
EXPLICIT = {
    "u": sympy.sin(2 * X + T) * sympy.exp(Y / 3) + X * Y,
    "v": sympy.cos(X * Y) + T**2 * X,
}


def sympy_value(text):
    """SymPy's own derivative of the explicit functions."""
    letters = {"x": X, "y": Y, "t": T}
    names = {
        "lap": lambda e: sympy.diff(e, X, 2) + sympy.diff(e, Y, 2),
        "diff": sympy.diff, "sin": sympy.sin, "exp": sympy.exp, "sqrt": sympy.sqrt, "tanh": sympy.tanh,
    } | letters  # fmt: skip
    for name, function in EXPLICIT.items():
        names[name] = function
        for subscript in ("x", "y", "xx", "xy", "t"):
            names[f"{name}_{subscript}"] = sympy.diff(function, *(letters[c] for c in subscript))
    return eval(text, {"__builtins__": {}}, names)


@pytest.mark.parametrize(
    "text",
    [
        "lap(u**3 - u)", "diff(u*v, x)", "lap(lap(u))", "diff(u**2*v_y, x, y)", "diff(sin(x*u), x, t)",
        "lap(exp(u)*v)", "diff(u_x/(2 + v**2), y, y)", "lap(x**2*y*u)", "diff(tanh(u_xy), t)",
        "lap(lap(u**3 - u - lap(u)))", "diff(sqrt(3 + u**2), x)*diff(v, y)", "diff(2**v, x)",
        "diff((2 + u**2)**v, y)",
    ],
)  # fmt: skip
def test_total_derivatives_agree_with_sympy(text):
    problem = Problem(
        [f"u_t = {text}", "v_t = u"],
        domain=Box(x=(0, 1), y=(0, 1)),
        time=(0, 1),
        initial={"u": 0, "v": 0},
        boundary=None,
    )
    row = problem.rows[0]
    point = {X: 0.31, Y: 0.72, T: 0.15}
    jets = {}
    for jet in row.jets:
        value = EXPLICIT[jet.field]
        for letter, order in zip((X, Y, T), jet.index, strict=True):
            value = sympy.diff(value, letter, order)
        jets[jet] = np.array([float(value.subs(point))])
    found = row.residual(np.array([list(point.values())]), jets)[0]
    expected = float((sympy.diff(EXPLICIT["u"], T) - sympy_value(text)).subs(point))
    assert found == pytest.approx(expected, rel=1e-11, abs=1e-11)


def test_a_total_derivative_of_a_complex_unknown():
    problem = Problem(
        "1j*psi_t = lap(abs(psi)**2*psi)",
        unknowns={"psi": complex},
        domain=Box(x=(0, 1)),
        time=(0, 1),
        initial=0,
        boundary=None,
    )
    real = sympy.sin(X) + T
    imaginary = sympy.cos(2 * X) * sympy.exp(T)
    psi, point = real + sympy.I * imaginary, {X: 0.4, T: 0.3}
    total = sympy.I * sympy.diff(psi, T) - sympy.diff((real**2 + imaginary**2) * psi, X, 2)
    expected = complex(total.subs(point))
    for row, part in zip(problem.rows, (expected.real, expected.imag), strict=True):
        parts = {"psi.re": real, "psi.im": imaginary}
        jets = {j: sympy.diff(parts[j.field], X, j.index[0], T, j.index[1]).subs(point) for j in row.jets}
        jets = {j: np.array([float(v)]) for j, v in jets.items()}
        assert row.residual(np.array([[0.4, 0.3]]), jets)[0] == pytest.approx(part, rel=1e-12)


def row_of(equation, **changes):
    statement = dict(domain=Box(x=(0, 1)), time=(0, 1), initial=0, boundary=None) | changes
    return Problem(equation, **statement).rows[0]


def jets(*names):
    """Symbols for u, u_x, u_xx …"""
    return [JetSymbol(Jet("u", (name.count("x"), name.count("t")))) for name in names]


def test_picard_in_burgers_is_the_papers():
    u, u_x = jets("u", "u_x")
    row = row_of("u_t + u*u_x = 0.01*u_xx")
    assert row.frozen == {Jet("u", (1, 0)): u}
    assert row.nonlinear_part == u * u_x


def test_picard_in_kdv_is_the_papers():
    (u,) = jets("u")
    assert row_of("u_t + 6*u*u_x + u_xxx = 0").frozen == {Jet("u", (1, 0)): 6 * u}


@pytest.mark.parametrize(
    "equation",
    ["u_t = 1e-4*u_xx - u**3 + u", "u_t = 1e-4*u_xx - (u**2 - 1)*u", "u_t = 1e-4*u_xx + u*(1 - u**2)"],
)
def test_picard_in_allen_cahn_is_the_papers(equation):
    """(u_old² − 1) u in total, together with the linear part."""
    (u,) = jets("u")
    row, value = row_of(equation), Jet("u", (0, 0))
    total = row.linear_part.get(value, 0) + row.frozen[value]
    assert total - (u**2 - 1) == 0
    assert set(row.frozen) == {value}


@pytest.mark.parametrize("term", ["abs(psi)**2*psi", "psi*abs(psi)**2", "abs(psi)*psi*abs(psi)"])
def test_picard_in_nls_is_the_papers(term):
    """|ψ_old|² ψ, in both real rows."""
    problem = Problem(
        f"1j*psi_t + 0.5*psi_xx + {term} = 0",
        unknowns={"psi": complex},
        domain=Box(x=(0, 1)),
        time=(0, 1),
        initial=0,
        boundary=None,
    )
    re, im = (JetSymbol(Jet(f"psi.{part}", (0, 0))) for part in ("re", "im"))
    for row, field in zip(problem.rows, ("psi.re", "psi.im"), strict=True):
        assert row.frozen == {Jet(field, (0, 0)): re**2 + im**2}


@pytest.mark.parametrize(
    ("term", "live"),
    [
        ("u_x*u_xx", {"u_xx": "u_x"}),
        ("u*(u_xx + u**2)", {"u_xx": "u", "u": "u*u"}),
        ("u**2.5", {"u": "u**1.5"}),
        ("sin(u)", {}),
        ("sin(u)*u", {"u": "sin(u)"}),
        ("u_xx/(1 + u_x**2)", {"u_xx": "1/(1 + u_x**2)"}),
        ("(u - 0.3)*(1 - u)*u", {"u": "(u - 0.3)*(1 - u)"}),
        ("k*(u_xx + u**3)", {"u": "k*u**2"}),
    ],
)
def test_the_live_factor(term, live):
    row = row_of(f"0 = u_t + {term}", parameters={"k": lambda x: 2 + x} if "k" in term else {})
    values = {"u": 0.7, "u_x": -1.1, "u_xx": 0.4, "sin": np.sin, "k": 2.25}
    names = {j: ("u", "u_x", "u_xx")[j.index[0]] for j in row.nonlinear_jets}
    jets = {j: np.array([values[name]]) for j, name in names.items()}
    _, found = row.nonlinear(np.array([[0.25, 0.5]]), jets, picard=True)
    expected = {name: -eval(text, {}, values) for name, text in live.items()}
    assert {names[j]: float(np.squeeze(c)) for j, c in found.items()} == pytest.approx(expected)


def test_a_given_factor_does_not_hide_what_is_linear():
    row = row_of("u_t = k*(u_xx + u**3 + 1)", parameters={"k": lambda x: 2 + x})
    assert Jet("u", (2, 0)) in row.linear_part
    assert {j.index for j in row.nonlinear_jets} == {(0, 0)}
    source, _ = row.affine(np.array([[0.5, 0.0]]))
    assert source[0] == -2.5


@pytest.mark.parametrize(
    "equation", ["u_t = sign(u)", "u_t = x*(u + sign(u))", "u_t = abs(u)", "u_t = (u + 1)**2 - u**2"]
)
def test_what_is_not_affine_is_not_taken_for_affine(equation):
    """sign(u) has the derivative zero, and is not constant for that."""
    row = row_of(equation)
    assert not row.linear
    at = np.array([[0.5, 0.0]])
    values = {Jet("u", (0, 0)): np.array([-3.0]), Jet("u", (0, 1)): np.array([0.0])}
    expected = -eval(equation.partition("=")[2], {"sign": np.sign, "u": -3.0, "x": 0.5})
    assert row.residual(at, values)[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("equation", "linear"),
    [
        ("u_t = u_xx", True), ("u_t = x*(u_xx + t)/2 + sin(x)", True), ("u_t = u**(3/3)", True),
        ("u_t = u*u - u**2", True), ("u_t = u*u_x", False), ("u_t = exp(u)", False),
    ],
)  # fmt: skip
def test_linear_rows_are_seen(equation, linear):
    assert row_of(equation).linear is linear


def test_a_formula_is_measured_without_being_written_out():
    long = Symbol("x")
    for _ in range(200):
        long = long * (long + 1) + 1
    size, depth, slope = extent(long)
    assert size > 2**200
    assert slope > 2**200
    assert 200 < depth < 1000
    assert derivative(long, {}) == 0
