# SPDX-License-Identifier: MIT
"""The addresses of the server: what they answer, to whom, and within which limits."""

import itertools
import json
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import PATIENCE

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from starlette.testclient import TestClient

import lrfm
from lrfm.studio import jobs as jobs_module
from lrfm.studio.access import HEADER, Access
from lrfm.studio.server import LARGEST, make_app

TOKEN = "secret"
FIELDS = {
    "equation": "u_t = k*u_xx",
    "domain": "x in [0, 1]",
    "time": "0, 0.1",
    "initial": "sin(pi*x)",
    "boundary": "u = 0",
    "parameters": "k = 1 in [0.1, 10]",
}


@pytest.fixture(scope="module")
def client():
    app = make_app(Access(TOKEN))
    with TestClient(app, base_url="http://127.0.0.1", headers={HEADER: TOKEN}) as client:
        yield client
    app.state.jobs.close()


def post(client, path, **data):
    return client.post(path, json=data)


def wait(client, told):
    begun = time.monotonic()
    while told["state"] in ("waiting", "running"):
        assert time.monotonic() - begun < PATIENCE
        told = client.get(f"/api/jobs/{told['job']}").json()
    return told


@pytest.fixture(scope="module")
def solved(client):
    return wait(client, post(client, "/api/solve", fields=FIELDS, tol=1e-6).json())


def unpack(content):
    length = int.from_bytes(content[:4], "little")
    heading = json.loads(content[4 : 4 + length])
    return heading, np.frombuffer(content[4 + length :], "<f4").reshape(heading["shape"])


def test_other_names_of_this_machine_are_refused(client):
    """A page elsewhere whose name points here (DNS rebinding) has another host in its requests."""
    assert client.get("/api/start", headers={"host": "evil.example"}).status_code == 400


def test_plain_forms_of_other_pages_are_refused(client):
    answer = client.post(
        "/api/solve", content=json.dumps({"fields": FIELDS}), headers={"content-type": "text/plain"}
    )
    assert answer.status_code == 415


def test_large_and_broken_requests_are_refused(client):
    assert (
        client.post(
            "/api/check", content=b"x" * (LARGEST + 1), headers={"content-type": "application/json"}
        ).status_code
        == 413
    )
    for body in (b"", b"{", b"[]", b"[" * 100_000, b'{"fields": 3}', b'{"fields": {"equation": 5}}'):
        answer = client.post("/api/check", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 422, body[:20]
        assert answer.json()["message"]


def test_the_page_is_there(client):
    assert "lrfm studio" in client.get("/").text
    for name in ("studio.js", "statement.js", "pictures.js", "talk.js", "draw.js", "studio.css", "icon.svg"):
        answer = client.get(f"/{name}")
        assert answer.status_code == 200
        assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert client.get("/../server.py").status_code in (403, 404)


def test_examples_can_be_solved_as_they_are(client):
    found = client.get("/api/examples").json()["examples"]
    assert {"allen-cahn", "heat-2d"} <= {example["name"] for example in found}
    groups = [example["group"] for example in found]
    assert "Others" not in groups  # every module of the catalog has a title
    assert sum(a != b for a, b in itertools.pairwise(groups)) + 1 == len(
        set(groups)
    )  # those of a group together
    assert all(example["title"] for example in found)
    for example in found:
        assert post(client, "/api/check", fields=example["fields"]).json()["ok"], example["name"]


def test_a_solve_says_its_error_and_the_values_are_right(client, solved):
    told = solved["solution"]
    assert solved["state"] == "done"
    assert told["solved"]
    assert told["estimate"] <= 1e-6
    heading, values = unpack(client.get(f"/api/jobs/{told['id']}/view?show=u&axes=x,t&counts=21,11").content)
    x, t = np.linspace(0, 1, 21)[:, None], np.linspace(0, 0.1, 11)
    exact = np.sin(np.pi * x) * np.exp(-(np.pi**2) * t)
    assert heading["axes"] == ["x", "t"]
    assert np.abs(values - exact).max() < 2e-6
    slope = unpack(client.get(f"/api/jobs/{told['id']}/view?show=u_xx&axes=x&counts=21&at.t=0.05").content)[1]
    assert np.abs(slope + np.pi**2 * np.sin(np.pi * x[:, 0]) * np.exp(-(np.pi**2) * 0.05)).max() < 1e-3


def test_a_probe_tells_everything_about_a_point(client, solved):
    told = client.get(f"/api/jobs/{solved['solution']['id']}/probe?show=u&at.x=0.25&at.t=0.02").json()
    exact = np.sin(np.pi / 4) * np.exp(-(np.pi**2) * 0.02)
    assert told["value"] == pytest.approx(exact, abs=1e-6)
    assert told["derivatives"]["u_x"] == pytest.approx(np.pi * exact, abs=1e-3)
    assert 0 < told["bar"] < 1e-6


def test_two_solves_are_subtracted(client, solved):
    other = wait(
        client, post(client, "/api/solve", fields={**FIELDS, "parameters": "k = 2"}, tol=1e-6).json()
    )
    query = f"show=u&axes=x&counts=11&at.t=0.1&minus={solved['solution']['id']}"
    values = unpack(client.get(f"/api/jobs/{other['solution']['id']}/view?{query}").content)[1]
    exact = np.sin(np.pi * np.linspace(0, 1, 11)) * (np.exp(-0.2 * np.pi**2) - np.exp(-0.1 * np.pi**2))
    assert np.abs(values - exact).max() < 1e-5


@pytest.mark.parametrize(
    "query",
    ["show=w&axes=x&counts=5", "show=u&axes=z&counts=5", "show=u&axes=x,t&counts=9999,9999", "show=u&axes=x&counts=a", "show=u&axes=x&counts=5&at.t=nan", "show=odd u&axes=x&counts=5"],
)  # fmt: skip
def test_odd_views_get_a_sentence(client, solved, query):
    answer = client.get(f"/api/jobs/{solved['solution']['id']}/view?{query}")
    assert answer.status_code == 422
    assert answer.json()["message"]


def test_files_and_texts_are_what_they_say(client, solved, tmp_path):
    number = solved["solution"]["id"]
    path = tmp_path / "run.lrfm"
    path.write_bytes(client.get(f"/api/jobs/{number}/file/lrfm").content)
    assert lrfm.load(path)(x=0.5, t=0.0) == pytest.approx(1.0, abs=1e-6)
    assert client.get(f"/api/jobs/{number}/file/png").content.startswith(b"\x89PNG")
    assert client.get(f"/api/jobs/{number}/file/gif").content.startswith(b"GIF8")
    assert client.get(f"/api/jobs/{number}").json()["written"] == 1.0  # the page shows how far a movie is
    assert "lrfm.solve(problem, tol=1e-05)" in post(client, "/api/text/python", fields=FIELDS, tol=1e-5).text
    assert 'equation = "u_t = k*u_xx"' in post(client, "/api/text/toml", fields=FIELDS).text
    for path in ("/api/text/exe", f"/api/jobs/{number}/file/exe"):
        answer = post(client, path, fields=FIELDS) if "text" in path else client.get(path)
        assert answer.status_code == 422
    assert client.get("/api/jobs/77/view?show=u&axes=x&counts=5").status_code == 404


def test_wrong_numbers_get_a_sentence(client):
    for wrong in ({"tol": "small"}, {"tol": -1}, {"seconds": 1e9}, {"seed": -1}, {"seed": "x"}):
        answer = post(client, "/api/solve", fields=FIELDS, **wrong)
        assert answer.status_code == 422, wrong
        assert answer.json()["field"] in wrong


def test_a_cancelled_solve_ends(client, monkeypatch):
    """The solver asks at every progress; what it leaves on the exception is kept."""
    kept = SimpleNamespace(pieces=())
    begun = threading.Event()

    def endless(problem, *, progress, **options):
        begun.set()
        for k in range(10_000):
            time.sleep(0.005)
            try:
                progress("marching", k, 10_000)
            except jobs_module.Cancelled as stop:
                stop.solution = kept
                raise

    monkeypatch.setattr(jobs_module, "solve", endless)
    monkeypatch.setattr(
        jobs_module, "describe", lambda number, solution: {"id": number, "kept": solution is kept}
    )
    told = post(client, "/api/solve", fields=FIELDS).json()
    assert begun.wait(PATIENCE)
    assert told["state"] == "running"
    told = wait(client, post(client, f"/api/jobs/{told['job']}/cancel").json())
    assert told["state"] == "done"
    assert told["solution"]["kept"]


def test_the_first_draw_is_drawn_before_its_error_is_known(client, monkeypatch):
    """A picture does not wait for the second draw; it is the same one when the estimate is there, and is not drawn again."""
    go_on = threading.Event()

    class Waits:
        def __init__(self, listener):
            self.listener = listener

        def __call__(self, *told):
            self.listener(*told)

        def drawn(self, solution):
            self.listener.drawn(solution)
            assert go_on.wait(PATIENCE)

    solve = jobs_module.solve
    monkeypatch.setattr(
        jobs_module, "solve", lambda *given, progress, **more: solve(*given, progress=Waits(progress), **more)
    )
    told = post(client, "/api/solve", fields={**FIELDS, "initial": "sin(2*pi*x)"}).json()
    while "solution" not in told:
        told = client.get(f"/api/jobs/{told['job']}").json()
    assert told["state"] == "running"
    assert told["solution"]["estimate"] is None
    view = f"/api/jobs/{told['job']}/view?show=u&axes=x&counts=21&at.t=0.01"
    _, early = unpack(client.get(view).content)
    go_on.set()
    ended = wait(client, told)
    assert ended["solution"]["estimate"] < 1e-6
    assert ended["drawn"] == told["drawn"]
    assert np.array_equal(unpack(client.get(view).content)[1], early)


def test_a_bug_is_a_sentence(client, monkeypatch):
    monkeypatch.setattr(jobs_module, "solve", lambda *_, **__: 1 / 0)
    told = wait(client, post(client, "/api/solve", fields=FIELDS).json())
    assert told["state"] == "failed"
    assert "division" in told["message"]


def test_modes_are_found_and_each_is_shown(client):
    fields = {"equation": "u_xx = -lam*u", "domain": "x in [0, pi]", "boundary": "u = 0"}
    assert "`lam` is not given" in " ".join(post(client, "/api/check", fields=fields).json()["summary"])
    told = wait(client, post(client, "/api/solve", fields=fields, tol=1e-6).json())["solution"]
    for k, (value, imaginary, error) in enumerate(told["modes"]):
        assert abs(value - (k + 1) ** 2) <= error + 1e-12
        assert imaginary == 0
        _, shape = unpack(client.get(f"/api/jobs/{told['id']}/view?show=u&axes=x&counts=41&mode={k}").content)
        exact = np.sqrt(2 / np.pi) * np.sin((k + 1) * np.linspace(0, np.pi, 41))
        assert min(np.max(np.abs(shape - exact)), np.max(np.abs(shape + exact))) < 1e-4


def test_a_steady_statement_is_solved_and_shown(client):
    fields = {
        "equation": "u_xx + q*sin(pi*x) = 0",
        "domain": "x in [0, 1]",
        "boundary": "u = 0",
        "parameters": "q = 1 in [1, 3]",
    }
    for q in (1, 2):
        given = {**fields, "parameters": f"q = {q} in [1, 3]"}
        told = wait(client, post(client, "/api/solve", fields=given, tol=1e-6).json())
        assert told["state"] == "done"
        answer = client.get(f"/api/jobs/{told['solution']['id']}/view?show=u&axes=x,t&counts=5,3")
        heading, values = unpack(answer.content)
        assert heading["axes"] == ["x", "t"]
        exact = q * np.sin(np.pi * np.linspace(0, 1, 5)) / np.pi**2
        assert np.allclose(values, exact[:, None], atol=1e-6)
        at = client.get(f"/api/jobs/{told['solution']['id']}/probe?show=u&at.x=0.5").json()
        assert set(at["derivatives"]) == {"u_x"}
        assert abs(at["value"] - q / np.pi**2) < 1e-6


def test_every_example_has_its_picture(client):
    for example in client.get("/api/examples").json()["examples"]:
        answer = client.get(f"/examples/{example['name']}.png")
        assert answer.content.startswith(b"\x89PNG"), f"python tools/thumbnails.py {example['name']}"
    assert client.get("/examples/nothing.png").status_code == 404
    assert client.get("/examples/..%2Findex.png").status_code == 404
