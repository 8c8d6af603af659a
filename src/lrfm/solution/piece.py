# SPDX-License-Identifier: MIT
"""What a solution is made of: pieces in time, and the classes of them that a file may hold."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from lrfm.rows.beginning import Beginning
from lrfm.rows.carried import Carried
from lrfm.rows.cell_steps import CellSteps
from lrfm.rows.derived import Cut, Gap, Selected
from lrfm.rows.framed import Framed
from lrfm.rows.grid_steps import GridSteps
from lrfm.rows.pieces import Piece as Piece
from lrfm.rows.plane_steps import PlaneSteps
from lrfm.rows.series_steps import SeriesSteps

# Classes of pieces by their name in a file; those of the engine in space and time are in `space_time`.
PIECES: dict[str, Any] = {
    "Beginning": Beginning,
    "Carried": Carried,
    "CellSteps": CellSteps,
    "Cut": Cut,
    "Framed": Framed,
    "Gap": Gap,
    "GridSteps": GridSteps,
    "PlaneSteps": PlaneSteps,
    "Selected": Selected,
    "SeriesSteps": SeriesSteps,
}
# Pieces that nobody makes any more: a file with one of them is refused with a sentence.
RETIRED = ("Exponentials", "RegionSteps", "Steps")


def space_time() -> Any:
    """What a file of the engine in space and time may hold (`lrfm.spacetime.files`): loaded when a file is written or read."""
    return import_module("lrfm.spacetime.files")


def piece_classes() -> dict[str, Any]:
    """Classes of pieces of every engine by their name in a file."""
    return {**PIECES, **space_time().PIECES}
