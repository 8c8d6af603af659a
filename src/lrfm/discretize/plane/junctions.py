# SPDX-License-Identifier: MIT
"""Singular exponents where layers meet in a point:  u = r^α Φ(θ),  Φ″ + α²Φ = 0 in each sector,  Φ and kΦ′ continuous between sectors.

(Φ, kΦ′) goes through a sector of angle ω by  T = [[cos αω, sin αω/(kα)], [−kα sin αω, cos αω]];  all around, the product of all T has the eigenvalue 1, which is  tr T = 2  since det T = 1;  between two sides of
the boundary it takes what one of them allows to what the other one does (Kellogg, Appl. Anal. 4, 1975).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lrfm.discretize.options import ROUNDING, SCANS
from lrfm.spaces.cells.plane.layered import LayeredOutline

if TYPE_CHECKING:
    from lrfm.discretize.plane.layout import PlaneLayout


def junctions(layout: PlaneLayout) -> list[tuple[np.ndarray, float]]:
    """Points in which layers meet, with the smallest α below one of any field; none where Φ and kΦ′ are not what is continuous."""
    outline, found = layout.outline, []
    if not isinstance(outline, LayeredOutline):
        return found
    plain = [i for i in range(len(layout.system.fields)) if _continuous(layout, i)]
    for point in outline.vertices:
        sectors, ends = _sectors(outline, point)
        if len({s[0] for s in sectors}) < 2:
            continue
        powers = [_smallest(*_problem(layout, i, point, sectors, ends)) for i in plain]
        power = min(powers, default=1.0)
        if power < 1:
            found.append((point, power))
    return found


def _continuous(layout: PlaneLayout, field: int) -> bool:
    """Whether every interface has a value and a flux of a field, that is a field which diffuses."""
    kinds = [{c.flux for c in layout.conditions[part] if c.field == field} for part in layout.interfaces]
    return len(layout.equations[field].diffusions) == 1 and all(kind == {True, False} for kind in kinds)


def _sectors(outline: LayeredOutline, point: np.ndarray) -> tuple[list[tuple[int, float, float]], bool]:
    """(region, first angle, angle) around a point, counterclockwise, and whether the boundary lies between the last and the first."""
    count = SCANS.angles
    angles = 2 * np.pi * (np.arange(count) + 0.5) / count
    ring = point + ROUNDING.small * outline.size * np.column_stack([np.cos(angles), np.sin(angles)])
    region = outline.regions(ring)
    starts = np.flatnonzero(region != np.roll(region, 1))
    if not len(starts):
        return [(int(region[0]), 0.0, 2 * np.pi)], False
    outside = starts[region[starts] < 0]
    order = np.roll(starts, -int(np.searchsorted(starts, outside[0])) - 1) if len(outside) else starts
    width = np.diff(np.append(order, order[0])) % count
    step = 2 * np.pi / count
    sectors = [(int(region[k]), step * k, step * w) for k, w in zip(order, width, strict=True)]
    return [s for s in sectors if s[0] >= 0], bool(len(outside))


def _problem(layout: PlaneLayout, field: int, point, sectors, ends: bool):
    """k and the angle of each sector, and at the two ends whether a flux is given; None all around."""
    (d,), start = layout.equations[field].diffusions, layout.system.problem.time[0]
    middle = np.array([first + 0.5 * angle for _, first, angle in sectors])
    radius = ROUNDING.small * layout.outline.size
    at = np.column_stack(
        [point + radius * np.column_stack([np.cos(middle), np.sin(middle)]), np.full(len(middle), start)]
    )
    rows = [d.tensor[m][m] for m in range(2)]
    nothing = {jet: np.zeros(()) for row in rows for jet in row.jets}
    k = np.zeros(len(at))
    for row in rows:
        k = k + row.residual_of(row.known(at), nothing)
    angle = np.array([s[2] for s in sectors])
    if not ends:
        return k, angle, None
    told = []
    for first, sign in ((sectors[0][1], -1), (sectors[-1][1] + sectors[-1][2], 1)):
        beside = first - sign * 2 * np.pi / SCANS.angles
        place = point + radius * np.array([[np.cos(beside), np.sin(beside)]])
        one = layout.outline.regions(place)
        level = layout.outline.nearest(place)
        part = layout.outline.part_of(int(level[0]), place, one, np.array([-1]))
        given = layout.condition(layout.outline.parts[part[0]], field) if part[0] >= 0 else None
        told.append(given is None or given.flux)
    return k, angle, (told[0], told[1])


def _smallest(k: np.ndarray, angle: np.ndarray, ends: tuple[bool, bool] | None) -> float:
    """The first zero of what has to vanish, below one; one where there is none."""
    alpha = (np.arange(SCANS.angles) + 0.5) / SCANS.angles
    total = np.broadcast_to(np.eye(2), (len(alpha), 2, 2))
    for conductivity, width in zip(np.abs(k), angle, strict=True):
        c, s = np.cos(alpha * width), np.sin(alpha * width)
        own = np.array([[c, s / (conductivity * alpha)], [-conductivity * alpha * s, c]]).transpose(2, 0, 1)
        total = own @ total
    if ends is None:
        value = 2 - total[:, 0, 0] - total[:, 1, 1]
    else:
        # What begins as (0, 1) under a value and as (1, 0) under a flux ends with nothing of the other kind.
        value = total[:, int(ends[1]), int(not ends[0])]
    at = np.flatnonzero(value[1:] * value[:-1] <= 0)
    return float(alpha[at[0]]) if len(at) else 1.0
