# SPDX-License-Identifier: MIT
"""docs/reproduction.md is what the script writes from the committed results: no number is typed by hand."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "benchmarks" / "write_reproduction.py"
RESULTS = ROOT / "benchmarks" / "results" / "reproduce" / "results.json"

pytestmark = pytest.mark.skipif(not RESULTS.exists(), reason="the results are not part of this tree")


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("write_reproduction", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_script_writes(script):
    assert script.OUTPUT.read_text(encoding="utf-8") == script.page()


def test_every_placeholder_is_filled(script):
    assert "{{" not in script.page()
    assert "not run" not in script.page()


def test_results_are_of_a_full_run(script):
    study = script.Study(RESULTS)
    assert study.about["quick"] is False
    assert study.about["seeds"] == [0, 1, 2, 3, 4]
    assert not any(summary.missing for _, summary in study.cells)


def test_a_cell_that_does_not_exist_is_an_error(script):
    with pytest.raises(KeyError, match="no cell"):
        script.Study(RESULTS).fill("main | Nobody | L-RFM-Local")
