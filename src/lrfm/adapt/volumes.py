# SPDX-License-Identifier: MIT
"""Volumes of a conservation law: as many as the variation of its data asks for.

A shock that is caught in a cell costs a part of h [q] in L¹, and the jumps of all shocks together are at most the variation of the data where the law is one of a
scalar (Kruzhkov); so cells of the width

    h = tol ∫|q₀| / TV(q₀)

are a first guess, which the comparison solve judges. Means of cells are integrals of data that were resolved before, on cells of any width.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lrfm.adapt.fluxes import LawData, Unfiltered
from lrfm.discretize.laws.boundary_flux import BoundaryFlux
from lrfm.discretize.laws.differences import Differences
from lrfm.discretize.laws.fronts import Diffusion, DiffusiveEnd, Fronts
from lrfm.discretize.laws.law import Law
from lrfm.discretize.laws.volumes import Volumes
from lrfm.discretize.options import ROUNDING, SCANS, Options
from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.reference import nodes, table


class EqualCells(Unfiltered):
    """Cells of equal width stay as they are, and the comparison solve alone measures what they leave out."""

    def tails(self, made: Any, y: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Nothing is known of what cells leave out but by comparison with others."""
        return np.zeros(y.shape[:2])

    def given_tails(self, made: Any, time: float) -> np.ndarray:
        """The comparison solve sees sources that cells do not resolve."""
        return np.zeros(made.mesh.size)

    def refinement(self, mesh: Any, tails: np.ndarray, y: np.ndarray | None = None) -> None:
        """Cells stay as they are."""

    def following(self, made: Any, state: object, sizes: np.ndarray, refinement: object) -> None:
        """Cells stay as they are."""

    def changed(self, mesh: Any, change: object) -> tuple[Any, Callable[[np.ndarray], np.ndarray]]:
        """The same cells."""
        return mesh, lambda arrays: arrays


@dataclass(frozen=True)
class VolumeAdapter(EqualCells):
    """Makes cells of equal width, and keeps them; `variation` is TV(q₀)/∫|q₀|, times the length of the interval."""

    data: LawData
    options: Options
    variation: float

    @property
    def law(self) -> Law:
        """The law, ready to be evaluated."""
        return self.data.law

    @property
    def ends(self) -> Sequence[BoundaryFlux]:
        """Fluxes through the lower and the upper end."""
        return self.data.ends

    @property
    def driven(self) -> np.ndarray:
        """What data make of each quantity at the most."""
        return self.data.given.driven

    @property
    def cells(self) -> int:
        """How many there are."""
        return cells_for(self.variation, self.options.tol)

    @property
    def first_means(self) -> tuple[Mesh, np.ndarray]:
        """Cells, and the means of what is conserved."""
        resolved, y = self.data.resolved
        edges = np.linspace(resolved.edges[0], resolved.edges[-1], self.cells + 1)
        mesh = Mesh.of(edges, resolved.periodic)
        return mesh, self.means(resolved, y, mesh.edges)

    def initial(self) -> tuple[Mesh, np.ndarray]:
        """Cells, and the state there."""
        mesh, means = self.first_means
        with np.errstate(all="ignore"):
            return mesh, self.discretize(mesh).shown(self.data.given.start, means)

    def means(self, resolved: Mesh, y: np.ndarray, edges: np.ndarray) -> np.ndarray:
        """Of what is conserved, between edges: (quantities, cells)."""
        return np.diff(_integrals(resolved, y, edges), axis=1) / np.diff(edges)

    def discretize(self, mesh: Mesh) -> Volumes:
        """The law on some cells."""
        least = Options.visible * self.options.tol * self.data.start_sizes
        return Volumes(self.law, mesh, self.ends, least, self.data.system)

    def given_tails(self, made: Volumes, time: float) -> np.ndarray:
        """What cells leave out of given functions that move, relative to themselves."""
        return self.data.moving_tails(made.mesh, time)


@dataclass(frozen=True)
class FrontAdapter(VolumeAdapter):
    """The same with diffusion that vanishes: what is not smooth there are kinks, and errors go with the square of the width."""

    @cached_property
    def diffusion(self) -> Diffusion:
        """Φ, for values such as those of the data."""
        return Diffusion(self.law, (self.data.system.problem.domain.names[0], "t"), *self._range)

    @property
    def degenerate(self) -> bool:
        """Whether diffusion vanishes for values of the data, and is negative for none."""
        low, high = self._range
        with np.errstate(all="ignore"):
            slopes = self.diffusion(np.linspace(low, high, SCANS.axis))[1]
        return float(np.max(slopes)) > 0 and 0 <= float(np.min(slopes)) <= ROUNDING.small * float(
            np.max(slopes)
        )

    @cached_property
    def _range(self) -> tuple[float, float]:
        """Of the data themselves, at the start and at both ends: polynomials on cells may lie a little beyond them."""
        mesh, _ = self.data.resolved
        x = np.concatenate([np.linspace(mesh.edges[0], mesh.edges[-1], SCANS.axis), mesh.edges])
        values = self.data.conserved(x)[0]
        times = np.linspace(self.data.given.start, self.data.given.end, SCANS.coarse)
        given = [end.value(values[:1], t) for end in self.limits if not end.closed for t in times]
        return float(min(np.min(values), *given, np.inf)), float(max(np.max(values), *given, -np.inf))

    def means(self, resolved: Mesh, y: np.ndarray, edges: np.ndarray) -> np.ndarray:
        return np.clip(super().means(resolved, y, edges), *self._range)

    @cached_property
    def limits(self) -> tuple[DiffusiveEnd, ...]:
        """Both ends of the interval; none of a circle."""
        if self.data.system.problem.periodic:
            return ()
        return tuple(DiffusiveEnd(self.law, rows, at, side) for rows, at, side in self.data.faces)

    @property
    def cells(self) -> int:
        return cells_for(self.variation, math.sqrt(self.options.tol))

    def discretize(self, mesh: Mesh) -> Fronts:
        """The law on some cells."""
        least = np.full(1, np.inf)
        return Fronts(self.law, self.diffusion, mesh, self.limits, least, self.data.system)


@dataclass(frozen=True)
class ObstacleAdapter(VolumeAdapter):
    """The same for complementarity: what is not smooth are kinks here, too."""

    @property
    def cells(self) -> int:
        return cells_for(self.variation, math.sqrt(self.options.tol))

    def initial(self) -> tuple[Mesh, np.ndarray]:
        """Cells, and the means of the unknown."""
        mesh, (means,) = self.first_means
        around = np.concatenate([[2 * means[0] - means[1]], means, [2 * means[-1] - means[-2]]])
        return mesh, self.discretize(mesh).shown(around)

    def discretize(self, mesh: Mesh) -> Differences:  # type: ignore[override]
        """The statement on some cells."""
        return Differences(self.data.system, mesh)


def cells_for(variation: float, tol: float) -> int:
    """Volumes for a tolerance."""
    return math.ceil(variation / tol)


def variation_of(data: LawData, scale: float) -> float:
    """TV(q₀)/∫|q₀| of the quantity that varies most, times the length of the interval; more where something given is narrow: over `scale` it is a number of cells."""
    mesh, y = data.resolved
    values = data.values(y).reshape(len(y), -1)
    around = np.abs(values[:, 0] - values[:, -1]) if mesh.periodic else 0.0
    total = np.sum(np.abs(np.diff(values, axis=1)), axis=1) + around
    narrow = 2.0 * scale * float(np.sum(mesh.widths)) / data.narrowest
    return max(float(np.max(total / data.start_sizes)), narrow, 1.0)


def _integrals(mesh: Mesh, y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """∫ q from the lower end to places: (quantities, places)."""
    count = y.shape[-1]
    cell, place = mesh.locate(x)
    points, weights = nodes(count, 0)
    part = 0.5 * (place + 1.0)  # of the cell, from its left end on
    inner = table((2.0 * part[:, None] * (0.5 * (points + 1.0)) - 1.0).ravel(), count)
    means = inner.reshape(len(x), count, count).transpose(0, 2, 1) @ weights
    before = np.cumsum(y[..., 0] * mesh.widths, axis=1) - y[..., 0] * mesh.widths
    return before[:, cell] + np.einsum("cps,ps->cp", y[:, cell], means) * (part * mesh.widths[cell])
