# SPDX-License-Identifier: MIT
"""The documentation site is built without a warning: links, anchors, signatures; and it can be read without a network."""

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from helpers import PATIENCE

pytest.importorskip("mkdocs")
markdown = pytest.importorskip("markdown").markdown
pytest.importorskip("latex2mathml")
ROOT = Path(__file__).parents[1]


FORMULAS = runpy.run_path(str(ROOT / "docs" / "site" / "formulas.py"))


def typeset(text):
    """What the hook makes of a page, with Markdown between its two halves."""
    html = markdown(FORMULAS["on_page_markdown"](text), extensions=["tables"])
    return FORMULAS["on_page_content"](html)


def tex_of(page):
    """The formulas of a page, those in lines and displayed ones."""
    text = FORMULAS["CODE"].sub("", page.read_text(encoding="utf-8"))
    shown = FORMULAS["DISPLAY"].findall(text)
    return shown + FORMULAS["INLINE"].findall(FORMULAS["DISPLAY"].sub("", text))


def test_markdown_finds_nothing_in_a_formula():
    page = typeset(
        "| a | b |\n|---|---|\n| $\\left|u*v*w\\right|$ | `$x$` |\n\n$a_1$ and $b_1$, $5 each\n\n$$\nu_t < *c*\n$$\n"
    )
    assert page.count("<td>") == 2
    assert page.count("<math") == 4
    assert "<em>" not in page
    assert "<code>$x$</code>" in page
    assert "</math>,</span> $5 each" in page
    assert re.search(r"^<div class='formula'><math[^>]*block.*</math></div>$", page, re.MULTILINE)


def test_functions_and_signs_have_their_margins():
    mathml = FORMULAS["mathml"]
    assert '<mo lspace="0.17em" rspace="0">sin</mo>' in mathml(r"a \sin(x)")
    assert '<mo lspace="0" rspace="0.17em">sin</mo>' in mathml(r"\sin x")
    assert [
        mathml(tex).count('form="prefix">&#x02212;') for tex in ("(-a)", "b - a", "(b) - a", "c = -a")
    ] == [
        1,
        0,
        0,
        1,
    ]


@pytest.mark.parametrize("page", sorted((ROOT / "docs").rglob("*.md")), ids=lambda page: page.stem)
def test_every_formula_is_read_by_the_site_and_by_others(page):
    """No command is left over; and no backslash before a sign, which other readers of Markdown drop, but at the end of a row."""
    for tex in tex_of(page):
        assert not re.search(r"\\(?![A-Za-z]|\\\n|\n)", tex), tex
        assert not re.search(r"[\\{}]|>&</", FORMULAS["mathml"](tex)), tex


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "LRFM_GALLERY": "nls"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return folder


@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere(site):
    for path in [*site.rglob("*.html"), *site.rglob("*.css")]:
        found = re.findall(
            r'<(?:script|img|iframe)[^>]*src="?(https?:[^" >]+)|<link[^>]*href="(https?:[^"]+)"|url\((https?:[^)]+)\)',
            path.read_text(encoding="utf-8"),
        )
        assert not found, path.name


@pytest.mark.slow
def test_formulas_are_typeset_and_problems_have_pages(site):
    assert "<math" in (site / "tutorial.html").read_text(encoding="utf-8")
    assert (site / "method.html").read_text(encoding="utf-8").count("<div class='formula'><math") > 25
    page = (site / "gallery" / "nls.html").read_text(encoding="utf-8")
    assert "<math" in page
    assert "tolerance met" in page
    assert (site / "gallery" / "nls.png").stat().st_size > 5000
    assert (site / "gallery" / "nls.gif").stat().st_size > 5000
    reference = (site / "api.html").read_text(encoding="utf-8")
    assert all(name in reference for name in ("solve", "Problem", "max_seconds", "Liquid"))


SEARCH = runpy.run_path(str(ROOT / "docs" / "site" / "search.py"))


def test_a_page_is_cut_at_its_headings():
    page = (
        '<h1 id="heat">Heat<a class="headerlink" href="#heat">¶</a></h1><p>u<sub>t</sub> = u</p>'
        '<h2 id="a">Data &amp; more</h2><p>x &lt; 1</p><h1 id="b">Limits</h1><script>no</script>'
    )
    parts = SEARCH["sections"](page, "heat.html", "?")
    assert [(p["url"], p["title"], p["text"]) for p in parts] == [
        ("heat.html", "Heat", "u t = u"),
        ("heat.html#a", "Data & more", "x < 1"),
        ("heat.html#b", "Limits", ""),
    ]
    assert {p["page"] for p in parts} == {"Heat"}


@pytest.mark.slow
def test_blocks_of_code_are_code(site):
    """A block whose fence the site does not understand becomes headings and paragraphs."""
    for path in site.rglob("*.html"):
        assert "```" not in path.read_text(encoding="utf-8"), path.name
    assert "Python functions and tables as data" in (site / "index.html").read_text(encoding="utf-8")
    assert 'id="python-functions' not in (site / "index.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_search_needs_no_server(site):
    """Pages are opened from the disk, in a real browser; nothing is asked of a network."""
    playwright = pytest.importorskip("playwright.sync_api")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium on this machine")
    asked, wrong = [], []
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=chromium, args=["--headless", "--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto((site / "howto" / "failed.html").as_uri())
        page.keyboard.press("/")
        page.keyboard.type("error estim")
        page.wait_for_selector("#lrfm-search a", timeout=30_000)
        titles = page.locator("#lrfm-search a b").all_inner_texts()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_url("**/index.html#*", timeout=30_000)
        browser.close()
    assert titles[0] == "What the error estimate means"
    assert not wrong
    assert all(url.startswith(("file:", "data:", "blob:")) for url in asked)
