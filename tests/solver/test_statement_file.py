# SPDX-License-Identifier: MIT
"""TOML files: they say what `Problem` says, and whatever is wrong in them is refused with a sentence."""

import inspect

import numpy as np
import pytest
from helpers import by_hand

import lrfm
from lrfm.problem.file import parse, read
from lrfm.solver.options import CHECKS, OF_METHOD, solve_options
from lrfm.spacetime.reading import KINDS

HEAT = """
equation = "u_t = D*u_xx"
time = [0, 0.1]
initial = "sin(pi*x)"
boundary = "u = 0"

[domain]
x = [0, 1]

[parameters]
D = 1

[solve]
tol = 1e-4
seed = 3
estimate = false

[solve.method]
kind = "space-time"
features = 80
"""


def changed(old: str, new: str) -> str:
    assert old in HEAT
    return HEAT.replace(old, new)


def test_a_file_says_the_same_as_python():
    said = parse(HEAT)
    written = lrfm.Problem(
        "u_t = D*u_xx",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 0.1),
        initial="sin(pi*x)",
        boundary="u = 0",
        parameters={"D": 1},
    )
    method = lrfm.SpaceTime(features=80)
    assert solve_options(said) == {"tol": 1e-4, "seed": 3, "estimate": False, "method": method}
    given = by_hand(space=lrfm.Liquid(features=40), strict=False)
    first, second = (lrfm.solve(problem, **given) for problem in (said.problem, written))
    assert first(x=0.3, t=0.05) == second(x=0.3, t=0.05)


@pytest.mark.parametrize("silent", ['"none"', '"None"', "false"])
def test_a_face_without_a_condition_is_said(silent):
    text = changed("D*u_xx", "-D*u_x").replace(
        'boundary = "u = 0"', f'boundary = {{"x-" = "u = 0", "x+" = {silent}}}'
    )
    problem = parse(text).problem
    assert len(problem.face_rows["x-"]) == 1
    assert len(problem.face_rows["x+"]) == 0


def test_conditions_may_be_lists_numbers_and_tables():
    text = """
    equation = ["u_t = u_xx", "v_t = v_xx"]
    time = [0, 1]
    initial = {u = "0", v = "cos(pi*x)"}
    domain = {x = [0, 1]}
    [boundary]
    "*" = ["u = 0", "v_n = 0"]
    """
    assert {face: len(rows) for face, rows in parse(text).problem.face_rows.items()} == {
        "x-": 2,
        "x+": 2,
    }
    one = parse(changed('"u = 0"', '{x- = 0, "x+" = {u = "sin(t)"}}')).problem
    assert {face: len(rows) for face, rows in one.face_rows.items()} == {"x-": 1, "x+": 1}


def test_parameters_may_be_formulas_of_those_above():
    text = changed("D = 1", 'nu = "0.01/pi"\nD = "2*nu"\nc = "1 + 2j"')
    problem = parse(text).problem
    assert problem.parameters["nu"] == pytest.approx(0.01 / np.pi, rel=1e-15)
    assert problem.parameters["c"] == 1 + 2j
    given = problem.rows[0].residual(np.zeros((1, 2)), {jet: np.ones(1) for jet in problem.rows[0].jets})
    written = parse(changed("D = 1", "D = 0.006366197723675814")).problem.rows[0]
    assert given == pytest.approx(
        written.residual(np.zeros((1, 2)), {jet: np.ones(1) for jet in written.jets})
    )


def test_complex_unknowns_are_declared():
    text = """
    equation = "1j*psi_t + psi_xx = 0"
    time = [0, 1]
    initial = "exp(1j*pi*x)"
    boundary = "periodic"
    domain = {x = [-1, 1]}
    unknowns = {psi = "complex"}
    """
    assert parse(text).problem.unknowns == {"psi": complex}


def test_a_reference_is_a_function_of_the_coordinates():
    text = changed('boundary = "u = 0"', 'boundary = "u = 0"\nreference = "exp(-D*pi**2*t)*sin(pi*x)"')
    exact = parse(text).problem.reference
    x, t = np.linspace(0, 1, 5)[None, :], np.array([[0.0], [0.1]])
    np.testing.assert_allclose(exact(x=x, t=t), np.exp(-(np.pi**2) * t) * np.sin(np.pi * x), rtol=1e-14)
    assert np.shape(exact(x=0.5, t=0.1)) == ()


@pytest.mark.parametrize(
    ("table", "part"),
    [
        (
            'space = {kind = "liquid", features = 90, tau = [0.1, 10]}',
            lrfm.Liquid(features=90, tau=(0.1, 10)),
        ),
        ('space = {kind = "Liquid", per_patch = 40, patches = [3]}', lrfm.Liquid(per_patch=40, patches=(3,))),
        ('space = {kind = "sov", features = 90}', lrfm.SoV(features=90)),
        ('space = {kind = "STC", features = 90, weights = [1, 2]}', lrfm.STC(features=90, weights=(1, 2))),
        ('space = {kind = "pielm", features = 90}', lrfm.PIELM(features=90)),
        ('space = {kind = "frozen", features = 90}', lrfm.Frozen(lrfm.Liquid(features=90))),
        (
            'collocation = {interior = 500, sampling = "sobol"}',
            lrfm.Collocation(interior=500, sampling="sobol"),
        ),
        ('least_squares = {kind = "truncated-svd", cutoff = 1e-10}', lrfm.TruncatedSVD(cutoff=1e-10)),
        ('least_squares = {kind = "lsqr", steps = 40}', lrfm.LSQR(steps=40)),
        ('least_squares = {kind = "TruncatedSVD"}', lrfm.TruncatedSVD()),
        ('least_squares = {kind = "qr", condition = true}', lrfm.QR(condition=True)),
        ('nonlinear = {kind = "picard", max_steps = 7}', lrfm.Picard(max_steps=7)),
        ('nonlinear = {kind = "newton"}', lrfm.Newton()),
    ],
)
def test_parts_are_tables_with_a_kind(table, part):
    name = table.split()[0]
    assert getattr(solve_options(parse(changed("features = 80", table)))["method"], name) == part


def test_options_are_arguments_of_solve():
    assert set(CHECKS) <= set(inspect.signature(lrfm.solve).parameters)
    assert {*OF_METHOD, *KINDS} == set(inspect.signature(lrfm.SpaceTime).parameters)


def test_a_method_is_a_text_or_a_table():
    lines = changed('kind = "space-time"\nfeatures = 80', 'kind = "lines"\nspace = "cells"')
    assert solve_options(parse(lines))["method"] == lrfm.Lines(space="cells")
    text = changed('[solve.method]\nkind = "space-time"\nfeatures = 80\n', "").replace(
        "seed = 3", 'method = "lines"'
    )
    assert solve_options(parse(text))["method"] == "lines"


def test_arguments_of_the_method_are_read_from_solve_for_one_more_version():
    old = changed(
        '\n[solve.method]\nkind = "space-time"\n', 'space = {kind = "liquid", features = 9}\nblocks = 2\n'
    )
    old = old.replace("features = 80\n", "")
    with pytest.warns(
        FutureWarning, match=r"heat.toml: `blocks` in \[solve\] .* write it into \[solve.method\]"
    ):
        found = solve_options(parse(old, "heat.toml"))
    assert found["method"] == lrfm.SpaceTime(space=lrfm.Liquid(features=9), blocks=2)


WRONG = [
    # what was changed, to what, what the sentence says
    ("equation", "equaton", "`equation`?"),
    ("[domain]", "[domian]", "`domain`?"),
    ("[solve]", "[slove]", "`solve`?"),
    ("features =", "feature =", "`features`?"),
    ("tol =", "tolerance =", "`tol`?"),
    ("tol = 1e-4", 'tol = "small"', "between 0 and 1"),
    ("tol = 1e-4", "tol = -1", "between 0 and 1"),
    ("seed = 3", "seed = 1.5", "whole number"),
    ("estimate = false", "estimate = 1", "true or false"),
    ("features = 80", "blocks = [0.08, 0.02]", "increasing"),
    ("features = 80", "features = 0", "4 or larger"),
    ("features = 80", 'features = 80\nspace = {kind = "liquid", features = 9}', "leave one out"),
    ("features = 80", "space = {features = 9}", "no `kind`"),
    ("features = 80", 'space = {kind = "liqid", features = 9}', "`liquid`?"),
    ("features = 80", 'space = {kind = "liquid", feature = 9}', "`features`?"),
    ("features = 80", 'space = {kind = "liquid", features = 9, tau = 3}', "expected a list"),
    ("features = 80", 'space = {kind = "liquid", features = 9, tau = [3, 2]}', "increasing"),
    ("features = 80", 'space = {kind = "liquid", features = 9, profile = "tan"}', "`tanh`?"),
    ("features = 80", 'collocation = {sampling = "latin"}', "`latin-hypercube`"),
    ("features = 80", 'collocation = {time = "uniforn"}', "`uniform`?"),
    ("features = 80", 'nonlinear = {kind = "newton", tol = [1]}', "expected a number"),
    ("features = 80", 'nonlinear = {kind = "newtn"}', "`newton`?"),
    ("features = 80", "nonlinear = 3", "expected a table"),
    ('kind = "space-time"', "blocks = 2", "no `kind`"),
    ('kind = "space-time"', 'kind = "space_tim"', "`space-time`?"),
    ('kind = "space-time"', 'kind = "lines"', "no `features`; it takes `space`"),
    ('kind = "space-time"\nfeatures = 80', 'kind = "lines"\nspace = "cell"', "`cells`?"),
    ("x = [0, 1]", "x = [1, 0]", "must come first"),
    ("x = [0, 1]", "x = 1", "[lower, upper]"),
    ("x = [0, 1]", '"a b" = [0, 1]', "plain name"),
    ("x = [0, 1]", "", "no axes"),
    ("time = [0, 0.1]", "", "`time` is missing"),
    ("D*u_xx", "D*u_xx + eps", "[parameters]"),
    ("D*u_xx", "D*u_xx + u^2", "`**`"),
    ('"u = 0"', '{"x-" = "u = 0"}', '`"x+" = "none"`'),
    ('"u = 0"', '{"x-" = "u = 0", "y+" = "u = 0"}', "`x+`"),
    ('"u = 0"', '{"x-" = "u = 0", "x+" = true}', "text or a number"),
    ('"u = 0"', '"perodic"', "`periodic`?"),
    ('"u = 0"', '{x+ = "u = 0"}', "faces in quotes"),
    ('"u = 0"', "u = 0", "formulas in quotes"),
    (
        'initial = "sin(pi*x)"',
        'initial = "cos(pi*x)"\ncheck_corners = true',
        "leave out `check_corners = true`",
    ),
    ('"sin(pi*x)"', '"1j*sin(pi*x)"', '`u = "complex"` in [unknowns]'),
    ('"sin(pi*x)"', "1979-05-27", "text or a number"),
    ('"sin(pi*x)"', '"sinn(pi*x)"', "`sin`?"),
    ("u_t =", "u_tt =", "table [initial] with the keys `u`, `u_t`"),
    ("D = 1", "D = [1]", "expected text or a number"),
    ("D = 1", 'D = "y"', "`y` is not known"),
    ("D = 1", "D = 1\n[unknowns]\nu = 'complx'", "`complex`?"),
    ('boundary = "u = 0"', 'boundary = "u = 0"\nreference = {v = "0"}', "expected `u`"),
    ('boundary = "u = 0"', 'boundary = "u = 0"\nreference = "w"', "`w` is not known"),
    ('boundary = "u = 0"', 'boundary = "u = 0"\ncheck_corners = 3', "true or false"),
    ('boundary = "u = 0"', 'boundary = "u = 0"\nname = 3', "expected text"),
]


@pytest.mark.parametrize(("old", "new", "said"), WRONG)
def test_what_is_wrong_is_refused_with_a_sentence(old, new, said):
    with pytest.raises(lrfm.ProblemError) as caught:
        solve_options(parse(changed(old, new), "heat.toml"))
    message = str(caught.value)
    assert message.startswith("heat.toml: ")
    assert said in message
    for python in ("None", "False", "True;", "Box(", "NumPy", "': "):
        assert python not in message.replace("datum True", ""), "a reader of TOML is not told Python"


def test_a_key_below_a_section_is_explained():
    text = changed("time = [0, 0.1]\n", "").replace("x = [0, 1]", "x = [0, 1]\ntime = [0, 0.1]")
    with pytest.raises(lrfm.ProblemError, match=r"`time` stands below \[domain\]"):
        parse(text)


@pytest.mark.parametrize(
    "text", ["__import__('os').system('true')", "().__class__", "open('x')", "(lambda: 1)()", "[].append(1)"]
)
@pytest.mark.parametrize("place", ['"sin(pi*x)"', '"u = 0"', "D = 1"])
def test_text_is_never_executed(text, place):
    new = {"D = 1": f'D = "{text}"', '"u = 0"': f'"u = {text}"'}.get(place, f'"{text}"')
    with pytest.raises(lrfm.ProblemError):
        parse(changed(place, new))


def test_files_that_are_no_statements(tmp_path):
    path = tmp_path / "a.toml"
    for content, said in (
        (b"PK\x03\x04....", "lrfm eval"),
        (b"\xff\xfe", "UTF-8"),
        (b"# " + b"a" * (1 << 20), "bytes"),
        (b"x = " + b"[" * 5000, "TOML"),
    ):
        path.write_bytes(content)
        with pytest.raises(lrfm.ProblemError, match=said):
            read(path)
    path.write_bytes(b"\xef\xbb\xbf" + HEAT.encode())  # as some editors save it
    assert read(path).problem.linear
