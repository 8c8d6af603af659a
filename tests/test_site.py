# SPDX-License-Identifier: MIT
"""The documentation site is built without a warning: links, anchors, signatures; and it can be read without a network."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mkdocs")
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "LRFM_GALLERY": "heat-1d,nls"},
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return folder


@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere(site):
    for path in [*site.rglob("*.html"), *site.rglob("*.css")]:
        found = re.findall(
            r'(?:src|href)="(https?:[^"]+\.(?:js|css|woff2?))"|url\((https?:[^)]+)\)',
            path.read_text(encoding="utf-8"),
        )
        assert not found, path.name


@pytest.mark.slow
def test_formulas_are_typeset_and_problems_have_pages(site):
    assert "<math" in (site / "tutorial.html").read_text(encoding="utf-8")
    page = (site / "gallery" / "nls.html").read_text(encoding="utf-8")
    assert "<math" in page
    assert "tolerance met" in page
    assert (site / "gallery" / "nls.png").stat().st_size > 5000
    assert (site / "gallery" / "nls.gif").stat().st_size > 5000
    reference = (site / "api.html").read_text(encoding="utf-8")
    assert all(name in reference for name in ("solve", "Problem", "max_seconds", "Liquid"))
