# SPDX-License-Identifier: MIT
"""What people who come from other programs write, and the line that each of them is answered with.

Together with the tables of `test_wrong_*.py` these are the mistakes of which the sentence is fixed: well above a hundred.
"""

from __future__ import annotations

import pytest

from lrfm import Box, Problem, ProblemError

GOOD = dict(equation="u_t = u_xx", domain=Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0")
PLANE = dict(domain=Box(x=(0, 1), y=(0, 1)), boundary="u = 0", initial="0")

ANSWERS = [
    ({"equation": "du/dt = d2u/dx2"}, "`u_t = u_xx`"),
    ({"equation": "∂u/∂t = ∂²u/∂x²"}, "`u_t = u_xx`"),
    ({"equation": "du/dt = d^2u/dx^2 - u*du/dx"}, "`u_t = u_xx - u*u_x`"),
    ({"equation": "du/dt = d2u/dxdy", **PLANE}, "`u_t = u_xy`"),
    ({"equation": "dudt = u_xx"}, "the name `dudt` is not known"),
    ({"equation": "diff(u(x,t), t) = u_xx"}, "write only `u`"),
    ({"equation": "diff(u, t) = diff(u, x, 2)"}, "`diff(u, x, x)`, or `u_xx`"),
    ({"equation": "u_t = laplace(u)"}, "`lap(u)`"),
    ({"equation": "u_t = laplacian(u)"}, "`lap(u)`"),
    ({"equation": "u_t = div(grad(u))"}, "Write `lap(u)` for div(grad(u))"),
    (
        {"equation": "u_t = div(k*grad(u))", "parameters": {"k": 1}, **PLANE},
        "`diff(k*u_x, x) + diff(k*u_y, y)`",
    ),
    ({"equation": "dt(u) = u_xx"}, "such as `u_t` and `u_xx`"),
    ({"equation": "u_t = dxx(u) + u_x"}, "such as `u_t` and `u_xx`"),
    ({"equation": "u_t = u_xx + ln(u)"}, "Did you mean `log`?"),
    ({"equation": "u_t = np.sin(u) + u_xx"}, "use the plain name of a function"),
    ({"equation": "u_t = u^2 + u_xx"}, "write powers with `**`"),
    ({"equation": "u_t = 2u_xx"}, "write products with `*`"),
    ({"equation": "ut = uxx"}, "Write `u_t` for the derivative"),
    ({"equation": "u_t == u_xx"}, "an equation has one plain `=`"),
    ({"equation": "u_t"}, "has no `=`"),
    ({"equation": "u_t = u_xx if u > 0"}, "Python keyword|one plain `=`"),
    ({"equation": "u_xx = 0"}, "No time derivative"),
    ({"equation": "u_t = D*u_xx"}, "Constants and given functions go into `parameters`"),
    ({"boundary": "dirichlet"}, "write the condition itself: `u = 0`"),
    ({"boundary": "Neumann"}, "write the condition itself: `u_n = 0`"),
    ({"boundary": "robin"}, "`u_n + u = 0`"),
    ({"boundary": {"x": {"value": 0}}}, "write the condition itself: `u = 0`"),
    ({"boundary": {"x": {"derivative": 1}}}, "write the condition itself: `u_n = 1`"),
    ({"boundary": {"left": "u = 0", "right": "u = 0"}}, "write `x-`"),
    ({"boundary": {"x_min": "u = 0"}}, "write `x-`"),
    ({"boundary": {"top": "u = 0"}, "domain": PLANE["domain"], "initial": "0"}, "write `y+`"),
    ({"boundary": "periodc"}, "did you mean `periodic`"),
    ({"boundary": {"x-": "u = 0"}}, "The face `x+` has neither a condition nor None"),
    ({"ic": "0"}, 'Write `initial="sin'),
    ({"bc": "u = 0"}, 'Write `boundary="u = 0"`'),
    ({"params": {}}, 'Write `parameters={"eps": 1e-3}`'),
    ({"t_span": (0, 1)}, "Write `time=(0, 0.1)`"),
    ({"geometry": None}, "Write `domain=lrfm.Box(x=(0, 1))`"),
    ({"intial": "0"}, 'Write `initial="sin'),
    ({"initial": None}, "`initial` is missing"),
    ({"unknowns": {"u": "komplex"}}, "expected `float` or `complex`"),
    ({"time": 1}, "expected two numbers"),
    ({"domain": (0, 1)}, "expected a box such as `lrfm.Box(x=(-1, 1))`"),
]


@pytest.mark.parametrize(
    ("changes", "sentence"), ANSWERS, ids=[str(next(iter(a.values()))) for a, _ in ANSWERS]
)
def test_each_mistake_is_answered_with_the_line_to_write(changes, sentence):
    with pytest.raises(ProblemError) as caught:
        Problem(**{**GOOD, **changes})
    assert any(part in str(caught.value) for part in sentence.split("|"))


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
        ("u_t = ü*u_xx + 2*π", "ü"),
    ],
)
def test_the_error_carries_its_place(equation, marked):
    with pytest.raises(ProblemError) as caught:
        Problem(**{**GOOD, "equation": equation})
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
    assert problem.parameters["c"] == pytest.approx(0.1 / 3.141592653589793)
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
