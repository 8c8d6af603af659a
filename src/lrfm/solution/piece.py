# SPDX-License-Identifier: MIT
"""What a solution is made of: pieces in time, and the classes of them that a file may hold."""

from __future__ import annotations

from typing import Any

from lrfm.rows.beginning import Beginning
from lrfm.rows.carried import Carried
from lrfm.rows.cell_steps import CellSteps
from lrfm.rows.expansion import Expansion
from lrfm.rows.exponentials import Exponentials
from lrfm.rows.framed import Framed
from lrfm.rows.pieces import Piece as Piece
from lrfm.rows.plane_steps import PlaneSteps
from lrfm.rows.region_steps import RegionSteps
from lrfm.rows.steps import Steps

# Classes of pieces by their name in a file.
PIECES: dict[str, Any] = {
    "Beginning": Beginning,
    "Carried": Carried,
    "CellSteps": CellSteps,
    "Expansion": Expansion,
    "Exponentials": Exponentials,
    "Framed": Framed,
    "PlaneSteps": PlaneSteps,
    "RegionSteps": RegionSteps,
    "Steps": Steps,
}
