# SPDX-License-Identifier: MIT
"""A solution as an `xarray.Dataset`: u[t, x, y, z] with its coordinates; the statement becomes attributes."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from lrfm.problem.labeled import xarray_for
from lrfm.solution.sampling import (
    Coordinates,
    SolutionLike,
    chosen_times,
    refuse_unknown_names,
    sample,
    space_points,
)

_POINTS = {1: 201, 2: 101, 3: 41}  # per axis, by number of axes
MOST_VALUES = 2 * 10**8  # in one file or dataset
_TIMES = {0: 1001, 1: 101, 2: 21, 3: 11}


def to_xarray(solution: SolutionLike, **resolution: Any) -> Any:
    """Sample a solution on a grid: `to_xarray(solution, x=201, t=41)`.

    Each keyword is an axis or `t`; its value is a number of equidistant points with both ends, or an array of
    points. Variables have the dimensions (t, x, y, z); a complex unknown is a complex variable.
    """
    xarray = xarray_for("`to_xarray`")
    refuse_unknown_names(resolution, solution.problem.coordinates)
    times = resolution.pop("t", None)
    coordinates = grid(solution, resolution, times)
    dims = ("t", *(name for name in coordinates if name != "t"))
    values = sample(solution, coordinates)
    if "t" in solution.problem.absent:
        dims, values = dims[1:], {name: array[0] for name, array in values.items()}
    return xarray.Dataset(
        {name: (dims, array) for name, array in values.items()},
        coords={name: coordinates[name] for name in dims},
        attrs=attributes(solution),
    )


def grid(
    solution: SolutionLike,
    resolution: int | Mapping[str, Any] | None,
    times: int | float | Iterable[float] | None,
) -> Coordinates:
    """Coordinates for files: modest by default, because the solution can always be sampled again."""
    problem = solution.problem
    axes = 0 if problem.ordinary else len(problem.domain.axes)
    space = space_points(problem, resolution, count=_POINTS.get(axes, 17))
    coordinates = {**space, "t": chosen_times(solution, times, count=_TIMES.get(axes, 11))}
    points = math.prod(array.size for array in coordinates.values())
    if points * len(solution.unknowns) > MOST_VALUES:
        counts = ", ".join(f"{name}={array.size}" for name, array in coordinates.items())
        raise ValueError(
            f"A grid with {counts} has {points:.3g} points, {points * len(solution.unknowns) * 8 / 2**30:.3g} GB; the limit "
            f"is {MOST_VALUES:.0e} values. Sample fewer points, or a part of the domain at a time."
        )
    return coordinates


def split_complex(values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Real arrays only: psi becomes psi_re and psi_im."""
    split: dict[str, np.ndarray] = {}
    for name, array in values.items():
        parts = (
            {f"{name}_re": np.real(array), f"{name}_im": np.imag(array)}
            if np.iscomplexobj(array)
            else {name: array}
        )
        for part in parts:
            if part in split:
                raise ValueError(f"Two columns would be called {part!r}. Rename the unknown of this name.")
        split |= parts
    return split


def attributes(solution: SolutionLike) -> dict[str, str | int | float]:
    """The statement and the report as texts and numbers; what is neither is left out."""
    problem, report = solution.problem, solution.report
    statement = {
        "source": "lrfm",
        "title": problem.name,
        "equations": _text(problem.equations),
        "domain": ", ".join(
            f"{name} in [{a:.17g}, {b:.17g}]"
            for name, (a, b) in problem.domain.axes.items()
            if name in problem.coordinates
        ),
        "time": "" if problem.steady else "t in [{:.17g}, {:.17g}]".format(*problem.time),
        "initial": _text(problem.initial),
        "boundary": None if problem.ordinary else _text(problem.boundary),
        "periodic": ", ".join(sorted(problem.periodic)),
        **{
            f"parameter_{name}": _text(value) if callable(value) or isinstance(value, Mapping) else value
            for name, value in problem.parameters.items()
        },
    }
    told = {field.name: getattr(report, field.name) for field in fields(report)}
    simple = {name: _simple(value) for name, value in (told | statement).items()}
    return {name: value for name, value in simple.items() if value is not None and value != ""}


def _simple(value: Any) -> str | int | float | None:
    """A text or a number, or None for anything else."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return int(value)  # NetCDF has no bool
    if isinstance(value, complex):
        return str(value)
    if isinstance(value, (str, int, float)):
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return "; ".join(value)
    return None


def _text(value: Any) -> str | None:
    """A statement in words; a function by its name."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {_text(item) or 'none'}" for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return "; ".join(_text(item) or "none" for item in value)
    if callable(value):
        return f"function {getattr(value, '__name__', type(value).__name__)}"
    return str(value) if isinstance(value, (int, float, complex, np.generic)) else None
