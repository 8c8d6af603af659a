# SPDX-License-Identifier: MIT
"""Boxes: series and products of polynomials."""
