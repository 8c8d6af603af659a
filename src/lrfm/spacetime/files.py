# SPDX-License-Identifier: MIT
"""Classes of the engine in space and time that a file may hold, by their name there."""

from typing import Any

from lrfm.spacetime.features.stored import space_classes as space_classes
from lrfm.spacetime.windows.expansion import Expansion

PIECES: dict[str, Any] = {"Expansion": Expansion}
