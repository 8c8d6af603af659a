# SPDX-License-Identifier: MIT
"""Linear least squares  c = argmin ‖A c − b‖  (Paper, eq:weighted-ls). This room sees A and b only.

In: a matrix, plain or in column groups, and a right-hand side. Out: coefficients and what the factorization knows of them. What
a solver must offer is `LeastSquares`. Imports no other room.
"""

from lrfm.spacetime.least_squares.base import Factorization, Fit, KeepsFactorization, LeastSquares
from lrfm.spacetime.least_squares.data_map import DataMap
from lrfm.spacetime.least_squares.lsqr import LSQR
from lrfm.spacetime.least_squares.qr import QR
from lrfm.spacetime.least_squares.svd import TruncatedSVD
from lrfm.spacetime.least_squares.tall import Distributed

__all__ = [
    "LSQR",
    "QR",
    "DataMap",
    "Distributed",
    "Factorization",
    "Fit",
    "KeepsFactorization",
    "LeastSquares",
    "TruncatedSVD",
]
