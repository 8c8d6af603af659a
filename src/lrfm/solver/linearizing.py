# SPDX-License-Identifier: MIT
"""J at a solution, for who asks for it: what that takes is imported then, and not by every solve."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lrfm.solution.solution import Solution
    from lrfm.solver.tangent import Linearized


def linearized(solution: Solution) -> Linearized:
    """J at a solution."""
    from lrfm.solver.tangent import Linearized

    return Linearized(solution)
