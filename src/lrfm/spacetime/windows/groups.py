# SPDX-License-Identifier: MIT
"""Row groups: the rows of one equation or condition, with a label and points, before they meet a trial space."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

import numpy as np

from lrfm.problem import Jet, Problem, Row
from lrfm.problem.jets import JetSymbol
from lrfm.spacetime.windows.patches import Key


@dataclass(frozen=True)
class RowGroup:
    """One row form sampled at many points; with `partner`, the jump of its jets from partner to points."""

    label: str
    row: Row
    points: np.ndarray
    weight: float | np.ndarray = 1.0
    partner: np.ndarray | None = None

    @property
    def jets(self) -> tuple[Jet, ...]:
        """The derivatives in the row."""
        return self.row.jets

    def affine(self) -> tuple[np.ndarray, Mapping[Jet, np.ndarray | float]]:
        """Source and coefficients of the affine part at the points."""
        return self.row.affine(self.points)


@dataclass(frozen=True)
class Condition:
    """∂ₜᵏ of a field takes given values at points (initial data, the trace of an earlier window): the simplest row group."""

    label: str
    jet: Jet
    points: np.ndarray
    values: np.ndarray
    weight: float = 1.0
    partner: ClassVar[None] = None

    @property
    def jets(self) -> tuple[Jet, ...]:
        """The one derivative in it."""
        return (self.jet,)

    def affine(self) -> tuple[np.ndarray, Mapping[Jet, np.ndarray | float]]:
        """D^a u − values."""
        return -self.values, {self.jet: 1.0}


def key_of(group: RowGroup | Condition) -> Key:
    """Which points these are: the arrays themselves, since row groups share them."""
    return id(group.points), id(group.partner)


def in_order(groups: Iterable[RowGroup], conditions: Iterable[Condition]) -> list[list[RowGroup | Condition]]:
    """Row groups in the order of their rows, those that share points together; conditions last, in their own order.

    Groups of one label stand side by side, so that one slice covers them.
    """
    shared: dict[Key, dict[str, list[RowGroup | Condition]]] = {}
    for group in groups:
        shared.setdefault(key_of(group), {}).setdefault(group.label, []).append(group)
    sets = [[group for named in labels.values() for group in named] for labels in shared.values()]
    return sets + [list(run) for _, run in groupby(conditions, key=key_of)]


def boundary_groups(
    problem: Problem,
    pairs: Sequence[tuple[np.ndarray, np.ndarray]],
    weights: Sequence[float],
    periodic_rows: bool,
) -> list[RowGroup]:
    """Conditions on the faces of a box; and, where the trial space is not periodic itself, the match of opposite faces."""
    groups = []
    coordinates = (*problem.domain.names, "t")
    for axis, (name, (lower, upper)) in enumerate(zip(problem.domain.names, pairs, strict=True)):
        if name not in problem.periodic:
            for face, points in ((f"{name}-", lower), (f"{name}+", upper)):
                groups += [RowGroup(r.label, r, points, weights[axis]) for r in problem.face_rows[face]]
        elif periodic_rows:
            groups += [
                RowGroup(f"periodic match in `{name}`", row, upper, weights[axis], lower)
                for row in periodic_match(problem, axis, coordinates)
            ]
    return groups


def part_groups(problem: Problem, parts: Mapping[str, np.ndarray], weight: float) -> list[RowGroup]:
    """Conditions on the parts of any other boundary, at the points of each."""
    return [RowGroup(r.label, r, at, weight) for name, at in parts.items() for r in problem.face_rows[name]]


def periodic_match(problem: Problem, axis: int, coordinates: tuple[str, ...]) -> list[Row]:
    """∂ᵏu(upper) − ∂ᵏu(lower) = 0 for k below the order of the equation along the axis, for each field."""
    rows = []
    for field in problem.fields:
        for order in range(max(1, problem.space_order(axis, field))):
            index = tuple(order if i == axis else 0 for i in range(len(coordinates)))
            rows.append(Row(JetSymbol(Jet(field, index)), coordinates, "periodic match"))
    return rows


def end_rows(
    problem: Problem, start: np.ndarray, window: tuple[float, float], weight: float
) -> tuple[list[RowGroup], list[Condition]]:
    """What holds at the end of the only window: the match with its start, ∂ₜᵏu(t₁) − ∂ₜᵏu(t₀) = 0, or data that are given there."""
    end, length = start.copy(), window[1] - window[0]
    end[:, -1] = window[1]
    coordinates = (*problem.domain.names, "t")
    match = [
        RowGroup("periodic match in `t`", Row(JetSymbol(jet), coordinates, "periodic match"), end, weight * length ** jet.index[-1], start)
        for jet in problem.cyclic_jets
    ]  # fmt: skip
    data = [
        Condition(
            f"`final` of `{jet.field}`",
            jet,
            end,
            problem.final_data[jet.unknown, jet.index[-1]].part(end, jet.field),
            weight * length ** jet.index[-1],
        )
        for jet in problem.final_jets
    ]
    return match, data
