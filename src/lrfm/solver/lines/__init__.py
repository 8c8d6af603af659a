# SPDX-License-Identifier: MIT
"""Lines: u(x, t) = Σ_m a_m(t) ψ_m(x), features in space, implicit collocation in time.

`form` reads a statement as rows in y and y′; `choice` draws the functions ψ for what is known of the solution; `system` projects the rows on
them; `stages` and `newton` solve a step; `march` goes from step to step; `attempts` makes pairs of draws until they agree.
"""
