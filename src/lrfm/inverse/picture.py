# SPDX-License-Identifier: MIT
"""The picture of a fit: data on the field, data against the model with its band, residuals, what was found."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lrfm.inverse.observe import Observed
from lrfm.solution.io.whole import suffix_of
from lrfm.solution.plot.figure import SUFFIXES
from lrfm.solution.plot.look import (
    LABEL,
    SMALL,
    colorbar,
    drawing,
    frame,
    image,
    new_figure,
    symbol,
    value_scale,
)

if TYPE_CHECKING:
    from lrfm.inverse.fit import Fit

WIDTH, HEIGHT = 2.9, 2.5  # inches of one panel
DATA, MODEL, BAND = "#D55E00", "#0072B2", "#9ecae1"
MOST = 3  # profiles
POINTS = 5  # of a profile


def plot(fit: Fit, path: str | Path | None, profiles: bool) -> Any:
    """Panels side by side: field, slice, residuals; then unknown fields and profiles of numbers."""
    if path is not None:
        suffix_of(path, SUFFIXES)
    names = list(fit.parameters)[:MOST] if profiles and not fit.blind else []
    panels: list[Any] = [_slice, _residuals]
    if len(fit.solution.problem.domain.names) == 1 and not fit.solution.problem.absent:
        panels.insert(0, _field)
    panels += [lambda axes, fit, n=name: _unknown_field(axes, fit, n) for name in fit.fields]
    panels += [lambda axes, fit, n=name: _profile(axes, fit, n) for name in names]
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    figure = new_figure((WIDTH * columns, HEIGHT * rows), layout="constrained", shown=path is None)
    for i, draw in enumerate(panels):
        axes = figure.add_subplot(rows, columns, i + 1)
        draw(axes, fit)
        frame(axes)
    if path is not None:
        with drawing(path) as draft:
            figure.savefig(draft, dpi=200)
    return figure


def _field(axes: Any, fit: Fit) -> None:
    """The first observed formula over space and time, with the places of its data."""
    problem, seen = fit.solution.problem, fit.observed[0]
    ((axis, (low, high)),) = problem.domain.axes.items()
    x, t = np.linspace(low, high, 201), np.linspace(*problem.time, 101)
    grid = np.column_stack([np.tile(x, len(t)), np.repeat(t, len(x))])
    # A normal derivative is nothing inside: the field itself is drawn below such data.
    column = fit.solution.unknowns[0] if seen.face else seen.column
    values = _shown(fit, column, seen.part, grid).reshape(len(t), len(x))
    scale = value_scale(values)
    picture = image(axes, x, t, values, scale)
    colorbar(picture, axes, scale, height=HEIGHT - 0.6, pad=0.03)
    axes.scatter(
        seen.points[:, 0],
        seen.points[:, 1],
        s=3,
        c="white",
        edgecolors="black",
        linewidths=0.3,
        clip_on=False,
        zorder=3,
    )
    axes.set_title(f"{_label(seen)} and places of data", fontsize=LABEL)
    axes.set_xlabel(f"${symbol(axis)}$", fontsize=LABEL)
    axes.set_ylabel("$t$", fontsize=LABEL)


def _shown(fit: Fit, column: str, part: str, points: np.ndarray) -> np.ndarray:
    from lrfm.inverse.observe import Lens

    wanted = [Observed(column, part, points, np.zeros(len(points)), None)]
    return Lens(fit.solution.problem, wanted, ()).values(fit.solution.pieces)


def _label(seen: Observed) -> str:
    return seen.column if seen.part == "re" else f"im {seen.column}"


def _slice(axes: Any, fit: Fit) -> None:
    """Data and model with its band: along the axis at the time with most data where there is one, else against each other."""
    seen, problem = fit.observed[0], fit.solution.problem
    across = 0 if problem.ordinary else -1  # what stays the same in the picture
    times, counts = np.unique(seen.points[:, across], return_counts=True)
    if len(problem.domain.names) > 1 or counts.max() < 4 or seen.face:
        _against(axes, fit)
        return
    at = times[np.argmax(counts)]
    here = seen.points[:, across] == at
    ((axis, (low, high)),) = [("t", problem.time)] if problem.ordinary else problem.domain.axes.items()
    x = np.linspace(low, high, 201)
    points = np.column_stack([np.full_like(x, at), x] if problem.ordinary else [x, np.full_like(x, at)])
    value, slopes = (
        fit.seen(seen.column, points) if seen.part == "re" else (_shown(fit, seen.column, "im", points), None)
    )
    if slopes is not None and not fit.blind:
        below, above, _ = fit.spread.band(slopes)
        axes.fill_between(x, value - below, value + above, color=BAND, lw=0, label="95 %")
    axes.plot(x, value, color=MODEL, lw=1, label="model")
    sigma = fit.task.sigma[: len(seen.values)][here]
    axes.errorbar(
        seen.points[here, -1 - across],
        seen.values[here],
        2 * sigma,
        fmt=".",
        ms=3,
        lw=0.6,
        color=DATA,
        label="data ± 2σ",
    )
    place = "" if problem.absent else f" at $t$ = {at:.4g}"
    axes.set_title(f"{_label(seen)}{place}", fontsize=LABEL)
    axes.set_xlabel(f"${symbol(axis)}$", fontsize=LABEL)
    axes.legend(fontsize=SMALL, frameon=False)


def _against(axes: Any, fit: Fit) -> None:
    h, d = fit.model_values, fit.task.data
    ends = [min(h.min(), d.min()), max(h.max(), d.max())]
    axes.plot(ends, ends, color=MODEL, lw=0.8)
    axes.plot(h, d, ".", ms=2, color=DATA)
    axes.set_xlabel("model", fontsize=LABEL)
    axes.set_ylabel("data", fontsize=LABEL)
    axes.set_title("data against model", fontsize=LABEL)


def _residuals(axes: Any, fit: Fit) -> None:
    """The whitened residuals beside the normal distribution they should have."""
    r = fit.whitened
    reach = float(np.clip(np.max(np.abs(r)), 3.0, 8.0))
    axes.hist(
        np.clip(r, -reach, reach), bins=min(40, max(7, len(r) // 12)), density=True, color=DATA, alpha=0.6
    )
    z = np.linspace(-reach, reach, 201)
    axes.plot(z, np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi), color=MODEL, lw=1)
    j = fit.judgement
    test = f"p = {j.p_value:.2g}" if j.sigma_known else "σ found"
    axes.set_title(f"residuals / σ ({test})", fontsize=LABEL)
    axes.set_yticks([])


def _unknown_field(axes: Any, fit: Fit, name: str) -> None:
    """One coordinate: the field with its band; two: the field."""
    own = fit.vector.fields[name]
    grids = [np.linspace(a, b, 201 if len(own.spans) == 1 else 61) for a, b, _ in own.spans]
    axes.set_xlabel(f"${symbol(own.coordinates[0])}$", fontsize=LABEL)
    axes.set_title(f"${symbol(name)}$, 95 %" if len(grids) == 1 else f"${symbol(name)}$", fontsize=LABEL)
    if len(grids) == 1:
        found = fit.fields[name](**{own.coordinates[0]: grids[0]})
        axes.fill_between(grids[0], found.lower, found.upper, color=BAND, lw=0)
        axes.plot(grids[0], found.value, color=MODEL, lw=1)
        return
    x, y = grids[:2]
    rest = {c: np.mean(own.spans[k][:2]) for k, c in enumerate(own.coordinates) if k > 1}
    found = fit.fields[name](**{own.coordinates[0]: x[None, :], own.coordinates[1]: y[:, None], **rest})
    scale = value_scale(found.value)
    colorbar(image(axes, x, y, found.value, scale), axes, scale, height=HEIGHT - 0.6, pad=0.03)
    axes.set_ylabel(f"${symbol(own.coordinates[1])}$", fontsize=LABEL)


def _profile(axes: Any, fit: Fit, name: str) -> None:
    """The rise of the misfit, as it is and as the linear interval supposes."""
    estimate, found = fit.parameters[name], fit.profile(name, POINTS)
    fine = np.linspace(found.values[0], found.values[-1], 101)
    axes.axvspan(estimate.lower, estimate.upper, color=BAND, lw=0, alpha=0.6)
    if estimate.std > 0:
        axes.plot(fine, ((fine - estimate.value) / estimate.std) ** 2, color=MODEL, lw=0.8, label="linear")
    axes.plot(found.values, found.rise, "o", ms=3, color=DATA, label="profile")
    axes.axhline(found.level, color="black", lw=0.5, ls=":")
    axes.set_title(f"${symbol(name)}$ = {estimate}", fontsize=LABEL)
    axes.set_ylabel("rise of χ²", fontsize=LABEL)
    axes.ticklabel_format(useOffset=False)
    axes.legend(fontsize=SMALL, frameon=False)
