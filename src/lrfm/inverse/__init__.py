# SPDX-License-Identifier: MIT
"""What is unknown in a statement, found from data: numbers and fields, with intervals.

In: a problem with `Unknown` and `UnknownField` among its parameters, and `Data`. Out: a `Fit`. The equation is not weighed against the
data: the forward problem is solved to its tolerance, and its solution moved by exact sensitivities.
"""
