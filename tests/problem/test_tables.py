# SPDX-License-Identifier: MIT
"""Tables as data: splines, their derivatives in formulas, every way to give one, and what is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pandas
import pytest
import xarray

import lrfm
from lrfm import Box, Problem, ProblemError, Table
from lrfm.problem.file import parse

X = np.linspace(0, 1, 81)


def heat(**changes) -> Problem:
    given = dict(domain=Box(x=(0, 1)), time=(0, 0.05), initial="sin(pi*x)", boundary="u = 0")
    return Problem(**{"equation": "u_t = u_xx", **given, **changes})


def csv(path, header, *columns):
    np.savetxt(path, np.column_stack(columns), delimiter=",", header=header, comments="")
    return path


def ways(tmp_path):
    values = np.sin(np.pi * X)
    labeled = xarray.DataArray(values, dims="x", coords={"x": X}, name="u")
    frame = pandas.DataFrame({"x": X[::-1], "u": values[::-1]})
    labeled.to_netcdf(tmp_path / "ic.nc", engine="scipy")
    csv(tmp_path / "ic.csv", "x,u", X, values)
    csv(tmp_path / "more.csv", "x,v,u", X, 0 * X, values)
    return {
        "table": Table(values, x=X),
        "labeled": labeled,
        "frame": frame,
        "series": pandas.Series(values, index=pandas.Index(X, name="x"), name="u"),
        "csv": tmp_path / "ic.csv",
        "netcdf": tmp_path / "ic.nc",
        "file": {"file": str(tmp_path / "ic.csv")},
        "column": {"file": tmp_path / "more.csv", "column": "u"},
    }


def test_every_way_to_give_a_table_gives_the_same_data(tmp_path):
    points = np.column_stack([np.linspace(0, 1, 37), np.zeros(37)])
    for name, given in ways(tmp_path).items():
        problem = heat(initial=given)
        (datum,) = problem.initial_data.values()
        np.testing.assert_allclose(datum(points), np.sin(np.pi * points[:, 0]), atol=1e-8, err_msg=name)
        np.testing.assert_allclose(
            datum.derivative((2, 0))(points),
            -(np.pi**2) * np.sin(np.pi * points[:, 0]),
            atol=1e-3,
            err_msg=name,
        )


def test_a_file_names_its_table(tmp_path):
    csv(tmp_path / "ic.csv", "x,u", X, np.sin(np.pi * X))
    csv(tmp_path / "left.csv", "t,u", np.linspace(0, 0.1, 30), np.zeros(30))
    text = """
equation = "u_t = diff(k*u_x, x)"
time = [0, 0.05]
initial = { file = "ic.csv" }
domain = { x = [0, 1] }
parameters = { k = 1 }
boundary = { "x-" = { u = { file = "left.csv" } }, "x+" = "u = 0" }
"""
    (tmp_path / "heat.toml").write_text(text)
    solution = lrfm.solve(tmp_path / "heat.toml", tol=1e-4)
    assert solution(x=0.5, t=0.05) == pytest.approx(np.exp(-0.05 * np.pi**2), rel=1e-4)
    with pytest.raises(ProblemError, match="is no file; check the name and the folder"):
        parse(text)


@pytest.mark.slow
def test_a_coefficient_from_a_table_is_differentiated():
    """u_t = (k u_x)_x + s with u = exp(-t) sin(pi x), k = 1 + x**2/2."""
    source = "exp(-t)*(-sin(pi*x) - pi*x*cos(pi*x) + pi**2*(1 + x**2/2)*sin(pi*x))"
    problem = heat(
        equation=f"u_t = diff(k*u_x, x) + {source}",
        time=(0, 0.3),
        parameters={"k": Table(1 + X**2 / 2, x=X)},
        reference="exp(-t)*sin(pi*x)",
    )
    assert problem.stationary
    solution = lrfm.solve(problem, tol=1e-6)
    x = np.linspace(0, 1, 21)
    np.testing.assert_allclose(solution(x=x, t=0.3), np.exp(-0.3) * np.sin(np.pi * x), atol=2e-6)
    again = pickle.loads(pickle.dumps(solution))
    assert again(x=0.3, t=0.2) == solution(x=0.3, t=0.2)
    np.testing.assert_array_equal(again.residual(x=x, t=0.1), solution.residual(x=x, t=0.1))


def test_tables_are_saved_with_the_solution(tmp_path):
    solution = lrfm.solve(heat(initial=Table(np.sin(np.pi * X), x=X)), tol=1e-4)
    again = lrfm.load(solution.save(tmp_path / "run.lrfm"))
    x = np.linspace(0, 1, 9)
    np.testing.assert_array_equal(again.residual(x=x, t=0.01), solution.residual(x=x, t=0.01))


def test_sources_in_space_and_time_and_complex_tables():
    t = np.linspace(0, 0.05, 25)
    table = Table(np.sin(np.pi * X)[:, None] * np.cos(t), x=X, t=t)
    problem = heat(equation="u_t = u_xx + f", parameters={"f": table})
    points = np.array([[0.3, 0.02], [0.9, 0.05]])
    (source,) = problem.rows[0].functions
    np.testing.assert_allclose(
        source.function(points), np.sin(np.pi * points[:, 0]) * np.cos(points[:, 1]), atol=1e-8
    )
    assert problem.rows[0].time_dependent
    wave = Table(np.exp(2j * np.pi * X), x=X)
    free = heat(
        equation="1j*psi_t + psi_xx = 0", initial=wave, boundary="periodic", unknowns={"psi": "complex"}
    )
    np.testing.assert_allclose(
        free.initial_data["psi", 0](points), np.exp(2j * np.pi * points[:, 0]), atol=1e-6
    )


def test_a_spline_of_data_has_the_order_that_is_promised():
    errors = []
    for n in (20, 40):
        x = np.linspace(0, 1, n)
        fine = np.linspace(0, 1, 333)
        errors.append(np.abs(Table(np.exp(np.sin(5 * x)), x=x)(x=fine) - np.exp(np.sin(5 * fine))).max())
    assert np.log2(errors[0] / errors[1]) > 5.0
    two = Table([1.0, 3.0], x=[0.0, 1.0])
    assert two(x=0.25) == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (lambda: Table(np.zeros(3), x=[0, 1]), r"values of shape \(3,\) and places along x 2"),
        (lambda: Table([0, 1], x=[1, 0]), "two or more increasing numbers"),
        (lambda: Table([0, np.nan], x=[0, 1]), "fill the gaps"),
        (lambda: Table(X, x=[*X[:-1], 1e100])(x=0.5), "along `x` are too uneven"),
        (lambda: heat(initial=Table(X[:41], x=X[:41])), r"covers `x` from 0 to 0.5, and is needed at x=0\.5"),
        (
            lambda: heat(equation="u_t = k*u_xx", parameters={"k": Table(1 + X, q=X)}),
            "the table has the coordinate `q`",
        ),
        (lambda: heat(initial=xarray.DataArray(X, dims="x")), "with places along each"),
        (lambda: heat(initial=pandas.DataFrame({"x": X, "a": X, "b": X})), "say which with `column`"),
        (
            lambda: heat(initial=pandas.DataFrame({"x": [0, 0, 1], "u": [1, 2, 3]})),
            "no whole grid of 2 places",
        ),
    ],
)
def test_what_cannot_be_a_table_is_refused(given, sentence):
    with pytest.raises(ProblemError, match=sentence):
        given()


# --- Choices -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("formula", "function"),
    [
        ("where(x < 0.5, 1, 0)", lambda x: np.where(x < 0.5, 1.0, 0.0)),
        (
            "where(x > 0.5, log(x - 0.5), 2*x)",
            lambda x: np.array([np.log(a - 0.5) if a > 0.5 else 2 * a for a in x]),
        ),
        ("heaviside(x - 0.3)", lambda x: (x > 0.3) * 1.0),
        ("min(x, 1 - x)", lambda x: np.minimum(x, 1 - x)),
        ("max(sin(5*x), 0.2)", lambda x: np.maximum(np.sin(5 * x), 0.2)),
    ],
)
def test_choices_are_what_numpy_says(formula, function):
    problem = heat(initial=formula, boundary="periodic")
    points = np.column_stack([np.linspace(0.01, 0.99, 50), np.zeros(50)])
    np.testing.assert_allclose(problem.initial_data["u", 0](points), function(points[:, 0]), atol=1e-15)
    jump = formula.startswith(("where", "heaviside"))
    assert any("jumps (`where`, `heaviside` or `sign`)" in w for w in problem.warnings) == jump


def test_derivatives_of_choices():
    problem = heat(initial="where(x > 0.5, (x - 0.5)**2, 0)", boundary="periodic")
    slope = problem.initial_data["u", 0].derivative((1, 0))
    points = np.array([[0.25, 0.0], [0.75, 0.0]])
    np.testing.assert_allclose(slope(points), [0.0, 0.5])
    assert heat(equation="u_t = u_xx - max(u, 0)**2").linear is False


@pytest.mark.parametrize(
    ("formula", "sentence"),
    [
        ("where(x, 1, 0)", "begins with one comparison"),
        ("where(x < 0.5, 1)", "`where` takes 3 arguments and was given 2"),
        ("x < 0.5", "a comparison; compare inside of `where`"),
        ("min(x)", "`min` takes 2 arguments"),
        ("heaviside(1j*x)", "compares complex numbers"),
    ],
)
def test_wrong_choices(formula, sentence):
    with pytest.raises(ProblemError, match=sentence):
        heat(initial=formula)


def test_a_step_that_diffuses_is_solved():
    problem = heat(initial="where(x < 0.5, 1, 0)", boundary={"x-": "u = 1", "x+": "u = 0"})
    solution = lrfm.solve(problem, tol=1e-2, strict=False)
    from scipy.special import erfc

    assert solution(x=0.6, t=0.01) == pytest.approx(0.5 * erfc(0.1 / (2 * np.sqrt(0.01))), abs=5e-3)


@pytest.mark.parametrize(
    ("equation", "warned"),
    [
        ("u_t = u_xx + where(x < 0.37, 10, 0)", False),  # cells end there
        ("u_t = u_xx + where(t < 0.05, 10, 0)", False),  # steps end there
        ("u_t = u_xx + where(x < 3*t, 10, 0)", True),  # it moves
        ("u_t = u_xx + where(u < 0.3, 10, 0)", True),
    ],
)
def test_a_jump_that_stays_is_no_reason_for_a_warning(equation, warned):
    problem = heat(equation=equation)
    assert any("jumps" in text for text in problem.warnings) == warned
