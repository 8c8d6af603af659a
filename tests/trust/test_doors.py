# SPDX-License-Identifier: MIT
"""Hostile links, requests, statements and tables, fifty of each: every one ends in an answer or a sentence, none in a traceback.

Mutations of good ones, drawn from a fixed stream; the words are those that once opened a door, and their kin.
"""

import ast
import copy
import json
import random
import warnings

import pytest

import lrfm
from lrfm.problem.file import parse
from lrfm.solver.options import solve_options

COUNT = 50
SECRET = "hunter2"
HUGE = "9" * 400
HEAT = {
    "equation": "u_t = k*u_xx", "domain": "x in [0, 1]", "time": "0, 0.1", "initial": "sin(pi*x)", "boundary": "u = 0",
    "parameters": "k = 1 in [0.1, 10]",
}  # fmt: skip
PLATE = {
    **HEAT, "equation": "u_t = lap(u)", "domain": "Disk(radius=2, name='rim')", "boundary": "*: u = 0",
    "parameters": "",
}  # fmt: skip
WORDS = [
    "open('x')", "__import__('os')", "().__class__", "lambda: 0", "f'{open(1)}'", " - open(file='x', mode='w')", "file = /etc/passwd",
    "\ufb01le = /etc/passwd", "k.file = /etc/passwd", "u()", "1e999", HUGE, "nan", "inf", "1j", "None", "\0", "\r", "\u2028", "'", '"', "\\",
    "(", ")", "[", "]", "{", "}", "#", "=", "|", "&", "-" * 900, "(" * 300, "periodic", "mean(u)", "Disk()", "Layers()", "Mesh()",
    ".part('a', 'x < 0')", "in [1, 0]", "a.b.c = 1", "A" * 3000, "\u00bd", "\u2212",
]  # fmt: skip


def mutated(rng, text):
    for _ in range(rng.randint(1, 3)):
        place = rng.randint(0, len(text))
        text = text[:place] + rng.choice(WORDS) + text[place + rng.choice((0, 1, 8)) :]
    return text


# Links --------------------------------------------------------------------------------------------------------


def called(script):
    """What a script calls, methods by their names alone."""
    calls = [node.func for node in ast.walk(ast.parse(script)) if isinstance(node, ast.Call)]
    return {
        ast.unparse(f) if isinstance(f, ast.Name) or isinstance(f.value, ast.Name) else f.attr for f in calls
    }


def test_links():
    from lrfm.problem.shapes.records import CHANGED, KINDS
    from lrfm.studio.checking import check
    from lrfm.studio.statement import Fields
    from lrfm.studio.texts import StudioError

    allowed = {"print", "solution.plot", "lrfm.solve", "lrfm.Problem", "lrfm.Layers", "lrfm.Prism", *CHANGED}
    allowed |= {f"lrfm.{name}" for name in KINDS}
    rng, refused = random.Random(0), 0
    for _ in range(COUNT):
        fields = dict(rng.choice((HEAT, HEAT, HEAT, PLATE)))
        for name in rng.sample([*fields, "unknowns", "final", "reference"], rng.choice((1, 2))):
            fields[name] = mutated(rng, fields.get(name, ""))
        linked = Fields.from_link(Fields(**fields).link())
        told = check(linked)
        json.dumps(told, ensure_ascii=False, allow_nan=False).encode()
        try:
            script = linked.python()
        except (StudioError, lrfm.ProblemError):
            refused += 1
            continue
        assert (
            told["ok"] or told["error"]["field"] == "parameters"
        )  # the range of a slider is no part of a script
        assert called(script) <= allowed, script
    assert refused > COUNT // 2


# Requests -----------------------------------------------------------------------------------------------------

VALUES = [
    None,
    True,
    0,
    -1,
    1e308,
    int(HUGE),
    "",
    "\ud800",
    "\0",
    "nan",
    "1e-3",
    [],
    [[]],
    {},
    {"a": {}},
    "A" * 30_000,
]
QUERY = [
    "",
    "x",
    "x,t",
    "x,x",
    "u",
    "u_" + "x" * 40,
    "odd u",
    "\0",
    "-1",
    "1e400",
    "nan",
    "9" * 5000,
    "../../etc/passwd",
    "5",
    "5,5",
]


def requests(rng, job):
    """(method, path, what is sent) without end."""
    while True:
        body = {"fields": {**HEAT, rng.choice([*HEAT, "other"]): rng.choice(VALUES)}}
        body |= {rng.choice(("tol", "seconds", "seed", "fields", "other")): rng.choice(VALUES)}
        path = rng.choice(("/api/check", "/api/text/toml", "/api/text/python", "/api/text/exe", "/api/enter"))
        content = json.dumps(rng.choice((body, body, body, [body], None))).encode()
        yield "POST", path, {"content": content[: rng.choice((None, None, None, 40))]}
        view = {
            k: rng.choice(QUERY)
            for k in rng.sample(("show", "axes", "counts", "at.x", "at.t", "minus", "at."), 4)
        }
        yield (
            "GET",
            f"/api/jobs/{rng.choice((job, job, '0'))}/{rng.choice(('view', 'probe', 'file/exe'))}",
            {"params": view},
        )
        yield (
            "GET",
            rng.choice(
                ("/api/colors/..", "/../server.py", "/%2e%2e/%2e%2e/etc/passwd", "/api/start?token=w")
            ),
            {},
        )


def test_requests():
    pytest.importorskip("httpx2")
    testclient = pytest.importorskip("starlette.testclient")
    from lrfm.studio import Access, make_app
    from lrfm.studio.access import HEADER

    app = make_app(Access("w"))
    given = {HEADER: "w", "content-type": "application/json"}
    with testclient.TestClient(app, base_url="http://127.0.0.1", headers=given) as client:
        told = client.post("/api/solve", json={"fields": HEAT, "tol": 1e-2}).json()
        while told["state"] in ("waiting", "running"):
            told = client.get(f"/api/jobs/{told['job']}").json()
        for _, (method, path, sent) in zip(
            range(COUNT), requests(random.Random(0), told["job"]), strict=False
        ):
            answer = client.request(method, path, **sent)  # an exception of the server is raised here
            assert answer.status_code < 500
            assert answer.status_code != 422 or answer.json()["message"]
    app.state.jobs.close()


# Statements ---------------------------------------------------------------------------------------------------

STATEMENTS = [
    {
        "equation": "u_t = k*u_xx + s", "time": [0, 0.1], "initial": "sin(pi*x)", "boundary": {"x-": "u = 0", "x+": ["u_n = 0"]},
        "domain": {"x": [0, 1]}, "parameters": {"k": 1e-2, "s": "x*t"}, "solve": {"tol": 1e-4, "nonlinear": {"kind": "newton"}},
    },
    {
        "equation": "u_t = k*u_xx", "time": [0, 1], "initial": "x", "boundary": {"*": "u = 0"}, "domain": {"x": [0, 1]},
        "unknown": {"k": {"start": 2.0, "lower": 0}, "f": {"field": ["x"], "start": 0}},
    },
    {
        "equation": "u_t = lap(u)", "time": [0, 1], "initial": "0", "boundary": {"*": "u = 0"},
        "domain": {"shape": "difference", "of": [{"shape": "Box", "x": [-2, 2], "y": [-1, 1]}, {"shape": "Disk", "radius": 0.4}]},
    },
]  # fmt: skip
GIVEN = [
    True, 0, -1, 1.5, float("inf"), float("nan"), int(HUGE), "", "u()", "\0", "(" * 300, "9**9**9", "open('x')", [], [0], [1, 0], [[0, 1]],
    {}, {"file": "/etc/passwd"}, {"file": 1}, {"file": "/dev/zero"}, {"shape": "Disk"}, {"shape": "Mesh"}, {"shape": "union", "of": []},
]  # fmt: skip


def spots(tree, path=()):
    """The places of a document: keys and numbers, one after the other."""
    for key, value in (
        tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    ):
        yield (*path, key)
        yield from spots(value, (*path, key))


def toml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value) if isinstance(value, str | bool) else repr(value)


def test_statements():
    rng, refused = random.Random(0), 0
    for _ in range(COUNT):
        document = copy.deepcopy(rng.choice(STATEMENTS))
        for _ in range(rng.choice((1, 2))):
            *path, key = rng.choice([*spots(document)])
            inside = document
            for step in path:
                inside = inside[step]
            inside[key] = copy.deepcopy(rng.choice(GIVEN))
        try:
            solve_options(parse("\n".join(f"{k} = {toml(v)}" for k, v in document.items()), "odd.toml"))
        except lrfm.ProblemError as error:
            refused += 1
            assert len(str(error)) < 1500  # noqa: PT017
    assert refused > COUNT // 2


# Tables -------------------------------------------------------------------------------------------------------

CELLS = [
    b"hunter2",
    b"",
    b"nan",
    b"inf",
    b"1e999",
    b"-",
    b"0x1",
    b"\0",
    b"\xff",
    b'"',
    b'"a\n',
    b"#",
    b"\n",
    b",",
    b";",
    b"9" * 200_000,
]


def test_tables(tmp_path):
    rng, path, refused = random.Random(0), tmp_path / "given.csv", 0
    good = b"x,u,v\n" + b"".join(b"%.2f,1,2\n" % (k / 10) for k in range(11))
    for _ in range(COUNT):
        content = good
        for _ in range(rng.choice((1, 2, 3))):
            place = rng.randint(0, len(content))
            content = content[:place] + rng.choice(CELLS) + content[place + rng.choice((0, 1, 30)) :]
        path.write_bytes(content)
        problem = {"domain": lrfm.Box(x=(0.1, 0.9)), "time": (0, 1), "boundary": "u = 1"}
        for read in (
            lambda: lrfm.Problem("u_t = u_xx", initial={"file": path, "column": "u"}, **problem),  # noqa: B023
            lambda: lrfm.Data(path),
        ):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    read()
            except ValueError as error:
                refused += 1
                said = str(error)
                assert type(error) in (ValueError, lrfm.ProblemError), said  # noqa: PT017
                assert SECRET not in said or "columns" in said  # the names of a table may be listed
    assert refused > COUNT
