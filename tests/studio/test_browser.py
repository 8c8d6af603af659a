# SPDX-License-Identifier: MIT
"""The page in a real browser, as a person uses it: a typo, its repair, a solve, sliders, a comparison, downloads.

Wants Chromium and Playwright (`make studio-test` installs both); skipped where they are missing. LRFM_SCREENSHOTS names a folder for pictures.
"""

import os
import shutil
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import lrfm

uvicorn = pytest.importorskip("uvicorn")
playwright = pytest.importorskip("playwright.sync_api")
studio = pytest.importorskip("lrfm.studio")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
if CHROMIUM is None:
    pytest.skip("no Chromium on this machine", allow_module_level=True)

pytestmark = pytest.mark.slow
PATIENCE = 90_000  # milliseconds, for a busy machine
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-first-run",
)  # fmt: skip


@pytest.fixture(scope="module")
def address():
    server = uvicorn.Server(
        uvicorn.Config(studio.make_app(studio.Access("word")), port=0, log_level="error", access_log=False)
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
        assert thread.is_alive()
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}/?token=word"
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        yield browser
        browser.close()


@pytest.fixture
def page(browser, address):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(address)
    drawn(page)
    yield page
    context.close()
    assert not wrong


def drawn(page):
    """Wait for a picture and its estimate, and forget them, so that the next ones can be waited for."""
    page.wait_for_selector("body[data-drawn][data-judged]")
    page.evaluate("delete document.body.dataset.drawn; delete document.body.dataset.judged")


def until(page, condition):
    """Wait for something to be true on the page; its own policy forbids what Playwright does for that."""
    end = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        page.wait_for_timeout(30)


def picture(page, name):
    folder = os.environ.get("LRFM_SCREENSHOTS")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png")


def pixels(page, canvas):
    """The picture on a canvas, to see that it changes."""
    return page.evaluate(f"document.getElementById('{canvas}').toDataURL()")


def test_it_opens_with_a_solved_problem(page):
    assert "tolerance met" in page.inner_text("#verdict")
    assert page.inner_text("#verdict").startswith("estimated error")
    assert "relative L²" in page.inner_text("#verdict")
    assert page.locator("#math math").count() == 1
    page.hover("#field", position={"x": 300, "y": 150})
    until(page, "document.getElementById('probe').textContent.includes('±')")
    picture(page, "opened")


def test_a_typo_is_marked_and_mended(page):
    page.fill("#equation", "u_t + u*u_x = nuu*u_xx")
    until(page, "document.querySelector('.wrong').textContent.includes('nuu')")
    assert page.inner_text(".editor:has(#equation) mark") == "nuu"
    assert page.is_disabled("#solve")
    picture(page, "typo")
    page.fill("#equation", "u_t + u*u_x = nu*u_xx - u")
    until(page, "!document.getElementById('solve').disabled")
    assert page.inner_text(".wrong") == ""
    page.click("#solve")
    drawn(page)
    assert "tolerance met" in page.inner_text("#verdict")


def test_the_picture_of_another_statement_fades_until_it_is_solved(page):
    page.fill("#initial", "sin(pi*x)")
    assert page.evaluate("document.body.classList.contains('stale')")
    page.wait_for_timeout(400)
    assert float(page.evaluate("getComputedStyle(document.querySelector('.canvas')).opacity")) == 0.3
    picture(page, "stale")
    page.fill("#initial", "-sin(pi*x)")  # as it was
    assert not page.evaluate("document.body.classList.contains('stale')")
    page.fill("#initial", "sin(pi*x)")
    page.click("#solve")
    drawn(page)
    assert not page.evaluate("document.body.classList.contains('stale')")
    until(page, "document.querySelectorAll('#examples optgroup').length > 5")


def test_sliders_solve_again_and_time_moves(page):
    before = pixels(page, "field")
    page.evaluate(
        "(s => { s.value = 0.8; s.dispatchEvent(new Event('input')) })(document.getElementById('slider-nu'))"
    )
    drawn(page)
    assert pixels(page, "field") != before
    assert "0.02 in" not in page.input_value("#parameters")
    before = pixels(page, "profile")
    page.evaluate(
        "(s => { s.value = 0.3; s.dispatchEvent(new Event('input')) })(document.getElementById('at-t'))"
    )
    until(page, f"document.getElementById('profile').toDataURL() !== {before!r}")
    before = pixels(page, "profile")
    page.click("#play")
    until(page, f"document.getElementById('profile').toDataURL() !== {before!r}")


def test_two_solves_are_compared(page):
    page.click("#pin")
    page.fill("#parameters", "nu = 0.05 in [0.005, 0.2]")
    until(page, "!document.getElementById('solve').disabled")
    page.click("#solve")
    drawn(page)
    before = pixels(page, "field")
    page.check("#compare")
    until(page, f"document.getElementById('field').toDataURL() !== {before!r}")
    picture(page, "compared")


def test_two_dimensions_and_complex_fields(page):
    page.select_option("#examples", "heat-2d")
    drawn(page)
    assert page.is_visible("#planes-label")
    picture(page, "two-dimensions")
    page.select_option("#examples", "schroedinger")
    drawn(page)
    assert page.input_value("#show").startswith("abs")
    picture(page, "complex")


def test_an_example_is_chosen_by_its_picture(page):
    until(page, "!document.getElementById('browse').disabled")
    page.click("#browse")
    until(
        page,
        "[...document.querySelectorAll('#cards img')].slice(0, 5).every((i) => i.complete && i.naturalWidth > 0)",
    )
    picture(page, "examples")
    page.click("#cards .card:has-text('Klein-Gordon')")
    drawn(page)
    assert page.input_value("#examples") == "klein-gordon"
    assert not page.evaluate("document.getElementById('cards').open")
    assert "tolerance met" in page.inner_text("#verdict")


def test_downloads(page, tmp_path):
    for kind in ("toml", "python", "lrfm", "png"):
        with page.expect_download() as info:
            page.select_option("#save", kind)
        info.value.save_as(tmp_path / kind)
    solution = lrfm.load(tmp_path / "lrfm")
    assert abs(solution(x=0.5, t=0.0) + 1) < 1e-3
    assert 'equation = "u_t + u*u_x = nu*u_xx"' in (tmp_path / "toml").read_text()
    assert "lrfm.Problem(" in (tmp_path / "python").read_text()
    assert (tmp_path / "png").read_bytes().startswith(b"\x89PNG")


def test_a_link_holds_the_whole_statement(page, address):
    page.fill("#initial", "sin(2*pi*x)")
    page.click("#copy-link")
    word = page.evaluate("location.hash")
    other = page.context.new_page()
    other.set_default_timeout(PATIENCE)
    other.goto(address.partition("?")[0] + word)
    drawn(other)
    assert other.input_value("#initial") == "sin(2*pi*x)"
    other.close()


def test_a_cancelled_solve_leaves_the_page_usable(page):
    page.fill("#equation", "u_t + u*u_x = nu*u_xx + 0.3*u*(1 - u**2)")
    page.fill("#parameters", "nu = 5e-5")
    page.select_option("#tol", "1e-10")
    until(page, "!document.getElementById('solve').disabled")
    page.click("#solve")
    until(page, "!document.getElementById('cancel').disabled")
    page.click("#cancel")
    until(page, "document.getElementById('cancel').disabled")
    page.fill("#parameters", "nu = 0.1")
    page.select_option("#tol", "1e-4")
    until(page, "!document.getElementById('solve').disabled")
    page.click("#solve")
    until(page, "document.getElementById('verdict').textContent.includes('tolerance met')")


def test_every_file_can_be_saved_and_a_failure_leaves_the_estimate(page, tmp_path):
    starts = {"gif": b"GIF8", "nc": (b"CDF", b"\x89HDF"), "csv": b"t,x,u"}
    for kind, head in starts.items():
        with page.expect_download() as info:
            page.select_option("#save", kind)
        info.value.save_as(tmp_path / kind)
        assert (tmp_path / kind).read_bytes().startswith(head)
    page.fill("#show", "u_q")
    page.dispatch_event("#show", "change")
    until(page, "!document.getElementById('notice').hidden")
    assert "tolerance met" in page.inner_text("#verdict")


def test_unknowns_of_time_and_exact_solutions(page, address):
    from lrfm.studio.statement import Fields

    fields = Fields(
        equation="u_t = u_xx\nT_t = -T",
        domain="x in [0, 1]",
        time="0, 0.1",
        initial="u = sin(pi*x)\nT = 1",
        boundary="u = 0",
        unknowns="T: t",
        reference="u = exp(-pi**2*t)*sin(pi*x)\nT = exp(-t)",
    )
    page.goto(address.partition("?")[0] + "#" + fields.link())
    drawn(page)
    assert page.is_visible("#unknowns")
    before = pixels(page, "field")
    page.fill("#show", "error")
    page.dispatch_event("#show", "change")
    until(page, f"document.getElementById('field').toDataURL() !== {before!r}")
    assert page.is_hidden("#notice")


def test_initial_data_are_drawn_on_a_line(page):
    page.fill("#boundary", "u = 0")
    page.click("#paint")
    until(page, "document.body.classList.contains('painting') && document.getElementById('probe') !== null")
    page.wait_for_timeout(500)
    box = page.locator("#profile").bounding_box()
    left, right = box["x"] + 62, box["x"] + box["width"] - 92
    low, high = box["y"] + box["height"] - 50, box["y"] + 20
    middle = (box["y"] + 10 + box["y"] + box["height"] - 40) / 2
    page.mouse.move(left + 1, middle)
    page.mouse.down()
    for part, height in ((0.25, high), (0.5, middle), (0.75, low), (1.0, middle)):
        page.mouse.move(left + part * (right - left) - 1, height, steps=8)
    page.mouse.up()
    drawn(page)
    text = page.input_value("#initial")
    assert text.count("sin(") >= 1
    assert "tolerance met" in page.inner_text("#verdict")
    x = np.linspace(-1, 1, 5)
    start = lrfm.Problem(
        "u_t = u_xx", domain=lrfm.Box(x=(-1, 1)), time=(0, 1), initial=text, boundary="u_n = 0"
    ).initial_data[("u", 0)]
    values = start.part(np.column_stack([x, np.zeros(5)]), "u")
    assert values[1] > 0.5
    assert values[3] < -0.5
    assert np.max(np.abs(values[[0, 2, 4]])) < 0.15
    picture(page, "painted-line")


def test_bumps_are_painted_in_the_plane(page):
    for name, text in {
        "equation": "u_t = 0.05*lap(u)", "domain": "x in [-1, 1]\ny in [-1, 1]", "time": "0, 0.5", "initial": "0", "boundary": "u_n = 0", "parameters": "",
    }.items():  # fmt: skip
        page.fill(f"#{name}", text)
    until(page, "!document.getElementById('solve').disabled")
    page.click("#solve")
    drawn(page)
    page.click("#paint")
    page.wait_for_timeout(500)
    box = page.locator("#field").bounding_box()
    page.mouse.move(box["x"] + 180, box["y"] + 175)  # the square begins at 62 and is 330 wide
    page.mouse.down()
    page.mouse.move(box["x"] + 270, box["y"] + 175, steps=10)
    page.mouse.up()
    drawn(page)
    assert page.input_value("#initial").count("exp(") >= 2
    assert "tolerance met" in page.inner_text("#verdict")
    picture(page, "painted-plane")


def test_modes_have_their_eigenvalues_and_pictures(page):
    for name, text in {"equation": "lap(u) = -lam*u", "domain": "Disk(radius=1)", "time": "", "initial": "", "boundary": "u = 0", "parameters": ""}.items():  # fmt: skip
        page.fill(f"#{name}", text)
    until(page, "!document.getElementById('solve').disabled")
    page.click("#solve")
    drawn(page)
    assert "λ = 5.7831" in page.inner_text("#verdict")
    before = pixels(page, "field")
    page.select_option("#modes", "3")
    until(page, f"document.getElementById('field').toDataURL() !== {before!r}")
    assert page.inner_text("#verdict").startswith("λ = 26.374")
    picture(page, "modes")
