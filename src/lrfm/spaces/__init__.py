# SPDX-License-Identifier: MIT
"""Functions of space with derivatives of every order: polynomials on cells, series along axes.

In: an interval, a box or a region. Out: functions and their derivative matrices. The paper's features of space and time
are in `lrfm.spacetime.features`. May import `linalg` and `problem`.
"""
