# SPDX-License-Identifier: MIT
"""The solution operator of a linear problem in space and time: factored once, then every new datum is a product.

    u = Σ_q c_q Φ_q,   c = D R⁻¹ (z + K d)   for initial data d;   z from forcing and boundary data

The matrix of a linear problem does not depend on its data (Paper, eq:lin-system), only b does.
"""

from lrfm.spacetime.operators.maps import Operator as Operator
from lrfm.spacetime.operators.solutions import Solutions as Solutions
