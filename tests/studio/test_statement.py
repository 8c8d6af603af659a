# SPDX-License-Identifier: MIT
"""What stands in the fields: read as a file is read, spelled as TOML, Python and a link without loss."""

import ast
import math
from dataclasses import asdict

import numpy as np
import pytest

import lrfm
from lrfm import catalog
from lrfm.problem import ProblemError
from lrfm.problem.file import parse
from lrfm.problem.shapes.records import KINDS
from lrfm.problem.shapes.text import as_python, read_shape, shape_record
from lrfm.studio.checking import check
from lrfm.studio.statement import Fields, fields_of
from lrfm.studio.texts import StudioError

HEAT = Fields(
    equation="u_t = k*u_xx  # a remark",
    domain="x in [0, 2*pi]",
    time="0, 0.1",
    initial="sin(x)",
    boundary="x-: u = 0\nx+: u_n = 1",
    parameters="k = 0.5/pi\nq = 2",
)
SYSTEM = Fields(
    equation="u_tt = lap(u) - v\nv_t = lap(v)",
    domain="x in [0, 1]\ny in (0, 2)",
    time="[0, 1]",
    initial="u = sin(pi*x)\nu_t = 0\nv = 0",
    boundary="x: periodic\ny-: u = 0; v = 0\ny+: u = 0\ny+: v_n = 0",
)


def test_fields_become_the_problem_they_say():
    problem = HEAT.statement().problem
    assert problem.domain.axes == {"x": (0.0, 2 * math.pi)}
    assert problem.parameters["k"] == pytest.approx(0.5 / math.pi)
    assert set(problem.face_rows) == {"x-", "x+"}
    problem = SYSTEM.statement().problem
    assert problem.time_orders == {"u": 2, "v": 1}
    assert problem.periodic == {"x"}
    assert [len(problem.face_rows[face]) for face in ("y-", "y+")] == [2, 2]


@pytest.mark.parametrize("fields", [HEAT, SYSTEM], ids=["heat", "system"])
def test_every_spelling_is_the_same_statement(fields):
    here = fields.statement().problem
    again = parse(fields.toml(1e-5))
    assert again.solve == {"tol": 1e-5}
    space = {"lrfm": lrfm}
    # The script is read as syntax, and only its call of Problem is rebuilt: nothing typed is executed, not even here.
    call = next(
        n
        for n in ast.walk(ast.parse(fields.python()))
        if isinstance(n, ast.Call) and ast.unparse(n.func) == "lrfm.Problem"
    )
    arguments = {k.arg: k.value for k in call.keywords}
    box = {k.arg: ast.literal_eval(k.value) for k in arguments.pop("domain").keywords}
    plain = {name: ast.literal_eval(tree) for name, tree in arguments.items()}
    script = lrfm.Problem(ast.literal_eval(call.args[0]), domain=space["lrfm"].Box(**box), **plain)
    for other in (again.problem, script, Fields.from_link(fields.link()).statement().problem):
        assert other.equations == here.equations
        assert other.domain == here.domain
        assert other.time == here.time
        assert other.initial == here.initial
        assert {f: len(r) for f, r in other.face_rows.items()} == {
            f: len(r) for f, r in here.face_rows.items()
        }


def test_catalog_problems_go_there_and_back():
    seen = 0
    for name in catalog.names():
        problem = catalog.get(name)
        fields = fields_of(problem)
        if fields is None:
            continue
        again = fields.statement().problem
        assert (again.equations, again.time_orders, again.periodic) == (
            problem.equations,
            problem.time_orders,
            problem.periodic,
        ), name
        assert again.domain == problem.domain, name
        assert again.parameters == pytest.approx(dict(problem.parameters)), name
        seen += 1
    assert seen >= 15


def test_a_range_makes_a_slider():
    fields = Fields(**{**asdict(HEAT), "parameters": "k = 0.5/pi in [1e-3, 1]\nq = 2 in [1, 3]"})
    k, q = fields.sliders()
    assert (k.name, k.value, k.logarithmic) == ("k", pytest.approx(0.5 / math.pi), True)
    assert (q.lower, q.upper, q.logarithmic) == (1, 3, False)
    with pytest.raises(StudioError, match="outside") as info:
        Fields(**{**asdict(HEAT), "parameters": "k = 5 in [1, 3]"}).sliders()
    assert info.value.field == "parameters"


@pytest.mark.parametrize(
    ("field", "text", "expected"),
    [
        ("equation", "", "Write an equation"),
        ("domain", "x from 0 to 1", "write an axis as x in"),
        ("domain", "", "at least one axis"),
        ("domain", "x in [0, one]", "one"),
        ("time", "1", "Two numbers"),
        ("initial", "u = 1\nu_t", "Cannot read 'u_t'"),
        ("boundary", "x-: u = 0\nu = 1", "for which face"),
        ("boundary", "", "periodic"),
        ("parameters", "k 2", "eps = 1e-3"),
        ("parameters", "k = 1\nk = 2", "twice"),
    ],
)
def test_what_cannot_be_read_gets_a_sentence_at_its_field(field, text, expected):
    told = check(Fields(**{**asdict(HEAT), field: text}))
    assert not told["ok"]
    assert told["error"]["field"] == field
    assert expected in told["error"]["message"]


@pytest.mark.parametrize(
    ("changes", "field", "marked"),
    [
        ({"equation": "u_t = kk*u_xx"}, "equation", "kk"),
        ({"equation": "u_t = k*u_xx + v_t\nv_t = foo(v)"}, "equation", "foo"),
        ({"equation": "u_t = k*u^2"}, "equation", "^"),
        ({"initial": "sin(z)"}, "initial", "z"),
        ({"boundary": "x-: u = 0\nx+: w = 1"}, "boundary", "w"),
        ({"boundary": "x-: u = 0"}, "boundary", None),
        ({"time": "1, 0"}, "time", None),
    ],
)
def test_the_place_of_a_mistake_is_marked(changes, field, marked):
    fields = Fields(**{**asdict(HEAT), **changes})
    error = check(fields)["error"]
    assert error["field"] == field, error
    if marked:
        row = asdict(fields)[field].splitlines()[error["line"]]
        assert row[error["column"] : error["column"] + error["length"]] == marked


LAYERS = Fields(
    equation="c*u_t = k*u_xx",
    domain="Layers(brick=Box(x=(0, 0.3)), foam=Box(x=(0.3, 0.4)))",
    time="0, 1",
    initial="u.brick = 1\nu.foam = 0",
    boundary="x-: u = 1\nx+: u_n = -u\nbrick|foam: jump(u) = 0; k.brick*u_n.brick = k.foam*u_n.foam",
    parameters="k.brick = 1 in [0.5, 2]\nk.foam = 0.05\nc = 2",
)
TANK = Fields(
    equation="u_t = u_xx\nT_t = -at(u_x, x, 1) - 0.1*T",
    domain="x in [0, 1]",
    time="0, 1",
    initial="u = 0\nT = 0",
    boundary="x-: u = 1\nx+: u_n = T - u",
    unknowns="T: t",
)
ENDS = Fields(
    equation="1j*psi_t + psi_xx = 0",
    domain="x in [0, 2*pi]",
    time="0, 1",
    final="exp(1j*(x - 1))",
    boundary="periodic",
    unknowns="psi",
    reference="exp(1j*(x - t))",
)


@pytest.mark.parametrize("fields", [LAYERS, TANK, ENDS], ids=["layers", "tank", "ends"])
def test_what_stands_below_the_parameters(fields):
    """Layers, unknowns of time alone, data at the end, an exact solution: in the file, in the script and back in the fields."""
    here = fields.statement().problem
    again = fields_of(here).statement().problem
    space: dict = {}
    exec(fields.python().partition("solution =")[0], space)
    for other in (again, space["problem"], Fields.from_link(fields.link()).statement().problem):
        assert other.unknowns == here.unknowns
        assert (other.initial, other.final, other.domain) == (here.initial, here.final, here.domain)
        assert other.parameters == here.parameters
        assert (other.reference is None) == (here.reference is None)
        assert {f: len(r) for f, r in other.face_rows.items()} == {
            f: len(r) for f, r in here.face_rows.items()
        }


def test_sliders_of_a_layer_and_kinds_of_unknowns():
    (slider,) = LAYERS.sliders()
    assert (slider.name, slider.value) == ("k.brick", 1.0)
    assert Fields(unknowns="psi, phi = complex; T: t")._kinds() == {
        "psi": "complex",
        "phi": "complex",
        "T": "t",
    }
    told = check(Fields(**{**asdict(TANK), "unknowns": "T: q"}))
    assert told["error"]["field"] == "unknowns"
    told = check(Fields(**{**asdict(ENDS), "final": "exp(1j*y)"}))
    assert told["error"]["field"] == "final"


@pytest.mark.parametrize("link", ["", "#", "#abc", "#" + "A" * 50, "#W10", "#eyJlcXVhdGlvbiI6IDF9"])
def test_a_foreign_link_is_refused(link):
    with pytest.raises(StudioError):
        Fields.from_link(link)


def test_nothing_typed_is_executed(tmp_path):
    target = tmp_path / "made"
    for text in (f"__import__('pathlib').Path({str(target)!r}).touch()", "().__class__", "u_t = open('x')"):
        for field in asdict(HEAT):
            fields = Fields(**{**asdict(HEAT), field: text})
            assert not check(fields)["ok"] or field == "unknowns"
            with pytest.raises((StudioError, ProblemError)):
                fields.statement()
    assert not target.exists()


DISC = dict(equation="u_t = lap(u)", time="0, 0.1", initial="1 - x**2 - y**2", boundary="rim: u = 0")


@pytest.mark.parametrize(
    ("domain", "area"),
    [
        ('Disk(radius=1, name="rim")', np.pi),
        ("x in [-1, 1]\ny in [-1, 1]\nrim: x**2 + 4*y**2 < 1", np.pi / 2),
    ],
)
def test_other_shapes_than_boxes(domain, area):
    fields = Fields(domain=domain, **DISC)
    problem = fields.statement().problem
    assert problem.domain.measure() == pytest.approx(area)
    assert fields_of(problem).statement().problem.domain == problem.domain
    space: dict = {}
    exec(fields.python().partition("solution =")[0], space)
    assert space["problem"].domain == problem.domain


def test_a_long_shape_is_folded_and_read_again():
    domain = (
        lrfm.Box(x=(-2, 2), y=(-1, 1), name="a - b")
        - lrfm.Disk(radius=0.4)
        - lrfm.Disk(center=(1, 0), radius=0.2)
    )
    problem = lrfm.Problem("lap(u) = 1", domain=domain, boundary="u = 0")
    fields = fields_of(problem)
    assert [line.split("(")[0].strip() for line in fields.domain.splitlines()] == ["Box", "- Disk", "- Disk"]
    assert repr(fields.statement().problem.domain) == repr(problem.domain)


def test_a_line_that_is_neither_axis_nor_shape():
    with pytest.raises(StudioError, match="Disk"):
        Fields(domain="x in [0, 1]\ny between 0 and 1", **DISC).statement()


# What a saved script may hold ---------------------------------------------------------------------------------

CALLED = {"lrfm.Problem", "lrfm.solve", "print", "solution.plot"}
CHANGES = {"part", "shifted", "scaled", "rotated"}
CALLS = [
    "open(file='made', mode='w')",
    "exec(x='1')",
    "lrfm.load(path='x')",
    "os.system(command='x')",
    "Disk(radius=open(file='x'))",
    "Disk(radius=(1).__class__())",
    "Disk(radius=1, name=f'{open(1)}')",
    "Disk(radius=1, **open('x'))",
    "Disk(*open('x'), radius=1)",
    "open('x').part('a', 'b')",
    "Disk(radius=1).part(name=open('x'), where='x < 0')",
    "Disk(radius=1).save('x')",
    "Disk(radius=1).shifted(by=open('x'))",
    "Prism(open('x'), z=(0, 1))",
    "Layers(a=open(file='x'))",
    "Region('x > 0', x=(0, open('x')), y=(0, 1))",
    "Region(open('x'), x=(0, 1), y=(0, 1))",
    "Polygon([(0, 0), (1, 0), open('x')])",
    "Union(of=open('x'))",
    "(Disk := open)(radius=1)",
    "Disk(radius=1)[open('x')]",
    "[Disk(radius=1) for Disk in open('x')]",
    "(lambda: Disk(radius=1))()",
    "Ball(radius=1) if open('x') else Ball(radius=2)",
]


def called(script):
    """Names of everything that a script calls; methods of shapes by their names alone."""
    found = set()
    for node in ast.walk(ast.parse(script)):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            found.add(name if name.replace(".", "").isidentifier() else name.rpartition(".")[2])
    return found


@pytest.mark.parametrize(
    "joined", ["{}", "Disk(radius=1) - {}", "{} | Disk(radius=1)", "Disk(radius=1) & ({})"]
)
@pytest.mark.parametrize("call", CALLS)
def test_no_link_puts_a_call_into_a_saved_script(call, joined):
    """Save > Python once wrote what it refused as a statement, and `open(file='x', mode='w')` ran with the script."""
    linked = Fields.from_link(Fields(domain=joined.format(call), **DISC).link())
    with pytest.raises((StudioError, ProblemError)):
        linked.python()


@pytest.mark.parametrize(
    "field", ["equation", "time", "initial", "boundary", "parameters", "unknowns", "reference"]
)
@pytest.mark.parametrize(
    "text", ["'); open('x'); ('", '"""\nopen("x")\n"""', "u = 0, open('x')", "a = open(1)", "x: open('x')"]
)
def test_texts_of_a_saved_script_stay_texts(field, text):
    fields = Fields(**{**DISC, "domain": "Disk(radius=1, name='rim')", field: text})
    try:
        script = fields.python()
    except (StudioError, ProblemError):
        return
    assert called(script) <= {*CALLED, "lrfm.Disk"}


@pytest.mark.parametrize(
    "domain",
    [
        "DISK(radius=2*pi).shifted(1, 2)",
        "(Box(x=(0, 1), y=(0, 1)) | Disk(radius=2, name=\"r'); open('x\")).part('a', 'x < 1').rotated(pi/4)",
        "Prism(Disk(radius=1), z=(0, 1))",
        "Layers(a=Box(x=(0, 1), y=(0, 1)), b=Box(x=(1, 2), y=(0, 1)))",
    ],
)
def test_a_shape_is_written_as_the_shape_it_is(domain):
    script = as_python(shape_record(domain))
    assert called(script) <= {*(f"lrfm.{name}" for name in (*KINDS, "Prism", "Layers")), *CHANGES}
    assert eval(script, {"lrfm": lrfm}).record == read_shape(domain).record


def test_a_script_has_the_parameters_of_its_region():
    fields = Fields(
        **{**DISC, "domain": "x in [-1, 1]\ny in [-1, 1]\nrim: x**2 + y**2 < a", "parameters": "a = 1/2"}
    )
    space: dict = {}
    exec(fields.python().partition("solution =")[0], space)
    assert space["problem"].domain.measure() == pytest.approx(np.pi / 2)


def test_a_steady_statement_has_no_time():
    fields = Fields(
        equation="u_xx + lam*exp(u) = 0", domain="x in [0, 1]", boundary="u = 0", parameters="lam = 1"
    )
    assert check(fields)["ok"]
    problem = fields.statement().problem
    assert problem.steady
    assert "time" not in fields.python()
    assert fields_of(problem).statement().problem.steady
    told = check(Fields(equation="u_t = u_xx", domain="x in [0, 1]", boundary="u = 0"))
    assert told["error"]["field"] == "time"
