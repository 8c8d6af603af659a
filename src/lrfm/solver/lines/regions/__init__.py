# SPDX-License-Identifier: MIT
"""Lines on domains of any shape: which families of functions, how many, and the rows of conditions on curved parts."""
