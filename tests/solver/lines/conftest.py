# SPDX-License-Identifier: MIT
"""The tests of this folder are about global functions: `lrfm.solve` takes them here as with `method=lrfm.Lines(space="global")`."""

import pytest


@pytest.fixture(autouse=True, scope="module")
def global_functions():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lrfm.solver.api._integrated", lambda *_: None)
        yield
