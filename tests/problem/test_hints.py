# SPDX-License-Identifier: MIT
"""Where a mistake stands, what is missing, and words that files and Python share."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mistakes.good import GOOD

from lrfm import Box, Disk, Layers, Polygon, Prism, Problem, ProblemError, Region


def test_what_is_missing_is_named():
    with pytest.raises(ProblemError, match=r"`domain` is missing; write `domain=lrfm.Box"):
        Problem("u_t = u_xx")
    with pytest.raises(ProblemError, match="`equation` is missing"):
        Problem(domain=Box(x=(0, 1)), time=(0, 1))


@pytest.mark.parametrize(
    ("equation", "marked"),
    [
        ("u_t = u_xx + 3*q", "q"),
        ("u_t = u_xx + ln(u)", "ln(u)"),
        ("u_t = u_xx + sin(u, 2)", "sin(u, 2)"),
        ("u_t = u_xx +   (u ; 2)", ";"),
        ("u_t = D*u_xx", "D"),
        ("u_t = diff(u*ux, x)", "ux"),
        ("u_t = ü*u_xx + 2*π", "ü"),
    ],
)
def test_the_error_carries_its_place(equation, marked):
    with pytest.raises(ProblemError) as caught:
        Problem(**{**GOOD, "domain": GOOD["domain"](), "equation": equation})
    place = caught.value.place
    assert place.text[place.start : place.end] == marked
    assert caught.value.column == place.start + 1
    assert caught.value.in_file("heat.toml").place == place


def test_words_of_files_are_words_of_python():
    problem = Problem(
        "1j*psi_t + c*psi_x = 0",
        domain=Box(x=("0", "2*pi")),
        time=(0, "1/2"),
        initial="exp(1j*x)",
        boundary={"x-": "psi = exp(-1j*c*t)", "x+": "none"},
        unknowns={"psi": "complex"},
        parameters={"a": "0.05/pi", "c": "2*a"},
        reference="exp(1j*(x - c*t))",
    )
    assert problem.domain.axes["x"][1] == pytest.approx(6.283185307179586)
    assert problem.time == (0.0, 0.5)
    assert problem.parameters["a"] == pytest.approx(0.05 / 3.141592653589793)
    assert problem.reference(x=1.0, t=1.0) == pytest.approx(np.exp(1j * (1 - 0.1 / np.pi)))
    assert problem.face_rows["x+"] == ()
    assert problem.reference(x=0.0, t=0.0) == 1.0
    from lrfm.problem.file import parse

    again = parse(problem.to_toml()).problem
    assert again.to_toml() == problem.to_toml()
    assert (again.equations, again.unknowns, again.parameters) == (
        problem.equations,
        problem.unknowns,
        problem.parameters,
    )


@pytest.mark.parametrize("late", ["2*a", "2*a + x"])
def test_parameters_stand_in_any_order(late):
    given = {"D": late, "a": "b/4", "b": 1}
    problem = Problem(**{**GOOD, "domain": GOOD["domain"](), "equation": "u_t = D*u_xx", "parameters": given})
    assert list(problem.parameters) == ["D", "a", "b"]
    assert problem.parameters["a"] == "b/4"
    again = Problem(
        **{**GOOD, "domain": GOOD["domain"](), "equation": f"u_t = ({late})*u_xx", "parameters": {"a": 0.25}}
    )
    points = np.array([[0.25, 0.0], [0.5, 0.1]])
    jets = {jet: np.array([1.0, 2.0]) for jet in problem.rows[0].jets}
    np.testing.assert_allclose(problem.rows[0].residual(points, jets), again.rows[0].residual(points, jets))


DISK = Disk(center=(0, 0.1), radius=1, name="rim")
SHAPES = {
    "hole": DISK - Disk(radius=0.4, name="hole"),
    "moved": DISK.shifted(1, 0.5).scaled(2).rotated(0.3) - Box(x=(0, 0.2), y=(0, 0.2)),
    "part": DISK.part("inlet", "x < -0.9"),
    "text": Region("x**2 + a*y**2 < 1 and y > -0.3", x=(-1, 1), y=(-1, 1), parameters={"a": 4.0}),
    "moving": Region("x**2 + y**2 < 1 + 0.2*t", x=(-2, 2), y=(-2, 2)),
    "polygon": Polygon([(0, 0), (1, 0), (1, 2)], names=["floor", "wall", "roof"]),
    "many corners": Polygon([(math.cos(k / 20), math.sin(k / 20)) for k in range(125)]),
    "layers": Layers(core=Disk(radius=0.5), shell=Disk(radius=1) - Disk(radius=0.5)),
    "solid": Prism(DISK, z=(0, 1)),
    "named box": Box(x=(0, 1), y=(0, 1), name="plate"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
def test_shapes_are_written_to_files_and_read_again(name):
    from lrfm.problem.file import parse

    shape = SHAPES[name]
    border = {"plate.x-": "u = 1", "*": "u = 0"} if name == "named box" else "u = 0"
    problem = Problem("u_t = lap(u)", domain=shape, time=(0, 1), initial=0, boundary=border)
    text = problem.to_toml()
    again = parse(text).problem
    assert again.to_toml() == text
    assert repr(again.domain) == repr(problem.domain)
    assert list(again.domain.parts) == list(problem.domain.parts)


def test_a_table_from_a_file_is_written_as_its_file(tmp_path):
    from lrfm.problem.file import parse

    path = tmp_path / "start.csv"
    path.write_text("x,u,v\n" + "".join(f"{x / 8},{x},{x * (8 - x)}\n" for x in range(9)))
    given = {"file": path, "column": "v"}
    problem = Problem("u_t = u_xx", domain=Box(x=(0, 1)), time=(0, 1), initial=given, boundary="u = 0")
    text = problem.to_toml()
    assert 'column = "v"' in text
    assert parse(text).problem.initial(x=0.5) == problem.initial(x=0.5) == pytest.approx(16)
