# SPDX-License-Identifier: MIT
"""A solution as pieces in time: what everybody after the solver needs to know of an engine's answer, and what pieces share that are made of steps in a row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Protocol, runtime_checkable

import numpy as np

from lrfm.problem import Jet, Row
from lrfm.rows.in_time import polynomials
from lrfm.spaces.stored import check_array

LARGEST = 4_000_000  # numbers gathered at once


class Piece(Protocol):
    """u on an interval of time, whatever engine computed it: its derivatives anywhere, residuals, and itself as plain data.

    Any class with these members will do. To be read back from a file it has to be in `lrfm.solution.piece.PIECES`, too, with a
    `from_record` that takes what `record` gives as keywords and raises ValueError where these do not belong together.
    """

    @property
    def window(self) -> tuple[float, float]:
        """Where in time it holds."""
        ...

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """Dᵃ of real fields at points (n, axes + 1), time last; KeyError for a field that it does not have."""
        ...

    def residual(self, row: Row, points: np.ndarray) -> np.ndarray:
        """F(x, t, {Dᵃu}) of one row at points."""
        ...

    def record(self) -> Mapping[str, Any]:
        """What a file keeps: plain data, arrays, and the dataclasses of `lrfm.spaces`."""
        ...


@cache
def _offers(kind: type, protocol: type) -> bool:
    """Whether pieces of a kind have what a protocol asks for; Python looks through all members of both in every `isinstance`."""
    return issubclass(kind, protocol)


def on_grids(pieces: Iterable[Piece]) -> bool:
    """Whether all pieces know a faster way on grids."""
    return all(_offers(type(piece), OnGrids) for piece in pieces)


def travels(pieces: Iterable[Piece]) -> bool:
    """Whether some piece is in a frame that moves."""
    return any(_offers(type(piece), Travels) for piece in pieces)


def groups(which: np.ndarray) -> list[np.ndarray]:
    """Places of equal numbers, in the order of these."""
    order = np.argsort(which, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(which[order])) + 1) if len(which) else []


def values_at(pieces: Sequence[Piece], jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
    """Dᵃu at points, each from the piece that covers its time; the later one where two meet."""
    jets = list(jets)
    if len(pieces) == 1:
        return pieces[0].values(jets, points)
    owner = np.searchsorted([p.window[1] for p in pieces[:-1]], points[:, -1], side="right")
    result = {jet: np.empty(len(points)) for jet in jets}
    for places in groups(owner):
        for jet, values in pieces[int(owner[places[0]])].values(jets, points[places]).items():
            result[jet][places] = values
    return result


def residual_at(rows: Iterable[Row], piece: Piece, points: np.ndarray) -> float:
    """Σ |F| over Σ |terms of F| at points, the largest of each of some rows."""
    found, sizes = 0.0, 0.0
    for row in rows:
        residual, terms = row.compared(points, piece.values(row.jets, points))
        found, sizes = max(found, float(np.sum(np.abs(residual)))), max(sizes, float(np.sum(terms)))
    return found / sizes if sizes > 0 else 0.0


@runtime_checkable
class OnGrids(Protocol):
    """A piece that knows a faster way where points are a grid: products per axis."""

    def on_grid(
        self, jets: Iterable[Jet], places: Sequence[np.ndarray], times: np.ndarray
    ) -> dict[Jet, np.ndarray]:
        """Dᵃ of real fields, each (times, n₁, …, n_d)."""
        ...


@runtime_checkable
class AtOnePlace(Protocol):
    """A piece that knows a faster way where there is one point: plain numbers instead of arrays of one."""

    def at_place(self, jet: Jet, place: Sequence[float], time: float) -> float:
        """Dᵃ of a real field."""
        ...


@runtime_checkable
class OnCells(Protocol):
    """A piece made of polynomials on cells."""

    def cells_at(self, time: float) -> np.ndarray:
        """Edges of the cells of an interval at a time, (n,); of the plane x₀, x₁, y₀, y₁ of their boxes, (n, 4)."""
        ...


@runtime_checkable
class Parted(Protocol):
    """A piece whose cells end at curves of their own."""

    def parted(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Which pairs of points (n, axes + 1), of the same times, are in different cells."""
        ...


@runtime_checkable
class OnModes(Protocol):
    """A piece that is a series: sums over its modes are products per axis."""

    @property
    def most_modes(self) -> tuple[int, ...]:
        """The highest mode along each axis at any time."""
        ...


@runtime_checkable
class Travels(Protocol):
    """A piece in a frame that moves along with what travels."""

    def placed(self, points: np.ndarray) -> np.ndarray:
        """Where points (n, axes + 1) that were chosen for the start are at their times, if the frame carries them along."""
        ...


def carried_along(pieces: Sequence[Piece], points: np.ndarray) -> np.ndarray:
    """Points that follow the data follow what has become of them; the same points where nothing travels."""
    if not travels(pieces):
        return points
    owner, result = (
        np.searchsorted([p.window[1] for p in pieces[:-1]], points[:, -1], side="right"),
        points.copy(),
    )
    for number, piece in enumerate(pieces):
        if isinstance(piece, Travels):
            result[owner == number] = piece.placed(points[owner == number])
    return result


def grid_values(
    pieces: Sequence[Any], jets: Iterable[Jet], places: Sequence[np.ndarray], times: np.ndarray
) -> dict[Jet, np.ndarray]:
    """Dᵃu on a grid, each time from the piece that covers it; all pieces are `OnGrids`."""
    jets = list(jets)
    owner = np.searchsorted([p.window[1] for p in pieces[:-1]], times, side="right")
    if len(pieces) == 1 or owner.min() == owner.max():
        return pieces[int(owner[0])].on_grid(jets, places, times)
    result = {jet: np.empty((len(times), *map(len, places))) for jet in jets}
    for number in np.unique(owner):
        among = np.flatnonzero(owner == number)
        for jet, values in pieces[int(number)].on_grid(jets, places, times[among]).items():
            result[jet][among] = values
    return result


class Evaluated(ABC):
    """What is known by its derivatives: residuals follow from them."""

    @abstractmethod
    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a of fields at points, time last; KeyError for a field that is not there."""

    def residual(self, row: Row, points: np.ndarray) -> np.ndarray:
        """F(x, t, {D^a u}) of one row at points; not a number where a derivative is none."""
        return row.residual(points, self.values(row.jets, points))


class InSteps(Evaluated):
    """Steps in a row with real `fields` between `edges` in time."""

    fields: tuple[str, ...]
    edges: np.ndarray

    @abstractmethod
    def record(self) -> Mapping[str, Any]:
        """The piece as plain arrays and numbers for a file."""

    @property
    def window(self) -> tuple[float, float]:
        return float(self.edges[0]), float(self.edges[-1])

    @property
    def steps(self) -> int:
        """How many there are."""
        return len(self.edges) - 1

    def number(self, field: str) -> int:
        """Which of the fields it is; KeyError for one that is not here."""
        if field not in self.fields:
            raise KeyError(field)
        return self.fields.index(field)

    def _by_step(self, times: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """Each step that is asked for, with the numbers of the times that lie in it."""
        owner = np.searchsorted(self.edges[1:-1], times, side="right")
        for numbers in groups(owner):
            yield int(owner[numbers[0]]), numbers

    def at_place(self, jet: Jet, place: Sequence[float], time: float) -> float:
        """D^a of a field at one point, given as plain numbers."""
        return float(self.values([jet], np.array([[*place, time]]))[jet][0])


class CellwiseSteps(InSteps):
    """Steps of polynomials in time, `rows` of them in each cell of each step: a₀ and h c_s, (cells of all steps, 1 + K, fields, size)."""

    rows: np.ndarray

    @abstractmethod
    def _sums(self, jets: Sequence[Jet], step: np.ndarray, places: np.ndarray) -> Mapping[Any, np.ndarray]:
        """Σ_j of a₀ and h c_s at places (n, axes) in given steps, by field and derivative in space: (points, 1 + K)."""

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a of fields at points (n, axes + 1), time last, of any order in space and time."""
        jets = list(jets)
        most = max(1, LARGEST // (self.rows.shape[1] * self.rows.shape[3]))
        if len(points) > most:
            parts = [self.values(jets, points[i : i + most]) for i in range(0, len(points), most)]
            return {jet: np.concatenate([part[jet] for part in parts]) for jet in jets}
        return self._along(jets, points, np.searchsorted(self.edges[1:-1], points[:, -1], side="right"))

    def _along(self, jets: Sequence[Jet], points: np.ndarray, step: np.ndarray) -> dict[Jet, np.ndarray]:
        """The same at some points of given steps."""
        h = self.edges[step + 1] - self.edges[step]
        tau = 2 * (points[:, -1] - self.edges[step]) / h - 1
        weights = {order: self._weights(order, tau, h) for order in {jet.index[-1] for jet in jets}}
        sums = self._sums(jets, step, points[:, :-1])
        return {
            jet: np.einsum("nk,kn->n", sums[jet.field, jet.index[:-1]], weights[jet.index[-1]])
            for jet in jets
        }

    def _weights(self, order: int, tau: np.ndarray, h: np.ndarray | float) -> np.ndarray:
        """∂ₜ^order of 1 and of ∫ P_s at places 2τ − 1 of steps of length h: (1 + K, times)."""
        functions = polynomials(self.rows.shape[1] - 1, order)
        return functions @ chebyshev(tau, len(functions)) / h**order


def chebyshev(z: np.ndarray, count: int) -> np.ndarray:
    """T₀, T₁, … at places, one row each, outside of [−1, 1], too: (count, places)."""
    table = np.empty((max(count, 2), len(z)))
    table[0], table[1] = 1.0, z
    known = 1  # the last of them
    while known + 1 < count:
        more = min(known, count - 1 - known)
        part = table[known + 1 : known + more + 1]
        np.multiply(table[1 : more + 1], 2 * table[known], out=part)
        part -= table[known - more : known][::-1]
        known += more
    return table[:count]


def check_steps(fields: Sequence[str], edges: np.ndarray) -> int:
    """How many steps a file has; ValueError where names of fields or times of their ends make no sense."""
    if not fields or len(set(fields)) != len(fields):
        raise ValueError("fields are missing, or there twice")
    check_array("edges", edges, (edges.size,))
    if edges.size < 2 or not np.all(np.diff(edges) > 0):
        raise ValueError("`edges` are not increasing times")
    return edges.size - 1
