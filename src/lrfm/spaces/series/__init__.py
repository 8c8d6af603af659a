# SPDX-License-Identifier: MIT
"""Fourier, sine and cosine series on boxes, by fast transforms."""

from lrfm.spaces.series.modes import EVEN, ODD, Modes, Parity

__all__ = ["EVEN", "ODD", "Modes", "Parity"]
