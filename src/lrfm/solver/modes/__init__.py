# SPDX-License-Identifier: MIT
"""Eigenvalues and their functions."""

from lrfm.solver.modes.front import modes

__all__ = ["modes"]
