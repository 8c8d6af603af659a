# SPDX-License-Identifier: MIT
"""Is every claim true? Families of random statements with closed solutions, smooth ones and such as hide something."""
