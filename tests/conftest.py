# SPDX-License-Identifier: MIT
"""Tests that share something made once for their file stay on one worker, so that it is made once; limits of time are those of the processor."""

import time

import pytest
from hypothesis import HealthCheck, settings

from lrfm.solver import budget

# No example has a limit of time either: a busy machine makes none fail.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")
budget.now = time.process_time  # `max_seconds` of a solve does not pass while other programs have the machine


@pytest.hookimpl(tryfirst=True)  # before xdist looks for the marks
def pytest_collection_modifyitems(items):
    for item in items:
        made = [found[-1] for found in item._fixtureinfo.name2fixturedefs.values()]
        if any(fixture.scope == "module" for fixture in made):
            item.add_marker(pytest.mark.xdist_group(item.path.as_posix()))
