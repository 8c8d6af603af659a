# SPDX-License-Identifier: MIT
"""Residuals that rounding makes: what is not to be chased."""

import numpy as np
import pytest

from lrfm.error.marks import followed
from lrfm.problem import Box, Problem

QUENCH = Problem("u_t = u_xx", domain=Box(x=(0, 1)), time=(0, 0.2), initial="1", boundary="u = 0")


def test_points_that_follow_data_leave_no_gap():
    """One in each part of a panel: no two neighbors are further apart than two parts."""
    smooth = QUENCH.replace(initial="sin(2*pi*x)", boundary="periodic")
    points, weights = followed(smooth, smooth.time, 4000, np.random.default_rng(0), fixed=0.0)
    x = np.sort(points[:, 0])
    assert np.max(np.diff(x)) < 2.01 / 4000
    assert weights.mean() == pytest.approx(1.0)
