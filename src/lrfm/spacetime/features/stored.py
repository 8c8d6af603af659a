# SPDX-License-Identifier: MIT
"""The classes a stored trial space may consist of, and whether their numbers belong together: nothing else is built when a file is read."""

from collections.abc import Sequence
from dataclasses import is_dataclass
from math import isfinite

import numpy as np

from lrfm.spaces.stored import check_array

from . import bumps, charts, cores, ridge, space, towers

MOST_NEIGHBORS = 1000  # of a bump, on one side


def space_classes() -> dict[str, type]:
    """Name → class of every frozen dataclass that a `Space` can contain."""
    rooms = (bumps, charts, cores, ridge, space, towers)
    found = {
        name: value
        for room in rooms
        for name, value in vars(room).items()
        if isinstance(value, type) and is_dataclass(value) and value.__module__ == room.__name__
    }
    return found | {"Window": bumps.Bump}  # its name in files of version 0.1


def check_space(given: object) -> None:
    """Refuse a space whose parts do not belong together, or could not be evaluated; their types are right already."""
    if not isinstance(given, space.Space) or not given.patches:
        raise ValueError("a trial space has no patches")
    for patch in given.patches:
        frame, axes = patch.frame, given.patches[0].frame.center.size
        check_array("center", frame.center, (axes,))
        check_array("period", frame.period, (axes,))
        if axes < 1 or not np.all(frame.period >= 0):
            raise ValueError("`period` of a frame is negative, or it has no axes")
        _check_scalars(start=frame.start)
        for factor in patch.factors:
            _check_factor(factor, axes)
        _check_core(patch.core, axes, False)


def _check_scalars(**values: float) -> None:
    for name, value in values.items():
        if not isfinite(value):
            raise ValueError(f"`{name}` is {value}")


def _check_positive(**values: float) -> None:
    _check_scalars(**values)
    for name, value in values.items():
        if not value > 0:
            raise ValueError(f"`{name}` is {value}, where a positive number is needed")


def _check_factor(factor: object, axes: int) -> None:
    if not isinstance(factor, bumps.Bump | bumps.Distance) or not 0 <= factor.axis < axes:
        raise ValueError("a factor is of another kind, or of an axis that is not there")
    if isinstance(factor, bumps.Distance):
        _check_positive(half=factor.half)
        _check_scalars(center=factor.center)
        return
    _check_positive(width=factor.width, radius=factor.radius)
    for count in (factor.before, factor.after):
        if not 0 <= count <= MOST_NEIGHBORS or count * factor.width > 2 * factor.radius + factor.width:
            raise ValueError(f"a bump has {count} neighbors on one side")


def _check_charts(given: Sequence[object], count: int) -> int:
    """Refuse charts that are not as many as there are axes; their components."""
    for chart in given:
        if isinstance(chart, charts.Affine):
            _check_scalars(scale=chart.scale, center=chart.center)
            _check_positive(scale=abs(chart.scale))
        elif isinstance(chart, charts.Cosine):
            _check_scalars(lower=chart.lower)
            _check_positive(length=chart.length)
        elif isinstance(chart, charts.Periodic):
            _check_positive(length=chart.length)
        else:
            raise ValueError("a chart is of another kind")
    if len(given) != count:
        raise ValueError(f"there are {len(given)} charts, where {count} are needed")
    return sum(chart.components for chart in given)  # type: ignore[attr-defined]


def _check_ridge(given: ridge.Ridge, size: int, components: int) -> None:
    check_array("weights", given.weights, (size, components))
    check_array("biases", given.biases, (size,))


def _check_core(core: object, axes: int, complex_too: bool) -> None:
    """Refuse a core that is not one of `axes` axes; one inside of `RealParts` may be complex."""
    size = getattr(core, "size", 0)
    if size < 1:
        raise ValueError("a core has no functions")
    if isinstance(core, cores.LiquidCore):
        components = _check_charts(core.charts, axes)
        for one in (core.gate_ridge, core.start_ridge):
            _check_ridge(one, size, components)
        check_array("rates", core.rates, (size,), complex_too)
        check_array("amplitudes", core.amplitudes, (size,))
        _check_scalars(gate=core.gate)
    elif isinstance(core, cores.RidgeCore):
        _check_ridge(core.ridge, size, _check_charts(core.charts, axes + 1))
    elif isinstance(core, cores.SeparatedCore):
        _check_ridge(core.ridge, size, _check_charts(core.charts, axes))
        _check_ridge(core.time_ridge, size, _check_charts((core.time_chart,), 1))
    elif isinstance(core, cores.Moving):
        _check_core(core.core, axes, complex_too)
        check_array("velocities", core.velocities, (size, axes))
    elif isinstance(core, cores.Steady):
        _check_core(core.core, axes, complex_too)
    elif isinstance(core, cores.RealParts):
        _check_core(core.core, axes, True)
        if (size + 1) // 2 != core.core.size:
            raise ValueError(f"{core.core.size} complex functions do not make {size} real ones")
    else:
        raise ValueError(f"a core is of the class {type(core).__name__}")
