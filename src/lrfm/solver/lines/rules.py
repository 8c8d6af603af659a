# SPDX-License-Identifier: MIT
"""What a tolerance means for the parts of a run; every constant of the automatic choice that is not local to one file."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lrfm.integrate.schemes import Scheme, radau
from lrfm.spaces.axes.axis import Law

TOGETHER = 3400  # unknowns of a step that are solved for in one piece
FEATURES = 1.25  # drawn for each function that is kept, along an axis
FINER = 1.3  # points of the second draw, relative to those of the first
FEWER = 0.8  # terms of the series among its functions, in the same way,
# Steps of few functions cost what their handling costs, and longer ones of more stages are fewer. Where functions have to follow what moves,
# it is they that limit a step, and more stages make it dear.
MORE = 2  # stages of a step on functions that have not been drawn anew, along one axis,
LASTING = 8  # or not for so many steps
DEEPEST = 1e-13  # cut of singular values below which features are rounding
PRODUCTS = 0.9  # and where functions are products, of which there are many more for each term


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Numbers that follow from the tolerance and the order of the equations."""

    tol: float
    time_tol: float
    stages: int
    law: Law
    most: int = 530  # features along one axis
    held: float = 0.3  # how well functions are to be held by a basis, in tolerances
    added: float = 0.05  # what the residual of a step may add, in tolerances
    exact: bool = True  # whether linear equations that stay the same leap by exponentials; else by steps
    resolved: float = 10.0  # how well derivatives and the residual are to be met, in tolerances
    closely: bool = True  # whether data are scanned for narrow details
    witness: bool = False  # whether it is the second draw
    more: int = 0  # stages beside these, as long as a basis lasts

    @property
    def most_modes(self) -> float:
        """The largest number of modes that the largest number of features can serve."""
        return self.law.modes(self.most)

    @property
    def derivative_tol(self) -> float:
        """How well derivatives are to be met, each relative to its own size."""
        return self.resolved * self.tol

    def scheme(self, redraws: int, lasted: int) -> Scheme:
        """The scheme of steps after so many redraws, and so many steps since the last of them."""
        return radau(self.stages + (0 if redraws and lasted < LASTING else self.more))

    def slowest(self, window: tuple[float, float]) -> float:
        """The least rate of change, relative to a solution, of which a share of a tenth is an alarm: less is no tolerance at the end."""
        return 10.0 * self.tol / (window[1] - window[0])


def rules_for(tol: float, dimension: int, witness: bool = False, coupled: int = 0) -> Rules:
    """The rules of a draw; the witness, a second draw, has one stage less and shorter steps.

    `coupled` fields that are solved for in one piece, a flow and its pressure, share TOGETHER functions.
    """
    stages = (7 if tol < 1e-10 else 5) - witness
    law = Law(per_mode=1.2, more=8, points=2.9, exact=1.0)
    if dimension == 2:
        law = Law(more=6, points=1.25, least=8.0, cut=max(DEEPEST, 1e-6 * tol))
    if dimension == 2 and (coupled or 1e-6 * tol < DEEPEST):
        # Terms of the series hold what is smooth to any tolerance, features to their cut; and of few functions they hold more.
        law = Law(per_mode=1.2, more=6, points=1.65, least=8.0, cut=max(DEEPEST, 1e-2 * tol), exact=1.0)
    if dimension > 2:
        law = Law(per_mode=1.25, more=4, points=1.25, least=5.0, cut=max(1e-12, 1e-4 * tol))
    if dimension > 3:
        law = Law(per_mode=1.0, more=1, points=1.0, more_points=3, least=3.0, cut=max(1e-12, 1e-4 * tol))
    if witness:
        # Other points and fewer terms of the series, too: two draws that share them share what these miss.
        law = replace(
            law, points=FINER * law.points, exact=(FEWER if dimension == 1 else PRODUCTS) * law.exact
        )
    most = 530 if dimension == 1 else 240 if dimension == 2 else 60
    if coupled:
        most = min(most, int(FEATURES * (TOGETHER / coupled) ** (1 / dimension)))
    return Rules(
        law=law,
        tol=tol,
        time_tol=(0.03 if witness else 0.1) * tol,
        stages=stages,
        exact=not witness,
        witness=witness,
        most=most,
        held=0.1 if dimension == 2 else 0.3,
        more=MORE if dimension == 1 else 0,
    )
