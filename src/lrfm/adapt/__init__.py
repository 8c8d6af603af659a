# SPDX-License-Identifier: MIT
"""Cells that follow the solution and what is given: the first mesh, splitting, joining."""
