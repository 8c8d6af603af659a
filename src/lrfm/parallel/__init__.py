# SPDX-License-Identifier: MIT
"""Many solves: independent tasks here, on processes or on a cluster (`tasks`), and one statement at many values and seeds (`sweeps`).

In: statements and a place to run. Out: tables of results that are kept as they come. May import every room but `catalog`, `paper` and `cli`.
"""
