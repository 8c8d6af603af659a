# SPDX-License-Identifier: MIT
"""From a problem to its solution: settings for a tolerance, nonlinear iteration, windows, the integration; `api.py` is the entry.

In: a problem, parts or a tolerance, a seed. Out: a `Solution`. May import `linalg`, `problem`, `spaces`, `rows`, `error`, `solution`.
"""
