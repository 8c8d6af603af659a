# SPDX-License-Identifier: MIT
"""Pictures of a family u(x, t, p): curves for some p, u by p, and a page with a slider for p."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lrfm.solution.io.whole import replacing
from lrfm.solution.plot.look import LABEL, SMALL, drawing, frame, symbol

if TYPE_CHECKING:
    from lrfm.solution.family import Family

PLACES, VALUES = 201, 61  # of a curve, and of the parameter
WIDTH, HEIGHT = 520, 260  # of the page's picture, in pixels


def _values(family: Family, count: int) -> np.ndarray:
    """Values of the parameter, even in its coordinate."""
    low, high = family.range.lower, family.range.upper
    return np.geomspace(low, high, count) if family.range.log else np.linspace(low, high, count)


def _curves(
    family: Family, unknown: str, t: float | None, values: np.ndarray
) -> tuple[str, np.ndarray, np.ndarray, float | None]:
    """The name of the first coordinate, places along it, and u there for each value: (values, places); the time, where it is another one."""
    problem = family.problem
    spans = {**problem.domain.axes, "t": problem.time}
    axis, *others = (name for name in spans if name not in problem.absent)
    x = np.linspace(*spans[axis], PLACES)
    at: dict[str, Any] = {axis: x, **{name: 0.5 * sum(spans[name]) for name in others}}
    time = (spans["t"][1] if t is None else float(t)) if "t" in others else None
    at |= {} if time is None else {"t": time}
    curves = np.array([family.derivative(unknown)(**at, **{family.name: float(p)}) for p in values])
    return axis, x, np.abs(curves) if np.iscomplexobj(curves) else curves, time


def figure(family: Family, path: str | Path | None, unknown: str | None, count: int, t: float | None) -> Any:
    """Curves along the first axis, colored by the parameter, and u at three places against the parameter."""
    from matplotlib.figure import Figure

    name = unknown or family.unknowns[0]
    values = _values(family, max(2, count))
    axis, x, curves, time = _curves(family, name, t, values)
    made = Figure(figsize=(7.2, 2.8), layout="constrained")
    left, right = made.subplots(1, 2)
    for share, p, curve in zip(np.linspace(0, 0.85, len(values)), values, curves, strict=True):
        left.plot(x, curve, lw=1, color=_color(share), label=f"{p:.3g}")
    left.set_xlabel(f"${symbol(axis)}$", fontsize=LABEL)
    when = "" if time is None else f" at $t$ = {time:.4g}"
    left.set_title(f"${symbol(name)}${when}", fontsize=LABEL)
    outside: Any = {"loc": "center left", "bbox_to_anchor": (1.0, 0.5), "fontsize": SMALL, "frameon": False}
    left.legend(title=f"${symbol(family.name)}$", title_fontsize=SMALL, **outside)
    fine = _values(family, VALUES)
    _, _, all_curves, _ = _curves(family, name, t, fine)
    for style, place in zip(("-", "--", ":"), (PLACES // 4, PLACES // 2, 3 * PLACES // 4), strict=True):
        right.plot(fine, all_curves[:, place], "k" + style, lw=1, label=f"{axis} = {x[place]:.3g}")
    right.set_xlabel(f"${symbol(family.name)}$", fontsize=LABEL)
    right.set_title(
        f"${symbol(name)}$ by ${symbol(family.name)}$, error {family.error_estimate:.0e}", fontsize=LABEL
    )
    right.legend(**outside)
    for axes in (left, right):
        frame(axes)
    if family.range.log:
        right.set_xscale("log")
        right.minorticks_off()
        right.set_xticks(values[:: max(1, (len(values) - 1) // 3)])
        right.set_xticklabels([f"{p:.2g}" for p in right.get_xticks()])
    if path is not None:
        with drawing(path) as draft:
            made.savefig(draft, dpi=200)
    return made


def _color(share: float) -> Any:
    from matplotlib import colormaps

    return colormaps["viridis"](share)


def page(family: Family, path: Path, unknown: str | None, t: float | None) -> Path:
    """A page of its own, without anything from elsewhere."""
    body = slider(family, unknown or family.unknowns[0], t)
    head = (
        f"<!doctype html><meta charset='utf-8'><title>{escape('; '.join(family.problem.equations))}</title>"
    )
    with replacing(path) as draft:
        draft.write_text(
            f"{head}<body style='font: 15px sans-serif; margin: 2em'>{body}</body>", encoding="utf-8"
        )
    return path


def slider(family: Family, unknown: str, t: float | None) -> str:
    """A picture of u along the first axis, and a slider that moves the parameter: all curves are in the page."""
    values = _values(family, VALUES)
    axis, x, curves, time = _curves(family, unknown, t, values)
    low, high = float(curves.min()), float(curves.max())
    room = 0.05 * (high - low or 1.0)
    across = WIDTH * (x - x[0]) / (x[-1] - x[0])
    up = HEIGHT * (1 - (curves - low + room) / (high - low + 2 * room))
    paths = ["M" + "L".join(f"{a:.1f},{b:.1f}" for a, b in zip(across, row, strict=True)) for row in up]
    shown = [f"{family.name} = {p:.4g}" for p in values]
    middle = VALUES // 2
    data = escape(json.dumps({"paths": paths, "shown": shown}), quote=True)
    move = (
        "const d=this.parentNode,k=JSON.parse(d.dataset.curves);"
        "d.querySelector('path').setAttribute('d',k.paths[this.value]);d.querySelector('output').textContent=k.shown[this.value]"
    )
    when = "" if time is None else f", t = {time:.4g}"
    return (
        f'<div data-curves="{data}"><div>{escape(unknown)}({escape(axis)}{when}), from {low:.4g} to {high:.4g}</div>'
        f'<svg viewBox="-2 -2 {WIDTH + 4} {HEIGHT + 4}" width="{WIDTH}" style="border: 1px solid #ccc; display: block">'
        f'<path d="{paths[middle]}" fill="none" stroke="#0072B2" stroke-width="2"/></svg>'
        f'<div style="display: flex; width: {WIDTH}px; justify-content: space-between; font-size: 0.85em"><span>{escape(axis)} = {x[0]:.4g}</span>'
        f"<span>{x[-1]:.4g}</span></div>"
        f'<input type="range" min="0" max="{VALUES - 1}" value="{middle}" style="width: {WIDTH}px" oninput="{escape(move, quote=True)}">'
        f"<br><output>{escape(shown[middle])}</output></div>"
    )
