# SPDX-License-Identifier: MIT
"""From a statement to a semi-discrete system of differential and algebraic equations in time."""
