# SPDX-License-Identifier: MIT
"""Where features live: the box cut into patches, each with its frame, charts and spatial factors.

Every axis is treated on its own, and patches are the products of intervals, the last axis running fastest.
An axis with one interval has no bump, and a space with one interval on every axis is the paper's global one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil, prod

import numpy as np

from lrfm.problem.calls import naming

from .arguments import check_choice, check_count, check_number
from .bumps import Bump, Distance, Factor
from .charts import Affine, Chart, Cosine, Periodic
from .protocols import Counts
from .space import Frame

PERIODIC = ("chart", "rows")


@dataclass(frozen=True, kw_only=True, eq=False)
class PatchShape:
    """One patch before its features are drawn: half widths of its support, and what every feature shares."""

    frame: Frame
    half: np.ndarray
    charts: tuple[Chart, ...]
    factors: tuple[Factor, ...]

    @property
    def local(self) -> bool:
        """Whether the patch is a part of the box."""
        return any(isinstance(factor, Bump) for factor in self.factors)

    def contains(self, points: np.ndarray) -> np.ndarray:
        """Which points (n, axes) lie in the patch."""
        return np.all(np.abs(np.transpose(self.frame.offsets(points.T))) <= self.half, axis=1)


@dataclass(frozen=True, kw_only=True)
class Layout:
    """A box, which of its axes are periodic, and how it is cut.

    Parameters
    ----------
    names, lower, upper, periodic
        One entry per axis.
    start
        Physical time at which the window begins.
    patches
        None (global), patches per axis, or one count per axis.
    overlap
        How far a patch reaches beyond its interval on each side, in widths of the interval.
    exact
        Periodic axes are periodic in every feature (chart or wrapped patches); otherwise affine as any other.
    vanish
        Faces, such as "x-", on which every feature is zero.
    cosine
        Axes, by name or number, on which every feature has zero normal derivative at both ends.
    """

    names: tuple[str, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    periodic: tuple[bool, ...]
    start: float
    patches: int | tuple[int, ...] | None
    overlap: float
    exact: bool = True
    vanish: tuple[str, ...] = ()
    cosine: tuple[str | int, ...] = ()

    def shapes(self) -> list[PatchShape]:
        """The patches, the last axis running fastest."""
        counts = self._counts()
        cosine = self._cosine_axes(counts)
        faces = self._faces(cosine)
        axes = [self._axis(i, counts[i], i in cosine, faces) for i in range(len(self.names))]
        return [
            PatchShape(
                frame=Frame(
                    center=np.array([c.center for c in parts]),
                    period=np.array([c.period for c in parts]),
                    start=self.start,
                ),
                half=np.array([c.half for c in parts]),
                charts=tuple(c.chart for c in parts),
                factors=tuple(factor for c in parts for factor in c.factors),
            )
            for parts in product(*axes)
        ]

    def _axis(self, axis: int, count: int, cosine: bool, faces: set[str]) -> list[_Interval]:
        lower, length = self.lower[axis], self.upper[axis] - self.lower[axis]
        wraps = self.exact and self.periodic[axis]
        width = length / count
        half = 0.5 * width * (1.0 + 2.0 * self.overlap) if count > 1 else 0.5 * length
        if wraps and count > 1 and 2.0 * half > length:
            raise ValueError(
                f"`overlap={self.overlap}` makes a patch on the periodic axis {self.names[axis]} wider "
                f"than the axis; with {count} patches give at most {0.5 * (count - 1)}, or take more patches."
            )
        if wraps and count == 1:
            chart: Chart = Periodic(length=length)
        elif cosine:
            chart = Cosine(lower=-0.5 * length, length=length)
        else:
            chart = Affine(scale=half)
        reach = ceil(1.0 + 2.0 * self.overlap) - 1  # neighbors whose support meets this one
        intervals = []
        for k in range(count):
            center = lower + (k + 0.5) * width
            factors: list[Factor] = []
            if count > 1:
                before, after = (reach, reach) if wraps else (min(reach, k), min(reach, count - 1 - k))
                factors.append(Bump(axis=axis, width=width, radius=half, before=before, after=after))
            if ends := {side for side in "-+" if self.names[axis] + side in faces}:
                middle = lower + 0.5 * length - center
                factors.append(
                    Distance(
                        axis=axis, center=middle, half=0.5 * length, lower="-" in ends, upper="+" in ends
                    )
                )
            period = length if wraps and count > 1 else 0.0
            intervals.append(
                _Interval(center=center, half=half, period=period, chart=chart, factors=tuple(factors))
            )
        return intervals

    def _counts(self) -> tuple[int, ...]:
        d = len(self.names)
        counts = self.patches if isinstance(self.patches, tuple) else (self.patches or 1,) * d
        if len(counts) != d:
            raise ValueError(
                f"`patches={self.patches}` has {len(counts)} entries for the {d} axes "
                f"{', '.join(self.names)}; give one count for all axes, or one per axis."
            )
        return counts

    def _cosine_axes(self, counts: tuple[int, ...]) -> set[int]:
        axes = set()
        for entry in self.cosine:
            if entry not in self.names and entry not in range(len(self.names)):
                raise ValueError(
                    f"`cosine` names the axis {entry!r}; the axes are {', '.join(self.names)} "
                    f"(or 0 to {len(self.names) - 1})."
                )
            axis = self.names.index(entry) if isinstance(entry, str) else entry
            if self.periodic[axis] or counts[axis] > 1:
                why = "is periodic" if self.periodic[axis] else f"is cut into {counts[axis]} patches"
                raise ValueError(
                    f"`cosine` needs a whole axis with two ends, but {self.names[axis]} {why}; "
                    "leave it out of `cosine`, or change the other."
                )
            axes.add(axis)
        return axes

    def _faces(self, cosine: set[int]) -> set[str]:
        known = [name + side for name in self.names for side in "-+"]
        for face in self.vanish:
            if face not in known:
                raise ValueError(f"`vanish` names the face {face!r}; the faces are {', '.join(known)}.")
            axis = self.names.index(face[:-1])
            if self.periodic[axis] or axis in cosine:
                kind = "periodic" if self.periodic[axis] else "in `cosine`"
                raise ValueError(
                    f"`vanish` names the face {face!r}, but the axis {face[:-1]} is {kind}; give one of them."
                )
        return set(self.vanish)


@dataclass(frozen=True, kw_only=True)
class _Interval:
    """One patch along one axis. `period` is zero where offsets are not wrapped."""

    center: float
    half: float
    period: float
    chart: Chart
    factors: tuple[Factor, ...]


@naming
class Patched:
    """What the configurations of this package share: how many functions, on which patches.

    A mixin for frozen dataclasses that have these fields.
    """

    features: int | None
    per_patch: int | None
    patches: int | tuple[int, ...] | None
    overlap: float
    periodic: str

    def _check_layout(self) -> None:
        if (self.features is None) == (self.per_patch is None):
            given = "both" if self.features is not None else "neither"
            raise ValueError(
                f"{given} of `features` and `per_patch` given; give exactly one: "
                "`features=400` for a global space, or `per_patch=100, patches=4` for a local one."
            )
        if self.features is not None and self.patches is not None:
            raise ValueError(
                f"`features={self.features!r}` counts the functions of a global space, but `patches={self.patches!r}` asks "
                "for a local one; give `per_patch` with `patches`, or leave `patches` out."
            )
        name = "features" if self.per_patch is None else "per_patch"
        check_count(name, getattr(self, name))
        if self.patches is not None:
            for count in self.patches if isinstance(self.patches, tuple) else (self.patches,):
                check_count("patches", count)
        check_number("overlap", self.overlap, positive=True)
        check_choice("periodic", self.periodic, PERIODIC)

    @property
    def needs_periodic_rows(self) -> bool:
        """Whether the features leave periodicity to rows."""
        return self.periodic == "rows"

    @property
    def _each(self) -> int:
        """Functions of one patch."""
        return self.per_patch or self.features or 0

    def counts(self, axes: int) -> Counts:
        """How many features a field has on so many axes."""
        patches = self.patches if isinstance(self.patches, tuple) else (self.patches or 1,) * axes
        return Counts(self._each * prod(patches), patches, self.overlap)

    def _shapes(
        self,
        names: Sequence[str],
        lower: np.ndarray,
        upper: np.ndarray,
        periodic: Sequence[bool],
        window: tuple[float, float],
        vanish: tuple[str, ...] = (),
        cosine: tuple[str | int, ...] = (),
    ) -> list[PatchShape]:
        check_box(names, lower, upper, periodic, window)
        return Layout(
            names=tuple(names),
            lower=tuple(map(float, lower)),
            upper=tuple(map(float, upper)),
            periodic=tuple(map(bool, periodic)),
            start=float(window[0]),
            patches=self.patches,
            overlap=self.overlap,
            exact=not self.needs_periodic_rows,
            vanish=vanish,
            cosine=cosine,
        ).shapes()


def check_box(
    names: Sequence[str],
    lower: np.ndarray,
    upper: np.ndarray,
    periodic: Sequence[bool],
    window: tuple[float, float],
) -> None:
    """The box and the time window that features are sampled on."""
    if not names or not len(names) == len(lower) == len(upper) == len(periodic):
        raise ValueError(
            f"the box has {len(names)} names, {len(lower)} lower and {len(upper)} upper ends and "
            f"{len(periodic)} periodic flags; give one of each per axis, and at least one axis."
        )
    for name, low, high in [*zip(names, lower, upper, strict=True), ("t", *window)]:
        if not (np.isfinite([low, high]).all() and low < high):
            raise ValueError(
                f"the range of {name} is ({low}, {high}); give two finite ends, the lower one first."
            )
