# SPDX-License-Identifier: MIT
"""Conditions on parts of the boundary as matrices on features: what decides which functions have no trace.

The linear part of each condition at points of its part, √q Σ_a c_a Dᵃφ, at the start; rows that are not linear are taken at the data.
Tests made from it stay as they are: a condition that changes is imposed as it is, only against the same functions.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.problem import Jet, Row
from lrfm.solver.lines.form import Condition, Entry, Form
from lrfm.solver.lines.samples import Data
from lrfm.spaces.orders import MultiIndex
from lrfm.spaces.regions.basis import features_at
from lrfm.spaces.regions.families import Family

Border = tuple[np.ndarray, np.ndarray]  # points of a part, and the roots of their weights


@dataclass(frozen=True)
class Kind:
    """Conditions that determine a component, by their places in `form.conditions`, and the components that share them."""

    numbers: tuple[int, ...]
    owners: tuple[int, ...]


def kinds_of(form: Form, without: Container[int] = ()) -> list[Kind]:
    """Components with the same conditions on the same parts are of one kind; `without` conditions that take no functions."""
    found: dict[tuple, Kind] = {}
    for own in form.last:
        numbers = tuple(i for i, c in enumerate(form.conditions) if c.own == own and i not in without)
        if not numbers:
            continue
        name = tuple(sorted((form.conditions[i].part, _shape(form, form.conditions[i])) for i in numbers))
        if name in found:
            found[name] = Kind(found[name].numbers, (*found[name].owners, own))
        else:
            found[name] = Kind(numbers, (own,))
    return list(found.values())


def _shape(form: Form, condition: Condition) -> str:
    """The terms of a condition that are about its own component, as a text that tells conditions apart."""
    terms = [(form.entry(jet), jet) for jet in condition.row.jets]
    linear = condition.row.linear_part
    return str(
        sorted(
            (e.index, e.rate, str(linear.get(jet, "?"))) for e, jet in terms if e.component == condition.own
        )
    )


def slopes_at_start(form: Form, data: Data, row: Row, points: np.ndarray) -> dict[Entry, np.ndarray]:
    """∂F/∂(Dᵃu) at points of the boundary, with values of the data and slopes of zero."""
    full = np.column_stack([points, np.full(len(points), form.problem.time[0])])
    found = {form.entry(jet): np.asarray(v) for jet, v in row.affine(full)[1].items()}
    if not row.linear:
        for jets in (_known(form, data, row, points), {jet: np.ones(len(points)) for jet in row.jets}):
            with np.errstate(all="ignore"):
                slopes = row.nonlinear(full, jets, picard=False)[1]
            if all(np.all(np.isfinite(v)) for v in slopes.values()):
                break
        for jet, v in slopes.items():
            entry = form.entry(jet)
            found[entry] = found[entry] + v if entry in found else np.asarray(v)
    return found


def _known(form: Form, data: Data, row: Row, points: np.ndarray) -> Mapping[Jet, np.ndarray]:
    values = {side: data.on(points, side) for side in {jet.side for jet in row.jets}}
    found = {}
    for jet in row.jets:
        entry = form.entry(jet)
        known = not any(jet.index[:-1]) and not entry.rate
        found[jet] = values[jet.side][entry.component] if known else np.zeros(len(points))
    return found


def own_slopes(form: Form, data: Data, borders: Mapping[str, Border]) -> dict[int, dict[Entry, np.ndarray]]:
    """B₀ of every condition by its number: its terms in the component that it determines, those with rates where there are any."""
    found = {}
    for number, condition in enumerate(form.conditions):
        slopes = slopes_at_start(form, data, condition.row, borders[condition.part][0])
        rated = any(entry.rate for entry in slopes)
        mine = {e: v for e, v in slopes.items() if e.component == condition.own and e.rate == rated}
        if not any(np.any(v) for v in mine.values()):
            raise np.linalg.LinAlgError("a condition does not determine its component")
        found[number] = mine
    return found


def trace_of(
    form: Form,
    kind: Kind,
    slopes: Mapping[int, Mapping[Entry, np.ndarray]],
    borders: Mapping[str, Border],
    families: Sequence[Family],
) -> tuple[np.ndarray, list[float]]:
    """√q B₀ on features, all conditions of a kind below each other, each in its own unit; the units."""
    blocks, units = [], []
    for number in kind.numbers:
        points, root = borders[form.conditions[number].part]
        indices: list[MultiIndex] = sorted({e.index for e in slopes[number]})
        tables = features_at(families, points, indices)
        block = (
            sum(np.atleast_1d(v)[:, None] * tables[e.index] for e, v in slopes[number].items())
            * root[:, None]
        )
        unit = float(np.linalg.norm(np.asarray(block)))
        blocks.append(np.asarray(block) / unit)
        units.append(unit)
    return np.concatenate(blocks), units
