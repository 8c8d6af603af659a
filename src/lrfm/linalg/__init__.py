# SPDX-License-Identifier: MIT
"""Linear algebra that every method uses: matrices and right-hand sides, threads of BLAS, and the limits of time and memory.

In: arrays. Out: factors, solutions, what a factorization knows of them. Imports no other room.
"""
