# SPDX-License-Identifier: MIT
"""What is left of a start that contradicts the conditions.

‖e(t)‖ ≈ m (t₁/t)^{3/4},   m = ‖u(t₀) − u₀‖,   t₁ the first step:   what is missing in a corner of width δ = √t₁ at a wall is a dipole of
strength δ², and m = δ^{1/2}. Over the window that is δ^{3/2} = m³, so that a start need not be closer than the cube root of the tolerance,
and errors of steps beside e(t) add nothing. Only for equations that damp all short waves: a string keeps its kink.
"""

from __future__ import annotations

CLOSE = 0.3  # misfit of a start that is not asked to be closer, in cube roots of the tolerance
SHARE = 1.0  # of what is left, which a step may add
DECAY = 0.75


def left_of(misfit: float, opened: float, passed: float) -> float:
    """The share of m (t₁/t)^{3/4} that a step may add; `opened` is the length t₁ of the first step, 0 before it is taken."""
    return SHARE * misfit * (min(1.0, opened / passed) ** DECAY if opened else 1.0)


def close_enough(tol: float, forgets: bool) -> float | None:
    """The misfit of a start that will not be seen later; None where all of it will."""
    return CLOSE * tol ** (1 / 3) if forgets else None
