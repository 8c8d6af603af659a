# SPDX-License-Identifier: MIT
"""A step that was solved on one of several bases, and which of two is the better one."""

from __future__ import annotations

from typing import NamedTuple

from lrfm.solver.lines.newton import Stage
from lrfm.solver.lines.projected import ProjectedRows
from lrfm.solver.lines.state import Residual, State

CLOSER = (
    2.0  # times smaller misfit of the data from which on a basis is the better one, whatever its residual
)


class Candidate(NamedTuple):
    """A step solved on one of several bases, not yet kept."""

    state: State
    tried: Stage
    found: Residual
    system: ProjectedRows
    error: float  # in time
    misfit: float  # of the data, where it is more than was asked for at the first step

    def before(self, other: Candidate, part: float = 1.0) -> bool:
        """Whether this one is the better: it misses far less of the data, or leaves less than a part of what the other does."""
        if max(self.misfit, other.misfit) > CLOSER * min(self.misfit, other.misfit):
            return self.misfit < other.misfit
        return self.found.relative < part * other.found.relative
