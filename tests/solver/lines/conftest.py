# SPDX-License-Identifier: MIT
"""The tests of this folder are about global functions: `lrfm.solve` takes them here as with `method=lrfm.Lines(space="global")`."""

import pytest


@pytest.fixture(autouse=True)
def global_functions(monkeypatch):
    monkeypatch.setattr("lrfm.solver.api._on_cells", lambda *_: None)
