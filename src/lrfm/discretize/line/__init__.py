# SPDX-License-Identifier: MIT
"""Polynomials on cells of an interval: collocation."""
