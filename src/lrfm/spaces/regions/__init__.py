# SPDX-License-Identifier: MIT
"""Orthonormal functions on domains of any shape, made from random functions of all coordinates at once.

In: families of functions, a quadrature of the domain. Out: values and derivatives anywhere, and a projection on coefficients.
"""

from lrfm.spaces.regions.basis import RegionBasis as RegionBasis
from lrfm.spaces.regions.families import Family as Family
