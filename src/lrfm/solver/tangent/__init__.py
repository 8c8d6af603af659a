# SPDX-License-Identifier: MIT
"""Derivatives of a solution by what its statement contains: J δ = −dF, marched on the bases and steps of the solution."""

from lrfm.solver.tangent.front import Linearized, linearized

__all__ = ["Linearized", "linearized"]
