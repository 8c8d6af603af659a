# SPDX-License-Identifier: MIT
"""Rows: problem × trial space → J(c), b(c), the one place where physics meets features.

In: a problem's rows F(x, t, {Dᵃu}) = 0 and a trial space. Out: points, the weighted rows of one window as functions of the
coefficients, and u = Σ_q c_q Φ_q as something that can be evaluated. May import `linalg`, `problem`, `spaces`.
"""
