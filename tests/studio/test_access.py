# SPDX-License-Identifier: MIT
"""Who may use the studio, and who is told its token: the page alone, whatever else listens on this machine."""

import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from starlette.testclient import TestClient

import lrfm.studio
from lrfm.cli import studio as command
from lrfm.studio import access as access_module
from lrfm.studio.access import HEADER, Access
from lrfm.studio.server import make_app

TALK = Path(lrfm.studio.__file__).parent / "page" / "talk.js"
API = (
    "/api/start",
    "/api/colors/viridis",
    "/api/jobs/1",
    "/api/jobs/1/view",
    "/api/jobs/1/file/png",
)


def visit(app):
    return TestClient(app, base_url="http://127.0.0.1")


def test_who_has_no_token_is_refused():
    with visit(make_app(Access("secret"))) as stranger:
        for given in (
            {},
            {HEADER: "guess"},
            {HEADER: ""},
            {HEADER: "sécret".encode()},
            {"cookie": "lrfm-studio=secret"},
        ):
            for path in (*API, "/api/start?token=secret"):
                assert stranger.get(path, headers=given).status_code == 403
            assert stranger.post("/api/solve", json={"fields": {}}, headers=given).status_code == 403
        assert stranger.get("/").status_code == 200  # the empty page, which holds nothing of anybody


def test_two_studios_in_one_browser_do_not_know_each_other():
    """Cookies of 127.0.0.1 go to all its ports: there is none, and each server takes its own token only."""
    one, other = make_app(Access("one")), make_app(Access("other"))
    with visit(one) as first, visit(other) as second:
        for client, token, foreign in ((first, "one", "other"), (second, "other", "one")):
            answers = [
                client.get(f"/?token={token}"),
                *(client.get(p, headers={HEADER: token}) for p in API[:3]),
            ]
            assert [a.status_code for a in answers] == [200, 200, 200, 404]
            assert not any("set-cookie" in a.headers for a in answers)
            assert client.get("/api/start", headers={HEADER: foreign}).status_code == 403


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_pages_of_other_servers_cannot_open_it(site):
    """What a browser says of a request that another page caused; another port of this machine is the same site."""
    with visit(make_app(Access("secret"))) as client:
        for path in ("/", "/api/start"):
            assert client.get(path, headers={HEADER: "secret", "sec-fetch-site": site}).status_code == 403
        for own in ("none", "same-origin"):
            assert (
                client.get("/api/start", headers={HEADER: "secret", "sec-fetch-site": own}).status_code == 200
            )


def test_the_browser_is_started_without_the_token(monkeypatch, capsys):
    """The arguments of a process are for all to read; they hold a code, which is worth something once."""
    uvicorn = pytest.importorskip("uvicorn")
    opened, served = [], []
    monkeypatch.setattr(command.webbrowser, "open", opened.append)
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: served.append(self.config.app))
    command.studio(None, 0, None, True)
    printed = capsys.readouterr().out
    token = printed.partition("?token=")[2].split()[0]
    assert token not in opened[0]
    code = opened[0].partition("?code=")[2]
    with visit(served[0]) as client:
        assert client.get("/api/start", headers={HEADER: code}).status_code == 403
        key = client.post("/api/enter", json={"code": code}).json()["token"]
        assert key not in (code, token)
        for word in (key, token):
            assert client.get("/api/start", headers={HEADER: word}).status_code == 200
        assert client.post("/api/enter", json={"code": code}).status_code == 403
        # Two came with one code: what the first was given is worth nothing any more, and the printed address still opens.
        assert client.get("/api/start", headers={HEADER: key}).status_code == 403
        assert client.get("/api/start", headers={HEADER: token}).status_code == 200
        assert client.post("/api/enter", json={"code": code}).status_code == 403
        for body in (b"", b"{", b"[]", b'{"code": null}', b'{"code": ["x"]}', b'{"code": "\\ud800"}'):
            assert client.post("/api/enter", content=body).status_code == 403


def test_a_code_grows_old(monkeypatch):
    access = Access()
    code, now = access.code(), time.monotonic()
    monkeypatch.setattr(access_module.time, "monotonic", lambda: now + access_module.VALID + 1)
    assert access.exchange(code) is None


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
@pytest.mark.parametrize(
    ("search", "stored", "sent"),
    [
        ("?token=word", None, "word"),
        ("?token=word", "old", "word"),
        ("?code=once", "old", "key of once"),
        ("", "old", "old"),
        ("", None, ""),
        ("?code=used", "old", "old"),
    ],
)
def test_the_page_sends_the_token_in_a_header_and_forgets_the_address(tmp_path, search, stored, sent):
    (tmp_path / "talk.mjs").write_text(TALK.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "run.mjs").write_text(
        f"""
        const asked = [], kept = new Map({json.dumps([["lrfm-studio", stored]] if stored else [])});
        Object.assign(globalThis, {{
          location: {{ search: {json.dumps(search)}, pathname: "/", hash: "#x" }},
          history: {{ replaceState: (a, b, address) => asked.push(["address", address]) }},
          localStorage: {{ getItem: (k) => kept.get(k) ?? null, setItem: (k, v) => kept.set(k, v) }},
          document: {{}},
          fetch: async (path, options) => {{
            asked.push([path, options.headers["X-Lrfm-Token"] ?? null]);
            const code = path === "api/enter" ? JSON.parse(options.body).code : "";
            return {{ ok: code !== "used", json: async () => ({{ token: `key of ${{code}}` }}) }};
          }},
        }});
        const {{ ask }} = await import("./talk.mjs");
        await ask("api/start");
        console.log(JSON.stringify([asked, kept.get("lrfm-studio") ?? null]));
        """,
        encoding="utf-8",
    )
    out = subprocess.run(
        ["node", "run.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=True
    )
    asked, kept = json.loads(out.stdout)
    assert asked[-1] == ["api/start", sent]
    assert (["address", "/#x"] in asked) == bool(search)
    assert kept == (sent or None)
