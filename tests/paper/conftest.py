# SPDX-License-Identifier: MIT
"""A very small study: one seed, a tenth of the sizes."""

import pytest
from paper import plan as planning


@pytest.fixture
def tiny(monkeypatch):
    """A plan whose every run takes well under a second."""
    monkeypatch.setattr(planning, "QUICK", 0.1)
    return planning.Plan((0,), True)
