# SPDX-License-Identifier: MIT
"""One window: points, rows F(x, t, {Dᵃu}) = 0 as J(c) and b(c), the nonlinear iteration, the fitted u = Σ_q c_q Φ_q.

In: a problem, a trial space and the trace of the window before. Out: an expansion and its trace. May import `least_squares` and `features`.
"""
