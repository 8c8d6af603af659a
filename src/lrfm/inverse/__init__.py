# SPDX-License-Identifier: MIT
"""What is unknown in a statement, found from data: numbers and fields, with intervals.

In: a problem with `Unknown` and `UnknownField` among its parameters, and `Data`. Out: a `Fit`. The equation is not weighed against the
data: the forward problem is solved to its tolerance, and its solution moved by exact sensitivities.

    observation     a formula of the unknowns at a place and time, with a measured value
    direction       what a statement is differentiated along: a number, or one function of an unknown field
    linear unknown  one along which u is a straight line while the others are held: it is eliminated before they are moved
    spread          what the data leave open around what was found: a normal distribution, or samples where fields are unknown
"""
