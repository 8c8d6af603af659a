# SPDX-License-Identifier: MIT
"""Polynomials on cells of the plane: boxes of a quadtree, cut by the boundary."""
