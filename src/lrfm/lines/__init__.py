# SPDX-License-Identifier: MIT
"""Lines: u(x, t) = Σ_m a_m(t) ψ_m(x), random features in space, implicit collocation in time."""
