# SPDX-License-Identifier: MIT
"""The error in pictures: against a known solution, or as the field e ≈ u − u_h where a solution has one (`error_field`)."""

from collections.abc import Mapping, Sequence

import numpy as np

from lrfm.solution.plot.layers import Layer, error_layer, estimate_layer
from lrfm.solution.sampling import Coordinates, SolutionLike, sample, sample_reference


def error_layers(
    solution: SolutionLike, coordinates: Coordinates, values: Mapping[str, np.ndarray]
) -> dict[str, Layer]:
    """log10|u - u_ref| of every unknown in `values`; without a known solution log10|e|."""
    if solution.problem.reference is not None or not has_estimate(solution):
        known = sample_reference(solution, coordinates, tuple(values))
        return {name: error_layer(name, values[name], known[name]) for name in known}
    errors = sample_estimate(solution, coordinates, tuple(values))
    return {name: estimate_layer(name, errors[name]) for name in errors}


def has_estimate(solution: SolutionLike) -> bool:
    """Whether a solution knows its error as a function; the property itself would compute it."""
    return bool(getattr(solution, "has_error_field", hasattr(type(solution), "error_field")))


def sample_estimate(
    solution: SolutionLike, coordinates: Coordinates, names: Sequence[str]
) -> dict[str, np.ndarray]:
    """e on the grid of `sample`, with its sign."""
    made = [name for name in names if name not in solution.unknowns]
    if made:
        raise ValueError(
            f"`error=True` shows the error of unknowns; `{made[0]}` is a formula. Leave one of them out."
        )
    return sample(getattr(solution, "error_field"), coordinates, names)  # noqa: B009  (not every solution has one)
