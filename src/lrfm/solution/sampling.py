# SPDX-License-Identifier: MIT
"""Values of a continuous solution on a grid, u[k, i, j, ...] = u(x_i, y_j, ..., t_k): time first.

Coordinates here are the axes in the order of the domain, then "t", each a one-dimensional array. This module is used by the
drawing modules beside it and by `io`, which is why it never imports matplotlib.
"""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from lrfm.solution.places import where_inside
from lrfm.solution.reference import Coordinates, reference_values

# Points evaluated in one call: large enough to hide the cost of the call, small enough for a laptop.
SLAB = 1 << 17
MOST_POINTS = 10_000_000  # on one axis


class SolutionLike(Protocol):
    """What pictures and files need from a solution."""

    problem: Any
    report: Any

    @property
    def unknowns(self) -> tuple[str, ...]:
        """Names of the unknowns."""
        ...

    def __call__(self, **coordinates: Any) -> Any:
        """Value of the single unknown, or a dict of all of them, at broadcast coordinates."""
        ...

    def __getitem__(self, name: str) -> Callable[..., np.ndarray]:
        """One unknown as a function of the named coordinates."""
        ...


def sample(
    solution: SolutionLike, coordinates: Coordinates, names: Sequence[str] | None = None
) -> dict[str, np.ndarray]:
    """Each unknown on the tensor grid of `coordinates`, as an array (t, x, y, ...)."""
    names = tuple(solution.unknowns if names is None else names)
    absent = solution.problem.absent
    if absent:
        fields = {name: solution[name] for name in names}
        seen = lambda at: {c: a for c, a in at.items() if c not in absent}  # noqa: E731
        if solution.problem.ordinary or solution.problem.domain.is_box:
            return on_grid(
                lambda **at: {name: f(**seen(at)) for name, f in fields.items()}, coordinates, names
            )
        return on_grid(lambda **at: _inside(solution, names, seen(at)), coordinates, names)
    if not solution.problem.domain.is_box:
        return on_grid(lambda **at: _inside(solution, names, at), coordinates, names)
    if len(names) == 1 or not set(names) <= set(solution.unknowns):
        fields = {name: solution[name] for name in names}
        return on_grid(lambda **at: {name: f(**at) for name, f in fields.items()}, coordinates, names)
    return on_grid(solution, coordinates, names)  # all unknowns in one pass share the cost of the features


def _inside(solution: SolutionLike, names: Sequence[str], at: Mapping[str, Any]) -> dict[str, np.ndarray]:
    return {name: where_inside(solution.problem.domain, at, solution[name]) for name in names}


def sample_reference(
    solution: SolutionLike, coordinates: Coordinates, names: Sequence[str]
) -> dict[str, np.ndarray]:
    """The known solution of each unknown on the same grid as `sample`."""
    known = solution.problem.reference
    made = [name for name in names if name not in solution.unknowns]
    if made:
        raise ValueError(
            f"`error=True` compares unknowns with the reference; `{made[0]}` is a formula. Leave one of them out."
        )
    missing = [name for name in names if isinstance(known, Mapping) and name not in known]
    if missing:
        raise ValueError(
            f"`error=True` needs a known solution of {', '.join(missing)}; `reference` has {', '.join(known)}. "
            "Choose one of these with `unknown=`, or complete `reference` in lrfm.Problem."
        )
    absent = solution.problem.absent
    return on_grid(
        lambda **at: reference_values(
            solution.problem, {c: a for c, a in at.items() if c not in absent}, solution.report.undetermined
        ),
        coordinates,
        names,
    )


def on_grid(
    function: Callable[..., Mapping[str, Any]], coordinates: Coordinates, names: Sequence[str]
) -> dict[str, np.ndarray]:
    """Evaluate function(x=, y=, ..., t=) slab by slab in time, each with at most `SLAB` points if it can."""
    space = {name: points for name, points in coordinates.items() if name != "t"}
    times = coordinates["t"]
    shape = tuple(points.size for points in space.values())
    at = {
        name: points.reshape(tuple(-1 if k == axis + 1 else 1 for k in range(len(shape) + 1)))
        for axis, (name, points) in enumerate(space.items())
    }
    step = max(1, SLAB // max(1, int(np.prod(shape))))
    slabs: dict[str, list[np.ndarray]] = {name: [] for name in names}
    for start in range(0, times.size, step):
        part = times[start : start + step]
        values = function(**at, t=part.reshape((-1,) + (1,) * len(shape)))
        for name in names:
            slabs[name].append(np.broadcast_to(np.asarray(values[name]), (part.size, *shape)))
    return {name: np.concatenate(parts) for name, parts in slabs.items()}


def chosen_unknowns(solution: SolutionLike, unknown: str | Sequence[str] | None) -> tuple[str, ...]:
    """The names in `unknown`, or all of them, checked against those that exist."""
    if unknown is None:
        return tuple(solution.unknowns)
    names = (unknown,) if isinstance(unknown, str) else tuple(unknown)
    for name in names:
        try:
            solution[name]  # an unknown, a derivative, a formula
        except KeyError:
            raise ValueError(
                f"`unknown={name!r}` does not exist. The unknowns are: {', '.join(solution.unknowns)}."
            ) from None
    if not names:
        raise ValueError(f"`unknown` is empty. The unknowns are: {', '.join(solution.unknowns)}.")
    return names


def time_span(solution: SolutionLike) -> tuple[float, float]:
    """The times at which a solution is known: less than was asked for where a solve was broken off."""
    known = getattr(solution, "_bounds", None)
    start, end = solution.problem.time if known is None else (ends[-1] for ends in known)
    return float(start), float(end)


def chosen_times(
    solution: SolutionLike, times: int | float | Iterable[float] | None, *, count: int, label: str = "times"
) -> np.ndarray:
    """`times` as an array: None is `count` equidistant ones, an int so many, a float or a list just these."""
    if "t" in solution.problem.absent:
        if times is not None:
            raise ValueError(f"`{label}` was given, but a steady solution has no times; leave it out.")
        return np.array([solution.problem.absent["t"]])
    return axis_points(label, count if times is None else times, time_span(solution))


def picture_points(
    problem: Any, resolution: int | Mapping[str, int] | None, default: int
) -> tuple[Coordinates, int]:
    """Points per axis, and how many times: whole numbers only, since pictures need equidistant points."""
    names = problem.coordinates
    if not isinstance(resolution, Mapping):
        resolution = {} if resolution is None else dict.fromkeys(names, resolution)
    refuse_unknown_names(resolution, names)
    for name, count in resolution.items():
        if np.ndim(count) or isinstance(count, float | np.floating):
            raise TypeError(f"`resolution` of {name} is {count!r}; a picture needs a whole number of points.")
    counts = {name: resolution.get(name, default) for name in names}
    times = axis_points("t", counts.pop("t", default), (0.0, 1.0)).size
    return space_points(problem, counts, count=2), times


def space_points(problem: Any, resolution: int | Mapping[str, Any] | None, *, count: int) -> Coordinates:
    """Points per axis of the domain: `resolution` is one int for all axes, or a dict by axis name."""
    axes = {name: ends for name, ends in problem.domain.axes.items() if name in problem.coordinates}
    if resolution is None or not isinstance(resolution, Mapping):
        resolution = dict.fromkeys(axes, count if resolution is None else resolution)
    refuse_unknown_names(resolution, axes)
    return {
        name: axis_points(
            name, resolution.get(name, count), tuple(interval), bounded=name not in problem.periodic
        )
        for name, interval in axes.items()
    }


def refuse_unknown_names(given: Iterable[str], valid: Iterable[str]) -> None:
    """Name the coordinates that exist when one that does not is given."""
    valid = tuple(valid)
    for name in given:
        if name not in valid:
            raise ValueError(f"`{name}` is not a coordinate here. The coordinates are: {', '.join(valid)}.")


def axis_points(name: str, points: Any, interval: tuple[float, float], *, bounded: bool = True) -> np.ndarray:
    """An int n gives n equidistant points of [a, b] with both ends; an array is checked and taken as is."""
    lower, upper = (float(end) for end in interval)
    if np.ndim(points) == 0 and not isinstance(points, (float, np.floating)):
        try:
            count = operator.index(points)
        except TypeError:
            raise TypeError(
                f"`{name}={points!r}` must be a whole number of points or an array of them."
            ) from None
        if isinstance(points, bool) or count < 2:
            raise ValueError(
                f"`{name}={points!r}` must be a number of points of at least 2, or an array of points."
            )
        if count > MOST_POINTS:
            raise ValueError(
                f"`{name}={points!r}` is too many; at most {MOST_POINTS:,} points lie on an axis."
            )
        return np.linspace(lower, upper, count) if lower < upper else np.array([lower])  # no step was made
    array = np.atleast_1d(np.array(points, dtype=float))
    if array.ndim != 1 or array.size == 0 or not np.all(np.isfinite(array)):
        raise ValueError(
            f"`{name}` must be a list of finite numbers; an array of shape {array.shape} was given."
        )
    slack = 1e-12 * (upper - lower)
    if bounded and (array.min() < lower - slack or array.max() > upper + slack):
        raise ValueError(
            f"`{name}` reaches from {array.min():.6g} to {array.max():.6g}; the solution lives on "
            f"[{lower:.6g}, {upper:.6g}]. Choose points inside."
        )
    return array
