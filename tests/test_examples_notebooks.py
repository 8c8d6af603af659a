# SPDX-License-Identifier: MIT
"""Notebooks in examples/ run from their first cell to the last, and show what they say."""

from pathlib import Path

import pytest
from helpers import thinned

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples").glob("*.ipynb"))


@pytest.mark.slow
@pytest.mark.parametrize("path", thinned(NOTEBOOKS, len(NOTEBOOKS)), ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=900, resources={"metadata": {"path": str(tmp_path)}}).execute()
    kinds = {
        kind
        for cell in notebook.cells
        if cell.cell_type == "code"
        for out in cell.outputs
        for kind in out.get("data", ())
    }
    assert "image/png" in kinds
    assert {"text/html", "text/plain"} & kinds


def test_notebooks_are_kept_without_outputs():
    assert NOTEBOOKS
    for path in NOTEBOOKS:
        cells = nbformat.read(path, as_version=4).cells
        assert not any(cell.get("outputs") for cell in cells), path.name
