# SPDX-License-Identifier: MIT
"""The paper's engine, whole: u = Σ_q c_q Φ_q(x, t), features of space and time fitted by least squares in one window after the other.

    least_squares   min ‖A c − b‖: QR, LSQR, truncated SVD, multifrontal and distributed; backends of arrays
    features        trial functions of space and time with derivatives of every order, global or on patches
    windows         points, rows and the fit of one window; the map from window to window
    search          settings by pilot solves; which window gets which
    operators       one factorization for other data

Words beside those of docs/design.md:

    part            what a solve is made of and can be exchanged: trial space, collocation, least squares, nonlinear iteration, backend
    patch, bump     a part of space on which some features live; the factor that makes a feature vanish outside of it
    column group    the columns of one patch, with the rows that see it; a row group are the rows of one equation or condition
    window          an interval of time with its fit; `lrfm.SpaceTime(blocks=...)` says how many of them cover the time span
    setting, pilot  the dimensionless numbers from which the parts of a window are made; a small solve that judges one
    expansion       u = Σ_q c_q Φ_q on one window

In: a problem, and what `lrfm.SpaceTime` was given. Out: pieces of a solution. The rest of the package meets it through that object only
(`front`), and through the names of its classes in files (`files`).

>>> import numpy as np
>>> from lrfm.spacetime import Liquid
>>> space = Liquid(features=40).sample(("x",), [-1.0], [1.0], (False,), (0.0, 0.1), np.random.default_rng(0))
>>> jets = space.jets(np.array([[0.3, 0.05]]), [(0, 0), (2, 0), (0, 1)])
>>> jets[2, 0].shape
(1, 40)
"""

from lrfm.spacetime.features import PIELM, STC, Frozen, Liquid, SampledSpace, SoV, Space, TrialSpace
from lrfm.spacetime.least_squares import LSQR, QR, Distributed, LeastSquares, TruncatedSVD
from lrfm.spacetime.windows.collocation import Collocation
from lrfm.spacetime.windows.nonlinear import Newton, Picard

__all__ = [
    "LSQR",
    "PIELM",
    "QR",
    "STC",
    "Collocation",
    "Distributed",
    "Frozen",
    "LeastSquares",
    "Liquid",
    "Newton",
    "Picard",
    "SampledSpace",
    "SoV",
    "Space",
    "TrialSpace",
    "TruncatedSVD",
]
