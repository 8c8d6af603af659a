# SPDX-License-Identifier: MIT
"""Cells of the plane and of space: discontinuous Galerkin."""
