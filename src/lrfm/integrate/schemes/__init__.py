# SPDX-License-Identifier: MIT
"""Time schemes: one step each."""
