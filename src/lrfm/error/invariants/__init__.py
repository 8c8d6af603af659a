# SPDX-License-Identifier: MIT
"""Conserved and dissipated quantities: found from the equations by trial functions, watched along a solution."""

from lrfm.error.invariants.drift import drifts
from lrfm.error.invariants.quantities import Quantity, quantities

__all__ = ["Quantity", "drifts", "quantities"]
