# SPDX-License-Identifier: MIT
"""Along the steps of a solution: sensitivities, other parameters, many right-hand sides."""
