# SPDX-License-Identifier: MIT
"""Sampled trial spaces: what the rest of the package sees of features.

u = Σ_q c_q Φ_q(x, t),   Φ_q = factors(x) · core(x, t) on each patch. Paper, eq:unified-ansatz.

A global space is one patch without factors. Everything here is frozen data, so that a space can be written
to a file field by field.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from lrfm.spaces.orders import MultiIndex
from lrfm.spacetime.features.orders import below, binomial, checked, minus
from lrfm.spacetime.least_squares.backends import NUMPY, Array, Backend

from .arguments import readonly
from .bumps import Bump, Factor, product_jets
from .cores import Core
from .grids import PointRun, runs
from .protocols import Jets, SampledSpace
from .workspace import Workspace, workspace


@dataclass(frozen=True, kw_only=True, eq=False)
class Frame:
    """y = x − center, wrapped into one period where that is not zero; t from the start of the window."""

    center: np.ndarray
    period: np.ndarray
    start: float

    def __post_init__(self):
        object.__setattr__(self, "center", readonly(self.center))
        object.__setattr__(self, "period", readonly(self.period))

    def offsets(self, places: Iterable[np.ndarray]) -> list[np.ndarray]:
        """y, one array per axis."""
        coordinates = []
        for x, center, period in zip(places, self.center, self.period, strict=True):
            y = x - center
            coordinates.append(y - period * np.round(y / period) if period else y)
        return coordinates


@dataclass(frozen=True, kw_only=True, eq=False)
class Patch:
    """Φ = Π factors(x) · φ(x, t), with derivatives by the Leibniz rule. Paper, eq:leibniz-pou."""

    frame: Frame
    factors: tuple[Factor, ...]
    core: Core

    @property
    def size(self) -> int:
        """Number of functions of this patch."""
        return self.core.size

    def extent(self) -> tuple[int, float, float, float] | None:
        """(axis, center, half width, period or 0) of the first axis along which the patch is a part of the box."""
        for factor in self.factors:
            if isinstance(factor, Bump):
                axis = factor.axis
                return axis, float(self.frame.center[axis]), factor.radius, float(self.frame.period[axis])
        return None

    def support(self, points: np.ndarray) -> np.ndarray:
        """Where the functions of this patch are not zero, (points,) of bool."""
        coordinates = self.frame.offsets(points.T[:-1])
        return np.logical_and.reduce(
            [np.ones(len(points), bool), *(f.support(coordinates) for f in self.factors)]
        )

    def tiles(
        self, points: np.ndarray, inside: np.ndarray | slice, orders: list[MultiIndex], work: Workspace
    ) -> Iterator[tuple[slice, Array | slice, Jets]]:
        """Runs of functions and of points `inside` the support, with the jets (functions, points) there."""
        whole = isinstance(inside, slice)
        tall, wide = work.xp.tile
        cut = list(runs(points if whole else points[inside], wide))
        for top in range(0, self.size, tall):
            rows = slice(top, min(top + tall, self.size))
            core = self.core.part(rows)
            for run in cut:
                where = run.where if whole else inside[run.where]
                where = where if isinstance(where, slice) else work.xp.asarray(where)
                jets = self._jets(core, run, orders, work)
                yield rows, where, {order: values.reshape((core.size, -1)) for order, values in jets.items()}

    def _jets(self, core: Core, run: PointRun, orders: list[MultiIndex], work: Workspace) -> Jets:
        coordinates, t = self.frame.offsets(run.places), run.times - self.frame.start
        weights = product_jets(
            self.factors, [y.ravel() for y in coordinates], {order[:-1] for order in orders}
        )
        terms = {
            order: [(b, (*minus(order[:-1], b), order[-1])) for b in below(order[:-1]) if b in weights]
            for order in orders
        }
        work.begin(core.size, run.shape, run.places.shape[1:])
        # What has one number per point has been NumPy's so far; from here on features meet points.
        *coordinates, t = map(work.xp.asarray, (*coordinates, t))
        shape = run.places.shape[1:]
        weights = {
            b: work.xp.asarray(np.broadcast_to(weight, prod(shape)).reshape(shape))
            for b, weight in weights.items()
        }
        inner_jets = core.jets(
            coordinates, t, {inner for pairs in terms.values() for _, inner in pairs}, work
        )
        if not self.factors:
            return inner_jets
        jets = {}
        for order, pairs in terms.items():
            for b, inner in pairs:
                if inner in inner_jets:
                    weight = binomial(order[:-1], b) * weights[b]
                    if order in jets:
                        work.add_product(jets[order], inner_jets[inner], weight)
                    else:
                        jets[order] = work.times(inner_jets[inner], weight)
        return jets


HARDLY = 0.15  # part of the points that a patch usually sees, below which it is left out of a domain


@dataclass(frozen=True, kw_only=True, eq=False)
class Space(SampledSpace):
    """Trial functions Φ₁, …, Φ_P with derivatives of every order, numbered patch after patch."""

    patches: tuple[Patch, ...]

    @property
    def size(self) -> int:
        """Number of trial functions, P."""
        return sum(patch.size for patch in self.patches)

    @property
    def axes(self) -> int:
        """Number of space axes."""
        return self.patches[0].frame.center.size

    def starting(self, start: float) -> "Space":
        """The same functions, with local time counted from another start."""
        return Space(
            patches=tuple(replace(p, frame=replace(p.frame, start=float(start))) for p in self.patches)
        )

    def tail(self, count: int) -> tuple["Space", np.ndarray]:
        """The last `count` functions of every patch, the slowest ones of a liquid space, and their columns in this one."""
        count += count % 2  # real and imaginary parts stay together
        parts, columns, first = [], [], 0
        for patch in self.patches:
            begin = max(0, (patch.size - count) // 2 * 2)
            parts.append(replace(patch, core=patch.core.part(slice(begin, patch.size))))
            columns.append(np.arange(first + begin, first + patch.size))
            first += patch.size
        return Space(patches=tuple(parts)), np.concatenate(columns)

    def meeting(self, points: np.ndarray) -> "Space":
        """The same without the patches that see none of some points, (N, axes + 1), or hardly any: their neighbors see these, too."""
        counts = [len(points) if isinstance(s, slice) else len(s) for s in self.supports(points)]
        enough = HARDLY * float(np.median([count for count in counts if count] or [1]))
        return Space(
            patches=tuple(p for p, count in zip(self.patches, counts, strict=True) if count > enough)
        )

    def by_patch(self) -> list[tuple[SampledSpace, slice, np.ndarray]]:
        """Each patch as a space of its own, with its columns and its center."""
        ends = np.cumsum([0, *(patch.size for patch in self.patches)])
        return [
            (Space(patches=(patch,)), slice(int(first), int(last)), patch.frame.center)
            for patch, first, last in zip(self.patches, ends[:-1], ends[1:], strict=True)
        ]

    def supports(self, points: np.ndarray) -> list[np.ndarray | slice]:
        """For each patch the numbers of the points at which it is not zero; a slice where these are all.

        Points are sorted along an axis first, so that a patch looks at those near it and the cost does not grow with the
        number of patches times the number of points.
        """
        points = self._points(points)
        sorted_along: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        found = []
        for patch in self.patches:
            extent = patch.extent()
            if extent is None:
                found.append(_numbers(patch.support(points)))
                continue
            axis, center, half, period = extent
            if axis not in sorted_along:
                x = np.mod(points[:, axis], period) if period else points[:, axis]
                order = np.argsort(x, kind="stable")
                sorted_along[axis] = order, x[order]
            near = _near(*sorted_along[axis], np.mod(center, period) if period else center, half, period)
            inside = np.sort(near[patch.support(points[near])])
            found.append(slice(None) if inside.size == len(points) else inside)
        return found

    def jets(self, points: np.ndarray, orders: Iterable[MultiIndex], xp: Backend = NUMPY) -> Jets:
        """Derivative matrices {order: (points, P)}, each in column-major layout, on the device of a backend.

        Parameters
        ----------
        points
            (N, axes + 1) physical coordinates, time last.
        orders
            Multi-indices with one entry per axis, time last: u_xxt on (x, y) is (2, 0, 1).
        xp
            Where they are computed and stay; NumPy unless said.
        """
        points, orders = self._points(points), checked(orders, self.axes)
        result = {order: xp.zeros((self.size, len(points))) for order in orders}
        for rows, where, jets in self._tiles(points, orders, xp):
            for order, values in jets.items():
                result[order][rows, where] = values
        return {order: matrix.T for order, matrix in result.items()}

    def combine(self, points: np.ndarray, orders: Iterable[MultiIndex], coefficients: np.ndarray) -> Jets:
        """{order: Σ_q c_q DᵃΦ_q(points)} of shape (N,) or (N, k), without the matrices (points, P)."""
        points, orders = self._points(points), checked(orders, self.axes)
        coefficients = np.asarray(coefficients, dtype=float)
        if coefficients.ndim not in (1, 2) or coefficients.shape[0] != self.size:
            raise ValueError(
                f"`coefficients` has shape {coefficients.shape}; this space has {self.size} functions: "
                f"give an array of shape ({self.size},) or ({self.size}, k)."
            )
        result = {order: np.zeros((*coefficients.shape[1:], len(points))) for order in orders}
        for rows, where, jets in self._tiles(points, orders, NUMPY):
            for order, values in jets.items():
                result[order][..., where] += coefficients[rows].T @ values
        return {order: values.T for order, values in result.items()}

    def values(self, points: np.ndarray, order: MultiIndex, coefficients: np.ndarray) -> np.ndarray:
        """Σ_q c_q DᵃΦ_q(points), shape (N,) for coefficients (P,) and (N, k) for (P, k)."""
        (result,) = self.combine(points, [order], coefficients).values()
        return result

    def _tiles(self, points: np.ndarray, orders: list[MultiIndex], xp: Backend):
        first, work = 0, workspace(xp)
        for patch, inside in zip(self.patches, self.supports(points), strict=True):
            for rows, where, jets in patch.tiles(points, inside, orders, work) if orders else ():
                yield slice(first + rows.start, first + rows.stop), where, jets
            first += patch.size

    def _points(self, points: np.ndarray) -> np.ndarray:
        points = np.asarray(points, dtype=float)
        if points.ndim != 2 or points.shape[1] != self.axes + 1:
            raise ValueError(
                f"`points` has shape {points.shape}; this space has {self.axes} axes and time: "
                f"give an array of shape (N, {self.axes + 1}), time last."
            )
        return points


def _numbers(inside: np.ndarray) -> np.ndarray | slice:
    return slice(None) if inside.all() else np.flatnonzero(inside)


def _near(order: np.ndarray, x: np.ndarray, center: float, half: float, period: float) -> np.ndarray:
    """Points whose sorted coordinate x lies in [center − half, center + half], shifted by whole periods too."""
    # A little wider than the support: rounding decides there, and `support` has the last word.
    half = half * (1.0 + 1e-9)
    runs = []
    for shift in (-period, 0.0, period) if period else (0.0,):
        first = np.searchsorted(x, center - half + shift, side="left")
        last = np.searchsorted(x, center + half + shift, side="right")
        runs.append(order[first:last])
    return np.unique(np.concatenate(runs)) if period else runs[0]
