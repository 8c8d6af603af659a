# SPDX-License-Identifier: MIT
"""The exchangeable parts of a solve, and how they are spelled in a report."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields, is_dataclass

import numpy as np

from lrfm.spacetime.features import TrialSpace
from lrfm.spacetime.least_squares import LeastSquares
from lrfm.spacetime.least_squares.backends import NUMPY, Backend
from lrfm.spacetime.windows.collocation import Collocation
from lrfm.spacetime.windows.nonlinear import Iteration


@dataclass(frozen=True)
class Parts:
    """Trial space, collocation, least squares, nonlinear iteration, and where they run."""

    space: TrialSpace
    collocation: Collocation
    least_squares: LeastSquares
    nonlinear: Iteration
    backend: Backend = NUMPY


def describe(parts: Parts) -> dict[str, str]:
    """The parts in words that can be typed back in."""
    return {f.name: spell(getattr(parts, f.name)) for f in fields(parts)}


def spell(part: object) -> str:
    """`Class(argument=value, …)` with the arguments that differ from their defaults."""
    if not is_dataclass(part):
        return repr(part)
    shown = []
    for item in fields(part):
        value = getattr(part, item.name)
        if isinstance(value, np.ndarray):
            digest = hashlib.sha256(value.tobytes()).hexdigest()[:8]
            shown.append(f"{item.name}=<array {value.shape} {digest}>")
        elif value != item.default:
            shown.append(f"{item.name}={spell(value) if is_dataclass(value) else _plain(value)}")
    return f"{type(part).__name__}({', '.join(shown)})"


def _plain(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}" if float(f"{value:.6g}") == value else repr(float(value))
    if isinstance(value, tuple):
        return f"({', '.join(map(_plain, value))}{',' if len(value) == 1 else ''})"
    return repr(value)
