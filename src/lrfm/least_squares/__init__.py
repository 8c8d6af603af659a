# SPDX-License-Identifier: MIT
"""Linear least squares  c = argmin ‖A c − b‖  (Paper, eq:weighted-ls). This room sees A and b only."""

from lrfm.least_squares.base import Factorization, Fit, LeastSquares
from lrfm.least_squares.data_map import DataMap
from lrfm.least_squares.lsqr import LSQR
from lrfm.least_squares.qr import QR
from lrfm.least_squares.svd import TruncatedSVD
from lrfm.least_squares.tall import Distributed

__all__ = ["LSQR", "QR", "DataMap", "Distributed", "Factorization", "Fit", "LeastSquares", "TruncatedSVD"]
