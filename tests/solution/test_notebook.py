# SPDX-License-Identifier: MIT
"""What a notebook shows: pictures once, in each of the three ways to ask for them; statements typeset; movies inline."""

from __future__ import annotations

import pytest

import lrfm

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = {
    "start": "import lrfm\nsolution = lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-4)",
    "expression": "solution.plot(resolution=17)",
    "semicolon": "solution.plot('u_x**2', resolution=17);",
    "show": "import matplotlib.pyplot as plt\nsolution.plot(resolution=17)\nplt.show()",
    "statement": "solution.plot(resolution=17)\nfigure = solution.plot(resolution=17)",
    "later": "figure",
    "file": "solution.plot('field.png', resolution=17);",
    "axes": "figure, ax = plt.subplots()\nsolution.plot('u', ax=ax, resolution=17);",
    "movie": "solution.animate(frames=2, resolution=17)",
    "problem": "solution.problem",
    "report": "solution.report",
    "solution": "solution",
    "plan": "lrfm.plan(solution.problem)",
    "bar": "import time, lrfm.solver.progress as bars\nbars.DELAY = 0.0\nlrfm.solve(lrfm.catalog.heat_1d(), tol=1e-4);",
    "silent": "lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-4, progress=False);",
}


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS.values()]
    book = nbformat.v4.new_notebook(cells=cells)
    folder = str(tmp_path_factory.mktemp("notebook"))
    nbclient.NotebookClient(book, timeout=900, resources={"metadata": {"path": folder}}).execute()
    return dict(zip(CELLS, (cell.outputs for cell in book.cells), strict=True))


def kinds(shown, mime):
    return sum(mime in output.get("data", {}) for output in shown)


def test_cells_show_as_many_pictures_as_they_draw(outputs):
    for name in ("expression", "semicolon", "show", "later", "axes"):
        assert kinds(outputs[name], "image/png") == 1, name
    assert kinds(outputs["statement"], "image/png") == 2
    assert kinds(outputs["file"], "image/png") == 0  # what is written is not shown


def test_a_movie_is_shown_inline(outputs):
    (shown,) = outputs["movie"]
    assert "base64" in shown["data"]["text/html"]


def test_statements_and_reports_are_typeset(outputs):
    for name in ("problem", "report", "solution", "plan"):
        assert kinds(outputs[name], "text/html") == 1, name
        assert kinds(outputs[name], "text/latex") == 1, name
    assert "u_{t} = " in outputs["problem"][0]["data"]["text/latex"]
    assert "tolerance met" in outputs["report"][0]["data"]["text/html"]
    assert r"\text{tolerance met" in outputs["report"][0]["data"]["text/latex"]


def test_nothing_is_written_to_the_streams(outputs):
    assert not [o for shown in outputs.values() for o in shown if o["output_type"] in ("stream", "error")]


def test_a_bar_is_shown_and_taken_away(outputs):
    (bar,) = outputs["bar"]
    assert bar["data"]["text/html"] == ""
    assert outputs["silent"] == []


def test_statements_show_what_they_have_and_no_more():
    plate = lrfm.Box(x=(-2, 2), y=(-1, 1)) - lrfm.Disk(radius=0.4, name="hole")
    heat = lrfm.Problem(
        "u_t = lap(u)", domain=plate, time=(0, 1), initial="0", boundary={"*": "u_n = 0", "hole": "u = 1"}
    )
    assert "radius=0.4" in heat._repr_html_()
    ordinary = lrfm.Problem("x_tt = -x", time=(0, 1), initial={"x": 1, "x_t": 0})._repr_html_()
    assert "no condition" not in ordinary
    assert "·" not in ordinary
    found = lrfm.modes(lrfm.Problem("u_xx = -lam*u", domain=lrfm.Box(x=(0, 1)), boundary="u = 0"), k=2)
    html = found._repr_html_()
    assert "9.869604" in html
    assert "λ" in html
    assert "<mi>t</mi>" not in html
