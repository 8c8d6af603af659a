# SPDX-License-Identifier: MIT
"""What is to be solved: text, equations, domain, conditions, and their checks; statements in TOML files (`file`).

In: text, numbers, functions. Out: rows F(x, t, {D^a u}) = 0, data and a domain, or a `ProblemError`. Imports no other room.
"""

from lrfm.problem.domain import Box
from lrfm.problem.equation import Row
from lrfm.problem.errors import ProblemError
from lrfm.problem.jets import Jet, MultiIndex
from lrfm.problem.problem import Problem

__all__ = ["Box", "Jet", "MultiIndex", "Problem", "ProblemError", "Row"]
