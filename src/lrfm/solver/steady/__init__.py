# SPDX-License-Identifier: MIT
"""Steady states: statements without time, and the rest states of those with it."""

from lrfm.solver.steady.front import steady

__all__ = ["steady"]
