# SPDX-License-Identifier: MIT
"""Where a solution is evaluated: named coordinates that are broadcast, as NumPy does it or by the names of their dimensions.

x[i], t[k] of different dimensions make a grid, which is evaluated by products per axis; anything else is points.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from math import inf, isfinite
from typing import Any

import numpy as np

from lrfm.problem.errors import listing, shown, suggest
from lrfm.problem.shapes.protocol import Domain


@dataclass(frozen=True)
class Places:
    """Arrays of the same number of dimensions, one per coordinate, time last; `dims` where they have names."""

    arrays: tuple[np.ndarray, ...]
    dims: tuple[str, ...] | None = None
    labels: Mapping[str, Any] | None = None

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(*(a.shape for a in self.arrays))

    @cached_property
    def points(self) -> np.ndarray:
        """All of them, (n, coordinates)."""
        table = np.empty((*self.shape, len(self.arrays)))
        for k, array in enumerate(self.arrays):
            table[..., k] = array
        return table.reshape(-1, len(self.arrays))

    @property
    def grid(self) -> bool:
        """Whether no dimension is shared by two coordinates."""
        if 0 in self.shape:
            return False
        return all(sum(a.shape[d] > 1 for a in self.arrays) < 2 for d in range(len(self.shape)))

    def from_grid(self, values: np.ndarray) -> np.ndarray:
        """Values (times, n₁, …) in the shape that the arguments have together."""
        shape = self.shape
        owned = [
            [d for d in range(len(shape)) if a.shape[d] > 1] for a in (self.arrays[-1], *self.arrays[:-1])
        ]
        order = [d for part in owned for d in part]
        laid_out = values.reshape([shape[d] for d in order])
        return laid_out.transpose(np.argsort(order)).reshape(shape) if order else values.reshape(shape)

    def completed(self, columns: Sequence[str], names: Sequence[str], absent: Mapping[str, float]) -> Places:
        """The same with a place for coordinates that a statement does not have, in the order of `columns`."""
        if not absent:
            return self
        dimensions = (1,) * (self.arrays[0].ndim if self.arrays else 0)
        given = dict(zip(names, self.arrays, strict=True))
        arrays = tuple(given[c] if c in given else np.full(dimensions, absent[c]) for c in columns)
        return replace(self, arrays=arrays)

    def wrap(self, values: np.ndarray, name: str) -> Any:
        """A number, an array, or an `xarray.DataArray` where a coordinate was one."""
        if self.dims is None:
            return values[()]
        import xarray

        return xarray.DataArray(values, dims=self.dims, coords=self.labels, name=name)


def read_places(coordinates: Mapping[str, Any], names: Sequence[str]) -> Places:
    """Coordinates as they were given; TypeError or ValueError with what is wrong with them."""
    if coordinates.keys() != set(names):
        raise TypeError(_wrong_names(coordinates, names))
    given = [coordinates[name] for name in names]
    if any(_labeled(value) for value in given):
        return _by_dimension(names, given)
    arrays = [_numbers(name, value) for name, value in zip(names, given, strict=True)]
    count = max((a.ndim for a in arrays), default=0)
    padded = tuple(a if a.ndim == count else a.reshape((1,) * (count - a.ndim) + a.shape) for a in arrays)
    places = Places(padded)
    try:
        _ = places.shape
    except ValueError:
        shapes = ", ".join(f"{name} {a.shape}" for name, a in zip(names, arrays, strict=True))
        raise ValueError(
            f"The coordinates have shapes that do not go together: {shapes}. Give arrays of one shape for points, or "
            f"{names[0]}[:, None] and {names[-1]}[None, :] for a grid."
        ) from None
    return places


def refuse_positions(given: Sequence[object], names: Sequence[str]) -> None:
    """TypeError for arguments without names: which of them is time cannot be seen."""
    if given:
        if isinstance(given[0], str):
            call = ", ".join(f"{name}=..." for name in names)
            raise TypeError(
                f"Derivatives and formulas are taken by square brackets: write `[{given[0]!r}]({call})`."
            )
        values = [f"{value:g}" if isinstance(value, int | float) else "..." for value in given]
        pairs = zip_longest(names, values[: len(names)], fillvalue="...")
        call = ", ".join(f"{name}={value}" for name, value in pairs)
        raise TypeError(f"Coordinates are given by name: write `({call})`.")


def check_inside(
    places: Places, names: Sequence[str], lower: Sequence[float], upper: Sequence[float]
) -> None:
    """ValueError for the first coordinate outside of its interval."""
    for name, low, high, values in zip(names, lower, upper, places.arrays, strict=True):
        # A coordinate in single precision may miss the end by its rounding.
        slack = 1e-7 * max(high - low, abs(low), abs(high))
        least, most = (values.item(),) * 2 if values.size == 1 else _range(values)
        if least < low - slack or most > high + slack:
            bad = (values < low - slack) | (values > high + slack)
            raise ValueError(
                f"{name}={values[bad][0]:g} lies outside of [{low:g}, {high:g}], where the solution was "
                "computed; pass `outside=True` to extrapolate (no accuracy is promised there)."
            )


def where_inside(domain: Domain, at: Mapping[str, Any], function: Callable[..., np.ndarray]) -> np.ndarray:
    """Values of a function where the points are in the domain, nan elsewhere; everywhere, as they are, in a box."""
    if domain.is_box:
        return np.asarray(function(**at))
    arrays = np.broadcast_arrays(*at.values())
    columns = [a.ravel() for a in arrays]
    n = domain.dimension
    keep = domain.contains(np.column_stack(columns[:n]), *columns[n:])  # steady ones have no time
    return where_true(keep.reshape(arrays[0].shape), function, at)


def where_true(keep: np.ndarray, function: Callable[..., np.ndarray], at: Mapping[str, Any]) -> np.ndarray:
    """Values of a function where `keep` is True, nan elsewhere."""
    if keep.all():
        return np.asarray(function(**at))
    columns = [np.broadcast_to(a, keep.shape)[keep] for a in at.values()]
    values = np.asarray(function(**dict(zip(at, columns, strict=True))))
    whole = np.full((*values.shape[:-1], *keep.shape), np.nan, dtype=values.dtype)
    whole[..., keep] = values
    return whole


def check_contained(places: Places, names: Sequence[str], domain: Domain) -> None:
    """ValueError for the first point outside of a domain that is no box; coordinates without a name are not told."""
    points = places.points
    bad = ~domain.contains(points[:, :-1], points[:, -1])
    if bad.any():
        place = ", ".join(f"{n}={v:g}" for n, v in zip(names, points[bad][0], strict=True) if n)
        raise ValueError(
            f"The point {place} lies outside of the domain {domain!r}; pass `outside=True` to extrapolate (no accuracy is "
            "promised there)."
        )


def _range(values: np.ndarray) -> tuple[float, float]:
    return (values.min(), values.max()) if values.size else (inf, -inf)


def _wrong_names(coordinates: Mapping[str, Any], names: Sequence[str]) -> str:
    unknown = [c for c in coordinates if c not in names]
    missing = [c for c in names if c not in coordinates]
    said = f"`{unknown[0]}` is no coordinate" if unknown else f"{listing(missing)} is missing"
    near = suggest(unknown[0], names) if unknown else ""
    return f"{said}; evaluate with all of {listing(names)} by name, such as {names[0]}=0.3.{near}"


def _numbers(name: str, value: Any) -> np.ndarray:
    if type(value) is float and isfinite(value):  # by far the most frequent call
        return np.array(value)
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(
            f"The coordinate `{name}` was given as {shown(value)}; expected a number or an array of numbers."
        ) from None
    if value is None or not np.isfinite(array).all():
        bad = value if array.ndim == 0 else f"an array with {array[~np.isfinite(array)][0]} in it"
        raise ValueError(
            f"The coordinate `{name}` was given as {bad}; expected finite numbers. Leave such places out."
        )
    return array


def _labeled(value: Any) -> bool:
    """Whether it is an `xarray.DataArray` or behaves like one."""
    return hasattr(value, "dims") and hasattr(value, "coords")


def _by_dimension(names: Sequence[str], given: Sequence[Any]) -> Places:
    """Dimensions of one name go together, others make a grid, in the order in which they occur."""
    sizes: dict[str, int] = {}
    labels: dict[str, Any] = {}
    for name, value in zip(names, given, strict=True):
        if not _labeled(value) and np.ndim(value):
            raise TypeError(
                f"`{name}` is an array without names of dimensions, but another coordinate has them; give all arrays as "
                "`xarray.DataArray`, or none."
            )
        for dim, size in zip(getattr(value, "dims", ()), np.shape(value), strict=True):
            if sizes.setdefault(dim, size) != size:
                raise ValueError(
                    f"The dimension `{dim}` has {sizes[dim]} places in one coordinate and {size} in `{name}`."
                )
            if dim in value.coords:
                labels[dim] = value.coords[dim]
    dims = tuple(sizes)
    arrays = []
    for name, value in zip(names, given, strict=True):
        own, numbers = getattr(value, "dims", ()), _numbers(name, value)
        order = [own.index(dim) for dim in dims if dim in own]
        shape = [sizes[dim] if dim in own else 1 for dim in dims]
        arrays.append(numbers.transpose(order).reshape(shape))
    return Places(tuple(arrays), dims, labels)
