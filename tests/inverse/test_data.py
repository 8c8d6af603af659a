"""Measurements in every form, and the sentence for each way to give them wrongly."""

import numpy as np
import pytest

import lrfm
from lrfm import Box, Data, Problem, Unknown

X, U = np.array([0.2, 0.5, 0.8]), np.array([0.3, 0.6, 0.3])


def problem(**parameters):
    return Problem(
        "u_t = k*u_xx", domain=Box(x=(0, 1)), time=(0, 1), initial="sin(pi*x)", boundary="u = 0",
        parameters=parameters or {"k": Unknown(0.1, lower=0)},
    )  # fmt: skip


def same(data):
    return all(np.array_equal(data.table[n], v) for n, v in (("x", X), ("t", np.ones(3)), ("u", U)))


def test_tables(tmp_path):
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    frame = pandas.DataFrame({"x": X, "t": 1.0, "u": U, "sigma": 0.1})
    frame.to_csv(tmp_path / "a.csv", index=False)
    grid = xarray.Dataset({"u": (("t", "x"), U[None])}, coords={"t": [1.0], "x": X})
    for source in (frame, tmp_path / "a.csv", grid, grid["u"], {"x": X, "t": 1.0, "u": U}):
        assert same(Data(source))
    assert np.all(Data(frame).sigma("u") == 0.1)
    assert Data(grid).sigma("u") is None
    assert np.all(Data(x=X, t=1.0, u=U, u_x=U, sigma={"u": 0.2}).sigma("u") == 0.2)
    assert Data(x=X, t=1.0, u=U, u_x=U, sigma={"u": 0.2}).sigma("u_x") is None


WRONG = [
    ({"x": X, "t": 1.0, "u": [0.1, np.nan, 0.2]}, "`u` has 1 value that is not finite, the first in row 2"),
    ({"x": X, "t": 1.0, "u": U, "sigma": 0.0}, "`sigma` is 0 somewhere; a standard deviation is positive"),
    ({"x": X, "t": 1.0, "u": U[:2]}, "`u` has 2 values, others have 3"),
    ({"x": X, "t": 1.0, "u": ["a", "b", "c"]}, "expected numbers"),
    ({"x": X, "t": 1.0, "u": U, "sigma": [0.1, 0.2]}, "`sigma` has 2 values for 3 rows"),
    ({}, "was given no columns"),
]


@pytest.mark.parametrize(("columns", "sentence"), WRONG)
def test_wrong_tables(columns, sentence):
    with pytest.raises(ValueError, match=sentence):
        Data(**columns)


def test_wrong_files(tmp_path):
    path = tmp_path / "a.csv"
    for text, sentence in (
        ("x,t,u\n", "has 1 line"),
        ("x,t,u\n1,2\n", "line 2, has 2 values"),
        ("x,t,u\n1,2,b\n", "no number"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=sentence):
            Data(path)
    with pytest.raises(ValueError, match="expected a dictionary of arrays"):
        Data(3.0)


ON_A_PROBLEM = [
    (
        {"x": [0.2, 1.5, 0.8], "t": 1.0, "u": U},
        r"Row 2 of the data has x=1.5, outside of the domain \[0, 1\]",
    ),
    ({"x": X, "t": 2.0, "u": U}, r"t=2, outside of the time window \[0, 1\]"),
    ({"x": X, "u": U}, "no column `t`"),
    ({"x": X, "t": 1.0}, "add one with values, such as `u`"),
    ({"x": X, "t": 1.0, "v": U}, "the name `v` is not known"),
    ({"x": X, "t": 1.0, "x + k": U}, "contains no unknown of the problem"),
]


@pytest.mark.parametrize(("columns", "sentence"), ON_A_PROBLEM)
def test_data_that_do_not_belong_to_the_problem(columns, sentence):
    with pytest.raises(ValueError, match=sentence):
        lrfm.fit(problem(), Data(columns, sigma=0.1))


def test_fewer_data_than_unknowns():
    two = Problem(
        "u_t = k*u_xx - r*u", domain=Box(x=(0, 1)), time=(0, 1), initial="sin(pi*x)", boundary="u = 0",
        parameters={"k": Unknown(0.1), "r": Unknown(0.1)},
    )  # fmt: skip
    with pytest.raises(ValueError, match="1 measured value for 2 unknown numbers"):
        lrfm.fit(two, Data(x=0.5, t=1.0, u=0.1, sigma=0.1))


def test_nothing_or_something_else_is_unknown():
    with pytest.raises(lrfm.ProblemError, match="Nothing is unknown"):
        lrfm.fit(problem(k=0.1), Data(x=X, t=1.0, u=U))
    with pytest.raises(lrfm.ProblemError, match="`q` does not occur"):
        lrfm.fit(problem(k=0.1, q=Unknown(1.0)), Data(x=X, t=1.0, u=U))
    with pytest.raises(lrfm.ProblemError, match="`k` is unknown; find it from data"):
        lrfm.solve(problem())
    with pytest.raises(lrfm.ProblemError, match="between its bounds"):
        Unknown(1.0, lower=2.0)
    with pytest.raises(ValueError, match=r"`loss=.*is not known"):
        lrfm.fit(problem(), Data(x=X, t=1.0, u=U), loss="hubert")


@pytest.mark.slow
def test_wrong_units_are_noticed():
    values = 1000 * np.exp(-0.1 * np.pi**2) * np.sin(np.pi * X)
    with pytest.raises(lrfm.FitError, match="times the field; check their units"):
        lrfm.fit(problem(k=Unknown(0.1, lower=0.05, upper=0.2)), Data(x=X, t=1.0, u=values, sigma=1.0))


def test_the_conductivity_of_one_of_two_slabs():
    """Left of x = 0.4 it is 1, right of it 2: values on both sides tell."""

    def slabs(a):
        return lrfm.Problem(
            "u_t = diff(k*u_x, x)", domain=lrfm.Layers(left=lrfm.Box(x=(0, 0.4)), right=lrfm.Box(x=(0.4, 1))), time=(0, 0.1),
            initial="sin(pi*x)", boundary="u = 0", parameters={"a": a, "k": {"left": "a", "right": 2.0}},
        )  # fmt: skip

    x, t = (a.ravel() for a in np.meshgrid(np.linspace(0.05, 0.95, 7), [0.03, 0.1]))
    values = lrfm.solve(slabs(1.0), tol=1e-6)(x=x, t=t)
    found = lrfm.fit(slabs(Unknown(0.5, lower=0.05)), Data(x=x, t=t, u=values, sigma=1e-3))
    assert found.parameters["a"].value == pytest.approx(1.0, abs=1e-4)
