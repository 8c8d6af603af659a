# SPDX-License-Identifier: MIT
"""States at rest: Newton's method, branches, eigenvalues."""
