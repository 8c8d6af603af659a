# SPDX-License-Identifier: MIT
"""Derivatives of a solution by what its statement contains: J δ = −dF, on the cells and steps of the solution or together with it."""

from lrfm.solver.tangent.front import Linearized, linearized

__all__ = ["Linearized", "linearized"]
