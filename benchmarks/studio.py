# SPDX-License-Identifier: MIT
"""How long the studio takes to its first picture, and after a slider moved, in a real browser. Wants a quiet machine, Chromium and Playwright.

Wall time in milliseconds from opening the page, or from the event of the slider, until both pictures are drawn; the median over rounds.
Results: benchmarks/results/studio.json.

    python benchmarks/studio.py
"""

from __future__ import annotations

import shutil
import statistics
import threading
import time

import harness
import uvicorn
from playwright.sync_api import Page, sync_playwright

from lrfm.studio import make_app

ROUNDS = 5
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-sync",
    "--no-first-run",
]
MOVE = "place => { delete document.body.dataset.drawn; const s = document.querySelector('#sliders input'); s.value = place; s.dispatchEvent(new Event('input')) }"


def serve() -> tuple[uvicorn.Server, str]:
    """The studio on a free port, in a thread."""
    server = uvicorn.Server(uvicorn.Config(make_app("word"), port=0, log_level="error", access_log=False))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.01)
    return server, f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/?token=word"


def until_drawn(page: Page, begin: float) -> float:
    """Milliseconds until a picture is there."""
    page.wait_for_selector("body[data-drawn]", timeout=60_000)
    return 1000 * (time.perf_counter() - begin)


def main() -> None:
    """Open the page several times, move its slider on each, and write the medians."""
    server, address = serve()
    opened, moved = [], []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for number in range(ROUNDS):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            begin = time.perf_counter()
            page.goto(address)
            opened.append(until_drawn(page, begin))
            for place in (0.55 + 0.02 * number, 0.7 - 0.02 * number):
                begin = time.perf_counter()
                page.evaluate(MOVE, place)
                moved.append(until_drawn(page, begin))
            page.close()
        browser.close()
    server.should_exit = True
    rows = [
        {"what": "first opening", "milliseconds": round(opened[0])},
        {"what": "opening", "milliseconds": round(statistics.median(opened))},
        {"what": "slider", "milliseconds": round(statistics.median(moved))},
    ]
    harness.write_result("studio.json", rows=rows)


if __name__ == "__main__":
    main()
