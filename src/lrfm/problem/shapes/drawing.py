# SPDX-License-Identifier: MIT
"""A domain as a small picture, SVG, for a notebook: an interval, or a region of the plane with the names of the parts of its boundary.

Plain text and no drawing library, so that a domain can be shown before anything else is loaded.
"""

from __future__ import annotations

from html import escape

import numpy as np

from lrfm.problem.errors import ProblemError, printable
from lrfm.problem.shapes.protocol import Domain, is_layered

WIDTH, HEIGHT = 300.0, 220.0  # pixels, of the largest picture
MARGIN, LETTER = 30.0, 7.0  # what is left around it, and the width of a letter of a name
MOST_NAMES = 24  # more would cover each other
ALONG = np.linspace(0.0, 1.0, 65)  # of one stretch of a boundary
TOUCH = 1e-6  # relative distance at which two stretches meet
LINE = "stroke='currentColor' stroke-width='1.5' fill='none'"
INSIDE = "fill='#0072B2' fill-opacity='0.12' fill-rule='evenodd'"
TEXT = "font-size='12' font-family='sans-serif' fill='currentColor'"


def svg(domain: Domain, time: float | None = None) -> str | None:
    """The picture; None where there is none: in three dimensions or more, and for a moving domain without a time."""
    if domain.dimension > 2 or (domain.moving and time is None):
        return None
    try:
        return _interval(domain) if domain.dimension == 1 else _plane(domain, time)
    except ProblemError:  # an empty region says so where it is used
        return None


def _interval(domain: Domain) -> str:
    (name, (low, high)), y, side = next(iter(domain.axes.items())), 30.0, _side(domain)
    across = lambda x: side + WIDTH * (x - low) / (high - low)  # noqa: E731
    marks, words = "", _text(side + WIDTH / 2, y - 12, name)
    for part, piece in domain.parts.items():
        for x in piece.quadrature(1).points[:, 0]:
            marks += f"<path d='M{across(x):.1f},{y - 7}v14' {LINE}/>"
            words += _text(across(x), y + 22, f"{x:.4g}") + _text(across(x), y - 12, part)
    line = f"<path d='M{side},{y}h{WIDTH}' {LINE}/>"
    return _picture(WIDTH + 2 * side, 64.0, line + marks + words)


def _plane(domain: Domain, time: float | None) -> str:
    low, high = domain.lower, domain.upper
    scale = min(WIDTH / (high[0] - low[0]), HEIGHT / (high[1] - low[1]))
    if scale * min(high - low) < 0.1 * HEIGHT:  # a thread: not true to scale
        scale = np.array([WIDTH, 0.5 * HEIGHT]) / (high - low)
    size, side = scale * (high - low), _side(domain)

    def place(points: np.ndarray) -> np.ndarray:
        moved = scale * (points - low)
        return np.column_stack([side + moved[:, 0], MARGIN + size[1] - moved[:, 1]])

    whole = domain.layers.values() if is_layered(domain) else [domain]
    loops = [place(loop) for part in whole for loop in outline(part, time)]
    drawn = "".join(f"<path d='{_path(loop)}Z' {LINE}/>" for loop in loops)
    drawn = f"<path d='{''.join(_path(loop) + 'Z' for loop in loops)}' stroke='none' {INSIDE}/>" + drawn
    for name in [n for n in domain.parts if not (is_layered(domain) and n in domain.interfaces)][:MOST_NAMES]:
        points, _, normals = domain.parts[name].quadrature(9, None, time)
        if len(points):
            at = place(points[[len(points) // 2]])[0] + 9 * normals[len(points) // 2] * (1, -1)
            right = normals[len(points) // 2][0]
            anchor = "start" if right > 0.4 else "end" if right < -0.4 else "middle"
            drawn += _text(at[0], at[1] + 4, name, anchor)
    (first, (a, b)), (second, (c, d)) = domain.axes.items()
    words = f"{first}: {a:.4g} to {b:.4g}, {second}: {c:.4g} to {d:.4g}"
    words += f", t = {time:.4g}" if domain.moving else ""
    drawn += _text(side + size[0] / 2, size[1] + 2 * MARGIN - 8, words)
    return _picture(max(size[0], 160.0) + 2 * side, size[1] + 2 * MARGIN, drawn)


def outline(domain: Domain, time: float | None = None) -> list[np.ndarray]:
    """Closed curves (points, 2) around a domain of the plane: its stretches, joined where they meet."""
    if domain.is_box:
        (a, c), (b, d) = domain.lower, domain.upper
        return [np.array([[a, c], [b, c], [b, d], [a, d]])]
    open_ = [stretch.points(ALONG) for stretch in domain.stretches(time)]  # pyright: ignore[reportAttributeAccessIssue]
    near, loops = TOUCH * float(np.linalg.norm(domain.upper - domain.lower)), []
    while open_:
        loop = open_.pop()
        while open_ and np.linalg.norm(loop[0] - loop[-1]) > near:
            gaps = [min(np.linalg.norm(c[0] - loop[-1]), np.linalg.norm(c[-1] - loop[-1])) for c in open_]
            nearest = int(np.argmin(gaps))
            if gaps[nearest] > near:
                break
            curve = open_.pop(nearest)
            forward = np.linalg.norm(curve[0] - loop[-1]) <= np.linalg.norm(curve[-1] - loop[-1])
            loop = np.concatenate([loop, curve if forward else curve[::-1]])
        loops.append(loop)
    return loops


def _side(domain: Domain) -> float:
    """Room beside the picture for the longest name."""
    return MARGIN + LETTER * max(map(len, domain.parts))


def _path(points: np.ndarray) -> str:
    return "M" + "L".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' {TEXT}>{escape(printable(words))}</text>"


def _picture(width: float, height: float, drawn: str) -> str:
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width:.0f} {height:.0f}' width='{width:.0f}' "
        f"style='max-width: 100%; height: auto'>{drawn}</svg>"
    )
