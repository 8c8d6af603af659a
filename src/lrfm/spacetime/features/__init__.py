# SPDX-License-Identifier: MIT
"""Trial functions with derivatives of every order.

A configuration (`Liquid`, `SoV`, `STC`, `PIELM`, `Frozen`) samples a `Space`, and a space returns derivative
matrices. In: a box, a window, a random generator. Out: features with all their derivatives. What a trial space must offer is
in `protocols.py`. May import `linalg`, for the backends of arrays.

>>> import numpy as np
>>> from lrfm.spacetime.features import Liquid
>>> space = Liquid(features=40).sample(("x",), [-1.0], [1.0], (False,), (0.0, 0.1), np.random.default_rng(0))
>>> jets = space.jets(np.array([[0.3, 0.05]]), [(0, 0), (2, 0), (0, 1)])
>>> jets[2, 0].shape
(1, 40)
"""

from lrfm.spaces.orders import MultiIndex as MultiIndex

from .liquid import Frozen as Frozen
from .liquid import Liquid as Liquid
from .protocols import Counts as Counts
from .protocols import SampledSpace as SampledSpace
from .protocols import TrialSpace as TrialSpace
from .space import Space as Space
from .static import PIELM as PIELM
from .static import STC as STC
from .static import SoV as SoV
