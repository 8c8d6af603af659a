# SPDX-License-Identifier: MIT
"""Pieces of a solution in time, of every kind that steps make: what can be evaluated, differentiated, stored and read again.

In: functions of space and their coefficients in time. Out: Dᵃu at points or on grids. May import `linalg`, `problem`, `spaces`.
"""
