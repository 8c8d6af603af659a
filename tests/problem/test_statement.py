# SPDX-License-Identifier: MIT
"""What a good statement means: unknowns, orders, data in all forms, and the warnings that come with it."""

import numpy as np
import pytest

import lrfm
from lrfm import Box, Problem, ProblemError
from lrfm.problem import Jet
from lrfm.problem.checks import face_grid, grid

POINTS = np.array([[0.25, 0.0], [0.75, 0.5], [0.5, 1.0]])


def heat(equation="u_t = u_xx", **changes):
    statement = dict(domain=Box(x=(0, 1)), time=(0, 1), initial="sin(pi*x)", boundary="u = 0") | changes
    return Problem(equation, **statement)


# Unknowns ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("equations", "unknowns"),
    [
        (["u_t = v_xx"], None),
        (["b_t = a", "a_t = b_xx"], ["b", "a"]),
        (["0 = q_x - r", "r_t = q"], ["q", "r"]),
        (["w_t = lap(w) + psi", "psi = lap(psi) + w"], ["w", "psi"]),
        (["w_t = diff(w*phi, x)", "phi = w**2"], ["w", "phi"]),
        (["n_i_t = n_i_xx"], ["n_i"]),
    ],
)
def test_unknowns_are_found_in_the_order_of_the_text(equations, unknowns):
    if unknowns is None:
        with pytest.raises(ProblemError, match="1 equation for 2 unknowns"):
            heat(equations, boundary=None)
        return
    orders = {name: any(f"{name}_t" in e for e in equations) for name in unknowns}
    problem = heat(equations, initial={n: 0 for n, first in orders.items() if first}, boundary=None)
    assert list(problem.unknowns) == unknowns
    assert problem.time_orders == {name: int(first) for name, first in orders.items()}


def test_declared_unknowns_keep_the_order_of_the_text():
    problem = heat(
        ["n_t = abs(psi)**2 - n", "1j*psi_t = psi_xx + n*psi"],
        unknowns={"psi": complex},
        initial={"n": 0, "psi": 0},
        boundary=None,
    )
    assert problem.unknowns == {"n": float, "psi": complex}
    assert list(problem.unknowns) == ["n", "psi"]
    assert problem.fields == ("n", "psi.re", "psi.im")
    assert problem.fields_of("psi") == ("psi.re", "psi.im")
    assert [row.label for row in problem.rows] == ["Equation 1", "Equation 2", "Equation 2 (imaginary part)"]


@pytest.mark.parametrize(
    ("equation", "time", "space"),
    [
        ("u_tt = u_xx", 2, 2),
        ("u_t + u*u_x + u_xxx = u_xxt", 1, 3),
        ("u_tt + u_xxxx = 0", 2, 4),
        ("u_ttt = u", 3, 0),
    ],
)
def test_orders(equation, time, space):
    initial = {"u" + "_" * (k > 0) + "t" * k: 0 for k in range(time)}
    problem = heat(equation, initial=initial, boundary=None)
    assert problem.time_orders == {"u": time}
    assert problem.space_order(0) == problem.space_order(0, "u") == space


def test_subscripts_are_derivatives_along_named_axes():
    box = Box(x1=(0, 1), x2=(0, 1), r=(0, 1))
    problem = heat("u_t = u_x1x1 + u_x2x1r + u_tr", domain=box, boundary=None, initial=0)
    assert problem.rows[0].jets == tuple(
        Jet("u", i) for i in ((0, 0, 0, 1), (0, 0, 1, 1), (1, 1, 1, 0), (2, 0, 0, 0))
    )


def test_the_laplacian_runs_over_all_axes():
    problem = heat("u_t = lap(u)", domain=Box(x=(0, 1), y=(0, 1), z=(0, 1)), boundary=None, initial=0)
    assert {j.index for j in problem.rows[0].jets} == {(0, 0, 0, 1), (2, 0, 0, 0), (0, 2, 0, 0), (0, 0, 2, 0)}


def test_text_may_run_over_several_lines():
    problem = heat("u_t =\n    u_xx\n    - u")
    assert {j.index for j in problem.rows[0].jets} == {(0, 1), (2, 0), (0, 0)}


def test_the_micro_sign_and_the_greek_letter_are_one_name():
    assert not heat("u_t = \u00b5*u_xx", parameters={"\u03bc": 2}).warnings
    assert not heat("u_t = \u03bc*u_xx", parameters={"\u00b5": 2}).warnings
    assert heat("\u00b5_t = \u00b5_xx", initial={"\u00b5": 0}, boundary="\u00b5 = 0").unknowns == {
        "\u03bc": float
    }


@pytest.mark.parametrize("names", [("x", "xx"), ("a", "ab", "bc", "c"), ("x", "xt"), ("tt",), ("xn", "x")])
def test_axes_that_make_subscripts_ambiguous_are_refused(names):
    with pytest.raises(ProblemError, match="in two ways"):
        Box(**dict.fromkeys(names, (0, 1)))


@pytest.mark.parametrize("names", [("x", "x1"), ("r", "rho"), ("a", "ab", "bc"), ("x", "y", "z"), ("theta",)])
def test_axes_with_a_common_beginning_are_allowed(names):
    assert Box(**dict.fromkeys(names, (0, 1))).names == names


def test_a_box_in_twenty_dimensions():
    box = Box(**{f"x{i}": (0, 1) for i in range(20)})
    problem = heat("u_t = lap(u)", domain=box, initial="sin(pi*x0)", boundary={"x0": "u = 0", "*": None})
    assert len(problem.face_rows) == 40


# Data -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "given",
    ["x**2", lambda x: x**2, lambda x, t: x**2 + 0 * t, np.square, lambda x, power=2: x**power,
     lambda x, /: x**2,
     lambda **where: where["x"] ** 2, np.vectorize(lambda x: x**2, otypes=[float])],
)  # fmt: skip
def test_data_as_text_or_function(given):
    problem = heat(initial=given, boundary=None)
    datum = problem.initial_data["u", 0]
    assert datum.part(POINTS, "u") == pytest.approx(POINTS[:, 0] ** 2)


@pytest.mark.parametrize(
    "given", [3, 3.0, np.float64(3), np.int32(3), "3", lambda: 3.0, lambda x: 3, lambda x: [3.0] * len(x)]
)
def test_constant_data(given):
    assert heat(initial=given, boundary=None).initial_data["u", 0](POINTS) == pytest.approx(3.0)


def test_a_function_cannot_move_the_points():
    def greedy(x):
        x *= 0
        return x

    problem, points = heat(initial=greedy, boundary=None), POINTS.copy()
    problem.initial_data["u", 0](points)
    assert np.array_equal(points, POINTS)


def test_functions_of_some_coordinates():
    box = Box(x=(0, 1), y=(0, 1))
    problem = heat(
        "u_t = a*lap(u) + b*u", domain=box, initial=lambda y: y, boundary={"*": {"u": lambda y, t: y + t}},
        parameters={"a": lambda t: 1 + t, "b": lambda y, x: x - y}, check_corners=False,
    )  # fmt: skip
    points = np.array([[0.1, 0.2, 0.3]])
    _, coefficients = problem.rows[0].affine(points)
    assert coefficients[Jet("u", (2, 0, 0))] == pytest.approx(-1.3)
    assert coefficients[Jet("u", (0, 0, 0))] == pytest.approx(0.1)
    source, _ = problem.face_rows["x+"][0].affine(points)
    assert source == pytest.approx(-0.5)


def test_complex_data():
    problem = heat(
        "1j*psi_t + c*psi_xx + V*psi = 0", unknowns={"psi": complex}, initial=lambda x: np.exp(1j * x),
        boundary={"x-": {"psi": lambda t: np.exp(1j * t)}, "x+": "psi = exp(1j*(1 + t))"},
        parameters={"c": 0.5 - 0.1j, "V": lambda x: x + 2j * x}, check_corners=False,
    )  # fmt: skip
    datum = problem.initial_data["psi", 0]
    assert datum.part(POINTS, "psi.im") == pytest.approx(np.sin(POINTS[:, 0]))
    real, imaginary = problem.rows
    zero, two = (0, 0), (2, 0)
    assert real.affine(POINTS)[1][Jet("psi.im", two)] == pytest.approx(0.1)
    assert imaginary.affine(POINTS)[1][Jet("psi.re", two)] == pytest.approx(-0.1)
    assert real.affine(POINTS)[1][Jet("psi.im", zero)] == pytest.approx(-2 * POINTS[:, 0])
    assert len(problem.face_rows["x-"]) == len(problem.face_rows["x+"]) == 2
    source, _ = problem.face_rows["x-"][1].affine(POINTS)
    assert source == pytest.approx(-np.sin(POINTS[:, 1]))


def test_a_complex_array_without_imaginary_part_is_real():
    problem = heat(
        "u_t = k*u_xx", parameters={"k": lambda x: np.sqrt(x + 0j)}, initial=lambda x: x * (1 - x) + 0j
    )
    assert len(problem.rows) == 1
    assert problem.rows[0].affine(POINTS)[1][Jet("u", (2, 0))] == pytest.approx(-np.sqrt(POINTS[:, 0]))


# Faces ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("face", "sign"), [("x-", -1), ("x+", 1), ("y-", -1), ("y+", 1)])
def test_the_normal_points_outward(face, sign):
    box = Box(x=(0, 1), y=(0, 2))
    problem = heat(
        "u_t = lap(u)", domain=box, initial=0, boundary={"*": None} | {face: "u_n + 2*u_nn = 0"} | _pair(face)
    )
    (row,) = problem.face_rows[face]
    axis = box.names.index(face[0])
    first, second = ([0, 0, 0] for _ in range(2))
    first[axis], second[axis] = 1, 2
    assert row.linear_part == {Jet("u", tuple(first)): sign, Jet("u", tuple(second)): 2}


def _pair(face):
    return {face[0] + ("+" if face[1] == "-" else "-"): None}


def test_wildcards_fill_in_what_is_not_named():
    box = Box(x=(0, 1), y=(0, 1), z=(0, 1))
    boundary = {"x": "periodic", "y-": "u = 0", "*": "u_n = 0", "z+": ["u = 0", "u_z = 0"]}
    problem = heat("u_t = lap(u)", domain=box, initial=0, boundary=boundary)
    assert problem.periodic == {"x"}
    assert {face: len(rows) for face, rows in problem.face_rows.items()} == {
        "y-": 1,
        "y+": 1,
        "z-": 1,
        "z+": 2,
    }
    assert problem.face_rows["y+"][0].linear_part == {Jet("u", (0, 1, 0, 0)): 1}


def test_one_condition_in_many_forms():
    forms = ["u = 2", "u - 2 = 0", {"u": 2}, {"u": "2"}, 2, 2.0, lambda t: 2 + 0 * t, ["u = 2"], [{"u": 2}]]
    for form in forms:
        (row,) = heat(initial=2, boundary={"x-": form, "x+": None}).face_rows["x-"]
        assert row.residual(POINTS, {Jet("u", (0, 0)): np.full(3, 5.0)}) == pytest.approx(3.0)


def test_nonlinear_and_robin_conditions():
    problem = heat(initial=0, boundary={"x-": "u_x = u**4", "x+": "u_n + 3*u = t"})
    assert not problem.linear
    assert [row.linear for rows in problem.face_rows.values() for row in rows] == [False, True]
    assert heat().linear


# Warnings ---------------------------------------------------------------------------------------------------


def test_a_good_statement_has_no_warnings():
    assert heat().warnings == ()


@pytest.mark.parametrize(
    ("changes", "warning"),
    [
        (dict(parameters={"eps": 1}), "The parameter `eps` is not used."),
        (
            dict(boundary={"x-": "u = 0", "x+": None}),
            "The two faces of the axis `x` have 1 boundary condition together; the order of the equations "
            "suggests 2. "
            "The solution may not be unique.",
        ),
        (
            dict(boundary={"*": ["u = 0", "u_x = 0"]}, initial=0),
            "The two faces of the axis `x` have 4 boundary conditions together; the order of the equations "
            "suggests 2. "
            "The solution may not exist.",
        ),
        (
            dict(boundary={"x-": "u = 1e-3", "x+": "u = 0"}),
            "`boundary` on `x-` and `initial` contradict each other at x=0, t=0, by 0.001 times their size; "
            "the solution is "
            "not smooth there. Check the data if this is not meant.",
        ),
        (
            dict(
                equation="u_t + 6*u*u_x + u_xxx = 0",
                domain=Box(x=(-8, 8)),
                boundary="periodic",
                initial="sech(x + 4.6)**2",
            ),
            "`boundary` (`x` periodic) and `initial` of `u` contradict each other at x=8, t=0, by 0.0044 "
            "times their "
            "size; the solution is not smooth there. Check the data if this is not meant.",
        ),
        (
            dict(initial="cos(pi*x)", check_corners=False, boundary={"x-": "u = 0", "x+": "u = -1"}),
            "`boundary` on `x-` and `initial` contradict each other at x=0, t=0, by 1 times their size; the solution is not smooth "
            "there. Check the data if this is not meant.",
        ),
    ],
    ids=["unused", "few", "many", "small gap", "periodic gap", "allowed gap"],
)
def test_warnings(changes, warning):
    assert heat(**changes).warnings == (warning,)


def test_one_condition_on_several_faces_is_one_warning():
    """Six sides of an L with u = 0 around 1 were six sentences."""
    (warning,) = heat(initial="1 + x", boundary="u = 0").warnings
    assert warning.startswith("`boundary` on `x-`, `x+` and `initial` contradict each other at x=1, t=0")
    assert len(heat(initial="1 + x", boundary={"x-": "u = 0", "x+": "u = 3"}).warnings) == 2


@pytest.mark.parametrize(
    "changes",
    [
        dict(parameters={"k": 1}, initial="k*sin(pi*x)"),
        dict(parameters={"k": 0}, boundary={"x-": "u = k", "x+": {"u": "k"}}),
        dict(boundary="u = sin(t)"),
        dict(boundary="u_n = 0", initial="cos(pi*x)"),
        dict(boundary="periodic", initial="exp(sin(2*pi*x))"),
        dict(boundary="periodic", initial=lambda x: np.exp(np.sin(2 * np.pi * x))),
        dict(boundary="periodic", initial="exp(sin(2*pi*x/1e6))", domain=Box(x=(0, 1e6))),
        dict(boundary="periodic", initial="exp(sin(2*pi*x/1e-6))", domain=Box(x=(0, 1e-6))),
        dict(boundary="periodic", initial=0),
        dict(boundary={"x-": "u_x = -1e3*(1 - u)", "x+": "u_x = 0"}, initial=1),
        dict(boundary={"x-": "u_x = 1e6*u**4", "x+": "u = 0"}, initial=0),
    ],
)
def test_statements_without_warnings(changes):
    assert heat(**changes).warnings == ()


def test_data_that_cannot_be_had_are_not_asked_for():
    """A saved problem whose functions are missing is restored without evaluating anything."""

    def missing(**where):
        raise RuntimeError("not here")

    problem = heat(
        "u_t = k*u_xx", parameters={"k": missing}, initial=missing, boundary={"*": missing}, verify=False
    )
    assert problem.unknowns == {"u": float}
    assert problem.warnings == ()
    with pytest.raises(ProblemError, match="not here"):
        problem.rows[0].affine(POINTS)


def test_the_repr_says_what_is_solved():
    text = repr(heat(name="heat"))
    assert text == "Problem(heat: u_t = u_xx on Box(x=(0, 1)), t in (0.0, 1.0), u = 0)"


def test_parameters_are_formulas_of_coordinates_and_of_those_above():
    text = heat("u_t = diff(k*u_x, x) + q", parameters={"a": 2, "k": "1 + a*x", "q": "exp(-t)*k"})
    written = heat("u_t = diff((1 + 2*x)*u_x, x) + exp(-t)*(1 + 2*x)")
    assert not text.warnings
    rng = np.random.default_rng(0)
    jets = sorted({*text.rows[0].jets, *written.rows[0].jets})
    points = rng.random((20, 2))
    values = {jet: rng.normal(size=20) for jet in jets}
    ours, theirs = (row.residual(points, values) for row in (text.rows[0], written.rows[0]))
    np.testing.assert_allclose(ours, theirs, rtol=1e-14)


def test_a_parameter_follows_those_that_its_text_uses():
    """u = e^{−(2π² + 1)at} sin πx with b = 2a: in another statement, in derivatives by a, and in what a file says."""
    problem = Problem(
        "u_t = b*u_xx - a*u",
        domain=Box(x=(0, 1)),
        time=(0, 1),
        initial="sin(pi*x)",
        boundary="u = 0",
        parameters={"b": "2*a", "a": 0.05},
        reference="exp(-(b*pi**2 + a)*t)*sin(pi*x)",
    )
    assert not problem.warnings
    rate, at = 2 * np.pi**2 + 1, {"x": 0.5, "t": 0.7}
    other = problem.replace(parameters={**problem.parameters, "a": 0.1})
    assert lrfm.solve(other, tol=1e-8)(**at) == pytest.approx(np.exp(-0.1 * rate * 0.7), rel=1e-8)
    assert other.reference(**at) == pytest.approx(np.exp(-0.1 * rate * 0.7), rel=1e-12)
    slope = lrfm.solve(problem, tol=1e-8).sensitivity("a")(**at)
    assert slope == pytest.approx(-rate * 0.7 * np.exp(-0.05 * rate * 0.7), rel=1e-6)
    assert 'b = "2*a"' in problem.to_toml()


@pytest.mark.parametrize("dimension", [1, 2, 3, 7, 8])
def test_points_of_a_face_are_those_of_the_grid_moved_onto_it(dimension):
    """Each once where the grid is a product; each time once, too, as of a statement without time."""
    names = [f"x{i}" for i in range(dimension)]
    box = Box(**{n: (-1.5, 2.0 + i) for i, n in enumerate(names)})
    stated = Problem(" + ".join(f"u_{n}{n}" for n in names) + " = 0", domain=box, boundary="u = 0")
    for times in ((0.0,), (0.5, 1.0), (1.0, 1.0)):
        moved = np.vstack([grid(box, t) for t in times])
        moved[:, -2] = box.upper[-1]
        points = face_grid(stated, f"{names[-1]}+", times)
        np.testing.assert_array_equal(np.unique(points, axis=0), np.unique(moved, axis=0))
        assert dimension > 7 or len(np.unique(points, axis=0)) == len(points)


def test_the_tail_of_a_pulse_that_comes_later_contradicts_nothing():
    """e^{-24} at the start is not "1 times its size": what is given at an end is as large as it will be."""
    pulse = {"x-": "u = exp(-50*(t - 0.7)**2)", "x+": "u = 0"}
    assert not heat(initial=0, boundary=pulse, time=(0, 3)).warnings
    cut = {"x-": "u = exp(-50*(t - 0.2)**2)", "x+": "u = 0"}
    assert "by 0.1" in heat(initial=0, boundary=cut, time=(0, 3)).warnings[0]
