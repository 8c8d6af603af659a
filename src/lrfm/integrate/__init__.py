# SPDX-License-Identifier: MIT
"""The integrator: step, estimate, control, adapt."""
