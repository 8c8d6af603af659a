# SPDX-License-Identifier: MIT
"""The continuous answer: evaluation, derivatives, residual, and files that bring back every bit."""

import json
import math
import tracemalloc
import zipfile
from dataclasses import dataclass, fields

import numpy as np
import pytest
from helpers import SPACES, by_hand

import lrfm
from lrfm.solution.piece import PIECES
from lrfm.solution.reference import reference_values
from lrfm.solution.status import Status
from lrfm.spacetime.windows.expansion import Expansion

ROWS = lrfm.Collocation(interior=240, initial=60, boundary=30, initial_weight=10, boundary_weight=10)
FEW = {"collocation": ROWS, "estimate": False, "strict": False}


@pytest.fixture(scope="module")
def heat():
    """u = e^(−π²t) sin πx, to seven digits or so."""
    space = lrfm.Liquid(features=90, weights=1.0, centers=1.1, gate=8.0, tau=(0.5, 20.0))
    return lrfm.solve(lrfm.catalog.heat_1d(), **by_hand(space=space, **FEW))


@pytest.fixture(scope="module")
def integrated():
    space = lrfm.Liquid(features=70, weights=1.0, centers=1.1, gate=8.0)
    return lrfm.solve(lrfm.catalog.heat_1d(), **by_hand(space=space, blocks=[0.1, 0.2], **FEW))


@pytest.fixture(scope="module")
def complex_field():
    return lrfm.solve(
        lrfm.Problem(
            "1j*psi_t + 0.5*psi_xx = 0",
            unknowns={"psi": complex}, domain=lrfm.Box(x=(0, 2)), time=(0, 0.5), boundary="periodic",
            initial="exp(1j*pi*x)", reference=lambda x, t: np.exp(1j * np.pi * (x - np.pi * t / 2)),
        ),
        **by_hand(space=lrfm.Liquid(features=70, weights=0.7, biases=3.0, profile="sine", oscillation=(0.0, 8.0)),
        **FEW),
    )  # fmt: skip


@pytest.fixture(scope="module")
def plane():
    """A system on a box, wave-like: u = e^(−2t) cos x cos y, v = u + t."""
    problem = lrfm.Problem(
        ["u_t = lap(u)", "v_t = lap(u) + 1"],
        domain=lrfm.Box(x=(0, math.pi), y=(0, math.pi)), time=(0, 0.5),
        initial={"u": "cos(x)*cos(y)", "v": "cos(x)*cos(y)"},
        boundary={"*": ["u_n = 0"]},
        reference={
            "u": lambda x, y, t: np.exp(-2 * t) * np.cos(x) * np.cos(y),
            "v": lambda x, y, t: np.exp(-2 * t) * np.cos(x) * np.cos(y) + t,
        },
    )  # fmt: skip
    space = lrfm.Liquid(features=160, weights=1.0, gate=2.0, tau=(0.3, 20.0))
    points = lrfm.Collocation(interior=400, initial=100, boundary=64, initial_weight=5, boundary_weight=5)
    return lrfm.solve(problem, method=lrfm.SpaceTime(space=space, collocation=points), estimate=False)


# Evaluation -------------------------------------------------------------------------------------------------


def test_values_are_near_the_exact_solution(heat):
    x, t = np.linspace(-1, 1, 31)[:, None], np.linspace(0, 0.25, 9)
    np.testing.assert_allclose(heat(x=x, t=t), np.exp(-(np.pi**2) * t) * np.sin(np.pi * x), atol=1e-5)


def test_values_are_the_sum_over_features(heat):
    """u = Σ c_q Φ_q, by the matrix."""
    (piece,) = heat.pieces
    points = np.random.default_rng(0).random((50, 2)) * [2, 0.25] - [1, 0]
    matrix = piece.spaces["u"].jets(points, [(0, 0)])[0, 0]
    expected = matrix @ piece.coefficients["u"]
    scale = np.abs(matrix) @ np.abs(piece.coefficients["u"])
    assert np.all(np.abs(heat(x=points[:, 0], t=points[:, 1]) - expected) <= 1e-14 * scale)


@pytest.mark.parametrize(
    ("x", "t", "shape"),
    [
        (0.3, 0.1, ()),
        (np.float64(0.3), 0, ()),
        ([0.1, 0.2], 0.1, (2,)),
        (np.zeros((3, 1)), np.zeros(4), (3, 4)),
        (np.zeros((2, 3, 1)), np.zeros((5,)), (2, 3, 5)),
        (np.zeros(1), 0.0, (1,)),
        (np.zeros(0), 0.1, (0,)),
        (np.zeros((0, 3)), 0.1, (0, 3)),
        (1, 0, ()),
    ],
)
def test_coordinates_broadcast(heat, integrated, x, t, shape):
    for solution in (heat, integrated):
        for field in (solution, solution["u"], solution.derivative("u_xt"), solution.residual):
            value = field(x=x, t=t)
            assert np.shape(value) == shape
            assert value.dtype == np.float64
            if shape == ():
                assert isinstance(value, float)  # scalar in, scalar out


def test_broadcasting_changes_no_value(heat):
    x, t = np.linspace(-1, 1, 7), np.linspace(0, 0.25, 5)
    grid = heat(x=x[:, None], t=t)
    one_by_one = [[heat(x=a, t=b) for b in t] for a in x]
    np.testing.assert_allclose(grid, one_by_one, rtol=0, atol=1e-10)


def test_a_complex_unknown_gives_complex_values(complex_field):
    x, t = np.linspace(0, 2, 21)[:, None], np.linspace(0, 0.5, 5)
    value = complex_field(x=x, t=t)
    assert value.dtype == np.complex128
    np.testing.assert_allclose(value, complex_field.problem.reference(x, t), atol=1e-3)
    assert isinstance(complex_field(x=0.0, t=0.0), complex)
    assert complex_field["psi"](x=0.5, t=0.0) == pytest.approx(1j, abs=1e-3)


def test_several_unknowns_give_a_dictionary(plane):
    at = {"x": np.linspace(0, 3, 5)[:, None], "y": 1.0, "t": np.linspace(0, 0.5, 3)}
    values = plane(**at)
    assert list(values) == ["u", "v"] == list(plane.unknowns)
    for name, exact in reference_values(plane.problem, at).items():
        assert values[name].shape == (5, 3)
        np.testing.assert_allclose(values[name], exact, atol=2e-2)
        np.testing.assert_array_equal(plane[name](**at), values[name])


def test_blocks_are_joined(integrated):
    np.testing.assert_allclose(integrated.block_edges, [0, 0.1, 0.2, 0.25])
    t = np.array([0.24, 0.05, 0.1, 0.15, 0.0, 0.2, 0.25])  # in no order, edges included
    np.testing.assert_allclose(integrated(x=0.5, t=t), np.exp(-(np.pi**2) * t), atol=1e-4)
    for number, piece in enumerate(integrated.pieces):  # an edge belongs to the block it begins
        points = np.array([[0.3, piece.window[0]]])
        jet = lrfm.problem.Jet("u", (0, 0))
        assert integrated(x=0.3, t=piece.window[0]) == piece.values([jet], points)[jet][0], number


def test_the_error_is_measured_against_the_reference(heat, plane):
    x = np.linspace(-1, 1, 5)
    expected = np.abs(heat(x=x, t=0.1) - np.exp(-(np.pi**2) * 0.1) * np.sin(np.pi * x))
    np.testing.assert_array_equal(heat.reference_error(x=x, t=0.1), expected)
    assert set(plane.reference_error(x=1.0, y=1.0, t=0.1)) == {"u", "v"}


def test_no_reference_is_said():
    problem = lrfm.Problem(
        "u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 1), initial="0*x", boundary="u = 0"
    )
    with pytest.raises(
        ValueError, match=r"no known solution; give one with `Problem\(..., reference=function\)`"
    ):
        reference_values(problem, {"x": 0.5, "t": 0.5})


# Derivatives ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "exact", "tolerance"),
    [
        ("u", lambda x, t: np.sin(np.pi * x), 1e-4),
        ("u_x", lambda x, t: np.pi * np.cos(np.pi * x), 1e-3),
        ("u_xx", lambda x, t: -(np.pi**2) * np.sin(np.pi * x), 1e-2),
        ("u_t", lambda x, t: -(np.pi**2) * np.sin(np.pi * x), 1e-2),
        ("u_xt", lambda x, t: -(np.pi**3) * np.cos(np.pi * x), 0.1),
        ("u_tx", lambda x, t: -(np.pi**3) * np.cos(np.pi * x), 0.1),
        ("u_xxx", lambda x, t: -(np.pi**3) * np.cos(np.pi * x), 0.1),
        ("u_tt", lambda x, t: np.pi**4 * np.sin(np.pi * x), 1.0),
        ("u_xxt", lambda x, t: np.pi**4 * np.sin(np.pi * x), 1.0),
    ],
)
def test_derivatives_are_near_those_of_the_exact_solution(heat, name, exact, tolerance):
    x, t = np.linspace(-0.9, 0.9, 13)[:, None], np.linspace(0.02, 0.2, 5)
    expected = exact(x, t) * np.exp(-(np.pi**2) * t)
    np.testing.assert_allclose(heat.derivative(name)(x=x, t=t), expected, atol=tolerance)


@pytest.mark.parametrize(
    ("lower", "higher", "along"),
    [("u", "u_x", "x"), ("u", "u_t", "t"), ("u_x", "u_xx", "x"), ("u_x", "u_xt", "t"), ("u_tt", "u_xtt", "x"),
     ("u_xxx", "u_xxxx", "x")],
)  # fmt: skip
def test_each_derivative_is_the_slope_of_the_one_below(heat, integrated, lower, higher, along):
    """Of the computed solution itself, by central differences; not of what it approximates."""
    at = {"x": np.linspace(-0.8, 0.8, 9)[:, None], "t": np.array([0.03, 0.15, 0.23])}
    h = {"x": 1e-4, "t": 1e-5}[along]
    for solution in (heat, integrated):
        below, above = solution.derivative(lower), solution.derivative(higher)
        slope = (below(**at | {along: at[along] + h}) - below(**at | {along: at[along] - h})) / (2 * h)
        scale = np.abs(above(**at)).max() + np.abs(below(**at)).max()
        np.testing.assert_allclose(above(**at), slope, atol=2e-5 * scale)


def test_mixed_derivatives_in_the_plane(plane):
    at = {"x": np.linspace(0.3, 2.8, 5)[:, None], "y": np.linspace(0.4, 2.5, 4), "t": 0.2}
    expected = np.exp(-0.4) * np.sin(at["x"]) * np.sin(at["y"])
    np.testing.assert_allclose(plane.derivative("u_xy")(**at), expected, atol=0.05)
    np.testing.assert_array_equal(plane.derivative("u_xy")(**at), plane.derivative("u_yx")(**at))
    h = 1e-4
    slope = (plane["v"](**at | {"t": 0.2 + h}) - plane["v"](**at | {"t": 0.2 - h})) / (2 * h)
    np.testing.assert_allclose(plane.derivative("v_t")(**at), slope, atol=1e-5)


def test_complex_derivatives(complex_field):
    at = {"x": np.linspace(0, 2, 7), "t": 0.2}
    value = complex_field.derivative("psi_x")(**at)
    assert value.dtype == np.complex128
    np.testing.assert_allclose(value, 1j * np.pi * complex_field.problem.reference(**at), atol=2e-2)


# Residual ---------------------------------------------------------------------------------------------------


def test_the_residual_is_that_of_the_equation(heat):
    at = {"x": np.linspace(-1, 1, 9)[:, None], "t": np.linspace(0, 0.25, 4)}
    expected = heat.derivative("u_t")(**at) - heat.derivative("u_xx")(**at)
    np.testing.assert_allclose(heat.residual(**at), expected, atol=1e-9)
    assert np.abs(expected).max() > 1e-9  # not zero by chance


def test_the_residual_of_a_nonlinear_equation_and_across_blocks():
    space = lrfm.Liquid(features=60, weights=2.0)
    solution = lrfm.solve(lrfm.catalog.burgers(nu=0.05), **by_hand(space=space, blocks=2, **FEW))
    at = {"x": np.linspace(-1, 1, 9)[:, None], "t": np.linspace(0, 0.1, 6)}
    u, u_t, u_x, u_xx = (solution.derivative(n)(**at) for n in ("u", "u_t", "u_x", "u_xx"))
    np.testing.assert_allclose(solution.residual(**at), u_t + u * u_x - 0.05 * u_xx, rtol=1e-9, atol=1e-9)


def test_residuals_of_several_equations_come_along_the_first_axis(plane, complex_field):
    at = {"x": np.zeros((3, 1)), "y": np.ones(2), "t": 0.1}
    residual = plane.residual(**at)
    assert residual.shape == (2, 3, 2)
    lap = plane.derivative("u_xx")(**at) + plane.derivative("u_yy")(**at)
    np.testing.assert_allclose(residual[0], plane.derivative("u_t")(**at) - lap, atol=1e-9)
    np.testing.assert_allclose(residual[1], plane.derivative("v_t")(**at) - lap - 1, atol=1e-9)
    at = {"x": np.linspace(0, 2, 5), "t": 0.1}
    real, imaginary = complex_field.residual(**at)
    F = 1j * complex_field.derivative("psi_t")(**at) + 0.5 * complex_field.derivative("psi_xx")(**at)
    np.testing.assert_allclose(real + 1j * imaginary, F, atol=1e-9)


# What is refused --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "sentence"),
    [
        ({"x": 1.01, "t": 0.1}, r"x=1.01 lies outside of \[-1, 1\].*`outside=True`"),
        ({"x": [0.0, -2.0], "t": 0.1}, r"x=-2 lies outside"),
        ({"x": 0.0, "t": 0.3}, r"t=0.3 lies outside of \[0, 0.25\]"),
        ({"x": 0.0, "t": -1e-6}, r"t=-1e-06 lies outside"),
        ({"x": math.nan, "t": 0.1}, r"expected finite numbers"),
        ({"x": 0.0, "t": math.inf}, r"expected finite numbers"),
    ],
)
def test_points_outside_are_refused(heat, integrated, at, sentence):
    for solution in (heat, integrated):
        for field in (solution, solution["u"], solution.derivative("u_x"), solution.residual):
            with pytest.raises(ValueError, match=sentence):
                field(**at)


def test_points_outside_are_evaluated_when_asked_for(heat, integrated):
    for solution in (heat, integrated):
        for field in (solution, solution["u"], solution.derivative("u_x"), solution.residual):
            assert np.all(np.isfinite(field(x=[1.01, 0.0, 0.0], t=[0.1, 0.26, -0.01], outside=True)))
    # It is the same function, continued: continuous at the edge.
    assert heat(x=1.0 + 1e-9, t=0.1, outside=True) == pytest.approx(heat(x=1.0, t=0.1), abs=1e-7)


def test_rounding_at_the_edges_is_forgiven(heat):
    assert np.isfinite(heat(x=1.0 + 1e-15, t=0.25 * (1 + 1e-15)))


@pytest.mark.parametrize(
    ("at", "sentence"),
    [
        ({"x": 0.0}, "`t` is missing"),
        ({"t": 0.0}, "`x` is missing"),
        ({}, "`x`, `t` is missing"),
        ({"x": 0.0, "t": 0.0, "y": 0.0}, "`y` is no coordinate; evaluate with all of `x`, `t` by name"),
    ],
)
def test_wrong_coordinates_get_a_sentence(heat, at, sentence):
    with pytest.raises(TypeError, match=sentence):
        heat(**at)


def test_coordinates_are_given_by_name(heat):
    with pytest.raises(TypeError):
        heat(0.0, 0.1)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("w", "`w` is no unknown; there are `u`, `v`"),
        ("U", r"`U` is no unknown"),
        ("u_q", r"`u_q` is no unknown"),
    ],
)
def test_unknown_unknowns_get_a_sentence(plane, name, sentence):
    with pytest.raises(KeyError, match=sentence):
        plane[name]


@pytest.mark.parametrize("name", ["w_x", "u_z", "u_", "x", "", "u_x_y", "ux", "u_n"])
def test_unknown_derivatives_get_a_sentence(plane, name):
    with pytest.raises(
        KeyError, match=r"is no derivative of an unknown; write an unknown \(`u`, `v`\) and coordinates"
    ):
        plane.derivative(name)


# Many points ----------------------------------------------------------------------------------------------


def test_many_points_take_no_matrix():
    """3e5 points x 32 features would be 77 MB; coordinates and values are 7 MB, and chunks stay small."""
    solution = lrfm.solve(
        lrfm.catalog.heat_1d(), **by_hand(space=lrfm.Liquid(features=32, weights=1.0), **FEW)
    )
    x = np.linspace(-1, 1, 300_000)
    tracemalloc.start()
    values = solution(x=x, t=0.1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert values.shape == (300_000,)
    assert peak < 40e6
    np.testing.assert_allclose(values[::9973], solution(x=x[::9973], t=0.1), atol=1e-9)


def test_chunks_do_not_show(heat, integrated, monkeypatch):
    x, t = np.linspace(-1, 1, 301), np.linspace(0, 0.25, 301)[::-1]
    for solution in (heat, integrated):
        whole = solution(x=x, t=t), solution.residual(x=x, t=t)
        monkeypatch.setattr("lrfm.solution.solution.CHUNK", 7)
        np.testing.assert_allclose(solution(x=x, t=t), whole[0], atol=1e-10)
        np.testing.assert_allclose(solution.residual(x=x, t=t), whole[1], atol=1e-7)
        monkeypatch.undo()


# Save and load ----------------------------------------------------------------------------------------------

LINE = lrfm.Box(x=(-1, 1))
PERIODIC = lrfm.Problem(
    "u_t = 0.1*u_xx", domain=LINE, time=(0, 0.5), initial="sin(pi*x)", boundary="periodic"
)


def assert_the_same(one, two, at):
    """Values, derivatives and residuals agree in every bit, and so does what the report says."""
    for name in one.unknowns:
        np.testing.assert_array_equal(one[name](**at), two[name](**at))
        for subscript in ("t", "x", "xx"):
            name_ = f"{name}_{subscript}"
            np.testing.assert_array_equal(one.derivative(name_)(**at), two.derivative(name_)(**at))
    np.testing.assert_array_equal(one.residual(**at), two.residual(**at))
    assert str(one.report) == str(two.report)
    assert one.report.block_reports == two.report.block_reports
    assert one.problem.equations == two.problem.equations
    assert one.problem.domain == two.problem.domain
    np.testing.assert_array_equal(one.block_edges, two.block_edges)


@pytest.mark.parametrize("kind", SPACES)
def test_every_trial_space_survives_a_file(kind, tmp_path):
    points = lrfm.Collocation(interior=80, initial=30, boundary=10)
    solution = lrfm.solve(
        PERIODIC,
        method=lrfm.SpaceTime(space=SPACES[kind], collocation=points),
        estimate=False,
        strict=False,
        seed=4,
    )
    path = solution.save(tmp_path / "run.lrfm")
    at = {"x": np.linspace(-1, 1, 23)[:, None], "t": np.linspace(0, 0.5, 5)}
    assert_the_same(solution, lrfm.load(path), at)


def test_factors_and_charts_survive_a_file(tmp_path):
    problem = lrfm.Problem(
        "u_t = lap(u)", domain=lrfm.Box(x=(0, 1), y=(0, 1)), time=(0, 0.1), initial="sin(pi*x)*cos(pi*y)",
        boundary={"x": "u = 0", "y": "u_n = 0"},
    )  # fmt: skip
    space = lrfm.Liquid(features=40, vanish=("x-", "x+"), cosine=("y",))
    points = lrfm.Collocation(interior=120, initial=40, boundary=16)
    solution = lrfm.solve(
        problem, method=lrfm.SpaceTime(space=space, collocation=points), estimate=False, strict=False
    )
    loaded = lrfm.load(solution.save(tmp_path / "run.lrfm"))
    at = {"x": np.linspace(0, 1, 9)[:, None], "y": np.linspace(0, 1, 7), "t": 0.05}
    assert_the_same(solution, loaded, at)
    np.testing.assert_allclose(loaded(x=[0, 1], y=0.3, t=0.05), 0, atol=1e-12)


def test_blocks_complex_fields_and_systems_survive_a_file(tmp_path, integrated, complex_field, plane):
    line = {"x": np.linspace(0, 1, 9)[:, None], "t": np.linspace(0, 0.25, 7)}
    assert_the_same(integrated, lrfm.load(integrated.save(tmp_path / "a")), line)
    assert_the_same(complex_field, lrfm.load(complex_field.save(tmp_path / "b")), line)
    assert_the_same(plane, lrfm.load(plane.save(tmp_path / "c")), line | {"y": 0.5})


def test_fields_with_spaces_of_their_own_keep_them():
    """`record` and `from_record`: what was shared is shared again, what was not is not."""
    box = [("x",), [-1.0], [1.0], (False,), (0.0, 1.0)]
    rng = np.random.default_rng(0)
    one, two = (lrfm.Liquid(features=n).sample(*box, rng) for n in (5, 7))
    spaces = {"u": one, "v": two, "w": one}
    expansion = Expansion((0.0, 1.0), spaces, {f: rng.random(s.size) for f, s in spaces.items()})
    again = Expansion.from_record(**expansion.record())
    points = rng.random((6, 2))
    jets = [lrfm.problem.Jet(f, (0, 0)) for f in spaces]
    for jet, value in expansion.values(jets, points).items():
        np.testing.assert_array_equal(again.values(jets, points)[jet], value)
    assert again.spaces["u"] is again.spaces["w"] is not again.spaces["v"]
    with pytest.raises(ValueError, match=r"has shape \(5,\), where \(7,\) is needed"):
        Expansion.from_record(**expansion.record() | {"space_of": {"u": 1, "v": 0, "w": 1}})


def test_the_report_survives_a_file(tmp_path):
    problem = lrfm.catalog.kdv()  # it has a warning
    solution = lrfm.solve(
        problem, method=lrfm.SpaceTime(space=lrfm.Liquid(features=40), blocks=2), strict=False, estimate=True
    )
    report = lrfm.load(solution.save(tmp_path / "run")).report
    assert report.warnings == solution.report.warnings != ()
    assert report.error_estimate == solution.report.error_estimate
    for entry in fields(report):  # one by one, since NaN is not equal to itself
        one, two = getattr(report, entry.name), getattr(solution.report, entry.name)
        assert one == two or (math.isnan(one) and math.isnan(two)), entry.name


def test_saving_twice_gives_the_same_bytes(tmp_path, heat):
    assert heat.save(tmp_path / "a").read_bytes() == heat.save(tmp_path / "b").read_bytes()
    again = lrfm.load(tmp_path / "a")
    assert again.save(tmp_path / "c").read_bytes() == (tmp_path / "a").read_bytes()


def source(x, t):
    return x * t


def with_functions():
    return lrfm.Problem(
        "u_t = k*u_xx + f",
        domain=LINE, time=(0, 0.2), initial=lambda x: np.cos(np.pi * x / 2),
        boundary={"*": {"u": lambda t: 0 * t}},
        parameters={"k": 0.3, "f": source},
    )  # fmt: skip


def test_data_given_as_functions_are_missing_after_a_file(tmp_path):
    """Values and derivatives need none of them; the residual needs the parameter, and says so."""
    solution = lrfm.solve(with_functions(), **by_hand(space=lrfm.Liquid(features=40), **FEW))
    path = solution.save(tmp_path / "run")
    at = {"x": np.linspace(-1, 1, 9)[:, None], "t": np.linspace(0, 0.2, 3)}
    loaded = lrfm.load(path)
    np.testing.assert_array_equal(loaded(**at), solution(**at))
    np.testing.assert_array_equal(loaded.derivative("u_xt")(**at), solution.derivative("u_xt")(**at))
    with pytest.raises(lrfm.ProblemError, match=r"The parameter `f`.*files do not store functions"):
        loaded.residual(**at)
    for name in (
        "f",
        "source",
        "statement.parameters.f",
    ):  # the parameter, the function, and what the message names
        complete = lrfm.load(path, functions={name: source})
        np.testing.assert_allclose(complete.residual(**at), solution.residual(**at), atol=1e-12)


def test_a_complex_function_given_back_keeps_its_imaginary_part(tmp_path):
    problem = lrfm.Problem(
        "1j*psi_t + 0.5*psi_xx = V*psi",
        unknowns={"psi": complex}, domain=LINE, time=(0, 0.2), boundary="periodic",
        initial=lambda x: np.exp(1j * np.pi * x), parameters={"V": lambda x: np.cos(np.pi * x) + 0.5j},
    )  # fmt: skip
    solution = lrfm.solve(problem, **by_hand(space=lrfm.Liquid(features=40), **FEW))
    loaded = lrfm.load(solution.save(tmp_path / "run"), functions={"V": lambda x: np.cos(np.pi * x) + 0.5j})
    at = {"x": np.linspace(-1, 1, 9), "t": 0.1}
    np.testing.assert_allclose(loaded.residual(**at), solution.residual(**at), atol=1e-12)


def test_a_function_that_is_no_parameter_is_refused(tmp_path, heat):
    path = heat.save(tmp_path / "run")
    with pytest.raises(
        ValueError, match=r"`functions` has `g`, but the saved problem has no such function; expected none"
    ):
        lrfm.load(path, functions={"g": np.sin})
    path = lrfm.solve(with_functions(), **by_hand(space=lrfm.Liquid(features=20), **FEW)).save(
        tmp_path / "other"
    )
    with pytest.raises(ValueError, match=r"`functions` has `k`, .* expected .*`f`"):
        lrfm.load(path, functions={"k": np.sin})


@pytest.mark.parametrize("cut", [0, 1, 100, 1000, -1, -30])
def test_a_file_cut_short_is_refused(tmp_path, heat, cut):
    path = heat.save(tmp_path / "run")
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(lrfm.FileFormatError, match=r"cannot be read|not a whole lrfm file"):
        lrfm.load(path)


def test_damaged_numbers_are_refused(tmp_path, heat):
    """One flipped bit anywhere in the arrays is found by a checksum."""
    path = heat.save(tmp_path / "run")
    content = path.read_bytes()
    for place in np.linspace(len(content) // 3, 2 * len(content) // 3, 7).astype(int):
        damaged = bytearray(content)
        damaged[place] ^= 1
        path.write_bytes(damaged)
        with pytest.raises(lrfm.FileFormatError):
            lrfm.load(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.pop("pieces"),
        lambda d: d.pop("statement"),
        lambda d: d.pop("report"),
        lambda d: d["statement"].pop("time"),
        lambda d: d["statement"].update(equation=["u_t = "]),
        lambda d: d["statement"].update(
            equation=["v_t = v_xx"], initial={"v": "0"}, unknowns={}, boundary="v = 0"
        ),
        lambda d: d["statement"].update(domain=3),
        lambda d: d["statement"].update(unknowns={"u": "quaternion"}),
        lambda d: d.update(pieces=[]),
        lambda d: d.update(pieces="none"),
        lambda d: d["pieces"][0].update({"$type": "Popen"}),
        lambda d: d["pieces"][0].pop("coefficients"),
        lambda d: d["pieces"][0].update(spaces=[]),
        lambda d: d["pieces"][0].update(space_of={"u": 7}),
        lambda d: d["pieces"][0].update(space_of={"v": 0}),
        lambda d: d["report"].update(unheard=1),
    ],
    ids=lambda change: "",
)
def test_an_altered_document_is_refused_with_a_sentence(tmp_path, heat, change):
    path = heat.save(tmp_path / "run")
    alter(path, change)
    with pytest.raises((lrfm.FileFormatError, lrfm.ProblemError)):
        lrfm.load(path)


def alter(path, change):
    """Change the document of a file in place."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    head = json.loads(members["document.json"])
    change(head["document"])
    members["document.json"] = json.dumps(head).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def test_pieces_that_nobody_makes_any_more_are_refused_with_a_sentence(tmp_path, heat):
    def earlier(document):
        document["pieces"][0]["$type"] = "RegionSteps"

    path = heat.save(tmp_path / "run")
    alter(path, earlier)
    with pytest.raises(lrfm.FileFormatError, match=r"before lrfm 0.1 wrote.*solve its statement again"):
        lrfm.load(path)


def test_a_status_that_is_none_claims_nothing(tmp_path, heat):
    path = heat.save(tmp_path / "run")
    alter(path, lambda document: document["report"].update(status="what no version wrote"))
    assert lrfm.load(path).report.status is Status.NO_CLAIM


@dataclass(frozen=True)
class Decaying:
    """u = a e^(−bt) on a window: a piece that is no expansion."""

    window: tuple[float, float]
    amplitude: np.ndarray
    rate: float

    def values(self, jets, points):
        u = self.amplitude[0] * np.exp(-self.rate * points[:, -1])
        return {
            jet: u * (-self.rate) ** jet.index[-1] * (jet.index[0] == 0) for jet in jets if jet.field == "u"
        }

    def residual(self, row, points):
        return row.residual(points, self.values(row.jets, points))

    def record(self):
        return {"ends": self.window, "amplitude": self.amplitude, "rate": self.rate}

    @staticmethod
    def from_record(ends, amplitude, rate):
        return Decaying(ends, amplitude, rate)


def test_a_piece_of_your_own_is_evaluated_and_kept(tmp_path, monkeypatch, heat):
    """What `Piece` asks for is enough: values, residual and files need nothing else."""
    problem = lrfm.Problem("u_t = -2*u + 0*u_x", domain=LINE, time=(0, 1), initial="3", boundary=None)
    solution = lrfm.Solution(problem, [Decaying((0.0, 1.0), np.array([3.0]), 2.0)], heat.report)
    assert solution(x=0.3, t=0.5) == 3 * np.exp(-1.0)
    assert solution.derivative("u_tt")(x=0.3, t=0.0) == 12.0
    assert solution.residual(x=0.3, t=0.5) == pytest.approx(0, abs=1e-15)
    with pytest.raises(TypeError, match=r"class Decaying cannot be read back.*PIECES"):
        solution.save(tmp_path / "run")
    assert not list(tmp_path.iterdir())
    monkeypatch.setitem(PIECES, "Decaying", Decaying)
    path = solution.save(tmp_path / "run")
    assert_the_same(solution, lrfm.load(path), {"x": 0.1, "t": np.linspace(0, 1, 5)})
    monkeypatch.undo()
    with pytest.raises(lrfm.FileFormatError, match="class 'Decaying', which is not known"):
        lrfm.load(path)


def test_a_checkpoint_is_no_solution(tmp_path):
    problem = lrfm.catalog.heat_1d()
    lrfm.solve(problem, **by_hand(space=lrfm.Liquid(features=20), blocks=2, checkpoint=tmp_path / "c", **FEW))
    with pytest.raises(lrfm.FileFormatError, match="holds no solution"):
        lrfm.load(tmp_path / "c")


def test_what_it_says_about_itself(heat, plane):
    assert "90 features" in repr(heat)
    assert repr(plane.derivative("u_xy")) == "<u_xy, a function of x, y, t>"
    assert plane.coordinates == ("x", "y", "t")
