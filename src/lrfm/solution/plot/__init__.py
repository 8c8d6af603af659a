# SPDX-License-Identifier: MIT
"""Pictures of a solution: `figure.plot` draws a figure, `movie.animate` a movie.

A solution is seen through `sampling.SolutionLike` only. Matplotlib is imported inside the functions that
draw, and its global state (`rcParams`, `pyplot`) is never touched.
"""
