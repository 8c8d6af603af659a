# SPDX-License-Identifier: MIT
"""The solution operator of a linear problem: factored once, then every new datum is a product.

    u = Σ_q c_q Φ_q,   c = D R⁻¹ (z + K d)   for initial data d;   z from forcing and boundary data

The matrix of a linear problem does not depend on its data (Paper, eq:lin-system), only b does.
"""

from lrfm.solver.operators.front import operator
from lrfm.solver.operators.lines import LinesOperator, LinesSolutions
from lrfm.solver.operators.maps import Operator
from lrfm.solver.operators.solutions import Solutions

__all__ = ["LinesOperator", "LinesSolutions", "Operator", "Solutions", "operator"]
