# SPDX-License-Identifier: MIT
"""Fourier, sine, cosine and Legendre series on boxes, by transforms."""

from lrfm.spaces.series.modes import EVEN, NEITHER, ODD, Modes, Parity, turned

__all__ = ["EVEN", "NEITHER", "ODD", "Modes", "Parity", "turned"]
