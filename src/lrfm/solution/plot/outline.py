# SPDX-License-Identifier: MIT
"""Domains in pictures: the outline over a field, and a figure of the domain itself with its parts, points and normals."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from lrfm.problem.shapes.protocol import Domain, is_layered
from lrfm.solution.io.whole import suffix_of
from lrfm.solution.plot.look import LABEL, SMALL, drawing, frame, symbol

COLORS = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#000000",
    "#7F7F7F",
)  # Okabe, Ito
SUFFIXES = (".png", ".pdf", ".svg")


def draw_outline(axes: Any, domain: Domain, t: float) -> None:
    """The boundary of a domain of the plane at a time, as thin lines; nothing for a box, whose frame is its outline."""
    if domain.is_box or domain.dimension != 2:
        return
    u = np.linspace(0.0, 1.0, 101)
    for stretch in domain.stretches(t):  # pyright: ignore[reportAttributeAccessIssue]  (of a shape)
        axes.plot(*stretch.points(u).T, color="0.15", linewidth=0.8)


def draw_interfaces(axes: Any, domain: Domain) -> None:
    """On a line: where two layers touch, as a thin dotted line."""
    if not is_layered(domain) or domain.dimension != 1:
        return
    for name in domain.interfaces:
        for place in domain.parts[name].quadrature(1).points[:, 0]:
            axes.axvline(place, color="0.5", linewidth=0.8, linestyle=":")


def domain_figure(domain: Domain, time: tuple[float, float], path: str | os.PathLike | None = None) -> Any:
    """The domain at the start of the time span: points of a rule inside, parts in colors with their outward normals, corners."""
    from matplotlib.figure import Figure

    if path is not None:
        suffix_of(path, SUFFIXES)
    names, t = domain.names, time[0]
    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    three = domain.dimension == 3
    axes: Any = figure.add_subplot(projection="3d" if three else None)
    inside = domain.quadrature(300 if three else 400, None, t).points
    if domain.dimension == 1:
        inside = np.column_stack([inside, np.zeros(len(inside))])
    axes.plot(*inside[:, :3].T, ".", color="0.6", markersize=2, linestyle="none", label="points of a rule")
    _draw_parts(axes, domain, t)
    corners = domain.corners
    if corners:
        axes.plot(*np.array([c.point for c in corners]).T, "s", color="0.1", markersize=3, linestyle="none")
    axes.set_xlabel(f"${symbol(names[0])}$", fontsize=LABEL)
    if domain.dimension > 1:
        axes.set_ylabel(f"${symbol(names[1])}$", fontsize=LABEL)
        axes.set_aspect("equal")
    else:
        axes.set_yticks([])
    if not three:
        frame(axes)
    if domain.moving:
        axes.set_title(f"$t = {t:g}$", fontsize=LABEL)
    figure.legend(loc="outside right upper", frameon=False, fontsize=SMALL)
    if path is not None:
        with drawing(path) as draft:
            figure.savefig(draft, dpi=150)
    return figure


def _draw_parts(axes: Any, domain: Domain, t: float) -> None:
    size = 0.06 * float(np.max(domain.upper - domain.lower))
    for number, (name, part) in enumerate(domain.parts.items()):
        color = COLORS[number % len(COLORS)]
        points, _, normals = part.quadrature(60 if domain.dimension == 3 else 24, None, t)
        if not len(points):
            continue
        if domain.dimension == 1:
            points, normals = (np.column_stack([a, np.zeros(len(a))]) for a in (points, normals))
        tips = points + size * normals
        for start, end in zip(points, tips, strict=True):
            axes.plot(*np.stack([start, end]).T, color=color, linewidth=0.7)
        axes.plot(*points.T, "o", color=color, markersize=2.5, linestyle="none", label=name)
    if domain.dimension == 2 and not domain.is_box:
        draw_outline(axes, domain, t)
