# SPDX-License-Identifier: MIT
"""What is to be solved: text, equations, domain, conditions, and their checks."""

from lrfm.problem.domain import Box
from lrfm.problem.equation import Row
from lrfm.problem.errors import ProblemError
from lrfm.problem.jets import Jet, MultiIndex
from lrfm.problem.problem import Problem

__all__ = ["Box", "Jet", "MultiIndex", "Problem", "ProblemError", "Row"]
