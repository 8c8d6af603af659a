# SPDX-License-Identifier: MIT
"""The solution operator of a linear problem: made once, then every new datum is a product.

By lines the spaces, steps and matrices of the own data are kept; in space and time (`lrfm.spacetime.operators`) a factorization.
"""

from lrfm.solver.operators.front import operator
from lrfm.solver.operators.lines import LinesOperator, LinesSolutions

__all__ = ["LinesOperator", "LinesSolutions", "operator"]
