# SPDX-License-Identifier: MIT
"""Conservation laws: fluxes, finite volumes, differences."""
