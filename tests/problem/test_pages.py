# SPDX-License-Identifier: MIT
"""What a notebook is given: statements as MathML, domains as pictures, errors without frames of the package."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from helpers import environment

import lrfm
from lrfm import catalog
from lrfm.problem.shapes.drawing import outline, svg

HOLE = lrfm.Disk(center=(0.3, 0), radius=0.4, name="hole")
PLATE = lrfm.Box(x=(-2, 2), y=(-1, 1), name="plate") - HOLE


def area(loops):
    """Σ of ½ ∮ x dy − y dx, a hole against the rest."""
    sizes = sorted(
        0.5 * abs(np.sum(p[:, 0] * np.roll(p[:, 1], -1) - p[:, 1] * np.roll(p[:, 0], -1))) for p in loops
    )
    return sizes[-1] - sum(sizes[:-1])


@pytest.mark.parametrize("name", catalog.names())
def test_statements_of_the_catalog_are_well_formed(name):
    problem = catalog.get(name)
    page = ET.fromstring(problem._repr_html_().replace("<details open>", "<details>"))
    assert len(page.findall("./div/math")) == len(problem.equations)
    assert page.find("./details/summary/math") is not None


def test_a_statement_escapes_and_folds():
    problem = lrfm.Problem(
        ["u_t = D*lap(u) - u*v", "v_t = u*v"], domain=PLATE, time=(0, 1), initial={"u": lambda x, y: x, "v": 0.5},
        boundary={"hole": {"u": "x"}, "plate": "u_n = 0"}, parameters={"D": "1/3"}, name="<plate>",
    )  # fmt: skip
    page = problem._repr_html_()
    assert "&lt;plate&gt;" in page
    assert "<plate>" not in page
    words = re.sub(
        r"\s+", " ", "".join(ET.fromstring(page.replace("<details open>", "<details>")).itertext())
    )
    assert "u = a function at t=0" in words
    assert "u=x on hole" in words
    assert "<details open>" in page
    folded = lrfm.problem.typeset.statement_html(problem, folded=True)
    assert "<details>" in folded


@pytest.mark.parametrize(
    "domain",
    [PLATE, HOLE, lrfm.Annulus(radii=(0.5, 1)), lrfm.Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]), lrfm.Box(x=(0, 3), y=(1, 2))],
)  # fmt: skip
def test_outlines_close_and_hold_the_area(domain):
    assert area(outline(domain)) == pytest.approx(domain.measure(), rel=2e-3)
    picture = ET.fromstring(domain._repr_svg_())
    said = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert set(domain.parts) <= set(said)


def test_lines_layers_solids_and_moving_domains():
    said = ET.fromstring(lrfm.Box(x=(-1, 0.5))._repr_svg_()).itertext()
    assert {"x-", "x+", "-1", "0.5"} <= set(said)
    cable = lrfm.Layers(wire=HOLE, coat=PLATE)
    assert cable._repr_svg_().count("<path") == 1 + 3  # inside; the wire, the plate and its hole
    assert lrfm.Box(x=(0, 1), y=(0, 1), z=(0, 1))._repr_svg_() is None
    moving = lrfm.Region("x**2 + y**2 < (1 + t)**2", x=(-3, 3), y=(-3, 3))
    assert moving._repr_svg_() is None
    assert "t = 0.5" in svg(moving.during((0, 1)), 0.5)


def test_errors_in_a_notebook_show_the_line_of_the_user_alone():
    with pytest.raises(lrfm.ProblemError) as caught:
        lrfm.Problem("u_t = w_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 1), initial="x", boundary="u = 0")
    lines = caught.value._render_traceback_()
    files = [line for line in lines if line.lstrip().startswith("File ")]
    assert len(files) == 1
    assert "test_pages.py" in files[0]
    assert lines[-1].startswith("ProblemError: ")


def test_an_error_of_a_function_of_the_user_keeps_its_cause():
    error = lrfm.ProblemError("The function failed.")
    error.__cause__ = ZeroDivisionError("mine")
    assert "ZeroDivisionError: mine" in "".join(error._render_traceback_())


def test_a_domain_is_drawn_without_matplotlib():
    code = "import sys, lrfm; lrfm.Disk(radius=1)._repr_svg_(); sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env=environment(), check=False).returncode == 0
