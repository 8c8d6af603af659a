# SPDX-License-Identifier: MIT
"""Polynomials on cells of an interval that are split and joined."""

from lrfm.spaces.cells.mesh import KEEP, Mesh, MovingMesh, Regrid
from lrfm.spaces.cells.reference import Reference

__all__ = ["KEEP", "Mesh", "MovingMesh", "Reference", "Regrid"]
