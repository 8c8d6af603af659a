# SPDX-License-Identifier: MIT
"""Orthonormal functions of space made from random features, one axis at a time, and their products.

In: an axis and where on it the solution needs functions. Out: values and derivatives of every order, and a quadrature that projects.
"""

from lrfm.spaces.axes.axis import AxisBasis as AxisBasis
from lrfm.spaces.axes.product import ProductBasis as ProductBasis
