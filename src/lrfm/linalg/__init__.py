# SPDX-License-Identifier: MIT
"""Linear least squares  c = argmin ‖A c − b‖  (Paper, eq:weighted-ls). This room sees A and b only."""

from lrfm.linalg.base import Factorization, Fit, LeastSquares
from lrfm.linalg.data_map import DataMap
from lrfm.linalg.lsqr import LSQR
from lrfm.linalg.qr import QR
from lrfm.linalg.svd import TruncatedSVD
from lrfm.linalg.tall import Distributed

__all__ = ["LSQR", "QR", "DataMap", "Distributed", "Factorization", "Fit", "LeastSquares", "TruncatedSVD"]
