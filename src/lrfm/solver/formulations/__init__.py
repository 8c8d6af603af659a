# SPDX-License-Identifier: MIT
"""A statement in each kind of space: the parts of the loop that it takes, and its steps as a piece."""
