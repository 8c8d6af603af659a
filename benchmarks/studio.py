# SPDX-License-Identifier: MIT
"""How long the studio takes to its first picture, and after a slider moved, in a real browser. Wants a quiet machine, Chromium and Playwright.

Wall time in milliseconds from opening the page, or from the event of the slider, until both pictures are drawn and until their estimate stands beside them;
taken by the browser itself, in the frame after the drawing. The median over rounds.
Results: benchmarks/results/studio.json.

    python benchmarks/studio.py [--quick]
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import threading
import time

import harness
import uvicorn
from playwright.sync_api import sync_playwright

from lrfm.studio import Access, make_app

ROUNDS = 5
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-sync",
    "--no-first-run",
]
# Both times of the next answer, in the frame that shows it; `begun` is on the clock of the page, which begins at its opening.
WATCH = """
begun => new Promise((tell) => {
  const seen = {}, look = () => {
    for (const what of ["drawn", "judged"]) {
      if (document.body.dataset[what] && !seen[what]) { seen[what] = true; requestAnimationFrame(() => { seen[what] = performance.now() - begun; if (seen.drawn > 1 && seen.judged > 1) tell(seen); }); }
    }
  };
  new MutationObserver(look).observe(document.body, { attributes: true });
  look();
})
"""
MOVE = f"""
place => {{
  delete document.body.dataset.drawn; delete document.body.dataset.judged;
  const slider = document.querySelector("#sliders input"), answer = ({WATCH.strip()})(performance.now());
  slider.value = place; slider.dispatchEvent(new Event("input"));
  return answer;
}}
"""


def serve() -> tuple[uvicorn.Server, str]:
    """The studio on a free port, in a thread."""
    server = uvicorn.Server(
        uvicorn.Config(make_app(Access("word")), port=0, log_level="error", access_log=False)
    )
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.01)
    return server, f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/?token=word"


def row(what: str, times: list[dict[str, float]]) -> dict[str, object]:
    """Medians until the picture, and until its estimate."""
    median = {name: round(statistics.median(t[name] for t in times)) for name in ("drawn", "judged")}
    return {"what": what, "picture": median["drawn"], "estimate": median["judged"]}


def main() -> None:
    """Open the page several times, move its slider on each, and write the medians."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one round, nothing is written")
    quick = parser.parse_args().quick
    server, address = serve()
    opened, moved = [], []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for number in range(1 if quick else ROUNDS):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(address)
            opened.append(page.evaluate(WATCH, 0))
            page.wait_for_timeout(1000)  # the catalog is read behind the first picture
            for place in (0.55 + 0.02 * number, 0.7 - 0.02 * number):
                moved.append(page.evaluate(MOVE, place))
                page.wait_for_timeout(200)
            page.close()
        browser.close()
    server.should_exit = True
    rows = [
        row("first opening", opened[:1]),
        row("opening", opened),
        row("slider", moved),
    ]
    harness.write_result("studio.json", quick, rows=rows)


if __name__ == "__main__":
    main()
