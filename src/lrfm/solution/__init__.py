# SPDX-License-Identifier: MIT
"""u(x, t): the continuous answer with its derivatives, residual and report, its pictures (`plot`) and files (`io`).

In: a problem, the expansions of its windows, a report. Out: values, figures, files. May import `linalg`, `problem`, `spaces`, `rows`, `error`.
"""
