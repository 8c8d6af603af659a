# SPDX-License-Identifier: MIT
"""Lines: u(x, t) = Σ_m a_m(t) ψ_m(x), random features in space, implicit collocation in time."""

from lrfm.lines.front import Draw, Outcome, applies, solve_lines
from lrfm.lines.piece import Piece

__all__ = ["Draw", "Outcome", "Piece", "applies", "solve_lines"]
